// Ports of the banks: what the plan counts in advance is what is counted access by access.
#include "scoreboard/core/ports.h"

#include <gtest/gtest.h>

#include "mobula/scoreboard/hardware.h"

namespace mobula::scoreboard {
namespace {

TEST(ScoreboardPorts, MoreBanksThanAreCountedAtOnceChangeNothing) {
  for (const auto& [preset, lanes] : {std::pair{"byte_lane", 0u},
                                      {"byte_lane", 4},
                                      {"seed_two_level", 0},
                                      {"seed_two_level", 3},
                                      {"seed_full4", 1},
                                      {"quads", 4}}) {
    Config counted = *find_preset(preset);
    counted.banks.lanes = lanes;
    Config many = counted;  // three files of four banks; with the fifth they are counted one by one
    many.files.push_back({'X', 1, 8});
    many.files.push_back({'Y', 1, 8});
    std::uint64_t conflicts = 0, lane_conflicts = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const Workload workload = cosim_workload(counted, {}, 100, seed);
      ASSERT_TRUE(make_plan(counted, workload)->counts_banks);
      ASSERT_FALSE(make_plan(many, workload)->counts_banks);
      const Result<RunResult> a = run(counted, workload), b = run(many, workload);
      ASSERT_TRUE(a && b);
      EXPECT_EQ(a->clocks, b->clocks) << preset << ' ' << seed;
      EXPECT_EQ(a->conflicts.read_bank, b->conflicts.read_bank);
      EXPECT_EQ(a->conflicts.write_bank, b->conflicts.write_bank);
      EXPECT_EQ(a->conflicts.lane_mux, b->conflicts.lane_mux);
      for (std::size_t i = 0; i < a->times.size(); ++i) {
        EXPECT_EQ(a->times[i].read, b->times[i].read);
        EXPECT_EQ(a->times[i].write, b->times[i].write);
      }
      conflicts += a->conflicts.read_bank + a->conflicts.write_bank;
      lane_conflicts += a->conflicts.lane_mux;
    }
    EXPECT_GT(conflicts, 0u) << preset;
    EXPECT_EQ(lane_conflicts != 0, lanes != 0) << preset;
  }
}

TEST(ScoreboardPorts, SevenPortsAreTheMostThatAreCountedAtOnce) {
  Config config = *find_preset("byte_lane");
  config.banks.read = 8;
  const Workload workload = cosim_workload(config, {}, 50, 1);
  EXPECT_FALSE(make_plan(config, workload)->counts_banks);
  config.banks.read = 7;
  EXPECT_TRUE(make_plan(config, workload)->counts_banks);
}

TEST(ScoreboardPorts, HalvesOfAPairShareAWordWhicheverReadsFirst) {
  Config config = *find_preset("byte_lane");
  config.banks.read = 1;
  const PlannedOperand low{.bytes = 1, .banks = {0, no_bank}}, high{.first = 1, .bytes = 1, .banks = {0, no_bank}};
  const auto take = [](BankPorts& ports, const PlannedOperand& operand, std::uint32_t unit, std::uint32_t owner) {
    Conflicts conflicts;
    return ports.take({unit, std::span(&operand, 1)}, owner, conflicts);
  };
  for (const bool high_first : {false, true}) {
    BankPorts ports(config, 1, true, false);
    ASSERT_TRUE(high_first ? take(ports, high, 5, 4) : take(ports, low, 4, 4));
    EXPECT_TRUE(high_first ? take(ports, low, 4, 4) : take(ports, high, 5, 4));
    EXPECT_FALSE(take(ports, low, 6, 6)) << "another operation's";
  }
}

}  // namespace
}  // namespace mobula::scoreboard
