#include "machines/midgard/compile/allocate.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace mobula::midgard_compiler {
namespace {

using midgard::Unit;

constexpr unsigned most_sources = std::tuple_size_v<decltype(Instruction::sources)>;

// Within a word: stage 1 reads, and writes; stage 2 reads at the same place, and writes; then registers are written
// out.
constexpr std::uint32_t places_of_word = 4, first_read = 0, first_written = 1, second_read = 1, second_written = 2,
                        written_out = 3;

/// 16 bits of one register: when they are taken, and by which value. Most values come behind all others.
class Lane {
 public:
  using allocator_type = std::pmr::polymorphic_allocator<>;
  explicit Lane(const allocator_type& memory) : taken_(memory) {}

  [[nodiscard]] bool is_free(std::uint32_t start, std::uint32_t end) const {
    if (last_end_ <= start) return true;
    if (last_start_ < end) return false;
    const auto next = taken_.lower_bound(start);
    if (next != taken_.end() && next->first < end) return false;
    return next == taken_.begin() || std::prev(next)->second.end <= start;
  }
  void take(std::uint32_t start, std::uint32_t end, Value owner) {
    taken_.insert_or_assign(taken_.end(), start, Taken{end, owner});
    note_last();
  }
  void give_back(std::uint32_t start) {
    taken_.erase(start);
    note_last();
  }
  [[nodiscard]] Value owner_at(std::uint32_t place) const {
    const auto next = taken_.upper_bound(place);
    if (next == taken_.begin() || std::prev(next)->second.end <= place) return no_value;
    return std::prev(next)->second.owner;
  }

 private:
  struct Taken {
    std::uint32_t end = 0;
    Value owner = no_value;
  };
  void note_last() {
    last_start_ = taken_.empty() ? 0 : taken_.rbegin()->first;
    last_end_ = taken_.empty() ? 0 : taken_.rbegin()->second.end;
  }

  std::pmr::map<std::uint32_t, Taken> taken_;
  std::uint32_t last_start_ = 0, last_end_ = 0;
};

class Allocator {
 public:
  Allocator(const Code& code, const Liveness& liveness, Schedule& schedule, unsigned most, bool alias)
      : code_(code),
        schedule_(schedule),
        most_(most),
        alias_(alias),
        liveness_(liveness),
        ranges_(ranges_of(code.values.size(), memory_)),
        uses_(code.values.size()),
        made_beside_writeout_(code.values.size()),
        alive_(code) {}

  Allocation run() {
    find_temporaries();
    find_ranges();
    std::vector<Value> order;
    for (Value value = 0; value < code_.values.size(); ++value)
      if (is_in_work(value) && !all_empty(value)) order.push_back(value);
    const auto key = [&](Value value) {
      const bool restricted = code_.values[value].fixed >= 0 || code_.values[value].home == Home::texture_out;
      return std::pair{!restricted, start_of(value)};
    };
    std::ranges::stable_sort(order, {}, key);
    for (const Value value : order)
      if (!find_place(value) && !make_room(value)) break;
    return result_;
  }

 private:
  [[nodiscard]] bool is_in_work(Value value) const {
    const Home home = code_.values[value].home;
    if (home != Home::work && !(alias_ && home == Home::texture_out)) return false;
    return schedule_.places[value].reg < 0;
  }
  [[nodiscard]] bool all_empty(Value value) const {
    return std::ranges::all_of(ranges_[value], [](const Ranges& each) { return each.empty(); });
  }
  [[nodiscard]] std::uint32_t start_of(Value value) const {
    std::uint32_t start = ~std::uint32_t{0};
    for (const Ranges& each : ranges_[value])
      if (!each.empty()) start = std::min(start, each.start());
    return start;
  }

