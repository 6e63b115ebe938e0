#include "io/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/counted.h"
#include "execute/semantics.h"
#include "io/float_bits.h"

namespace mobula::io {
namespace {

using Kind = TexelFormat::Kind;
using Shape = ir::Texture::Shape;

constexpr std::array formats = {
    TexelFormat{"r8_unorm", 1, 8, Kind::unorm},
    TexelFormat{"rg8_unorm", 2, 8, Kind::unorm},
    TexelFormat{"rgb8_unorm", 3, 8, Kind::unorm},
    TexelFormat{"rgba8_unorm", 4, 8, Kind::unorm},
    TexelFormat{"r8_snorm", 1, 8, Kind::snorm},
    TexelFormat{"rg8_snorm", 2, 8, Kind::snorm},
    TexelFormat{"rgba8_snorm", 4, 8, Kind::snorm},
    TexelFormat{"r16_unorm", 1, 16, Kind::unorm},
    TexelFormat{"rg16_unorm", 2, 16, Kind::unorm},
    TexelFormat{"rgba16_unorm", 4, 16, Kind::unorm},
    TexelFormat{"r16_float", 1, 16, Kind::real},
    TexelFormat{"rg16_float", 2, 16, Kind::real},
    TexelFormat{"rgba16_float", 4, 16, Kind::real},
    TexelFormat{"r32_float", 1, 32, Kind::real},
    TexelFormat{"rg32_float", 2, 32, Kind::real},
    TexelFormat{"rgb32_float", 3, 32, Kind::real},
    TexelFormat{"rgba32_float", 4, 32, Kind::real},
    TexelFormat{"r8_uint", 1, 8, Kind::unsigned_integer},
    TexelFormat{"rgba8_uint", 4, 8, Kind::unsigned_integer},
    TexelFormat{"r16_uint", 1, 16, Kind::unsigned_integer},
    TexelFormat{"rgba16_uint", 4, 16, Kind::unsigned_integer},
    TexelFormat{"r32_uint", 1, 32, Kind::unsigned_integer},
    TexelFormat{"rgba32_uint", 4, 32, Kind::unsigned_integer},
    TexelFormat{"r8_sint", 1, 8, Kind::signed_integer},
    TexelFormat{"rgba8_sint", 4, 8, Kind::signed_integer},
    TexelFormat{"r16_sint", 1, 16, Kind::signed_integer},
    TexelFormat{"rgba16_sint", 4, 16, Kind::signed_integer},
    TexelFormat{"r32_sint", 1, 32, Kind::signed_integer},
    TexelFormat{"rgba32_sint", 4, 32, Kind::signed_integer},
};

std::uint32_t half_to_float(std::uint32_t bits) {
  return static_cast<std::uint32_t>(
      ir::evaluate({.op = ir::Op::f2f, .type = ir::Type::f32, .from = ir::Type::f16}, bits, 0, 0));
}

std::uint32_t float_to_half(std::uint32_t bits) {
  return static_cast<std::uint32_t>(
      ir::evaluate({.op = ir::Op::f2f, .type = ir::Type::f16, .from = ir::Type::f32}, bits, 0, 0));
}

std::uint32_t decode(const TexelFormat& format, std::uint32_t raw) {
  const std::uint32_t unused = 32u - format.bits;
  const auto extended = static_cast<std::int32_t>(raw << unused) >> unused;
  switch (format.kind) {
    case Kind::unorm:
      return float_bits(raw / static_cast<double>((1u << format.bits) - 1));
    case Kind::snorm:
      return float_bits(std::max(extended / static_cast<double>((1 << (format.bits - 1)) - 1), -1.0));
    case Kind::real:
      return format.bits == 16 ? half_to_float(raw) : raw;
    case Kind::unsigned_integer:
      return raw;
    case Kind::signed_integer:
      return static_cast<std::uint32_t>(extended);
  }
  return 0;
}

/// nullopt if the integer does not fit.
std::optional<std::uint32_t> encode(const TexelFormat& format, std::uint32_t value) {
  const std::uint32_t unused = 32u - format.bits, mask = ~0u >> unused;
  const auto fixed = [&](double low, double most) {
    const double number = float_of(value);
    const double clamped = std::isnan(number) ? 0 : std::clamp(number, low, 1.0);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::nearbyint(clamped * most))) & mask;
  };
  switch (format.kind) {
    case Kind::unorm:
      return fixed(0, static_cast<double>(mask));
    case Kind::snorm:
      return fixed(-1, static_cast<double>(mask >> 1));
    case Kind::real:
      return format.bits == 16 ? float_to_half(value) : value;
    case Kind::unsigned_integer:
      return value <= mask ? std::optional(value) : std::nullopt;
    case Kind::signed_integer:
      return decode(format, value & mask) == value ? std::optional(value & mask) : std::nullopt;
  }
  return std::nullopt;
}

