#include "timing/paths.h"
#include "core/counted.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace mobula {
namespace {
constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
}  // namespace

void PathNode::lead_to(std::uint32_t node) {
  if (std::ranges::find(successors(), node) == successors().end()) next[next_count++] = node;
}

/// Depth first without recursion. An edge to a node that is still open closes a loop.
void PathGraph::order() {
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(nodes.size(), Mark::fresh);
  std::vector<bool> returned_to(nodes.size());
  struct Step {
    std::uint32_t node, next;
  };
  std::vector<Step> stack;
  if (!nodes.empty()) {
    stack.push_back({0, 0});
    marks[0] = Mark::open;
  }
  while (!stack.empty()) {
    Step& step = stack.back();
    const auto successors = nodes[step.node].successors();
    if (step.next == successors.size()) {
      marks[step.node] = Mark::done;
      postorder.push_back(step.node);
      stack.pop_back();
      continue;
    }
    const std::uint32_t successor = successors[step.next++];
    if (marks[successor] == Mark::open) {
      if (!returned_to[successor]) ++loops;
      returned_to[successor] = true;
    } else if (marks[successor] == Mark::fresh) {
      marks[successor] = Mark::open;
      stack.push_back({successor, 0});
    }
  }
}

std::optional<std::vector<std::uint32_t>> lightest_path(const PathGraph& graph, std::span<const std::uint8_t> weights) {
  if (graph.nodes.empty()) return std::nullopt;
  std::vector<std::uint64_t> distance(graph.nodes.size(), std::numeric_limits<std::uint64_t>::max());
  std::vector<std::uint32_t> from(graph.nodes.size(), unseen);
  std::vector<bool> settled(graph.nodes.size());
  using Reached = std::pair<std::uint64_t, std::uint32_t>;  // distance, node
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  distance[0] = weights[0];
  queue.emplace(distance[0], 0);
  while (!queue.empty()) {
    const std::uint32_t node = queue.top().second;
    queue.pop();
    if (settled[node]) continue;
    settled[node] = true;
    if (graph.nodes[node].ends) {
      std::vector<std::uint32_t> path;
      for (std::uint32_t at = node; at != unseen; at = from[at]) path.push_back(at);
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (const std::uint32_t successor : graph.nodes[node].successors()) {
      const std::uint64_t through = distance[node] + weights[successor];
      if (through >= distance[successor]) continue;
      distance[successor] = through;
      from[successor] = node;
      queue.emplace(through, successor);
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> heaviest_path(const PathGraph& graph, std::span<const std::uint8_t> weights) {
  if (graph.nodes.empty() || graph.loops != 0) return std::nullopt;
  // Without loops every way ends, and postorder visits what follows a node before the node.
  std::vector<std::uint64_t> weight(graph.nodes.size());
  std::vector<std::uint32_t> to(graph.nodes.size(), unseen);
  for (const std::uint32_t node : graph.postorder) {
    for (const std::uint32_t successor : graph.nodes[node].successors())
      if (to[node] == unseen || weight[successor] > weight[to[node]]) to[node] = successor;
    weight[node] = weights[node] + (to[node] == unseen ? 0 : weight[to[node]]);
  }
  std::vector<std::uint32_t> path;
  for (std::uint32_t node = 0; node != unseen; node = to[node]) path.push_back(node);
  return path;
}

Diagnostic no_path(bool empty, bool shortest, bool has_loops) {
  const std::string which = shortest ? "shortest" : "longest";
  return {Severity::error,
          "TM003",
          {},
          empty ? "the program has no word at its entry" : "without a run there is no " + which + " path to assume",
          !has_loops ? ""
                     : std::string("give inputs, so that the threads' paths come from a run") +
                           (shortest ? "" : ", or assume the shortest path")};
}

std::string assumption(bool shortest, std::size_t words) {
  return std::string("No inputs were given: every thread is assumed to take the ") +
         (shortest ? "shortest" : "longest") + " path, " + counted(words, "word") + ".";
}

}  // namespace mobula
