#include "compile/passes/lower.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {

namespace {

/// What stands for an operation; none if nothing does.
Value expansion(Op op, const Operands& from) {
  switch (op) {
    case Op::fneg:
    case Op::fabs:
    case Op::fsign:
    case Op::ffloor:
    case Op::fceil:
    case Op::ftrunc:
    case Op::fround:
    case Op::fsub:
    case Op::fdiv:
    case Op::frcp:
    case Op::fmod:
    case Op::frem:
    case Op::ffma:
    case Op::fmin:
    case Op::fmax:
    case Op::fdot:
    case Op::fsqrt:
    case Op::frsqrt:
    case Op::fis_nan:
    case Op::fis_inf:
      return expand_float(op, from);
    case Op::fexp:
    case Op::flog:
    case Op::fpow:
    case Op::fsin:
    case Op::fcos:
    case Op::fsinpi:
    case Op::fcospi:
    case Op::ftan:
    case Op::fasin:
    case Op::facos:
    case Op::fatan:
    case Op::fatan2:
    case Op::fsinh:
    case Op::fcosh:
    case Op::ftanh:
    case Op::fasinh:
    case Op::facosh:
    case Op::fatanh:
      return expand_function(op, from);
    case Op::fmantissa:
    case Op::fexponent:
    case Op::fscale:
      return expand_exponent(op, from);
    case Op::f_to_s:
    case Op::f_to_u:
    case Op::u_to_f:
    case Op::f_half:
    case Op::pack_half:
    case Op::unpack_half_low:
    case Op::unpack_half_high:
      return expand_conversion(op, from);
    case Op::ineg:
    case Op::iabs:
    case Op::isign:
    case Op::imulhi_s:
    case Op::imulhi_u:
    case Op::imin_s:
    case Op::imin_u:
    case Op::imax_s:
    case Op::imax_u:
    case Op::ibits_s:
    case Op::ibits_u:
    case Op::ibits_put:
    case Op::ireverse:
    case Op::icount:
    case Op::iclz:
    case Op::ilowest:
    case Op::ihighest_s:
    case Op::ihighest_u:
      return expand_integer(op, from);
    case Op::idiv_s:
    case Op::idiv_u:
    case Op::irem_s:
    case Op::imod_s:
    case Op::irem_u:
      return expand_division(op, from);
    case Op::bany:
    case Op::ball:
      return expand_boolean(op, from);
    // every machine has these
    case Op::fadd:
    case Op::fmul:
    case Op::fexp2:
    case Op::flog2:
    case Op::iadd:
    case Op::isub:
    case Op::imul:
    case Op::iand:
    case Op::ior:
    case Op::ixor:
    case Op::inot:
    case Op::ishl:
    case Op::ishr_s:
    case Op::ishr_u:
    case Op::s_to_f:
    case Op::f_bits:
    case Op::f_of_bits:
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
    case Op::ieq:
    case Op::ine:
    case Op::ilt_s:
    case Op::ilt_u:
    case Op::ile_s:
    case Op::ile_u:
    case Op::band:
    case Op::bor:
    case Op::bxor:
    case Op::bnot:
    case Op::select:
    case Op::ddx:
    case Op::ddy:
#define OP(name, ...) case Op::name:
#include "compile/ssa/ops_more.inc"
#undef OP
      return none;
  }
  return none;
}

}  // namespace

Value expand(Builder& in, Op op, const std::vector<Value>& operands) {
  if (const Value made = expansion(op, {in, operands}); made != none) return made;
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
