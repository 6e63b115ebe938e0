#include "machines/rogue/lift/state.h"

#include "machines/rogue/lift/fence.h"

#include <algorithm>
#include <string>

namespace mobula::rogue::lifting {
namespace {

/// Registers of the spaces whose size a program does not change.
constexpr unsigned pixel_output_count = 8, internal_count = 8, global_count = 8;
/// Registers of a bank that is indexed, if no group names more: the index is only known when the program runs.
constexpr unsigned indexed_count = 256;
/// Words the largest burst or set of coefficients reaches beyond the register that is named.
constexpr unsigned backend_extent = 64;

constexpr unsigned first_pixel_output = 32, second_pixel_output = 164, first_internal = 36, first_global = 104;

}  // namespace

std::optional<RegisterPlace> place_of(const Register& reg) {
  switch (reg.bank) {
    case Bank::temporary:
      return RegisterPlace{Space::temporary, reg.index};
    case Bank::vertex_input:
      return RegisterPlace{Space::vertex_input, reg.index};
    case Bank::coefficient:
      return RegisterPlace{Space::coefficient, reg.index};
    case Bank::shared:
      return RegisterPlace{Space::shared, reg.index};
    case Bank::coefficient_alt:
      return RegisterPlace{Space::coefficient_alt, reg.index};
    case Bank::special:
      break;
    case Bank::idx0:
    case Bank::idx1:
      return std::nullopt;
  }
  switch (special_class(reg.index)) {
    case Special::pixel_output:
      return RegisterPlace{Space::pixel_output, reg.index < first_internal ? reg.index - first_pixel_output
                                                                           : reg.index - second_pixel_output + 4};
    case Special::internal:
      return RegisterPlace{Space::internal, reg.index - first_internal};
    case Special::global:
      return RegisterPlace{Space::global, reg.index - first_global};
    case Special::constant:
    case Special::other:
      break;
  }
  return std::nullopt;
}

std::optional<Space> indexed_space(const Register& reg) {
  switch (reg.index_bank()) {
    case indexed_temporary:
      return Space::temporary;
    case indexed_vertex_input:
      return Space::vertex_input;
    case indexed_coefficient:
      return Space::coefficient;
    case indexed_shared:
      return Space::shared;
    case indexed_coefficient_alt:
      return Space::coefficient_alt;
    case indexed_pixel_output:
      return Space::pixel_output;
    case indexed_constant_memory:
    case index_register:
      break;
  }
  return std::nullopt;
}

State::State(std::span<const Group> groups, unsigned base_unit, bool several_tasks, unsigned shared_registers)
    : shared_registers_(shared_registers) {
  counts_[static_cast<std::size_t>(Space::temporary)] = temporary_count;
  counts_[static_cast<std::size_t>(Space::vertex_input)] = vertex_input_count;
  counts_[static_cast<std::size_t>(Space::pixel_output)] = pixel_output_count;
  counts_[static_cast<std::size_t>(Space::internal)] = internal_count;
  counts_[static_cast<std::size_t>(Space::global)] = global_count;
  collect_bases(groups, base_unit);
  measure(groups);
  add_space(Space::temporary, "r");
  add_space(Space::vertex_input, "vi");
  add_space(Space::internal, "i");
  add_space(Space::pixel_output, "po");
  add_space(Space::coefficient, "cf");
  add_space(Space::coefficient_alt, "cfa");
  add_space(Space::shared, "sh");
  add_space(Space::global, "g");
  for (auto& [index, byte] : specials_) byte = add("sr" + std::to_string(index)).byte();
  idx0 = add("idx0");
  idx1 = add("idx1");
  p0 = add("p0");
  masked = add("masked");
  link = add("link");
  done = add("done");
  kept_w = add("kept_w");
  base_cf = add("base.cf");
  base_sh = add("base.sh");
  mutexes = add("mutexes");
  visible = add("visible");
  depth = add("depth");
  next_phase = add("next_phase");
  if (several_tasks) {
    memory_low = add("memory.low");
    memory_high = add("memory.high");
    asleep = add("asleep");
    wakings = add("wakings");
  }
  add_late(groups);
  local_begin_ = next_byte_;
  for (unsigned i = 0; i < 3; ++i) ft[i] = add("ft" + std::to_string(i));
  fte = add("fte");
  for (unsigned i = 3; i < 6; ++i) ft[i] = add("ft" + std::to_string(i));
  ftt = add("ftt");
  w0 = add("w0");
  w1 = add("w1");
  local_end_ = next_byte_;
}

std::vector<ir::ByteRange> State::group_local() const { return {{local_begin_, local_end_ - local_begin_}}; }

Operand State::add(std::string name) {
  slots_.push_back({std::move(name), next_byte_, 4});
  next_byte_ += 4;
  return Operand::state(next_byte_ - 4);
}

void State::add_space(Space space, std::string_view name) {
  first_bytes_[static_cast<std::size_t>(space)] = next_byte_;
  for (unsigned i = 0; i < extent(space); ++i) add(std::string(name) + std::to_string(i));
}

const State::Late& State::late(RegisterPlace place) const {
  return *std::lower_bound(late_.begin(), late_.end(), place,
                           [](const Late& each, RegisterPlace wanted) { return each.place < wanted; });
}

void State::add_late(std::span<const Group> groups) {
  std::set<RegisterPlace> found;
  for (const Group& group : groups) {
    if (group.raw()) continue;
    const LateWrites writes = late_writes(group);
    const auto first = place_of(writes.first);
    if (!first || !may_be_late(first->space)) continue;
    for (unsigned i = 0; i < writes.count && first->number + i < count(first->space); ++i)
      found.insert({first->space, first->number + i});
  }
  for (const RegisterPlace& place : found) {
    const std::string name = (place.space == Space::temporary ? "r" : "vi") + std::to_string(place.number);
    late_.push_back({place, add("late." + name), add("drc." + name)});
  }
}

void State::collect_bases(std::span<const Group> groups, unsigned unit) {
  for (const Group& group : groups) {
    const Item& item = group.item(Word::control);
    if (group.raw() || !item || !item.form->is(forms::sbo)) continue;
    if (const unsigned offset = unit * item.get(F::sbo_offset); offset != 0)
      base_offsets_[item.get(F::tgt)].insert(offset);
  }
}

void State::measure(std::span<const Group> groups) {
  for (const Group& group : groups) {
    if (group.raw()) continue;
    if (const Item& item = group.item(Word::backend); item && item.op->does == does::Backend::save_mask)
      specials_.emplace(instance_valid, 0);
    if (iterates(group))
      for (const unsigned position : {position_x, position_y}) specials_.emplace(position, 0);
    const unsigned extent = group.item(Word::backend) ? backend_extent : group.repeat;
    if (const Item& item = group.item(Word::control); item && item.form->find(F::coff) != nullptr)
      for (const F field : {F::coff, F::woff})
        measure({Bank::coefficient, static_cast<std::uint16_t>(4 * item.get(field))}, backend_extent);
    if (group.lower != nullptr)
      for (const Register& reg : group.slots) measure(reg, extent);
    for (unsigned port = 0; port < 2; ++port)
      if (port == 0 ? group.w0p : group.w1p) measure(group.written[port], group.repeat);
  }
}

void State::measure(const Register& reg, unsigned extent) {
  const auto need = [&](Space space, unsigned wanted) {
    // The other spaces have their size whatever a program says.
    if (space != Space::coefficient && space != Space::coefficient_alt && space != Space::shared) return;
    unsigned& have = counts_[static_cast<std::size_t>(space)];
    have = std::max(have, wanted);
  };
  if (const auto place = place_of(reg)) return need(place->space, place->number + extent);
  if (reg.indexed()) {
    if (const auto space = indexed_space(reg))
      need(*space, *space == Space::shared ? std::max(indexed_count, shared_registers_) : indexed_count);
    return;
  }
  for (unsigned i = 0; i < extent && i < max_repeat; ++i)
    if (special_class(reg.index + i) == Special::other) specials_.emplace(reg.index + i, 0);
}

}  // namespace mobula::rogue::lifting
