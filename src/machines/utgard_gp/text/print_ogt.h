// The verbose text of the open-gpu-tools of 2012-2013 (reference 7.2): one instruction a line, every part a call. Print
// only.
#pragma once

#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// `words`, if given, receives the range of each word's line.
void print_ogt(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words);

}  // namespace mobula::utgard_gp
