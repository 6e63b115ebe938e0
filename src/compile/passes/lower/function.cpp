// Exponentials, logarithms and functions of angles, of exp2, log2, sinpi and cospi. Polynomials are those that
// scripts/fit-approximations prints: the highest power first, of x^2, for a quotient by x.
#include <cmath>
#include <numbers>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr float half_pi = pi / 2;
constexpr float ln2 = std::numbers::ln2_v<float>;
constexpr float log2_e = std::numbers::log2e_v<float>;

/// An odd function of x by its polynomial.
template <std::size_t terms>
Real odd(const float (&coefficients)[terms], Real x, Real square) {
  Real sum = real(x, coefficients[0]);
  for (std::size_t i = 1; i < terms; ++i) sum = sum * square + coefficients[i];
  return sum * x;
}
template <std::size_t terms>
Real odd(const float (&coefficients)[terms], Real x) {
  return odd(coefficients, x, x * x);
}

// ------------------------------------------------------------------------------------------------ angles

/// From -1 to 1 half turns.
Real in_one_turn(Real half_turns) { return half_turns - round(half_turns * 0.5F) * 2; }
/// Its sine is the cosine of the other.
Real quarter_turn_away(Real half_turns) { return 0.5F - abs(in_one_turn(half_turns)); }

/// fsinpi and fcospi, of what else there is.
Value of_half_turns(Op op, Real a) {
  Builder& in = *a.in;
  const Native& native = in.native();
  if (native.has(op)) return in.make_native(op, {in_one_turn(a).value});
  if (op == Op::fcospi && native.has(Op::fsinpi)) return in.make_native(Op::fsinpi, {quarter_turn_away(a).value});
  const Op of_radians = op == Op::fsinpi ? Op::fsin : Op::fcos;
  return native.has(of_radians) ? in.make(of_radians, {(in_one_turn(a) * pi).value}) : none;
}

// ------------------------------------------------------------------------------------------------ their inverses

/// Of 0 to 1: 2^-20.3.
Real atan_to_one(Real t) {
  constexpr float of_square[] = {0.00764835393F, -0.0363604309F, 0.083126453F, -0.134478641F,
                                 0.198720403F,   -0.33325678F,   0.999999226F};
  return odd(of_square, t);
}

Real atan(Real a) {
  const Real magnitude = abs(a);
  const Boolean steep = 1.0F < magnitude;
  const Real angle = atan_to_one(select(steep, reciprocal(magnitude), magnitude));
  return with_sign(select(steep, half_pi - angle, angle), a);
}

/// The quotient of the less by the greater needs care: greater may be so great that its reciprocal is no normal number,
/// both may be infinite, both 0.
Real atan2(Real y, Real x) {
  const Real rise = abs(y), run = abs(x);
  const Real less = min(rise, run), greater = max(rise, run);
  const Real quotient = less * reciprocal(max(greater * 0.25F, real(x, 0x1p-126F))) * 0.25F;
  const Real slope = select(equal(less, real(x, INFINITY)), real(x, 1), quotient);
  const Real flat = atan_to_one(slope);
  const Real to_the_right = select(run < rise, half_pi - flat, flat);
  const bool has_bits = x.in->native().has_bits;
  const Boolean leftwards = has_bits ? less_s(bits(x), integer(x, 0)) : x < 0.0F;  // of -0, too
  return with_sign(select(leftwards, pi - to_the_right, to_the_right), y);
}

/// Arc sine of magnitudes. Near 1 it is had from the half angle, as there the sine hardly changes: sin^2 of it is
/// (1 - |a|) / 2.
struct ArcSine {
  Boolean is_half;  ///< `angle` is the half of what the magnitude lacks to a right angle
  Real angle;
};
ArcSine arc_sine(Real magnitude) {
  constexpr float of_square[] = {0.0503576819F, 0.0397944433F, 0.0754534558F, 0.166652196F, 1.00000007F};
  const Boolean is_half = 0.5F < magnitude;
  const Real square = select(is_half, 0.5F - magnitude * 0.5F, magnitude * magnitude);
  const Real sine = select(is_half, sqrt(square), magnitude);
  return {is_half, odd(of_square, sine, square)};
}
Real asin(Real a) {
  const ArcSine arc = arc_sine(abs(a));
  return with_sign(select(arc.is_half, half_pi - arc.angle * 2, arc.angle), a);
}
Real acos(Real a) {
  const ArcSine arc = arc_sine(abs(a));
  const Real whole = arc.angle * 2;
  const Real near_one = select(a < 0.0F, pi - whole, whole);
  return select(arc.is_half, near_one, half_pi - with_sign(arc.angle, a));
}

