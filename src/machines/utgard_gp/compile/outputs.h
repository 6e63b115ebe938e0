// Outputs are values until the program ends.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::utgard_gp_compiler {

/// What is stored to outputs, and read of them, is kept in local variables, which the only block that leaves stores to
/// the outputs.
void store_outputs_at_the_end(ssa::Program& program);

}  // namespace mobula::utgard_gp_compiler
