#include "compile/midgard/position.h"

#include <utility>

#include "compile/passes/blocks.h"

namespace mobula::midgard_compiler {
namespace {

using ssa::Op;

ssa::Variable driver_uniform(std::string_view name) {
  ssa::Variable variable;
  variable.name = name;
  variable.storage = ssa::Storage::uniform;
  variable.slots.push_back({.name = std::string(name), .type = {ssa::Base::real, 3}});
  return variable;
}

}  // namespace

void place_positions(ssa::Program& program) {
  const auto scale = static_cast<std::uint32_t>(program.variables.size());
  bool any = false;
  for (ssa::Block& block : program.blocks) {
    std::vector<ssa::Instruction> made;
    for (ssa::Instruction& each : block.instructions) {
      const bool is_output = each.op == Op::store && program.variables[each.variable].storage == ssa::Storage::output;
      const bool is_position = is_output && program.variables[each.variable].slots[each.data[0]].name == "gl_Position";
      if (!is_position) {
        made.push_back(std::move(each));
        continue;
      }
      any = true;
      const auto add = [&](Op op, std::uint8_t components, std::vector<ssa::Value> operands) {
        made.push_back(ssa::make_beside(program, each, op, {ssa::Base::real, components}, std::move(operands)));
        return made.back().result;
      };
      const auto swizzle = [&](ssa::Value from, std::uint8_t components, std::array<std::uint32_t, 4> which) {
        const ssa::Value result = add(Op::swizzle, components, {from});
        made.back().data = which;
        return result;
      };
      const auto uniform = [&](std::uint32_t variable) {
        const ssa::Value result = add(Op::load, 3, {});
        made.back().data = {};
        made.back().variable = variable;
        return result;
      };
      const ssa::Value inverse = add(Op::frcp, 1, {swizzle(each.operands[0], 1, {3})});
      const ssa::Value place = swizzle(each.operands[0], 3, {0, 1, 2});
      const ssa::Value divided = add(Op::fmul, 3, {place, swizzle(inverse, 3, {0, 0, 0})});
      const ssa::Value scaled = add(Op::fmul, 3, {divided, uniform(scale)});
      const ssa::Value moved = add(Op::fadd, 3, {scaled, uniform(scale + 1)});
      each.operands[0] = add(Op::compose, 4, {moved, inverse});
      made.push_back(std::move(each));
    }
    block.instructions = std::move(made);
  }
  if (!any) return;
  program.variables.push_back(driver_uniform(viewport_scale_name));
  program.variables.push_back(driver_uniform(viewport_offset_name));
}

}  // namespace mobula::midgard_compiler
