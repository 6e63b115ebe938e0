#include "mobula/scoreboard/power.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mobula::scoreboard {
namespace {

/// Two units, two registers: rows of two columns.
Config small() {
  Config config;
  config.groups = {{.name = "alu", .classes = {UnitClass::integer}, .widths = {2}, .pairs = {}, .units = 2}};
  config.files = {{'I', 2, 2}};
  config.trap_shadows = false;
  return config;
}

const ToggledLine& line(const Activity& activity, std::string_view name) {
  return *std::ranges::find_if(activity.lines, [&](const ToggledLine& each) { return each.name == name; });
}

TEST(ScoreboardPower, CountsTogglesTimesFanOut) {
  const Config config = small();
  const Result<Workload> workload = parse_workload("one", "1 add d=I0 s=I1\n");
  ASSERT_TRUE(workload) << render(workload.error());
  PowerProxy proxy(config, {.sources = 1});
  RunOptions options;
  options.observer = [&](const View& view) { proxy.on(view); };
  const Result<RunResult> result = run(config, *workload, options);
  ASSERT_TRUE(result) << render(result.error());
  const Activity& activity = proxy.activity();
  EXPECT_EQ(activity.clocks, result->clocks);
  // Up and down, over two columns of FU-Reg and two units of FU-FU.
  EXPECT_EQ(line(activity, "issue").toggles, 2u);
  EXPECT_EQ(line(activity, "issue").loads, 2u * 4);
  EXPECT_EQ(line(activity, "go_rd").loads, 2u * 4);
  // The run ends with the write: it does not fall any more.
  EXPECT_EQ(line(activity, "go_wr").loads, 1u * 4);
  EXPECT_EQ(line(activity, "g_wr").loads, 1u * 2);
  // One source and one destination, up and down, over two rows.
  EXPECT_EQ(line(activity, "dst and src").toggles, 4u);
  EXPECT_EQ(line(activity, "dst and src").loads, 4u * 2);
  EXPECT_EQ(line(activity, "g_rd").loads, 2u * 2);
  EXPECT_EQ(line(activity, "die").toggles, 0u);
  EXPECT_EQ(activity.clock_pins, 2 * activity.clocks * cost(config, {.sources = 1})->total().latches);
}

/// Two operands find rows over columns of four cells, which rise and fall; two rows of two cells are set and cleared.
TEST(ScoreboardPower, CountsTheTableOfVirtualRegisters) {
  Config config = small();
  config.virtual_registers.rows = 4;
  const Result<Workload> workload = parse_workload("one", "1 add d=I0 s=I1\n");
  ASSERT_TRUE(workload) << render(workload.error());
  PowerProxy proxy(config, {.sources = 1});
  RunOptions options;
  options.observer = [&](const View& view) { proxy.on(view); };
  ASSERT_TRUE(run(config, *workload, options));
  const Activity& activity = proxy.activity();
  EXPECT_EQ(line(activity, "columns of the IR table").toggles, 2u * 2);
  EXPECT_EQ(line(activity, "columns of the IR table").loads, 2u * 2 * 4);
  EXPECT_EQ(line(activity, "rows of the IR table").toggles, 4u);
  EXPECT_EQ(line(activity, "rows of the IR table").loads, 4u * 2);
}

TEST(ScoreboardPower, IsEnergyTimesFrequency) {
  Activity activity;
  activity.clocks = 10;
  activity.lines = {{"a", 50, 600}, {"b", 50, 400}};
  activity.clock_pins = 2000;
  // (1000 x 2 fJ + 2000 x 1 fJ) / 10 clocks x 1 GHz = 400 fJ x 1e9 / s.
  EXPECT_DOUBLE_EQ(watts(activity, {.load = 2, .clock_pin = 1, .megahertz = 1000}), 400e-15 * 1e9);
  EXPECT_EQ(watts({}, {}), 0);
}

}  // namespace
}  // namespace mobula::scoreboard
