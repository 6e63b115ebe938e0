#include "io/image_rows.h"

#include <gmock/gmock.h>

#include "io/float_bits.h"
#include "io/lines.h"

namespace mobula::io {
namespace {

RunVec4 grey(float value) { return {float_bits(value), float_bits(value), float_bits(value), float_bits(value)}; }

/// A picture of 3 x 3 pixels, of which the lower right corner and all above and beside it are written.
ImageResult written(PictureColours kept) {
  ImageResult image = unset_image({3, 3}, kept);
  ImageRows rows;
  rows.begin(image, 0, 0, 3);
  rows.blank();
  rows.begin(image, 0, 2, 1);
  EXPECT_EQ(rows.count(), 1u) << "the last line";
  rows.blank();
  rows.begin(image, 1, 2, 2);
  for (std::size_t x = 0; x < 2; ++x) {
    rows.colours(0)[x] = grey(x == 0 ? 0.5f : 7);
    rows.covered(0)[x] = 1;
  }
  rows.end();
  return image;
}

TEST(ImageRows, BytesAreThoseOfTheWords) {
  const ImageResult words = written(PictureColours::words), bytes = written(PictureColours::bytes);
  EXPECT_EQ(words.colours.at(7), grey(0.5f));
  EXPECT_TRUE(words.rgba8.empty());
  EXPECT_TRUE(bytes.colours.empty());
  EXPECT_THAT(bytes.covered, testing::ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 1));
  EXPECT_EQ(bytes.covered, words.covered);
  const std::vector<std::uint8_t> rgba = to_rgba8(bytes, ColourFormat::f32);
  EXPECT_EQ(rgba, to_rgba8(words, ColourFormat::f32));
  EXPECT_THAT(std::span(rgba).last(8), testing::ElementsAre(128, 128, 128, 128, 255, 255, 255, 255));
  EXPECT_EQ(to_png(bytes, ColourFormat::f32).value(), to_png(words, ColourFormat::f32).value());
}

TEST(ImageRows, BytesAreNoNumbers) {
  const ImageResult bytes = written(PictureColours::bytes);
  for (const PictureFormat format : {PictureFormat::pfm, PictureFormat::raw}) {
    const auto refused = to_picture(bytes, ColourFormat::f32, format);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().front().code, "TX003");
  }
}

}  // namespace
}  // namespace mobula::io
