// Answers about firmware: cores are threads, and a place is a core's number in the upper 32 bits and a word below.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mobula/lab/expression.h"
#include "mobula/lab/firmware_report.h"
#include "servers/dap/firmware.h"
#include "servers/dap/memory.h"
#include "servers/dap/set_breakpoints.h"

namespace mobula::servers::dap {
namespace {

using FirmwareBreakpoint = firmware::Debugger::Breakpoint;
using Kind = Container::Kind;

FirmwareDebuggee& firmware_of(Server& server) { return static_cast<FirmwareDebuggee&>(server.debuggee()); }
FirmwareDebuggee& stopped_firmware(Server& server) { return static_cast<FirmwareDebuggee&>(server.stopped_debuggee()); }
/// With the core that the client means as the current one.
FirmwareDebuggee& firmware_at(Server& server, std::size_t core) {
  FirmwareDebuggee& debuggee = stopped_firmware(server);
  debuggee.debugger().core = core;
  return debuggee;
}
FirmwareDebuggee& firmware_for(Server& server, const Arguments& arguments, std::string_view member = "threadId") {
  return firmware_at(server, stopped_firmware(server).core_of(arguments.integer(member)));
}
/// Of a frame, whose id is that of its core; of no frame, the current one.
FirmwareDebuggee& firmware_of_frame(Server& server, const Arguments& arguments) {
  if (arguments.integer_or("frameId", 0) == 0) return stopped_firmware(server);
  return firmware_for(server, arguments, "frameId");
}

// ---- breakpoints

Json set_line_breakpoints(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = firmware_of(server);
  const bool is_ours = debuggee.is_source(arguments.object("source"));
  return set_all(server, debuggee, Group::lines, arguments, [&](const Arguments& wanted) {
    FirmwareBreakpoint point;
    point.place = debuggee.point_at(place_of_line(server, is_ours, wanted));
    return point;
  });
}

Json set_function_breakpoints(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = firmware_of(server);
  return set_all(server, debuggee, Group::functions, arguments, [&](const Arguments& wanted) {
    FirmwareBreakpoint point;
    point.place = value_or_refusal(debuggee.debugger().point(wanted.text("name")));
    return point;
  });
}

Json set_instruction_breakpoints(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = firmware_of(server);
  return set_all(server, debuggee, Group::instructions, arguments, [&](const Arguments& wanted) {
    FirmwareBreakpoint point;
    point.place = debuggee.point_at(address_in(wanted.text("instructionReference")) +
                                    static_cast<std::uint64_t>(wanted.integer_or("offset", 0)));
    return point;
  });
}

/// A register's name, or "*0x1000".
Json data_of(const FirmwareDebuggee& debuggee, std::size_t core, const std::string& name) {
  return {{"dataId", fmt::format("{}:{}", FirmwareDebuggee::id_of(core), name)},
          {"description", fmt::format("{} of {}", name, debuggee.cores()[core].name)},
          {"accessTypes", Json::array({"write"})},
          {"canPersist", true}};
}

Json data_breakpoint_info(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = stopped_firmware(server);
  firmware::Debugger& debugger = debuggee.debugger();
  if (const std::int64_t reference = arguments.integer_or("variablesReference", 0); reference != 0)
    debugger.core = server.container(reference).lane;
  const std::string name = arguments.text("name");
  if (name.starts_with('*')) {
    const Value address = value_or_refusal(debugger.evaluate(std::string_view(name).substr(1)));
    return data_of(debuggee, debugger.core, '*' + reference_to(static_cast<std::uint64_t>(address.as_integer())));
  }
  const auto which = debugger.register_named(name);
  if (!which) return {{"dataId", nullptr}, {"description", fmt::format("{} is not a register", name)}};
  return data_of(debuggee, which->core, debugger.emulator().register_names()[which->number]);
}

Json set_data_breakpoints(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = firmware_of(server);
  return set_all(server, debuggee, Group::data, arguments, [&](const Arguments& wanted) {
    const std::string id = wanted.text("dataId");
    const std::size_t colon = id.find(':');
    if (colon == std::string::npos) throw Refusal{"a data id is CORE:REGISTER"};
    if (const std::string access = wanted.text_or("accessType", "write"); access != "write")
      throw Refusal{fmt::format("only a change stops the firmware, not \"{}\"", access)};
    const std::size_t core = debuggee.core_of(static_cast<std::int64_t>(address_in(id.substr(0, colon))));
    const std::string name = id.substr(colon + 1);
    FirmwareBreakpoint point;
    if (name.starts_with('*')) {
      point.memory = address_in(name.substr(1));
      return point;
    }
    point.which = value_or_refusal(debuggee.debugger().register_named(name));
    point.which->core = core;
    return point;
  });
}

// ---- going on, and back

Json go_on(Server& server, const Arguments& arguments) {
  firmware_for(server, arguments);
  server.run({});
  return {{"allThreadsContinued", true}};
}

Json step(Server& server, const Arguments& arguments) {
  const FirmwareDebuggee& debuggee = firmware_for(server, arguments);
  const auto line = steps_words(arguments)
                        ? std::nullopt
                        : debuggee.line_of(debuggee.next_place(debuggee.core_of(debuggee.current_thread())));
  server.run({.leave_line = line.value_or(0), .reason = "step"});
  return {};
}

/// Where no call is open there is nothing to return from: then it goes on.
Json step_out(Server& server, const Arguments& arguments) {
  firmware::Debugger& debugger = firmware_for(server, arguments).debugger();
  const std::uint32_t depth = debugger.emulator().call_depth(debugger.core);
  server.run({.call_depth = depth == 0 ? std::nullopt : std::optional(depth), .reason = "step"});
  return {};
}

Halt as_halt(firmware::Debugger::Halt halt) {
  switch (halt) {
    case firmware::Debugger::Halt::breakpoint:
      return Halt::breakpoint;
    case firmware::Debugger::Halt::watch:
      return Halt::watch;
    case firmware::Debugger::Halt::beginning:
      return Halt::beginning;
    default:
      return Halt::stepped;
  }
}

Json step_back(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = firmware_for(server, arguments);
  (void)steps_words(arguments);  // a line of the text is one instruction
  server.has_moved(debuggee.gone_back(as_halt(value_or_refusal(debuggee.debugger().back(1)))));
  return {};
}

Json reverse_continue(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = firmware_for(server, arguments);
  server.has_moved(debuggee.gone_back(as_halt(value_or_refusal(debuggee.debugger().go_back()))));
  return {};
}

// ---- places

Json threads(Server& server, const Arguments&) {
  Json all = Json::array();
  const std::vector<firmware::CoreReport> cores = firmware_of(server).cores();
  for (std::size_t core = 0; core < cores.size(); ++core)
    all.push_back({{"id", FirmwareDebuggee::id_of(core)}, {"name", cores[core].name}});
  return {{"threads", std::move(all)}};
}

/// One frame: the instruction that comes next.
Json stack_trace(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = stopped_firmware(server);
  const std::size_t core = debuggee.core_of(arguments.integer("threadId"));
  if (arguments.integer_or("startFrame", 0) > 0) return {{"stackFrames", Json::array()}, {"totalFrames", 1}};
  const auto next = debuggee.debugger().next(core);
  const firmware::Place* const place = debuggee.debugger().place(next);
  return only_frame(server, FirmwareDebuggee::id_of(core),
                    place == nullptr ? fmt::format("{:#06x}", next.word) : place->where, debuggee.next_place(core));
}

Json exception_info(Server& server, const Arguments& arguments) {
  const FirmwareDebuggee& debuggee = stopped_firmware(server);
  std::string fault = debuggee.fault_of(debuggee.core_of(arguments.integer("threadId")));
  if (fault.empty()) throw Refusal{"the core has no fault"};
  return {{"exceptionId", "fault"}, {"description", std::move(fault)}, {"breakMode", "always"}};
}

// ---- registers, and what was done

Json scopes(Server& server, const Arguments& arguments) {
  const auto core = static_cast<std::uint32_t>(stopped_firmware(server).core_of(arguments.integer("frameId")));
  Json all = Json::array();
  const auto add = [&](const char* name, Kind kind, bool of_registers) {
    Json scope{{"name", name},
               {"variablesReference", server.reference_to_container({.kind = kind, .lane = core, .name = {}})},
               {"expensive", kind != Kind::registers}};
    if (of_registers) scope["presentationHint"] = "registers";
    all.push_back(std::move(scope));
  };
  add("Registers", Kind::registers, true);
  add("All registers", Kind::all_registers, true);
  add("Outputs", Kind::outputs, false);
  return {{"scopes", std::move(all)}};
}

std::string shown(const firmware::Debugger& debugger, firmware::Debugger::Register which) {
  const std::uint32_t value = debugger.value(which);
  const std::string meaning = debugger.emulator().meaning(which.core, which.number, value, {});
  return meaning.empty() ? fmt::format("{:#x}", value) : fmt::format("{:#x} ({})", value, meaning);
}

/// Those that are not zero, or all.
Json register_rows(const firmware::Debugger& debugger, std::size_t core, bool all) {
  Json rows = Json::array();
  const auto names = debugger.emulator().register_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!all && debugger.value({core, i}) == 0) continue;
    rows.push_back(variable(names[i], shown(debugger, {core, i})));
    rows.back()["evaluateName"] = names[i];
  }
  return rows;
}

