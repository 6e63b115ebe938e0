// Values that there is no register for.
#pragma once

#include <span>

#include "machines/midgard/compile/code.h"

namespace mobula::midgard_compiler {

/// Keeps values in the thread's own memory, one after the other from `byte` on: written after they are made, read
/// before they are read. What is only fetched, as uniforms and constants are, is fetched again instead.
/// \return the byte behind them.
std::uint32_t spill(Code& code, std::span<const Value> values, std::uint32_t byte);
inline constexpr std::uint32_t spilled_bytes = 16;                                   ///< of each
inline constexpr std::uint32_t spill_reach = 1U << (midgard::ls::offset.width - 1);  ///< bytes that there are places in
/// Instruction::slot of variables in a thread's memory, beyond those of spilled values.
inline constexpr std::uint32_t first_slot_of_variables = spill_reach / spilled_bytes + 1;

}  // namespace mobula::midgard_compiler
