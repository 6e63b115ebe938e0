// What is said of a program whose words the scheduler has placed, wherever that happens.
#pragma once

#include "cli/terminal/output.h"
#include "mobula/lab/schedule.h"

namespace mobula::cli {

/// "27 words, were 34; at least 25; prefetch 20", and a note for each trace.
Diagnostics notes_on_length(const ScheduledProgram& schedule);
/// The same numbers: words, bound, prefetch, traces.
Json length_json(const ScheduledProgram& schedule);

}  // namespace mobula::cli
