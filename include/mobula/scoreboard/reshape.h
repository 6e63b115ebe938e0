// Workloads made of workloads: with fewer registers, and of several threads.
//
// What is spilled, and when, and whose turn it is: docs/scoreboard-programs.md. Errors: SB143 an operation needs more
// registers at once than there are, or the workload uses the memory that spilled registers go to; SB145 the threads
// have more registers than numbers.
#pragma once

#include <cstdint>
#include <span>

#include "mobula/export.h"
#include "mobula/isa/result.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

struct Spilled {
  Workload workload;
  std::uint64_t loads = 0, stores = 0;  ///< that were put in
};

/// The same operations in registers 0..registers-1 of each file. A value that finds none goes to memory and comes back
/// before its next use; the one whose next use is furthest away gives up its register.
MOBULA_API Result<Spilled> spill(const Workload& workload, std::uint32_t registers);

/// Operations of one group that do the same with the four 32-bit numbers of two registers, as one operation of 16
/// bytes.
MOBULA_API Workload gather_quads(const Workload& workload);

/// The threads in turn, an operation each, with what must follow it: the rest of its group, and both ways of a branch.
/// Each has registers of its own, numbered one thread after the other; memory is common.
MOBULA_API Result<Workload> interleave(std::span<const Workload> threads);

}  // namespace mobula::scoreboard
