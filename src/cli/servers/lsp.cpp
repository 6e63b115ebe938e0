#include <unistd.h>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/terminal.h"
#include "servers/lsp_server.h"

namespace mobula::cli {

Exit lsp(const LspOptions&) {
  auto leaving = servers::Leaving::silent;
  const auto start = [&](servers::Send send) {
    return std::make_unique<servers::LspServer>(MOBULA_VERSION, std::move(send), leaving);
  };
  value_or_stop(servers::serve(start, STDIN_FILENO, STDOUT_FILENO), "standard input", Exit::usage);
  if (leaving == servers::Leaving::good) return Exit::done;
  const std::string missing =
      leaving == servers::Leaving::abrupt ? "\"shutdown\" before \"exit\"" : "\"shutdown\" and \"exit\"";
  print({{Severity::warning, "", {.file = "mobula"}, "the client went away without " + missing, ""}});
  return Exit::negative;
}

}  // namespace mobula::cli
