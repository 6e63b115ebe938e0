// Answers about a workload on the scoreboard core: the core is the thread, its frame the clock, a step is a clock.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "mobula/lab/expression.h"
#include "servers/dap/memory.h"
#include "servers/dap/scoreboard.h"
#include "servers/dap/set_breakpoints.h"

namespace mobula::servers::dap {
namespace {

namespace sb = scoreboard;
using CorePoint = sb::Debugger::Breakpoint;
using Kind = Container::Kind;

ScoreboardDebuggee& core_of(Server& server) { return static_cast<ScoreboardDebuggee&>(server.debuggee()); }
ScoreboardDebuggee& stopped_core(Server& server) { return static_cast<ScoreboardDebuggee&>(server.stopped_debuggee()); }
/// A Refusal where the client means another thread, or frame.
ScoreboardDebuggee& core_for(Server& server, const Arguments& arguments, std::string_view member = "threadId") {
  if (const std::int64_t id = arguments.integer(member); id != ScoreboardDebuggee::thread)
    throw Refusal{fmt::format("there is no thread with the id {}", id)};
  return stopped_core(server);
}

// ---- breakpoints

/// When the operation there is issued.
CorePoint issue_at(ScoreboardDebuggee& debuggee, std::uint64_t place) {
  if (place >= debuggee.debugger().workload().operations.size())
    throw Refusal{fmt::format("there is no operation at {}", reference_to(place))};
  return {.place = sb::Happening{sb::Moment::issue, static_cast<std::uint32_t>(place)}};
}

Json break_at_lines(Server& server, const Arguments& arguments) {
  ScoreboardDebuggee& debuggee = core_of(server);
  const bool is_ours = debuggee.is_source(arguments.object("source"));
  return set_all(server, debuggee, Group::lines, arguments,
                 [&](const Arguments& wanted) { return issue_at(debuggee, place_of_line(server, is_ours, wanted)); });
}

/// "write 17", as at the console.
Json break_at_happenings(Server& server, const Arguments& arguments) {
  ScoreboardDebuggee& debuggee = core_of(server);
  return set_all(server, debuggee, Group::functions, arguments, [&](const Arguments& wanted) -> CorePoint {
    return {.place = value_or_refusal(debuggee.debugger().happening(wanted.text("name")))};
  });
}

Json break_at_operations(Server& server, const Arguments& arguments) {
  ScoreboardDebuggee& debuggee = core_of(server);
  return set_all(server, debuggee, Group::instructions, arguments, [&](const Arguments& wanted) {
    return issue_at(debuggee, address_in(wanted.text("instructionReference")) +
                                  static_cast<std::uint64_t>(wanted.integer_or("offset", 0)));
  });
}

/// A register's name, or "*0x100".
Json data_named(const std::string& name) {
  return {{"dataId", name},
          {"description", name.starts_with('*') ? "the eight bytes at " + name.substr(1) : name},
          {"accessTypes", Json::array({"write"})},
          {"canPersist", true}};
}

Json what_data_is(Server& server, const Arguments& arguments) {
  const sb::Debugger& debugger = stopped_core(server).debugger();
  const std::string name = arguments.text("name");
  if (name.starts_with('*')) {
    const Value address = value_or_refusal(debugger.evaluate(std::string_view(name).substr(1)));
    return data_named('*' + reference_to(static_cast<std::uint64_t>(address.as_integer())));
  }
  if (!debugger.register_named(name))
    return {{"dataId", nullptr}, {"description", fmt::format("{} is not a register", name)}};
  return data_named(name);
}

Json break_at_changes(Server& server, const Arguments& arguments) {
  ScoreboardDebuggee& debuggee = core_of(server);
  return set_all(server, debuggee, Group::data, arguments, [&](const Arguments& wanted) -> CorePoint {
    if (const std::string access = wanted.text_or("accessType", "write"); access != "write")
      throw Refusal{fmt::format("only a change stops the core, not \"{}\"", access)};
    const std::string name = wanted.text("dataId");
    if (name.starts_with('*')) return {.memory = address_in(name.substr(1))};
    return {.which = value_or_refusal(debuggee.debugger().register_named(name))};
  });
}

// ---- going on, and back

/// A clock is no call that could return: stepping out goes on.
Json go_on_clocks(Server& server, const Arguments& arguments) {
  core_for(server, arguments);
  server.run({});
  return {{"allThreadsContinued", true}};
}

Json step_clock(Server& server, const Arguments& arguments) {
  (void)steps_words(arguments);  // whatever it is of, a step is a clock
  server.has_moved(core_for(server, arguments).step());
  return {};
}

Json step_clock_back(Server& server, const Arguments& arguments) {
  (void)steps_words(arguments);
  server.has_moved(core_for(server, arguments).go_back(1));
  return {};
}

Json go_clocks_back(Server& server, const Arguments& arguments) {
  server.has_moved(core_for(server, arguments).go_back());
  return {};
}

// ---- places

Json only_thread(Server&, const Arguments&) {
  return {{"threads", Json::array({{{"id", ScoreboardDebuggee::thread}, {"name", "core"}}})}};
}

/// The clock, at the operation that is issued next.
Json clock_frame(Server& server, const Arguments& arguments) {
  ScoreboardDebuggee& debuggee = core_for(server, arguments);
  if (arguments.integer_or("startFrame", 0) > 0) return {{"stackFrames", Json::array()}, {"totalFrames", 1}};
  return only_frame(server, ScoreboardDebuggee::thread, fmt::format("clock {}", debuggee.debugger().clock()),
                    debuggee.next_place());
}

Json what_is_stuck(Server& server, const Arguments& arguments) {
  std::string fault = core_for(server, arguments).fault();
  if (fault.empty()) throw Refusal{"the core has no fault"};
  return {{"exceptionId", "deadlock"}, {"description", std::move(fault)}, {"breakMode", "always"}};
}

// ---- what the clock shows

struct ScopeRow {
  const char* name;
  Kind kind;
  bool is_expensive;
};
constexpr std::array<ScopeRow, 7> core_scopes{{{"Clock", Kind::changed, false},
                                               {"Units", Kind::units, false},
                                               {"Registers", Kind::registers, false},
                                               {"All registers", Kind::all_registers, true},
                                               {"Virtual registers", Kind::rows, false},
                                               {"Matrices", Kind::matrices, true},
                                               {"Signals", Kind::signals, true}}};

Json core_scope_rows(Server& server, const Arguments& arguments) {
  const sb::Config& config = core_for(server, arguments, "frameId").debugger().config();
  Json all = Json::array();
  for (const ScopeRow& row : core_scopes) {
    if (row.kind == Kind::rows && config.virtual_registers.rows == 0) continue;
    all.push_back({{"name", row.name},
                   {"variablesReference", server.reference_to_container({.kind = row.kind, .lane = 0, .name = {}})},
                   {"expensive", row.is_expensive}});
    if (row.kind == Kind::registers || row.kind == Kind::all_registers) all.back()["presentationHint"] = "registers";
  }
  return {{"scopes", std::move(all)}};
}

/// What happened in it, and what comes next.
Json clock_rows(ScoreboardDebuggee& debuggee) {
  const sb::Debugger& debugger = debuggee.debugger();
  Json rows = Json::array({variable("clock", std::to_string(debugger.clock()))});
  for (const sb::Happening& each : debugger.happened())
    rows.push_back(variable(std::string(sb::name(each.moment)), debuggee.text_of(each.operation)));
  if (debugger.next() == sb::no_operation) return rows;
  rows.push_back(variable("next", debuggee.text_of(debugger.next())));
  if (debugger.clock() != 0 && debugger.cause() != sb::Cause::issued)
    rows.push_back(variable("not issued", std::string(sb::name(debugger.cause()))));
  return rows;
}

/// What each holds, and what operations wait for.
Json unit_rows(ScoreboardDebuggee& debuggee) {
  const sb::Debugger& debugger = debuggee.debugger();
  Json rows = Json::array();
  std::uint32_t unit = 0;
  for (const sb::Group& group : debugger.config().groups)
    for (std::uint32_t i = 0; i < group.units; ++i, ++unit)
      if (const std::uint32_t operation = debugger.view().operation(unit); operation != sb::no_operation)
        rows.push_back(variable(fmt::format("{} ({})", unit, group.name), debuggee.text_of(operation)));
  for (const std::string& sentence : debugger.waits()) rows.push_back(variable("waits", sentence));
  return rows;
}

/// Those that are not zero, or all.
Json core_register_rows(const sb::Debugger& debugger, bool all) {
  Json rows = Json::array();
  for (const sb::RegisterValue& each : debugger.registers()) {
    if (!all && each.value == 0) continue;
    const std::string name = sb::print(each.which);
    rows.push_back(variable(name, fmt::format("{:#x}", each.value)));
    rows.back()["evaluateName"] = name;
  }
  return rows;
}

/// A variable for each line.
Json text_rows(const std::string& text) {
  Json rows = Json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(variable(std::to_string(rows.size()), line));
  return rows;
}

Json core_rows(ScoreboardDebuggee& debuggee, Kind kind) {
  const sb::Debugger& debugger = debuggee.debugger();
  const sb::Config& config = debugger.config();
  if (kind == Kind::changed) return clock_rows(debuggee);
  if (kind == Kind::registers || kind == Kind::all_registers)
    return core_register_rows(debugger, kind == Kind::all_registers);
  if (debugger.clock() == 0) return Json::array();  // no clock has signals yet
  if (kind == Kind::units) return unit_rows(debuggee);
  if (kind == Kind::matrices) return text_rows(sb::matrices(config, debugger.view()));
  if (kind == Kind::signals) return text_rows(sb::signals_header(config) + sb::signals_line(config, debugger.view()));
  Json rows = Json::array();
  for (const auto& [row, reg] : sb::virtual_rows(config, debugger.view())) rows.push_back(variable(row, reg));
  return rows;
}

Json core_variables(Server& server, const Arguments& arguments) {
  const Container container = server.container(arguments.integer("variablesReference"));
  return part_of_variables(core_rows(stopped_core(server), container.kind), arguments);
}

[[noreturn]] void refuse_to_write(const std::string& what) {
  throw Refusal{what + " cannot be written: going back runs the workload again, from the values that it begins with"};
}
Json write_variable(Server&, const Arguments& arguments) { refuse_to_write(arguments.text("name")); }
Json write_expression(Server&, const Arguments& arguments) { refuse_to_write(arguments.text("expression")); }

Json evaluate_on_core(Server& server, const Arguments& arguments) {
  const Value value = value_or_refusal(stopped_core(server).debugger().evaluate(arguments.text("expression")));
  const bool hexadecimal = arguments.object("format").flag_or("hex", false);
  return {{"result", value_or_refusal(format_value(value, hexadecimal ? "x" : ""))}, {"variablesReference", 0}};
}

// ---- memory and operations

Json read_core_memory(Server& server, const Arguments& arguments) {
  const sb::Debugger& debugger = stopped_core(server).debugger();
  const MemoryRange range = memory_range(arguments);
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < range.count; ++i)
    bytes.push_back(static_cast<std::uint8_t>(debugger.memory(range.address + static_cast<std::uint64_t>(i), 1)));
  return memory_body(range, bytes);
}

Json list_operations(Server& server, const Arguments& arguments) {
  ScoreboardDebuggee& debuggee = core_of(server);
  const InstructionRange range = instruction_range(arguments);
  const std::uint64_t all = debuggee.debugger().workload().operations.size();
  const auto row = [&](std::size_t place) { return instruction_at(server, place, debuggee.text_of(place)); };
  const auto words = static_cast<std::int64_t>(all);
  return instruction_rows(
      range, {.start = static_cast<std::int64_t>(std::min(range.place, all)), .words = words, .end = all}, row);
}

constexpr std::array<RequestRow, 21> scoreboard_rows{{
    {"setBreakpoints", break_at_lines},
    {"setFunctionBreakpoints", break_at_happenings},
    {"setInstructionBreakpoints", break_at_operations},
    {"dataBreakpointInfo", what_data_is},
    {"setDataBreakpoints", break_at_changes},
    {"continue", go_on_clocks},
    {"next", step_clock},
    {"stepIn", step_clock},
    {"stepOut", go_on_clocks},
    {"stepBack", step_clock_back},
    {"reverseContinue", go_clocks_back},
    {"threads", only_thread},
    {"stackTrace", clock_frame},
    {"exceptionInfo", what_is_stuck},
    {"scopes", core_scope_rows},
    {"variables", core_variables},
    {"setVariable", write_variable},
    {"setExpression", write_expression},
    {"evaluate", evaluate_on_core},
    {"readMemory", read_core_memory},
    {"disassemble", list_operations},
}};

}  // namespace

Answer ScoreboardDebuggee::find_answer(std::string_view command) const { return find_row(scoreboard_rows, command); }

}  // namespace mobula::servers::dap
