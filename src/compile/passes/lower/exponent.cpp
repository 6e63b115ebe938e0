// Floats taken apart and put together by their bits: sign 31, exponent 30:23 with 127 added, fraction 22:0. Denormals
// are made normal first: a machine may take them for 0.
#include <cmath>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

constexpr std::uint32_t lift = 32;  ///< by so many powers of 2

struct Parts {
  Boolean has_exponent;  ///< it is neither 0, infinite nor a NaN
  Boolean is_small;
  Integer bits;  ///< lifted if it is small
};
Parts parts_of(Real a) {
  const Real magnitude = abs(a);
  const Boolean is_small = magnitude < 0x1p-126F;
  return {(0.0F < magnitude) & (magnitude < real(a, INFINITY)), is_small, bits(select(is_small, a * 0x1p32F, a))};
}

Real mantissa(Real a) {
  const Parts parts = parts_of(a);
  const Real in_place = of_bits((parts.bits & 0x807FFFFF) | std::bit_cast<std::uint32_t>(0.5F));
  return select(parts.has_exponent, in_place, a);
}

Integer exponent(Real a) {
  const Parts parts = parts_of(a);
  const Integer bias = select(parts.is_small, integer(a, 126 + lift), integer(a, 126));
  const Integer found = (shift_u(parts.bits, 23) & 0xFF) - bias;
  return select(parts.has_exponent, found, integer(a, 0));
}

Integer clamp(Integer a, int least, int most) {
  return max_s(min_s(a, integer(a, static_cast<std::uint32_t>(most))), integer(a, static_cast<std::uint32_t>(least)));
}
Real times_power(Real a, Integer exponent) {
  return is_everywhere(exponent, 0) ? a : a * of_bits((exponent + 127) << 23);
}

/// Three factors reach from the least denormal to the greatest number. The last is the greatest, so that only its
/// product is rounded.
Real scaled(Real a, Integer by) {
  constexpr int least = -126, most = 127;
  const Integer last = clamp(by, least, most);
  const Integer but_last = clamp(by - last, least, most);
  const Integer first = clamp(by - last - but_last, least, most);
  return times_power(times_power(times_power(a, first), but_last), last);
}

}  // namespace

Value expand_exponent(Op op, const Operands& from) {
  switch (op) {
    case Op::fmantissa:
      return mantissa(from.real(0)).value;
    case Op::fexponent:
      return exponent(from.real(0)).value;
    case Op::fscale: {
      const Precisely products(from.in);
      return scaled(from.real(0), from.integer(1)).value;
    }
    default:
      return none;
  }
}

}  // namespace mobula::ssa
