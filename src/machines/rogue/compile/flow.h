// Where the instances of a task part ways, and where they are together again.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::rogue_compiler {

/// The end of the program is a block after all others: number blocks.size().
struct Flow {
  std::vector<bool> is_masked;  ///< by block: not all instances may be there
  std::vector<bool> differs;    ///< by value: it may be another one in each instance
};

/// The masked blocks are such that whoever goes through them in their order, and back only to heads of loops, finds all
/// instances together at the first block behind them that is not masked.
Flow find_flow(const ssa::Program& program);

/// Where a block leads to; the end of the program for one that leaves it, nothing for one that discards.
std::vector<std::uint32_t> ways_of(const ssa::Program& program, std::uint32_t block);

}  // namespace mobula::rogue_compiler
