// Which units groups put to use: phase utilisation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machines/rogue/spec/codec.h"
#include "mobula/lab/timing.h"

namespace mobula::rogue {

/// Counts groups by the units that hold an instruction: p0 p1 pack test move be bitmask shift1 count logical shift2
/// bit_test control.
class SlotCounter {
 public:
  SlotCounter();
  void add(const Group& group, std::uint64_t times = 1);
  [[nodiscard]] std::vector<SlotUse> take() { return std::move(slots_); }

 private:
  std::vector<SlotUse> slots_;
};

/// Instructions of a group, and those among them that do nothing but copy.
struct Operations {
  std::uint64_t all = 0, moves = 0;
};
Operations operations_of(const Group& group);

}  // namespace mobula::rogue
