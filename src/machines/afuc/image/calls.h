// How deep calls nest in a program, and what calls itself.
#pragma once

#include <cstdint>
#include <vector>

#include "machines/afuc/image/image.h"

namespace mobula::afuc {

/// A function, or what the start, a packet or an interrupt runs.
struct Function {
  std::uint32_t entry = 0;  ///< image word
  unsigned depth = 0;       ///< return addresses on the stack at most; without those of cycles
  bool in_cycle = false;    ///< calls itself, perhaps by way of others
};

/// The functions of a core in order of address.
std::vector<Function> functions(const Image& image, const Core& core);

}  // namespace mobula::afuc
