#include "compile/passes/position.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compile/passes/outputs.h"
#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

ssa::Program placed(const std::string& body, const ssa::PositionRules& rules = {}) {
  ssa::Program program = *ssa_of("attribute vec4 p; uniform float u; void main() {" + body + "}", Stage::vertex);
  ssa::gather_outputs(program);
  ssa::place_positions(program, rules);
  return optimized(std::move(program));
}

TEST(PlacePositions, DividesOnce) {
  const ssa::Program program = placed("gl_Position = p;");
  EXPECT_EQ(count(program, Op::frcp), 1U);
  EXPECT_EQ(count(program, Op::fmin) + count(program, Op::fmax), 0U);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(program.variables, [&](const ssa::Variable& each) { return each.name == name; });
  };
  EXPECT_TRUE(has(name(ssa::BuiltIn::viewport_scale)) && has(name(ssa::BuiltIn::viewport_offset)));
}

TEST(PlacePositions, DividesNothingByOne) {
  for (const bool scales_first : {false, true}) {
    const ssa::Program program =
        placed("gl_Position = vec4(p.xyz, 1.0);", {.bound = 1e10F, .scales_first = scales_first});
    EXPECT_EQ(count(program, Op::frcp) + count(program, Op::fmin) + count(program, Op::fmax), 0U);
    EXPECT_EQ(count(program, Op::fmul) + count(program, Op::ffma), 1U);
  }
}

TEST(PlacePositions, BoundsTheReciprocal) {
  const ssa::Program program = placed("gl_Position = p;", {.bound = 1e10F});
  EXPECT_EQ(count(program, Op::fmin), 1U);
  EXPECT_EQ(count(program, Op::fmax), 1U);
}

TEST(PlacePositions, PlacesOnlyWhatLeaves) {
  const ssa::Program program =
      placed("gl_Position = p; for (int i = 0; i < 90; ++i) { if (float(i) > u) break; gl_Position.xy += p.yx; }");
  EXPECT_EQ(count(program, Op::frcp), 1U);
}

}  // namespace
}  // namespace mobula::test
