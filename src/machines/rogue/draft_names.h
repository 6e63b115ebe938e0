// Names in the text of groups: what the parts of the assembler that read them share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/quote.h"
#include "machines/rogue/draft.h"

namespace mobula::rogue {

/// The part of a name before its first point.
inline std::string_view base_name(std::string_view name) { return name.substr(0, name.find('.')); }
/// Instructions of that base name; empty if there are none.
const std::vector<const Op*>& ops_named(std::string_view base);
/// The base name that is most like a wrong one, as a hint.
std::string nearest_op(std::string_view name);

inline bool is_bitwise(Unit unit) { return unit >= Unit::bitmask && unit <= Unit::bit_test; }

/// 0..5 for "s0".."s5".
std::optional<unsigned> slot_of(const TextOperand& text);
/// ft0 to ft5 or fte, without modifiers.
bool is_feedthrough(const TextOperand& text);

/// The value of a field that has this name.
std::optional<std::uint32_t> value_named(F field, std::string_view name);
/// All names of a field's values, for a person.
std::string names_of(F field);

}  // namespace mobula::rogue
