// Float instructions of the main ALU (reference 3.1, 3.2): the micro-operations of one result.
#pragma once

#include "machines/rogue/lift_group.h"

namespace mobula::rogue::lifting {

/// A float operand as it enters the ALU: denormals as the policy says, then floor, absolute value and negation (V-32).
struct FloatModifiers {
  bool floor = false, absolute = false, negated = false;
};
Operand float_operand(GroupContext& context, Operand bits, FloatModifiers modifiers);
/// The modifiers of the first, second or third source (0..2) that the instruction's fields say.
FloatModifiers float_modifiers(const Item& item, unsigned source);
/// Denormals of a result as the policy says, then `sat`.
Operand float_result(GroupContext& context, const Item& item, Operand value);

/// fmad, fadd, fmul on operands that have their modifiers.
Operand float_arithmetic(GroupContext& context, const Item& item, std::span<const Operand> operands);

/// What an operation with one source, and fred, gives.
struct SingleResult {
  Operand w0, w1, p0;  ///< none = not driven
};
/// frcp, frsq, flog, flogcn, fexp, gcmp, gexp, fsinc, farctanc and fred of the operand in S0.
SingleResult complex_operation(GroupContext& context, const Item& item, Operand operand);

}  // namespace mobula::rogue::lifting
