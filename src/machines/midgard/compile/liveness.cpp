#include "machines/midgard/compile/liveness.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mobula::midgard_compiler {

void Walk::step_back(const Instruction& instruction) {
  if (instruction.result != no_value) alive_[instruction.result] &= static_cast<std::uint8_t>(~instruction.mask);
  each_source(instruction, [&](const Source& source, std::uint8_t lanes, bool) {
    if (source.is_value()) alive_[source.number] |= components_read(code_, source, lanes);
  });
}

namespace {

/// Follows one value after the other from the blocks that read it before they make it back to where it is made: what
/// that costs grows with the blocks through which values live, and not with all blocks and all values.
class LivenessFinder {
 public:
  explicit LivenessFinder(const Code& code)
      : code_(code), before_(code.blocks.size()), here_(code.blocks.size()), uses_from_(code.values.size() + 1) {
    for (std::uint32_t i = 0; i < code.blocks.size(); ++i)
      for (const std::uint32_t next : code.blocks[i].successors) before_[next].push_back(i);
  }

  Liveness run() {
    find_uses();
    Liveness all{.in = std::vector<std::vector<Alive>>(code_.blocks.size()),
                 .out = std::vector<std::vector<Alive>>(code_.blocks.size())};
    for (Value value = 0; value < code_.values.size(); ++value) {
      follow(value);
      for (const std::uint32_t block : touched_) {
        const Here here = std::exchange(here_[block], {});
        if (here.in != 0) all.in[block].push_back({value, here.in});
        if (here.out != 0) all.out[block].push_back({value, here.out});
      }
      touched_.clear();
    }
    return all;
  }

 private:
  /// What one block does with a value: components that it reads before it makes them, and those that it makes.
  struct Use {
    std::uint32_t block = 0;
    std::uint8_t reads = 0, makes = 0;
  };
  /// Components of the value that is followed, at one block.
  struct Here {
    std::uint8_t in = 0, out = 0, made = 0;
    bool touched = false;
  };

  /// Fills `uses_`, by value and then by block.
  void find_uses() {
    std::vector<std::pair<Value, Use>> by_block;
    std::vector<std::uint32_t> last(code_.values.size());  // of each value, behind its last use
    const auto use = [&](Value value, std::uint32_t block) -> Use& {
      if (last[value] == 0 || by_block[last[value] - 1].second.block != block) {
        by_block.push_back({value, {.block = block}});
        last[value] = static_cast<std::uint32_t>(by_block.size());
        ++uses_from_[value + 1];
      }
      return by_block[last[value] - 1].second;
    };
    for (std::uint32_t i = 0; i < code_.blocks.size(); ++i)
      for (const Instruction& each : code_.blocks[i].code) {
        each_source(each, [&](const Source& source, std::uint8_t lanes, bool) {
          if (!source.is_value()) return;
          Use& known = use(source.number, i);
          known.reads |= static_cast<std::uint8_t>(components_read(code_, source, lanes) & ~known.makes);
        });
        if (each.result != no_value) use(each.result, i).makes |= each.mask;
      }
    std::partial_sum(uses_from_.begin(), uses_from_.end(), uses_from_.begin());
    uses_.resize(by_block.size());
    std::vector<std::uint32_t> next = uses_from_;
    for (const auto& [value, known] : by_block) uses_[next[value]++] = known;
  }

  Here& touch(std::uint32_t block) {
    if (!std::exchange(here_[block].touched, true)) touched_.push_back(block);
    return here_[block];
  }

  void follow(Value value) {
    for (std::uint32_t i = uses_from_[value]; i < uses_from_[value + 1]; ++i) {
      touch(uses_[i].block).made = uses_[i].makes;
      if (uses_[i].reads != 0) open_.emplace_back(uses_[i].block, uses_[i].reads);
    }
    while (!open_.empty()) {
      const auto [block, components] = open_.back();
      open_.pop_back();
      std::uint8_t& in = touch(block).in;
      const auto fresh = static_cast<std::uint8_t>(components & ~in);
      if (fresh == 0) continue;
      in |= fresh;
      for (const std::uint32_t from : before_[block]) {
        Here& end = touch(from);
        end.out |= fresh;
        if (const auto through = static_cast<std::uint8_t>(fresh & ~end.made); through != 0)
          open_.emplace_back(from, through);
      }
    }
  }

