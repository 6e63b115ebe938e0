// Textures, differences in a quad, barriers.
#include <algorithm>
#include <bit>
#include <utility>

#include "machines/midgard/compile/selector.h"

namespace mobula::midgard_compiler {
namespace {

using Access = ssa::TextureAccess;
using midgard::TexMeaning;

constexpr unsigned helpers_stay = 3;  ///< threads that only fill a quad go on after the word
constexpr unsigned normal_mode = 1, shadow_mode = 5, gather_shadow_mode = 6, gather_x_mode = 8;

unsigned format_of(Access::Shape shape) {
  constexpr unsigned cube = 0, one = 1, two = 2, three = 3;
  switch (shape) {
    case Access::Shape::cube:
      return cube;
    case Access::Shape::d1:
    case Access::Shape::buffer:
      return one;
    case Access::Shape::d2:
    case Access::Shape::rectangle:
      return two;
    case Access::Shape::d3:
      return three;
  }
  return two;
}

unsigned mode_of(const Access& access) {
  if (access.kind != Access::Kind::gather) return access.shadow ? shadow_mode : normal_mode;
  return access.shadow ? gather_shadow_mode : gather_x_mode + access.component;
}

/// An 8.8 number of a level, if the field has it exactly.
std::optional<int> fixed_level(float level) {
  const float scaled = level * 256;
  if (!(level >= -128 && level < 128) || scaled != static_cast<float>(static_cast<int>(scaled))) return {};
  return static_cast<int>(scaled);
}

}  // namespace

struct Selector::TextureWork {
  const ssa::Instruction& each;
  const Access& access;
  Instruction does{};
  TexMeaning meaning = TexMeaning::sample;
  std::uint32_t number = 0;  ///< of the texture, without an index
  unsigned dimensions = 0;   ///< components of the coordinates that are places

