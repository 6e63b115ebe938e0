// What the units compete for in one clock: grants of the pickers (§2.5), ports of the banks, word lanes and byte
// crossbars of the register file (§6).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoreboard/core/plan.h"
#include "scoreboard/core/units.h"

namespace mobula::scoreboard {

/// The order in which a picker looks at its requests.
template <class Set>
class Picker {
 public:
  explicit Picker(Priority priority) : priority_(priority) {}

  /// The unit to look at next. `age(unit)` is smaller for older operations. Precondition: requests != 0.
  template <class Age>
  [[nodiscard]] std::uint32_t next(Set requests, Age age) const {
    if (priority_ == Priority::rotate && (requests & from_) != 0) return lowest(requests & from_);
    if (priority_ != Priority::oldest) return lowest(requests);
    std::uint32_t best = lowest(requests);
    for (Set rest = requests & (requests - 1); rest != 0; rest &= rest - 1)
      if (age(lowest(rest)) < age(best)) best = lowest(rest);
    return best;
  }
  void granted(std::uint32_t unit) { from_ = ~Set{1} << unit; }

 private:
  Priority priority_;
  Set from_ = ~Set{0};  // units after the last one granted
};

/// Ports of the register file's banks in one direction, counted afresh in each clock.
class BankPorts {
 public:
  /// `counted`: the plan has counted what operations take (Plan::counts_banks).
  BankPorts(const Config& config, std::uint32_t ports, bool reads, bool counted);

  void begin_clock();
  /// Takes the ports for all operands, or none and counts why in `conflicts`. `owner` is the leader of a pair: what its
  /// halves read of one word for one operand is one access.
  /// The same where accesses are counted in advance.
  bool take(BankCounts accesses, Conflicts& conflicts) {
    const BankCounts sum = counts_ + accesses;
    if (((sum + spare_) & 0x8888'8888'8888'8888) != 0) {
      ++(reads_ ? conflicts.read_bank : conflicts.write_bank);
      return false;
    }
    counts_ = sum;
    return true;
  }
  bool take(std::span<const PlannedOperand> operands, std::uint32_t unit, std::uint32_t owner, Conflicts& conflicts);
  /// Gives back what was taken since mark() had this value.
  [[nodiscard]] std::size_t mark() const { return taken_count_; }
  void undo(std::size_t mark);
  [[nodiscard]] bool unlimited() const { return unlimited_; }
  [[nodiscard]] bool counted() const { return counted_; }

 private:
  /// An operand's access to one bank.
  struct Taken {
    std::uint16_t reg, bank;
    std::uint8_t lane, owner, port;
    bool narrow : 1, shared : 1;
  };
  enum class Refusal : std::uint8_t { none, bank, lane, crossbar };
  [[nodiscard]] Refusal take_one(const PlannedOperand& operand, std::uint32_t unit, std::uint32_t owner);
  [[nodiscard]] std::span<const Taken> accesses() const { return std::span(taken_).first(taken_count_); }

  std::uint32_t ports_, lanes_;
  bool reads_, byte_crossbar_, broadcast_, unlimited_, counted_;
  BankCounts counts_ = 0;
  BankCounts spare_;                // brings a count beyond the ports to 8 or more
  std::vector<std::uint8_t> used_;  // by bank
  std::vector<Taken> taken_;        // filled as far as taken_count_
  std::size_t taken_count_ = 0;
};

}  // namespace mobula::scoreboard