/// Of this round, the last ones.
Json event_rows(const firmware::Debugger& debugger, std::size_t core) {
  constexpr std::size_t most = 1000;
  std::vector<firmware::Event> events = debugger.emulator().report().events;
  std::erase_if(events, [core](const firmware::Event& each) { return each.core != core; });
  Json rows = Json::array();
  for (std::size_t i = events.size() - std::min(most, events.size()); i < events.size(); ++i)
    rows.push_back(variable(std::to_string(i), firmware::report(debugger.emulator(), events[i])));
  return rows;
}

Json variables(Server& server, const Arguments& arguments) {
  const Container container = server.container(arguments.integer("variablesReference"));
  const firmware::Debugger& debugger = firmware_at(server, container.lane).debugger();
  return part_of_variables(container.kind == Kind::outputs
                               ? event_rows(debugger, container.lane)
                               : register_rows(debugger, container.lane, container.kind == Kind::all_registers),
                           arguments);
}

/// Writes a register, or the dword of memory at "*ADDRESS", and gives what it holds then.
Json write_to(firmware::Debugger& debugger, const std::string& name, const std::string& text) {
  const std::int64_t value = value_or_refusal(debugger.evaluate(text)).as_integer();
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::uint32_t>::max())
    throw Refusal{fmt::format("{} does not fit 32 bits", text)};
  if (name.starts_with('*')) {
    const Value address = value_or_refusal(debugger.evaluate(std::string_view(name).substr(1)));
    value_or_refusal(
        debugger.set_memory(static_cast<std::uint64_t>(address.as_integer()), static_cast<std::uint32_t>(value)));
    return {{"value", fmt::format("{:#x}", static_cast<std::uint32_t>(value))}};
  }
  const auto which = value_or_refusal(debugger.register_named(name));
  debugger.set_register(which, static_cast<std::uint32_t>(value));
  return {{"value", shown(debugger, which)}};
}

