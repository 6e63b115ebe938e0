// What runs of one workload on several cores share: its plan, and the run itself.
#include <gtest/gtest.h>

#include <functional>

#include "scoreboard/core/plan.h"
#include "scoreboard/core/run.h"
#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

using Edit = std::function<void(Config&)>;

Config edited(const Config& config, const Edit& edit) {
  Config other = config;
  edit(other);
  return other;
}

Workload mix_of(std::uint32_t operations, std::uint64_t seed) {
  Mix mix = good(find_mix("fp"));
  mix.widths = {10, 10, 70, 10};
  return generate(mix, operations, seed);
}

TEST(SharedPlans, AreThoseOfCoresThatArePlannedAlike) {
  const Config config = preset("byte_lane");
  const Workload workload = mix_of(50, 1);
  const Plan plan = *make_plan(config, workload);
  const std::vector<Edit> alike{
      [](Config& c) { c.name = "another"; },
      [](Config& c) { c.hazards = Hazards::conservative; },
      [](Config& c) { c.forwarding = Forwarding::both; },
      [](Config& c) { c.ports.read = 1; },
      [](Config& c) { c.ports.priority = Priority::oldest; },
      [](Config& c) { c.memory.match_addresses = false; },
      [](Config& c) { c.groups[0].units = 3; },
      [](Config& c) { c.groups[0].alus = 2; },
      [](Config& c) { c.issue = {.width = 2, .queue = 4, .fetch = 2}; },
      [](Config& c) { c.virtual_registers.rows = 3; },
      [](Config& c) { c.virtual_registers.rows = 0; },
  };
  for (std::size_t i = 0; i < alike.size(); ++i) {
    const Config other = edited(config, alike[i]);
    EXPECT_TRUE(is_plan_for(plan, config, other)) << i;
    const RunResult shared = good(run_planned(other, plan, {})).result, own = good(run(other, workload));
    EXPECT_EQ(shared.clocks, own.clocks) << i;
    EXPECT_EQ(shared.causes, own.causes) << i;
  }
  const std::vector<Edit> unlike{
      [](Config& c) { c.lanes = Lanes::full; },
      [](Config& c) { c.latency["fp"] = 4; },
      [](Config& c) { c.interval["fp"] = 4; },
      [](Config& c) { c.banks.count = 2; },
      [](Config& c) { c.banks.read = 4; },
      [](Config& c) { c.files[0].count = 64; },
      [](Config& c) { c.waw = Waw::last_writer; },
      [](Config& c) { c.trap_shadows = false; },
      [](Config& c) { c.ports.per_operand = true; },
      [](Config& c) { c.ports.lockstep_pairs = false; },
      [](Config& c) {
        c.groups[0].widths = {1, 2, 4};
      },
      [](Config& c) { c.groups[0].units = 1; },
      [](Config& c) { c.issue.together = true; },
      [](Config& c) { c.virtual_registers.rows = 2; },
  };
  for (std::size_t i = 0; i < unlike.size(); ++i)
    EXPECT_FALSE(is_plan_for(plan, config, edited(config, unlike[i]))) << i;
}

TEST(SharedPlans, WantTheSameLimitsWhereGroupsIssueTogether) {
  const Config config =
      edited(preset("byte_lane"), [](Config& c) { c.issue = {.width = 4, .queue = 8, .fetch = 4, .together = true}; });
  const Workload workload = random_workload(1, {.operations = 20, .groups = true});
  const Plan plan = *make_plan(config, workload);
  EXPECT_TRUE(is_plan_for(plan, config, edited(config, [](Config& c) { c.ports.read = 1; })));
  EXPECT_FALSE(is_plan_for(plan, config, edited(config, [](Config& c) { c.groups[0].units = 3; })));
  EXPECT_FALSE(is_plan_for(plan, config, edited(config, [](Config& c) { c.virtual_registers.rows = 40; })));
  EXPECT_FALSE(is_plan_for(plan, config, edited(config, [](Config& c) { c.issue.width = 2; })));
}

struct Limit {
  const char* name;
  std::vector<std::uint32_t> values;  ///< from the least
  std::function<void(Config&, std::uint32_t)> set;
  bool LimitsReached::*reached;
};

/// Runs are told to be alike only if they are, and are told so where only unused limits differ.
TEST(SharedRuns, AreThoseOfCoresWithMoreOfWhatWasEnough) {
  const std::vector<Limit> limits{
      {"units",
       {2, 4, 8, 16, 70},
       [](Config& c, std::uint32_t n) { c.groups.back().units = n; },
       &LimitsReached::units},
      {"rows",
       {4, 8, 16, 32, 64},
       [](Config& c, std::uint32_t n) { c.virtual_registers.rows = n; },
       &LimitsReached::rows},
      {"reads", {1, 2, 3, 4, 0}, [](Config& c, std::uint32_t n) { c.ports.read = n; }, &LimitsReached::reads},
      {"writes", {1, 2, 3, 4, 0}, [](Config& c, std::uint32_t n) { c.ports.write = n; }, &LimitsReached::writes},
  };
  for (const char* name : {"byte_lane", "seed_full4", "seed_two_level"})
    for (const Limit& limit : limits) {
      std::uint32_t alike = 0, different = 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (std::size_t i = 0; i + 1 < limit.values.size(); ++i) {
          Config few = preset(name);
          few.ports.priority = Priority::rotate;
          Config more = few;
          limit.set(few, limit.values[i]);
          limit.set(more, limit.values[i + 1]);
          const Workload workload = mix_of(120, seed);
          const Plan plan = *make_plan(few, workload);
          const PlannedRun with_few = good(run_planned(few, plan, {}));
          EXPECT_EQ(is_run_of(few, with_few.reached, more), !(with_few.reached.*limit.reached)) << limit.name;
          EXPECT_FALSE(is_run_of(more, with_few.reached, few)) << limit.name;
          if (with_few.reached.*limit.reached) {
            ++different;
            continue;
          }
          ++alike;
          const RunResult with_more = good(run(more, workload));
          EXPECT_EQ(with_few.result.clocks, with_more.clocks) << name << ' ' << limit.name;
          EXPECT_EQ(with_few.result.causes, with_more.causes) << name << ' ' << limit.name;
          EXPECT_EQ(with_few.result.conflicts.lane_mux, with_more.conflicts.lane_mux) << name << ' ' << limit.name;
          EXPECT_EQ(with_few.result.conflicts.read_bank, with_more.conflicts.read_bank) << name << ' ' << limit.name;
        }
      EXPECT_GT(alike, 0u) << name << ' ' << limit.name;
      EXPECT_GT(different, 0u) << name << ' ' << limit.name;
    }
}

TEST(SharedRuns, AreNotThoseOfCoresThatDifferInAnythingElse) {
  const Config config = preset("seed_full4");
  const LimitsReached none{};
  for (const Edit& edit : std::vector<Edit>{
           [](Config& c) { c.virtual_registers.rows = 0; },  // columns are registers
           [](Config& c) { c.groups.front().units = 9; },    // the other groups' units have other lanes
           [](Config& c) { c.hazards = Hazards::conservative; },
           [](Config& c) { c.issue.queue = 3; },
           [](Config& c) { c.banks.write = 2; },
           [](Config& c) { c.groups.push_back(c.groups.back()); },
       })
    EXPECT_FALSE(is_run_of(config, none, edited(config, edit)));
  EXPECT_TRUE(is_run_of(config, none, edited(config, [](Config& c) { c.name = "another"; })));
}

}  // namespace
}  // namespace mobula::scoreboard
