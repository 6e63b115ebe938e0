#include "machines/rogue/views/picture.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"

namespace mobula::rogue {
namespace {

using testing::UnorderedElementsAre;

std::vector<std::string> arrows_of(std::string_view text) {
  const Result<Program> program = find_machine("rogue")->assemble({"test.rgasm", text}, {});
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  std::vector<std::string> all;
  if (!program) return all;
  const Picture picture = pictures(*program).at(0);
  const auto name = [&](std::size_t index) {
    const Picture::Box& box = picture.boxes[index];
    return box.title.empty() ? box.lines.at(0) : box.title;
  };
  for (const Picture::Arrow& arrow : picture.arrows) all.push_back(name(arrow.from) + " -> " + name(arrow.to));
  return all;
}

TEST(RoguePicture, GroupsOfTheModelVariantAreOneOperation) {
  const Result<Program> program = find_machine("rogue")->assemble(
      {"test.rgasm", ".profile model\n0 : sop r6, r0, r1, add, r3, r4\n1 : nop.end\n"}, {.variant = "model"});
  ASSERT_TRUE(program) << render(program.error());
  const std::vector<Picture> all = pictures(*program);
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(all[0].boxes.size(), 1u);
  EXPECT_THAT(all[0].boxes[0].lines, testing::Contains(testing::StartsWith("sop")));
}

TEST(RoguePicture, SlotsPhasesFeedthroughsAndPorts) {
  EXPECT_THAT(arrows_of("main { s0 = r0; s1 = r1; is4 = ft0; p0: fadd ft0, s0, s1; w0 = r0 }\n"),
              UnorderedElementsAre("S0 -> phase 0", "S1 -> phase 0", "phase 0 -> ft0", "ft0 -> W0"));
}

TEST(RoguePicture, PhaseOneReadsTheUpperSlots) {
  EXPECT_THAT(arrows_of("main { s0 = vi0; s3 = sc1; is4 = ft0; is5 = ft1; p0: mbyp ft0, s0; p1: mbyp ft1, s3; "
                        "w0 = r1; w1 = r2 }\n"),
              UnorderedElementsAre("S0 -> phase 0", "phase 0 -> ft0", "S3 -> phase 1", "phase 1 -> ft1", "ft0 -> W0",
                                   "ft1 -> W1"));
}

TEST(RoguePicture, TheExternalFeedGoesToTheTest) {
  EXPECT_THAT(arrows_of("main { s0 = r1; s3 = sc0; is0 = s3; is1 = ft0; is2 = fte; p0: mbyp ft0, s0; "
                        "p2: tstg.s32 ftt, p0, is1, is2 }\n"),
              UnorderedElementsAre("S0 -> phase 0", "phase 0 -> ft0", "S3 -> fte", "ft0 -> phase 2", "fte -> phase 2",
                                   "phase 2 -> ftt"));
}

TEST(RoguePicture, BitwisePhasesFollowOneAnother) {
  EXPECT_THAT(
      arrows_of("bit { s0 = sc0; s1 = sc0; s2 = r2; s3 = sc143; s4 = sc6; p0: byp ft0, ft1, s0, 0xC0; "
                "p0: lsl ft2, s2, s1; p1: and ft4, ft1, ft2, _, s3; p2: shr ft5, ft4, s4; p2: tz p0, ft5; w0 = r4 }\n"),
      testing::IsSupersetOf({"phase 0 -> ft1", "phase 0 -> ft2", "ft2 -> phase 1", "S3 -> phase 1", "phase 1 -> ft4",
                             "ft4 -> phase 2", "phase 2 -> ft5", "ft5 -> phase 2", "ft5 -> W0"}));
}

TEST(RoguePicture, TheBackEndReadsSlots) {
  EXPECT_THAT(arrows_of("main { s0 = cf4; s2 = cf0; s3 = r0; be: fitrp.pixel s3, drc0, s0, s2, 1 }\n"),
              UnorderedElementsAre("S0 -> back end", "S2 -> back end", "S3 -> back end"));
}

TEST(RoguePicture, AnInstructionMayDriveAPortItself) {
  EXPECT_THAT(arrows_of("main { s0 = sh4; p0: frcp w0, s0; w0 = r9 }\n"),
              UnorderedElementsAre("S0 -> phase 0", "phase 0 -> W0"));
}

TEST(RoguePicture, AnAbsentBitwisePhaseHandsOn) {
  EXPECT_THAT(arrows_of("bit { s0 = sc0; p0: byp ft0, ft1, s0, 0x3FC00000; w0 = r5 }\n"),
              UnorderedElementsAre("S0 -> phase 0", "phase 0 -> ft0", "phase 0 -> ft1", "ft1 -> W0"));
}

}  // namespace
}  // namespace mobula::rogue
