// Every function of this file is compiled once for each instruction set and chosen at run time.
//
// In a kernel all values are vectors of 32-bit lanes: an element narrower than a word is taken out of its field
// (extended as the operation needs), computed in 32 bits and put back, which drops the excess bits; f16 is computed as
// f32 and rounded once more, which gives the correctly rounded f16 for the operations listed here.

#include "execute/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "execute/kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <numbers>

#include "execute/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mobula::ir {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<std::uint32_t, lane_padding>;
using DI = hn::RebindToSigned<D>;
using DF = hn::RebindToFloat<D>;
using VU = hn::Vec<D>;
using VI = hn::Vec<DI>;
using VF = hn::Vec<DF>;
constexpr D d;
constexpr DI di;
constexpr DF df;

HWY_INLINE VI I(VU v) { return hn::BitCast(di, v); }
HWY_INLINE VF F(VU v) { return hn::BitCast(df, v); }
template <class V>
HWY_INLINE VU U(V v) {
  return hn::BitCast(d, v);
}
HWY_INLINE VU C(std::uint32_t value) { return hn::Set(d, value); }
/// Bit by bit.
HWY_INLINE VU mux(VU choice, VU yes, VU no) { return hn::Xor(no, hn::And(choice, hn::Xor(yes, no))); }

// ---- running an operation over the lanes

LowestLanes FindLowest(const std::uint32_t* positions, std::uint32_t padded_lanes, std::uint32_t* mask) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  const VU none = C(~0u);
  VU least = none;
  for (std::uint32_t i = 0; i < padded_lanes; i += step) least = hn::Min(least, hn::Load(d, positions + i));
  LowestLanes found{.lowest = hn::GetLane(hn::MinOfLanes(d, least)), .range = {padded_lanes, 0, mask}};
  const VU lowest = C(found.lowest);
  VU next = none;
  for (std::uint32_t i = 0; i < padded_lanes; i += step) {
    const VU position = hn::Load(d, positions + i);
    const auto here = hn::Eq(position, lowest);
    next = hn::Min(next, hn::IfThenElse(here, none, position));
    hn::Store(hn::VecFromMask(d, here), d, mask + i);
    const auto count = static_cast<std::uint32_t>(hn::CountTrue(d, here));
    if (count == 0) continue;
    found.count += count;
    found.range.begin = std::min(found.range.begin, i / lane_padding * lane_padding);
    found.range.end = i / lane_padding * lane_padding + lane_padding;
  }
  found.next = hn::GetLane(hn::MinOfLanes(d, next));
  return found;
}

std::uint32_t SelectLanes(const BoundSource& condition, LaneRange lanes, std::uint32_t* taken) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  const VU bit = C(1u << condition.shift);
  std::size_t count = 0;
  for (std::uint32_t i = lanes.begin; i < lanes.end; i += step) {
    const VU word = hn::And(hn::Load(d, condition.words + (i & condition.keep)), hn::Load(d, lanes.mask + i));
    const auto is_taken = hn::Ne(hn::And(word, bit), hn::Zero(d));
    hn::Store(hn::VecFromMask(d, is_taken), d, taken + i);
    count += hn::CountTrue(d, is_taken);
  }
  return static_cast<std::uint32_t>(count);
}

void SetWords(std::uint32_t* words, LaneRange lanes, std::uint32_t value) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  for (std::uint32_t i = lanes.begin; i < lanes.end; i += step)
    hn::Store(mux(hn::Load(d, lanes.mask + i), C(value), hn::Load(d, words + i)), d, words + i);
}

void AddCounts(std::uint64_t* counts, LaneRange lanes, std::uint64_t value) {
  for (std::uint32_t i = lanes.begin; i < lanes.end; ++i) counts[i] += lanes.mask[i] != 0 ? value : 0;
}

void RemoveLanes(std::uint32_t* from, LaneRange lanes) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  for (std::uint32_t i = lanes.begin; i < lanes.end; i += step)
    hn::Store(hn::AndNot(hn::Load(d, lanes.mask + i), hn::Load(d, from + i)), d, from + i);
}

#if HWY_TARGET == HWY_EMU128

Kernel FindKernel(const Operation&) { return {}; }
Kernel FindQuadKernel(const Operation&) { return {}; }
void QuadDifferences(const BoundSource& source, LaneRange lanes, bool columns, std::uint32_t* out) {
  for (std::uint32_t i = lanes.begin; i < lanes.end; ++i) {
    const std::uint32_t first = columns ? i & ~2u : i & ~1u, second = columns ? i | 2u : i | 1u;
    const auto value = [&](std::uint32_t lane) { return std::bit_cast<float>(source.words[lane & source.keep]); };
    const bool both = lanes.mask[first] != 0 && lanes.mask[second] != 0;
    out[i] = both ? std::bit_cast<std::uint32_t>(value(second) - value(first)) : 0;
  }
}

#else

template <bool masked>
HWY_INLINE void store(VU value, std::uint32_t* to, std::uint32_t lane, [[maybe_unused]] const std::uint32_t* mask) {
  if constexpr (masked) {
    value = hn::IfThenElse(hn::MaskFromVec(hn::Load(d, mask + lane)), value, hn::Load(d, to + lane));
  }
  hn::Store(value, d, to + lane);
}

/// f16 bits in the low halves to f32 and back. The conversions quieten NaNs and keep their payload.
#if HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define MOBULA_HALF 1
using DHalfBits = hn::Rebind<std::uint16_t, D>;
using DHalf = hn::Rebind<hwy::float16_t, D>;
HWY_INLINE VU widen_half(VU bits) {
  return U(hn::PromoteTo(df, hn::BitCast(DHalf(), hn::TruncateTo(DHalfBits(), bits))));
}
HWY_INLINE VU narrow_half(VU value) {
  return hn::PromoteTo(d, hn::BitCast(DHalfBits(), hn::DemoteTo(DHalf(), F(value))));
}
#else
#define MOBULA_HALF 0
#endif

// How operands become vectors of 32-bit lanes and back.
enum class As { word, zero_extended, sign_extended, half };

template <As as>
HWY_INLINE VU load(const BoundSource& source, std::uint32_t lane) {
  const VU word = hn::Load(d, source.words + (lane & source.keep));
  if constexpr (as == As::word) return word;
  if constexpr (as == As::sign_extended) {
    const int above = 32 - source.bits;
    return U(hn::ShiftRightSame(hn::ShiftLeftSame(I(word), above - source.shift), above));
  }
  const VU field = hn::And(hn::ShiftRightSame(word, source.shift), C(~0u >> (32 - source.bits)));
#if MOBULA_HALF
  if constexpr (as == As::half) return widen_half(field);
#endif
  return field;
}

