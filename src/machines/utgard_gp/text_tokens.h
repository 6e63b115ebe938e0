// Spellings shared by the printer and the parser.
#pragma once

#include <array>
#include <string_view>

#include "machines/utgard_gp/text_items.h"

namespace mobula::utgard_gp {

inline constexpr std::string_view component_letters = "xyzw";
inline constexpr std::string_view identity_name = "ident", unused_name = "unused";

/// Spelling of a source selector; `b` operands call 22 the identity.
constexpr std::string_view source_name(unsigned selector, bool b) {
  return (b ? value::source_b : value::source)[selector].name;
}
/// Spelling of a store selector.
constexpr std::string_view stored_name(unsigned selector) { return value::stored[selector].name; }

/// True if operand `index` of an item is a b operand, where 22 is the identity.
constexpr bool is_b_operand(Item::Kind kind, unsigned index) {
  return kind == Item::Kind::mul || kind == Item::Kind::wide || kind == Item::Kind::acc ? (index & 1) != 0 : false;
}

/// Prefix of an opcode without a name, by unit; the number follows.
inline constexpr std::string_view unknown_mul = "mulop", unknown_acc = "accop", unknown_cplx = "cplxop",
                                  unknown_pass = "passop";

}  // namespace mobula::utgard_gp
