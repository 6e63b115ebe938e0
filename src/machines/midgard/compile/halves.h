// Floats of 16 bits: which values of the code are kept so.
#pragma once

#include "machines/midgard/compile/code.h"

namespace mobula::midgard_compiler {

/// Lets values be floats of 16 bits for which that is enough and which only floating-point arithmetic makes and reads,
/// as it widens what it reads and narrows what it writes. What decides (comparisons, whole numbers, places of texels)
/// and all that it is computed from keeps 32 bits. False if there is no such value.
bool use_halves(Code& code);

}  // namespace mobula::midgard_compiler
