// Quotients and remainders of integers; of a division by 0 both are 0.
#include <algorithm>
#include <bit>
#include <optional>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

struct Division {
  Integer quotient, rest;
};

Integer magnitude(Integer a) { return apply<Integer>(Op::iabs, a); }
/// Negative where `mask` is all ones.
Integer negated_by(Integer a, Integer mask) { return (a ^ mask) - mask; }
Integer unless_zero(Integer b, Integer a) { return select(equal(b, integer(b, 0)), integer(b, 0), a); }

// ------------------------------------------------------------------------------------------------ by what is not known

/// Estimates by floats are 2^-20 too small, less or more by the rounding of machines: so never too great. The first is
/// short of the quotient by at most a * 2^-19 / b + 1, which leaves a rest of at most 2^13 + b; the second, of that
/// rest, by less than 2.
Division divide_unsigned(Integer a, Integer b) {
  const Real factor = reciprocal(real_of_u(b)) * (1 - 0x1p-20F);
  const Integer estimate = to_u(real_of_u(a) * factor);
  const Integer first_rest = a - estimate * b;
  const Integer more = to_u(real_of_u(first_rest) * factor);
  const Integer quotient = estimate + more, rest = first_rest - more * b;
  const Boolean once_more = at_most_u(b, rest);
  return {select(once_more, quotient + 1, quotient), select(once_more, rest - b, rest)};
}

Integer quotient_s(Integer a, Integer b) {
  const Integer quotient = divide_unsigned(magnitude(a), magnitude(b)).quotient;
  return negated_by(quotient, sign_mask(a ^ b));
}
Integer rest_s(Integer a, Integer b) {
  return negated_by(divide_unsigned(magnitude(a), magnitude(b)).rest, sign_mask(a));
}
/// From the rest of the sign of a to that of the sign of b.
Integer modulo(Integer rest, Integer b) {
  const Boolean is_of_other_sign = less_s(rest ^ b, integer(b, 0));
  return select(differ(rest, integer(b, 0)) & is_of_other_sign, rest + b, rest);
}

Integer divide(Op op, Integer a, Integer b) {
  switch (op) {
    case Op::idiv_s:
      return quotient_s(a, b);
    case Op::idiv_u:
      return divide_unsigned(a, b).quotient;
    case Op::irem_s:
      return rest_s(a, b);
    case Op::irem_u:
      return divide_unsigned(a, b).rest;
    default:
      return modulo(rest_s(a, b), b);
  }
}

// ------------------------------------------------------------------------------------------------ by constants

using Word = std::uint32_t;
using Wide = std::uint64_t;

Word magnitude(Word a) { return std::bit_cast<std::int32_t>(a) < 0 ? -a : a; }
/// The least n for which 2^n >= a.
unsigned ceil_log2(Word a) { return static_cast<unsigned>(std::bit_width(a - 1)); }

/// Divisors, one for each component. Where one is 0, 2 takes its place until the result is masked.
class Divisors {
 public:
  Divisors(Integer like, const Bits& bits) : like_(like), bits_(bits), count_(components(like)) {
    for (std::uint8_t i = 0; i < count_; ++i) {
      mask_[i] = bits[i] == 0 ? 0 : 0xFFFFFFFF;
      if (bits[i] == 0) bits_[i] = 2;
    }
  }

  template <class Holds>
  [[nodiscard]] bool all(Holds holds) const {
    for (std::uint8_t i = 0; i < count_; ++i)
      if (!holds(bits_[i])) return false;
    return true;
  }
  /// The constant of what `of` is for each.
  template <class Of>
  [[nodiscard]] Integer constant(Of of) const {
    Bits made{};
    for (std::uint8_t i = 0; i < count_; ++i) made[i] = of(bits_[i]);
    return integers(like_, made);
  }
  [[nodiscard]] Integer themselves() const {
    return constant([](Word d) { return d; });
  }
  [[nodiscard]] Integer masked(Integer result) const {
    for (std::uint8_t i = 0; i < count_; ++i)
      if (mask_[i] == 0) return result & integers(like_, mask_);
    return result;
  }

 private:
  Integer like_;
  Bits bits_, mask_{};
  std::uint8_t count_;
};

/// a / d = high half of a * multiplier, shifted.
struct Magic {
  Word multiplier = 0;
  unsigned shift = 0;
};
/// For all a of 32 bits; there is none for some divisors. The multiplier is 2^(32 + shift) / d rounded up; what it is
/// more, times d, may be 2^shift.
std::optional<Magic> magic_of(Word d) {
  for (unsigned shift = 0; shift < 32; ++shift) {
    const Wide power = Wide{1} << (32 + shift), multiplier = (power + d - 1) / d;
    if (multiplier > 0xFFFFFFFF) break;
    if (multiplier * d - power <= Wide{1} << shift) return Magic{static_cast<Word>(multiplier), shift};
  }
  return {};
}

