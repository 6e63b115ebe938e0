#include "machines/utgard_gp/lift/policies.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::string_view truth_values[] = {"nonzero", "positive", "half"};
constexpr std::string_view address_values[] = {"floor", "truncate", "nearest"};
constexpr std::string_view sequence_values[] = {"poison", "trap"};
constexpr std::string_view early_values[] = {"old", "trap"};
constexpr std::string_view selector8_values[] = {"trap", "unused"};
constexpr Policy policy_table[] = {
    {"truth", "nonzero", truth_values, "when a select or branch condition holds: != 0, > 0 or >= 0.5"},
    {"address", "floor", address_values, "how an address register rounds its float"},
    {"sequence", "poison", sequence_values,
     "a partial result used outside its sequence gives NaN, or stops the thread"},
    {"early", "old", early_values,
     "a register, temporary or address register read before a write has arrived gives the old value, or stops the "
     "thread"},
    {"selector8", "trap", selector8_values, "source selector 8 stops the thread, or reads nothing, as 21 does"},
};

}  // namespace

std::span<const Policy> policy_rows() { return policy_table; }

Result<Settings> choose_settings(const Policies& policies) {
  return Settings::choose("utgard-gp", policy_table, policies, {.no_policy = "GP801", .no_value = "GP802"});
}

}  // namespace mobula::utgard_gp
