// What every subcommand has in common: usage, exit statuses, files, colours, schemas.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

std::set<std::string> subcommands() {
  const std::string help = run({"--help"}).out;
  const std::size_t begin = help.find("Subcommands:");
  return matches(help.substr(begin, help.find("Examples:") - begin), "\n  ([a-z]+) ");
}

TEST(Usage, HelpShowsThreeExamplesAndTheExitStatuses) {
  ASSERT_GE(subcommands().size(), 5u);
  for (const std::string& name : subcommands()) {
    const Outcome outcome = run({name, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(matches(outcome.out, "\n  (mobula [^\n]*)").size(), 3u) << name;
    EXPECT_NE(outcome.out.find("Exit status:\n  0 done"), std::string::npos) << name;
  }
}

TEST(Usage, EveryOptionIsUsedInATest) {
  std::string tests;
  for (const auto& entry : std::filesystem::directory_iterator(source_file("tests/cli"))) tests += read(entry.path());
  for (const std::string& name : subcommands())
    for (const std::string& option : matches(run({name, "--help"}).out, "\n  (?:-[a-z],)?(--[a-z-]+)"))
      EXPECT_NE(tests.find('"' + option + '"'), std::string::npos) << "no test uses mobula " << name << ' ' << option;
}

TEST(Usage, Version) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(std::regex_match(outcome.out, std::regex("mobula [0-9]+\\.[0-9]+\\.[0-9]+\n"))) << outcome.out;
}

TEST(Usage, WrongUsageIsStatus2WithAHintAndNoOutput) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"frobnicate"},
                                             {"disasm"},
                                             {"disasm", "--frobnicate", "x"},
                                             {"asm", "a", "b"},
                                             {"disasm", "--index", "x", "a"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("mobula: error: ", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find("hint: "), std::string::npos) << outcome.err;
  }
}

