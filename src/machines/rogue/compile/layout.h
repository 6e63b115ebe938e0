// Where the inputs, outputs and uniforms of a shader are on Rogue, and the interface that says so to whoever runs the
// program (docs/rogue-execution.md, Inputs).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compile/ssa/ssa.h"
#include "core/system_values.h"
#include "mobula/isa/program.h"

namespace mobula::rogue_compiler {

struct Layout {
  Interface interface;
  /// By variable and slot the first register: of uniforms and shared variables sh, of attributes vi, of colours po; of
  /// varyings the first set of coefficients, of what a vertex puts out its first number, of textures the first sh of
  /// their state; of local arrays the word from their beginning. A uniform block has one, its first sh, and a storage
  /// block its number.
  std::vector<std::vector<std::uint32_t>> first;
  /// Of indexed uniforms, shared variables and local arrays: registers from slot to slot. Of a uniform block: all.
  std::vector<std::uint32_t> stride;
  std::vector<bool> is_indexed;  ///< at run time
  /// Where the four words of each are in sh.
  std::map<std::pair<SystemValueType, std::uint32_t>, std::uint32_t> system_values;
  std::uint32_t local_id = 0, group_id = 0;  ///< vi of three words each
  std::uint32_t barrier = 0;                 ///< sh of what tasks count at barriers, if there are several
  std::uint32_t first_free_input = 0;        ///< vi that hold nothing at first from here on
};

/// Coefficient sets of gl_FragCoord's last components, and of 1/w.
inline constexpr std::uint32_t depth_set = 2, w_set = 3, registers_of_a_set = 4;
inline constexpr std::uint32_t barrier_registers = 2;
inline constexpr std::uint32_t state_registers = 4;  ///< of a texture or an image

/// What names the size of a texture or an image among the system values.
SystemValueType size_type(const ssa::Variable& texture);
std::uint32_t size_id(const ssa::TextureAccess& access, const ssa::Variable& texture, std::uint32_t number);

/// Of an atomic operation, how many operands come before the place.
constexpr std::size_t values_before_place(ssa::AtomicOp op) {
  return op == ssa::AtomicOp::load ? 0 : op == ssa::AtomicOp::compare_exchange ? 2 : 1;
}

/// Threads that run in lockstep, which need no barrier. All tasks of a workgroup have their shared registers in common.
inline constexpr std::uint32_t task_threads = 32;
std::uint32_t threads_of(const ssa::Program& program);

/// What an operand adds to the index register is less than 256: from this shared register on, the index counts.
constexpr std::uint32_t counted_from(std::uint32_t first) {
  constexpr std::uint32_t most_added = 256, vector = 4;
  return first + vector > most_added ? first : 0;
}

Layout lay_out(const ssa::Program& program);

}  // namespace mobula::rogue_compiler
