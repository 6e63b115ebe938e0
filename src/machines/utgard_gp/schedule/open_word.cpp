#include "machines/utgard_gp/schedule/open_word.h"

#include <algorithm>

namespace mobula::utgard_gp {

using Feed = PlannedWord::Feed;

static constexpr std::uint64_t bit(unsigned flat) { return std::uint64_t{1} << flat; }

// ------------------------------------------------------------------------------------------------ demands and homes

Demand* OpenWord::find_demand(NodeId id) {
  for (Demand& demand : state_.demands)
    if (demand.node == id) return &demand;
  return nullptr;
}

unsigned OpenWord::bits(NodeId id) {
  const Demand* demand = find_demand(id);
  return demand == nullptr ? 0u : demand->bits;
}

void OpenWord::demand(NodeId id, bool b) {
  Demand* known = find_demand(id);
  if (known == nullptr) {
    state_.demands.push_back({id, 0});
    known = &state_.demands.back();
  }
  known->bits |= static_cast<std::uint8_t>(Demand::now | (b ? Demand::now_b : 0));
}

void OpenWord::meet(NodeId id, unsigned met) {
  if (Demand* demand = find_demand(id)) demand->bits &= static_cast<std::uint8_t>(~met);
}

Home* OpenWord::find_home(NodeId id) {
  for (Home& home : state_.homes)
    if (home.node == id) return &home;
  return nullptr;
}

// ------------------------------------------------------------------------------------------------ operands

OpenWord::Operands OpenWord::operands() const {
  Operands operands;
  operands.ports = ports_;
  operands.held = state_.held;
  return operands;
}

std::optional<Feed::Port> OpenWord::register_port(Ports& ports, unsigned index) {
  const auto number = static_cast<std::int16_t>(index);
  if (ports.port1 == number) return Feed::port1;
  if (ports.port0 == number) return Feed::port0;
  if (ports.port1 == port_free) {
    ports.port1 = number;
    return Feed::port1;
  }
  if (ports.port0 == port_free) {
    ports.port0 = number;
    return Feed::port0;
  }
  return std::nullopt;
}

/// Takes the port if it is free; false if it loads something else.
static bool take(std::int16_t& port, std::int16_t wanted) {
  if (port == port_free) port = wanted;
  return port == wanted;
}

std::optional<Feed::Port> OpenWord::place_port(Ports& ports, unsigned flat) const {
  if (!is_temporary_place(flat)) return register_port(ports, flat / 4);
  if (!take(ports.load, load_at(task_.temporaries[temporary_of(flat)].vec4))) return std::nullopt;
  return Feed::load;
}

/// `id` is one of the leaves that kind_of() names.
bool OpenWord::load_leaf(NodeId id, Operands& operands) const {
  const Node& leaf = node(id);
  if (leaf.make == Make::uniform) return take(operands.ports.load, load_at(leaf.index));
  if (leaf.make == Make::attribute) return take(operands.ports.port0, port_of_attribute(leaf.index));
  return leaf.make == Make::load ? load_memory(id, operands) : load_register(id, operands);
}

bool OpenWord::load_register(NodeId id, Operands& operands) const {
  const Node& leaf = node(id);
  const unsigned flat = 4u * leaf.index + leaf.component;
  if ((state_.blocked & bit(flat)) != 0) return false;
  const auto port = register_port(operands.ports, leaf.index);
  if (!port) return false;
  operands.feeds.push_back({id, static_cast<std::uint16_t>(flat), *port});
  return true;
}

bool OpenWord::is_stored(std::int32_t output) const {
  const auto number = static_cast<std::uint16_t>(output);
  if (state_.stored[number]) return true;
  return storing_ != nullptr &&
         std::find(storing_->outputs.begin(), storing_->outputs.end(), number) != storing_->outputs.end();
}

bool OpenWord::load_memory(NodeId id, Operands& operands) const {
  const Node& load = node(id);
  if (load.before != no_output && !is_stored(load.before)) return false;
  unsigned k = load.entry_address;
  if (k != 0 && operands.held[k].node != no_node) return false;
  if (load.operand_count != 0) {
    k = address_register(load.operands[0].node, operands.held);
    if (k == 0) return false;
  }
  if (!take(operands.ports.load, load_at(load.index, k))) return false;
  if (load.operand_count != 0) operands.held[k].node = load.operands[0].node;
  operands.feeds.push_back({id, load.component, Feed::load});
  return true;
}

unsigned OpenWord::address_register(NodeId address, const HeldAddresses& held) const {
  for (unsigned k = 1; k < address_registers; ++k)
    if (held[k].node == address) return k;
  for (unsigned k = 1; k < address_registers; ++k)
    if (held[k].node == no_node && (task_.kept_addresses >> k & 1) == 0) return k;
  return 0;
}

void OpenWord::read(NodeId id, bool b, Operands& operands) {
  if (node(id).is_leaf()) {
    if (load_leaf(id, operands)) {
      ++operands.direct;
      return;
    }
    ++operands.conflicts;
  }
  if (const Home* home = find_home(id))
    if (const auto port = place_port(operands.ports, home->flat)) {
      operands.feeds.push_back({id, home->flat, *port});
      return;
    }
  for (unsigned i = 0; i < operands.demanded_count; ++i)
    if (operands.demanded[i] == id) {
      operands.demanded_b[i] |= b;
      return;
    }
  if (bits(id) == 0) ++operands.added;
  operands.demanded[operands.demanded_count] = id;
  operands.demanded_b[operands.demanded_count++] = b;
}

void OpenWord::read_operands(const Node& user, Operands& operands) {
  if (user.make == Make::select) {
    read(user.operands[0].node, true, operands);
    read(user.operands[1].node, false, operands);
    read(user.operands[2].node, false, operands);
    return;
  }
  if (user.operand_count == 1 || user.operands[1].node == no_node) {
    read(user.operands[0].node, false, operands);
    return;
  }
  const NodeId x = user.operands[0].node, y = user.operands[1].node;
  if (x == y) {
    read(x, true, operands);
    return;
  }
  Operands tried = operands;
  read(x, false, tried);
  const bool x_demanded = tried.demanded_count > operands.demanded_count;
  const unsigned after_x = tried.demanded_count;
  read(y, false, tried);
  const bool y_demanded = tried.demanded_count > after_x;
  if (x_demanded && y_demanded) {  // one of them must be a b operand
    const unsigned b = (bits(x) & Demand::now_b) != 0 ? after_x - 1 : tried.demanded_count - 1;
    tried.demanded_b[b] = true;
  }
  operands = std::move(tried);
}

void OpenWord::commit(const Operands& operands) {
  ports_ = operands.ports;
  for (unsigned k = 1; k < address_registers; ++k) {
    if (state_.held[k].node == operands.held[k].node) continue;
    state_.held[k].node = operands.held[k].node;
    ++state_.users[operands.held[k].node];
  }
  for (const Feed& feed : operands.feeds) {
    word_.feeds.push_back(feed);
    if (feed.port == Feed::load && !is_temporary_place(feed.flat)) {
      commit_load(feed);
    } else if (Home* home = find_home(feed.node); home != nullptr && home->flat == feed.flat) {
      const unsigned latency = is_temporary_place(home->flat) ? temporary_latency : register_latency;
      home->store_from = static_cast<std::uint16_t>(std::max<unsigned>(home->store_from, here() + latency));
    }
  }
  for (unsigned i = 0; i < operands.demanded_count; ++i) demand(operands.demanded[i], operands.demanded_b[i]);
}

void OpenWord::commit_load(const Feed& feed) {
  const Node& load = node(feed.node);
  const auto from = [&](unsigned latency) { return static_cast<std::uint16_t>(here() + latency); };
  if (load.operand_count != 0)
    for (Held& held : state_.held)
      if (held.node == load.operands[0].node) held.set_from = std::max(held.set_from, from(address_latency));
  if (load.after == no_output) return;
  StoreWait& wait = state_.waits[static_cast<std::size_t>(load.after)];
  wait.store_from = std::max(wait.store_from, from(temporary_latency));
}

void OpenWord::used(NodeId id) {
  if (--state_.users[id] == 0 && !node(id).is_leaf()) state_.ready.push_back(id);
}

void OpenWord::used_operands(const Node& user) {
  for (unsigned k = 0; k < user.operand_count; ++k) {
    const NodeId id = user.operands[k].node;
    bool again = id == no_node;
    for (unsigned j = 0; j < k; ++j) again |= user.operands[j].node == id;
    if (!again) used(id);
  }
}

// ------------------------------------------------------------------------------------------------ slots

bool OpenWord::moves_fit() const {
  const unsigned plain = free_adders(Make::add) + free_multipliers() + (pass_ ? 0 : 1);
  return plain_moves_ <= plain && plain_moves_ + any_moves_ <= plain + (complex_ ? 0 : 1);
}

bool OpenWord::complex_fits() {
  if (complex_) return false;
  complex_ = true;
  const bool fits = moves_fit();
  complex_ = false;
  return fits;
}

void OpenWord::use_adder(NodeId id, Make make, Part part) {
  word_.units[adders_ == 0 ? 0 : 1] = {id, part};
  adder_ = make;
  ++adders_;
}

void OpenWord::use_multiplier(NodeId id, Part part) {
  const Unit unit = word_.at(Unit::mul1).part == Part::none ? Unit::mul1 : Unit::mul0;
  word_.at(unit) = {id, part};
  if (mul_ == Mul::open) mul_ = Mul::plain;
  ++multipliers_;
}

void OpenWord::use_complex(NodeId id, Part part) {
  word_.at(Unit::complex) = {id, part};
  complex_ = true;
}

// ------------------------------------------------------------------------------------------------ stores

bool OpenWord::may_store(std::uint16_t number) const {
  const Output& output = task_.outputs[number];
  if (static_cast<std::int16_t>(output.segment) < state_.segment) return false;
  if (output.kind == StoreKind::temporary) {
    if (output.next != no_output && !state_.stored[static_cast<std::size_t>(output.next)]) return false;
    const StoreWait& wait = state_.waits[number];
    if (wait.loads != 0 || here() < wait.store_from) return false;
  }
  return std::all_of(output.distances.begin(), output.distances.end(), [&](const Output::Distance& distance) {
    return here() - state_.branches[distance.segment] >= distance.words;
  });
}

bool OpenWord::put_store(Stores& stores, StoreKind kind, unsigned index, unsigned component, NodeId id) {
  PlannedWord::Store& store = stores.stores[component / 2];
  // Whether a temporary may be stored beside something else is not known (reference 11).
  const StoreKind beside = stores.stores[1 - component / 2].kind;
  if (beside != StoreKind::none && (beside == StoreKind::temporary) != (kind == StoreKind::temporary)) return false;
  if (store.kind != StoreKind::none &&
      (store.kind != kind || store.index != index || store.nodes[component % 2] != no_node))
    return false;
  store.kind = kind;
  store.index = static_cast<std::uint8_t>(index);
  store.nodes[component % 2] = id;
  return true;
}

bool OpenWord::put_temporary(Stores& stores, unsigned index, unsigned component, NodeId id, NodeId address,
                             bool may_set) {
  if (stores.address != address && (stores.address != no_node || !may_set)) return false;
  if (!put_store(stores, StoreKind::temporary, index, component, id)) return false;
  stores.sets_address |= stores.address == no_node;
  stores.address = address;
  return true;
}

bool OpenWord::put_home(Stores& stores, const Home& home, bool may_set) const {
  if (here() < home.store_from) return false;
  const unsigned flat = home.flat;
  if (!is_temporary_place(flat)) return put_store(stores, StoreKind::reg, flat / 4, flat % 4, home.node);
  const unsigned number = temporary_of(flat);
  const NodeId address = task_.temporaries[number].address;
  // The word loads the address itself, so that anyone can tell where it stores.
  if (ports_.load != port_free && ports_.load != load_at(node(address).index)) return false;
  return put_temporary(stores, number + 1, flat % 4, home.node, address, may_set);
}

OpenWord::Stores OpenWord::stores_of(NodeId id, const std::array<PlannedWord::Store, 2>& taken, NodeId address,
                                     bool may_set) {
  Stores found;
  found.stores = taken;
  found.address = address;
  if (const Home* home = find_home(id)) {
    found.home = put_home(found, *home, may_set);
    found.all = found.home;
  }
  for (const std::uint16_t number : node(id).outputs) {
    if (state_.stored[number]) continue;
    const Output& output = task_.outputs[number];
    const bool fits = may_store(number) && (output.kind == StoreKind::temporary
                                                ? put_temporary(found, 0, output.component, id, output.address, may_set)
                                                : put_store(found, output.kind, output.index, output.component, id));
    if (fits)
      found.outputs.push_back(number);
    else
      found.all = false;
  }
  return found;
}

void OpenWord::commit(NodeId id, const Stores& stores) {
  word_.stores = stores.stores;
  if (stores.sets_address) {
    temporary_address_ = stores.address;
    use_complex(stores.address, Part::address);
  }
  if (stores.home) {
    const auto home =
        std::find_if(state_.homes.begin(), state_.homes.end(), [&](const Home& each) { return each.node == id; });
    freed_.set(home->flat);
    state_.homes.erase(home);
  }
  for (const std::uint16_t number : stores.outputs) commit_output(number);
}

void OpenWord::commit_output(std::uint16_t number) {
  const Output& output = task_.outputs[number];
  state_.stored[number] = true;
  --state_.remaining.outputs;
  state_.hash ^= scramble(number + 0x10000u);
  if (output.barrier >= 0) --state_.barriers[static_cast<std::size_t>(output.barrier)];
  held_below_ |= output.barrier == state_.segment - 1 && output.barrier >= 0;
  if (output.kind == StoreKind::temporary) used(output.address);
  if (output.kind != StoreKind::reg) return;
  const bool more = std::any_of(task_.outputs.begin(), task_.outputs.end(), [&](const Output& other) {
    return other.kind == StoreKind::reg && other.flat() == output.flat() &&
           !state_.stored[static_cast<std::size_t>(&other - task_.outputs.data())];
  });
  if (!more) state_.blocked &= ~bit(output.flat());
}

bool OpenWord::has_stores(NodeId id) {
  if (find_home(id) != nullptr) return true;
  const auto& outputs = node(id).outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](std::uint16_t number) { return !state_.stored[number]; });
}

bool OpenWord::set_address(unsigned k) {
  Held& held = state_.held[k];
  if (held.node == no_node || here() < held.set_from || !complex_fits()) return false;
  use_complex(held.node, Part::address);
  word_.address_register = static_cast<std::uint8_t>(k);
  Operands needs = operands();
  read(held.node, false, needs);
  commit(needs);
  if (held.leaves) --state_.remaining.outputs;
  used(held.node);
  state_.hash ^= scramble(held.node + 0x40000u);
  held = {};
  return true;
}

bool OpenWord::is_finished(NodeId load) {
  return state_.users[load] == 0 && find_demand(load) == nullptr && !has_stores(load);
}

}  // namespace mobula::utgard_gp
