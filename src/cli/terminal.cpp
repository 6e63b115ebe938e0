#include "cli/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/command.h"

namespace mobula::cli {
namespace {

std::string choice = "auto";

bool coloured() {
  if (choice != "auto") return choice == "always";
  const char* refused = std::getenv("NO_COLOR");
  return (refused == nullptr || *refused == '\0') && isatty(STDERR_FILENO) != 0;
}

}  // namespace

void set_colour(const std::string& wanted) {
  if (wanted != "auto" && wanted != "always" && wanted != "never")
    throw usage_error("unknown --color \"" + wanted + "\"", "one of auto, always, never");
  choice = wanted;
}

void print(const Diagnostics& diagnostics) {
  const std::string text = render(diagnostics, coloured());
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace mobula::cli
