#include "machines/utgard_gp/schedule_fill.h"

#include <algorithm>

namespace mobula::utgard_gp {
namespace {

constexpr std::uint64_t bit(unsigned flat) { return std::uint64_t{1} << flat; }

constexpr std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

bool makes_combine(const Node& node) {
  return node.make == Make::rcp || node.make == Make::rsqrt || node.make == Make::exp2;
}

/// Adds (or with -1 takes away) what a node's operation does.
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
    count(node.height, static_cast<unsigned>(node.make) - static_cast<unsigned>(Make::add));
  } else if (node.make == Make::mul) {
    count(node.height, Remaining::mul);
  } else if (node.make == Make::select) {
    count(node.height, Remaining::wide);
  }
}

class Filler {
 public:
  Filler(const Task& task, FillState& state, const FillStyle& style, Random& random)
      : task_(task), state_(state), style_(style), random_(random) {
    ports_.load = style.load;
  }

  std::optional<FilledWord> run() {
    place_reserved();
    branch_at_end();
    if (!style_.share_branch_words) branch_alone();
    if (!branched_ || style_.share_branch_words) {
      if (!meet_far_demands()) return std::nullopt;
      meet_from_port0();
      fill_up();
      move_early();
    }
    close();
    return std::move(out_);
  }

 private:
  enum class Mul : std::uint8_t { open, products, square, wide };

  [[nodiscard]] unsigned here() const { return state_.words; }
  [[nodiscard]] const Node& node(NodeId id) const { return task_.nodes[id]; }
  PlannedWord& word() { return out_.word; }

  // ---------------------------------------------------------------------------------------------- demands and homes

  Demand* find_demand(NodeId id) {
    for (Demand& demand : state_.demands)
      if (demand.node == id) return &demand;
    return nullptr;
  }
  [[nodiscard]] unsigned bits(NodeId id) {
    const Demand* demand = find_demand(id);
    return demand == nullptr ? 0u : demand->bits;
  }
  void demand(NodeId id, bool b) {
    Demand* known = find_demand(id);
    if (known == nullptr) {
      state_.demands.push_back({id, 0});
      known = &state_.demands.back();
    }
    known->bits |= static_cast<std::uint8_t>(Demand::now | (b ? Demand::now_b : 0));
  }
  /// What the words below wanted of a value is there now.
  void meet(NodeId id, unsigned met = Demand::near | Demand::near_b | Demand::far) {
    if (Demand* demand = find_demand(id)) demand->bits &= static_cast<std::uint8_t>(~met);
  }
  Home* find_home(NodeId id) {
    for (Home& home : state_.homes)
      if (home.node == id) return &home;
    return nullptr;
  }

  // ---------------------------------------------------------------------------------------------- operands

  /// What the operands of one node would need of this word.
  struct Operands {
    Ports ports;
    std::vector<PlannedWord::Feed> feeds;
    std::array<NodeId, 4> demanded{};
    std::array<bool, 4> demanded_b{};
    unsigned demanded_count = 0;
    unsigned direct = 0, conflicts = 0, added = 0;  ///< for the score
  };

  Operands operands() const {
    Operands operands;
    operands.ports = ports_;
    return operands;
  }

  /// The port through which register `index` can be read besides what is loaded already, or -1.
  static int register_port(Ports& ports, unsigned index) {
    const auto number = static_cast<std::int16_t>(index);
    if (ports.port1 == number) return 1;
    if (ports.port0 == number) return 0;
    if (ports.port1 == port_free) {
      ports.port1 = number;
      return 1;
    }
    if (ports.port0 == port_free) {
      ports.port0 = number;
      return 0;
    }
    return -1;
  }

