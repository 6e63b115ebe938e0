// textureGather, which Rogue is not known to have.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::rogue_compiler {

/// Makes of every gather from a flat texture, comparing ones aside, four samples in the middle of the texels, which
/// filters leave as they are.
void expand_gathers(ssa::Program& program);

}  // namespace mobula::rogue_compiler
