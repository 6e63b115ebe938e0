// What every subcommand has in common: usage, exit statuses, files, colours, schemas.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <regex>
#include <set>

#include "cli/debug/pseudo_terminal.h"
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
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_file("tests/cli")))
    if (entry.is_regular_file()) tests += read(entry.path());
  for (const std::string& name : subcommands())
    for (const std::string& option : matches(run({name, "--help"}).out, "\n  (?:-[a-z],)?(--[a-z-]+)"))
      EXPECT_NE(tests.find('"' + option + '"'), std::string::npos) << "no test uses mobula " << name << ' ' << option;
}

TEST(Usage, Version) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(std::regex_match(outcome.out,
                               std::regex("mobula [0-9]+\\.[0-9]+\\.[0-9]+\nbuilt: .+\nmachines: midgard, [^]*"
                                          "\ncompiler of shaders: (yes|no)\ncode of the host[^]*: (yes|no)\n[^]*")))
      << outcome.out;
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

/// What was typed, and the message and hint, in the words of all others.
TEST(Usage, WhatWasTypedWronglyIsSaidInOurWords) {
  const std::string checker = example("checker.frag.bin");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "mobula needs a subcommand\n  hint: mobula --help lists them"},
      {{"scoreboard"}, "mobula scoreboard needs a subcommand\n"},
      {{"scoreboard", "swep"}, "unknown subcommand \"swep\"\n  hint: did you mean sweep? mobula scoreboard --help"},
      {{"disasm"}, "FILE is required\n  hint: mobula disasm --help; - is standard input"},
      {{"run", checker, "--no-cach"}, "mobula run has no option --no-cach\n  hint: did you mean --no-cache?"},
      {{"isa", "midgard", "fmul", "x"}, "mobula isa has nothing to do with \"x\""},
      {{"run", checker, "--machine"}, "--machine needs a value\n  hint: mobula run --help"},
      {{"run", checker, "-o", "a", "-o", "b"}, "--output takes at most 1 value, and there are 2"},
      {{"scoreboard", "generate", "--widths", "1"}, "--widths takes at least 4 values, and there is 1"},
      {{"run", checker, "--threads", "abc"}, "--threads takes a whole number, not \"abc\""},
      {{"stat", checker, "--threshold", "abc"}, "--threshold takes a number, not \"abc\""},
      {{"run", checker, "--threads", "99999999999"}, "--threads 99999999999 is too large"},
      {{"run", checker, "--jobs", "0"}, "--jobs takes a number from 1 to 4096, not 0"},
      {{"run", checker, "--strict=maybe"}, "--strict takes no value"},
      {{"debug", checker, "--preset", "a", "--config", "b"}, "--preset and --config do not go together"}};
  for (const auto& [command, message] : wrong) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_NE(outcome.err.find("mobula: error: " + message), std::string::npos) << message << '\n' << outcome.err;
  }
}

/// Each subcommand's help and results, and the version.
TEST(Usage, WhatCannotBePrintedIsAnError) {
  std::vector<std::vector<std::string>> printing{{"--help"},
                                                 {"--version"},
                                                 {"scoreboard", "run", "--help"},
                                                 {"disasm", example("checker.frag.bin")},
                                                 {"time", "-m", "midgard", "--params"}};
  for (const std::string& name : subcommands()) printing.push_back({name, "--help"});
  for (const std::vector<std::string>& arguments : printing) {
    const Outcome outcome = run_on_full_disk(arguments);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(outcome.err, "mobula: error: cannot write standard output: No space left on device\n");
  }
}

TEST(Usage, WhatIsWrongFirstIsToldFirst) {
  const std::string checker = example("checker.frag.bin");
  EXPECT_NE(run({"run", "--bogus", "--json"}).err.find("--bogus"), std::string::npos);
  for (const char* option : {"--all-events", "--memory=0=x"}) {
    EXPECT_NE(run({"run", checker, option}).err.find(" is for firmware, not for programs of shader cores"),
              std::string::npos)
        << option;
    EXPECT_NE(run({"run", test_data("afuc/small.fw"), option}).err.find(" has nothing to act on without --stream"),
              std::string::npos)
        << option;
  }
  EXPECT_NE(run({"disasm", checker, "-o", "/proc/version"}).err.find("cannot make /proc/version.tmp"),
            std::string::npos);
}

