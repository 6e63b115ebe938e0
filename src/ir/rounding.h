// Binary floating point in integer arithmetic: exact values and their rounding to a format.
//
// Nothing here depends on the host's rounding mode, its denormal handling or its compiler.
#pragma once

#include <bit>
#include <cstdint>

#include "mobula/isa/ir.h"

namespace mobula::ir {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

/// An IEEE 754 binary interchange format; bits are held in the low end of 64.
struct FloatFormat {
  std::int32_t fraction_bits = 0, exponent_bits = 0;

  [[nodiscard]] constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (fraction_bits + exponent_bits); }
  [[nodiscard]] constexpr std::uint64_t infinity() const { return sign_bit() - (std::uint64_t{1} << fraction_bits); }
  [[nodiscard]] constexpr std::uint64_t quiet_nan() const { return infinity() | hidden_bit() >> 1; }
  [[nodiscard]] constexpr std::uint64_t one() const { return infinity() / 2 & infinity(); }
  /// The bit a normal number's significand has above its fraction.
  [[nodiscard]] constexpr std::uint64_t hidden_bit() const { return std::uint64_t{1} << fraction_bits; }
  [[nodiscard]] constexpr std::int32_t max_exponent() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr std::int32_t min_exponent() const { return 1 - max_exponent(); }

  [[nodiscard]] constexpr bool is_negative(std::uint64_t bits) const { return (bits & sign_bit()) != 0; }
  [[nodiscard]] constexpr std::uint64_t magnitude(std::uint64_t bits) const { return bits & (sign_bit() - 1); }
  [[nodiscard]] constexpr bool is_nan(std::uint64_t bits) const { return magnitude(bits) > infinity(); }
  [[nodiscard]] constexpr bool is_infinite(std::uint64_t bits) const { return magnitude(bits) == infinity(); }
  [[nodiscard]] constexpr bool is_zero(std::uint64_t bits) const { return magnitude(bits) == 0; }
  [[nodiscard]] constexpr bool is_denormal(std::uint64_t bits) const {
    return magnitude(bits) < hidden_bit() && !is_zero(bits);
  }
  [[nodiscard]] constexpr std::uint64_t signed_infinity(bool negative) const {
    return negative ? sign_bit() | infinity() : infinity();
  }
};

/// `type` must be a float.
constexpr FloatFormat format_of(Type type) {
  if (type == Type::f16) return {10, 5};
  if (type == Type::f32) return {23, 8};
  return {52, 11};
}

/// (-1)^negative * significand * 2^exponent, with significand below 2^127.
struct Exact {
  bool negative = false;
  std::int32_t exponent = 0;
  Wide significand = 0;
};

/// Index of the highest one bit; `value` is not 0.
constexpr std::int32_t top_bit(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<std::uint64_t>(value));
}

/// `value` / 2^shift rounded to an integer; `value` is the magnitude of a number of this sign and below 2^127.
[[gnu::always_inline]] constexpr Wide shift_right_rounded(Wide value, std::int32_t shift, bool negative, Round round) {
  if (shift <= 0) return value << -shift;
  const bool beyond = shift >= 128;  // then the value is below one half
  const Wide kept = beyond ? 0 : value >> shift;
  const Wide lost = beyond ? value : value - (kept << shift);
  if (lost == 0) return kept;
  switch (round) {
    case Round::even: {
      const Wide half = beyond ? ~Wide{0} : Wide{1} << (shift - 1);
      return kept + (lost > half || (lost == half && (kept & 1) != 0));
    }
    case Round::zero:
      return kept;
    case Round::down:
      return kept + negative;
    case Round::up:
      return kept + !negative;
  }
  return kept;
}

/// The value of a finite number.
[[gnu::always_inline]] constexpr Exact unpack(FloatFormat format, std::uint64_t bits) {
  const std::uint64_t magnitude = format.magnitude(bits);
  const auto biased = static_cast<std::int32_t>(magnitude >> format.fraction_bits);
  const std::uint64_t fraction = magnitude & (format.hidden_bit() - 1);
  const std::int32_t lowest = format.min_exponent() - format.fraction_bits;
  if (biased == 0) return {format.is_negative(bits), lowest, fraction};
  return {format.is_negative(bits), lowest + biased - 1, fraction | format.hidden_bit()};
}

/// The number of this format that `round` picks for a value.
[[gnu::always_inline]] constexpr std::uint64_t pack(FloatFormat format, const Exact& value, Round round) {
  const std::uint64_t sign = value.negative ? format.sign_bit() : 0;
  if (value.significand == 0) return sign;
  const std::int32_t exponent = top_bit(value.significand) + value.exponent;
  std::uint64_t magnitude = format.infinity();
  if (exponent <= format.max_exponent()) {
    const std::int32_t above_min = exponent > format.min_exponent() ? exponent - format.min_exponent() : 0;
    const std::int32_t last_place = format.min_exponent() + above_min - format.fraction_bits;
    const Wide significand = shift_right_rounded(value.significand, last_place - value.exponent, value.negative, round);
    // The hidden bit, if there, and a carry out of the fraction both count the exponent up.
    magnitude =
        (static_cast<std::uint64_t>(above_min) << format.fraction_bits) + static_cast<std::uint64_t>(significand);
  }
  const bool away_from_zero = round == Round::even || round == (value.negative ? Round::down : Round::up);
  if (magnitude >= format.infinity()) magnitude = away_from_zero ? format.infinity() : format.infinity() - 1;
  return sign | magnitude;
}

/// a * b; both significands at most 63 bits.
constexpr Exact multiply(const Exact& a, const Exact& b) {
  return {a.negative != b.negative, a.exponent + b.exponent, a.significand * b.significand};
}

/// a + b, both significands at most 106 bits. Bits too low to matter to any rounding are merged into the lowest one
/// kept.
[[gnu::always_inline]] constexpr Exact add(Exact a, Exact b, Round round) {
  if (a.significand == 0 && b.significand == 0) {
    return {a.negative == b.negative ? a.negative : round == Round::down, 0, 0};
  }
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  constexpr std::int32_t top = 125;  // leaves room for the carry
  for (Exact* operand : {&a, &b}) {
    const std::int32_t shift = top - top_bit(operand->significand);
    operand->significand <<= shift;
    operand->exponent -= shift;
  }
  if (a.exponent < b.exponent) {
    const Exact larger = b;
    b = a;
    a = larger;
  }
  const std::int32_t distance = a.exponent - b.exponent;
  const Wide kept = distance > top ? 0 : b.significand >> distance;
  const bool inexact = distance > top || kept << distance != b.significand;
  b.significand = kept | (inexact ? 1 : 0);
  if (a.negative == b.negative) return {a.negative, a.exponent, a.significand + b.significand};
  if (a.significand == b.significand) return {round == Round::down, 0, 0};
  if (a.significand > b.significand) return {a.negative, a.exponent, a.significand - b.significand};
  return {b.negative, a.exponent, b.significand - a.significand};
}

}  // namespace mobula::ir
