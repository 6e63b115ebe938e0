// What the units compete for in one clock: grants of the pickers (§2.5), ports of the banks, word lanes and byte
// crossbars of the register file (§6).
#pragma once

#include <algorithm>
#include <array>
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

/// What one unit reads or writes at once.
struct UnitOperands {
  std::uint32_t unit = 0;
  std::span<const PlannedOperand> operands;
};

/// Ports of the register file's banks in one direction, counted afresh in each clock.
class BankPorts {
 public:
  /// `counted`: the plan has counted what operations take (Plan::counts_banks).
  BankPorts(const Config& config, std::uint32_t ports, bool reads, bool counted);

  void begin_clock();
  /// Takes the ports for all operands, or none and counts why in `conflicts`. `owner` is the leader of a pair: what its
  /// halves read of one word for one operand is one access.
  bool take(const UnitOperands& its, std::uint32_t owner, Conflicts& conflicts);
  /// The same where accesses are counted in advance, for a unit, or both halves of a pair.
  bool take_counted(BankCounts accesses, const UnitOperands& low, const UnitOperands& high, Conflicts& conflicts) {
    const BankCounts sum = counts_ + accesses;
    if (!is_within(sum) || (lanes_ != 0 && (finds_lanes_taken(low) || finds_lanes_taken(high)))) {
      count_refusal(low, high, conflicts);
      return false;
    }
    counts_ = sum;
    if (lanes_ != 0) take_lanes(low), take_lanes(high);
    return true;
  }
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
  /// The register that comes through a lane for each port.
  using LaneRegisters = std::array<std::uint16_t, max_ports>;
  static constexpr std::uint16_t no_register = 0xffff;

  [[nodiscard]] Refusal take_one(const PlannedOperand& operand, std::uint32_t unit, std::uint32_t owner);
  [[nodiscard]] std::span<const Taken> accesses() const { return std::span(taken_).first(taken_count_); }
  void count(Refusal refusal, Conflicts& conflicts) const;

  /// The second register of a quad comes through the next lane.
  [[nodiscard]] std::uint32_t lane_of(std::uint32_t unit, const PlannedOperand& operand) const {
    return lane_of_[unit + (operand.second() ? 1 : 0)];
  }
  [[nodiscard]] bool is_within(BankCounts counts) const { return ((counts + spare_) & 0x8888'8888'8888'8888) == 0; }
  [[nodiscard]] bool finds_lane_taken(std::uint32_t unit, const PlannedOperand& operand) const {
    const std::uint16_t reg = lane_registers_[lane_of(unit, operand)][operand.port];
    return reg != no_register && reg != operand.reg;
  }
  [[nodiscard]] bool finds_lanes_taken(const UnitOperands& its) const {
    for (const PlannedOperand& operand : its.operands)
      if (finds_lane_taken(its.unit, operand)) return true;
    return false;
  }
  void take_lanes(const UnitOperands& its) {
    for (const PlannedOperand& operand : its.operands) {
      const std::uint32_t lane = lane_of(its.unit, operand);
      lane_registers_[lane][operand.port] = operand.reg;
      last_lane_ = std::max(last_lane_, lane + 1);
    }
  }
  /// Why take_counted() refuses: for the first operand that finds no lane or no port.
  void count_refusal(const UnitOperands& low, const UnitOperands& high, Conflicts& conflicts) const;

  std::uint32_t ports_, lanes_;
  bool reads_, byte_crossbar_, broadcast_, unlimited_, counted_;
  std::vector<std::uint8_t> lane_of_;          // by unit, and one more for quads
  std::vector<LaneRegisters> lane_registers_;  // if accesses are counted; by lane, in this clock
  std::uint32_t last_lane_ = 0;                // those from here on are not used in this clock
  BankCounts counts_ = 0;
  BankCounts spare_;                // brings a count beyond the ports to 8 or more
  std::vector<std::uint8_t> used_;  // by bank
  std::vector<Taken> taken_;        // filled as far as taken_count_
  std::size_t taken_count_ = 0;
};

}  // namespace mobula::scoreboard
