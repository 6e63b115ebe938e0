// Questions about the scoreboard: a workload on a core, clock by clock.
#include <algorithm>

#include "laboratory.h"
#include "mobula/scoreboard/sweep.h"

namespace mobula::web {
namespace {

namespace sb = scoreboard;

constexpr std::uint64_t most_clocks = 100'000, clocks_at_once = 2000;

Answer ask_presets(const Json&, Bytes) {
  Json rows = Json::array();
  for (const sb::Preset& each : sb::presets()) {
    const auto config = sb::find_preset(each.name);
    rows.push_back({{"name", each.name}, {"summary", config ? config->summary : std::string()}, {"json", each.json}});
  }
  return done({{"presets", std::move(rows)}});
}

/// Lines with operations, of a text that is a workload: neither empty nor a register's value.
std::vector<std::uint32_t> lines_of_operations(std::string_view text) {
  std::vector<std::uint32_t> lines;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view content = whole.substr(0, whole.find('#'));
    const std::size_t begin = content.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && !content.substr(begin).starts_with("reg ")) lines.push_back(number);
  }
  return lines;
}

Json operations(const sb::Workload& workload, std::string_view text) {
  const std::vector<std::uint32_t> lines = lines_of_operations(text);
  Json rows = Json::array();
  for (std::size_t index = 0; index < workload.operations.size(); ++index)
    rows.push_back({{"offset", index},
                    {"bytes", ""},
                    {"line", index < lines.size() ? lines[index] : 0},
                    {"text", sb::print(workload.operations[index])}});
  return rows;
}

/// A workload, as text or in its binary form, on a core: a preset, or a document of its own.
Answer ask_workload(const Json& request, Bytes bytes) {
  std::string text = given(request, "text");
  const std::string file = given(request, "file"), document = given(request, "inputs");
  const bool is_binary = sb::is_binary_workload(bytes);
  if (!is_binary && !bytes.empty()) text.assign(bytes.begin(), bytes.end());
  auto workload = is_binary ? sb::read_workload(file, bytes) : sb::parse_workload(file, text);
  if (!workload) return refuse(workload.error());
  if (is_binary) text = sb::print(*workload);
  auto config = document.empty() ? sb::find_preset(given(request, "preset")) : sb::parse_config("core", document);
  if (!config) return refuse(config.error());
  const sb::Config core = *config;
  auto session = sb::Debugger::create(*std::move(config), *workload);
  if (!session) return refuse(session.error());
  desk() = Desk();
  desk().is_workload = true;
  work().core = std::make_unique<sb::Debugger>(*std::move(session));
  return done({{"machine", "scoreboard:" + given(request, "preset")},
               {"stage", core.summary},
               {"words", operations(*workload, text)},
               {"diagnostics", Json::array()},
               {"uniforms", Json::array()},
               {"inputs", Json::array()},
               {"text", text},
               {"side", ""}});
}

/// The whole run: report, table, and what each operation does in each clock.
Answer ask_core_time(const Json&, Bytes) {
  Rows rows;
  const sb::Debugger& session = *work().core;
  const auto result =
      sb::run(session.config(), session.workload(), {.max_clocks = most_clocks, .observer = {}, .timeline = &rows});
  if (!result) return refuse(result.error());
  return done({{"report", sb::table(session.workload(), *result) + '\n' +
                              sb::report(session.config(), session.workload(), *result)},
               {"timeline", rows.take()}});
}

/// As "mobula scoreboard run" prints it: to compare the two.
Answer ask_core_text(const Json&, Bytes) {
  const sb::Debugger& session = *work().core;
  const auto result = sb::run(session.config(), session.workload(), {.max_clocks = most_clocks});
  if (!result) return refuse(result.error());
  return done({{"text", sb::report(session.config(), session.workload(), *result)},
               {"table", sb::table(session.workload(), *result)}});
}

void move_core(sb::Debugger& session, const std::string& move, const Json& request) {
  for (const auto& each : session.breakpoints()) session.remove(each.number);
  // The page gives indices of operations; stops are at their issue.
  if (request.contains("breakpoints"))
    for (const Json& each : request["breakpoints"])
      (void)session.add({.place = sb::Happening{sb::Moment::issue, each.get<std::uint32_t>()}});
  if (move == "step") session.step();
  if (move == "back") session.back();
  if (move == "go") session.go(clocks_at_once);
  if (move == "restart") session.back(session.clock());
}

/// "move": step, back, go, restart; then what is there.
Answer ask_clock(const Json& request, Bytes) {
  sb::Debugger& session = *work().core;
  std::vector<std::uint64_t> before;
  const auto values = session.registers();
  for (std::size_t which = 0; which < values.size(); ++which) before.push_back(session.value(which));
  move_core(session, given(request, "move"), request);
  Json happened = Json::array(), registers = Json::array(), units = Json::array();
  for (const sb::Happening& each : session.happened())
    happened.push_back({{"moment", name(each.moment)}, {"operation", each.operation}, {"text", session.text_of(each)}});
  for (std::size_t which = 0; which < values.size(); ++which) {
    const std::uint64_t value = session.value(which);
    if (value != 0 || before[which] != value)
      registers.push_back(register_row(session.name_of(which), std::to_string(value), before[which] != value));
  }
  std::string drawn, matrices, header, line;
  if (session.clock() != 0) {
    sb::MatrixDrawing drawing(session.config());
    drawing.on(session.view());
    drawn = drawing.svg();
    matrices = sb::matrices(session.config(), session.view());
    for (std::uint32_t unit = 0; unit < session.config().units(); ++unit)
      if (const std::uint32_t held = session.view().operation(unit); held != sb::no_operation)
        units.push_back({{"unit", unit}, {"operation", held}});
  }
  const std::uint32_t next = session.next();
  return done({{"clock", session.clock()},
               {"finished", session.finished()},
               {"cause", name(session.cause())},
               {"next", next == sb::no_operation ? Json(nullptr) : Json(next)},
               {"happened", std::move(happened)},
               {"waits", session.waits_in_plain_words()},
               {"units", std::move(units)},
               {"registers", std::move(registers)},
               {"svg", drawn},
               {"matrices", matrices}});
}

}  // namespace

std::span<const Question> workload_questions() {
  using Needs = Question::Needs;
  static constexpr Question all[] = {{"presets", ask_presets, Needs::nothing},
                                     {"workload", ask_workload, Needs::nothing},
                                     {"core_time", ask_core_time, Needs::core},
                                     {"core_text", ask_core_text, Needs::core},
                                     {"clock", ask_clock, Needs::core}};
  return all;
}

}  // namespace mobula::web