template <As as, bool masked>
HWY_INLINE void put(VU value, const BoundOperation& to, std::uint32_t lane, const std::uint32_t* mask) {
  if constexpr (as == As::word) {
    store<masked>(value, to.dst, lane, mask);
  } else {
#if MOBULA_HALF
    if constexpr (as == As::half) value = narrow_half(value);
#endif
    VU field = C((~0u >> (32 - to.dst_bits)) << to.dst_shift);
    if constexpr (masked) field = hn::And(field, hn::Load(d, mask + lane));
    const VU old = hn::Load(d, to.dst + lane);
    hn::Store(mux(field, hn::ShiftLeftSame(value, to.dst_shift), old), d, to.dst + lane);
  }
}

/// What an operation knows of its result's width; a constant where it is a whole word.
struct WordWidth {
  static constexpr bool is_word = true;
  static constexpr std::uint32_t bits = 32;
  explicit WordWidth(std::uint8_t) {}
};
struct FieldWidth {
  static constexpr bool is_word = false;
  std::uint32_t bits;
  explicit FieldWidth(std::uint8_t field_bits) : bits(field_bits) {}
};

/// Whether no lane of the vector takes part: then there is nothing to compute.
HWY_INLINE bool is_empty(const std::uint32_t* mask) { return hn::AllFalse(d, hn::MaskFromVec(hn::Load(d, mask))); }

template <class F, As from, As to, bool masked>
void run(const BoundOperation* operations, std::size_t count, LaneRange lanes) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  for (std::size_t number = 0; number < count; ++number) {
    const BoundOperation operation = operations[number];  // what is stored could be part of the original
    const std::conditional_t<to == As::word, WordWidth, FieldWidth> width(operation.dst_bits);
    for (std::uint32_t i = lanes.begin; i < lanes.end; i += step) {
      if constexpr (masked) {
        if (is_empty(lanes.mask + i)) continue;
      }
      const VU a = load<from>(operation.src[0], i);
      if constexpr (F::sources == 1) {
        put<to, masked>(F::apply(width, a, a, a), operation, i, lanes.mask);
      } else {
        const VU b = load<from>(operation.src[1], i);
        if constexpr (F::sources == 2) {
          put<to, masked>(F::apply(width, a, b, b), operation, i, lanes.mask);
        } else {
          put<to, masked>(F::apply(width, a, b, load<from>(operation.src[2], i)), operation, i, lanes.mask);
        }
      }
    }
  }
}

template <class F, As from, As to>
Kernel kernel() {
  return {&run<F, from, to, false>, &run<F, from, to, true>};
}

// ---- what the operations compute: F::apply(width, a, b, c)

#define MOBULA_APPLY(NAME, SOURCES, ...)                                                           \
  struct NAME {                                                                                    \
    static constexpr int sources = SOURCES;                                                        \
    template <class W>                                                                             \
    static HWY_INLINE VU apply([[maybe_unused]] W w, [[maybe_unused]] VU a, [[maybe_unused]] VU b, \
                               [[maybe_unused]] VU c) {                                            \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  };

template <class M>
HWY_INLINE VU all_ones_if(M mask) {
  return U(hn::VecFromMask(mask));
}

// Moves and integers. Narrow elements arrive extended to 32 bits, with their sign where the name ends in S or says so.

template <class W>
HWY_INLINE VI greatest(W w) {
  return hn::Set(di, static_cast<std::int32_t>(~0u >> (33 - w.bits)));
}
template <class W>
HWY_INLINE VU greatest_unsigned(W w) {
  return C(~0u >> (32 - w.bits));
}
/// A value that fits 32 bits signed, limited to the signed values of the width.
template <class W>
HWY_INLINE VU limit(W w, VI value) {
  return U(hn::Max(hn::Min(value, greatest(w)), hn::Not(greatest(w))));
}
template <class W>
HWY_INLINE VU shift_count(W w, VU b) {
  return hn::And(b, C(w.bits - 1));
}
/// The greatest value, or the least where `a` is negative.
HWY_INLINE VU saturated_like(VU a) { return hn::Xor(U(hn::BroadcastSignBit(I(a))), C(0x7FFFFFFF)); }
HWY_INLINE VU if_negative(VU condition, VU yes, VU no) {
  return hn::IfThenElse(hn::MaskFromVec(U(hn::BroadcastSignBit(I(condition)))), yes, no);
}
HWY_INLINE VU leading_zeros(VU a) {
  a = hn::Or(a, hn::ShiftRight<1>(a));
  a = hn::Or(a, hn::ShiftRight<2>(a));
  a = hn::Or(a, hn::ShiftRight<4>(a));
  a = hn::Or(a, hn::ShiftRight<8>(a));
  a = hn::Or(a, hn::ShiftRight<16>(a));
  return hn::PopulationCount(hn::Not(a));
}
template <class DWide, class V>
HWY_INLINE VU high_product(DWide dw, V a, V b) {
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(hn::DFromV<V>(), hn::ShiftRight<32>(hn::BitCast(dw, a))),
                               hn::BitCast(hn::DFromV<V>(), hn::ShiftRight<32>(hn::BitCast(dw, b))));
  return hn::OddEven(U(odd), U(hn::ShiftRight<32>(hn::BitCast(dw, even))));
}
constexpr hn::RepartitionToWide<D> d_wide;

