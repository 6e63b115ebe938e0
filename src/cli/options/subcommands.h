// The subcommands with their options, by what they do. Each gives the root its subcommands, and sets `chosen` when one
// was typed.
#pragma once

#include "cli/options/common.h"

namespace mobula::cli {

void add_reading(CLI::App& root, Chosen& chosen);
void add_runs(CLI::App& root, Chosen& chosen);
void add_scoreboard(CLI::App& root, Chosen& chosen);

}  // namespace mobula::cli