  /// Values made in stage 1 and read in stage 2 of the same word only need no register.
  void find_temporaries() {
    std::vector<std::uint32_t> total(code_.values.size()), makers(code_.values.size());
    for (const Block& block : code_.blocks)
      for (const Instruction& each : block.code) {
        if (each.result != no_value) ++makers[each.result];
        each_source(each, [&](const Source& source, std::uint8_t, bool) {
          if (source.is_value()) ++total[source.number];
        });
      }
    for (std::size_t i = 0; i < code_.blocks.size(); ++i)
      for (const Word& word : schedule_.blocks[i]) {
        if (word.kind != Word::Kind::alu) continue;
        struct Read {
          Value value = no_value;
          std::uint32_t times = 0;
          std::uint8_t components = 0;
        };
        std::array<Read, 3 * most_sources> read;
        const auto read_of = [&](Value value) -> Read& {
          return *std::ranges::find_if(read, [&](const Read& each) { return each.value == value || each.times == 0; });
        };
        const auto note = [&](const Source& source, std::uint8_t lanes) {
          if (!source.is_value()) return;
          Read& known = read_of(source.number);
          known.value = source.number;
          ++known.times;
          known.components |= components_read(code_, source, lanes);
        };
        for (const Unit unit : {Unit::vadd, Unit::smul, Unit::vlut}) {
          const UnitWork& work = word.units[static_cast<std::size_t>(unit)];
          if (work.is_free()) continue;
          const Instruction& each = code_.blocks[i].code[work.instruction];
          if (work.is_guard)
            for (const Source& source : each.guard.sources) note(source, guard_lanes(each));
          else
            for (unsigned k = 0; k < most_sources; ++k) note(each.sources[k], lanes_read(each, k));
        }
        for (const Unit unit : {Unit::vmul, Unit::sadd}) {
          const UnitWork& work = word.units[static_cast<std::size_t>(unit)];
          if (work.is_free() || work.is_guard) continue;
          const Instruction& made = code_.blocks[i].code[work.instruction];
          const Value result = made.result;
          const bool only_here =
              makers[result] == 1 && std::ranges::any_of(read, [&](const Read& each) {
                return each.value == result && each.times == total[result] && (each.components & ~made.mask) == 0;
              });
          if (only_here && code_.values[result].fixed < 0 && code_.values[result].home == Home::work)
            schedule_.places[result].reg =
                static_cast<std::int16_t>(unit == Unit::vmul ? midgard::register_tmp0 : midgard::register_tmp1);
        }
      }
  }

  void find_ranges() {
    std::vector<std::uint32_t> starts;
    std::uint32_t at = 0;
    for (const auto& words : schedule_.blocks) {
      starts.push_back(at);
      at += places_of_word * static_cast<std::uint32_t>(words.size() + 1);
    }
    ends_.resize(code_.values.size());
    for (std::size_t i = code_.blocks.size(); i-- > 0;) {
      alive_.begin_at_end(liveness_.out[i]);
      const std::uint32_t end = starts[i] + places_of_word * static_cast<std::uint32_t>(schedule_.blocks[i].size() + 1);
      for (const Alive& each : liveness_.out[i]) ends_[each.value].fill(end);
      for (std::size_t k = schedule_.blocks[i].size(); k-- > 0;)
        visit(code_.blocks[i], schedule_.blocks[i][k], starts[i] + places_of_word * static_cast<std::uint32_t>(k));
      for (const Alive& each : liveness_.in[i])
        for (unsigned c = 0; c < 4; ++c)
          if ((alive_[each.value] >> c & 1U) != 0) ranges_[each.value][c].add_before(starts[i], ends_[each.value][c]);
      alive_.finish(liveness_.in[i]);
    }
  }

