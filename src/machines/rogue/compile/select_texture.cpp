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
  if (access.shape == Access::Shape::rectangle)
    no("a texture whose coordinates are texels", "the machine filters at coordinates from 0 to 1 only",
       "declare a sampler2D, and divide the coordinates by its size");
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
    else if (access.kind == Access::Kind::texel)
      load_texel(each, one);
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
  const ssa::Variable& texture = program_.variables[access.texture];
  const std::uint32_t number = layout_.first[access.texture][access.slot] / state_registers;
  const std::uint32_t first = layout_.system_values.at({size_type(texture), size_id(access, texture, number)});
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

/// A word with offsets and the number of a sample; none if there is neither.
Operand Selector::options(const ssa::Instruction& each, const Access& access) {
  constexpr std::uint32_t sample_bit = 16, sample_mask = 7;
  Operand made;
  if (access.offset >= 0) made = offsets(each.operands[static_cast<std::size_t>(access.offset)]);
  if (access.sample < 0) return made;
  const Operand& number = at(each.operands[static_cast<std::size_t>(access.sample)], 0);
  const Operand placed =
      is_known(number)
          ? immediate((number.number & sample_mask) << sample_bit)
          : make(rows::shift, Operation::lsl,
                 {make(rows::logical, Operation::and_, {number, immediate(sample_mask)}), immediate(sample_bit)});
  return made.kind == Operand::Kind::none ? placed : make(rows::logical, Operation::or_, {made, placed});
}

/// The machine does not compare what it filters: that is done here, as the sampler's state would have it.
void Selector::compare(const ssa::Instruction& each, const Access& access, const std::array<Operand, 4>& texels) {
  const std::uint32_t number = layout_.first[access.texture][access.slot] / state_registers;
  const std::uint32_t first = layout_.system_values.at({SystemValueType::sampler_comparison, number});
  const auto word_of = [&](std::uint32_t i) { return machine(Operand::Kind::shared, first + i); };
  const Operand& given = at(each.operands[static_cast<std::size_t>(access.reference)], 0);
  const Operand least = make(rows::choose_tested, Operation::tstg, {given, word_of(1)});
  const Operand reference = make(rows::choose_tested, Operation::tstl, {least, word_of(2)});
  for (unsigned i = 0; i < each.type.components; ++i) {
    const Operand result = code_.add();
    move(immediate(0), result);
    emit(rows::compare_texel, Operation::none, {texels[i], reference, word_of(0)}, {});
    move(immediate(std::bit_cast<std::uint32_t>(1.0F)), result, Condition::if_p0, false);
    values_[each.result][i] = result;
  }
}

std::uint8_t Selector::place_of_sample(const ssa::Instruction& each, const Access& access, std::vector<Operand>& data) {
  const bool in_texels = access.kind == Access::Kind::fetch || access.kind == Access::Kind::texel;
  const ssa::Value place = each.operands[static_cast<std::size_t>(access.coordinate)];
  // The faces of an image of cubes are layers.
  const bool faces_are_layers = access.kind == Access::Kind::texel && access.shape == Access::Shape::cube;
  const bool layered = access.layered || faces_are_layers;
  const unsigned dimensions = type_of(place).components - (layered ? 1U : 0U);
  for (unsigned i = 0; i < dimensions; ++i)
    data.push_back(in_texels ? make(rows::unpack, Operation::unpck_s32, {at(place, i)}) : at(place, i));
  if (layered) data.push_back(in_texels ? at(place, dimensions) : layer(at(place, dimensions)));
  return static_cast<std::uint8_t>(dimensions);
}

void Selector::sample(const ssa::Instruction& each, const Access& access) {
  const auto operand = [&](std::int8_t which, unsigned i) {
    return at(each.operands[static_cast<std::size_t>(which)], i);
  };
  const bool fetches = access.kind == Access::Kind::fetch, gathers = access.kind == Access::Kind::gather;
  std::vector<Operand> data;
  const std::uint8_t dimensions = place_of_sample(each, access, data);
  // Only fragments have neighbours whose differences choose a level. A buffer and several samples have one.
  const bool has_differences = access.level == Access::Level::gradients || program_.stage == Stage::fragment;
  const bool has_level = access.lod >= 0 || gathers || (!fetches && !has_differences);
  if (has_level && access.lod >= 0)
    data.push_back(fetches ? make(rows::unpack, Operation::unpck_s32, {operand(access.lod, 0)})
                           : operand(access.lod, 0));
  else if (has_level)
    data.push_back(immediate(0));
  if (!fetches && access.level == Access::Level::gradients)
    for (unsigned i = 0; i < dimensions; ++i) {
      data.push_back(operand(access.ddx, i));
      data.push_back(operand(access.ddy, i));
    }
  if (const Operand word = options(each, access); word.kind != Operand::Kind::none) data.push_back(word);
  const Operand row = in_a_row(data);
  constexpr std::uint8_t channels = 4, texels = 4;
  const auto count = static_cast<std::uint8_t>(access.shadow ? 1 : each.type.components);
  const Operand result = code_.add(gathers ? channels * texels : count);
  const Operand state = machine(Operand::Kind::shared, layout_.first[access.texture][access.slot]);
  emit(rows::sample, Operation::smp, {state, row}, {result}, gathers ? channels : count).sample = {
      .dimensions = dimensions,
      .level = level_of(access, has_level),
      .is_real = each.type.base == ssa::Base::real,
      .in_texels = fetches,
      .layered = access.layered,
      .has_offsets = access.offset >= 0,
      .has_number = access.sample >= 0,
      .is_raw = gathers};
  emit(rows::wait, Operation::none, {}, {});
  // Raw texels begin with the one of the lowest coordinates; GLSL's with the one of lower s and higher t, against the
  // clock.
  constexpr std::array<std::uint32_t, 4> order{1, 3, 2, 0};
  std::array<Operand, 4> made{};
  const std::uint32_t component = access.shadow ? 0 : access.component;
  for (std::uint32_t i = 0; i < each.type.components; ++i)
    made[i] = word(result.number + (gathers ? channels * order[i] + component : access.shadow ? 0 : i));
  if (access.shadow) return compare(each, access, made);
  values_[each.result] = made;
}

}  // namespace mobula::rogue_compiler
