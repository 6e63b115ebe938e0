#include "machines/rogue/lift/memory.h"

#include <vector>

#include "core/counted.h"
#include "machines/rogue/lift/fence.h"

namespace mobula::rogue::lifting {
namespace {

unsigned burst_of(const Item& item) { return up_to_16(item.get(F::burst)); }
bool burst_is_register(const Item& item) { return item.form->find(F::srcselbl) != nullptr; }

/// Words moved where a register says how many: 0 means 16.
Operand dynamic_burst(GroupContext& context, const Item& item, const BackendSources& sources) {
  const Operand low =
      context.i32(Op::iand, sources.slots[item.get(F::srcselbl)], context.b.constant_u32(most_words - 1));
  return context.choose(context.i32(Op::ieq, low, context.zero()), context.b.constant_u32(most_words), low);
}

Operand address_of(GroupContext& context, unsigned slot) {
  const Register& reg = context.group.slots[slot];
  return context.pair(context.read(reg, context.pass), context.read(reg, context.pass + 1));
}
Operand plus(GroupContext& context, Operand address, unsigned bytes) {
  return bytes == 0 ? address : context.b.binary(Op::iadd, Type::i64, address, context.b.constant_u64(bytes));
}

/// What `act` emits is done where bit 0 of `condition` is 1, too.
template <class Act>
void where(GroupContext& context, Operand condition, Act act) {
  context.b.emit(Op::enable, Type::i32, {}, condition);
  act();
  context.b.emit(Op::enable, Type::i32, {});
  context.mask();
}

std::string block_fault(const Register& first, unsigned words, const State& state) {
  if (words <= 1 || register_exists(first, words - 1, state)) return {};
  std::array<char, 24> name{};
  put_register(name.data(), first);
  return "there are no " + counted(words, "register") + " from " + name.data() + " on";
}

}  // namespace

void lift_load(GroupContext& context, const Item& item, const BackendSources& sources) {
  ir::Builder& b = context.b;
  const LateWrites writes = late_writes(context.group);
  const Operand address = address_of(context, item.get(F::srcseladd));
  const Operand data = b.temporary(Type::i32, writes.count);
  std::vector<Operand> values;
  for (unsigned i = 0; i < writes.count; ++i) values.push_back(data.plus(4 * i));
  if (!burst_is_register(item)) {
    b.call({.service = ir::Service::load_memory,
            .count = static_cast<std::uint8_t>(writes.count),
            .data = data,
            .args = {address}});
    return write_late(context, writes, values);
  }
  const Operand burst = dynamic_burst(context, item, sources);
  std::vector<Operand> is_moved;
  for (unsigned i = 0; i < writes.count; ++i) {
    is_moved.push_back(context.i32(Op::ilt_u, b.constant_u32(i), burst));
    where(context, is_moved.back(), [&] {
      b.call({.service = ir::Service::load_memory, .data = values[i], .args = {plus(context, address, 4 * i)}});
    });
  }
  write_late(context, writes, values, is_moved);
}

void lift_store(GroupContext& context, const Item& item, const BackendSources& sources) {
  ir::Builder& b = context.b;
  constexpr unsigned byte_size = 0, half_size = 1;
  const unsigned size = item.get(F::dsize), data_slot = item.get(F::srcseldata);
  const Operand address = address_of(context, item.get(F::srcseladd));
  const Register& first = context.group.slots[data_slot];
  const auto store = [&](Type type, Operand data, Operand to) {
    b.call({.service = ir::Service::store_memory, .type = type, .data = data, .args = {to}});
  };
  const auto word = [&](unsigned i) {
    return context.keep(b.temporary(Type::i32),
                        i == 0 ? sources.slots[data_slot] : context.read(first, context.pass + i));
  };
  Operand covered;  // none = not tiled
  if (item.get(F::nottiled) == 0) {
    context.inferred(
        "a tiled store is assumed to be a plain one where bit 0 of its mask, that of the only sample, is 1");
    covered = sources.slots[item.get(F::srcmask)];
  }
  const auto store_where = [&](Operand condition, Type type, unsigned i) {
    const auto act = [&] { store(type, word(i), plus(context, address, 4 * i)); };
    if (condition.is_none())
      act();
    else
      where(context, condition, act);
  };
  if (size == byte_size) return store_where(covered, Type::i8, 0);
  if (size == half_size) return store_where(covered, Type::i16, 0);
  if (!burst_is_register(item)) {
    for (unsigned i = 0; i < burst_of(item); ++i) store_where(covered, Type::i32, i);
    return;
  }
  const Operand burst = dynamic_burst(context, item, sources);
  for (unsigned i = 0; i < most_words; ++i) {
    const Operand is_moved = context.i32(Op::ilt_u, b.constant_u32(i), burst);
    store_where(covered.is_none() ? is_moved : context.i32(Op::iand, is_moved, covered), Type::i32, i);
  }
}

/// The slot names three registers: address, low and high, and the operand.
void lift_atomic(GroupContext& context, const Item& item) {
  ir::Builder& b = context.b;
  using ir::AtomicOp;
  context.inferred("the registers an atomic reads are assumed to be address low, address high, operand");
  const Register& first = context.group.slots[item.get(F::srcsel)];
  const Operand address = address_of(context, item.get(F::srcsel));
  Operand operand = context.read(first, context.pass + 2);
  constexpr unsigned subtract = 1;
  constexpr std::array<AtomicOp, 11> ops{AtomicOp::add,   AtomicOp::add,   AtomicOp::exchange, AtomicOp::add,
                                         AtomicOp::min_u, AtomicOp::min_s, AtomicOp::max_u,    AtomicOp::max_s,
                                         AtomicOp::and_,  AtomicOp::or_,   AtomicOp::xor_};
  const unsigned op = item.get(F::atomic_op);
  if (op == subtract) operand = context.i32(Op::isub, context.zero(), operand);
  const Operand old = b.temporary(Type::i32);
  b.call({.service = ir::Service::atomic,
          .index = static_cast<std::uint32_t>(ops[op]),
          .data = old,
          .args = {address, operand}});
  write_late(context, late_writes(context.group), std::array{old});
}

std::string memory_fault(const Group& group, const Item& item, const State& state) {
  const auto slot = [&](F field) -> const Register& { return group.slots[item.get(field)]; };
  if (item.form->find(F::srcseladd) != nullptr)
    if (std::string fault = block_fault(slot(F::srcseladd), 2, state); !fault.empty()) return fault;
  if (item.form->find(F::dstsel) != nullptr) return block_fault(slot(F::srcsel), 3, state);
  if (item.form->find(F::srcseldata) != nullptr) {
    constexpr unsigned word_size = 2;
    if (item.get(F::dsize) > word_size) return "the data size 3 of a store is not assigned";
    const bool several = item.get(F::dsize) == word_size;
    return block_fault(slot(F::srcseldata),
                       !several                  ? 1
                       : burst_is_register(item) ? most_words
                                                 : burst_of(item),
                       state);
  }
  return {};
}

}  // namespace mobula::rogue::lifting
