// A workload fitted to a core: for every operation its units, columns, ports and latency, worked out once so that a
// clock only looks them up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mobula/scoreboard/scoreboard.h"
#include "scoreboard/core/reference.h"

namespace mobula::scoreboard {

inline constexpr std::uint16_t no_bank = 0xffff;
/// Ports of one unit, of either kind.
inline constexpr std::size_t max_ports = max_sources;

/// The part of an operand that one unit reads or writes.
struct PlannedOperand {
  std::uint16_t reg = 0;     ///< number over all files
  std::uint16_t lanes = 0;   ///< columns set (§4)
  std::uint16_t blocks = 0;  ///< columns that conflict with these
  std::uint8_t first = 0, bytes = 0;
  std::uint8_t offset = 0;  ///< of its first byte in the operand's value
  std::uint8_t port = 0;    ///< which source, or which destination, of the operation
  bool merge = false;    ///< what the register was before a part of it is written, for destination `offset` (renaming)
  bool repeats = false;  ///< one register of an operation on quads, whose numbers are repeated for all of them
  std::array<std::uint16_t, 2> banks{no_bank, no_bank};
  [[nodiscard]] bool narrow() const { return bytes < 4; }
  /// The second register of a quad.
  [[nodiscard]] bool second() const { return !merge && offset >= 8; }
  /// Of a value that is kept in two halves for quads, the one this is in: number among `ports` ports, and shift.
  [[nodiscard]] std::size_t half(std::size_t ports) const { return port + (second() ? ports : 0); }
  [[nodiscard]] std::uint32_t shift() const { return 8u * (offset % 8u); }
};

/// Accesses of each bank in one clock, four bits a bank, the first bank's lowest: so that one addition counts and one
/// mask compares all of them (SWAR).
using BankCounts = std::uint64_t;
inline constexpr std::uint32_t most_counted_banks = 16, most_counted_ports = 7;
/// Accesses of an operand.
inline BankCounts count_banks(const PlannedOperand& operand) {
  BankCounts counts = 0;
  for (const std::uint16_t bank : operand.banks) counts += BankCounts{bank != no_bank} << 4 * bank % 64;
  return counts;
}
/// Of a pair's high half, which shares those of the low one's operands, `low`, that move the same word.
inline BankCounts count_banks(const PlannedOperand& operand, std::span<const PlannedOperand> low) {
  BankCounts counts = 0;
  for (const std::uint16_t bank : operand.banks) {
    if (bank == no_bank) continue;
    const bool shared = std::ranges::any_of(low, [&](const PlannedOperand& other) {
      return other.port == operand.port && std::ranges::count(other.banks, bank) != 0;
    });
    if (!shared) counts += BankCounts{1} << 4 * bank;
  }
  return counts;
}

struct PlannedOperation {
  std::uint32_t operands = 0;  ///< index of the first: sources then destinations, of the low unit, then of the high one
  std::array<std::uint8_t, 2> sources{}, destinations{};  ///< counts for the low and the high unit
  std::uint8_t group = 0;
  bool pair = false;
  std::uint8_t width = 0;  ///< in bytes
  std::uint16_t latency = 0, interval = 1;
  std::uint32_t branch = no_operation;  ///< the branch before it, if it runs on one of its paths only
  BankCounts reads = 0, writes = 0;     ///< if Plan::counts_banks
};

struct Plan {
  const Workload* workload = nullptr;
  Memory memory;        ///< as it is at the start
  Reference reference;  ///< what execution in order ends with
  std::vector<PlannedOperation> operations;
  std::vector<PlannedOperand> operands;
  std::vector<RegisterBytes> registers;  ///< by register number: which it is
  std::vector<std::uint64_t> initial;    ///< values of the registers, by number
  bool counts_banks = false;  ///< all operands of an operation are granted at once, and accesses share nothing
  std::uint32_t longest_latency = 0;
  std::uint64_t mixed_widths = 0;   ///< operands whose width is not their operation's
  std::uint32_t most_operands = 0;  ///< of one operation

  /// All of an operation, of both of its units.
  [[nodiscard]] std::span<const PlannedOperand> operands_of(std::uint32_t operation) const {
    const PlannedOperation& op = operations[operation];
    return {operands.data() + op.operands,
            std::size_t{op.sources[0]} + op.sources[1] + op.destinations[0] + op.destinations[1]};
  }
  [[nodiscard]] std::span<const PlannedOperand> sources(std::uint32_t operation, std::uint32_t part) const {
    const PlannedOperation& op = operations[operation];
    const std::uint32_t skip = part == 0 ? 0u : op.sources[0] + op.destinations[0];
    return {operands.data() + op.operands + skip, op.sources[part]};
  }
  [[nodiscard]] std::span<const PlannedOperand> destinations(std::uint32_t operation, std::uint32_t part) const {
    const std::span<const PlannedOperand> before = sources(operation, part);
    return {before.data() + before.size(), operations[operation].destinations[part]};
  }
};

/// SB201...: what the core cannot execute, all of it (up to a limit). The workload must outlive the plan. SB304 if
/// `stop`, asked every few thousand operations, says so.
Result<Plan> make_plan(const Config& config, const Workload& workload, const std::function<bool()>& stop = {});

/// Whether make_plan() would give the same for `other` as it gave for `config`. It says no where it would have to look.
bool is_plan_for(const Plan& plan, const Config& config, const Config& other);

}  // namespace mobula::scoreboard
