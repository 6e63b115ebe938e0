// Rows of a picture while they are made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mobula/lab/run.h"

namespace mobula::io {

/// Two rows of a picture, one below the other, or a part of them; of its last line, one. Colours are numbers, of which
/// the picture keeps bytes if it has room for those alone. An object serves one thread of the system, for many rows.
class ImageRows {
 public:
  /// From this pixel on.
  void begin(ImageResult& image, std::uint32_t x, std::uint32_t y, std::uint32_t width);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] RunVec4* colours(std::size_t row) const { return colours_[row]; }
  [[nodiscard]] std::uint8_t* covered(std::size_t row) const { return covered_[row]; }

  /// Ends them with none of the pixels covered.
  void blank();
  /// Once all pixels are written.
  void end();

 private:
  std::uint32_t width_ = 0, count_ = 0;
  std::array<RunVec4*, 2> colours_{};
  std::array<std::uint8_t*, 2> covered_{};
  std::array<std::uint8_t*, 2> bytes_{};          ///< where bytes are kept
  std::vector<RunVec4, Unset<RunVec4>> numbers_;  ///< there
};

}  // namespace mobula::io
