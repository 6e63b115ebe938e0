#include <gmock/gmock.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

TEST(Ir, LiveShowsWhatEachWordReadsWritesAndKeeps) {
  const Outcome outcome = run({"ir", "--live", example("checker.frag.bin")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0x20:\n  reads  r0.xyz\n  writes r0.xy TMP0.xy\n  live   r0.xy\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nlive after the words:\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  r0.x  0x0 to 0x"));
  EXPECT_THAT(outcome.out, HasSubstr("  r  4 live in 1 register after 0x60\n"));
}

TEST(Ir, LiveIsJsonForEveryMachine) {
  const Folder folder;
  const std::string group = folder.file("loop.bin");
  ASSERT_EQ(run({"asm", "-m", "rogue", example("rogue-loop.rgasm"), "-o", group}).status, 0);
  const std::vector<std::vector<std::string>> programs{
      {example("checker.frag.bin")}, {example("loop.vert.bin")}, {group, "-m", "rogue"}};
  for (const std::vector<std::string>& program : programs) {
    const Outcome outcome = run(with({"ir", "--live", "--json"}, program));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto result = parse_json(outcome.out).at(0)["result"];
    EXPECT_GT(result["words"].size(), 2u);
    EXPECT_FALSE(result["ranges"].empty());
    for (const auto& [bank, most] : result["most"].items())
      EXPECT_LE(most["registers"].get<int>(), most["slots"].get<int>()) << bank;
  }
}

TEST(Ir, OfWhatIsNoCodeIsNoSuccess) {
  const Folder folder;
  const Outcome outcome =
      run({"ir", "-m", "rogue", "--container", "raw", folder.file("none.bin", std::string(64, 'C'))});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("are not code of rogue, from here on [FM057]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("trap"), std::string::npos);
  EXPECT_EQ(run({"ir", example("rogue-loop.rgasm")}).status, 0);
}

}  // namespace
}  // namespace mobula::test
