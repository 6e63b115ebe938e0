#include "machines/midgard/compile/schedule.h"

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace mobula::midgard_compiler {
namespace {

using midgard::Unit;

constexpr unsigned stage_of(Unit unit) { return midgard::info(unit).stage; }
constexpr std::size_t index_of(Unit unit) { return static_cast<std::size_t>(unit); }

}  // namespace

std::optional<std::uint16_t> inline_constant(const AluOp*& op, const Source& source, std::uint8_t lanes) {
  if (source.kind != Source::Kind::constant || lanes == 0) return {};
  const std::uint32_t bits = source.bits[static_cast<unsigned>(std::countr_zero(lanes))];
  for (unsigned lane = 0; lane < 4; ++lane)
    if ((lanes >> lane & 1U) != 0 && source.bits[lane] != bits) return {};
  const auto half = as_half(bits);
  const auto number = static_cast<std::int32_t>(bits);
  const bool fits = number >= -32768 && number <= 32767;
  if (const AluOp* const real = real_twin(op)) {
    if (fits) return static_cast<std::uint16_t>(bits);
    if (half) op = real;
    return half;
  }
  if (op->in == midgard::Kind::f) return half;
  return fits ? std::optional(static_cast<std::uint16_t>(bits)) : std::nullopt;
}

namespace {

/// Two more registers that only words of one kind read or write.
class SmallFile {
 public:
  std::optional<Place> find(const ValueInfo& info) const {
    const unsigned step = info.placement == Placement::even ? 2 : 1;
    for (unsigned reg = 0; reg < 2; ++reg)
      for (unsigned at = 0; at + info.components <= 4; at += step) {
        if (info.placement == Placement::first && at != 0) break;
        Place place;
        place.reg = static_cast<std::int16_t>(reg);
        bool free = true;
        for (unsigned c = 0; c < info.components; ++c) {
          place.component[c] = static_cast<std::uint8_t>(at + c);
          free = free && !taken_[reg][at + c];
        }
        if (free) return place;
      }
    return {};
  }
  void set(const Place& place, unsigned components, bool taken) {
    for (unsigned c = 0; c < components; ++c) taken_[static_cast<std::size_t>(place.reg)][place.component[c]] = taken;
  }

 private:
  std::array<std::array<bool, 4>, 2> taken_{};
};

/// What is known of a value while a block is scheduled.
struct ValueState {
  static constexpr std::uint32_t no_place = ~std::uint32_t{0};
  std::uint32_t place = no_place;  ///< among those that the block uses
  std::uint32_t makers = 0;        ///< in the block, that are not placed yet
  bool alive = false;
};

/// What one block leaves to the next: all values as unknown as they were before it.
struct Workspace {
  std::vector<ValueState> values;
  std::pmr::unsynchronized_pool_resource memory;
};

struct Node {
  std::uint32_t waiting = 0;  ///< of those after it
  int growth = 0;             ///< of one that may be next
  std::int32_t word = -1;
  std::uint8_t stage = 0;
  bool keeps_order = false;
};

class BlockScheduler {
 public:
  /// `after`: what is alive after the block; `made`: of each value, the components that are made.
  BlockScheduler(const Code& code, const Block& block, const Dependencies& dependencies,
                 const std::vector<Alive>& after, const std::vector<std::uint8_t>& made, Workspace& workspace,
                 std::vector<Place>& places, const Preference& preference, bool alias)
      : code_(code),
        all_(block.code),
        dependencies_(dependencies),
        made_(made),
        values_(workspace.values),
        places_(places),
        preference_(preference),
        alias_(alias),
        nodes_(all_.size()),
        ready_(no_ranks(workspace.memory)),
        ready_by_growth_(no_ranks(workspace.memory)) {
    for (std::uint32_t i = 0; i < dependencies_.used().size(); ++i) {
      const Dependencies::Used& used = dependencies_.used()[i];
      values_[used.value].place = i;
      values_[used.value].makers = used.makers;
      if (used.made_by_memory && code_.values[used.value].home == Home::texture_in) made_by_memory_.insert(used.value);
    }
    for (const Alive& each : after) begin_life(each.value);
  }

  std::optional<std::vector<Word>> run() {
    prepare_nodes();
    place_ends();
    while (!failed_ && left_ != 0) make_word();
    close();
    forget_values();
    if (failed_) return {};
    std::ranges::reverse(words_);
    return std::move(words_);
  }

 private:
  void prepare_nodes() {
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (is_end(all_[i])) ends_.push_back(i);
      nodes_[i].waiting = static_cast<std::uint32_t>(dependencies_.after(i).size());
      nodes_[i].keeps_order = keeps_order(i);
      if (nodes_[i].keeps_order) in_order_.push_back(i);
    }
    left_ = static_cast<std::uint32_t>(all_.size());
    for (std::uint32_t i = 0; i < all_.size(); ++i)
      if (nodes_[i].waiting == 0) make_ready(i);
  }

  void forget_values() {
    for (const Dependencies::Used& used : dependencies_.used()) values_[used.value] = {};
    for (const Value value : begun_) values_[value].alive = false;
  }

  static bool is_end(const Instruction& each) {
    return each.kind == Instruction::Kind::branch || each.kind == Instruction::Kind::writeout;
  }

  // ---------------------------------------------------------------------------------------------- what may be next

  /// Of a node, what is best first: what it needs more of registers, where that counts; then how far it is from the
  /// begin of the block, where that is preferred; then what stands last.
  using Rank = std::tuple<int, std::uint32_t, std::uint32_t>;
  using Ranks = std::array<std::pmr::set<Rank>, 3>;  ///< by kind of word
  static Ranks no_ranks(std::pmr::memory_resource& memory) {
    return {std::pmr::set<Rank>(&memory), std::pmr::set<Rank>(&memory), std::pmr::set<Rank>(&memory)};
  }

  [[nodiscard]] Rank rank(std::uint32_t node, int growth) const {
    return {growth, preference_.short_words ? ~dependencies_.height(node) : 0, ~node};
  }
  static std::uint32_t node_of(const Rank& rank) { return ~std::get<2>(rank); }
  [[nodiscard]] std::size_t kind_index(std::uint32_t node) const {
    return static_cast<std::size_t>(kind_of(all_[node]));
  }

  void make_ready(std::uint32_t node) {
    if (is_end(all_[node])) return;
    ready_[kind_index(node)].insert(rank(node, 0));
    if (!counts_registers()) return;
    nodes_[node].growth = growth(node);
    ready_by_growth_[kind_index(node)].insert(rank(node, nodes_[node].growth));
  }
  void take_ready(std::uint32_t node) {
    ready_[kind_index(node)].erase(rank(node, 0));
    ready_by_growth_[kind_index(node)].erase(rank(node, nodes_[node].growth));
  }
  static constexpr unsigned steps_looked_ahead = 3;

  /// After this value has begun or ended to be alive, or has one maker left.
  void rank_users_again(Value value) { rank_users_again(value, preference_.sparing ? steps_looked_ahead : 0); }
  void rank_users_again(Value value, unsigned steps) {
    if (!counts_registers()) return;
    for (const std::uint32_t node : users(value)) {
      std::pmr::set<Rank>& ready = ready_by_growth_[kind_index(node)];
      if (ready.erase(rank(node, nodes_[node].growth)) != 0) {
        nodes_[node].growth = growth(node);
        ready.insert(rank(node, nodes_[node].growth));
      } else if (const Value result = all_[node].result;
                 steps != 0 && result != no_value && maker_for_one(result) == node) {
        rank_users_again(result, steps - 1);
      }
    }
  }

  /// Nodes of the block that read or make a value that may need registers.
  [[nodiscard]] std::span<const std::uint32_t> users(Value value) const {
    const std::uint32_t place = values_[value].place;
    if (place == ValueState::no_place || is_small(value)) return {};
    return dependencies_.users(place);
  }

  [[nodiscard]] bool counts_registers() const { return preference_.components != ~0U; }
  [[nodiscard]] bool is_pressed() const { return halves_alive_ / 2 >= preference_.components; }

  /// Whether `takes(node)` for one of the best nodes, and so many, that it is called with. What it takes is not ready
  /// any more.
  template <class Takes>
  bool any_ready(std::size_t most, std::optional<Word::Kind> kind, Takes takes) {
    const Ranks& ranks = is_pressed() ? ready_by_growth_ : ready_;
    using Position = std::pmr::set<Rank>::const_iterator;
    std::array<std::pair<Position, Position>, 3> left;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const bool counts = !kind || i == static_cast<std::size_t>(*kind);
      left[i] = {counts ? ranks[i].begin() : ranks[i].end(), ranks[i].end()};
    }
    for (; most != 0; --most) {
      auto* best = &left[0];
      for (auto& each : left)
        if (each.first != each.second && (best->first == best->second || *each.first < *best->first)) best = &each;
      if (best->first == best->second) return false;
      const std::uint32_t node = node_of(*best->first++);
      if (takes(node)) return true;
    }
    return false;
  }

  // ---------------------------------------------------------------------------------------------- words

  void place_ends() {
    for (std::size_t i = ends_.size(); i-- > 0;) {
      const std::uint32_t node = ends_[i];
      const Instruction& each = all_[node];
      close();
      place_followers(node);
      begin(Word::Kind::alu);
      if (each.has_guard()) {
        if (!add_constants(each, true)) failed_ = true;
        if (!take_sources(node)) failed_ = true;
        word_.units[index_of(Unit::smul)] = {node, true};
        guarded_ = true;
      }
      word_.branch = {node, false};
      settle(node, 2);
      if (each.kind == Instruction::Kind::writeout && !place_written(node)) failed_ = true;
      const bool alone = each.kind == Instruction::Kind::branch && !each.has_guard() && i > 0;
      colours_before_ = std::any_of(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](std::uint32_t end) { return all_[end].kind == Instruction::Kind::writeout; });
      if (alone)
        close();
      else
        fill();
      colours_before_ = false;
    }
  }

  /// Of a discard in the middle of the block: what must come after it.
  void place_followers(std::uint32_t node) {
    while (!failed_ && nodes_[node].waiting != 0) make_word();
  }

  /// The one that is open, or the next.
  void make_word() {
    if (!open_ && !start_word()) {
      failed_ = true;
      return;
    }
    fill();
    close();
  }

  /// What makes the registers that are written out belongs into the same word.
  bool place_written(std::uint32_t node) {
    std::vector<std::uint32_t> makers;
    for (const Edge& edge : dependencies_.before(node))
      if (edge.kind == Edge::Kind::value && std::ranges::find(makers, edge.node) == makers.end())
        makers.push_back(edge.node);
    const auto units = units_for(makers);
    if (!units) return false;
    for (std::size_t i = 0; i < makers.size(); ++i) {
      if (!take_sources(makers[i])) return false;
      take_ready(makers[i]);
      put(makers[i], (*units)[i]);
    }
    return true;
  }
  /// Of each a unit of its own in this word, with room for the constants; tried in turn.
  std::optional<std::vector<Unit>> units_for(std::span<const std::uint32_t> makers) {
    if (makers.empty()) return std::vector<Unit>();
    for (const Unit unit : order_of_units) {
      if (!fits(makers[0], unit, true)) continue;
      const Word before = word_;
      word_.units[index_of(unit)] = {makers[0], false};
      add_constants(all_[makers[0]], false);
      auto rest = units_for(makers.subspan(1));
      word_ = before;
      if (!rest) continue;
      rest->insert(rest->begin(), unit);
      return rest;
    }
    return {};
  }

  void begin(Word::Kind kind) {
    word_ = {};
    word_.kind = kind;
    open_ = true;
    guarded_ = false;
  }
  void close() {
    if (!open_) return;
    words_.push_back(word_);
    for (const Value value : ended_)
      if (is_texture_in_work(value))
        textures_in_work_.erase(value);
      else
        file(code_.values[value].home).set(local(value), code_.values[value].components, false);
    ended_.clear();
    open_ = false;
  }

  static Word::Kind kind_of(const Instruction& each) {
    switch (each.kind) {
      case Instruction::Kind::load_store:
        return Word::Kind::load_store;
      case Instruction::Kind::texture:
        return Word::Kind::texture;
      case Instruction::Kind::alu:
      case Instruction::Kind::branch:
      case Instruction::Kind::writeout:
        return Word::Kind::alu;
    }
    return Word::Kind::alu;
  }

  static constexpr unsigned most_looked_at = 64;

  /// Begins a word with the best node that can be in one.
  bool start_word() {
    const auto begin_with = [&](std::uint32_t node) {
      begin(kind_of(all_[node]));
      open_ = place(node);
      return open_;
    };
    if (any_ready(most_looked_at, {}, begin_with)) return true;
    // all of these may wait for registers that what another kind of word does makes free
    for (const Word::Kind kind : {Word::Kind::alu, Word::Kind::load_store, Word::Kind::texture})
      if (any_ready(most_looked_at, kind, begin_with)) return true;
    return any_ready(all_.size(), {}, begin_with);
  }

  void fill() {
    const auto add = [&](std::uint32_t node) {
      const bool is_wasteful = preference_.sparing && is_pressed() && growth(node, 0) > 0;
      return !is_wasteful && place(node);
    };
    while (!is_full() && any_ready(most_looked_at, word_.kind, add)) {
    }
  }
  [[nodiscard]] bool is_full() const {
    switch (word_.kind) {
      case Word::Kind::alu:
        return std::ranges::none_of(word_.units, &UnitWork::is_free);
      case Word::Kind::load_store:
        return std::ranges::none_of(word_.accesses, &UnitWork::is_free);
      case Word::Kind::texture:
        return !word_.accesses[0].is_free();
    }
    return false;
  }

  /// Half components of work registers that are needed more before this node than after it; where words are sparing,
  /// before it and what it alone needs.
  [[nodiscard]] int growth(std::uint32_t node) const {
    return growth(node, preference_.sparing ? steps_looked_ahead : 0);
  }
  [[nodiscard]] int growth(std::uint32_t node, unsigned steps) const {
    int more = need_of(node, steps);
    const Value result = all_[node].result;
    if (result != no_value && values_[result].alive && values_[result].makers == 1) more -= size_of(result);
    return more;
  }
  /// Of what it reads and is not alive yet.
  [[nodiscard]] int need_of(std::uint32_t node, unsigned steps) const {
    int need = 0;
    std::array<Value, 6> counted{};
    std::size_t count = 0;
    each_source(all_[node], [&](const Source& source, std::uint8_t, bool) {
      if (!source.is_value() || is_small(source.number) || values_[source.number].alive) return;
      if (std::find(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(count), source.number) !=
          counted.begin() + static_cast<std::ptrdiff_t>(count))
        return;
      counted[count++] = source.number;
      const int size = size_of(source.number);
      const auto maker = steps == 0 ? std::nullopt : maker_for_one(source.number);
      need += maker ? std::min(size, need_of(*maker, steps - 1)) : size;
    });
    return need;
  }
  /// What makes a value that one node reads, if both are in this block.
  [[nodiscard]] std::optional<std::uint32_t> maker_for_one(Value value) const {
    const std::span<const std::uint32_t> both = users(value);
    if (both.size() != 2 || all_[both.front()].result != value) return {};
    return both.front();
  }
  [[nodiscard]] int size_of(Value value) const {
    return std::popcount(made_[value]) * (code_.values[value].half ? 1 : 2);
  }
  void begin_life(Value value) {
    if (is_small(value) || std::exchange(values_[value].alive, true)) return;
    begun_.push_back(value);
    halves_alive_ += static_cast<unsigned>(size_of(value));
    rank_users_again(value);
  }
  void end_life(Value value) {
    if (!std::exchange(values_[value].alive, false)) return;
    halves_alive_ -= static_cast<unsigned>(size_of(value));
    rank_users_again(value);
  }

  [[nodiscard]] bool keeps_order(std::uint32_t node) const {
    if (preference_.order == Order::free || is_end(all_[node])) return false;
    bool keeps = preference_.order == Order::of_all;
    each_source(all_[node], [&](const Source& source, std::uint8_t, bool) {
      keeps = keeps || (source.is_value() && code_.values[source.number].home != Home::work);
    });
    return keeps;
  }
  /// Of those that are not placed yet. Precondition: there is one.
  std::uint32_t last_in_order() {
    while (nodes_[in_order_.back()].word >= 0) in_order_.pop_back();
    return in_order_.back();
  }

  static constexpr Unit order_of_units[] = {Unit::smul, Unit::vadd, Unit::vlut, Unit::sadd, Unit::vmul};

  bool place(std::uint32_t node) {
    const Instruction& each = all_[node];
    if (nodes_[node].keeps_order && node != last_in_order()) return false;
    if (each.kind == Instruction::Kind::load_store) return place_access(node);
    if (each.kind == Instruction::Kind::texture) return place_texture(node);
    for (const Unit unit : order_of_units) {
      if (!fits(node, unit, false)) continue;
      if (!take_sources(node)) return false;
      take_ready(node);
      put(node, unit);
      return true;
    }
    return false;
  }

  void put(std::uint32_t node, Unit unit) {
    const Instruction& each = all_[node];
    add_constants(each, false);
    word_.units[index_of(unit)] = {node, false};
    if (each.has_guard()) {
      add_constants(each, true);
      word_.units[index_of(guard_unit(each))] = {node, true};
      guarded_ = true;
    }
    settle(node, stage_of(unit));
  }

  /// The free unit that can make a select's condition.
  [[nodiscard]] Unit guard_unit(const Instruction& each) const {
    const bool free = word_.units[index_of(Unit::sadd)].is_free();
    return each.guard.by_component || !free ? Unit::vmul : Unit::sadd;
  }

  [[nodiscard]] bool fits(std::uint32_t node, Unit unit, bool for_writeout) {
    const Instruction& each = all_[node];
    if (each.kind != Instruction::Kind::alu || nodes_[node].waiting != 0) return false;
    if (!word_.units[index_of(unit)].is_free() || (each.op->units >> index_of(unit) & 1U) == 0) return false;
    const bool scalar = !midgard::info(unit).vector;
    if (scalar && (each.op->is_horizontal() || each.high_half || !std::has_single_bit(each.mask))) return false;
    const unsigned stage = stage_of(unit);
    if (each.has_guard()) {
      if (guarded_ || stage != 2 || !word_.units[index_of(guard_unit(each))].is_free()) return false;
      if (guard_unit(each) == unit) return false;
      if (each.op->does == midgard::AluMeaning::select_by_lane && scalar) return false;
    }
    for (const Edge& edge : dependencies_.after(node)) {
      const Node& other = nodes_[edge.node];
      if (other.word != static_cast<std::int32_t>(words_.size())) continue;
      const bool ends = is_end(all_[edge.node]);
      switch (edge.kind) {
        case Edge::Kind::value:
          if (ends && for_writeout) break;
          if (stage >= other.stage) return false;
          break;
        case Edge::Kind::guard:
          if (stage >= (ends ? 2U : 1U)) return false;
          break;
        case Edge::Kind::overwritten:
          if (stage > other.stage) return false;
          break;
        case Edge::Kind::overwritten_guard:
          break;
        case Edge::Kind::again:
          if (stage >= other.stage) return false;
          break;
        case Edge::Kind::order:
          return false;
      }
    }
    const Word before = word_;
    const bool room = add_constants(each, false) && (!each.has_guard() || add_constants(each, true));
    word_ = before;
    return room;
  }

  /// Puts what is not inline among the constants of the word; false if there is no room.
  bool add_constants(const Instruction& each, bool of_guard) {
    const AluOp* op = of_guard ? each.guard.op : each.op;
    if (op == nullptr) return true;
    const std::uint8_t lanes = of_guard ? guard_lanes(each) : lanes_read(each, 0);
    const Source* const sources = of_guard ? each.guard.sources.data() : each.sources.data();
    if (inline_constant(op, sources[1], lanes)) return add_words(sources[0], lanes);
    return add_words(sources[0], lanes) && add_words(sources[1], lanes);
  }
  bool add_words(const Source& source, std::uint8_t lanes) {
    if (source.kind != Source::Kind::constant) return true;
    for (unsigned lane = 0; lane < 4; ++lane) {
      if ((lanes >> lane & 1U) == 0) continue;
      const auto end = word_.constants.begin() + word_.constant_count;
      if (std::find(word_.constants.begin(), end, source.bits[lane]) != end) continue;
      if (word_.constant_count == 4) return false;
      word_.constants[word_.constant_count++] = source.bits[lane];
    }
    return true;
  }

  [[nodiscard]] bool depends_on_word(std::uint32_t node) const {
    return std::ranges::any_of(dependencies_.after(node), [&](const Edge& edge) {
      return nodes_[edge.node].word == static_cast<std::int32_t>(words_.size());
    });
  }

  bool place_access(std::uint32_t node) {
    const Instruction& each = all_[node];
    UnitWork& slot = word_.accesses[word_.accesses[0].is_free() ? 0 : 1];
    if (!slot.is_free() || depends_on_word(node)) return false;
    if (!word_.accesses[0].is_free()) {
      const bool one = is_varying_store(each), other = is_varying_store(all_[word_.accesses[0].instruction]);
      if (one != other) return false;
    }
    if (!take_sources(node)) return false;
    slot = {node, false};
    take_ready(node);
    settle(node, 2);
    return true;
  }
  static bool is_varying_store(const Instruction& each) {
    return each.memory->does == midgard::LsMeaning::store_varying;
  }

  bool place_texture(std::uint32_t node) {
    if (!word_.accesses[0].is_free() || !take_sources(node)) return false;
    word_.accesses[0] = {node, false};
    take_ready(node);
    settle(node, 2);
    return true;
  }

  /// Notes that the node is in this word, so that what it waits for may be placed.
  void settle(std::uint32_t node, unsigned stage) {
    Node& each = nodes_[node];
    each.word = static_cast<std::int32_t>(words_.size());
    each.stage = static_cast<std::uint8_t>(stage);
    --left_;
    for (const Edge& edge : dependencies_.before(node))
      if (--nodes_[edge.node].waiting == 0) make_ready(edge.node);
    const Value result = all_[node].result;
    if (result != no_value) {
      const std::uint32_t left = --values_[result].makers;
      if (left == 1) rank_users_again(result);
      if (left == 0) {
        end_life(result);
        waiting_for_memory_.erase(result);
        if (is_small(result) || is_texture_in_work(result)) ended_.push_back(result);
      }
    }
    each_source(all_[node], [&](const Source& source, std::uint8_t, bool) {
      if (source.is_value()) begin_life(source.number);
    });
  }

  // ---------------------------------------------------------------------------------------------- small files

  [[nodiscard]] bool is_small(Value value) const {
    return code_.values[value].home != Home::work && !is_texture_in_work(value);
  }
  /// In one of two work registers, which are given out later.
  [[nodiscard]] bool is_texture_in_work(Value value) const {
    return alias_ && code_.values[value].home == Home::texture_out;
  }
  SmallFile& file(Home home) {
    switch (home) {
      case Home::texture_in:
        return alias_ ? memory_ : texture_in_;
      case Home::texture_out:
        return texture_out_;
      case Home::load_store:
      case Home::work:
        return memory_;
    }
    return memory_;
  }
  [[nodiscard]] std::int16_t first_register(Home home) const {
    const bool is_memory = home == Home::load_store || (alias_ && home == Home::texture_in);
    return static_cast<std::int16_t>(is_memory ? midgard::register_load_store0 : midgard::register_texture0);
  }
  Place local(Value value) {
    Place place = places_[value];
    place.reg = static_cast<std::int16_t>(place.reg - first_register(code_.values[value].home));
    return place;
  }

  /// Finds registers for the values of memory and texture words that this node reads last.
  bool take_sources(std::uint32_t node) {
    std::vector<Value> taken;
    bool room = true;
    each_source(all_[node], [&](const Source& source, std::uint8_t, bool) {
      if (!room || !source.is_value()) return;
      if (is_texture_in_work(source.number)) {
        constexpr std::size_t most = 2;
        if (textures_in_work_.contains(source.number)) return;
        room = !colours_before_ && textures_in_work_.size() < most;
        if (!room) return;
        textures_in_work_.insert(source.number);
        taken.push_back(source.number);
        return;
      }
      if (!is_small(source.number) || places_[source.number].reg >= 0) return;
      const ValueInfo& info = code_.values[source.number];
      const auto place = file(info.home).find(info);
      if (!place) {
        room = false;
        return;
      }
      file(info.home).set(*place, info.components, true);
      places_[source.number] = *place;
      places_[source.number].reg = static_cast<std::int16_t>(place->reg + first_register(info.home));
      taken.push_back(source.number);
      if (alias_ && made_by_memory_.contains(source.number)) waiting_for_memory_.insert(source.number);
    });
    if (all_[node].kind == Instruction::Kind::texture && !waiting_for_memory_.empty())
      room = room && memory_.find({.components = most_cube_coordinates});
    if (room) return true;
    for (const Value value : taken) {
      waiting_for_memory_.erase(value);
      if (textures_in_work_.erase(value) != 0) continue;
      file(code_.values[value].home).set(local(value), code_.values[value].components, false);
      places_[value] = {};
    }
    return false;
  }

  const Code& code_;
  const std::vector<Instruction>& all_;
  const Dependencies& dependencies_;
  const std::vector<std::uint8_t>& made_;
  std::vector<ValueState>& values_;
  std::vector<Place>& places_;
  Preference preference_;
  bool alias_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> in_order_;  ///< what stays so; what is placed goes
  Ranks ready_, ready_by_growth_;        ///< the second is empty where registers are not counted
  std::vector<Value> begun_;             ///< to be alive
  unsigned halves_alive_ = 0;            ///< twice the components
  std::vector<Word> words_;
  std::vector<Value> ended_;
  std::set<Value> textures_in_work_;  ///< that are alive
  Word word_;
  bool open_ = false, guarded_ = false, failed_ = false;
  bool colours_before_ = false;  ///< are written from where textures leave their results
  std::uint32_t left_ = 0;
  SmallFile memory_, texture_in_, texture_out_;
  /// Coordinates of cubes, which memory words make of others. Where both have the same registers, textures leave room
  /// for the others until that is done.
  std::set<Value> made_by_memory_, waiting_for_memory_;
  static constexpr std::uint8_t most_cube_coordinates = 3;
};

