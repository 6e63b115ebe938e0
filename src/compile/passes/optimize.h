// All passes, in an order and as often as it pays.
#pragma once

#include "compile/ssa/ssa.h"
#include "mobula/compile/shader.h"

namespace mobula::ssa {

/// How much; and what a machine has or lacks.
struct Effort {
  unsigned level = compile::usual_level;  ///< 0: nothing; 1: what is fast; 2: everything
  unsigned branch_operations = 12;        ///< a branch of no more is executed as one
  unsigned loop_operations = 64;          ///< a loop that comes to no more is written out
  unsigned chosen_elements = 0;           ///< an array of no more needs no memory, even if its index is not known
  bool multiplies_and_adds = false;       ///< `ffma` is one operation
};

/// Level 1: simplify(), with the algebra that GLSL permits, and without what is never reached. Level 2: also loops
/// written out, local arrays as values and small branches as choices, in rounds until there is nothing left to do.
void optimize(Program& program, const Effort& effort);

}  // namespace mobula::ssa