Json set_variable(Server& server, const Arguments& arguments) {
  const Container container = server.container(arguments.integer("variablesReference"));
  if (container.kind == Kind::outputs) throw Refusal{"only registers can be written"};
  return write_to(firmware_at(server, container.lane).debugger(), arguments.text("name"), arguments.text("value"));
}

Json set_expression(Server& server, const Arguments& arguments) {
  return write_to(firmware_of_frame(server, arguments).debugger(), arguments.text("expression"),
                  arguments.text("value"));
}

Json evaluate(Server& server, const Arguments& arguments) {
  const firmware::Debugger& debugger = firmware_of_frame(server, arguments).debugger();
  const std::string expression = arguments.text("expression");
  if (const auto which = debugger.register_named(expression))
    return {{"result", shown(debugger, *which)},
            {"variablesReference", 0},
            {"memoryReference", reference_to(debugger.value(*which))}};
  const Value value = value_or_refusal(debugger.evaluate(expression));
  return {{"result", value_or_refusal(format_value(value, "x"))},
          {"variablesReference", 0},
          {"memoryReference", reference_to(static_cast<std::uint64_t>(value.as_integer()))}};
}

// ---- memory and instructions

/// Bytes of the dwords there.
Json read_memory(Server& server, const Arguments& arguments) {
  const firmware::Debugger& debugger = stopped_firmware(server).debugger();
  const MemoryRange range = memory_range(arguments);
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < range.count; ++i) {
    const std::uint64_t address = range.address + static_cast<std::uint64_t>(i);
    bytes.push_back(
        static_cast<std::uint8_t>(debugger.emulator().read_memory(address & ~std::uint64_t{3}) >> (address % 4 * 8)));
  }
  return memory_body(range, bytes);
}

