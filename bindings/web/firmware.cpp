// Questions about firmware of command processors while it processes a command stream.
#include <fmt/format.h>

#include "laboratory.h"
#include "mobula/isa/pm4_file.h"
#include "mobula/lab/firmware_debugger.h"
#include "mobula/lab/firmware_report.h"

namespace mobula::web {
namespace {

Result<std::vector<std::vector<firmware::StreamInput>>> rounds_of(const std::string& text) {
  std::vector<std::vector<firmware::StreamInput>> rounds;
  if (text.empty()) return rounds;
  auto stream = pm4::read_stream({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "stream",
                                 desk().program.variant, ContainerFormat::text);
  if (!stream) return fail(std::move(stream).error());
  rounds.push_back({{.core = 0, .file = "stream", .stream = *std::move(stream)}});
  return rounds;
}

/// Less than the command allows: somebody waits for the answer.
firmware::EmulatorOptions limited() {
  firmware::EmulatorOptions options;
  options.packet_instructions = 1u << 18;
  options.instructions = 1u << 22;
  return options;
}

/// What became of the stream in "inputs": packets, with what the firmware did for each, in order.
Answer ask_stream(const Json& request, Bytes) {
  auto rounds = rounds_of(given(request, "inputs"));
  if (!rounds) return refuse(rounds.error());
  firmware::RunOptions options;
  options.emulator = limited();
  const auto run = firmware::run({&desk().program, 1}, {.memory = {}, .rounds = *std::move(rounds)}, options);
  if (!run) return refuse(run.error());
  Json events = Json::array(), cores = Json::array();
  std::string text;
  for (const firmware::Round& round : run->rounds) {
    for (const firmware::Event& event : round.report.events)
      events.push_back({{"kind", name(event.kind)}, {"level", event.level}, {"text", report(*run->emulator, event)}});
    text += report(*run->emulator, round);
  }
  for (const firmware::CoreReport& core : run->emulator->cores()) cores.push_back(report(core));
  return done({{"diagnostics", to_json(run->diagnostics)},
               {"events", std::move(events)},
               {"cores", std::move(cores)},
               {"text", text}});
}

Result<std::unique_ptr<firmware::Debugger>> session_of(const Json& request) {
  auto rounds = rounds_of(given(request, "inputs"));
  if (!rounds) return fail(std::move(rounds).error());
  auto session = firmware::Debugger::create({desk().program}, {}, *std::move(rounds), {});
  if (!session) return fail(std::move(session).error());
  return std::make_unique<firmware::Debugger>(*std::move(session));
}

/// Where word 0 of the current core's program is in the file.
Result<std::uint64_t> first_word_offset(const firmware::Debugger& session) {
  const auto info = firmware::info(desk().program);
  if (!info) return fail(info.error());
  const std::uint64_t before = info->bytes / 4 - info->words;  // words in front of the image
  return 4 * (before + session.emulator().cores()[session.core].first_word);
}

/// One instruction back. The one before it is executed anew, so that its events and changes are there again.
Result<void> go_back(firmware::Debugger& session, std::vector<std::uint32_t>& before) {
  const auto halt = session.back(2);
  if (!halt) return fail(halt.error());
  before = session.emulator().registers(session.core);
  if (*halt == firmware::Debugger::Halt::stepped) session.step(1);
  return {};
}

/// The same instruction by instruction; "move" as for other programs. A breakpoint is the offset of a word.
Answer ask_firmware_debug(const Json& request, Bytes) {
  const std::string move = given(request, "move");
  std::unique_ptr<firmware::Debugger>& kept = work().firmware;
  if (move == "start" || kept == nullptr) {
    auto made = session_of(request);
    if (!made) return refuse(made.error());
    kept = *std::move(made);
  }
  constexpr std::uint64_t most_instructions = 100000;
  firmware::Debugger& session = *kept;
  const auto first = first_word_offset(session);
  if (!first) return refuse(first.error());
  for (const auto& each : session.breakpoints()) session.remove(each.number);
  if (request.contains("breakpoints"))
    for (const Json& each : request["breakpoints"])
      (void)session.add({.place = firmware::Debugger::Point{
                             session.core, static_cast<std::uint32_t>((each.get<std::uint64_t>() - *first) / 4)}});
  std::vector<std::uint32_t> before = session.emulator().registers(session.core);
  Result<void> moved;
  if (move == "step") session.step(1);
  if (move == "go") session.go({}, most_instructions);
  if (move == "restart") moved = session.restart();
  if (move == "back") moved = go_back(session, before);
  if (!moved) return refuse(moved.error());
  const std::vector<std::uint32_t> after = session.emulator().registers(session.core);
  Json registers = Json::array(), events = Json::array();
  for (std::size_t number = 0; number < after.size(); ++number) {
    const bool is_changed = before[number] != after[number];
    if (after[number] == 0 && !is_changed) continue;
    const std::string meaning = session.emulator().meaning(session.core, number, after[number], {});
    registers.push_back(register_row(session.emulator().register_names()[number],
                                     fmt::format("{:#x}", after[number]) + (meaning.empty() ? "" : " " + meaning),
                                     is_changed));
  }
  for (const firmware::Event& event : session.events()) events.push_back(report(session.emulator(), event));
  const firmware::Debugger::Point next = session.next(session.core);
  const firmware::Place* place = session.place(next);
  return done({{"address", session.ended() ? Json(nullptr) : Json(*first + next.word * std::uint64_t{4})},
               {"where", place == nullptr ? std::string() : place->where},
               {"executed", session.instructions()},
               {"since_start", session.emulator().cores()[session.core].instructions},
               {"registers", std::move(registers)},
               {"events", std::move(events)},
               {"faults", Json::array()}});
}

}  // namespace

Answer time_stream(const Json& request) {
  auto rounds = rounds_of(given(request, "inputs"));
  if (!rounds) return refuse(rounds.error());
  Rows rows;
  auto fed = firmware::time_streams({&desk().program, 1}, {.memory = {}, .rounds = *std::move(rounds)}, limited(),
                                    &rows, shown_cycles);
  if (!fed) return refuse(fed.error());
  SimulationRequest wanted;
  wanted.paths = &fed->paths.front();
  const auto timed = time_program(desk().program, wanted);
  if (!timed) return refuse(timed.error());
  const bool several = fed->joint.cores().size() > 1;
  return done({{"executed", true},
               {"diagnostics", to_json(fed->diagnostics)},
               {"report", report(*timed) + (several ? firmware::report(fed->joint) : std::string())},
               {"timeline", rows.take()}});
}

std::span<const Question> firmware_questions() {
  static constexpr Question all[] = {{"stream", ask_stream}, {"firmware_debug", ask_firmware_debug}};
  return all;
}

}  // namespace mobula::web
