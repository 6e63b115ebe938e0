#include "machines/utgard_gp/schedule_task.h"

#include <algorithm>
#include <map>
#include <optional>

#include "machines/utgard_gp/forwarding.h"

namespace mobula::utgard_gp {
namespace {

class TaskMaker {
 public:
  TaskMaker(const Flow& flow, std::size_t trace, const Values& values, const std::vector<FirstLoads>& first_loads)
      : flow_(flow), trace_(flow.traces[trace]), values_(values), first_loads_(first_loads) {}

  Task run() {
    count_users();
    for (const Segment& segment : trace_.segments)
      task_.conditions.push_back(segment.condition == no_value ? no_node : node(segment.condition));
    add_varyings();
    add_registers();
    for (const NodeId condition : task_.conditions)
      if (condition != no_node) ++task_.nodes[condition].users;
    find_heights();
    task_.words = trace_.words();
    return std::move(task_);
  }

 private:
  // ---------------------------------------------------------------------------------------------- values to nodes

  /// Reads of each value in the graph, to tell which values may vanish into their only reader.
  void count_users() {
    std::vector<bool> seen(values_.size(), false);
    std::vector<ValueId> stack;
    const auto read = [&](ValueId id) {
      if (id == no_value) return;
      ++reads_[id];
      if (!seen[id]) stack.push_back(id);
      seen[id] = true;
    };
    for (const Segment& segment : trace_.segments) {
      for (const VaryingStore& store : segment.varyings) read(store.value);
      read(segment.condition);
    }
    for (const Exit& exit : exits(trace_))
      if (exit.target)
        for (unsigned i = 0; i < flat_registers; ++i)
          if (leaves(exit, i)) read(trace_.segments[exit.segment].registers[i]);
    while (!stack.empty()) {
      const Value value = values_[stack.back()];
      stack.pop_back();
      for (unsigned k = 0; k < value.operand_count; ++k) read(value.operands[k].value);
    }
  }

  /// True if this register leaves through the exit with a value that the trace stored.
  [[nodiscard]] bool leaves(const Exit& exit, unsigned reg) const {
    const std::uint64_t bit = std::uint64_t{1} << reg;
    return (flow_.traces[*exit.target].live_in & bit) != 0 && (trace_.segments[exit.segment].touched & bit) != 0;
  }

  NodeId node(ValueId id) {
    if (const auto known = ids_.find(id); known != ids_.end()) return known->second;
    const Value& value = values_[id];
    Node made{.make = value.make, .component = value.component, .index = value.index, .operands = {}, .outputs = {}};
    if (const ValueId product = value.operands[0].value;
        value.make == Make::negation && values_[product].make == Make::mul && reads_[product] == 1) {
      made.make = Make::mul;
      made.negate = true;
      take_operands(made, values_[product]);
    } else if (const auto clamped = clamp_operand(value)) {
      made.clamp = true;
      made.index = values_[clamped->second].index;
      made.operand_count = 1;
      made.operands[0] = {node(clamped->first)};
    } else {
      take_operands(made, value);
    }
    const auto number = static_cast<NodeId>(task_.nodes.size());
    for (unsigned k = 0; k < made.operand_count; ++k) {
      const NodeId operand = made.operands[k].node;
      const bool again = std::any_of(made.operands.begin(), made.operands.begin() + k,
                                     [&](const NodeUse& use) { return use.node == operand; });
      if (operand != no_node && !again) task_.nodes[operand].users += words_reading(made);
    }
    task_.nodes.push_back(std::move(made));
    ids_[id] = number;
    return number;
  }

  /// In how many words a node reads its operand.
  static std::uint16_t words_reading(const Node& node) {
    return node.make == Make::rcp || node.make == Make::rsqrt || node.make == Make::log2 ? 2 : 1;
  }

  void take_operands(Node& made, const Value& value) {
    made.operand_count = value.operand_count;
    for (unsigned k = 0; k < value.operand_count; ++k) {
      const ValueUse& use = value.operands[k];
      made.operands[k] = {use.value == no_value ? no_node : node(use.value), use.negate};
    }
  }

