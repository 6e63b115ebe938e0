// cost, rtl, and the tools behind --synth and --cosim, which are skipped where they are not installed.
#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view small_core = R"({
  "summary": "Small", "hazards": "conservative", "waw": "shadow_all", "lanes": "lock", "trap_shadows": false,
  "groups": [{"name": "alu", "classes": ["int"], "widths": [1, 2], "units": 2}],
  "files": [{"name": "I", "count": 4, "bytes": 2}],
  "ports": {"read": 1, "write": 1}
})";

/// Halves of a pair that read one word of a bank: one access, not two.
constexpr std::string_view core_of_pairs = R"({
  "summary": "Pairs", "waw": "shadow_same_dest", "lanes": "two_level", "trap_shadows": false,
  "groups": [{"name": "8", "classes": ["int"], "widths": [1], "pairs": [2], "units": 4}],
  "files": [{"name": "I", "count": 4, "bytes": 4}],
  "banks": {"count": 4, "mapping": "parity_half", "read": 2, "write": 1}, "virtual_registers": {"rows": 4}
})";

/// One of tests/data/scoreboard/cores.
std::string core_of_file(const char* name) { return read(test_data("scoreboard/cores/") + std::string(name)); }

bool missing(const char* tool) {
  std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (std::filesystem::exists(std::filesystem::path(path.substr(begin, end - begin)) / tool)) return false;
    begin = end + 1;
  }
  return true;
}

