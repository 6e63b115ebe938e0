// Questions about programs of all machines: what they do, how long that takes.
#include <algorithm>
#include <functional>

#include "laboratory.h"
#include "mobula/isa/explain.h"
#include "mobula/isa/program_diff.h"
#include "mobula/lab/line_costs.h"

namespace mobula::web {
namespace {

/// Of all threads whose time is told: somebody waits for the answer.
constexpr std::uint64_t most_timed_steps = 1u << 24;

/// What the threads of a run execute: as many as "threads" says, else as its inputs give. A single one stands for as
/// many as fit on a core.
Result<ExecutedPaths> executed_by(const Json& request, const Program& program, std::uint32_t fitting) {
  auto inputs = inputs_of(request, program);
  if (!inputs) return fail(std::move(inputs).error());
  const auto asked = request.value("threads", 0u);
  if (!is_dispatch(program.interface.stage, *inputs) && (asked != 0 || inputs->threads == 1))
    inputs->threads = asked != 0 ? asked : fitting;
  inputs->limits.steps = std::min(inputs->limits.steps, most_timed_steps / std::max(inputs->threads, 1u));
  const auto lifted = find_machine(program.machine)->lift(program, inputs->policies);
  if (!lifted) return fail(lifted.error());
  return executed_paths(program, *lifted, *inputs);
}

/// How long a program takes.
struct Timed {
  ProgramTiming timing;
  std::optional<ExecutedPaths> executed;  ///< whose time it is; without them that of the shortest path
  Diagnostics diagnostics;                ///< of the run, or why there was none
};

/// Of the paths that a run with "inputs" takes, where there are any.
Result<Timed> timed_by(const Json& request, const Program& program) {
  SimulationRequest wanted;
  wanted.threads = request.value("threads", 0u);
  auto shortest = time_program(program, wanted);
  if (!shortest) return fail(std::move(shortest).error());
  if (given(request, "inputs").empty()) return Timed{*std::move(shortest), {}, {}};
  auto executed = executed_by(request, program, shortest->simulation ? shortest->simulation->threads : 1);
  if (!executed) return Timed{*std::move(shortest), {}, std::move(executed).error()};
  wanted.paths = &executed->paths;
  auto taken = time_program(program, wanted);
  if (!taken) return fail(std::move(taken).error());
  Diagnostics diagnostics = executed->result.diagnostics;
  return Timed{*std::move(taken), *std::move(executed), std::move(diagnostics)};
}

Json answer_of(const Timed& timed) {
  return {{"executed", timed.executed.has_value()},
          {"diagnostics", to_json(timed.diagnostics)},
          {"report", report(timed.timing)}};
}

/// Those of the first threads alone.
ThreadPaths first_of(const ThreadPaths& all, std::uint32_t count) {
  ThreadPaths first;
  for (std::uint32_t thread = 0; thread < std::min(count, all.threads()); ++thread)
    for (const std::uint64_t address : all.addresses(all.path_id(thread))) first.step({&thread, 1}, address);
  return first;
}

/// The report of "mobula time", with "inputs" that of "mobula time --inputs", and what the first threads do.
Answer ask_time(const Json& request, Bytes) {
  if (machine().firmware_views() != nullptr && !given(request, "inputs").empty()) return time_stream(request);
  const auto timed = timed_by(request, desk().program);
  if (!timed) return refuse(timed.error());
  Json json = answer_of(*timed);
  json["timeline"] = nullptr;
  if (const auto& simulation = timed->timing.simulation) {
    const auto shown_threads = request.value("shown_threads", 8u);
    SimulationRequest wanted;
    std::optional<ThreadPaths> first;
    if (timed->executed) wanted.paths = &first.emplace(first_of(timed->executed->paths, shown_threads));
    Rows rows;
    wanted.timeline = &rows;
    wanted.threads = std::min(shown_threads, simulation->threads);
    wanted.max_cycles = shown_cycles;
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
    lines.push_back(
        {{"line", each.line}, {"words", each.words}, {"instructions", each.instructions}, {"pipes", std::move(pipes)}});
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
  options.kept_colours = PictureColours::bytes;
  options.progress = show_progress;
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
  const Debugger& session = *work().session;
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
  work().session.reset();
  work().lifted = *std::move(lifted);
  auto session = Debugger::create(desk().program, work().lifted, *std::move(inputs));
  if (!session) return fail(std::move(session).error());
  return std::make_unique<Debugger>(*std::move(session));
}

/// "move": start, step, back, go (to a breakpoint or the end), restart.
Answer ask_debug(const Json& request, std::span<const std::uint8_t>) {
  const std::string move = given(request, "move");
  if (move == "start" || work().session == nullptr) {
    auto session = session_of(request);
    if (!session) return refuse(session.error());
    work().session = *std::move(session);
  }
  constexpr std::uint64_t most_words = 100000;
  Debugger& session = *work().session;
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

/// A program and how long it takes, of the shortest path and with its inputs, beside another: what differs where both
/// are of one machine, else both listings.
Answer ask_compare(const Json& request, std::span<const std::uint8_t>) {
  std::vector<Program> both;
  Json sides = Json::array();
  for (const Json& each : request.value("programs", Json::array())) {
    auto program = program_of(each, {});
    if (!program) return refuse(program.error());
    const auto timed = time_program(*program);
    Json side = about(*program);
    side["report"] = timed ? report(*timed) : render(timed.error());
    if (!given(each, "inputs").empty() && find_machine(program->machine)->firmware_views() == nullptr)
      if (const auto run = timed_by(each, *program)) side["with_inputs"] = answer_of(*run);
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

Result<RunInputs> inputs_of(const Json& request, const Program& program) {
  const std::string text = given(request, "inputs");
  if (text.empty()) return RunInputs();
  return read_run_inputs(
      {"inputs", text}, program.interface, [](const std::string& name) -> Result<std::vector<std::uint8_t>> {
        if (const auto* const bytes = find_file(name)) return *bytes;
        return fail("MOB007", "cannot read " + name + ": the page has no such file", "drop it onto the page");
      });
}

std::span<const Question> run_questions() {
  using Needs = Question::Needs;
  static constexpr Question all[] = {
      {"compare", ask_compare, Needs::nothing},
      {"time", ask_time},
      {"costs", ask_costs},
      {"run", ask_run},
      {"debug", ask_debug},
      {"text", ask_text},
  };
  return all;
}

}  // namespace mobula::web