  void visit(const Block& block, const Word& word, std::uint32_t at) {
    const auto instruction = [&](const UnitWork& work) -> const Instruction& { return block.code[work.instruction]; };
    const auto stage = [&](std::initializer_list<Unit> units, std::uint32_t read_at, std::uint32_t written_at) {
      for (const Unit unit : units) {
        const UnitWork& work = word.units[static_cast<std::size_t>(unit)];
        if (!work.is_free() && !work.is_guard) write(instruction(work), at + written_at);
      }
      for (const Unit unit : units) {
        const UnitWork& work = word.units[static_cast<std::size_t>(unit)];
        if (work.is_free()) continue;
        const Instruction& each = instruction(work);
        if (work.is_guard) {
          for (const Source& source : each.guard.sources) read(source, guard_lanes(each), at + read_at);
        } else {
          for (unsigned s = 0; s < most_sources; ++s) read(each.sources[s], lanes_read(each, s), at + read_at);
        }
      }
    };
    switch (word.kind) {
      case Word::Kind::alu:
        if (!word.branch.is_free() && instruction(word.branch).kind == Instruction::Kind::writeout) {
          for (unsigned s = 0; s < most_sources; ++s)
            read(instruction(word.branch).sources[s], lanes_read(instruction(word.branch), s), at + written_out);
          for (const UnitWork& work : word.units)
            if (!work.is_free() && !work.is_guard) made_beside_writeout_[instruction(work).result] = true;
        }
        stage({Unit::vadd, Unit::smul, Unit::vlut}, second_read, second_written);
        stage({Unit::vmul, Unit::sadd}, first_read, first_written);
        return;
      case Word::Kind::load_store:
      case Word::Kind::texture:
        for (const UnitWork& work : word.accesses)
          if (!work.is_free()) write(instruction(work), at + second_written);
        for (const UnitWork& work : word.accesses)
          if (!work.is_free())
            for (unsigned s = 0; s < most_sources; ++s)
              read(instruction(work).sources[s], lanes_read(instruction(work), s), at + first_read);
        return;
    }
  }

  void write(const Instruction& each, std::uint32_t at) {
    if (each.result == no_value) return;
    ++uses_[each.result];
    for (unsigned c = 0; c < 4; ++c) {
      if ((each.mask >> c & 1U) == 0) continue;
      const bool is_alive = (alive_[each.result] >> c & 1U) != 0;
      ranges_[each.result][c].add_before(at, is_alive ? std::max(ends_[each.result][c], at + 1) : at + 1);
      alive_[each.result] &= static_cast<std::uint8_t>(~(1U << c));
    }
  }
  void read(const Source& source, std::uint8_t lanes, std::uint32_t at) {
    if (!source.is_value()) return;
    ++uses_[source.number];
    const std::uint8_t components = components_read(code_, source, lanes);
    for (unsigned c = 0; c < 4; ++c)
      if (((components & ~alive_[source.number]) >> c & 1U) != 0) ends_[source.number][c] = at + 1;
    alive_[source.number] |= components;
  }

  bool find_place(Value value) {
    const ValueInfo& info = code_.values[value];
    const unsigned least = info.fixed >= 0 ? static_cast<unsigned>(info.fixed) : 0;
    unsigned most = info.fixed >= 0 ? least + 1 : most_;
    if (info.home == Home::texture_out) most = std::min(most, 2U);
    for (unsigned reg = least; reg < most; ++reg) {
      // what register 1 gets beside a writeout is depth, stencil and target
      if (reg == 1 && info.fixed < 0 && made_beside_writeout_[value]) continue;
      // a vector of 16 bits a component is in one half of a register
      for (unsigned first = 0; first < (info.half ? 8U : 4U); first += 4)
        if (find_place(value, reg, first)) return true;
    }
    return false;
  }

  /// From this component of the register on, and within four of them.
  bool find_place(Value value, unsigned reg, unsigned first) {
    const ValueInfo& info = code_.values[value];
    Place place{static_cast<std::int16_t>(reg), {}, info.half};
    for (unsigned shift = 0; shift + info.components <= 4; ++shift) {
      if (info.placement == Placement::first && shift != 0) break;
      for (unsigned c = 0; c < 4; ++c) place.component[c] = static_cast<std::uint8_t>(first + ((c + shift) & 3U));
      if (take(value, place)) return true;
    }
    return info.placement == Placement::anywhere && spread(value, first, place) && take(value, place);
  }

  /// Components wherever there is room.
  bool spread(Value value, unsigned first, Place& place) {
    unsigned taken = 0;
    for (unsigned c = 0; c < code_.values[value].components; ++c) {
      unsigned lane = 0;
      for (; lane < 4; ++lane) {
        place.component[c] = static_cast<std::uint8_t>(first + lane);
        if ((taken >> lane & 1U) == 0 && is_free(value, c, place)) break;
      }
      if (lane == 4) return false;
      taken |= 1U << lane;
    }
    return true;
  }

