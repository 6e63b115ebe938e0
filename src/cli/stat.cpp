#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/choices.h"
#include "cli/input/input.h"
#include "cli/shards/shards.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
#include "mobula/lab/statistics.h"

namespace mobula::cli {
namespace {

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

/// The figures of one program and, where they are wanted, what other tools print of it.
Json row_of(const Program& program, const std::string& name, const std::string& format) {
  const TimingModel* const model = find_timing_model(program.machine);
  if (model == nullptr) throw usage_error("there is no timing model for " + program.machine);
  expect_executable(program, "mobula check says more; its figures would be those of another program");
  Estimate estimate = value_or_stop(model->estimate(program, {}), program.file);
  estimate.file = name;
  if (format == "shader-db") return packed(shader_db_entry(name, program.interface.stage, estimate));
  if (format == "offline-compiler") return Json::parse(timing_json({&estimate, 1}, {})).at("shaders").at(0);
  const ProgramFigures figures = figures_of(estimate, name);
  Json values = Json::array();
  for (const auto& [figure, value] : figures.values) values.push_back({figure, value});
  return {{"program", packed(figures.program)}, {"target", figures.target}, {"figures", std::move(values)}};
}

/// What is known of the programs of a file, and what failed, as one text.
FileResult count(const StatOptions& options, const InputOptions& input) {
  const std::string& file = input.files.front();
  Json rows = Json::array(), failures = Json::array();
  const auto attempt = [&](const auto& act) {
    try {
      act();
    } catch (const Stop& stop) {
      failures.push_back({{"status", static_cast<int>(stop.status)}, {"diagnostics", packed(stop.diagnostics)}});
    }
  };
  std::vector<Program> programs;
  attempt([&] { programs = load_all(input, file); });
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::string name = normal(programs.size() == 1 ? file : file + '#' + std::to_string(i));
    attempt([&] { rows.push_back(row_of(programs[i], name, options.format)); });
  }
  return {.text = json_text({{"programs", std::move(rows)}, {"failures", std::move(failures)}}), .diagnostics = {}};
}

/// What count() wrote of one file, which may have come by way of a shard's result.
struct Counted {
  std::vector<Json> rows;               ///< of formats of other tools
  std::vector<ProgramFigures> figures;  ///< of the others
  std::vector<Stop> failures;
};

ProgramFigures figures_in(const io::JsonPlace& row) {
  ProgramFigures figures;
  required(row, "program", [&](const io::JsonPlace& each) { figures.program = text_in(each); });
  required(row, "target", [&](const io::JsonPlace& each) { each.read(figures.target); });
  required(row, "figures", [&](const io::JsonPlace& values) {
    values.elements([&](const io::JsonPlace& pair) {
      const io::Json& value = pair.value();
      if (value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_number())
        figures.values.emplace_back(value[0].get<std::string>(), value[1].get<double>());
      else
        pair.wrong("a name and a number");
    });
  });
  return figures;
}

Counted counted_in(const std::string& format, const std::string& file, const std::string& text) {
  const auto stop = [&](Diagnostics problems) {
    return Stop{Exit::negative, wrong_in_line(std::move(problems), file, 0)};
  };
  const auto json = io::parse_json({file, text});
  if (!json) throw stop(json.error());
  io::JsonProblems problems{file, {}};
  const io::JsonPlace root(*json, problems);
  Counted counted;
  required(root, "programs", [&](const io::JsonPlace& programs) {
    programs.elements([&](const io::JsonPlace& row) {
      if (format == "text")
        counted.figures.push_back(figures_in(row));
      else if (format == "shader-db")
        counted.rows.emplace_back(text_in(row));
      else if (!row.value().is_object())
        row.wrong("an object");
    });
  });
  required(root, "failures", [&](const io::JsonPlace& failures) {
    failures.elements([&](const io::JsonPlace& failure) {
      Stop& each = counted.failures.emplace_back();
      required(failure, "status", [&](const io::JsonPlace& status) { each.status = status_in(status); });
      required(failure, "diagnostics", [&](const io::JsonPlace& list) { each.diagnostics = diagnostics_in(list); });
    });
  });
  if (!problems.diagnostics.empty()) throw stop(std::move(problems.diagnostics));
  // Another tool's object keeps the order of its members.
  if (format == "offline-compiler") counted.rows = Json::parse(text).at("programs").get<std::vector<Json>>();
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
                       {"counts", change.counts},
                       {"known", change.known}});
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

