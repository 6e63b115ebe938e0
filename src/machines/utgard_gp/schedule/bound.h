// Lower bounds of a trace's words (reference 6.3), one for each thing that words have too little of.
#pragma once

#include <string_view>
#include <vector>

#include "machines/utgard_gp/schedule/task.h"

namespace mobula::utgard_gp {

struct Bound {
  std::string_view resource;  ///< "adders", "multipliers", "latency" ...
  unsigned words = 0;         ///< needed at least for this resource's sake
};

/// All bounds, the strictest first. Never empty; each holds for every schedule of the trace.
std::vector<Bound> lower_bounds(const Task& task);

}  // namespace mobula::utgard_gp
