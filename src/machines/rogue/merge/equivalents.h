// Other groups that do the same: what merges only in one of several forms.
#pragma once

#include <vector>

#include "core/export.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue {

/// The group itself, and those that differ in how the same is said: operands of additions and products exchanged,
/// tests with their sides exchanged, comparisons with 0 as tests of one operand.
MOBULA_INTERNAL std::vector<Group> equivalents(const Group& group);

}  // namespace mobula::rogue
