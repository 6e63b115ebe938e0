#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "mobula/isa/firmware_flow.h"

namespace mobula::cli {
namespace {

std::vector<FlowGraph> graphs_of(const Program& program, const CfgOptions& options) {
  const Machine& machine = machine_of(program);
  if (machine.firmware_views() != nullptr)
    return value_or_stop(firmware::flow(program, {options.core, options.place}), program.file, Exit::usage);
  const ir::Program lifted = lift(program, {});
  const Listing listing = value_or_stop(machine.disassemble(program, {.words = true}), program.file);
  return {flow_graph(lifted, listing, program.file)};
}

Json graph_json(const FlowGraph& graph) {
  Json blocks = Json::array();
  for (const FlowGraph::Block& block : graph.blocks) {
    Json lines = Json::array(), edges = Json::array();
    for (const FlowGraph::Line& line : block.lines)
      lines.push_back({{"address", hex(line.address)}, {"text", line.text}, {"slot", line.slot}});
    for (const FlowGraph::Edge& edge : block.edges) {
      Json row{{"kind", name(edge.kind)}, {"pair", edge.pair}};
      if (edge.block) row["to"] = hex(graph.blocks[*edge.block].address);
      if (!edge.name.empty()) row["name"] = edge.name;
      edges.push_back(std::move(row));
    }
    blocks.push_back({{"address", hex(block.address)},
                      {"lines", std::move(lines)},
                      {"calls", block.calls},
                      {"edges", std::move(edges)}});
  }
  return {{"program", graph.program}, {"name", graph.name}, {"blocks", std::move(blocks)}};
}

}  // namespace

Exit cfg(const CfgOptions& options) {
  const std::string& file = options.input.files.at(0);
  const Program program = load_program(options.input, file);
  const Diagnostics not_code = told(program, undecoded(program));
  print(not_code);
  const Exit status = not_code.empty() ? Exit::done : Exit::negative;
  if (options.pseudo) {
    write_output(
        options.output.file,
        listing_for(options.output.file,
                    value_or_stop(firmware::pseudo(program, {options.core, options.place}), file, Exit::usage)));
    return status;
  }
  const std::vector<FlowGraph> graphs = graphs_of(program, options);
  if (!options.output.json) {
    write_output(options.output.file, dot(graphs, file));
    return status;
  }
  Json functions = Json::array();
  for (const FlowGraph& graph : graphs) functions.push_back(graph_json(graph));
  write_output(options.output.file, envelope("cfg", &program, {{"functions", std::move(functions)}}));
  return status;
}

}  // namespace mobula::cli
