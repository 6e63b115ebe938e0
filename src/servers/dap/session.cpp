// The beginning and the end.
#include <fmt/format.h>

#include "servers/dap/requests.h"

namespace mobula::servers::dap {

Json answer_initialize(Server& server, const Arguments& arguments) {
  const std::string format = arguments.text_or("pathFormat", "path");
  if (format != "path" && format != "uri")
    throw Refusal{fmt::format("\"pathFormat\" must be path or uri, not \"{}\"", format)};
  server.name_files_by_uri(format == "uri");
  server.count_lines_from_1(arguments.flag_or("linesStartAt1", true));
  Json capabilities = Json::object();
  for (const char* each : {"supportsConfigurationDoneRequest",
                           "supportsFunctionBreakpoints",
                           "supportsConditionalBreakpoints",
                           "supportsHitConditionalBreakpoints",
                           "supportsEvaluateForHovers",
                           "supportsStepBack",
                           "supportsSetVariable",
                           "supportsSetExpression",
                           "supportsRestartRequest",
                           "supportsTerminateRequest",
                           "supportsDataBreakpoints",
                           "supportsReadMemoryRequest",
                           "supportsDisassembleRequest",
                           "supportsCancelRequest",
                           "supportsBreakpointLocationsRequest",
                           "supportsSteppingGranularity",
                           "supportsInstructionBreakpoints",
                           "supportsExceptionInfoRequest",
                           "supportsLoadedSourcesRequest",
                           "supportsValueFormattingOptions"})
    capabilities[each] = true;
  return capabilities;
}

Json answer_launch(Server& server, const Arguments& arguments) {
  server.launch(launch_options(arguments));
  return {};
}

Json answer_configuration_done(Server& server, const Arguments&) {
  server.begin_session();
  return {};
}

Json answer_restart(Server& server, const Arguments&) {
  server.restart();
  return {};
}

Json answer_terminate(Server& server, const Arguments&) {
  server.debuggee();
  if (server.is_running()) server.pause();
  server.send_later("terminated", {});
  return {};
}

Json answer_disconnect(Server& server, const Arguments&) {
  server.end_session();
  return {};
}

/// What was to be cancelled was, if it still waited: see Server::receive.
Json answer_cancel(Server&, const Arguments&) { return {}; }

}  // namespace mobula::servers::dap
