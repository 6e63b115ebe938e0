// Numbers of things, for people: "1 thread", "2 threads", "1 word is missing", "2 words are missing".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mobula {

/// A number with the words that follow it: those for one, or those for any other number.
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view others) {
  return std::to_string(count).append(" ").append(count == 1 ? one : others);
}
/// What has a plural in s.
inline std::string counted(std::uint64_t count, std::string_view what) {
  return counted(count, what, std::string(what).append("s"));
}

}  // namespace mobula
