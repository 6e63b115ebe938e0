// Loops whose number of turns is known, as so many copies of what they repeat.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Of loops that a condition ends which only constants decide, turn by turn, where turns times operations are no more
/// than so many. The copies are left to simplify() and straighten(): whoever nests loops calls all three again.
/// \return whether there was one.
bool unroll(Program& program, unsigned most_operations);

}  // namespace mobula::ssa
