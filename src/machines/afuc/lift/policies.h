// Policies: what the command processor does where nothing is published. Each row is one decision with its default;
// the lifter asks for the value that was chosen. Facts behind them: docs/afuc-execution.md.
#pragma once

#include <cstdint>
#include <span>

#include "core/export.h"
#include "core/policies.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// In the order of policy_rows().
enum class PolicyId : std::uint8_t { shift, pair, rmw, me_ports };

std::span<const Policy> policy_rows();

/// The value chosen for every policy.
using Settings = ChosenPolicies<PolicyId>;
/// AF801, AF802: names and values that policy_rows() does not have; all of them are reported.
MOBULA_INTERNAL Result<Settings> choose_settings(const Policies& policies);

}  // namespace mobula::afuc