/// By value, as masks.
std::vector<std::uint8_t> made_components(const Code& code) {
  std::vector<std::uint8_t> made(code.values.size());
  for (const Block& block : code.blocks)
    for (const Instruction& each : block.code)
      if (each.result != no_value) made[each.result] |= each.mask;
  return made;
}

}  // namespace

Analysis analyse(const Code& code) {
  return {.liveness = find_liveness(code), .dependencies = find_dependencies(code), .made = made_components(code)};
}

std::optional<Schedule> schedule(const Code& code, const Analysis& analysis, const Preference& preference,
                                 bool registers_alias) {
  Schedule all;
  all.places.resize(code.values.size());
  Workspace workspace;
  workspace.values.resize(code.values.size());
  for (std::size_t i = 0; i < code.blocks.size(); ++i) {
    auto words = BlockScheduler(code, code.blocks[i], analysis.dependencies[i], analysis.liveness.out[i], analysis.made,
                                workspace, all.places, preference, registers_alias)
                     .run();
    if (!words) return {};
    all.blocks.push_back(std::move(*words));
  }
  return all;
}

// ------------------------------------------------------------------------------------------------ constants

namespace {

/// What an operation needs of its word's constants: its own, or those of its guard.
void add_needed(const AluOp* op, std::span<const Source> sources, std::uint8_t lanes, std::set<std::uint32_t>& needed) {
  const bool second_inline = inline_constant(op, sources[1], lanes).has_value();
  for (unsigned i = 0; i < (second_inline ? 1U : 2U); ++i)
    for (unsigned lane = 0; lane < 4; ++lane)
      if (sources[i].kind == Source::Kind::constant && (lanes >> lane & 1U) != 0) needed.insert(sources[i].bits[lane]);
}

}  // namespace

