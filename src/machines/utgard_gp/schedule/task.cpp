#include "machines/utgard_gp/schedule/task.h"

#include <algorithm>
#include <map>
#include <optional>

#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {
namespace {

class TaskMaker {
 public:
  TaskMaker(const Flow& flow, std::size_t trace, const Values& values, const std::vector<FirstLoads>& first_loads)
      : flow_(flow), trace_(flow.traces[trace]), values_(values), first_loads_(first_loads) {}

  Task run(std::span<const TemporaryPlace> temporaries) {
    count_users();
    for (const Segment& segment : trace_.segments)
      task_.conditions.push_back(segment.condition == no_value ? no_node : node(segment.condition));
    add_varyings();
    add_registers();
    add_addresses();
    add_memory();
    for (const NodeId condition : task_.conditions)
      if (condition != no_node) ++task_.nodes[condition].users;
    find_heights();
    for (NodeId id = 0; id < task_.nodes.size(); ++id)
      if (task_.nodes[id].make == Make::uniform) task_.uniforms.push_back(id);
    for (const TemporaryPlace& place : temporaries)
      task_.temporaries.push_back({place.vec4, uniform(place.address_word)});
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
    for (const Exit& exit : exits(trace_)) {
      if (!exit.target) continue;
      const Live& live = flow_.traces[*exit.target].live_in;
      const Contents& end = trace_.segments[exit.segment].end;
      for (unsigned i = 0; i < flat_registers; ++i)
        if (leaves(exit, i)) read(end.registers[i]);
      for (unsigned k = 1; k < address_registers; ++k)
        if ((live.addresses >> k & 1) != 0) read(end.addresses[k]);
      for (unsigned c = 0; c < end.memory.size(); ++c)
        if ((live.memory >> c & 1) != 0) read(end.memory[c]);
    }
    while (!stack.empty()) {
      const Value value = values_[stack.back()];
      stack.pop_back();
      for (unsigned k = 0; k < value.operand_count; ++k) read(value.operands[k].value);
    }
  }

  /// True if this register leaves through the exit with a value that the trace stored.
  [[nodiscard]] bool leaves(const Exit& exit, unsigned reg) const {
    const std::uint64_t bit = std::uint64_t{1} << reg;
    return (flow_.traces[*exit.target].live_in.registers & bit) != 0 &&
           (trace_.segments[exit.segment].touched & bit) != 0;
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
    } else if (value.make == Make::load) {
      take_address(made, value);
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
    return is_function(node.make) && !sequence_of(node.make).begins_in_pass ? 2 : 1;
  }

  void take_operands(Node& made, const Value& value) {
    made.operand_count = value.operand_count;
    for (unsigned k = 0; k < value.operand_count; ++k) {
      const ValueUse& use = value.operands[k];
      made.operands[k] = {use.value == no_value ? no_node : node(use.value), use.negate};
    }
  }

  /// What a load needs besides its port.
  void take_address(Node& made, const Value& value) {
    const ValueId address = value.operands[0].value, state = value.operands[1].value;
    if (address != no_value && values_[address].make == Make::address) {
      made.entry_address = static_cast<std::uint8_t>(values_[address].index);
    } else if (address != no_value) {
      made.operand_count = 1;
      made.operands[0] = {node(address)};
    }
    if (state == no_value || values_[state].make != Make::store) return;
    made.after = temporary_output(state);
    ++task_.outputs[static_cast<std::size_t>(made.after)].loads;
  }