  /// The 16 bits that a component takes, or the first of them, and how many times 16 it takes.
  static std::pair<unsigned, unsigned> lanes_of(const Place& place, unsigned component) {
    const unsigned at = place.component[component];
    return place.half ? std::pair{at, 1U} : std::pair{2 * at, 2U};
  }
  [[nodiscard]] bool is_free(Value value, unsigned component, const Place& place) const {
    const auto [first, count] = lanes_of(place, component);
    const Lane* const lanes = &lanes_[static_cast<std::size_t>(place.reg) * lanes_of_register + first];
    return ranges_[value][component].all([&](std::uint32_t start, std::uint32_t end) {
      return lanes[0].is_free(start, end) && lanes[count - 1].is_free(start, end);
    });
  }

  bool take(Value value, const Place& place) {
    for (unsigned c = 0; c < code_.values[value].components; ++c)
      if (!is_free(value, c, place)) return false;
    each_lane(value, place, [&](Lane& lane, std::uint32_t start, std::uint32_t end) { lane.take(start, end, value); });
    schedule_.places[value] = place;
    result_.work_registers = std::max(result_.work_registers, static_cast<unsigned>(place.reg) + 1);
    return true;
  }

  template <class Act>
  void each_lane(Value value, const Place& place, Act act) {
    for (unsigned c = 0; c < code_.values[value].components; ++c) {
      const auto [first, count] = lanes_of(place, c);
      for (unsigned lane = first; lane < first + count; ++lane)
        ranges_[value][c].all([&](std::uint32_t start, std::uint32_t end) {
          act(lanes_[static_cast<std::size_t>(place.reg) * lanes_of_register + lane], start, end);
          return true;
        });
    }
  }

  /// Chooses one that is to be in memory instead, whose registers are free from then on. Whether that is room enough
  /// the next allocation shows. \return whether there was one.
  bool make_room(Value stuck) {
    result_.is_complete = false;
    const Value chosen = worst(stuck);
    if (chosen == no_value) return false;
    result_.without.push_back(chosen);
    if (chosen == stuck) return true;
    each_lane(chosen, schedule_.places[chosen],
              [](Lane& lane, std::uint32_t start, std::uint32_t) { lane.give_back(start); });
    schedule_.places[chosen] = {};
    find_place(stuck);
    return true;
  }

  /// Of all that are alive where there is no room, the one that is long alive and seldom used.
  [[nodiscard]] Value worst(Value stuck) const {
    const std::uint32_t at = start_of(stuck);
    std::set<Value> alive{stuck};
    for (const Lane& lane : lanes_) alive.insert(lane.owner_at(at));
    Value chosen = no_value;
    double most = 0;
    for (const Value value : alive) {
      if (!may_be_in_memory(value)) continue;
      std::uint64_t length = 0;
      for (const Ranges& each : ranges_[value]) length = std::max(length, each.length());
      const double gain = static_cast<double>(length) / (1 + uses_[value]);
      if (gain > most) {
        most = gain;
        chosen = value;
      }
    }
    return chosen;
  }
  [[nodiscard]] bool may_be_in_memory(Value value) const {
    if (value == no_value) return false;
    const ValueInfo& info = code_.values[value];
    return info.home == Home::work && info.fixed < 0 && !info.spilled;
  }

  static constexpr std::size_t registers = 16, lanes_of_register = 8;
  const Code& code_;
  Schedule& schedule_;
  unsigned most_;
  bool alias_;
  const Liveness& liveness_;
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<std::array<Ranges, 4>> ranges_;
  std::vector<std::array<std::uint32_t, 4>> ends_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> made_beside_writeout_;
  Walk alive_;
  std::pmr::vector<Lane> lanes_{registers * lanes_of_register, &memory_};  ///< register by register
  Allocation result_;
};

}  // namespace

Allocation allocate(const Code& code, const Liveness& liveness, Schedule& schedule, unsigned most_registers,
                    bool registers_alias) {
  return Allocator(code, liveness, schedule, most_registers, registers_alias).run();
}

}  // namespace mobula::midgard_compiler
