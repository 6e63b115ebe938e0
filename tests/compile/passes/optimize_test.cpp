#include "compile/passes/optimize.h"

#include <gtest/gtest.h>

#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

constexpr const char* loops_and_choices =
    "void main() { float a[4]; for (int i = 0; i < 4; ++i) a[i] = v[i] * float(i); float s = 0.0;\n"
    "for (int i = 0; i < 4; ++i) { if (a[i] > 0.5) s += a[3 - i]; else s -= a[i]; if (a[i] > 2.5) break; }\n"
    "colour = vec4(s, a[n & 3], pow(abs(v.x), 2.0), v.y / 4.0); }";

ssa::Program with(const ssa::Effort& effort) {
  return checked(
      loops_and_choices, [&](ssa::Program& program) { ssa::optimize(program, effort); }, 1e-6);
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

/// gl_Position of a vertex shader at some places, bit by bit, with what else its main() does.
std::vector<ssa::Bits> positions(const std::string& rest, const ssa::Effort& effort) {
  const auto program = ssa_of(
      "#version 320 es\ninvariant gl_Position; uniform mat4 m; uniform vec4 u; in vec4 p; in vec4 q; out vec4 w;\n"
      "void main() { vec4 a = p * u + q; for (int i = 0; i < 3; ++i) a = m * vec4(a.xyz / sqrt(a.w * a.w + 1.0), "
      "1.0);\n"
      "gl_Position = a + p * q.x; w = vec4(0.0);" +
          rest + " }",
      Stage::vertex);
  EXPECT_TRUE(program) << errors_of(program);
  if (!program) return {};
  const ssa::Program result = optimized(*program, effort);
  std::vector<ssa::Bits> found;
  for (const double x : {0.1, 0.7, 13.3, -1e3}) {
    Evaluation run(result);
    run.put("p", {x, 1.3, 2.7, 1});
    run.put("q", {0.3, x * x, 1.1, 0.2});
    run.put("u", {1.7, 0.9, x, 3.1});
    run.put("m[0]", {0.1, 0.2, 0.3, 0.4, x, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7});
    EXPECT_EQ(run.evaluator.run(), "");
    found.push_back(run.evaluator.at(*run.evaluator.find("gl_Position")));
  }
  return found;
}

TEST(Optimize, AnInvariantPositionIsTheSameWhateverElseIsComputed) {
  for (const ssa::Effort& effort :
       {ssa::Effort{.level = 1}, ssa::Effort{.level = 2}, ssa::Effort{.level = 2, .multiplies_and_adds = true}}) {
    const auto alone = positions("", effort);
    EXPECT_EQ(alone, positions("w = p * u; w += p * q.x + sqrt(a.w * a.w + 1.0);", effort));
    EXPECT_EQ(alone, positions("if (q.x > 0.0) { w = a.xyzz / sqrt(a.w * a.w + 1.0); } w += m * w;", effort));
  }
}

}  // namespace
}  // namespace mobula::test