  /// True if the word's loads can deliver this leaf.
  bool load_leaf(NodeId id, Operands& operands) const {
    const Node& leaf = node(id);
    Ports& ports = operands.ports;
    switch (leaf.make) {
      case Make::uniform: {
        const auto address = static_cast<std::int16_t>(leaf.index);
        if (ports.load == port_free) ports.load = address;
        return ports.load == address;
      }
      case Make::attribute: {
        const std::int16_t wanted = port_of_attribute(leaf.index);
        if (ports.port0 == port_free) ports.port0 = wanted;
        return ports.port0 == wanted;
      }
      default: {
        const unsigned flat = 4u * leaf.index + leaf.component;
        if ((state_.blocked & bit(flat)) != 0) return false;
        const int port = register_port(ports, leaf.index);
        if (port < 0) return false;
        operands.feeds.push_back({id, static_cast<std::uint8_t>(flat), static_cast<std::uint8_t>(port)});
        return true;
      }
    }
  }

  void read(NodeId id, bool b, Operands& operands) {
    if (node(id).is_leaf()) {
      if (load_leaf(id, operands)) {
        ++operands.direct;
        return;
      }
      ++operands.conflicts;
    }
    if (const Home* home = find_home(id)) {
      const int port = register_port(operands.ports, home->flat / 4u);
      if (port >= 0) {
        operands.feeds.push_back({id, home->flat, static_cast<std::uint8_t>(port)});
        return;
      }
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

  void commit(const Operands& operands) {
    ports_ = operands.ports;
    for (const PlannedWord::Feed& feed : operands.feeds) {
      word().feeds.push_back(feed);
      if (Home* home = find_home(feed.node); home != nullptr && home->flat == feed.flat)
        home->store_from = static_cast<std::uint16_t>(std::max<unsigned>(home->store_from, here() + 3));
    }
    for (unsigned i = 0; i < operands.demanded_count; ++i) demand(operands.demanded[i], operands.demanded_b[i]);
  }

  /// One reading word of `id` is placed.
  void used(NodeId id) {
    if (--state_.users[id] == 0 && !node(id).is_leaf()) state_.ready.push_back(id);
  }
  void used_operands(const Node& user) {
    for (unsigned k = 0; k < user.operand_count; ++k) {
      const NodeId id = user.operands[k].node;
      bool again = id == no_node;
      for (unsigned j = 0; j < k; ++j) again |= user.operands[j].node == id;
      if (!again) used(id);
    }
  }

  /// Reads the operands of an operation of two numbers; the one that may come from the complex unit is the a operand.
  void read_operands(const Node& user, Operands& operands) {
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

  // ---------------------------------------------------------------------------------------------- slots

  [[nodiscard]] unsigned free_adders(Make make) const { return adders_ == 0 || adder_ == make ? 2 - adders_ : 0; }
  [[nodiscard]] unsigned free_multipliers() const { return mul_ == Mul::wide ? 0 : 2 - multipliers_; }
  /// Room for the moves decided so far.
  [[nodiscard]] bool moves_fit() const {
    const unsigned plain = free_adders(Make::add) + free_multipliers() + (pass_ ? 0 : 1);
    return plain_moves_ <= plain && plain_moves_ + any_moves_ <= plain + (complex_ ? 0 : 1);
  }

  void use_adder(NodeId id, Make make, Part part) {
    word().units[adders_ == 0 ? 0 : 1] = {id, part};
    adder_ = make;
    ++adders_;
  }
  void use_multiplier(NodeId id, Part part) {
    const Unit unit = word().at(Unit::mul1).part == Part::none ? Unit::mul1 : Unit::mul0;
    word().at(unit) = {id, part};
    if (mul_ == Mul::open) mul_ = Mul::products;
    ++multipliers_;
  }

  // ---------------------------------------------------------------------------------------------- stores

  bool can_store(const std::array<PlannedWord::Store, 2>& stores, bool varying, unsigned flat) const {
    const PlannedWord::Store& store = stores[flat % 4 / 2];
    const StoreKind kind = varying ? StoreKind::varying : StoreKind::reg;
    if (store.kind == StoreKind::none) return true;
    return store.kind == kind && store.index == flat / 4 && store.nodes[flat % 2] == no_node;
  }
  static void put_store(std::array<PlannedWord::Store, 2>& stores, bool varying, unsigned flat, NodeId id) {
    PlannedWord::Store& store = stores[flat % 4 / 2];
    store.kind = varying ? StoreKind::varying : StoreKind::reg;
    store.index = static_cast<std::uint8_t>(flat / 4);
    store.nodes[flat % 2] = id;
  }

  [[nodiscard]] bool may_store(const Output& output) const {
    if (static_cast<std::int16_t>(output.segment) < state_.segment) return false;
    return std::all_of(output.distances.begin(), output.distances.end(), [&](const Output::Distance& distance) {
      return here() - state_.branches[distance.segment] >= distance.words;
    });
  }

  /// Stores of `id` that this word can take; `all` tells whether none is left.
  struct Stores {
    std::array<PlannedWord::Store, 2> stores;
    std::vector<std::uint16_t> outputs;
    bool home = false, all = true;
  };
  Stores stores_of(NodeId id) { return stores_of(id, word().stores); }
  Stores stores_of(NodeId id, const std::array<PlannedWord::Store, 2>& taken) {
    Stores found;
    found.stores = taken;
    if (const Home* home = find_home(id)) {
      if (here() >= home->store_from && can_store(found.stores, false, home->flat)) {
        put_store(found.stores, false, home->flat, id);
        found.home = true;
      } else {
        found.all = false;
      }
    }
    for (const std::uint16_t number : node(id).outputs) {
      if (state_.stored[number]) continue;
      const Output& output = task_.outputs[number];
      if (may_store(output) && can_store(found.stores, output.varying, output.flat())) {
        put_store(found.stores, output.varying, output.flat(), id);
        found.outputs.push_back(number);
      } else {
        found.all = false;
      }
    }
    return found;
  }
  void commit(NodeId id, const Stores& stores) {
    word().stores = stores.stores;
    if (stores.home) {
      const auto home =
          std::find_if(state_.homes.begin(), state_.homes.end(), [&](const Home& each) { return each.node == id; });
      freed_ |= bit(home->flat);
      state_.homes.erase(home);
    }
    for (const std::uint16_t number : stores.outputs) {
      const Output& output = task_.outputs[number];
      state_.stored[number] = true;
      --state_.remaining.outputs;
      state_.hash ^= scramble(number + 0x10000u);
      if (output.barrier >= 0) --state_.barriers[static_cast<std::size_t>(output.barrier)];
      held_below_ |= output.barrier == state_.segment - 1 && output.barrier >= 0;
      if (output.varying) continue;
      const bool more = std::any_of(task_.outputs.begin(), task_.outputs.end(), [&](const Output& other) {
        return !other.varying && other.flat() == output.flat() &&
               !state_.stored[static_cast<std::size_t>(&other - task_.outputs.data())];
      });
      if (!more) state_.blocked &= ~bit(output.flat());
    }
  }
  [[nodiscard]] bool has_stores(NodeId id) {
    if (find_home(id) != nullptr) return true;
    const auto& outputs = node(id).outputs;
    return std::any_of(outputs.begin(), outputs.end(), [&](std::uint16_t number) { return !state_.stored[number]; });
  }

  // ---------------------------------------------------------------------------------------------- placing

  void place_reserved() {
    const Reserved reserved = state_.reserved[0];
    state_.reserved = {state_.reserved[1], state_.reserved[2], Reserved{}};
    if (reserved.pre != no_node) {
      pass_ = true;
      word().at(Unit::pass) = {reserved.pre, Part::pre};
      read_part(reserved.pre, false);
    }
    if (reserved.combine != no_node) {
      mul_ = Mul::wide;
      multipliers_ = 2;
      word().at(Unit::mul0) = {reserved.combine, Part::combine};
      read_part(reserved.combine, true);
    }
    if (reserved.table != no_node) {
      mul_ = Mul::square;
      multipliers_ = 1;
      complex_ = true;
      word().at(Unit::mul0) = {reserved.table, Part::square};
      word().at(Unit::complex) = {reserved.table, Part::table};
      if (node(reserved.table).make != Make::exp2) read_part(reserved.table, true);
    }
  }
  /// A part of a function sequence reads the argument.
  void read_part(NodeId function, bool b) {
    Operands needs = operands();
    const NodeId argument = node(function).operands[0].node;
    read(argument, b, needs);
    commit(needs);
    used(argument);
  }

  /// The last segment's branch stands in the last word.
  void branch_at_end() {
    if (here() == 0 && task_.conditions.back() != no_node) place_branch(task_.conditions.size() - 1);
  }
  /// Branches as soon as nothing else has to stand in this word.
  void branch_alone() {
    const bool idle = multipliers_ == 0 && !pass_ && !complex_ &&
                      std::none_of(state_.demands.begin(), state_.demands.end(),
                                   [](const Demand& demand) { return (demand.bits & Demand::far) != 0; });
    if (idle) try_branch();
  }
  void place_branch(std::size_t segment) {
    Operands needs = operands();
    const NodeId condition = task_.conditions[segment];
    meet(condition);
    read(condition, false, needs);
    commit(needs);
    used(condition);
    pass_ = true;
    word().at(Unit::pass) = {condition, Part::move};
    word().branch = static_cast<std::int16_t>(segment);
    branched_ = true;
    state_.branches[segment] = static_cast<std::uint16_t>(here());
  }
  bool try_branch() {
    if (branched_ || held_below_ || state_.segment == 0 || pass_) return false;
    const auto above = static_cast<std::size_t>(state_.segment - 1);
    if (state_.barriers[above] != 0) return false;
    pass_ = true;
    const bool fits = moves_fit();
    pass_ = false;
    if (!fits) return false;
    place_branch(above);
    --state_.segment;
    return true;
  }

  bool meet_far_demands() {
    std::vector<std::pair<double, NodeId>> far;
    for (const Demand& demand : state_.demands)
      if ((demand.bits & Demand::far) != 0)
        far.emplace_back(-(node(demand.node).height * style_.height + random_.unit() * style_.noise), demand.node);
    std::sort(far.begin(), far.end());
    std::vector<NodeId> left;
    for (const auto& [score, id] : far)
      if (!try_operation(id)) left.push_back(id);
    for (const NodeId id : left) {
      if (random_.unit() < style_.convert && convert(id)) continue;
      if (try_move(id) || convert(id)) continue;
      return false;
    }
    return true;
  }

  /// Turns what the word two below reads of a value into a register load there.
  bool convert(NodeId id) {
    constexpr unsigned back = 2;
    Ports& ports = state_.recent[back - 1];
    const Home* home = find_home(id);
    const std::optional<unsigned> flat = home != nullptr ? std::optional<unsigned>(home->flat) : choose_home(ports);
    if (!flat) return false;
    const int port = register_port(ports, *flat / 4);
    if (port < 0) return false;
    if (home == nullptr) {
      state_.homes.push_back({id, static_cast<std::uint8_t>(*flat), 0});
      state_.free &= ~bit(*flat);
    }
    Home& own = *find_home(id);
    own.store_from = static_cast<std::uint16_t>(std::max<unsigned>(own.store_from, here() - back + 3));
    out_.patches.push_back({back, {id, static_cast<std::uint8_t>(*flat), static_cast<std::uint8_t>(port)}});
    meet(id, Demand::far);
    return true;
  }
  /// A free register component that these ports can still load.
  std::optional<unsigned> choose_home(const Ports& ports) {
    const auto free_in = [&](std::int16_t index) { return static_cast<unsigned>(state_.free >> (4 * index) & 15); };
    for (const std::int16_t port : {ports.port1, ports.port0})
      if (port != port_free && !is_attribute_port(port) && free_in(port) != 0) return pick(port, free_in(port));
    if (ports.port0 != port_free && ports.port1 != port_free) return std::nullopt;
    // Values read near each other share a register.
    for (const Home& home : state_.homes)
      if (const auto index = static_cast<std::int16_t>(home.flat / 4); free_in(index) != 0 && random_.unit() < 0.5)
        return pick(index, free_in(index));
    const auto start = static_cast<std::int16_t>(random_.below(register_count));
    std::optional<unsigned> best;
    unsigned most = 0;
    for (std::int16_t i = 0; i < static_cast<std::int16_t>(register_count); ++i) {
      const auto index = static_cast<std::int16_t>((start + i) % static_cast<std::int16_t>(register_count));
      const unsigned count = static_cast<unsigned>(__builtin_popcount(free_in(index)));
      if (count > most) {
        most = count;
        best = pick(index, free_in(index));
      }
    }
    return best;
  }
  unsigned pick(std::int16_t index, unsigned components) {
    const unsigned start = static_cast<unsigned>(random_.below(4));
    for (unsigned i = 0; i < 4; ++i)
      if ((components >> ((start + i) % 4) & 1) != 0) return 4u * static_cast<unsigned>(index) + (start + i) % 4;
    return 0;
  }

  /// Copies a value in this word for the words below, and stores it where it has to go.
  bool try_move(NodeId id) {
    if (made(id)) return false;
    const unsigned wanted = bits(id);
    const bool any = (wanted & (Demand::far | Demand::near_b)) == 0;
    ++(any ? any_moves_ : plain_moves_);
    if (!moves_fit()) {
      --(any ? any_moves_ : plain_moves_);
      return false;
    }
    moves_.emplace_back(id, any);
    commit(id, stores_of(id));
    meet(id);
    Operands needs = operands();
    read(id, false, needs);
    commit(needs);
    return true;
  }
  [[nodiscard]] bool made(NodeId id) const {
    return std::any_of(moves_.begin(), moves_.end(), [&](const auto& move) { return move.first == id; });
  }

  /// Places an operation all of whose readers are placed, with all its stores.
  bool try_operation(NodeId id) {
    const Node& wanted = node(id);
    if (wanted.is_leaf()) return try_load(id);
    if ((bits(id) & Demand::now) != 0) return false;
    if (state_.users[id] != 0 || std::find(state_.ready.begin(), state_.ready.end(), id) == state_.ready.end())
      return false;
    const Stores stores = stores_of(id);
    if (!stores.all) return false;
    if (makes_combine(wanted)) {
      if (has_stores(id) || (bits(id) & Demand::near) != 0 || (bits(id) & Demand::far) == 0) return false;
    }
    Operands needs = operands();
    if (!take_slots(id, needs)) return false;
    commit(id, stores);
    commit(needs);
    meet(id);
    state_.ready.erase(std::find(state_.ready.begin(), state_.ready.end(), id));
    state_.hash ^= scramble(id);
    finish(id);
    return true;
  }

  /// A leaf that words below demand is moved if this word can load it.
  bool try_load(NodeId id) {
    if ((bits(id) & (Demand::near | Demand::far)) == 0) return false;
    Operands needs = operands();
    return load_leaf(id, needs) && try_move(id);
  }

  /// Finds units and reads the operands; nothing is changed if it fails.
  bool take_slots(NodeId id, Operands& needs) {
    const Node& wanted = node(id);
    switch (wanted.make) {
      case Make::mul:
        if (free_multipliers() == 0) return false;
        return try_slots([&] { use_multiplier(id, Part::whole); }, wanted, needs);
      case Make::negation:
        if (free_multipliers() > 0 && try_slots([&] { use_multiplier(id, Part::whole); }, wanted, needs)) return true;
        if (free_adders(Make::add) == 0) return false;
        return try_slots([&] { use_adder(id, Make::add, Part::whole); }, wanted, needs);
      case Make::select:
        if (mul_ != Mul::open) return false;
        return try_slots(
            [&] {
              mul_ = Mul::wide;
              multipliers_ = 2;
              word().at(Unit::mul0) = {id, Part::whole};
            },
            wanted, needs);
      case Make::rcp:
      case Make::rsqrt:
      case Make::exp2:
        if (mul_ != Mul::open || busy(0)) return false;
        if (wanted.make == Make::exp2 && state_.reserved[1].pre != no_node) return false;
        return try_slots(
            [&] {
              mul_ = Mul::wide;
              multipliers_ = 2;
              word().at(Unit::mul0) = {id, Part::combine};
            },
            wanted, needs);
      case Make::log2:
        if (pass_ || busy(1) || busy(2)) return false;
        return try_slots(
            [&] {
              pass_ = true;
              word().at(Unit::pass) = {id, Part::post};
            },
            wanted, needs);
      default:
        break;
    }
    if (wanted.clamp) {
      const auto address = static_cast<std::int16_t>(wanted.index);
      if (pass_ || (needs.ports.load != port_free && needs.ports.load != address)) return false;
      needs.ports.load = address;
      return try_slots(
          [&] {
            pass_ = true;
            word().at(Unit::pass) = {id, Part::whole};
          },
          wanted, needs);
    }
    if (free_adders(wanted.make) == 0) return false;
    return try_slots([&] { use_adder(id, wanted.make, Part::whole); }, wanted, needs);
  }
  /// Mul slots of the word after next and so on, taken by a function's table or combine part.
  [[nodiscard]] bool busy(unsigned above) const {
    return state_.reserved[above].combine != no_node || state_.reserved[above].table != no_node;
  }

  template <class Use>
  bool try_slots(Use use, const Node& wanted, Operands& needs) {
    const auto units = word().units;
    const auto saved = std::tuple(mul_, multipliers_, adder_, adders_, pass_, complex_);
    use();
    if (!moves_fit()) {
      word().units = units;
      std::tie(mul_, multipliers_, adder_, adders_, pass_, complex_) = saved;
      return false;
    }
    if (wanted.make == Make::rcp || wanted.make == Make::rsqrt)
      read(wanted.operands[0].node, true, needs);
    else if (wanted.make != Make::exp2 && wanted.make != Make::log2)
      read_operands(wanted, needs);
    return true;
  }

  /// Books what an operation leaves for the words above.
  void finish(NodeId id) {
    const Node& placed = node(id);
    count_work(placed, state_.remaining, -1);
    switch (placed.make) {
      case Make::exp2:
        state_.reserved[0].table = id;
        state_.reserved[1].pre = id;
        return;
      case Make::log2:
        state_.reserved[1].combine = id;
        state_.reserved[2].table = id;
        return;
      case Make::rcp:
      case Make::rsqrt:
        state_.reserved[0].table = id;
        used(placed.operands[0].node);
        return;
      default:
        break;
    }
    used_operands(placed);
  }

  // ---------------------------------------------------------------------------------------------- choosing

  /// Attributes that the word below reads can be loaded by port 0 here.
  void meet_from_port0() {
    if (ports_.port0 != port_free && !is_attribute_port(ports_.port0)) return;
    std::array<unsigned, attribute_count> wanted{};
    for (const Demand& demand : state_.demands)
      if (is_from_port0(demand)) ++wanted[node(demand.node).index];
    const auto most = std::max_element(wanted.begin(), wanted.end());
    if (ports_.port0 == port_free) {
      if (*most == 0) return;
      ports_.port0 = port_of_attribute(static_cast<unsigned>(most - wanted.begin()));
    }
    for (Demand& demand : state_.demands)
      if (is_from_port0(demand) && ports_.port0 == port_of_attribute(node(demand.node).index))
        demand.bits &= static_cast<std::uint8_t>(~(Demand::near | Demand::near_b));
  }
  [[nodiscard]] bool is_from_port0(const Demand& demand) const {
    return node(demand.node).make == Make::attribute && (demand.bits & Demand::near) != 0 &&
           (demand.bits & Demand::far) == 0;
  }

  void fill_up() {
    std::vector<NodeId> candidates(state_.ready);
    for (const Demand& demand : state_.demands)
      if (node(demand.node).is_leaf() && (demand.bits & Demand::near) != 0) candidates.push_back(demand.node);
    for (const Home& home : state_.homes)
      if (node(home.node).is_leaf()) candidates.push_back(home.node);
    for (const Output& output : task_.outputs)
      if (node(output.node).is_leaf() && !state_.stored[static_cast<std::size_t>(&output - task_.outputs.data())])
        candidates.push_back(output.node);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::vector<double> noise(candidates.size());
    for (double& each : noise) each = random_.unit() * style_.noise;
    if (style_.share_branch_words) try_branch();
    while (true) {
      double best = -1e9;
      std::size_t chosen = candidates.size();
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i] == no_node) continue;
        const double score = this->score(candidates[i]) + noise[i];
        if (score > best) {
          best = score;
          chosen = i;
        }
      }
      if (chosen == candidates.size()) break;
      if (!place(candidates[chosen])) {
        candidates[chosen] = no_node;
        continue;
      }
      candidates[chosen] = no_node;
      if (style_.share_branch_words) try_branch();
    }
  }

