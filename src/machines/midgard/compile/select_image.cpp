// Storage images: texels by whole coordinates.
#include "machines/midgard/compile/selector.h"

namespace mobula::midgard_compiler {
namespace {

constexpr unsigned half_bits = 16;
constexpr std::uint32_t beyond_all = 0xFFFF;  ///< no image is so large

/// By what the texels are: floats, unsigned and signed integers.
const LsOp* row_for(const ssa::Slot& slot, const std::array<const LsOp*, 3>& rows) {
  return rows[slot.type.base == ssa::Base::real ? 0 : slot.is_signed ? 2 : 1];
}

}  // namespace

/// Coordinates are halves: x and y in one word, z in the next. What is outside of an image stays outside.
void Selector::set_texel(Instruction& does, const ssa::Instruction& each, const ssa::TextureAccess& access) {
  static constexpr const AluOp* umin = alu_row("umin");
  static constexpr const AluOp* ishl = alu_row("ishl");
  static constexpr const AluOp* ior = alu_row("ior");
  const ssa::Value where = each.operands[static_cast<std::size_t>(access.coordinate)];
  const unsigned count = type_of(where).components;
  const bool has_z = count > 2;
  const Value halves = alu(umin, count, source(where, false), constant(beyond_all));
  const Value packed = code_.add(
      {static_cast<std::uint8_t>(has_z ? 2 : 1), Home::load_store, has_z ? Placement::even : Placement::anywhere});
  if (count == 1) {
    move(packed, 1, of(halves));
  } else {
    const Value high = alu(ishl, 1, of(halves, {1, 1, 1, 1}), constant(half_bits));
    alu_into(packed, 1, ior, of(halves, {0, 0, 0, 0}), of(high, {0, 0, 0, 0}));
  }
  if (has_z) {
    move(packed, 2, of(halves, {2, 2, 2, 2}));
    set(does.fields, midgard::ls::toggle, 1);
    does.argument_is_pair = true;
  }
  does.sources[1] = from_component(packed);
}

Instruction Selector::texel_access(const ssa::Instruction& each, const LsOp* op) {
  const ssa::TextureAccess& access = program_.accesses[each.data[0]];
  Instruction does;
  does.kind = Instruction::Kind::load_store;
  does.memory = op;
  does.orders = true;
  std::uint32_t number = layout_.numbers[access.texture] + access.slot;
  if (access.index >= 0) {
    const ssa::Value index = each.operands[static_cast<std::size_t>(access.index)];
    if (const auto constant_index = known(index))
      number += *constant_index;
    else
      does.sources[2] = from_component(in_home(index, Home::load_store, 1));
  }
  does.fields = table_entry(number, false);
  set_texel(does, each, access);
  return does;
}

void Selector::load_texel(const ssa::Instruction& each) {
  static constexpr std::array rows{memory_row("ld_image_32f"), memory_row("ld_image_32u"), memory_row("ld_image_32i")};
  const ssa::TextureAccess& access = program_.accesses[each.data[0]];
  Instruction does = texel_access(each, row_for(program_.variables[access.texture].slots.front(), rows));
  does.result = values_[each.result] = code_.add({.components = each.type.components});
  does.mask = static_cast<std::uint8_t>((1U << each.type.components) - 1);
  emit(does);
}

void Selector::store_texel(const ssa::Instruction& each) {
  static constexpr std::array rows{memory_row("st_image_32f"), memory_row("st_image_32u"), memory_row("st_image_32i")};
  const ssa::TextureAccess& access = program_.accesses[each.data[0]];
  Instruction does = texel_access(each, row_for(program_.variables[access.texture].slots.front(), rows));
  does.is_store = true;
  does.stored = 15;
  does.sources[0] = from_component(in_home(each.operands[0], Home::load_store, type_of(each.operands[0]).components));
  emit(does);
}

/// At the texel's address, which some products cannot make.
void Selector::atomic_of_texel(const ssa::Instruction& each) {
  static constexpr const LsOp* lea_image = memory_row("lea_image");
  if (!product_.lea_image)
    cannot("an atomic operation on an image is not supported on " + std::string(product_.marketing), line_,
           "keep the numbers in a buffer");
  Instruction makes = texel_access(each, lea_image);
  makes.orders = false;
  atomic_at(address_made_by(makes), each);
}

}  // namespace mobula::midgard_compiler
