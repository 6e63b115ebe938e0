#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"

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

FileResult check_file(const CheckOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file);
  FileResult result;
  result.diagnostics = located(machine_of(program).check(program), file);
  result.status = has_errors(result.diagnostics) ? Exit::negative : Exit::done;
  result.text = options.output.json ? envelope("check", &program, {{"diagnostics", to_json(result.diagnostics)}})
                                    : file + ": " + summary(result.diagnostics) + '\n';
  return result;
}

}  // namespace

Exit check(const CheckOptions& options) {
  return for_each_file(options.input.files, options.output.file,
                       [&](const std::string& file) { return check_file(options, file); });
}

}  // namespace mobula::cli
