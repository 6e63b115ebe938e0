// What operations compute, and execution in order: the result that every core has to reach.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// The low `bytes` bytes set; all from 8 on. In two shifts, because one by 64 bits is none, and a branch on widths
/// would rarely be predicted.
constexpr std::uint64_t byte_mask(std::uint32_t bytes) {
  const std::uint32_t half = 4 * std::min(bytes, 8u);
  return ~(~std::uint64_t{0} << half << half);
}
/// `old` with bytes first..first+bytes-1 replaced by the low bytes of `value`.
constexpr std::uint64_t replace_bytes(std::uint64_t old, std::uint32_t first, std::uint32_t bytes,
                                      std::uint64_t value) {
  const std::uint64_t mask = byte_mask(bytes) << 8 * first;
  return (old & ~mask) | (value << 8 * first & mask);
}

/// Memory that a workload touches, as 64-bit words.
class Memory {
 public:
  explicit Memory(const Workload& workload);
  /// Precondition: the workload touches it.
  [[nodiscard]] std::uint64_t load(std::uint64_t address, std::uint32_t bytes) const;
  /// Of any address: what the workload does not touch is 0.
  [[nodiscard]] std::uint64_t peek(std::uint64_t address, std::uint32_t bytes) const;
  void store(std::uint64_t address, std::uint32_t bytes, std::uint64_t value);
  bool operator==(const Memory&) const = default;

 private:
  [[nodiscard]] std::size_t index(std::uint64_t word) const;

  std::uint64_t first_ = 0;           // the least address / 8
  std::vector<std::uint64_t> words_;  // addresses / 8, sorted; empty: all from first_ on
  std::vector<std::uint64_t> values_;
};

/// Of quads, the second half of source k is value k + max_sources.
using SourceValues = std::array<std::uint64_t, 2 * max_sources>;
/// Source k of an operation on quads, `bytes` of one register: up to 4 are the same number for all four, more are the
/// same two for both halves.
inline void repeat_for_quads(SourceValues& sources, std::size_t k, std::uint32_t bytes) {
  if (bytes <= 4) sources[k] |= sources[k] << 32;
  sources[k + max_sources] = sources[k];
}
/// Puts an operation's immediate in the place of its second source. Precondition: it has one.
inline void take_immediate(SourceValues& sources, const Operation& operation, std::uint32_t width) {
  sources[1] = width > 8 ? operation.immediate & byte_mask(4) : operation.immediate;
  if (width > 8) repeat_for_quads(sources, 1, 4);
}
/// Value for destination `port` of an operation of `width` bytes; `loaded` is what a load found in memory. Of quads,
/// the second half of destination k is port k + max_destinations.
std::uint64_t evaluate(const Operation& operation, std::uint32_t width, const SourceValues& sources,
                       std::uint64_t loaded, std::size_t port);
/// A branch's outcome. A compare of quads is ok if all four numbers are.
bool is_ok(const Operation& operation, std::uint32_t width, const SourceValues& sources);

/// Execution in order, one operation after the other.
struct Reference {
  std::vector<std::uint64_t> registers;  ///< by number over all files
  Memory memory;
  std::uint32_t trap = no_operation;  ///< execution ends there
  bool ok = true;                     ///< of the last branch

  /// Operation `index` with its register ranges resolved; `width` as for evaluate(). `number(operand)` is its
  /// register's.
  template <class Number>
  void execute(std::uint32_t index, const Operation& op, std::uint32_t width, Number number) {
    if (trap != no_operation || (op.path != Path::always && (op.path == Path::if_ok) != ok)) return;
    if (op.trap == Trap::takes) {
      trap = index;
      return;
    }
    SourceValues sources{};
    for (std::size_t k = 0; k < max_sources; ++k) {
      if (!op.sources[k].used()) continue;
      sources[k] = registers[number(op.sources[k])] >> 8 * op.sources[k].first & byte_mask(op.sources[k].bytes);
      if (op.sources[k].bytes == RegisterBytes::quad)
        sources[k + max_sources] = registers[number(op.sources[k]) + 1];
      else if (width > 8)
        repeat_for_quads(sources, k, op.sources[k].bytes);
    }
    if (op.has_immediate) take_immediate(sources, op, width);
    if (op.unit == UnitClass::branch) ok = is_ok(op, width, sources);
    const bool loads = op.unit == UnitClass::load;
    const bool accesses = op.memory_bytes != 0;
    for (std::size_t half = 0; half < (width > 8 ? 2u : 1u); ++half) {
      const std::uint32_t bytes = std::min<std::uint32_t>(op.memory_bytes, 8);
      const std::uint64_t address = op.address + 8 * half;
      const std::uint64_t loaded = loads && accesses ? memory.load(address, bytes) : 0;
      for (std::size_t k = 0; k < max_destinations; ++k) {
        const RegisterBytes& to = op.destinations[k];
        if (!to.used() || (half == 1 && to.bytes != RegisterBytes::quad)) continue;
        std::uint64_t& reg = registers[number(to) + half];
        reg = replace_bytes(reg, to.first, to.bytes, evaluate(op, width, sources, loaded, k + half * max_destinations));
      }
      if (!loads && accesses && (half == 0 || op.memory_bytes > 8))
        memory.store(address, bytes, evaluate(op, width, sources, 0, half * max_destinations));
    }
  }
};

}  // namespace mobula::scoreboard
