// Questions about programs as pictures and graphs, which the library makes.
#include <algorithm>

#include "desk.h"
#include "mobula/isa/firmware_flow.h"
#include "mobula/isa/flow.h"

namespace mobula::web {
namespace {

constexpr std::size_t most_pictures = 64;

/// Each picture by itself: of a word a picture, or of the whole program one.
Answer ask_pictures(const Json&, Bytes) {
  std::vector<Picture> all = machine().pictures(desk().program);
  const std::size_t found = all.size();
  all.resize(std::min(found, most_pictures));
  Json list = Json::array();
  for (const Picture& each : all) list.push_back({{"title", each.title}, {"svg", svg({}, {&each, 1})}});
  return done({{"pictures", std::move(list)}, {"found", found}});
}

Json to_json(const FlowGraph& graph) {
  Json blocks = Json::array();
  for (const FlowGraph::Block& block : graph.blocks) {
    Json lines = Json::array(), edges = Json::array();
    for (const FlowGraph::Line& line : block.lines)
      lines.push_back({{"address", line.address}, {"text", one_line(line.text)}, {"slot", line.slot}});
    for (const FlowGraph::Edge& edge : block.edges)
      edges.push_back(
          {{"kind", name(edge.kind)}, {"block", edge.block ? Json(*edge.block) : Json(nullptr)}, {"name", edge.name}});
    blocks.push_back(
        {{"address", block.address}, {"lines", std::move(lines)}, {"calls", block.calls}, {"edges", std::move(edges)}});
  }
  return {{"program", graph.program}, {"name", graph.name}, {"blocks", std::move(blocks)}};
}

Result<std::vector<FlowGraph>> graphs_of(const Program& program, const std::string& place) {
  if (has_ability(program.machine, Ability::firmware)) return firmware::flow(program, {.core = {}, .place = place});
  auto lifted = machine().lift(program, {});
  if (!lifted) return fail(std::move(lifted).error());
  auto listing = machine().disassemble(program, {.words = true});
  if (!listing) return fail(std::move(listing).error());
  return std::vector<FlowGraph>{flow_graph(*lifted, *listing, "program")};
}

/// Control flow: of firmware, of the function or packet that "place" names, and the names there are.
Answer ask_flow(const Json& request, Bytes) {
  const auto graphs = graphs_of(desk().program, given(request, "place"));
  if (!graphs) return refuse(graphs.error());
  Json list = Json::array(), names = Json::array();
  for (const FlowGraph& graph : *graphs) {
    names.push_back(graph.name);
    if (list.size() < most_pictures) list.push_back(to_json(graph));
  }
  return done({{"graphs", std::move(list)}, {"names", std::move(names)}});
}

}  // namespace

std::span<const Question> view_questions() {
  static constexpr Question all[] = {{"pictures", ask_pictures}, {"flow", ask_flow}};
  return all;
}

}  // namespace mobula::web
