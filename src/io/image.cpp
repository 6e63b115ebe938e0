#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "execute/semantics.h"
#include "io/lane_kernels.h"
#include "io/lines.h"
#include "io/parallel.h"
#include "io/png.h"
#include "mobula/lab/run.h"

namespace mobula {
namespace {

RunVec4 widened(const RunVec4& halves) {
  RunVec4 colour;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t half = halves[i / 2] >> (i % 2 == 0 ? 0 : 16) & 0xFFFF;
    colour[i] = static_cast<std::uint32_t>(
        ir::evaluate({.op = ir::Op::f2f, .type = ir::Type::f32, .from = ir::Type::f16}, half, 0, 0));
  }
  return colour;
}

}  // namespace

namespace io {

ImageResult unset_image(ImageSize size, PictureColours kept) {
  ImageResult image{.size = size, .colours = {}, .covered = {}, .rgba8 = {}};
  const std::size_t pixels = std::size_t{size.width} * size.height;
  image.covered.resize(pixels);
  if (kept == PictureColours::words)
    image.colours.resize(pixels);
  else
    image.rgba8.resize(4 * pixels);
  return image;
}

ImageResult empty_image(ImageSize size) {
  ImageResult image = unset_image(size, PictureColours::words);
  std::fill(image.colours.begin(), image.colours.end(), RunVec4{});
  std::fill(image.covered.begin(), image.covered.end(), std::uint8_t{0});
  return image;
}

}  // namespace io

namespace {

std::size_t pixels_of(const ImageResult& image) { return std::size_t{image.size.width} * image.size.height; }

bool has_bytes(const ImageResult& image) { return !image.rgba8.empty() && image.rgba8.size() == 4 * pixels_of(image); }

}  // namespace

std::vector<std::uint8_t> to_rgba8(const ImageResult& image, ColourFormat format, unsigned os_threads) {
  const std::size_t pixels = pixels_of(image);
  if (pixels > io::texel_limit) return {};
  if (has_bytes(image)) return {image.rgba8.begin(), image.rgba8.end()};
  const std::size_t known = std::min({pixels, image.colours.size(), image.covered.size()});
  std::vector<std::uint8_t> rgba(pixels * 4);
  constexpr std::size_t part_pixels = std::size_t{1} << 16;
  io::for_each_index((pixels + part_pixels - 1) / part_pixels, os_threads, [&](std::size_t part) {
    const std::size_t first = part * part_pixels, end = std::min(first + part_pixels, pixels);
    const std::size_t end_known = std::clamp(known, first, end);
    if (format == ColourFormat::f32 && first < end_known)
      io::to_unorm8(image.colours[first].data(), 4 * (end_known - first), rgba.data() + 4 * first);
    for (std::size_t pixel = first; pixel < end; ++pixel) {
      std::uint8_t* const out = rgba.data() + 4 * pixel;
      if (pixel >= end_known || image.covered[pixel] == 0)
        std::copy(image.background.begin(), image.background.end(), out);
      else if (format == ColourFormat::f16)
        io::to_unorm8(widened(image.colours[pixel]).data(), 4, out);
    }
  });
  return rgba;
}

Result<std::vector<std::uint8_t>> to_png(const ImageResult& image, ColourFormat format, unsigned os_threads) {
  const auto written = [&](std::span<const std::uint8_t> rgba) {
    return io::write_png(image.size.width, image.size.height, rgba, os_threads);
  };
  return has_bytes(image) ? written(image.rgba8) : written(to_rgba8(image, format, os_threads));
}

namespace {

/// The colour of a pixel as four binary32 numbers.
RunVec4 numbers_of(const ImageResult& image, std::size_t pixel, ColourFormat format) {
  if (pixel >= image.colours.size() || pixel >= image.covered.size() || image.covered[pixel] == 0) {
    RunVec4 colour;
    for (std::size_t i = 0; i < 4; ++i)
      colour[i] = std::bit_cast<std::uint32_t>(static_cast<float>(image.background[i]) / 255);
    return colour;
  }
  return format == ColourFormat::f16 ? widened(image.colours[pixel]) : image.colours[pixel];
}

/// The first `components` of each pixel, the rows in this order.
std::vector<std::uint8_t> number_rows(const ImageResult& image, ColourFormat format, std::size_t components,
                                      bool from_bottom, std::string_view header) {
  const std::size_t width = image.size.width, height = image.size.height, pixel_bytes = 4 * components;
  std::vector<std::uint8_t> file(header.size() + width * height * pixel_bytes);
  std::uint8_t* out = std::copy(header.begin(), header.end(), file.data());
  for (std::size_t row = 0; row < height; ++row) {
    const std::size_t y = from_bottom ? height - 1 - row : row;
    for (std::size_t x = 0; x < width; ++x, out += pixel_bytes)
      std::memcpy(out, numbers_of(image, y * width + x, format).data(), pixel_bytes);
  }
  return file;
}

std::vector<std::uint8_t> without_alpha(const std::vector<std::uint8_t>& rgba, std::string_view header) {
  std::vector<std::uint8_t> file(header.size() + rgba.size() / 4 * 3);
  std::uint8_t* out = std::copy(header.begin(), header.end(), file.data());
  for (std::size_t i = 0; i < rgba.size(); i += 4, out += 3) std::copy_n(rgba.begin() + static_cast<long>(i), 3, out);
  return file;
}

}  // namespace

PictureFormat picture_format(std::string_view file) {
  if (file.ends_with(".ppm")) return PictureFormat::ppm;
  if (file.ends_with(".pfm")) return PictureFormat::pfm;
  return file.ends_with(".raw") ? PictureFormat::raw : PictureFormat::png;
}

Result<std::vector<std::uint8_t>> to_picture(const ImageResult& image, ColourFormat colours, PictureFormat format,
                                             unsigned os_threads) {
  if (format == PictureFormat::png) return to_png(image, colours, os_threads);
  const auto [width, height] = image.size;
  if (!io::is_possible_image(width, height))
    return fail("TX003", fmt::format("an image of {} x {} cannot be written", width, height));
  if (format != PictureFormat::ppm && has_bytes(image))
    return fail("TX003", "of the colours only bytes were kept", "keep the words: PictureColours::words");
  if (format == PictureFormat::ppm)
    return without_alpha(to_rgba8(image, colours, os_threads), fmt::format("P6\n{} {}\n255\n", width, height));
  if (format == PictureFormat::pfm)
    return number_rows(image, colours, 3, true, fmt::format("PF\n{} {}\n-1.0\n", width, height));
  return number_rows(image, colours, 4, false, {});
}

}  // namespace mobula
