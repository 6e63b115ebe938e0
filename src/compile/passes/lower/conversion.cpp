// Between floats, integers and floats of 16 bits: sign 15, exponent 14:10 with 15 added, fraction 9:0.
#include <cmath>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

// ------------------------------------------------------------------------------------------------ integers

Integer saturated_s(Real a) {
  const Integer low = select(a < -0x1p31F, integer(a, 0x80000000), to_s(a));
  const Integer both = select(0x1p31F <= a, integer(a, 0x7FFFFFFF), low);
  return select(equal(a, a), both, integer(a, 0));
}
/// Of a NaN 0, too.
Integer saturated_u(Real a, Integer in_range) {
  return select(0x1p32F <= a, integer(a, 0xFFFFFFFF), select(0.0F < a, in_range, integer(a, 0)));
}
/// From 2^31 on, floats are whole: what is taken away comes back as the highest bit.
Integer unsigned_by_signed(Real a) {
  const Boolean is_high = 0x1p31F <= a;
  const Real low = select(is_high, a - 0x1p31F, a);
  return to_s(low) ^ select(is_high, integer(a, 0x80000000), integer(a, 0));
}
/// The half of what has the highest bit. The bit that goes may not: it decides how the middle between two is rounded.
Real real_by_signed(Integer a) {
  const Boolean is_high = less_s(a, integer(a, 0));
  const Integer half = shift_u(a, 1) | (a & 1);
  const Real converted = real_of_s(select(is_high, half, a));
  return select(is_high, converted * 2, converted);
}

// ------------------------------------------------------------------------------------------------ 16-bit floats

constexpr std::uint32_t exponents = (127 - 15) << 23;  ///< of equal numbers, how far they lie apart
constexpr std::uint32_t half_infinity = 0x7C00, half_nan = 0x7E00;
constexpr float least_normal = 0x1p-14F;

/// Rounded to nearest even, in the low 16 bits.
Integer half_of(Real a) {
  const Integer magnitude = bits(a) & 0x7FFFFFFF;
  const Integer odd = shift_u(magnitude, 13) & 1;
  const Integer normal = shift_u(magnitude + odd + (0xFFF - exponents), 13);
  // The last place of 0.5 is the least half: the sum rounds as is wanted.
  const Precisely sum(*a.in);
  const Integer tiny = bits(abs(a) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  const Integer finite = select(abs(a) < least_normal, tiny, min_u(normal, integer(a, half_infinity)));
  const Integer any = select(equal(a, a), finite, integer(a, half_nan));
  return any | (shift_u(bits(a), 16) & 0x8000);
}

/// Of the low 16 bits.
Real of_half(Integer half) {
  const Integer in_place = (half & 0x7FFF) << 13;
  const Real normal = of_bits(in_place + exponents);
  const Real special = of_bits(in_place + 2 * exponents);  // infinite, a NaN
  const Precisely difference(*half.in);
  const Real tiny = of_bits(in_place + (exponents + (1U << 23))) - least_normal;
  const Boolean is_tiny = less_u(in_place, integer(half, 1U << 23));
  const Boolean is_special = at_most_u(integer(half, half_infinity << 13), in_place);
  const Real magnitude = select(is_tiny, tiny, select(is_special, special, normal));
  return of_bits(bits(magnitude) | ((half & 0x8000) << 16));
}

Integer packed(Real two) {
  Builder& in = *two.in;
  const Integer halves = half_of(two);
  const Integer low{&in, in.swizzle(halves.value, {0})}, high{&in, in.swizzle(halves.value, {1})};
  return low | (high << 16);
}

}  // namespace

Value expand_conversion(Op op, const Operands& from) {
  const bool limited = from.in.native().has(op);
  switch (op) {
    case Op::f_to_s:
      return limited ? saturated_s(from.real(0)).value : none;
    case Op::f_to_u: {
      const Real a = from.real(0);
      return saturated_u(a, limited ? to_u(a) : unsigned_by_signed(a)).value;
    }
    case Op::u_to_f:
      return real_by_signed(from.integer(0)).value;
    case Op::f_half:
      return of_half(half_of(from.real(0))).value;
    case Op::pack_half:
      return packed(from.real(0)).value;
    case Op::unpack_half_low:
      return of_half(from.integer(0)).value;
    case Op::unpack_half_high:
      return of_half(shift_u(from.integer(0), 16)).value;
    default:
      return none;
  }
}

}  // namespace mobula::ssa
