#include "machines/midgard/compile/textures.h"

#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compile/passes/blocks.h"

namespace mobula::midgard_compiler {
namespace {

using ssa::Base;
using ssa::Instruction;
using ssa::Op;
using ssa::Type;
using ssa::Value;
using Access = ssa::TextureAccess;

class Preparer {
 public:
  explicit Preparer(ssa::Program& program) : program_(program) {
    for (const ssa::Block& block : program.blocks)
      for (const Instruction& each : block.instructions)
        if (each.op == Op::constant) constants_[each.result] = each.data[0];
  }

  void run() {
    for (ssa::Block& block : program_.blocks) {
      std::vector<Instruction> instructions = std::exchange(block.instructions, {});
      made_ = &block.instructions;
      for (Instruction& each : instructions) {
        if (each.op == Op::texture) prepare(each);
        made_->push_back(std::move(each));
      }
    }
  }

 private:
  void prepare(Instruction& each) {
    model_ = each;
    const Access access = program_.accesses[each.data[0]];
    if (access.kind == Access::Kind::size && (access.lod >= 0 || access.index >= 0)) return prepare_size(each, access);
    const bool samples = access.kind == Access::Kind::sample || access.kind == Access::Kind::gather;
    if (samples && access.level == Access::Level::gradients) prepare_gradients(each, access);
  }

  // ---- sizes

  void prepare_size(Instruction& each, const Access& access) {
    const Value size = size_of(access, each.type.components);
    each.op = Op::swizzle;
    each.data = {0, 1, 2, 3};
    each.operands = {access.lod < 0 ? size : at_level(size, operand(access.lod), access.layered)};
  }
  /// Each side halved that often, and at least 1; layers stay as many.
  Value at_level(Value size, Value level, bool layered) {
    if (constant_of(level) == 0U) return size;
    const std::uint8_t components = type_of(size).components;
    const auto sides = static_cast<std::uint8_t>(components - (layered ? 1 : 0));
    const Value whole = swizzle(size, {0, 1, 2}, sides);
    const Value halved = add(Op::ishr_u, {Base::integer, sides}, {whole, splat(level, sides)});
    const Value least = add(Op::imax_s, {Base::integer, sides}, {halved, splat(integer(1), sides)});
    if (!layered) return least;
    return add(Op::compose, type_of(size), {least, swizzle(size, {sides}, 1)});
  }
  /// Of level 0. Of a number that is known at run time only, it is chosen among all.
  Value size_of(const Access& access, std::uint8_t components) {
    const auto index = access.index < 0 ? std::optional(0U) : constant_of(operand(access.index));
    if (index) return size_of_slot(access, access.slot + *index, components);
    const auto slots = static_cast<std::uint32_t>(program_.variables[access.texture].slots.size());
    Value size = size_of_slot(access, access.slot, components);
    for (std::uint32_t slot = access.slot + 1; slot < slots; ++slot) {
      const Value is = add(Op::ieq, {Base::boolean}, {operand(access.index), integer(slot - access.slot)});
      size = add(Op::select, type_of(size), {splat(is, components), size_of_slot(access, slot, components), size});
    }
    return size;
  }
  Value size_of_slot(const Access& access, std::uint32_t slot, std::uint8_t components) {
    Access query;
    query.kind = Access::Kind::size;
    query.shape = access.shape;
    query.layered = access.layered;
    query.texture = query.sampler = access.texture;
    query.slot = slot;
    program_.accesses.push_back(query);
    return add(Op::texture, {Base::integer, components}, {},
               {static_cast<std::uint32_t>(program_.accesses.size()) - 1});
  }

  // ---- gradients

