// Text output by moving a pointer: whoever prints reserves room for a line once, writes it without a check, commits.
//
//   char* out = buffer.reserve(200);
//   out = put(out, "mov ");
//   out = put_decimal(out, 7);
//   buffer.commit(out);
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/export.h"

namespace mobula {

/// A growing text. Bytes between size() and the end of the reserved room are scratch.
class TextBuffer {
 public:
  explicit TextBuffer(std::size_t expected_bytes = 0) { text_.resize(expected_bytes); }

  /// Where the next `bytes` bytes may be written. The pointer is good until the next call of any other member.
  char* reserve(std::size_t bytes) {
    if (text_.size() - used_ < bytes) grow(bytes);
    return text_.data() + used_;
  }
  /// `end` is where writing stopped: reserve()'s pointer plus at most the bytes reserved.
  void commit(const char* end) { used_ = static_cast<std::size_t>(end - text_.data()); }

  void append(std::string_view text);
  void append(char letter) { append(std::string_view{&letter, 1}); }

  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::string_view view() const { return {text_.data(), used_}; }
  /// The text; the buffer is empty afterwards.
  MOBULA_INTERNAL std::string take();

 private:
  void grow(std::size_t bytes);

  std::string text_;  // its size is the room, not the text
  std::size_t used_ = 0;
};

/// A short text that is copied whole whatever its length, which spares a call. Writing one needs room for N bytes.
template <std::size_t N>
struct Token {
  std::array<char, N - 1> text{};
  std::uint8_t size = 0;

  constexpr Token() = default;
  /// Precondition: content.size() < N.
  constexpr Token(std::string_view content) : size(static_cast<std::uint8_t>(content.size())) {  // NOLINT
    for (std::size_t i = 0; i < content.size(); ++i) text[i] = content[i];
  }
  constexpr Token(const char* content) : Token(std::string_view{content}) {}  // NOLINT
  constexpr void add(std::string_view more) {
    for (const char letter : more) text[size++] = letter;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {text.data(), size}; }
};

// Writers. Each returns where the next byte goes and never writes a terminating zero.

inline char* put(char* out, char letter) {
  *out = letter;
  return out + 1;
}
inline char* put(char* out, std::string_view text) {
  if (!text.empty()) std::memcpy(out, text.data(), text.size());  // an empty one may be nowhere
  return out + text.size();
}
/// A literal: its length is known, so the copy is inline.
template <std::size_t N>
char* put(char* out, const char (&text)[N]) {
  std::memcpy(out, text, N - 1);
  return out + N - 1;
}
template <std::size_t N>
char* put(char* out, const Token<N>& token) {
  std::memcpy(out, token.text.data(), N - 1);
  return out + token.size;
}
/// At most 20 bytes.
char* put_decimal(char* out, std::uint64_t value);
/// At most 20 bytes.
char* put_signed(char* out, std::int64_t value);
/// "0x" and capital digits without leading zeros; at most 18 bytes.
char* put_hex(char* out, std::uint64_t value);
/// Exactly `digits` capital digits, 1..16, and no prefix.
char* put_hex_digits(char* out, std::uint64_t value, unsigned digits);
/// The shortest decimal that reads back as the same number ("0.1", "-0", "1e+30", "inf", "nan"); at most 32 bytes.
MOBULA_INTERNAL char* put_float(char* out, float value);
MOBULA_INTERNAL char* put_float(char* out, double value);

}  // namespace mobula