TEST(Usage, UnreadableInputIsStatus2) {
  const Outcome missing = run({"check", "-m", "midgard", "/nonexistent/a.bin"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "mobula: error: cannot read /nonexistent/a.bin: No such file or directory\n");
  EXPECT_EQ(run({"check", "-m", "midgard", "/"}).status, 2);
}

TEST(Usage, UnknownMachineNamesTheKnownOnes) {
  const Outcome machine = run({"explain", "--machine", "voodoo", "00000000"});
  EXPECT_EQ(machine.status, 2);
  EXPECT_NE(machine.err.find("midgard"), std::string::npos) << machine.err;
  const Outcome variant = run({"explain", "-m", "midgard:t9000", "00000000"});
  EXPECT_EQ(variant.status, 2);
  EXPECT_NE(variant.err.find("t860"), std::string::npos) << variant.err;
  const Outcome none = run({"explain", "00000000"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("--machine"), std::string::npos) << none.err;
}

TEST(Usage, ColourOnlyWhereWanted) {
  const std::vector<std::string> command{"explain", "-m", "voodoo", "0"};
  const auto with = [&](const std::string& colour) {
    std::vector<std::string> arguments{"--color", colour};
    arguments.insert(arguments.end(), command.begin(), command.end());
    return arguments;
  };
  EXPECT_EQ(run(command).err.find('\x1b'), std::string::npos) << "standard error is not a terminal";
  EXPECT_EQ(run(with("never")).err.find('\x1b'), std::string::npos);
  EXPECT_NE(run(with("always")).err.find('\x1b'), std::string::npos);
  EXPECT_EQ(run(with("sometimes")).status, 2);
}

TEST(Usage, OutputReplacesTheFileInOneStep) {
  const Folder folder;
  const std::string target = folder.file("out.txt", "old");
  EXPECT_EQ(run({"isa", "--output", target}).status, 0);
  EXPECT_EQ(read(target), run({"isa"}).out);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out.txt"});

  EXPECT_EQ(run({"isa", "midgard", "frobnicate", "-o", target}).status, 1);
  EXPECT_EQ(read(target), run({"isa"}).out) << "a failed command leaves the file alone";
  EXPECT_EQ(run({"isa", "-o", folder.file("no/such/folder")}).status, 2);
  EXPECT_EQ(run({"isa", "-o", "/dev/null"}).status, 0);
}

TEST(Usage, RefusesOptionsThatWouldHaveNothingToActOn) {
  const Folder folder;
  const std::string checker = example("checker.frag.bin"), inputs = example("checker.inputs.json");
  const std::string worked = example("scoreboard-worked.sb"), picture = folder.file("x.svg");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{"time", checker, "--policy", "discard_bit=any"}, "--policy and --step-limit"},
      {{"time", checker, "--step-limit", "3"}, "--policy and --step-limit"},
      {{"time", checker, "--inputs", inputs, "--path", "longest"}, "--path is the way"},
      {{"time", checker, "--threads", "0"}, "--threads 0"},
      {{"time", checker, "--params", "--json"}, "--params"},
      {{"time", checker, "--format", "shader-db", "--json"}, "--format shader-db and --json"},
      {{"run", checker, "--reference", example("checker.ref.json"), "--image", "3x3"}, "--reference compares"},
      {{"run", checker, "--reference", example("checker.ref.json"), "--inputs", inputs}, "--reference compares"},
      {{"run", checker, "--inputs", inputs, "--image", "3x3", "--threads", "2"}, "--image has a thread"},
      {{"disasm", checker, "--svg", picture, "-o", picture}, "the file of the result"},
      {{"disasm", checker, "--svg", checker}, "the input"},
      {{"explain", "-m", "afuc:a630", "98430801", "--svg", picture, "-o", picture}, "the file of the result"},
      {{"scoreboard", "run", worked, "--matrix-svg", picture, "-o", picture}, "the file of the result"},
      {{"scoreboard", "run", worked, "--spill-to", "8", "--set", "I1=5"}, "--set names registers"},
      {{"scoreboard", "sweep", worked, "--interleave", "2", "--axis", "workload.spill_to=8"}, "would come after"},
      {{"scoreboard", "sweep", worked, "--axis", "latency.ld=1", "--axis", "latency.ld=2"}, "two axes are latency.ld"}};
  for (const auto& [command, message] : refused) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << message << '\n' << outcome.err;
    EXPECT_EQ(outcome.out, "") << message;
  }
  EXPECT_TRUE(folder.names().empty()) << "nothing is written";
}

TEST(Usage, TimeEndsWithOneWhereItsRunFails) {
  const Folder folder;
  const Outcome outcome = run({"time", example("checker.frag.bin"), "--inputs", folder.file("in.json", "{}")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("error: "), std::string::npos);
}

TEST(Schema, TheValidatorFindsFaults) {
  const nlohmann::json good{{"schema", "mobula/check"},
                            {"version", 1},
                            {"tool", {{"name", "mobula"}, {"version", "0.1.0"}}},
                            {"target", {{"machine", "midgard"}, {"variant", ""}}},
                            {"input", {{"file", "a"}, {"bytes", 16}}},
                            {"result", {{"diagnostics", nlohmann::json::array()}}}};
  EXPECT_EQ(schema_errors("check", good), std::vector<std::string>{});
  const auto broken = [&](const char* pointer, nlohmann::json value) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = std::move(value);
    return !schema_errors("check", bad).empty();
  };
  EXPECT_TRUE(broken("/version", 2));
  EXPECT_TRUE(broken("/version", "1"));
  EXPECT_TRUE(broken("/extra", 1));
  EXPECT_TRUE(broken("/tool/version", "new"));
  EXPECT_TRUE(broken("/input/bytes", -1));
  EXPECT_TRUE(broken("/result", nlohmann::json::object()));
  EXPECT_TRUE(broken("/result/diagnostics", nlohmann::json::parse(R"([{"severity": "loud"}])")));
}

}  // namespace
}  // namespace mobula::test