TEST(Usage, UnreadableInputIsStatus2) {
  const Outcome missing = run({"check", "-m", "midgard", "/nonexistent/a.bin"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "mobula: error: cannot read /nonexistent/a.bin: No such file or directory [MOB007]\n");
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

TEST(Usage, TheOutputIsNoneOfTheInputs) {
  const Folder folder;
  const std::string code = folder.file("a.bin", read(example("checker.frag.bin"))),
                    inputs = folder.file("i.json", read(example("checker.inputs.json")));
  const std::string spelled = code.substr(0, code.rfind('/')) + "/./a.bin";
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{"disasm", "-m", "midgard", code, "-o", spelled}, "is the input"},
      {{"run", "-m", "midgard", code, "--inputs", inputs, "-o", inputs}, "is the file of --inputs"},
      {{"compile", "-m", "midgard", code, "-o", code}, "is the input"}};
  for (const auto& [words, says] : rows) {
    const Outcome refused = run(words);
    EXPECT_EQ(refused.status, 2) << words[0];
    EXPECT_THAT(refused.err, HasSubstr(says + ", which would be overwritten"));
  }
  EXPECT_EQ(read(code), read(example("checker.frag.bin")));
  EXPECT_EQ(read(inputs), read(example("checker.inputs.json")));
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
      {{"time", checker, "--policy", "discard_bit=any"}, "--policy has nothing to act on without --inputs or --stream"},
      {{"time", checker, "--step-limit", "3"}, "--step-limit has nothing to act on"},
      {{"time", checker, "--inputs", inputs, "--path", "longest"}, "--inputs and --path do not go together"},
      {{"time", checker, "--threads", "0"}, "--threads 0"},
      {{"run", checker, "--threads", "0"}, "--threads 0"},
      {{"run", checker, "--jobs", "0"}, "--jobs"},
      {{"scoreboard", "generate", "--count", "0"}, "--count"},
      {{"time", checker, "--params", "--json"}, "--params and --json do not go together"},
      {{"time", checker, "--format", "shader-db", "--json"}, "--format shader-db and --json do not go together"},
      {{"run", checker, "--reference", example("checker.ref.json"), "--image", "3x3"}, "--reference and --image"},
      {{"run", checker, "--reference", example("checker.ref.json"), "--inputs", inputs}, "--reference and --inputs"},
      {{"run", checker, "--reference", example("checker.ref.json"), "--step-limit", "2"},
       "--reference and --step-limit"},
      {{"run", checker, "--inputs", inputs, "--image", "3x3", "--threads", "2"}, "--image and --threads"},
      {{"disasm", checker, "--svg", picture, "-o", picture}, "the file of the result"},
      {{"disasm", checker, "--svg", checker}, "the input"},
      {{"explain", "-m", "afuc:a630", "98430801", "--svg", picture, "-o", picture}, "the file of the result"},
      {{"scoreboard", "run", worked, "--matrix-svg", picture, "-o", picture}, "the file of the result"},
      {{"scoreboard", "run", worked, "--spill-to", "8", "--set", "I1=5"}, "--set and --spill-to"},
      {{"scoreboard", "sweep", worked, "--interleave", "2", "--axis", "workload.spill_to=8"}, "would come after"},
      {{"scoreboard", "run", worked, "--konata", "-"}, "--konata names the file of the result"},
      {{"scoreboard", "run", worked, "--vcd", picture, "--konata", picture}, "--vcd names the file of --konata"},
      {{"time", checker, "--perfetto", picture, "--konata", "/." + picture}, "--perfetto names"},
      {{"time", checker, "--advise", "--timeline"}, "--advise and --timeline"},
      {{"time", checker, "--timeline", "--format", "offline-compiler"}, "--format offline-compiler and --timeline"},
      {{"time", checker, "--param", "alu_latency=3", "--param", "alu_latency=4"},
       "--param gives \"alu_latency\" two values"},
      {{"run", checker, "--policy", "pc_value=next", "--policy", "pc_value=own"},
       "--policy gives \"pc_value\" two values"},
      {{"scoreboard", "run", worked, "--set", "I1=5", "--set", "I1=6"}, "--set gives \"I1\" two values"},
      {{"scoreboard", "cost", "--power", worked, "--energy", "load=1", "--energy", "load=2"},
       "--energy gives \"load\" two values"},
      {{"run", checker, "--inputs", inputs, "--engine", "native"},
       "--engine native has nothing to act on without --image"},
      {{"run", checker, "--inputs", inputs, "--no-cache"}, "--no-cache has nothing to act on without --image"},
      {{"run", checker, "--inputs", inputs, "--image", "3x3", "--no-cache", "--engine", "vector"},
       "--no-cache and --engine vector do not go together"},
      {{"disasm", checker, "--svg", ""}, "--svg: an empty value"},
      {{"disasm", checker, "--index", "-1"}, "--index: -1 is negative"},
      {{"time", checker, "--max-cycles", "18446744073709551616"}, "--max-cycles: 18446744073709551616 is too large"},
      {{"check", checker, "--syntax", "mesa"}, "--syntax is for assembly"},
      {{"check", checker, "--index", "0"}, "--index chooses a program of a container of several"},
      {{"schedule", example("light.gpe"), "--hex", "--text"}, "--hex and --text"},
      {{"scoreboard", "sweep", "--config", "nosuch.json", "--mix", "int"}, "cannot read nosuch.json"},
      {{"scoreboard", "sweep", "--preset", "nosuch", "--mix", "int"}, "nosuch"},
      {{"run", checker, "--inputs", inputs, "--trace", "--thread", "5"}, "there is no thread 5"},
      {{"run", checker, "--inputs", inputs, "--image", "3x3", "--json"}, "standard output takes the picture"},
      {{"scoreboard", "sweep", worked, "--axis", "latency.ld=1", "--axis", "latency.ld=2"}, "two axes are latency.ld"}};
  for (const auto& [command, message] : refused) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << message << '\n' << outcome.err;
    const bool json = std::ranges::find(command, "--json") != command.end();
    EXPECT_EQ(outcome.out.empty(), !json) << message;
  }
  EXPECT_TRUE(folder.names().empty()) << "nothing is written";
}

