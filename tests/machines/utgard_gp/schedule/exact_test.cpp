#include "machines/utgard_gp/schedule/exact.h"

#include <gtest/gtest.h>

#include "machines/utgard_gp/schedule/bound.h"
#include "machines/utgard_gp/schedule/expression.h"
#include "machines/utgard_gp/schedule/search.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::string_view declared =
    "attribute vec4 a; attribute vec4 b; uniform vec4 u; uniform vec4 t; varying vec4 v; varying vec4 w;\n";
constexpr std::uint64_t plenty_of_work = 100'000;

Task task_of(const std::string& text) {
  const std::string whole = std::string(declared) + text;
  auto expressions = parse_expressions({"test.gpe", whole});
  EXPECT_TRUE(expressions) << text;
  if (!expressions) return {};
  Values values;
  const auto flow = lower(*expressions, values);
  EXPECT_TRUE(flow);
  return make_task(*flow, 0, values, {FirstLoads{}});
}

/// The bound of one resource.
unsigned bound_of(const Task& task, std::string_view resource) {
  for (const Bound& bound : lower_bounds(task))
    if (bound.resource == resource) return bound.words;
  ADD_FAILURE() << resource;
  return 0;
}

TEST(ScheduleExact, FindsTheShortestAndRefutesShorterOnes) {
  struct Case {
    const char* text;
    unsigned words;
  };
  for (const Case& each : {
           Case{"v = a;", 1},
           Case{"v = a; w = b;", 2},                           // one attribute a word
           Case{"v.x = a.x * b.x;", 2},                        // the second through the port 0 of the word before
           Case{"v.x = rcp(a.x);", 4},                         // table, complex1, nothing, move
           Case{"v.x = rcp(a.x); v.y = rcp(a.y);", 6},         // complex1 and complex2 never share a word
           Case{"v.x = exp2(a.x);", 5},                        // preexp2 first
           Case{"v.x = a.x + b.x; v.y = a.y * b.y;", 2},       //
           Case{"v.xy = floor(a.xy); w.xy = sign(a.xy);", 2},  // one opcode for both adders
           Case{"v.x = a.w + (a.y + a.w); v.y = min(floor(a.w), b.y * u.w);", 4},
       }) {
    const Task task = task_of(each.text);
    const ExactAnswer found = find_exactly(task, each.words, plenty_of_work, true);
    ASSERT_EQ(found.answer, Sat::Answer::yes) << each.text;
    EXPECT_EQ(found.plan.size(), each.words);
    EXPECT_TRUE(emit(task, found.plan)) << each.text;
    if (each.words > 1) {
      EXPECT_EQ(find_exactly(task, each.words - 1, plenty_of_work, true).answer, Sat::Answer::no) << each.text;
    }
    EXPECT_LE(lower_bounds(task).front().words, each.words) << each.text;
  }
}

TEST(ScheduleExact, GivesUpAfterItsBudget) {
  const Task task = task_of("v = transform(a); w = normalize(b.xyz).xyzx;");
  const unsigned words = lower_bounds(task).front().words;
  EXPECT_EQ(find_exactly(task, words, 0, true).answer, Sat::Answer::unknown);
}

/// One word less than the products need: without counting, a hundred thousand conflicts do not show it.
TEST(ScheduleExact, CountsOverAllWords) {
  for (const char* text : {"v = a * u * t + b; w = b * t * u + a;", "v = a * b; w = (a * u) * (b * t) * (u * t);",
                           "v = transform(a) * transform(b); w = transform(a + b);"}) {
    const Task task = task_of(text);
    EXPECT_EQ(find_exactly(task, bound_of(task, "multipliers") - 1, 100, true).answer, Sat::Answer::no) << text;
  }
}

TEST(ScheduleExact, NeverBeatsABound) {
  for (const char* text : {"v = transform(a);", "v.xyz = normalize(a.xyz);", "v = pow(a, u);", "v = a * u + t; w = b;",
                           "v = select(ge(a, b), a, b);", "v = clamp(a, 0.0, 1.0);"}) {
    const Task task = task_of(text);
    const unsigned bound = lower_bounds(task).front().words;
    const auto found = search(task, {.fills = 2000, .enough = bound});
    ASSERT_TRUE(found) << text;
    EXPECT_GE(found->plan.size(), bound) << text;
    EXPECT_EQ(find_exactly(task, bound - 1, plenty_of_work, true).answer, Sat::Answer::no) << text;
  }
}

TEST(ScheduleBound, CountsWhatWordsHaveTooLittleOf) {
  EXPECT_EQ(bound_of(task_of("v = floor(a); w = sign(a);"), "adders"), 4u);
  EXPECT_EQ(bound_of(task_of("v = a * u;"), "multipliers"), 2u);
  EXPECT_EQ(bound_of(task_of("v.x = rcp(a.x); v.y = rcp(a.y); v.z = rcp(a.z);"), "multipliers"), 8u);
  EXPECT_EQ(bound_of(task_of("v = clamp(a, 0.0, 1.0);"), "pass"), 4u);
  EXPECT_EQ(bound_of(task_of("v.x = exp2(a.x); v.y = log2(a.y);"), "complex"), 5u);
  EXPECT_EQ(bound_of(task_of("v = a; w = b;"), "attributes"), 2u);
  EXPECT_EQ(bound_of(task_of("v.x = u.x; v.y = t.x; v.z = u.y;"), "uniforms"), 2u);
  EXPECT_EQ(bound_of(task_of("v.x = u.x; w.y = u.y; w.z = u.z;"), "stores"), 2u);
  EXPECT_EQ(bound_of(task_of("v = a; w = a;"), "units"), 1u);  // one move serves both stores
  EXPECT_EQ(bound_of(task_of("v.x = a.x + a.y + a.z + a.w;"), "latency"), 3u);
}

}  // namespace
}  // namespace mobula::utgard_gp
