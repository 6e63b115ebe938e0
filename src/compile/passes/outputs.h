// Outputs as values until the end.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Keeps what is written to an output more than once, or at an index that is known at run time only, or read again, in
/// a local variable, and writes the output where the program ends.
void gather_outputs(Program& program);

}  // namespace mobula::ssa