TEST(Usage, TimeEndsWithOneWhereItsRunFails) {
  const Folder folder;
  const Outcome outcome = run({"time", example("checker.frag.bin"), "--inputs", folder.file("in.json", "{}")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("error: "), std::string::npos);
}

TEST(Usage, OneRuleOfExitStatuses) {
  const Folder folder;
  const std::string checker = example("checker.frag.bin"), inputs = example("checker.inputs.json");
  const std::string broken = folder.file("broken.json", "{");
  const std::vector<std::vector<std::string>> what_was_asked_for{
      {"time", checker, "--param", "nosuch=1"},
      {"time", checker, "--param", "alu_latency=0x"},
      {"time", checker, "--costs", broken},
      {"run", checker, "--inputs", inputs, "--policy", "nosuch=1"},
      {"run", checker, "--inputs", inputs, "--policy", "pc_value=nosuch"},
      {"ir", checker, "--policy", "nosuch=1"},
      {"run", checker, "--inputs", inputs, "--image", "0x3"},
      {"run", checker, "--inputs", inputs, "--image", "99999x99999", "-o", folder.file("x.png")},
      {"run", checker, "--inputs", broken},
      {"run", checker, "--inputs", inputs, "--threads", "4000000000"},
      {"scoreboard", "run", example("scoreboard-worked.sb"), "--config", broken},
      {"scoreboard", "cost", "--config", broken},
      {"scoreboard", "sweep", "--config", broken, "--mix", "int"}};
  for (const std::vector<std::string>& command : what_was_asked_for) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(command) << outcome.err;
  }
  EXPECT_NE(run({"scoreboard", "sweep", "--config", broken, "--mix", "int"}).err.find(broken + ":1:"),
            std::string::npos);
  const std::vector<std::vector<std::string>> what_the_file_holds{
      {"asm", "-m", "midgard", broken},
      {"disasm", "-m", "midgard", "--container", "mbs", checker},
      {"scoreboard", "run", broken},
      {"time", "-m", "rogue", "--side", "none", checker}};
  for (const std::vector<std::string>& command : what_the_file_holds) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 1) << testing::PrintToString(command) << outcome.err;
  }
}

/// The rows of docs/command.md. What is not 0 says why, on standard error or, where the result says it, there.
TEST(Usage, EverySituationHasItsStatus) {
  const Folder folder;
  const std::string checker = example("checker.frag.bin"), inputs = example("checker.inputs.json"),
                    worked = example("scoreboard-worked.sb"), broken = folder.file("broken.json", "{"),
                    noise = folder.file("noise.bin", std::string(64, '\xA5')), torus = example("torus.vert.bin"),
                    beside = folder.file("beside.bin", read(checker)), picture = example("bricks.png"),
                    sums = folder.file("sums.json", R"({"schema": "mobula/baseline", "version": 1, "programs": []})"),
                    firmware = example("firmware.afuc"), script = folder.file("script", "nosuch\n"),
                    doubtful = folder.file("doubtful.mdg",
                                           ".machine midgard:t860\n{\n  vadd.FADD.f32 R0.x, R1.x, #2\n"
                                           "  break\n}\n");
  folder.file("beside.json", "{");
  const std::vector<std::pair<int, std::vector<std::string>>> situations{
      {0, {"check", checker}},
      {0, {"diff", checker, checker}},
      {1, {"stat", checker, "--baseline", sums}},
      {1, {"time", "-m", "midgard:all", checker}},
      {2, {"time", checker, "/nonexistent"}},
      {2, {"relink", example("color.vert.bin"), "--attribute", "0=999"}},
      {2, {"scoreboard", "run", worked, "--set", "I999=1"}},
      {2, {"diff", "-", "-"}},
      {0, {"run", checker, "--inputs", inputs, "--strict"}},
      {1, {"asm", "-m", "midgard", folder.file("a.mdg", "{ nosuch }\n")}},
      {1, {"check", "-m", "midgard", "--container", "raw", noise}},
      {1, {"explain", "-m", "rogue", "A5A5A5A5"}},
      {1, {"disasm", "-m", "midgard", "--container", "mbs", checker}},
      {0, {"disasm", "-m", "midgard", beside}},
      {1, {"check", "-m", "midgard", beside}},
      {1, {"time", "-m", "midgard", "--container", "raw", noise}},
      {1, {"run", torus}},
      {1, {"run", checker, "--inputs", inputs, "--step-limit", "2"}},
      {1, {"scoreboard", "sweep", worked, "--max-clocks", "2"}},
      {1, {"debug", checker, "--inputs", inputs, "-x", script}},
      {1, {"diff", checker, example("waves.frag.bin")}},
      {1, {"info", "-m", "afuc:a630", firmware, "--find", "mov $x, 0x7777"}},
      {1, {"isa", "midgard", "nosuch"}},
      {2, {"check", "--nosuch", checker}},
      {2, {"asm", "-m", "rogue", "--syntax", "nosuch", example("rogue-loop.rgasm")}},
      {2, {"cfg", "-m", "afuc:a630", firmware, "--function", "nosuch"}},
      {2, {"info", "-m", "afuc:a630", firmware, "--find", "((("}},
      {2, {"run", checker, "--inputs", inputs, "--image", "0x3"}},
      {2, {"run", checker, "--stream", checker}},
      {2, {"run", checker, "--inputs", broken}},
      {2, {"disasm", checker, "--side", broken}},
      {2, {"scoreboard", "run", worked, "--config", broken}},
      {2, {"time", checker, "--costs", broken}},
      {2, {"stat", checker, "--baseline", broken}},
      {2, {"run", checker, "--reference", broken}},
      {2, {"run", firmware, "--stream", broken}},
      {2, {"run", firmware, "--stream", example("stream.pm4"), "--memory", "0x1000=/nonexistent"}},
      {2, {"disasm", "-m", "midgard", picture}},
      {2, {"asm", "-m", "midgard", checker, "--hex"}},
      {2, {"compile", "-m", "midgard", "--stage", "frag", checker, "-o", folder.file("a")}},
      {2, {"disasm", "-m", "midgard", test_data("formats/checker.c")}},
      {2, {"check", "/nonexistent"}},
      {2, {"disasm", checker, "-o", "/nonexistent/a"}},
      {2, {"run", checker, "--inputs", inputs, "--threads", "4000000000"}},
      {4, {"run", doubtful, "--strict"}}};
  for (const auto& [status, command] : situations) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, status) << testing::PrintToString(command) << outcome.err;
    if (status == 0) continue;
    EXPECT_NE(outcome.err + (status == 1 ? outcome.out : ""), "") << testing::PrintToString(command);
  }
}

