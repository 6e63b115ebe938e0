#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/choices.h"
#include "cli/input/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "mobula/lab/statistics.h"

namespace mobula::cli {
namespace {

/// The estimates of all programs, in the order of the files, and the names they go by.
struct Counted {
  std::vector<Estimate> estimates;
  std::vector<ProgramFigures> figures;
  std::vector<Stage> stages;
};

/// The name by which a program is found again: "./a.bin" and "b/../a.bin" are "a.bin".
std::string normal(const std::string& path) { return std::filesystem::path(path).lexically_normal().string(); }

/// Gives programs of a baseline the names that they have in this run, where the same file is called otherwise: with its
/// whole path there, and from the current folder here. A name that this run has, too, stays.
void adopt_names(std::vector<ProgramFigures>& baseline, const std::vector<ProgramFigures>& programs) {
  using Key = std::pair<std::string, std::string>;
  const auto as_named = [](const ProgramFigures& each) { return Key(each.target, each.program); };
  const auto as_placed = [](const ProgramFigures& each) {
    return Key(each.target, std::filesystem::absolute(each.program).lexically_normal().string());
  };
  std::set<Key> known, wanted;
  for (const ProgramFigures& each : baseline) known.insert(as_named(each));
  std::map<Key, std::string> unknown;
  for (const ProgramFigures& each : programs) {
    wanted.insert(as_named(each));
    if (!known.contains(as_named(each))) unknown.emplace(as_placed(each), each.program);
  }
  for (ProgramFigures& each : baseline) {
    if (wanted.contains(as_named(each))) continue;
    if (auto found = unknown.extract(as_placed(each))) each.program = std::move(found.mapped());
  }
}

void count(const Program& program, const std::string& name, Counted& counted) {
  const TimingModel* const model = find_timing_model(program.machine);
  if (model == nullptr) throw usage_error("there is no timing model for " + program.machine);
  expect_executable(program, "mobula check says more; its figures would be those of another program");
  Estimate estimate = value_or_stop(model->estimate(program, {}), program.file);
  estimate.file = name;
  counted.figures.push_back(figures_of(estimate, name));
  counted.stages.push_back(program.interface.stage);
  counted.estimates.push_back(std::move(estimate));
}

Counted count_all(const StatOptions& options, Attempts& attempts) {
  Counted counted;
  const std::vector<InputOptions> inputs = one_by_one(options.input);
  if (inputs.size() > 1) expect_progress(inputs.size(), "files");
  for (std::size_t done = 0; done < inputs.size(); set_progress(++done)) {
    const std::string& file = inputs[done].files.front();
    std::vector<Program> programs;
    attempts.attempt(file, [&] { programs = load_all(inputs[done], file); });
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const std::string name = normal(programs.size() == 1 ? file : file + '#' + std::to_string(i));
      attempts.attempt(file, [&] { count(programs[i], name, counted); });
    }
  }
  return counted;
}

void check_stat_options(const StatOptions& options) {
  chosen_among(report_format_names, "format", options.format);
  if (options.threshold && (!(*options.threshold >= 0) || !std::isfinite(*options.threshold)))
    throw usage_error("--threshold is a percentage of at least 0", "--threshold 2.5");
  if (options.update) expect_distinct({{"--baseline", options.baseline}}, options.input.files, options.output.file);
}

Json program_json(const ProgramFigures& program) {
  Json values = Json::object();
  for (const auto& [name, value] : program.values) values[name] = value;
  return {{"program", program.program}, {"target", program.target}, {"figures", std::move(values)}};
}

Json comparison_json(const FigureComparison& comparison) {
  Json changes = Json::array();
  for (const FigureChange& change : comparison.changes) {
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    changes.push_back({{"program", change.program},
                       {"target", change.target},
                       {"figure", change.figure},
                       {"before", number(change.before)},
                       {"after", number(change.after)},
                       {"worse", change.worse},
                       {"counts", change.counts}});
  }
  return {{"changes", std::move(changes)}, {"added", comparison.added}, {"removed", comparison.removed},
          {"same", comparison.same},       {"worse", comparison.worse}, {"better", comparison.better},
          {"within", comparison.within}};
}

/// Nothing got worse where nothing was compared, and a script would take that for good.
Exit verdict(const FigureComparison& comparison, const std::string& baseline) {
  if (comparison.same + comparison.worse + comparison.better + comparison.within == 0) {
    print({{Severity::error,
            "",
            {.file = baseline},
            "nothing was compared: none of the programs given is in the baseline",
            "programs are found by path and machine; \"removed\" lists those of the baseline"}});
    return Exit::negative;
  }
  return comparison.worse != 0 ? Exit::negative : Exit::done;
}

/// A baseline finds programs by name and machine.
void expect_each_once(const std::vector<ProgramFigures>& programs) {
  std::set<std::pair<std::string, std::string>> known;
  for (const ProgramFigures& each : programs)
    if (!known.emplace(each.program, each.target).second)
      throw usage_error(each.program + " is given twice for " + each.target + ", and a baseline has one of each",
                        "give each file once");
}

/// What is printed where nothing is compared.
std::string table(const StatOptions& options, const Counted& counted) {
  if (options.format == "text") return report(counted.figures);
  std::string text;
  if (options.format == "shader-db")
    for (std::size_t i = 0; i < counted.estimates.size(); ++i)
      text += shader_db_entry(counted.estimates[i].file, counted.stages[i], counted.estimates[i]);
  else
    text = timing_json(counted.estimates, {});
  return text;
}

/// What the file holds that is compared with, or replaced; nothing if a new one is to be written.
std::optional<std::vector<ProgramFigures>> read_baseline(const StatOptions& options) {
  if (options.baseline.empty()) return {};
  std::error_code unreadable;
  if (options.update && (!std::filesystem::exists(options.baseline, unreadable) ||
                         std::filesystem::is_empty(options.baseline, unreadable)))
    return {};
  if (!options.update && !std::filesystem::exists(options.baseline, unreadable))
    throw usage_error("there is no baseline " + options.baseline, "--update writes it");
  const std::vector<std::uint8_t> bytes = read_file(options.baseline);
  auto figures = value_or_stop(read_figures({options.baseline, as_text(bytes)}), options.baseline, Exit::usage);
  for (ProgramFigures& each : figures) each.program = normal(each.program);
  return figures;
}

/// A baseline of half the programs would be missed only when it is needed.
void write_baseline(const StatOptions& options, const Counted& counted, Exit status) {
  if (status == Exit::done)
    write_output(options.baseline, figures_json(counted.figures));
  else
    print({{Severity::error,
            "",
            {.file = options.baseline},
            "the baseline is not written, because not all programs could be read",
            "leave those out, or fix them"}});
}

}  // namespace

Exit stat(const StatOptions& options) {
  check_stat_options(options);
  auto before = read_baseline(options);
  Attempts attempts(options.output, options.input.files.size() > 1);
  const Counted counted = count_all(options, attempts);
  if (!options.baseline.empty()) expect_each_once(counted.figures);
  if (options.update) write_baseline(options, counted, attempts.status());
  Json programs = Json::array();
  for (const ProgramFigures& each : counted.figures) programs.push_back(program_json(each));
  Json json{{"programs", std::move(programs)}};
  std::string text;
  Exit status = attempts.status();
  if (before) {
    adopt_names(*before, counted.figures);
    const FigureComparison comparison = compare_figures(*before, counted.figures, options.threshold.value_or(0));
    json["comparison"] = comparison_json(comparison);
    text = report(comparison);
    if (!options.update) status = std::max(status, verdict(comparison, options.baseline));
  } else if (!options.output.json && !counted.figures.empty()) {
    text = table(options, counted);
  }
  if (options.output.json) text = envelope("stat", nullptr, std::move(json));
  attempts.write(text);
  return status;
}

}  // namespace mobula::cli
