// Groups in a row that may be put into another order, and what keeps some of them before others.
//
// A register is a name for several values, one after the other. Values that begin and end here, and that no instruction
// has in a row with others, are free to have any register; so what took turns in one register need not keep its order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "machines/rogue/spec/access.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue {

/// Waits for a fence counter.
inline bool is_wait(const Group& group) {
  const Item& control = group.item(Word::control);
  return control && control.op->does == does::Control::wait_fence;
}

inline constexpr std::uint32_t no_value = ~std::uint32_t{0};

/// What a register holds from one write to the next. Where a condition decides whether a group writes, the value stays
/// the same one.
struct RegionValue {
  std::uint32_t reg = 0;               ///< its position in a RegisterSet
  std::vector<std::uint32_t> writers;  ///< members, ascending; none: it is there from the beginning
  std::vector<std::uint32_t> readers;  ///< likewise
  bool comes_from_outside = false;
  bool stays = false;       ///< in this register: it comes from outside, leaves, or is one of a row
  bool leaves = false;      ///< somebody needs it behind the region
  bool comes_late = false;  ///< from the time on at which its writer reads what it reads
};

/// A group of the region.
struct Member {
  std::array<std::uint32_t, slot_count> slots{};  ///< the values that they read; no_value: another register, or nothing
  std::array<std::uint32_t, 2> written{};         ///< those of W0 and W1
  std::vector<std::uint32_t> writes;              ///< all values that it writes
  std::vector<std::uint32_t> before;              ///< members that have to come first, ascending
};

struct Region {
  std::size_t first = 0;
  std::vector<Member> members;
  std::vector<RegionValue> values;
};

/// The regions of a program, in order. `leads`: groups that others than the one in front lead to; `live`: what is
/// needed behind each group.
MOBULA_INTERNAL std::vector<Region> find_regions(std::span<const Group> groups, const std::vector<bool>& leads,
                                                 std::span<const RegisterSet> live);

}  // namespace mobula::rogue
