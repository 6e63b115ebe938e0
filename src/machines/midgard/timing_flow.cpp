#include "machines/midgard/timing_flow.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "timeline/output.h"

namespace mobula::midgard {
namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_notes = 8;

class Finder {
 public:
  explicit Finder(const Program& program)
      : code_(program.code), count_(static_cast<std::uint32_t>(program.code.size() / quadword_bytes)) {
    const std::uint64_t entry = program.entry / quadword_bytes;
    if (entry >= count_) {
      note(program.entry, "the entry lies outside the code");
    } else {
      if (program.entry % quadword_bytes != 0) note(program.entry, "the entry is not at the start of a quadword");
      node_at_.assign(count_, unseen);
      node(static_cast<std::uint32_t>(entry));
      for (std::size_t i = 0; i < flow_.nodes.size(); ++i) connect(static_cast<std::uint32_t>(i));
    }
    if (notes_left_out_ != 0)
      flow_.notes.push_back("and " + std::to_string(notes_left_out_) + " more places like these");
  }

  Flow take() { return std::move(flow_); }

 private:
  std::uint32_t node(std::uint32_t position) {
    std::uint32_t& index = node_at_[position];
    if (index == unseen) {
      index = static_cast<std::uint32_t>(flow_.nodes.size());
      flow_.nodes.push_back({.position = position});
    }
    return index;
  }

  void connect(std::uint32_t index) {
    const Bundle bundle = decode_bundle(code_, flow_.nodes[index].position);
    const std::uint64_t address = std::uint64_t{bundle.position} * quadword_bytes;
    if (bundle.form == Bundle::Form::raw) {
      flow_.nodes[index].ends = true;
      return note(address, "the word cannot be decoded; a thread that comes here faults");
    }
    flow_.nodes[index].pipe = tags[bundle.tag].pipe;
    bool falls_through = true;
    for (const Branch& branch : branches(bundle)) {
      if (!falls_through) break;
      falls_through = follow(index, bundle, branch);
    }
    if (!falls_through) return;
    if (bundle.next == tag_break) {
      flow_.nodes[index].ends = true;
    } else {
      lead_to(index, std::int64_t{bundle.position} + bundle.quadword_count, "the program runs past its end");
    }
  }

  /// Adds where the branch leads when it is taken; true if it may also not be taken.
  bool follow(std::uint32_t index, const Bundle& bundle, const Branch& branch) {
    const bool always = branch.op == branch_uncond || branch.lut == 0xFFFF;
    const bool never = !always && branch.lut == 0;
    switch (branch.op) {
      case branch_writeout:
      case branch_tilebuffer:
        return true;
      case branch_discard:
        flow_.nodes[index].ends |= !never;
        return !always;
      case branch_uncond:
      case branch_cond:
        break;
      default:
        flow_.nodes[index].ends = true;
        note(std::uint64_t{bundle.position} * quadword_bytes, "unknown branch operation " + std::to_string(branch.op));
        return false;
    }
    if (branch.call_mode >= 2) {
      flow_.nodes[index].ends = true;
      note(std::uint64_t{bundle.position} * quadword_bytes, "where calls and returns lead is unknown");
      return !always;
    }
    if (!never) {
      if (branch.dest_tag == tag_break)
        flow_.nodes[index].ends = true;
      else
        lead_to(index, target_of(bundle, branch), "a branch leads outside the program");
    }
    return !always;
  }

  void lead_to(std::uint32_t index, std::int64_t position, std::string_view otherwise) {
    if (position < 0 || position >= count_) {
      flow_.nodes[index].ends = true;
      return note(std::uint64_t{flow_.nodes[index].position} * quadword_bytes, std::string(otherwise));
    }
    const std::uint32_t target = node(static_cast<std::uint32_t>(position));
    FlowNode& from = flow_.nodes[index];
    if (std::ranges::find(from.successors(), target) == from.successors().end()) from.next[from.next_count++] = target;
  }

  void note(std::uint64_t address, const std::string& text) {
    if (flow_.notes.size() < most_notes)
      flow_.notes.push_back(timeline::hex(address) + ": " + text);
    else
      ++notes_left_out_;
  }

  std::span<const std::uint8_t> code_;
  std::uint32_t count_;
  std::vector<std::uint32_t> node_at_;
  std::size_t notes_left_out_ = 0;
  Flow flow_;
};

/// Depth first without recursion. An edge to a node that is still open closes a loop.
void order(Flow& flow) {
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(flow.nodes.size(), Mark::fresh);
  std::vector<bool> returned_to(flow.nodes.size());
  struct Step {
    std::uint32_t node, next;
  };
  std::vector<Step> stack;
  if (!flow.nodes.empty()) {
    stack.push_back({0, 0});
    marks[0] = Mark::open;
  }
  while (!stack.empty()) {
    Step& step = stack.back();
    const auto successors = flow.nodes[step.node].successors();
    if (step.next == successors.size()) {
      marks[step.node] = Mark::done;
      flow.postorder.push_back(step.node);
      stack.pop_back();
      continue;
    }
    const std::uint32_t successor = successors[step.next++];
    if (marks[successor] == Mark::open) {
      if (!returned_to[successor]) ++flow.loops;
      returned_to[successor] = true;
    } else if (marks[successor] == Mark::fresh) {
      marks[successor] = Mark::open;
      stack.push_back({successor, 0});
    }
  }
}

}  // namespace

Flow find_flow(const Program& program) {
  Flow flow = Finder(program).take();
  order(flow);
  return flow;
}

std::optional<std::vector<std::uint32_t>> lightest_path(const Flow& flow, std::span<const std::uint8_t> weights) {
  if (flow.nodes.empty()) return std::nullopt;
  std::vector<std::uint64_t> distance(flow.nodes.size(), std::numeric_limits<std::uint64_t>::max());
  std::vector<std::uint32_t> from(flow.nodes.size(), unseen);
  std::vector<bool> settled(flow.nodes.size());
  std::deque<std::uint32_t> queue{0};  // by distance: a step of weight 0 goes to the front
  distance[0] = weights[0];
  while (!queue.empty()) {
    const std::uint32_t node = queue.front();
    queue.pop_front();
    if (settled[node]) continue;
    settled[node] = true;
    if (flow.nodes[node].ends) {
      std::vector<std::uint32_t> path;
      for (std::uint32_t at = node; at != unseen; at = from[at]) path.push_back(at);
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (const std::uint32_t successor : flow.nodes[node].successors()) {
      const std::uint64_t through = distance[node] + weights[successor];
      if (through >= distance[successor]) continue;
      distance[successor] = through;
      from[successor] = node;
      if (weights[successor] == 0)
        queue.push_front(successor);
      else
        queue.push_back(successor);
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> heaviest_path(const Flow& flow, std::span<const std::uint8_t> weights) {
  if (flow.nodes.empty() || flow.loops != 0) return std::nullopt;
  // Without loops every way ends, and postorder visits what follows a node before the node.
  std::vector<std::uint64_t> weight(flow.nodes.size());
  std::vector<std::uint32_t> to(flow.nodes.size(), unseen);
  for (const std::uint32_t node : flow.postorder) {
    for (const std::uint32_t successor : flow.nodes[node].successors())
      if (to[node] == unseen || weight[successor] > weight[to[node]]) to[node] = successor;
    weight[node] = weights[node] + (to[node] == unseen ? 0 : weight[to[node]]);
  }
  std::vector<std::uint32_t> path;
  for (std::uint32_t node = 0; node != unseen; node = to[node]) path.push_back(node);
  return path;
}

}  // namespace mobula::midgard
