// What stands for each operation, by their kinds. A function gives `none` for an operation that it does not know, or
// that nothing native makes up for.
#pragma once

#include <vector>

#include "compile/passes/lower/numbers.h"

namespace mobula::ssa {

/// The operands of what is replaced.
struct Operands {
  Builder& in;
  const std::vector<Value>& values;
  [[nodiscard]] Real real(std::size_t number) const { return {&in, values[number]}; }
  [[nodiscard]] Integer integer(std::size_t number) const { return {&in, values[number]}; }
  [[nodiscard]] Boolean boolean(std::size_t number) const { return {&in, values[number]}; }
};

Value expand_float(Op op, const Operands& from);
Value expand_function(Op op, const Operands& from);  ///< exponentials, logarithms, of angles
Value expand_exponent(Op op, const Operands& from);  ///< taking floats apart and putting them together
Value expand_conversion(Op op, const Operands& from);
Value expand_integer(Op op, const Operands& from);
Value expand_division(Op op, const Operands& from);  ///< of integers
Value expand_boolean(Op op, const Operands& from);

/// By whichever knows it. Throws std::logic_error if none does.
Value expand(Builder& in, Op op, const std::vector<Value>& operands);

}  // namespace mobula::ssa
