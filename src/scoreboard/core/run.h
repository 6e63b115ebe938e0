// A run of what is planned already.
#pragma once

#include "mobula/scoreboard/scoreboard.h"
#include "scoreboard/core/plan.h"

namespace mobula::scoreboard {

/// Limits of a core that a run came up against. With more of the others it would have gone the same way.
struct LimitsReached {
  bool units = false;                  ///< an operation found no unit, or no pair, of the last group
  bool rows = false;                   ///< operations found no virtual register
  bool reads = false, writes = false;  ///< requests found no grant
};
struct PlannedRun {
  RunResult result;
  LimitsReached reached;
};

/// As run() of the configuration and the plan's workload. Precondition: make_plan() gives this plan for the
/// configuration.
Result<PlannedRun> run_planned(const Config& config, const Plan& plan, const RunOptions& options);
/// Whether a run on `other` would be that on `config`, but for unit numbers and the length of histograms. It may say no
/// where it would.
bool is_run_of(const Config& config, const LimitsReached& reached, const Config& other);

}  // namespace mobula::scoreboard
