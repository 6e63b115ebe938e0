// firmware::flow and firmware::pseudo: the functions that are asked for, as graphs and as pseudo-code.
#include <algorithm>

#include "machines/afuc/flow.h"
#include "machines/afuc/lines.h"
#include "machines/afuc/pseudo.h"
#include "mobula/firmware_flow.h"

namespace mobula::firmware {
namespace {

using namespace afuc;
using EdgeKind = FlowGraph::EdgeKind;

/// Words shown of all functions together; they may share their ends.
constexpr std::size_t most_steps = 4'000'000;

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

/// Calls use(core, functions, entry) for what is selected.
template <class Use>
Result<void> for_each_function(const Image& image, const FlowSelection& selection, Use use) {
  bool any = false;
  for (const Core& core : image.cores()) {
    if (!selection.core.empty() && selection.core != core.name) continue;
    const Functions functions(image, core);
    std::vector<std::uint32_t> entries = functions.entries();
    if (!selection.place.empty()) {
      const auto found = functions.find(selection.place);
      entries.clear();
      if (found) entries.push_back(*found);
    }
    for (const std::uint32_t entry : entries) {
      any = true;
      if (!use(core, functions, entry))
        return fail("AF171", "there is more to show than " + std::to_string(most_steps) + " words",
                    "choose one function or packet");
    }
  }
  if (!any) return fail(nothing_there(image, selection));
  return {};
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
      const Opcode* opcode = image.code(core, step.word);
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

std::size_t steps_of(const FunctionFlow& flow) {
  std::size_t steps = 1;
  for (const FlowBlock& block : flow.blocks) steps += block.steps.size();
  return steps;
}

}  // namespace

Result<std::vector<FlowGraph>> flow(const Program& program, const FlowSelection& selection) {
  if (program.machine != "afuc") return other_machine(program);
  const Image image(program);
  const InstructionLines lines(program, image, Dialect::own);
  std::vector<FlowGraph> graphs;
  std::size_t steps = 0;
  const auto done =
      for_each_function(image, selection, [&](const Core& core, const Functions& functions, std::uint32_t entry) {
        const FunctionFlow flow = functions.flow(entry);
        steps += steps_of(flow);
        graphs.push_back(graph_of(image, core, functions, flow, lines));
        return steps <= most_steps;
      });
  if (!done) return fail(done.error());
  return graphs;
}

Result<std::string> pseudo(const Program& program, const FlowSelection& selection) {
  if (program.machine != "afuc") return other_machine(program);
  const Image image(program);
  std::string text;
  std::size_t steps = 0;
  const auto done =
      for_each_function(image, selection, [&](const Core& core, const Functions& functions, std::uint32_t entry) {
        const FunctionFlow flow = functions.flow(entry);
        steps += steps_of(flow);
        if (!text.empty()) text += '\n';
        if (image.cores().size() > 1) text += std::string(core.name) + ' ';
        std::string names = functions.name(entry);
        for (const std::uint8_t each : image.packets(core, entry))
          if (const std::string name = packet_or_number(image.map(), each);
              name != names && !packet(image.map(), each).empty())
            names += ", " + name;
        text += names + "()\n";
        text += afuc::pseudo(image, core, functions, flow);
        return steps <= most_steps;
      });
  if (!done) return fail(done.error());
  return text;
}

}  // namespace mobula::firmware
