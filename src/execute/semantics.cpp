#include "execute/semantics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "ir/rounding.h"

namespace mobula::ir {
namespace {

// ---- integers ----

/// The range of an integer type.
struct Width {
  std::uint32_t bits;

  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - bits); }
  [[nodiscard]] std::int64_t sign_extend(std::uint64_t value) const {
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
  }
  [[nodiscard]] SignedWide min_signed() const { return -(SignedWide{1} << (bits - 1)); }
  [[nodiscard]] SignedWide max_signed() const { return (SignedWide{1} << (bits - 1)) - 1; }
  [[nodiscard]] std::uint64_t saturate_signed(SignedWide value) const {
    return static_cast<std::uint64_t>(std::clamp(value, min_signed(), max_signed()));
  }
  [[nodiscard]] std::uint64_t saturate_unsigned(SignedWide value) const {
    return static_cast<std::uint64_t>(std::clamp(value, SignedWide{0}, SignedWide{mask()}));
  }
};

constexpr std::uint64_t all_ones_if(bool condition) { return condition ? ~std::uint64_t{0} : 0; }

/// Bits above the type's width in the result are of no meaning.
std::uint64_t evaluate_integer(Op op, Width width, std::uint64_t a, std::uint64_t b) {
  const SignedWide sa = width.sign_extend(a), sb = width.sign_extend(b);
  const SignedWide ua = a, ub = b;
  const auto shift = static_cast<std::uint32_t>(b % width.bits);
  switch (op) {
    case Op::iadd:
      return a + b;
    case Op::isub:
      return a - b;
    case Op::imul:
      return a * b;
    case Op::imulhi_s:
      return static_cast<std::uint64_t>((sa * sb) >> width.bits);
    case Op::imulhi_u:
      return static_cast<std::uint64_t>((Wide{a} * Wide{b}) >> width.bits);
    case Op::iadd_sat_s:
      return width.saturate_signed(sa + sb);
    case Op::iadd_sat_u:
      return width.saturate_unsigned(ua + ub);
    case Op::isub_sat_s:
      return width.saturate_signed(sa - sb);
    case Op::isub_sat_u:
      return width.saturate_unsigned(ua - ub);
    case Op::imin_s:
      return static_cast<std::uint64_t>(std::min(sa, sb));
    case Op::imin_u:
      return std::min(a, b);
    case Op::imax_s:
      return static_cast<std::uint64_t>(std::max(sa, sb));
    case Op::imax_u:
      return std::max(a, b);
    case Op::iavg_s:
      return static_cast<std::uint64_t>((sa + sb) >> 1);
    case Op::iavg_u:
      return static_cast<std::uint64_t>((ua + ub) >> 1);
    case Op::iravg_s:
      return static_cast<std::uint64_t>((sa + sb + 1) >> 1);
    case Op::iravg_u:
      return static_cast<std::uint64_t>((ua + ub + 1) >> 1);
    case Op::iabsdiff_s:
      return static_cast<std::uint64_t>(std::max(sa, sb) - std::min(sa, sb));
    case Op::iabsdiff_u:
      return std::max(a, b) - std::min(a, b);
    case Op::ishl:
      return a << shift;
    case Op::ilsr:
      return a >> shift;
    case Op::iasr:
      return static_cast<std::uint64_t>(sa >> shift);
    case Op::ishl_sat_s:
      return width.saturate_signed(sa * (SignedWide{1} << shift));
    case Op::ishl_sat_u:
      return width.saturate_unsigned(ua << shift);
    case Op::iand:
      return a & b;
    case Op::ior:
      return a | b;
    case Op::ixor:
      return a ^ b;
    case Op::inand:
      return ~(a & b);
    case Op::inor:
      return ~(a | b);
    case Op::inxor:
      return ~(a ^ b);
    case Op::iandnot:
      return a & ~b;
    case Op::iornot:
      return a | ~b;
    case Op::inot:
      return ~a;
    case Op::iclz:
      return static_cast<std::uint64_t>(std::countl_zero(a)) - (64 - width.bits);
    case Op::ipopcnt:
      return static_cast<std::uint64_t>(std::popcount(a));
    case Op::ieq:
      return all_ones_if(a == b);
    case Op::ine:
      return all_ones_if(a != b);
    case Op::ilt_s:
      return all_ones_if(sa < sb);
    case Op::ile_s:
      return all_ones_if(sa <= sb);
    case Op::ilt_u:
      return all_ones_if(a < b);
    case Op::ile_u:
      return all_ones_if(a <= b);
    default:
      return 0;
  }
}

