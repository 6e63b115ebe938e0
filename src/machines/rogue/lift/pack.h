// Pack and unpack formats (reference 3.8, 4.6).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// FT2 of a pack whose source in this pass is `value`; `packed` is what the passes before have made.
Operand pack(GroupContext& context, const Item& item, Operand value, Operand packed);
/// FT0 of an unpack of `word`: its element in this pass.
Operand unpack(GroupContext& context, const Item& item, Operand word);

/// The same of an element of a word in the format `code`, one that is known; `flag`: scaled, or rounded to zero.
Operand unpack(GroupContext& context, unsigned code, unsigned element, bool flag, Operand word);

/// Results as 16-bit floats, in words as the policy f16_words says.
std::vector<Operand> in_halves(GroupContext& context, std::span<const Operand> values);

/// Why the format of a pck or unpck cannot be executed; empty if it can.
std::string format_fault(const Group& group, const Item& item, const Settings& settings);

}  // namespace mobula::rogue::lifting