/// What is printed in the way of other tools.
std::string in_format(const std::string& format, const std::vector<Json>& rows) {
  std::string text;
  if (format == "shader-db") {
    for (const Json& row : rows) text += row.get<std::string>();
    return text;
  }
  Json document = Json::parse(timing_json({}, {}));
  for (const Json& row : rows) document["shaders"].push_back(row);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
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
void write_baseline(const StatOptions& options, const std::vector<ProgramFigures>& figures, bool is_new, Exit status) {
  if (status == Exit::done) {
    write_output(options.baseline, figures_json(figures));
    print({{Severity::note,
            "",
            {.file = options.baseline},
            (is_new ? "this baseline is new: it has " : "this baseline is replaced: it now has ") +
                counted(figures.size(), "program"),
            ""}});
  } else {
    print({{Severity::error,
            "",
            {.file = options.baseline},
            "the baseline is not written, because not all programs could be read",
            "leave those out, or fix them"}});
  }
}

/// What the end of the work needs of them, and back.
Json to_json(const StatOptions& options) {
  return {{"input", to_json(options.input)},
          {"format", options.format},
          {"baseline", packed(options.baseline)},
          {"update", options.update},
          {"threshold", options.threshold ? Json(*options.threshold) : Json(nullptr)},
          {"json", options.output.json}};
}
StatOptions options_in(const Json& json) {
  StatOptions options;
  options.format = json.at("format");
  options.baseline = unpacked(json.at("baseline"));
  options.update = json.at("update");
  if (!json.at("threshold").is_null()) options.threshold = json.at("threshold").get<double>();
  options.output.json = json.at("json");
  return options;
}

}  // namespace

Exit end_stat(const Json& json_options, const std::vector<std::string>& files, const std::vector<FileResult>& results,
              const std::string& output) {
  StatOptions options = options_in(json_options);
  options.output.file = output;
  auto before = read_baseline(options);
  Attempts attempts(options.output, files.size() > 1);
  std::vector<Json> rows;
  std::vector<ProgramFigures> figures;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Counted counted = counted_in(options.format, files[i], results[i].text);
    print(results[i].said);
    std::ranges::move(counted.rows, std::back_inserter(rows));
    std::ranges::move(counted.figures, std::back_inserter(figures));
    for (Stop& failure : counted.failures) attempts.attempt(files[i], [&] { throw std::move(failure); });
  }
  if (options.format != "text") {
    attempts.write(rows.empty() ? "" : in_format(options.format, rows));
    return attempts.status();
  }
  if (!options.baseline.empty()) expect_each_once(figures);
  if (options.update) write_baseline(options, figures, !before, attempts.status());
  Json programs = Json::array();
  for (const ProgramFigures& each : figures) programs.push_back(program_json(each));
  Json json{{"programs", std::move(programs)}};
  std::string text;
  Exit status = attempts.status();
  if (before) {
    adopt_names(*before, figures);
    const FigureComparison comparison = compare_figures(*before, figures, options.threshold.value_or(0));
    json["comparison"] = comparison_json(comparison);
    text = report(comparison);
    if (!options.update) status = std::max(status, verdict(comparison, options.baseline));
  } else if (!options.output.json && !figures.empty()) {
    text = report(figures);
  }
  if (options.output.json) text = envelope("stat", nullptr, std::move(json));
  attempts.write(text);
  return status;
}

Exit stat(const StatOptions& options) {
  check_stat_options(options);
  if (options.shard.empty()) read_baseline(options);  // before anything is counted
  const std::vector<InputOptions> inputs = one_by_one(options.input);
  Work work{.command = "stat", .options = to_json(options), .pieces = {}, .job = [&](std::size_t index) {
              return count(options, inputs[index]);
            }};
  for (const InputOptions& input : inputs) work.pieces.push_back(input.files.front());
  return carry_out(work, options.shard, options.output.file, end_stat);
}

}  // namespace mobula::cli