std::uint64_t convert_integer(Op op, Width to, Width from, std::uint64_t a) {
  const SignedWide as_signed = from.sign_extend(a), as_unsigned = a;
  switch (op) {
    case Op::sext:
      return static_cast<std::uint64_t>(as_signed);
    case Op::sat_s2s:
      return to.saturate_signed(as_signed);
    case Op::sat_s2u:
      return to.saturate_unsigned(as_signed);
    case Op::sat_u2s:
      return to.saturate_signed(as_unsigned);
    case Op::sat_u2u:
      return to.saturate_unsigned(as_unsigned);
    default:
      return a;  // zext, trunc
  }
}

// ---- floats, to the bit ----

std::uint64_t add_floats(FloatFormat format, std::uint64_t a, std::uint64_t b, Round round) {
  if (format.is_nan(a) || format.is_nan(b)) return format.quiet_nan();
  if (format.is_infinite(a)) return format.is_infinite(b) && a != b ? format.quiet_nan() : a;
  if (format.is_infinite(b)) return b;
  return pack(format, add(unpack(format, a), unpack(format, b), round), round);
}

std::uint64_t multiply_floats(FloatFormat format, std::uint64_t a, std::uint64_t b, Round round) {
  if (format.is_nan(a) || format.is_nan(b)) return format.quiet_nan();
  if (format.is_infinite(a) || format.is_infinite(b)) {
    if (format.is_zero(a) || format.is_zero(b)) return format.quiet_nan();
    return format.signed_infinity(format.is_negative(a) != format.is_negative(b));
  }
  return pack(format, multiply(unpack(format, a), unpack(format, b)), round);
}

std::uint64_t fuse_multiply_add(FloatFormat format, std::uint64_t a, std::uint64_t b, std::uint64_t c, Round round) {
  if (format.is_nan(c)) return format.quiet_nan();
  const bool special = format.magnitude(a) >= format.infinity() || format.magnitude(b) >= format.infinity();
  if (special) return add_floats(format, multiply_floats(format, a, b, round), c, round);
  if (format.is_infinite(c)) return c;
  return pack(format, add(multiply(unpack(format, a), unpack(format, b)), unpack(format, c), round), round);
}

/// Orders all numbers, -0 below +0. NaNs have no meaningful place.
std::int64_t total_order(FloatFormat format, std::uint64_t bits) {
  const auto magnitude = static_cast<std::int64_t>(format.magnitude(bits));
  return format.is_negative(bits) ? ~magnitude : magnitude;
}

std::uint64_t minimum(FloatFormat format, std::uint64_t a, std::uint64_t b) {
  return total_order(format, a) < total_order(format, b) ? a : b;
}
std::uint64_t maximum(FloatFormat format, std::uint64_t a, std::uint64_t b) {
  return total_order(format, a) < total_order(format, b) ? b : a;
}

/// `pick` of two numbers; of a number and a NaN the number.
template <class Pick>
std::uint64_t prefer_number(FloatFormat format, std::uint64_t a, std::uint64_t b, Pick pick) {
  if (format.is_nan(a)) return format.is_nan(b) ? format.quiet_nan() : b;
  if (format.is_nan(b)) return a;
  return pick(format, a, b);
}

/// `pick` of two numbers; NaN if there is one.
template <class Pick>
std::uint64_t prefer_nan(FloatFormat format, std::uint64_t a, std::uint64_t b, Pick pick) {
  return format.is_nan(a) || format.is_nan(b) ? format.quiet_nan() : pick(format, a, b);
}

/// NaN gives `low`.
std::uint64_t clamp_float(FloatFormat format, std::uint64_t a, std::uint64_t low, std::uint64_t high) {
  return format.is_nan(a) ? low : minimum(format, maximum(format, a, low), high);
}

enum class Relation { less, equal, greater, unordered };

