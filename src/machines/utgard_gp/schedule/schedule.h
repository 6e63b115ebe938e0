// Scheduling for Utgard GP: see mobula/schedule.h.
#pragma once

#include "mobula/lab/schedule.h"

namespace mobula::utgard_gp {

Result<ScheduledProgram> schedule(const Program& program, const ScheduleOptions& options);
Result<ScheduledProgram> schedule_expressions(const SourceText& source, const ScheduleOptions& options);

}  // namespace mobula::utgard_gp
