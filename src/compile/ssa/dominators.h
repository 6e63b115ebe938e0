// Which blocks all ways to a block lead through.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Of each block the nearest one that all ways to it lead through; the first block's is itself. `none`: it is not
/// reached.
std::vector<std::uint32_t> dominators(const Program& program);

/// Whether all ways to `block` lead through `above`, by what dominators() found.
bool dominates(const std::vector<std::uint32_t>& nearest, std::uint32_t above, std::uint32_t block);

/// Writes into each block that branches where its ways meet again, as far as they do not end in discard. What the heads
/// of loops say stays, and leads back count as ways out of their loops.
void find_meetings(Program& program);

}  // namespace mobula::ssa