TEST(Usage, StrictRunsSayWhatIsNotExact) {
  const Outcome waves = run({"run", example("waves.frag.bin"), "--inputs", example("waves.inputs.json"), "--strict"});
  EXPECT_EQ(waves.status, 4);
  EXPECT_NE(waves.err.find("[RN018]"), std::string::npos) << waves.err;
  EXPECT_NE(waves.err.find("--fidelity lists them"), std::string::npos) << waves.err;
  const auto json =
      parse_json(
          run({"run", example("waves.frag.bin"), "--inputs", example("waves.inputs.json"), "--strict", "--json"}).out)
          .at(0);
  EXPECT_EQ(json["result"]["diagnostics"].back()["code"], "RN018");
}

TEST(Usage, ThreadsOfComputeProgramsAreThoseOfTheirGroups) {
  const std::vector<std::string> program{"-m", "midgard:t860", example("negative.comp.mdg"), "--inputs",
                                         example("negative.inputs.json")};
  for (const char* command : {"run", "time", "debug"}) {
    EXPECT_EQ(run(with({command}, program)).status, 0) << command;
    const Outcome outcome = run(with(with({command}, program), {"--threads", "3"}));
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find("--threads counts vertices or fragments"), std::string::npos) << outcome.err;
  }
}

/// Assembly tells by its directive or its name that it is firmware, as images do.
TEST(Usage, FirmwareAsTextTakesStreamsWithoutBeingNamed) {
  const std::string text = example("firmware.afuc"), stream = example("stream.pm4");
  const std::vector<std::string> fed{text, "--stream", stream};
  const Outcome named = run(with({"run", "-m", "afuc:a630"}, fed));
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(run(with({"run"}, fed)).out, named.out);
  EXPECT_EQ(run(with({"debug"}, fed), "s\n").out, run(with({"debug", "-m", "afuc:a630"}, fed), "s\n").out);
  EXPECT_EQ(run(with({"scoreboard", "run"}, fed)).out, run(with({"scoreboard", "run", "-m", "afuc:a630"}, fed)).out);
}

/// Where a file could be endless, too.
TEST(Usage, FilesBeyondTheLimitAreRefused) {
  const Folder folder;
  const std::string large = folder.file("large.bin", "");
  std::filesystem::resize_file(large, (std::uint64_t{256} << 20) + 1);
  const std::string checker = example("checker.frag.bin"), worked = example("scoreboard-worked.sb"),
                    firmware = example("firmware.afuc"), stream = example("stream.pm4");
  for (const std::string& file : {large, std::string("/dev/zero")}) {
    std::vector<std::vector<std::string>> commands{{"disasm", "-m", "rogue", file}};
    if (file == large)
      commands = {{"disasm", "-m", "rogue", file},
                  {"asm", "-m", "rogue", file},
                  {"check", "-m", "rogue", file},
                  {"run", checker, "--inputs", file},
                  {"run", checker, "--reference", file},
                  {"run", firmware, "--stream", file},
                  {"run", firmware, "--stream", stream, "--memory", "0x1000=" + file},
                  {"time", checker, "--costs", file},
                  {"debug", checker, "-x", file},
                  {"debug", checker, "--config", file},
                  {"stat", checker, "--baseline", file},
                  {"disasm", checker, "--side", file},
                  {"schedule", "-m", "utgard-gp", file},
                  {"relink", "-m", "utgard-gp", file, "--attribute", "0=1"},
                  {"pm4", file},
                  {"scoreboard", "run", file},
                  {"scoreboard", "run", worked, "--config", file},
                  {"scoreboard", "sweep", "--mix", "int", "--config", file},
                  {"scoreboard", "merge", file},
                  {"scoreboard", "plot", file, "--x", "a", "--y", "b"},
                  {"scoreboard", "cost", "--power", file},
                  {"scoreboard", "rtl", "--cosim", "--program", file}};
    for (const std::vector<std::string>& command : commands) {
      const Outcome outcome = run(command);
      EXPECT_EQ(outcome.status, 2) << testing::PrintToString(command);
      EXPECT_NE(outcome.err.find("is larger than 256 MiB"), std::string::npos)
          << testing::PrintToString(command) << outcome.err;
    }
  }
}

