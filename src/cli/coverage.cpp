#include "mobula/isa/coverage.h"

#include <map>
#include <nlohmann/json.hpp>

#include "cli/input/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"

namespace mobula::cli {
namespace {

Json to_json(const Coverage& coverage) {
  Json entries = Json::array(), fields = Json::array();
  for (const EntryCoverage& each : coverage.entries())
    entries.push_back({{"name", each.name}, {"status", name(each.status)}, {"words", each.words}});
  for (const FieldCoverage& each : coverage.fields()) {
    Json row{{"format", each.format}, {"name", each.name}, {"width", each.width},         {"status", name(each.status)},
             {"times", each.times},   {"set", each.set},   {"values", each.values.size()}};
    if (!each.first_set.empty()) row["first_set"] = each.first_set;
    fields.push_back(std::move(row));
  }
  return {{"machine", coverage.machine().name()},
          {"programs", coverage.programs()},
          {"words", coverage.words()},
          {"entries", std::move(entries)},
          {"fields", std::move(fields)}};
}

}  // namespace

Exit coverage(const CoverageOptions& options) {
  std::map<std::string, Coverage> by_machine;
  Attempts attempts(options.output, options.input.files.size() > 1);
  if (options.input.files.size() > 1) expect_progress(options.input.files.size(), "files");
  std::uint64_t done = 0;
  std::string text;
  for (const std::string& file : options.input.files) {
    set_progress(done++);
    attempts.attempt(file, [&] {
      for (const Program& program : load_all(options.input, file)) {
        expect_within_limit(program);
        attempts.warn(told(program, undecoded(program)));
        by_machine.try_emplace(program.machine, machine_of(program)).first->second.add(program);
      }
    });
  }
  Json machines = Json::array();
  for (const auto& [name, counted] : by_machine) {
    if (options.output.json)
      machines.push_back(to_json(counted));
    else
      text += (text.empty() ? "" : "\n") + report(counted, options.fields);
  }
  if (options.output.json) text = envelope("coverage", nullptr, {{"machines", std::move(machines)}});
  attempts.write(text);
  return attempts.status();
}

}  // namespace mobula::cli
