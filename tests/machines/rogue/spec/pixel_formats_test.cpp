// Formats that programs pack colours into.
#include "machines/rogue/spec/pixel_formats.h"

#include <gtest/gtest.h>

#include "io/texture.h"
#include "machines/rogue/spec/spec.h"

namespace mobula::rogue {
namespace {

TEST(RoguePixelFormats, HoldWhatTheirNamesSay) {
  std::size_t known = 0;
  for (const io::TexelFormat& format : io::texel_formats()) {
    const PixelFormat* const found = find_pixel_format(format.name);
    if (found == nullptr) continue;
    ++known;
    EXPECT_EQ(found->components, format.components) << format.name;
    EXPECT_EQ(found->in_a_word * format.bits, 32) << format.name;
    EXPECT_EQ(found->is_scaled, format.kind != io::TexelFormat::Kind::real) << format.name;
    EXPECT_EQ(found->words(format.components) * 4U, std::max(format.bytes(), 4U)) << format.name;
  }
  EXPECT_EQ(known, 12U);
  EXPECT_EQ(find_pixel_format("rgba32_float"), nullptr);
}

TEST(RoguePixelFormats, CodesAreThoseOfThePacks) {
  const auto name_of = [](Pack pack) -> std::string_view {
    for (const FieldValue& each : value::pck_format)
      if (each.value == static_cast<unsigned>(pack)) return each.name;
    return "";
  };
  EXPECT_EQ(name_of(Pack::u8888), "u8888");
  EXPECT_EQ(name_of(Pack::s8888), "s8888");
  EXPECT_EQ(name_of(Pack::u1616), "u1616");
  EXPECT_EQ(name_of(Pack::f16f16), "f16f16");
}

}  // namespace
}  // namespace mobula::rogue
