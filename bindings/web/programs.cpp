// Questions about programs of all machines: what they are, what they do, how long that takes.
#include <algorithm>
#include <functional>
#include <map>

#include "desk.h"
#include "mobula/isa/explain.h"
#include "mobula/isa/manual.h"
#include "mobula/isa/program_diff.h"

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
  for (const Variable& each : list) rows.push_back({{"name", each.name}, {"type", each.type}});
  return rows;
}
std::string_view stage_name(Stage stage) {
  constexpr std::string_view names[] = {"unknown", "vertex", "fragment", "compute"};
  return names[static_cast<std::size_t>(stage)];
}

std::string full_name(const Program& program) {
  return program.variant.empty() ? program.machine : program.machine + ':' + program.variant;
}

/// Words, what the rules say, and what is known of the interface.
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
          {"stage", stage_name(program.interface.stage)},
          {"firmware", has_ability(program.machine, Ability::firmware)},
          {"words", std::move(words)},
          {"diagnostics", to_json(findings)},
          {"uniforms", variables(program.interface.uniforms)},
          {"inputs", variables(program.interface.inputs)}};
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

Answer ask_time(const Json& request, std::span<const std::uint8_t>) {
  SimulationRequest wanted;
  wanted.threads = request.value("threads", 0u);
  const auto timed = time_program(desk().program, wanted);
  if (!timed) return refuse(timed.error());
  Json json{{"report", report(*timed)}, {"timeline", nullptr}};
  if (timed->simulation) {
    Rows rows;
    wanted.timeline = &rows;
    wanted.threads = std::min(request.value("shown_threads", 8u), timed->simulation->threads);
    wanted.max_cycles = 2000;
    if (time_program(desk().program, wanted)) json["timeline"] = rows.take();
  }
  return done(std::move(json));
}

/// What each line of "source" costs, from which the program was compiled.
Answer ask_costs(const Json& request, Bytes) {
  if (find_timing_model(desk().program.machine) == nullptr) return done({{"lines", Json::array()}, {"text", ""}});
  const auto costs = line_costs(desk().program);
  if (!costs) return refuse(costs.error());
  Json lines = Json::array();
  for (const LineCost& each : *costs) {
    Json pipes = Json::array();
    for (const auto& [pipe, words] : each.by_pipe) pipes.push_back({{"name", pipe}, {"words", words}});
    lines.push_back({{"line", each.line},
                     {"words", each.words},
                     {"instructions", each.instructions},
                     {"pipes", std::move(pipes)}});
  }
  return done({{"lines", std::move(lines)}, {"text", line_cost_table(*costs, given(request, "source"))}});
}

Answer ask_run(const Json& request, std::span<const std::uint8_t>) {
  const auto inputs = inputs_of(request, desk().program);
  if (!inputs) return refuse(inputs.error());
  const auto lifted = machine().lift(desk().program, inputs->policies);
  if (!lifted) return refuse(lifted.error());
  RunOptions options;
  const ImageSize size{request.value("width", 0u), request.value("height", 0u)};
  if (size.width != 0) options.image = size;
  const auto result = run_program(desk().program, *lifted, *inputs, options);
  if (!result) return refuse(result.error());
  Json json{{"diagnostics", to_json(result->diagnostics)},
            {"ended", result->ended},
            {"discarded", result->discarded},
            {"faulted", result->faulted},
            {"width", size.width},
            {"height", size.height}};
  if (!result->image) json["outputs"] = to_json(*result, desk().program, *lifted);
  Answer answer = done(std::move(json));
  if (result->image) answer.bytes = to_rgba8(*result->image, ColourFormat::f32);
  return answer;
}

/// The fragments of one quad, or thread 0 alone.
constexpr std::uint32_t lanes_of_quad = 4;

