#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "mobula/firmware_diff.h"

namespace mobula::cli {
namespace {

using firmware::Diff;
using firmware::DiffFunction;
using firmware::DiffLine;

std::string_view name(DiffFunction::Kind kind) {
  constexpr std::array<std::string_view, 4> names{"same", "changed", "added", "removed"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view name(DiffLine::Kind kind) {
  constexpr std::array<std::string_view, 3> names{"same", "removed", "added"};
  return names[static_cast<std::size_t>(kind)];
}

Json to_json(const Diff& diff) {
  Json functions = Json::array();
  for (const DiffFunction& function : diff.functions) {
    Json lines = Json::array();
    for (const DiffLine& line : function.lines)
      lines.push_back({{"kind", name(line.kind)}, {"word", hex(line.word)}, {"text", line.text}});
    functions.push_back({{"kind", name(function.kind)},
                         {"core", function.core},
                         {"old_name", function.old_name},
                         {"new_name", function.new_name},
                         {"old_words", function.old_words},
                         {"new_words", function.new_words},
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

/// One instruction for another, where that happened more than once or nothing else did.
std::string replacements_text(const Diff& diff) {
  constexpr std::size_t most_places = 6;
  std::string text;
  for (const firmware::DiffReplacement& each : diff.replacements) {
    if (each.places.size() == 1 && diff.replacements.size() > 1) continue;
    text += fmt::format("{} times  {}  ->  {}\n           in", each.places.size(), each.before, each.after);
    for (std::size_t i = 0; i < each.places.size() && i < most_places; ++i)
      text += (i == 0 ? " " : ", ") + each.places[i];
    if (each.places.size() > most_places) text += fmt::format(" and {} more", each.places.size() - most_places);
    text += '\n';
  }
  return text.empty() ? text : "one instruction for another:\n" + text;
}

std::string to_text(const Diff& diff) {
  std::string text;
  for (const DiffFunction& function : diff.functions) {
    if (function.kind == DiffFunction::Kind::same) continue;
    const bool renamed = function.kind == DiffFunction::Kind::changed && function.old_name != function.new_name;
    text += fmt::format("{} {} {}{}, {} words\n", name(function.kind), function.core,
                        renamed ? function.old_name + " -> " : std::string(),
                        function.new_name.empty() ? function.old_name : function.new_name,
                        function.kind == DiffFunction::Kind::changed
                            ? fmt::format("{} -> {}", function.old_words, function.new_words)
                            : std::to_string(function.old_words + function.new_words));
    std::uint32_t next = 0;
    for (const DiffLine& line : function.lines) {
      if (line.kind != DiffLine::Kind::removed && next != 0 && line.word > next) text += "    ...\n";
      if (line.kind != DiffLine::Kind::removed) next = line.word + 1;
      text += fmt::format("  {} {:04x}  {}\n", " -+"[static_cast<std::size_t>(line.kind)], line.word, line.text);
    }
  }
  return text + replacements_text(diff) +
         fmt::format("{} functions are the same, {} changed, {} were added, {} removed\n", diff.same, diff.changed,
                     diff.added, diff.removed);
}

}  // namespace

Exit diff(const DiffOptions& options) {
  const Program before = load_program(options.input, options.input.files.at(0));
  const Program after = load_program(options.input, options.input.files.at(1));
  const Diff result = value_or_stop(firmware::diff(before, after), after.file);
  write_output(options.output.file, options.output.json ? envelope("diff", &after, to_json(result)) : to_text(result));
  return result.changed + result.added + result.removed == 0 ? Exit::done : Exit::negative;
}

}  // namespace mobula::cli
