#include "machines/afuc/lift/policies.h"

namespace mobula::afuc {
namespace {

constexpr std::string_view shift_values[] = {"zero", "wrap"};
constexpr std::string_view pair_values[] = {"first", "trap"};
constexpr std::string_view rmw_values[] = {"rotate", "trap"};
constexpr std::string_view me_ports_values[] = {"images", "document"};
constexpr Policy policy_table[] = {
    {"shift", "zero", shift_values, "shifts by 32 or more give 0 (signs for ishr), or take the count modulo 32"},
    {"pair", "first", pair_values,
     "of two branches taken in a row, the second in the first's delay slot, the first wins, or the thread stops"},
    {"rmw", "rotate", rmw_values,
     "a5xx ME: the hardware that modifies a register keeps the bits of the mask, rotates left, and sets bits, as "
     "CP_REG_RMW is documented; or the thread stops"},
    {"me_ports", "images", me_ports_values,
     "a5xx ME: memory and registers are read and written as the images do; or also as the first description of the "
     "instruction set does: CP_ME_NRT_DATA takes data, and $addr as a source reads what it addresses"},
};

}  // namespace

std::span<const Policy> policy_rows() { return policy_table; }

Result<Settings> choose_settings(const Policies& policies) {
  return Settings::choose("afuc", policy_table, policies, {.no_policy = "AF801", .no_value = "AF802"});
}

}  // namespace mobula::afuc
