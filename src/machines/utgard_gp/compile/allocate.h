// Registers for values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machines/utgard_gp/compile/code.h"
#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp_compiler {

inline constexpr unsigned register_places = 4 * utgard_gp::register_count;

/// Copies that are made at once at the end of a block, for the phis of the block after it.
struct Copies {
  struct Copy {
    std::uint8_t to = 0;  ///< register component: 4 * register + component
    Operand from;
  };
  std::vector<Copy> all;
  std::uint8_t spare = 0;  ///< a register component that nothing needs meanwhile
};

struct Allocation {
  std::vector<std::uint8_t> place;  ///< by value: its register component
  std::vector<Copies> copies;       ///< by block
};

/// Precondition: edges are split, and nothing is unused. Nothing if the registers do not suffice.
std::optional<Allocation> allocate(const Code& code);

}  // namespace mobula::utgard_gp_compiler
