#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "mobula/scoreboard_hardware.h"

namespace mobula::scoreboard {
namespace {

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
  const std::string file = MOBULA_TEST_DATA "/scoreboard/small.v", text = text_of(small_core(), {.sources = 2});
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

TEST(ScoreboardRtl, RefusesWhatItDoesNotBuildAllAtOnce) {
  Config config = small_core();
  config.waw = Waw::last_writer;
  config.banks.lanes = 4;
  config.banks.broadcast = true;
  const Result<std::vector<Module>> result = verilog(config, {.sources = 9});
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 4u);
  EXPECT_EQ(result.error()[0].code, "SB401");
  EXPECT_EQ(result.error()[1].code, "SB402");
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
