// What firmware executes for command streams, for `mobula time`.
#pragma once

#include <span>
#include <vector>

#include "cli/command.h"
#include "mobula/isa/program.h"
#include "mobula/lab/firmware_run.h"
#include "mobula/lab/timing.h"

namespace mobula::cli {

struct TimedStreams {
  /// The words each core executed after its boot: for each program its cores, a thread each. An address is the word's
  /// byte offset in the file. Several programs are the PFP and the ME of an a5xx, which run together.
  std::vector<ThreadPaths> paths;
  firmware::JointTiming joint;
};

/// Runs the streams, for `timeline` if it is not null. Prints what went wrong meanwhile.
TimedStreams run_streams(const TimeOptions& options, std::span<const Program> programs, TimingParameters costs,
                         TimelineSink* timeline);

}  // namespace mobula::cli
