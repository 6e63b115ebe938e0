#include "mobula/lab/line_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/source.h"
#include "core/source_lines.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/timing.h"

namespace mobula {
namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

void add(Counts& counts, std::string_view name, std::uint64_t count) {
  const auto found = std::ranges::find(counts, name, &Counts::value_type::first);
  if (found != counts.end())
    found->second += count;
  else
    counts.emplace_back(name, count);
}

/// Of a line from 1 what is not space at its ends.
std::string_view text_of_line(const Source& source, std::uint32_t line) {
  if (line == 0 || line > source.line_count()) return {};
  std::string_view text = source.line(line - 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace

Result<std::vector<LineCost>> line_costs(const Program& program) {
  const TimingModel& model = *find_timing_model(program.machine);
  const auto lifted = find_machine(program.machine)->lift(program, {});
  if (!lifted) return fail(lifted.error());
  std::map<std::uint32_t, LineCost> by_line;
  Program alone = program;
  alone.entry = 0;
  for (const ir::Block& word : lifted->blocks) {
    alone.code.assign(program.code.begin() + static_cast<std::ptrdiff_t>(word.address),
                      program.code.begin() + static_cast<std::ptrdiff_t>(word.address + word.bytes));
    const auto estimate = model.estimate(alone, {});
    if (!estimate) return fail(estimate.error());
    const std::uint32_t line = source_line(program.lines, word.address).value_or(0);
    LineCost& cost = by_line[line];
    cost.line = line;
    ++cost.words;
    cost.instructions += estimate->instructions;
    for (std::size_t i = 0; i < estimate->pipes.size(); ++i)
      add(cost.by_pipe, estimate->pipes[i].name, estimate->total[i]);
  }
  std::vector<LineCost> costs;
  costs.reserve(by_line.size());
  for (auto& [line, cost] : by_line) costs.push_back(std::move(cost));
  return costs;
}

std::string line_cost_table(const std::vector<LineCost>& costs, std::string_view text_of_source) {
  const Source source("", text_of_source);
  constexpr std::size_t width = 11;
  LineCost sum;
  for (const LineCost& each : costs) {
    sum.words += each.words;
    sum.instructions += each.instructions;
    for (const auto& [pipe, words] : each.by_pipe) add(sum.by_pipe, pipe, words);
  }
  std::string text = " line  words instr.";
  for (const auto& [pipe, words] : sum.by_pipe) text += fmt::format(" {:>{}}", pipe, width);
  text += "  source\n";
  const auto row = [&](const std::string& name, const LineCost& cost, std::string_view what) {
    text += fmt::format("{:>5} {:>6} {:>6}", name, cost.words, cost.instructions);
    for (const auto& [pipe, words] : cost.by_pipe) text += fmt::format(" {:>{}}", words, width);
    text += what.empty() ? "\n" : fmt::format("  {}\n", what);
  };
  for (const LineCost& each : costs)
    row(each.line == 0 ? "-" : std::to_string(each.line), each, text_of_line(source, each.line));
  row("sum", sum, "");
  return text;
}

}  // namespace mobula
