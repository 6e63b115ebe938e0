#include "machines/rogue/spec/pixel_formats.h"

#include <array>

namespace mobula::rogue {
namespace {

struct Pack {
  std::uint8_t code = 0, in_a_word = 0;
  bool is_scaled = false;
};
constexpr Pack u8888{pack_u8888, 4, true}, s8888{pack_s8888, 4, true}, u1616{pack_u1616, 2, true},
    f16f16{pack_f16f16, 2, false};

constexpr PixelFormat row(std::string_view name, std::uint8_t components, const Pack& pack) {
  return {name, components, pack.code, pack.in_a_word, pack.is_scaled};
}

constexpr std::array all{
    row("r8_unorm", 1, u8888),   row("rg8_unorm", 2, u8888),   row("rgba8_unorm", 4, u8888),
    row("r8_snorm", 1, s8888),   row("rg8_snorm", 2, s8888),   row("rgba8_snorm", 4, s8888),
    row("r16_unorm", 1, u1616),  row("rg16_unorm", 2, u1616),  row("rgba16_unorm", 4, u1616),
    row("r16_float", 1, f16f16), row("rg16_float", 2, f16f16), row("rgba16_float", 4, f16f16),
};

}  // namespace

const PixelFormat* find_pixel_format(std::string_view name) {
  for (const PixelFormat& each : all)
    if (each.name == name) return &each;
  return nullptr;
}

}  // namespace mobula::rogue
