// Constants whose values glslang does not compute.
#pragma once

#include "mobula/isa/diagnostic.h"

namespace glslang {
class TIntermediate;
}

namespace mobula::compile {

/// Whether a text has no other errors than that constants have values that glslang does not take for constant, and
/// these are computed of constants by built-in functions, as GLSL permits: `const float a = sinh(1.0)`. They stay
/// variables that nothing may write to.
bool are_unfolded_constants(const Diagnostics& errors, glslang::TIntermediate& shader);

}  // namespace mobula::compile
