// Options of the scoreboard's commands that would do nothing are refused, and say what they belong to.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

struct IdleOption {
  std::vector<std::string> command;
  const char* says;
};

TEST(ScoreboardUsage, IdleOptionsNameWhatTheyBelongTo) {
  const std::string program = example("scoreboard-worked.sb");
  const auto sweep = [](std::vector<std::string> more) { return with({"scoreboard", "sweep"}, more); };
  const IdleOption table[] = {
      {sweep({"--mix", "fp", "--quads"}), "--quads has nothing to act on without PROGRAM"},
      {sweep({"--mix", "fp", "--interleave", "2"}), "has nothing to act on without PROGRAM"},
      {sweep({"--mix", "fp", "--spill-to", "8"}), "has nothing to act on without PROGRAM"},
      {sweep({"--mix", "fp", "--registers", "8", "--axis", "workload.registers=8,16"}), "workload.registers"},
      {sweep({program, "--spill-to", "8", "--axis", "workload.spill_to=8,16"}), "workload.spill_to"},
  };
  for (const IdleOption& row : table) {
    const Outcome outcome = run(row.command);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(row.command);
    EXPECT_THAT(outcome.err, HasSubstr(row.says)) << testing::PrintToString(row.command);
  }
}

}  // namespace
}  // namespace mobula::test
