#include "servers/dap/requests.h"

#include <algorithm>
#include <array>

namespace mobula::servers::dap {
namespace {

struct RequestRow {
  std::string_view command;
  Answer answer;
};
constexpr std::array<RequestRow, 33> request_rows{{
    {"initialize", answer_initialize},
    {"launch", answer_launch},
    {"configurationDone", answer_configuration_done},
    {"restart", answer_restart},
    {"terminate", answer_terminate},
    {"disconnect", answer_disconnect},
    {"cancel", answer_cancel},
    {"setBreakpoints", answer_set_breakpoints},
    {"setFunctionBreakpoints", answer_set_function_breakpoints},
    {"setInstructionBreakpoints", answer_set_instruction_breakpoints},
    {"setExceptionBreakpoints", answer_set_exception_breakpoints},
    {"dataBreakpointInfo", answer_data_breakpoint_info},
    {"setDataBreakpoints", answer_set_data_breakpoints},
    {"breakpointLocations", answer_breakpoint_locations},
    {"continue", answer_continue},
    {"next", answer_next},
    {"stepIn", answer_next},
    {"stepOut", answer_step_out},
    {"stepBack", answer_step_back},
    {"reverseContinue", answer_reverse_continue},
    {"pause", answer_pause},
    {"threads", answer_threads},
    {"stackTrace", answer_stack_trace},
    {"source", answer_source},
    {"loadedSources", answer_loaded_sources},
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

Answer find_answer(std::string_view command) {
  const auto found = std::ranges::find(request_rows, command, &RequestRow::command);
  return found == request_rows.end() ? nullptr : found->answer;
}

}  // namespace mobula::servers::dap
