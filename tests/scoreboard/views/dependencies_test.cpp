// The arrows of timelines: which operations an operation has to come after, and why.
#include "scoreboard/support.h"
#include "timeline/arrows.h"

namespace mobula::scoreboard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Config core_of_arrows(Waw waw) {
  Config config;
  config.waw = waw;
  config.lanes = waw == Waw::rename ? Lanes::lock : Lanes::byte;
  config.groups = {{.name = "any",
                    .classes = {UnitClass::integer, UnitClass::branch},
                    .functions = {},
                    .widths = {1, 8},
                    .pairs = {},
                    .units = 8}};
  config.files = {{'I', 16, 8, waw == Waw::rename ? 24u : 0u}};
  return config;
}

std::vector<std::string> arrows(const Config& config, std::string_view program) {
  Arrows sink;
  RunOptions options;
  options.timeline = &sink;
  good(run(config, workload(program), options));
  return sink.list;
}

TEST(Dependencies, AreNamed) {
  const char* program = "int L9 d=I1 s=I2\nint d=I3 s=I1\nint d=I2 s=I4\nint d=I1 s=I5\n";
  EXPECT_THAT(
      arrows(core_of_arrows(Waw::shadow_same_dest), program),
      ElementsAre("1 read_after_write 0", "2 write_after_read 0", "3 write_after_write 0", "3 write_after_read 1"));
  // What is overwritten later does not wait; a new place is not waited for.
  EXPECT_THAT(arrows(core_of_arrows(Waw::last_writer), program),
              ElementsAre("1 read_after_write 0", "2 write_after_read 0", "3 write_after_read 1"));
  EXPECT_THAT(arrows(core_of_arrows(Waw::rename), program), ElementsAre("1 read_after_write 0"));
}

TEST(Dependencies, AreOnTheLastOneOfEachByte) {
  const Config config = core_of_arrows(Waw::shadow_same_dest);
  EXPECT_THAT(arrows(config, "int d=I1\nint d=I1\nint s=I1\n"),
              ElementsAre("1 write_after_write 0", "2 read_after_write 1"));
  EXPECT_THAT(arrows(config, "int d=I1\nint w1 d=I1[3:4)\nint s=I1\n"),
              ElementsAre("1 write_after_write 0", "2 read_after_write 0", "2 read_after_write 1"));
  EXPECT_THAT(arrows(config, "int d=I1 s=I1\nint s=I1\n"), ElementsAre("1 read_after_write 0"));
}

TEST(Dependencies, AreThoseOfTheColumns) {
  const char* program = "int w1 d=I1[0:1)\nint w1 d=I2[0:1) s=I1[1:2)\n";
  Config config = core_of_arrows(Waw::shadow_same_dest);
  EXPECT_THAT(arrows(config, program), IsEmpty());
  config.lanes = Lanes::lock;
  EXPECT_THAT(arrows(config, program), ElementsAre("1 read_after_write 0"));
}

/// Operation 2 may be killed, and is.
TEST(Dependencies, AreAlsoOnWhatIsBehindAnOpenBranch) {
  EXPECT_THAT(
      arrows(core_of_arrows(Waw::shadow_same_dest), "int L20 d=I1\nbgt L9 s=I5,I6\nint d=I1 if=ok\nint d=I2 s=I1\n"),
      ElementsAre("2 write_after_write 0", "3 read_after_write 0", "3 read_after_write 2"));
}

/// Operations that are issued in one clock are told in the order of the program, whatever their units are.
TEST(Dependencies, AreOnEarlierOperations) {
  Config config = core_of_arrows(Waw::shadow_same_dest);
  config.groups[0].classes = {UnitClass::integer};
  config.groups.insert(
      config.groups.begin(),
      {.name = "first", .classes = {UnitClass::fp}, .functions = {}, .widths = {8}, .pairs = {}, .units = 1});
  config.issue = {.width = 2, .queue = 2, .fetch = 2};
  EXPECT_THAT(arrows(config, "int d=I1\nfp d=I2 s=I1\n"), ElementsAre("1 read_after_write 0"));
}

}  // namespace
}  // namespace mobula::scoreboard
