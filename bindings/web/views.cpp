// Questions about programs as pictures and graphs, which the library makes.
#include <algorithm>
#include <set>

#include "desk.h"
#include "mobula/isa/firmware_flow.h"
#include "mobula/isa/flow.h"

namespace mobula::web {
namespace {

constexpr std::size_t most_pictures = 64;

/// Those where something is, from the top.
std::set<std::uint32_t> rows_of(const Picture& picture) {
  std::set<std::uint32_t> rows;
  for (const Picture::Box& box : picture.boxes) rows.insert(box.row);
  return rows;
}

bool is_on_its_way(const Picture& picture, const Picture::Arrow& arrow, std::uint32_t row) {
  const std::uint32_t from = picture.boxes[arrow.from].row, to = picture.boxes[arrow.to].row;
  return from <= row && (row < to || to < from);  // those of loops go up, and stay on their way to the end
}

/// A picture whose data goes down from row to row, when it is at one of them: what comes later is idle, and of the
/// arrows there are those whose values arrive or are on their way.
Picture at_row(Picture picture, std::uint32_t row) {
  std::erase_if(picture.arrows, [&](const Picture::Arrow& arrow) {
    const bool arrives = picture.boxes[arrow.to].row == row;
    return !arrives && !is_on_its_way(picture, arrow, row);
  });
  for (Picture::Box& box : picture.boxes)
    if (box.row > row) box.kind = Picture::Kind::idle;
  return picture;
}

std::string label_of(const Picture::Box& box) {
  std::string text = box.title;
  if (!box.lines.empty()) text += (text.empty() ? "" : " ") + box.lines.front();
  return text;
}

/// The picture "picture" at its row "row", and in words what is on its way past that row, and what arrives in it.
Answer ask_picture_at(const Json& request, Bytes) {
  const std::vector<Picture> all = machine().pictures(desk().program);
  const auto index = request.value("picture", std::size_t{0});
  const auto row = request.value("row", std::uint32_t{0});
  if (index >= all.size()) return refuse({{Severity::error, "", {}, "there is no such picture", ""}});
  const Picture& picture = all[index];
  Json values = Json::array(), arriving = Json::array();
  for (const Picture::Arrow& arrow : picture.arrows) {
    const Json ends{{"from", label_of(picture.boxes[arrow.from])}, {"to", label_of(picture.boxes[arrow.to])}};
    if (is_on_its_way(picture, arrow, row)) values.push_back(ends);
    if (picture.boxes[arrow.to].row == row && picture.boxes[arrow.from].row < row) arriving.push_back(ends);
  }
  const Picture now = at_row(picture, row);
  return done({{"title", now.title},
               {"svg", svg({}, {&now, 1})},
               {"values", std::move(values)},
               {"arriving", std::move(arriving)}});
}

/// Each picture by itself: of a word a picture, or of the whole program one.
Answer ask_pictures(const Json&, Bytes) {
  std::vector<Picture> all = machine().pictures(desk().program);
  const std::size_t found = all.size();
  all.resize(std::min(found, most_pictures));
  Json list = Json::array();
  for (const Picture& each : all)
    list.push_back({{"title", each.title}, {"svg", svg({}, {&each, 1})}, {"rows", rows_of(each)}});
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
  if (machine().firmware_views() != nullptr) return firmware::flow(program, {.core = {}, .place = place});
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
  static constexpr Question all[] = {{"pictures", ask_pictures}, {"picture_at", ask_picture_at}, {"flow", ask_flow}};
  return all;
}

}  // namespace mobula::web
