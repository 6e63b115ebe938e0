// Formats of the pixels that colours go into.
#include "compile/pixel_formats.h"

#include <gmock/gmock.h>

#include <bit>
#include <limits>

namespace mobula::compile {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

io::Texel bits(float x, float y, float z, float w) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(z),
          std::bit_cast<std::uint32_t>(w)};
}
io::Texel stored(const char* format, const io::Texel& colour) {
  return stored_colour(*io::find_texel_format(format), colour);
}

ssa::Program fragment() {
  ssa::Program program;
  program.stage = Stage::fragment;
  const auto add = [&](const std::string& name, const ssa::Type& type, ssa::BuiltIn built_in = ssa::BuiltIn::none) {
    ssa::Variable& variable = program.variables.emplace_back();
    variable.name = name;
    variable.storage = ssa::Storage::output;
    variable.slots.push_back({.name = name, .type = type, .built_in = built_in});
  };
  add("a", {ssa::Base::real, 4});
  add("b", {ssa::Base::real, 2});
  add("whole", {ssa::Base::integer, 4});
  add("gl_FragDepth", {ssa::Base::real, 1}, ssa::BuiltIn::frag_depth);
  return program;
}

TEST(PixelFormats, AreThoseOfLessThan32BitsThatShareWordsEvenly) {
  EXPECT_THAT(pixel_formats(), Contains("rgba8_unorm"));
  EXPECT_THAT(pixel_formats(), Contains("rg16_float"));
  for (const char* other : {"rgba32_float", "rgb8_unorm", "rgba8_uint"})
    EXPECT_THAT(pixel_formats(), Not(Contains(other)));
}

TEST(PixelFormats, NamesGoBeforeWhatIsForAll) {
  ssa::Program program = fragment();
  program.variables.erase(program.variables.begin() + 2);
  EXPECT_TRUE(set_pixel_formats(program, std::vector<PixelFormat>{{"b", "rg8_unorm"}, {"", "rgba16_float"}}).empty());
  EXPECT_EQ(program.variables[0].slots[0].format, "rgba16_float");
  EXPECT_EQ(program.variables[1].slots[0].format, "rg8_unorm");
  EXPECT_EQ(program.variables[2].slots[0].format, "") << "a depth is no colour";
  EXPECT_EQ(stored_components(program.variables[0].slots[0]), 4U);
  program.variables[0].slots[0].format = "r8_unorm";
  EXPECT_EQ(stored_components(program.variables[0].slots[0]), 1U);
  program.variables[1].slots[0].format = "rgba8_unorm";
  EXPECT_EQ(stored_components(program.variables[1].slots[0]), 2U);
}

TEST(PixelFormats, AllThatCannotBeIsTold) {
  ssa::Program program = fragment();
  const Diagnostics errors = set_pixel_formats(
      program, std::vector<PixelFormat>{{"c", "rg8_unorm"}, {"", "rgba8_unorm"}, {"a", "rgb8_unorm"}});
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_THAT(errors[0].message, HasSubstr("the colour whole consists of integers"));
  EXPECT_EQ(errors[1].message, "there is no colour c");
  EXPECT_EQ(errors[1].hint, "its colours: a, b, whole");
  EXPECT_THAT(errors[2].message, HasSubstr("there is no format of pixels \"rgb8_unorm\""));
  program.stage = Stage::vertex;
  EXPECT_EQ(set_pixel_formats(program, std::vector<PixelFormat>{{"", "rgba8_unorm"}}).size(), 1U);
  EXPECT_EQ(set_pixel_formats(program, {}).size(), 0U);
}

TEST(PixelFormats, PixelsHoldTheNearestThatTheyCan) {
  EXPECT_EQ(stored("rgba8_unorm", bits(0.1F, -1, 2, 0.5F)), bits(26 / 255.0F, 0, 1, 128 / 255.0F));
  EXPECT_EQ(stored("rgba8_snorm", bits(0.1F, -2, 2, -0.5F)), bits(13 / 127.0F, -1, 1, -64 / 127.0F));
  EXPECT_EQ(stored("rgba16_float", bits(0.1F, 65504, -1, 0)), bits(0.0999755859375F, 65504, -1, 0));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(stored("rgba8_unorm", bits(infinity, 0, 0, 0))[0], std::bit_cast<std::uint32_t>(infinity))
      << "of which nothing is promised";
}

}  // namespace
}  // namespace mobula::compile
