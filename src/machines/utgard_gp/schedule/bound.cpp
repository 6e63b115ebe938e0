#include "machines/utgard_gp/schedule/bound.h"

#include <algorithm>
#include <array>
#include <map>

#include "machines/utgard_gp/schedule/state.h"

namespace mobula::utgard_gp {
namespace {

/// Work of one word that a schedule must hold at least once: words needed above it and below it.
struct Need {
  unsigned above = 0, below = 0;
};
using Needs = std::vector<Need>;

/// Of all sets of needs with at least so many words above and below: those words and what `words` gives for the numbers
/// of needs of each group, the most.
template <std::size_t size, class Words>
unsigned strictest(const std::array<Needs, size>& groups, const Words& words) {
  struct Entry {
    Need need;
    std::size_t group;
  };
  std::vector<Entry> entries;
  std::vector<unsigned> starts;
  for (std::size_t group = 0; group < size; ++group)
    for (const Need& need : groups[group]) {
      entries.push_back({need, group});
      starts.push_back(need.above);
    }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.need.below > b.need.below; });
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  unsigned most = 0;
  for (const unsigned above : starts) {
    std::array<unsigned, size> counts{};
    for (const Entry& entry : entries) {
      if (entry.need.above < above) continue;
      ++counts[entry.group];
      most = std::max(most, above + words(counts) + entry.need.below);
    }
  }
  return most;
}
/// `capacity` of them fit in a word.
unsigned strictest(Needs needs, unsigned capacity) {
  return strictest(std::array<Needs, 1>{std::move(needs)},
                   [&](const std::array<unsigned, 1>& counts) { return (counts[0] + capacity - 1) / capacity; });
}

class Bounds {
 public:
  explicit Bounds(const Task& task) : task_(task), below_(task.nodes.size(), 0) {}

  std::vector<Bound> run() {
    find_below();
    sort_operations();
    count_loads();
    count_stores();
    return report();
  }

 private:
  enum Kind : std::uint8_t { add_, mul_ = 7, square_, wide_, pass_, complex_, kinds };

  // ---------------------------------------------------------------------------------------------- words below

  /// Segments from this one on whose branch takes a word of its own.
  [[nodiscard]] unsigned branches_from(std::size_t segment) const {
    unsigned count = 0;
    for (std::size_t i = segment; i < task_.conditions.size(); ++i) count += task_.conditions[i] != no_node ? 1 : 0;
    return count;
  }
  [[nodiscard]] unsigned below(const Output& output) const {
    unsigned most = 0;
    for (const Output::Distance& distance : output.distances)
      most = std::max(most, distance.words + branches_from(distance.segment + std::size_t{1}));
    return most;
  }

  /// Words that must follow the one that finishes each node, for its most demanding reader.
  void find_below() {
    const auto need = [&](NodeId id, unsigned words) {
      if (id != no_node) below_[id] = std::max(below_[id], words);
    };
    for (std::size_t i = 0; i < task_.conditions.size(); ++i)
      if (const NodeId id = task_.conditions[i]; id != no_node)
        need(id, branches_from(i + 1) + (makes_combine(task_.nodes[id]) ? 2 : 1));
    for (const Output& output : task_.outputs)
      need(output.node, below(output) + (makes_combine(task_.nodes[output.node]) ? 2 : 0));
    for (std::size_t i = task_.nodes.size(); i-- > 0;) {
      const Node& node = task_.nodes[i];
      unsigned parts = 0;  // words from the first that reads the operands to the one that finishes
      if (node.make == Make::rcp || node.make == Make::rsqrt) parts = 1;
      if (node.make == Make::exp2) parts = 2;
      if (node.make == Make::log2) parts = 3;
      for (unsigned k = 0; k < node.operand_count; ++k)
        if (const NodeId operand = node.operands[k].node; operand != no_node)
          need(operand, below_[i] + parts + (makes_combine(task_.nodes[operand]) ? 2 : 1));
    }
  }

  // ---------------------------------------------------------------------------------------------- needs

  void sort_operations() {
    for (std::size_t i = 0; i < task_.nodes.size(); ++i) {
      const Node& node = task_.nodes[i];
      const unsigned below = below_[i];
      if (node.is_leaf()) continue;
      const unsigned above = node.height - 1u;
      latency_ = std::max(latency_, above + 1 + below);
      if (is_function(node.make)) {
        const unsigned after = node.make == Make::log2 ? 2 : 0;
        const Need table{above - after - 1, below + after + 1};
        operations_[wide_].push_back({above - after, below + after});
        operations_[square_].push_back(table);
        operations_[complex_].push_back(table);
        if (node.make == Make::log2) operations_[pass_].push_back({above, below});
        if (node.make == Make::exp2) operations_[pass_].push_back({above - 2, below + 2});
      } else if (node.clamp) {
        operations_[pass_].push_back({above, below});
      } else if (is_adder(node.make)) {
        operations_[adder_index(node.make)].push_back({above, below});
      } else if (node.make == Make::select) {
        operations_[wide_].push_back({above, below});
      } else if (node.make == Make::mul) {
        operations_[mul_].push_back({above, below});
      } else {
        others_.push_back({above, below});
      }
    }
    for (std::size_t i = 0; i < task_.conditions.size(); ++i)
      if (task_.conditions[i] != no_node) operations_[pass_].push_back({0, branches_from(i + 1)});
  }

