// PNG files to pixels and back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mobula/isa/result.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Largest width and height of an image that is read or written.
inline constexpr std::uint32_t image_side_limit = 16384;
/// Most pixels of an image, and texels of a texture with all its levels.
inline constexpr std::uint64_t texel_limit = 1u << 25;

/// Whether an image of this size can be written.
constexpr bool is_possible_image(std::uint32_t width, std::uint32_t height) {
  return width != 0 && height != 0 && width <= image_side_limit && height <= image_side_limit &&
         std::uint64_t{width} * height <= texel_limit;
}

/// RGBA pixels, rows from the top. Components of 8 bits, or of 16 bits little-endian.
struct Pixels {
  std::uint32_t width = 0, height = 0;
  std::uint32_t component_bits = 8;
  std::vector<std::uint8_t> bytes;
};

/// Any PNG: palettes and grey become RGBA, absent alpha is opaque, 16-bit files keep 16 bits, values are not
/// gamma-corrected. TX001 not a readable PNG; TX002 too large.
Result<Pixels> read_png(std::span<const std::uint8_t> file, std::string_view name);

/// Writes a file, in pieces. 8-bit RGBA; `rgba` has width * height * 4 bytes. TX003 if that is no possible image,
/// before anything is written. The file does not depend on how many OS threads work on it.
Result<void> write_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> rgba,
                       unsigned os_threads, const WritePiece& write);

}  // namespace mobula::io
