// What Mesa's compiler for Rogue (src/imagination/pco) prints of its instruction groups.
#pragma once

#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {

Undecoded print_pco(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words);

}  // namespace mobula::rogue
