#include "io/image_rows.h"

#include <algorithm>

#include "io/lane_kernels.h"

namespace mobula::io {

void ImageRows::begin(ImageResult& image, std::uint32_t x, std::uint32_t y, std::uint32_t width) {
  width_ = width;
  count_ = std::min(2u, image.size.height - y);
  const bool keeps_bytes = !image.rgba8.empty();
  if (keeps_bytes && numbers_.size() < 2 * std::size_t{width}) numbers_.resize(2 * std::size_t{width});
  for (std::size_t row = 0; row < count_; ++row) {
    const std::size_t first = (y + row) * image.size.width + x;
    colours_[row] = keeps_bytes ? numbers_.data() + row * width : image.colours.data() + first;
    bytes_[row] = keeps_bytes ? image.rgba8.data() + 4 * first : nullptr;
    covered_[row] = image.covered.data() + first;
  }
}

void ImageRows::blank() {
  for (std::size_t row = 0; row < count_; ++row) {
    std::fill_n(colours_[row], width_, RunVec4{});
    std::fill_n(covered_[row], width_, std::uint8_t{0});
  }
  end();
}

void ImageRows::end() {
  for (std::size_t row = 0; row < count_ && bytes_[row] != nullptr; ++row)
    to_unorm8(colours_[row]->data(), 4 * std::size_t{width_}, bytes_[row]);
}

}  // namespace mobula::io