  /// x and the uniform pair's low bound, if the value is min(max(x, u.x), u.y) and the max has no other reader.
  [[nodiscard]] std::optional<std::pair<ValueId, ValueId>> clamp_operand(const Value& value) const {
    if (value.make != Make::min) return std::nullopt;
    for (unsigned k = 0; k < 2; ++k) {
      const ValueUse raised = value.operands[k], high = value.operands[1 - k];
      if (!is_uniform(high, 1) || raised.value == no_value || raised.negate) continue;
      const Value& maximum = values_[raised.value];
      if (maximum.make != Make::max || reads_.at(raised.value) != 1) continue;
      for (unsigned j = 0; j < 2; ++j) {
        const ValueUse x = maximum.operands[j], low = maximum.operands[1 - j];
        if (is_uniform(low, 0) && values_[low.value].index == values_[high.value].index && x.value != no_value &&
            !x.negate)
          return std::pair{x.value, low.value};
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_uniform(const ValueUse& use, unsigned component) const {
    return use.value != no_value && !use.negate && values_[use.value].make == Make::uniform &&
           values_[use.value].component == component;
  }

  // ---------------------------------------------------------------------------------------------- outputs

  Output& add_output(bool varying, unsigned place, ValueId value, std::uint16_t segment) {
    Output output;
    output.varying = varying;
    output.index = static_cast<std::uint8_t>(place / 4);
    output.component = static_cast<std::uint8_t>(place % 4);
    output.node = node(value);
    output.segment = segment;
    task_.nodes[output.node].outputs.push_back(static_cast<std::uint16_t>(task_.outputs.size()));
    task_.outputs.push_back(std::move(output));
    return task_.outputs.back();
  }

  void add_varyings() {
    for (std::uint16_t i = 0, count = size_of(trace_.segments); i < count; ++i)
      for (const VaryingStore& store : trace_.segments[i].varyings)
        add_output(true, 4u * store.index + store.component, store.value, i).barrier = static_cast<std::int16_t>(i - 1);
  }

  void add_registers() {
    std::uint64_t outside = trace_.live_in;
    std::array<std::int32_t, flat_registers> last{};  // output that holds the register now, or -1
    std::array<std::int16_t, flat_registers> last_live{};
    last.fill(-1);
    last_live.fill(-1);
    for (const Exit& exit : exits(trace_)) {
      if (!exit.target) continue;
      const std::uint64_t live = flow_.traces[*exit.target].live_in;
      outside |= live;
      for (unsigned i = 0; i < flat_registers; ++i) {
        if ((live >> i & 1) == 0) continue;
        if (leaves(exit, i)) {
          const ValueId value = trace_.segments[exit.segment].registers[i];
          const bool unchanged = last[i] < 0 && values_[value].make == Make::reg &&
                                 4u * values_[value].index + values_[value].component == i;
          if (!unchanged) store_register(exit, i, value, last[i], last_live[i]);
        }
        last_live[i] = static_cast<std::int16_t>(exit.segment);
      }
    }
    task_.spill = ~outside;
  }

  void store_register(const Exit& exit, unsigned reg, ValueId value, std::int32_t& last, std::int16_t last_live) {
    if (last < 0 || task_.outputs[static_cast<std::size_t>(last)].node != node(value)) {
      // A branch and the fall-through behind it leave the same segment with the same values, so the barrier is always
      // an earlier segment.
      add_output(false, reg, value, exit.segment).barrier = last_live;
      last = static_cast<std::int32_t>(task_.outputs.size() - 1);
    }
    const unsigned before_load = std::min<unsigned>(first_loads_[*exit.target][reg], register_latency - 1);
    task_.outputs[static_cast<std::size_t>(last)].distances.push_back(
        {exit.segment, static_cast<std::uint16_t>(register_latency - 1 - before_load)});
  }

  // ---------------------------------------------------------------------------------------------- heights

  void find_heights() {
    for (Node& made : task_.nodes) {  // operands come before their readers
      if (made.is_leaf()) continue;
      unsigned ready = 0;
      for (unsigned k = 0; k < made.operand_count; ++k)
        if (made.operands[k].node != no_node)
          ready = std::max<unsigned>(ready, task_.nodes[made.operands[k].node].available);
      if (ready == 0 && !loads_together(made)) ready = 1;
      switch (made.make) {
        case Make::rcp:
        case Make::rsqrt:
          made.height = static_cast<std::uint16_t>(ready + 2);
          made.available = made.height + 1;
          break;
        case Make::exp2:
          made.height = static_cast<std::uint16_t>(ready + 3);
          made.available = made.height + 1;
          break;
        case Make::log2:
          made.height = static_cast<std::uint16_t>(ready + 4);
          made.available = made.height;
          break;
        default:
          made.height = static_cast<std::uint16_t>(ready + 1);
          made.available = made.height;
      }
    }
  }

  /// True if one word can load all leaf operands.
  [[nodiscard]] bool loads_together(const Node& made) const {
    std::vector<std::pair<Make, unsigned>> loads;
    if (made.clamp) loads.emplace_back(Make::uniform, made.index);
    for (unsigned k = 0; k < made.operand_count; ++k) {
      if (made.operands[k].node == no_node) continue;
      const Node& leaf = task_.nodes[made.operands[k].node];
      if (leaf.is_leaf()) loads.emplace_back(leaf.make, leaf.index);
    }
    std::sort(loads.begin(), loads.end());
    loads.erase(std::unique(loads.begin(), loads.end()), loads.end());
    const auto count = [&](Make make) {
      return std::count_if(loads.begin(), loads.end(), [&](const auto& load) { return load.first == make; });
    };
    return count(Make::uniform) <= 1 && count(Make::attribute) <= 1 && count(Make::attribute) + count(Make::reg) <= 2;
  }

  const Flow& flow_;
  const Trace& trace_;
  const Values& values_;
  const std::vector<FirstLoads>& first_loads_;
  Task task_;
  std::map<ValueId, NodeId> ids_;
  std::map<ValueId, unsigned> reads_;
};

}  // namespace

Task make_task(const Flow& flow, std::size_t trace, const Values& values, const std::vector<FirstLoads>& first_loads,
               const std::array<std::uint8_t, flat_registers>& earliest_load) {
  Task task = TaskMaker(flow, trace, values, first_loads).run();
  task.earliest_load = earliest_load;
  return task;
}

}  // namespace mobula::utgard_gp
