// Blocks of SPIR-V with many calls.
#pragma once

#include "compile/front/shader.h"

namespace mobula::compile {

/// Cuts blocks behind each so many calls: where SPIRV-Tools replaces a call by what it calls, it walks through all that
/// stands around it in its block.
/// \return whether there was one.
bool cut_behind_calls(Spirv& module);

}  // namespace mobula::compile