void fit_constants(Code& code) {
  constexpr std::size_t room = 4;
  for (Block& block : code.blocks) {
    std::vector<Instruction> made;
    for (Instruction& each : block.code) {
      for (std::size_t i = 0; each.kind == Instruction::Kind::alu && i < 2; ++i) {
        std::set<std::uint32_t> needed;
        add_needed(each.op, each.sources, lanes_read(each, 0), needed);
        if (each.has_guard()) add_needed(each.guard.op, each.guard.sources, guard_lanes(each), needed);
        if (needed.size() <= room) break;
        if (each.sources[i].kind != Source::Kind::constant) continue;
        const Value value = code.add({.components = 4});
        made.push_back(copy_of(each.sources[i], value, each.mask, each.line));
        each.sources[i] = of(value);
      }
      made.push_back(each);
    }
    block.code = std::move(made);
  }
}

// ------------------------------------------------------------------------------------------------ writeouts

namespace {

/// Whether operations, and a move of a vector if there is one, can all be in one word, by the units that they need.
bool have_units(std::span<const Instruction* const> makers, bool moves, unsigned taken) {
  if (makers.empty()) {
    constexpr unsigned movers = 1U << static_cast<unsigned>(Unit::vmul) | 1U << static_cast<unsigned>(Unit::vadd) |
                                1U << static_cast<unsigned>(Unit::vlut);
    return !moves || (movers & ~taken) != 0;
  }
  const Instruction& each = *makers[0];
  for (unsigned unit = 0; unit < midgard::unit_count; ++unit) {
    if ((taken >> unit & 1U) != 0 || (each.op->units >> unit & 1U) == 0) continue;
    const bool scalar = !midgard::info(static_cast<Unit>(unit)).vector;
    if (scalar && (each.op->is_horizontal() || !std::has_single_bit(each.mask))) continue;
    if (have_units(makers.subspan(1), moves, taken | 1U << unit)) return true;
  }
  return false;
}

/// Which of the operations that make a colour can be in the word that writes it out; what they do not make is moved.
/// Together they read at most so many results of textures.
std::vector<std::size_t> makers_beside(const std::vector<ValueInfo>& values, const std::vector<Instruction>& code,
                                       Value colour, std::uint32_t writers, unsigned taken, std::size_t most_textures) {
  std::vector<std::size_t> all;
  unsigned mask = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].result != colour) continue;
    if ((mask & code[i].mask) != 0) return {};  // written twice
    mask |= code[i].mask;
    all.push_back(i);
  }
  if (all.size() != writers) return {};  // elsewhere, too
  std::vector<std::size_t> chosen;
  std::vector<const Instruction*> makers;
  std::set<std::uint32_t> constants;
  std::set<Value> textures;  // results that are read right where textures leave them
  unsigned made = 0;
  for (std::size_t k = all.size(); k-- > 0;) {
    const Instruction& each = code[all[k]];
    if (each.kind != Instruction::Kind::alu || each.has_guard() || each.high_half) continue;
    std::set<std::uint32_t> with = constants;
    add_needed(each.op, each.sources, lanes_read(each, 0), with);
    std::set<Value> with_textures = textures;
    for (const Source& source : each.sources)
      if (source.is_value() && values[source.number].home == Home::texture_out) with_textures.insert(source.number);
    constexpr std::size_t room = 3;  // and one for the number of a target
    makers.push_back(&each);
    const bool moves = (made | each.mask) != 15U;
    if (with.size() > room || with_textures.size() > most_textures || !have_units(makers, moves, taken)) {
      makers.pop_back();
      continue;
    }
    constants = std::move(with);
    textures = std::move(with_textures);
    chosen.push_back(all[k]);
    made |= each.mask;
  }
  return chosen;
}

}  // namespace

