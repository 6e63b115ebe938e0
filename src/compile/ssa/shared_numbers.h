// Vectors of shared memory whose numbers are written one by one. Threads may write different ones at the same time, so
// that each must be a slot of its own: to write a whole vector would undo what others have written.
#pragma once

#include <set>

#include "compile/ssa/spirv_module.h"

namespace mobula::ssa {

/// The shared variables that have such vectors, by their ids.
std::set<Id> shared_by_numbers(const SpirvModule& module);

}  // namespace mobula::ssa
