// Samples: the data are registers in a row (docs/decisions/0019).
#include <array>
#include <bit>

#include "compile/cannot_do.h"
#include "machines/rogue/compile/selector.h"

namespace mobula::rogue_compiler {

using Access = ssa::TextureAccess;

namespace {

void refuse(const Access& access, std::uint32_t line) {
  const auto no = [&](const char* what, const char* why, const char* hint) {
    compile::cannot(std::string(what) + " is not compiled for Rogue: " + why, line, hint);
  };
  constexpr const char* unpublished = "how the machine is asked for it is not published";
  constexpr const char* other = "sample with another function of GLSL";
  if (access.kind == Access::Kind::levels) no("the number of levels of a texture", unpublished, "pass it as a uniform");
  if (access.kind == Access::Kind::lod) no("the level of detail that a texture would be read at", unpublished, other);
  if (access.kind != Access::Kind::size) {
    if (access.shape == Access::Shape::cube)
      no("a cube map", "how its coordinates are given is not published", "use an array of six layers");
    if (access.shadow)
      no("a texture that compares", "where the reference goes is not published", "sample the depth and compare it");
  }
  if (access.shape == Access::Shape::rectangle)
    no("a texture whose coordinates are texels", "the machine filters at coordinates from 0 to 1 only", other);
  if (access.shape == Access::Shape::buffer) no("a texture in a buffer", unpublished, "use a storage block");
  if (access.multisample) no("a texture of several samples", "where a sample's number goes is not published", other);
  if (access.sampler != access.texture)
    no("a sampler apart from its texture", "the interface has one number for both", "use a combined one");
}

Sample::Level level_of(const Access& access, bool has_level) {
  const bool fetches = access.kind == Access::Kind::fetch;
  if (has_level) return !fetches && access.level == Access::Level::bias ? Sample::Level::bias : Sample::Level::given;
  return !fetches && access.level == Access::Level::gradients ? Sample::Level::gradients : Sample::Level::implicit;
}

}  // namespace

/// Registers in a row with these values: those that have them, if they are in a row.
Operand Selector::in_a_row(const std::vector<Operand>& values) {
  const Operand first = values.front();
  bool are_there = true;
  for (std::uint32_t i = 0; i < values.size(); ++i)
    are_there = are_there && values[i] == word(first.number + i) &&
                code_.first_of_row[first.number + i] == code_.first_of_row[first.number];
  if (are_there) return word(first.number, static_cast<std::uint8_t>(values.size()));
  const Operand row = code_.add(static_cast<std::uint8_t>(values.size()));
  for (std::uint32_t i = 0; i < values.size(); ++i) move(values[i], word(row.number + i));
  return row;
}

void Selector::texture(const ssa::Instruction& each) {
  const Access& access = program_.accesses[each.data[0]];
  refuse(access, line_);
  const auto read = [&](const Access& one) {
    if (access.kind == Access::Kind::size)
      texture_size(each, one);
    else
      sample(each, one);
  };
  if (access.index < 0) return read(access);
  // The registers of a texture's state are part of the instruction: each texture is read, and one is taken.
  const Operand index = at(each.operands[static_cast<std::size_t>(access.index)], 0);
  const auto slots = static_cast<std::uint32_t>(program_.variables[access.texture].slots.size());
  std::array<std::vector<Operand>, 4> all;
  for (std::uint32_t slot = access.slot; slot < slots; ++slot) {
    Access one = access;
    one.slot = slot;
    read(one);
    for (unsigned i = 0; i < each.type.components; ++i) all[i].push_back(at(each.result, i));
  }
  for (unsigned i = 0; i < each.type.components; ++i) values_[each.result][i] = chosen(index, all[i]);
}

/// The size of level 0 is given; halves of it, rounded down, are those of the others, and at least 1.
void Selector::texture_size(const ssa::Instruction& each, const Access& access) {
  const std::uint32_t texture = layout_.first[access.texture][access.slot] / state_registers;
  const std::uint32_t first = layout_.system_values.at({SystemValueType::texture_size, size_id(access, texture)});
  const unsigned sides = each.type.components - (access.layered ? 1U : 0U);
  const Operand level = access.lod < 0 ? immediate(0) : at(each.operands[static_cast<std::size_t>(access.lod)], 0);
  for (unsigned i = 0; i < each.type.components; ++i) {
    Operand& made = values_[each.result][i];
    made = machine(Operand::Kind::shared, first + i);
    if (i >= sides || (is_known(level) && level.number == 0)) continue;
    made = make(rows::choose_tested, Operation::tstg_u32,
                {make(rows::shift, Operation::shr, {made, level}), immediate(1)});
  }
}

/// A word with the offsets in texels: six bits each, of the third four.
Operand Selector::offsets(ssa::Value offset) {
  constexpr std::array<std::uint32_t, 3> low{0, 6, 12}, bits{6, 6, 4};
  std::uint32_t known = 0;
  Operand made;
  for (unsigned i = 0; i < type_of(offset).components; ++i) {
    const Operand& each = at(offset, i);
    const std::uint32_t mask = (1U << bits[i]) - 1;
    if (is_known(each)) {
      known |= (each.number & mask) << low[i];
      continue;
    }
    Operand part = make(rows::logical, Operation::and_, {each, immediate(mask)});
    if (low[i] != 0) part = make(rows::shift, Operation::lsl, {part, immediate(low[i])});
    made = made.kind == Operand::Kind::none ? part : make(rows::logical, Operation::or_, {made, part});
  }
  if (made.kind == Operand::Kind::none) return immediate(known);
  return known == 0 ? made : make(rows::logical, Operation::or_, {made, immediate(known)});
}

/// GLSL rounds halves up.
Operand Selector::layer(const Operand& number) {
  const Operand more = make(rows::add, Operation::fadd, {number, immediate(std::bit_cast<std::uint32_t>(0.5F))});
  return make(rows::pack, Operation::pck_u32_toward_zero, {more});
}

void Selector::sample(const ssa::Instruction& each, const Access& access) {
  const auto operand = [&](std::int8_t which, unsigned i) {
    return at(each.operands[static_cast<std::size_t>(which)], i);
  };
  const bool fetches = access.kind == Access::Kind::fetch;
  const auto place = each.operands[static_cast<std::size_t>(access.coordinate)];
  const unsigned dimensions = type_of(place).components - (access.layered ? 1U : 0U);
  std::vector<Operand> data;
  const auto real = [&](const Operand& number) {
    return fetches ? make(rows::unpack, Operation::unpck_s32, {number}) : number;
  };
  for (unsigned i = 0; i < dimensions; ++i) data.push_back(real(at(place, i)));
  if (access.layered) data.push_back(fetches ? at(place, dimensions) : layer(at(place, dimensions)));
  // Only fragments have neighbours whose differences choose a level.
  const bool has_differences = access.level == Access::Level::gradients || program_.stage == Stage::fragment;
  const bool has_level = access.lod >= 0 || (!fetches && !has_differences);
  if (has_level) data.push_back(access.lod >= 0 ? real(operand(access.lod, 0)) : immediate(0));
  if (!fetches && access.level == Access::Level::gradients)
    for (unsigned i = 0; i < dimensions; ++i) {
      data.push_back(operand(access.ddx, i));
      data.push_back(operand(access.ddy, i));
    }
  if (access.offset >= 0) data.push_back(offsets(each.operands[static_cast<std::size_t>(access.offset)]));
  const Operand row = in_a_row(data);
  const Operand result = code_.add(each.type.components);
  const Operand state = machine(Operand::Kind::shared, layout_.first[access.texture][access.slot]);
  emit(rows::sample, Operation::smp, {state, row}, {result}, each.type.components).sample = {
      .dimensions = static_cast<std::uint8_t>(dimensions),
      .level = level_of(access, has_level),
      .is_real = each.type.base == ssa::Base::real,
      .fetches = fetches,
      .layered = access.layered,
      .has_offsets = access.offset >= 0};
  emit(rows::wait, Operation::none, {}, {});
  for (std::uint32_t i = 0; i < each.type.components; ++i) values_[each.result][i] = word(result.number + i);
}

}  // namespace mobula::rogue_compiler
