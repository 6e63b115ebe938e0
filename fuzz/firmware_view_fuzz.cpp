// Any bytes as firmware that is looked at: graphs, pseudo-code, times and differences end and stay within their limits.
// seeds: tests/data/afuc/*.fw
#include <cstdlib>

#include "fuzz/target.h"
#include "mobula/isa/firmware_diff.h"
#include "mobula/isa/firmware_flow.h"
#include "mobula/isa/firmware_info.h"
#include "mobula/lab/timing.h"

using namespace mobula;

FUZZ_TARGET(firmware_view_fuzz) {
  if (size == 0 || size > 1 << 16) return 0;
  constexpr std::string_view chips[] = {"auto", "a530", "a630", "a660", "a730", "a750", "gen80000"};
  Program program;
  program.machine = "afuc";
  program.variant = chips[data[0] % std::size(chips)];
  program.code.assign(data + 1, data + size);
  const auto graphs = firmware::flow(program, {});
  const auto text = firmware::pseudo(program, {});
  if (graphs.has_value() != text.has_value()) std::abort();
  if (graphs) {
    (void)dot(*graphs, "fuzz");
    for (const FlowGraph& graph : *graphs)
      for (const FlowGraph::Block& block : graph.blocks)
        for (const FlowGraph::Edge& edge : block.edges)
          if (edge.block && *edge.block >= graph.blocks.size()) std::abort();
  }
  if (!find_timing_model("afuc")->estimate(program, {})) std::abort();
  if (!firmware::info(program) || !firmware::find(program, "and $x, $y, 0x3")) std::abort();
  const auto same = firmware::diff(program, program);
  if (!same || same->changed + same->added + same->removed != 0) std::abort();
  return 0;
}
