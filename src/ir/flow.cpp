#include "mobula/isa/flow.h"

#include <algorithm>
#include <unordered_map>

namespace mobula {
namespace {

using EdgeKind = FlowGraph::EdgeKind;

/// Where one lifted word may go; its operations say, in the order of their effect.
std::vector<std::pair<EdgeKind, std::optional<std::uint32_t>>> exits(const ir::Program& program,
                                                                     const ir::Block& block) {
  std::vector<std::pair<EdgeKind, std::optional<std::uint32_t>>> all;
  bool goes_on = true;
  for (std::uint32_t i = block.first; i < block.first + block.count && goes_on; ++i) {
    const ir::Operation& operation = program.operations[i];
    const bool always = operation.src[0].is_none();
    switch (operation.op) {
      case ir::Op::branch:
        all.emplace_back(always ? EdgeKind::jump : EdgeKind::taken, operation.extra);
        goes_on = !always;
        break;
      case ir::Op::branch_indirect:
        all.emplace_back(EdgeKind::indirect, std::nullopt);
        goes_on = false;
        break;
      case ir::Op::discard:
      case ir::Op::end:
        all.emplace_back(EdgeKind::back, std::nullopt);
        goes_on = !always;
        break;
      case ir::Op::trap:
        all.emplace_back(EdgeKind::stop, std::nullopt);
        goes_on = !always;
        break;
      default:
        break;
    }
  }
  if (goes_on) all.emplace_back(block.next ? EdgeKind::next : EdgeKind::back, block.next);
  return all;
}

/// Marks what control may reach from the entry.
std::vector<bool> reachable(const ir::Program& program) {
  std::vector<bool> reached(program.blocks.size());
  std::vector<std::uint32_t> open{program.entry};
  reached[program.entry] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const auto& [kind, to] : exits(program, program.blocks[at])) {
      if (!to || reached[*to]) continue;
      reached[*to] = true;
      open.push_back(*to);
    }
  }
  return reached;
}

}  // namespace

std::vector<Jump> jumps(const ir::Program& program) {
  std::vector<Jump> all;
  if (!ir::verify(program).empty()) return all;
  for (const ir::Block& block : program.blocks)
    for (const auto& [kind, to] : exits(program, block)) {
      if (kind == EdgeKind::next) continue;
      Jump& jump = all.emplace_back(Jump{.from = block.address, .kind = kind, .to = {}});
      if (to) jump.to = program.blocks[*to].address;
    }
  std::ranges::stable_sort(all, {}, &Jump::from);
  return all;
}

std::vector<ReachableTrap> reachable_traps(const ir::Program& program) {
  std::vector<ReachableTrap> traps;
  if (program.blocks.empty() || !ir::verify(program).empty()) return traps;
  const std::vector<bool> reached = reachable(program);
  for (std::uint32_t i = 0; i < program.blocks.size(); ++i) {
    if (!reached[i]) continue;
    const ir::Block& block = program.blocks[i];
    for (const ir::Operation& operation : std::span(program.operations).subspan(block.first, block.count))
      if (operation.op == ir::Op::trap && operation.src[0].is_none()) {
        traps.push_back({block.address, program.trap_reasons[operation.extra]});
        break;
      }
  }
  std::ranges::sort(traps, {}, &ReachableTrap::address);
  return traps;
}

FlowGraph flow_graph(const ir::Program& program, const Listing& listing, std::string_view name) {
  FlowGraph graph;
  graph.name = name;
  if (program.blocks.empty() || !ir::verify(program).empty()) return graph;
  const auto count = static_cast<std::uint32_t>(program.blocks.size());
  std::vector<std::vector<std::pair<EdgeKind, std::optional<std::uint32_t>>>> ways(count);
  std::vector<bool> reached(count), leader(count);
  std::vector<std::uint32_t> arrivals(count), open{program.entry};
  reached[program.entry] = leader[program.entry] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    ways[at] = exits(program, program.blocks[at]);
    for (const auto& [kind, to] : ways[at]) {
      if (!to) continue;
      leader[*to] = leader[*to] || ways[at].size() > 1 || kind != EdgeKind::next || ++arrivals[*to] > 1;
      if (reached[*to]) continue;
      reached[*to] = true;
      open.push_back(*to);
    }
  }
  std::unordered_map<std::uint64_t, std::string> texts;
  for (const Listing::Word& word : listing.words) {
    if (word.text_begin > word.text_end || word.text_end > listing.text.size()) continue;
    texts.emplace(word.byte_offset,
                  one_line(std::string_view(listing.text).substr(word.text_begin, word.text_end - word.text_begin)));
  }
  std::vector<std::uint32_t> order{program.entry};
  for (std::uint32_t i = 0; i < count; ++i)
    if (leader[i] && i != program.entry) order.push_back(i);
  std::vector<std::size_t> positions(count);
  for (std::size_t i = 0; i < order.size(); ++i) positions[order[i]] = i;
  for (std::uint32_t at : order) {
    FlowGraph::Block& block = graph.blocks.emplace_back();
    block.address = program.blocks[at].address;
    while (true) {
      block.lines.push_back({program.blocks[at].address, texts[program.blocks[at].address]});
      if (ways[at].size() != 1 || ways[at][0].first != EdgeKind::next || leader[*ways[at][0].second]) break;
      at = *ways[at][0].second;
    }
    for (const auto& [kind, to] : ways[at]) {
      FlowGraph::Edge edge{.kind = kind};
      if (to) edge.block = positions[*to];
      block.edges.push_back(std::move(edge));
    }
  }
  return graph;
}

}  // namespace mobula