  [[nodiscard]] ssa::Value operand(std::int8_t which) const { return each.operands[static_cast<std::size_t>(which)]; }
  void put(const Field& field, std::uint64_t value) { set(does.texture, field, value); }
};

void Selector::refuse_texture(const Access& access) const {
  const auto no = [&](const std::string& what) {
    cannot(what + " is not supported on Midgard", line_, "sample with another function of GLSL");
  };
  if (access.kind == Access::Kind::levels) no("the number of levels of a texture");
  if (access.kind == Access::Kind::lod) no("the level of detail that a texture would be read at");
}

void Selector::texture(const ssa::Instruction& each) {
  const Access& access = program_.accesses[each.data[0]];
  refuse_texture(access);
  if (access.kind == Access::Kind::size) return texture_size(each, access);
  TextureWork work{each, access};
  work.does.kind = Instruction::Kind::texture;
  work.put(midgard::tex::mode, mode_of(access));
  work.put(midgard::tex::exec, helpers_stay);
  work.put(midgard::tex::format_, format_of(access.shape));
  work.dimensions = type_of(work.operand(access.coordinate)).components - (access.layered ? 1U : 0U);
  set_texture(work);
  set_coordinates(work);
  set_level(work);
  set_offset(work);
  work.put(midgard::tex::op, midgard::opcode_of(work.meaning));
  const bool in_quads = program_.stage == Stage::fragment && work.meaning == TexMeaning::sample;
  work.put(midgard::tex::tag, in_quads ? midgard::tag_texture : midgard::tag_texture_vertex);
  const bool is_real = each.type.base == ssa::Base::real;
  constexpr unsigned float_sampler = 1, unsigned_sampler = 2, signed_sampler = 3;
  const bool is_signed = program_.variables[access.texture].slots[access.slot].is_signed;
  work.put(midgard::tex::sampler_type, is_real ? float_sampler : is_signed ? signed_sampler : unsigned_sampler);
  work.does.result = code_.add({.components = each.type.components, .home = Home::texture_out});
  work.does.mask = static_cast<std::uint8_t>((1U << each.type.components) - 1);
  values_[each.result] = work.does.result;
  const Precision precision(relaxed_, is_relaxed(each.result));
  emit(work.does);
}

void Selector::set_texture(TextureWork& work) {
  const Access& access = work.access;
  work.number = layout_.numbers[access.texture] + access.slot;
  work.does.samples = access.kind != Access::Kind::fetch;
  std::uint32_t sampler = work.number;
  if (access.sampler != access.texture && program_.variables[access.sampler].storage == ssa::Storage::texture)
    sampler = layout_.numbers[access.sampler];
  std::uint32_t index = 0;
  if (access.index >= 0) {
    const auto constant_index = known(work.operand(access.index));
    index = constant_index.value_or(0);
    if (!constant_index) {
      static constexpr const AluOp* iadd = alu_row("iadd");
      const Value number = code_.add({1, Home::texture_in});
      alu_into(number, 1, iadd, source(work.operand(access.index), false), constant(work.number));
      work.does.sources[3] = from_component(number);
    }
  }
  work.number += index;
  work.put(midgard::tex::texture, work.number);
  work.put(midgard::tex::sampler, work.does.samples ? sampler + index : 0);
}

/// The layer is in w, what is compared with, or the number of the sample, in z; a cube's direction is two words in x
/// and y.
void Selector::set_coordinates(TextureWork& work) {
  const Access& access = work.access;
  const ssa::Value where = work.operand(access.coordinate);
  const bool is_cube = access.shape == Access::Shape::cube;
  const bool is_fetch = access.kind == Access::Kind::fetch;
  std::array<std::optional<Part>, 4> parts;
  for (unsigned i = 0; i < work.dimensions && !is_cube; ++i) parts[i] = part_of(where, i, !is_fetch);
  if (access.layered) parts[3] = part_of(where, work.dimensions, !is_fetch);
  if (access.shadow) parts[2] = part_of(work.operand(access.reference), 0, true);
  if (access.sample >= 0) parts[2] = part_of(work.operand(access.sample), 0, false);
  if (is_fetch)  // all components are read
    for (auto& part : parts)
      if (!part) part = Part{.kind = Source::Kind::constant};
  unsigned count = is_cube ? 2 : 0;
  for (unsigned i = 0; i < 4; ++i)
    if (parts[i]) count = std::max(count, i + 1);
  const Value coordinates = code_.add({static_cast<std::uint8_t>(count), Home::texture_in});
  if (is_cube) {
    static constexpr const LsOp* cube = memory_row("ld_cubemap_coords");
    Instruction makes;
    makes.kind = Instruction::Kind::load_store;
    makes.memory = cube;
    set(makes.fields, midgard::ls::toggle, 1);
    makes.sources[1] = from_component(in_home(where, Home::load_store, 3, Placement::first));
    makes.whole_argument = true;
    makes.result = coordinates;
    makes.mask = 3;
    emit(makes);
  }
  for (unsigned i = 0; i < count;) {  // what lies in a row, at once
    std::array<Part, 4> row;
    unsigned length = 0;
    while (i + length < count && parts[i + length]) {
      row[length] = *parts[i + length];
      ++length;
    }
    if (length != 0) build(coordinates, std::span(row.data(), length), i);
    i += std::max(length, 1U);
  }
  work.does.sources[0] = from_component(coordinates);
  for (unsigned i = 0; i < 4; ++i) {
    const bool there = parts[i].has_value() || (is_cube && i < 2);
    work.does.sources[0].component[i] = static_cast<std::uint8_t>(there ? i : 0);
  }
}

void Selector::set_level(TextureWork& work) {
  const Access& access = work.access;
  if (access.kind == Access::Kind::fetch) {
    work.meaning = TexMeaning::fetch;
    if (access.lod < 0) return;
    const auto level = known(work.operand(access.lod));
    constexpr std::uint32_t immediate_levels = 256;
    if (level && *level < immediate_levels)
      work.put(midgard::tex::lod_fraction, *level);
    else
      work.does.sources[1] = from_component(in_home(work.operand(access.lod), Home::texture_in, 1));
    return;
  }
  const bool without_quads = program_.stage != Stage::fragment && access.level == Access::Level::implicit;
  if (access.level == Access::Level::bias) return set_level(work, source(work.operand(access.lod), true));
  if (access.kind != Access::Kind::gather && !without_quads && access.level == Access::Level::implicit) return;
  work.meaning = TexMeaning::gradient;
  Source level = constant(0.0F);
  if (access.level == Access::Level::given) level = source(work.operand(access.lod), true);
  set_level(work, product_.broken_lod ? allowed_level(work, level) : level);
}

void Selector::set_level(TextureWork& work, Source level) {
  if (level.kind == Source::Kind::constant)
    if (const auto fixed = fixed_level(std::bit_cast<float>(level.bits[0]))) {
      work.put(midgard::tex::lod_fraction, static_cast<unsigned>(*fixed) & 255U);
      work.put(midgard::tex::lod_integer, static_cast<unsigned>(*fixed >> 8) & 255U);
      return;
    }
  const Value copy = code_.add({1, Home::texture_in});
  move(copy, 1, level);
  work.does.sources[1] = from_component(copy);
}

/// Products of erratum 10471 do not apply the sampler's bias and limits to a level that is given.
Source Selector::allowed_level(const TextureWork& work, Source level) {
  static constexpr const AluOp* fadd = alu_row("fadd");
  static constexpr const AluOp* fmax = alu_row("fmax");
  static constexpr const AluOp* fmin = alu_row("fmin");
  const auto sampler = static_cast<std::uint32_t>(get(work.does.texture, midgard::tex::sampler));
  const Source limits = system_value(SystemValueType::sampler_lod, sampler, 0, 3);
  const auto limit = [&](unsigned which) {
    Source one = limits;
    one.component.fill(limits.component[which]);
    return one;
  };
  level.component.fill(level.component[0]);
  level.bits.fill(level.bits[0]);
  const Value biased = alu(fadd, 1, limit(2), level);
  const Value least = alu(fmax, 1, of(biased), limit(0));
  return of(alu(fmin, 1, of(least), limit(1)));
}

void Selector::set_offset(TextureWork& work) {
  if (work.access.offset < 0) return;
  const ssa::Value offset = work.operand(work.access.offset);
  const unsigned components = type_of(offset).components;
  const std::int32_t least = work.access.kind == Access::Kind::fetch ? -8 : 0;
  constexpr const Field* axes[] = {&midgard::texoffset::x, &midgard::texoffset::y, &midgard::texoffset::z};
  std::uint64_t immediate = 0;
  for (unsigned i = 0; i < components; ++i) {
    const auto value = known(offset, i);
    const auto number = static_cast<std::int32_t>(value.value_or(0));
    if (!value || number < least || number > 7) {
      work.does.sources[2] = from_component(in_home(offset, Home::texture_in, components));
      return;
    }
    set(immediate, *axes[i], static_cast<std::uint32_t>(number) & 15U);
  }
  work.put(midgard::tex::offset, immediate);
}

/// Of level 0 of a texture or an image whose number is known (prepare_textures).
void Selector::texture_size(const ssa::Instruction& each, const Access& access) {
  const unsigned components = each.type.components;
  const std::uint32_t dimensions = components - (access.layered ? 1U : 0U);
  const std::uint32_t number = layout_.numbers[access.texture] + access.slot;
  std::uint32_t id = number | dimensions << 7U | (access.layered ? 1U << 9U : 0);
  const bool is_image = program_.variables[access.texture].storage == ssa::Storage::image;
  if (is_image && access.layered && access.shape == Access::Shape::cube) id |= 1U << 10U;
  values_[each.result] = code_.add({.components = static_cast<std::uint8_t>(components)});
  move(values_[each.result], static_cast<std::uint8_t>((1U << components) - 1),
       system_value(is_image ? SystemValueType::image_size : SystemValueType::texture_size, id, 0, components));
}

void Selector::difference(const ssa::Instruction& each, unsigned axis) {
  const Precision precision(relaxed_, false);  // texture words make 32 bits
  const Value result = code_.add({.components = each.type.components});
  constexpr unsigned at_once = 2, two_dimensions = 2, float_sampler = 1;
  for (unsigned first = 0; first < each.type.components; first += at_once) {
    const unsigned count = std::min(each.type.components - first, at_once);
    std::array<Part, 4> parts;
    for (unsigned i = 0; i < count; ++i) parts[i] = part_of(each.operands[0], first + i, true);
    const Value from = code_.add({static_cast<std::uint8_t>(count), Home::texture_in});
    build(from, std::span(parts.data(), count));
    Instruction does;
    does.kind = Instruction::Kind::texture;
    set(does.texture, midgard::tex::op, midgard::opcode_of(TexMeaning::derivative));
    set(does.texture, midgard::tex::mode, axis);
    set(does.texture, midgard::tex::exec, helpers_stay);
    set(does.texture, midgard::tex::format_, two_dimensions);
    set(does.texture, midgard::tex::sampler_type, float_sampler);
    set(does.texture, midgard::tex::tag, midgard::tag_texture);
    does.sources[0] = from_component(from);
    for (unsigned i = 0; i < 4; ++i) does.sources[0].component[i] = static_cast<std::uint8_t>(std::min(i, count - 1));
    does.result = code_.add({static_cast<std::uint8_t>(count), Home::texture_out});
    does.mask = static_cast<std::uint8_t>((1U << count) - 1);
    emit(does);
    Source out = of(does.result);
    for (unsigned i = 0; i < count; ++i) out.component[first + i] = static_cast<std::uint8_t>(i);
    move(result, static_cast<std::uint8_t>(((1U << count) - 1) << first), out);
  }
  values_[each.result] = result;
}

void Selector::barrier() {
  Instruction does;
  does.kind = Instruction::Kind::texture;
  does.is_barrier = true;
  set(does.texture, midgard::tex::op, midgard::opcode_of(TexMeaning::barrier));
  set(does.texture, midgard::tex::exec, helpers_stay);
  set(does.texture, midgard::tex::tag, midgard::tag_barrier);
  emit(does);
}

}  // namespace mobula::midgard_compiler
