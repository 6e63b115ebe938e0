// What the scoreboard's subcommands read: cores and workloads.
#pragma once

#include <string>

#include "mobula/scoreboard.h"

namespace mobula::cli {

/// The core of a JSON document or, where `file` is empty, of a preset.
scoreboard::Config load_config(const std::string& preset, const std::string& file);
/// Text or binary; "-" is standard input.
scoreboard::Workload load_workload(const std::string& file);

}  // namespace mobula::cli
