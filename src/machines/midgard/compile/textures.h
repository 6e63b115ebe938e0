// What the machine's programs compute of texture accesses themselves.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::midgard_compiler {

/// Makes of every texture that is read with gradients one that is read at a level, and of every size that of level 0 of
/// a texture (or image) whose number is known.
void prepare_textures(ssa::Program& program);

}  // namespace mobula::midgard_compiler
