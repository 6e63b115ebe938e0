// The text that Mesa's disassembler of Utgard GP programs prints (reference 7.1), with its errors put right
// (docs/utgard-gp-mesa.md). It cannot be assembled back.
#pragma once

#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// `words`, if given, receives the range of each word's lines.
void print_mesa(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words);

}  // namespace mobula::utgard_gp
