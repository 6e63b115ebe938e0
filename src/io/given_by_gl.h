// Variables that GLSL itself declares and that inputs may leave out: their values by default, and with one sample for
// each pixel.
#pragma once

#include "mobula/isa/program.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Unless the inputs give them: gl_NumSamples is 1, and gl_DepthRange from 0 to 1.
void give_uniforms_of_gl(RunInputs& inputs, const Interface& interface);

/// The sample of a fragment, unless the inputs give it: number 0, in the middle of the pixel, covered.
void give_sample(RunInputs& inputs, const Interface& interface);

}  // namespace mobula::io
