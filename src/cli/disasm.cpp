#include <algorithm>
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
#include "io/in_order.h"

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

/// The text as JSON. Most texts of words need the simplest escapes alone.
void append_json(std::string& to, std::string_view text) {
  const auto is_plain = [](char letter) { return (letter >= ' ' && letter <= '~') || letter == '\n'; };
  if (!std::ranges::all_of(text, is_plain)) {
    to += json_text(text);
    return;
  }
  to += '"';
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') to += '\\';
    if (letter == '\n')
      to += "\\n";
    else
      to += letter;
  }
  to += '"';
}

/// What becomes of a listing, piece by piece.
class Listed {
 public:
  Listed(const DisasmOptions& options, const Program& program, ListingPieces pieces, ResultInPieces& result)
      : options_(options), program_(program), pieces_(std::move(pieces)), result_(result) {}

  /// The text.
  void write_text() {
    pass_on([](Listing& listing) { return std::move(listing.text); });
  }

  /// A row for each word.
  void write_json() {
    const auto [before, after] = around_rows(envelope("disasm", &program_, {{"words", Json::array()}}), "words");
    result_.write(before);
    pass_on([this](const Listing& listing) { return rows(listing); }, ",");
    result_.write(after);
  }

  /// The text with comments after each word; what is explained are the words of the listing.
  void annotate() {
    Listing listing;
    std::size_t copied = 0, next = 0;
    const auto has_more = [&] {
      result_.write(std::string_view(listing.text).substr(copied));
      copied = next = 0;
      const ListingPiece piece = pieces_();
      listing = piece ? piece() : Listing{};
      undecoded_.add(listing.undecoded);
      return piece != nullptr;
    };
    machine_of(program_).explain_each(program_, [&](const ExplainedWord& word) {
      while (next == listing.words.size())
        if (!has_more()) return;
      const std::size_t end = listing.words[next++].text_end;
      result_.write(listing.text.substr(copied, end - copied) + field_comments(word));
      copied = end;
    });
    while (has_more()) {
    }
  }

  /// Known when all is written.
  [[nodiscard]] const Undecoded& undecoded() const { return undecoded_; }

 private:
  /// What is made of the pieces; `between` goes between those that are not empty.
  template <class Make>
  void pass_on(Make make, std::string_view between = {}) {
    bool first = true;
    const auto next = [&]() -> std::function<std::pair<std::string, Undecoded>()> {
      ListingPiece piece = pieces_();
      if (!piece) return {};
      return [make, piece = std::move(piece)] {
        Listing listing = piece();
        std::string made = make(listing);
        return std::pair(std::move(made), std::move(listing.undecoded));
      };
    };
    io::for_each_in_order(cores_for(program_, options_.input), next, [&](std::pair<std::string, Undecoded> made) {
      undecoded_.add(made.second);
      if (made.first.empty()) return;
      if (!std::exchange(first, false)) result_.write(between);
      result_.write(std::move(made.first));
    });
  }

  [[nodiscard]] std::string rows(const Listing& listing) const {
    std::string all;
    all.reserve(listing.text.size() + 100 * listing.words.size());
    for (const Listing::Word& word : listing.words) {
      all += all.empty() ? R"({"offset":")" : R"(,{"offset":")";
      all += hex(word.byte_offset);
      all += R"(","bytes":")";
      all += hex(std::span(program_.code).subspan(word.byte_offset, word.byte_length));
      all += R"(","text":)";
      append_json(all, std::string_view(listing.text).substr(word.text_begin, word.text_end - word.text_begin));
      all += '}';
    }
    return all;
  }

  const DisasmOptions& options_;
  const Program& program_;
  ListingPieces pieces_;
  ResultInPieces& result_;
  Undecoded undecoded_;
};

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
  if (options.input.files.size() > 1 && !options.output.json) pieces.write("; " + shown(file) + '\n');
  const DisassembleOptions how{.syntax = options.input.syntax,
                               .bytes = options.bytes,
                               .words = options.output.json || options.explain,
                               .policies = parse_policies(options.policies),
                               .directive = true};
  Listed listed(options, program, value_or_stop(machine.disassemble_in_pieces(program, how), file, Exit::usage),
                pieces);
  if (options.output.json)
    listed.write_json();
  else if (options.explain)
    listed.annotate();
  else
    listed.write_text();
  pieces.finish();
  if (!options.svg.empty()) write_output(options.svg, drawing(program));
  // What is no word is in the listing, as data.
  result.diagnostics = told(program, listed.undecoded());
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
