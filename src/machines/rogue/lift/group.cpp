#include "machines/rogue/lift/group.h"

#include <algorithm>
#include <bit>

#include "core/counted.h"
#include "machines/rogue/spec/access.h"

namespace mobula::rogue::lifting {

// ------------------------------------------------------------------------------------------------ masks

Operand GroupContext::condition() {
  switch (group.condition) {
    case Condition::ignore_pe:
      return {};
    case Condition::always:
      return facts.masks ? b.unary(Op::inot, Type::i32, state.masked) : Operand{};
    case Condition::if_p0:
      return facts.masks ? i32(Op::iandnot, state.p0, state.masked) : i32(Op::ior, state.p0, zero());
    case Condition::if_not_p0:
      return facts.masks ? i32(Op::inor, state.p0, state.masked) : b.unary(Op::inot, Type::i32, state.p0);
  }
  return {};
}

// ------------------------------------------------------------------------------------------------ reading

std::optional<std::uint32_t> GroupContext::constant(unsigned slot) const {
  const Register& reg = group.slots[slot];
  if (!is(reg, Special::constant)) return std::nullopt;
  const unsigned on = settings.is(PolicyId::repeat_constants, "advance") ? pass : 0;
  return constant_value(reg.index + on);
}

Operand GroupContext::read(unsigned slot) {
  const Register& reg = group.slots[slot];
  return register_exists(reg, pass, state) ? read(reg, pass) : zero();
}

Operand GroupContext::read(const Register& reg, unsigned further) {
  if (is_index_register(reg)) return state.index_register(reg.bank == Bank::idx0 ? 0 : 1);
  if (reg.indexed()) {
    const Space space = *indexed_space(reg);
    return pick(space, index_of(reg, further, space));
  }
  if (const auto place = place_of(reg)) return read(place->space, place->number + further);
  if (is(reg, Special::constant)) {
    if (group.repeat > 1) unknown("whether the numbers of constants advance in a repeated group is unknown");
    const unsigned on = settings.is(PolicyId::repeat_constants, "advance") ? further : 0;
    return b.constant_u32(constant_value(reg.index + on).value_or(0));
  }
  return state.special(reg.index + further);
}

/// What a named register is depends on the base offset, which is one of those that the program sets.
Operand GroupContext::read(Space space, unsigned number) {
  Operand value = state.at(space, number);
  if (is_of_workgroup(space) && (facts.indexes_written_shared || facts.written_shared.contains(number)))
    return load_shared(b.constant_u32(number), value);
  for (const unsigned offset : state.bases(space))
    value = choose(i32(Op::ieq, state.base(space), b.constant_u32(offset)), state.at(space, number + offset), value);
  return value;
}

/// The number that an indexed operand means; instances whose number is none stop.
Operand GroupContext::index_of(const Register& reg, unsigned further, Space space) {
  const Operand in_bank =
      i32(Op::iadd, state.index_register(reg.bank == Bank::idx0 ? 0 : 1), b.constant_u32(reg.offset() + further));
  const Operand index = state.bases(space).empty() ? in_bank : i32(Op::iadd, in_bank, state.base(space));
  trap_where(i32(Op::ile_u, b.constant_u32(state.extent(space)), index),
             "the index leads beyond the " + counted(state.extent(space), "register") + " of its bank");
  return index;
}

/// The register with that number: a tree of choices, a level for each bit.
Operand GroupContext::pick(Space space, Operand index) {
  std::vector<Operand> level;
  for (unsigned i = 0; i < state.extent(space); ++i) level.push_back(state.at(space, i));
  for (unsigned bit = 0; level.size() > 1; ++bit) {
    const Operand shifted = bit == 0 ? index : i32(Op::ilsr, index, b.constant_u32(bit));
    const Operand odd = i32(Op::isub, zero(), i32(Op::iand, shifted, b.constant_u32(1)));
    std::vector<Operand> next;
    for (std::size_t i = 0; i < level.size(); i += 2)
      next.push_back(i + 1 < level.size() ? choose(odd, level[i + 1], level[i]) : level[i]);
    level = std::move(next);
  }
  // Nothing else may change the register before it is used.
  const Operand copy = b.temporary(Type::i32);
  keep(copy, level.front());
  const bool may_be_written = facts.indexes_written_shared || !facts.written_shared.empty();
  return is_of_workgroup(space) && may_be_written ? load_shared(index, copy) : copy;
}

// ------------------------------------------------------------------------------------------------ of a workgroup

Operand GroupContext::word_of_workgroup(Operand number) {
  const Operand bytes = i32(Op::ishl, number, b.constant_u32(2));
  const Operand offset = keep(b.temporary(Type::i32), bytes);
  return b.binary(Op::iadd, Type::i64, pair(state.memory_low, state.memory_high), pair(offset, zero()));
}

Operand GroupContext::change_word(unsigned number, ir::AtomicOp op, Operand value, Operand where) {
  const Operand address = word_of_workgroup(number), old = b.temporary(Type::i32);
  keep(old, zero());
  b.emit(Op::enable, Type::i32, {}, where);
  b.call(
      {.service = ir::Service::atomic, .index = static_cast<std::uint32_t>(op), .data = old, .args = {address, value}});
  b.emit(Op::enable, Type::i32, {});
  return old;
}

void GroupContext::store_word(unsigned number, Operand value, Operand where) {
  const Operand address = word_of_workgroup(number), data = keep(b.temporary(Type::i32), value);
  b.emit(Op::enable, Type::i32, {}, where);
  b.call({.service = ir::Service::store_memory, .data = data, .args = {address}});
  b.emit(Op::enable, Type::i32, {});
}

Operand GroupContext::load_word(unsigned number) {
  const Operand data = b.temporary(Type::i32);
  b.call({.service = ir::Service::load_memory, .data = data, .args = {word_of_workgroup(number)}});
  return data;
}

/// Until something is written there, a register holds what every task begins with.
Operand GroupContext::load_shared(Operand index, Operand initial) {
  const Operand data = b.temporary(Type::i32, 2);
  const Operand address = word_of_workgroup(i32(Op::ishl, index, b.constant_u32(1)));
  b.call({.service = ir::Service::load_memory, .count = 2, .data = data, .args = {address}});
  return choose(data.plus(4), data, initial);
}

void GroupContext::store_shared(Operand index, Operand value, Operand where) {
  const Operand data = b.temporary(Type::i32, 2);
  keep(data, value);
  keep(data.plus(4), ones());
  const Operand address = word_of_workgroup(i32(Op::ishl, index, b.constant_u32(1)));
  b.emit(Op::enable, Type::i32, {}, where);
  b.call({.service = ir::Service::store_memory, .count = 2, .data = data, .args = {address}});
  b.emit(Op::enable, Type::i32, {});
}

// ------------------------------------------------------------------------------------------------ writing

void GroupContext::write(const Register& reg, unsigned further, Operand value) {
  if (is_index_register(reg)) {
    keep(state.index_register(reg.bank == Bank::idx0 ? 0 : 1), value);
  } else if (reg.indexed()) {
    const Space space = *indexed_space(reg);
    put(space, index_of(reg, further, space), value);
  } else if (const auto place = place_of(reg)) {
    const Operand slot = state.at(place->space, place->number + further);
    if (!is_task_wide(place->space)) {
      keep(slot, value);
      return;
    }
    unmask();
    if (is_of_workgroup(place->space)) {
      const Operand first = b.binary(Op::task_first, Type::i32, value, enabled_mask());
      store_shared(b.constant_u32(place->number + further), first, enabled_mask());
      return mask();
    }
    const auto& offsets = state.bases(place->space);
    Operand at_zero = enabled_mask();
    for (const unsigned offset : offsets) {
      const Operand is_set = i32(Op::ieq, state.base(place->space), b.constant_u32(offset));
      write_task_wide(state.at(place->space, place->number + further + offset), value,
                      i32(Op::iand, enabled_mask(), is_set));
      at_zero = i32(Op::iandnot, at_zero, is_set);
    }
    write_task_wide(slot, value, at_zero);
    mask();
  } else {
    keep(state.special(reg.index + further), value);
  }
}

void GroupContext::put(Space space, Operand index, Operand value) {
  const bool shared = is_task_wide(space);
  if (shared) unmask();
  if (is_of_workgroup(space)) {
    inferred("where several instances write a register of the task, any of their values may stay");
    store_shared(index, value, enabled_mask());
    return mask();
  }
  for (unsigned i = 0; i < state.extent(space); ++i) {
    const Operand slot = state.at(space, i);
    if (shared) {
      const Operand here = choose(enabled_mask(), i32(Op::ieq, index, b.constant_u32(i)), zero());
      write_task_wide(slot, value, here);
    } else {
      b.emit(Op::select, Type::i32, slot, value, slot, i32(Op::ieq, index, b.constant_u32(i)));
    }
  }
  if (shared) mask();
}

/// All instances of the task get the value of the first one that writes.
void GroupContext::write_task_wide(Operand slot, Operand value, Operand where) {
  if (!group.atom) inferred("where several instances write a register of the task, the first one's value stays");
  const Operand is_written = b.binary(Op::task_first, Type::i32, ones(), where);
  const Operand first = b.binary(Op::task_first, Type::i32, value, where);
  b.emit(Op::select, Type::i32, slot, first, slot, is_written);
}

// ------------------------------------------------------------------------------------------------ faults

namespace {

std::string name_of(const Register& reg) {
  std::array<char, 24> text{};
  return {text.data(), put_register(text.data(), reg)};
}

std::string fault_of(const Register& reg, unsigned further, const State& state, bool is_written) {
  if (!register_exists(reg, further, state))
    return "register " + name_of(reg) +
           (further == 0 ? std::string() : " and " + std::to_string(further) + " after it") + " cannot be reached";
  if (is_written && is(reg, Special::constant)) return "the constant " + name_of(reg) + " is written";
  return {};
}

}  // namespace

bool register_exists(const Register& reg, unsigned further, const State& state) {
  if (reg.indexed()) return is_index_register(reg) || indexed_space(reg).has_value();
  Register last = reg;
  last.index = static_cast<std::uint16_t>(reg.index + further);
  if (const auto place = place_of(reg)) {
    const auto end = place_of(last);
    return end && end->space == place->space && end->number < state.count(end->space);
  }
  return is(reg, Special::constant) || is(last, Special::other);
}

std::string register_fault(const Group& group, const State& state) {
  const unsigned used = group.lower != nullptr ? slots_used(group) : 0;
  const int destination = destination_slot(group);
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((used >> slot & 1) != 0)
      if (auto fault =
              fault_of(group.slots[slot], source_turns(group) - 1, state, static_cast<int>(slot) == destination);
          !fault.empty())
        return fault;
  for (unsigned port = 0; port < 2; ++port)
    if (port == 0 ? group.w0p : group.w1p)
      if (auto fault = fault_of(group.written[port], result_turns(group) - 1, state, true); !fault.empty())
        return fault;
  return {};
}

}  // namespace mobula::rogue::lifting
