// Names in the text of groups: what the parts of the assembler that read them share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/quote.h"
#include "machines/rogue/text/group_assembler.h"

namespace mobula::rogue {

/// The part of a name before its first point.
inline std::string_view base_name(std::string_view name) { return name.substr(0, name.find('.')); }
/// What else an instruction of that base name may be called.
std::vector<std::string_view> synonyms_of(std::string_view base);
/// Instructions of that base name; empty if there are none.
std::span<const Op* const> ops_named(std::string_view base);
/// How the instruction is written, for a person: braces around modifiers and brackets around operands that may be
/// absent.
std::string usage_of(const Op& op);
/// The base name that is most like a wrong one, as a hint.
std::string nearest_op(std::string_view name);

inline bool is_bitwise(Unit unit) { return unit >= Unit::bitmask && unit <= Unit::bit_test; }

/// What the word of an operand names; slots in either case.
Name operand_named(std::string_view word);
/// 0..5 for "s0".."s5".
std::optional<unsigned> slot_of(const TextOperand& text);
/// ft0 to ft5 or fte, without modifiers.
bool is_feedthrough(const TextOperand& text);

/// What is said of a whole group.
enum class GroupFlag : std::uint8_t { none, olchk, atom, end, rpt, hdr, len };
GroupFlag group_flag(std::string_view name);

/// What is said after an operand.
enum class OperandModifier : std::uint8_t { none, neg, abs, flr, one_minus, e0, e1, e2, e3, no_element };
OperandModifier operand_modifier(std::string_view name);
/// 0..3 for e0..e3.
constexpr std::optional<std::uint32_t> element_of(OperandModifier modifier) {
  if (modifier < OperandModifier::e0 || modifier > OperandModifier::e3) return std::nullopt;
  return static_cast<std::uint32_t>(modifier) - static_cast<std::uint32_t>(OperandModifier::e0);
}
/// The one of a modifier's spellings that the table has.
std::string_view modifier_spelling(std::string_view name);

/// The value of a field that has this name.
std::optional<std::uint32_t> value_named(F field, std::string_view name);
/// All names of a field's values, for a person.
std::string names_of(F field);

}  // namespace mobula::rogue
