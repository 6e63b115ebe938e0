// A fuzz target: FUZZ_TARGET(name) { ... } takes the input as `data` and `size` and returns 0. The file is named after
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mobula::fuzz {

struct Target {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

/// Those of all files.
inline std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

struct Registration {
  explicit Registration(Target target) { targets().push_back(target); }
};

}  // namespace mobula::fuzz

#define FUZZ_TARGET(name)                                                        \
  static int name(const std::uint8_t* data, std::size_t size);                   \
  static const mobula::fuzz::Registration registration_of_##name({#name, name}); \
  static int name(const std::uint8_t* data, std::size_t size)
