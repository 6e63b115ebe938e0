#include <algorithm>
#include <bit>
#include <cmath>

#include "execute/semantics.h"
#include "io/lines.h"
#include "io/png.h"
#include "mobula/lab/run.h"

namespace mobula {
namespace {

std::uint8_t to_unorm8(float value) {
  if (!(value > 0)) return 0;
  return value >= 1 ? 255 : static_cast<std::uint8_t>(std::lround(value * 255));
}

float component(const RunVec4& colour, std::size_t index, ColourFormat format) {
  if (format == ColourFormat::f32) return std::bit_cast<float>(colour[index]);
  const std::uint32_t half = colour[index / 2] >> (index % 2 == 0 ? 0 : 16) & 0xFFFF;
  return std::bit_cast<float>(static_cast<std::uint32_t>(
      ir::evaluate({.op = ir::Op::f2f, .type = ir::Type::f32, .from = ir::Type::f16}, half, 0, 0)));
}

}  // namespace

namespace io {

ImageResult empty_image(ImageSize size) {
  ImageResult image{.size = size, .colours = {}, .covered = {}};
  image.colours.resize(std::size_t{size.width} * size.height);
  image.covered.resize(image.colours.size());
  return image;
}

}  // namespace io

std::vector<std::uint8_t> to_rgba8(const ImageResult& image, ColourFormat format) {
  const std::size_t pixels = std::size_t{image.size.width} * image.size.height;
  if (pixels > io::texel_limit) return {};
  const std::size_t known = std::min(image.colours.size(), image.covered.size());
  std::vector<std::uint8_t> rgba(pixels * 4);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::size_t i = 0; i < 4; ++i)
      rgba[pixel * 4 + i] = pixel < known && image.covered[pixel]
                                ? to_unorm8(component(image.colours[pixel], i, format))
                                : image.background[i];
  }
  return rgba;
}

Result<std::vector<std::uint8_t>> to_png(const ImageResult& image, ColourFormat format) {
  return io::write_png(image.size.width, image.size.height, to_rgba8(image, format));
}

}  // namespace mobula
