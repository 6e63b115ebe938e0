#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "execute/semantics.h"
#include "io/lane_kernels.h"
#include "io/lines.h"
#include "io/parallel.h"
#include "io/picture.h"
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

void fill_open_components(ImageResult& image, unsigned components, bool are_integers) {
  const RunVec4 open{0, 0, 0, are_integers ? 1 : std::bit_cast<std::uint32_t>(1.0F)};
  constexpr std::array<std::uint8_t, 4> open_bytes{0, 0, 0, 255};
  const bool has_only_bytes = has_bytes(image);
  for (std::size_t pixel = 0; pixel < image.covered.size(); ++pixel)
    for (std::size_t i = components; i < 4 && image.covered[pixel] != 0; ++i)
      if (has_only_bytes)
        image.rgba8[4 * pixel + i] = open_bytes[i];
      else
        image.colours[pixel][i] = open[i];
}

bool has_bytes(const ImageResult& image) {
  return !image.rgba8.empty() && image.rgba8.size() == 4 * std::size_t{image.size.width} * image.size.height;
}

void to_rgba8(const ImageResult& image, ColourFormat format, std::size_t first, std::span<std::uint8_t> rgba) {
  if (has_bytes(image)) {
    std::memcpy(rgba.data(), image.rgba8.data() + 4 * first, rgba.size());
    return;
  }
  const std::size_t end = first + rgba.size() / 4;
  const std::size_t known = std::clamp(std::min(image.colours.size(), image.covered.size()), first, end);
  if (format == ColourFormat::f32 && first < known)
    to_unorm8(image.colours[first].data(), 4 * (known - first), rgba.data());
  for (std::size_t pixel = first; pixel < end; ++pixel) {
    std::uint8_t* const out = rgba.data() + 4 * (pixel - first);
    if (pixel >= known || image.covered[pixel] == 0)
      std::copy(image.background.begin(), image.background.end(), out);
    else if (format == ColourFormat::f16)
      to_unorm8(widened(image.colours[pixel]).data(), 4, out);
  }
}

RunVec4 numbers_of(const ImageResult& image, std::size_t pixel, ColourFormat format) {
  if (pixel >= image.colours.size() || pixel >= image.covered.size() || image.covered[pixel] == 0) {
    RunVec4 colour;
    for (std::size_t i = 0; i < 4; ++i)
      colour[i] = std::bit_cast<std::uint32_t>(static_cast<float>(image.background[i]) / 255);
    return colour;
  }
  return format == ColourFormat::f16 ? widened(image.colours[pixel]) : image.colours[pixel];
}

}  // namespace io

std::vector<std::uint8_t> to_rgba8(const ImageResult& image, ColourFormat format, unsigned os_threads) {
  const std::size_t pixels = std::size_t{image.size.width} * image.size.height;
  if (pixels > io::texel_limit) return {};
  std::vector<std::uint8_t> rgba(4 * pixels);
  constexpr std::size_t part_bytes = std::size_t{4} << 16;
  io::for_each_index((rgba.size() + part_bytes - 1) / part_bytes, os_threads, [&](std::size_t part) {
    const std::size_t first = part * part_bytes;
    io::to_rgba8(image, format, first / 4, std::span(rgba).subspan(first, std::min(part_bytes, rgba.size() - first)));
  });
  return rgba;
}

}  // namespace mobula
