#include "core/quote.h"

#include <algorithm>
#include <cstddef>

namespace mobula {
namespace {

constexpr std::size_t quoted = 40;
constexpr std::string_view digits = "0123456789abcdef", dots = "...";

/// The text without what is between characters cut apart at its ends.
std::string_view beginning(std::string_view text, std::size_t most) {
  while (most > 0 && most < text.size() && !begins_character(text[most])) --most;
  return text.substr(0, most);
}
std::string_view ending(std::string_view text, std::size_t most) {
  std::size_t begin = text.size() - most;
  while (begin < text.size() && !begins_character(text[begin])) ++begin;
  return text.substr(begin);
}

void append_printable(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = printable_bytes(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
    out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

}  // namespace

std::size_t printable_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7F ? 1 : 0;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (begins_character(text[i])) return 0;
  // Longer than it need be, a half of a pair of UTF-16, or beyond what there is; and C2 80 to C2 9F are controls, too.
  const bool is_none = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) >= 0xA0) ||
                       (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) >= 0x90);
  return is_none || (byte(0) == 0xC2 && byte(1) < 0xA0) ? 0 : length;
}

std::string shown(std::string_view text, std::size_t most) {
  std::string result;
  if (text.size() <= most) {
    append_printable(result, text);
  } else {
    append_printable(result, beginning(text, most / 2));
    result += dots;
    append_printable(result, ending(text, most - most / 2 - dots.size()));
  }
  return result;
}

std::string quote(std::string_view text) {
  std::string result = "'";
  append_printable(result, text.size() <= quoted ? text : beginning(text, quoted));
  if (text.size() > quoted) result += dots;
  return result + "'";
}

}  // namespace mobula
