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

}  // namespace mobula::ssa
