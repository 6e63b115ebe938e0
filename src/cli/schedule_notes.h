// What is said of a program whose words the scheduler has placed, or whose groups were merged, wherever that happens.
#pragma once

#include <cstdint>
#include <functional>

#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "mobula/lab/advise.h"
#include "mobula/lab/schedule.h"

namespace mobula::cli {

/// "27 words, were 34; at least 25; prefetch 20", and a note for each trace.
Diagnostics notes_on_length(const ScheduledProgram& schedule);
/// The same numbers: words, bound, prefetch, traces.
Json length_json(const ScheduledProgram& schedule);

/// "14 groups, 35 before merging; optimal", and a note for each part that was put in order, if there are several.
Diagnostics notes_on_merging(const MergeAdvice& merging);
/// The same numbers: groups_before, groups, bound, parts.
Json merging_json(const MergeAdvice& merging);

/// How far the search is, as ScheduleOptions::progress tells it.
inline constexpr const char* thousand_steps = "thousand steps of the search for fewer words";
std::function<void(std::uint64_t done, std::uint64_t total)> in_thousands(ProgressOfPart& progress);

}  // namespace mobula::cli
