// Rogue to micro-operations: a block for each group, at its byte address (reference 5). What is modelled, and what is
// not: docs/rogue-execution.md.
#pragma once

#include "mobula/isa/ir.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

/// RG801, RG802: unknown policies and values. RG901: the program is too large to be lifted. Groups that cannot be
/// executed become blocks that stop the thread and say why.
Result<ir::Program> lift(const Program& program, const Policies& policies);

}  // namespace mobula::rogue
