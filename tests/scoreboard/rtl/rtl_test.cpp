#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "mobula/scoreboard/hardware.h"
#include "paths.h"

namespace mobula::scoreboard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Config preset(std::string_view name) { return *find_preset(name); }

std::string text_of(const Config& config, const Hardware& hardware) {
  const Result<std::vector<Module>> modules = verilog(config, hardware);
  EXPECT_TRUE(modules);
  std::string text;
  for (const Module& module : *modules) text += (text.empty() ? "" : "\n") + module.text;
  return text;
}

/// Two units, two registers of 16 bits: small enough to be read as a whole.
Config small_core() {
  Config config;
  config.name = "small";
  config.hazards = Hazards::conservative;
  config.groups = {{.name = "alu", .classes = {UnitClass::integer}, .widths = {2}, .pairs = {}, .units = 2}};
  config.files = {{'I', 2, 2}};
  config.ports.read = config.ports.write = 1;
  config.trap_shadows = false;
  return config;
}

/// tests/data/scoreboard/small.v; after a wanted change, MOBULA_UPDATE=1 writes it anew.
TEST(ScoreboardRtl, IsTheSameTextAlways) {
  const std::string file = mobula::test::test_data("scoreboard/small.v"), text = text_of(small_core(), {.sources = 2});
  if (std::getenv("MOBULA_UPDATE") != nullptr) std::ofstream(file) << text;
  std::ifstream stream(file);
  const std::string expected{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text, expected);
  EXPECT_EQ(text, text_of(small_core(), {.sources = 2}));
}

TEST(ScoreboardRtl, DefinesEachModuleOnceAndBeforeItsUse) {
  for (const Preset& each : presets()) {
    const Result<std::vector<Module>> modules = verilog(preset(each.name), {});
    ASSERT_TRUE(modules) << each.name;
    std::set<std::string> known;
    for (const Module& module : *modules) {
      EXPECT_TRUE(known.insert(module.name).second) << module.name;
      EXPECT_THAT(module.text, HasSubstr("module " + module.name + " ("));
      for (std::size_t at = module.text.find("\n  sb_"); at != std::string::npos;
           at = module.text.find("\n  sb_", at + 1)) {
        const std::string used = module.text.substr(at + 3, module.text.find(' ', at + 3) - at - 3);
        EXPECT_TRUE(known.contains(used)) << module.name << " uses " << used;
      }
    }
    EXPECT_EQ(modules->back().name, "sb_top");
  }
}

TEST(ScoreboardRtl, HasTheCascadeOfTheLanes) {
  EXPECT_THAT(text_of(preset("seed_full4"), {}), HasSubstr("module sb_expand"));
  EXPECT_THAT(text_of(preset("byte_lane"), {}), Not(HasSubstr("module sb_expand")));
}

TEST(ScoreboardRtl, RefusesUnitsWithMorePortsThanThereAre) {
  const Result<std::vector<Module>> result = verilog(small_core(), {.sources = 9});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "SB401");
}

TEST(ScoreboardRtl, NumbersUnitsBeyondAWordOf64Bits) {
  Config config = small_core();
  config.groups[0].units = 70;
  EXPECT_THAT(text_of(config, {.sources = 1}), HasSubstr("70'h3fffffffffffffffff"));
}

TEST(ScoreboardRtl, HasAMapAndAWindowWhereRegistersAreRenamed) {
  const std::string text = text_of(preset("renaming"), {});
  EXPECT_THAT(text, HasSubstr("module sb_map ("));
  EXPECT_THAT(text, HasSubstr("module sb_free ("));
  EXPECT_THAT(text, HasSubstr("wire [31:0] retiring"));  // the window's places
  EXPECT_THAT(text_of(preset("byte_lane"), {}), Not(HasSubstr("sb_window")));
}

/// Bytes written in part are read first, through a port beyond those of the sources.
TEST(ScoreboardRtl, HasAPortForWhatARenamedRegisterWas) {
  Config config = preset("renaming");
  EXPECT_THAT(text_of(config, {.sources = 2}), HasSubstr("op0_src2_reg"));
  for (Group& group : config.groups) group.widths = {8};
  EXPECT_THAT(text_of(config, {.sources = 2}), Not(HasSubstr("op0_src2_reg")));
}

TEST(ScoreboardRtl, TellsQuadsFromSingleRegisters) {
  Config config = preset("byte_lane");
  EXPECT_THAT(text_of(config, {}), Not(HasSubstr("_quad")));
  config.groups[0].widths.push_back(16);
  const std::string text = text_of(config, {.sources = 2});
  EXPECT_THAT(text, HasSubstr("input  wire op0_src1_quad"));
  EXPECT_THAT(text, HasSubstr("row_next_dst0_0_0"));
}

