// Outputs as values until the end.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Keeps what is written to an output more than once, or read again, in a local variable, and writes the output where
/// the program ends. Outputs that an index known at run time only goes into stay.
void gather_outputs(Program& program);

}  // namespace mobula::ssa
