// The functions that answer requests: arguments in, the body of the answer out; a Refusal is an error's answer. Those
// about firmware are in firmware_requests.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "servers/arguments.h"
#include "servers/dap/references.h"
#include "servers/dap/server.h"

namespace mobula::servers::dap {

// session.cpp
Json answer_initialize(Server& server, const Arguments& arguments);
Json answer_launch(Server& server, const Arguments& arguments);
Json answer_configuration_done(Server& server, const Arguments& arguments);
Json answer_restart(Server& server, const Arguments& arguments);
Json answer_terminate(Server& server, const Arguments& arguments);
Json answer_disconnect(Server& server, const Arguments& arguments);
Json answer_cancel(Server& server, const Arguments& arguments);

// breakpoints.cpp
Json answer_set_breakpoints(Server& server, const Arguments& arguments);
Json answer_set_function_breakpoints(Server& server, const Arguments& arguments);
Json answer_set_instruction_breakpoints(Server& server, const Arguments& arguments);
Json answer_set_exception_breakpoints(Server& server, const Arguments& arguments);
Json answer_data_breakpoint_info(Server& server, const Arguments& arguments);
Json answer_set_data_breakpoints(Server& server, const Arguments& arguments);
Json answer_breakpoint_locations(Server& server, const Arguments& arguments);

// execution.cpp
Json answer_continue(Server& server, const Arguments& arguments);
Json answer_next(Server& server, const Arguments& arguments);
Json answer_step_out(Server& server, const Arguments& arguments);
Json answer_step_back(Server& server, const Arguments& arguments);
Json answer_reverse_continue(Server& server, const Arguments& arguments);
Json answer_pause(Server& server, const Arguments& arguments);

// places.cpp
Json answer_threads(Server& server, const Arguments& arguments);
Json answer_stack_trace(Server& server, const Arguments& arguments);
Json answer_source(Server& server, const Arguments& arguments);
Json answer_loaded_sources(Server& server, const Arguments& arguments);
Json answer_exception_info(Server& server, const Arguments& arguments);

// variables.cpp
Json answer_scopes(Server& server, const Arguments& arguments);
Json answer_variables(Server& server, const Arguments& arguments);
Json answer_set_variable(Server& server, const Arguments& arguments);
Json answer_set_expression(Server& server, const Arguments& arguments);
Json answer_evaluate(Server& server, const Arguments& arguments);

// memory.cpp
Json answer_read_memory(Server& server, const Arguments& arguments);
Json answer_disassemble(Server& server, const Arguments& arguments);

// ---- what several of them need

/// True where a step is a word, not a line of text.
bool steps_words(const Arguments& arguments);
/// Frames of a thread that is at this place.
Json only_frame(Server& server, std::int64_t id, const std::string& name, std::uint64_t place);
Json variable(std::string name, std::string value, std::int64_t reference = 0);
/// The variables that are asked for, of all there are.
Json part_of_variables(Json rows, const Arguments& arguments);

struct RequestRow {
  std::string_view command;
  Answer answer = nullptr;
};
/// Null if there is no such request among them.
Answer find_row(std::span<const RequestRow> rows, std::string_view command);
/// Of requests about programs of shader cores.
Answer find_shader_answer(std::string_view command);
/// Of requests that mean the same whatever is debugged; null if it is none of these.
Answer find_answer(std::string_view command);

}  // namespace mobula::servers::dap
