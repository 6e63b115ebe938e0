// Rogue programs from the command line, as docs/rogue-execution.md shows them.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

/// The example assembled; what follows `mobula run`.
std::vector<std::string> command(const Folder& folder, const std::string& name) {
  const std::string code = folder.file(name + ".bin");
  EXPECT_EQ(run({"asm", "--machine", "rogue", example(name + ".rgasm"), "-o", code}).status, 0);
  return {"run", "--machine", "rogue", code, "--inputs", example(name + ".inputs.json")};
}
TEST(RunRogue, AFragmentProgramMakesAPicture) {
  const Folder folder;
  const std::string picture = folder.file("disc.png");
  const Outcome outcome = run(with(command(folder, "rogue-disc"), {"--image", "64x48", "-o", picture}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("image 64x48, 3072 pixels covered"));
  EXPECT_EQ(read(picture).substr(0, 8), "\x89PNG\r\n\x1a\n");
}

TEST(RunRogue, InstancesLeaveALoopOneByOne) {
  const Folder folder;
  const Outcome outcome = run(with(command(folder, "rogue-collatz"), {"--json"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto results = parse_json(outcome.out);
  ASSERT_EQ(results.size(), 1u);
  // 1; 6 3 10 5 16 8 4 2 1; 7 takes 16 steps, 27 takes 111.
  EXPECT_EQ(results[0]["result"]["memory"][0]["bits"],
            (nlohmann::json{"00000000", "00000008", "00000010", "0000006f"}));
}

TEST(RunRogue, TheTraceShowsFeedthroughs) {
  const Folder folder;
  const Outcome outcome = run(with(command(folder, "rogue-collatz"), {"--trace", "--thread", "3"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text : {"ft0 = ", "ft1 = ", "ftt = ", "ft5 = ", "w0 = ", "masked = "})
    EXPECT_THAT(outcome.out, HasSubstr(text));
}

TEST(RunRogue, WhatHasNoEncodingRunsAsTheModel) {
  const std::vector<std::string> blend{example("rogue-blend.rgasm"), "--inputs", example("rogue-blend.inputs.json"),
                                       "--json"};
  const Outcome outcome = run(with({"run", "--machine", "rogue:model"}, blend));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 1 * 0.25 + 0.5 * 0.75 and 2 * 0.75 + 1 * 0.25
  EXPECT_EQ(parse_json(outcome.out).at(0)["result"]["memory"][0]["bits"], (nlohmann::json{"3f200000", "3fe00000"}));
  const Outcome refused = run(with({"run", "--machine", "rogue"}, blend));
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr("RG115"));
}

TEST(RunRogue, PoliciesAreChosenByName) {
  const Folder folder;
  const auto disc = with(command(folder, "rogue-disc"), {"--image", "8x8", "-o", folder.file("disc.png")});
  EXPECT_EQ(run(with(disc, {"--policy", "late_results=at-issue"})).status, 0);
  const Outcome outcome = run(with(disc, {"--policy", "colour=red"}));
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("RG801"));
}

}  // namespace
}  // namespace mobula::test
