// Lifting of arithmetic bundles: the five units in their two stages (4.1).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "machines/midgard/lift/bundle.h"

namespace mobula::midgard {

/// What the branches of a bundle need to know of its units.
struct AluOutcome {
  bool wrote_condition = false;    ///< r31
  std::array<bool, 4> wrote_r1{};  ///< by component
  struct Trap {
    ir::Operand condition;  ///< i32
    std::string reason;
  };
  std::vector<Trap> traps;  ///< faults that depend on values
};

/// Why the units of this bundle cannot execute; empty if they can.
std::string alu_fault(const BundleContext& context);

/// Emits both stages. Precondition: alu_fault() has nothing to say.
AluOutcome lift_alu(const BundleContext& context);

}  // namespace mobula::midgard
