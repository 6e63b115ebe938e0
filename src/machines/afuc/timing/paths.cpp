// The shortest and the longest way through each function, with what it calls.
#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>

#include "machines/afuc/timing/timing.h"

namespace mobula::afuc {
namespace {

using EdgeKind = FlowGraph::EdgeKind;

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();
/// Calls of real firmware nest six deep; what needs more rounds than that has no result.
constexpr std::size_t most_rounds = 64;
/// Words of all functions together, and so many looked at in all rounds.
constexpr std::size_t most_steps = 4'000'000, most_work = 40'000'000;

/// Sums that stop at endless.
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > endless - b ? endless : a + b; }

struct Length {
  std::uint64_t instructions = endless, cycles = endless;
};

/// A block with its own length, and functions that are called in it.
struct Node {
  std::uint64_t shortest = 0, shortest_cycles = 0, longest = 0, longest_cycles = 0;
  bool repeats = false, ends = false;
  std::vector<std::size_t> calls;   ///< functions
  std::vector<std::uint32_t> next;  ///< blocks
  std::vector<std::size_t> leaves;  ///< functions that control continues in
};

struct Timed {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> order;  ///< blocks, callees of edges after what leads there; empty if there is a loop
  std::uint32_t loops = 0;
  bool handler = false;
  std::uint64_t waitin_cycles = 0;  ///< of the one in front of a handler
  Length shortest, longest;
  bool longest_known = false;
};

class CoreTimes {
 public:
  CoreTimes(const Image& image, const Core& core, const Costs& costs) : image_(image), core_(core), costs_(costs) {}

  std::vector<FunctionTime> take() {
    const Functions functions(image_, core_);
    const std::vector<std::uint32_t>& entries = functions.entries();
    std::unordered_map<std::uint32_t, std::size_t> positions;
    for (std::size_t i = 0; i < entries.size(); ++i) positions.emplace(entries[i], i);
    std::size_t steps = 0;
    for (const std::uint32_t entry : entries) {
      const FunctionFlow flow = steps < most_steps ? functions.flow(entry) : FunctionFlow{.entry = entry, .blocks = {}};
      for (const FlowBlock& block : flow.blocks) steps += block.steps.size();
      add(flow, positions);
    }
    bool changed = true;
    for (std::size_t round = 0; changed && round < most_rounds && round * steps < most_work; ++round) {
      changed = false;
      for (Timed& function : timed_) {
        changed |= shorten(function);
        changed |= lengthen(function);
      }
    }
    std::vector<FunctionTime> result;
    for (std::size_t i = 0; i < entries.size(); ++i) result.push_back(time_of(functions.name(entries[i]), timed_[i]));
    return result;
  }

 private:
  void add(const FunctionFlow& flow, const std::unordered_map<std::uint32_t, std::size_t>& positions) {
    Timed& function = timed_.emplace_back();
    function.handler = (image_.flags(flow.entry) & word_handler) != 0;
    std::vector<std::vector<std::uint32_t>> successors(flow.blocks.size());
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
      Node& node = function.nodes.emplace_back();
      for (const FlowStep& step : flow.blocks[i].steps) add(function, node, step.word, positions);
      for (const FlowEdge& edge : flow.blocks[i].edges) {
        if (edge.block) {
          successors[i].push_back(static_cast<std::uint32_t>(*edge.block));
        } else if (edge.kind == EdgeKind::packet || edge.kind == EdgeKind::back ||
                   (edge.kind == EdgeKind::indirect && !edge.word)) {
          node.ends = true;
        } else if (edge.word && edge.kind != EdgeKind::stop) {
          if (const auto to = positions.find(*edge.word); to != positions.end()) node.leaves.push_back(to->second);
        }
      }
      node.next = successors[i];
    }
    sort(function);
  }

  void add(Timed& function, Node& node, std::uint32_t word,
           const std::unordered_map<std::uint32_t, std::size_t>& positions) {
    const Opcode* opcode = image_.code(word);
    const std::uint64_t cycles = costs_.of(opcode, image_.word(word));
    const bool repeats =
        opcode != nullptr && has_field(*opcode, field::rep) && field_of(image_.word(word), field::rep) != 0;
    if (repeats) {
      node.repeats = true;
      ++function.loops;
    } else {
      ++node.shortest;
      node.shortest_cycles = plus(node.shortest_cycles, cycles);
    }
    ++node.longest;
    node.longest_cycles = plus(node.longest_cycles, cycles);
    if (opcode == nullptr) return;
    if (opcode->op == Op::waitin) function.waitin_cycles = cycles;
    if (!is_call(opcode->op)) return;
    const auto to = Image::target(core_, word, image_.word(word), *opcode);
    if (const auto callee = to ? positions.find(*to) : positions.end(); callee != positions.end())
      node.calls.push_back(callee->second);
  }

