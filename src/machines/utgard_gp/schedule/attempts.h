// What is tried if a schedule does not pass its verification, which would be a bug: simpler ways, and in the end the
// program as it is.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "mobula/lab/schedule.h"

namespace mobula::utgard_gp {

struct Attempt {
  ScheduleOptions options;
  bool keep = false;  ///< the program as it was given
};

/// As asked for first. `can_keep`: there is a program that can stay as it is.
std::vector<Attempt> attempts_of(const ScheduleOptions& options, bool can_keep);

/// True if the scheduler itself is to blame.
bool is_scheduler_bug(const Diagnostics& error);

/// The first program that passes its verification, with a remark on each that did not. Other errors end the search;
/// the last attempt's error is the result if none passes.
template <class Run>
Result<ScheduledProgram> first_verified(const std::vector<Attempt>& attempts, Run run) {
  Diagnostics given_up;
  for (const Attempt& attempt : attempts) {
    Result<ScheduledProgram> result = run(attempt);
    if (result) {
      result->remarks.insert(result->remarks.begin(), given_up.begin(), given_up.end());
      return result;
    }
    if (&attempt == &attempts.back() || !is_scheduler_bug(result.error())) return result;
    Diagnostic remark = result.error().front();
    remark.severity = Severity::warning;
    remark.message.insert(0, "a new program did not pass its verification and was given up: ");
    remark.hint = "this is a bug of the scheduler; please report the program";
    given_up.push_back(std::move(remark));
  }
  return fail(std::move(given_up));
}

}  // namespace mobula::utgard_gp
