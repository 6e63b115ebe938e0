#include <unistd.h>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/terminal.h"
#include "servers/lsp_server.h"

namespace mobula::cli {

Exit lsp(const LspOptions&) {
  bool left_well = false;
  const auto start = [&](servers::Send send) {
    return std::make_unique<servers::LspServer>(MOBULA_VERSION, std::move(send), left_well);
  };
  value_or_stop(servers::serve(start, STDIN_FILENO, STDOUT_FILENO), "standard input", Exit::usage);
  if (left_well) return Exit::done;
  print({{Severity::warning, "", {.file = "mobula"}, "the client went away without \"shutdown\" and \"exit\"", ""}});
  return Exit::negative;
}

}  // namespace mobula::cli
