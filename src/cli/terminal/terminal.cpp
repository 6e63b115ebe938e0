#include "cli/terminal/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/choices.h"
#include "cli/terminal/progress.h"

namespace mobula::cli {
namespace {

std::string choice = "auto";
thread_local KeptDiagnostics* kept = nullptr;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool coloured(int descriptor) {
  if (choice != "auto") return choice == "always";
  if (is_set("NO_COLOR")) return false;
  const bool forced = is_set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0";
  return forced || isatty(descriptor) != 0;
}

}  // namespace

bool colours_output() { return coloured(STDOUT_FILENO); }

void set_colour(const std::string& wanted) {
  chosen_among(colour_names, "--color", wanted);
  choice = wanted;
}

KeptDiagnostics::KeptDiagnostics() { kept = this; }
KeptDiagnostics::~KeptDiagnostics() { kept = nullptr; }

void print(const Diagnostics& diagnostics) {
  if (kept != nullptr) {
    kept->list_.insert(kept->list_.end(), diagnostics.begin(), diagnostics.end());
    return;
  }
  const std::string text = render(diagnostics, coloured(STDERR_FILENO));
  clear_progress();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace mobula::cli
