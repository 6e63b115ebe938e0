// Where the inputs, outputs and uniforms of a shader are on Rogue, and the interface that says so to whoever runs the
// program (docs/rogue-execution.md, Inputs).
#pragma once

#include <cstdint>
#include <vector>

#include "compile/ssa/ssa.h"
#include "mobula/isa/program.h"

namespace mobula::rogue_compiler {

struct Layout {
  Interface interface;
  /// By variable and slot the first register: of uniforms sh, of attributes vi, of colours po; of varyings the first
  /// set of coefficients, of what a vertex puts out its first number, of textures the first sh of their state; of local
  /// arrays the word from their beginning.
  std::vector<std::vector<std::uint32_t>> first;
  std::vector<std::uint32_t> stride;  ///< of indexed uniforms and local arrays: registers from slot to slot
  std::vector<bool> is_indexed;       ///< at run time
};

/// Coefficient sets of gl_FragCoord's last components, and of 1/w.
inline constexpr std::uint32_t depth_set = 2, w_set = 3, registers_of_a_set = 4;

Layout lay_out(const ssa::Program& program);

}  // namespace mobula::rogue_compiler
