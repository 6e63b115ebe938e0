#include "core/quote.h"

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
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C2 80 to C2 9F are control characters, too.
    const bool control = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte >= 0x20 && byte != 0x7F && !control) {
      out += text[i];
      continue;
    }
    for (std::size_t k = 0; k < (control ? 2 : 1); ++k) {
      const auto each = static_cast<unsigned char>(text[i + k]);
      out += "\\x";
      out += digits[each >> 4];
      out += digits[each & 15];
    }
    if (control) ++i;
  }
}

}  // namespace

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
