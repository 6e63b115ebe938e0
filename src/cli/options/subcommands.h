// The subcommands with their options, by what they do.
#pragma once

#include <span>

#include "cli/options/common.h"

namespace mobula::cli {

std::span<const Subcommand> reading_subcommands();
#ifdef MOBULA_COMPILE
std::span<const Subcommand> compile_subcommands();
#else
inline std::span<const Subcommand> compile_subcommands() { return {}; }
#endif
std::span<const Subcommand> run_subcommands();
std::span<const Subcommand> scoreboard_subcommands();

}  // namespace mobula::cli