TEST(ScoreboardRtl, LeavesOutBytesThatAYoungerOperationHasWritten) {
  Config config = small_core();
  EXPECT_THAT(text_of(config, {}), Not(HasSubstr("overwritten")));
  config.waw = Waw::last_writer;
  EXPECT_THAT(text_of(config, {.destinations = 2}), HasSubstr("wr_bytes1_0"));
}

/// Nothing is built for what cannot happen.
TEST(ScoreboardRtl, SharesOnlyWhereUnitsCompete) {
  Config config = small_core();
  config.banks = {.count = 2, .read = 2};
  const std::string plain = text_of(config, {.sources = 2});
  const auto differs = [&](Config::Banks banks) {
    Config other = config;
    other.banks = banks;
    return text_of(other, {.sources = 2}) != plain;
  };
  EXPECT_TRUE(differs({.count = 2, .read = 2, .lanes = 1}));
  EXPECT_FALSE(differs({.count = 2, .read = 2, .lanes = 2}));  // a lane for each unit
  EXPECT_FALSE(differs({.count = 2, .read = 2, .byte_crossbar = false}));
  EXPECT_TRUE(differs({.count = 2, .read = 2, .lanes = 1, .byte_crossbar = false}));
  EXPECT_TRUE(differs({.count = 2, .read = 2, .broadcast = true}));
  config.banks.read = 0;
  const std::string unlimited = text_of(config, {});
  config.banks.broadcast = true;
  EXPECT_EQ(text_of(config, {}), unlimited);
}

TEST(ScoreboardCosim, GivesEachClockAsManyWordsAsItSays) {
  for (const Preset& each : presets()) {
    const Config config = preset(each.name);
    const Result<CosimBuild> build = cosim_build(config, {});
    ASSERT_TRUE(build) << each.name;
    EXPECT_EQ(build->modules.back().name, "sb_cosim");
    std::uint64_t clocks = 0;
    const Result<CosimRun> run =
        cosim_run(config, {}, cosim_workload(config, {}, 50, 1), [&](std::span<const std::uint32_t> record) {
          if (record[0] == 0) return true;
          EXPECT_EQ(record.size(), 1u + build->in_words + build->out_words);
          ++clocks;
          return true;
        });
    ASSERT_TRUE(run) << each.name << '\n' << render(run.error());
    EXPECT_EQ(run->clocks, clocks);
    EXPECT_GT(clocks, 10u);  // a trap may end it early
  }
}

TEST(ScoreboardCosim, WorkloadsFitUnitsWithSeveralDestinations) {
  Config config = preset("libresoc2020");
  const Hardware hardware{.sources = 4, .destinations = 3};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Workload workload = cosim_workload(config, hardware, 100, seed);
    EXPECT_TRUE(
        std::ranges::any_of(workload.operations, [](const Operation& op) { return op.destinations[2].used(); }));
    const Result<RunResult> result = run(config, workload);
    EXPECT_TRUE(result) << render(result.error());
  }
}

TEST(ScoreboardCosim, BuildsThePickerOfTheOldestInFrontOfBanks) {
  Config config = small_core();
  config.ports.priority = Priority::oldest;
  config.banks = {.count = 2, .read = 2, .write = 1};
  EXPECT_THAT(text_of(config, {.sources = 2}), HasSubstr("older_than_1"));
}

TEST(ScoreboardCosim, WorkloadsFitByteCrossbarsAndWordLanes) {
  for (const bool per_operand : {false, true})
    for (const bool lockstep : {false, true})
      for (const std::uint32_t lanes : {0u, 1u, 3u}) {
        Config config = preset("seed_two_level");
        config.ports.per_operand = per_operand;
        config.ports.lockstep_pairs = lockstep;
        config.banks.lanes = lanes;
        config.banks.byte_crossbar = false;
        const Result<RunResult> result = run(config, cosim_workload(config, {.all_columns = true}, 200, 1));
        EXPECT_TRUE(result) << render(result.error());
      }
}

