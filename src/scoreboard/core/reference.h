// What operations compute, and execution in order: the result that every core has to reach.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// The low `bytes` bytes set. Precondition: bytes <= 8.
constexpr std::uint64_t byte_mask(std::uint32_t bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
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
  [[nodiscard]] std::uint64_t load(std::uint64_t address, std::uint32_t bytes) const;
  void store(std::uint64_t address, std::uint32_t bytes, std::uint64_t value);
  bool operator==(const Memory&) const = default;

 private:
  [[nodiscard]] std::size_t index(std::uint64_t word) const;

  std::uint64_t first_ = 0;           // the least address / 8
  std::vector<std::uint64_t> words_;  // addresses / 8, sorted; empty: all from first_ on
  std::vector<std::uint64_t> values_;
};

using SourceValues = std::array<std::uint64_t, max_sources>;
/// Value for destination `port` of an operation of `width` bytes; `loaded` is what a load found in memory.
std::uint64_t evaluate(const Operation& operation, std::uint32_t width, const SourceValues& sources,
                       std::uint64_t loaded, std::size_t port);
/// A branch's outcome.
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
    for (std::size_t k = 0; k < max_sources; ++k)
      if (op.sources[k].used())
        sources[k] = registers[number(op.sources[k])] >> 8 * op.sources[k].first & byte_mask(op.sources[k].bytes);
    if (op.has_immediate) sources[1] = op.immediate;
    if (op.unit == UnitClass::branch) ok = is_ok(op, width, sources);
    const bool loads = op.unit == UnitClass::load;
    const std::uint64_t loaded = loads && op.memory_bytes != 0 ? memory.load(op.address, op.memory_bytes) : 0;
    for (std::size_t k = 0; k < max_destinations; ++k) {
      if (!op.destinations[k].used()) continue;
      std::uint64_t& reg = registers[number(op.destinations[k])];
      reg = replace_bytes(reg, op.destinations[k].first, op.destinations[k].bytes,
                          evaluate(op, width, sources, loaded, k));
    }
    if (!loads && op.memory_bytes != 0) memory.store(op.address, op.memory_bytes, evaluate(op, width, sources, 0, 0));
  }
};

}  // namespace mobula::scoreboard
