// Clamps to 0 and 1 that need no group of their own.
#include "machines/rogue/compile/saturate.h"

#include <gtest/gtest.h>

#include "machines/rogue/compile/groups.h"
#include "machines/rogue/compile/tidy.h"

namespace mobula::rogue_compiler {
namespace {

Instruction group(const Row& row, Operation operation, std::array<Operand, 4> sources, const Operand& result) {
  Instruction made{.row = &row, .operation = operation};
  made.sources = sources;
  made.results[0] = result;
  return made;
}
Operand input(std::uint32_t number) { return machine(Operand::Kind::input, number); }

/// `made` and then clamp(word, 0.0, 1.0), put out; `reads_again`: somebody else reads the word, too.
Code clamped(Code code, const Operand& value, bool reads_again = false) {
  auto& groups = code.blocks[0].code;
  const Operand above = code.add(), result = code.add();
  groups.push_back(group(rows::choose_tested, Operation::tstg, {value, constant(0)}, above));
  groups.push_back(group(rows::choose_tested, Operation::tstl, {constant(64), above}, result));
  groups.push_back(move(result, output(0)));
  if (reads_again) groups.push_back(move(value, output(1)));
  saturate(code);
  tidy(code);
  return code;
}

TEST(RogueSaturate, WhatMakesTheNumberClampsIt) {
  Code code;
  code.blocks.resize(1);
  const Operand sum = code.add();
  code.blocks[0].code.push_back(group(rows::multiply_add, Operation::none, {input(0), input(1), input(2)}, sum));
  const Code alone = clamped(code, sum);
  ASSERT_EQ(alone.blocks[0].code.size(), 1U);
  EXPECT_EQ(alone.blocks[0].code[0].row, &rows::multiply_add_saturated);
  EXPECT_EQ(alone.blocks[0].code[0].sources[2], input(2));
  EXPECT_EQ(alone.blocks[0].code[0].results[0], output(0));
  const Code read_again = clamped(code, sum, true);
  ASSERT_EQ(read_again.blocks[0].code.size(), 3U) << "the sum as it is, clamped, and put out";
  EXPECT_EQ(read_again.blocks[0].code[1].row, &rows::add_saturated);
}

TEST(RogueSaturate, AnyNumberIsClampedInOneGroup) {
  Code code;
  code.blocks.resize(1);
  const Code made = clamped(code, input(3));
  ASSERT_EQ(made.blocks[0].code.size(), 1U);
  EXPECT_EQ(made.blocks[0].code[0].row, &rows::add_saturated);
  EXPECT_EQ(made.blocks[0].code[0].sources[0], input(3));
}

TEST(RogueSaturate, WhatMayHaveChangedIsNotReadLater) {
  Code code;
  code.blocks.resize(1);
  const Operand shared = machine(Operand::Kind::shared, 4);
  EXPECT_EQ(clamped(code, shared).blocks[0].code[0].row, &rows::add_saturated) << "a uniform";
  code.blocks[0].code.push_back(move(input(0), shared));
  EXPECT_EQ(clamped(code, shared).blocks[0].code[1].row, &rows::choose_tested) << "a shared variable";
}

}  // namespace
}  // namespace mobula::rogue_compiler
