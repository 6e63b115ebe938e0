#include "machines/rogue/spec/access.h"

namespace mobula::rogue {
namespace {

constexpr unsigned bank_size = 256, first_vertex_input = bank_size, first_internal = 2 * bank_size,
                   first_index = first_internal + 8;

void add(RegisterSet& set, const Register& reg, unsigned count = 1) {
  for (unsigned i = 0; i < count; ++i) {
    Register each = reg;
    each.index = static_cast<std::uint16_t>(reg.index + i);
    if (const int position = tracked(each); position >= 0) set.set(static_cast<std::size_t>(position));
    if (reg.indexed()) break;
  }
}

unsigned count_of(const Item& item, F field) {
  const Place* place = item.form->find(field);
  if (place == nullptr) return info(field).default_value;
  const std::uint32_t stored = get(item.bits, *place);
  return stored == 0 ? 1u << place->width() : stored;
}

void add_backend(const Group& group, Access& access) {
  if (!goes_on_beside(group)) return;
  const Item& item = group.item(Word::backend);
  access.counter = static_cast<int>(item.get(F::drc));
  const unsigned words = words_moved(item);
  if (const int slot = destination_slot(group); slot >= 0)
    add(access.late_writes, group.slots[static_cast<std::size_t>(slot)], words);
  if (item.form->find(F::srcseldata) != nullptr) {
    const Register& data = group.slots[item.get(F::srcseldata)];
    add(access.reads, data, words);
    add(access.late_reads, data, words);
  }
  if (item.op->does == does::Backend::sample || item.op->does == does::Backend::sample_by_byte) {
    constexpr unsigned data_slot = 1;
    add(access.reads, group.slots[data_slot], sample_words(item));
  }
  if (item.op->does == does::Backend::atomic) {
    constexpr unsigned address_and_operand = 3;
    add(access.reads, group.slots[item.get(F::srcsel)], address_and_operand);
  }
  if (item.form->find(F::srcseladd) != nullptr && !item.op->has(only_fences))
    add(access.reads, group.slots[item.get(F::srcseladd)], 2);
}

void add_control(const Group& group, Access& access) {
  const Item& item = group.item(Word::control);
  if (!item) return;
  if (item.op->does == does::Control::wait_fence) {
    access.counter = group.miscctl;
    access.waits = true;
  }
  if (item.form->find(F::dest) != nullptr) {
    constexpr unsigned waits = 2;
    access.counter = static_cast<int>(item.get(F::drc));
    const Register first{Bank::temporary, static_cast<std::uint16_t>(item.get(F::dest))};
    if (item.get(F::sched_ctrl) == waits)
      add(access.writes, first, words_moved(item));
    else
      add(access.late_writes, first, words_moved(item));
  }
  if (item.form->find(F::pcnd) != nullptr) {
    const auto condition = item.get(F::pcnd);
    if (condition == value::pcnd_p0 || condition == value::pcnd_not_p0) access.reads_p0 = true;
  }
}

}  // namespace

bool goes_on_beside(const Group& group) {
  const Item& item = group.item(Word::backend);
  return item && item.form->find(F::drc) != nullptr;
}

unsigned words_moved(const Item& item) {
  constexpr std::uint32_t whole_words = 2;
  if (item.form->find(F::chan) != nullptr) {
    constexpr unsigned raw_data = 1, texels_of_a_filter = 4;
    return (item.get(F::chan) + 1) * (item.get(F::sbmode) == raw_data ? texels_of_a_filter : 1);
  }
  if (item.form->find(F::count) != nullptr) return count_of(item, F::count);
  if (item.form->find(F::burst) == nullptr) return 1;
  return item.form->find(F::dsize) != nullptr && item.get(F::dsize) != whole_words ? 1 : count_of(item, F::burst);
}

unsigned sample_words(const Item& item) {
  const unsigned lod = says_lod(item) ? 1 : item.get(F::lodm) == lod_gradient ? 2 * item.get(F::dmn) : 0;
  const unsigned options = (item.get(F::soo) | item.get(F::sno)) != 0 ? 1 : 0;
  const unsigned written = item.get(F::wrt) != 0 ? item.get(F::chan) + 1 : 0;
  return item.get(F::dmn) + item.get(F::proj) + item.get(F::array) + lod + options + item.get(F::comparison) + written;
}

int tracked(const Register& reg) {
  if (is_index_register(reg)) return static_cast<int>(first_index + (reg.bank == Bank::idx0 ? 0 : 1));
  if (reg.indexed()) return -1;
  if (reg.bank == Bank::temporary && reg.index < bank_size) return reg.index;
  if (reg.bank == Bank::vertex_input && reg.index < bank_size) return static_cast<int>(first_vertex_input + reg.index);
  if (is(reg, Special::internal)) return static_cast<int>(first_internal + reg.index - 36);
  return -1;
}

Register tracked_register(unsigned position) {
  if (position >= first_index) return {position == first_index ? Bank::idx0 : Bank::idx1, index_register};
  if (position >= first_internal) return {Bank::special, static_cast<std::uint16_t>(position - first_internal + 36)};
  if (position >= first_vertex_input)
    return {Bank::vertex_input, static_cast<std::uint16_t>(position - first_vertex_input)};
  return {Bank::temporary, static_cast<std::uint16_t>(position)};
}

RegisterSet preloaded() {
  RegisterSet set;
  for (unsigned i = 0; i < bank_size; ++i) set.set(first_vertex_input + i);
  return set;
}

int destination_slot(const Group& group) {
  const Item& item = group.item(Word::backend);
  if (!item) return -1;
  for (const OperandSpec& operand : item.op->all_operands())
    if (operand.late)
      return static_cast<int>(is_slot(operand.name) ? number_of(operand.name) : item.get(operand.field));
  return -1;
}

unsigned source_turns(const Group& group) {
  const Item& p0 = group.item(Word::p0);
  return p0 && p0.op->does == does::Early::unpack ? 1 : group.repeat;
}
unsigned result_turns(const Group& group) {
  const Item& pack = group.item(Word::pack);
  return pack && pack.op->has(gathers) ? 1 : group.repeat;
}

namespace {

/// Whether a bitwise group needs FT2 or FT3, which come of s2 even where the units that make them are idle and no
/// operand names it.
bool needs_s2(const Group& group) {
  if (group.alu != Alu::bitwise) return false;
  const Item &logical = group.item(Word::bit1), &shift = group.item(word_of(Unit::shift2)),
             &test = group.item(word_of(Unit::bit_test));
  return group.w1p || (logical && logical.op->does != does::Logical::pass) ||
         (shift && shift.op->does == does::Shift2::arithmetic_ft3) ||
         (visible_op(group, Unit::bit_test) != nullptr && test.get(F::tst_src) != 0);
}

}  // namespace

unsigned slots_read(const Group& group) {
  if (group.lower == nullptr) return 0;
  constexpr unsigned s2 = 1u << 2;
  return slots_used(group) | (needs_s2(group) ? s2 : 0);
}

Access access_of(const Group& group) {
  Access access;
  if (group.raw()) return access;
  add_backend(group, access);
  add_control(group, access);
  const unsigned used = slots_read(group);
  const int destination = destination_slot(group);
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    const Register& reg = group.slots[slot];
    if ((used >> slot & 1) == 0 || static_cast<int>(slot) == destination) continue;
    if (reg.indexed()) access.reads.set(first_index + (reg.bank == Bank::idx0 ? 0 : 1));
    if (!reg.indexed()) add(access.reads, reg, source_turns(group));
  }
  for (unsigned port = 0; port < 2; ++port) {
    if (port == 0 ? !group.w0p : !group.w1p) continue;
    const Register& reg = group.written[port];
    add(access.writes, reg, result_turns(group));
    if (reg.indexed() && !is_index_register(reg)) access.reads.set(first_index + (reg.bank == Bank::idx0 ? 0 : 1));
  }
  access.p0_writers = group.modelled.writes_p0 ? 1 : 0;
  access.reads_p0 = access.reads_p0 || group.condition == Condition::if_p0 || group.condition == Condition::if_not_p0;
  for (const Unit unit : text_order) {
    const Op* op = visible_op(group, unit);
    if (op == nullptr) continue;
    const Item& item = group.item(word_of(unit));
    if (op->does == does::Shift2::set_or_clear || (item.form->find(F::cin) != nullptr && item.get(F::cin) != 0))
      access.reads_p0 = true;
    for (const OperandSpec& operand : op->all_operands()) {
      const bool written =
          (operand.what == OperandSpec::What::predicate && operand.field == F::pwen && item.get(F::pwen) != 0) ||
          (operand.what == OperandSpec::What::fixed && operand.name == Name::p0 &&
           op->does != does::Shift2::set_or_clear);
      if (written) ++access.p0_writers;
    }
  }
  return access;
}

}  // namespace mobula::rogue
