#include "machines/utgard_gp/schedule/attempts.h"

namespace mobula::utgard_gp {

std::vector<Attempt> attempts_of(const ScheduleOptions& options, bool can_keep) {
  std::vector<Attempt> attempts{{options}};
  ScheduleOptions simpler = options;
  simpler.exact = 0;
  if (options.exact != 0) attempts.push_back({simpler});
  simpler.past_branches = simpler.share_branch_words = false;
  if (options.past_branches || options.share_branch_words) attempts.push_back({simpler});
  if (can_keep) attempts.push_back({simpler, true});
  return attempts;
}

bool is_scheduler_bug(const Diagnostics& error) {
  return std::any_of(error.begin(), error.end(), [](const Diagnostic& each) {
    return each.code == "GP302" || each.code == "GP304" || each.code == "GP390";
  });
}

}  // namespace mobula::utgard_gp
