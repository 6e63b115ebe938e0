#include "compile/ssa/dominators.h"

#include <ranges>

namespace mobula::ssa {

std::vector<std::uint32_t> dominators(const Program& program) {
  std::vector<std::uint32_t> nearest(program.blocks.size(), none);
  if (nearest.empty()) return nearest;
  nearest[0] = 0;
  const auto common = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) (a > b ? a : b) = nearest[a > b ? a : b];
    return a;
  };
  // Blocks stand in such an order that only loops lead back, so that this ends after two rounds.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 1; i < nearest.size(); ++i) {
      std::uint32_t found = none;
      // The last first: where many ways meet, each is followed from where the one behind it came to.
      for (const std::uint32_t from : std::views::reverse(program.blocks[i].predecessors))
        if (from < nearest.size() && nearest[from] != none) found = found == none ? from : common(found, from);
      if (found != none && found < i && found != nearest[i]) nearest[i] = found, changed = true;
    }
  }
  return nearest;
}

DominatorTree::DominatorTree(const Program& program) : first_(program.blocks.size()), end_(program.blocks.size()) {
  const std::vector<std::uint32_t> nearest = dominators(program);
  const auto count = static_cast<std::uint32_t>(nearest.size());
  std::vector<std::uint32_t> sizes(count,
                                   1);  // of the blocks below each, and itself, which is above them in number, too
  for (std::uint32_t i = count; i-- > 1;)
    if (nearest[i] != none) sizes[nearest[i]] += sizes[i];
  // Those below a block follow it, each behind the last one's own; what is not reached is alone, behind all.
  std::vector<std::uint32_t> next(count);
  std::uint32_t alone = count == 0 ? 0 : sizes[0];
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool is_below = i != 0 && nearest[i] != none;
    first_[i] = i == 0 ? 0 : is_below ? next[nearest[i]] : alone++;
    if (is_below) next[nearest[i]] += sizes[i];
    next[i] = first_[i] + 1;
    end_[i] = first_[i] + sizes[i];
  }
}

void find_meetings(Program& program) {
  const auto end = static_cast<std::uint32_t>(program.blocks.size());
  std::vector<std::uint32_t> nearest(end + 1, none);  // by block: the next one that all of its ways lead through
  nearest[end] = end;
  const auto common = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) (a < b ? a : b) = nearest[a < b ? a : b];
    return a;
  };
  for (std::uint32_t i = end; i-- > 0;) {
    Block& block = program.blocks[i];
    if (block.end.kind == End::Kind::leave) nearest[i] = end;
    const bool goes_on = block.end.kind == End::Kind::jump || block.end.kind == End::Kind::branch;
    for (std::uint32_t way : block.end.targets) {
      if (!goes_on || way == none) continue;
      if (way <= i) way = program.blocks[way].merge;
      if (way == none || way <= i || nearest[way] == none) continue;
      nearest[i] = nearest[i] == none ? way : common(nearest[i], way);
    }
    if (block.next_turn != none) continue;
    const bool meets = block.end.kind == End::Kind::branch && nearest[i] != none && nearest[i] != end;
    block.merge = meets ? nearest[i] : none;
  }
}

}  // namespace mobula::ssa
