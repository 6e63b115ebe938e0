// Every function of this file is compiled once for each instruction set and chosen at run time.

#include "execute/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/lane_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first
#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <limits>
#include <numbers>

#include "execute/semantics.h"
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

void InterpolateRow(const std::array<float, 4>& corners, const float* across, const std::array<float, 2>& down,
                    std::uint32_t begin, std::uint32_t end, std::uint32_t* out) {
  const hn::RebindToUnsigned<DF> words;
  alignas(64) float rows[16];
  for (std::size_t i = 0; i < 16; ++i) rows[i] = down[i / 2 % 2];
  const VF y = hn::Load(df, rows);
  const VF left = between(hn::Set(df, corners[0]), hn::Set(df, corners[2]), y);
  const VF step = hn::Sub(between(hn::Set(df, corners[1]), hn::Set(df, corners[3]), y), left);
  for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(df))) {
    const VF value = hn::Add(left, hn::Mul(step, hn::LoadU(df, across + i)));
    hn::StoreU(hn::BitCast(words, value), words, out + i);
  }
}

// Two quads fill eight words, one four: those of a pixel are as wide as a quad.
using DPixels = hn::CappedTag<std::uint32_t, 8>;
using DQuad = hn::CappedTag<std::uint32_t, 4>;

/// The pixels of as many quads as there are in a vector, by lanes of the quad.
template <class D>
struct Pixels {
  hn::Vec<D> of_lane[4];
};
template <class D>
HWY_INLINE Pixels<D> pixels_of(D d, const std::array<const std::uint32_t*, 4>& planes, const std::uint32_t* mask,
                               std::uint32_t lane) {
  const auto load = [&](std::size_t plane) HWY_ATTR {
    const auto words = hn::LoadU(d, planes[plane] + lane);
    return mask == nullptr ? words : hn::And(words, hn::LoadU(d, mask + lane));
  };
  const hn::RepartitionToWide<D> wide;
  const auto red = load(0), green = load(1), blue = load(2), alpha = load(3);
  const auto rg_first = hn::BitCast(wide, hn::InterleaveLower(d, red, green));
  const auto rg_second = hn::BitCast(wide, hn::InterleaveUpper(d, red, green));
  const auto ba_first = hn::BitCast(wide, hn::InterleaveLower(d, blue, alpha));
  const auto ba_second = hn::BitCast(wide, hn::InterleaveUpper(d, blue, alpha));
  return {{hn::BitCast(d, hn::InterleaveLower(wide, rg_first, ba_first)),
           hn::BitCast(d, hn::InterleaveUpper(wide, rg_first, ba_first)),
           hn::BitCast(d, hn::InterleaveLower(wide, rg_second, ba_second)),
           hn::BitCast(d, hn::InterleaveUpper(wide, rg_second, ba_second))}};
}

HWY_INLINE void store_quad(const Pixels<DQuad>& pixels, std::uint32_t* upper, std::uint32_t* lower) {
  const DQuad d;
  hn::StoreU(pixels.of_lane[0], d, upper);
  hn::StoreU(pixels.of_lane[1], d, upper + 4);
  hn::StoreU(pixels.of_lane[2], d, lower);
  hn::StoreU(pixels.of_lane[3], d, lower + 4);
}

void StoreQuads(const std::array<const std::uint32_t*, 4>& planes, const std::uint32_t* mask, std::uint32_t quads,
                std::uint32_t* upper, std::uint32_t* lower) {
  std::uint32_t quad = 0;
#if HWY_MAX_BYTES >= 32
  const DPixels d;
  for (; quad + 2 <= quads; quad += 2, upper += 16, lower += 16) {
    const Pixels<DPixels> pixels = pixels_of(d, planes, mask, 4 * quad);
    const auto& [first, second, third, fourth] = pixels.of_lane;
    hn::StoreU(hn::ConcatLowerLower(d, second, first), d, upper);
    hn::StoreU(hn::ConcatUpperUpper(d, second, first), d, upper + 8);
    hn::StoreU(hn::ConcatLowerLower(d, fourth, third), d, lower);
    hn::StoreU(hn::ConcatUpperUpper(d, fourth, third), d, lower + 8);
  }
#endif
  for (; quad < quads; ++quad, upper += 8, lower += 8)
    store_quad(pixels_of(DQuad(), planes, mask, 4 * quad), upper, lower);
}

