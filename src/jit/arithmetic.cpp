#include "jit/arithmetic.h"

#include <limits>

#include "jit/approximations.h"

namespace mobula::jit {
namespace {

using ir::Op;
using ir::Operation;
using ir::Round;
using ir::Type;

// ---- integers

Value from_test(const Vectors& v, Type type, Value condition) {
  return v.cast(LLVMSExt, condition, v.vector(ir::as_integer(type)));
}

/// High half of a product.
Value high_product(const Vectors& v, Type type, Value a, Value b, LLVMOpcode extend) {
  const unsigned bits = ir::bits_of(type);
  if (bits == 64) return nullptr;
  const LLVMTypeRef wide = v.vector(v.integer(2 * bits));
  const Value product = v.mul(v.cast(extend, a, wide), v.cast(extend, b, wide));
  return v.cast(LLVMTrunc, v.lshr(product, v.all(v.number(2 * bits, bits))), v.vector(type));
}

Value compute_integer(const Vectors& v, const Operation& operation, Value a, Value b) {
  const Type type = operation.type;
  const Value one = v.all(type, 1);
  const auto count = [&] { return v.and_(b, v.all(type, ir::bits_of(type) - 1)); };
  const auto test = [&](LLVMIntPredicate how) { return from_test(v, type, v.test(how, a, b)); };
  switch (operation.op) {
    case Op::iadd:
      return v.add(a, b);
    case Op::isub:
      return v.sub(a, b);
    case Op::imul:
      return v.mul(a, b);
    case Op::imulhi_s:
      return high_product(v, type, a, b, LLVMSExt);
    case Op::imulhi_u:
      return high_product(v, type, a, b, LLVMZExt);
    case Op::iadd_sat_s:
      return v.binary("llvm.sadd.sat", a, b);
    case Op::iadd_sat_u:
      return v.binary("llvm.uadd.sat", a, b);
    case Op::isub_sat_s:
      return v.binary("llvm.ssub.sat", a, b);
    case Op::isub_sat_u:
      return v.binary("llvm.usub.sat", a, b);
    case Op::imin_s:
      return v.binary("llvm.smin", a, b);
    case Op::imin_u:
      return v.binary("llvm.umin", a, b);
    case Op::imax_s:
      return v.binary("llvm.smax", a, b);
    case Op::imax_u:
      return v.binary("llvm.umax", a, b);
    case Op::iavg_s:
      return v.add(v.and_(a, b), v.ashr(v.xor_(a, b), one));
    case Op::iavg_u:
      return v.add(v.and_(a, b), v.lshr(v.xor_(a, b), one));
    case Op::iravg_s:
      return v.sub(v.or_(a, b), v.ashr(v.xor_(a, b), one));
    case Op::iravg_u:
      return v.sub(v.or_(a, b), v.lshr(v.xor_(a, b), one));
    case Op::iabsdiff_s:
      return v.sub(v.binary("llvm.smax", a, b), v.binary("llvm.smin", a, b));
    case Op::iabsdiff_u:
      return v.sub(v.binary("llvm.umax", a, b), v.binary("llvm.umin", a, b));
    case Op::ishl:
      return v.shl(a, count());
    case Op::ilsr:
      return v.lshr(a, count());
    case Op::iasr:
      return v.ashr(a, count());
    case Op::ishl_sat_s:
      return v.binary("llvm.sshl.sat", a, count());
    case Op::ishl_sat_u:
      return v.binary("llvm.ushl.sat", a, count());
    case Op::iand:
      return v.and_(a, b);
    case Op::ior:
      return v.or_(a, b);
    case Op::ixor:
      return v.xor_(a, b);
    case Op::inand:
      return v.not_(v.and_(a, b));
    case Op::inor:
      return v.not_(v.or_(a, b));
    case Op::inxor:
      return v.not_(v.xor_(a, b));
    case Op::iandnot:
      return v.and_(a, v.not_(b));
    case Op::iornot:
      return v.or_(a, v.not_(b));
    case Op::inot:
      return v.not_(a);
    case Op::iclz:
      return v.call("llvm.ctlz", {v.vector(type)}, {a, v.number(1, 0)});
    case Op::ipopcnt:
      return v.unary("llvm.ctpop", a);
    case Op::ieq:
      return test(LLVMIntEQ);
    case Op::ine:
      return test(LLVMIntNE);
    case Op::ilt_s:
      return test(LLVMIntSLT);
    case Op::ile_s:
      return test(LLVMIntSLE);
    case Op::ilt_u:
      return test(LLVMIntULT);
    case Op::ile_u:
      return test(LLVMIntULE);
    default:
      return nullptr;
  }
}

Value convert_integer(const Vectors& v, const Operation& operation, Value a) {
  const Type from = operation.from;
  const LLVMTypeRef to = v.vector(operation.type);
  const unsigned bits = ir::bits_of(operation.type), from_bits = ir::bits_of(from);
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - bits), greatest_signed = greatest >> 1;
  const auto resize = [&](Value value, LLVMOpcode extend) {
    if (bits == from_bits) return value;
    return v.cast(bits > from_bits ? extend : LLVMTrunc, value, to);
  };
  switch (operation.op) {
    case Op::sext:
      return resize(a, LLVMSExt);
    case Op::zext:
    case Op::trunc:
      return resize(a, LLVMZExt);
    case Op::sat_s2s:
      a = v.binary("llvm.smin", v.binary("llvm.smax", a, v.all(from, ~greatest_signed)), v.all(from, greatest_signed));
      return resize(a, LLVMSExt);
    case Op::sat_s2u:
      a = v.binary("llvm.umin", v.binary("llvm.smax", a, v.all(from, 0)), v.all(from, greatest));
      return resize(a, LLVMZExt);
    case Op::sat_u2s:
      return resize(v.binary("llvm.umin", a, v.all(from, greatest_signed)), LLVMZExt);
    case Op::sat_u2u:
      return resize(v.binary("llvm.umin", a, v.all(from, greatest)), LLVMZExt);
    default:
      return nullptr;
  }
}

// ---- floats: halves are computed as f32, which rounds them rightly the second time

Type computed_type(Type type) { return type == Type::f16 ? Type::f32 : type; }

/// LLVM would compute with halves where it sees them beside a conversion, which it can only do lane by lane.
Value fenced(const Vectors& v, Value a) { return LLVMIsConstant(a) ? a : v.unary("llvm.arithmetic.fence", a); }
Value from_half(const Vectors& v, Value a) { return fenced(v, v.cast(LLVMFPExt, a, v.vector(Type::f32))); }
Value to_half(const Vectors& v, Value a) { return v.cast(LLVMFPTrunc, fenced(v, a), v.vector(Type::f16)); }

Value canonical(const Vectors& v, Type type, Value a) {
  const Type integer = ir::as_integer(type);
  const std::uint64_t nan = type == Type::f64 ? 0x7FF8000000000000 : 0x7FC00000;
  const Value bits = v.select(v.ftest(LLVMRealUNO, a, a), v.all(integer, nan), v.bits(a, v.vector(integer)));
  return v.bits(bits, v.vector(type));
}

Lanes arithmetic_result(const Vectors& v, Type type, Value a) {
  const Value exact = canonical(v, computed_type(type), a);
  if (type == Type::f16) return {to_half(v, exact), to_half(v, a)};
  return {exact, a};
}
/// Of a value that is no NaN.
Lanes number_result(const Vectors& v, Type type, Value a) {
  return Lanes::plain(type == Type::f16 ? to_half(v, a) : a);
}

Value minimum(const Vectors& v, Type type, Value a, Value b, bool wants_greater) {
  const LLVMTypeRef bits = v.vector(ir::as_integer(type)), number = v.vector(type);
  const Value a_bits = v.bits(a, bits), b_bits = v.bits(b, bits);
  const Value merged = v.bits(wants_greater ? v.and_(a_bits, b_bits) : v.or_(a_bits, b_bits), number);
  const Value other = v.select(v.ftest(LLVMRealOEQ, a, b), merged, b);  // equal values differ in the sign of zero only
  const Value first = v.ftest(wants_greater ? LLVMRealOGT : LLVMRealOLT, a, b);
  return v.select(v.or_(first, v.ftest(LLVMRealUNO, b, b)), a, other);
}

Value positive(const Vectors& v, Type type, Value a) {
  const Value zero = v.all_real(type, 0);
  return v.select(v.ftest(LLVMRealOGT, a, zero), a, zero);
}
Value at_most_one(const Vectors& v, Type type, Value a) {
  const Value one = v.all_real(type, 1);
  return v.select(v.ftest(LLVMRealOLT, a, one), a, one);
}

Value round_to_integral(const Vectors& v, Round round, Value a) {
  switch (round) {
    case Round::even:
      return v.unary("llvm.roundeven", a);
    case Round::zero:
      return v.unary("llvm.trunc", a);
    case Round::down:
      return v.unary("llvm.floor", a);
    case Round::up:
      return v.unary("llvm.ceil", a);
  }
  return nullptr;
}

Value round_away(const Vectors& v, Type type, Value a) {
  const Value magnitude = v.unary("llvm.fabs", a), whole = v.unary("llvm.trunc", magnitude);
  const Value up = v.ftest(LLVMRealOGE, v.fsub(magnitude, whole), v.all_real(type, 0.5));
  const Value rounded = v.fadd(whole, v.select(up, v.all_real(type, 1), v.all_real(type, 0)));
  return v.call("llvm.copysign", {v.vector(type)}, {rounded, a});
}

/// Rounds binary64 to f32, or for a half so that rounding again gives what rounding at once would: what is cut off
/// leaves a trace in the last bit.
Value narrowed(const Vectors& v, Type type, Value a) {
  if (type == Type::f16) {
    constexpr std::uint64_t last = std::uint64_t{1} << 29, cut_off = last - 1;
    const auto word = [&](std::uint64_t value) { return v.all(Type::i64, value); };
    const Value bits = v.bits(a, v.vector(Type::i64));
    const Value trace = v.and_(v.add(v.and_(bits, word(cut_off)), word(cut_off)), word(last));
    a = v.bits(v.and_(v.or_(bits, trace), word(~cut_off)), v.vector(Type::f64));
  }
  return v.cast(LLVMFPTrunc, a, v.vector(Type::f32));
}

/// 1 / sqrt(a) from the processor's estimate, whose error is below 2^-14. The series of (1 - e)^(-1/2) to its third
/// power leaves less than 2^-53.8 of it, and binary64 holds the product of the two numbers of f32 exactly, so the
/// result's error is less than 2^-52.3. No number's reciprocal root is nearer than 2^-51.8 to the middle between two of
/// f32, so rounding finds the same number as after a root and a division.
Value estimated_reciprocal_root(const Vectors& v, Value a) {
  const LLVMTypeRef wide = v.vector(Type::f64);
  const auto number = [&](double value) { return v.all_real(Type::f64, value); };
  const auto mul_add = [&](Value x, Value y, Value z) { return v.call("llvm.fma", {wide}, {x, y, z}); };
  const Value estimate = v.reciprocal_root_estimate(a), root = v.cast(LLVMFPExt, estimate, wide);
  const Value negated = LLVMBuildFNeg(v.builder(), v.fmul(v.cast(LLVMFPExt, a, wide), root), "");
  const Value e = mul_add(negated, root, number(1));
  const Value series = mul_add(mul_add(e, number(5.0 / 16), number(3.0 / 8)), e, number(1.0 / 2));
  const Value result = v.cast(LLVMFPTrunc, mul_add(v.fmul(root, e), series, root), v.vector(Type::f32));
  return v.select(v.ftest(LLVMRealUNO, result, result), estimate, result);  // of zeros, infinity and NaN
}

/// 1 / sqrt(a), computed in f64.
Value reciprocal_root(const Vectors& v, Value a) {
  if (v.has_estimates()) return estimated_reciprocal_root(v, a);
  const Value wide = v.cast(LLVMFPExt, a, v.vector(Type::f64));
  return v.cast(LLVMFPTrunc, v.fdiv(v.all_real(Type::f64, 1), v.unary("llvm.sqrt", wide)), v.vector(Type::f32));
}

Lanes compute_float(const Vectors& v, const Operation& operation, const std::array<Lanes, 3>& sources) {
  const Type type = operation.type, wide = computed_type(type);
  const bool to_nearest = operation.round == Round::even;
  std::array<Value, 3> source{};
  for (std::size_t i = 0; i < 3; ++i) {
    source[i] = sources[i].loose;
    if (source[i] != nullptr && type == Type::f16) source[i] = from_half(v, source[i]);
  }
  const Value a = source[0], b = source[1], c = source[2];
  const auto test = [&](LLVMRealPredicate how) { return Lanes::plain(from_test(v, type, v.ftest(how, a, b))); };
  const auto result = [&](Value value) { return arithmetic_result(v, type, value); };
  const auto nan_if_either = [&](Value value) {
    const Value unordered = v.ftest(LLVMRealUNO, a, b);
    return result(v.select(unordered, v.all_real(wide, std::numeric_limits<double>::quiet_NaN()), value));
  };
  switch (operation.op) {
    case Op::fadd:
      return to_nearest ? result(v.fadd(a, b)) : Lanes{};
    case Op::fmul:
      return to_nearest ? result(v.fmul(a, b)) : Lanes{};
    case Op::ffma: {
      if (!to_nearest) return {};
      if (type != Type::f16) return result(v.call("llvm.fma", {v.vector(type)}, {a, b, c}));
      // The sum of a half's product needs more bits than f32 has; what binary64 loses of it decides no rounding.
      const auto widened = [&](Value each) { return v.cast(LLVMFPExt, each, v.vector(Type::f64)); };
      const Value sum = v.fadd(v.fmul(widened(a), widened(b)), widened(c));
      return result(narrowed(v, type, sum));
    }
    case Op::fmin:
      return result(minimum(v, wide, a, b, false));
    case Op::fmax:
      return result(minimum(v, wide, a, b, true));
    case Op::fmin_nan:
      return nan_if_either(minimum(v, wide, a, b, false));
    case Op::fmax_nan:
      return nan_if_either(minimum(v, wide, a, b, true));
    case Op::fclamp_pos:
      return number_result(v, type, positive(v, wide, a));
    case Op::fclamp_unit:
      return number_result(v, type, at_most_one(v, wide, positive(v, wide, a)));
    case Op::fclamp_signed: {
      const Value low = v.all_real(wide, -1);
      return number_result(v, type, at_most_one(v, wide, v.select(v.ftest(LLVMRealOGT, a, low), a, low)));
    }
    case Op::fround:
      return result(round_to_integral(v, operation.round, a));
    case Op::fround_away:
      return result(round_away(v, wide, a));
    case Op::feq:
      return test(LLVMRealOEQ);
    case Op::fne:
      return test(LLVMRealUNE);
    case Op::flt:
      return test(LLVMRealOLT);
    case Op::fle:
      return test(LLVMRealOLE);
    case Op::frcp:
      return result(v.fdiv(v.all_real(wide, 1), a));
    case Op::fsqrt:
      return result(v.unary("llvm.sqrt", a));
    case Op::frsqrt:
      return type == Type::f64 ? Lanes{} : result(reciprocal_root(v, a));
    default: {
      if (type == Type::f64) return {};
      const Approximation found = approximated(v, operation.op, a, b);
      if (found.wide == nullptr) return {};
      const Value rounded = narrowed(v, type, found.wide);
      return result(found.sign == nullptr ? rounded : v.binary("llvm.copysign", rounded, found.sign));
    }
  }
}

Lanes convert_float(const Vectors& v, const Operation& operation, Value a) {
  const Type type = operation.type, from = operation.from;
  const LLVMTypeRef to = v.vector(type);
  const bool to_nearest = operation.round == Round::even;
  switch (operation.op) {
    case Op::f2f: {
      if (type == from) return arithmetic_result(v, type, type == Type::f16 ? from_half(v, a) : a);
      if (!to_nearest && ir::bits_of(type) < ir::bits_of(from)) return {};
      if (from == Type::f64 && type == Type::f16) return {};  // would round twice
      if (from == Type::f16 && type == Type::f32) return arithmetic_result(v, type, from_half(v, a));
      if (from == Type::f32 && type == Type::f16) return arithmetic_result(v, type, a);
      const Value source = canonical(v, from == Type::f16 ? Type::f32 : from, from == Type::f16 ? from_half(v, a) : a);
      return Lanes::plain(v.cast(ir::bits_of(type) > ir::bits_of(from) ? LLVMFPExt : LLVMFPTrunc, source, to));
    }
    case Op::f2i:
    case Op::f2u: {
      const Value number = from == Type::f16 ? from_half(v, a) : a;
      const Value whole = round_to_integral(v, operation.round, number);
      return Lanes::plain(
          v.call(operation.op == Op::f2i ? "llvm.fptosi.sat" : "llvm.fptoui.sat", {to, LLVMTypeOf(whole)}, {whole}));
    }
    case Op::i2f:
    case Op::u2f: {
      const LLVMOpcode how = operation.op == Op::i2f ? LLVMSIToFP : LLVMUIToFP;
      if (!to_nearest || from == Type::i64) return {};
      if (type != Type::f16) return Lanes::plain(v.cast(how, a, to));
      if (ir::bits_of(from) > 16) return {};  // would round twice
      return Lanes::plain(to_half(v, v.cast(how, a, v.vector(Type::f32))));
    }
    default:
      return {};
  }
}

/// Bits that only move keep both forms, where the second is known to have the same value.
Lanes move_bits(const Vectors& v, const Operation& operation, const std::array<Lanes, 3>& sources) {
  const Type type = operation.type, integer = ir::as_integer(type);
  const LLVMTypeRef bits = v.vector(integer), whole = v.vector(type);
  const std::uint64_t sign = std::uint64_t{1} << (ir::bits_of(type) - 1);
  const auto both = [&](auto change) {
    return Lanes{v.bits(change(v.bits(sources[0].exact, bits)), whole),
                 v.bits(change(v.bits(sources[0].loose, bits)), whole)};
  };
  switch (operation.op) {
    case Op::mov:
      return sources[0];
    case Op::fneg:
      return both([&](Value a) { return v.xor_(a, v.all(integer, sign)); });
    case Op::fabs:
      return both([&](Value a) { return v.and_(a, v.all(integer, sign - 1)); });
    default: {
      const Value a = v.bits(sources[0].exact, bits), b = v.bits(sources[1].exact, bits);
      const Value c = v.bits(sources[2].exact, bits);
      return Lanes::plain(v.bits(v.or_(v.and_(c, a), v.and_(v.not_(c), b)), whole));
    }
  }
}

}  // namespace

Lanes compute(const Vectors& v, const Operation& operation, const std::array<Lanes, 3>& sources) {
  switch (operation.op) {
    case Op::mov:
    case Op::select:
    case Op::fneg:
    case Op::fabs:
      return move_bits(v, operation, sources);
    case Op::f2f:
    case Op::f2i:
    case Op::f2u:
    case Op::i2f:
    case Op::u2f:
      return convert_float(v, operation, sources[0].loose);
    default:
      break;
  }
  if (ir::is_conversion(operation.op)) return Lanes::plain(convert_integer(v, operation, sources[0].exact));
  if (ir::is_float(operation.type)) return compute_float(v, operation, sources);
  return Lanes::plain(compute_integer(v, operation, sources[0].exact, sources[1].exact));
}

Lanes add_floats(const Vectors& v, Type type, Value a, Value b) {
  return compute_float(v, {.op = Op::fadd, .type = type}, {Lanes::plain(a), Lanes::plain(b), Lanes{}});
}

}  // namespace mobula::jit
