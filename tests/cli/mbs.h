// Containers of ARM's offline compiler for tests.
#pragma once

#include <cstdint>
#include <string>

namespace mobula::test {

/// Four bytes, lowest first.
inline std::string word(std::uint32_t value) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}
inline std::string chunk(const std::string& ident, const std::string& payload) {
  return ident + word(static_cast<std::uint32_t>(payload.size())) + payload;
}

}  // namespace mobula::test
