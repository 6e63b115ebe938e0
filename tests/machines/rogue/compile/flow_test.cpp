// Where instances part ways.
#include "machines/rogue/compile/flow.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compile/build.h"

namespace mobula::rogue_compiler {
namespace {

std::size_t masked(const std::string& body) {
  const auto form = test::ssa_of(
      "#version 300 es\nprecision highp float; uniform int n; in vec2 v; out vec4 o; void main() { float s = v.y; " +
      body + " o = vec4(s); }");
  EXPECT_TRUE(form) << test::errors_of(form);
  const Flow flow = find_flow(test::optimized(*form, {.level = 1}));
  EXPECT_FALSE(flow.is_masked.front()) << "all begin together";
  EXPECT_FALSE(flow.is_masked.back()) << "and end so";
  return static_cast<std::size_t>(std::count(flow.is_masked.begin(), flow.is_masked.end(), true));
}

TEST(RogueFlow, IsTogetherWhereUniformsDecide) {
  EXPECT_EQ(masked("if (n > 3) s = sin(s); else s = cos(s);"), 0U);
  EXPECT_EQ(masked("for (int i = 0; i < n; ++i) s = sin(s);"), 0U);
}
TEST(RogueFlow, PartsWhereVaryingsDecideUntilTheWaysMeet) {
  EXPECT_EQ(masked("if (v.x > 0.5) s = sin(s); else s = cos(s);"), 2U);
  EXPECT_EQ(masked("for (int i = 0; i < n; ++i) if (v.x > s) s = sin(s);"), 1U) << "the loop itself is not parted";
}
TEST(RogueFlow, IsPartedInAllOfALoopThatSomeLeave) {
  EXPECT_GE(masked("for (int i = 0; i < n; ++i) { if (v.x > s) break; s = sin(s); }"), 3U);
}
TEST(RogueFlow, TakesWhatHasBeenThroughDifferentWaysForDifferent) {
  EXPECT_EQ(masked("int k = 0; if (v.x > 0.5) k = n; if (k > 2) s = sin(s);"), 2U);
}

}  // namespace
}  // namespace mobula::rogue_compiler