Relation compare(FloatFormat format, std::uint64_t a, std::uint64_t b) {
  if (format.is_nan(a) || format.is_nan(b)) return Relation::unordered;
  if (a == b || (format.is_zero(a) && format.is_zero(b))) return Relation::equal;
  return total_order(format, a) < total_order(format, b) ? Relation::less : Relation::greater;
}

/// `to_integer` gives the magnitude of a value as an integer.
template <class ToInteger>
std::uint64_t round_to_integral(FloatFormat format, std::uint64_t a, ToInteger to_integer) {
  if (format.is_nan(a)) return format.quiet_nan();
  if (format.is_infinite(a)) return a;
  const Exact value = unpack(format, a);
  if (value.exponent >= 0) return a;
  return pack(format, {value.negative, 0, to_integer(value)}, Round::even);
}

Wide nearest_ties_away(const Exact& value) {
  if (value.exponent < -126) return 0;
  return (value.significand + (Wide{1} << (-value.exponent - 1))) >> -value.exponent;
}

std::uint64_t convert_float(FloatFormat to, FloatFormat from, std::uint64_t a, Round round) {
  if (from.is_nan(a)) return to.quiet_nan();
  if (from.is_infinite(a)) return to.signed_infinity(from.is_negative(a));
  return pack(to, unpack(from, a), round);
}

/// The integer next to a float in the direction of `round`; beyond 2^64 any value beyond 2^64. NaN gives 0.
SignedWide float_to_integer(FloatFormat from, std::uint64_t a, Round round) {
  if (from.is_nan(a)) return 0;
  constexpr SignedWide huge = SignedWide{1} << 65;
  SignedWide magnitude = huge;
  if (!from.is_infinite(a)) {
    const Exact value = unpack(from, a);
    const bool is_huge = value.significand != 0 && top_bit(value.significand) + value.exponent > 64;
    if (!is_huge) {
      magnitude =
          static_cast<SignedWide>(shift_right_rounded(value.significand, -value.exponent, value.negative, round));
    }
  }
  return from.is_negative(a) ? -magnitude : magnitude;
}

std::uint64_t integer_to_float(FloatFormat to, SignedWide a, Round round) {
  const bool negative = a < 0;
  return pack(to, {negative, 0, static_cast<Wide>(negative ? -a : a)}, round);
}

// ---- approximations ----

/// sin(pi * a): the argument is reduced exactly. Integers give a zero of a's sign.
template <class Real>
Real sin_pi(Real a) {
  const Real half_turns = std::remainder(a, Real{2});  // [-1, 1]; NaN for infinities
  const Real size = std::fabs(half_turns);
  if (size == 0 || size == 1) return std::copysign(Real{0}, a);
  const Real from_axis = size > Real{0.5} ? 1 - size : size;
  return std::copysign(std::sin(std::numbers::pi_v<Real> * from_axis), half_turns);
}

/// cos(pi * a): the argument is reduced exactly. Odd multiples of 1/2 give +0.
template <class Real>
Real cos_pi(Real a) {
  const Real half_turns = std::fabs(std::remainder(a, Real{2}));
  return std::sin(std::numbers::pi_v<Real> * (Real{0.5} - half_turns));
}

/// The arguments of atan2(y, x) brought into the octant where the tangent is at most 1 (docs/ir.md).
template <class Real>
struct Octant {
  bool steep;            ///< |y| > |x|
  Real smaller, larger;  ///< magnitudes, scaled by one power of two that brings `larger` into [1, 2)

  Octant(Real y, Real x) : steep(std::fabs(y) > std::fabs(x)) {
    smaller = std::fabs(steep ? x : y);
    larger = std::fabs(steep ? y : x);
    if (larger == 0 || std::isinf(larger)) {
      smaller = std::isinf(smaller) ? 1 : 0;
      larger = 1;
    } else {
      const int exponent = std::ilogb(larger);
      smaller = std::scalbn(smaller, -exponent);
      larger = std::scalbn(larger, -exponent);
    }
  }
};

