// Pack formats that colours of pixels are stored in (reference 3.8).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/export.h"

namespace mobula::rogue {

/// Of value::pck_format those that make pixels, by their codes.
enum class Pack : std::uint8_t { u8888 = 0, s8888 = 1, u1616 = 3, f16f16 = 14 };

struct PixelFormat {
  std::string_view name;        ///< as run files spell formats
  std::uint8_t components = 0;  ///< that a pixel holds
  Pack pack = Pack::u8888;      ///< that makes a word of it
  std::uint8_t in_a_word = 0;   ///< components, from bit 0 up
  bool is_scaled = false;       ///< 1 is the greatest code

  /// Of a pixel of so many components.
  [[nodiscard]] unsigned words(unsigned stored) const { return (stored + in_a_word - 1U) / in_a_word; }
};

/// nullptr if there is none of that name.
MOBULA_INTERNAL const PixelFormat* find_pixel_format(std::string_view name);

}  // namespace mobula::rogue
