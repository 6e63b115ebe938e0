#include "io/scratch.h"

namespace mobula::io {

void Scratch::reset(std::size_t lanes, std::uint32_t bytes, std::span<const std::uint8_t> image) {
  image_ = image.first(std::min<std::size_t>(image.size(), bytes));
  if (lanes != lanes_ || bytes != bytes_) {
    words_.clear();
  } else if (first_written_ < end_written_) {
    clear(first_written_, end_written_);
  }
  lanes_ = lanes;
  bytes_ = bytes;
  first_written_ = ~0u;
  end_written_ = 0;
}

/// Makes all words up to this one.
void Scratch::make(std::uint32_t word) {
  const auto made = static_cast<std::uint32_t>(words_.size() / lanes_);
  const std::uint32_t wanted = std::min(std::max(word + 1, 2 * made), (bytes_ + 3) / 4);
  words_.resize(wanted * lanes_);
  clear(made, wanted);
}

void Scratch::clear(std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t word = first; word < end; ++word) {
    std::uint32_t value = 0;
    for (std::size_t byte = 0; byte < 4 && 4 * std::size_t{word} + byte < image_.size(); ++byte)
      value |= std::uint32_t{image_[4 * std::size_t{word} + byte]} << (8 * byte);
    std::fill_n(words_.data() + word * lanes_, lanes_, value);
  }
}

void Scratch::read(std::size_t lane, std::uint32_t offset, std::span<std::uint8_t> out) {
  for (std::uint8_t& byte : out) {
    byte = static_cast<std::uint8_t>(read_word(offset / 4)[lane] >> (8 * (offset % 4)));
    ++offset;
  }
}

void Scratch::write(std::size_t lane, std::uint32_t offset, std::span<const std::uint8_t> data) {
  for (const std::uint8_t byte : data) {
    const std::uint32_t shift = 8 * (offset % 4);
    std::uint32_t& word = write_word(offset / 4)[lane];
    word = (word & ~(0xFFu << shift)) | std::uint32_t{byte} << shift;
    ++offset;
  }
}

}  // namespace mobula::io
