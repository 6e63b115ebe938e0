// What a word says, as the items its text is made of. Printing describes a word as items, parsing reads items, and both
// turn items into bits by the same function: a field that the items do not imply is printed as a forced field.
#pragma once

#include <array>
#include <cstdint>

#include "machines/utgard_gp/spec/codec.h"

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
    mul,              ///< m0 / m1 = ...                  unit, opcode that is not wide, operands 0 1, negated
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
  StoreHalf store{};
  const Field* field = nullptr;
  std::uint32_t number = 0;
};

/// Fields of an adder or a multiplier; those it does not have are nullptr.
struct UnitFields {
  const Field *a = nullptr, *b = nullptr;
  const Field *a_neg = nullptr, *b_neg = nullptr;  ///< input negations of adders
  const Field* neg = nullptr;                      ///< output negation of multipliers
};
constexpr UnitFields fields_of(Unit unit) {
  switch (unit) {
    case Unit::acc0:
      return {&word::acc0_a, &word::acc0_b, &word::acc0_a_neg, &word::acc0_b_neg};
    case Unit::acc1:
      return {&word::acc1_a, &word::acc1_b, &word::acc1_a_neg, &word::acc1_b_neg};
    case Unit::mul0:
      return {&word::mul0_a, &word::mul0_b, nullptr, nullptr, &word::mul0_neg};
    case Unit::mul1:
      return {&word::mul1_a, &word::mul1_b, nullptr, nullptr, &word::mul1_neg};
    case Unit::pass:
    case Unit::complex:
      break;
  }
  return {};
}

constexpr std::uint8_t bits_of(const Word128& word, const Field& field) {
  return static_cast<std::uint8_t>(get(word, field));
}

// What a word says, item by item without forced fields: each function calls use(item) for items of its kind. Templates,
// as printers are several times as fast where the compiler knows the kind and the unit of the item.

/// Ports and memory load, where something reads them or they are not left as in a nop.
template <class Use>
void each_load(const Word128& word, Use use) {
  const SelectorsRead read = selectors_read(word);
  const bool attribute = get(word, word::port0_attr) != 0;
  if (const unsigned index = bits_of(word, word::port0_index); attribute || index != 0 || read.of(Source::port0) != 0)
    use({.kind = attribute ? Item::Kind::port0_attribute : Item::Kind::port0_register, .number = index});
  if (const unsigned index = bits_of(word, word::port1_index); index != 0 || read.of(Source::port1) != 0)
    use({.kind = Item::Kind::port1, .number = index});
  const auto address = static_cast<std::uint32_t>(get(word, word::ld_addr));
  const std::uint8_t offset = bits_of(word, word::ld_off);
  if (address != 0 || offset <= 3 || takes_bounds(word) || read.of(Source::load) != 0)
    use({.kind = Item::Kind::load, .offset = offset <= 3 ? offset : std::uint8_t{no_offset}, .number = address});
}

/// What makes moves of multipliers and adders.
inline constexpr std::uint8_t multiply_opcode = opcode_of(MulOp::mul), add_opcode = opcode_of(AccOp::add);

template <Unit unit, class Use>
void use_multiplier(const Word128& word, Use use) {
  constexpr UnitFields fields = fields_of(unit);
  if (!is_active(word, unit)) return;
  use({.kind = Item::Kind::mul,
       .unit = unit,
       .opcode = unit == Unit::mul0 ? bits_of(word, word::mul_op) : multiply_opcode,
       .negated = get(word, *fields.neg) != 0,
       .operands = {{{bits_of(word, *fields.a)}, {bits_of(word, *fields.b)}}}});
}

template <class Use>
void each_multiplier(const Word128& word, Use use) {
  if (!is_wide(bits_of(word, word::mul_op))) {
    use_multiplier<Unit::mul0>(word, use);
    use_multiplier<Unit::mul1>(word, use);
    return;
  }
  use({.kind = Item::Kind::wide,
       .opcode = bits_of(word, word::mul_op),
       .negated = get(word, word::mul0_neg) != 0,
       .negated1 = get(word, word::mul1_neg) != 0,
       .operands = {{{bits_of(word, word::mul0_a)},
                     {bits_of(word, word::mul0_b)},
                     {bits_of(word, word::mul1_a)},
                     {bits_of(word, word::mul1_b)}}}});
}

template <Unit unit, class Use>
void use_adder(const Word128& word, Use use) {
  constexpr UnitFields fields = fields_of(unit);
  if (!is_active(word, unit)) return;
  use({.kind = Item::Kind::acc,
       .unit = unit,
       .opcode = bits_of(word, word::acc_op),
       .operands = {{{bits_of(word, *fields.a), get(word, *fields.a_neg) != 0},
                     {bits_of(word, *fields.b), get(word, *fields.b_neg) != 0}}}});
}

template <class Use>
void each_adder(const Word128& word, Use use) {
  use_adder<Unit::acc0>(word, use);
  use_adder<Unit::acc1>(word, use);
}

