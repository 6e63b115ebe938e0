// Which blocks all ways to a block lead through.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Of each block the nearest one that all ways to it lead through; the first block's is itself. `none`: it is not
/// reached.
std::vector<std::uint32_t> dominators(const Program& program);

/// The same as a tree.
class DominatorTree {
 public:
  explicit DominatorTree(const Program& program);
  /// Whether all ways to `block` lead through `above`. Of a block that is not reached, only itself does.
  [[nodiscard]] bool dominates(std::uint32_t above, std::uint32_t block) const {
    return above == block || (first_[above] <= first_[block] && first_[block] < end_[above]);
  }

 private:
  std::vector<std::uint32_t> first_, end_;  ///< of each block: its number in the tree, and the one behind those below
};

/// Writes into each block that branches where its ways meet again, as far as they do not end in discard. What the heads
/// of loops say stays, and leads back count as ways out of their loops.
void find_meetings(Program& program);

}  // namespace mobula::ssa