  const Code& code_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<Here> here_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> uses_from_;  ///< by value: where its uses begin
  std::vector<Use> uses_;
  std::vector<std::pair<std::uint32_t, std::uint8_t>> open_;  ///< begins of blocks, and what is alive there
};

}  // namespace

Liveness find_liveness(const Code& code) { return LivenessFinder(code).run(); }

std::vector<std::array<Ranges, 4>> ranges_of(std::size_t values, std::pmr::memory_resource& memory) {
  std::vector<std::array<Ranges, 4>> all;
  all.reserve(values);
  while (all.size() < values) all.push_back({Ranges(memory), Ranges(memory), Ranges(memory), Ranges(memory)});
  return all;
}

void Ranges::add_before(std::uint32_t start, std::uint32_t end) {
  if (!all_.empty() && end >= all_.back().start) {
    all_.back().start = std::min(start, all_.back().start);
    return;
  }
  all_.push_back({start, end});
}

bool Ranges::overlaps(const Ranges& other) const {
  if (other.all_.size() > all_.size()) return other.overlaps(*this);
  return std::ranges::any_of(other.all_, [&](const Range& each) {
    const auto last = last_before(each.end);
    return last != all_.end() && last->end > each.start;
  });
}

void Ranges::unite(Ranges&& other) {
  std::pmr::vector<Range> fewer = std::move(other.all_);
  if (fewer.size() > all_.size()) fewer.swap(all_);
  for (Range each : fewer) {
    const auto from = all_.begin() + (last_before(each.end + 1) - all_.cbegin());
    auto to = from;
    for (; to != all_.end() && to->end >= each.start; ++to)
      each = {std::min(each.start, to->start), std::max(each.end, to->end)};
    all_.insert(all_.erase(from, to), each);
  }
}

std::uint64_t Ranges::length() const {
  std::uint64_t sum = 0;
  for (const Range& each : all_) sum += each.end - each.start;
  return sum;
}

void drop_unused(Code& code) {
  const Liveness liveness = find_liveness(code);
  Walk alive(code);
  for (std::size_t i = 0; i < code.blocks.size(); ++i) {
    alive.begin_at_end(liveness.out[i]);
    const auto is_unused = [&](Instruction& each) {
      if (each.result != no_value) {
        each.mask &= alive[each.result];
        if (each.mask == 0) each.result = no_value;
      }
      if (each.result == no_value && !each.has_effect()) return true;
      alive.step_back(each);
      return false;
    };
    auto& all = code.blocks[i].code;
    const auto kept = std::remove_if(all.rbegin(), all.rend(), is_unused);
    all.erase(all.begin(), kept.base());
    alive.finish(liveness.in[i]);
  }
}

namespace {

/// The only operations that copies are made of.
bool is_copy(const Instruction& each) {
  if (each.kind != Instruction::Kind::alu || each.has_guard() || !each.sources[1].is_value()) return false;
  return each.op->does == midgard::AluMeaning::imov && each.result != no_value;
}

class Coalescer {
 public:
  Coalescer(Code& code, bool into_homes) : code_(code), into_homes_(into_homes) {
    const std::size_t count = code.values.size();
    roots_.resize(count);
    for (Value i = 0; i < count; ++i) roots_[i] = {i, {0, 1, 2, 3}};
    ranges_ = ranges_of(count, memory_);
    readers_.resize(count);
    find_ranges();
  }

  void run() {
    std::vector<const Instruction*> copies;
    std::vector<std::uint32_t> order(code_.blocks.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t i) { return code_.blocks[i].depth; });
    for (const std::uint32_t i : order)
      for (const Instruction& each : code_.blocks[i].code)
        if (is_copy(each)) copies.push_back(&each);
    // where a value may go into the registers of memory and texture words there is one chance
    std::stable_partition(copies.begin(), copies.end(),
                          [&](const Instruction* copy) { return code_.values[copy->result].home != Home::work; });
    for (const Instruction* each : copies) join(*each);
    rewrite();
  }