TEST(Usage, WhatCannotBeExecutedIsNotTimed) {
  const Folder folder;
  for (const std::string machine : {"midgard", "utgard-gp", "rogue", "afuc:a630"}) {
    // Of which the latter is an instruction of firmware.
    const std::string noise = folder.file("noise.bin", std::string(64, machine == "afuc:a630" ? '\xF4' : '\xA5'));
    const std::vector<std::string> command{"time", "-m", machine, "--container", "raw", noise};
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 1) << machine;
    EXPECT_EQ(outcome.out, "") << machine;
    EXPECT_NE(outcome.err.find("[TM009]"), std::string::npos) << machine << outcome.err;
    EXPECT_EQ(run(with(command, {"--keep-going"})).status, 0) << machine;
  }
}

/// Firmware has gaps of data that nothing reaches, and yet more instructions: what has not is told by everything that
/// shows or counts it.
TEST(Usage, WhatOnlyBeginsLikeFirmwareIsTold) {
  const Folder folder;
  std::string noise = read(test_data("afuc/small.fw")).substr(0, 12);
  for (unsigned i = 0, word = 1; i < 4096; ++i) noise += static_cast<char>((word = word * 1103515245 + 12345) >> 16);
  const std::string file = folder.file("noise.bin", noise);
  for (const char* const command : {"stat", "time", "cfg", "coverage", "disasm"}) {
    const Outcome outcome = run({command, "-m", "afuc:a630", file});
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_NE(outcome.err.find(" words outside packet tables, only "), std::string::npos) << command << outcome.err;
    EXPECT_EQ(run({command, test_data("afuc/small.fw")}).status, 0) << command;
  }
  EXPECT_EQ(run({"time", "--keep-going", "-m", "afuc:a630", file}).status, 0);
  for (const char* const machine : {"midgard", "rogue"})
    for (const char* const command : {"cfg", "coverage", "disasm"}) {
      const Outcome outcome = run({command, "-m", machine, file});
      EXPECT_EQ(outcome.status, 1) << command << machine;
      EXPECT_NE(outcome.err.find("[FM057]"), std::string::npos) << command << machine << outcome.err;
    }
}

TEST(Usage, TimeEndsWithOneWhereThreadsReachTheStepLimit) {
  const std::vector<std::string> loop{"time", example("loop.vert.bin"), "--inputs", "-", "--step-limit", "2"};
  const Outcome outcome = run(loop, R"({"attributes": {"0": [1, 2, 3, 4], "1": [9, 0, 0, 0]}})");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("step limit"), std::string::npos) << outcome.err;
}

TEST(Usage, AllVariantsOfAMachineAreCheckedAndTimed) {
  const std::string checker = example("checker.frag.bin");
  constexpr std::size_t variants = 9;  // without second names, as t750 is one of t760
  const auto checked = parse_json(run({"check", "--json", "-m", "midgard:all", "-"}, read(checker)).out);
  EXPECT_EQ(checked.size(), variants);
  std::set<std::string> names;
  for (const auto& line : checked) names.insert(line["target"]["variant"].get<std::string>());
  EXPECT_EQ(names.size(), variants);
  EXPECT_NE(run({"check", "-m", "midgard:all", checker}).out.find("checker.frag.bin (midgard:t860): ok\n"),
            std::string::npos);
  const auto timed = parse_json(run({"time", "--json", "--keep-going", "-m", "midgard:all", checker}).out);
  EXPECT_EQ(timed[0]["shaders"].size(), variants);
}

