// Every function of this file is compiled once for each instruction set and chosen at run time.

#include "execute/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/lane_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first
#include <hwy/highway.h>

#include <cstddef>

#include "io/lane_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mobula::io {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using VF = hn::Vec<DF>;
constexpr DF df;

HWY_INLINE VF between(VF a, VF b, VF part) { return hn::Add(a, hn::Mul(hn::Sub(b, a), part)); }

void InterpolateLanes(const std::array<float, 4>& corners, const float* across, const float* down, std::uint32_t begin,
                      std::uint32_t end, std::uint32_t* out) {
  const hn::RebindToUnsigned<DF> words;
  const VF left_top = hn::Set(df, corners[0]), right_top = hn::Set(df, corners[1]);
  const VF left_bottom = hn::Set(df, corners[2]), right_bottom = hn::Set(df, corners[3]);
  for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(df))) {
    const VF y = hn::LoadU(df, down + i);
    const VF value =
        between(between(left_top, left_bottom, y), between(right_top, right_bottom, y), hn::LoadU(df, across + i));
    hn::StoreU(hn::BitCast(words, value), words, out + i);
  }
}

void ToUnorm8(const std::uint32_t* numbers, std::size_t count, std::uint8_t* out) {
  const hn::RebindToSigned<DF> integers;
  const hn::RebindToUnsigned<DF> words;
  const hn::Rebind<std::uint8_t, DF> bytes;
  const auto convert = [&](hn::Vec<hn::RebindToUnsigned<DF> > bits) HWY_ATTR {
    const VF value = hn::BitCast(df, bits), zero = hn::Zero(df);
    const VF scaled =
        hn::Mul(hn::Min(hn::IfThenElseZero(hn::Gt(value, zero), value), hn::Set(df, 1)), hn::Set(df, 255));
    const VF whole = hn::Trunc(scaled);
    const VF up = hn::IfThenElseZero(hn::Ge(hn::Sub(scaled, whole), hn::Set(df, 0.5f)), hn::Set(df, 1));
    return hn::DemoteTo(bytes, hn::ConvertTo(integers, hn::Add(whole, up)));
  };
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(convert(hn::LoadU(words, numbers + i)), bytes, out + i);
  for (; i < count; ++i) out[i] = hn::GetLane(convert(hn::Set(words, numbers[i])));
}

}  // namespace HWY_NAMESPACE
}  // namespace mobula::io
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mobula::io {
namespace {
MOBULA_KERNEL(InterpolateLanes);
MOBULA_KERNEL(ToUnorm8);
}  // namespace

void interpolate_lanes(const std::array<float, 4>& corners, const float* across, const float* down, std::uint32_t begin,
                       std::uint32_t end, std::uint32_t* out) {
  MOBULA_CHOSEN(InterpolateLanes)(corners, across, down, begin, end, out);
}

void to_unorm8(const std::uint32_t* numbers, std::size_t count, std::uint8_t* out) {
  MOBULA_CHOSEN(ToUnorm8)(numbers, count, out);
}

}  // namespace mobula::io
#endif
