// Passes that make a program shorter without changing what it does.
#pragma once

#include "mobula/isa/ir.h"

namespace mobula::ir {

/// Removes moves through temporaries, block by block:
///  - an operation reads the source of a copy instead of the temporary that holds it,
///  - an operation writes its slot itself instead of a temporary that only one later move reads,
///  - operations whose results nobody reads, and moves of a place onto itself, go.
/// A lifter may therefore compute everything into temporaries first. Calls keep their operands. The architectural state
/// at the end of every block is the same; inside a block a slot may be written earlier than before, never where
/// something else touches it. The program must pass verify(), and passes it afterwards.
void coalesce(Program& program);

}  // namespace mobula::ir
