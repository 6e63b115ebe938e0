// Pack and unpack formats against values computed here.
#include <gmock/gmock.h>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

std::uint32_t packed(const std::string& format, std::initializer_list<float> values, const Policies& policies = {}) {
  Task task("main rpt=" + std::to_string(values.size()) + " { s0 = r0; is0 = s0; is3 = fte; is4 = ft2; p2: pck." +
                format + " ft2, is3; w0 = r8 }",
            1, policies);
  unsigned i = 0;
  for (const float each : values) task.set("r" + std::to_string(i++), each);
  return task.run().get("r8");
}

std::vector<float> unpacked(const std::string& format, std::uint32_t word, unsigned count) {
  Task task("main rpt=" + std::to_string(count) + " { s0 = r0; is4 = ft0; p0: unpck." + format + " ft0, s0; w0 = r8 }");
  task.set("r0", word).run();
  std::vector<float> values;
  for (unsigned i = 0; i < count; ++i) values.push_back(task.get_f("r" + std::to_string(8 + i)));
  return values;
}

using testing::ElementsAre;

TEST(Pack, NormalisedIntegers) {
  EXPECT_EQ(packed("u8888.scale", {0.0f, 1.0f, 2.0f, -1.0f}), 0x00FFFF00u);
  EXPECT_EQ(packed("s8888.scale", {-1.0f, 1.0f, 0.0f, -2.0f}), 0x81007F81u);
  EXPECT_EQ(packed("u1616.scale", {0.5f, 1.0f}), 0xFFFF8000u);
  EXPECT_EQ(packed("s1616.scale", {-1.0f, 0.5f}), 0x40008001u);
  EXPECT_EQ(packed("u1010102.scale", {1.0f, 0.0f, 1.0f, 1.0f}), 0xFFF003FFu);
  EXPECT_EQ(packed("u565u565.scale", {1.0f, 0.0f, 1.0f}), 0x0000F81Fu);
  EXPECT_EQ(packed("d24s8.scale", {1.0f, 0.0f}), 0x00FFFFFFu);
  EXPECT_EQ(packed("u32.scale", {1.0f}), 0xFFFFFFFFu);
  EXPECT_EQ(packed("u8888.scale", {number(0x7FC00000)}), 0u) << "NaN";
}

TEST(Pack, IntegersRoundAndSaturate) {
  EXPECT_EQ(packed("s32", {-2.5f}), static_cast<std::uint32_t>(-2));
  EXPECT_EQ(packed("s32", {3.5f}), 4u);
  EXPECT_EQ(packed("s32.roundzero", {-3.75f}), static_cast<std::uint32_t>(-3));
  EXPECT_EQ(packed("u32.roundzero", {-3.75f}), 0u);
  EXPECT_EQ(packed("u32", {4294967040.0f}), 4294967040u);
  EXPECT_EQ(packed("s32", {3e9f}), 0x7FFFFFFFu);
  EXPECT_EQ(packed("u8888", {300.0f, 7.0f}), 0x000007FFu);
}

TEST(Pack, Floats) {
  EXPECT_EQ(packed("f16f16", {1.0f, -2.0f}), 0xC0003C00u);
  EXPECT_EQ(packed("f32", {1.5f}), bits(1.5f));
  // 1.0 is exponent 15; 11, 11 and 10 bits.
  EXPECT_EQ(packed("f111110", {1.0f, 0.0f, 1.0f}), (15u << 6) | (15u << 5) << 22);
  EXPECT_EQ(packed("f111110", {-1.0f}), 0u);
}

TEST(Pack, FormatsKnownByNameArePolicies) {
  const Policies by_name{{"named_formats", "by-name"}};
  // -1 is -127, and code 1 with 128 in excess.
  EXPECT_EQ(packed("o8888.scale", {-1.0f, 0.0f, 1.0f}, by_name), 0x00FF8001u);
  EXPECT_EQ(packed("o1616", {-5.0f, 5.0f}, by_name), 0x80057FFBu);
  // 1.0 is exponent 15 above five bits of mantissa.
  EXPECT_EQ(packed("2f10f10f10", {3.0f, 1.0f, 0.0f, 1.0f}, by_name), 3u | (15u << 5) << 2 | (15u << 5) << 22);
  EXPECT_EQ(packed("cov", {0.5f}), 1u);
  EXPECT_EQ(packed("cov", {0.25f}), 0u);
}

TEST(Pack, Constants) {
  EXPECT_EQ(packed("zero", {5.0f}), 0u);
  EXPECT_EQ(packed("one", {5.0f}), bits(1.0f));
}

TEST(Unpack, NormalisedIntegers) {
  EXPECT_THAT(unpacked("u8888.scale", 0xFF800000, 4), ElementsAre(0.0f, 0.0f, 128 / 255.0f, 1.0f));
  EXPECT_THAT(unpacked("s8888.scale", 0x807F8100, 4), ElementsAre(0.0f, -1.0f, 1.0f, -1.0f));
  EXPECT_THAT(unpacked("s1616.scale", 0x7FFF8000, 2), ElementsAre(-1.0f, 1.0f));
  EXPECT_THAT(unpacked("s8888ogl.scale", 0x0000007F, 2), ElementsAre(1.0f, 1 / 255.0f));
  EXPECT_THAT(unpacked("u1010102.scale", 0xC0000000 | 1023u << 10, 4), ElementsAre(0.0f, 1.0f, 0.0f, 1.0f));
}

TEST(Unpack, IntegersAndFloats) {
  EXPECT_THAT(unpacked("s32", 0xFFFFFFFE, 1), ElementsAre(-2.0f));
  EXPECT_THAT(unpacked("u32", 0xFFFFFFFE, 1), ElementsAre(4294967296.0f));
  EXPECT_FLOAT_EQ(unpacked("u32.scale", 0x80000000, 1)[0], 0.5f);
  EXPECT_THAT(unpacked("u8888", 0x04030201, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(unpacked("f16f16", 0xC0003C00, 2), ElementsAre(1.0f, -2.0f));
  EXPECT_THAT(unpacked("f111110", (15u << 6) | (16u << 6) << 11 | (15u << 5) << 22, 3), ElementsAre(1, 2, 1));
}

TEST(Unpack, BeginsAtAnElement) {
  Task task("main { s0 = r0; is4 = ft0; p0: unpck.u8888 ft0, s0.e2; w0 = r8 }");
  EXPECT_EQ(task.set("r0", 0x00090000u).run().get_f("r8"), 9.0f);
}

TEST(Pack, UnpublishedFormatsStop) {
  Task task("main { s0 = r0; is0 = s0; is3 = fte; is4 = ft2; p2: pck.o8888 ft2, is3; w0 = r8 }");
  EXPECT_THAT(task.run().fault(), testing::HasSubstr("the format o8888 is not published"));
  Task beyond("main rpt=3 { s0 = r0; is0 = s0; is3 = fte; is4 = ft2; p2: pck.f16f16 ft2, is3; w0 = r8 }");
  EXPECT_THAT(beyond.run().fault(), testing::HasSubstr("2 components"));
}

}  // namespace
}  // namespace mobula::rogue
