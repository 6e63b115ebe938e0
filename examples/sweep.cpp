// How many virtual registers does an out-of-order core want? Runs a synthetic workload on a core with 4, 8 and 16 rows.
#include "mobula/scoreboard/sweep.h"

#include <cstdio>

namespace sb = mobula::scoreboard;

int failed(const mobula::Diagnostics& diagnostics) {
  std::fputs(mobula::render(diagnostics).c_str(), stderr);
  return 1;
}

int main() {
  const auto rows = sb::parse_axis("virtual_registers.rows=4,8,16");
  const auto mix = sb::find_mix("fp");
  if (!rows || !mix) return failed(rows ? mix.error() : rows.error());
  const auto sweep = sb::Sweep::make({.cores = {sb::presets().front()}, .axes = {*rows}, .mixes = {*mix}, .seeds = 3});
  if (!sweep) return failed(sweep.error());
  sb::Table table{.header = sweep->header()};
  for (std::uint64_t point = 0; point < sweep->points(); ++point) table.rows.push_back(sweep->run(point));
  const auto figure = sb::figure(table, {.x = "virtual_registers.rows", .y = {"clocks"}, .per = "operations"});
  if (!figure) return failed(figure.error());
  std::fputs(sb::markdown(*figure).c_str(), stdout);
}
