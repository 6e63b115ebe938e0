// Cores and workloads from files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mobula/scoreboard/hardware.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::cli {

/// A configuration: a file's if one is named, else the preset.
scoreboard::Config load_config(const std::string& preset, const std::string& file);

/// The ports and columns that a core is built with.
scoreboard::Hardware hardware_of(const HardwareOptions& options);

/// A workload, text or binary; or the run of a program of another machine.
scoreboard::Workload load_workload(const std::string& file, const WorkloadOptions& options = {});
/// The same for a program in several files: PFP and ME of an a5xx.
scoreboard::Workload load_workload(std::span<const std::string> files, const WorkloadOptions& options);

/// Weights of the widths 1, 2, 4 and 8; none leaves them as they are.
void set_widths(const std::vector<std::uint32_t>& weights, scoreboard::Mix& mix);

}  // namespace mobula::cli
