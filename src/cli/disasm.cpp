#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
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

/// The listing with comments after each word; words of the listing and of `explained` are the same words.
std::string annotate(const Listing& listing, const std::vector<ExplainedWord>& explained) {
  std::string text;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < listing.words.size() && i < explained.size(); ++i) {
    const std::size_t end = listing.words[i].text_end;
    text.append(listing.text, copied, end - copied);
    text += field_comments(explained[i]);
    copied = end;
  }
  return text.append(listing.text, copied);
}

Json to_json(const Program& program, const Listing& listing) {
  // There may be a million of them: each is made in its place, where a list in braces would make a list of each pair
  // first, and an object that grows would copy its keys.
  Json::array_t words;
  words.reserve(listing.words.size());
  for (const Listing::Word& word : listing.words) {
    Json::object_t row;
    row.reserve(3);
    row.emplace("offset", hex(word.byte_offset));
    row.emplace("bytes", hex(std::span(program.code).subspan(word.byte_offset, word.byte_length)));
    row.emplace("text", listing.text.substr(word.text_begin, word.text_end - word.text_begin));
    words.emplace_back(std::move(row));
  }
  return {{"words", std::move(words)}};
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

/// A negative result where there are bytes that are no words: they are in the listing, as data.
FileResult judged(const Program& program, const Undecoded& left) {
  if (left.bytes == 0) return {};
  return {.text = {},
          .diagnostics = located({{Severity::warning,
                                   "FM057",
                                   {.byte_offset = left.first},
                                   counted(left.bytes, "byte is", "bytes are") + " not code of " + program.machine +
                                       ", from here on; they are shown as data",
                                   "is the code of this machine, and does it begin here? mobula explain shows a word"}},
                                 program.file),
          .status = Exit::negative};
}

FileResult disassemble(const DisasmOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file, Accept::bare_code);
  const Machine& machine = machine_of(program);
  expect_policies(machine, options);
  const bool several = options.input.files.size() > 1;
  DisassembleOptions how{.syntax = options.input.syntax,
                         .bytes = options.bytes,
                         .words = options.output.json || options.explain,
                         .policies = parse_policies(options.policies),
                         .directive = true};
  // One listing is written as it is made; several come in the order of their files.
  std::optional<Output> output;
  if (!several && !how.words)
    how.write = [&](std::string_view lines) {
      if (!output) output.emplace(options.output.file);
      output->write(listing_for(options.output.file, std::string(lines)));
    };
  const Listing listing = value_or_stop(machine.disassemble(program, how), file, Exit::usage);
  if (output) output->commit();
  if (!options.svg.empty()) write_output(options.svg, drawing(program));
  FileResult result = judged(program, listing.undecoded);
  if (options.output.json) {
    result.text = envelope("disasm", &program, to_json(program, listing));
    return result;
  }
  std::string text = several ? "; " + shown(file) + '\n' : "";
  text += options.explain ? annotate(listing, machine.explain(program)) : listing.text;
  result.text = listing_for(options.output.file, std::move(text));
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
