// Single-precision numbers and their bit patterns.
#pragma once

#include <bit>
#include <cstdint>

namespace mobula::io {

inline float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
/// The pattern of the nearest single-precision number.
inline std::uint32_t float_bits(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

}  // namespace mobula::io