TEST(Usage, VariantsAreTimedThoughOthersCannotBe) {
  const std::string checker = example("checker.frag.bin");
  const Outcome outcome = run({"time", "-m", "midgard:all", checker});
  EXPECT_EQ(outcome.status, 1);
  for (const std::string variant : {"t860", "t820", "t830", "t880"})
    EXPECT_NE(outcome.out.find("(midgard:" + variant + "): " + checker), std::string::npos) << variant;
  for (const std::string variant : {"t604", "t620", "t650", "t720", "t760"}) {
    EXPECT_EQ(outcome.out.find("midgard:" + variant), std::string::npos) << variant;
    EXPECT_NE(outcome.err.find("this cannot be executed on midgard:" + variant + ": "), std::string::npos) << variant;
  }
  const auto lines = parse_json(run({"time", "--json", "-m", "midgard:all", checker}).out);
  ASSERT_EQ(lines.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(lines[i]["schema"], "mobula/error");
    EXPECT_EQ(lines[i]["input"]["file"], checker);
    EXPECT_EQ(lines[i]["result"]["diagnostics"][0]["code"], "TM009");
  }
  EXPECT_EQ(lines[5]["shaders"].size(), 4u);
  EXPECT_EQ(lines[5]["simulations"].size(), 4u);

  const Outcome list = run({"time", "-m", "midgard:all", checker, "--format", "shader-db"});
  EXPECT_EQ(list.status, 1);
  EXPECT_EQ(std::ranges::count(list.out, '\n'), 4) << list.out;
  const Outcome wrong = run({"time", "-m", "midgard:all", checker, "--param", "nosuch=1"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err.find("nosuch"), wrong.err.rfind("nosuch")) << "once, not for each variant: " << wrong.err;
}

TEST(Usage, FilesAreTimedThoughOthersCannotBe) {
  const Folder folder;
  const std::string checker = example("checker.frag.bin"), missing = folder.file("missing"),
                    out = folder.file("out.json");
  const Outcome outcome = run({"time", missing, checker});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, run({"time", checker}).out);
  EXPECT_NE(outcome.err.find(missing), std::string::npos) << outcome.err;
  for (const char* subcommand : {"time", "stat", "coverage"}) {
    const Outcome to_file = run({subcommand, "--json", missing, checker, "-o", out});
    EXPECT_EQ(to_file.status, 2) << subcommand;
    const auto shown = parse_json(to_file.out);
    ASSERT_EQ(shown.size(), 1u) << subcommand;
    EXPECT_EQ(shown[0]["schema"], "mobula/error") << subcommand;
    EXPECT_EQ(read(out), run({subcommand, "--json", checker}).out) << subcommand;
  }
  const Outcome none = run({"time", "--json", missing, missing + "2", "-o", folder.file("none.json")});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(parse_json(none.out).size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(folder.file("none.json"))) << "a result of nothing";
  EXPECT_EQ(run({"time", "--together", missing, checker}).out, "") << "which needs all of them";
}

/// The hint names those whose help does.
TEST(Usage, WhoIsAskedForAllVariantsSaysWhoTakesThem) {
  const std::string checker = example("checker.frag.bin");
  std::string takers;
  for (const std::string subcommand : {"cfg", "check", "coverage", "debug", "diff", "disasm", "explain", "info", "ir",
                                       "isa", "relink", "run", "stat", "time"})
    if (run({subcommand, "--help"}).out.find("MACHINE:all") != std::string::npos)
      takers += (takers.empty() ? "" : takers.find(',') == std::string::npos ? ", " : " and ") + subcommand;
  EXPECT_EQ(takers, "check, stat and time");
  const std::vector<std::vector<std::string>> others{{"run", checker},          {"run", checker, "--image", "8x8"},
                                                     {"disasm", checker},       {"ir", checker},
                                                     {"coverage", checker},     {"explain", "00000000"},
                                                     {"info", checker},         {"cfg", checker},
                                                     {"diff", checker, checker}};
  for (const std::vector<std::string>& command : others) {
    const Outcome outcome = run(with(command, {"-m", "midgard:all"}));
    EXPECT_EQ(outcome.status, 2) << command.front();
    EXPECT_NE(outcome.err.find("hint: midgard:all is for mobula " + takers + "; known variants: t860, "),
              std::string::npos)
        << command.front() << outcome.err;
  }
  EXPECT_EQ(run({"run", "-m", "midgard:al", checker}).err.find("midgard:al is for"), std::string::npos);
  EXPECT_EQ(run({"run", "-m", "nobody:all", checker}).err.find("is for mobula"), std::string::npos);
}

TEST(Usage, CheckShowsErrorsFirst) {
  const Folder folder;
  const std::string noise = folder.file("noise.bin", std::string(64, '\xA5'));
  const auto found = parse_json(run({"check", "--json", "-m", "midgard", "--container", "raw", noise}).out)[0];
  std::vector<std::string> severities;
  for (const auto& each : found["result"]["diagnostics"]) severities.push_back(each["severity"]);
  const auto rank = [](const std::string& name) { return name == "error" ? 0 : name == "warning" ? 1 : 2; };
  EXPECT_TRUE(std::ranges::is_sorted(severities, {}, rank));
  EXPECT_EQ(std::set<std::string>(severities.begin(), severities.end()).size(), 2u) << "there is something to sort";
}

