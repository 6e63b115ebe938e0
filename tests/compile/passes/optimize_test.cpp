#include "compile/passes/optimize.h"

#include <gtest/gtest.h>

#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

constexpr const char* shader =
    "void main() { float a[4]; for (int i = 0; i < 4; ++i) a[i] = v[i] * float(i); float s = 0.0;\n"
    "for (int i = 0; i < 4; ++i) { if (a[i] > 0.5) s += a[3 - i]; else s -= a[i]; if (a[i] > 2.5) break; }\n"
    "colour = vec4(s, a[n & 3], pow(abs(v.x), 2.0), v.y / 4.0); }";

ssa::Program with(const ssa::Effort& effort) {
  return checked(
      shader, [&](ssa::Program& program) { ssa::optimize(program, effort); }, 1e-6);
}

TEST(Optimize, EachLevelDoesMore) {
  const ssa::Program none = with({.level = 0}), fast = with({.level = 1}), all = with({.level = 2}),
                     chosen = with({.level = 2, .chosen_elements = 4});
  EXPECT_EQ(count(none, Op::fpow), 1u);
  EXPECT_EQ(count(fast, Op::fpow), 0u);
  EXPECT_GT(fast.blocks.size(), all.blocks.size());
  EXPECT_TRUE(std::ranges::any_of(fast.blocks, [](const ssa::Block& block) { return block.next_turn != ssa::none; }));
  EXPECT_FALSE(std::ranges::any_of(all.blocks, [](const ssa::Block& block) { return block.next_turn != ssa::none; }));
  const auto loads = [](const ssa::Program& program) { return count(program, Op::load); };
  EXPECT_GT(loads(fast), loads(all));
  EXPECT_GT(loads(all), loads(chosen)) << "n & 3 is not known";
}

TEST(Optimize, WhatIsDoneNeedsNoOtherRound) {
  const ssa::Program once = with({.level = 2, .chosen_elements = 4});
  EXPECT_EQ(ssa::print(optimized(once, {.level = 2, .chosen_elements = 4})), ssa::print(once));
}

}  // namespace
}  // namespace mobula::test