MOBULA_APPLY(Move, 1, return a;)
MOBULA_APPLY(Select, 3, return mux(c, a, b);)
MOBULA_APPLY(Add, 2, return hn::Add(a, b);)
MOBULA_APPLY(Sub, 2, return hn::Sub(a, b);)
MOBULA_APPLY(Mul, 2, return hn::Mul(a, b);)
MOBULA_APPLY(MulHighS, 2, {
  if constexpr (w.is_word) return high_product(d_wide, I(a), I(b));
  return hn::ShiftRightSame(hn::Mul(a, b), static_cast<int>(w.bits));
})
MOBULA_APPLY(MulHighU, 2, {
  if constexpr (w.is_word) return high_product(d_wide, a, b);
  return hn::ShiftRightSame(hn::Mul(a, b), static_cast<int>(w.bits));
})
MOBULA_APPLY(AddSatS, 2, {
  const VU sum = hn::Add(a, b);
  if constexpr (!w.is_word) return limit(w, I(sum));
  return if_negative(hn::AndNot(hn::Xor(a, b), hn::Xor(a, sum)), saturated_like(a), sum);
})
MOBULA_APPLY(AddSatU, 2, return hn::Add(a, hn::Min(b, hn::Sub(greatest_unsigned(w), a)));)
MOBULA_APPLY(SubSatS, 2, {
  const VU difference = hn::Sub(a, b);
  if constexpr (!w.is_word) return limit(w, I(difference));
  return if_negative(hn::And(hn::Xor(a, b), hn::Xor(a, difference)), saturated_like(a), difference);
})
MOBULA_APPLY(SubSatU, 2, return hn::Sub(hn::Max(a, b), b);)
MOBULA_APPLY(MinS, 2, return U(hn::Min(I(a), I(b)));)
MOBULA_APPLY(MinU, 2, return hn::Min(a, b);)
MOBULA_APPLY(MaxS, 2, return U(hn::Max(I(a), I(b)));)
MOBULA_APPLY(MaxU, 2, return hn::Max(a, b);)
MOBULA_APPLY(AverageS, 2, return hn::Add(hn::And(a, b), U(hn::ShiftRight<1>(I(hn::Xor(a, b)))));)
MOBULA_APPLY(AverageU, 2, return hn::Add(hn::And(a, b), hn::ShiftRight<1>(hn::Xor(a, b)));)
MOBULA_APPLY(AverageUpS, 2, return hn::Sub(hn::Or(a, b), U(hn::ShiftRight<1>(I(hn::Xor(a, b)))));)
MOBULA_APPLY(AverageUpU, 2, return hn::Sub(hn::Or(a, b), hn::ShiftRight<1>(hn::Xor(a, b)));)
MOBULA_APPLY(DistanceS, 2, return U(hn::Sub(hn::Max(I(a), I(b)), hn::Min(I(a), I(b))));)
MOBULA_APPLY(DistanceU, 2, return hn::Sub(hn::Max(a, b), hn::Min(a, b));)
MOBULA_APPLY(ShiftLeft, 2, return hn::Shl(a, shift_count(w, b));)
MOBULA_APPLY(ShiftRightU, 2, return hn::Shr(a, shift_count(w, b));)
MOBULA_APPLY(ShiftRightS, 2, return U(hn::Shr(I(a), I(shift_count(w, b))));)
MOBULA_APPLY(ShiftLeftSatS, 2, {
  const VU bits = shift_count(w, b);
  const VU shifted = hn::Shl(a, bits);
  if constexpr (!w.is_word) return limit(w, I(shifted));
  return hn::IfThenElse(hn::Eq(U(hn::Shr(I(shifted), I(bits))), a), shifted, saturated_like(a));
})
MOBULA_APPLY(ShiftLeftSatU, 2, {
  const VU bits = shift_count(w, b);
  const VU shifted = hn::Shl(a, bits);
  if constexpr (!w.is_word) return hn::Min(shifted, greatest_unsigned(w));
  return hn::IfThenElse(hn::Eq(hn::Shr(shifted, bits), a), shifted, C(~0u));
})
MOBULA_APPLY(BitAnd, 2, return hn::And(a, b);)
MOBULA_APPLY(BitOr, 2, return hn::Or(a, b);)
MOBULA_APPLY(BitXor, 2, return hn::Xor(a, b);)
MOBULA_APPLY(BitNand, 2, return hn::Not(hn::And(a, b));)
MOBULA_APPLY(BitNor, 2, return hn::Not(hn::Or(a, b));)
MOBULA_APPLY(BitNxor, 2, return hn::Not(hn::Xor(a, b));)
MOBULA_APPLY(BitAndNot, 2, return hn::AndNot(b, a);)
MOBULA_APPLY(BitOrNot, 2, return hn::Or(a, hn::Not(b));)
MOBULA_APPLY(BitNot, 1, return hn::Not(a);)
MOBULA_APPLY(LeadingZeros, 1, return hn::Sub(leading_zeros(a), C(32 - w.bits));)
MOBULA_APPLY(Population, 1, return hn::PopulationCount(a);)
MOBULA_APPLY(Equal, 2, return all_ones_if(hn::Eq(a, b));)
MOBULA_APPLY(NotEqual, 2, return all_ones_if(hn::Ne(a, b));)
MOBULA_APPLY(LessS, 2, return all_ones_if(hn::Lt(I(a), I(b)));)
MOBULA_APPLY(LessEqualS, 2, return hn::Not(all_ones_if(hn::Lt(I(b), I(a))));)
MOBULA_APPLY(LessU, 2, return all_ones_if(hn::Lt(a, b));)
MOBULA_APPLY(LessEqualU, 2, return hn::Not(all_ones_if(hn::Lt(b, a)));)

MOBULA_APPLY(SaturateSToS, 1, return limit(w, I(a));)
MOBULA_APPLY(SaturateSToU, 1, return hn::Min(U(hn::Max(I(a), hn::Zero(di))), greatest_unsigned(w));)
MOBULA_APPLY(SaturateUToS, 1, return hn::Min(a, U(greatest(w)));)
MOBULA_APPLY(SaturateUToU, 1, return hn::Min(a, greatest_unsigned(w));)

// Floats, as f32.

