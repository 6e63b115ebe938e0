// Divisions that the optimiser of SPIR-V must not look at.
#pragma once

#include "compile/front/shader.h"

namespace mobula::compile {

/// Quotients and signed remainders of integers under the names of other operations, which no valid module has of
/// integers. The optimiser ends the process where it divides the least integer by -1, and takes -(a / b) for a / -b of
/// unsigned numbers, too; what it does not know it leaves as it is.
void hide_divisions(Spirv& module);
/// The reverse.
void show_divisions(Spirv& module);

}  // namespace mobula::compile
