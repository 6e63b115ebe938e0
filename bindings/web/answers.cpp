#include "answers.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "mobula/isa/explain.h"
#include "mobula/isa/manual.h"
#include "mobula/mobula.h"

namespace mobula::web {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json to_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& each : diagnostics) {
    Json row{{"severity", name(each.severity)},
             {"code", each.code},
             {"line", each.where.line},
             {"column", each.where.column},
             {"length", each.where.length},
             {"message", each.message},
             {"hint", each.hint}};
    if (each.where.byte_offset) row["offset"] = *each.where.byte_offset;
    list.push_back(std::move(row));
  }
  return list;
}
Answer refuse(const Diagnostics& diagnostics) {
  return {text_of({{"ok", false}, {"diagnostics", to_json(diagnostics)}, {"text", render(diagnostics)}}), {}};
}
Answer done(Json json) {
  json["ok"] = true;
  return {text_of(json), {}};
}

/// What the last "open" or "assemble" gave.
struct Desk {
  Program program;
  ir::Program lifted;  ///< of it, while it is being debugged
  std::unique_ptr<Debugger> session;
};
Desk& desk() {
  static Desk the_desk;
  return the_desk;
}
const Machine& machine() { return *find_machine(desk().program.machine); }

void put_on_desk(Program program) {
  desk().session.reset();
  desk().program = std::move(program);
}

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
          {"words", std::move(words)},
          {"diagnostics", to_json(findings)},
          {"uniforms", variables(program.interface.uniforms)},
          {"inputs", variables(program.interface.inputs)}};
}

std::string given(const Json& request, const char* member) { return request.value(member, std::string()); }

Result<LoadOptions> load_options(const Json& request) {
  LoadOptions options{.machine = given(request, "machine")};
  const std::string side = given(request, "side");
  if (side.empty()) return options;
  auto read = read_side_file({"side file", side});
  if (!read) return fail(std::move(read).error());
  options.side = *std::move(read);
  return options;
}

// ---- the questions

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
  auto options = load_options(request);
  if (!options) return refuse(options.error());
  const std::string file = given(request, "file");
  const bool is_text = detect_format(bytes, file) == ContainerFormat::text;
  auto program = load_program(bytes, file, *std::move(options));
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
  auto options = load_options(request);
  if (!options) return refuse(options.error());
  options->format = ContainerFormat::text;
  const std::string text = given(request, "text");
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  auto program = load_program(bytes, given(request, "file"), *std::move(options));
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

/// What each thread does in each cycle, in rows: one for each execution.
class Rows final : public TimelineSink {
 public:
  void begin(const TimelineInfo& info) override { info_ = &info; }
  void on(const TimelineEvent& event) override {
    if (event.kind == EventKind::dependency) return;
    Json& row = rows_[event.execution];
    if (row.is_null())
      row = {{"thread", event.thread},
             {"word", info_->words[event.word].address},
             {"parts", Json::array()},
             {"end", event.cycle}};
    row["end"] = event.cycle;
    if (event.kind == EventKind::stall_begin || event.kind == EventKind::execute_begin) {
      const bool waits = event.kind == EventKind::stall_begin;
      const std::string_view unit = event.unit == no_index ? std::string_view() : info_->units[event.unit];
      row["parts"].push_back({{"from", event.cycle},
                              {"to", nullptr},
                              {"what", waits ? info(event.reason).name : unit},
                              {"waits", waits},
                              {"sentence", waits ? info(event.reason).sentence : std::string_view()}});
    } else if (event.kind == EventKind::stall_end || event.kind == EventKind::execute_end) {
      const bool waits = event.kind == EventKind::stall_end;
      for (Json& part : row["parts"])
        if (part["to"].is_null() && part["waits"] == waits) part["to"] = event.cycle;
    }
  }
  void end(std::uint64_t cycles) override { cycles_ = cycles; }
  Json take() {
    Json list = Json::array();
    for (auto& [execution, row] : rows_) list.push_back(std::move(row));
    return {{"cycles", cycles_}, {"rows", std::move(list)}};
  }

