// What has to be scheduled for one trace: its live values with their operands and users, what must leave it and when,
// and which registers may hold values in between.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machines/utgard_gp/schedule_graph.h"

namespace mobula::utgard_gp {

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = 0xFFFFFFFF;

struct NodeUse {
  NodeId node = no_node;
  bool negate = false;
};

/// A live value. Beyond the makes of the graph, a multiplication may be negated and a clamp to a uniform pair is one.
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

  [[nodiscard]] bool is_leaf() const { return utgard_gp::is_leaf(make); }
};

/// A store to a varying, or to a register that a later trace reads.
struct Output {
  bool varying = false;
  std::uint8_t index = 0, component = 0;
  NodeId node = no_node;
  std::uint16_t segment = 0;  ///< may not stand below the branch that ends this segment
  std::int16_t barrier = -1;  ///< must stand below the branch that ends this segment
  /// Words that must follow the store's up to and including the last of this segment, counting none as 0.
  struct Distance {
    std::uint16_t segment = 0, words = 0;
  };
  std::vector<Distance> distances;
  [[nodiscard]] unsigned flat() const { return 4u * index + component; }
};

struct Task {
  std::vector<Node> nodes;
  std::vector<Output> outputs;
  std::vector<NodeId> conditions;                            ///< of each segment's branch; no_node = it ends without
  std::uint64_t spill = 0;                                   ///< registers nothing outside the trace cares for
  std::array<std::uint8_t, flat_registers> earliest_load{};  ///< words of the trace before a register can be read
  std::uint16_t words = 0;                                   ///< of the trace as it was
};

/// Words from the entry of a trace to the first word that loads this register; at most 3.
using FirstLoads = std::array<std::uint8_t, flat_registers>;

/// `first_loads` of all traces, as far as they are known; 0 is always safe. `earliest_load` of the entry.
Task make_task(const Flow& flow, std::size_t trace, const Values& values, const std::vector<FirstLoads>& first_loads,
               const std::array<std::uint8_t, flat_registers>& earliest_load);

}  // namespace mobula::utgard_gp
