// Search for short schedules of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "machines/utgard_gp/schedule/plan.h"

namespace mobula::utgard_gp {

struct SearchLimits {
  std::uint64_t fills = 100000;                ///< words tried in all
  unsigned enough = 0;                         ///< a schedule of this many words need not be improved
  unsigned below = 0xFFFF;                     ///< longer schedules are of no interest
  unsigned rounds_without_result = 16;         ///< after which it is given up
  std::uint64_t more_without_result = 100000;  ///< words tried beyond `fills` as long as there is none
  bool share_branch_words = true;
  std::function<void(std::uint64_t fills)> tried = [](std::uint64_t) {};  ///< called now and then: so many, so far
};

struct Found {
  Plan plan;
  std::uint64_t fills = 0;  ///< words tried
};

/// The shortest schedule found; nullopt if none was. The same on every machine.
std::optional<Found> search(const Task& task, const SearchLimits& limits);

}  // namespace mobula::utgard_gp
