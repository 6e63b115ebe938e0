// What GLSL permits to be computed in another way.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Writes operations as cheaper ones that mean the same: what adding 0 and multiplying by 1 leave, divisions by
/// constants as products, small powers, `fdot` of zeros, roots compared by their squares, choices of booleans, unsigned
/// quotients by powers of two. Where floats may differ in their last places, in the sign of zero, or where there are
/// infinities and NaNs, `precise` forbids it. A constant becomes the second operand where the order is free. \return
/// whether there was something to do.
bool rewrite_algebra(Program& program);

/// Sums of products become `ffma`, but for `precise` ones: for machines that have it. Who else reads a product does not
/// matter, so that an expression has one result in all shaders, as `invariant` asks.
void contract(Program& program);

}  // namespace mobula::ssa
