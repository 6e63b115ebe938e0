// Sets of units as words: of 128 bits (Units), or of 64 bits, which are twice as fast and enough for most cores.
#pragma once

#include <bit>
#include <cstdint>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

constexpr Units bit(std::uint32_t unit) { return Units{1} << unit; }
constexpr std::uint64_t low_half(Units units) { return static_cast<std::uint64_t>(units); }
constexpr std::uint64_t high_half(Units units) { return static_cast<std::uint64_t>(units >> 64); }
/// Precondition: not empty.
constexpr std::uint32_t lowest(std::uint64_t units) { return static_cast<std::uint32_t>(std::countr_zero(units)); }
constexpr std::uint32_t lowest(Units units) {
  const std::uint64_t low = low_half(units);
  return static_cast<std::uint32_t>(low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high_half(units)));
}
/// Pairs, fours and bytes of bits are added side by side: without an instruction for it, std::popcount calls a
/// function.
constexpr std::uint32_t count(std::uint64_t units) {
  units -= units >> 1 & 0x5555'5555'5555'5555;
  units = (units & 0x3333'3333'3333'3333) + (units >> 2 & 0x3333'3333'3333'3333);
  units = (units + (units >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
  return static_cast<std::uint32_t>(units * 0x0101'0101'0101'0101 >> 56);
}
constexpr std::uint32_t count(Units units) { return count(low_half(units)) + count(high_half(units)); }
/// Units 0..number-1.
constexpr Units first_units(std::uint32_t number) { return number >= max_units ? ~Units{0} : bit(number) - 1; }
constexpr bool has(std::uint64_t units, std::uint32_t unit) { return (units >> unit & 1) != 0; }
constexpr bool has(Units units, std::uint32_t unit) { return (units >> unit & 1) != 0; }

/// Calls `visit(unit)` from the lowest to the highest.
template <class Visit>
void for_each(std::uint64_t units, Visit visit) {
  for (; units != 0; units &= units - 1) visit(lowest(units));
}
template <class Visit>
void for_each(Units units, Visit visit) {
  for_each(low_half(units), visit);
  for (std::uint64_t high = high_half(units); high != 0; high &= high - 1)
    visit(static_cast<std::uint32_t>(64 + std::countr_zero(high)));
}

}  // namespace mobula::scoreboard
