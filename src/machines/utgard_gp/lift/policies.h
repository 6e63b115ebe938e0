// Policies: what Utgard GP does where nothing is published. Each row is one decision with its default; the lifter
// asks for the value that was chosen. Facts behind them: docs/utgard-gp-execution.md.
#pragma once

#include <cstdint>
#include <span>

#include "core/policies.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// In the order of policy_rows().
enum class PolicyId : std::uint8_t { truth, address, sequence, early, selector8 };

std::span<const Policy> policy_rows();

/// The value chosen for every policy.
using Settings = ChosenPolicies<PolicyId>;
/// GP801, GP802: names and values that policy_rows() does not have; all of them are reported.
Result<Settings> choose_settings(const Policies& policies);

}  // namespace mobula::utgard_gp
