// Vector code of the environment that run inputs feed: what has to be computed for each lane of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io/texture.h"

namespace mobula::io {

/// One component of a varying, interpolated() for the lanes [begin, end), multiples of 16.
void interpolate_lanes(const std::array<float, 4>& corners, const float* across, const float* down, std::uint32_t begin,
                       std::uint32_t end, std::uint32_t* out);

/// The same where all lanes are of one row of quads: `down` of its two rows of pixels.
void interpolate_row(const std::array<float, 4>& corners, const float* across, const std::array<float, 2>& down,
                     std::uint32_t begin, std::uint32_t end, std::uint32_t* out);

/// A number for each of the lanes that sample a texture of two dimensions together.
inline constexpr std::uint32_t texel_lanes = 16;
using TexelNumbers = std::array<double, texel_lanes>;

/// What the levels depend on that those lanes take their samples of: see sample.cpp.
struct TexelLevels {
  bool has_steps = false, uses_sampler_lod = true;
  MipFilter mip = MipFilter::none;
  double width = 1, height = 1;  ///< of the largest level, if coordinates are to be multiplied by it
  double bias = 0, min_lod = 0, max_lod = 0, last = 0;
  TexelNumbers lod, s_along_x, t_along_x, s_along_y, t_along_y;
};
struct TexelChoice {
  TexelNumbers low, part;  ///< a level, and how much the next one counts
  std::uint32_t magnified = 0;
};
/// For the lanes of the mask (bit k: lane k), and perhaps others.
void choose_levels(const TexelLevels& levels, std::uint32_t lanes, TexelChoice& choice);

/// Where those lanes take their samples, each of a level of its own.
struct TexelFilter {
  const Texture::Texel* texels = nullptr;
  const Texture::Texel* border = nullptr;
  Wrap wrap_s = Wrap::repeat, wrap_t = Wrap::repeat;
  bool normalised = true;
  TexelNumbers s, t, offset_s, offset_t;
  TexelNumbers width, height, first;  ///< of the level: its size, and the number of its first texel
};
/// The texel where each lane of the mask is.
void nearest_texels(const TexelFilter& filter, std::uint32_t lanes, Texture::Texel* out);
/// The four round it, weighed. Returns the lanes whose result has a NaN, the bits of which are not those of the scalar
/// code.
std::uint32_t linear_texels(const TexelFilter& filter, std::uint32_t lanes, Texture::Texel* out);

/// Puts words of four planes side by side as pixels, for so many whole quads: those of a quad's first two lanes to the
/// upper row, of the others to the lower. With a mask, pixels where it is 0 become 0.
void store_quads(const std::array<const std::uint32_t*, 4>& planes, const std::uint32_t* mask, std::uint32_t quads,
                 std::uint32_t* upper, std::uint32_t* lower);
/// The same of one bit of a mask: 1 or 0.
void store_quad_bytes(const std::uint32_t* mask, std::uint32_t quads, std::uint8_t* upper, std::uint8_t* lower);

/// Numbers clamped to 0..1, as 0 to 255, rounded to nearest, ties up; NaN is 0.
void to_unorm8(const std::uint32_t* numbers, std::size_t count, std::uint8_t* out);

}  // namespace mobula::io
