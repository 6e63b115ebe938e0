#include "core/text_buffer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace mobula {
namespace {

constexpr std::size_t float_room = 32;

/// Numbers of few digits before the point and none after are by far the most common: no need of the general algorithm.
template <class Float>
char* put_shortest(char* out, Float value) {
  if (std::isnan(value)) return std::signbit(value) ? put(out, "-nan") : put(out, "nan");
  const Float magnitude = std::fabs(value);
  if (magnitude < 10000 && magnitude == std::trunc(magnitude)) {
    if (std::signbit(value)) *out++ = '-';
    return put_decimal(out, static_cast<std::uint64_t>(magnitude));
  }
  return std::to_chars(out, out + float_room, value).ptr;
}

/// "00" to "99" in a row.
constexpr std::array<char, 200> digit_pairs = [] {
  std::array<char, 200> pairs{};
  for (unsigned i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

/// Two digits of a number below 100.
char* put_pair(char* out, std::uint64_t value) {
  std::memcpy(out, digit_pairs.data() + 2 * value, 2);
  return out + 2;
}

}  // namespace

void TextBuffer::append(std::string_view text) { commit(put(reserve(text.size()), text)); }

std::string TextBuffer::take() {
  text_.resize(used_);
  used_ = 0;
  return std::exchange(text_, {});
}

void TextBuffer::grow(std::size_t bytes) { text_.resize(std::max(text_.size() * 2, used_ + bytes)); }

char* put_decimal(char* out, std::uint64_t value) {
  if (value < 10) return put(out, static_cast<char>('0' + value));
  if (value < 100) return put_pair(out, value);
  if (value < 1000) return put_pair(put(out, static_cast<char>('0' + value / 100)), value % 100);
  if (value < 10000) return put_pair(put_pair(out, value / 100), value % 100);
  return std::to_chars(out, out + 20, value).ptr;
}

char* put_signed(char* out, std::int64_t value) {
  if (value >= 0) return put_decimal(out, static_cast<std::uint64_t>(value));
  *out++ = '-';
  return put_decimal(out, -static_cast<std::uint64_t>(value));
}

char* put_hex(char* out, std::uint64_t value) {
  unsigned digits = 1;
  while (digits < 16 && value >> (4 * digits) != 0) ++digits;
  return put_hex_digits(put(out, "0x"), value, digits);
}

char* put_hex_digits(char* out, std::uint64_t value, unsigned digits) {
  for (unsigned i = digits; i-- > 0;) *out++ = "0123456789ABCDEF"[value >> (4 * i) & 15];
  return out;
}

char* put_float(char* out, float value) { return put_shortest(out, value); }
char* put_float(char* out, double value) { return put_shortest(out, value); }

}  // namespace mobula
