// Samples: the data are registers in a row (docs/decisions/0019).
#include "compile/cannot_do.h"
#include "machines/rogue/compile/selector.h"

namespace mobula::rogue_compiler {

using Access = ssa::TextureAccess;

namespace {

void refuse(const Access& access, std::uint32_t line) {
  const auto no = [&](const char* what) {
    compile::cannot(std::string(what) + " is not compiled for Rogue yet", line, "sample with another function of GLSL");
  };
  if (access.kind == Access::Kind::gather) no("textureGather");
  if (access.kind == Access::Kind::size) no("textureSize");
  if (access.kind == Access::Kind::levels) no("the number of levels of a texture");
  if (access.kind == Access::Kind::lod) no("the level of detail that a texture would be read at");
  if (access.shape == Access::Shape::cube) no("a cube map");
  if (access.shape == Access::Shape::rectangle) no("a texture whose coordinates are texels");
  if (access.shape == Access::Shape::buffer) no("a texture in a buffer");
  if (access.shadow) no("a texture that compares");
  if (access.multisample) no("a texture of several samples");
  if (access.sampler != access.texture) no("a sampler apart from its texture");
  if (access.index >= 0) no("a texture whose number is known at run time only");
  if (access.offset >= 0) no("a sample with an offset");
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
  if (access.layered)
    data.push_back(fetches ? at(place, dimensions) : make(rows::pack, Operation::pck_u32, {at(place, dimensions)}));
  // Only fragments have neighbours whose differences choose a level.
  const bool has_differences = access.level == Access::Level::gradients || program_.stage == Stage::fragment;
  const bool has_level = access.lod >= 0 || (!fetches && !has_differences);
  if (has_level) data.push_back(access.lod >= 0 ? real(operand(access.lod, 0)) : immediate(0));
  if (!fetches && access.level == Access::Level::gradients)
    for (unsigned i = 0; i < dimensions; ++i) {
      data.push_back(operand(access.ddx, i));
      data.push_back(operand(access.ddy, i));
    }
  const Operand row = in_a_row(data);
  const Operand result = code_.add(each.type.components);
  const Operand state = machine(Operand::Kind::shared, layout_.first[access.texture][access.slot]);
  emit(rows::sample, Operation::smp, {state, row}, {result}, each.type.components).sample = {
      .dimensions = static_cast<std::uint8_t>(dimensions),
      .level = level_of(access, has_level),
      .is_real = each.type.base == ssa::Base::real,
      .fetches = fetches,
      .layered = access.layered};
  emit(rows::wait, Operation::none, {}, {});
  for (std::uint32_t i = 0; i < each.type.components; ++i) values_[each.result][i] = word(result.number + i);
}

}  // namespace mobula::rogue_compiler
