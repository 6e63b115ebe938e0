#include "machines/utgard_gp/views/picture.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

Picture picture_of(std::string_view text) {
  const Result<Program> program = find_machine("utgard-gp")->assemble({"test.gpasm", text}, {});
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  const std::vector<Picture> all = program ? pictures(*program) : std::vector<Picture>{};
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Picture{} : all[0];
}

std::vector<std::string> arrows(const Picture& picture) {
  std::vector<std::string> all;
  for (const Picture::Arrow& arrow : picture.arrows)
    all.push_back(picture.boxes[arrow.from].lines.at(0) + " -> " + picture.boxes[arrow.to].lines.at(0));
  return all;
}

TEST(UtgardGpPicture, ResultsGoToLaterWords) {
  const Picture picture = picture_of(
      "{ p0 = attr0; m0 = mul p0.x, p0.y; m1 = mul p0.x, p0.z }\n"
      "{ a0 = mov m0[-1] }\n"
      "{ a0 = add a0[-1], m1[-2]; st0 v0.x = a0 }\n");
  EXPECT_THAT(arrows(picture), UnorderedElementsAre("m0 = mul p0.x, p0.y -> a0 = mov m0[-1]",
                                                    "a0 = mov m0[-1] -> a0 = add a0[-1], m1[-2]",
                                                    "m1 = mul p0.x, p0.z -> a0 = add a0[-1], m1[-2]"));
  ASSERT_EQ(picture.boxes.back().lines.at(0), "st0 v0.x = a0");
  EXPECT_EQ(picture.columns.at(picture.boxes.back().column), "st0");
}

TEST(UtgardGpPicture, AResultComesFromEveryWordThatMayRunBefore) {
  const Picture picture = picture_of(
      "{ p0 = attr0; a0 = mov p0.x; p = mov p0.x }\n"
      "L1:\n"
      "{ a0 = add a0[-1], a0[-1]; p = mov p[-1]; br L1 }\n");
  EXPECT_THAT(arrows(picture), testing::IsSupersetOf({"a0 = mov p0.x -> a0 = add a0[-1], a0[-1]",
                                                      "a0 = add a0[-1], a0[-1] -> a0 = add a0[-1], a0[-1]"}));
}

TEST(UtgardGpPicture, BothMultipliersTogetherAreOneBox) {
  const Picture picture = picture_of(
      "{ p0 = attr0; a0 = mov p0.x }\n"
      "{ m0 = complex2 a0[-1], a0[-1]; a0 = mov a0[-1]; c = rcp a0[-1] }\n"
      "{ m01 = complex1 c[-1], m0[-1], c[-1], a0[-1] }\n");
  EXPECT_EQ(picture.boxes.back().columns, 2u);
  EXPECT_THAT(arrows(picture), testing::Contains("c = rcp a0[-1] -> m01 = complex1 c[-1], m0[-1], c[-1], a0[-1]"));
}

}  // namespace
}  // namespace mobula::utgard_gp
