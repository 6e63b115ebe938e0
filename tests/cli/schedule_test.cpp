#include <gtest/gtest.h>

#include "shell.h"

namespace mobula::test {
namespace {

/// Reference 9.2: five words that move more than they have to.
constexpr std::string_view program =
    "ad4ad6b5 0380a2cc 0007ff80 000ad500 ad4685c2 438002b5 0007ff80 000ad500 ad4cc980 438022d9 0007ff80 000ad500\n"
    "ad48ca3b 038041d3 0007ff80 000ad500 6c8b66b5 03804193 4243c080 000ac508\n";

std::vector<std::string> schedule(std::initializer_list<std::string> more) {
  std::vector<std::string> arguments{"schedule", "-m", "utgard-gp", "-"};
  arguments.insert(arguments.end(), more);
  return arguments;
}

TEST(Schedule, WritesAProgramThatIsNoLonger) {
  const Outcome hex = run(schedule({"--hex", "--effort", "1", "--vertices", "16"}), program);
  ASSERT_EQ(hex.status, 0) << hex.err;
  EXPECT_LE(hex.out.size(), program.size());
  const Outcome text = run(schedule({"--text", "--effort", "1", "--vertices", "16", "--plain-branches"}), program);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("st0 v0.xy"), std::string::npos) << text.out;
  const Outcome back = run({"asm", "-m", "utgard-gp", "-", "--hex"}, text.out);
  EXPECT_EQ(back.status, 0) << back.err;
}

TEST(Schedule, RefusesEffortOutOfRange) {
  EXPECT_EQ(run(schedule({"--effort", "0"}), program).status, 2);
  EXPECT_EQ(run(schedule({"--vertices", "-1"}), program).status, 2);
}

}  // namespace
}  // namespace mobula::test
