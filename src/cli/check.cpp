#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/shards/shards.h"
#include "cli/terminal/output.h"
#include "core/quote.h"

namespace mobula::cli {
namespace {

std::string summary(const Diagnostics& diagnostics) {
  std::size_t counts[3] = {};
  for (const Diagnostic& entry : diagnostics) ++counts[static_cast<std::size_t>(entry.severity)];
  std::string text;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const std::size_t count = counts[static_cast<std::size_t>(severity)];
    if (count == 0) continue;
    text +=
        (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + std::string(name(severity)) + (count > 1 ? "s" : "");
  }
  return text.empty() ? "ok" : text;
}

FileResult check_file(const CheckOptions& options, const InputOptions& input) {
  const std::string& file = input.files.front();
  const Program program = load_program(input, file);
  expect_within_limit(program);
  FileResult result;
  result.diagnostics = located(machine_of(program).check(program), file);
  std::ranges::stable_sort(result.diagnostics, std::ranges::greater(), &Diagnostic::severity);
  result.status = has_errors(result.diagnostics) ? Exit::negative : Exit::done;
  result.text = options.output.json
                    ? envelope("check", &program, {{"diagnostics", to_json(result.diagnostics)}})
                    : shown(file) + (input.machine == options.input.machine ? "" : " (" + input.machine + ")") + ": " +
                          summary(result.diagnostics) + '\n';
  return result;
}

}  // namespace

Exit end_check(const Json& options, const std::vector<std::string>& files, const std::vector<FileResult>& results,
               const std::string& output) {
  return write_results(files, results, {.file = output, .json = options.at("json")});
}

Exit check(const CheckOptions& options) {
  const std::vector<InputOptions> inputs = one_by_one(options.input);
  Work work{.command = "check",
            .options = {{"input", to_json(options.input)}, {"json", options.output.json}},
            .pieces = {},
            .job = [&](std::size_t index) { return check_file(options, inputs[index]); }};
  work.pieces.reserve(inputs.size());
  for (const InputOptions& input : inputs) work.pieces.push_back(input.files.front());
  return carry_out(work, options.shard, options.output.file, end_check);
}

}  // namespace mobula::cli
