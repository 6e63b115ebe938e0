// Registers for words.
#pragma once

#include "machines/rogue/compile/code.h"

namespace mobula::rogue_compiler {

/// By word its register, as few as do; words that are read nowhere have one, too. Numbers from temporary_count on are
/// those of vertex inputs, which hold nothing at first from `first_free_input` on, and are taken where temporaries do
/// not suffice. Empty if there are not enough.
std::vector<std::uint32_t> allocate(const Code& code, std::uint32_t first_free_input);

}  // namespace mobula::rogue_compiler
