// Registers for words.
#pragma once

#include "machines/rogue/compile/code.h"

namespace mobula::rogue_compiler {

/// By word its register, as few as do; words that are read nowhere have one, too. Empty if there are not enough.
std::vector<std::uint32_t> allocate(const Code& code);

}  // namespace mobula::rogue_compiler
