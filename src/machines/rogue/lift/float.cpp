#include "machines/rogue/lift/float.h"

#include <bit>
#include <numbers>

namespace mobula::rogue::lifting {
namespace {

constexpr std::uint32_t exponent_bits = 0x7F800000, sign_bit = 0x80000000, one = 0x3F800000;

Round rounding(const GroupContext& context) {
  return context.settings.is(PolicyId::rounding, "zero") ? Round::zero : Round::even;
}

Operand flushed(GroupContext& context, Operand bits) {
  if (context.settings.is(PolicyId::denormals, "keep")) return bits;
  const Operand exponent = context.i32(Op::iand, bits, context.b.constant_u32(exponent_bits));
  const Operand is_small = context.i32(Op::ieq, exponent, context.zero());
  return context.choose(is_small, context.i32(Op::iand, bits, context.b.constant_u32(sign_bit)), bits);
}

/// Complex operations are computed in doubles and rounded once.
class Wide {
 public:
  explicit Wide(GroupContext& context) : b(context.b) {}
  Operand from(Operand x) { return b.convert(Op::f2f, Type::f64, Type::f32, x); }
  Operand to(Operand x) { return b.convert(Op::f2f, Type::f32, Type::f64, x); }
  Operand number(double value) { return b.constant_u64(std::bit_cast<std::uint64_t>(value)); }
  Operand operator()(Op op, Operand x) { return b.unary(op, Type::f64, x); }
  Operand operator()(Op op, Operand x, Operand y) { return b.binary(op, Type::f64, x, y); }
  Operand pick(Operand mask, Operand x, Operand y) { return b.ternary(Op::select, Type::i64, x, y, mask); }
  Operand less(Operand x, Operand y) { return b.binary(Op::flt, Type::f64, x, y); }
  Operand minus(Operand x, Operand y) { return (*this)(Op::fadd, x, (*this)(Op::fneg, y)); }
  Operand power(Operand x, double exponent) {
    return (*this)(Op::fexp2, (*this)(Op::fmul, (*this)(Op::flog2, x), number(exponent)));
  }

