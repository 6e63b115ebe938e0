#include "machines/afuc/views/structure.h"

#include <limits>

namespace mobula::afuc {
namespace {

constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();

class Finder {
 public:
  explicit Finder(std::span<const std::vector<std::uint32_t>> successors)
      : successors_(successors),
        predecessors_(successors.size()),
        rank_(successors.size(), no_block),
        dominator_(successors.size(), no_block),
        loop_(successors.size(), no_block),
        outer_(successors.size(), no_block) {}

  Structure take(const std::vector<bool>& choices) {
    order();
    dominate();
    find_loops();
    Structure result;
    result.places.resize(successors_.size());
    for (const std::uint32_t block : order_) {
      Structure::Place& place = result.places[block];
      place.reached = true;
      place.loop = loop_[block] == block;
      if (block == 0) continue;
      const std::uint32_t above = dominator_[block];
      std::uint32_t left = no_block;  // the outermost loop that the path here leaves
      for (std::uint32_t loop = loop_[above]; loop != no_block && !contains(loop, block); loop = outer_[loop])
        left = loop;
      if (left != no_block)
        result.places[left].after.push_back(block);
      else if (predecessors_[block].size() == 1 && !choices[above])
        place.nested = true;
      else
        result.places[above].joins.push_back(block);
    }
    return result;
  }

 private:
  /// Reverse postorder, depth first without recursion.
  void order() {
    if (successors_.empty()) return;
    struct Step {
      std::uint32_t block;
      std::size_t next;
    };
    std::vector<bool> seen(successors_.size());
    std::vector<Step> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
      Step& step = stack.back();
      if (step.next == successors_[step.block].size()) {
        order_.push_back(step.block);
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = successors_[step.block][step.next++];
      predecessors_[to].push_back(step.block);
      if (seen[to]) continue;
      seen[to] = true;
      stack.push_back({to, 0});
    }
    order_ = {order_.rbegin(), order_.rend()};
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  }

  /// Immediate dominators, by repeated intersection (Cooper, Harvey, Kennedy).
  void dominate() {
    if (order_.empty()) return;
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t block : order_) {
        if (block == 0) continue;
        std::uint32_t common = no_block;
        for (const std::uint32_t from : predecessors_[block])
          if (dominator_[from] != no_block) common = common == no_block ? from : meet(common, from);
        changed |= dominator_[block] != common;
        dominator_[block] = common;
      }
    }
  }
  [[nodiscard]] std::uint32_t meet(std::uint32_t a, std::uint32_t b) const {
    while (a != b) (rank_[a] > rank_[b] ? a : b) = dominator_[rank_[a] > rank_[b] ? a : b];
    return a;
  }
  [[nodiscard]] bool dominates(std::uint32_t above, std::uint32_t block) const {
    while (rank_[block] > rank_[above]) block = dominator_[block];
    return block == above;
  }

  /// Natural loops, the innermost first. A back edge to a block that does not dominate it makes no loop.
  void find_loops() {
    for (std::size_t i = order_.size(); i-- > 0;) {
      const std::uint32_t header = order_[i];
      std::vector<std::uint32_t> open;
      for (const std::uint32_t from : predecessors_[header])
        if (dominates(header, from)) open.push_back(from);
      if (open.empty()) continue;
      loop_[header] = header;
      while (!open.empty()) {
        std::uint32_t at = open.back();
        open.pop_back();
        if (at == header) continue;
        if (loop_[at] == no_block) {
          loop_[at] = header;
        } else {
          at = loop_[at];
          while (outer_[at] != no_block) at = outer_[at];
          if (at == header) continue;
          outer_[at] = header;
        }
        open.insert(open.end(), predecessors_[at].begin(), predecessors_[at].end());
      }
    }
  }
  [[nodiscard]] bool contains(std::uint32_t loop, std::uint32_t block) const {
    for (std::uint32_t at = loop_[block]; at != no_block; at = outer_[at])
      if (at == loop) return true;
    return false;
  }

  std::span<const std::vector<std::uint32_t>> successors_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::uint32_t> order_, rank_, dominator_;
  std::vector<std::uint32_t> loop_;   // first block of the innermost loop
  std::vector<std::uint32_t> outer_;  // of a loop, by its first block: that of the loop around it
};

}  // namespace

Structure structure(std::span<const std::vector<std::uint32_t>> successors, const std::vector<bool>& choices) {
  return Finder(successors).take(choices);
}

}  // namespace mobula::afuc
