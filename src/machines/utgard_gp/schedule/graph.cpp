#include "machines/utgard_gp/schedule/graph.h"

#include <algorithm>
#include <string>

namespace mobula::utgard_gp {
namespace {

/// What a trace is entered with on the paths looked at so far.
struct Entry {
  Contents contents;
  bool reached = false;
};

bool has(std::uint64_t set, unsigned member) { return (set >> member & 1) != 0; }

/// A register component that no word reads or writes.
std::optional<unsigned> unused_register(std::span<const Word128> words) {
  std::uint64_t used = 0;
  const auto use = [&](std::uint64_t index, unsigned components) { used |= std::uint64_t{components} << (4 * index); };
  for (const Word128& word : words) {
    for (unsigned half = 0; half < 2; ++half)
      if (const StoreHalf store = store_half(word, half); store.kind == StoreKind::reg)
        use(store.index, 3U << store.first_component);
    const SelectorsRead read = selectors_read(word);
    use(get(word, word::port1_index), read.of(Source::port1));
    // The next word may read what port 0 has loaded.
    if (get(word, word::port0_attr) == 0) use(get(word, word::port0_index), 15);
  }
  for (unsigned i = flat_registers; i-- > 0;)
    if (!has(used, i)) return i;
  return std::nullopt;
}

class FlowFinder {
 public:
  FlowFinder(std::span<const Word128> words, Values& values, bool past_branches)
      : words_(words), values_(values), past_branches_(past_branches) {}

  Result<Flow> run() {
    store_address_ = unused_register(words_);
    if (!cut()) return failure();
    if (!store_address_is_set()) return failure();
    if (!find_early_reads()) return failure();
    if (!propagate()) return failure();
    find_live();
    return std::move(flow_);
  }

  /// Nothing, or where and how these words do not do what `flow` says.
  std::optional<Problem> differs_from(const Flow& flow) {
    if (!cut() || !find_early_reads()) return problem_;
    if (flow_.traces.size() != flow.traces.size()) return Problem{0, "the program has other traces"};
    for (std::uint16_t i = 0, count = size_of(flow_.traces); i < count; ++i) {
      const Trace& wanted = flow.traces[i];
      Trace& trace = flow_.traces[i];
      Contents entry = wanted.entry;
      for (unsigned reg = 0; reg < flat_registers; ++reg)
        if (!has(wanted.live_in.registers, reg)) entry.registers[reg] = no_value;
      if (!simulate(i, entry)) return problem_;
      if (trace.segments.size() + 1 == wanted.segments.size() && wanted.segments.back().condition == no_value) {
        // Nothing is left after the last branch.
        Segment nothing = trace.segments.back();
        nothing.varyings.clear();
        nothing.condition = no_value;
        trace.segments.push_back(std::move(nothing));
      }
      if (trace.segments.size() != wanted.segments.size())
        return Problem{trace.first(), "the trace has other branches"};
      for (std::size_t k = 0; k < trace.segments.size(); ++k)
        if (const std::string text = difference(wanted.segments[k], trace.segments[k]); !text.empty())
          return Problem{trace.segments[k].first, text};
      for (const Exit& exit : exits(wanted))
        if (const std::string text = difference(flow, wanted, trace, exit); !text.empty())
          return Problem{trace.segments[exit.segment].first, text};
    }
    return std::nullopt;
  }

 private:
  static std::string difference(const Segment& wanted, const Segment& segment) {
    if (wanted.condition != segment.condition) return "the branch condition differs";
    if (wanted.condition != no_value && wanted.target != segment.target) return "the branch target differs";
    const auto sorted = [](std::vector<VaryingStore> stores) {
      std::sort(stores.begin(), stores.end(), [](const VaryingStore& a, const VaryingStore& b) {
        return 4 * a.index + a.component < 4 * b.index + b.component;
      });
      return stores;
    };
    return sorted(wanted.varyings) == sorted(segment.varyings) ? "" : "other values are stored in varyings";
  }