 private:
  struct Root {
    Value value = no_value;
    std::array<std::uint8_t, 4> component{};  ///< of the root, by own component
  };

  Root find(Value value) {
    for (Value at = value; !leads_to_root(at); at = roots_[at].value) skip_one(roots_[at]);
    Root here = roots_[value];
    while (roots_[here.value].value != here.value) skip_one(here);
    return roots_[value] = here;
  }
  [[nodiscard]] bool leads_to_root(Value value) const {
    const Value next = roots_[value].value;
    return roots_[next].value == next;
  }
  /// So that long ways become half as long each time.
  void skip_one(Root& root) const {
    const Root& next = roots_[root.value];
    for (auto& component : root.component) component = next.component[component];
    root.value = next.value;
  }

  void find_ranges() {
    const Liveness liveness = find_liveness(code_);
    std::vector<std::uint32_t> starts;
    std::uint32_t place = 0;
    for (const Block& block : code_.blocks) {
      starts.push_back(place);
      place += 2 * static_cast<std::uint32_t>(block.code.size() + 1);
    }
    blocks_of_.assign(code_.values.size(), {ssa_none, false});
    std::vector<std::array<std::uint32_t, 4>> ends(code_.values.size());
    Walk alive(code_);
    for (std::size_t i = code_.blocks.size(); i-- > 0;) {
      const Block& block = code_.blocks[i];
      const std::uint32_t end = starts[i] + 2 * static_cast<std::uint32_t>(block.code.size() + 1);
      alive.begin_at_end(liveness.out[i]);
      for (const Alive& each : liveness.out[i]) {
        touch(each.value, static_cast<std::uint32_t>(i), true);
        ends[each.value].fill(end);
      }
      for (std::size_t k = block.code.size(); k-- > 0;) {
        const Instruction& each = block.code[k];
        const std::uint32_t here = starts[i] + 2 * static_cast<std::uint32_t>(k);
        if (each.result != no_value) {
          touch(each.result, static_cast<std::uint32_t>(i), false);
          for (unsigned c = 0; c < 4; ++c) {
            if ((each.mask >> c & 1U) == 0) continue;
            const bool is_alive = (alive[each.result] >> c & 1U) != 0;
            ranges_[each.result][c].add_before(here + 1, is_alive ? ends[each.result][c] : here + 2);
            alive[each.result] &= static_cast<std::uint8_t>(~(1U << c));
          }
        }
        each_source(each, [&](const Source& source, std::uint8_t lanes, bool) {
          if (!source.is_value()) return;
          touch(source.number, static_cast<std::uint32_t>(i), false);
          ++readers_[source.number];
          const std::uint8_t read = components_read(code_, source, lanes);
          for (unsigned c = 0; c < 4; ++c)
            if ((read & ~alive[source.number]) >> c & 1U) ends[source.number][c] = here + 1;
          alive[source.number] |= read;
        });
      }
      for (const Alive& each : liveness.in[i]) {
        touch(each.value, static_cast<std::uint32_t>(i), true);
        for (unsigned c = 0; c < 4; ++c)
          if ((alive[each.value] >> c & 1U) != 0) ranges_[each.value][c].add_before(starts[i], ends[each.value][c]);
      }
      alive.finish(liveness.in[i]);
    }
  }

  /// Notes whether a value stays within one block.
  void touch(Value value, std::uint32_t block, bool crosses) {
    auto& [where, several] = blocks_of_[value];
    if (where == ssa_none) where = block;
    several = several || crosses || where != block;
  }

  [[nodiscard]] bool homes_agree(const Root& to, const Root& from) {
    const ValueInfo& a = code_.values[to.value];
    const ValueInfo& b = code_.values[from.value];
    if (a.home == b.home) return a.home == Home::work;
    if (!into_homes_ || b.home != Home::work || (a.home != Home::load_store && a.home != Home::texture_in))
      return false;
    return readers_[from.value] == 1 && !blocks_of_[from.value].second && !blocks_of_[to.value].second;
  }