/// f64, with as many bits as the host has.
long double approximate_wide(Op op, long double a, long double b) {
  using Real = long double;
  constexpr Real quarter_turn = std::numbers::pi_v<Real> / 2;
  const bool is_atan2_step = op == Op::fatan2_base || op == Op::fatan2_minor || op == Op::fatan2_recip;
  if (std::isnan(a) || (is_atan2_step && std::isnan(b))) return std::numeric_limits<Real>::quiet_NaN();
  switch (op) {
    case Op::frsqrt:
      return 1 / std::sqrt(a);
    case Op::fexp2:
      return std::exp2(a);
    case Op::flog2:
      return std::log2(a);
    case Op::fsinpi:
      return sin_pi(a);
    case Op::fcospi:
      return cos_pi(a);
    case Op::fatan2_base: {
      const Real quarter_turns = Octant(a, b).steep ? 1 : std::signbit(b) ? 2 : 0;
      return std::copysign(quarter_turns, a);
    }
    case Op::fatan2_minor: {
      const Octant octant(a, b);
      const bool negative = (std::signbit(a) != std::signbit(b)) != octant.steep;
      return negative ? -octant.smaller : octant.smaller;
    }
    case Op::fatan2_recip:
      return 1 / Octant(a, b).larger;
    case Op::fatan2_final:
      return a * quarter_turn + std::atan(b);
    default:
      return 0;
  }
}

/// How approximations.inc computes with one number.
struct OneNumber {
  using N = double;
  using M = bool;
  static N number(double value) { return value; }
  static N add(N a, N b) { return a + b; }
  static N sub(N a, N b) { return a - b; }
  static N mul(N a, N b) { return a * b; }
  static N div(N a, N b) { return a / b; }
  static N mul_add(N a, N b, N c) { return std::fma(a, b, c); }
  static N nearest(N a) { return std::nearbyint(a); }
  static N abs(N a) { return std::fabs(a); }
  static N copy_sign(N size, N sign) { return std::copysign(size, sign); }
  static M less(N a, N b) { return a < b; }
  static M equal(N a, N b) { return a == b; }
  static M either(M a, M b) { return a || b; }
  static N choose(M which, N yes, N no) { return which ? yes : no; }
  /// 2^n for an integer from -1022 to 1023.
  static N power_of_two(N n) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(n + (0x1.8p52 + 1023)) << 52);
  }
  /// Of a positive normal number: the integer e and the m in [1, 2) of 2^e m.
  static N exponent(N a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) >> 52 | std::bit_cast<std::uint64_t>(0x1p52)) -
           (0x1p52 + 1023);
  }
  static N mantissa(N a) {
    constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) & fraction) | std::bit_cast<std::uint64_t>(1.0));
  }
};

#include "execute/approximations.inc"

double approximate_narrow(Op op, double a, double b) {
  switch (op) {
    case Op::frsqrt:
      return 1 / std::sqrt(a);
    case Op::fexp2:
      return approximate_exp2<OneNumber>(a);
    case Op::flog2:
      return approximate_log2<OneNumber>(a);
    case Op::fsinpi:
      return approximate_sin_pi<OneNumber>(a);
    case Op::fcospi:
      return approximate_cos_pi<OneNumber>(a);
    case Op::fatan2_base:
      return approximate_atan2_base<OneNumber>(a, b);
    case Op::fatan2_minor:
      return approximate_atan2_minor<OneNumber>(a, b);
    case Op::fatan2_recip:
      return approximate_atan2_recip<OneNumber>(a, b);
    case Op::fatan2_final:
      return approximate_atan2_final<OneNumber>(a, b);
    default:
      return 0;
  }
}

std::uint64_t evaluate_approximation(Op op, FloatFormat format, std::uint64_t a, std::uint64_t b) {
  constexpr FloatFormat f64 = format_of(Type::f64);
  const auto x = std::bit_cast<double>(convert_float(f64, format, a, Round::even));
  const auto y = std::bit_cast<double>(convert_float(f64, format, b, Round::even));
  double result = 0;
  // Divisions and square roots rounded to double first are still correctly rounded to f32 and f16.
  if (op == Op::frcp) {
    result = 1 / x;
  } else if (op == Op::fsqrt) {
    result = std::sqrt(x);
  } else if (format.fraction_bits == f64.fraction_bits) {
    result = static_cast<double>(approximate_wide(op, x, y));
  } else {
    result = approximate_narrow(op, x, y);
  }
  return convert_float(format, f64, std::bit_cast<std::uint64_t>(result), Round::even);
}

