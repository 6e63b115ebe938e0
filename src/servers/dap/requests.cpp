#include "servers/dap/requests.h"

#include <algorithm>
#include <array>

#include "servers/dap/shader.h"

namespace mobula::servers::dap {
namespace {

constexpr std::array<RequestRow, 12> session_rows{{
    {"initialize", answer_initialize},
    {"launch", answer_launch},
    {"configurationDone", answer_configuration_done},
    {"restart", answer_restart},
    {"terminate", answer_terminate},
    {"disconnect", answer_disconnect},
    {"cancel", answer_cancel},
    {"setExceptionBreakpoints", answer_set_exception_breakpoints},
    {"breakpointLocations", answer_breakpoint_locations},
    {"pause", answer_pause},
    {"source", answer_source},
    {"loadedSources", answer_loaded_sources},
}};

constexpr std::array<RequestRow, 21> shader_rows{{
    {"setBreakpoints", answer_set_breakpoints},
    {"setFunctionBreakpoints", answer_set_function_breakpoints},
    {"setInstructionBreakpoints", answer_set_instruction_breakpoints},
    {"dataBreakpointInfo", answer_data_breakpoint_info},
    {"setDataBreakpoints", answer_set_data_breakpoints},
    {"continue", answer_continue},
    {"next", answer_next},
    {"stepIn", answer_next},
    {"stepOut", answer_step_out},
    {"stepBack", answer_step_back},
    {"reverseContinue", answer_reverse_continue},
    {"threads", answer_threads},
    {"stackTrace", answer_stack_trace},
    {"exceptionInfo", answer_exception_info},
    {"scopes", answer_scopes},
    {"variables", answer_variables},
    {"setVariable", answer_set_variable},
    {"setExpression", answer_set_expression},
    {"evaluate", answer_evaluate},
    {"readMemory", answer_read_memory},
    {"disassemble", answer_disassemble},
}};

}  // namespace

Answer find_row(std::span<const RequestRow> rows, std::string_view command) {
  const auto found = std::ranges::find(rows, command, &RequestRow::command);
  return found == rows.end() ? nullptr : found->answer;
}

Answer find_answer(std::string_view command) { return find_row(session_rows, command); }

Answer find_shader_answer(std::string_view command) { return find_row(shader_rows, command); }

Answer ShaderDebuggee::find_answer(std::string_view command) const { return find_shader_answer(command); }

ShaderDebuggee& shader(Server& server) { return static_cast<ShaderDebuggee&>(server.debuggee()); }
ShaderDebuggee& stopped_shader(Server& server) { return static_cast<ShaderDebuggee&>(server.stopped_debuggee()); }

Json variable(std::string name, std::string value, std::int64_t reference) {
  return {{"name", std::move(name)}, {"value", std::move(value)}, {"variablesReference", reference}};
}

}  // namespace mobula::servers::dap
