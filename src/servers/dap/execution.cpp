// Going on, and back.
#include "servers/dap/requests.h"
#include "servers/dap/shader.h"

namespace mobula::servers::dap {
namespace {

/// The debugger, with the thread that the client means as the current one.
Debugger& debugger_for(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  value_or_refusal(debuggee.debugger().choose(debuggee.lane_of(arguments.integer("threadId"))));
  return debuggee.debugger();
}

}  // namespace

bool steps_words(const Arguments& arguments) {
  const std::string granularity = arguments.text_or("granularity", "statement");
  if (granularity != "statement" && granularity != "line" && granularity != "instruction")
    throw Refusal{"\"granularity\" must be statement, line or instruction"};
  return granularity == "instruction";
}

Json answer_continue(Server& server, const Arguments& arguments) {
  debugger_for(server, arguments);
  server.run({});
  return {{"allThreadsContinued", true}};
}

Json answer_next(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  Debugger& debugger = debugger_for(server, arguments);
  const auto address = debugger.address(debugger.lane());
  // Of a thread that has ended, or of a word without a line, a step is a word.
  const auto line = address && !steps_words(arguments) ? debuggee.line_of(*address) : std::nullopt;
  server.run({.leave_line = line.value_or(0), .reason = "step"});
  return {};
}

Json answer_step_out(Server& server, const Arguments& arguments) {
  server.run({.returns = debugger_for(server, arguments).has_returns(), .reason = "step"});
  return {};
}

Json answer_step_back(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  Debugger& debugger = debugger_for(server, arguments);
  const auto line_now = [&] {
    const auto address = debugger.address(debugger.lane());
    return address ? debuggee.line_of(*address) : std::nullopt;
  };
  const auto before = line_now();
  const bool is_word = steps_words(arguments);
  const Halt first = debugger.back();
  for (auto halt = first; halt == Halt::stepped && !is_word && line_now() == before;) halt = debugger.back();
  server.has_moved(first);
  return {};
}

Json answer_reverse_continue(Server& server, const Arguments& arguments) {
  Debugger& debugger = debugger_for(server, arguments);
  server.has_moved(debugger.go_back());
  return {};
}

Json answer_pause(Server& server, const Arguments&) {
  server.debuggee();
  server.pause();
  return {};
}

}  // namespace mobula::servers::dap
