// The functions that are asked for, as graphs and as pseudo-code.
#include <algorithm>
#include <deque>

#include "machines/afuc/text/lines.h"
#include "machines/afuc/views/flow.h"
#include "machines/afuc/views/pseudo.h"
#include "machines/afuc/views/views.h"

namespace mobula::afuc::views {
namespace {

using namespace firmware;
using EdgeKind = FlowGraph::EdgeKind;

/// Words shown of all functions together; they may share their ends. Real firmware shows a tenth of that.
constexpr std::size_t most_steps = 1'000'000;

Diagnostic nothing_there(const Image& image, const FlowSelection& selection) {
  if (selection.place.empty() && selection.core.empty())
    return {Severity::error, "AF170", {}, "there is no code in this firmware", ""};
  std::string names;
  for (const Core& core : image.cores()) names += (names.empty() ? "" : ", ") + std::string(core.name);
  return {Severity::error,
          "AF170",
          {},
          selection.place.empty() ? "there is no program '" + selection.core + "'"
                                  : "there is nothing called '" + selection.place + "'" +
                                        (selection.core.empty() ? "" : " in program '" + selection.core + "'"),
          "programs: " + names +
              "; places are packets (CP_NOP, UNKN15), functions (fxn120), labels (l12) or words "
              "(0x20), as mobula disasm shows them"};
}

/// The functions that are selected, with their programs.
struct Selected {
  struct Item {
    const Core& core;
    const Functions& functions;
    FunctionFlow flow;
  };
  std::deque<Functions> functions;  ///< of each program
  std::vector<Item> items;
};

/// Nothing is shown before it is known how much there is.
Result<Selected> select(const Image& image, const FlowSelection& selection) {
  Selected selected;
  std::size_t steps = 0;
  for (const Core& core : image.cores()) {
    if (!selection.core.empty() && selection.core != core.name) continue;
    const Functions& functions = selected.functions.emplace_back(image, core);
    std::vector<std::uint32_t> entries = functions.entries();
    if (!selection.place.empty()) {
      const auto found = functions.find(selection.place);
      entries.clear();
      if (found) entries.push_back(*found);
    }
    for (const std::uint32_t entry : entries) {
      const Selected::Item& item = selected.items.emplace_back(Selected::Item{core, functions, functions.flow(entry)});
      ++steps;
      for (const FlowBlock& block : item.flow.blocks) steps += block.steps.size();
      if (steps > most_steps)
        return fail("AF171", "there is more to show than " + std::to_string(most_steps) + " words",
                    "choose one function or packet");
    }
  }
  if (selected.items.empty()) return fail(nothing_there(image, selection));
  return selected;
}

FlowGraph graph_of(const Image& image, const Core& core, const Functions& functions, const FunctionFlow& flow,
                   const InstructionLines& lines) {
  FlowGraph graph;
  graph.program = core.name;
  graph.name = functions.name(flow.entry);
  for (const FlowBlock& block : flow.blocks) {
    FlowGraph::Block& shown = graph.blocks.emplace_back();
    shown.address = block.begin() - core.start;
    for (const FlowStep& step : block.steps) {
      std::string text(lines.line(step.word));
      std::replace(text.begin(), text.end(), '\t', ' ');
      shown.lines.push_back({step.word - core.start, std::move(text), step.slot});
      const Opcode* opcode = image.code(step.word);
      if (opcode == nullptr || !is_call(opcode->op)) continue;
      const auto to = Image::target(core, step.word, image.word(step.word), *opcode);
      const std::string name = to ? functions.name(*to) : std::string("?");
      if (std::find(shown.calls.begin(), shown.calls.end(), name) == shown.calls.end()) shown.calls.push_back(name);
    }
    for (const FlowEdge& edge : block.edges) {
      FlowGraph::Edge& out = shown.edges.emplace_back();
      out.kind = edge.kind;
      out.block = edge.block;
      out.pair = edge.pair;
      if (!edge.block && edge.word && edge.kind != EdgeKind::stop) out.name = functions.name(*edge.word);
    }
  }
  return graph;
}

}  // namespace

Result<std::vector<FlowGraph>> flow(const Program& program, const FlowSelection& selection) {
  const Image image(program);
  const InstructionLines lines(image, Dialect::own);
  const auto selected = select(image, selection);
  if (!selected) return fail(selected.error());
  std::vector<FlowGraph> graphs;
  for (const Selected::Item& each : selected->items)
    graphs.push_back(graph_of(image, each.core, each.functions, each.flow, lines));
  return graphs;
}

Result<std::string> pseudo(const Program& program, const FlowSelection& selection) {
  const Image image(program);
  const auto selected = select(image, selection);
  if (!selected) return fail(selected.error());
  std::string text;
  for (const auto& [core, functions, flow] : selected->items) {
    if (!text.empty()) text += '\n';
    if (image.cores().size() > 1) text += std::string(core.name) + ' ';
    std::string names = functions.name(flow.entry);
    for (const std::uint8_t each : image.packets(core, flow.entry))
      if (const std::string name = packet_or_number(image.map(), each);
          name != names && !packet(image.map(), each).empty())
        names += ", " + name;
    text += names + "()\n";
    text += afuc::pseudo(image, core, functions, flow);
  }
  return text;
}

}  // namespace mobula::afuc::views
