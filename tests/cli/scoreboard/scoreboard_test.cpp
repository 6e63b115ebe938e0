#include <gmock/gmock.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string worked = example("scoreboard-worked.sb"), textbook = example("scoreboard-textbook.sb");

nlohmann::json run_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"scoreboard", "run", "--json"});
  const auto results = parse_json(run(arguments).out);
  return results.size() == 1 ? results[0]["result"] : nlohmann::json();
}

TEST(Scoreboard, SignalsOfTheWorkedTrace) {
  const Outcome text = run({"scoreboard", "run", worked, "--preset", "june2019", "--signals"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out,
              HasSubstr("      10 00000 01111 01101 10110 00100 00010 11111 00010 10010 00000    1 11100000 "));
  EXPECT_THAT(text.out, HasSubstr("I1=1572 I2=101 I3=1569 I4=65533 I5=1523 I6=49 I7=52"));
  const nlohmann::json result = run_json({worked, "--preset", "june2019", "--signals"});
  ASSERT_EQ(result["signals"].size(), 19u);
  EXPECT_EQ(result["signals"][8]["shadown"], "10010");
  EXPECT_EQ(result["signals"][1]["g_rd"], "00011110");
  EXPECT_EQ(result["signals"][1]["g_wr_registers"], nlohmann::json({"I1", "I5"}));
  EXPECT_EQ(result["registers"]["I1"], "0x624");
}

TEST(Scoreboard, TableAndTimelineAndMatrices) {
  const Outcome outcome =
      run({"scoreboard", "run", textbook, "--preset", "textbook6600", "--table", "--timeline", "--matrices"});
  EXPECT_THAT(outcome.out, HasSubstr("      13       14       16       22     3  5 fp d=F6 s=F8,F2"));
  EXPECT_THAT(outcome.out, HasSubstr("clock 62\n"));
  EXPECT_THAT(outcome.out, HasSubstr("div d=F10"));
}

TEST(Scoreboard, MatricesHaveAForm) {
  const nlohmann::json result = run_json({worked, "--preset", "seed_full4", "--matrices"});
  ASSERT_EQ(result["matrices"].size(), result["clocks"]);
  EXPECT_EQ(result["matrices"][0]["virtual_registers"], nlohmann::json({{"0", "I2"}, {"1", "I3"}, {"2", "I1"}}));
  EXPECT_EQ(result["matrices"][0]["units"][0]["writes"], nlohmann::json({"I1:D"}));
  EXPECT_FALSE(run_json({worked, "--preset", "june2019"}).contains("matrices"));
}

TEST(Scoreboard, RegistersCanBeSet) {
  EXPECT_EQ(run_json({worked, "--preset", "june2019", "--set", "I2=2", "--set", "I3=3"})["registers"]["I3"], "0x5f");
  EXPECT_EQ(run({"scoreboard", "run", worked, "--set", "I2"}).status, 2);
  const Outcome outcome =
      run({"scoreboard", "run", worked, "--preset", "june2019", "--set", "I2=2", "--set", "I999=3"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--set I999=3: error: initial value for register I999"));
}

TEST(Scoreboard, ConfigurationsAreFiles) {
  const Folder folder;
  const std::string own = run({"scoreboard", "presets", "june2019"}).out;
  const std::string file = folder.file("own.json", own);
  EXPECT_EQ(run_json({worked, "--config", file})["clocks"], 19);
  const Outcome wrong = run({"scoreboard", "run", worked, "--config", folder.file("bad.json", R"({"groups": []})")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("the core has no units"));
  EXPECT_EQ(run({"scoreboard", "run", worked, "--preset", "nonsense"}).status, 2);
  EXPECT_EQ(run({"scoreboard", "presets", "nonsense"}).status, 2);
}

TEST(Scoreboard, PresetsHaveASchema) {
  const auto results = parse_json(run({"scoreboard", "presets", "--json"}).out);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_GE(results[0]["result"]["presets"].size(), 7u);
  EXPECT_THAT(run({"scoreboard", "presets"}).out, HasSubstr("june2019  The published experiment"));
}

TEST(Scoreboard, GeneratedWorkloadsRun) {
  const Folder folder;
  const std::string text = folder.file("w.sb"), binary = folder.file("w.sbb");
  EXPECT_EQ(run({"scoreboard", "generate", "--mix", "int", "--count", "50", "--seed", "3", "--registers", "8",
                 "--widths", "1", "1", "1", "1", "-o", text})
                .status,
            0);
  EXPECT_EQ(run({"scoreboard", "generate", "--mix", "int", "--count", "50", "--seed", "3", "--registers", "8",
                 "--widths", "1", "1", "1", "1", "--binary", "-o", binary})
                .status,
            0);
  nlohmann::json from_text = run_json({text}), from_binary = run_json({binary});
  EXPECT_EQ(from_text["executed"], 50);
  from_text.erase("workload");
  from_binary.erase("workload");
  EXPECT_EQ(from_text, from_binary);
  EXPECT_EQ(run({"scoreboard", "generate", "--mix", "nonsense"}).status, 2);
}

TEST(Scoreboard, FilesForViewers) {
  const Folder folder;
  const std::string konata = folder.file("a.kanata"), perfetto = folder.file("a.perfetto");
  const std::string json = folder.file("a.json"), vcd = folder.file("a.vcd");
  EXPECT_EQ(run({"scoreboard", "run", worked, "--preset", "june2019", "--konata", konata, "--perfetto", perfetto,
                 "--timeline-json", json, "--vcd", vcd})
                .status,
            0);
  EXPECT_THAT(read(konata), StartsWith("Kanata\t0004\n"));
  EXPECT_FALSE(read(perfetto).empty());
  EXPECT_THAT(schema_errors("timeline", nlohmann::json::parse(read(json))), testing::IsEmpty());
  EXPECT_THAT(read(vcd), HasSubstr("$enddefinitions $end\n#1\n"));
}

TEST(Scoreboard, StopsAndDeadlocksAreNegative) {
  const Outcome limit = run({"scoreboard", "run", worked, "--preset", "june2019", "--max-clocks", "5"});
  EXPECT_EQ(limit.status, 1);
  EXPECT_THAT(limit.err, HasSubstr("[SB302]"));
  EXPECT_THAT(run({"scoreboard", "run", "-"}, "0 nonsense\n").err, HasSubstr("-:1:3: error:"));
}

TEST(ScoreboardCommand, FitsThreadsIntoFewerRegistersAndTakesTheirTurns) {
  const std::vector<std::string> torus{example("torus.vert.bin"), "--inputs", example("torus.inputs.json")};
  const auto operations = [&](std::vector<std::string> more) {
    std::vector<std::string> command{"scoreboard", "run"};
    command.insert(command.end(), torus.begin(), torus.end());
    command.insert(command.end(), more.begin(), more.end());
    command.emplace_back("--json");
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? parse_json(outcome.out)[0]["result"]["operations"].size() : 0;
  };
  const std::size_t plain = operations({});
  EXPECT_EQ(operations({"--spill-to", "128"}), plain);
  EXPECT_GT(operations({"--spill-to", "8"}), plain);
  EXPECT_EQ(operations({"--interleave", "4", "--spill-to", "32"}), 4 * plain);
  EXPECT_LT(operations({"--quads", "--preset", "quads"}), plain);
  EXPECT_EQ(run({"scoreboard", "run", example("scoreboard-worked.sb"), "--spill-to", "1"}).status, 1);
  EXPECT_EQ(run({"scoreboard", "run", "-m", "afuc:a630", example("firmware.afuc"), "--interleave", "2"}).status, 2);
  EXPECT_EQ(run({"scoreboard", "sweep", "--mix", "fp", "--interleave", "2"}).status, 2);
}

TEST(ScoreboardCommand, SaysWhatSpilledRegistersTakeFromTheCache) {
  const Folder folder;
  const std::string program =
      folder.file("three.sb", "int d=I0\nint d=I1\nint d=I2\nint d=I3 s=I1,I2\nint d=I4 s=I0,I3\n");
  const auto power = [&](std::vector<std::string> more) {
    std::vector<std::string> command{"scoreboard", "cost", "--power", program, "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parse_json(outcome.out)[0]["result"]["power"];
  };
  EXPECT_EQ(power({})["cache_accesses"], 0);
  EXPECT_EQ(power({"--spill-to", "2"})["cache_accesses"], 2);
  EXPECT_GT(power({"--spill-to", "2"})["watts"], power({"--spill-to", "2", "--energy", "cache=0"})["watts"]);
  EXPECT_EQ(run({"scoreboard", "cost", "--spill-to", "2"}).status, 2);
}

}  // namespace
}  // namespace mobula::test
