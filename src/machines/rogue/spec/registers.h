// Registers: how a bank and a number are written, and what the numbers of bank 000 are (reference 1.2 to 1.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/export.h"
#include "core/text_buffer.h"
#include "machines/rogue/spec/spec.h"

namespace mobula::rogue {

enum class Bank : std::uint8_t { special, temporary, vertex_input, coefficient, shared, coefficient_alt, idx0, idx1 };

/// What a map entry says: a bank code and an index. Of an indexed operand (banks idx0, idx1) the index holds an offset
/// and the bank that is indexed.
struct Register {
  Bank bank = Bank::special;
  std::uint16_t index = 0;
  friend constexpr bool operator==(const Register&, const Register&) = default;

  [[nodiscard]] constexpr bool indexed() const { return bank >= Bank::idx0; }
  /// Of an indexed operand: code of the indexed bank, and the constant part of the index.
  [[nodiscard]] constexpr unsigned index_bank() const { return index & 7u; }
  [[nodiscard]] constexpr unsigned offset() const { return index >> 3u; }
};
/// Codes of indexed banks.
inline constexpr unsigned indexed_temporary = 0, indexed_vertex_input = 1, indexed_coefficient = 2, indexed_shared = 3,
                          indexed_constant_memory = 4, index_register = 5, indexed_coefficient_alt = 6,
                          indexed_pixel_output = 7;

/// What a number of bank 000 is. Rules go by this, not by how a register was spelled.
enum class Special : std::uint8_t { constant, pixel_output, internal, global, other };
MOBULA_INTERNAL Special special_class(unsigned index);
inline bool is(const Register& reg, Special special) {
  return reg.bank == Bank::special && special_class(reg.index) == special;
}
/// An index register as itself, not as part of an indexed operand.
inline bool is_index_register(const Register& reg) { return reg.indexed() && reg.index_bank() == index_register; }
/// o0..o7, by number or through an index.
inline bool is_pixel_output(const Register& reg) {
  return is(reg, Special::pixel_output) || (reg.indexed() && reg.index_bank() == indexed_pixel_output);
}

/// The bits of a special constant; nothing for numbers that are none or unknown.
MOBULA_INTERNAL std::optional<std::uint32_t> constant_value(unsigned index);
/// The special constant with these bits; nothing if there is none.
MOBULA_INTERNAL std::optional<Register> constant_with(std::uint32_t bits);
/// "pi / 2", or the name of a special register; empty if there is none.
std::string_view special_name(unsigned index);

/// Writes the canonical name; at most 16 bytes.
char* put_register(char* out, const Register& reg);
std::string text_of(const Register& reg);

/// A name such as "r12", "po0", "sl3", "c64", in either case; nothing if it is none. `index` of "idx0" is not read
/// here.
struct NamedRegister {
  std::optional<Register> reg;         ///< nothing for names that need an index
  unsigned number = 0;                 ///< as written
  std::optional<unsigned> index_bank;  ///< if it can be indexed
};
std::optional<NamedRegister> parse_register(std::string_view text);
/// "sh2047" for "sh2048": the last register of its kind where a name has a number beyond it; otherwise empty.
std::string last_before(std::string_view text);

}  // namespace mobula::rogue
