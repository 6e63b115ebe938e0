// Loads, stores and atomics.
#include <algorithm>
#include <bit>
#include <utility>

#include "machines/midgard/compile/selector.h"
#include "machines/midgard/compile/spill.h"

namespace mobula::midgard_compiler {
namespace {

using ssa::BuiltIn;

constexpr unsigned index_unsigned = 2, index_signed = 3;

/// The fields of an instruction that no register decides: nothing is argument and index.
std::uint64_t no_registers() {
  std::uint64_t fields = 0;
  set(fields, midgard::ls::arg, midgard::selector_zero);
  set(fields, midgard::ls::index, midgard::selector_zero);
  return fields;
}

}  // namespace

std::uint64_t table_entry(std::uint32_t number, bool secondary) {
  std::uint64_t fields = no_registers();
  set(fields, midgard::ls::table_offset, number);
  set(fields, midgard::ls::secondary, secondary ? 1 : 0);
  return fields;
}

// ------------------------------------------------------------------------------------------------ loads

void Selector::load(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  const auto index = each.operands.empty() ? std::optional<ssa::Value>() : each.operands[0];
  const Precision precision(relaxed_, is_relaxed(each.result));
  switch (variable.storage) {
    case ssa::Storage::input:
      return program_.stage == Stage::compute ? load_id(each, variable) : load_input(each, variable);
    case ssa::Storage::uniform:
      if (const auto kind = layout_.driver_uniforms.find(each.variable); kind != layout_.driver_uniforms.end()) {
        pushed_[each.result] = system_value(kind->second, 0, 0, each.type.components);
        return;
      }
      return load_uniform_words(each, 0, layout_.bytes[each.variable][each.data[0]], index,
                                layout_.stride[each.variable]);
    case ssa::Storage::output:
    case ssa::Storage::local:
      if (variable.storage == ssa::Storage::output || layout_.bytes[each.variable].empty()) {
        // what is kept may change before this is read
        const Value copy = code_.add({.components = each.type.components});
        move(copy, static_cast<std::uint8_t>((1U << each.type.components) - 1), of(kept_[each.variable][each.data[0]]));
        values_[each.result] = copy;
        return;
      }
      [[fallthrough]];
    case ssa::Storage::shared: {
      const Address address =
          address_of(each, index, layout_.bytes[each.variable][each.data[0]], layout_.stride[each.variable]);
      values_[each.result] = memory_value(address, each.type.components);
      return;
    }
    case ssa::Storage::uniform_block:
    case ssa::Storage::storage_block:
    case ssa::Storage::texture:
    case ssa::Storage::image:
      cannot("a load of " + variable.name + " is not supported", line_, "please report it with the shader");
  }
}

void Selector::load_special(const ssa::Instruction& each, const ssa::Variable& variable, std::uint32_t selector) {
  static constexpr const LsOp* load = memory_row("ld_special_32u");
  static constexpr const AluOp* ieq = alu_row("ieq");
  Instruction loads;
  loads.kind = Instruction::Kind::load_store;
  loads.memory = load;
  loads.fields = table_entry(selector, false);
  loads.result = values_[each.result] = code_.add({.components = 1});
  loads.mask = 1;
  emit(loads);
  if (variable.built_in() == BuiltIn::helper_invocation)  // it covers no sample
    values_[each.result] = alu(ieq, 1, of(loads.result), constant(std::uint32_t{0}));
}

void Selector::load_input(const ssa::Instruction& each, const ssa::Variable& variable) {
  if (const auto special = special_selector(variable.built_in())) return load_special(each, variable, *special);
  static constexpr const LsOp* attributes[] = {memory_row("ld_attr_32"), memory_row("ld_attr_32i")};
  static constexpr const LsOp* varyings[] = {memory_row("ld_vary_32"), memory_row("ld_vary_32u")};
  const bool is_vertex = program_.stage == Stage::vertex;
  const bool is_real = each.type.base == ssa::Base::real;
  Instruction loads;
  loads.kind = Instruction::Kind::load_store;
  loads.memory = (is_vertex ? attributes : varyings)[is_real ? 0 : 1];
  loads.fields = table_entry(layout_.numbers[each.variable] + each.data[0], !is_vertex);
  if (!is_vertex) {
    const ssa::Slot& slot = variable.slots[each.data[0]];
    set(loads.fields, midgard::vary::perspective, slot.noperspective ? 0 : 1);
    set(loads.fields, midgard::vary::sample, 1);
    set(loads.fields, midgard::vary::flat, slot.flat || !is_real ? 1 : 0);
  }
  if (!each.operands.empty()) loads.sources[2] = from_component(in_home(each.operands[0], Home::load_store, 1));
  loads.result = values_[each.result] = code_.add({.components = each.type.components});
  loads.mask = static_cast<std::uint8_t>((1U << each.type.components) - 1);
  emit(loads);
  if (!is_vertex || variable.built_in() != BuiltIn::vertex_id) return;
  static constexpr const AluOp* iadd = alu_row("iadd");  // the machine counts from 0
  const Source first = system_value(SystemValueType::vertex_instance_offsets, 0, 0, 1);
  values_[each.result] = alu(iadd, 1, of(loads.result), first);
}

void Selector::load_id(const ssa::Instruction& each, const ssa::Variable& variable) {
  static constexpr const LsOp* copy = memory_row("ldst_mov");
  const auto id = [&](unsigned selector, unsigned components) {
    Instruction loads;
    loads.kind = Instruction::Kind::load_store;
    loads.memory = copy;
    set(loads.fields, midgard::ls::arg, selector);
    loads.result = code_.add({.components = static_cast<std::uint8_t>(components)});
    loads.mask = static_cast<std::uint8_t>((1U << components) - 1);
    emit(loads);
    return loads.result;
  };
  switch (variable.built_in()) {
    case BuiltIn::global_invocation_id:
      values_[each.result] = id(midgard::selector_global_id, 3);
      return;
    case BuiltIn::local_invocation_id:
      values_[each.result] = id(midgard::selector_local_id, 3);
      return;
    case BuiltIn::work_group_id:
      values_[each.result] = id(midgard::selector_group, 3);
      return;
    case BuiltIn::num_work_groups:
      values_[each.result] = code_.add({.components = 3});
      move(values_[each.result], 7, system_value(SystemValueType::group_count, 0, 0, 3));
      return;
    case BuiltIn::local_invocation_index: {
      static constexpr const AluOp* imul = alu_row("imul");
      static constexpr const AluOp* iadd = alu_row("iadd");
      const Value local = id(midgard::selector_local_id, 3);
      const auto& size = program_.local_size;
      const Value z = alu(imul, 1, of(local, {2, 2, 2, 2}), constant(size[1]));
      const Value rows = alu(iadd, 1, of(z), of(local, {1, 1, 1, 1}));
      const Value before = alu(imul, 1, of(rows), constant(size[0]));
      values_[each.result] = alu(iadd, 1, of(before), of(local, {0, 0, 0, 0}));
      return;
    }
    default:  // a dispatch has no other
      cannot("the input " + variable.name + " is not supported on Midgard", line_, "please report it with the shader");
  }
}

namespace {

/// Of a displacement, what the field of an access has no room for: whole kilobytes, so that the next words have room.
std::uint32_t beyond_reach(std::uint32_t byte, const Field& field) {
  constexpr std::uint32_t step = 1024, longest_access = 16;
  const std::uint32_t reach = 1U << (field.width - 1);
  return byte + longest_access < reach ? 0 : byte / step * step;
}

}  // namespace

/// An index that counts elements: shifted by the access where their size is a power of two, otherwise multiplied
/// before. With `excess`, bytes that the displacement has no room for, it counts bytes; then there need be no index.
Source Selector::scaled_index(std::uint64_t& fields, std::optional<ssa::Value> index, std::uint32_t stride,
                              std::uint32_t excess) {
  if (excess == 0 && std::has_single_bit(stride)) {
    set(fields, midgard::ls::shift, static_cast<unsigned>(std::countr_zero(stride)));
    return from_component(in_home(*index, Home::load_store, 1));
  }
  static constexpr const AluOp *imul = alu_row("imul"), *iadd = alu_row("iadd");
  const Value bytes = code_.add({1, Home::load_store});
  if (!index)
    move(bytes, 1, constant(excess));
  else if (excess == 0)
    alu_into(bytes, 1, imul, source(*index, false), constant(stride));
  else
    alu_into(bytes, 1, iadd, of(alu(imul, 1, source(*index, false), constant(stride))), constant(excess));
  return from_component(bytes);
}

/// Words of a uniform buffer, in registers if there is room and no index.
void Selector::load_uniform_words(const ssa::Instruction& each, std::uint32_t buffer, std::uint32_t byte,
                                  std::optional<ssa::Value> index, std::uint32_t stride) {
  const unsigned components = each.type.components;
  if (!index)
    if (const auto pushed = uniforms_.find({buffer, byte}, components)) {
      pushed_[each.result] = *pushed;
      return;
    }
  static constexpr const LsOp* sizes[] = {memory_row("ld_ubo_32"), memory_row("ld_ubo_64"), memory_row("ld_ubo_128")};
  Instruction loads;
  loads.kind = Instruction::Kind::load_store;
  loads.fields = 0;
  set(loads.fields, midgard::ls::ubo_immediate, buffer);
  set(loads.fields, midgard::ls::index, midgard::selector_zero);
  const std::uint32_t excess = beyond_reach(byte, midgard::ls::ubo_offset);
  byte -= excess;
  if (index || excess != 0) loads.sources[2] = scaled_index(loads.fields, index, stride, excess);
  const bool by_words =
      product_.unaligned_access_fails && components > 1 && (byte % 16 != 0 || (index && stride % 16 != 0));
  loads.result = values_[each.result] = code_.add({.components = static_cast<std::uint8_t>(components)});
  if (by_words) {
    for (unsigned i = 0; i < components; ++i) {
      Instruction one = loads;
      one.memory = sizes[0];
      one.from.fill(0);
      set(one.fields, midgard::ls::ubo_offset, byte + 4 * i);
      one.mask = static_cast<std::uint8_t>(1U << i);
      emit(one);
    }
    return;
  }
  loads.memory = sizes[std::min(components - 1, 2U)];
  set(loads.fields, midgard::ls::ubo_offset, byte);
  loads.mask = static_cast<std::uint8_t>((1U << components) - 1);
  emit(loads);
}

Source Selector::system_value(SystemValueType kind, std::uint32_t id, unsigned first, unsigned words) {
  BufferWord at = layout_.system_value(kind, id);
  at.byte += 4 * first;
  const auto pushed = uniforms_.find(at, words);
  if (pushed) return *pushed;
  static constexpr const LsOp* load = memory_row("ld_ubo_128");
  Instruction loads;
  loads.kind = Instruction::Kind::load_store;
  loads.memory = load;
  set(loads.fields, midgard::ls::ubo_immediate, at.buffer);
  set(loads.fields, midgard::ls::index, midgard::selector_zero);
  set(loads.fields, midgard::ls::ubo_offset, at.byte - 4 * first);
  loads.result = code_.add({.components = 4});
  loads.mask = 15;
  emit(loads);
  return from_component(loads.result, first);
}

void Selector::read_block(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  const auto index = each.operands.empty() ? std::optional<ssa::Value>() : each.operands[0];
  if (variable.storage == ssa::Storage::uniform_block)
    return load_uniform_words(each, layout_.numbers[each.variable], each.data[0], index, 1);
  values_[each.result] = memory_value(address_of(each, index, each.data[0], 1), each.type.components);
}

// ------------------------------------------------------------------------------------------------ memory

Selector::Address Selector::address_of(const ssa::Instruction& each, std::optional<ssa::Value> index,
                                       std::uint32_t byte, std::uint32_t stride) {
  const ssa::Variable& variable = program_.variables[each.variable];
  Address address;
  const std::uint32_t excess = beyond_reach(byte, midgard::ls::offset);
  address.byte = byte - excess;
  address.fields = no_registers();
  set(address.fields, midgard::ls::toggle, 1);
  const bool is_buffer = variable.storage == ssa::Storage::storage_block;
  if (is_buffer) {
    const Value pointer = code_.add({2, Home::load_store, Placement::even});
    move(pointer, 3, system_value(SystemValueType::storage_buffer, layout_.numbers[each.variable], 0, 2));
    address.base = from_component(pointer);
  } else {
    constexpr unsigned group_memory = 2;  // component of the selector; the thread's own is 0
    set(address.fields, midgard::ls::arg, midgard::selector_local_storage);
    set(address.fields, midgard::ls::arg_component, variable.storage == ssa::Storage::shared ? group_memory : 0);
  }
  if (variable.storage == ssa::Storage::local) address.slot = first_slot_of_variables + each.variable;
  if (!index && excess == 0) return address;
  set(address.fields, midgard::ls::index_format, is_buffer ? index_unsigned : index_signed);
  address.index = scaled_index(address.fields, index, stride, excess);
  return address;
}

Instruction Selector::access(const LsOp* op, const Address& address) {
  Instruction each;
  each.kind = Instruction::Kind::load_store;
  each.memory = op;
  each.fields = address.fields;
  set(each.fields, midgard::ls::offset, address.byte);
  each.sources[1] = address.base;
  each.sources[2] = address.index;
  each.argument_is_pair = address.base.is_value();
  each.orders = true;
  each.slot = address.slot;
  return each;
}

Value Selector::memory_value(const Address& address, unsigned components) {
  static constexpr const LsOp* sizes[] = {memory_row("ld_32"), memory_row("ld_64"), memory_row("ld_128")};
  Instruction each = access(sizes[std::min(components - 1, 2U)], address);
  each.result = code_.add({.components = static_cast<std::uint8_t>(components)});
  each.mask = static_cast<std::uint8_t>((1U << components) - 1);
  emit(each);
  return each.result;
}

void Selector::store_words(const Address& address, ssa::Value data) {
  static constexpr const LsOp* sizes[] = {memory_row("st_32"), memory_row("st_64"), memory_row("st_128")};
  const unsigned components = type_of(data).components;
  const Value copy = in_home(data, Home::load_store, components);
  Instruction each = access(sizes[std::min(components - 1, 2U)], address);
  each.is_store = true;
  each.sources[0] = from_component(copy);
  each.stored = components == 3 ? 7 : 15;
  emit(each);
}

void Selector::write_block(const ssa::Instruction& each) {
  const auto index = each.operands.size() < 2 ? std::optional<ssa::Value>() : each.operands[1];
  store_words(address_of(each, index, each.data[0], 1), each.operands[0]);
}

void Selector::atomic(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  const bool in_block = variable.storage == ssa::Storage::storage_block;
  const bool is_load = each.atomic == ssa::AtomicOp::load;
  const bool exchanges = each.atomic == ssa::AtomicOp::compare_exchange;
  const std::size_t values = is_load ? 0 : exchanges ? 2 : 1;
  const auto index = each.operands.size() > values ? std::optional(each.operands[values]) : std::nullopt;
  const std::uint32_t byte = in_block ? each.data[0] : layout_.bytes[each.variable][each.data[0]];
  Address address = address_of(each, index, byte, in_block ? 1 : layout_.stride[each.variable]);
  if (exchanges && (address.index.is_value() || !address.base.is_value())) {
    // an exchange has no room for an index: its address is made first
    static constexpr const LsOp* lea = memory_row("lea");
    Instruction makes = access(lea, address);
    makes.orders = false;
    address = address_made_by(makes);
  }
  atomic_at(address, each);
}

/// Of an instruction that makes a pointer.
Selector::Address Selector::address_made_by(Instruction makes) {
  makes.result = code_.add({2, Home::load_store, Placement::even});
  makes.mask = 3;
  Address address;
  address.fields = no_registers();
  set(address.fields, midgard::ls::toggle, 1);
  address.base = from_component(makes.result);
  emit(makes);
  return address;
}

void Selector::atomic_at(const Address& address, const ssa::Instruction& each) {
  static constexpr const LsOp* rows[] = {memory_row("atomic_add_32"),  memory_row("atomic_imin_32"),
                                         memory_row("atomic_umin_32"), memory_row("atomic_imax_32"),
                                         memory_row("atomic_umax_32"), memory_row("atomic_and_32"),
                                         memory_row("atomic_or_32"),   memory_row("atomic_xor_32"),
                                         memory_row("atomic_xchg_32"), memory_row("atomic_cmpxchg_32")};
  if (each.atomic == ssa::AtomicOp::load) {
    values_[each.result] = memory_value(address, 1);
    return;
  }
  if (each.atomic == ssa::AtomicOp::store) return store_words(address, each.operands[0]);
  Instruction does = access(rows[static_cast<std::size_t>(each.atomic)], address);
  does.is_store = true;
  does.sources[0] = from_component(in_home(each.operands[0], Home::load_store, 1));
  if (each.atomic == ssa::AtomicOp::compare_exchange)
    does.sources[2] = from_component(in_home(each.operands[1], Home::load_store, 1));
  if (each.result != ssa::none) {
    does.result = values_[each.result] = code_.add({.components = 1});
    does.mask = 1;
  }
  emit(does);
}

// ------------------------------------------------------------------------------------------------ stores

void Selector::store(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  const auto index = each.operands.size() < 2 ? std::optional<ssa::Value>() : each.operands[1];
  const bool in_memory = variable.storage == ssa::Storage::shared ||
                         (variable.storage == ssa::Storage::local && !layout_.bytes[each.variable].empty());
  if (in_memory)
    return store_words(
        address_of(each, index, layout_.bytes[each.variable][each.data[0]], layout_.stride[each.variable]),
        each.operands[0]);
  const ssa::Type& type = type_of(each.operands[0]);
  std::array<Part, 4> parts;
  for (unsigned i = 0; i < type.components; ++i) parts[i] = part_of(each.operands[0], i, type.base == ssa::Base::real);
  const Value data = code_.add({.components = type.components});
  const Precision precision(relaxed_, is_relaxed(each.operands[0]));
  build(data, std::span(parts.data(), type.components));
  const Value kept = kept_[each.variable][each.data[0]];
  if (kept == no_value) return write_varying(data, layout_.numbers[each.variable] + each.data[0], type);
  move(kept, static_cast<std::uint8_t>((1U << type.components) - 1), of(data));
}

void Selector::write_varying(Value data, std::uint32_t number, const ssa::Type& type) {
  static constexpr const LsOp* rows[] = {memory_row("st_vary_32"), memory_row("st_vary_32u")};
  Instruction each;
  each.kind = Instruction::Kind::load_store;
  each.memory = rows[type.base == ssa::Base::real ? 0 : 1];
  each.fields = table_entry(number, true);
  set(each.fields, midgard::ls::auto32, product_.auto32 ? 1 : 0);
  each.is_store = true;
  each.stored = 15;
  const Value copy = code_.add({type.components, Home::load_store});
  move(copy, static_cast<std::uint8_t>((1U << type.components) - 1), of(data));
  each.sources[0] = from_component(copy);
  for (unsigned i = 0; i < 4; ++i)
    each.sources[0].component[i] = static_cast<std::uint8_t>(std::min(i, type.components - 1U));
  emit(each);
}

}  // namespace mobula::midgard_compiler
