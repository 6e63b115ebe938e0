// Ways that are never gone, and blocks that need not be.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Makes jumps of branches on constants, drops what is never reached, leads past blocks that are empty, and joins
/// blocks that always follow each other. \return whether there was something to do.
bool straighten(Program& program);

}  // namespace mobula::ssa
