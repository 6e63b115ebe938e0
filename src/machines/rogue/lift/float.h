// Float instructions of the main ALU (reference 3.1, 3.2): the micro-operations of one result.
#pragma once

#include "machines/rogue/lift/group.h"

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

// fadd, fmul, fmad on operands that have their modifiers.
Operand float_sum(GroupContext& context, const Item& item, Operand x, Operand y);
Operand float_product(GroupContext& context, const Item& item, Operand x, Operand y);
Operand float_multiply_add(GroupContext& context, const Item& item, Operand x, Operand y, Operand z);

/// What an operation with one source, and fred, gives.
struct SingleResult {
  Operand w0, w1, p0;  ///< none = not driven
};
// Of an operand that has its modifiers.
/// frcp, frsq, flog, fexp: what the micro-operation gives.
SingleResult float_function(GroupContext& context, Op op, Operand operand);
SingleResult log2_variant(GroupContext& context, Operand operand);
/// sin(pi x / 2) / x; P0 says that the reduced argument is still to be multiplied.
SingleResult sinc(GroupContext& context, Operand operand);
/// arctan(x) / x.
SingleResult arctan_ratio(GroupContext& context, Operand operand);
SingleResult to_srgb(GroupContext& context, Operand operand);
SingleResult from_srgb(GroupContext& context, Operand operand);
/// A complex operation with one source: all of them but fred.
SingleResult complex_result(GroupContext& context, const Item& instruction, Operand operand);
/// fred: part A hands the argument on; part B gives r in -1..1 with sin(pi r / 2) the sine or cosine of it.
SingleResult reduction(GroupContext& context, const Item& item, Operand operand);

}  // namespace mobula::rogue::lifting
