#include "execute/first_reads.h"

#include <cstdint>
#include <span>

#include "ir/operands.h"

namespace mobula {
namespace {

using WordSet = std::vector<bool>;

/// What one block does to a lane that executes it.
struct BlockUse {
  WordSet read_first, overwritten;
  std::vector<std::uint32_t> next;
  bool goes_anywhere = false;  ///< to an address it computes
};

void find_ways_out(const ir::Program& program, const ir::Block& block, BlockUse& use) {
  for (const ir::Operation& operation : std::span(program.operations).subspan(block.first, block.count)) {
    if (operation.op == ir::Op::branch) use.next.push_back(operation.extra);
    use.goes_anywhere |= operation.op == ir::Op::branch_indirect;
    if (ir::always_leaves(operation)) return;
  }
  if (block.next) use.next.push_back(*block.next);
}

BlockUse use_of(const ir::Program& program, const ir::Block& block, std::size_t words, WordSet& written) {
  BlockUse use{WordSet(words), WordSet(words), {}, false};
  bool is_masked = false;  // after an `enable` a word written keeps its old value in some lanes
  const auto mark = [&](const ir::Access& access) {
    if (!access.operand.is_state()) return;
    const std::uint32_t begin = access.operand.byte(), end = begin + access.bytes();
    for (std::uint32_t word = begin / 4; word * 4 < end; ++word) {
      if (!access.is_write) {
        if (!use.overwritten[word]) use.read_first[word] = true;
        continue;
      }
      written[word] = true;
      if (!is_masked && begin <= word * 4 && word * 4 + 4 <= end) use.overwritten[word] = true;
    }
  };
  for (const ir::Operation& operation : std::span(program.operations).subspan(block.first, block.count)) {
    ir::for_each_access(program, operation, mark);
    if (operation.op == ir::Op::enable) is_masked = !operation.src[0].is_none();
  }
  find_ways_out(program, block, use);
  return use;
}

}  // namespace

StateUse find_state_use(const ir::Program& program) {
  const std::size_t words = (program.state_bytes + 3) / 4;
  constexpr std::size_t worth_it = std::size_t{1} << 24;  // beyond this a run gains less than the search takes
  if (program.blocks.size() * words > worth_it) return {WordSet(words, true), WordSet(words, true)};
  StateUse result{WordSet(words), WordSet(words)};
  std::vector<BlockUse> blocks;
  blocks.reserve(program.blocks.size());
  WordSet read_anywhere(words);
  for (const ir::Block& block : program.blocks) {
    blocks.push_back(use_of(program, block, words, result.written));
    for (std::size_t word = 0; word < words; ++word)
      if (blocks.back().read_first[word]) read_anywhere[word] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = blocks.size(); i-- > 0;) {
      BlockUse& block = blocks[i];
      const auto add = [&](const WordSet& read_after) {
        for (std::size_t word = 0; word < words; ++word) {
          if (!read_after[word] || block.overwritten[word] || block.read_first[word]) continue;
          block.read_first[word] = changed = true;
        }
      };
      for (const std::uint32_t next : block.next) add(blocks[next].read_first);
      if (block.goes_anywhere) add(read_anywhere);
    }
  }
  if (!blocks.empty()) result.read_first = blocks[program.entry].read_first;
  return result;
}

}  // namespace mobula
