// Registers for words.
#include "machines/rogue/compile/allocate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "machines/rogue/compile/groups.h"
#include "machines/rogue/spec/spec.h"

namespace mobula::rogue_compiler {
namespace {

/// As many words as asked for that all live at once: made, then read.
Code all_at_once(std::uint32_t count) {
  Code code;
  code.blocks.resize(1);
  auto& groups = code.blocks[0].code;
  for (std::uint32_t i = 0; i < count; ++i) groups.push_back(move(constant(0), code.add()));
  for (std::uint32_t i = 0; i < count; ++i) groups.push_back(move(word(i), output(0)));
  return code;
}

TEST(RogueAllocate, TakesVertexInputsThatHoldNothingWhereTemporariesDoNotSuffice) {
  constexpr std::uint32_t attributes = 8, most = rogue::temporary_count + rogue::vertex_input_count - attributes;
  const std::vector<std::uint32_t> registers = allocate(all_at_once(most), attributes);
  ASSERT_EQ(registers.size(), most);
  EXPECT_EQ(std::set(registers.begin(), registers.end()).size(), most) << "each has its own";
  for (std::uint32_t i = 0; i < attributes; ++i)
    EXPECT_EQ(std::ranges::count(registers, rogue::temporary_count + i), 0) << "attribute " << i;
  EXPECT_TRUE(allocate(all_at_once(most + 1), attributes).empty());
}

TEST(RogueAllocate, TakesTemporariesFirst) {
  for (const std::uint32_t given : allocate(all_at_once(rogue::temporary_count), 0))
    EXPECT_LT(given, rogue::temporary_count);
}

TEST(RogueAllocate, RowsAreInOneBank) {
  Code code = all_at_once(rogue::temporary_count - 2);
  auto& groups = code.blocks[0].code;
  const Operand row = code.add(4);
  for (std::uint32_t i = 0; i < 4; ++i) groups.insert(groups.begin(), move(constant(0), word(row.number + i)));
  groups.push_back(move(row, output(1)));
  const std::vector<std::uint32_t> registers = allocate(code, 0);
  ASSERT_FALSE(registers.empty());
  const std::uint32_t first = registers[row.number];
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(registers[row.number + i], first + i);
  EXPECT_EQ(first < rogue::temporary_count, first + 3 < rogue::temporary_count);
}

TEST(RogueAllocate, KeepsWhatALoopReadsInItsNextTurn) {
  // b0: x = 0; b1: reads x, makes y, goes to b1 or b2; b2: nothing. x lives in all of b1.
  Code code;
  code.blocks.resize(3);
  const Operand x = code.add(), y = code.add();
  code.blocks[0].code = {move(constant(0), x)};
  code.blocks[1].code = {move(x, output(0)), move(constant(1), y), move(y, output(1))};
  code.blocks[0].successors = {1};
  code.blocks[1].successors = {1, 2};
  const std::vector<std::uint32_t> registers = allocate(code, 0);
  EXPECT_NE(registers[x.number], registers[y.number]);
  code.blocks[1].successors = {2};
  const std::vector<std::uint32_t> once = allocate(code, 0);
  EXPECT_EQ(once[x.number], once[y.number]) << "where it is not read again, its register is free";
}

}  // namespace
}  // namespace mobula::rogue_compiler
