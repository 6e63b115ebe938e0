// Vector code of the environment that run inputs feed: what has to be computed for each lane of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mobula::io {

/// One component of a varying, interpolated() for the lanes [begin, end), multiples of 16.
void interpolate_lanes(const std::array<float, 4>& corners, const float* across, const float* down, std::uint32_t begin,
                       std::uint32_t end, std::uint32_t* out);

/// Numbers clamped to 0..1, as 0 to 255, rounded to nearest, ties up; NaN is 0.
void to_unorm8(const std::uint32_t* numbers, std::size_t count, std::uint8_t* out);

}  // namespace mobula::io