Json disassemble(Server& server, const Arguments& arguments) {
  FirmwareDebuggee& debuggee = firmware_of(server);
  const InstructionRange range = instruction_range(arguments);
  const auto core = static_cast<std::size_t>(range.place >> 32);
  if (core >= debuggee.cores().size()) throw Refusal{fmt::format("there is no core {}", core)};
  const std::vector<std::uint32_t>& words = debuggee.words_of(core);
  const auto start = std::ranges::lower_bound(words, static_cast<std::uint32_t>(range.place)) - words.begin();
  const auto row = [&](std::size_t number) {
    const FirmwareDebuggee::Point at{core, words[number]};
    const firmware::Place* const place = debuggee.debugger().place(at);
    Json shown_row = instruction_at(server, FirmwareDebuggee::place_of(at), place == nullptr ? "" : place->text);
    if (place != nullptr && place->where.find('+') == std::string::npos) shown_row["symbol"] = place->where;
    return shown_row;
  };
  return instruction_rows(range,
                          {.start = start,
                           .words = std::ssize(words),
                           .begin = FirmwareDebuggee::place_of({core, 0}),
                           .end = FirmwareDebuggee::place_of({core, words.empty() ? 0 : words.back() + 1})},
                          row);
}

constexpr std::array<RequestRow, 21> firmware_rows{{
    {"setBreakpoints", set_line_breakpoints},
    {"setFunctionBreakpoints", set_function_breakpoints},
    {"setInstructionBreakpoints", set_instruction_breakpoints},
    {"dataBreakpointInfo", data_breakpoint_info},
    {"setDataBreakpoints", set_data_breakpoints},
    {"continue", go_on},
    {"next", step},
    {"stepIn", step},
    {"stepOut", step_out},
    {"stepBack", step_back},
    {"reverseContinue", reverse_continue},
    {"threads", threads},
    {"stackTrace", stack_trace},
    {"exceptionInfo", exception_info},
    {"scopes", scopes},
    {"variables", variables},
    {"setVariable", set_variable},
    {"setExpression", set_expression},
    {"evaluate", evaluate},
    {"readMemory", read_memory},
    {"disassemble", disassemble},
}};

}  // namespace

Answer FirmwareDebuggee::find_answer(std::string_view command) const { return find_row(firmware_rows, command); }

}  // namespace mobula::servers::dap
