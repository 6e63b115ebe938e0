// Spellings shared by the printer and the parser.
#pragma once

#include <array>
#include <string_view>

#include "core/text_buffer.h"
#include "machines/utgard_gp/text/items.h"

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

// The same as tokens, which the printer copies without a call.
using Spelling = Token<9>;
/// Of opcodes; those without a name are their prefix and number.
template <class Does, std::size_t N>
constexpr std::array<Spelling, N> spellings_of(const std::array<Operation<Does>, N>& table, std::string_view unknown) {
  std::array<Spelling, N> all{};
  for (std::size_t i = 0; i < N; ++i) {
    const bool known = table[i].does != Does::unknown;
    all[i] = Spelling(known ? table[i].name : unknown);
    if (known) continue;
    if (i >= 10) all[i].add("1");
    const char digit = static_cast<char>('0' + i % 10);
    all[i].add({&digit, 1});
  }
  return all;
}
inline constexpr auto mul_spellings = spellings_of(mul_ops, unknown_mul);
inline constexpr auto acc_spellings = spellings_of(acc_ops, unknown_acc);
inline constexpr auto cplx_spellings = spellings_of(cplx_ops, unknown_cplx);
inline constexpr auto pass_spellings = spellings_of(pass_ops, unknown_pass);
/// Of source selectors, [1] as b operands.
inline constexpr std::array<std::array<Spelling, 32>, 2> source_spellings = [] {
  std::array<std::array<Spelling, 32>, 2> all{};
  for (unsigned selector = 0; selector < 32; ++selector)
    for (const bool b : {false, true}) all[b ? 1 : 0][selector] = Spelling(source_name(selector, b));
  return all;
}();
/// Of store selectors.
inline constexpr std::array<Token<3>, 8> stored_spellings = [] {
  std::array<Token<3>, 8> all{};
  for (unsigned selector = 0; selector < 8; ++selector) all[selector] = Token<3>(stored_name(selector));
  return all;
}();

}  // namespace mobula::utgard_gp
