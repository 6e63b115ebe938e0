// Rules about writes that take time (registers 3 words, temporaries and load offsets 4) and about what has never been
// written: each is decided on every path of the control flow.
#include <algorithm>
#include <map>
#include <optional>

#include "core/counted.h"
#include "machines/utgard_gp/check/report.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {
namespace {

constexpr unsigned longest_latency = std::max({register_latency, temporary_latency, address_latency});

unsigned offset_of(const Word128& word) {
  const auto offset = static_cast<unsigned>(get(word, word::ld_off));
  return reads_load(word) && offset >= 1 && offset <= 3 ? offset : 0;
}

/// What the word loads of what is written with a delay. Port 0 counts for the word that loads it, wherever it is read.
DelayedSet delayed_reads(const Report& report, std::uint16_t index) {
  const Word128& word = report.words[index];
  DelayedSet reads;
  const auto add = [&](const Field& field, unsigned mask) {
    const auto reg = static_cast<unsigned>(get(word, field));
    for (unsigned c = 0; c < 4; ++c)
      if ((mask >> c & 1) != 0) reads.set(4 * reg + c);
  };
  if (get(word, word::port0_attr) == 0) {
    unsigned mask = components_read(word, Source::port0);
    for (const std::uint16_t next : report.flow.successors(index))
      mask |= components_read(report.words[next], Source::previous_port0);
    add(word::port0_index, mask);
  }
  add(word::port1_index, components_read(word, Source::port1));
  if (const unsigned offset = offset_of(word); offset != 0) reads.set(delayed_address + offset - 1);
  if (reads_load(word) && report.stores_temporaries)
    for (unsigned c = 0; c < 4; ++c) reads.set(delayed_temporary + c);
  return reads;
}

/// Of those below delayed_temporary, the components of one register.
unsigned components_of(const DelayedSet& set, unsigned reg) {
  unsigned mask = 0;
  for (unsigned c = 0; c < 4; ++c)
    if (set.test(4 * reg + c)) mask |= 1u << c;
  return mask;
}

/// Where register `reg` is loaded in the word: the field of the port.
BitRange port_of(const Word128& word, unsigned reg) {
  const bool port1 = get(word, word::port1_index) == reg && components_read(word, Source::port1) != 0;
  return bits_of(port1 ? word::port1_index : word::port0_index);
}

class LatencyChecker {
 public:
  explicit LatencyChecker(Report& report) : report_(report) {
    for (const Word128& word : report.words) written_.push_back(delayed_writes(word));
  }

  void check_word(std::uint16_t word) {
    const DelayedSet reads = delayed_reads(report_, word);
    if (reads.none()) return;
    early_.clear();
    report_.flow.for_each_path(word, longest_latency - 1, [&](const Path& path) { follow(path, reads); });
    for (const auto& [store, early] : early_) report_early(word, store, early);
  }

 private:
  struct Early {
    DelayedSet what;
    Path path;  ///< the shortest, from the store to the load
  };

  /// The nearest store of each thing on this path that comes too late for its load at the path's end.
  void follow(const Path& path, DelayedSet reads) {
    for (std::size_t distance = 1; distance < path.size() && reads.any(); ++distance) {
      const std::size_t at = path.size() - 1 - distance;
      if (path[at] == before_start || !report_.reached(path[at])) return;
      DelayedSet hit = reads & written_[path[at]];
      for (unsigned delayed = 0; hit.any() && delayed < delayed_count; ++delayed)
        if (hit.test(delayed) && distance >= latency_of(delayed)) hit.reset(delayed);
      if (hit.none()) continue;
      reads &= ~hit;
      Early& early = early_[path[at]];
      early.what |= hit;
      const Path part(path.begin() + static_cast<std::ptrdiff_t>(at), path.end());
      if (early.path.empty() || part.size() < early.path.size()) early.path = part;
    }
  }

  void report_early(std::uint16_t word, std::uint16_t store, const Early& early) {
    const Word128& bits = report_.words[word];
    const std::size_t distance = early.path.size() - 1;
    const auto after = [&](const std::string& doing) {
      return ' ' + counted(distance, "word") + " after " + address_of(store) + ", which " + doing + ", on the path " +
             text_of(early.path);
    };
    const auto add = [&](RuleId id, unsigned latency, BitRange place, const std::string& found) {
      report_.add(id, word, place, found, insert_words(early.path, latency - static_cast<unsigned>(distance)));
    };
    for (unsigned reg = 0; reg < register_count; ++reg)
      if (const unsigned mask = components_of(early.what, reg); mask != 0)
        add(RuleId::register_latency, register_latency, port_of(bits, reg),
            register_name(reg, mask) + " is loaded" + after("stores it"));
    if ((early.what >> delayed_temporary & DelayedSet(0xF)).any()) report_temporary(word, store, after, add);
    for (unsigned k = 1; k <= 3; ++k)
      if (early.what.test(delayed_address + k - 1))
        add(RuleId::address_latency, address_latency, bits_of(word::ld_off),
            "A" + std::to_string(k) + " is used" + after("sets it"));
  }