constexpr std::uint32_t canonical_nan = 0x7FC00000, sign_bit = 0x80000000;
HWY_INLINE VF number(float value) { return hn::Set(df, value); }
HWY_INLINE VU canonical(VF a) { return U(hn::IfThenElse(hn::Eq(a, a), a, F(C(canonical_nan)))); }
HWY_INLINE VF limit_unit(VF a) { return hn::Min(a, number(1)); }
/// NaN and -0 give +0.
HWY_INLINE VF positive(VF a) { return hn::IfThenElseZero(hn::Gt(a, number(0)), a); }
HWY_INLINE VU minimum(VF a, VF b) {
  const VF other = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), b);  // equal values differ at most in the sign of zero
  return canonical(hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(b)), a, other));
}
HWY_INLINE VU maximum(VF a, VF b) {
  const VF other = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), b);
  return canonical(hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(b)), a, other));
}
HWY_INLINE VU nan_if_either(VF a, VF b, VU otherwise) {
  return hn::IfThenElse(hn::RebindMask(d, hn::Or(hn::IsNaN(a), hn::IsNaN(b))), C(canonical_nan), otherwise);
}
HWY_INLINE VF round_away(VF a) {
  const VF magnitude = hn::Abs(a), whole = hn::Trunc(magnitude);
  const VF up = hn::IfThenElseZero(hn::Ge(hn::Sub(magnitude, whole), number(0.5f)), number(1));
  return hn::CopySign(hn::Add(whole, up), a);
}
/// 1 / sqrt(a), computed in f64 and rounded to f32.
HWY_INLINE VF reciprocal_root(VF a) {
  const hn::Half<DF> half;
  const hn::RepartitionToWide<DF> wide;
  const auto one = hn::Set(wide, 1.0);
  const auto low = hn::Div(one, hn::Sqrt(hn::PromoteTo(wide, hn::LowerHalf(half, a))));
  const auto high = hn::Div(one, hn::Sqrt(hn::PromoteTo(wide, hn::UpperHalf(half, a))));
  return hn::Combine(df, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

#if HWY_NATIVE_FMA
#include "execute/many_numbers.inc"

/// Half as many as there are lanes.
using ManyNumbers = NumbersOf<hn::RepartitionToWide<DF> >;

#include "execute/approximations.inc"

/// Rounds to f32, or so that rounding to f16 afterwards gives what rounding at once would: what is cut off leaves a
/// trace in the last bit.
template <class W>
HWY_INLINE auto narrow(W, ManyNumbers::N a) {
  const hn::Half<DF> half;
  if constexpr (W::is_word) return hn::DemoteTo(half, a);
  const auto bits = ManyNumbers::bits(a);
  const auto cut_off = hn::Set(ManyNumbers::DBits(), (std::uint64_t{1} << 29) - 1);
  const auto trace =
      hn::And(hn::Add(hn::And(bits, cut_off), cut_off), hn::Set(ManyNumbers::DBits(), std::uint64_t{1} << 29));
  return hn::DemoteTo(half, ManyNumbers::from_bits(hn::AndNot(cut_off, hn::Or(bits, trace))));
}

/// F::apply(a, b) in binary64.
template <class F, class W>
HWY_INLINE VU in_binary64(W w, VF a, VF b) {
  const hn::Half<DF> half;
  const ManyNumbers::D wide;
  const auto low = F::apply(hn::PromoteTo(wide, hn::LowerHalf(half, a)), hn::PromoteTo(wide, hn::LowerHalf(half, b)));
  const auto high = F::apply(hn::PromoteTo(wide, hn::UpperHalf(half, a)), hn::PromoteTo(wide, hn::UpperHalf(half, b)));
  return canonical(hn::Combine(df, narrow(w, high), narrow(w, low)));
}

#define MOBULA_APPROXIMATION(NAME, SOURCES, ...)                                 \
  struct NAME {                                                                  \
    static constexpr int sources = SOURCES;                                      \
    using N = ManyNumbers::N;                                                    \
    static HWY_INLINE N apply(N a, [[maybe_unused]] N b) { return __VA_ARGS__; } \
    template <class W>                                                           \
    static HWY_INLINE VU apply(W w, VU a, VU b, VU) {                            \
      return in_binary64<NAME>(w, F(a), F(b));                                   \
    }                                                                            \
  };

MOBULA_APPROXIMATION(Exp2, 1, approximate_exp2<ManyNumbers>(a))
MOBULA_APPROXIMATION(Log2, 1, approximate_log2<ManyNumbers>(a))
MOBULA_APPROXIMATION(SinPi, 1, approximate_sin_pi<ManyNumbers>(a))
MOBULA_APPROXIMATION(CosPi, 1, approximate_cos_pi<ManyNumbers>(a))
MOBULA_APPROXIMATION(Atan2Base, 2, approximate_atan2_base<ManyNumbers>(a, b))
MOBULA_APPROXIMATION(Atan2Minor, 2, approximate_atan2_minor<ManyNumbers>(a, b))
MOBULA_APPROXIMATION(Atan2Recip, 2, approximate_atan2_recip<ManyNumbers>(a, b))
MOBULA_APPROXIMATION(Atan2Final, 2, approximate_atan2_final<ManyNumbers>(a, b))
#endif

MOBULA_APPLY(FloatAdd, 2, return canonical(hn::Add(F(a), F(b)));)
MOBULA_APPLY(FloatMul, 2, return canonical(hn::Mul(F(a), F(b)));)
#if HWY_NATIVE_FMA
MOBULA_APPLY(FloatMulAdd, 3, return canonical(hn::MulAdd(F(a), F(b), F(c)));)
#endif
MOBULA_APPLY(FloatMin, 2, return minimum(F(a), F(b));)
MOBULA_APPLY(FloatMax, 2, return maximum(F(a), F(b));)
MOBULA_APPLY(FloatMinNan, 2, return nan_if_either(F(a), F(b), minimum(F(a), F(b)));)
MOBULA_APPLY(FloatMaxNan, 2, return nan_if_either(F(a), F(b), maximum(F(a), F(b)));)
MOBULA_APPLY(FloatNegate, 1, return hn::Xor(a, C(sign_bit >> (32 - w.bits)));)
MOBULA_APPLY(FloatAbs, 1, return hn::And(a, C(~sign_bit >> (32 - w.bits)));)
MOBULA_APPLY(ClampPositive, 1, return U(positive(F(a)));)
MOBULA_APPLY(ClampSigned, 1, return U(limit_unit(hn::IfThenElse(hn::Gt(F(a), number(-1)), F(a), number(-1))));)
MOBULA_APPLY(ClampUnit, 1, return U(limit_unit(positive(F(a))));)
MOBULA_APPLY(RoundEven, 1, return canonical(hn::Round(F(a)));)
MOBULA_APPLY(RoundZero, 1, return canonical(hn::Trunc(F(a)));)
MOBULA_APPLY(RoundDown, 1, return canonical(hn::Floor(F(a)));)
MOBULA_APPLY(RoundUp, 1, return canonical(hn::Ceil(F(a)));)
MOBULA_APPLY(RoundAway, 1, return canonical(round_away(F(a)));)
MOBULA_APPLY(FloatEqual, 2, return all_ones_if(hn::Eq(F(a), F(b)));)
MOBULA_APPLY(FloatNotEqual, 2, return hn::Not(all_ones_if(hn::Eq(F(a), F(b))));)
MOBULA_APPLY(FloatLess, 2, return all_ones_if(hn::Lt(F(a), F(b)));)
MOBULA_APPLY(FloatLessEqual, 2, return all_ones_if(hn::Le(F(a), F(b)));)
MOBULA_APPLY(Reciprocal, 1, return canonical(hn::Div(number(1), F(a)));)
MOBULA_APPLY(Root, 1, return canonical(hn::Sqrt(F(a)));)
MOBULA_APPLY(ReciprocalRoot, 1, return canonical(reciprocal_root(F(a)));)
MOBULA_APPLY(Canonical, 1, return canonical(F(a));)

// Conversions. The float is integral before it is converted, so that the conversion is exact wherever it does not
// saturate.

struct KeepEven {
  static HWY_INLINE VF round(VF a) { return hn::Round(a); }
};
struct KeepZero {
  static HWY_INLINE VF round(VF a) { return hn::Trunc(a); }
};
struct KeepDown {
  static HWY_INLINE VF round(VF a) { return hn::Floor(a); }
};
struct KeepUp {
  static HWY_INLINE VF round(VF a) { return hn::Ceil(a); }
};

template <class Rounding>
struct ToSigned {
  static constexpr int sources = 1;
  template <class W>
  static HWY_INLINE VU apply(W w, VU a, VU, VU) {
    const VF whole = Rounding::round(F(a));
    const VU past =
        hn::IfThenElse(hn::RebindMask(d, hn::Lt(whole, number(0))), U(hn::Not(greatest(w))), U(greatest(w)));
    const auto limit_bits = number(static_cast<float>(std::uint64_t{1} << (w.bits - 1)));
    const auto fits = hn::Lt(hn::Abs(whole), limit_bits);
    const VU converted = U(hn::ConvertTo(di, hn::IfThenElseZero(fits, whole)));
    return hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(whole, whole)),
                              hn::IfThenElse(hn::RebindMask(d, fits), converted, past));
  }
};

