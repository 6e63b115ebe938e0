#include "compile/make/make.h"

#include <gtest/gtest.h>

#include <vector>

#include "compile/build.h"

namespace mobula::test {
namespace {

constexpr const char* shader = R"(
attribute vec4 p; uniform mat4 m; uniform vec4 u; varying vec4 v;
void main() {
  gl_Position = m * p;
  v = u;
  for (int i = 0; i < 90; ++i) { if (float(i) > p.x * 9.0) break; v = v.yzwx + sin(v); }
})";

TEST(Make, SchedulesWhereThereIsAScheduler) {
  const auto form = ssa_of(shader, Stage::vertex);
  ASSERT_TRUE(form);
  const auto made = compile::make_code(*form, {"utgard-gp", "mali450"}, 1);
  ASSERT_TRUE(made) << errors_of(made);
  ASSERT_TRUE(made->schedule);
  EXPECT_EQ(made->program.code, made->schedule->program.code);
  EXPECT_EQ(made->program.code.size(), 16 * made->schedule->words);
  EXPECT_EQ(made->schedule->words_before, 0U);
  std::uint32_t words = 0;
  ASSERT_GT(made->schedule->traces.size(), 2U);
  for (const ScheduledTrace& trace : made->schedule->traces) {
    EXPECT_EQ(trace.first_word, words) << "of the words as they are now";
    EXPECT_EQ(trace.words_before, 0U);
    words += trace.words;
  }
  EXPECT_EQ(words, made->schedule->words);
  const auto shorter = compile::make_code(*form, {"utgard-gp", "mali450"}, 2);
  ASSERT_TRUE(shorter) << errors_of(shorter);
  EXPECT_LE(shorter->schedule->words, words);
}

TEST(Make, MergesGroupsAndKeepsTheirLines) {
  const auto form = ssa_of(
      "attribute vec4 p;\nuniform mat4 m;\nvarying vec4 v;\nvoid main() {\n  gl_Position = m * p;\n  v = p * 2.0;\n}",
      Stage::vertex);
  ASSERT_TRUE(form);
  const auto alone = compile::find_back_end("rogue")->compile(*form, "");
  const auto made = compile::make_code(*form, {"rogue", ""}, 1);
  ASSERT_TRUE(made) << errors_of(made);
  EXPECT_LT(made->program.code.size(), alone->code.size());
  std::vector<std::uint32_t> lines;
  for (const SourceLine& each : made->program.lines) {
    EXPECT_LT(each.byte_offset, made->program.code.size());
    lines.push_back(each.line);
  }
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{5, 6}));
  ASSERT_TRUE(made->merging);
  EXPECT_TRUE(made->merging->parts.empty()) << "neighbours only";
  const auto ordered = compile::make_code(*form, {"rogue", ""}, 2);
  ASSERT_TRUE(ordered) << errors_of(ordered);
  EXPECT_EQ(ordered->program.code, ordered->merging->program.code);
  EXPECT_LT(ordered->merging->groups, made->merging->groups);
  ASSERT_EQ(ordered->merging->parts.size(), 1U);
  EXPECT_LE(ordered->merging->parts[0].bound, ordered->merging->parts[0].groups);
}

TEST(Make, LeavesOtherMachinesAsTheyAre) {
  const auto form = ssa_of(shader, Stage::vertex);
  ASSERT_TRUE(form);
  const auto made = compile::make_code(*form, {"midgard", "t860"});
  ASSERT_TRUE(made) << errors_of(made);
  EXPECT_FALSE(made->schedule);
  EXPECT_EQ(made->program.code, compile::find_back_end("midgard")->compile(*form, "t860")->code);
}

TEST(Make, SaysWhatDoesNotFit) {
  std::string body;
  for (int i = 0; i < 19; ++i) body += "v = sin(v + u.x) * v;";
  const auto form =
      ssa_of("attribute vec4 p; uniform vec4 u; varying vec4 v; void main() { gl_Position = p; v = p;" + body + "}",
             Stage::vertex);
  ASSERT_TRUE(form);
  const auto made = compile::make_code(*form, {"utgard-gp", "mali450"}, 0);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().front().code, "GP303");
  EXPECT_FALSE(made.error().front().hint.empty());
}

}  // namespace
}  // namespace mobula::test