  template <class After, class Add>
  void report_temporary(std::uint16_t word, std::uint16_t store, const After& after, const Add& add) {
    const Word128& bits = report_.words[word];
    const bool offset = offset_of(bits) != 0;
    const auto address = static_cast<unsigned>(get(bits, word::ld_addr));
    // What the interface knows to be a uniform or a constant is not a temporary.
    if (!offset && is_known_uniform(address)) return;
    const std::optional<unsigned> stored = temporary_of(store);
    if (offset || !stored)
      add(RuleId::temporary_may_be_early, temporary_latency, bits_of(word::ld_addr),
          "memory is loaded" + after("stores a temporary"));
    else if (*stored == address)
      add(RuleId::temporary_latency, temporary_latency, bits_of(word::ld_addr),
          "temporary " + std::to_string(address) + " is loaded" + after("stores it"));
  }

  [[nodiscard]] bool is_known_uniform(unsigned vec4) const {
    if (!report_.names.uniform(vec4).empty()) return true;
    for (unsigned c = 0; c < 4; ++c)
      if (report_.constants.contains(4 * vec4 + c)) return true;
    return false;
  }

  /// The vec4 a store of a temporary goes to, where its own word sets A0 to a constant of the interface.
  [[nodiscard]] std::optional<unsigned> temporary_of(std::uint16_t store) const {
    const std::optional<unsigned> from = store_address_word(report_.words[store]);
    return from ? vec4_of(report_.constants, *from) : std::nullopt;
  }

  Report& report_;
  std::vector<DelayedSet> written_;
  std::map<std::uint16_t, Early> early_;  ///< by storing word
};

/// A register stored by one of the last two words of a block, whose end is a branch or precedes a join.
void check_block_end(Report& report, std::uint16_t word) {
  const auto ends = [&](unsigned at) {
    if (at >= report.words.size()) return false;
    if (is_branch(report.words[at])) return true;
    return at + 1 < report.words.size() && report.flow.is_join(static_cast<std::uint16_t>(at + 1));
  };
  if (!ends(word) && !ends(word + 1u)) return;
  const auto end = static_cast<std::uint16_t>(ends(word) ? word : word + 1);
  for (unsigned half = 0; half < 2; ++half) {
    const StoreHalf store = store_half(report.words[word], half);
    if (store.kind != StoreKind::reg) continue;
    unsigned mask = 0;
    for (unsigned i = 0; i < 2; ++i)
      if (store.selector[i] != store_nothing) mask |= 1u << (store.first_component + i);
    report.add(RuleId::store_before_edge, word, bits_of(half == 0 ? word::st0_index : word::st1_index),
               register_name(store.index, mask) + " is stored " + (end == word ? "in" : "one word before") +
                   " the last word of a block, " + address_of(end));
  }
}

void check_registers_defined(Report& report) {
  const std::size_t count = report.words.size();
  std::vector<DelayedSet> reads(count), undefined(count);
  DelayedSet read_anywhere;
  report.for_each_reached([&](std::uint16_t word) { read_anywhere |= reads[word] = delayed_reads(report, word); });
  std::vector<DelayedSet> writes;
  for (const Word128& word : report.words) writes.push_back(delayed_writes(word));
  std::map<std::pair<std::uint16_t, unsigned>, Path> paths;  // by word and register, to its first undefined component
  for (unsigned component = 0; component < delayed_temporary; ++component) {
    if (!read_anywhere.test(component)) continue;
    const Reach reach(report.flow, [&](std::uint16_t word) { return writes[word].test(component); });
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto word = static_cast<std::uint16_t>(i);
      if (!reads[word].test(component) || !reach.reaches(word)) continue;
      undefined[word].set(component);
      Path& path = paths[{word, component / 4}];
      if (path.empty()) path = reach.path_to(word);
    }
  }
  for (const auto& [place, path] : paths)
    report.add(RuleId::register_defined, place.first, port_of(report.words[place.first], place.second),
               register_name(place.second, components_of(undefined[place.first], place.second)) +
                   " is loaded but nothing stores it on the path " + text_of(path));
}

template <class Uses>
void check_address_defined(Report& report, RuleId id, unsigned k, const Field& field, Uses uses) {
  const Reach reach(report.flow, [&](std::uint16_t word) { return sets_address(report.words[word], k); });
  report.for_each_reached([&](std::uint16_t word) {
    if (!uses(report.words[word]) || !reach.reaches(word)) return;
    report.add(id, word, bits_of(field),
               "A" + std::to_string(k) + " is used but nothing sets it on the path " + text_of(reach.path_to(word)));
  });
}

}  // namespace

void check_latencies(Report& report) {
  LatencyChecker checker(report);
  report.for_each_reached([&](std::uint16_t word) {
    checker.check_word(word);
    check_block_end(report, word);
  });
}

void check_definitions(Report& report) {
  check_registers_defined(report);
  // A0 counts for the stores of the word that sets it.
  check_address_defined(report, RuleId::store_address_defined, 0, word::st0_temp,
                        [](const Word128& word) { return stores_temporary(word) && !sets_address(word, 0); });
  for (unsigned k = 1; k <= 3; ++k)
    check_address_defined(report, RuleId::load_offset_defined, k, word::ld_off,
                          [k](const Word128& word) { return offset_of(word) == k; });
}

}  // namespace mobula::utgard_gp
