// What registers do not suffice for is kept in memory, each instance's own.
#pragma once

#include "machines/rogue/compile/code.h"
#include "machines/rogue/compile/layout.h"

namespace mobula::rogue_compiler {

/// Registers for the words of the code, as allocate() has them: empty if they do not suffice whatever is kept in
/// memory. The code then stores and loads, and the layout says how much memory an instance needs.
std::vector<std::uint32_t> allocate_with_memory(Code& code, Layout& layout);

}  // namespace mobula::rogue_compiler
