// What firmware executes for command streams, for `mobula time`.
#pragma once

#include <span>
#include <vector>

#include "cli/command.h"
#include "mobula/isa/program.h"
#include "mobula/lab/timing.h"

namespace mobula::cli {

/// The words each core executed behind its boot: for each program its cores, a thread each. An address is the word's
/// byte offset in the file. Several programs are the PFP and the ME of an a5xx, which run together. Prints what went
/// wrong on the way.
std::vector<ThreadPaths> run_streams(const TimeOptions& options, std::span<const Program> programs);

}  // namespace mobula::cli
