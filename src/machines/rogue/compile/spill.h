// What registers do not suffice for is kept in memory, each instance's own.
#pragma once

#include "machines/rogue/compile/code.h"
#include "machines/rogue/compile/layout.h"

namespace mobula::rogue_compiler {

/// Words of an array whose indices are not constants: those of more are kept in memory, which begins as it is.
inline constexpr std::uint32_t most_array_in_registers = 200;

/// Registers for the words of the code, as allocate() has them: empty if they do not suffice whatever is kept in
/// memory. The code then stores and loads, and the layout says how much memory an instance needs.
std::vector<std::uint32_t> allocate_with_memory(Code& code, Layout& layout);

}  // namespace mobula::rogue_compiler
