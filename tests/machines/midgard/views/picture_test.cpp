#include "machines/midgard/views/picture.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"

namespace mobula::midgard {
namespace {

using testing::ElementsAre;

std::vector<Picture> pictures_of(std::string_view text) {
  const Result<Program> program =
      find_machine("midgard")->assemble({"test.mdg", text}, {.syntax = {}, .variant = "t860"});
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  return program ? pictures(*program) : std::vector<Picture>{};
}

std::vector<std::string> arrows(const Picture& picture) {
  std::vector<std::string> all;
  for (const Picture::Arrow& arrow : picture.arrows)
    all.push_back(picture.boxes[arrow.from].title + " -" + arrow.label + "-> " + picture.boxes[arrow.to].title);
  return all;
}

TEST(MidgardPicture, ValuesGoFromStageOneToStageTwo) {
  const auto all = pictures_of("{\n  vmul.FMUL.f32 TMP0.xy, R0.yz, R0.xx\n  vadd.FFLOOR.f32 R0.xy, TMP0.xy, _\n}\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(arrows(all[0]), ElementsAre("vmul, stage 1 -TMP0-> vadd, stage 2"));
  EXPECT_EQ(all[0].boxes.size(), 5u) << "idle units are shown, too";
}

TEST(MidgardPicture, OtherBytesOfTheRegisterAreNoValueBetween) {
  EXPECT_THAT(arrows(pictures_of("{\n  sadd.FADD.f32 R0.x, R1.x, R0.y\n  smul.FMUL.f32 R2.y, R0.z, #0.5\n}\n").at(0)),
              ElementsAre());
  EXPECT_THAT(arrows(pictures_of("{\n  sadd.FADD.f32 R0.x, R1.x, R0.y\n  smul.FMUL.f32 R2.y, R0.x, #0.5\n}\n").at(0)),
              ElementsAre("sadd, stage 1 -R0-> smul, stage 2"));
}

TEST(MidgardPicture, ConstantsGoToTheUnitsThatReadThem) {
  EXPECT_THAT(arrows(pictures_of("{\n  vadd.FADD.f32 R0, R0, K\n  fconst 0.1, 0.2, 0.3, 1\n}\n").at(0)),
              ElementsAre("constants -K-> vadd, stage 2"));
}

TEST(MidgardPicture, ConstantsAndBranchesHaveBoxesOfTheirOwn) {
  const Picture picture =
      pictures_of(
          "{\n  vadd.FADD.f32 R0, R0, K\n  br.uncond L1\n  brx.write.always L1\n  fconst 0.1, 0.2, 0.3, 1\n"
          "  break\n}\nL1:\n{\n  vadd.FADD.f32 R0, R0, R1\n}\n")
          .at(0);
  std::vector<std::string> boxes;
  for (const Picture::Box& box : picture.boxes)
    if (box.kind != Picture::Kind::idle) boxes.push_back(box.title + ": " + box.lines.at(0));
  EXPECT_THAT(boxes, ElementsAre("vadd, stage 2: vadd.FADD.f32 R0, R0, K", "compact branch: br.uncond L3",
                                 "extended branch: brx.write.always L3", "constants: fconst 0.1, 0.2, 0.3, 1",
                                 "next word: break"));
}

TEST(MidgardPicture, WhatFollowsAWordIsNoInstructionOfIt) {
  const Picture picture =
      pictures_of("{\n  LD_VARY.f32 R0.~xy~, 0.x, 0.x\n  break\n}\n{\n  vadd.FADD.f32 R0, R0, R1\n}\n").at(0);
  ASSERT_EQ(picture.boxes.size(), 2u);
  EXPECT_EQ(picture.boxes[0].title, "load/store, slot 1");
  EXPECT_EQ(picture.boxes[1].title, "next word");
  EXPECT_EQ(picture.boxes[1].kind, Picture::Kind::control);
}

}  // namespace
}  // namespace mobula::midgard