void StoreQuadBytes(const std::uint32_t* mask, std::uint32_t quads, std::uint8_t* upper, std::uint8_t* lower) {
  for (std::uint32_t quad = 0; quad < quads; ++quad, mask += 4, upper += 2, lower += 2) {
    upper[0] = static_cast<std::uint8_t>(mask[0] & 1);
    upper[1] = static_cast<std::uint8_t>(mask[1] & 1);
    lower[0] = static_cast<std::uint8_t>(mask[2] & 1);
    lower[1] = static_cast<std::uint8_t>(mask[3] & 1);
  }
}

void ToUnorm8(const std::uint32_t* numbers, std::size_t count, std::uint8_t* out) {
  const hn::RebindToSigned<DF> integers;
  const hn::RebindToUnsigned<DF> words;
  const hn::Rebind<std::uint8_t, DF> bytes;
  const VF most = hn::Set(df, 255);
  const VF below_half = hn::Set(df, 0x1.fffffep-2f);  // 1/2 itself would make 1 of the number below it
  const auto convert = [&](hn::Vec<hn::RebindToUnsigned<DF>> bits) HWY_ATTR {
    const VF value = hn::BitCast(df, bits), zero = hn::Zero(df);
    const VF scaled = hn::Min(hn::Mul(hn::IfThenElseZero(hn::Gt(value, zero), value), most), most);
    return hn::DemoteTo(bytes, hn::ConvertTo(integers, hn::Add(scaled, below_half)));
  };
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(convert(hn::LoadU(words, numbers + i)), bytes, out + i);
  for (; i < count; ++i) out[i] = hn::GetLane(convert(hn::Set(words, numbers[i])));
}

// ---- textures: the steps of sample.cpp, each as there

using DD = hn::CappedTag<double, 4>;
using VD = hn::Vec<DD>;
constexpr DD dd;

HWY_INLINE VD real(double value) { return hn::Set(dd, value); }

/// A texel number, of any size, that later sums cannot overflow; 0 for NaN.
HWY_INLINE VD texel_number(VD whole) {
  constexpr double limit = 1e15;
  const VD clamped = hn::Min(hn::Max(whole, real(-limit)), real(limit));
  return hn::IfThenElseZero(hn::Eq(whole, whole), clamped);
}

HWY_INLINE VD modulo(VD value, VD size) {
  const VD rest = hn::Sub(value, hn::Mul(hn::Floor(hn::Div(value, size)), size));  // or a multiple beside it
  const VD above = hn::IfThenElse(hn::Lt(rest, hn::Zero(dd)), hn::Add(rest, size), rest);
  return hn::IfThenElse(hn::Ge(above, size), hn::Sub(above, size), above);
}

/// -1 is the border.
HWY_INLINE VD wrapped_texel(Wrap wrap, VD index, VD size) {
  const VD zero = hn::Zero(dd), last = hn::Sub(size, real(1));
  const auto clamped = [&](VD value) HWY_ATTR { return hn::Min(hn::Max(value, zero), last); };
  switch (wrap) {
    case Wrap::repeat:
      return modulo(index, size);
    case Wrap::clamp_to_edge:
      return clamped(index);
    case Wrap::mirrored_repeat: {
      const VD both = hn::Add(size, size), place = modulo(index, both);
      return hn::Min(place, hn::Sub(hn::Sub(both, real(1)), place));
    }
    case Wrap::clamp_to_border:
      return hn::IfThenElse(hn::Eq(clamped(index), index), index, real(-1));
    case Wrap::mirror_clamp:
      return hn::Min(hn::IfThenElse(hn::Lt(index, zero), hn::Sub(real(-1), index), index), last);
  }
  return zero;
}

