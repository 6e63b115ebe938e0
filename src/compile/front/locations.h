// Locations of inputs and outputs that the source gives none.
#pragma once

#include <span>
#include <string>

#include "compile/front/shader.h"

namespace mobula::compile {

/// Counts inputs and outputs that have none, vector by vector, in the order in which their names are declared, past
/// those that the source gives. Those of GLSL itself need none. (glslang can do so, too, but looks through all
/// functions for each that is called.)
Spirv with_locations(const Spirv& module, std::span<const std::string> declared);

}  // namespace mobula::compile
