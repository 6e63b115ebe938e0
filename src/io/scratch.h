// Memory that every thread of a batch has for itself: words of all lanes side by side, as the state's planes are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mobula::io {

/// Made as far as it is touched, and cleared only where it was written.
class Scratch {
 public:
  /// Gives each of these lanes `bytes` bytes, which hold `image` (that must outlive this) and zeros after it.
  void reset(std::size_t lanes, std::uint32_t bytes, std::span<const std::uint8_t> image);
  [[nodiscard]] bool holds(std::uint64_t offset, std::size_t size) const {
    return offset <= bytes_ && size <= bytes_ - offset;
  }
  /// The bytes must be held.
  void read(std::size_t lane, std::uint32_t offset, std::span<std::uint8_t> out);
  void write(std::size_t lane, std::uint32_t offset, std::span<const std::uint8_t> data);

  /// A word of all lanes, to be read, or to be written. The word must be held.
  [[nodiscard]] const std::uint32_t* read_word(std::uint32_t word) { return plane(word); }
  [[nodiscard]] std::uint32_t* write_word(std::uint32_t word) {
    first_written_ = std::min(first_written_, word);
    end_written_ = std::max(end_written_, word + 1);
    return plane(word);
  }

 private:
  [[nodiscard]] std::uint32_t* plane(std::uint32_t word) {
    if ((std::size_t{word} + 1) * lanes_ > words_.size()) make(word);
    return words_.data() + word * lanes_;
  }
  void make(std::uint32_t word);
  void clear(std::uint32_t first, std::uint32_t end);

  std::size_t lanes_ = 0;
  std::uint32_t bytes_ = 0;
  std::span<const std::uint8_t> image_;
  std::vector<std::uint32_t> words_;
  std::uint32_t first_written_ = ~0u, end_written_ = 0;
};

}  // namespace mobula::io
