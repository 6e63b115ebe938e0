// Where the inputs, outputs, uniforms and constants of a shader are: attributes, varyings and memory, and the interface
// that says so to whoever runs the program. Reference 5.
#pragma once

#include <map>
#include <vector>

#include "compile/ssa/ssa.h"
#include "machines/utgard_gp/compile/code.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp_compiler {

/// Integers are exact as floats up to this magnitude.
inline constexpr std::int32_t most_integer = 1 << 24;
/// A number of the form as the machine has it. CO030 if that is not exact.
float as_float(std::uint32_t bits, ssa::Base base, std::uint32_t line);

class Layout {
 public:
  /// CO030 if the machine has not got as many of something. `memory`: vec4s.
  Layout(const ssa::Program& program, unsigned memory);

  /// Whether a slot has a place: local variables have none, except for tables of constants.
  [[nodiscard]] bool is_placed(std::uint32_t variable) const { return !places_[variable].empty(); }
  /// Attribute or vec4 of memory of a slot; of an output the component where it begins, 4 * varying + component.
  [[nodiscard]] std::uint32_t place(std::uint32_t variable, std::uint32_t slot) const {
    return places_[variable][slot];
  }
  /// Puts two numbers side by side where the pass unit finds the bounds of a clamp, unless one is elsewhere already.
  void place_bounds(std::uint32_t low, std::uint32_t high);
  /// Where a number is that comes with the program.
  Operand constant(std::uint32_t bits);
  /// A number of memory that nothing else is in.
  Operand temporary();

  [[nodiscard]] const Interface& interface() const { return interface_; }

 private:
  void place_inputs(const ssa::Program& program);
  void place_outputs(const ssa::Program& program);
  void place_uniforms(const ssa::Program& program);
  void place_tables(const ssa::Program& program);
  void place_viewport(const ssa::Program& program);
  void place_constant(std::uint32_t bits, std::uint32_t word);
  std::uint32_t take_vec4();

  Interface interface_;
  std::vector<std::vector<std::uint32_t>> places_;  ///< by variable and slot
  unsigned memory_;
  std::uint32_t vec4s_ = 0;                             ///< of memory that are taken
  std::map<std::uint32_t, std::uint32_t> words_;        ///< of constants, by their bits
  std::vector<std::uint32_t> free_words_;               ///< of the vec4s that constants have taken
  std::uint32_t temporaries_ = 0, temporary_vec4_ = 0;  ///< how many there are, and where the last of them are
};

}  // namespace mobula::utgard_gp_compiler
