// Bit patterns of constants as text and back: floats read back to the same bits, NaN payloads and -0 included.
#pragma once

#include <cstdint>
#include <optional>

#include "core/export.h"

namespace mobula::midgard {

/// The number a float pattern of `width` (16, 32, 64) bits means; infinities and NaNs of the plain kind as "inf",
/// "nan"; other NaNs as the pattern in hexadecimal. At most 32 bytes.
char* put_real(char* out, unsigned width, std::uint64_t pattern);

/// A number as a float pattern of `width` bits, rounded to nearest even.
std::uint64_t real_pattern(double value, unsigned width);

std::uint64_t infinity_pattern(unsigned width);

/// An inline constant as the operand of a float operation of `width` bits sees it; exact. 8-bit floats do not exist:
/// there the pattern is the constant itself.
std::uint64_t widen_half(std::uint16_t half, unsigned width);
/// The inline constant that widens to the pattern, if there is one.
MOBULA_INTERNAL std::optional<std::uint16_t> narrow_exactly(std::uint64_t pattern, unsigned width);

}  // namespace mobula::midgard
