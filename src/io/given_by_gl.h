// What OpenGL gives where inputs leave it out: uniforms with an initial value, and with one sample for each pixel what
// GLSL itself declares.
#pragma once

#include "mobula/isa/program.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Unless the inputs give them: uniforms have the values of their declaration, gl_NumSamples is 1, and gl_DepthRange
/// from 0 to 1.
void give_uniforms_of_gl(RunInputs& inputs, const Interface& interface);

/// The sample of a fragment, unless the inputs give it: number 0, in the middle of the pixel, covered.
void give_sample(RunInputs& inputs, const Interface& interface);

}  // namespace mobula::io
