// Where threads are, and the text there.
#include <fmt/format.h>

#include "servers/dap/requests.h"
#include "servers/dap/shader.h"

namespace mobula::servers::dap {
namespace {

/// A frame without a word and a line.
Json nowhere(std::int64_t id, const std::string& name) {
  return {{"id", id}, {"name", name}, {"line", 0}, {"column", 0}};
}

Json frames_of(Json frame) { return {{"stackFrames", Json::array({std::move(frame)})}, {"totalFrames", 1}}; }

std::string name_of_end(LaneState state) { return state == LaneState::discarded ? "discarded" : "ended"; }

}  // namespace

Json answer_threads(Server& server, const Arguments&) {
  ShaderDebuggee& debuggee = shader(server);
  const Debugger& debugger = debuggee.debugger();
  Json all = Json::array();
  for (std::uint32_t lane = 0; lane < debugger.threads(); ++lane)
    if (!debugger.thread(lane).helper)
      all.push_back({{"id", debuggee.id_of(lane)}, {"name", fmt::format("thread {}", debugger.thread(lane).index)}});
  return {{"threads", std::move(all)}};
}

/// One frame: the word that comes next. A faulted thread is at the word that it could not execute, and one that has
/// ended is nowhere.
Json answer_stack_trace(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  const Debugger& debugger = debuggee.debugger();
  const std::uint32_t lane = debuggee.lane_of(arguments.integer("threadId"));
  auto address = debugger.address(lane);
  if (const LaneFault* fault = debuggee.fault_of(lane)) address = fault->address;
  if (arguments.integer_or("startFrame", 0) > 0) return {{"stackFrames", Json::array()}, {"totalFrames", 1}};
  // What it holds can still be looked at.
  if (!address) return frames_of(nowhere(debuggee.id_of(lane), name_of_end(debugger.state(lane))));
  const std::string symbol = debugger.symbol(*address);
  return only_frame(server, debuggee.id_of(lane), symbol.empty() ? reference_to(*address) : symbol, *address);
}

Json only_frame(Server& server, std::int64_t id, const std::string& name, std::uint64_t place) {
  Json frame = nowhere(id, name);
  frame["instructionPointerReference"] = reference_to(place);
  if (const auto line = server.debuggee().line_of(place)) {
    frame["line"] = server.to_client(*line);
    frame["column"] = server.to_client(1);
    frame["source"] = server.debuggee().source();
  }
  return frames_of(std::move(frame));
}

Json answer_source(Server& server, const Arguments& arguments) {
  const Debuggee& debuggee = server.debuggee();
  const Json reference{{"sourceReference", arguments.integer_or("sourceReference", 0)}};
  if (!debuggee.is_source(arguments.object("source")) && !debuggee.is_source(Arguments(reference)))
    throw Refusal{"there is no such text"};
  return {{"content", debuggee.text()}, {"mimeType", "text/x-mobula"}};
}

Json answer_loaded_sources(Server& server, const Arguments&) {
  return {{"sources", Json::array({server.debuggee().source()})}};
}

Json answer_exception_info(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  const LaneFault* fault = debuggee.fault_of(debuggee.lane_of(arguments.integer("threadId")));
  if (fault == nullptr) throw Refusal{"the thread has no fault"};
  return {{"exceptionId", "fault"}, {"description", fault->reason}, {"breakMode", "always"}};
}

}  // namespace mobula::servers::dap
