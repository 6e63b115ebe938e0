// Policies: what Rogue does where nothing is published. Each row is one decision with its default; the lifter asks
// for the value that was chosen. Facts behind them: docs/rogue-execution.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/policies.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"

namespace mobula::rogue {

/// In the order of policy_rows().
enum class PolicyId : std::uint8_t {
  rounding,
  denormals,
  fma,
  divergent_branch,
  idle_branch,
  anyinst_branch,
  allinst_condition,
  repeat_constants,
  late_results,
  pixel_output,
  base_offset,
  alpha_test,
  coverage,
  execution_mask,
  phase_change,
  call_link,
  mutex_sleep,
  named_formats,
  f16_words,
  sample_comparison,
  sop_precision,
  texel_address,
};
inline constexpr std::size_t policy_count = 22;

std::span<const Policy> policy_rows();

/// The value chosen for every policy.
using Settings = ChosenPolicies<PolicyId>;
/// RG801, RG802: names and values that policy_rows() does not have; all of them are reported.
Result<Settings> choose_settings(const Policies& policies);

}  // namespace mobula::rogue