template <class Rounding>
struct ToUnsigned {
  static constexpr int sources = 1;
  template <class W>
  static HWY_INLINE VU apply(W w, VU a, VU, VU) {
    const VF whole = positive(Rounding::round(F(a)));
    const VF half_range = number(2147483648.0f);
    const auto high = hn::Ge(whole, half_range);  // beyond what a signed conversion takes
    const VF low_part = hn::Sub(whole, hn::IfThenElseZero(high, half_range));
    const auto fits = hn::Lt(whole, number(static_cast<float>(std::uint64_t{1} << w.bits)));
    const VU converted = hn::Or(U(hn::ConvertTo(di, hn::IfThenElseZero(fits, low_part))),
                                hn::IfThenElseZero(hn::RebindMask(d, high), C(sign_bit)));
    return hn::IfThenElse(hn::RebindMask(d, fits), converted, greatest_unsigned(w));
  }
};

MOBULA_APPLY(FromSigned, 1, return U(hn::ConvertTo(df, I(a)));)
// Both halves are exact, their sum rounds once.
MOBULA_APPLY(FromUnsigned, 1,
             return U(hn::Add(hn::Mul(hn::ConvertTo(df, I(hn::ShiftRight<16>(a))), number(65536)),
                              hn::ConvertTo(df, I(hn::And(a, C(0xFFFF))))));)

// 64-bit elements: pairs of planes.

struct Pair {
  VU low, high;
};
HWY_INLINE Pair load_pair(const BoundSource& source, std::uint32_t lane) {
  return {hn::Load(d, source.words + (lane & source.keep)),
          hn::Load(d, source.words + source.pitch + (lane & source.keep))};
}

enum class PairResult { pair, low };
enum class PairSource { pair, zero_extended, sign_extended };

template <class F, PairSource from, bool masked>
void run_pairs(const BoundOperation* operations, std::size_t count, LaneRange lanes) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  const auto source = [](const BoundSource& bound, std::uint32_t lane) HWY_ATTR -> Pair {
    if constexpr (from == PairSource::pair) return load_pair(bound, lane);
    if constexpr (from == PairSource::zero_extended) return {load<As::zero_extended>(bound, lane), hn::Zero(d)};
    const VU low = load<As::sign_extended>(bound, lane);
    return {low, U(hn::BroadcastSignBit(I(low)))};
  };
  for (std::size_t number = 0; number < count; ++number) {
    const BoundOperation operation = operations[number];
    for (std::uint32_t i = lanes.begin; i < lanes.end; i += step) {
      const Pair a = source(operation.src[0], i);
      const Pair b = F::sources >= 2 ? source(operation.src[1], i) : a;
      const Pair c = F::sources >= 3 ? source(operation.src[2], i) : a;
      const Pair result = F::apply(a, b, c);
      store<masked>(result.low, operation.dst, i, lanes.mask);
      store<masked>(result.high, operation.dst + operation.dst_pitch, i, lanes.mask);
    }
  }
}

template <class F, PairSource from = PairSource::pair>
Kernel pair_kernel() {
  return {&run_pairs<F, from, false>, &run_pairs<F, from, true>};
}

#define MOBULA_PAIR(NAME, SOURCES, ...)                                                                       \
  struct NAME {                                                                                               \
    static constexpr int sources = SOURCES;                                                                   \
    static HWY_INLINE Pair apply([[maybe_unused]] Pair a, [[maybe_unused]] Pair b, [[maybe_unused]] Pair c) { \
      __VA_ARGS__                                                                                             \
    }                                                                                                         \
  };

/// The same for both words.
template <class F>
struct EachWord {
  static constexpr int sources = F::sources;
  static HWY_INLINE Pair apply(Pair a, Pair b, Pair c) {
    const WordWidth word(32);
    return {F::apply(word, a.low, b.low, c.low), F::apply(word, a.high, b.high, c.high)};
  }
};

HWY_INLINE Pair twice(VU word) { return {word, word}; }
HWY_INLINE VU count_in_word(Pair b) { return hn::And(b.low, C(31)); }
HWY_INLINE auto by_word_or_more(Pair b) { return hn::Ne(hn::And(b.low, C(32)), hn::Zero(d)); }
HWY_INLINE Pair less(VU high_less, Pair a, Pair b) {
  return twice(hn::Or(high_less, hn::And(all_ones_if(hn::Eq(a.high, b.high)), all_ones_if(hn::Lt(a.low, b.low)))));
}
HWY_INLINE Pair invert(Pair a) { return {hn::Not(a.low), hn::Not(a.high)}; }
HWY_INLINE Pair less_signed(Pair a, Pair b) { return less(all_ones_if(hn::Lt(I(a.high), I(b.high))), a, b); }
HWY_INLINE Pair less_unsigned(Pair a, Pair b) { return less(all_ones_if(hn::Lt(a.high, b.high)), a, b); }
HWY_INLINE Pair equal(Pair a, Pair b) {
  return twice(all_ones_if(hn::Eq(hn::Or(hn::Xor(a.low, b.low), hn::Xor(a.high, b.high)), hn::Zero(d))));
}
/// `far` fills in for the words beyond the value's end.
HWY_INLINE Pair shift_right(Pair a, Pair b, VU shifted_high, VU far) {
  const VU bits = count_in_word(b);
  const VU carried = hn::Shl(hn::ShiftLeft<1>(a.high), hn::Xor(bits, C(31)));
  const auto whole_word = by_word_or_more(b);
  return {hn::IfThenElse(whole_word, shifted_high, hn::Or(hn::Shr(a.low, bits), carried)),
          hn::IfThenElse(whole_word, far, shifted_high)};
}