  static std::string difference(const Flow& flow, const Trace& wanted, const Trace& trace, const Exit& exit) {
    if (!exit.target) return {};
    const Live& live = flow.traces[*exit.target].live_in;
    const Contents& expected = wanted.segments[exit.segment].end;
    const Contents& found = trace.segments[exit.segment].end;
    for (unsigned reg = 0; reg < flat_registers; ++reg)
      if (has(live.registers, reg) && expected.registers[reg] != found.registers[reg])
        return "register $" + std::to_string(reg / 4) + '.' + "xyzw"[reg % 4] + " leaves with another value";
    for (unsigned k = 1; k < address_registers; ++k)
      if (has(live.addresses, k) && expected.addresses[k] != found.addresses[k])
        return "A" + std::to_string(k) + " leaves with another value";
    for (unsigned c = 0; c < expected.memory.size(); ++c)
      if (has(live.memory, c) && expected.memory[c] != found.memory[c])
        return std::string("temporaries leave with other values in ") + "xyzw"[c];
    return {};
  }

  Unexpected failure() const {
    Diagnostic diagnostic{Severity::error, "GP301", {}, {}, {}};
    diagnostic.where.byte_offset = std::uint64_t{problem_.word} * word_bytes;
    diagnostic.message = "word " + std::to_string(problem_.word) + " cannot be scheduled: " + problem_.text;
    return fail(std::move(diagnostic));
  }
  bool refuse(std::uint16_t word, std::string text) {
    problem_ = {word, std::move(text)};
    return false;
  }

  /// Cuts the program into segments and traces.
  bool cut() {
    const auto count = static_cast<std::uint16_t>(words_.size());
    std::vector<bool> leads(count, false), entered(count, false);
    leads[0] = entered[0] = true;
    for (std::uint16_t word = 0; word < count; ++word) {
      if (!is_branch(words_[word])) continue;
      const unsigned target = branch_target(words_[word]);
      if (target >= count)
        return refuse(word, "branches to word " + std::to_string(target) + " of " + std::to_string(count));
      leads[target] = entered[target] = true;
      if (word + 1u == count) continue;
      leads[word + 1u] = true;
      if (!past_branches_) entered[word + 1u] = true;
    }
    std::vector<std::uint16_t> trace_of(count, 0);
    for (std::uint16_t word = 0; word < count; ++word) {
      if (entered[word]) flow_.traces.emplace_back();
      Trace& trace = flow_.traces.back();
      if (leads[word]) {
        trace.segments.emplace_back();
        trace.segments.back().first = word;
      }
      ++trace.segments.back().count;
      trace_of[word] = static_cast<std::uint16_t>(flow_.traces.size() - 1);
    }
    for (std::size_t i = 0; i < flow_.traces.size(); ++i) {
      Trace& trace = flow_.traces[i];
      if (i + 1 < flow_.traces.size()) trace.next = static_cast<std::uint16_t>(i + 1);
      for (Segment& segment : trace.segments)
        if (const Word128& last = words_[segment.first + segment.count - 1u]; is_branch(last))
          segment.target = trace_of[branch_target(last)];
    }
    return true;
  }

  /// No temporary is stored before A0 is set, on any path.
  bool store_address_is_set() {
    const Reach unset(ControlFlow(words_), [&](std::uint16_t word) { return sets_address(words_[word], 0); });
    for (std::uint16_t word = 0, count = size_of(words_); word < count; ++word)
      if (stores_temporary(words_[word]) && !sets_address(words_[word], 0) && unset.reaches(word))
        return refuse(word, "stores a temporary at an A0 that is not set on every path to it");
    return true;
  }

  /// What is read before its store arrives is the old value; no value represents that, except for memory that a word of
  /// the same trace stores.
  bool find_early_reads() {
    const Forwarding forwarding(words_);
    for (std::uint16_t word = 0, count = size_of(words_); word < count; ++word) {
      for (const OperandField& operand : operand_fields)
        if (is_live(words_[word], operand) && !comes_in_time(forwarding, word, operand)) return false;
      const auto offset = static_cast<unsigned>(get(words_[word], word::ld_off));
      if (reads_load(words_[word]) && offset >= 1 && offset < address_registers &&
          forwarding.may_be_early(word, delayed_address + offset - 1))
        return refuse(word, "uses A" + std::to_string(offset) + " before what it was last set to arrives");
    }
    return std::all_of(flow_.traces.begin(), flow_.traces.end(),
                       [&](const Trace& trace) { return memory_has_arrived(forwarding, trace); });
  }

