// What passes do with blocks and the ways between them.
#pragma once

#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Operations of a block that a machine has to execute: all but constants and phis.
unsigned count_operations(const Block& block);

/// The end is changed by who calls; this is what `to` knows of a way that is gone.
void forget_way(Program& program, std::uint32_t from, std::uint32_t to);

/// Drops blocks that nothing leads to, and numbers the others anew in their order.
/// \return whether there was one.
bool drop_unreached(Program& program);

/// An instruction of the same line that makes a new value.
Instruction make_beside(Program& program, const Instruction& model, Op op, Type type, std::vector<Value> operands);

/// Makes the instruction another name of a value.
void become_copy(Instruction& each, Value of);

}  // namespace mobula::ssa
