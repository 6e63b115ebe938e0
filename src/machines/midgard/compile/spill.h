// Values that there is no register for.
#pragma once

#include "machines/midgard/compile/code.h"

namespace mobula::midgard_compiler {

/// Keeps a value in the thread's own memory from `byte` on: written after it is made, read before it is read.
void spill(Code& code, Value value, std::uint32_t byte);
inline constexpr std::uint32_t spilled_bytes = 16;                                   ///< of each
inline constexpr std::uint32_t spill_reach = 1U << (midgard::ls::offset.width - 1);  ///< bytes that there are places in

}  // namespace mobula::midgard_compiler