  void count_loads() {
    std::map<std::pair<Make, std::uint16_t>, unsigned> loads;  // words below the first
    for (std::size_t i = 0; i < task_.nodes.size(); ++i) {
      const Node& node = task_.nodes[i];
      if (node.clamp) loads[{Make::uniform, node.index}] = std::max(loads[{Make::uniform, node.index}], below_[i]);
      if (!node.is_leaf() || node.make == Make::load) continue;
      // An operation reads in the word that loads, or one later through port 0; stores need a move in that word.
      const bool earlier = node.users != 0 && below_[i] > 0;
      unsigned& below = loads[{node.make, node.index}];
      const unsigned readable = earlier ? below_[i] - 1 : below_[i];
      below = std::max(below, readable);
    }
    for (const auto& [load, below] : loads) {
      if (load.first == Make::uniform) uniforms_.push_back({0, below});
      if (load.first == Make::attribute) attributes_.push_back({0, below});
      if (load.first != Make::uniform) ports_.push_back({0, below});
    }
  }

  void count_stores() {
    std::map<unsigned, Need> halves;  // destinations: the most demanding value of each
    std::vector<bool> moved(task_.nodes.size(), false);
    for (const Output& output : task_.outputs) {
      if (output.kind == StoreKind::temporary) continue;  // how many go to one vec4 is not known
      const Node& node = task_.nodes[output.node];
      const unsigned above = node.is_leaf() || makes_combine(node) ? node.available : node.height - 1u;
      const unsigned key = ((output.kind == StoreKind::varying ? 16u : 0u) + output.index) * 2 + output.component / 2u;
      const Need need{above, below(output)};
      Need& half = halves[key];
      if (need.above + need.below >= half.above + half.below) half = need;
      if ((node.is_leaf() || makes_combine(node)) && !moved[output.node]) {
        moved[output.node] = true;
        others_.push_back(need);
      }
    }
    for (const auto& [key, need] : halves) stores_[key % 2].push_back(need);
  }

  // ---------------------------------------------------------------------------------------------- report

  std::vector<Bound> report() {
    std::array<Needs, 7> adders;
    std::copy_n(operations_.begin(), adders.size(), adders.begin());
    const auto adder_words = [](const auto& counts) {
      unsigned words = 0;
      for (unsigned i = 0; i < 7; ++i) words += (counts[i] + 1) / 2;
      return words;
    };
    const auto multiplier_words = [](const auto& counts) {  // mul, square, wide
      return counts[2] + std::max(counts[1], (counts[1] + counts[0] + 1) / 2);
    };
    std::array<Needs, kinds + 1> all;
    std::copy(operations_.begin(), operations_.end(), all.begin());
    all[kinds] = others_;
    const auto unit_words = [](const auto& counts) {
      unsigned slots = counts[wide_];  // takes two
      for (const unsigned count : counts) slots += count;
      return (slots + unit_count - 1) / unit_count;
    };
    std::vector<Bound> bounds{
        {"adders", strictest(adders, adder_words)},
        {"multipliers",
         strictest(std::array{operations_[mul_], operations_[square_], operations_[wide_]}, multiplier_words)},
        {"pass", strictest(operations_[pass_], 1)},
        {"complex", strictest(operations_[complex_], 1)},
        {"units", strictest(all, unit_words)},
        {"uniforms", strictest(uniforms_, 1)},
        {"attributes", strictest(attributes_, 1)},
        {"ports", strictest(ports_, 2)},
        {"stores", std::max(strictest(stores_[0], 1), strictest(stores_[1], 1))},
        {"latency", std::max(latency_, 1u)},
    };
    const auto strictest_bound = std::max_element(bounds.begin(), bounds.end(),
                                                  [](const Bound& a, const Bound& b) { return a.words < b.words; });
    std::rotate(bounds.begin(), strictest_bound, strictest_bound + 1);
    return bounds;
  }

  const Task& task_;
  std::vector<unsigned> below_;
  std::array<Needs, kinds> operations_;
  Needs others_;  ///< negations and moves that any unit, or several, can do
  Needs uniforms_, attributes_, ports_;
  std::array<Needs, 2> stores_;
  unsigned latency_ = 0;
};

}  // namespace

std::vector<Bound> lower_bounds(const Task& task) { return Bounds(task).run(); }

}  // namespace mobula::utgard_gp