  /// Idle slots can move values that need not be made before the next word. A function's result, which can be read at
  /// one distance only, needs that when words at different distances read it.
  void move_early() {
    std::vector<NodeId> early;
    for (const Demand& demand : state_.demands) {
      if ((demand.bits & (Demand::near | Demand::far)) != Demand::near) continue;
      const bool late = makes_combine(node(demand.node)) && (demand.bits & Demand::now) != 0;
      if (random_.unit() < (late ? 0.5 + style_.early / 2 : style_.early)) early.push_back(demand.node);
    }
    for (const NodeId id : early) try_move(id);
  }

  bool place(NodeId id) {
    if (!node(id).is_leaf() && try_operation(id)) return true;
    const bool wanted = (bits(id) & Demand::near) != 0;
    if (node(id).is_leaf()) {
      if (wanted && try_load(id)) return true;
      if (!has_stores(id) || made(id)) return false;
      const Stores stores = stores_of(id);
      if (stores.outputs.empty() && !stores.home) return false;
      Operands needs = operands();
      return load_leaf(id, needs) && try_move(id);
    }
    // The result of a function cannot be stored by itself, and stores of one result can be too many for one word.
    if (!has_stores(id) || made(id)) return false;
    const Stores stores = stores_of(id);
    if (stores.outputs.empty() && !stores.home) return false;
    if (!makes_combine(node(id)) && stores_of(id, {}).all) return false;
    return try_move(id);
  }