  void prepare_gradients(Instruction& each, Access access) {
    const Value level = access.shape == Access::Shape::cube ? level_of_cube(access) : level_of_plane(access);
    access.level = Access::Level::given;
    access.lod = std::exchange(access.ddx, -1);
    access.ddy = -1;  // its operand is not looked at any more
    each.operands[static_cast<std::size_t>(access.lod)] = level;
    each.data[0] = static_cast<std::uint32_t>(program_.accesses.size());
    program_.accesses.push_back(access);
  }
  /// The logarithm of the longer of the two differences, in texels, as those of rectangles are.
  Value level_of_plane(const Access& access) {
    if (access.shape == Access::Shape::rectangle) return level_of(operand(access.ddx), operand(access.ddy));
    const std::uint8_t count = type_of(operand(access.ddx)).components;
    const auto whole = static_cast<std::uint8_t>(count + (access.layered ? 1 : 0));
    const Value size = add(Op::u_to_f, {Base::real, count}, {swizzle(size_of(access, whole), {0, 1, 2}, count)});
    const auto steps = [&](Value difference) { return real_op(Op::fmul, count, {difference, size}); };
    const Value across = steps(operand(access.ddx)), down = steps(operand(access.ddy));
    return level_of(across, down);
  }
  /// A direction is divided by the component that is largest, which leaves twice the place on a face.
  Value level_of_cube(const Access& access) {
    constexpr std::uint8_t axes = 3;
    const Value place = swizzle(operand(access.coordinate), {0, 1, 2}, axes);
    const Value sizes = real_op(Op::fabs, axes, {place});
    const auto size_on = [&](std::uint32_t axis) { return swizzle(sizes, {axis}, 1); };
    const auto is_least = [&](std::uint32_t a, std::uint32_t b) {
      return add(Op::fle, {Base::boolean}, {size_on(b), size_on(a)});
    };
    const Value is_x = add(Op::band, {Base::boolean}, {is_least(0, 1), is_least(0, 2)}), is_y = is_least(1, 2);
    const auto along = [&](Value of) {
      const Value other = real_op(Op::select, 1, {is_y, swizzle(of, {1}, 1), swizzle(of, {2}, 1)});
      return splat(real_op(Op::select, 1, {is_x, swizzle(of, {0}, 1), other}), axes);
    };
    const Value inverse = real_op(Op::frcp, axes, {along(place)});
    const Value projected = real_op(Op::fmul, axes, {place, inverse});
    const Value side = add(Op::u_to_f, {Base::real}, {swizzle(size_of(access, access.layered ? 3 : 2), {0}, 1)});
    const Value half = real_op(Op::fmul, 1, {side, real(0.5F)});
    const Value texels = real_op(Op::fmul, axes, {inverse, splat(half, axes)});
    const auto steps = [&](Value difference) {
      const Value back = real_op(Op::fmul, axes, {projected, along(difference)});
      return real_op(Op::fmul, axes, {real_op(Op::fsub, axes, {difference, back}), texels});
    };
    const Value across = steps(operand(access.ddx)), down = steps(operand(access.ddy));
    return level_of(across, down);
  }
  Value level_of(Value across, Value down) {
    const auto square = [&](Value vector) {
      return real_op(type_of(vector).components == 1 ? Op::fmul : Op::fdot, 1, {vector, vector});
    };
    const Value longest = real_op(Op::fmax, 1, {square(across), square(down)});
    return real_op(Op::fmul, 1, {real_op(Op::flog2, 1, {longest}), real(0.5F)});
  }

  // ---- values

  [[nodiscard]] Type type_of(Value value) const { return program_.values[value]; }
  [[nodiscard]] Value operand(std::int8_t number) const { return model_.operands[static_cast<std::size_t>(number)]; }
  [[nodiscard]] std::optional<std::uint32_t> constant_of(Value value) const {
    const auto found = constants_.find(value);
    return found == constants_.end() ? std::nullopt : std::optional(found->second);
  }
  Value add(Op op, Type type, std::vector<Value> operands, std::array<std::uint32_t, 4> data = {}) {
    type.relaxed = false;
    made_->push_back(ssa::make_beside(program_, model_, op, type, std::move(operands)));
    made_->back().data = data;
    made_->back().precise = false;
    return made_->back().result;
  }
  Value real_op(Op op, std::uint8_t components, std::vector<Value> operands) {
    return add(op, {Base::real, components}, std::move(operands));
  }
  Value swizzle(Value from, std::array<std::uint32_t, 4> which, std::uint8_t components) {
    return add(Op::swizzle, {type_of(from).base, components}, {from}, which);
  }
  Value splat(Value scalar, std::uint8_t components) { return swizzle(scalar, {}, components); }
  Value integer(std::uint32_t number) { return add(Op::constant, {Base::integer}, {}, {number}); }
  Value real(float number) { return add(Op::constant, {Base::real}, {}, {std::bit_cast<std::uint32_t>(number)}); }

  ssa::Program& program_;
  std::unordered_map<Value, std::uint32_t> constants_;
  Instruction model_;  ///< what is being prepared
  std::vector<Instruction>* made_ = nullptr;
};

}  // namespace

void prepare_textures(ssa::Program& program) { Preparer(program).run(); }

}  // namespace mobula::midgard_compiler