/// Where the texels are of a row and a column of the lanes from `lane`: -1 is the border.
HWY_INLINE void store_places(const TexelFilter& filter, std::size_t lane, VD column, VD row, std::int32_t* out) {
  const VD at =
      hn::Add(hn::LoadU(dd, &filter.first[lane]), hn::Add(hn::Mul(row, hn::LoadU(dd, &filter.width[lane])), column));
  const VD outside = hn::Min(column, row);
  const hn::Rebind<std::int32_t, DD> integers;
  hn::StoreU(hn::DemoteTo(integers, hn::IfThenElse(hn::Lt(outside, hn::Zero(dd)), real(-1), at)), integers, out + lane);
}

HWY_INLINE const std::uint32_t* texel_at(const TexelFilter& filter, std::int32_t place) {
  return (place < 0 ? filter.border : filter.texels + place)->data();
}

/// Calls with the first of the lanes of each vector in which one takes part.
template <class Use>
HWY_INLINE void for_each_vector(std::uint32_t lanes, Use use) {
  constexpr std::uint32_t step = static_cast<std::uint32_t>(hn::MaxLanes(dd));
  for (std::uint32_t lane = 0; lane < texel_lanes; lane += step)
    if ((lanes >> lane & ((1u << step) - 1)) != 0) use(lane);
}

#if HWY_NATIVE_FMA
#include "execute/approximations.inc"
#include "execute/many_numbers.inc"
HWY_INLINE VD logarithm(VD a) { return approximate_log2<NumbersOf<DD>>(a); }
#else
HWY_INLINE VD logarithm(VD a) {
  double each[hn::MaxLanes(dd)];
  hn::StoreU(a, dd, each);
  for (double& value : each) value = ir::logarithm(value);
  return hn::LoadU(dd, each);
}
#endif

/// The square of how many texels one step to the next pixel covers.
HWY_INLINE VD footprint_square(const TexelLevels& levels, const double* s, const double* t) {
  const VD across = hn::Mul(hn::LoadU(dd, s), real(levels.width));
  const VD down = hn::Mul(hn::LoadU(dd, t), real(levels.height));
  return hn::Add(hn::Mul(across, across), hn::Mul(down, down));
}

HWY_INLINE VD level_of_detail(const TexelLevels& levels, std::size_t lane) {
  VD lod = hn::LoadU(dd, &levels.lod[lane]);
  if (levels.has_steps) {
    const VD x = footprint_square(levels, &levels.s_along_x[lane], &levels.t_along_x[lane]);
    const VD y = footprint_square(levels, &levels.s_along_y[lane], &levels.t_along_y[lane]);
    lod = hn::Add(lod, hn::Mul(real(0.5), logarithm(hn::IfThenElse(hn::Lt(x, y), y, x))));
  }
  if (levels.uses_sampler_lod) {
    const VD least = real(levels.min_lod), most = real(levels.max_lod);
    lod = hn::Add(lod, real(levels.bias));
    lod = hn::IfThenElse(hn::Lt(lod, least), least, lod);
    lod = hn::IfThenElse(hn::Lt(most, lod), most, lod);
  }
  return hn::IfThenElseZero(hn::Eq(lod, lod), lod);
}

