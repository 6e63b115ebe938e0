#include "io/glsl_type.h"

#include <gtest/gtest.h>

namespace mobula::io {
namespace {

using Base = GlslType::Base;

void expect(std::string_view text, Base base, std::uint32_t rows, std::uint32_t columns,
            std::optional<std::uint32_t> length) {
  const GlslType type = parse_glsl_type(text);
  EXPECT_EQ(type.base, base) << text;
  EXPECT_EQ(type.rows, rows) << text;
  EXPECT_EQ(type.columns, columns) << text;
  EXPECT_EQ(type.length, length) << text;
}

TEST(GlslType, ReadsTheTypesOfSideFiles) {
  expect("float", Base::f32, 1, 1, 1);
  expect("uvec2", Base::u32, 2, 1, 1);
  expect("ivec3[5]", Base::i32, 3, 1, 5);
  expect("bool", Base::boolean, 1, 1, 1);
  expect("bvec4", Base::boolean, 4, 1, 1);
  expect("mat3", Base::f32, 3, 3, 1);
  expect("mat3x2[2]", Base::f32, 2, 3, 2);
  expect("float[]", Base::f32, 1, 1, std::nullopt);
  expect("vec3[2][4]", Base::f32, 3, 1, 8);
  expect("sampler2DShadow", Base::sampler, 1, 1, 1);
}

TEST(GlslType, OtherTextIsOther) {
  for (const std::string_view text : {"", "S[2]", "vec5", "mat", "mat3x", "mat3x5", "vec", "vec4[", "vec4[x]",
                                      "vec4[2]]", "[2]", "vec4[2][]", "vec4[2]x[2]"}) {
    EXPECT_EQ(parse_glsl_type(text).base, Base::other) << text;
  }
}

TEST(GlslType, CountsWords) {
  EXPECT_EQ(parse_glsl_type("mat3x2[2]").words(), 12u);
  EXPECT_EQ(parse_glsl_type("float[]").words(), std::nullopt);
  EXPECT_EQ(parse_glsl_type("vec4[4294967295]").words(), 17179869180u);
}

}  // namespace
}  // namespace mobula::io