Json registers() {
  const Debugger& session = *desk().session;
  const std::uint32_t lanes = std::min(session.threads(), lanes_of_quad);
  const auto written = session.slots_written();
  auto shown = session.slots_in_use();
  for (const ir::Slot* slot : written)
    if (std::ranges::count(shown, slot) == 0) shown.push_back(slot);  // became zero
  Json rows = Json::array();
  for (const ir::Slot* slot : shown) {
    Json row = register_row(slot->name, slot_text(*slot, session.read(*slot)), std::ranges::count(written, slot) != 0);
    for (std::uint32_t lane = 1; lane < lanes; ++lane)
      row["others"].push_back(slot_text(*slot, session.read(*slot, lane)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::unique_ptr<Debugger>> session_of(const Json& request) {
  auto inputs = inputs_of(request, desk().program);
  if (!inputs) return fail(std::move(inputs).error());
  if (request.value("quad", false)) {
    inputs->quads = true;
    inputs->threads = std::max(inputs->threads, lanes_of_quad);
  }
  auto lifted = machine().lift(desk().program, inputs->policies);
  if (!lifted) return fail(std::move(lifted).error());
  desk().session.reset();
  desk().lifted = *std::move(lifted);
  auto session = Debugger::create(desk().program, desk().lifted, *std::move(inputs));
  if (!session) return fail(std::move(session).error());
  return std::make_unique<Debugger>(*std::move(session));
}

/// "move": start, step, back, go (to a breakpoint or the end), restart.
Answer ask_debug(const Json& request, std::span<const std::uint8_t>) {
  const std::string move = given(request, "move");
  if (move == "start" || desk().session == nullptr) {
    auto session = session_of(request);
    if (!session) return refuse(session.error());
    desk().session = *std::move(session);
  }
  constexpr std::uint64_t most_words = 100000;
  Debugger& session = *desk().session;
  for (const Debugger::Breakpoint& each : session.breakpoints()) session.remove(each.number);
  if (request.contains("breakpoints"))
    for (const Json& each : request["breakpoints"]) session.break_at(each.get<std::uint64_t>());
  if (move == "step") session.step();
  if (move == "back") session.back();
  if (move == "go") session.go({}, most_words);
  if (move == "restart") session.restart();
  const auto address = session.address(session.lane());
  Json faults = Json::array();
  for (const LaneFault& fault : session.faults()) faults.push_back(fault.reason);
  Json places = Json::array();
  for (std::uint32_t lane = 0; lane < std::min(session.threads(), lanes_of_quad); ++lane) {
    const auto at = session.address(lane);
    places.push_back(at ? Json(*at) : Json(nullptr));
  }
  return done({{"address", address ? Json(*address) : Json(nullptr)},
               {"places", std::move(places)},
               {"executed", session.words_executed()},
               {"registers", registers()},
               {"faults", std::move(faults)}});
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

/// A program and its estimate, beside another: what differs where both are of one machine, else both listings.
Answer ask_compare(const Json& request, std::span<const std::uint8_t>) {
  std::vector<Program> both;
  Json sides = Json::array();
  for (const Json& each : request.value("programs", Json::array())) {
    auto program = program_of(each, {});
    if (!program) return refuse(program.error());
    const auto timed = time_program(*program);
    Json side = about(*program);
    side["report"] = timed ? report(*timed) : render(timed.error());
    sides.push_back(std::move(side));
    both.push_back(*std::move(program));
  }
  if (both.size() != 2) return refuse({{Severity::error, "", {}, "two programs are compared", ""}});
  Json json{{"sides", std::move(sides)}, {"lines", nullptr}};
  if (const auto found = diff(both[0], both[1])) {
    Json lines = Json::array();
    for (const ProgramDiffLine& line : found->lines)
      lines.push_back({{"kind", line.kind == ProgramDiffLine::Kind::same      ? "same"
                                : line.kind == ProgramDiffLine::Kind::removed ? "removed"
                                                                              : "added"},
                       {"offset", line.byte_offset},
                       {"text", line.text}});
    json["lines"] = std::move(lines);
  }
  return done(std::move(json));
}

/// What the command prints of the program: to compare the two.
Answer ask_text(const Json& request, std::span<const std::uint8_t>) {
  const std::string form = given(request, "form");
  std::string text;
  if (form == "disasm") {
    const auto listing = machine().disassemble(desk().program, {.directive = true});
    if (!listing) return refuse(listing.error());
    text = listing->text;
  } else if (form == "check") {
    Diagnostics findings = machine().check(desk().program);
    std::ranges::stable_sort(findings, std::ranges::greater(), &Diagnostic::severity);
    return done({{"diagnostics", to_json(findings)}});
  } else if (form == "explain") {
    machine().explain_each(desk().program, [&](const ExplainedWord& word) {
      if (!text.empty()) text += '\n';
      text += report(word);
    });
  } else if (form == "ir") {
    const auto lifted = machine().lift(desk().program, {});
    if (!lifted) return refuse(lifted.error());
    text = ir::print(*lifted);
  } else if (form == "time") {
    const auto timed = time_program(desk().program);
    if (!timed) return refuse(timed.error());
    text = report(*timed);
  } else if (form == "run") {
    const auto inputs = inputs_of(request, desk().program);
    if (!inputs) return refuse(inputs.error());
    const auto lifted = machine().lift(desk().program, inputs->policies);
    if (!lifted) return refuse(lifted.error());
    const auto result = run_program(desk().program, *lifted, *inputs, {});
    if (!result) return refuse(result.error());
    text = to_json(*result, desk().program, *lifted);
  }
  return done({{"text", std::move(text)}});
}

}  // namespace

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

Result<RunInputs> inputs_of(const Json& request, const Program& program) {
  const std::string text = given(request, "inputs");
  if (text.empty()) return RunInputs();
  return read_run_inputs({"inputs", text}, program.interface);
}

std::span<const Question> program_questions() {
  using Needs = Question::Needs;
  static constexpr Question all[] = {
      {"machines", ask_machines, Needs::nothing},
      {"open", ask_open, Needs::nothing},
      {"assemble", ask_assemble, Needs::nothing},
      {"compare", ask_compare, Needs::nothing},
      {"manual", ask_manual, Needs::nothing},
      {"explain", ask_explain},
      {"time", ask_time},
      {"costs", ask_costs},
      {"run", ask_run},
      {"debug", ask_debug},
      {"text", ask_text},
  };
  return all;
}

}  // namespace mobula::web
