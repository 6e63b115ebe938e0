// What has to be scheduled for one trace: its live values with their operands and users, what must leave it and when,
// and which registers may hold values in between.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "machines/utgard_gp/schedule/graph.h"

namespace mobula::utgard_gp {

inline constexpr unsigned max_temporaries = 64;

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = 0xFFFFFFFF;

struct NodeUse {
  NodeId node = no_node;
  bool negate = false;
};

/// None, as the number of an output.
inline constexpr std::int32_t no_output = -1;

/// A live value. Beyond the makes of the graph, a multiplication may be negated and a clamp to a uniform pair is one.
/// The one operand of a load is the address that an address register must hold.
struct Node {
  Make make = Make::attribute;
  bool negate = false;  ///< mul: the result
  bool clamp = false;   ///< min(max(operand, u[index].x), u[index].y) in the pass unit
  std::uint8_t component = 0, operand_count = 0;
  std::uint16_t index = 0;
  std::array<NodeUse, 3> operands;  ///< no_node: the adders' constant 0.0
  std::uint16_t users = 0;          ///< nodes and branch conditions that read it, each as often as in different words
  std::vector<std::uint16_t> outputs;
  std::uint16_t available = 0;  ///< earliest word of the trace, 0 = first, in which another unit can read it
  std::uint16_t height = 0;     ///< words of the trace up to the one that finishes it, at least
  /// Loads: the address register with what it holds when the trace is entered; 0 = none.
  std::uint8_t entry_address = 0;
  /// Loads: stores of temporaries, as numbers of outputs, after the last and before the first of which they stand.
  std::int32_t after = no_output, before = no_output;

  [[nodiscard]] bool is_leaf() const { return utgard_gp::is_leaf(make); }
};

/// A store to a varying, to a register that a later trace reads, or of a temporary.
struct Output {
  StoreKind kind = StoreKind::reg;
  std::uint8_t index = 0, component = 0;
  NodeId node = no_node;
  std::uint16_t segment = 0;  ///< may not be below the branch that ends this segment
  std::int16_t barrier = -1;  ///< must be below the branch that ends this segment
  /// Words that must follow the store's up to and including the last of this segment, counting none as 0.
  struct Distance {
    std::uint16_t segment = 0, words = 0;
  };
  std::vector<Distance> distances;
  NodeId address = no_node;       ///< temporaries: what A0 must hold
  std::int32_t next = no_output;  ///< temporaries: the store that must be below this one
  std::uint16_t loads = 0;        ///< temporaries: loads whose `after` this is
  [[nodiscard]] unsigned flat() const { return 4u * index + component; }
};

/// An address register that a later trace uses and this one sets.
struct AddressOutput {
  std::uint8_t index = 0;  ///< 1 to 3
  NodeId node = no_node;
  std::uint16_t words = 0;  ///< of the trace that must follow the one that sets it
};

/// A vec4 of memory that may hold values for a while.
struct Temporary {
  std::uint16_t vec4 = 0;
  NodeId address = no_node;  ///< uniform that holds its address
};

struct Task {
  std::vector<Node> nodes;
  std::vector<NodeId> uniforms;  ///< those of the nodes that are
  std::vector<Output> outputs;
  std::vector<AddressOutput> addresses;
  std::vector<NodeId> conditions;      ///< of each segment's branch; no_node = it ends without
  std::uint64_t spill = 0;             ///< registers nothing outside the trace cares for
  std::uint8_t kept_addresses = 0;     ///< address registers whose value at entry matters: bits 1 to 3
  std::vector<Temporary> temporaries;  ///< nothing else cares for
};
/// True if the trace loads or stores temporaries of the program, or uses address registers.
bool uses_addresses(const Task& task);

/// Words from the entry of a trace to the first word that loads what is written with a delay (see forwarding.h); at
/// most 3.
using FirstLoads = std::array<std::uint8_t, delayed_count>;

/// `first_loads` of all traces, as far as they are known; 0 is always safe. `temporaries` may hold values of this
/// trace; at most max_temporaries.
Task make_task(const Flow& flow, std::size_t trace, const Values& values, const std::vector<FirstLoads>& first_loads,
               std::span<const TemporaryPlace> temporaries = {});

}  // namespace mobula::utgard_gp
