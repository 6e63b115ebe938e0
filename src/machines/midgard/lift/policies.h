// Policies: what Midgard does where nothing is published. Each row is one decision with its default; the lifter asks
// for the value that was chosen. Facts behind them: docs/midgard-execution.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/policies.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"

namespace mobula::midgard {

/// In the order of policy_rows().
enum class PolicyId : std::uint8_t {
  pc_value,
  condition_bit,
  condition_lut,
  csel16_half,
  shift_mask,
  popcnt,
  f2i_overflow,
  replicate,
  inline_modifier,
  integer_outmod_sign,
  unshrunk_outmod,
  partial_mask,
  widening_mul,
  dot_product,
  argument_reduction,
  pow_step,
  unknown_registers,
  call_return,
  writeout_r1,
};
inline constexpr std::size_t policy_count = 19;

std::span<const Policy> policy_rows();

/// The value chosen for every policy.
using Settings = ChosenPolicies<PolicyId>;
/// MD801, MD802: names and values that policy_rows() does not have; all of them are reported.
Result<Settings> choose_settings(const Policies& policies);

}  // namespace mobula::midgard
