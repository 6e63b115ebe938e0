// The machine's own text form ("mdg"): printer. The grammar is docs/midgard-text.md.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::midgard {

/// Prints any bytes so that parse_mdg makes the same bytes of the text.
ListingPieces print_mdg(const Program& program, const DisassembleOptions& options);

}  // namespace mobula::midgard