  void join(const Instruction& copy) {
    const Root to = find(copy.result), from = find(copy.sources[1].number);
    if (to.value == from.value || !homes_agree(to, from)) return;
    if (code_.values[from.value].placement != Placement::anywhere) return;
    // where each component of the one goes in the other
    std::array<std::uint8_t, 4> place{};
    std::uint8_t placed = 0;
    for (unsigned c = 0; c < 4; ++c) {
      if ((copy.mask >> c & 1U) == 0) continue;
      const unsigned source = from.component[copy.sources[1].component[c]], target = to.component[c];
      if ((placed >> source & 1U) != 0) return;
      place[source] = static_cast<std::uint8_t>(target);
      placed |= static_cast<std::uint8_t>(1U << source);
    }
    for (unsigned c = 0; c < code_.values[from.value].components; ++c)
      if ((placed >> c & 1U) == 0 && !ranges_[from.value][c].empty()) return;
    for (unsigned c = 0; c < 4; ++c)
      if ((placed >> c & 1U) != 0 && ranges_[from.value][c].overlaps(ranges_[to.value][place[c]])) return;
    for (unsigned c = 0; c < 4; ++c)
      if ((placed >> c & 1U) != 0) ranges_[to.value][place[c]].unite(std::move(ranges_[from.value][c]));
    readers_[to.value] += readers_[from.value] - 1;
    blocks_of_[to.value].second = blocks_of_[to.value].second || blocks_of_[from.value].second ||
                                  blocks_of_[to.value].first != blocks_of_[from.value].first;
    roots_[from.value] = {to.value, place};
  }

  void rewrite() {
    for (Block& block : code_.blocks) {
      for (Instruction& each : block.code) rewrite(each);
      std::erase_if(block.code, [&](const Instruction& each) {
        if (!is_copy(each) || each.sources[1].number != each.result) return false;
        for (unsigned c = 0; c < 4; ++c)
          if ((each.mask >> c & 1U) != 0 && each.sources[1].component[c] != c) return false;
        return true;
      });
    }
  }

  void rewrite(Instruction& each) {
    each_source(each, [&](Source& source, std::uint8_t, bool) {
      if (!source.is_value()) return;
      const unsigned last = code_.values[source.number].components - 1U;
      const Root root = find(source.number);
      source.number = root.value;
      for (auto& component : source.component) component = root.component[std::min<unsigned>(component, last)];
    });
    if (each.result == no_value) return;
    const Root root = find(each.result);
    each.result = root.value;
    const Instruction old = each;
    each.mask = 0;
    for (unsigned c = 0; c < 4; ++c) {
      if ((old.mask >> c & 1U) == 0) continue;
      const unsigned now = root.component[c];
      each.mask |= static_cast<std::uint8_t>(1U << now);
      each.from[now] = old.from[c];
      if (each.kind != Instruction::Kind::alu || each.op->is_horizontal()) continue;
      const auto turn = [&](Source& source, const Source& before) {
        source.component[now] = before.component[c];
        source.bits[now] = before.bits[c];
      };
      for (unsigned i = 0; i < 2; ++i) turn(each.sources[i], old.sources[i]);
      if (each.guard.by_component)
        for (unsigned i = 0; i < 2; ++i) turn(each.guard.sources[i], old.guard.sources[i]);
    }
  }

  static constexpr std::uint32_t ssa_none = ~std::uint32_t{0};
  Code& code_;
  bool into_homes_;
  std::vector<Root> roots_;
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<std::array<Ranges, 4>> ranges_;
  std::vector<std::uint32_t> readers_;
  std::vector<std::pair<std::uint32_t, bool>> blocks_of_;
};

}  // namespace

void coalesce(Code& code, bool into_homes) { Coalescer(code, into_homes).run(); }

}  // namespace mobula::midgard_compiler
