// Positions in the window: what the machine's vertex programs write.
#pragma once

#include <string_view>

#include "compile/ssa/ssa.h"

namespace mobula::midgard_compiler {

/// Uniforms that the driver fills in.
inline constexpr std::string_view viewport_scale_name = "(viewport scale)", viewport_offset_name = "(viewport offset)";

/// Replaces every position that is stored, of clip space, by x/w, y/w, z/w * scale + offset and 1/w (reference 4.5).
void place_positions(ssa::Program& program);

}  // namespace mobula::midgard_compiler
