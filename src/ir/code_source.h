// CodeSource: code that is lifted piece by piece, as it is executed.
#pragma once

#include <cstdint>
#include <optional>

#include "mobula/isa/ir.h"

namespace mobula {

class CodeSource {
 public:
  virtual ~CodeSource() = default;
  /// The block at this byte address, which was in no earlier piece, and what others are worth lifting with it; nothing
  /// if no block starts there. A block of 0 bytes that only traps, as ir::Builder makes them of targets it does not
  /// have, stands for a block of another piece. Only state that the architecture has outlives a block.
  virtual std::optional<ir::Program> lift(std::uint64_t address) = 0;
};

}  // namespace mobula
