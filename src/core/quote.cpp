#include "core/quote.h"

#include <cstddef>

namespace mobula {
namespace {

constexpr std::size_t shown = 40;
constexpr std::string_view digits = "0123456789abcdef";

}  // namespace

std::string quote(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      result += c;
    } else {
      result += "\\x";
      result += digits[byte >> 4];
      result += digits[byte & 15];
    }
  }
  if (text.size() > shown) result += "...";
  return result + "'";
}

}  // namespace mobula