  bool comes_in_time(const Forwarding& forwarding, std::uint16_t word, const OperandField& operand) {
    const Selector& selector = selectors[get(words_[word], *operand.field)];
    std::vector<std::uint16_t> readers{word};
    Source source = selector.source;
    if (source == Source::previous_port0) {
      const auto before = forwarding.predecessors(word);
      readers.assign(before.begin(), before.end());
      source = Source::port0;
    }
    if (source != Source::port0 && source != Source::port1) return true;
    for (const std::uint16_t reader : readers) {
      if (reader == before_start) continue;
      if (source == Source::port0 && get(words_[reader], word::port0_attr) != 0) continue;
      const auto reg =
          static_cast<unsigned>(get(words_[reader], source == Source::port0 ? word::port0_index : word::port1_index));
      if (forwarding.may_be_early(reader, 4 * reg + selector.component))
        return refuse(reader, "reads register $" + std::to_string(reg) + " before its last store arrives");
    }
    return true;
  }

  /// Loads at the start of a trace do not meet stores of the words executed before it on their way.
  bool memory_has_arrived(const Forwarding& forwarding, const Trace& trace) {
    constexpr unsigned on_the_way = temporary_latency - 1;
    for (unsigned place = 0; place < std::min<unsigned>(on_the_way, trace.words()); ++place) {
      const auto word = static_cast<std::uint16_t>(trace.first() + place);
      if (!reads_load(words_[word])) continue;
      if (get(words_[word], word::ld_off) == no_offset &&
          !values_.facts().may_change(static_cast<unsigned>(get(words_[word], word::ld_addr))))
        continue;
      const unsigned components = components_read(words_[word], Source::load) | (takes_bounds(words_[word]) ? 3u : 0u);
      const DelayedSet read = DelayedSet(components) << delayed_temporary;
      for (unsigned distance = place + 1; distance <= on_the_way; ++distance)
        if ((forwarding.written_before(word, distance) & read).any() && may_be_stored(forwarding, word, distance, read))
          return refuse(word, "may read a temporary that was stored before a branch or join and has not arrived");
    }
    return true;
  }

  /// Whether a word `distance` before this one stores what this one loads, as far as addresses are known.
  bool may_be_stored(const Forwarding& forwarding, std::uint16_t word, unsigned distance, const DelayedSet& read) {
    const bool fixed = get(words_[word], word::ld_off) == no_offset;
    std::vector<std::uint16_t> before{word};
    for (; distance != 0; --distance) {
      std::vector<std::uint16_t> earlier;
      for (const std::uint16_t each : before)
        for (const std::uint16_t predecessor : forwarding.predecessors(each))
          if (predecessor != before_start) earlier.push_back(predecessor);
      std::sort(earlier.begin(), earlier.end());
      earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
      before = std::move(earlier);
    }
    return std::any_of(before.begin(), before.end(), [&](std::uint16_t each) {
      if ((delayed_writes(words_[each]) & read).none()) return false;
      const auto stored = stored_vec4(words_[each], values_.facts());
      return !fixed || !stored || *stored == get(words_[word], word::ld_addr);
    });
  }

  /// A0 passes from trace to trace as if it were kept in a register that the program leaves alone.
  bool simulate(std::uint16_t index, Contents entry) {
    if (store_address_) entry.addresses[0] = entry.registers[*store_address_];
    Symbols symbols(words_, values_, entry);
    for (Segment& segment : flow_.traces[index].segments) {
      segment.varyings.clear();
      if (!symbols.run(segment)) {
        problem_ = symbols.problem();
        return false;
      }
      if (!store_address_ || segment.end.addresses[0] == entry.addresses[0]) continue;
      segment.end.registers[*store_address_] = segment.end.addresses[0];
      segment.touched |= std::uint64_t{1} << *store_address_;
    }
    return true;
  }

  /// Executes the traces until it is known which registers hold the same attribute or uniform on every path into a
  /// trace; those are loaded again instead of kept.
  bool propagate() {
    const Contents own = own_contents(values_);
    std::vector<Entry> entries(flow_.traces.size());
    entries[0] = {own, true};
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::uint16_t i = 0, count = size_of(flow_.traces); i < count; ++i) {
        if (!entries[i].reached) continue;
        if (!simulate(i, entries[i].contents)) return false;
        flow_.traces[i].entry = entries[i].contents;
        for (const Exit& exit : exits(flow_.traces[i]))
          if (exit.target) changed |= meet(entries[*exit.target], flow_.traces[i].segments[exit.segment], own);
      }
    }
    return true;
  }

