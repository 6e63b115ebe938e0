// Storage images: texels by whole coordinates, which the texture unit reads and writes.
#include "machines/rogue/compile/selector.h"

namespace mobula::rogue_compiler {

using Access = ssa::TextureAccess;

namespace {

Sample sample_of(const Access& access, std::uint8_t dimensions, bool is_real) {
  return {.dimensions = dimensions,
          .is_real = is_real,
          .in_texels = true,
          .layered = access.layered || access.shape == Access::Shape::cube};
}

}  // namespace

void Selector::load_texel(const ssa::Instruction& each, const Access& access) {
  std::vector<Operand> data;
  const std::uint8_t dimensions = place_of_sample(each, access, data);
  const Operand row = in_a_row(data), result = code_.add(each.type.components);
  const Operand state = machine(Operand::Kind::shared, layout_.first[access.texture][access.slot]);
  emit(rows::sample, Operation::smp, {state, row}, {result}, each.type.components).sample =
      sample_of(access, dimensions, each.type.base == ssa::Base::real);
  emit(rows::wait, Operation::none, {}, {});
  for (std::uint32_t i = 0; i < each.type.components; ++i) values_[each.result][i] = word(result.number + i);
}

/// Of several images, those store whose number it is.
void Selector::store_texel(const ssa::Instruction& each) {
  const Access& access = program_.accesses[each.data[0]];
  std::vector<Operand> data;
  const std::uint8_t dimensions = place_of_sample(each, access, data);
  const ssa::Type& type = type_of(each.operands[0]);
  for (unsigned i = 0; i < type.components; ++i) data.push_back(at(each.operands[0], i));
  const Operand row = in_a_row(data);
  const bool is_one = access.index < 0;
  const auto slots = static_cast<std::uint32_t>(program_.variables[access.texture].slots.size());
  for (std::uint32_t slot = access.slot; slot < (is_one ? access.slot + 1 : slots); ++slot) {
    if (!is_one) {
      const Operand& index = at(each.operands[static_cast<std::size_t>(access.index)], 0);
      const Operand other = make(rows::logical, Operation::xor_, {index, immediate(slot - access.slot)});
      emit(rows::test, Operation::none, {other}, {});
    }
    const Operand state = machine(Operand::Kind::shared, layout_.first[access.texture][slot]);
    Instruction& store = emit(rows::write_texel, Operation::smp, {state, row, word(row.number)}, {}, type.components);
    store.sample = sample_of(access, dimensions, type.base == ssa::Base::real);
    store.sample.writes = true;
    store.condition = is_one ? Condition::always : Condition::if_p0;
    emit(rows::wait, Operation::none, {}, {});
  }
}

}  // namespace mobula::rogue_compiler
