// clamp(x, 0.0, 1.0) is a modifier of what makes x.
#pragma once

#include "machines/rogue/compile/code.h"

namespace mobula::rogue_compiler {

/// A maximum with 0 and then a minimum with 1 become a group that saturates: the sum or product that is clamped, if all
/// that it reads is still there; otherwise a sum with -0. What nobody reads then is left to tidy().
void saturate(Code& code);

}  // namespace mobula::rogue_compiler
