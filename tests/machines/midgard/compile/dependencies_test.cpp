#include "machines/midgard/compile/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace mobula::test {
namespace {

using midgard_compiler::Code;
using midgard_compiler::Dependencies;
using midgard_compiler::Edge;
using midgard_compiler::Value;
using testing::ElementsAre;
using testing::IsEmpty;

/// "0 value" for each.
std::vector<std::string> words_of(std::span<const Edge> edges) {
  constexpr std::array names{"value", "guard", "overwritten", "overwritten guard", "again", "order"};
  std::vector<std::string> all;
  for (const Edge& edge : edges)
    all.push_back(std::to_string(edge.node) + " " + names[static_cast<std::size_t>(edge.kind)]);
  return all;
}

midgard_compiler::Instruction sum(Value to, std::uint8_t mask, Value a, Value b) {
  midgard_compiler::Instruction each;
  each.op = midgard_compiler::alu_row("fadd");
  each.result = to;
  each.mask = mask;
  each.sources = {midgard_compiler::of(a), midgard_compiler::of(b), {}};
  return each;
}
midgard_compiler::Instruction memory(bool is_store, std::uint32_t slot) {
  midgard_compiler::Instruction each;
  each.kind = midgard_compiler::Instruction::Kind::load_store;
  each.memory = is_store ? midgard_compiler::memory_row("st_128") : midgard_compiler::memory_row("ld_128");
  each.is_store = is_store;
  each.orders = true;
  each.slot = slot;
  return each;
}

TEST(MidgardDependencies, AreOfComponents) {
  Code code;
  const Value a = code.add({.components = 2}), b = code.add({.components = 2});
  code.blocks.resize(1);
  code.blocks[0].code = {sum(a, 1, b, b), sum(a, 2, b, b), sum(b, 1, a, a), sum(a, 1, a, a)};
  const Dependencies found = find_dependencies(code)[0];
  EXPECT_THAT(words_of(found.before(0)), IsEmpty());
  EXPECT_THAT(words_of(found.before(1)), IsEmpty()) << "it writes another component";
  EXPECT_THAT(words_of(found.before(2)), ElementsAre("0 value", "0 value", "0 overwritten", "0 overwritten"))
      << "the second component of a has not been read";
  EXPECT_THAT(words_of(found.before(3)),
              ElementsAre("0 value", "0 value", "0 again", "2 overwritten", "2 overwritten"));
  EXPECT_THAT(words_of(found.after(0)),
              ElementsAre("2 value", "2 value", "2 overwritten", "2 overwritten", "3 value", "3 value", "3 again"));
  EXPECT_EQ(found.height(0), 0U);
  EXPECT_EQ(found.height(2), 1U);
  EXPECT_EQ(found.height(3), 1U) << "what is overwritten may be read in the same word";
}

TEST(MidgardDependencies, TellWhoUsesAValue) {
  Code code;
  const Value a = code.add({}), b = code.add({}), unused = code.add({});
  code.blocks.resize(2);
  code.blocks[0].code = {sum(a, 1, b, b), sum(b, 1, a, b)};
  code.blocks[1].code = {sum(b, 1, b, b)};
  const auto found = find_dependencies(code);
  ASSERT_EQ(found[0].used().size(), 2U);
  EXPECT_EQ(found[0].used()[0].value, b);
  EXPECT_EQ(found[0].used()[1].value, a);
  EXPECT_THAT(found[0].users(0), ElementsAre(0, 1));
  EXPECT_THAT(found[0].users(1), ElementsAre(0, 1));
  EXPECT_EQ(found[0].used()[1].makers, 1U);
  ASSERT_EQ(found[1].used().size(), 1U) << "nothing is left of the block before";
  EXPECT_THAT(found[1].users(0), ElementsAre(0));
  EXPECT_THAT(words_of(found[1].before(0)), IsEmpty());
  EXPECT_NE(found[1].used()[0].value, unused);
}

TEST(MidgardDependencies, MemoryIsOrderedSlotBySlot) {
  Code code;
  code.blocks.resize(1);
  code.blocks[0].code = {memory(true, 1), memory(false, 1), memory(false, 1), memory(true, 2), memory(true, 1)};
  const Dependencies found = find_dependencies(code)[0];
  EXPECT_THAT(words_of(found.before(1)), ElementsAre("0 order"));
  EXPECT_THAT(words_of(found.before(2)), ElementsAre("0 order"));
  EXPECT_THAT(words_of(found.before(3)), IsEmpty());
  EXPECT_THAT(words_of(found.before(4)), ElementsAre("0 order", "1 order", "2 order"));
}

}  // namespace
}  // namespace mobula::test
