// The style of Imagination's Instruction Set Reference: a numbered group, an instruction a line, registers in place of
// the slots, and moves from feedthroughs for what is written. Reads back into equivalent groups, not into the same
// bytes: forms and slots are left to the assembler.
#pragma once

#include "machines/rogue/text/pieces.h"

namespace mobula::rogue {

PrintGroups print_isr(const Program& program, const Labels& labels);

}  // namespace mobula::rogue