Texture::Numbers numbers_of(Kind kind) {
  if (kind == Kind::unsigned_integer) return Texture::Numbers::u32;
  return kind == Kind::signed_integer ? Texture::Numbers::i32 : Texture::Numbers::f32;
}

Texture::Level next_level(const Texture::Level& level, std::size_t first) {
  const auto half = [](std::uint32_t size) { return std::max(size / 2, 1u); };
  return {half(level.width), half(level.height), half(level.depth), first};
}

std::uint64_t texels_of(const Texture::Level& level, std::uint32_t planes) {
  return std::uint64_t{level.width} * level.height * level.depth * planes;
}

}  // namespace

std::span<const TexelFormat> texel_formats() { return formats; }

const TexelFormat* find_texel_format(std::string_view name) {
  for (const TexelFormat& format : formats)
    if (format.name == name) return &format;
  return nullptr;
}

Texel decode_texel(const TexelFormat& format, const std::uint8_t* bytes) {
  Texel texel{0, 0, 0, format.integer() ? 1 : float_bits(1)};
  for (std::size_t component = 0; component < format.components; ++component) {
    std::uint32_t raw = 0;
    for (std::uint32_t shift = 0; shift < format.bits; shift += 8) raw |= std::uint32_t{*bytes++} << shift;
    texel[component] = decode(format, raw);
  }
  return texel;
}

bool encode_texel(const TexelFormat& format, const Texel& texel, std::uint8_t* bytes) {
  std::array<std::uint32_t, 4> raw{};
  for (std::size_t component = 0; component < format.components; ++component) {
    const auto encoded = encode(format, texel[component]);
    if (!encoded) return false;
    raw[component] = *encoded;
  }
  for (std::size_t component = 0; component < format.components; ++component)
    for (std::uint32_t shift = 0; shift < format.bits; shift += 8)
      *bytes++ = static_cast<std::uint8_t>(raw[component] >> shift);
  return true;
}

namespace {

/// Lays out the levels; the texels are all zero.
Result<Texture> empty_texture(const TextureSize& size, std::string_view name) {
  const auto problem = [&](std::string code, std::string_view what) {
    return fail(std::move(code), std::string(name) + ": " + std::string(what));
  };
  for (const std::uint32_t side : {size.width, size.height, size.depth, size.layers}) {
    if (side == 0 || side > image_side_limit) {
      return problem("TX010", "every size must be from 1 to " + std::to_string(image_side_limit));
    }
  }
  if ((size.shape == Shape::d1 && size.height != 1) || (size.shape != Shape::d3 && size.depth != 1) ||
      (size.shape == Shape::d3 && size.layers != 1) || (size.shape == Shape::cube && size.width != size.height)) {
    return problem("TX011",
                   "the sizes do not fit the kind: 1d has a width, 2d width and height, 3d width, height and depth but "
                   "no layers, a cube equal width and height");
  }
  const auto most_levels = static_cast<std::uint32_t>(std::bit_width(std::max({size.width, size.height, size.depth})));
  if (size.levels == 0 || size.levels > most_levels) {
    return problem("TX012",
                   "this size has from 1 to " + counted(most_levels, "level") + ", not " + std::to_string(size.levels));
  }
  Texture texture;
  texture.size = size;
  Texture::Level level{size.width, size.height, size.depth, 0};
  std::uint64_t texels = 0;
  for (std::uint32_t i = 0; i < size.levels; ++i) {
    level.first = static_cast<std::size_t>(texels);
    texture.levels.push_back(level);
    texels += texels_of(level, texture.planes());
    if (texels > texel_limit) return problem("TX002", "more than " + std::to_string(texel_limit) + " texels");
    level = next_level(level, 0);
  }
  texture.texels.resize(static_cast<std::size_t>(texels));
  return texture;
}

void decode_texels(Texture& texture, const TexelFormat& format, std::span<const std::uint8_t> bytes) {
  texture.numbers = numbers_of(format.kind);
  texture.normalised = format.kind == Kind::unorm || format.kind == Kind::snorm;
  const std::uint8_t* at = bytes.data();
  for (Texel& texel : texture.texels) {
    texel = decode_texel(format, at);
    at += format.bytes();
  }
}

}  // namespace