TEST(Usage, WhatWouldGrowIsRefusedWithTheLimit) {
  const Folder folder;
  const std::string large = folder.file("large.bin", std::string((4 << 20) + 16, '\0'));
  const std::vector<std::string> program{"-m", "utgard-gp", "--container", "raw", large};
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{{"check"},
                                                                              {"run"},
                                                                              {"time"},
                                                                              {"time", "--keep-going"},
                                                                              {"ir"},
                                                                              {"debug"},
                                                                              {"cfg"},
                                                                              {"coverage"},
                                                                              {"diff", large}}) {
    words.insert(words.begin() + 1, program.begin(), program.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 2) << words[0];
    EXPECT_NE(outcome.err.find("lifted to micro-operations as a whole has at most 4194304"), std::string::npos)
        << words[0] << outcome.err;
  }
  const Outcome rows =
      run({"run", example("checker.frag.bin"), "--inputs", example("checker.inputs.json"), "--threads", "1000000"});
  EXPECT_EQ(rows.status, 2);
  EXPECT_NE(rows.err.find("at most 262144"), std::string::npos) << rows.err;
}

TEST(Usage, APictureThatNeverEndsIsGivenUp) {
  const Folder folder;
  const std::string endless = folder.file("endless.mdg", "L0:\n{\n  vadd.FADD.f32 R0, R0, R0\n  br.uncond L0\n}\n");
  const std::string inputs = folder.file("inputs.json", R"({"limits": {"steps": 1000, "all_steps": 2000000}})");
  const Outcome outcome =
      run({"run", "-m", "midgard", endless, "--inputs", inputs, "--image", "512x512", "-o", folder.file("x.png")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("[RN017]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("limits.all_steps allows 2000000"), std::string::npos) << outcome.err;
}

TEST(Usage, FailuresAreEnvelopesWithJson) {
  const std::string checker = example("checker.frag.bin");
  const std::vector<std::vector<std::string>> failing{{"frobnicate"},
                                                      {"disasm"},
                                                      {"disasm", "/nonexistent"},
                                                      {"check", "-m", "nosuch", checker},
                                                      {"run", checker, "--image", "x"},
                                                      {"time", checker, "--stream", checker},
                                                      {"asm", "-m", "midgard", checker},
                                                      {"isa", "midgard", "frobnicate"},
                                                      {"pm4", checker + "x"},
                                                      {"scoreboard", "run", "/nonexistent"},
                                                      {"scoreboard", "presets", "nosuch"}};
  for (const std::vector<std::string>& command : failing) {
    const Outcome outcome = run(with(command, {"--json"}));
    EXPECT_NE(outcome.status, 0) << testing::PrintToString(command);
    const auto lines = parse_json(outcome.out);
    ASSERT_EQ(lines.size(), 1u) << testing::PrintToString(command) << outcome.out;
    EXPECT_EQ(lines[0]["schema"], "mobula/error");
    EXPECT_EQ(lines[0]["result"]["status"], outcome.status);
    EXPECT_FALSE(lines[0]["result"]["diagnostics"].empty());
  }
}

TEST(Usage, EachInputHasItsLineOfJson) {
  const Folder folder;
  const std::string checker = example("checker.frag.bin"), missing = folder.file("missing"),
                    out = folder.file("out.json");
  const Outcome outcome = run({"check", "--json", missing, checker});
  EXPECT_EQ(outcome.status, 2);
  const auto lines = parse_json(outcome.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["schema"], "mobula/error");
  EXPECT_EQ(lines[0]["input"]["file"], missing);
  EXPECT_EQ(lines[1]["schema"], "mobula/check");

  const Outcome to_file = run({"check", "--json", missing, checker, "-o", out});
  EXPECT_EQ(to_file.out, outcome.out.substr(0, outcome.out.find('\n') + 1))
      << "results go to the file, failures are shown";
  EXPECT_EQ(read(out), run({"check", "--json", checker}).out);
}

TEST(Usage, OutputKeepsLinksAndModes) {
  namespace fs = std::filesystem;
  const Folder folder;
  const std::string real = folder.file("real", "old"), link = folder.file("link"), other = folder.file("other");
  fs::create_symlink("real", link);
  fs::permissions(real, fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  EXPECT_EQ(run({"isa", "-o", link}).status, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(real), run({"isa"}).out);
  EXPECT_EQ(fs::status(real).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);

  fs::create_hard_link(real, other);
  EXPECT_EQ(run({"isa", "midgard", "-o", real}).status, 0);
  EXPECT_EQ(read(other), run({"isa", "midgard"}).out);
  EXPECT_EQ(fs::hard_link_count(real), 2u);

  const std::string dangling = folder.file("dangling");
  fs::create_symlink("new", dangling);
  EXPECT_EQ(run({"isa", "-o", dangling}).status, 0);
  EXPECT_TRUE(fs::is_symlink(dangling));
  EXPECT_EQ(read(folder.file("new")), run({"isa"}).out);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"dangling", "link", "new", "other", "real"}));
}

TEST(Usage, ABrokenPipelineWritesNothing) {
  const Folder folder;
  const Outcome outcome = run({"asm", "-m", "midgard", "-", "-o", folder.file("b")}, "");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("the input is empty"), std::string::npos) << outcome.err;
  EXPECT_TRUE(folder.names().empty());
}

