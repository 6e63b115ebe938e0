// The head of a message as HTTP writes it, and protocols that took it from there: lines of "name: value", an empty
// line.
#pragma once

#include <algorithm>
#include <string_view>

namespace mobula::servers {

inline constexpr std::string_view line_end = "\r\n", head_end = "\r\n\r\n";

inline char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
inline bool same_name(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace mobula::servers
