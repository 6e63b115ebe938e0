// `mobula run` of firmware: boots it, and lets it process command streams.
#pragma once

#include "cli/command.h"

namespace mobula::cli {

Exit run_firmware(const ExecuteOptions& options);

}  // namespace mobula::cli
