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
  EXPECT_THAT(arrows(picture),
              UnorderedElementsAre(
                  "p0 = attr0 -> m0 = mul p0.x, p0.y", "p0 = attr0 -> m1 = mul p0.x, p0.z",
                  "m0 = mul p0.x, p0.y -> a0 = mov m0[-1]", "a0 = mov m0[-1] -> a0 = add a0[-1], m1[-2]",
                  "m1 = mul p0.x, p0.z -> a0 = add a0[-1], m1[-2]", "a0 = add a0[-1], m1[-2] -> st0 v0.x = a0"));
  ASSERT_EQ(picture.boxes.back().lines.at(0), "st0 v0.x = a0");
  EXPECT_EQ(picture.columns.at(picture.boxes.back().column), "st0");
}

TEST(UtgardGpPicture, ValuesFlowWithinAWord) {
  EXPECT_THAT(arrows(picture_of("{ p0 = attr0; p1 = $2; ld = u[3]; m0 = mul p0.x, ld.z; a0 = mov p1.x; c = setA0 ld.w; "
                                "p = clamp p0.y; st0 t[A0].xy = a0, m0; br 0 }")),
              UnorderedElementsAre(
                  "p0 = attr0 -> m0 = mul p0.x, ld.z", "ld = u[3] -> m0 = mul p0.x, ld.z", "p1 = $2 -> a0 = mov p1.x",
                  "ld = u[3] -> c = setA0 ld.w", "p0 = attr0 -> p = clamp p0.y", "ld = u[3] -> p = clamp p0.y",
                  "a0 = mov p1.x -> st0 t[A0].xy = a0, m0", "m0 = mul p0.x, ld.z -> st0 t[A0].xy = a0, m0",
                  "c = setA0 ld.w -> st0 t[A0].xy = a0, m0", "p = clamp p0.y -> br L0"));
  EXPECT_THAT(arrows(picture_of("{ p0 = attr0; p1 = $1; m01 = select p1.y ? p0.z : p0.x; st0 v0.x = m0 }")),
              UnorderedElementsAre("p0 = attr0 -> m01 = select p1.y ? p0.z : p0.x",
                                   "p1 = $1 -> m01 = select p1.y ? p0.z : p0.x",
                                   "m01 = select p1.y ? p0.z : p0.x -> st0 v0.x = m0"));
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
