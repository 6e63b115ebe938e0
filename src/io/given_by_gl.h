// Variables that GLSL itself declares and that inputs may leave out: their values by default, and with one sample for
// each pixel.
#pragma once

#include <vector>

#include "mobula/isa/program.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// gl_NumSamples is 1; gl_DepthRange is from 0 to 1. Of those that the interface has, where they are.
std::vector<UniformWords> uniforms_given_by_gl(const Interface& interface);

/// The sample of a fragment, unless the inputs give it: number 0, in the middle of the pixel, covered.
void give_sample(RunInputs& inputs, const Interface& interface);

}  // namespace mobula::io
