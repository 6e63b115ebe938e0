#include "compile/verify/bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace mobula::compile {
namespace {

using ssa::Base;
using ssa::Instruction;
using ssa::Op;
using ssa::Value;

Bounds negative(const Bounds& a) { return {-a.high, -a.low}; }
Bounds sum(const Bounds& a, const Bounds& b) { return {a.low + b.low, a.high + b.high}; }
Bounds around(const Bounds& a, const Bounds& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Bounds times(const Bounds& a, double n) { return {a.low * n, a.high * n}; }

Bounds absolute(const Bounds& a) {
  const double most = std::max(std::fabs(a.low), std::fabs(a.high));
  return {a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, most};
}

Bounds product(const Bounds& a, const Bounds& b) {
  const std::initializer_list<double> corners{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  if (std::ranges::any_of(corners, [](double each) { return std::isnan(each); })) return {};  // infinity times 0
  return {std::min(corners), std::max(corners)};
}

Bounds square(const Bounds& a) {
  const Bounds size = absolute(a);
  return {size.low * size.low, size.high * size.high};
}

Bounds quotient(const Bounds& a, const Bounds& b) {
  if (b.low <= 0 && b.high >= 0) return {};
  return product(a, {1 / b.high, 1 / b.low});
}

class Analysis {
 public:
  explicit Analysis(const ssa::Program& program)
      : program_(program), all_(program.values.size()), made_by_(program.values.size()) {}

  std::vector<Bounds> run() {
    for (const ssa::Block& block : program_.blocks)
      for (const Instruction& each : block.instructions) {
        if (each.result == ssa::none) continue;
        if (each.type.base == Base::real) all_[each.result] = bounds_of(each);
        made_by_[each.result] = &each;
      }
    return std::move(all_);
  }

 private:
  /// Of what hands numbers on. What a loop hands to its next turn is not known yet.
  [[nodiscard]] Bounds around_all(const Instruction& each) const {
    std::optional<Bounds> all;
    for (const Value operand : each.operands)
      if (program_.values[operand].base == Base::real) all = all ? around(*all, all_[operand]) : all_[operand];
    return all.value_or(Bounds{});
  }
  [[nodiscard]] static Bounds of_constant(const Instruction& each) {
    Bounds all{std::bit_cast<float>(each.data[0]), std::bit_cast<float>(each.data[0])};
    for (unsigned i = 1; i < each.type.components; ++i) {
      const double number = std::bit_cast<float>(each.data[i]);
      all = around(all, {number, number});
    }
    return all;
  }
  [[nodiscard]] bool is_fraction(const Instruction& each) const {
    const Instruction* const whole = made_by_[each.operands[1]];
    return whole != nullptr && whole->op == Op::ffloor && whole->operands[0] == each.operands[0];
  }

  [[nodiscard]] Bounds bounds_of(const Instruction& each) const {
    const auto at = [&](std::size_t n) { return all_[each.operands[n]]; };
    const bool are_same = each.operands.size() == 2 && each.operands[0] == each.operands[1];
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (each.op) {
      case Op::constant:
        return of_constant(each);
      case Op::compose:
      case Op::swizzle:
      case Op::extract:
      case Op::insert:
      case Op::select:
      case Op::phi:
        return around_all(each);
      case Op::fneg:
        return negative(at(0));
      case Op::fabs:
        return absolute(at(0));
      case Op::fsign:
        return {-1, 1};
      case Op::ffloor:
      case Op::fceil:
      case Op::ftrunc:
      case Op::fround:
        return {std::floor(at(0).low), std::ceil(at(0).high)};
      case Op::fadd:
        return sum(at(0), at(1));
      case Op::fsub:
        return is_fraction(each) ? Bounds{0, 1} : sum(at(0), negative(at(1)));
      case Op::fmul:
        return are_same ? square(at(0)) : product(at(0), at(1));
      case Op::ffma:
        return sum(product(at(0), at(1)), at(2));
      case Op::fdot:
        return times(are_same ? square(at(0)) : product(at(0), at(1)), program_.values[each.operands[0]].components);
      case Op::fdiv:
        return quotient(at(0), at(1));
      case Op::fmod:
        return around({0, 0}, at(1));
      case Op::fmin:
        return {std::min(at(0).low, at(1).low), std::min(at(0).high, at(1).high)};
      case Op::fmax:
        return {std::max(at(0).low, at(1).low), std::max(at(0).high, at(1).high)};
      case Op::fsqrt:
      case Op::frsqrt:
      case Op::fexp:
      case Op::fexp2:
      case Op::u_to_f:
        return {0, infinity};
      default:
        return {};
    }
  }

  const ssa::Program& program_;
  std::vector<Bounds> all_;
  std::vector<const Instruction*> made_by_;
};

}  // namespace

std::vector<Bounds> bounds_of(const ssa::Program& program) { return Analysis(program).run(); }

}  // namespace mobula::compile
