#include <unistd.h>

#include "cli/command.h"
#include "cli/input/input.h"
#include "servers/dap/server.h"

namespace mobula::cli {

Exit dap(const DapOptions&) {
  const auto start = [](servers::Send send) { return std::make_unique<servers::dap::Server>(std::move(send)); };
  value_or_stop(servers::serve(start, STDIN_FILENO, STDOUT_FILENO), "standard input", Exit::usage);
  return Exit::done;
}

}  // namespace mobula::cli
