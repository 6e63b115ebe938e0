// Positions in the window: what vertex programs write on machines that do not compute them.
#pragma once

#include <optional>
#include <string_view>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Uniforms that the driver fills in.

struct PositionRules {
  std::optional<float> bound;  ///< of the magnitude of 1/w
  bool scales_first = false;   ///< x * scale / w, which need not wait for 1/w, instead of x / w * scale
};

/// Replaces every position that is stored, of clip space, by x/w, y/w, z/w * scale + offset and 1/w. So what is known
/// of w saves the division.
void place_positions(Program& program, const PositionRules& rules = {});

}  // namespace mobula::ssa
