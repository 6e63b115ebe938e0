// `mobula run` of firmware: boots it, and lets it process command streams.
#pragma once

#include "cli/command.h"

namespace mobula::cli {

/// Whether the machine that is named executes firmware; without one, whether the first file is firmware.
bool is_firmware_run(const ExecuteOptions& options);
Exit run_firmware(const ExecuteOptions& options);

}  // namespace mobula::cli
