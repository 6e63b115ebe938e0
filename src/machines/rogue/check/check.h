// The checker: every rule of rules.h over a whole program.
#pragma once

#include "core/export.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

/// Findings in the order of the groups; empty = nothing to say.
MOBULA_INTERNAL Diagnostics check(const Program& program);

/// What is wrong with groups by themselves: for groups that are not a whole program.
MOBULA_INTERNAL Diagnostics check_groups(const Program& program);

}  // namespace mobula::rogue
