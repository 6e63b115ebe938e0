#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shell.h"

namespace mobula::test {
namespace {

/// Reference 9.2: five words that move more than they have to.
constexpr std::string_view five_words =
    "ad4ad6b5 0380a2cc 0007ff80 000ad500 ad4685c2 438002b5 0007ff80 000ad500 ad4cc980 438022d9 0007ff80 000ad500\n"
    "ad48ca3b 038041d3 0007ff80 000ad500 6c8b66b5 03804193 4243c080 000ac508\n";

/// Four words are needed, which only the exact search can show.
constexpr std::string_view search_text =
    "attribute vec4 a; attribute vec4 b; uniform vec4 u; varying vec2 v;\n"
    "v.x = a.w + (a.y + a.w); v.y = min(floor(a.w), b.y * u.w);\n";

std::vector<std::string> schedule(std::initializer_list<std::string> more) {
  std::vector<std::string> arguments{"schedule", "-m", "utgard-gp", "-"};
  arguments.insert(arguments.end(), more);
  return arguments;
}

TEST(Schedule, WritesAProgramThatIsNoLonger) {
  const Outcome hex = run(schedule({"--hex", "--effort", "1", "--vertices", "16"}), five_words);
  ASSERT_EQ(hex.status, 0) << hex.err;
  EXPECT_LE(hex.out.size(), five_words.size());
  const Outcome text = run(schedule({"--text", "--effort", "1", "--vertices", "16", "--plain-branches"}), five_words);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("st0 v0.xy"), std::string::npos) << text.out;
  const Outcome back = run({"asm", "-m", "utgard-gp", "-", "--hex"}, text.out);
  EXPECT_EQ(back.status, 0) << back.err;
}

TEST(Schedule, TheResultRunsAsItIs) {
  const Folder folder;
  const std::string text = folder.file("half.gpe", "attribute vec4 a; varying vec4 v; v = a * 0.5 + 3;");
  const std::string code = folder.file("half.bin"), shorter = folder.file("shorter.bin");
  const std::string inputs = folder.file("inputs.json", R"({"attributes": {"a": [[1, 2, 3, 4]]}})");
  ASSERT_EQ(run({"schedule", text, "--effort", "1", "-o", code}).status, 0);
  const Outcome outcome = run({"run", code, "--inputs", inputs});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4.5"), std::string::npos) << outcome.out;
  ASSERT_EQ(run({"schedule", code, "--effort", "1", "-o", shorter}).status, 0);
  EXPECT_EQ(run({"run", shorter, "--inputs", inputs}).out, outcome.out);
}

TEST(Schedule, JsonReportsBoundsOfEachTrace) {
  const Outcome outcome = run(schedule({"--json", "--effort", "1", "--vertices", "16"}), five_words);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json result = parse_json(outcome.out).at(0).at("result");
  EXPECT_EQ(result.at("words_before"), 5);
  EXPECT_EQ(result.at("code").get<std::string>().size(), 32 * result.at("words").get<std::size_t>());
  const nlohmann::json& trace = result.at("traces").at(0);
  EXPECT_EQ(trace.at("bound"), trace.at("bounds").at(0).at("words"));
  EXPECT_EQ(trace.at("optimal"), trace.at("bound") == trace.at("words"));
}

TEST(Schedule, NotesNameTheBound) {
  const Outcome outcome = run(schedule({"--hex", "--effort", "1", "--vertices", "16"}), five_words);
  EXPECT_NE(outcome.err.find("trace of word 0: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("were 5; optimal by "), std::string::npos) << outcome.err;
}

TEST(Schedule, ExactSearchCanBeLeftOut) {
  const Outcome with = run({"schedule", "--expr", "--json", "--effort", "1", "-"}, search_text);
  const Outcome without = run({"schedule", "--expr", "--json", "--effort", "1", "--exact", "0", "-"}, search_text);
  ASSERT_EQ(with.status, 0) << with.err;
  ASSERT_EQ(without.status, 0) << without.err;
  EXPECT_EQ(parse_json(with.out).at(0).at("result").at("traces").at(0).at("bounds").at(0).at("resource"), "search");
  EXPECT_NE(parse_json(without.out).at(0).at("result").at("traces").at(0).at("bounds").at(0).at("resource"), "search");
}

TEST(Schedule, CompilesExpressions) {
  const Outcome outcome = run({"schedule", "--text", "--effort", "1", "--exact", "0", example("light.gpe")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("clamp"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("uniform vec4 9: vec4 viewport_scale"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("uniform vec4 11.y: 1e+10"), std::string::npos) << outcome.err;
}

TEST(Schedule, ErrorsOfExpressionsHaveACaret) {
  const Outcome outcome = run({"schedule", "--expr", "--text", "-"}, "attribute vec4 a;\nvarying vec4 v;\nv = b;\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find(":3:5: error: 'b' is not known"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find('^'), std::string::npos) << outcome.err;
}

TEST(Schedule, RefusesEffortOutOfRange) {
  EXPECT_EQ(run(schedule({"--exact", "-1"}), five_words).status, 2);
  EXPECT_EQ(run(schedule({"--effort", "0"}), five_words).status, 2);
  EXPECT_EQ(run(schedule({"--vertices", "-1"}), five_words).status, 2);
}

}  // namespace
}  // namespace mobula::test
