// From the form to operations of the machine.
#pragma once

#include "compile/ssa/ssa.h"
#include "machines/utgard_gp/compile/code.h"
#include "machines/utgard_gp/compile/layout.h"

namespace mobula::utgard_gp_compiler {

/// Arrays of no more elements become values, whatever indexes them.
inline constexpr unsigned most_chosen = 16;

/// Preconditions: functions that the machine has not got are lowered, and outputs are only stored to where the program
/// ends. What it cannot do is refused: CO030.
Code select(const ssa::Program& program, const Layout& layout);

}  // namespace mobula::utgard_gp_compiler
