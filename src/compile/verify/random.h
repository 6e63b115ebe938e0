// Numbers that look like chance and are the same everywhere.
#pragma once

#include <cstdint>

namespace mobula::compile {

class Random {
 public:
  /// Mixed, so that what one seed gives is not what its neighbour gives a step later.
  explicit Random(std::uint64_t seed) : state_(mixed(seed + step)) {}

  /// splitmix64.
  std::uint64_t next() { return mixed(state_ += step); }
  /// 0 to count - 1.
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>((next() >> 32) * count >> 32); }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15;
  static constexpr std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
    return bits ^ bits >> 31;
  }

  std::uint64_t state_;
};

}  // namespace mobula::compile