TEST(Usage, InterruptsLeaveNothingUnfinished) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Folder folder;
    const Outcome outcome =
        interrupted({"time", example("checker.frag.bin"), "--threads", "1000000", "--konata", folder.file("a.kanata")},
                    signal, folder);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("interrupted\n  hint: "), std::string::npos) << outcome.err;
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST(Usage, LongWorkShowsOnATerminalHowFarItIs) {
  const Folder folder;
  Terminal terminal({"scoreboard", "sweep", "--preset", "byte_lane", "--mix", "fp", "--count", "20000", "--seeds",
                     "1000", "-o", folder.file("table.csv")});
  const std::string shown = terminal.read_to(" s left");
  EXPECT_THAT(shown, testing::ContainsRegex("[0-9]+ of 1000 points, [0-9]+ s, about [0-9]+"));
  terminal.type("\x03");
  EXPECT_EQ(terminal.wait(), 2);
}

TEST(UsageMemory, RunningOutIsNotABug) {
  const Outcome outcome = with_memory(512 << 20, {"scoreboard", "generate", "--count", "10000000", "-o", "/dev/null"});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("not enough memory"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("hint: "), std::string::npos) << outcome.err;
}

/// A listing is written as it is made, and its words are not kept.
TEST(UsageMemory, ListingsArePassedOn) {
  const Folder folder;
  const std::string file = folder.file("small.bin");
  ASSERT_EQ(run({"asm", example("rogue-collatz.rgasm"), "-o", file}).status, 0);
  const std::string once = read(file);
  std::string code;
  while (code.size() < 8 << 20) code += once;
  const Outcome outcome =
      with_memory(256 << 20, {"disasm", "-m", "rogue", folder.file("large.bin", code), "-o", "/dev/null"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

/// Rows of JSON and explained words, which take some hundred times their size.
TEST(UsageMemory, WordsArePassedOn) {
  const Folder folder;
  const std::string once = read(example("checker.frag.bin"));
  std::string code;
  while (code.size() < 640 << 10) code += once;
  const std::vector<std::string> program{"disasm", "-m",       "midgard", "--side", "none", folder.file("a.bin", code),
                                         "-o",     "/dev/null"};
  const Outcome coverage =
      with_memory(256 << 20, {"coverage", "-m", "midgard", "--side", "none", folder.file("a.bin")});
  EXPECT_EQ(coverage.status, 0) << coverage.err;
  while (code.size() < (whole() ? 5 << 20 : 640 << 10))
    code += code;  // kept, explained words take 490 times their size
  folder.file("a.bin", code);
  EXPECT_EQ(with_memory(256 << 20, with(program, {"--explain"})).status, 0);
  while (code.size() < 20 << 20) code += code;
  folder.file("a.bin", code);
  EXPECT_EQ(with_memory(256 << 20, with(program, {"--json"})).status, 0);
  EXPECT_EQ(
      with_memory(256 << 20, {"ir", "-m", "midgard", "--side", "none", folder.file("a.bin"), "-o", "/dev/null"}).status,
      0);
  // Words of no packet, and packets.
  std::string stream;
  while (stream.size() < 10 << 20) stream += std::string("\x02\x00\x10\x70") + std::string(1000, '\0');
  EXPECT_EQ(with_memory(256 << 20, {"pm4", folder.file("a.bin", stream), "-o", "/dev/null"}).status, 1);
}

TEST(Usage, NumbersAndListsThatSayNothingAreRefused) {
  const std::string checker = example("checker.frag.bin");
  const Folder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{"time", checker, "--max-cycles", "0"}, "--max-cycles 0 leaves no cycle"},
      {{"stat", checker, "--baseline", folder.file("b.json", "{}"), "--threshold", "1e400"}, "--threshold"},
      {{"check", "-m", "midgard,", checker}, "names nothing beside a comma"},
      {{"check", "-m", "midgrad", checker}, "did you mean midgard?"}};
  for (const auto& [words, message] : rows) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 2) << words[0] << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << words[0] << outcome.err;
  }
}

TEST(Usage, ArraysInCMayBeSignedAndBinary) {
  const Folder folder;
  const auto listing = [&](const std::string& type, const std::string& values) {
    return run({"disasm", "-m", "utgard-gp", folder.file("a.c", type + " code[] = {" + values + "};\n")});
  };
  std::string positive = "0xff, 5, 0x80", negative = "-1, 0b101, -0x80";
  for (unsigned i = 3; i < 16; ++i) {
    positive += ", 0";
    negative += ", 0";
  }
  const Outcome wanted = listing("uint8_t", positive);
  EXPECT_EQ(wanted.status, 0) << wanted.err;
  EXPECT_EQ(listing("int8_t", negative).out, wanted.out);
  EXPECT_NE(listing("int8_t", "-129").err.find("FM062"), std::string::npos);
  EXPECT_NE(listing("int8_t", "1, -").err.find("FM001"), std::string::npos);
}

TEST(Usage, FirmwareOfMoreThanTheLimitIsNotDescribed) {
  const Folder folder;
  const std::string large = folder.file("large.bin", std::string((4 << 20) + 16, '\0'));
  const Outcome outcome = run({"info", "-m", "afuc", "--container", "raw", large});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("has at most 4194304"), std::string::npos) << outcome.err;
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