void ChooseLevels(const TexelLevels& levels, std::uint32_t lanes, TexelChoice& choice) {
  choice.magnified = 0;
  for_each_vector(lanes, [&](std::size_t lane) HWY_ATTR {
    const VD zero = hn::Zero(dd), last = real(levels.last), lod = level_of_detail(levels, lane);
    const auto minified = hn::Gt(lod, zero);
    VD low = zero, part = zero;
    if (levels.mip == MipFilter::nearest) {
      low = hn::Min(hn::Max(hn::Sub(hn::Ceil(hn::Add(lod, real(0.5))), real(1)), zero), last);
    } else if (levels.mip == MipFilter::linear) {
      const VD clamped = hn::Min(hn::Max(lod, zero), last);
      low = hn::Floor(clamped);
      part = hn::Sub(clamped, low);
    }
    hn::StoreU(hn::IfThenElseZero(minified, low), dd, &choice.low[lane]);
    hn::StoreU(hn::IfThenElseZero(minified, part), dd, &choice.part[lane]);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(dd, hn::Not(minified), bits);
    choice.magnified |= static_cast<std::uint32_t>(bits[0]) << lane;
  });
}

/// A coordinate in texels.
HWY_INLINE VD scaled(const TexelFilter& filter, const double* at, const double* size, const double* offset) {
  const VD coordinate = hn::LoadU(dd, at);
  return hn::Add(filter.normalised ? hn::Mul(coordinate, hn::LoadU(dd, size)) : coordinate, hn::LoadU(dd, offset));
}
HWY_INLINE VD scaled_s(const TexelFilter& filter, std::size_t lane) {
  return scaled(filter, &filter.s[lane], &filter.width[lane], &filter.offset_s[lane]);
}
HWY_INLINE VD scaled_t(const TexelFilter& filter, std::size_t lane) {
  return scaled(filter, &filter.t[lane], &filter.height[lane], &filter.offset_t[lane]);
}

void NearestTexels(const TexelFilter& filter, std::uint32_t lanes, Texture::Texel* out) {
  std::int32_t places[texel_lanes];
  for_each_vector(lanes, [&](std::size_t lane) HWY_ATTR {
    const auto along = [&](Wrap wrap, VD place, const double* size) HWY_ATTR {
      return wrapped_texel(wrap, texel_number(hn::Floor(place)), hn::LoadU(dd, size));
    };
    store_places(filter, lane, along(filter.wrap_s, scaled_s(filter, lane), &filter.width[lane]),
                 along(filter.wrap_t, scaled_t(filter, lane), &filter.height[lane]), places);
  });
  const hn::CappedTag<std::uint32_t, 4> words;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    hn::StoreU(hn::LoadU(words, texel_at(filter, places[lane])), words, out[lane].data());
  }
}

/// Of a coordinate, the two texels beside it, and how much the upper one counts.
struct Beside {
  VD lower, upper, part;
};
HWY_INLINE Beside beside(Wrap wrap, VD at, const double* size) {
  const VD place = hn::Sub(at, real(0.5)), low = hn::Floor(place), number = texel_number(low);
  const VD sides = hn::LoadU(dd, size), part = hn::Sub(place, low);
  return {wrapped_texel(wrap, number, sides), wrapped_texel(wrap, hn::Add(number, real(1)), sides),
          hn::IfThenElseZero(hn::Eq(part, part), part)};
}

