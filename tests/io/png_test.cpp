#include "io/png.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <random>

#include "png_bytes.h"

namespace mobula::io {
namespace {

using test::png_bytes;
using Bytes = std::vector<std::uint8_t>;

TEST(Png, WrittenPixelsReadBack) {
  Bytes rgba;
  for (std::uint32_t i = 0; i < 5 * 3 * 4; ++i) rgba.push_back(static_cast<std::uint8_t>(i * 7));
  const auto file = png_bytes(5, 3, rgba);
  ASSERT_TRUE(file);
  const auto pixels = read_png(*file, "p.png");
  ASSERT_TRUE(pixels) << render(pixels.error());
  EXPECT_EQ(pixels->width, 5u);
  EXPECT_EQ(pixels->height, 3u);
  EXPECT_EQ(pixels->component_bits, 8u);
  EXPECT_EQ(pixels->bytes, rgba);
}

TEST(Png, StripesOfLargePicturesReadBackHoweverManyWorkOnThem) {
  constexpr std::uint32_t width = 331, height = 600;  // several stripes; some rows like the one above, some not
  Bytes rgba;
  for (std::uint32_t i = 0; i < width * height * 4; ++i)
    rgba.push_back(static_cast<std::uint8_t>(i / width % 3 == 0 ? i * i >> 7 : i % (4 * width)));
  const auto file = png_bytes(width, height, rgba);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file, *png_bytes(width, height, rgba, 3));
  const auto pixels = read_png(*file, "p.png");
  ASSERT_TRUE(pixels) << render(pixels.error());
  EXPECT_EQ(pixels->bytes, rgba);
}

/// A file of any colour type and depth, from big-endian rows.
Bytes encode(int colour, int bits, int interlace, std::uint32_t width, std::uint32_t height, const Bytes& rows) {
  Bytes out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep data, size_t size) {
        auto* const to = static_cast<Bytes*>(png_get_io_ptr(p));
        to->insert(to->end(), data, data + size);
      },
      nullptr);
  png_set_IHDR(png, info, width, height, bits, colour, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  const png_color palette[2] = {{10, 20, 30}, {40, 50, 60}};
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 2);
  png_write_info(png, info);
  std::vector<png_bytep> pointers;
  for (std::size_t y = 0; y < height; ++y)
    pointers.push_back(const_cast<png_bytep>(rows.data() + y * rows.size() / height));
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

TEST(Png, SmoothPicturesReadBack) {
  constexpr std::uint32_t side = 400;
  Bytes rgba;
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x)
      for (const double value :
           {std::sin(x * 0.02) * std::cos(y * 0.03), std::sin(x * y * 1e-4), std::cos(x * 0.01 + y * 0.02), 1.0})
        rgba.push_back(static_cast<std::uint8_t>(128 + 127 * value));
  const auto file = png_bytes(side, side, rgba);
  ASSERT_TRUE(file);
  EXPECT_EQ(read_png(*file, "p.png")->bytes, rgba);
}

TEST(Png, FieldsOfOneColourTakeHardlyAnyBytes) {
  constexpr std::uint32_t side = 512, field = 64;
  Bytes rgba;
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x) rgba.insert(rgba.end(), 4, (x / field + y / field) % 2 == 0 ? 255 : 40);
  const auto file = png_bytes(side, side, rgba);
  ASSERT_TRUE(file);
  EXPECT_LT(file->size(), rgba.size() / 400);
}

TEST(Png, SixteenBitsAreKeptLittleEndian) {
  const auto pixels =
      read_png(encode(PNG_COLOR_TYPE_RGB, 16, PNG_INTERLACE_NONE, 1, 1, {0x12, 0x34, 0, 1, 0xFF, 0xFE}), "");
  ASSERT_TRUE(pixels) << render(pixels.error());
  EXPECT_EQ(pixels->component_bits, 16u);
  EXPECT_EQ(pixels->bytes, (Bytes{0x34, 0x12, 1, 0, 0xFE, 0xFF, 0xFF, 0xFF}));
}

TEST(Png, GreyAndPaletteBecomeRgba) {
  EXPECT_EQ(read_png(encode(PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE, 2, 1, {7, 9}), "")->bytes,
            (Bytes{7, 7, 7, 255, 9, 9, 9, 255}));
  EXPECT_EQ(read_png(encode(PNG_COLOR_TYPE_PALETTE, 1, PNG_INTERLACE_NONE, 2, 1, {0x40}), "")->bytes,
            (Bytes{10, 20, 30, 255, 40, 50, 60, 255}));
}

TEST(Png, InterlacedFilesAreRead) {
  Bytes rows(9 * 9 * 4);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(read_png(encode(PNG_COLOR_TYPE_RGBA, 8, PNG_INTERLACE_ADAM7, 9, 9, rows), "")->bytes, rows);
}

TEST(Png, DamagedFilesAreErrors) {
  const Bytes good = png_bytes(16, 16, Bytes(1024, 77)).value();
  for (std::size_t size = 0; size < good.size() - 12; ++size) {  // the last chunk says only that this is the end
    const auto cut = read_png(std::span(good).first(size), "cut.png");
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error()[0].code, "TX001");
  }
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    Bytes file = good;
    file[random() % file.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    (void)read_png(file, "");  // must come back
  }
}

TEST(Png, HugeImagesAreRefused) {
  EXPECT_EQ(png_bytes(0, 1, {}).error()[0].code, "TX003");
  EXPECT_EQ(png_bytes(1, 1, {}).error()[0].code, "TX003");
  Bytes wide = encode(PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE, 16384, 1, Bytes(16384));
  ASSERT_TRUE(read_png(wide, ""));
  EXPECT_EQ(read_png(encode(PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE, 16385, 1, Bytes(16385)), "").error()[0].code,
            "TX001");
  EXPECT_EQ(read_png(encode(PNG_COLOR_TYPE_GRAY, 1, PNG_INTERLACE_NONE, 16384, 16384, Bytes(16384 / 8 * 16384)), "")
                .error()[0]
                .code,
            "TX002");
}

}  // namespace
}  // namespace mobula::io
