// Questions about programs of all machines: what they are.
#include <algorithm>

#include "desk.h"
#include "mobula/isa/explain.h"
#include "mobula/isa/manual.h"

namespace mobula::web {
namespace {

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) text.append({digits[byte >> 4], digits[byte & 15]});
  return text;
}

Json variables(const std::vector<Variable>& list) {
  Json rows = Json::array();
  for (const Variable& each : list)
    rows.push_back({{"name", each.name}, {"type", each.type}, {"initial", each.initial}});
  return rows;
}

std::string full_name(const Program& program) {
  return program.variant.empty() ? program.machine : program.machine + ':' + program.variant;
}

Result<LoadOptions> load_options(const Json& request) {
  LoadOptions options{.machine = given(request, "machine")};
  const std::string side = given(request, "side");
  if (side.empty()) return options;
  auto read = read_side_file({"side file", side});
  if (!read) return fail(std::move(read).error());
  options.side = *std::move(read);
  return options;
}

Answer ask_machines(const Json&, std::span<const std::uint8_t>) {
  Json rows = Json::array();
  for (const Machine* each : machines()) {
    Json variants = Json::array();
    for (const Variant& variant : each->variants()) variants.push_back(variant.name);
    rows.push_back({{"name", each->name()},
                    {"summary", each->summary()},
                    {"extension", each->extension()},
                    {"variants", std::move(variants)}});
  }
  return done({{"machines", std::move(rows)}});
}

/// Any file, as text that assembles, and its side file.
Answer ask_open(const Json& request, std::span<const std::uint8_t> bytes) {
  const bool is_text = detect_format(bytes, given(request, "file")) == ContainerFormat::text;
  auto program = program_of(request, bytes);
  if (!program) return refuse(program.error());
  auto listing = find_machine(program->machine)->disassemble(*program, {.directive = true});
  if (!listing) return refuse(listing.error());
  std::string text = is_text ? std::string(bytes.begin(), bytes.end()) : std::move(listing->text);
  put_on_desk(*std::move(program));
  Json json = about(desk().program);
  json["text"] = std::move(text);
  json["side"] = write_side_file(desk().program);
  return done(std::move(json));
}

Answer ask_assemble(const Json& request, std::span<const std::uint8_t>) {
  auto program = program_of(request, {});
  if (!program) return refuse(program.error());
  put_on_desk(*std::move(program));
  return done(about(desk().program));
}

/// The word at an offset, alone: fields and their picture.
Answer ask_explain(const Json& request, std::span<const std::uint8_t>) {
  const auto offset = request.value("offset", std::uint64_t{0});
  Json fields = Json::array();
  std::string drawn;
  machine().explain_each(desk().program, [&](const ExplainedWord& word) {
    if (word.byte_offset != offset || word.byte_length == 0 || !drawn.empty()) return;
    for (const ExplainedField& field : word.fields)
      fields.push_back({{"format", field.format},
                        {"name", field.name},
                        {"low", field.low},
                        {"width", field.width},
                        {"value", std::to_string(field.value)},
                        {"meaning", field.meaning},
                        {"status", name(field.status)},
                        {"source", field.source}});
    Program alone = desk().program;
    alone.code.assign(desk().program.code.begin() + static_cast<std::ptrdiff_t>(offset),
                      desk().program.code.begin() + static_cast<std::ptrdiff_t>(offset + word.byte_length));
    drawn = svg({&word, 1}, machine().pictures(alone));
  });
  return done({{"fields", std::move(fields)}, {"svg", std::move(drawn)}});
}

Answer ask_manual(const Json& request, std::span<const std::uint8_t>) {
  const auto choice = parse_machine(given(request, "machine"));
  if (!choice) return refuse(choice.error());
  Json rows = Json::array();
  for (const ManualEntry& entry : choice->machine->manual().entries)
    rows.push_back({{"name", entry.mnemonic},
                    {"title", entry.title},
                    {"body", entry.body},
                    {"status", name(entry.status)},
                    {"source", entry.source}});
  return done({{"entries", std::move(rows)}});
}

}  // namespace

Json about(const Program& program) {
  const Machine& kind = *find_machine(program.machine);
  Json words = Json::array();
  const auto listing = kind.disassemble(program, {.words = true});
  for (const Listing::Word& word : listing->words) {
    const auto line = std::ranges::find(program.lines, word.byte_offset, &SourceLine::byte_offset);
    const std::size_t begin = text_after_labels(listing->text, word);
    words.push_back({{"offset", word.byte_offset},
                     {"bytes", hexadecimal(std::span(program.code).subspan(word.byte_offset, word.byte_length))},
                     {"line", line == program.lines.end() ? 0 : line->line},
                     {"text", one_line(std::string_view(listing->text).substr(begin, word.text_end - begin))}});
  }
  Diagnostics findings = kind.check(program);
  findings.insert(findings.begin(), program.remarks.begin(), program.remarks.end());
  return {{"machine", full_name(program)},
          {"stage", name(program.interface.stage)},
          {"firmware", kind.firmware_views() != nullptr},
          {"words", std::move(words)},
          {"diagnostics", to_json(findings)},
          {"uniforms", variables(program.interface.uniforms)},
          {"inputs", variables(program.interface.inputs)}};
}

Result<Program> program_of(const Json& request, Bytes bytes) {
  auto options = load_options(request);
  if (!options) return fail(std::move(options).error());
  const std::string text = given(request, "text");
  if (!text.empty()) {
    options->format = ContainerFormat::text;
    bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  return load_program(bytes, given(request, "file"), *std::move(options));
}

std::span<const Question> program_questions() {
  using Needs = Question::Needs;
  static constexpr Question all[] = {
      {"machines", ask_machines, Needs::nothing},
      {"open", ask_open, Needs::nothing},
      {"assemble", ask_assemble, Needs::nothing},
      {"manual", ask_manual, Needs::nothing},
      {"explain", ask_explain},
  };
  return all;
}

}  // namespace mobula::web