TEST(ScoreboardCosim, WorkloadsFitRenamingAndQuads) {
  for (const char* base : {"renaming", "byte_lane", "libresoc2020"})
    for (const std::uint32_t banks : {1u, 4u})
      for (const bool per_operand : {false, true}) {
        Config config = preset(base);
        config.groups[0].widths = {1, 4, 8, 16};
        config.ports.per_operand = per_operand;
        config.banks = {.count = banks, .read = 4, .write = 2, .lanes = 4};
        if (config.waw == Waw::rename) config.issue = {.width = 2, .queue = 4, .fetch = 2, .together = true};
        const Hardware hardware{.destinations = per_operand ? 2u : 1u};
        const Workload workload = cosim_workload(config, hardware, 300, 1);
        EXPECT_TRUE(
            std::ranges::any_of(workload.operations, [](const Operation& op) { return op.sources[0].bytes == 16; }));
        const Result<RunResult> result = run(config, workload);
        EXPECT_TRUE(result) << base << ' ' << banks << '\n' << render(result.error());
      }
}

TEST(ScoreboardCosim, WorkloadsHaveOperandsOfOtherWidthsWhereUnitsTakeThem) {
  const Config config = preset("byte_lane");
  EXPECT_EQ(run(config, cosim_workload(config, {}, 100, 1))->mixed_widths, 0u);
  EXPECT_NE(run(config, cosim_workload(config, {.all_columns = true}, 100, 1))->mixed_widths, 0u);
}

TEST(ScoreboardCosim, ComparesTheBytesThatAreWritten) {
  Config config = small_core();
  config.groups[0].widths = {1, 2};
  config.waw = Waw::last_writer;
  config.banks = {.count = 1, .read = 1, .broadcast = true, .lanes = 1, .byte_crossbar = false};
  const Hardware hardware{.sources = 1};
  const Result<CosimBuild> build = cosim_build(config, hardware);
  ASSERT_TRUE(build);
  const Result<Workload> workload = parse_workload("two", "1 add w2 L5 d=I0 s=I1\n2 add w1 L0 d=I0[1:2) s=I1[0:1)\n");
  ASSERT_TRUE(workload) << render(workload.error());
  std::vector<std::string> seen;
  const auto value = [&](const std::vector<CosimSignal>& signals, std::span<const std::uint32_t> words,
                         std::string_view name) {
    const auto signal = std::ranges::find(signals, name, &CosimSignal::name);
    std::uint64_t bits = 0;
    for (std::uint64_t i = 0; i < signal->width; ++i)
      bits |= std::uint64_t{words[(signal->first + i) / 32] >> (signal->first + i) % 32 & 1u} << i;
    return bits;
  };
  const Result<CosimRun> run = cosim_run(config, hardware, *workload, [&](std::span<const std::uint32_t> record) {
    if (record[0] == 0) return true;
    const auto in = record.subspan(1, build->in_words), out = record.subspan(1 + build->in_words);
    if (value(build->in, in, "op0_valid") != 0 && value(build->out, out, "issue") != 0)
      seen.push_back("issue " + std::to_string(value(build->in, in, "op0_src0_narrow_0")) + ' ' +
                     std::to_string(value(build->in, in, "op0_dst0_bytes_0")));
    for (const char* name : {"wr_bytes0_0", "wr_bytes0_1"})
      if (value(build->out, out, name) != 0)
        seen.push_back(std::string(name) + ' ' + std::to_string(value(build->out, out, name)));
    return true;
  });
  ASSERT_TRUE(run) << render(run.error());
  // The second operation writes byte 1 first, so that the first one leaves it out.
  EXPECT_THAT(seen, ElementsAre("issue 1 3", "issue 1 2", "wr_bytes0_1 2", "wr_bytes0_0 1"));
}

TEST(ScoreboardCosim, StopsWhenNobodyListens) {
  const Config config = preset("june2019");
  int records = 0;
  const Result<CosimRun> run = cosim_run(config, {}, cosim_workload(config, {}, 50, 1),
                                         [&](std::span<const std::uint32_t>) { return ++records < 5; });
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->stopped);
  EXPECT_EQ(records, 5);
}

TEST(ScoreboardCosim, RefusesOperationsWithMorePortsThanTheUnits) {
  const Config config = preset("june2019");
  const Result<Workload> workload = parse_workload("three", "1 add d=I1 s=I1,I2,I3\n");
  ASSERT_TRUE(workload) << render(workload.error());
  const Result<CosimRun> run =
      cosim_run(config, {.sources = 2}, *workload, [](std::span<const std::uint32_t>) { return true; });
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error()[0].code, "SB403");
}

TEST(ScoreboardCosim, WorkloadsAreTheSameForTheSameSeed) {
  const Config config = preset("seed_two_level");
  EXPECT_EQ(cosim_workload(config, {}, 100, 7).operations, cosim_workload(config, {}, 100, 7).operations);
  EXPECT_NE(cosim_workload(config, {}, 100, 7).operations, cosim_workload(config, {}, 100, 8).operations);
}

}  // namespace
}  // namespace mobula::scoreboard