MOBULA_PAIR(PairAdd, 2, {
  const VU low = hn::Add(a.low, b.low);
  const VU carry = all_ones_if(hn::Lt(low, a.low));
  return {low, hn::Sub(hn::Add(a.high, b.high), carry)};
})
MOBULA_PAIR(PairSub, 2, {
  const VU borrow = all_ones_if(hn::Lt(a.low, b.low));
  return {hn::Sub(a.low, b.low), hn::Add(hn::Sub(a.high, b.high), borrow)};
})
MOBULA_PAIR(PairMul, 2, {
  const VU crossed = hn::Add(hn::Mul(a.low, b.high), hn::Mul(a.high, b.low));
  return {hn::Mul(a.low, b.low), hn::Add(high_product(d_wide, a.low, b.low), crossed)};
})
MOBULA_PAIR(PairShiftLeft, 2, {
  const VU bits = count_in_word(b);
  const VU carried = hn::Shr(hn::ShiftRight<1>(a.low), hn::Xor(bits, C(31)));
  const VU shifted_low = hn::Shl(a.low, bits);
  const auto whole_word = by_word_or_more(b);
  return {hn::IfThenElse(whole_word, hn::Zero(d), shifted_low),
          hn::IfThenElse(whole_word, shifted_low, hn::Or(hn::Shl(a.high, bits), carried))};
})
MOBULA_PAIR(PairShiftRightU, 2, return shift_right(a, b, hn::Shr(a.high, count_in_word(b)), hn::Zero(d));)
MOBULA_PAIR(PairShiftRightS, 2, {
  return shift_right(a, b, U(hn::Shr(I(a.high), I(count_in_word(b)))), U(hn::BroadcastSignBit(I(a.high))));
})
MOBULA_PAIR(PairEqual, 2, return equal(a, b);)
MOBULA_PAIR(PairNotEqual, 2, return invert(equal(a, b));)
MOBULA_PAIR(PairLessS, 2, return less_signed(a, b);)
MOBULA_PAIR(PairLessEqualS, 2, return invert(less_signed(b, a));)
MOBULA_PAIR(PairLessU, 2, return less_unsigned(a, b);)
MOBULA_PAIR(PairLessEqualU, 2, return invert(less_unsigned(b, a));)

// Operations between the lanes of a quad, which fills a quarter of 512 bits and all of 128.

HWY_INLINE VU left(VU a) { return hn::BitCast(d, hn::DupEven(F(a))); }
HWY_INLINE VU right(VU a) { return hn::BitCast(d, hn::DupOdd(F(a))); }
/// Of the lanes of a column, the upper and the lower.
HWY_INLINE VU lower_row() {
  alignas(64) static constexpr std::uint32_t rows[lane_padding] = {0, 0, ~0u, ~0u, 0, 0, ~0u, ~0u,
                                                                   0, 0, ~0u, ~0u, 0, 0, ~0u, ~0u};
  return hn::Load(d, rows);
}
HWY_INLINE VU top(VU a) { return mux(lower_row(), hn::Shuffle1032(a), a); }
HWY_INLINE VU bottom(VU a) { return mux(lower_row(), a, hn::Shuffle1032(a)); }

struct AlongRow {
  static HWY_INLINE VU first(VU a) { return left(a); }
  static HWY_INLINE VU second(VU a) { return right(a); }
};
struct AlongColumn {
  static HWY_INLINE VU first(VU a) { return top(a); }
  static HWY_INLINE VU second(VU a) { return bottom(a); }
};

template <class Along>
HWY_INLINE VU difference(VU a, VU mask) {
  const VU both = hn::And(Along::first(mask), Along::second(mask));
  return hn::And(both, U(hn::Sub(F(Along::second(a)), F(Along::first(a)))));
}

template <class Along>
struct QuadDifference {
  static HWY_INLINE VU apply(VU a, VU mask) { return canonical(F(difference<Along>(a, mask))); }
};
struct QuadFirst {
  static HWY_INLINE VU apply(VU a, VU mask) { return mux(hn::Broadcast<0>(mask), hn::Broadcast<0>(a), a); }
};

template <class F, As as>
void run_quads(const BoundOperation* operations, std::size_t count, LaneRange lanes) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  for (std::size_t number = 0; number < count; ++number) {
    const BoundOperation operation = operations[number];
    for (std::uint32_t i = lanes.begin; i < lanes.end; i += step)
      put<as, true>(F::apply(load<as>(operation.src[0], i), hn::Load(d, lanes.mask + i)), operation, i, lanes.mask);
  }
}

template <class F>
Kernel quad_kernel(Type type) {
  if (bytes_of(type) == 4) return {&run_quads<F, As::word>, &run_quads<F, As::word>};
#if MOBULA_HALF
  if (type == Type::f16) return {&run_quads<F, As::half>, &run_quads<F, As::half>};
#endif
  return {};
}

Kernel FindQuadKernel(const Operation& operation) {
  switch (operation.op) {
    case Op::ddx:
      return quad_kernel<QuadDifference<AlongRow> >(operation.type);
    case Op::ddy:
      return quad_kernel<QuadDifference<AlongColumn> >(operation.type);
    case Op::quad_first:
      return bytes_of(operation.type) == 4 ? quad_kernel<QuadFirst>(Type::i32) : Kernel{};
    default:
      return {};
  }
}

void QuadDifferences(const BoundSource& source, LaneRange lanes, bool columns, std::uint32_t* out) {
  const auto step = static_cast<std::uint32_t>(hn::Lanes(d));
  for (std::uint32_t i = lanes.begin; i < lanes.end; i += step) {
    const VU value = hn::Load(d, source.words + (i & source.keep)), mask = hn::Load(d, lanes.mask + i);
    hn::Store(columns ? difference<AlongColumn>(value, mask) : difference<AlongRow>(value, mask), d, out + i);
  }
}

// ---- choosing a kernel

template <class F>
Kernel unsigned_kernel(Type type) {
  return type == Type::i32 ? kernel<F, As::word, As::word>() : kernel<F, As::zero_extended, As::zero_extended>();
}
template <class F>
Kernel signed_kernel(Type type) {
  return type == Type::i32 ? kernel<F, As::word, As::word>() : kernel<F, As::sign_extended, As::zero_extended>();
}
/// The narrow source decides; whole words come through unchanged.
template <class F>
Kernel from_signed() {
  return kernel<F, As::sign_extended, As::zero_extended>();
}
template <class F>
Kernel from_unsigned() {
  return kernel<F, As::zero_extended, As::zero_extended>();
}
template <class F>
Kernel float_kernel(Type type) {
  if (type == Type::f32) return kernel<F, As::word, As::word>();
#if MOBULA_HALF
  if (type == Type::f16) return kernel<F, As::half, As::half>();
#endif
  return {};
}
/// Comparisons: the result is an integer.
template <class F>
Kernel test_kernel(Type type) {
  if (type == Type::f32) return kernel<F, As::word, As::word>();
#if MOBULA_HALF
  if (type == Type::f16) return kernel<F, As::half, As::zero_extended>();
#endif
  return {};
}
template <class F>
Kernel from_float(Type from) {
  if (from == Type::f32) return kernel<F, As::zero_extended, As::zero_extended>();
#if MOBULA_HALF
  if (from == Type::f16) return kernel<F, As::half, As::zero_extended>();
#endif
  return {};
}
template <template <class> class F>
Kernel from_rounded_float(Type from, Round round) {
  switch (round) {
    case Round::even:
      return from_float<F<KeepEven> >(from);
    case Round::zero:
      return from_float<F<KeepZero> >(from);
    case Round::down:
      return from_float<F<KeepDown> >(from);
    case Round::up:
      return from_float<F<KeepUp> >(from);
  }
  return {};
}
template <class F, As from>
Kernel to_float(Type type) {
  if (type == Type::f32) return kernel<F, from, As::word>();
#if MOBULA_HALF
  // Every integer that f32 would round is beyond the range of f16, so there is one rounding.
  if (type == Type::f16) return kernel<F, from, As::half>();
#endif
  return {};
}
Kernel round_kernel(Type type, Round round) {
  switch (round) {
    case Round::even:
      return float_kernel<RoundEven>(type);
    case Round::zero:
      return float_kernel<RoundZero>(type);
    case Round::down:
      return float_kernel<RoundDown>(type);
    case Round::up:
      return float_kernel<RoundUp>(type);
  }
  return {};
}
Kernel float_to_float([[maybe_unused]] Type type, [[maybe_unused]] Type from) {
#if MOBULA_HALF
  if (type == Type::f32 && from == Type::f16) return kernel<Canonical, As::half, As::word>();
  if (type == Type::f16 && from == Type::f32) return kernel<Canonical, As::word, As::half>();
#endif
  return {};
}

