#include "compile/passes/lower/builder.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "compile/passes/lower/expansions.h"

namespace mobula::ssa {
namespace {

/// Whether 16 bits are enough on the way to a result for which they are: not where bits are taken apart, nor where an
/// intermediate result has to be more exact than the last one.
bool is_relaxed_within(Op op) {
  switch (op) {
    case Op::fsign:
    case Op::fceil:
    case Op::fsub:
    case Op::fdiv:
    case Op::ffma:
    case Op::fmin:
    case Op::fmax:
    case Op::fsqrt:
    case Op::frsqrt:
    case Op::frcp:
    case Op::ineg:
    case Op::iabs:
    case Op::isign:
    case Op::imin_s:
    case Op::imin_u:
    case Op::imax_s:
    case Op::imax_u:
      return true;
    default:
      return false;
  }
}

Base base_of(char letter, const Type& any) {
  switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'f':
      return Base::real;
    case 'i':
      return Base::integer;
    case 'b':
      return Base::boolean;
    default:
      return any.base;
  }
}

}  // namespace

Builder::Builder(Program& program, const Native& native) : program_(program), native_(native) {
  for (const Block& block : program.blocks)
    for (const Instruction& each : block.instructions)
      if (each.op == Op::constant) known_[each.result] = each.data;
}

void Builder::stand_for(const Instruction& each) {
  made_here_.clear();
  precise = each.precise;
  relaxed_ = each.type.relaxed && is_relaxed_within(each.op);
  line_ = each.line;
}

std::optional<Bits> Builder::constant_of(Value value) const {
  const auto found = known_.find(value);
  if (found == known_.end()) return {};
  return found->second;
}

Value Builder::make(Op op, std::vector<Value> operands) {
  if (native_.has_whole(op)) return make_native(op, std::move(operands));
  if (std::ranges::all_of(operands, [&](Value operand) { return known_.contains(operand); }))
    return make_native(op, std::move(operands));  // which folds it
  return expand(*this, op, operands);
}

Value Builder::make_native(Op op, std::vector<Value> operands) {
  const char letter = signature(op)[0];
  const bool scalar = std::isupper(static_cast<unsigned char>(letter)) != 0;
  const Type type{base_of(letter, type_of(operands.back())),
                  scalar ? std::uint8_t{1} : type_of(operands.front()).components};
  return write(op, type, std::move(operands));
}

Value Builder::swizzle(Value from, std::initializer_list<std::uint32_t> components) {
  std::array<std::uint32_t, 4> data{};
  std::ranges::copy(components, data.begin());
  return write(Op::swizzle, {type_of(from).base, static_cast<std::uint8_t>(components.size())}, {from}, data);
}

Value Builder::splat(Value scalar, std::uint8_t components) {
  if (components == 1) return scalar;
  return write(Op::swizzle, {type_of(scalar).base, components}, {scalar});
}

Value Builder::write(Op op, Type type, std::vector<Value> operands, std::array<std::uint32_t, 4> data) {
  type.relaxed = relaxed_ && type.base != Base::boolean;
  Instruction each{.op = op, .type = type, .operands = std::move(operands), .data = data};
  std::vector<Bits> bits;
  std::vector<Type> types;
  for (const Value operand : each.operands) {
    types.push_back(type_of(operand));
    if (const auto known = constant_of(operand)) bits.push_back(*known);
  }
  if (bits.size() == types.size()) return constant(type, compute(each, bits, types));
  each.result = static_cast<Value>(program_.values.size());
  each.precise = precise;
  each.line = line_;
  program_.values.push_back(type);
  const Value result = each.result;
  made_here_.emplace(result, std::move(each));
  return result;
}

void Builder::set_precision(Value result, const Type& type) {
  const auto found = made_here_.find(result);
  if (found == made_here_.end()) return;
  const bool relaxed = type.relaxed && type_of(result).base == Base::real;
  found->second.type.relaxed = program_.values[result].relaxed = relaxed;
}

void Builder::place(Value value, std::vector<Instruction>& block) {
  auto found = made_here_.extract(value);
  if (found.empty()) return;
  for (const Value operand : found.mapped().operands) place(operand, block);
  block.push_back(std::move(found.mapped()));
}

Value Builder::constant(Type type, const Bits& bits) {
  type.relaxed = false;
  const auto next = static_cast<Value>(program_.values.size());
  const auto [known, is_new] =
      made_.try_emplace({{static_cast<std::uint32_t>(type.base), type.components}, bits}, next);
  if (!is_new) return known->second;
  program_.values.push_back(type);
  known_[next] = bits;
  first_.push_back({.op = Op::constant, .type = type, .result = next, .data = bits});
  return next;
}

void Builder::place_constants() {
  std::unordered_map<Value, std::size_t> first_use;
  for (const Block& block : program_.blocks) {
    for (const Instruction& each : block.instructions)
      for (const Value operand : each.operands) first_use.try_emplace(operand, first_use.size());
    first_use.try_emplace(block.end.condition, first_use.size());
  }
  std::erase_if(first_, [&](const Instruction& each) { return !first_use.contains(each.result); });
  std::ranges::sort(first_, {}, [&](const Instruction& each) { return first_use.at(each.result); });
  auto& instructions = program_.blocks.front().instructions;
  instructions.insert(instructions.begin(), std::make_move_iterator(first_.begin()),
                      std::make_move_iterator(first_.end()));
  first_.clear();
}

}  // namespace mobula::ssa
