#include <cmath>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

/// From here on floats are whole.
constexpr float all_whole = 0x1p23F;

Real whole_part(Real a) {
  if (a.in->native().has(Op::ffloor)) return select(a < 0.0F, -floor(-a), floor(a));
  return select(abs(a) < all_whole, real_of_s(to_s(a)), a);
}

Real rounded_down(Real a) {
  const Real whole = trunc(a);
  return whole - select(a < whole, real(a, 1), real(a, 0));
}

/// Beside 2^23 there is no room for a fraction: the sum rounds as is wanted.
Real rounded(Real a) {
  const Precisely sums(*a.in);
  const Real magnitude = (abs(a) + all_whole) - all_whole;
  return select(abs(a) < all_whole, with_sign(magnitude, a), a);
}

/// 1 / c, rounded away from zero.
float reciprocal_upwards(float c) {
  const float nearest = 1 / c;
  return double{nearest} * c < 1 ? std::nextafter(nearest, std::copysign(INFINITY, c)) : nearest;
}

/// a / b for the whole part of it: of a known b, multiples that are not negative do not come out below their number.
Real quotient_to_round(Real a, Real b) {
  const auto divisors = b.in->constant_of(b.value);
  if (!divisors || b.in->native().has(Op::fdiv)) return a / b;
  Bits reciprocals{};
  for (std::uint8_t i = 0; i < components(b); ++i)
    reciprocals[i] = std::bit_cast<std::uint32_t>(reciprocal_upwards(std::bit_cast<float>((*divisors)[i])));
  return a * Real{b.in, b.in->constant({Base::real, components(b)}, reciprocals)};
}

Real dot(Real a, Real b) {
  Builder& in = *a.in;
  const Real products = a * b;
  const auto part = [&](std::initializer_list<std::uint32_t> list) {
    return Real{&in, in.swizzle(products.value, list)};
  };
  switch (components(a)) {
    case 1:
      return products;
    case 2:
      return part({0}) + part({1});
    case 3:
      return part({0}) + part({1}) + part({2});
    default: {
      const Real pairs = part({0, 1}) + part({2, 3});
      return Real{&in, in.swizzle(pairs.value, {0})} + Real{&in, in.swizzle(pairs.value, {1})};
    }
  }
}

Real sign_of(Real a) { return select(a < 0.0F, real(a, -1), select(0.0F < a, real(a, 1), a)); }

}  // namespace

Value expand_float(Op op, const Operands& from) {
  const Native& native = from.in.native();
  const Real a = from.real(0);
  const auto b = [&] { return from.real(1); };
  switch (op) {
    case Op::fneg:
      return of_bits(bits(a) ^ integer(a, 0x80000000)).value;
    case Op::fabs:
      return of_bits(bits(a) & 0x7FFFFFFF).value;
    case Op::fsign:
      return sign_of(a).value;
    case Op::ffloor:
      return rounded_down(a).value;
    case Op::fceil:
      return (-floor(-a)).value;
    case Op::ftrunc:
      return whole_part(a).value;
    case Op::fround:
      return rounded(a).value;
    case Op::fsub:
      return (a + -b()).value;
    case Op::fdiv:
      return (a * reciprocal(b())).value;
    case Op::frcp:
      return native.has(Op::fdiv) ? (real(a, 1) / a).value : none;
    case Op::fmod:
      return (a - b() * floor(quotient_to_round(a, b()))).value;
    case Op::frem:
      return (a - b() * trunc(quotient_to_round(a, b()))).value;
    case Op::ffma:
      return (a * b() + from.real(2)).value;
    case Op::fmin:
      return select(b() < a, b(), a).value;
    case Op::fmax:
      return select(a < b(), b(), a).value;
    case Op::fdot:
      return dot(a, b()).value;
    case Op::fsqrt:
      return native.has(Op::frsqrt) ? reciprocal(apply<Real>(Op::frsqrt, a)).value : none;
    case Op::frsqrt:
      return native.has(Op::fsqrt) ? reciprocal(sqrt(a)).value : none;
    case Op::fis_nan:
      return differ(a, a).value;
    case Op::fis_inf:
      return equal(abs(a), real(a, INFINITY)).value;
    default:
      return none;
  }
}

}  // namespace mobula::ssa
