#include "machines/rogue/spec/pixel_formats.h"

#include <array>

namespace mobula::rogue {
namespace {

constexpr PixelFormat row(std::string_view name, std::uint8_t components, Pack pack) {
  const bool has_bytes = pack == Pack::u8888 || pack == Pack::s8888;
  return {name, components, pack, static_cast<std::uint8_t>(has_bytes ? 4 : 2), pack != Pack::f16f16};
}

constexpr std::array all{
    row("r8_unorm", 1, Pack::u8888),   row("rg8_unorm", 2, Pack::u8888),   row("rgba8_unorm", 4, Pack::u8888),
    row("r8_snorm", 1, Pack::s8888),   row("rg8_snorm", 2, Pack::s8888),   row("rgba8_snorm", 4, Pack::s8888),
    row("r16_unorm", 1, Pack::u1616),  row("rg16_unorm", 2, Pack::u1616),  row("rgba16_unorm", 4, Pack::u1616),
    row("r16_float", 1, Pack::f16f16), row("rg16_float", 2, Pack::f16f16), row("rgba16_float", 4, Pack::f16f16),
};

}  // namespace

const PixelFormat* find_pixel_format(std::string_view name) {
  for (const PixelFormat& each : all)
    if (each.name == name) return &each;
  return nullptr;
}

}  // namespace mobula::rogue
