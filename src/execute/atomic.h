// What the atomic operations of ir::AtomicOp leave in memory.
#pragma once

#include <cstdint>

#include "mobula/isa/ir.h"

namespace mobula::ir {

/// The new value. `bytes` is 4 or 8; operands are taken at that width, the result has zeros above it.
std::uint64_t atomic_result(AtomicOp op, std::uint32_t bytes, std::uint64_t old_value, std::uint64_t operand,
                            std::uint64_t compare);

}  // namespace mobula::ir
