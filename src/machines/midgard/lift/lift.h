// Lifting: a Midgard program as micro-operations, one block a bundle.
//
// Any bytes lift. What cannot execute (undecodable words, wrong tags, targets outside the program, unassigned opcodes)
// becomes a trap whose reason starts with the hardware's fault name, taken only when it is executed. Behaviour and its
// sources: docs/midgard-execution.md.
#pragma once

#include "mobula/isa/ir.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::midgard {

/// Fails only on policies that do not exist.
Result<ir::Program> lift(const Program& program, const Policies& policies);
Result<LiftedPieces> lift_in_pieces(const Program& program, const Policies& policies);

}  // namespace mobula::midgard
