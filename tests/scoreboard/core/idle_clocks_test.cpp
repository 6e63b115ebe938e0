// Clocks in which nothing happens are passed at once where nobody looks at them, and counted as if each had been made.
#include <algorithm>

#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

/// Operations that take long, so that most clocks wait for a result.
Workload slow_workload(std::uint32_t seed) {
  Workload slow = random_workload(seed, {.operations = 120});
  for (Operation& op : slow.operations) {
    op.latency = static_cast<std::uint16_t>(op.id * 7 % 90);
    op.interval = 20;
  }
  return slow;
}

Config with_files(std::string_view name) {
  Config config = preset(name);
  const std::uint32_t physical = config.waw == Waw::rename ? 24 : 0;
  config.files = {{'I', 16, 8, physical}, {'F', 16, 8, physical}};
  return config;
}

/// Everything but the clocks of operations.
std::vector<std::uint64_t> figures(const RunResult& run) {
  std::vector<std::uint64_t> all{run.clocks, run.executed, run.killed, run.skipped};
  all.insert(all.end(), run.causes.begin(), run.causes.end());
  const Conflicts& c = run.conflicts;
  for (const std::uint64_t count :
       {c.read_grant, c.write_grant, c.read_bank, c.write_bank, c.lane_mux, c.byte_crossbar, c.alu, c.memory})
    all.push_back(count);
  for (const auto& group : run.busy_units) all.insert(all.end(), group.begin(), group.end());
  all.insert(all.end(), run.queue_entries.begin(), run.queue_entries.end());
  all.insert(all.end(), run.virtual_rows.begin(), run.virtual_rows.end());
  return all;
}

TEST(IdleClocks, CountAsTheyDoOneByOne) {
  std::uint64_t put_off_in_idle_clocks = 0;
  for (const Preset& each : presets()) {
    Config config = with_files(each.name);
    for (const std::uint32_t alus : {0u, 1u}) {
      for (Group& group : config.groups) group.alus = alus;
      for (std::uint32_t seed = 0; seed < 12; ++seed) {
        const Workload workload = slow_workload(seed);
        std::uint64_t seen = 0;
        RunOptions watched;
        watched.observer = [&](const View&) { ++seen; };
        const RunResult one_by_one = good(run(config, workload, watched)), at_once = good(run(config, workload));
        EXPECT_EQ(seen, one_by_one.clocks) << "whoever watches sees each clock";
        EXPECT_EQ(figures(at_once), figures(one_by_one)) << each.name << ' ' << seed;
        ASSERT_EQ(at_once.times.size(), one_by_one.times.size());
        for (std::size_t i = 0; i < at_once.times.size(); ++i) {
          EXPECT_EQ(at_once.times[i].write, one_by_one.times[i].write) << each.name << ' ' << seed;
          EXPECT_EQ(at_once.times[i].complete, one_by_one.times[i].complete) << each.name << ' ' << seed;
        }
        put_off_in_idle_clocks += at_once.conflicts.memory;
      }
    }
  }
  EXPECT_GT(put_off_in_idle_clocks, 0u);
}

TEST(IdleClocks, EndWhereTheRunMayNotGoOn) {
  const Config config = preset("textbook6600");
  const Workload program = workload("0 div L9000 d=F1 s=F2,F3\n1 fp d=F4 s=F1\n");
  for (const std::uint64_t limit : {100u, 101u, 1024u, 9'000u}) {
    RunOptions options;
    options.max_clocks = limit;
    const Result<RunResult> result = run(config, program, options);
    ASSERT_FALSE(result);
    EXPECT_EQ(codes(result.error()), "SB302");
  }
  std::uint64_t asked = 0;
  RunOptions options;
  options.stop = [&] { return ++asked == 8; };
  const Result<RunResult> result = run(config, program, options);
  ASSERT_FALSE(result);
  // Once for the plan, then before clock 1 and after each 1024.
  EXPECT_EQ(result.error().front().message, "stopped at clock " + std::to_string(6 * 1024));
}

}  // namespace
}  // namespace mobula::scoreboard