  double score(NodeId id) {
    const Node& candidate = node(id);
    const unsigned wanted = bits(id);
    double score = candidate.height * style_.height + ((wanted & Demand::near) != 0 ? style_.near : 0);
    Operands needs = operands();
    if (candidate.is_leaf())
      read(id, false, needs);
    else if (!is_function(candidate.make))
      read_operands(candidate, needs);
    score += needs.direct * style_.direct - needs.conflicts * style_.conflict;
    const int added = static_cast<int>(needs.added) - (wanted != 0 ? 1 : 0);
    score -= added * style_.live;
    if (added > 0 && state_.demands.size() >= style_.live_limit) return -1e9;
    return score;
  }

  // ---------------------------------------------------------------------------------------------- closing

  void close() {
    assign_moves();
    word().load = ports_.load;
    word().port0 = ports_.port0;
    word().port1 = ports_.port1;
    std::erase_if(state_.demands, [](const Demand& demand) { return demand.bits == 0; });
    for (Demand& demand : state_.demands) {
      std::uint8_t shifted = 0;
      if ((demand.bits & Demand::near) != 0) shifted |= Demand::far;
      if ((demand.bits & Demand::now) != 0) shifted |= Demand::near;
      if ((demand.bits & Demand::now_b) != 0) shifted |= Demand::near_b;
      demand.bits = shifted;
    }
    state_.free |= state_.freed;
    state_.freed = freed_;
    state_.recent = {ports_, state_.recent[0]};
    ++state_.words;
  }

