// What firmware executes for command streams, for `mobula time`.
#pragma once

#include "cli/command.h"
#include "mobula/program.h"
#include "mobula/timing.h"

namespace mobula::cli {

/// The words each core executed behind its boot, a thread each; an address is the word's byte offset in the file.
/// Prints what went wrong on the way.
ThreadPaths run_streams(const TimeOptions& options, const Program& program);

}  // namespace mobula::cli
