// A run of what is planned already.
#pragma once

#include "mobula/scoreboard/scoreboard.h"
#include "scoreboard/core/plan.h"

namespace mobula::scoreboard {

/// As run() of the configuration and the plan's workload. Precondition: make_plan() gives this plan for the
/// configuration.
Result<RunResult> run_planned(const Config& config, const Plan& plan, const RunOptions& options);

}  // namespace mobula::scoreboard
