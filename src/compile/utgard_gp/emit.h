// From operations with registers to words: in order, each in the first word that has room for it and in which what it
// reads is there. Reference 2 to 4.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/utgard_gp/allocate.h"
#include "compile/utgard_gp/code.h"

namespace mobula::utgard_gp_compiler {

/// Machine code. `one`: where the number 1 is, for jumps. CO030 if it is too long.
std::vector<std::uint8_t> emit(const Code& code, const Allocation& allocation, const Operand& one);

}  // namespace mobula::utgard_gp_compiler
