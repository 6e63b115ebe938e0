// What a word puts to use: its units, loads, stores and the branch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machines/utgard_gp/spec/codec.h"
#include "mobula/lab/timing.h"

namespace mobula::utgard_gp {

/// Counts words by the slots they use: mul0 mul1 acc0 acc1 cplx pass port0 port1 ld st0 st1 branch.
class SlotCounter {
 public:
  /// `words` must outlive the counter.
  explicit SlotCounter(std::span<const Word128> words);
  /// Word `index`, executed so many times. A value of port 0 that only the next word reads uses port 0 of this one.
  void add(std::uint32_t index, std::uint64_t times = 1);
  [[nodiscard]] std::vector<SlotUse> take() { return std::move(slots_); }

 private:
  std::span<const Word128> words_;
  std::vector<SlotUse> slots_;
};

/// Operations of a word, wide ones and branches counted once, and those among them that only copy.
struct Operations {
  std::uint64_t all = 0, moves = 0;
};
Operations operations_of(const Word128& word);

}  // namespace mobula::utgard_gp
