// Numbers as the hexadecimal text of messages, listings and JSON: small digits, and capitals where a machine's
// disassemblers write those.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mobula {

/// Without a prefix; leading zeros up to `least_digits`.
inline void append_hexadecimal(std::string& out, std::uint64_t value, unsigned least_digits = 1,
                               std::string_view digits = "0123456789abcdef") {
  unsigned count = 1;
  while (count < least_digits || (count < 16 && value >> (4 * count) != 0)) ++count;
  while (count-- > 0) out += count < 16 ? digits[value >> (4 * count) & 15] : '0';
}

/// "0x1f"
inline std::string hexadecimal(std::uint64_t value, unsigned least_digits = 1) {
  std::string text = "0x";
  append_hexadecimal(text, value, least_digits);
  return text;
}

/// "0x1F"
inline std::string capital_hexadecimal(std::uint64_t value) {
  std::string text = "0x";
  append_hexadecimal(text, value, 1, "0123456789ABCDEF");
  return text;
}

}  // namespace mobula
