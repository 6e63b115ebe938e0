#include "machines/utgard_gp/schedule/fill.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

#include "machines/utgard_gp/schedule/open_word.h"

namespace mobula::utgard_gp {
namespace {

class Filler : public OpenWord {
 public:
  Filler(const Task& task, FillState& state, const FillStyle& style, Random& random)
      : OpenWord(task, state, style.load), style_(style), random_(random) {}

  std::optional<FilledWord> run() {
    place_reserved();
    branch_at_end();
    if (!style_.share_branch_words) branch_alone();
    if (!branched_ || style_.share_branch_words) {
      if (!meet_far_demands()) return std::nullopt;
      meet_from_port0();
      set_addresses();
      fill_up();
      move_early();
    }
    close();
    out_.word = std::move(word_);
    return std::move(out_);
  }

 private:
  // ---------------------------------------------------------------------------------------------- placing

  void place_reserved() {
    const Reserved reserved = state_.reserved[0];
    state_.reserved = {state_.reserved[1], state_.reserved[2], Reserved{}};
    if (reserved.pre != no_node) {
      pass_ = true;
      word_.at(Unit::pass) = {reserved.pre, Part::pre};
      read_part(reserved.pre, false);
    }
    if (reserved.combine != no_node) {
      mul_ = Mul::wide;
      multipliers_ = 2;
      word_.at(Unit::mul0) = {reserved.combine, Part::combine};
      read_part(reserved.combine, true);
    }
    if (reserved.table != no_node) {
      mul_ = Mul::square;
      multipliers_ = 1;
      word_.at(Unit::mul0) = {reserved.table, Part::square};
      use_complex(reserved.table, Part::table);
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

  /// The last segment's branch is in the last word.
  void branch_at_end() {
    if (here() == 0 && task_.conditions.back() != no_node) place_branch(task_.conditions.size() - 1);
  }
  /// Branches as soon as nothing else has to be in this word.
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
    word_.at(Unit::pass) = {condition, Part::move};
    word_.branch = static_cast<std::int16_t>(segment);
    branched_ = true;
    state_.branches[segment] = static_cast<std::uint16_t>(here());
  }
  bool try_branch() {
    if (branched_ || held_below_ || state_.segment == 0 || pass_ || temporary_address_ != no_node) return false;
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

  /// Turns what the word two below reads of a value into a load from a register or temporary there.
  bool convert(NodeId id) {
    constexpr unsigned back = 2;
    Ports& ports = state_.recent[back - 1];
    const Home* home = find_home(id);
    std::optional<unsigned> flat = home != nullptr ? std::optional<unsigned>(home->flat) : choose_home(ports);
    if (!flat) flat = choose_temporary(ports);
    if (!flat) return false;
    const auto port = place_port(ports, *flat);
    if (!port) return false;
    if (home == nullptr) {
      state_.homes.push_back({id, static_cast<std::uint16_t>(*flat), 0});
      state_.free.reset(*flat);
    }
    const unsigned latency = is_temporary_place(*flat) ? temporary_latency : register_latency;
    Home& own = *find_home(id);
    own.store_from = static_cast<std::uint16_t>(std::max<unsigned>(own.store_from, here() - back + latency));
    out_.patches.push_back({back, {id, static_cast<std::uint16_t>(*flat), *port}});
    meet(id, Demand::far);
    return true;
  }
  /// A free register component that these ports can still load.
  std::optional<unsigned> choose_home(const Ports& ports) {
    const auto free_in = [&](std::int16_t index) { return free_components(4 * static_cast<unsigned>(index)); };
    for (const std::int16_t port : {ports.port1, ports.port0})
      if (port != port_free && !is_attribute_port(port) && free_in(port) != 0) return pick(port, free_in(port));
    if (ports.port0 != port_free && ports.port1 != port_free) return std::nullopt;
    // Values read near each other share a register.
    for (const Home& home : state_.homes)
      if (const auto index = static_cast<std::int16_t>(home.flat / 4);
          !is_temporary_place(home.flat) && free_in(index) != 0 && random_.unit() < 0.5)
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
  /// A free component of a temporary that these ports can still load.
  [[nodiscard]] std::optional<unsigned> choose_temporary(const Ports& ports) const {
    for (unsigned i = 0; i < task_.temporaries.size(); ++i) {
      const unsigned first = flat_registers + 4 * i, components = free_components(first);
      if (components == 0) continue;
      if (ports.load != port_free && ports.load != load_at(task_.temporaries[i].vec4)) continue;
      return first + static_cast<unsigned>(std::countr_zero(components));
    }
    return std::nullopt;
  }
  /// Of the four scalar places from `first` on, those free: bits 0 to 3.
  [[nodiscard]] unsigned free_components(unsigned first) const {
    unsigned components = 0;
    for (unsigned c = 0; c < 4; ++c) components |= state_.free[first + c] ? 1u << c : 0u;
    return components;
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
    const Stores stores = stores_of(id);
    commit(id, stores);
    meet(id);
    Operands needs = operands();
    read_address(stores, needs);
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
    complex_ |= stores.sets_address;
    storing_ = &stores;
    read_address(stores, needs);
    const bool taken = take_slots(id, needs);
    storing_ = nullptr;
    if (!taken) {
      complex_ ^= stores.sets_address;
      return false;
    }
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
    switch (kind_of(wanted.make)) {
      case MakeKind::product:
        if (free_multipliers() > 0 && try_slots([&] { use_multiplier(id, Part::whole); }, wanted, needs)) return true;
        if (wanted.make != Make::negation || free_adders(Make::add) == 0) return false;
        return try_slots([&] { use_adder(id, Make::add, Part::whole); }, wanted, needs);
      case MakeKind::select:
        return mul_ == Mul::open && try_slots([&] { use_both_multipliers(id, Part::whole); }, wanted, needs);
      case MakeKind::function:
        return take_end_of_function(id, needs);
      case MakeKind::adder:
        if (wanted.clamp) return take_clamp(id, needs);
        if (free_adders(wanted.make) == 0) return false;
        return try_slots([&] { use_adder(id, wanted.make, Part::whole); }, wanted, needs);
      case MakeKind::leaf:
      case MakeKind::state:
        break;  // no operations
    }
    return false;
  }
  bool take_end_of_function(NodeId id, Operands& needs) {
    const Node& wanted = node(id);
    const FunctionMake& sequence = sequence_of(wanted.make);
    if (sequence.ends_in_pass) {
      if (pass_ || busy(1) || busy(2)) return false;
      return try_slots([&] { use_pass(id, Part::post); }, wanted, needs);
    }
    if (mul_ != Mul::open || busy(0)) return false;
    if (sequence.begins_in_pass && state_.reserved[1].pre != no_node) return false;
    return try_slots([&] { use_both_multipliers(id, Part::combine); }, wanted, needs);
  }
  bool take_clamp(NodeId id, Operands& needs) {
    const Node& wanted = node(id);
    const std::int16_t address = load_at(wanted.index);
    if (pass_ || (needs.ports.load != port_free && needs.ports.load != address)) return false;
    needs.ports.load = address;
    return try_slots([&] { use_pass(id, Part::whole); }, wanted, needs);
  }
  void use_both_multipliers(NodeId id, Part part) {
    mul_ = Mul::wide;
    multipliers_ = 2;
    word_.at(Unit::mul0) = {id, part};
  }
  void use_pass(NodeId id, Part part) {
    pass_ = true;
    word_.at(Unit::pass) = {id, part};
  }
  /// Mul slots of the word after next and so on, taken by a function's table or combine part.
  [[nodiscard]] bool busy(unsigned above) const {
    return state_.reserved[above].combine != no_node || state_.reserved[above].table != no_node;
  }

  template <class Use>
  bool try_slots(Use use, const Node& wanted, Operands& needs) {
    const auto units = word_.units;
    const auto saved = std::tuple(mul_, multipliers_, adder_, adders_, pass_, complex_);
    use();
    if (!moves_fit()) {
      word_.units = units;
      std::tie(mul_, multipliers_, adder_, adders_, pass_, complex_) = saved;
      return false;
    }
    if (!is_function(wanted.make))
      read_operands(wanted, needs);
    else if (const FunctionMake& sequence = sequence_of(wanted.make);
             !sequence.begins_in_pass && !sequence.ends_in_pass)
      read(wanted.operands[0].node, true, needs);
    return true;
  }

  /// Books what an operation leaves for the words above.
  void finish(NodeId id) {
    const Node& placed = node(id);
    count_work(placed, state_.remaining, -1);
    if (!is_function(placed.make)) return used_operands(placed);
    const FunctionMake& sequence = sequence_of(placed.make);
    if (sequence.ends_in_pass) {
      state_.reserved[1].combine = id;
      state_.reserved[2].table = id;
      return;
    }
    state_.reserved[0].table = id;
    if (sequence.begins_in_pass)
      state_.reserved[1].pre = id;
    else
      used(placed.operands[0].node);
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

  /// Address registers are set as soon as no load can need them any more, and by chance before: then they will be set
  /// again.
  void set_addresses() {
    for (unsigned k = 1; k < address_registers; ++k) {
      const NodeId address = state_.held[k].node;
      if (address == no_node) continue;
      const bool wanted = std::any_of(state_.open_loads.begin(), state_.open_loads.end(), [&](NodeId id) {
        return node(id).operand_count != 0 && node(id).operands[0].node == address;
      });
      if ((!wanted || random_.unit() < style_.early) && set_address(k)) return;
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
      storing_ = &stores;
      const bool loads = load_leaf(id, needs);
      storing_ = nullptr;
      return loads && try_move(id);
    }
    // The result of a function cannot be stored by itself, and stores of one result can be too many for one word.
    if (!has_stores(id) || made(id)) return false;
    const Stores stores = stores_of(id);
    if (stores.outputs.empty() && !stores.home) return false;
    if (!makes_combine(node(id)) && stores_alone(id).all) return false;
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
    word_.load = ports_.load;
    word_.port0 = ports_.port0;
    word_.port1 = ports_.port1;
    std::erase_if(state_.demands, [](const Demand& demand) { return demand.bits == 0; });
    for (Demand& demand : state_.demands) {
      std::uint8_t shifted = 0;
      if ((demand.bits & Demand::near) != 0) shifted |= Demand::far;
      if ((demand.bits & Demand::now) != 0) shifted |= Demand::near;
      if ((demand.bits & Demand::now_b) != 0) shifted |= Demand::near_b;
      demand.bits = shifted;
    }
    finish_loads();
    state_.free |= state_.freed;
    state_.freed = freed_;
    state_.recent = {ports_, state_.recent[0]};
    ++state_.words;
  }

  void finish_loads() {
    std::erase_if(state_.open_loads, [&](NodeId id) {
      if (!is_finished(id)) return false;
      const Node& load = node(id);
      if (load.after != no_output) --state_.waits[static_cast<std::size_t>(load.after)].loads;
      used_operands(load);
      return true;
    });
  }

  void assign_moves() {
    std::stable_partition(moves_.begin(), moves_.end(), [](const auto& move) { return !move.second; });
    for (const auto& [id, any] : moves_) {
      if (any && !complex_) {
        use_complex(id, Part::move);
      } else if (!pass_) {
        pass_ = true;
        word_.at(Unit::pass) = {id, Part::move};
      } else if (free_multipliers() > 0) {
        use_multiplier(id, Part::move);
      } else {
        use_adder(id, Make::add, Part::move);
      }
    }
  }

  const FillStyle& style_;
  Random& random_;
  FilledWord out_;
  std::vector<std::pair<NodeId, bool>> moves_;  ///< and whether the complex unit may make it
};

}  // namespace

std::optional<FilledWord> fill(const Task& task, FillState& state, const FillStyle& style, Random& random) {
  return Filler(task, state, style, random).run();
}

}  // namespace mobula::utgard_gp
