#include "compile/passes/lower.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {

Value expand(Builder& in, Op op, const std::vector<Value>& operands) {
  const Operands from{in, operands};
  for (const auto by : {expand_float, expand_function, expand_exponent, expand_conversion, expand_integer,
                        expand_division, expand_boolean})
    if (const Value made = by(op, from); made != none) return made;
  throw std::logic_error("nothing native makes up for " + std::string(name(op)));
}

namespace {

/// In the order of the instructions that make them: later passes go by numbers, too.
void number_values(Program& program) {
  std::vector<Value> numbers(program.values.size(), none);
  std::vector<Type> types;
  for (const Block& block : program.blocks)
    for (const Instruction& each : block.instructions)
      if (each.result != none) {
        numbers[each.result] = static_cast<Value>(types.size());
        types.push_back(program.values[each.result]);
      }
  const auto change = [&](Value& value) {
    if (value != none) value = numbers[value];
  };
  for (Block& block : program.blocks) {
    for (Instruction& each : block.instructions) {
      change(each.result);
      std::ranges::for_each(each.operands, change);
    }
    change(block.end.condition);
  }
  program.values = std::move(types);
}

}  // namespace

void lower(Program& program, const Native& native) {
  Builder builder(program, native);
  std::unordered_map<Value, Value> instead;
  for (Block& block : program.blocks) {
    std::vector<Instruction> before;
    std::swap(before, block.instructions);
    for (Instruction& each : before) {
      for (Value& operand : each.operands)
        if (const auto found = instead.find(operand); found != instead.end()) operand = found->second;
      if (native.has_whole(each.op)) {
        block.instructions.push_back(std::move(each));
        continue;
      }
      builder.stand_for(each);
      const Value made = expand(builder, each.op, each.operands);
      builder.set_precision(made, each.type);
      builder.place(made, block.instructions);
      instead[each.result] = made;
    }
  }
  // What a loop hands back to its head has been lowered after it.
  for (Block& block : program.blocks) {
    for (Instruction& each : block.instructions)
      if (each.op == Op::phi)
        for (Value& operand : each.operands)
          if (const auto found = instead.find(operand); found != instead.end()) operand = found->second;
    if (const auto found = instead.find(block.end.condition); found != instead.end())
      block.end.condition = found->second;
  }
  builder.place_constants();
  number_values(program);
}

}  // namespace mobula::ssa