TEST(ScoreboardCostCommand, PrintsTextAndJson) {
  const Outcome text = run({"scoreboard", "cost", "--preset", "seed_full4"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("IR table"));
  const Outcome json = run({"scoreboard", "cost", "--preset", "june2019", "--sources", "2", "--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const auto lines = parse_json(json.out);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["result"]["units"], 5);
  // 4 units and a branch unit, 8 registers; 2 sources and 1 destination.
  EXPECT_EQ(lines[0]["result"]["structures"][0]["cells"], 4 * 8);
  EXPECT_EQ(lines[0]["result"]["structures"][0]["latches"], 4 * 8 * 3);
}

TEST(ScoreboardCostCommand, TurnsARunIntoWatts) {
  const Folder folder;
  const std::string program = folder.file("one.sb", "1 add d=I1 s=I2,I3\n");
  const auto watts = [&](const std::string& energy) {
    const Outcome json =
        run({"scoreboard", "cost", "--preset", "june2019", "--power", program, "--energy", energy, "--json"});
    EXPECT_EQ(json.status, 0) << json.err;
    return parse_json(json.out)[0]["result"]["power"]["watts"].get<double>();
  };
  EXPECT_GT(watts("megahertz=800"), 0);
  EXPECT_DOUBLE_EQ(watts("megahertz=800"), 2 * watts("megahertz=400"));
  for (const char* wrong : {"load", "load=", "load=-1", "load=nan", "other=1", "load=1x"})
    EXPECT_EQ(run({"scoreboard", "cost", "--power", program, "--energy", wrong}).status, 2) << wrong;
}

TEST(ScoreboardCostCommand, RefusesPortsAndPresetsThatAreNone) {
  EXPECT_EQ(run({"scoreboard", "cost", "--sources", "9"}).status, 2);
  EXPECT_EQ(run({"scoreboard", "cost", "--preset", "none"}).status, 2);
}

TEST(ScoreboardRtlCommand, WritesOneFileOrAFolder) {
  const Folder folder;
  const std::string config = folder.file("small.json", small_core), one = folder.file("one.v");
  ASSERT_EQ(run({"scoreboard", "rtl", "--config", config, "-o", one}).status, 0);
  EXPECT_THAT(read(one), HasSubstr("module sb_top ("));
  ASSERT_EQ(run({"scoreboard", "rtl", "--config", config, "-o", folder.file("all") + "/"}).status, 0);
  EXPECT_THAT(read(folder.file("all") + "/sb_fufu.v"), HasSubstr("module sb_fufu ("));
  const Outcome json = run({"scoreboard", "rtl", "--config", config, "--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(parse_json(json.out)[0]["result"]["modules"].back()["module"], "sb_top");
}

TEST(ScoreboardRtlCommand, SaysHowToGetTheTools) {
  for (const auto& [option, package] : {std::pair{"--synth", "yosys"}, {"--cosim", "verilator"}}) {
    const Outcome outcome = run({"scoreboard", "rtl", "--preset", "june2019", option}, {}, {"PATH=/nowhere"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(std::string("apt-get install ") + package));
  }
}

/// A tool that fails, or says what nobody expects, is no bug of mobula's.
TEST(ScoreboardRtlCommand, AFailedToolIsToldWithItsMessage) {
  struct Row {
    const char *option, *tool, *script, *says;
  };
  for (const Row& row : {Row{"--synth", "yosys", "echo broken; exit 7", "failed with status 7"},
                         Row{"--synth", "yosys", "echo broken", "printed no statistics"},
                         Row{"--cosim", "verilator", "echo broken; exit 7", "failed with status 7"}}) {
    const Folder folder;
    const std::string tool = folder.file(row.tool, std::string("#!/bin/sh\n") + row.script + '\n');
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    const Outcome outcome = run({"scoreboard", "rtl", "--preset", "june2019", row.option}, {},
                                {"PATH=" + std::filesystem::path(tool).parent_path().string()});
    EXPECT_EQ(outcome.status, 2) << row.tool;
    EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr(row.says), HasSubstr("broken"))) << row.tool;
  }
}

TEST(ScoreboardRtlCommand, IsCleanForVerilator) {
  if (missing("verilator")) GTEST_SKIP() << "verilator is not installed";
  for (const std::string& core : {std::string(small_core), core_of_file("shares.json"), core_of_file("operands.json"),
                                  core_of_file("until_completion.json"), core_of_file("renaming.json"),
                                  core_of_file("quads.json"), core_of_file("renamed_quads.json")}) {
    const Folder folder;
    const std::string config = folder.file("core.json", core);
    ASSERT_EQ(run({"scoreboard", "rtl", "--config", config, "-o", folder.file("all") + "/"}).status, 0);
    const std::string command = "verilator --lint-only -Wall -y '" + folder.file("all") + "' --top-module sb_top '" +
                                folder.file("all") + "/sb_top.v' > '" + folder.file("log") + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << read(folder.file("log"));
  }
}

TEST(ScoreboardRtlCommand, SynthesisIsNearTheFormula) {
  if (missing("yosys")) GTEST_SKIP() << "yosys is not installed";
  const Folder folder;
  const std::string config = folder.file("small.json", small_core);
  const Outcome outcome = run({"scoreboard", "rtl", "--config", config, "--synth", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json rows = parse_json(outcome.out)[0]["result"]["synthesis"];
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["module"], "sb_fureg_0");
  EXPECT_EQ(rows[0]["flip_flops"], 2 * 4 * 4);  // units, registers, ports
  EXPECT_NEAR(rows[0]["transistors"].get<double>(), rows[0]["formula_transistors"].get<double>(),
              0.2 * rows[0]["formula_transistors"].get<double>());
}

/// Half of a simulation's time goes into compiling Verilator's own library, the same for every core.
std::vector<std::string> with_cache(std::vector<std::string> environment) {
  if (!missing("ccache")) environment.emplace_back("OBJCACHE=ccache");
  return environment;
}

TEST(ScoreboardRtlCommand, DoesNotDifferFromTheSimulator) {
  if (missing("verilator")) GTEST_SKIP() << "verilator is not installed";
  std::vector<std::string> cores{core_of_file("both_forwards.json"), core_of_file("renamed_quads.json")};
  if (whole()) {
    cores.emplace_back(core_of_pairs);
    cores.emplace_back(small_core);
    for (const char* file : {"shares.json", "operands.json", "until_completion.json", "functions.json", "together.json",
                             "renaming.json", "quads.json"})
      cores.push_back(core_of_file(file));
  }
  for (const std::string& core : cores) {
    const Folder folder;
    const std::string config = folder.file("core.json", core);
    const Outcome outcome = run({"scoreboard", "rtl", "--config", config, "--sources", "2", "--cosim", "--clocks",
                                 "6000", "--operations", "500", "--json"},
                                {}, with_cache({}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const nlohmann::json result = parse_json(outcome.out)[0]["result"]["cosimulation"];
    EXPECT_GE(result["clocks"].get<int>(), 6000);
    EXPECT_EQ(result["differences"], 0);
    EXPECT_GT(result["simulator_clocks_per_second"], 0);
    EXPECT_GT(result["verilog_clocks_per_second"], 0);
  }
}

/// The same with a Verilog that somebody broke: reads do not wait for writes.
TEST(ScoreboardRtlCommand, SaysWhereTheVerilogDiffers) {
  if (missing("verilator")) GTEST_SKIP() << "verilator is not installed";
  const Folder folder;
  const std::string config = folder.file("small.json", small_core), path = std::getenv("PATH");
  const std::string saboteur = folder.file("verilator",
                                           "#!/bin/sh\n"
                                           "for word in \"$@\"; do case \"$word\" in */all.v) sed -i "
                                           "'s/assign readable = .*/assign readable = 1;/' \"$word\";; esac; done\n"
                                           "PATH=${PATH#*:} exec verilator \"$@\"\n");
  std::filesystem::permissions(saboteur, std::filesystem::perms::owner_all);
  const std::string first = std::filesystem::path(saboteur).parent_path().string() + ':' + path;
  const Outcome outcome =
      run({"scoreboard", "rtl", "--config", config, "--cosim", "--clocks", "1000"}, {}, with_cache({"PATH=" + first}));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("SB410"));
  EXPECT_THAT(outcome.err, HasSubstr("readable: simulator "));
}

}  // namespace
}  // namespace mobula::test