 private:
  const TimelineInfo* info_ = nullptr;
  std::uint64_t cycles_ = 0;
  std::map<std::uint64_t, Json> rows_;
};

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

Result<RunInputs> inputs_of(const Json& request) {
  const std::string text = given(request, "inputs");
  if (text.empty()) return RunInputs();
  return read_run_inputs({"inputs", text}, desk().program.interface);
}

Answer ask_run(const Json& request, std::span<const std::uint8_t>) {
  const auto inputs = inputs_of(request);
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

Json registers() {
  const Debugger& session = *desk().session;
  const auto written = session.slots_written();
  Json rows = Json::array();
  const auto add = [&](const ir::Slot* slot, bool is_changed) {
    rows.push_back({{"name", slot->name}, {"value", slot_text(*slot, session.read(*slot))}, {"changed", is_changed}});
  };
  for (const ir::Slot* slot : session.slots_in_use()) add(slot, std::ranges::count(written, slot) != 0);
  for (const ir::Slot* slot : written)
    if (std::ranges::count(session.slots_in_use(), slot) == 0) add(slot, true);  // became zero
  return rows;
}

/// "move": start, step, back, go (to a breakpoint or the end), restart.
Answer ask_debug(const Json& request, std::span<const std::uint8_t>) {
  const std::string move = given(request, "move");
  if (move == "start" || desk().session == nullptr) {
    auto inputs = inputs_of(request);
    if (!inputs) return refuse(inputs.error());
    auto lifted = machine().lift(desk().program, inputs->policies);
    if (!lifted) return refuse(lifted.error());
    desk().session.reset();
    desk().lifted = *std::move(lifted);
    auto session = Debugger::create(desk().program, desk().lifted, *std::move(inputs));
    if (!session) return refuse(session.error());
    desk().session = std::make_unique<Debugger>(*std::move(session));
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
  return done({{"address", address ? Json(*address) : Json(nullptr)},
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

/// What the command prints of the program: to compare the two.
Answer ask_text(const Json& request, std::span<const std::uint8_t>) {
  const std::string form = given(request, "form");
  std::string text;
  if (form == "disasm") {
    const auto listing = machine().disassemble(desk().program, {.directive = true});
    if (!listing) return refuse(listing.error());
    text = listing->text;
  } else if (form == "check") {
    text = render(machine().check(desk().program));
  } else if (form == "ir") {
    const auto lifted = machine().lift(desk().program, {});
    if (!lifted) return refuse(lifted.error());
    text = ir::print(*lifted);
  } else if (form == "time") {
    const auto timed = time_program(desk().program);
    if (!timed) return refuse(timed.error());
    text = report(*timed);
  }
  return done({{"text", std::move(text)}});
}

using Ask = Answer (*)(const Json&, std::span<const std::uint8_t>);
constexpr std::pair<std::string_view, Ask> questions[] = {
    {"machines", ask_machines}, {"open", ask_open},     {"assemble", ask_assemble},
    {"explain", ask_explain},   {"time", ask_time},     {"run", ask_run},
    {"debug", ask_debug},       {"manual", ask_manual}, {"text", ask_text},
};

}  // namespace

Answer answer(std::string_view request, std::span<const std::uint8_t> bytes) {
  const Json asked = Json::parse(request, nullptr, false);
  const std::string wanted = asked.is_object() ? given(asked, "ask") : std::string();
  const bool needs_program = wanted != "machines" && wanted != "open" && wanted != "assemble" && wanted != "manual";
  for (const auto& [known, ask] : questions)
    if (known == wanted && (!needs_program || !desk().program.machine.empty())) return ask(asked, bytes);
  return refuse({{Severity::error, "", {}, "the page asked for what there is not: " + wanted, ""}});
}

}  // namespace mobula::web