std::uint64_t evaluate_float(Op op, FloatFormat format, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                             Round round) {
  const std::uint64_t one = format.one();
  switch (op) {
    case Op::fadd:
      return add_floats(format, a, b, round);
    case Op::fmul:
      return multiply_floats(format, a, b, round);
    case Op::ffma:
      return fuse_multiply_add(format, a, b, c, round);
    case Op::fmin:
      return prefer_number(format, a, b, minimum);
    case Op::fmax:
      return prefer_number(format, a, b, maximum);
    case Op::fmin_nan:
      return prefer_nan(format, a, b, minimum);
    case Op::fmax_nan:
      return prefer_nan(format, a, b, maximum);
    case Op::fclamp_pos:
      return clamp_float(format, a, 0, format.infinity());
    case Op::fclamp_signed:
      return clamp_float(format, a, format.sign_bit() | one, one);
    case Op::fclamp_unit:
      return clamp_float(format, a, 0, one);
    case Op::fround:
      return round_to_integral(format, a, [round](const Exact& value) {
        return shift_right_rounded(value.significand, -value.exponent, value.negative, round);
      });
    case Op::fround_away:
      return round_to_integral(format, a, nearest_ties_away);
    case Op::feq:
      return all_ones_if(compare(format, a, b) == Relation::equal);
    case Op::fne:
      return all_ones_if(compare(format, a, b) != Relation::equal);
    case Op::flt:
      return all_ones_if(compare(format, a, b) == Relation::less);
    case Op::fle: {
      const Relation relation = compare(format, a, b);
      return all_ones_if(relation == Relation::less || relation == Relation::equal);
    }
    default:
      return evaluate_approximation(op, format, a, b);
  }
}

std::uint64_t flushed(Type type, std::uint64_t bits) {
  if (type != Type::f16 && type != Type::f32) return bits;
  const FloatFormat format = format_of(type);
  return format.is_denormal(bits) ? bits & format.sign_bit() : bits;
}

/// An operation that may flush denormals, with operands flushed. Bits above the type's width are of no meaning.
std::uint64_t evaluate_arithmetic(const Operation& operation, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const Op op = operation.op;
  const Type type = operation.type, from = operation.from;
  const Round round = operation.round;
  const Width width{bits_of(type)}, from_width{bits_of(from)};
  switch (op) {
    case Op::f2f:
      return convert_float(format_of(type), format_of(from), a, round);
    case Op::f2i:
      return width.saturate_signed(float_to_integer(format_of(from), a, round));
    case Op::f2u:
      return width.saturate_unsigned(float_to_integer(format_of(from), a, round));
    case Op::i2f:
      return integer_to_float(format_of(type), from_width.sign_extend(a), round);
    case Op::u2f:
      return integer_to_float(format_of(type), SignedWide{a}, round);
    case Op::sext:
    case Op::zext:
    case Op::trunc:
    case Op::sat_s2s:
    case Op::sat_s2u:
    case Op::sat_u2s:
    case Op::sat_u2u:
      return convert_integer(op, width, from_width, a);
    default:
      return is_float(type) ? evaluate_float(op, format_of(type), a, b, c, round) : evaluate_integer(op, width, a, b);
  }
}

}  // namespace

std::uint64_t evaluate(const Operation& operation, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       const FloatMode& mode) {
  const std::uint64_t mask = Width{bits_of(operation.type)}.mask();
  switch (operation.op) {
    case Op::mov:
      return a;
    case Op::select:
      return (c & a) | (~c & b & mask);
    case Op::fneg:
      return a ^ format_of(operation.type).sign_bit();
    case Op::fabs:
      return format_of(operation.type).magnitude(a);
    case Op::ddx:
    case Op::ddy:
    case Op::quad_first:
    case Op::task_lane:
    case Op::task_first:
    case Op::enable:
    case Op::barrier:
    case Op::branch:
    case Op::branch_indirect:
    case Op::discard:
    case Op::end:
    case Op::trap:
    case Op::call:
      return 0;
    default:
      break;
  }
  if (!mode.flush_denormals) return evaluate_arithmetic(operation, a, b, c) & mask;
  const Type from = source_type(operation);
  const std::uint64_t result =
      evaluate_arithmetic(operation, flushed(from, a), flushed(from, b), flushed(from, c)) & mask;
  return flushed(result_type(operation), result);
}

double logarithm(double a) { return approximate_log2<OneNumber>(a); }

}  // namespace mobula::ir
