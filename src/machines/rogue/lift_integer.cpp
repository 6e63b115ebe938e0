#include "machines/rogue/lift_integer.h"

namespace mobula::rogue::lifting {
namespace {

/// Absolute value, then negation, in two's complement.
Operand modified(GroupContext& context, const Item& item, unsigned source, Operand value, Type type = Type::i32) {
  ir::Builder& b = context.b;
  const SourceModifiers& fields = source_modifiers[source];
  const Operand zero = b.constant(type, 0);
  Operand result = value;
  if (item.get(fields.absolute) != 0) {
    const Operand is_negative = b.binary(Op::ilt_s, type, result, zero);
    const Operand negated = b.binary(Op::isub, type, zero, result);
    result = b.ternary(Op::select, type, negated, result, is_negative);
  }
  if (item.get(fields.negated) != 0) result = b.binary(Op::isub, type, zero, result);
  return result;
}

/// 1 where P0 is a carry, if the instruction takes one.
Operand carry_in(GroupContext& context) { return context.i32(Op::iand, context.state.p0, context.b.constant_u32(1)); }

Operand extended(GroupContext& context, Operand value, bool is_signed) {
  return context.b.convert(is_signed ? Op::sext : Op::zext, Type::i64, Type::i32, value);
}

/// a + c, + P0 if the instruction takes a carry; the carry out is that of the last bit of `type`.
WideResult sum(GroupContext& context, const Item& item, Type type, Operand a, Operand c) {
  ir::Builder& b = context.b;
  Operand total = b.binary(Op::iadd, type, a, c);
  Operand carry = b.binary(Op::ilt_u, type, total, a);
  if (item.get(F::cin) != 0) {
    const Operand in = type == Type::i64 ? extended(context, carry_in(context), false) : carry_in(context);
    const Operand more = b.binary(Op::iadd, type, total, in);
    carry = b.binary(Op::ior, type, carry, b.binary(Op::ilt_u, type, more, total));
    total = more;
  }
  if (type == Type::i32) return {.low = total, .carry = carry};
  return {.low = total, .high = total.plus(4), .carry = carry};
}

}  // namespace

Operand narrow_integer(GroupContext& context, const Item& item) {
  ir::Builder& b = context.b;
  const bool is_signed = item.get(F::s) != 0, is_16 = item.get(F::f) != 0;
  const Type type = is_16 ? Type::i16 : Type::i8;
  const unsigned elements = is_16 ? 2 : 4;
  const auto operand = [&](unsigned source) {
    const SourceModifiers& fields = source_modifiers[source];
    unsigned element = item.get(fields.element);
    if (fields.element_high != F::count_) element += 2 * item.get(fields.element_high);
    const Operand word = context.read(source);
    const Operand wide =
        b.convert(is_signed ? Op::sext : Op::zext, Type::i32, type, word.plus(bytes_of(type) * (element % elements)));
    return modified(context, item, source, wide);
  };
  const bool is_mad = item.form->find(F::s2hi) != nullptr;
  Operand result;
  if (is_mad)
    result = context.i32(Op::iadd, context.i32(Op::imul, operand(0), operand(1)), operand(2));
  else
    result = context.i32(item.get(F::int8_16_op) == 0 ? Op::iadd : Op::imul, operand(0), operand(1));
  context.inferred("8- and 16-bit results are taken to be extended to 32 bits");
  // A product of 16-bit numbers that are not negative may have bit 31 set: as unsigned it is large, not negative.
  const bool is_large = !is_signed && is_16 && (is_mad || item.get(F::int8_16_op) != 0);
  const Op saturate = is_signed ? Op::sat_s2s : is_large ? Op::sat_u2u : Op::sat_s2u;
  const Operand narrow = b.convert(item.get(F::sat) != 0 ? saturate : Op::trunc, type, Type::i32, result);
  return b.convert(is_signed ? Op::sext : Op::zext, Type::i32, type, narrow);
}

WideResult wide_integer(GroupContext& context, const Item& item, Operand external) {
  ir::Builder& b = context.b;
  constexpr unsigned add6432 = 0, add64 = 1, madd32 = 2;
  const unsigned op = item.get(F::int32_64_op);
  const bool is_signed = item.get(F::s) != 0;
  const Operand s0 = context.read(0), s1 = context.read(1), s2 = context.read(2);
  if (op == madd32) {
    const Operand product = context.i32(Op::imul, modified(context, item, 0, s0), modified(context, item, 1, s1));
    return sum(context, item, Type::i32, product, modified(context, item, 2, s2));
  }
  if (op == add6432 || op == add64) {
    if (item.get(F::s1abs) != 0 || item.get(F::s1neg) != 0)
      context.unknown("what a modifier of the high word of a 64-bit operand does is unknown; it is left out");
    const Operand a = modified(context, item, 0, context.pair(s0, s1), Type::i64);
    const Operand c = op == add64 ? modified(context, item, 2, context.pair(s2, external), Type::i64)
                                  : extended(context, modified(context, item, 2, s2), is_signed);
    return sum(context, item, Type::i64, a, c);
  }
  const Operand x = extended(context, modified(context, item, 0, s0), is_signed);
  const Operand y = extended(context, modified(context, item, 1, s1), is_signed);
  const Operand c = modified(context, item, 2, context.pair(s2, external), Type::i64);
  return sum(context, item, Type::i64, b.binary(Op::imul, Type::i64, x, y), c);
}

}  // namespace mobula::rogue::lifting