  ir::Builder& b;
};

constexpr std::string_view srgb_note = "the curve is assumed to be that of sRGB";

/// All ones where the magnitude's bits are below `limit`.
Operand is_tiny(GroupContext& context, Operand bits, std::uint32_t limit) {
  const Operand magnitude = context.b.unary(Op::fabs, Type::f32, bits);
  return context.i32(Op::ilt_u, magnitude, context.b.constant_u32(limit));
}

void note_precision(GroupContext& context, const Item& item) {
  if (item.get(F::lp) != 0) context.unknown("the accuracy of low precision is unknown; it is assumed to be exact");
}

}  // namespace

Operand float_operand(GroupContext& context, Operand bits, FloatModifiers modifiers) {
  Operand value = flushed(context, bits);
  if (modifiers.floor) value = context.b.unary(Op::fround, Type::f32, value, Round::down);
  if (modifiers.absolute) value = context.b.unary(Op::fabs, Type::f32, value);
  if (modifiers.negated) value = context.b.unary(Op::fneg, Type::f32, value);
  return value;
}

FloatModifiers float_modifiers(const Item& item, unsigned source) {
  const SourceModifiers& fields = source_modifiers[source];
  const auto has = [&](F field) { return field != F::count_ && item.get(field) != 0; };
  return {has(fields.floor), has(fields.absolute), has(fields.negated)};
}

Operand float_result(GroupContext& context, const Item& item, Operand value) {
  const Operand result = flushed(context, value);
  return item.get(F::sat) == 0 ? result : context.b.unary(Op::fclamp_unit, Type::f32, result);
}

Operand float_sum(GroupContext& context, const Item& item, Operand x, Operand y) {
  note_precision(context, item);
  return float_result(context, item, context.b.binary(Op::fadd, Type::f32, x, y, rounding(context)));
}
Operand float_product(GroupContext& context, const Item& item, Operand x, Operand y) {
  note_precision(context, item);
  return float_result(context, item, context.b.binary(Op::fmul, Type::f32, x, y, rounding(context)));
}
Operand float_multiply_add(GroupContext& context, const Item& item, Operand x, Operand y, Operand z) {
  ir::Builder& b = context.b;
  const Round round = rounding(context);
  note_precision(context, item);
  if (context.settings.is(PolicyId::fma, "fused"))
    return float_result(context, item, b.ternary(Op::ffma, Type::f32, x, y, z, round));
  const Operand product = flushed(context, b.binary(Op::fmul, Type::f32, x, y, round));
  return float_result(context, item, b.binary(Op::fadd, Type::f32, product, z, round));
}

SingleResult float_function(GroupContext& context, Op op, Operand operand) {
  return {.w0 = flushed(context, context.b.unary(op, Type::f32, operand, Round::even))};
}
SingleResult log2_variant(GroupContext& context, Operand operand) {
  context.unknown("the purpose of flogcn is unknown; it is assumed to be flog");
  return float_function(context, Op::flog2, operand);
}

// The curve of sRGB, from the constants sc136 to sc140 that the hardware has for it.
SingleResult to_srgb(GroupContext& context, Operand operand) {
  context.inferred(std::string(srgb_note));
  Wide f(context);
  const Operand x = f.from(operand);
  const Operand straight = f(Op::fmul, x, f.number(12.92));
  const Operand curve = f.minus(f(Op::fmul, f.power(x, 1 / 2.4), f.number(1.055)), f.number(0.055));
  return {.w0 = flushed(context, f.to(f.pick(f.less(x, f.number(0.0031308)), straight, curve)))};
}
SingleResult from_srgb(GroupContext& context, Operand operand) {
  context.inferred(std::string(srgb_note));
  Wide f(context);
  const Operand x = f.from(operand);
  const Operand straight = f(Op::fmul, x, f.number(1 / 12.92));
  const Operand curve = f.power(f(Op::fmul, f(Op::fadd, x, f.number(0.055)), f.number(1 / 1.055)), 2.4);
  return {.w0 = flushed(context, f.to(f.pick(f.less(x, f.number(0.04045)), straight, curve)))};
}

SingleResult sinc(GroupContext& context, Operand operand) {
  Wide f(context);
  constexpr std::uint32_t least_exponent = 103, half_pi = 0x3FC90FDB;
  const Operand x = f.from(operand);
  const Operand ratio = f.to(f(Op::fmul, f(Op::fsinpi, f(Op::fmul, x, f.number(0.5))), f(Op::frcp, x)));
  const Operand small = is_tiny(context, operand, least_exponent << 23);
  context.inferred("fsinc is assumed always to ask for the final multiply");
  return {.w0 = context.choose(small, context.b.constant_u32(half_pi), ratio), .p0 = context.ones()};
}

SingleResult arctan_ratio(GroupContext& context, Operand operand) {
  Wide f(context);
  const Operand x = f.from(operand);
  const Operand ratio = f.to(f(Op::fmul, f(Op::fatan2_final, f.number(0), x), f(Op::frcp, x)));
  return {.w0 = context.choose(is_tiny(context, operand, 0x39C00000), context.b.constant_u32(one), ratio)};
}

SingleResult reduction(GroupContext& context, const Item& item, Operand operand) {
  context.inferred("what the parts of fred hand to each other is assumed to be the argument");
  const Operand p0 = context.zero();  // never again
  if (item.get(F::red_part) == 0) return {.w0 = context.zero(), .w1 = operand, .p0 = p0};
  constexpr unsigned cosine = 1;
  Wide f(context);
  Operand turns = f(Op::fmul, f.from(operand), f.number(2 / std::numbers::pi));  // quarter turns
  if (item.get(F::red_type) == cosine) turns = f(Op::fadd, turns, f.number(1));
  const Operand whole = f(Op::fround, f(Op::fmul, turns, f.number(0.25)));
  const Operand rest = f.minus(turns, f(Op::fmul, whole, f.number(4)));  // -2..2
  const Operand right = f.minus(f.number(2), rest), left = f.minus(f.number(-2), rest);
  const Operand reduced = f.pick(f.less(f.number(1), rest), right, f.pick(f.less(rest, f.number(-1)), left, rest));
  return {.w0 = flushed(context, f.to(reduced)), .w1 = operand, .p0 = p0};
}

SingleResult complex_result(GroupContext& context, const Item& instruction, Operand operand) {
  using does::Early;
  switch (instruction.op->does.as<Early>()) {
    case Early::reciprocal:
      return float_function(context, Op::frcp, operand);
    case Early::reciprocal_root:
      return float_function(context, Op::frsqrt, operand);
    case Early::log2:
      return float_function(context, Op::flog2, operand);
    case Early::log2_variant:
      return log2_variant(context, operand);
    case Early::exp2:
      return float_function(context, Op::fexp2, operand);
    case Early::sinc:
      return sinc(context, operand);
    case Early::arctan_ratio:
      return arctan_ratio(context, operand);
    case Early::to_srgb:
      return to_srgb(context, operand);
    case Early::from_srgb:
      return from_srgb(context, operand);
    case Early::multiply_add:
    case Early::add:
    case Early::multiply:
    case Early::copy:
    case Early::derivative_x:
    case Early::derivative_y:
    case Early::fine_derivative_x:
    case Early::fine_derivative_y:
    case Early::reduce:
    case Early::narrow_add:
    case Early::narrow_multiply:
    case Early::narrow_multiply_add:
    case Early::add_word_to_pair:
    case Early::add_pairs:
    case Early::multiply_add_word:
    case Early::multiply_add_pair:
    case Early::unpack:
      break;
  }
  return {};
}

}  // namespace mobula::rogue::lifting
