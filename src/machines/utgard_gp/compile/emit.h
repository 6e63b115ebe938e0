// From operations with registers to words: in order, each in the first word that has room for it and in which what it
// reads is there. Reference 2 to 4.
#pragma once

#include "machines/utgard_gp/compile/allocate.h"
#include "machines/utgard_gp/compile/code.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp_compiler {

/// The program's code and lines. Operations of several lines share a word only where the program would otherwise be too
/// long. `one`: where the number 1 is, for jumps. CO030 if it is too long.
void emit(const Code& code, const Allocation& allocation, const Operand& one, Program& program);

}  // namespace mobula::utgard_gp_compiler
