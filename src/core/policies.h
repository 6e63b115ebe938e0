// Choices about unpublished behaviour, checked against what a machine offers.
#pragma once

#include <span>
#include <string_view>
#include <utility>
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

/// The value chosen for every policy of a machine; `Id` counts its rows.
template <class Id>
class ChosenPolicies {
 public:
  static Result<ChosenPolicies> choose(std::string_view machine, std::span<const Policy> rows, const Policies& policies,
                                       PolicyCodes codes) {
    auto values = choose_policies(machine, rows, policies, codes);
    if (!values) return fail(std::move(values).error());
    return ChosenPolicies(std::move(*values));
  }
  [[nodiscard]] std::string_view value(Id id) const { return values_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] bool is(Id id, std::string_view wanted) const { return value(id) == wanted; }

 private:
  explicit ChosenPolicies(std::vector<std::string_view> values) : values_(std::move(values)) {}

  std::vector<std::string_view> values_;
};

}  // namespace mobula
