#include "compile/passes/position.h"

#include <array>
#include <bit>
#include <utility>

#include "compile/passes/blocks.h"

namespace mobula::ssa {
namespace {

Variable driver_uniform(BuiltIn which) {
  Variable variable;
  variable.name = name(which);
  variable.storage = Storage::uniform;
  variable.slots.push_back({.name = variable.name, .type = {Base::real, 3}, .built_in = which});
  return variable;
}

/// Not where it is kept until the end.
bool is_position(const Program& program, const Instruction& each) {
  if (each.op != Op::store) return false;
  const Variable& variable = program.variables[each.variable];
  return variable.storage == Storage::output && variable.slots[each.data[0]].built_in == BuiltIn::position;
}

}  // namespace

void place_positions(Program& program, const PositionRules& rules) {
  const auto scale = static_cast<std::uint32_t>(program.variables.size());
  bool any = false;
  for (Block& block : program.blocks) {
    std::vector<Instruction> made;
    for (Instruction& each : block.instructions) {
      if (!is_position(program, each)) {
        made.push_back(std::move(each));
        continue;
      }
      any = true;
      const auto add = [&](Op op, std::uint8_t components, std::vector<Value> operands) {
        made.push_back(make_beside(program, each, op, {Base::real, components}, std::move(operands)));
        return made.back().result;
      };
      const auto swizzle = [&](Value from, std::uint8_t components, std::array<std::uint32_t, 4> which) {
        const Value result = add(Op::swizzle, components, {from});
        made.back().data = which;
        return result;
      };
      const auto uniform = [&](std::uint32_t variable) {
        const Value result = add(Op::load, 3, {});
        made.back().data = {};
        made.back().variable = variable;
        return result;
      };
      const auto number = [&](float value) {
        const Value result = add(Op::constant, 1, {});
        made.back().data = {std::bit_cast<std::uint32_t>(value)};
        return result;
      };
      Value inverse = add(Op::frcp, 1, {swizzle(each.operands[0], 1, {3})});
      if (rules.bound) {
        inverse = add(Op::fmax, 1, {inverse, number(-*rules.bound)});
        inverse = add(Op::fmin, 1, {inverse, number(*rules.bound)});
      }
      const Value place = swizzle(each.operands[0], 3, {0, 1, 2});
      std::array<Value, 2> factors{swizzle(inverse, 3, {0, 0, 0}), uniform(scale)};
      if (rules.scales_first) std::swap(factors[0], factors[1]);
      const Value scaled = add(Op::fmul, 3, {add(Op::fmul, 3, {place, factors[0]}), factors[1]});
      const Value moved = add(Op::fadd, 3, {scaled, uniform(scale + 1)});
      each.operands[0] = add(Op::compose, 4, {moved, inverse});
      made.push_back(std::move(each));
    }
    block.instructions = std::move(made);
  }
  if (!any) return;
  program.variables.push_back(driver_uniform(BuiltIn::viewport_scale));
  program.variables.push_back(driver_uniform(BuiltIn::viewport_offset));
}

}  // namespace mobula::ssa
