#include <array>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "mobula/isa/program_diff.h"
#include "mobula/lab/firmware_report.h"

namespace mobula::cli {
namespace {

using firmware::Diff;
using firmware::DiffFunction;
using firmware::DiffLine;

Json to_json(const Diff& diff) {
  Json functions = Json::array();
  for (const DiffFunction& function : diff.functions) {
    Json lines = Json::array();
    for (const DiffLine& line : function.lines)
      lines.push_back({{"kind", name(line.kind)}, {"word", hex(line.word)}, {"text", line.text}});
    Json registers = Json::object();
    for (const firmware::DiffRegister& each : function.registers) registers[each.before] = each.after;
    functions.push_back({{"kind", name(function.kind)},
                         {"core", function.core},
                         {"old_name", function.old_name},
                         {"new_name", function.new_name},
                         {"old_words", function.old_words},
                         {"new_words", function.new_words},
                         {"registers", std::move(registers)},
                         {"lines", std::move(lines)}});
  }
  Json replacements = Json::array();
  for (const firmware::DiffReplacement& each : diff.replacements)
    replacements.push_back({{"before", each.before}, {"after", each.after}, {"places", each.places}});
  return {{"same", diff.same},
          {"changed", diff.changed},
          {"added", diff.added},
          {"removed", diff.removed},
          {"replacements", std::move(replacements)},
          {"functions", std::move(functions)}};
}

Json to_json(const ProgramDiff& words) {
  Json lines = Json::array();
  for (const ProgramDiffLine& line : words.lines)
    lines.push_back({{"kind", std::array{"same", "removed", "added"}[static_cast<std::size_t>(line.kind)]},
                     {"offset", hex(line.byte_offset)},
                     {"text", line.text}});
  return {{"same", words.same}, {"added", words.added}, {"removed", words.removed}, {"lines", std::move(lines)}};
}

}  // namespace

Exit diff(const DiffOptions& options) {
  if (options.input.files.at(0) == "-" && options.input.files.at(1) == "-")
    throw usage_error("both programs would be standard input, which can be read once", "give one of them as a file");
  const Program before = load_program(options.input, options.input.files.at(0));
  const Program after = load_program(options.input, options.input.files.at(1));
  expect_within_limit(before);
  expect_within_limit(after);
  if (!has_ability(before.machine, Ability::firmware) || !has_ability(after.machine, Ability::firmware)) {
    const ProgramDiff words = value_or_stop(mobula::diff(before, after), after.file, Exit::usage);
    write_output(options.output.file, options.output.json ? envelope("diff", &after, to_json(words))
                                                          : changes_for(options.output.file, report(words)));
    return words.added + words.removed == 0 ? Exit::done : Exit::negative;
  }
  const Diff result = value_or_stop(firmware::diff(before, after), after.file);
  write_output(options.output.file, options.output.json ? envelope("diff", &after, to_json(result))
                                                        : changes_for(options.output.file, report(result)));
  return result.changed + result.added + result.removed == 0 ? Exit::done : Exit::negative;
}

}  // namespace mobula::cli
