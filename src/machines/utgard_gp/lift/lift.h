// Lifting Utgard GP programs to micro-operations: one block a word, exposed latencies as ordinary slots.
//
// Slots: `$r.c` registers; `u[n].c` uniform memory that the program loads at fixed addresses; `A1`..`A3` load offsets
// and `A0` the temporary store address; `a0@7` and the like: the result latch of a unit at a word, as far as anything
// reads it. What may be read before a write to it has arrived has a queue of `.new` and `.stored` slots; all else is
// written at once. Programs that store temporaries keep all uniform memory outside the thread, at the 64-bit
// pointer `MEMORY.x` (low word) and `MEMORY.y` (high word), 16 bytes a vec4, 512 of them and then a spare one; the
// others call load_uniform, buffer 0, where an address register takes part.
#pragma once

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// Fails if the program has more than 512 words, or on an unknown policy. A word that cannot be executed traps.
MOBULA_INTERNAL Result<ir::Program> lift(const Program& program, const Policies& policies);

}  // namespace mobula::utgard_gp