  /// Topological order; blocks that loops return to are counted.
  static void sort(Timed& function) {
    enum class Mark : std::uint8_t { fresh, open, done };
    const std::size_t count = function.nodes.size();
    std::vector<Mark> marks(count, Mark::fresh);
    std::vector<bool> returned_to(count);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    if (count != 0) stack.emplace_back(0, 0), marks[0] = Mark::open;
    std::uint32_t loops = 0;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back().first;
      if (stack.back().second == function.nodes[at].next.size()) {
        marks[at] = Mark::done;
        function.order.push_back(at);
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = function.nodes[at].next[stack.back().second++];
      if (marks[to] == Mark::open && !returned_to[to]) ++loops, returned_to[to] = true;
      if (marks[to] != Mark::fresh) continue;
      marks[to] = Mark::open;
      stack.emplace_back(to, 0);
    }
    if (loops != 0) function.order.clear();
    function.loops += loops;
  }

  /// Dijkstra's way to an end, for instructions and for cycles. True if one of them became shorter.
  bool shorten(Timed& function) {
    const std::uint64_t instructions = way(function, &Node::shortest, &Length::instructions),
                        cycles = way(function, &Node::shortest_cycles, &Length::cycles);
    const bool better = instructions < function.shortest.instructions || cycles < function.shortest.cycles;
    function.shortest = {instructions, cycles};
    return better;
  }
  [[nodiscard]] std::uint64_t way(const Timed& function, std::uint64_t Node::*own, std::uint64_t Length::*of) const {
    using Step = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Step, std::vector<Step>, std::greater<>> open;
    std::vector<std::uint64_t> reached(function.nodes.size(), endless);
    std::uint64_t best = endless;
    if (!function.nodes.empty()) open.emplace(0, 0), reached[0] = 0;
    while (!open.empty()) {
      const auto [before, at] = open.top();
      open.pop();
      if (before > reached[at] || before >= best) continue;
      const Node& node = function.nodes[at];
      std::uint64_t after = plus(before, node.*own);
      for (const std::size_t callee : node.calls) after = plus(after, timed_[callee].shortest.*of);
      if (after == endless) continue;
      if (node.ends) best = std::min(best, after);
      for (const std::size_t other : node.leaves) best = std::min(best, plus(after, timed_[other].shortest.*of));
      for (const std::uint32_t to : node.next)
        if (after < reached[to]) {
          reached[to] = after;
          open.emplace(after, to);
        }
    }
    return best;
  }

  /// The longest way where there is one. True if it became known.
  bool lengthen(Timed& function) {
    if (function.longest_known || function.loops != 0 || function.order.empty()) return false;
    std::vector<Length> from(function.nodes.size());
    for (const std::uint32_t at : function.order) {
      const Node& node = function.nodes[at];
      Length own{node.longest, node.longest_cycles}, rest{0, 0};
      for (const std::size_t callee : node.calls) {
        if (!timed_[callee].longest_known) return false;
        own = {plus(own.instructions, timed_[callee].longest.instructions),
               plus(own.cycles, timed_[callee].longest.cycles)};
      }
      for (const std::size_t other : node.leaves) {
        if (!timed_[other].longest_known) return false;
        rest = longer(rest, timed_[other].longest);
      }
      for (const std::uint32_t to : node.next) rest = longer(rest, from[to]);
      from[at] = {plus(own.instructions, rest.instructions), plus(own.cycles, rest.cycles)};
    }
    function.longest = from[0];
    return function.longest_known = true;
  }
  static Length longer(const Length& a, const Length& b) {
    return {std::max(a.instructions, b.instructions), std::max(a.cycles, b.cycles)};
  }

  [[nodiscard]] FunctionTime time_of(std::string name, const Timed& function) const {
    FunctionTime time{.program = std::string(core_.name), .name = std::move(name), .packet = function.handler};
    time.loops = function.loops;
    // The waitin that waited for the packet counts for it.
    const std::uint64_t first = function.handler ? 1 : 0, first_cycles = function.handler ? waitin_cycles() : 0;
    if (function.shortest.instructions != endless) {
      time.shortest = function.shortest.instructions + first;
      time.shortest_cycles = plus(function.shortest.cycles, first_cycles);
    }
    if (function.longest_known && function.shortest.instructions != endless) {
      time.longest = function.longest.instructions + first;
      time.longest_cycles = plus(function.longest.cycles, first_cycles);
    }
    return time;
  }
  /// All waitins cost the same.
  [[nodiscard]] std::uint64_t waitin_cycles() const {
    std::uint64_t cycles = 0;
    for (const Timed& function : timed_) cycles = std::max(cycles, function.waitin_cycles);
    return cycles;
  }

  const Image& image_;
  const Core& core_;
  const Costs& costs_;
  std::vector<Timed> timed_;
};

}  // namespace

std::vector<FunctionTime> function_times(const Image& image, const Costs& costs) {
  std::vector<FunctionTime> all;
  for (const Core& core : image.cores())
    for (FunctionTime& each : CoreTimes(image, core, costs).take()) all.push_back(std::move(each));
  return all;
}

}  // namespace mobula::afuc
