#include "mobula/lab/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace mobula {
namespace {

constexpr std::string_view threads_figure = "threads", uniform_figure = "uniform_registers",
                           shortest_figure = "shortest_cycles", longest_figure = "longest_cycles";

/// Cycles of the busiest pipe.
template <class Cycles>
double busiest(const Estimate& estimate, const Estimate::Words& words, Cycles cycles) {
  double most = 0;
  for (std::size_t i = 0; i < words.size(); ++i) most = std::max(most, cycles(words[i], estimate.pipes[i]));
  return most;
}

std::string number_text(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

/// "+4.3 %"; nothing where there is no part of a whole.
std::string change_text(const FigureChange& change) {
  if (!change.before || !change.after || *change.before == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (*change.after - *change.before) / *change.before);
}

/// A path of which only the shortest is known has no end. Any other figure that is not there was never counted.
bool is_unbounded(const ProgramFigures& figures, std::string_view name) {
  return name == longest_figure && !figure(figures, name) && figure(figures, shortest_figure);
}

std::string figure_text(const std::optional<double>& value, const FigureChange& change) {
  if (value) return number_text(*value);
  return change.known ? "unbounded" : "-";
}

std::string_view verdict(const FigureChange& change) {
  if (!change.known) return change.before ? "no longer counted" : "not in the baseline";
  if (better(change.figure) == Better::neither) return "no matter";
  if (!change.counts) return "within the threshold";
  return change.worse ? "worse" : "better";
}

std::string full_name(const ProgramFigures& figures) { return figures.program + " (" + figures.target + ")"; }

bool is_worse(const FigureChange& change) {
  if (!change.after || !change.before) return !change.after;
  switch (better(change.figure)) {
    case Better::less:
      return *change.after > *change.before;
    case Better::more:
      return *change.after < *change.before;
    case Better::neither:
      break;
  }
  return false;
}

bool is_more_than(const FigureChange& change, double threshold) {
  if (better(change.figure) == Better::neither) return false;
  if (!change.before || !change.after) return true;
  return std::abs(*change.after - *change.before) * 100 > threshold * std::abs(*change.before);
}

/// The figures that differ.
std::vector<FigureChange> changes_of(const ProgramFigures& before, const ProgramFigures& after, double threshold) {
  std::vector<FigureChange> changes;
  const auto add = [&](const std::string& name) {
    FigureChange change{after.program, after.target, name, figure(before, name), figure(after, name)};
    if (change.before == change.after) return;
    change.known = (change.before || is_unbounded(before, name)) && (change.after || is_unbounded(after, name));
    change.worse = change.known && is_worse(change);
    change.counts = change.known && is_more_than(change, threshold);
    changes.push_back(std::move(change));
  };
  for (const auto& [name, value] : after.values) add(name);
  for (const auto& [name, value] : before.values)
    if (!figure(after, name)) add(name);
  return changes;
}

const ProgramFigures* same_program(std::span<const ProgramFigures> programs, const ProgramFigures& wanted) {
  const auto found = std::find_if(programs.begin(), programs.end(), [&](const ProgramFigures& each) {
    return each.program == wanted.program && each.target == wanted.target;
  });
  return found == programs.end() ? nullptr : &*found;
}

}  // namespace

ProgramFigures figures_of(const Estimate& estimate, std::string program) {
  ProgramFigures figures{std::move(program), estimate.machine + ':' + estimate.variant, {}};
  const auto add = [&](std::string_view name, auto value) {
    figures.values.emplace_back(name, static_cast<double>(value));
  };
  add("instructions", estimate.instructions);
  add("words", estimate.words);
  add("bytes", estimate.bytes ? estimate.bytes->total : 16 * estimate.quadwords);
  if (!estimate.functions.empty()) {
    add("loops", estimate.loops);
    return figures;
  }
  add("work_registers", estimate.work_registers);
  add(uniform_figure, estimate.uniform_registers);
  if (estimate.most_threads != 0) add(threads_figure, estimate.threads);
  add("loops", estimate.loops);
  add("spills", estimate.spills);
  add("fills", estimate.fills);
  if (estimate.shortest) add(shortest_figure, busiest(estimate, *estimate.shortest, path_cycles));
  if (estimate.longest) add(longest_figure, busiest(estimate, *estimate.longest, path_cycles));
  add("total_cycles", busiest(estimate, estimate.total, total_cycles));
  return figures;
}

std::optional<double> figure(const ProgramFigures& figures, std::string_view name) {
  for (const auto& [each, value] : figures.values)
    if (each == name) return value;
  return std::nullopt;
}

Better better(std::string_view figure) {
  if (figure == uniform_figure) return Better::neither;
  return figure == threads_figure ? Better::more : Better::less;
}

FigureComparison compare_figures(std::span<const ProgramFigures> before, std::span<const ProgramFigures> after,
                                 double threshold) {
  FigureComparison result;
  for (const ProgramFigures& program : after) {
    const ProgramFigures* const old = same_program(before, program);
    if (old == nullptr) {
      result.added.push_back(full_name(program));
      continue;
    }
    const std::vector<FigureChange> changes = changes_of(*old, program, threshold);
    const auto counts = [](const FigureChange& change) { return change.counts; };
    const auto counts_against = [](const FigureChange& change) { return change.counts && change.worse; };
    if (changes.empty())
      ++result.same;
    else if (std::any_of(changes.begin(), changes.end(), counts_against))
      ++result.worse;
    else
      ++(std::any_of(changes.begin(), changes.end(), counts) ? result.better : result.within);
    result.changes.insert(result.changes.end(), changes.begin(), changes.end());
  }
  for (const ProgramFigures& program : before)
    if (same_program(after, program) == nullptr) result.removed.push_back(full_name(program));
  return result;
}

std::string report(std::span<const ProgramFigures> programs) {
  struct Column {
    std::string_view figure, title;
  };
  constexpr std::array<Column, 12> columns{{{"instructions", "instr."},
                                            {"words", "words"},
                                            {"bytes", "bytes"},
                                            {"work_registers", "work"},
                                            {"uniform_registers", "uniform"},
                                            {"threads", "threads"},
                                            {"loops", "loops"},
                                            {"spills", "spills"},
                                            {"fills", "fills"},
                                            {"shortest_cycles", "shortest"},
                                            {longest_figure, "longest"},
                                            {"total_cycles", "total"}}};
  std::string text;
  for (const Column& column : columns) text += fmt::format("{:>11}", column.title);
  text += "  program\n";
  for (const ProgramFigures& program : programs) {
    for (const Column& column : columns) {
      const auto value = figure(program, column.figure);
      const bool unbounded = column.figure == longest_figure && figure(program, "shortest_cycles");
      text += fmt::format("{:>11}", value ? number_text(*value) : unbounded ? "unbounded" : "-");
    }
    text += "  " + full_name(program) + '\n';
  }
  return text;
}

std::string report(const FigureComparison& comparison) {
  std::string text, program;
  for (const FigureChange& change : comparison.changes) {
    const std::string name = change.program + " (" + change.target + ")";
    if (name != program) text += name + '\n';
    program = name;
    text += fmt::format("  {:<18}{:>10} -> {:<10}{:>10}  {}\n", change.figure, figure_text(change.before, change),
                        figure_text(change.after, change), change_text(change), verdict(change));
  }
  for (const std::string& each : comparison.added) text += "added: " + each + '\n';
  for (const std::string& each : comparison.removed) text += "removed: " + each + '\n';
  const std::size_t all = comparison.same + comparison.worse + comparison.better + comparison.within;
  return text +
         fmt::format("{} compared: {} worse, {} better, {} within the threshold, {} the same; {} added, {} removed\n",
                     all, comparison.worse, comparison.better, comparison.within, comparison.same,
                     comparison.added.size(), comparison.removed.size());
}

std::string figures_json(std::span<const ProgramFigures> programs) {
  std::string text = "{\"schema\": \"mobula/baseline\", \"version\": 1, \"programs\": [";
  for (const ProgramFigures& program : programs) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    for (const auto& [name, value] : program.values) {
      if (value == std::floor(value))
        values[name] = static_cast<std::int64_t>(value);
      else
        values[name] = value;
    }
    const nlohmann::ordered_json row{{"program", program.program}, {"target", program.target}, {"figures", values}};
    text += &program == programs.data() ? "\n  " : ",\n  ";
    text += row.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  return text + "\n]}\n";
}

}  // namespace mobula
