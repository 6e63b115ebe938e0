// Booleans in uniforms and varyings: GLSL has them, SPIR-V has none with a form in memory.
#pragma once

#include "compile/front/shader.h"

namespace mobula::compile {

/// The module with unsigned integers in place of the booleans of its interface: 0 is false, and what is loaded is
/// compared with 0. A module without such booleans comes back as it is.
Spirv without_interface_booleans(Spirv module);

}  // namespace mobula::compile