/// For every d: of the multiplier, which has 33 bits, the highest one is the a that is added, halved, so that the sum
/// does not overflow.
Integer by_long_multiplier(Integer a, const Divisors& by) {
  const Integer multiplier =
      by.constant([](Word d) { return static_cast<Word>(((Wide{1} << ceil_log2(d)) - d) * (Wide{1} << 32) / d + 1); });
  const Integer high = high_u(a, multiplier);
  const Integer halved = shift_u(a - high, by.constant([](Word d) { return d > 1 ? 1U : 0U; }));
  return shift_u(high + halved, by.constant([](Word d) { return d > 1 ? ceil_log2(d) - 1 : 0; }));
}

Integer quotient_u(Integer a, const Divisors& by) {
  if (by.all([](Word d) { return std::has_single_bit(d); }))
    return shift_u(a, by.constant([](Word d) { return ceil_log2(d); }));
  if (!by.all([](Word d) { return magic_of(d).has_value(); })) return by_long_multiplier(a, by);
  const Integer high = high_u(a, by.constant([](Word d) { return magic_of(d)->multiplier; }));
  return shift_u(high, by.constant([](Word d) { return magic_of(d)->shift; }));
}
Integer rest_u(Integer a, const Divisors& by) {
  if (by.all([](Word d) { return std::has_single_bit(d); })) return a & by.constant([](Word d) { return d - 1; });
  return a - quotient_u(a, by) * by.themselves();
}

/// By the divisors' magnitudes, rounded to zero. Powers of two: shifts round down, so what is negative is first made
/// greater by d - 1.
Integer quotient_of_magnitudes(Integer a, const Divisors& by) {
  if (by.all([](Word d) { return std::has_single_bit(magnitude(d)); })) {
    const Integer more = sign_mask(a) & by.constant([](Word d) { return magnitude(d) - 1; });
    return shift_s(a + more, by.constant([](Word d) { return ceil_log2(magnitude(d)); }));
  }
  // The multiplier has 32 bits and is taken for a negative number: so a is added.
  const auto places = [](Word d) { return std::max(ceil_log2(magnitude(d)), 1U) - 1; };
  const Integer multiplier =
      by.constant([&](Word d) { return static_cast<Word>((Wide{1} << (32 + places(d))) / magnitude(d) + 1); });
  return shift_s(high_s(a, multiplier) + a, by.constant(places)) - sign_mask(a);
}
Integer quotient_s(Integer a, const Divisors& by) {
  const auto sign = [](Word d) { return std::bit_cast<std::int32_t>(d) < 0 ? 0xFFFFFFFF : 0; };
  const Integer quotient = quotient_of_magnitudes(a, by);
  return by.all([&](Word d) { return sign(d) == 0; }) ? quotient : negated_by(quotient, by.constant(sign));
}
Integer rest_s(Integer a, const Divisors& by) { return a - quotient_s(a, by) * by.themselves(); }
Integer modulo(Integer a, const Divisors& by) {
  const bool positive = by.all([](Word d) { return std::bit_cast<std::int32_t>(d) > 0; });
  if (positive && by.all([](Word d) { return std::has_single_bit(d); })) return rest_u(a, by);
  const Integer rest = rest_s(a, by);
  return positive ? rest + (sign_mask(rest) & by.themselves()) : modulo(rest, by.themselves());
}

Integer divide_by_constant(Op op, Integer a, const Divisors& by) {
  switch (op) {
    case Op::idiv_s:
      return quotient_s(a, by);
    case Op::idiv_u:
      return quotient_u(a, by);
    case Op::irem_s:
      return rest_s(a, by);
    case Op::irem_u:
      return rest_u(a, by);
    default:
      return modulo(a, by);
  }
}

}  // namespace

Value expand_division(Op op, const Operands& from) {
  switch (op) {
    case Op::idiv_s:
    case Op::idiv_u:
    case Op::irem_s:
    case Op::imod_s:
    case Op::irem_u:
      break;
    default:
      return none;
  }
  const Integer a = from.integer(0), b = from.integer(1);
  if (const auto known = from.in.constant_of(b.value)) {
    const Divisors by(a, *known);
    return by.masked(divide_by_constant(op, a, by)).value;
  }
  return unless_zero(b, divide(op, a, b)).value;
}

}  // namespace mobula::ssa
