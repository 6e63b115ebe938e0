// Choices about unpublished behaviour, checked against what a machine offers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"

namespace mobula {

/// Codes of the errors: a name, and a value, that no row has.
struct PolicyCodes {
  std::string_view no_policy, no_value;
};
/// The value chosen for each row, in their order. Fails on names and values that the rows do not have; all are
/// reported.
Result<std::vector<std::string_view>> choose_policies(std::string_view machine, std::span<const Policy> rows,
                                                      const Policies& policies, PolicyCodes codes);

}  // namespace mobula
