// What the operations of ops.inc compute: their definition, for evaluation and for folding alike.
#pragma once

#include <array>
#include <span>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// A value: floats and integers as their bits, booleans as 0 and 1, zeros behind the last component.
using Bits = std::array<std::uint32_t, 4>;

/// The result of an instruction that only computes: those of ops.inc but for ddx and ddy, constant, compose, swizzle,
/// extract and insert. Sums, products, quotients and roots are correctly rounded to 32 bits; what is harder is computed
/// in 64 and rounded. `types` are those of the operands.
Bits compute(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types);

}  // namespace mobula::ssa
