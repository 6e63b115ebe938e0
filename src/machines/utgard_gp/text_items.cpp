#include "machines/utgard_gp/text_items.h"

namespace mobula::utgard_gp {
namespace {

std::uint8_t bits_of(const Word128& word, const Field& field) { return static_cast<std::uint8_t>(get(word, field)); }

void describe_loads(const Word128& word, Items& items) {
  const SourcesRead read = sources_read(word);
  const unsigned port0 = bits_of(word, word::port0_index), port1 = bits_of(word, word::port1_index);
  const bool attribute = get(word, word::port0_attr) != 0;
  if (attribute || port0 != 0 || read.of(Source::port0) != 0)
    items.add(attribute ? Item::Kind::port0_attribute : Item::Kind::port0_register).number = port0;
  if (port1 != 0 || read.of(Source::port1) != 0) items.add(Item::Kind::port1).number = port1;
  const auto address = static_cast<std::uint32_t>(get(word, word::ld_addr));
  const std::uint8_t offset = bits_of(word, word::ld_off);
  const bool clamps = bits_of(word, word::pass_op) == pass_clamp && is_active(word, Unit::pass);
  if (address != 0 || offset <= 3 || clamps || read.of(Source::load) != 0) {
    Item& item = items.add(Item::Kind::load);
    item.number = address;
    item.offset = offset <= 3 ? offset : no_offset;
  }
}

void describe_wide(const Word128& word, Items& items) {
  Item& item = items.add(Item::Kind::wide);
  item.opcode = bits_of(word, word::mul_op);
  item.operands[0].selector = bits_of(word, word::mul0_a);
  item.operands[1].selector = bits_of(word, word::mul0_b);
  item.operands[2].selector = bits_of(word, word::mul1_a);
  item.operands[3].selector = bits_of(word, word::mul1_b);
  item.negated = get(word, word::mul0_neg) != 0;
  item.negated1 = get(word, word::mul1_neg) != 0;
}

void describe_multipliers(const Word128& word, Items& items) {
  if (is_wide(bits_of(word, word::mul_op))) return describe_wide(word, items);
  for (const Unit unit : {Unit::mul0, Unit::mul1}) {
    if (!is_active(word, unit)) continue;
    const bool first = unit == Unit::mul0;
    Item& item = items.add(Item::Kind::mul);
    item.unit = unit;
    item.opcode = first ? bits_of(word, word::mul_op) : std::uint8_t{mul_mul};
    item.operands[0].selector = bits_of(word, first ? word::mul0_a : word::mul1_a);
    item.operands[1].selector = bits_of(word, first ? word::mul0_b : word::mul1_b);
    item.negated = get(word, first ? word::mul0_neg : word::mul1_neg) != 0;
  }
}

void describe_adders(const Word128& word, Items& items) {
  for (const Unit unit : {Unit::acc0, Unit::acc1}) {
    if (!is_active(word, unit)) continue;
    const bool first = unit == Unit::acc0;
    Item& item = items.add(Item::Kind::acc);
    item.unit = unit;
    item.opcode = bits_of(word, word::acc_op);
    item.operands[0].selector = bits_of(word, first ? word::acc0_a : word::acc1_a);
    item.operands[0].negated = get(word, first ? word::acc0_a_neg : word::acc1_a_neg) != 0;
    if (acc_ops[item.opcode].operands != 2) continue;
    item.operands[1].selector = bits_of(word, first ? word::acc0_b : word::acc1_b);
    item.operands[1].negated = get(word, first ? word::acc0_b_neg : word::acc1_b_neg) != 0;
  }
}

void describe_single(Item::Kind kind, std::uint8_t opcode, std::uint8_t selector, Items& items) {
  Item& item = items.add(kind);
  item.opcode = opcode;
  item.operands[0].selector = selector;
}

void apply_multiplier(const Item& item, Word128& word) {
  const bool first = item.unit == Unit::mul0;
  if (item.opcode != mul_mul) set(word, word::mul_op, item.opcode);
  set(word, first ? word::mul0_a : word::mul1_a, item.operands[0].selector);
  set(word, first ? word::mul0_b : word::mul1_b, item.operands[1].selector);
  set(word, first ? word::mul0_neg : word::mul1_neg, item.negated);
}

void apply_wide(const Item& item, Word128& word) {
  set(word, word::mul_op, item.opcode);
  set(word, word::mul0_a, item.operands[0].selector);
  set(word, word::mul0_b, item.operands[1].selector);
  set(word, word::mul1_a, item.operands[2].selector);
  set(word, word::mul1_b, item.operands[3].selector);
  set(word, word::mul0_neg, item.negated);
  set(word, word::mul1_neg, item.negated1);
}

void apply_adder(const Item& item, Word128& word) {
  const bool first = item.unit == Unit::acc0;
  set(word, word::acc_op, item.opcode);
  set(word, first ? word::acc0_a : word::acc1_a, item.operands[0].selector);
  set(word, first ? word::acc0_a_neg : word::acc1_a_neg, item.operands[0].negated);
  // One-operand operations leave b at selector 0, as Mesa does.
  const ItemOperand second = acc_ops[item.opcode].operands == 1 ? ItemOperand{0, false} : item.operands[1];
  set(word, first ? word::acc0_b : word::acc1_b, second.selector);
  set(word, first ? word::acc0_b_neg : word::acc1_b_neg, second.negated);
}

void apply_store(const Item& item, Word128& word) {
  const bool second = item.half != 0;
  set(word, second ? word::st1_z : word::st0_x, item.store.selector[0]);
  set(word, second ? word::st1_w : word::st0_y, item.store.selector[1]);
  set(word, second ? word::st1_index : word::st0_index, item.store.index);
  set(word, second ? word::st1_var : word::st0_var, item.store.kind == StoreKind::varying);
  if (item.store.kind != StoreKind::temporary) return;
  set(word, second ? word::st1_temp : word::st0_temp, 1);
  set(word, word::flow, 12);
}

}  // namespace

Items describe(const Word128& word) {
  Items items;
  describe_loads(word, items);
  describe_multipliers(word, items);
  describe_adders(word, items);
  if (is_active(word, Unit::complex))
    describe_single(Item::Kind::complex, bits_of(word, word::cplx_op), bits_of(word, word::cplx_in), items);
  if (is_active(word, Unit::pass))
    describe_single(Item::Kind::pass, bits_of(word, word::pass_op), bits_of(word, word::pass_in), items);
  for (std::uint8_t half = 0; half < 2; ++half) {
    const StoreHalf store = store_half(word, half);
    if (store.kind == StoreKind::none) continue;
    Item& item = items.add(Item::Kind::store);
    item.half = half;
    item.store = store;
    if (store.kind == StoreKind::temporary) item.store.index = 0;
  }
  if (is_branch(word)) items.add(Item::Kind::branch).number = branch_target(word);
  return items;
}

void apply(const Item& item, Word128& word) {
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
      set(word, word::flow, 13);
      set_branch_target(word, item.number);
      break;
    case Item::Kind::force:
      set(word, *item.field, item.number);
      break;
  }
}

Word128 implied(const Items& items) {
  Word128 word = nop;
  for (const Item& item : items) apply(item, word);
  return word;
}

bool is_move(const Item& item) {
  if (item.operands[1].selector != selector_identity) return false;
  if (item.kind == Item::Kind::mul) return item.opcode == mul_mul;
  return item.kind == Item::Kind::acc && item.opcode == acc_add && item.operands[1].negated &&
         !item.operands[0].negated;
}

bool is_negated_move(const Item& item) {
  return item.kind == Item::Kind::acc && item.opcode == acc_add && item.operands[1].selector == selector_identity &&
         item.operands[1].negated && item.operands[0].negated;
}

}  // namespace mobula::utgard_gp