Kernel find_pair_kernel(Op op) {
  switch (op) {
    case Op::mov:
      return pair_kernel<EachWord<Move> >();
    case Op::select:
      return pair_kernel<EachWord<Select> >();
    case Op::iadd:
      return pair_kernel<PairAdd>();
    case Op::isub:
      return pair_kernel<PairSub>();
    case Op::imul:
      return pair_kernel<PairMul>();
    case Op::ishl:
      return pair_kernel<PairShiftLeft>();
    case Op::ilsr:
      return pair_kernel<PairShiftRightU>();
    case Op::iasr:
      return pair_kernel<PairShiftRightS>();
    case Op::iand:
      return pair_kernel<EachWord<BitAnd> >();
    case Op::ior:
      return pair_kernel<EachWord<BitOr> >();
    case Op::ixor:
      return pair_kernel<EachWord<BitXor> >();
    case Op::inand:
      return pair_kernel<EachWord<BitNand> >();
    case Op::inor:
      return pair_kernel<EachWord<BitNor> >();
    case Op::inxor:
      return pair_kernel<EachWord<BitNxor> >();
    case Op::iandnot:
      return pair_kernel<EachWord<BitAndNot> >();
    case Op::iornot:
      return pair_kernel<EachWord<BitOrNot> >();
    case Op::inot:
      return pair_kernel<EachWord<BitNot> >();
    case Op::ieq:
      return pair_kernel<PairEqual>();
    case Op::ine:
      return pair_kernel<PairNotEqual>();
    case Op::ilt_s:
      return pair_kernel<PairLessS>();
    case Op::ile_s:
      return pair_kernel<PairLessEqualS>();
    case Op::ilt_u:
      return pair_kernel<PairLessU>();
    case Op::ile_u:
      return pair_kernel<PairLessEqualU>();
    default:
      return {};
  }
}

/// Conversions between integers.
Kernel find_resize_kernel(Op op, Type type, Type from) {
  if (type == Type::i64) {
    if (from == Type::i64) return {};  // a move, which no lifter makes
    if (op == Op::sext) return pair_kernel<EachWord<Move>, PairSource::sign_extended>();
    if (op == Op::zext) return pair_kernel<EachWord<Move>, PairSource::zero_extended>();
    return {};
  }
  if (op == Op::trunc) return from_unsigned<Move>();  // of 64 bits the source's field is the low word
  if (from == Type::i64) return {};
  switch (op) {
    case Op::sext:
      return from_signed<Move>();
    case Op::zext:
      return from_unsigned<Move>();
    case Op::sat_s2s:
      return from_signed<SaturateSToS>();
    case Op::sat_s2u:
      return from_signed<SaturateSToU>();
    case Op::sat_u2s:
      return from_unsigned<SaturateUToS>();
    case Op::sat_u2u:
      return from_unsigned<SaturateUToU>();
    default:
      return {};
  }
}

