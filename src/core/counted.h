// Numbers of things, for people: "1 thread", "2 threads".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mobula {

inline std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count).append(" ").append(what).append(count == 1 ? "" : "s");
}

}  // namespace mobula
