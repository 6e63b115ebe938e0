// ExecutedBlock: what one thread has just executed, for those who record it.
#pragma once

#include <cstdint>
#include <span>

#include "mobula/isa/ir.h"

namespace mobula {

/// A block that was executed up to the operation by which it was left. References are valid during the call.
struct ExecutedBlock {
  /// A call that accessed memory or a device register, with the address of the call.
  struct Access {
    const ir::Call* call = nullptr;
    std::uint64_t address = 0;
  };

  const ir::Program& program;
  const ir::Block& block;               ///< of `program`
  std::span<const Access> accesses;     ///< in their order
  std::span<const std::uint8_t> state;  ///< of the thread, after the block
};

}  // namespace mobula
