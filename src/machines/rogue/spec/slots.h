// Which registers a source slot can read (V-24 to V-27): for the checker and for the assembler that picks slots.
#pragma once

#include <optional>

#include "machines/rogue/spec/registers.h"

namespace mobula::rogue {

enum class SlotRule : std::uint8_t {
  bank_width,   ///< V-24: S1, S4 and S5 have two bits for the bank
  index_width,  ///< V-25: and eight for the number
  common,       ///< V-26: cf, sh, pixel outputs and indexed operands in S0, S2, S3
  special,      ///< V-27: special registers in S1, S2, S4
};

/// The rule that forbids the register in the slot (0..5); nothing if it may be there.
inline std::optional<SlotRule> forbidden_in_slot(unsigned slot, const Register& reg) {
  const bool narrow = slot == 1 || slot == 4 || slot == 5;
  if (narrow && static_cast<unsigned>(reg.bank) > 3) return SlotRule::bank_width;
  if (reg.index > (narrow ? 255u : max_index)) return SlotRule::index_width;
  const bool common = reg.bank == Bank::coefficient || is_pixel_output(reg);
  if (common && narrow) return SlotRule::common;
  const bool special = is(reg, Special::other) || is(reg, Special::global);
  if (special && slot != 1 && slot != 2 && slot != 4) return SlotRule::special;
  return std::nullopt;
}

}  // namespace mobula::rogue
