// Groups in another order, so that more of them become one.
#pragma once

#include <span>
#include <vector>

#include "machines/rogue/merge/assign.h"
#include "mobula/lab/advise.h"

namespace mobula::rogue {

/// What the search made of a region.
struct OrderedRegion {
  std::vector<OpenGroup> groups;  ///< with registers; none: there are not enough registers for such an order
  std::uint32_t bound = 0;        ///< no order has fewer
};

/// The fewest groups for a region that were found, with no temporary from `limit` on. `effort`: sets of members that
/// the search looks at.
OrderedRegion order(std::span<const Group> groups, const Region& region, const RegisterSet& live, unsigned limit,
                    std::uint32_t effort, bool joins_last, Merger& merger);

}  // namespace mobula::rogue
