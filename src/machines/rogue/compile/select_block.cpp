// Blocks: uniform ones are shared registers, storage ones memory at addresses that are given in shared registers. And
// atomic operations, on memory and on shared variables.
#include <algorithm>

#include "compile/cannot_do.h"
#include "machines/rogue/compile/selector.h"

namespace mobula::rogue_compiler {

using ssa::AtomicOp;
using ssa::Storage;

namespace {

constexpr std::uint32_t bytes_of_a_word_as_shift = 2, bytes_of_a_word = 4;

/// What memory can do to a word; none for what it cannot, and for what is no change.
Operation change_of(AtomicOp op) {
  switch (op) {
    case AtomicOp::add:
      return Operation::atom_add;
    case AtomicOp::min_s:
      return Operation::atom_imin;
    case AtomicOp::min_u:
      return Operation::atom_umin;
    case AtomicOp::max_s:
      return Operation::atom_imax;
    case AtomicOp::max_u:
      return Operation::atom_umax;
    case AtomicOp::and_:
      return Operation::atom_and;
    case AtomicOp::or_:
      return Operation::atom_or;
    case AtomicOp::xor_:
      return Operation::atom_xor;
    case AtomicOp::exchange:
      return Operation::atom_xchg;
    case AtomicOp::compare_exchange:
    case AtomicOp::load:
    case AtomicOp::store:
      break;
  }
  return Operation::none;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ memory

Operand Selector::buffer_value(std::uint32_t variable) const {
  return machine(Operand::Kind::shared,
                 layout_.system_values.at({SystemValueType::storage_buffer, layout_.first[variable][0]}));
}

/// The first of two words: where the block begins, plus bytes.
Operand Selector::address_of(std::uint32_t variable, std::uint32_t byte, const Operand& more) {
  Operand base = buffer_value(variable);
  Operand added = immediate(byte);
  if (more.kind != Operand::Kind::none)
    added = byte == 0 ? more : make(rows::integer, Operation::none, {more, immediate(1), added});
  base.count = 2;
  if (is_known(added) && added.number == 0) return base;
  const Operand high = machine(Operand::Kind::shared, base.number + 1), made = code_.add(2);
  base.count = 1;
  emit(rows::address, Operation::none, {base, high, added}, {word(made.number), word(made.number + 1)});
  return made;
}

void Selector::load_words(const Operand& address, const ssa::Instruction& each) {
  const Operand made = code_.add(each.type.components);
  emit(rows::load, Operation::none, {address}, {made}, each.type.components);
  emit(rows::wait, Operation::none, {}, {});
  for (std::uint32_t i = 0; i < each.type.components; ++i) values_[each.result][i] = word(made.number + i);
}

void Selector::store_words(const Operand& address, ssa::Value data) {
  std::vector<Operand> all;
  for (unsigned i = 0; i < type_of(data).components; ++i) all.push_back(at(data, i));
  const Operand row = in_a_row(all);
  emit(rows::store, Operation::none, {row, address}, {}, row.count);
  emit(rows::wait, Operation::none, {}, {});
}

void Selector::read(const ssa::Instruction& each) {
  const Operand more = each.operands.empty() ? Operand{} : at(each.operands[0], 0);
  const ssa::Variable& variable = program_.variables[each.variable];
  if (variable.storage == Storage::uniform_block) return read_uniform_block(each, more);
  load_words(address_of(each.variable, each.data[0], more), each);
}

/// An index is one into the whole block, of which it may reach other members, too.
void Selector::read_uniform_block(const ssa::Instruction& each, const Operand& more) {
  const bool is_indexed = more.kind != Operand::Kind::none;
  std::uint32_t first = each.data[0] / bytes_of_a_word, base = 0;
  if (is_indexed) {
    const Operand byte =
        first == 0 ? more : make(rows::integer, Operation::none, {more, immediate(1), immediate(each.data[0])});
    const Operand index = make(rows::shift, Operation::shr, {byte, immediate(bytes_of_a_word_as_shift)});
    const Operand last = immediate(layout_.stride[each.variable] - each.type.components);
    const Operand within = make(rows::choose_tested, Operation::tstl_u32, {index, last});
    base = counted_from(layout_.first[each.variable][0]);
    const Operand counted =
        base == 0 ? within : make(rows::integer, Operation::none, {within, immediate(1), immediate(base)});
    move(counted, machine(Operand::Kind::index, 0));
    first = 0;
  }
  for (std::uint32_t i = 0; i < each.type.components; ++i) {
    const Operand from = machine(is_indexed ? Operand::Kind::indexed_shared : Operand::Kind::shared,
                                 layout_.first[each.variable][0] + first + i - base);
    values_[each.result][i] = is_indexed ? make(rows::move, Operation::none, {from}) : from;
  }
}

void Selector::write(const ssa::Instruction& each) {
  const Operand more = each.operands.size() < 2 ? Operand{} : at(each.operands[1], 0);
  store_words(address_of(each.variable, each.data[0], more), each.operands[0]);
}

void Selector::length(const ssa::Instruction& each) {
  constexpr std::uint32_t size_word = 2;
  const Operand value = buffer_value(each.variable);
  values_[each.result][0] = machine(Operand::Kind::shared, value.number + size_word);
}

void Selector::wait_for_all() {
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
    const auto& number = layout_.first[i];
    if (program_.variables[i].storage != Storage::storage_block ||
        !layout_.system_values.contains({SystemValueType::storage_buffer, number[0]}))
      continue;
    emit(rows::fence, Operation::none, {address_of(i, 0, {})}, {});
    emit(rows::wait, Operation::none, {}, {});
    break;  // one fence is for all stores
  }
  if (threads_of(program_) > task_threads) wait_for_tasks();
}

/// The last task to arrive starts the count anew and says so in the number of the barriers gone by; others sleep until
/// that has changed. With the count alone, a task might arrive at the next barrier before all have left this one.
void Selector::wait_for_tasks() {
  constexpr std::uint32_t mutex = 0;
  const std::uint32_t tasks = (threads_of(program_) + task_threads - 1) / task_threads;
  const Operand arrived = machine(Operand::Kind::shared, layout_.barrier),
                gone = machine(Operand::Kind::shared, layout_.barrier + 1);
  emit(rows::lock, Operation::none, {}, {}, mutex);
  const Operand before = make(rows::move, Operation::none, {gone});
  const Operand now = make(rows::integer, Operation::none, {arrived, immediate(1), immediate(1)});
  const Operand missing = make(rows::logical, Operation::xor_, {now, immediate(tasks)});
  const Operand next = make(rows::integer, Operation::none, {before, immediate(1), immediate(1)});
  emit(rows::choose, Operation::none, {immediate(0), now, missing}, {arrived});
  emit(rows::choose, Operation::none, {next, before, missing}, {gone});
  const std::uint32_t again = code_.labels++, done = code_.labels++;
  mark(again);
  emit(rows::test_equal, Operation::none, {gone, before}, {});
  go(rows::branch, done, Condition::if_not_p0);
  emit(rows::sleep, Operation::none, {}, {}, mutex);
  emit(rows::lock, Operation::none, {}, {}, mutex);
  go(rows::branch, again);
  mark(done);
  emit(rows::wake, Operation::none, {}, {}, mutex);
}

// ------------------------------------------------------------------------------------------------ atomics

void Selector::atomic(const ssa::Instruction& each) {
  const std::size_t values = values_before_place(each.atomic);
  if (program_.variables[each.variable].storage == Storage::shared) return change_shared(each);
  const Operand more = each.operands.size() > values ? at(each.operands[values], 0) : Operand{};
  const Operand address = address_of(each.variable, each.data[0], more);
  if (each.atomic == AtomicOp::load) return load_words(address, each);
  if (each.atomic == AtomicOp::store) return store_words(address, each.operands[0]);
  if (each.atomic == AtomicOp::compare_exchange) return exchange_if_equal(address, each);
  const Operand low = address, high = Operand{address.kind, address.number + 1};
  const Operand row = in_a_row({Operand{low.kind, low.number}, high, at(each.operands[0], 0)});
  const Operand before = code_.add();
  emit(rows::change, change_of(each.atomic), {row}, {before});
  emit(rows::wait, Operation::none, {}, {});
  if (each.result != ssa::none) values_[each.result][0] = before;
}

/// There is no such access to memory: a mutex keeps other tasks from it, and the instances of this one take turns, from
/// the last to the first.
void Selector::exchange_if_equal(const Operand& address, const ssa::Instruction& each) {
  constexpr std::uint32_t instance_register = 51, mutex = 1;
  const Operand lane = make(rows::special, Operation::none, {machine(Operand::Kind::special, instance_register)});
  const Operand value = make(rows::move, Operation::none, {at(each.operands[0], 0)});
  const Operand wanted = make(rows::move, Operation::none, {at(each.operands[1], 0)});
  const Operand turn = make(rows::move, Operation::none, {immediate(task_threads - 1)}), before = code_.add();
  const std::uint32_t again = code_.labels++;
  emit(rows::lock, Operation::none, {}, {}, mutex);
  mark(again);
  emit(rows::test_equal, Operation::none, {turn, lane}, {});
  Instruction& load = emit(rows::load, Operation::none, {address}, {before}, 1);
  load.condition = Condition::if_p0;
  load.replaces = false;
  emit(rows::wait, Operation::none, {}, {});
  const Operand other = make(rows::logical, Operation::xor_, {before, wanted});
  const Operand after = make(rows::choose, Operation::none, {value, before, other});
  emit(rows::store, Operation::none, {after, address}, {}, 1).condition = Condition::if_p0;
  emit(rows::fence, Operation::none, {address}, {});
  emit(rows::wait, Operation::none, {}, {});
  emit(rows::integer, Operation::none, {turn, immediate(1), immediate(~std::uint32_t{0})}, {turn});
  emit(rows::test_equal, Operation::none, {turn, immediate(~std::uint32_t{0})}, {});
  // What every turn reads has to last until the last one.
  emit(rows::branch_reading, Operation::none, {lane, value, wanted, address}, {}).target = again;
  code_.blocks[block_].code.back().condition = Condition::if_not_p0;
  emit(rows::release, Operation::none, {}, {}, mutex);
  if (each.result != ssa::none) values_[each.result][0] = before;
}

/// One instance after the other.
void Selector::change_shared(const ssa::Instruction& each) {
  const std::size_t values = values_before_place(each.atomic);
  const bool is_indexed = each.operands.size() > values;
  // What needs groups of its own comes before the index register, which they might need.
  std::array<Operand, 2> given{};
  for (std::size_t i = 0; i < values; ++i) given[i] = at(each.operands[i], 0);
  const std::uint32_t base = is_indexed ? set_index(each.operands[values], each.variable, each.data[0]) : 0;
  const Operand place = machine(is_indexed ? Operand::Kind::indexed_shared : Operand::Kind::shared,
                                layout_.first[each.variable][each.data[0]] - base);
  const Operand before = code_.add();
  const auto change = [&](const Row& row, Operation operation) {
    emit(row, operation, {place, given[0], given[1]}, {before, place});
  };
  switch (each.atomic) {
    case AtomicOp::add:
      change(rows::shared_add, Operation::none);
      break;
    case AtomicOp::min_s:
      change(rows::shared_tested, Operation::tstl_s32);
      break;
    case AtomicOp::min_u:
      change(rows::shared_tested, Operation::tstl_u32);
      break;
    case AtomicOp::max_s:
      change(rows::shared_tested, Operation::tstg_s32);
      break;
    case AtomicOp::max_u:
      change(rows::shared_tested, Operation::tstg_u32);
      break;
    case AtomicOp::and_:
      change(rows::shared_logical, Operation::and_);
      break;
    case AtomicOp::or_:
      change(rows::shared_logical, Operation::or_);
      break;
    case AtomicOp::xor_:
      change(rows::shared_logical, Operation::xor_);
      break;
    case AtomicOp::exchange:
      change(rows::shared_exchange, Operation::none);
      break;
    case AtomicOp::compare_exchange:
      change(rows::shared_exchange_equal, Operation::none);
      break;
    case AtomicOp::load:
      move(place, before);
      break;
    case AtomicOp::store:
      move(given[0], place);
      break;
  }
  if (each.result != ssa::none) values_[each.result][0] = before;
}

}  // namespace mobula::rogue_compiler