Kernel FindKernel(const Operation& operation) {
  const Type type = operation.type, from = operation.from, integer = as_integer(type);
  const bool to_nearest = operation.round == Round::even;
  switch (operation.op) {
    case Op::sext:
    case Op::zext:
    case Op::trunc:
    case Op::sat_s2s:
    case Op::sat_s2u:
    case Op::sat_u2s:
    case Op::sat_u2u:
      return find_resize_kernel(operation.op, type, from);
    default:
      break;
  }
  if (integer == Type::i64) return find_pair_kernel(operation.op);
  switch (operation.op) {
    case Op::mov:
      return unsigned_kernel<Move>(integer);
    case Op::select:
      return unsigned_kernel<Select>(integer);
    case Op::iadd:
      return unsigned_kernel<Add>(type);
    case Op::isub:
      return unsigned_kernel<Sub>(type);
    case Op::imul:
      return unsigned_kernel<Mul>(type);
    case Op::imulhi_s:
      return signed_kernel<MulHighS>(type);
    case Op::imulhi_u:
      return unsigned_kernel<MulHighU>(type);
    case Op::iadd_sat_s:
      return signed_kernel<AddSatS>(type);
    case Op::iadd_sat_u:
      return unsigned_kernel<AddSatU>(type);
    case Op::isub_sat_s:
      return signed_kernel<SubSatS>(type);
    case Op::isub_sat_u:
      return unsigned_kernel<SubSatU>(type);
    case Op::imin_s:
      return signed_kernel<MinS>(type);
    case Op::imin_u:
      return unsigned_kernel<MinU>(type);
    case Op::imax_s:
      return signed_kernel<MaxS>(type);
    case Op::imax_u:
      return unsigned_kernel<MaxU>(type);
    case Op::iavg_s:
      return signed_kernel<AverageS>(type);
    case Op::iavg_u:
      return unsigned_kernel<AverageU>(type);
    case Op::iravg_s:
      return signed_kernel<AverageUpS>(type);
    case Op::iravg_u:
      return unsigned_kernel<AverageUpU>(type);
    case Op::iabsdiff_s:
      return signed_kernel<DistanceS>(type);
    case Op::iabsdiff_u:
      return unsigned_kernel<DistanceU>(type);
    case Op::ishl:
      return unsigned_kernel<ShiftLeft>(type);
    case Op::ilsr:
      return unsigned_kernel<ShiftRightU>(type);
    case Op::iasr:
      return signed_kernel<ShiftRightS>(type);
    case Op::ishl_sat_s:
      return signed_kernel<ShiftLeftSatS>(type);
    case Op::ishl_sat_u:
      return unsigned_kernel<ShiftLeftSatU>(type);
    case Op::iand:
      return unsigned_kernel<BitAnd>(type);
    case Op::ior:
      return unsigned_kernel<BitOr>(type);
    case Op::ixor:
      return unsigned_kernel<BitXor>(type);
    case Op::inand:
      return unsigned_kernel<BitNand>(type);
    case Op::inor:
      return unsigned_kernel<BitNor>(type);
    case Op::inxor:
      return unsigned_kernel<BitNxor>(type);
    case Op::iandnot:
      return unsigned_kernel<BitAndNot>(type);
    case Op::iornot:
      return unsigned_kernel<BitOrNot>(type);
    case Op::inot:
      return unsigned_kernel<BitNot>(type);
    case Op::iclz:
      return unsigned_kernel<LeadingZeros>(type);
    case Op::ipopcnt:
      return unsigned_kernel<Population>(type);
    case Op::ieq:
      return unsigned_kernel<Equal>(type);
    case Op::ine:
      return unsigned_kernel<NotEqual>(type);
    case Op::ilt_s:
      return signed_kernel<LessS>(type);
    case Op::ile_s:
      return signed_kernel<LessEqualS>(type);
    case Op::ilt_u:
      return unsigned_kernel<LessU>(type);
    case Op::ile_u:
      return unsigned_kernel<LessEqualU>(type);

    case Op::fadd:
      return to_nearest ? float_kernel<FloatAdd>(type) : Kernel{};
    case Op::fmul:
      return to_nearest ? float_kernel<FloatMul>(type) : Kernel{};
#if HWY_NATIVE_FMA
    case Op::ffma:
      return to_nearest && type == Type::f32 ? float_kernel<FloatMulAdd>(type) : Kernel{};
#endif
    case Op::fmin:
      return float_kernel<FloatMin>(type);
    case Op::fmax:
      return float_kernel<FloatMax>(type);
    case Op::fmin_nan:
      return float_kernel<FloatMinNan>(type);
    case Op::fmax_nan:
      return float_kernel<FloatMaxNan>(type);
    case Op::fneg:
      return unsigned_kernel<FloatNegate>(integer);
    case Op::fabs:
      return unsigned_kernel<FloatAbs>(integer);
    case Op::fclamp_pos:
      return float_kernel<ClampPositive>(type);
    case Op::fclamp_signed:
      return float_kernel<ClampSigned>(type);
    case Op::fclamp_unit:
      return float_kernel<ClampUnit>(type);
    case Op::fround:
      return round_kernel(type, operation.round);
    case Op::fround_away:
      return float_kernel<RoundAway>(type);
    case Op::feq:
      return test_kernel<FloatEqual>(type);
    case Op::fne:
      return test_kernel<FloatNotEqual>(type);
    case Op::flt:
      return test_kernel<FloatLess>(type);
    case Op::fle:
      return test_kernel<FloatLessEqual>(type);
    case Op::frcp:
      return float_kernel<Reciprocal>(type);
    case Op::fsqrt:
      return float_kernel<Root>(type);
    case Op::frsqrt:
      return float_kernel<ReciprocalRoot>(type);
#if HWY_NATIVE_FMA
    case Op::fexp2:
      return float_kernel<Exp2>(type);
    case Op::flog2:
      return float_kernel<Log2>(type);
    case Op::fsinpi:
      return float_kernel<SinPi>(type);
    case Op::fcospi:
      return float_kernel<CosPi>(type);
    case Op::fatan2_base:
      return float_kernel<Atan2Base>(type);
    case Op::fatan2_minor:
      return float_kernel<Atan2Minor>(type);
    case Op::fatan2_recip:
      return float_kernel<Atan2Recip>(type);
    case Op::fatan2_final:
      return float_kernel<Atan2Final>(type);
#endif

    case Op::f2f:
      return to_nearest ? float_to_float(type, from) : Kernel{};
    case Op::f2i:
      return from_rounded_float<ToSigned>(from, operation.round);
    case Op::f2u:
      return from_rounded_float<ToUnsigned>(from, operation.round);
    case Op::i2f:
      return to_nearest && from != Type::i64 ? to_float<FromSigned, As::sign_extended>(type) : Kernel{};
    case Op::u2f:
      return to_nearest && from != Type::i64 ? to_float<FromUnsigned, As::zero_extended>(type) : Kernel{};
    default:
      return {};
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace mobula::ir
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mobula::ir {
namespace {
MOBULA_KERNEL(AddCounts);
MOBULA_KERNEL(FindKernel);
MOBULA_KERNEL(FindLowest);
MOBULA_KERNEL(FindQuadKernel);
MOBULA_KERNEL(QuadDifferences);
MOBULA_KERNEL(RemoveLanes);
MOBULA_KERNEL(SelectLanes);
MOBULA_KERNEL(SetWords);

/// A field must lie in one word, a pair must start at one.
bool is_aligned(Operand operand, Type type) {
  return operand.is_none() || operand.byte() % std::min(bytes_of(type), 4u) == 0;
}
bool has_aligned_operands(const Operation& operation) {
  const auto aligned = [&](Operand source) { return is_aligned(source, source_type(operation)); };
  return is_aligned(operation.dst, operation.type) && std::all_of(operation.src.begin(), operation.src.end(), aligned);
}
}  // namespace

Kernel find_kernel(const Operation& operation) {
  return has_aligned_operands(operation) ? MOBULA_CHOSEN(FindKernel)(operation) : Kernel{};
}

Kernel find_quad_kernel(const Operation& operation) {
  return has_aligned_operands(operation) ? MOBULA_CHOSEN(FindQuadKernel)(operation) : Kernel{};
}

void quad_differences(const BoundSource& source, LaneRange lanes, bool columns, std::uint32_t* out) {
  MOBULA_CHOSEN(QuadDifferences)(source, lanes, columns, out);
}

void set_words(std::uint32_t* words, LaneRange lanes, std::uint32_t value) {
  MOBULA_CHOSEN(SetWords)(words, lanes, value);
}

void add_counts(std::uint64_t* counts, LaneRange lanes, std::uint64_t value) {
  MOBULA_CHOSEN(AddCounts)(counts, lanes, value);
}

void remove_lanes(std::uint32_t* from, LaneRange lanes) { MOBULA_CHOSEN(RemoveLanes)(from, lanes); }

std::uint32_t select_lanes(const BoundSource& condition, LaneRange lanes, std::uint32_t* taken) {
  return MOBULA_CHOSEN(SelectLanes)(condition, lanes, taken);
}

LowestLanes find_lowest(const std::uint32_t* positions, std::uint32_t padded_lanes, std::uint32_t* mask) {
  return MOBULA_CHOSEN(FindLowest)(positions, padded_lanes, mask);
}

std::vector<std::int64_t> kernel_targets() {
  constexpr std::int64_t without_kernels = HWY_EMU128;
  std::vector<std::int64_t> targets;
  for (std::int64_t left = supported_targets() & HWY_TARGETS & ~without_kernels; left != 0; left &= left - 1) {
    targets.push_back(left & -left);
  }
  return targets;
}

const char* kernel_target_name(std::int64_t target) { return hwy::TargetName(target); }

void force_kernel_target(std::int64_t target) { force_target(target); }

}  // namespace mobula::ir
#endif