  void assign_moves() {
    std::stable_partition(moves_.begin(), moves_.end(), [](const auto& move) { return !move.second; });
    for (const auto& [id, any] : moves_) {
      if (any && !complex_) {
        complex_ = true;
        word().at(Unit::complex) = {id, Part::move};
      } else if (!pass_) {
        pass_ = true;
        word().at(Unit::pass) = {id, Part::move};
      } else if (free_multipliers() > 0) {
        use_multiplier(id, Part::move);
      } else {
        use_adder(id, Make::add, Part::move);
      }
    }
  }

  const Task& task_;
  FillState& state_;
  const FillStyle& style_;
  Random& random_;
  FilledWord out_;
  Ports ports_;
  Mul mul_ = Mul::open;
  unsigned multipliers_ = 0, adders_ = 0, plain_moves_ = 0, any_moves_ = 0;
  Make adder_ = Make::add;
  bool pass_ = false, complex_ = false, branched_ = false;
  bool held_below_ = false;                     ///< a store of this word must stand below the next branch
  std::vector<std::pair<NodeId, bool>> moves_;  ///< and whether the complex unit may make it
  std::uint64_t freed_ = 0;
};

}  // namespace

bool FillState::done() const {
  return demands.empty() && homes.empty() && ready.empty() && remaining.outputs == 0 && segment == 0 &&
         std::all_of(reserved.begin(), reserved.end(), [](const Reserved& each) {
           return each.combine == no_node && each.table == no_node && each.pre == no_node;
         });
}

