#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "core/quote.h"

namespace mobula::cli {
namespace {

/// A word's fields as comments that every assembler skips, so that the listing still assembles.
std::string field_comments(const ExplainedWord& word) {
  std::string text;
  for (const ExplainedField& field : word.fields)
    text += "    // " + std::to_string(field.low) + '+' + std::to_string(field.width) + ' ' + field.format + '.' +
            field.name + " = " + hex(field.value) + ": " + field.meaning + '\n';
  return text;
}

/// The listing with comments after each word; what is explained are the words of the listing.
void annotate(const Program& program, const Listing& listing, const Write& write) {
  std::size_t copied = 0, next = 0;
  machine_of(program).explain_each(program, [&](const ExplainedWord& word) {
    if (next == listing.words.size()) return;
    const std::size_t end = listing.words[next++].text_end;
    write(listing.text.substr(copied, end - copied) + field_comments(word));
    copied = end;
  });
  write(std::string_view(listing.text).substr(copied));
}

void write_json(const Program& program, const Listing& listing, const Write& write) {
  const auto [before, after] = around_rows(envelope("disasm", &program, {{"words", Json::array()}}), "words");
  write(before);
  for (const Listing::Word& word : listing.words) {
    // A list in braces would make a list of each pair first.
    Json::object_t row;
    row.reserve(3);
    row.emplace("offset", hex(word.byte_offset));
    row.emplace("bytes", hex(std::span(program.code).subspan(word.byte_offset, word.byte_length)));
    row.emplace("text", listing.text.substr(word.text_begin, word.text_end - word.text_begin));
    write((&word == &listing.words.front() ? "" : ",") + json_text(std::move(row)));
  }
  write(after);
}

/// What the machine makes of the program; the bits of its words where that is nothing.
std::string drawing(const Program& program) {
  const std::vector<Picture> pictures = machine_of(program).pictures(program);
  if (!pictures.empty()) return svg({}, pictures);
  return svg(machine_of(program).explain(program), {});
}

/// Refuses policies where the text form does not depend on them.
void expect_policies(const Machine& machine, const DisasmOptions& options) {
  if (options.policies.empty()) return;
  std::string forms;
  for (const Syntax& syntax : machine.syntaxes()) {
    if (!syntax.has_policies) continue;
    if (syntax.name == options.input.syntax) return;
    forms += " --syntax " + std::string(syntax.name);
  }
  throw usage_error("policies do not change this text",
                    forms.empty() ? "no text form of " + std::string(machine.name()) + " depends on policies"
                                  : "--policy belongs to" + forms);
}

FileResult disassemble(const DisasmOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file, Accept::bare_code);
  const Machine& machine = machine_of(program);
  expect_policies(machine, options);
  FileResult result;
  ResultInPieces pieces(options.output, options.input.files.size() > 1, result, listing_for);
  const Write write = [&](std::string_view piece) { pieces.write(piece); };
  if (options.input.files.size() > 1 && !options.output.json) write("; " + shown(file) + '\n');
  DisassembleOptions how{.syntax = options.input.syntax,
                         .bytes = options.bytes,
                         .words = options.output.json || options.explain,
                         .policies = parse_policies(options.policies),
                         .directive = true};
  if (how.words)
    expect_within_limit(program);
  else
    how.write = write;
  const Listing listing = value_or_stop(machine.disassemble(program, how), file, Exit::usage);
  if (options.output.json)
    write_json(program, listing, write);
  else if (options.explain)
    annotate(program, listing, write);
  pieces.finish();
  if (!options.svg.empty()) write_output(options.svg, drawing(program));
  // What is no word is in the listing, as data.
  result.diagnostics = told(program, listing.undecoded);
  result.status = result.diagnostics.empty() ? Exit::done : Exit::negative;
  return result;
}

}  // namespace

Exit disasm(const DisasmOptions& options) {
  if (!options.svg.empty() && options.input.files.size() > 1)
    throw usage_error("--svg draws one program, and there are " + std::to_string(options.input.files.size()),
                      "call mobula disasm for each of them");
  expect_distinct({{"--svg", options.svg}}, options.input.files, options.output.file);
  return for_each_file(options.input.files, options.output,
                       [&](const std::string& file) { return disassemble(options, file); });
}

}  // namespace mobula::cli
