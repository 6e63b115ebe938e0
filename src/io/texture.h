// Textures and how they are sampled. Semantics: OpenGL ES 3.2, chapter 8 (8.14 texture minification to 8.20
// comparison), with what the machines' references say on top. Filters are computed in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "io/png.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/result.h"
#include "mobula/lab/environment.h"

namespace mobula::io {

/// How components are stored in a raw file: little-endian, tightly packed.
struct TexelFormat {
  enum class Kind : std::uint8_t { unorm, snorm, real, unsigned_integer, signed_integer };
  std::string_view name;  ///< "rgba8_unorm"
  std::uint8_t components = 4, bits = 8;
  Kind kind = Kind::unorm;

  [[nodiscard]] std::uint32_t bytes() const { return std::uint32_t{components} * bits / 8; }
  [[nodiscard]] bool integer() const { return kind == Kind::unsigned_integer || kind == Kind::signed_integer; }
};
MOBULA_INTERNAL std::span<const TexelFormat> texel_formats();
/// nullptr if there is none of that name.
MOBULA_INTERNAL const TexelFormat* find_texel_format(std::string_view name);

/// RGBA as bits of f32 or as integers; absent ones are 0, 0, 1.
using Texel = std::array<std::uint32_t, 4>;
/// `bytes` has format.bytes() of them. Integers are extended to 32 bits.
MOBULA_INTERNAL Texel decode_texel(const TexelFormat& format, const std::uint8_t* bytes);
/// The reverse: fixed point is clamped and rounded to nearest, NaN is 0; halves are rounded to nearest even. False, and
/// nothing is written, if an integer does not fit its component.
MOBULA_INTERNAL bool encode_texel(const TexelFormat& format, const Texel& texel, std::uint8_t* bytes);

/// Size of the largest level. A cube has six faces a layer, in the order +x -x +y -y +z -z.
struct TextureSize {
  ir::Texture::Shape shape = ir::Texture::Shape::d2;
  std::uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1;
};

struct Texture {
  enum class Numbers : std::uint8_t { f32, u32, i32 };
  struct Level {
    std::uint32_t width = 1, height = 1, depth = 1;
    std::size_t first = 0;  ///< its first texel
  };
  using Texel = io::Texel;

  TextureSize size;
  Numbers numbers = Numbers::f32;
  bool normalised = false;  ///< fixed point in 0..1 or -1..1: comparison values are clamped, too
  bool constant =
      false;  ///< every texel of every level, and everything beyond the edges, is texels[0], whatever the shape
  std::vector<Level> levels;
  std::vector<Texel> texels;  ///< level by level; in one, layers (times faces), slices, rows

  [[nodiscard]] std::uint32_t planes() const { return size.layers * (size.shape == ir::Texture::Shape::cube ? 6 : 1); }
};

/// From a raw file: levels from the largest, in each layers (a cube's faces), slices, rows from t = 0. TX01x on sizes
/// that are not possible, above the limit, or that do not match the number of bytes.
MOBULA_INTERNAL Result<Texture> make_texture(const TextureSize& size, const TexelFormat& format,
                                             std::span<const std::uint8_t> bytes, std::string_view name);
/// One level of a 2D texture; the top row is t = 0.
Result<Texture> make_texture(const Pixels& pixels);
Texture constant_texture(const Texture::Texel& texel, Texture::Numbers numbers = Texture::Numbers::f32);
/// Replaces all levels below the first by box-filtered ones, down to 1 x 1 x 1. Values are not rounded back to the
/// format. TX014 for integers.
MOBULA_INTERNAL Result<void> generate_levels(Texture& texture);

enum class Filter : std::uint8_t { nearest, linear };
enum class MipFilter : std::uint8_t { none, nearest, linear };
enum class Wrap : std::uint8_t { repeat, clamp_to_edge, mirrored_repeat, clamp_to_border, mirror_clamp };
enum class Compare : std::uint8_t { never, less, equal, less_equal, greater, not_equal, greater_equal, always };

struct Sampler {
  Filter min = Filter::linear, mag = Filter::linear;
  MipFilter mip = MipFilter::linear;
  std::array<Wrap, 3> wrap{Wrap::repeat, Wrap::repeat, Wrap::repeat};  ///< s, t, r
  Texture::Texel border{};                                             ///< in the texture's numbers
  float lod_bias = 0, min_lod = -1000, max_lod = 1000;
  Compare compare = Compare::less_equal;  ///< reference value OP texel, for shadow accesses
  bool normalised = true;                 ///< coordinates in 0..1; else in texels
};

/// What most programs sample: numbers in two dimensions, of one layer.
bool is_plain(const Texture& texture, const ir::Texture& op);
/// Whether it makes a difference which level an access is of.
bool asks_for_level(const Texture& texture, const Sampler& sampler);

/// One access: sample, gather or fetch. Integer textures are never filtered. A comparison gives (r, r, r, 1). A fetch
/// outside the texture gives 0. Faults if the shapes, or the kinds of numbers, of the texture and of the instruction
/// differ.
MOBULA_INTERNAL Fault sample(const Texture& texture, const Sampler& sampler, const TextureRequest& request,
                             std::array<std::uint32_t, 4>& out);
/// The same for many lanes. False, with nothing done, if they would fault.
bool sample_lanes(const Texture& texture, const Sampler& sampler, const LanesTexture& request);

}  // namespace mobula::io
