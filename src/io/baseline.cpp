#include "io/json.h"
#include "mobula/lab/statistics.h"

namespace mobula {
namespace {

using io::JsonPlace;

constexpr const char* rewrite = "mobula stat --baseline FILE --update writes a baseline anew";

void read_program(const JsonPlace& place, ProgramFigures& figures) {
  for (const char* const name : {"program", "target", "figures"})
    if (!place.has(name))
      return place.error("TM010", std::string("this program of the baseline has no \"") + name + '"', rewrite);
  place.member("program", [&](const JsonPlace& program) { program.read(figures.program); });
  place.member("target", [&](const JsonPlace& target) { target.read(figures.target); });
  place.member("figures", [&](const JsonPlace& all) {
    all.members([&](std::string_view name, const JsonPlace& value) {
      if (const auto number = value.number()) figures.values.emplace_back(name, *number);
    });
  });
}

}  // namespace

Result<std::vector<ProgramFigures>> read_figures(const SourceText& source) {
  if (source.text.find_first_not_of(" \t\r\n") == source.text.npos) {
    Diagnostic empty{Severity::error, "TM010", {}, "this baseline is empty", rewrite};
    empty.where.file = source.file;
    return fail(std::move(empty));
  }
  const auto document = io::parse_json(source);
  if (!document) return fail(document.error());
  io::JsonProblems problems{.file = std::string(source.file), .diagnostics = {}};
  const JsonPlace root(*document, problems);
  std::vector<ProgramFigures> programs;
  if (!root.has("schema") || document->at("schema") != "mobula/baseline")
    root.error("TM010", "this is not a baseline: it has no \"schema\" of \"mobula/baseline\"", rewrite);
  else if (!root.has("version") || document->at("version") != 1)
    root.error("TM010", "this baseline is of another version; version 1 is read", rewrite);
  else if (!root.has("programs"))
    root.error("TM010", "this baseline has no \"programs\"", rewrite);
  root.member("programs", [&](const JsonPlace& rows) {
    rows.elements([&](const JsonPlace& row) { read_program(row, programs.emplace_back()); });
  });
  if (!problems.diagnostics.empty()) return fail(std::move(problems.diagnostics));
  return programs;
}

}  // namespace mobula