FillState first_state(const Task& task) {
  FillState state;
  state.segment = static_cast<std::int16_t>(task.conditions.size() - 1);
  state.free = task.spill;
  state.stored.assign(task.outputs.size(), false);
  state.barriers.assign(task.conditions.size(), 0);
  state.branches.assign(task.conditions.size(), 0);
  for (const Output& output : task.outputs) {
    if (output.barrier >= 0) ++state.barriers[static_cast<std::size_t>(output.barrier)];
    if (!output.varying) state.blocked |= bit(output.flat());
  }
  state.remaining.outputs = static_cast<std::uint16_t>(task.outputs.size());
  unsigned highest = 0;
  for (const Node& node : task.nodes) highest = std::max<unsigned>(highest, node.height);
  state.remaining.by_height.assign((highest + 1) * Remaining::kinds, 0);
  for (NodeId id = 0; id < task.nodes.size(); ++id) {
    const Node& node = task.nodes[id];
    state.users.push_back(node.users);
    if (node.users == 0 && !node.is_leaf()) state.ready.push_back(id);
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

unsigned words_needed(const Task& task, const FillState& state) {
  unsigned needed = std::max(units_needed(state.remaining), static_cast<unsigned>(state.segment));
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
    if (id == no_node || task.nodes[id].make != Make::uniform) return;
    const auto address = static_cast<std::int16_t>(task.nodes[id].index);
    if (std::find(loads.begin(), loads.end(), address) == loads.end()) loads.push_back(address);
  };
  for (const Demand& demand : state.demands) consider(demand.node);
  for (const NodeId id : state.ready) {
    if (task.nodes[id].clamp) loads.push_back(static_cast<std::int16_t>(task.nodes[id].index));
    for (unsigned k = 0; k < task.nodes[id].operand_count; ++k) consider(task.nodes[id].operands[k].node);
  }
  return loads;
}

std::optional<FilledWord> fill(const Task& task, FillState& state, const FillStyle& style, Random& random) {
  return Filler(task, state, style, random).run();
}

}  // namespace mobula::utgard_gp
