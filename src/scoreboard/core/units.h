// Sets of units as words.
#pragma once

#include <bit>
#include <cstdint>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

constexpr Units bit(std::uint32_t unit) { return Units{1} << unit; }
constexpr std::uint32_t lowest(Units units) { return static_cast<std::uint32_t>(std::countr_zero(units)); }
constexpr std::uint32_t count(Units units) { return static_cast<std::uint32_t>(std::popcount(units)); }
/// Units 0..number-1.
constexpr Units first_units(std::uint32_t number) { return number >= 64 ? ~Units{0} : bit(number) - 1; }
constexpr bool has(Units units, std::uint32_t unit) { return (units >> unit & 1) != 0; }

/// Calls `visit(unit)` from the lowest to the highest.
template <class Visit>
void for_each(Units units, Visit visit) {
  for (; units != 0; units &= units - 1) visit(lowest(units));
}

}  // namespace mobula::scoreboard
