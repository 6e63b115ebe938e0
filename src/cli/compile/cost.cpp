#include "cli/compile/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/input/input.h"
#include "mobula/lab/timing.h"

namespace mobula::cli {
namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

void add(Counts& counts, std::string_view name, std::uint64_t count) {
  const auto found = std::ranges::find(counts, name, &Counts::value_type::first);
  if (found != counts.end())
    found->second += count;
  else
    counts.emplace_back(name, count);
}

/// The line of the word at an address.
std::uint32_t line_at(const Program& program, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(program.lines, address, {}, &SourceLine::byte_offset);
  return after == program.lines.begin() ? 0 : std::prev(after)->line;
}

std::string text_of_line(std::string_view source, std::uint32_t line) {
  for (std::uint32_t each = 1; each < line && !source.empty(); ++each)
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  std::string_view text = source.substr(0, source.find('\n'));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

std::vector<LineCost> costs_of(const Program& program) {
  const TimingModel* const model = find_timing_model(program.machine);
  if (model == nullptr) throw usage_error("there is no timing model for " + program.machine);
  const ir::Program lifted = lift(program, {});
  std::map<std::uint32_t, LineCost> by_line;
  for (const ir::Block& word : lifted.blocks) {
    Program alone = program;
    alone.code.assign(program.code.begin() + static_cast<std::ptrdiff_t>(word.address),
                      program.code.begin() + static_cast<std::ptrdiff_t>(word.address + word.bytes));
    alone.entry = 0;
    const Estimate estimate = value_or_stop(model->estimate(alone, {}), program.file);
    const std::uint32_t line = line_at(program, word.address);
    LineCost& cost = by_line[line];
    cost.line = line;
    ++cost.words;
    cost.instructions += estimate.instructions;
    for (std::size_t i = 0; i < estimate.pipes.size(); ++i)
      add(cost.by_pipe, estimate.pipes[i].name, estimate.total[i]);
  }
  std::vector<LineCost> costs;
  costs.reserve(by_line.size());
  for (auto& [line, cost] : by_line) costs.push_back(std::move(cost));
  return costs;
}

std::string cost_table(const std::vector<LineCost>& costs, std::string_view source) {
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
  const auto row = [&](const std::string& name, const LineCost& cost, const std::string& what) {
    text += fmt::format("{:>5} {:>6} {:>6}", name, cost.words, cost.instructions);
    for (const auto& [pipe, words] : cost.by_pipe) text += fmt::format(" {:>{}}", words, width);
    text += what.empty() ? "\n" : "  " + what + '\n';
  };
  for (const LineCost& each : costs)
    row(each.line == 0 ? "-" : std::to_string(each.line), each, text_of_line(source, each.line));
  row("sum", sum, "");
  return text;
}

Json to_json(const std::vector<LineCost>& costs) {
  Json list = Json::array();
  for (const LineCost& each : costs) {
    Json pipes = Json::object();
    for (const auto& [pipe, words] : each.by_pipe) pipes[pipe] = words;
    list.push_back(
        {{"line", each.line}, {"words", each.words}, {"instructions", each.instructions}, {"pipes", std::move(pipes)}});
  }
  return list;
}

}  // namespace mobula::cli
