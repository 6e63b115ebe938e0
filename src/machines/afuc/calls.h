// Who calls whom in a program.
#pragma once

#include <cstdint>
#include <vector>

#include "machines/afuc/image.h"

namespace mobula::afuc {

/// A function, or what the start, a packet or an interrupt runs; and the calls on any way through it.
struct Function {
  struct Call {
    std::uint32_t at = 0;      ///< image word of the call
    std::size_t function = 0;  ///< position of what it calls
  };
  std::uint32_t entry = 0;  ///< image word
  std::vector<Call> calls;
  unsigned depth = 0;     ///< return addresses on the stack at most; without those of cycles
  bool in_cycle = false;  ///< calls itself, perhaps by way of others
};

/// The functions of a core in order of address. Empty if following all ways would take too long, which no real firmware
/// comes near to.
std::vector<Function> functions(const Image& image, const Core& core);

}  // namespace mobula::afuc
