#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
#include "mobula/isa/explain.h"
#include "mobula/isa/formats.h"

namespace mobula::cli {
namespace {

Program program_of_words(const ExplainOptions& options) {
  const MachineChoice choice = choose_machine(options.machine);
  std::string text;
  for (const std::string& word : options.words) {
    const std::vector<std::uint8_t> bytes =
        word == "-" ? read_file("-") : std::vector<std::uint8_t>(word.begin(), word.end());
    text.append(bytes.begin(), bytes.end()) += ' ';
  }
  Program program;
  program.file = "words";
  program.machine = choice.machine->name();
  program.variant = choice.variant;
  program.code = value_or_stop(read_hex(text, program.file), program.file);
  const std::size_t word = choice.machine->word_bytes();
  if (program.code.size() < word)
    print({{Severity::note,
            "FM055",
            {.file = program.file},
            "a word of " + program.machine + " has " + (word < 4 ? "at least " : "") + std::to_string(word) +
                " bytes, and " +
                (program.code.size() == 1 ? "this is 1" : "these are " + std::to_string(program.code.size())),
            word < 4 ? "give all of it, as bytes of two digits; its first byte says how long it is: mobula isa " +
                           program.machine + " length"
                     : "give all of it: " + counted(word / 4, "word") + " of eight digits, or bytes of two digits"}});
  return program;
}

Json to_json(const ExplainedWord& word) {
  Json fields = Json::array();
  for (const ExplainedField& field : word.fields)
    fields.push_back({{"format", field.format},
                      {"name", field.name},
                      {"low", field.low},
                      {"width", field.width},
                      {"value", hex(field.value)},
                      {"meaning", field.meaning},
                      {"status", name(field.status)},
                      {"source", field.source}});
  return {{"offset", hex(word.byte_offset)},
          {"bytes", word.byte_length},
          {"text", word.text},
          {"fields", std::move(fields)},
          {"diagnostics", cli::to_json(word.diagnostics)}};
}

/// A rule that sends to this subcommand for more tells nothing here.
Diagnostics without_this_hint(Diagnostics diagnostics) {
  for (Diagnostic& each : diagnostics)
    if (each.hint.find("mobula explain") != std::string::npos) each.hint.clear();
  return diagnostics;
}

}  // namespace

Exit explain(const ExplainOptions& options) {
  expect_distinct({{"--svg", options.svg}}, {}, options.output.file);
  const Program program = program_of_words(options);
  Json words = Json::array();
  std::string text;
  Exit status = Exit::done;
  const Machine& machine = machine_of(program);
  const std::vector<ExplainedWord> explained = machine.explain(program);
  for (const ExplainedWord& word : explained) {
    if (options.output.json)
      words.push_back(to_json(word));
    else
      text += (text.empty() ? "" : "\n") + report(word);
    print(located(without_this_hint(word.diagnostics), program.file));
    if (has_errors(word.diagnostics)) status = Exit::negative;
  }
  if (!options.svg.empty()) write_output(options.svg, svg(explained, machine.pictures(program)));
  write_output(options.output.file, options.output.json ? envelope("explain", &program, {{"words", std::move(words)}})
                                                        : listing_for(options.output.file, std::move(text)));
  return status;
}

}  // namespace mobula::cli
