#include "machines/rogue/compile/gather.h"

#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "compile/passes/blocks.h"

namespace mobula::rogue_compiler {
namespace {

using ssa::Base;
using ssa::Op;
using ssa::Type;
using ssa::Value;
using Access = ssa::TextureAccess;

constexpr std::uint8_t sides = 2;

class Expander {
 public:
  explicit Expander(ssa::Program& program) : program_(program) {}

  void run() {
    for (ssa::Block& block : program_.blocks) {
      std::vector<ssa::Instruction> instructions = std::exchange(block.instructions, {});
      made_ = &block.instructions;
      for (ssa::Instruction& each : instructions) {
        if (each.op == Op::texture) expand(each);
        made_->push_back(std::move(each));
      }
    }
  }

 private:
  void expand(ssa::Instruction& each) {
    const Access access = program_.accesses[each.data[0]];
    if (access.kind != Access::Kind::gather || access.shadow || access.shape != Access::Shape::d2) return;
    model_ = each;
    const Value place = operand(access.coordinate);
    const Value size = add(Op::u_to_f, {Base::real, sides}, {swizzle(size_of(access), {0, 1}, sides)});
    const Value low = low_texel(access, place, size);
    // OpenGL ES 3.2, 8.14.2: from the left one of the row of higher t against the clock.
    constexpr std::array<std::array<float, 2>, 4> middles{{{0.5F, 1.5F}, {1.5F, 1.5F}, {1.5F, 0.5F}, {0.5F, 0.5F}}};
    std::vector<Value> texels;
    for (const auto& [x, y] : middles) {
      const Value middle = add(Op::fadd, {Base::real, sides}, {low, real({x, y})});
      Value at = add(Op::fdiv, {Base::real, sides}, {middle, size});
      if (access.layered) at = add(Op::compose, type_of(place), {at, swizzle(place, {sides}, 1)});
      texels.push_back(swizzle(sample(access, at, each.type), {access.component}, 1));
    }
    each.op = Op::compose;
    each.operands = std::move(texels);
    each.data = {};
  }

  /// The number of the texel with the lowest coordinates of the four.
  Value low_texel(const Access& access, Value place, Value size) {
    const Value scaled = add(Op::fmul, {Base::real, sides}, {swizzle(place, {0, 1}, sides), size});
    const Value low =
        add(Op::ffloor, {Base::real, sides}, {add(Op::fsub, {Base::real, sides}, {scaled, real({0.5F, 0.5F})})});
    if (access.offset < 0) return low;
    const Value offset = add(Op::s_to_f, {Base::real, sides}, {operand(access.offset)});
    return add(Op::fadd, {Base::real, sides}, {low, offset});
  }
  Value size_of(const Access& access) {
    Access query;
    query.kind = Access::Kind::size;
    query.shape = access.shape;
    query.layered = access.layered;
    query.texture = query.sampler = access.texture;
    query.slot = access.slot;
    query.index = access.index >= 0 ? std::int8_t{0} : std::int8_t{-1};
    std::vector<Value> operands;
    if (access.index >= 0) operands.push_back(operand(access.index));
    const auto components = static_cast<std::uint8_t>(sides + (access.layered ? 1 : 0));
    return add(Op::texture, {Base::integer, components}, std::move(operands), {add_access(query)});
  }
  Value sample(const Access& access, Value place, Type type) {
    Access one;
    one.shape = access.shape;
    one.layered = access.layered;
    one.texture = access.texture;
    one.sampler = access.sampler;
    one.slot = access.slot;
    one.level = Access::Level::given;
    one.coordinate = 0;
    one.lod = 1;
    std::vector<Value> operands{place, add(Op::constant, {Base::real, 1}, {})};
    if (access.index >= 0) {
      one.index = static_cast<std::int8_t>(operands.size());
      operands.push_back(operand(access.index));
    }
    return add(Op::texture, type, std::move(operands), {add_access(one)});
  }

  // ---- values

  std::uint32_t add_access(const Access& access) {
    program_.accesses.push_back(access);
    return static_cast<std::uint32_t>(program_.accesses.size()) - 1;
  }
  [[nodiscard]] Type type_of(Value value) const { return program_.values[value]; }
  [[nodiscard]] Value operand(std::int8_t number) const { return model_.operands[static_cast<std::size_t>(number)]; }
  Value add(Op op, Type type, std::vector<Value> operands, std::array<std::uint32_t, 4> data = {}) {
    type.relaxed = false;
    made_->push_back(ssa::make_beside(program_, model_, op, type, std::move(operands)));
    made_->back().data = data;
    made_->back().precise = false;
    return made_->back().result;
  }
  Value swizzle(Value from, std::array<std::uint32_t, 4> which, std::uint8_t components) {
    return add(Op::swizzle, {type_of(from).base, components}, {from}, which);
  }
  Value real(std::array<float, sides> numbers) {
    return add(Op::constant, {Base::real, sides}, {},
               {std::bit_cast<std::uint32_t>(numbers[0]), std::bit_cast<std::uint32_t>(numbers[1])});
  }

  ssa::Program& program_;
  ssa::Instruction model_;  ///< what is being expanded
  std::vector<ssa::Instruction>* made_ = nullptr;
};

}  // namespace

void expand_gathers(ssa::Program& program) { Expander(program).run(); }

}  // namespace mobula::rogue_compiler
