// The expression behind every store and branch of a program: moves and forwarding seen through (reference 7.2
// "decompile").
#pragma once

#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// Statements in program order, each with the word that executes it:
///   004: varying[0].x = ((attribute[0].x * uniform[0].x) + uniform[1].x);
/// A result that is used more than once is named `^K` (Mesa's number of the result) and defined where it is computed.
/// Words beyond the 512 the machine holds are data. `words`, if given, receives the range of each
/// word's statements.
void print_decompiled(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words);

}  // namespace mobula::utgard_gp