/// The complex and the pass unit.
template <class Use>
void each_single(const Word128& word, Use use) {
  if (is_active(word, Unit::complex))
    use({.kind = Item::Kind::complex,
         .unit = Unit::complex,
         .opcode = bits_of(word, word::cplx_op),
         .operands = {{{bits_of(word, word::cplx_in)}}}});
  if (is_active(word, Unit::pass))
    use({.kind = Item::Kind::pass,
         .unit = Unit::pass,
         .opcode = bits_of(word, word::pass_op),
         .operands = {{{bits_of(word, word::pass_in)}}}});
}

template <class Use>
void each_store(const Word128& word, Use use) {
  if (const StoreHalf store = store_half(word, 0); store.kind != StoreKind::none)
    use({.kind = Item::Kind::store, .half = 0, .store = store});
  if (const StoreHalf store = store_half(word, 1); store.kind != StoreKind::none)
    use({.kind = Item::Kind::store, .half = 1, .store = store});
}

/// All items in the order of the text.
template <class Use>
void each_item(const Word128& word, Use use) {
  each_load(word, use);
  each_multiplier(word, use);
  each_adder(word, use);
  each_single(word, use);
  each_store(word, use);
  if (is_branch(word)) use({.kind = Item::Kind::branch, .number = branch_target(word)});
}

inline void apply_multiplier(const Item& item, Word128& word) {
  const UnitFields fields = fields_of(item.unit);
  // mul1 multiplies whatever is beside it.
  if (item.opcode != multiply_opcode) set(word, word::mul_op, item.opcode);
  set(word, *fields.a, item.operands[0].selector);
  set(word, *fields.b, item.operands[1].selector);
  set(word, *fields.neg, item.negated);
}

inline void apply_wide(const Item& item, Word128& word) {
  set(word, word::mul_op, item.opcode);
  set(word, word::mul0_a, item.operands[0].selector);
  set(word, word::mul0_b, item.operands[1].selector);
  set(word, word::mul1_a, item.operands[2].selector);
  set(word, word::mul1_b, item.operands[3].selector);
  set(word, word::mul0_neg, item.negated);
  set(word, word::mul1_neg, item.negated1);
}

inline void apply_adder(const Item& item, Word128& word) {
  const UnitFields fields = fields_of(item.unit);
  set(word, word::acc_op, item.opcode);
  set(word, *fields.a, item.operands[0].selector);
  set(word, *fields.a_neg, item.operands[0].negated);
  // One-operand operations leave b at selector 0, as Mesa does.
  const ItemOperand second = acc_ops[item.opcode].operands == 1 ? ItemOperand{0, false} : item.operands[1];
  set(word, *fields.b, second.selector);
  set(word, *fields.b_neg, second.negated);
}

inline void apply_store(const Item& item, Word128& word) {
  const bool second = item.half != 0;
  set(word, second ? word::st1_z : word::st0_x, item.store.selector[0]);
  set(word, second ? word::st1_w : word::st0_y, item.store.selector[1]);
  set(word, second ? word::st1_var : word::st0_var, item.store.kind == StoreKind::varying);
  const bool temporary = item.store.kind == StoreKind::temporary;
  set(word, second ? word::st1_index : word::st0_index, temporary ? 0 : item.store.index);
  if (!temporary) return;
  set(word, second ? word::st1_temp : word::st0_temp, 1);
  set(word, word::flow, flow_temporary);
}

/// Writes what the item says into the word; start from `nop`. A word differs from what its items write only in what
/// has to be forced.
inline void apply(const Item& item, Word128& word) {
  switch (item.kind) {
    case Item::Kind::port0_attribute:
    case Item::Kind::port0_register:
      set(word, word::port0_attr, item.kind == Item::Kind::port0_attribute);
      set(word, word::port0_index, item.number);
      break;
    case Item::Kind::port1:
      set(word, word::port1_index, item.number);
      break;
    case Item::Kind::load:
      set(word, word::ld_addr, item.number);
      set(word, word::ld_off, item.offset);
      break;
    case Item::Kind::mul:
      apply_multiplier(item, word);
      break;
    case Item::Kind::wide:
      apply_wide(item, word);
      break;
    case Item::Kind::acc:
      apply_adder(item, word);
      break;
    case Item::Kind::complex:
      set(word, word::cplx_op, item.opcode);
      set(word, word::cplx_in, item.operands[0].selector);
      break;
    case Item::Kind::pass:
      set(word, word::pass_op, item.opcode);
      set(word, word::pass_in, item.operands[0].selector);
      break;
    case Item::Kind::store:
      apply_store(item, word);
      break;
    case Item::Kind::branch:
      set(word, word::branch, 1);
      set(word, word::flow, flow_branch);
      set_branch_target(word, item.number);
      break;
    case Item::Kind::force:
      set(word, *item.field, item.number);
      break;
  }
}

/// True if the item writes the operand as a plain move, and adders as a negated move.
constexpr bool is_move(const Item& item) {
  if (item.operands[1].selector != selector_identity) return false;
  if (item.kind == Item::Kind::mul) return item.opcode == multiply_opcode;
  return item.kind == Item::Kind::acc && item.opcode == add_opcode && item.operands[1].negated &&
         !item.operands[0].negated;
}
constexpr bool is_negated_move(const Item& item) {
  return item.kind == Item::Kind::acc && item.opcode == add_opcode && item.operands[1].selector == selector_identity &&
         item.operands[1].negated && item.operands[0].negated;
}

}  // namespace mobula::utgard_gp
