#include "machines/afuc/lift/policies.h"

namespace mobula::afuc {
namespace {

constexpr std::string_view shift_values[] = {"zero", "wrap"};
constexpr std::string_view pair_values[] = {"first", "trap"};
constexpr Policy policy_table[] = {
    {"shift", "zero", shift_values, "shifts by 32 and more give 0 (signs for ishr), or take the count modulo 32"},
    {"pair", "first", pair_values,
     "of two branches taken in a row, the second in the first's delay slot, the first wins, or the thread stops"},
};

}  // namespace

std::span<const Policy> policy_rows() { return policy_table; }

Result<Settings> choose_settings(const Policies& policies) {
  return Settings::choose("afuc", policy_table, policies, {.no_policy = "AF801", .no_value = "AF802"});
}

}  // namespace mobula::afuc
