#include "machines/utgard_gp/schedule/state.h"

#include <algorithm>
#include <array>
#include <bit>

namespace mobula::utgard_gp {

void count_work(const Node& node, Remaining& remaining, int sign) {
  const auto count = [&](unsigned height, unsigned kind) {
    remaining.by_height[height * Remaining::kinds + kind] =
        static_cast<std::uint16_t>(remaining.by_height[height * Remaining::kinds + kind] + sign);
  };
  if (is_function(node.make)) {
    const unsigned combine = node.height - (node.make == Make::log2 ? 2u : 0u);
    count(combine, Remaining::wide);
    count(combine - 1, Remaining::square);
    count(combine - 1, Remaining::table);
    if (node.make == Make::log2) count(node.height, Remaining::pass);
    if (node.make == Make::exp2) count(combine - 2, Remaining::pass);
  } else if (node.clamp) {
    count(node.height, Remaining::pass);
  } else if (is_adder(node.make)) {
    count(node.height, adder_index(node.make));
  } else if (node.make == Make::mul) {
    count(node.height, Remaining::mul);
  } else if (node.make == Make::select) {
    count(node.height, Remaining::wide);
  }
}

bool FillState::done() const {
  return demands.empty() && homes.empty() && ready.empty() && remaining.outputs == 0 && segment == 0 &&
         std::all_of(held.begin(), held.end(), [](const Held& each) { return each.node == no_node; }) &&
         std::all_of(reserved.begin(), reserved.end(), [](const Reserved& each) {
           return each.combine == no_node && each.table == no_node && each.pre == no_node;
         });
}

FillState first_state(const Task& task) {
  FillState state;
  state.segment = static_cast<std::int16_t>(task.conditions.size() - 1);
  state.free = Places(task.spill);
  for (unsigned i = 0; i < 4 * task.temporaries.size(); ++i) state.free.set(flat_registers + i);
  state.stored.assign(task.outputs.size(), false);
  state.barriers.assign(task.conditions.size(), 0);
  state.branches.assign(task.conditions.size(), 0);
  for (const Output& output : task.outputs) {
    if (output.barrier >= 0) ++state.barriers[static_cast<std::size_t>(output.barrier)];
    if (output.kind == StoreKind::reg) state.blocked |= std::uint64_t{1} << output.flat();
    if (output.kind == StoreKind::temporary) state.waits.resize(task.outputs.size());
  }
  for (std::size_t i = 0; i < state.waits.size(); ++i) state.waits[i].loads = task.outputs[i].loads;
  state.remaining.outputs = static_cast<std::uint16_t>(task.outputs.size() + task.addresses.size());
  for (const AddressOutput& output : task.addresses) state.held[output.index] = {output.node, output.words, true};
  unsigned highest = 0;
  for (const Node& node : task.nodes) highest = std::max<unsigned>(highest, node.height);
  state.remaining.by_height.assign((highest + 1) * Remaining::kinds, 0);
  for (NodeId id = 0; id < task.nodes.size(); ++id) {
    const Node& node = task.nodes[id];
    state.users.push_back(node.users);
    if (node.users == 0 && !node.is_leaf()) state.ready.push_back(id);
    if (node.make == Make::load) state.open_loads.push_back(id);
    count_work(node, state.remaining, 1);
  }
  return state;
}

/// Words in which the operations left fit, were there nothing else to care for.
static unsigned units_needed(const Remaining& remaining) {
  std::array<unsigned, Remaining::kinds> counts{};
  unsigned needed = 0;
  const auto heights = static_cast<unsigned>(remaining.by_height.size() / Remaining::kinds);
  for (unsigned height = heights; height-- > 0;) {
    bool any = false;
    for (unsigned kind = 0; kind < Remaining::kinds; ++kind) {
      const unsigned more = remaining.by_height[height * Remaining::kinds + kind];
      counts[kind] += more;
      any |= more != 0;
    }
    if (!any) continue;
    unsigned adders = 0;
    for (unsigned kind = 0; kind < Remaining::mul; ++kind) adders += (counts[kind] + 1) / 2;
    const unsigned multipliers =
        counts[Remaining::wide] +
        std::max(counts[Remaining::square], (counts[Remaining::square] + counts[Remaining::mul] + 1) / 2);
    needed = std::max(needed, std::max({adders, multipliers, counts[Remaining::pass], counts[Remaining::table]}) +
                                  std::max(height, 1u) - 1);
  }
  return needed;
}

unsigned loads_needed(const Task& task, const FillState& state) {
  std::bitset<memory_vec4s> loaded;
  for (const NodeId id : task.uniforms)
    if (state.users[id] != 0) loaded.set(task.nodes[id].index);
  for (const Demand& demand : state.demands)
    if (task.nodes[demand.node].make == Make::uniform) loaded.set(task.nodes[demand.node].index);
  for (const Home& home : state.homes)
    if (task.nodes[home.node].make == Make::uniform) loaded.set(task.nodes[home.node].index);
  for (std::size_t i = 0; i < task.outputs.size(); ++i)
    if (const Node& stored = task.nodes[task.outputs[i].node]; stored.make == Make::uniform && !state.stored[i])
      loaded.set(stored.index);
  return static_cast<unsigned>(loaded.count());
}

/// Words that the stores left need: each stores to one place in its x and y, and to one in its z and w.
static unsigned stores_needed(const Task& task, const FillState& state) {
  std::array<std::uint64_t, 2> places{};
  for (std::size_t i = 0; i < task.outputs.size(); ++i)
    if (const Output& output = task.outputs[i]; output.kind != StoreKind::temporary && !state.stored[i])
      places[output.component / 2u] |= std::uint64_t{1}
                                       << (output.index + (output.kind == StoreKind::reg ? 0 : register_count));
  return static_cast<unsigned>(std::max(std::popcount(places[0]), std::popcount(places[1])));
}

unsigned words_needed(const Task& task, const FillState& state) {
  unsigned needed = std::max({units_needed(state.remaining), static_cast<unsigned>(state.segment),
                              loads_needed(task, state), stores_needed(task, state)});
  for (const Demand& demand : state.demands) {
    const Node& node = task.nodes[demand.node];
    unsigned height = std::max<unsigned>(node.height, 1);
    if (makes_combine(node) && (demand.bits & Demand::near) != 0) ++height;
    needed = std::max(needed, height);
  }
  for (const Home& home : state.homes) {
    const Node& node = task.nodes[home.node];
    const unsigned wait = home.store_from > state.words ? home.store_from - state.words : 0u;
    needed = std::max(needed, wait + std::max<unsigned>(node.height + (makes_combine(node) ? 2 : 0), 1));
  }
  for (const Held& held : state.held) {
    if (held.node == no_node) continue;
    const unsigned wait = held.set_from > state.words ? held.set_from - state.words : 0u;
    needed = std::max(needed, wait + 1 + task.nodes[held.node].available);
  }
  for (const NodeId id : state.ready) needed = std::max<unsigned>(needed, task.nodes[id].height);
  for (unsigned i = 0; i < state.reserved.size(); ++i) {
    const Reserved& reserved = state.reserved[i];
    const auto part = [&](NodeId function, unsigned after) {
      if (function == no_node) return;
      const Node& node = task.nodes[function];
      needed = std::max(needed, i + 1 + after + task.nodes[node.operands[0].node].available);
    };
    part(reserved.combine, 1);
    part(reserved.table, reserved.table != no_node && task.nodes[reserved.table].make == Make::exp2 ? 1 : 0);
    part(reserved.pre, 0);
  }
  return needed;
}

std::vector<std::int16_t> useful_loads(const Task& task, const FillState& state) {
  std::vector<std::int16_t> loads;
  const auto consider = [&](NodeId id) {
    if (id == no_node) return;
    const Node& node = task.nodes[id];
    const bool fixed = node.make == Make::load && node.operand_count == 0 && node.entry_address == 0;
    if (node.make != Make::uniform && !fixed) return;
    if (std::find(loads.begin(), loads.end(), load_at(node.index)) == loads.end()) loads.push_back(load_at(node.index));
  };
  for (const Demand& demand : state.demands) consider(demand.node);
  for (std::size_t i = 0; i < task.outputs.size(); ++i)
    if (!state.stored[i]) consider(task.outputs[i].node);
  for (const NodeId id : state.ready) {
    if (task.nodes[id].clamp) loads.push_back(load_at(task.nodes[id].index));
    for (unsigned k = 0; k < task.nodes[id].operand_count; ++k) consider(task.nodes[id].operands[k].node);
  }
  return loads;
}

}  // namespace mobula::utgard_gp