  NodeId uniform(std::uint32_t word) {
    task_.nodes.push_back({.make = Make::uniform,
                           .component = static_cast<std::uint8_t>(word % 4),
                           .index = static_cast<std::uint16_t>(word / 4),
                           .operands = {},
                           .outputs = {}});
    return static_cast<NodeId>(task_.nodes.size() - 1);
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

  Output& add_output(StoreKind kind, unsigned place, ValueId value, std::uint16_t segment) {
    Output output;
    output.kind = kind;
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
        add_output(StoreKind::varying, 4u * store.index + store.component, store.value, i).barrier =
            static_cast<std::int16_t>(i - 1);
  }

  void add_registers() {
    std::uint64_t outside = trace_.live_in.registers;
    std::array<std::int32_t, flat_registers> last{};  // output that holds the register now, or -1
    std::array<std::int16_t, flat_registers> last_live{};
    last.fill(-1);
    last_live.fill(-1);
    for (const Exit& exit : exits(trace_)) {
      if (!exit.target) continue;
      const std::uint64_t live = flow_.traces[*exit.target].live_in.registers;
      outside |= live;
      for (unsigned i = 0; i < flat_registers; ++i) {
        if ((live >> i & 1) == 0) continue;
        if (leaves(exit, i)) {
          const ValueId value = trace_.segments[exit.segment].end.registers[i];
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
      // A branch and the fall-through after it leave the same segment with the same values, so the barrier is always
      // an earlier segment.
      add_output(StoreKind::reg, reg, value, exit.segment).barrier = last_live;
      last = static_cast<std::int32_t>(task_.outputs.size() - 1);
    }
    task_.outputs[static_cast<std::size_t>(last)].distances.push_back({exit.segment, words_behind(exit, reg)});
  }

  /// Words of this trace that must follow the one that writes this, so that it arrives before the next trace loads it.
  [[nodiscard]] std::uint16_t words_behind(const Exit& exit, unsigned delayed) const {
    const unsigned on_the_way = latency_of(delayed) - 1;
    return static_cast<std::uint16_t>(on_the_way - std::min<unsigned>(first_loads_[*exit.target][delayed], on_the_way));
  }

  /// Such a trace is one basic block, so that all its exits leave it with the same.
  void add_addresses() {
    task_.kept_addresses = trace_.live_in.addresses;
    for (const Exit& exit : exits(trace_)) {
      if (!exit.target) continue;
      for (std::uint8_t k = 1; k < address_registers; ++k) {
        const ValueId address = trace_.segments[exit.segment].end.addresses[k];
        const Value& value = values_[address];
        if ((flow_.traces[*exit.target].live_in.addresses >> k & 1) == 0) continue;
        if (value.make == Make::address && value.index == k) continue;
        auto known = std::find_if(task_.addresses.begin(), task_.addresses.end(),
                                  [&](const AddressOutput& each) { return each.index == k; });
        if (known == task_.addresses.end()) {
          task_.addresses.push_back({k, node(address)});
          ++task_.nodes[task_.addresses.back().node].users;
          known = task_.addresses.end() - 1;
        }
        known->words = std::max(known->words, words_behind(exit, delayed_address + k - 1));
      }
    }
  }

  // ---------------------------------------------------------------------------------------------- temporaries

  /// The stores of temporaries that anything depends on keep their order, component by component.
  void add_memory() {
    const Contents& end = trace_.segments.back().end;
    for (unsigned c = 0; c < end.memory.size(); ++c) {
      std::vector<ValueId> chain;  // the last store first
      for (ValueId state = end.memory[c]; values_[state].make == Make::store; state = values_[state].operands[0].value)
        if (reads_.contains(state)) chain.push_back(state);
      for (std::size_t i = chain.size(); i-- > 0;) {
        Output& output = task_.outputs[static_cast<std::size_t>(temporary_output(chain[i]))];
        for (const Exit& exit : exits(trace_))
          if (exit.target && (flow_.traces[*exit.target].live_in.memory >> c & 1) != 0)
            output.distances.push_back({exit.segment, words_behind(exit, delayed_temporary + c)});
      }
      for (std::size_t i = 1; i < chain.size(); ++i)
        task_.outputs[static_cast<std::size_t>(temporary_outputs_.at(chain[i]))].next =
            temporary_outputs_.at(chain[i - 1]);
      find_stores_behind(chain, c);
    }
  }

  std::int32_t temporary_output(ValueId state) {
    if (const auto known = temporary_outputs_.find(state); known != temporary_outputs_.end()) return known->second;
    const Value& store = values_[state];
    const NodeId address = node(store.operands[1].value);
    Output& output = add_output(StoreKind::temporary, store.component, store.operands[2].value, 0);
    output.address = address;
    ++task_.nodes[address].users;
    const auto number = static_cast<std::int32_t>(task_.outputs.size()) - 1;
    temporary_outputs_[state] = number;
    return number;
  }

  /// For each load the first later store that may hit what it reads.
  void find_stores_behind(const std::vector<ValueId>& chain, unsigned component) {
    for (const auto& [id, number] : ids_) {
      const Value& load = values_[id];
      if (load.make != Make::load || load.component != component || load.operands[1].value == no_value) continue;
      std::int32_t& before = task_.nodes[number].before;
      for (std::size_t i = 0; i < chain.size() && chain[i] != load.operands[1].value; ++i)
        if (values_.may_alias(chain[i], id)) before = temporary_outputs_.at(chain[i]);
    }
  }

  // ---------------------------------------------------------------------------------------------- heights

  void find_heights() {
    for (Node& made : task_.nodes) {  // operands come before their readers
      if (made.make == Make::load) find_height_of_load(made);
      if (made.is_leaf()) continue;
      unsigned ready = 0;
      for (unsigned k = 0; k < made.operand_count; ++k)
        if (made.operands[k].node != no_node)
          ready = std::max<unsigned>(ready, task_.nodes[made.operands[k].node].available);
      if (ready == 0 && !loads_together(made)) ready = 1;
      const bool function = is_function(made.make);
      made.height = static_cast<std::uint16_t>(ready + (function ? sequence_of(made.make).words : 1));
      made.available = made.height;
      if (function && !sequence_of(made.make).ends_in_pass) ++made.available;  // complex1 is late
    }
  }

  void find_height_of_load(Node& load) const {
    unsigned earliest = 0;
    if (load.operand_count != 0) earliest = task_.nodes[load.operands[0].node].available + address_latency;
    if (load.after != no_output) {
      const Output& store = task_.outputs[static_cast<std::size_t>(load.after)];
      const Node& stored = task_.nodes[store.node];
      const unsigned made = std::max<unsigned>(stored.height, 1) - 1;
      const unsigned word = std::max<unsigned>(task_.nodes[store.address].available, made);
      earliest = std::max(earliest, word + temporary_latency);
    }
    load.available = static_cast<std::uint16_t>(earliest);
    load.height = static_cast<std::uint16_t>(earliest == 0 ? 0 : earliest + 1);
  }

  /// True if one word can load all leaf operands.
  [[nodiscard]] bool loads_together(const Node& made) const {
    std::vector<std::pair<Make, unsigned>> loads;
    if (made.clamp) loads.emplace_back(Make::uniform, made.index);
    for (unsigned k = 0; k < made.operand_count; ++k) {
      if (made.operands[k].node == no_node) continue;
      const Node& leaf = task_.nodes[made.operands[k].node];
      if (leaf.is_leaf() && leaf.make != Make::load) loads.emplace_back(leaf.make, leaf.index);
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
  std::map<ValueId, std::int32_t> temporary_outputs_;
};

}  // namespace

bool uses_addresses(const Task& task) {
  return !task.addresses.empty() ||
         std::any_of(task.nodes.begin(), task.nodes.end(), [](const Node& node) { return node.make == Make::load; }) ||
         std::any_of(task.outputs.begin(), task.outputs.end(),
                     [](const Output& output) { return output.kind == StoreKind::temporary; });
}

Task make_task(const Flow& flow, std::size_t trace, const Values& values, const std::vector<FirstLoads>& first_loads,
               std::span<const TemporaryPlace> temporaries) {
  return TaskMaker(flow, trace, values, first_loads).run(temporaries);
}

}  // namespace mobula::utgard_gp
