// The text form Mesa's disassembler prints, so that listings can be compared line by line. It only prints: the form
// loses signedness, varying parameters and more. docs/midgard-mesa.md says where it departs from Mesa and why.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::midgard {

/// Prints any bytes. As Mesa does, ends at the first word after which the thread stops and no branch leads onwards.
ListingPieces print_mesa(const Program& program, const DisassembleOptions& options);
/// Mesa's verbose form: ALU lines start with their unit, addresses show a zero base.
ListingPieces print_mesa_verbose(const Program& program, const DisassembleOptions& options);

}  // namespace mobula::midgard
