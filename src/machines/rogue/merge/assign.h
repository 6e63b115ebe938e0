// Registers for the values of a region whose groups have found their order.
#pragma once

#include <span>

#include "machines/rogue/merge/clusters.h"

namespace mobula::rogue {

/// Gives the values that do not stay the lowest temporaries that are free for so long, below `limit`, and their names
/// to the groups. `live`: what is needed behind the region. False if there are too few, or a group cannot hold them.
bool assign_registers(const Region& region, std::span<OpenGroup> groups, const RegisterSet& live, unsigned limit);

}  // namespace mobula::rogue