Result<Texture> make_texture(const TextureSize& size, const TexelFormat& format, std::span<const std::uint8_t> bytes,
                             std::string_view name) {
  auto texture = empty_texture(size, name);
  if (!texture) return texture;
  const std::uint64_t needed = std::uint64_t{texture->texels.size()} * format.bytes();
  if (bytes.size() != needed) {
    return fail("TX013", std::string(name) + ": has " + counted(bytes.size(), "byte") + "; " +
                             std::string(format.name) + " of this size has " + std::to_string(needed));
  }
  decode_texels(*texture, format, bytes);
  return texture;
}

Result<Texture> make_texture(const Pixels& pixels) {
  return make_texture({.width = pixels.width, .height = pixels.height},
                      *find_texel_format(pixels.component_bits == 16 ? "rgba16_unorm" : "rgba8_unorm"), pixels.bytes,
                      "image");
}

Texture constant_texture(const Texture::Texel& texel, Texture::Numbers numbers) {
  Texture texture;
  texture.numbers = numbers;
  texture.constant = true;
  texture.levels = {{}};
  texture.texels = {texel};
  return texture;
}

namespace {

/// Source texels that one texel of a level half as large covers, in one direction. `to` is max(from / 2, 1).
struct Cover {
  std::uint32_t first = 0, count = 0;
  std::array<double, 3> weight{};  ///< sum 1
};
Cover cover(std::uint32_t from, std::uint32_t to, std::uint32_t index) {
  const double scale = static_cast<double>(from) / to;
  const double low = index * scale, high = low + scale;
  Cover result;
  result.first = static_cast<std::uint32_t>(low);
  for (std::uint32_t i = result.first; i < from && i < high && result.count < 3; ++i) {
    result.weight[result.count++] = (std::min<double>(i + 1, high) - std::max<double>(i, low)) / scale;
  }
  return result;
}

void filter_level(Texture& texture, const Texture::Level& from, const Texture::Level& to) {
  std::size_t out = to.first;
  for (std::uint32_t plane = 0; plane < texture.planes(); ++plane) {
    const std::size_t base = from.first + plane * static_cast<std::size_t>(texels_of(from, 1));
    for (std::uint32_t z = 0; z < to.depth; ++z) {
      const Cover cz = cover(from.depth, to.depth, z);
      for (std::uint32_t y = 0; y < to.height; ++y) {
        const Cover cy = cover(from.height, to.height, y);
        for (std::uint32_t x = 0; x < to.width; ++x) {
          const Cover cx = cover(from.width, to.width, x);
          std::array<double, 4> sum{};
          for (std::uint32_t k = 0; k < cz.count; ++k) {
            for (std::uint32_t j = 0; j < cy.count; ++j) {
              for (std::uint32_t i = 0; i < cx.count; ++i) {
                const std::size_t row = (std::size_t{cz.first} + k) * from.height + cy.first + j;
                const Texture::Texel& texel = texture.texels[base + row * from.width + cx.first + i];
                const double weight = cx.weight[i] * cy.weight[j] * cz.weight[k];
                for (std::size_t c = 0; c < 4; ++c) sum[c] += weight * float_of(texel[c]);
              }
            }
          }
          for (std::size_t c = 0; c < 4; ++c) texture.texels[out][c] = float_bits(sum[c]);
          ++out;
        }
      }
    }
  }
}

}  // namespace

Result<void> generate_levels(Texture& texture) {
  if (texture.numbers != Texture::Numbers::f32)
    return fail("TX014", "levels of an integer texture cannot be generated");
  texture.levels.resize(1);
  texture.texels.resize(static_cast<std::size_t>(texels_of(texture.levels[0], texture.planes())));
  while (texture.levels.back().width > 1 || texture.levels.back().height > 1 || texture.levels.back().depth > 1) {
    const Texture::Level from = texture.levels.back();
    const Texture::Level to = next_level(from, texture.texels.size());
    texture.texels.resize(texture.texels.size() + static_cast<std::size_t>(texels_of(to, texture.planes())));
    texture.levels.push_back(to);
    filter_level(texture, from, to);
  }
  texture.size.levels = static_cast<std::uint32_t>(texture.levels.size());
  return {};
}

}  // namespace mobula::io
