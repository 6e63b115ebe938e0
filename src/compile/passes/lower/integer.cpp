#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

// ------------------------------------------------------------------------------------------------ products

Integer low_half(Integer a) { return a & 0xFFFF; }
Integer high_half(Integer a) { return shift_u(a, 16); }

/// From the products of halves. No sum of them overflows.
Integer high_by_halves(Integer a, Integer b) {
  const Integer low = low_half(a) * low_half(b), high = high_half(a) * high_half(b);
  const Integer middle = high_half(a) * low_half(b) + high_half(low);
  const Integer other_middle = low_half(a) * high_half(b) + low_half(middle);
  return high + high_half(middle) + high_half(other_middle);
}
/// By how much the high half of an unsigned product is more than that of the signed one: what is negative counts 2^32
/// more.
Integer unsigned_excess(Integer a, Integer b) { return (sign_mask(a) & b) + (sign_mask(b) & a); }

Integer high_of_unsigned(Integer a, Integer b) {
  if (a.in->native().has(Op::imulhi_s)) return high_s(a, b) + unsigned_excess(a, b);
  return high_by_halves(a, b);
}

// ------------------------------------------------------------------------------------------------ single bits

/// One bit is enough for the exponent of a float, and no second may round it up.
Integer zeros_by_float(Integer a) {
  const Integer exponent = shift_u(bits(real_of_u(a & ~shift_u(a, 1))), 23);
  return min_u((127 + 31) - exponent, integer(a, 32));
}
Integer zeros(Integer a) {
  if (a.in->native().has(Op::ihighest_u)) return 31 - apply<Integer>(Op::ihighest_u, a);
  return zeros_by_float(a);
}
Integer highest(Integer a) { return 31 - leading_zeros(a); }
Integer highest_unlike_sign(Integer a) { return apply<Integer>(Op::ihighest_u, a ^ sign_mask(a)); }
Integer lowest(Integer a) { return apply<Integer>(Op::ihighest_u, a & (0 - a)); }

constexpr std::uint32_t every_second = 0x55555555, pairs = 0x33333333, fours = 0x0F0F0F0F, bytes = 0x00FF00FF;

Integer reversed(Integer a) {
  std::uint32_t width = 1;
  for (const std::uint32_t mask : {every_second, pairs, fours, bytes}) {
    a = (shift_u(a, width) & mask) | ((a & mask) << width);
    width *= 2;
  }
  return shift_u(a, 16) | (a << 16);
}
/// In each pair of bits, then in each four, then in each byte how many there are; the product adds the bytes up.
Integer count(Integer a) {
  const Integer of_pairs = a - (shift_u(a, 1) & every_second);
  const Integer of_fours = (of_pairs & pairs) + (shift_u(of_pairs, 2) & pairs);
  const Integer of_bytes = (of_fours + shift_u(of_fours, 4)) & fours;
  return shift_u(of_bytes * 0x01010101, 24);
}

// ------------------------------------------------------------------------------------------------ fields

/// Shifts go by their lowest five bits, so that 32 is as 0; and a field of no bits is a matter of its own.
Integer field(Op right, Integer a, Integer first, Integer count) {
  const Integer above = 32 - count;
  const Integer at_top = a << splat(above - first, a);
  const Integer found = shift(right, at_top, splat(above, a));
  return select(equal(splat(count, a), integer(a, 0)), integer(a, 0), found);
}
Integer with_field(Integer a, Integer b, Integer first, Integer count) {
  const Integer ones = shift_u(integer(count, 0xFFFFFFFF), 32 - count);
  const Integer mask = select(equal(count, integer(count, 0)), integer(count, 0), ones) << first;
  return a ^ ((a ^ (b << splat(first, a))) & splat(mask, a));
}

// ------------------------------------------------------------------------------------------------ the rest

Integer lesser(Op less, Integer a, Integer b) { return select(apply<Boolean>(less, a, b), a, b); }
Integer greater(Op less, Integer a, Integer b) { return select(apply<Boolean>(less, a, b), b, a); }

Integer sign_of(Integer a) { return max_s(min_s(a, integer(a, 1)), integer(a, 0xFFFFFFFF)); }

}  // namespace

Value expand_integer(Op op, const Operands& from) {
  const Integer a = from.integer(0);
  const auto b = [&] { return from.integer(1); };
  switch (op) {
    case Op::ineg:
      return (0 - a).value;
    case Op::iabs:
      return max_s(a, 0 - a).value;
    case Op::isign:
      return sign_of(a).value;
    case Op::imulhi_s:
      return (high_u(a, b()) - unsigned_excess(a, b())).value;
    case Op::imulhi_u:
      return high_of_unsigned(a, b()).value;
    case Op::imin_s:
      return lesser(Op::ilt_s, a, b()).value;
    case Op::imin_u:
      return lesser(Op::ilt_u, a, b()).value;
    case Op::imax_s:
      return greater(Op::ilt_s, a, b()).value;
    case Op::imax_u:
      return greater(Op::ilt_u, a, b()).value;
    case Op::ibits_s:
      return field(Op::ishr_s, a, b(), from.integer(2)).value;
    case Op::ibits_u:
      return field(Op::ishr_u, a, b(), from.integer(2)).value;
    case Op::ibits_put:
      return with_field(a, b(), from.integer(2), from.integer(3)).value;
    case Op::ireverse:
      return reversed(a).value;
    case Op::icount:
      return count(a).value;
    case Op::iclz:
      return zeros(a).value;
    case Op::ilowest:
      return lowest(a).value;
    case Op::ihighest_s:
      return highest_unlike_sign(a).value;
    case Op::ihighest_u:
      return highest(a).value;
    default:
      return none;
  }
}

}  // namespace mobula::ssa