std::uint32_t LinearTexels(const TexelFilter& filter, std::uint32_t lanes, Texture::Texel* out) {
  std::int32_t places[4][texel_lanes];
  double weights[4][texel_lanes];
  for_each_vector(lanes, [&](std::size_t lane) HWY_ATTR {
    const Beside s = beside(filter.wrap_s, scaled_s(filter, lane), &filter.width[lane]);
    const Beside t = beside(filter.wrap_t, scaled_t(filter, lane), &filter.height[lane]);
    const VD left = hn::Sub(real(1), s.part), top = hn::Sub(real(1), t.part);
    const auto corner = [&](std::size_t number, VD column, VD row, VD weight) HWY_ATTR {
      store_places(filter, lane, column, row, places[number]);
      hn::StoreU(weight, dd, weights[number] + lane);
    };
    corner(0, s.lower, t.lower, hn::Mul(left, top));
    corner(1, s.upper, t.lower, hn::Mul(s.part, top));
    corner(2, s.lower, t.upper, hn::Mul(left, t.part));
    corner(3, s.upper, t.upper, hn::Mul(s.part, t.part));
  });
  std::uint32_t nans = 0;
  constexpr std::size_t step = hn::MaxLanes(dd), vectors = 4 / step;
  const hn::Rebind<float, DD> singles;
  const hn::RebindToUnsigned<decltype(singles)> words;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    VD sum[vectors];
    for (VD& each : sum) each = hn::Zero(dd);
    for (std::size_t corner = 0; corner < 4; ++corner) {
      const double weight = weights[corner][lane];
      if (weight == 0) continue;  // an infinite texel that does not count must not become NaN
      const std::uint32_t* const texel = texel_at(filter, places[corner][lane]);
      for (std::size_t i = 0; i < vectors; ++i) {
        const auto numbers = hn::BitCast(singles, hn::LoadU(words, texel + i * step));
        sum[i] = hn::Add(sum[i], hn::Mul(real(weight), hn::PromoteTo(dd, numbers)));
      }
    }
    for (std::size_t i = 0; i < vectors; ++i) {
      if (!hn::AllTrue(dd, hn::Eq(sum[i], sum[i]))) nans |= 1u << lane;
      hn::StoreU(hn::BitCast(words, hn::DemoteTo(singles, sum[i])), words, out[lane].data() + i * step);
    }
  }
  return nans;
}

}  // namespace HWY_NAMESPACE
}  // namespace mobula::io
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mobula::io {
namespace {
MOBULA_KERNEL(InterpolateLanes);
MOBULA_KERNEL(InterpolateRow);
MOBULA_KERNEL(StoreQuads);
MOBULA_KERNEL(StoreQuadBytes);
MOBULA_KERNEL(ToUnorm8);
MOBULA_KERNEL(ChooseLevels);
MOBULA_KERNEL(NearestTexels);
MOBULA_KERNEL(LinearTexels);
}  // namespace

void interpolate_lanes(const std::array<float, 4>& corners, const float* across, const float* down, std::uint32_t begin,
                       std::uint32_t end, std::uint32_t* out) {
  MOBULA_CHOSEN(InterpolateLanes)(corners, across, down, begin, end, out);
}

void interpolate_row(const std::array<float, 4>& corners, const float* across, const std::array<float, 2>& down,
                     std::uint32_t begin, std::uint32_t end, std::uint32_t* out) {
  MOBULA_CHOSEN(InterpolateRow)(corners, across, down, begin, end, out);
}

void store_quads(const std::array<const std::uint32_t*, 4>& planes, const std::uint32_t* mask, std::uint32_t quads,
                 std::uint32_t* upper, std::uint32_t* lower) {
  MOBULA_CHOSEN(StoreQuads)(planes, mask, quads, upper, lower);
}

void store_quad_bytes(const std::uint32_t* mask, std::uint32_t quads, std::uint8_t* upper, std::uint8_t* lower) {
  MOBULA_CHOSEN(StoreQuadBytes)(mask, quads, upper, lower);
}

void to_unorm8(const std::uint32_t* numbers, std::size_t count, std::uint8_t* out) {
  MOBULA_CHOSEN(ToUnorm8)(numbers, count, out);
}

void choose_levels(const TexelLevels& levels, std::uint32_t lanes, TexelChoice& choice) {
  MOBULA_CHOSEN(ChooseLevels)(levels, lanes, choice);
}

void nearest_texels(const TexelFilter& filter, std::uint32_t lanes, Texture::Texel* out) {
  MOBULA_CHOSEN(NearestTexels)(filter, lanes, out);
}

std::uint32_t linear_texels(const TexelFilter& filter, std::uint32_t lanes, Texture::Texel* out) {
  return MOBULA_CHOSEN(LinearTexels)(filter, lanes, out);
}

}  // namespace mobula::io
#endif