void prepare_writeouts(Code& code, bool careful) {
  constexpr std::size_t texture_registers = 2;
  std::vector<std::uint32_t> readers(code.values.size());
  for (const Block& block : code.blocks)
    for (const Instruction& each : block.code)
      each_source(each, [&](const Source& source, std::uint8_t, bool) {
        if (source.is_value()) ++readers[source.number];
      });
  std::vector<std::uint32_t> writers(code.values.size());
  for (const Block& block : code.blocks)
    for (const Instruction& each : block.code)
      if (each.result != no_value) ++writers[each.result];
  for (Block& block : code.blocks) {
    std::vector<Instruction> made;
    for (Instruction& each : block.code) {
      if (each.kind != Instruction::Kind::writeout) {
        made.push_back(each);
        continue;
      }
      const auto copy = [&](const Source& from, std::int8_t reg, std::uint8_t components, std::uint8_t lanes) {
        const Value fixed = code.add({components, Home::work, Placement::first, reg});
        made.push_back(copy_of(from, fixed, lanes, each.line));
        return of(fixed);
      };
      const Value colour = each.sources[0].number;
      const bool is_only_reader =
          readers[colour] == 1 && each.sources[0].component == std::array<std::uint8_t, 4>{0, 1, 2, 3};
      const unsigned taken = (each.sources[1].is_value() ? 1U << static_cast<unsigned>(Unit::smul) : 0) |
                             (each.render_target != 0 ? 1U << static_cast<unsigned>(Unit::sadd) : 0);
      const std::vector<std::size_t> direct = is_only_reader ? makers_beside(code.values, made, colour, writers[colour],
                                                                             taken, careful ? 0 : texture_registers)
                                                             : std::vector<std::size_t>();
      unsigned missing = 15;
      for (const std::size_t i : direct) missing &= ~unsigned{made[i].mask};
      if (direct.empty()) {
        each.sources[0] = copy(each.sources[0], 0, 4, 15);
      } else if (missing == 0) {
        code.values[colour].fixed = 0;
        code.values[colour].placement = Placement::first;
      } else {  // the others are made before, and moved
        const Source before = each.sources[0];
        each.sources[0] = copy(before, 0, 4, static_cast<std::uint8_t>(missing));
        for (const std::size_t i : direct) made[i].result = each.sources[0].number;
      }
      if (each.sources[1].is_value()) each.sources[1] = copy(each.sources[1], 1, 1, 1);
      if (each.render_target != 0) {
        Source target;
        target.kind = Source::Kind::constant;
        target.bits.fill(each.render_target << 8U);
        each.sources[2] = copy(target, 1, 3, 4);
        each.sources[2].component.fill(2);
      }
      made.push_back(each);
    }
    block.code = std::move(made);
  }
}

}  // namespace mobula::midgard_compiler