// ------------------------------------------------------------------------------------------------ exponentials

Real exp(Real a) { return exp2(a * log2_e); }
Real log(Real a) { return log2(a) * ln2; }

/// Of a function that is like x near 0, where its formula would be the difference of two that are nearly equal.
template <std::size_t terms>
Real with_small(const float (&coefficients)[terms], Real a, Real formula) {
  return select(abs(a) < 0.5F, odd(coefficients, a), formula);
}

/// e^a / 2 and e^-a / 2. Halved they do not overflow before their sum does.
struct Halves {
  Real rising, falling;
};
Halves halves(Real a) {
  const Real exponent = a * log2_e;
  return {exp2(exponent - 1), exp2(-1.0F - exponent)};
}
Real sinh(Real a) {
  constexpr float of_square[] = {0.00840802941F, 0.166659656F, 1.0000001F};
  const Halves half = halves(a);
  return with_small(of_square, a, half.rising - half.falling);
}
Real cosh(Real a) {
  const Halves half = halves(a);
  return half.rising + half.falling;
}
Real tanh(Real a) {
  constexpr float of_square[] = {-0.0443927384F, 0.131899394F, -0.333262842F, 0.999999451F};
  return with_small(of_square, a, 1.0F - reciprocal(exp(a * 2) + 1) * 2);
}

/// Beyond it, a^2 + 1 and a^2 - 1 are a^2; their root is a, and a^2 need not be had.
constexpr float root_is_itself = 0x1p32F;

/// ln(a + root), by halves as their sum may overflow.
Real log_of_sum(Real a, Real root) { return (log2(a * 0.5F + root * 0.5F) + 1) * ln2; }
Real asinh(Real a) {
  constexpr float of_square[] = {-0.0325752878F, 0.0732510776F, -0.166581813F, 0.999999341F};
  const Real magnitude = abs(a);
  const Real root = select(magnitude < root_is_itself, sqrt(a * a + 1), magnitude);
  return with_small(of_square, a, with_sign(log_of_sum(magnitude, root), a));
}
Real acosh(Real a) { return log_of_sum(a, select(a < root_is_itself, sqrt((a - 1) * (a + 1)), a)); }
Real atanh(Real a) {
  constexpr float of_square[] = {0.195199091F, 0.122261699F, 0.201933922F, 0.333271507F, 1.00000031F};
  return with_small(of_square, a, log2((a + 1) / (1.0F - a)) * (ln2 / 2));
}

}  // namespace

Value expand_function(Op op, const Operands& from) {
  const Real a = from.real(0);
  switch (op) {
    case Op::fexp:
      return exp(a).value;
    case Op::flog:
      return log(a).value;
    case Op::fpow:
      return exp2(from.real(1) * log2(a)).value;
    case Op::fsin:
      return apply<Real>(Op::fsinpi, a * (1 / pi)).value;
    case Op::fcos:
      return apply<Real>(Op::fcospi, a * (1 / pi)).value;
    case Op::ftan:
      return (apply<Real>(Op::fsin, a) / apply<Real>(Op::fcos, a)).value;
    case Op::fsinpi:
    case Op::fcospi:
      return of_half_turns(op, a);
    case Op::fasin:
      return asin(a).value;
    case Op::facos:
      return acos(a).value;
    case Op::fatan:
      return atan(a).value;
    case Op::fatan2:
      return atan2(a, from.real(1)).value;
    case Op::fsinh:
      return sinh(a).value;
    case Op::fcosh:
      return cosh(a).value;
    case Op::ftanh:
      return tanh(a).value;
    case Op::fasinh:
      return asinh(a).value;
    case Op::facosh:
      return acosh(a).value;
    case Op::fatanh:
      return atanh(a).value;
    default:
      return none;
  }
}

}  // namespace mobula::ssa
