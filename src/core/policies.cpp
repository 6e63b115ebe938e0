#include "core/policies.h"

#include <algorithm>
#include <string>

namespace mobula {
namespace {

template <class Rows, class Name>
std::string listed(const Rows& all, Name name) {
  std::string text = "one of ";
  for (const auto& one : all) text.append(&one == &all[0] ? "" : ", ").append(name(one));
  return text;
}

Diagnostic no_policy(std::string_view machine, std::span<const Policy> rows, std::string_view name,
                     std::string_view code) {
  return {.severity = Severity::error,
          .code = std::string(code),
          .message = std::string(machine).append(" has no policy \"").append(name).append("\""),
          .hint = listed(rows, [](const Policy& policy) { return policy.name; })};
}

Diagnostic no_value(const Policy& policy, std::string_view value, std::string_view code) {
  return {.severity = Severity::error,
          .code = std::string(code),
          .message = std::string("policy ").append(policy.name).append(" has no value \"").append(value).append("\""),
          .hint = listed(policy.values, [](std::string_view one) { return one; })};
}

}  // namespace

Result<std::vector<std::string_view>> choose_policies(std::string_view machine, std::span<const Policy> rows,
                                                      const Policies& policies, PolicyCodes codes) {
  std::vector<std::string_view> chosen;
  chosen.reserve(rows.size());
  for (const Policy& row : rows) chosen.push_back(row.default_value);
  Diagnostics errors;
  for (const auto& setting : policies) {
    const auto policy =
        std::find_if(rows.begin(), rows.end(), [&](const Policy& row) { return row.name == setting.first; });
    if (policy == rows.end()) {
      errors.push_back(no_policy(machine, rows, setting.first, codes.no_policy));
      continue;
    }
    const auto value = std::find(policy->values.begin(), policy->values.end(), setting.second);
    if (value == policy->values.end()) {
      errors.push_back(no_value(*policy, setting.second, codes.no_value));
      continue;
    }
    chosen[static_cast<std::size_t>(policy - rows.begin())] = *value;
  }
  if (!errors.empty()) return fail(std::move(errors));
  return chosen;
}

}  // namespace mobula
