#include "machines/afuc/image/calls.h"

#include <algorithm>
#include <array>
#include <limits>

namespace mobula::afuc {
namespace {

/// Control flow of all functions at once, as a graph of words: one pass finds how deep calls nest, though functions
/// share their ends. A word has two nodes: as it is, and as delay slot of what does not come back.
class CallGraph {
 public:
  CallGraph(const Image& image, const Core& core)
      : image_(image), core_(core), words_(core.code_end() - core.start), nodes_(2 * std::size_t{words_}) {}

  Function function(std::uint32_t entry) {
    const std::uint32_t node = node_of(entry, false);
    visit(node);
    return {entry, nodes_[node].depth, nodes_[node].called_again};
  }

 private:
  struct Edge {
    std::uint32_t to = 0;
    bool call = false;
  };
  struct Edges {
    std::array<Edge, 3> all{};
    std::size_t count = 0;
    void add(std::uint32_t to, bool call = false) { all[count++] = {to, call}; }
  };
  static constexpr std::uint32_t unseen = 0, done = std::numeric_limits<std::uint32_t>::max();
  struct Node {
    std::uint32_t number = unseen;  ///< in the order of finding them; done: its component is complete
    std::uint32_t lowest = 0;       ///< number of a node of its component that it leads to
    std::uint32_t component = 0;
    unsigned depth = 0;         ///< calls that nest after it
    bool called_again = false;  ///< by what it leads to
  };

  [[nodiscard]] std::uint32_t node_of(std::uint32_t word, bool slot) const {
    return 2 * (word - core_.start) + (slot ? 1 : 0);
  }

  [[nodiscard]] Edges edges(std::uint32_t node) const {
    Edges found;
    const std::uint32_t at = core_.start + node / 2;
    const bool slot_of_end = node % 2 != 0;
    const auto add = [&](std::uint32_t to, bool slot = false) {
      if (to < core_.code_end()) found.add(node_of(to, slot));
    };
    const Opcode* opcode = image_.code(at);
    if (opcode == nullptr) {
      // Header words do nothing.
      const Opcode* header = image_.decoder().find(image_.word(at));
      if (header != nullptr && header->op == Op::nop) add(at + 1);
      return found;
    }
    const auto to = Image::target(core_, at, image_.word(at), *opcode);
    if (opcode->op.way == Way::skip) add(at + 3);
    if (to && *to < core_.code_end()) {
      if (!is_call(opcode->op)) add(*to);
      if (opcode->op == Op::call) found.add(node_of(*to, false), true);
    }
    if (!slot_of_end || has_delay_slot(opcode->op)) add(at + 1, ends_flow(opcode->op));
    return found;
  }

  /// Tarjan's strongly connected components, without recursion. They come after those that they lead to.
  void visit(std::uint32_t root) {
    struct Step {
      std::uint32_t node;
      Edges edges;
      std::size_t next = 0;
    };
    std::vector<Step> steps;
    const auto begin = [&](std::uint32_t node) {
      nodes_[node].number = nodes_[node].lowest = ++numbers_;
      open_.push_back(node);
      steps.push_back({node, edges(node)});
    };
    if (nodes_[root].number == unseen) begin(root);
    while (!steps.empty()) {
      Step& step = steps.back();
      Node& node = nodes_[step.node];
      if (step.next < step.edges.count) {
        const std::uint32_t to = step.edges.all[step.next++].to;
        if (nodes_[to].number == unseen)
          begin(to);
        else if (nodes_[to].number != done)
          node.lowest = std::min(node.lowest, nodes_[to].number);
        continue;
      }
      const std::uint32_t lowest = node.lowest, finished = step.node;
      steps.pop_back();
      if (lowest == node.number) complete(finished);
      if (!steps.empty()) {
        Node& before = nodes_[steps.back().node];
        before.lowest = std::min(before.lowest, lowest);
      }
    }
  }

  /// All that was opened after a node leads back to it.
  void complete(std::uint32_t first) {
    const auto begin = std::find(open_.rbegin(), open_.rend(), first).base() - 1;
    ++components_;
    for (auto node = begin; node != open_.end(); ++node) {
      nodes_[*node].number = done;
      nodes_[*node].component = components_;
    }
    unsigned depth = 0;
    for (auto node = begin; node != open_.end(); ++node) {
      const Edges found = edges(*node);
      for (std::size_t i = 0; i < found.count; ++i) {
        const Edge& edge = found.all[i];
        if (nodes_[edge.to].component != components_)
          depth = std::max(depth, nodes_[edge.to].depth + (edge.call ? 1 : 0));
        else if (edge.call)
          nodes_[edge.to].called_again = true;
      }
    }
    for (auto node = begin; node != open_.end(); ++node) nodes_[*node].depth = depth;
    open_.erase(begin, open_.end());
  }

  const Image& image_;
  const Core& core_;
  std::uint32_t words_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> open_;  ///< nodes whose component is not complete
  std::uint32_t numbers_ = 0, components_ = 0;
};

}  // namespace

std::vector<Function> functions(const Image& image, const Core& core) {
  std::vector<Function> all;
  CallGraph graph(image, core);
  for (std::uint32_t i = core.start; i < core.code_end(); ++i) {
    const std::uint16_t flags = image.flags(i);
    const bool named = (flags & (word_called | word_handler)) != 0 || i == core.start;
    // What code names by its address may be entered from anywhere, too.
    if (!named && ((flags & word_branch) == 0 || !image.jumps(i).empty())) continue;
    all.push_back(graph.function(i));
  }
  return all;
}

}  // namespace mobula::afuc
