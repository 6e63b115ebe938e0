// What a word says, as the items its text is made of. Printing describes a word as items, parsing reads items, and both
// turn items into bits by the same function: a field that the items do not imply is printed as a forced field.
#pragma once

#include <array>
#include <cstdint>

#include "machines/utgard_gp/codec.h"

namespace mobula::utgard_gp {

/// An operand as written: selector and input negation.
struct ItemOperand {
  std::uint8_t selector = selector_unused;
  bool negated = false;
};

struct Item {
  enum class Kind : std::uint8_t {
    port0_attribute,  ///< p0 = attrN                     number
    port0_register,   ///< p0 = $N                        number
    port1,            ///< p1 = $N                        number
    load,             ///< ld = u[N + Ak]                 number, offset (7 = none)
    mul,              ///< m0 / m1 = ...                  unit, opcode mul_mul or mul_complex2, operands 0 1, negated
    wide,             ///< m01 = ...                      opcode, operands 0..3, negated, negated1
    acc,              ///< a0 / a1 = ...                  unit, opcode, operands 0 1
    complex,          ///< c = ...                        opcode, operand 0
    pass,             ///< p = ...                        opcode, operand 0
    store,            ///< st0 / st1 ... = ...            half, store
    branch,           ///< br N                           number
    force,            ///< field := value                 field, number
  };
  Kind kind = Kind::force;
  Unit unit = Unit::acc0;
  std::uint8_t opcode = 0;
  std::uint8_t half = 0;
  std::uint8_t offset = no_offset;
  bool negated = false, negated1 = false;
  std::array<ItemOperand, 4> operands{};
  StoreHalf store;
  const Field* field = nullptr;
  std::uint32_t number = 0;
};

/// At most: two ports, load, two or one multiplier items, two adders, complex, pass, two stores, branch.
inline constexpr unsigned max_items = 12;
struct Items {
  std::array<Item, max_items> list{};
  std::uint8_t count = 0;
  /// The next item, to be filled in where it stands: it would cost more to copy than to make.
  Item& add(Item::Kind kind) {
    Item& item = list[count++];
    item.kind = kind;
    return item;
  }
  [[nodiscard]] const Item* begin() const { return list.data(); }
  [[nodiscard]] const Item* end() const { return list.data() + count; }
};

/// The items of a word, without forced fields.
Items describe(const Word128& word);
/// Writes what the item says into the word; start from `nop`.
void apply(const Item& item, Word128& word);
/// Bits the items imply; `word` differs from it only in what has to be forced.
Word128 implied(const Items& items);

/// True if the item writes the operand as a plain move, and adders as a negated move.
bool is_move(const Item& item);
bool is_negated_move(const Item& item);

}  // namespace mobula::utgard_gp
