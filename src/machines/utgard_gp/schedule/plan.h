// A scheduled trace as a plan, and the plan as machine code.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "machines/utgard_gp/schedule/task.h"

namespace mobula::utgard_gp {

/// What a unit does for a node.
enum class Part : std::uint8_t {
  none,
  whole,    ///< the operation itself
  move,     ///< copies the value, or loads a leaf
  pre,      ///< preexp2, in the pass unit
  table,    ///< table operation, in the complex unit
  square,   ///< complex2, in mul0
  combine,  ///< complex1, in mul0 and mul1
  post,     ///< postlog2, in the pass unit; finishes log2
  address,  ///< sets an address register to the value, in the complex unit
};

/// Scalar places: components of registers, and after them those of the task's temporaries.
constexpr bool is_temporary_place(unsigned flat) { return flat >= flat_registers; }
constexpr unsigned temporary_of(unsigned flat) { return (flat - flat_registers) / 4; }
inline constexpr unsigned flat_places = flat_registers + 4 * max_temporaries;

/// Sources of a load port.
inline constexpr std::int16_t port_free = -1;
constexpr std::int16_t port_of_attribute(unsigned index) { return static_cast<std::int16_t>(register_count + index); }
/// A memory load, at what address register A`k` holds if k is not 0.
constexpr std::int16_t load_at(unsigned vec4, unsigned k = 0) {
  return static_cast<std::int16_t>(vec4 + memory_vec4s * k);
}
constexpr bool is_attribute_port(std::int16_t port) { return port >= static_cast<std::int16_t>(register_count); }

/// One word. Operands are not spelled out: an operand is taken from the word's loads if they hold it, from a register
/// if a feed says so, and from the results of the two words before otherwise.
struct PlannedWord {
  struct Work {
    NodeId node = no_node;
    Part part = Part::none;
  };
  struct Store {
    StoreKind kind = StoreKind::none;
    std::uint8_t index = 0;  ///< of a temporary that the scheduler placed: its number + 1; 0 = one of the program
    std::array<NodeId, 2> nodes{no_node, no_node};
  };
  /// Operands that read `node` in this word come through this port: from a register, from a temporary after them, or
  /// from memory if the node is a load.
  struct Feed {
    enum Port : std::uint8_t { port0, port1, port0_before, load };
    NodeId node = no_node;
    std::uint16_t flat = 0;  ///< scalar place; the component of a load
    Port port = port0;
  };
  std::array<Work, unit_count> units;  ///< by Unit
  std::int16_t load = port_free;       ///< see load_at()
  std::int16_t port0 = port_free, port1 = port_free;
  std::array<Store, 2> stores;
  std::vector<Feed> feeds;
  std::int16_t branch = -1;           ///< segment whose branch this is
  std::uint8_t address_register = 0;  ///< that Part::address sets

  [[nodiscard]] const Work& at(Unit unit) const { return units[static_cast<std::size_t>(unit)]; }
  [[nodiscard]] Work& at(Unit unit) { return units[static_cast<std::size_t>(unit)]; }
};

/// The words of a trace in order of execution.
using Plan = std::vector<PlannedWord>;

/// Machine code; branches lead nowhere yet. Fails (GP390, a bug) if an operand cannot be reached.
Result<std::vector<Word128>> emit(const Task& task, const Plan& plan);

}  // namespace mobula::utgard_gp
