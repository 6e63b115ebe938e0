#include "machines/rogue/lift/integer.h"

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

/// Operands of 8 or 16 bits as words, and a result that becomes as narrow again.
class Narrow {
 public:
  Narrow(GroupContext& context, const Item& item)
      : c_(context),
        item_(item),
        type_(item.op->has(half_words) ? Type::i16 : Type::i8),
        is_signed_(item.op->has(signed_numbers)) {}

  Operand operand(unsigned source) {
    const SourceModifiers& fields = source_modifiers[source];
    const unsigned elements = type_ == Type::i16 ? 2 : 4;
    unsigned element = item_.get(fields.element);
    if (fields.element_high != F::count_) element += 2 * item_.get(fields.element_high);
    const Operand word = c_.read(source);
    return modified(c_, item_, source, extended_from(word.plus(bytes_of(type_) * (element % elements))));
  }
  Operand product() {
    const Operand y = operand(1), x = operand(0);
    return c_.i32(Op::imul, x, y);
  }
  /// A product of 16-bit numbers that are not negative may have bit 31 set: as unsigned it is large, not negative.
  Operand result(Operand word, bool has_product) {
    c_.inferred("8- and 16-bit results are assumed to be extended to 32 bits");
    const bool is_large = has_product && !is_signed_ && type_ == Type::i16;
    const Op saturate = is_signed_ ? Op::sat_s2s : is_large ? Op::sat_u2u : Op::sat_s2u;
    return extended_from(c_.b.convert(item_.get(F::sat) != 0 ? saturate : Op::trunc, type_, Type::i32, word));
  }

 private:
  Operand extended_from(Operand narrow) {
    return c_.b.convert(is_signed_ ? Op::sext : Op::zext, Type::i32, type_, narrow);
  }

  GroupContext& c_;
  const Item& item_;
  const Type type_;
  const bool is_signed_;
};

void note_high_modifiers(GroupContext& context, const Item& item) {
  if (item.get(F::s1abs) != 0 || item.get(F::s1neg) != 0)
    context.unknown("what a modifier of the high word of a 64-bit operand does is unknown; it is left out");
}

}  // namespace

Operand narrow_sum(GroupContext& context, const Item& item) {
  Narrow narrow(context, item);
  const Operand y = narrow.operand(1), x = narrow.operand(0);
  return narrow.result(context.i32(Op::iadd, x, y), false);
}
Operand narrow_product(GroupContext& context, const Item& item) {
  Narrow narrow(context, item);
  return narrow.result(narrow.product(), true);
}
Operand narrow_multiply_add(GroupContext& context, const Item& item) {
  Narrow narrow(context, item);
  const Operand z = narrow.operand(2), product = narrow.product();
  return narrow.result(context.i32(Op::iadd, product, z), true);
}

WideResult multiply_add_word(GroupContext& context, const Item& item) {
  const Operand s0 = context.read(0), s1 = context.read(1), s2 = context.read(2);
  const Operand product = context.i32(Op::imul, modified(context, item, 0, s0), modified(context, item, 1, s1));
  return sum(context, item, Type::i32, product, modified(context, item, 2, s2));
}
WideResult add_word_to_pair(GroupContext& context, const Item& item) {
  const Operand s0 = context.read(0), s1 = context.read(1), s2 = context.read(2);
  note_high_modifiers(context, item);
  const Operand a = modified(context, item, 0, context.pair(s0, s1), Type::i64);
  return sum(context, item, Type::i64, a,
             extended(context, modified(context, item, 2, s2), item.op->has(signed_numbers)));
}
WideResult add_pairs(GroupContext& context, const Item& item, Operand external) {
  const Operand s0 = context.read(0), s1 = context.read(1), s2 = context.read(2);
  note_high_modifiers(context, item);
  const Operand a = modified(context, item, 0, context.pair(s0, s1), Type::i64);
  return sum(context, item, Type::i64, a, modified(context, item, 2, context.pair(s2, external), Type::i64));
}
WideResult multiply_add_pair(GroupContext& context, const Item& item, Operand external) {
  const bool is_signed = item.op->has(signed_numbers);
  const Operand s0 = context.read(0), s1 = context.read(1), s2 = context.read(2);
  const Operand x = extended(context, modified(context, item, 0, s0), is_signed);
  const Operand y = extended(context, modified(context, item, 1, s1), is_signed);
  const Operand c = modified(context, item, 2, context.pair(s2, external), Type::i64);
  return sum(context, item, Type::i64, context.b.binary(Op::imul, Type::i64, x, y), c);
}

}  // namespace mobula::rogue::lifting
