#include "mobula/isa/coverage.h"

#include <map>
#include <nlohmann/json.hpp>

#include "cli/input/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"

namespace mobula::cli {
namespace {

Json to_json(const Coverage& coverage, const Coverage* tested) {
  Json entries = Json::array(), fields = Json::array();
  for (std::size_t i = 0; i < coverage.entries().size(); ++i) {
    const EntryCoverage& each = coverage.entries()[i];
    entries.push_back({{"name", each.name}, {"status", name(each.status)}, {"words", each.words}});
    if (tested != nullptr) entries.back()["tested"] = tested->entries()[i].words;
  }
  for (const FieldCoverage& each : coverage.fields()) {
    Json row{{"format", each.format}, {"name", each.name}, {"width", each.width},         {"status", name(each.status)},
             {"times", each.times},   {"set", each.set},   {"values", each.values.size()}};
    if (!each.first_set.empty()) row["first_set"] = each.first_set;
    if (tested != nullptr) row["tested"] = values_tested(each, *tested);
    fields.push_back(std::move(row));
  }
  return {{"machine", coverage.machine().name()},
          {"programs", coverage.programs()},
          {"words", coverage.words()},
          {"entries", std::move(entries)},
          {"fields", std::move(fields)}};
}

using ByMachine = std::map<std::string, Coverage>;

/// What chooses a program of FILES, or belongs to one of them, does not to these.
InputOptions tested_input(const CoverageOptions& options) {
  InputOptions input = options.input;
  input.files = options.tested;
  input.stage.clear();
  input.index.reset();
  input.side_file.clear();
  return input;
}

}  // namespace

Exit coverage(const CoverageOptions& options) {
  const std::size_t files = options.input.files.size() + options.tested.size();
  Attempts attempts(options.output, files > 1);
  if (files > 1) expect_progress(files, "files");
  std::uint64_t done = 0;
  const auto count = [&](const InputOptions& input) {
    ByMachine counted;
    for (const std::string& file : input.files) {
      set_progress(done++);
      attempts.attempt(file, [&] {
        for (const Program& program : load_all(input, file)) {
          expect_within_limit(program);
          attempts.warn(told(program, undecoded(program)));
          counted.try_emplace(program.machine, machine_of(program)).first->second.add(program);
        }
      });
    }
    return counted;
  };
  const ByMachine by_machine = count(options.input);
  ByMachine tested = count(tested_input(options));
  Json machines = Json::array();
  std::string text;
  for (const auto& [name, counted] : by_machine) {
    const Coverage* other =
        options.tested.empty() ? nullptr : &tested.try_emplace(name, counted.machine()).first->second;
    if (options.output.json)
      machines.push_back(to_json(counted, other));
    else
      text += (text.empty() ? "" : "\n") + report(counted, options.fields, other);
  }
  if (options.output.json) text = envelope("coverage", nullptr, {{"machines", std::move(machines)}});
  attempts.write(text);
  return attempts.status();
}

}  // namespace mobula::cli
