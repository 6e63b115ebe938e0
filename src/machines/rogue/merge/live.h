// Registers whose values are needed: a value that nobody reads any more need not be written.
#pragma once

#include <span>
#include <vector>

#include "core/export.h"
#include "machines/rogue/spec/access.h"

namespace mobula::rogue {

/// For each group the registers that somebody may read after it before all instances have written them again. Where
/// instances are masked out, or may be, a write keeps what others hold, so it ends nothing.
MOBULA_INTERNAL std::vector<RegisterSet> live_behind(std::span<const Group> groups);

}  // namespace mobula::rogue
