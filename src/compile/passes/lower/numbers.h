// Values under the signs that formulas have. Each sign is one operation; a plain number is a constant for all
// components.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "compile/passes/lower/builder.h"

namespace mobula::ssa {

template <Base base>
struct Number {
  Builder* in;
  Value value;
};
using Real = Number<Base::real>;
using Integer = Number<Base::integer>;
using Boolean = Number<Base::boolean>;

template <class Result, class First, class... Rest>
Result apply(Op op, First first, Rest... rest) {
  return {first.in, first.in->make(op, {first.value, rest.value...})};
}

/// A constant with as many components as `like`.
template <class Any>
std::uint8_t components(Any a) {
  return a.in->type_of(a.value).components;
}
/// Whether it is known, and so in all components.
template <class Any>
bool is_everywhere(Any a, std::uint32_t bits) {
  const auto known = a.in->constant_of(a.value);
  return known && std::all_of(known->begin(), known->begin() + components(a), [=](auto each) { return each == bits; });
}
template <class Result, class Any>
Result each_component(Any like, std::uint32_t bits) {
  constexpr Base base = std::is_same_v<Result, Real> ? Base::real : Base::integer;
  Bits all{};
  for (std::uint8_t i = 0; i < components(like); ++i) all[i] = bits;
  return {like.in, like.in->constant({base, components(like)}, all)};
}
template <class Any>
Real real(Any like, float value) {
  return each_component<Real>(like, std::bit_cast<std::uint32_t>(value));
}
template <class Any>
Integer integer(Any like, std::uint32_t value) {
  return each_component<Integer>(like, value);
}
inline Integer integers(Integer like, const Bits& values) {
  return {like.in, like.in->constant({Base::integer, components(like)}, values)};
}
inline Integer splat(Integer scalar, Integer like) { return {like.in, like.in->splat(scalar.value, components(like))}; }

inline Real operator-(Real a) { return apply<Real>(Op::fneg, a); }
inline Real operator+(Real a, Real b) { return apply<Real>(Op::fadd, a, b); }
inline Real operator-(Real a, Real b) { return apply<Real>(Op::fsub, a, b); }
inline Real operator*(Real a, Real b) { return apply<Real>(Op::fmul, a, b); }
inline Real operator/(Real a, Real b) { return apply<Real>(Op::fdiv, a, b); }
inline Real operator+(Real a, float b) { return a + real(a, b); }
inline Real operator-(Real a, float b) { return a + real(a, -b); }
inline Real operator-(float a, Real b) { return real(b, a) - b; }
inline Real operator*(Real a, float b) { return a * real(a, b); }
inline Real abs(Real a) { return apply<Real>(Op::fabs, a); }
inline Real floor(Real a) { return apply<Real>(Op::ffloor, a); }
inline Real trunc(Real a) { return apply<Real>(Op::ftrunc, a); }
inline Real round(Real a) { return apply<Real>(Op::fround, a); }
inline Real min(Real a, Real b) { return apply<Real>(Op::fmin, a, b); }
inline Real max(Real a, Real b) { return apply<Real>(Op::fmax, a, b); }
inline Real reciprocal(Real a) { return apply<Real>(Op::frcp, a); }
inline Real sqrt(Real a) { return apply<Real>(Op::fsqrt, a); }
inline Real exp2(Real a) { return apply<Real>(Op::fexp2, a); }
inline Real log2(Real a) { return apply<Real>(Op::flog2, a); }
inline Boolean operator<(Real a, Real b) { return apply<Boolean>(Op::flt, a, b); }
inline Boolean operator<=(Real a, Real b) { return apply<Boolean>(Op::fle, a, b); }
inline Boolean operator<(Real a, float b) { return a < real(a, b); }
inline Boolean operator<(float a, Real b) { return real(b, a) < b; }
inline Boolean operator<=(float a, Real b) { return real(b, a) <= b; }
inline Boolean equal(Real a, Real b) { return apply<Boolean>(Op::feq, a, b); }
inline Boolean differ(Real a, Real b) { return apply<Boolean>(Op::fne, a, b); }

inline Integer operator+(Integer a, Integer b) { return apply<Integer>(Op::iadd, a, b); }
inline Integer operator-(Integer a, Integer b) { return apply<Integer>(Op::isub, a, b); }
inline Integer operator*(Integer a, Integer b) { return apply<Integer>(Op::imul, a, b); }
inline Integer operator&(Integer a, Integer b) { return apply<Integer>(Op::iand, a, b); }
inline Integer operator|(Integer a, Integer b) { return apply<Integer>(Op::ior, a, b); }
inline Integer operator^(Integer a, Integer b) { return apply<Integer>(Op::ixor, a, b); }
inline Integer operator~(Integer a) { return apply<Integer>(Op::inot, a); }
/// What is known not to move anything is left out.
inline Integer shift(Op op, Integer a, Integer b) { return is_everywhere(b, 0) ? a : apply<Integer>(op, a, b); }
inline Integer operator<<(Integer a, Integer b) { return shift(Op::ishl, a, b); }
inline Integer shift_s(Integer a, Integer b) { return shift(Op::ishr_s, a, b); }
inline Integer shift_u(Integer a, Integer b) { return shift(Op::ishr_u, a, b); }
inline Integer operator+(Integer a, std::uint32_t b) { return a + integer(a, b); }
inline Integer operator-(Integer a, std::uint32_t b) { return a - integer(a, b); }
inline Integer operator-(std::uint32_t a, Integer b) { return integer(b, a) - b; }
inline Integer operator*(Integer a, std::uint32_t b) { return a * integer(a, b); }
inline Integer operator&(Integer a, std::uint32_t b) { return a & integer(a, b); }
inline Integer operator|(Integer a, std::uint32_t b) { return a | integer(a, b); }
inline Integer operator<<(Integer a, std::uint32_t b) { return a << integer(a, b); }
inline Integer shift_s(Integer a, std::uint32_t b) { return shift_s(a, integer(a, b)); }
inline Integer shift_u(Integer a, std::uint32_t b) { return shift_u(a, integer(a, b)); }
/// All bits are its sign.
inline Integer sign_mask(Integer a) { return shift_s(a, 31); }
inline Integer min_s(Integer a, Integer b) { return apply<Integer>(Op::imin_s, a, b); }
inline Integer min_u(Integer a, Integer b) { return apply<Integer>(Op::imin_u, a, b); }
inline Integer max_s(Integer a, Integer b) { return apply<Integer>(Op::imax_s, a, b); }
inline Integer high_s(Integer a, Integer b) { return apply<Integer>(Op::imulhi_s, a, b); }
inline Integer high_u(Integer a, Integer b) { return apply<Integer>(Op::imulhi_u, a, b); }
inline Integer leading_zeros(Integer a) { return apply<Integer>(Op::iclz, a); }
inline Boolean less_s(Integer a, Integer b) { return apply<Boolean>(Op::ilt_s, a, b); }
inline Boolean less_u(Integer a, Integer b) { return apply<Boolean>(Op::ilt_u, a, b); }
inline Boolean at_most_u(Integer a, Integer b) { return apply<Boolean>(Op::ile_u, a, b); }
inline Boolean equal(Integer a, Integer b) { return apply<Boolean>(Op::ieq, a, b); }
inline Boolean differ(Integer a, Integer b) { return apply<Boolean>(Op::ine, a, b); }

inline Integer bits(Real a) { return apply<Integer>(Op::f_bits, a); }
inline Real of_bits(Integer a) { return apply<Real>(Op::f_of_bits, a); }
inline Real real_of_s(Integer a) { return apply<Real>(Op::s_to_f, a); }
inline Real real_of_u(Integer a) { return apply<Real>(Op::u_to_f, a); }
/// Of numbers that are in range.
inline Integer to_s(Real a) { return {a.in, a.in->make_native(Op::f_to_s, {a.value})}; }
inline Integer to_u(Real a) {
  const bool native = a.in->native().has(Op::f_to_u);
  return {a.in, native ? a.in->make_native(Op::f_to_u, {a.value}) : a.in->make(Op::f_to_u, {a.value})};
}

inline Boolean operator&(Boolean a, Boolean b) { return apply<Boolean>(Op::band, a, b); }
inline Boolean operator|(Boolean a, Boolean b) { return apply<Boolean>(Op::bor, a, b); }
/// A condition that is known, and the same for all components, is none.
template <class Any>
Any select(Boolean condition, Any a, Any b) {
  if (is_everywhere(condition, 1)) return a;
  if (is_everywhere(condition, 0)) return b;
  return apply<Any>(Op::select, condition, a, b);
}

/// A magnitude with the sign of another number.
inline Real with_sign(Real a, Real sign) {
  if (!a.in->native().has_bits) return select(sign < 0.0F, -a, a);
  return of_bits(bits(a) | (bits(sign) & 0x80000000));
}

/// Until its end, what is made is computed as it stands.
class Precisely {
 public:
  explicit Precisely(Builder& builder) : builder_(builder), before_(builder.precise) { builder.precise = true; }
  Precisely(const Precisely&) = delete;
  Precisely& operator=(const Precisely&) = delete;
  ~Precisely() { builder_.precise = before_; }

 private:
  Builder& builder_;
  bool before_;
};

}  // namespace mobula::ssa
