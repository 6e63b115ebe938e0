// The native text of Utgard GP (docs/utgard-gp-text.md), printed: that never fails, and what is printed assembles to
// the same bytes.
#pragma once

#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// Prints a whole program. `words`, if given, receives the range of each word's lines.
void print(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words);

}  // namespace mobula::utgard_gp
