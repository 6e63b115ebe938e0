// Variables of the function as values.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Turns an index that is known at run time only, and has no more than so many values, into choices: a load into one of
/// each element, a store into one to each. Only of local variables, whose memory a machine may lack.
/// \return whether there was one.
bool choose_elements(Program& program, unsigned most_elements);

/// Slots of local variables become values: of arrays, and in long functions of all variables
/// (compile/front/spirv.cpp). Where the variable is also read at an index that is not known, its stores stay; where it
/// is written at one, everything does. \return whether there was one.
bool promote(Program& program);

}  // namespace mobula::ssa
