#include <unistd.h>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/input/shader.h"
#include "servers/dap/server.h"

namespace mobula::cli {
namespace {

Result<std::optional<Program>> compile_if_shader(const std::string& file, std::span<const std::uint8_t> bytes,
                                                 const std::string& machine) {
  InputOptions input;
  input.machine = machine;
  if (!is_shader(input, file, bytes)) return std::optional<Program>();
  if (machine.empty())
    return fail("", file + " is the source of a shader, which is compiled for a machine", "\"machine\" names it");
  try {
    return std::optional(compile_shader(input, file));
  } catch (const Stop& stop) {
    return fail(stop.diagnostics);
  }
}

}  // namespace

Exit dap(const DapOptions&) {
  const auto start = [](servers::Send send) {
    return std::make_unique<servers::dap::Server>(std::move(send), compile_if_shader);
  };
  value_or_stop(servers::serve(start, STDIN_FILENO, STDOUT_FILENO), "standard input", Exit::usage);
  return Exit::done;
}

}  // namespace mobula::cli
