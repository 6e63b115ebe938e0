// Registers whose values are needed: a value that nobody reads any more need not be written.
#pragma once

#include <span>
#include <vector>

#include "core/export.h"
#include "machines/rogue/spec/access.h"

namespace mobula::rogue {

/// For each group the registers whose values an instance that executes it may need afterwards. An instance that is
/// masked out keeps what it has until it runs again; what neighbours see of it counts as needed.
MOBULA_INTERNAL std::vector<RegisterSet> live_behind(std::span<const Group> groups);

}  // namespace mobula::rogue