  bool meet(Entry& entry, const Segment& segment, const Contents& own) const {
    bool changed = !entry.reached;
    if (!entry.reached) entry.contents = own;
    for (unsigned i = 0; i < flat_registers; ++i) {
      const ValueId value = segment.end.registers[i];
      const bool loadable = value != no_value && is_input(values_[value].make);
      const ValueId incoming = loadable ? value : own.registers[i];
      ValueId& known = entry.contents.registers[i];
      const ValueId merged = !entry.reached || known == incoming ? incoming : own.registers[i];
      changed |= known != merged;
      known = merged;
    }
    entry.reached = true;
    return changed;
  }
  static bool is_input(Make make) { return make == Make::attribute || make == Make::uniform; }

  /// What matters at the entry of each trace: that from which something is computed that leaves the program
  /// or decides a branch.
  void find_live() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t i = flow_.traces.size(); i-- > 0;) changed |= find_live(flow_.traces[i]);
    }
  }

  bool find_live(Trace& trace) const {
    std::vector<ValueId> stack;
    Live live;
    for (const Segment& segment : trace.segments) {
      for (const VaryingStore& store : segment.varyings) stack.push_back(store.value);
      if (segment.condition != no_value) stack.push_back(segment.condition);
    }
    for (const Exit& exit : exits(trace)) {
      if (!exit.target) continue;
      const Segment& segment = trace.segments[exit.segment];
      const Live& after = flow_.traces[*exit.target].live_in;
      for (unsigned i = 0; i < flat_registers; ++i) {
        if (!has(after.registers, i)) continue;
        if (has(segment.touched, i))
          stack.push_back(segment.end.registers[i]);
        else
          live.registers |= std::uint64_t{1} << i;
      }
      for (unsigned k = 1; k < address_registers; ++k)
        if (has(after.addresses, k)) stack.push_back(segment.end.addresses[k]);
      for (unsigned c = 0; c < segment.end.memory.size(); ++c)
        if (has(after.memory, c)) stack.push_back(segment.end.memory[c]);
    }
    std::vector<bool> seen(values_.size(), false);
    while (!stack.empty()) {
      const ValueId id = stack.back();
      stack.pop_back();
      if (id == no_value || seen[id]) continue;
      seen[id] = true;
      const Value& value = values_[id];
      if (value.make == Make::reg) live.registers |= std::uint64_t{1} << (4 * value.index + value.component);
      if (value.make == Make::address) live.addresses |= static_cast<std::uint8_t>(1u << value.index);
      if (value.make == Make::memory) live.memory |= static_cast<std::uint8_t>(1u << value.component);
      for (unsigned k = 0; k < value.operand_count; ++k) stack.push_back(value.operands[k].value);
    }
    const bool changed = live != trace.live_in;
    trace.live_in = live;
    return changed;
  }

  std::span<const Word128> words_;
  Values& values_;
  bool past_branches_;
  std::optional<unsigned> store_address_;  ///< register component that stands for A0 between traces
  Flow flow_;
  Problem problem_;
};

}  // namespace

std::vector<Exit> exits(const Trace& trace) {
  std::vector<Exit> all;
  for (std::uint16_t i = 0, count = size_of(trace.segments); i < count; ++i)
    if (trace.segments[i].condition != no_value) all.push_back({i, trace.segments[i].target, true});
  all.push_back({static_cast<std::uint16_t>(trace.segments.size() - 1), trace.next, false});
  return all;
}

bool uses_addresses(std::span<const Word128> words) {
  return std::any_of(words.begin(), words.end(), [](const Word128& word) {
    return stores_temporary(word) || cplx_operation(word).traits.addresses != 0 ||
           (reads_load(word) && get(word, word::ld_off) != no_offset);
  });
}

Result<Flow> find_flow(std::span<const Word128> words, Values& values, bool past_branches) {
  if (words.empty()) return Flow{};
  return FlowFinder(words, values, past_branches).run();
}

Result<void> compare_flow(const Flow& flow, std::span<const Word128> words, Values& values, bool past_branches) {
  if (words.empty() && flow.traces.empty()) return {};
  const auto problem = FlowFinder(words, values, past_branches).differs_from(flow);
  if (!problem) return {};
  Diagnostic diagnostic{Severity::error, "GP302", {}, {}, {}};
  diagnostic.where.byte_offset = std::uint64_t{problem->word} * word_bytes;
  diagnostic.message = "word " + std::to_string(problem->word) + ": " + problem->text;
  return fail(std::move(diagnostic));
}

}  // namespace mobula::utgard_gp
