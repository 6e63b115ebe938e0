// What operations compute, and execution in order: the result that every core has to reach.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mobula/scoreboard.h"

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
/// Value for destination `port`; `loaded` is what a load found in memory. Precondition: the operation's width is known.
std::uint64_t evaluate(const Operation& operation, const SourceValues& sources, std::uint64_t loaded, std::size_t port);
/// A branch's outcome.
bool is_ok(const Operation& operation, const SourceValues& sources);

struct Reference {
  explicit Reference(const Workload& workload) : memory(workload) {}
  std::vector<std::uint64_t> registers;  ///< by number over all files
  Memory memory;
  std::vector<bool> runs;             ///< by operation: false = on the way not taken
  std::uint32_t trap = no_operation;  ///< execution ends there
};

/// Executes in order. `operations` are those of the workload with widths and register ranges resolved; `number` gives a
/// register's number over all files.
template <class Number>
Reference execute_in_order(const Workload& workload, const std::vector<Operation>& operations,
                           std::vector<std::uint64_t> registers, Number number) {
  Reference state(workload);
  state.registers = std::move(registers);
  state.runs.assign(operations.size(), true);
  bool ok = true;  // of the last branch
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    state.runs[i] = op.path == Path::always || (op.path == Path::if_ok) == ok;
    if (!state.runs[i]) continue;
    if (op.trap == Trap::takes) {
      state.trap = i;
      break;
    }
    SourceValues sources{};
    for (std::size_t k = 0; k < max_sources; ++k)
      if (op.sources[k].used())
        sources[k] = state.registers[number(op.sources[k])] >> 8 * op.sources[k].first & byte_mask(op.sources[k].bytes);
    if (op.has_immediate) sources[1] = op.immediate;
    if (op.unit == UnitClass::branch) ok = is_ok(op, sources);
    const bool loads = op.unit == UnitClass::load;
    const std::uint64_t loaded = loads && op.memory_bytes != 0 ? state.memory.load(op.address, op.memory_bytes) : 0;
    for (std::size_t k = 0; k < max_destinations; ++k) {
      if (!op.destinations[k].used()) continue;
      std::uint64_t& reg = state.registers[number(op.destinations[k])];
      reg = replace_bytes(reg, op.destinations[k].first, op.destinations[k].bytes, evaluate(op, sources, loaded, k));
    }
    if (!loads && op.memory_bytes != 0) state.memory.store(op.address, op.memory_bytes, evaluate(op, sources, 0, 0));
  }
  return state;
}

}  // namespace mobula::scoreboard
