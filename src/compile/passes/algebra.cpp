#include "compile/passes/algebra.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "compile/evaluate/operations.h"
#include "compile/passes/blocks.h"

namespace mobula::ssa {
namespace {

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// One instruction after the other, by what made its operands. Each rule answers whether it applied.
class Rewriter {
 public:
  explicit Rewriter(Program& program) : program_(program), made_(program.values.size()) {}

  bool run() {
    for (now_ = 0; now_ < program_.blocks.size(); ++now_) {
      out_.clear();
      for (Instruction& each : program_.blocks[now_].instructions) {
        bool again = true;
        for (unsigned rounds = 0; again && rounds < most_rounds; ++rounds) {
          again = rewrite(each);
          changed_ |= again;
        }
        push(std::move(each));
      }
      std::swap(program_.blocks[now_].instructions, out_);
    }
    return changed_;
  }

 private:
  static constexpr unsigned most_rounds = 8;
  struct Made {
    std::uint32_t block = none;
    std::size_t at = 0;
  };

  // ---------------------------------------------------------------------------------------- what operands are

  void push(Instruction each) {
    if (each.result != none) {
      made_.resize(program_.values.size());
      made_[each.result] = {now_, out_.size()};
    }
    out_.push_back(std::move(each));
  }
  /// What made a value; null if that stands further below.
  [[nodiscard]] const Instruction* maker(Value value) const {
    const Made& made = made_[value];
    if (made.block == none) return nullptr;
    return made.block == now_ ? &out_[made.at] : &program_.blocks[made.block].instructions[made.at];
  }
  [[nodiscard]] const Instruction* maker(Value value, Op op) const {
    const Instruction* const from = maker(value);
    return from != nullptr && from->op == op ? from : nullptr;
  }
  [[nodiscard]] const Instruction* constant(Value value) const { return maker(value, Op::constant); }
  /// Whether all components are these bits.
  [[nodiscard]] bool is(Value value, std::uint32_t bits) const {
    const Instruction* const known = constant(value);
    return known != nullptr && std::all_of(known->data.begin(), known->data.begin() + known->type.components,
                                           [&](std::uint32_t each) { return each == bits; });
  }
  [[nodiscard]] bool is(Value value, float number) const { return is(value, bits_of(number)); }
  [[nodiscard]] bool is_zero(Value value) const { return is(value, 0.0F) || is(value, -0.0F); }

  // ---------------------------------------------------------------------------------------- what becomes of it

  static bool become(Instruction& each, Op op, std::vector<Value> operands) {
    each.op = op;
    each.operands = std::move(operands);
    each.data = {};
    return true;
  }
  static bool copy(Instruction& each, Value of) {
    become_copy(each, of);
    return true;
  }
  static bool become_constant(Instruction& each, std::uint32_t bits) {
    each.op = Op::constant;
    each.operands.clear();
    each.data = {};
    std::fill_n(each.data.begin(), each.type.components, bits);
    return true;
  }
  Value add(const Instruction& model, Op op, Type type, std::vector<Value> operands, const Bits& data = {}) {
    Instruction each = make_beside(program_, model, op, type, std::move(operands));
    each.data = data;
    const Value result = each.result;
    push(std::move(each));
    return result;
  }

  // ---------------------------------------------------------------------------------------- rules

  bool rewrite(Instruction& each) {
    if (!only_computes(each.op)) return false;
    if (is_commutative(each.op) && constant(each.operands[0]) != nullptr && constant(each.operands[1]) == nullptr) {
      std::swap(each.operands[0], each.operands[1]);
      return true;
    }
    if (rewrite_exact(each) || rewrite_integer(each) || rewrite_boolean(each) || rewrite_choice(each)) return true;
    return !each.precise && rewrite_permitted(each);
  }

  /// Floats, where every bit stays but for those of a NaN.
  bool rewrite_exact(Instruction& each) {
    const auto operand = [&](std::size_t i) { return each.operands[i]; };
    switch (each.op) {
      case Op::fneg:
      case Op::ineg:
      case Op::inot:
      case Op::bnot:
        if (const Instruction* const inner = maker(operand(0), each.op)) return copy(each, inner->operands[0]);
        return false;
      case Op::fabs:
        for (const Op op : {Op::fneg, Op::fabs})
          if (const Instruction* const inner = maker(operand(0), op))
            return become(each, Op::fabs, {inner->operands[0]});
        return false;
      case Op::fadd:
        if (const Instruction* const inner = maker(operand(1), Op::fneg))
          return become(each, Op::fsub, {operand(0), inner->operands[0]});
        if (const Instruction* const inner = maker(operand(0), Op::fneg))
          return become(each, Op::fsub, {operand(1), inner->operands[0]});
        return is(operand(1), -0.0F) && copy(each, operand(0));
      case Op::fsub:
        if (const Instruction* const inner = maker(operand(1), Op::fneg))
          return become(each, Op::fadd, {operand(0), inner->operands[0]});
        return is(operand(1), 0.0F) && copy(each, operand(0));
      case Op::fmul:
        if (is(operand(1), 1.0F)) return copy(each, operand(0));
        return is(operand(1), -1.0F) && become(each, Op::fneg, {operand(0)});
      case Op::fdiv:
        return divide(each);
      case Op::f_bits:
        if (const Instruction* const inner = maker(operand(0), Op::f_of_bits)) return copy(each, inner->operands[0]);
        return false;
      case Op::f_of_bits:
        if (const Instruction* const inner = maker(operand(0), Op::f_bits)) return copy(each, inner->operands[0]);
        return false;
      default:
        return false;
    }
  }
  /// By a constant: a product, exact where it is a power of two.
  bool divide(Instruction& each) {
    const Instruction* const by = constant(each.operands[1]);
    if (by == nullptr) return false;
    Bits reciprocals{};
    for (unsigned i = 0; i < by->type.components; ++i) {
      const float divisor = std::bit_cast<float>(by->data[i]);
      const float reciprocal = 1 / divisor;
      int exponent = 0;
      if (!std::isnormal(reciprocal) || !std::isnormal(divisor)) return false;
      if (each.precise && std::fabs(std::frexp(divisor, &exponent)) != 0.5F) return false;
      reciprocals[i] = bits_of(reciprocal);
    }
    return become(each, Op::fmul, {each.operands[0], add(each, Op::constant, by->type, {}, reciprocals)});
  }

  bool rewrite_permitted(Instruction& each) {
    return rewrite_sum(each) || rewrite_power(each) || rewrite_extreme(each) || rewrite_comparison(each) ||
           (each.op == Op::fdot && rewrite_dot(each));
  }
  bool rewrite_sum(Instruction& each) {
    const auto operand = [&](std::size_t i) { return each.operands[i]; };
    switch (each.op) {
      case Op::fadd:
        return is_zero(operand(1)) && copy(each, operand(0));
      case Op::fsub:
        if (is_zero(operand(1))) return copy(each, operand(0));
        if (is_zero(operand(0))) return become(each, Op::fneg, {operand(1)});
        return operand(0) == operand(1) && become_constant(each, 0);
      case Op::fmul:
        return is_zero(operand(1)) && become_constant(each, 0);
      case Op::fdiv:
        // A root and a quotient are a reciprocal root and a product.
        if (const Instruction* const root = maker(operand(1), Op::fsqrt)) {
          if (is(operand(0), 1.0F)) return become(each, Op::frsqrt, {root->operands[0]});
          const Value reciprocal = add(each, Op::frsqrt, each.type, {root->operands[0]});
          return become(each, Op::fmul, {operand(0), reciprocal});
        }
        return is_zero(operand(0)) && become_constant(each, 0);
      default:
        return false;
    }
  }

  bool rewrite_power(Instruction& each) {
    const auto inner = [&](Op op) { return maker(each.operands[0], op); };
    switch (each.op) {
      case Op::fexp2:
        return inner(Op::flog2) != nullptr && copy(each, inner(Op::flog2)->operands[0]);
      case Op::flog2:
        return inner(Op::fexp2) != nullptr && copy(each, inner(Op::fexp2)->operands[0]);
      case Op::fexp:
        return inner(Op::flog) != nullptr && copy(each, inner(Op::flog)->operands[0]);
      case Op::flog:
        return inner(Op::fexp) != nullptr && copy(each, inner(Op::fexp)->operands[0]);
      case Op::fpow:
        return rewrite_pow(each);
      default:
        return false;
    }
  }
  bool rewrite_pow(Instruction& each) {
    const Value base = each.operands[0], exponent = each.operands[1];
    if (is(base, 2.0F)) return become(each, Op::fexp2, {exponent});
    if (is_zero(exponent)) return become_constant(each, bits_of(1.0F));
    if (is(exponent, 1.0F)) return copy(each, base);
    if (is(exponent, 2.0F)) return become(each, Op::fmul, {base, base});
    if (is(exponent, 0.5F)) return become(each, Op::fsqrt, {base});
    if (is(exponent, -0.5F)) return become(each, Op::frsqrt, {base});
    const bool third = is(exponent, 3.0F), fourth = is(exponent, 4.0F);
    if (third || fourth) {
      const Value square = add(each, Op::fmul, each.type, {base, base});
      return become(each, Op::fmul, {square, third ? base : square});
    }
    if (!is(exponent, -1.0F)) return false;
    const Value one = add(each, Op::constant, each.type, {}, splat(bits_of(1.0F), each.type.components));
    return become(each, Op::fdiv, {one, base});
  }
  static Bits splat(std::uint32_t bits, unsigned components) {
    Bits all{};
    std::fill_n(all.begin(), components, bits);
    return all;
  }

  /// Minimum and maximum. A value between two constants is brought above the lower one first, as clamp() has it.
  bool rewrite_extreme(Instruction& each) {
    if (each.op != Op::fmin && each.op != Op::fmax) return false;
    const Value a = each.operands[0], b = each.operands[1];
    if (a == b) return copy(each, a);
    if (constant(a) != nullptr && constant(b) == nullptr) return become(each, each.op, {b, a});
    if (each.op == Op::fmin || constant(b) == nullptr) return false;
    const Instruction* const inner = maker(a, Op::fmin);
    if (inner == nullptr || inner->precise || constant(inner->operands[1]) == nullptr) return false;
    const Bits &least = constant(b)->data, &most = constant(inner->operands[1])->data;
    for (unsigned i = 0; i < each.type.components; ++i)
      if (!(std::bit_cast<float>(least[i]) <= std::bit_cast<float>(most[i]))) return false;
    const Value x = inner->operands[0], limit = inner->operands[1];
    return become(each, Op::fmin, {add(each, Op::fmax, each.type, {x, b}), limit});
  }

  /// A root is less than what its radicand is less than the square of, which keeps its sign: no root is below 0.
  bool rewrite_comparison(Instruction& each) {
    if (each.op != Op::flt && each.op != Op::fle) return false;
    std::array<Value, 2> squares{none, none};
    for (std::size_t i = 0; i < squares.size(); ++i)
      if (const Instruction* const root = maker(each.operands[i], Op::fsqrt); root != nullptr && !root->precise)
        squares[i] = root->operands[0];
    if (squares[0] == none && squares[1] == none) return false;
    for (std::size_t i = 0; i < squares.size(); ++i) {
      if (squares[i] != none) continue;
      const Value other = each.operands[i];
      Type type = program_.values[other];
      type.relaxed = false;  // a square may be beyond what the number is not
      squares[i] = add(each, Op::fmul, type, {other, add(each, Op::fabs, type, {other})});
    }
    return become(each, each.op, {squares[0], squares[1]});
  }

  /// Components that a constant makes 0 add nothing; where one is left, there is no sum.
  bool rewrite_dot(Instruction& each) {
    if (constant(each.operands[0]) != nullptr && constant(each.operands[1]) == nullptr)
      std::swap(each.operands[0], each.operands[1]);
    const Instruction* const known = constant(each.operands[1]);
    if (known == nullptr) return false;
    Bits kept{}, factors{};
    std::uint8_t count = 0;
    for (unsigned i = 0; i < known->type.components; ++i) {
      if (std::bit_cast<float>(known->data[i]) == 0) continue;
      kept[count] = i;
      factors[count++] = known->data[i];
    }
    if (count == known->type.components && count > 1) return false;
    if (count == 0) return become_constant(each, 0);
    const Type type{Base::real, count, each.type.relaxed};
    const Value part = add(each, Op::swizzle, type, {each.operands[0]}, kept);
    const Value factor = add(each, Op::constant, type, {}, factors);
    return become(each, count == 1 ? Op::fmul : Op::fdot, {part, factor});
  }

  bool rewrite_integer(Instruction& each) {
    const auto operand = [&](std::size_t i) { return each.operands[i]; };
    const bool second_is_0 = each.operands.size() > 1 && is(operand(1), 0U);
    switch (each.op) {
      case Op::iadd:
      case Op::ior:
      case Op::ixor:
      case Op::ishl:
      case Op::ishr_s:
      case Op::ishr_u:
        return second_is_0 && copy(each, operand(0));
      case Op::isub:
        if (second_is_0) return copy(each, operand(0));
        if (is(operand(0), 0U)) return become(each, Op::ineg, {operand(1)});
        return operand(0) == operand(1) && become_constant(each, 0);
      case Op::imul:
        if (second_is_0) return become_constant(each, 0);
        if (is(operand(1), 1U)) return copy(each, operand(0));
        if (is(operand(1), ~0U)) return become(each, Op::ineg, {operand(0)});
        return by_power_of_two(each, Op::ishl, false);
      case Op::idiv_u:
        return by_power_of_two(each, Op::ishr_u, false);
      case Op::irem_u:
        return by_power_of_two(each, Op::iand, true);
      case Op::idiv_s:
        return is(operand(1), 1U) && copy(each, operand(0));
      case Op::iand:
        if (second_is_0) return become_constant(each, 0);
        return (is(operand(1), ~0U) || operand(0) == operand(1)) && copy(each, operand(0));
      default:
        return false;
    }
  }
  /// With the number of the bit, or with all bits below it.
  bool by_power_of_two(Instruction& each, Op op, bool bits_below) {
    const Instruction* const by = constant(each.operands[1]);
    if (by == nullptr) return false;
    Bits data{};
    for (unsigned i = 0; i < by->type.components; ++i) {
      if (!std::has_single_bit(by->data[i])) return false;
      data[i] = bits_below ? by->data[i] - 1 : static_cast<std::uint32_t>(std::countr_zero(by->data[i]));
    }
    return become(each, op, {each.operands[0], add(each, Op::constant, by->type, {}, data)});
  }

  bool rewrite_boolean(Instruction& each) {
    const auto operand = [&](std::size_t i) { return each.operands[i]; };
    switch (each.op) {
      case Op::band:
      case Op::bor:
        if (operand(0) == operand(1) || is(operand(1), each.op == Op::band ? 1U : 0U)) return copy(each, operand(0));
        return is(operand(1), each.op == Op::band ? 0U : 1U) && become_constant(each, each.op == Op::band ? 0 : 1);
      case Op::bxor:
        if (is(operand(1), 0U)) return copy(each, operand(0));
        return is(operand(1), 1U) && become(each, Op::bnot, {operand(0)});
      case Op::bnot:
        return invert(each);
      default:
        return compare_choices(each);
    }
  }
  /// The opposite of a comparison, but of the order of floats: there a NaN is neither less nor not.
  bool invert(Instruction& each) {
    const Instruction* const inner = maker(each.operands[0]);
    if (inner == nullptr || inner->operands.size() != 2) return false;
    const Value a = inner->operands[0], b = inner->operands[1];
    switch (inner->op) {
      case Op::feq:
        return become(each, Op::fne, {a, b});
      case Op::fne:
        return become(each, Op::feq, {a, b});
      case Op::ieq:
        return become(each, Op::ine, {a, b});
      case Op::ine:
        return become(each, Op::ieq, {a, b});
      case Op::ilt_s:
        return become(each, Op::ile_s, {b, a});
      case Op::ile_s:
        return become(each, Op::ilt_s, {b, a});
      case Op::ilt_u:
        return become(each, Op::ile_u, {b, a});
      case Op::ile_u:
        return become(each, Op::ilt_u, {b, a});
      default:
        return false;
    }
  }
  /// A comparison of what a boolean chose among constants is that boolean, its opposite, or known.
  bool compare_choices(Instruction& each) {
    if (signature(each.op) != "b:ff" && signature(each.op) != "b:ii") return false;
    for (const std::size_t i : {0, 1}) {
      const Instruction* const choice = maker(each.operands[i], Op::select);
      if (choice == nullptr || constant(each.operands[1 - i]) == nullptr) continue;
      std::array<Bits, 2> results{};
      for (const std::size_t chosen : {0, 1}) {
        const Instruction* const known = constant(choice->operands[1 + chosen]);
        if (known == nullptr) return false;
        std::array<Bits, 2> operands{known->data, known->data};
        operands[1 - i] = constant(each.operands[1 - i])->data;
        results[chosen] = compute(each, operands, std::array{known->type, known->type});
      }
      const auto all = [&](std::size_t chosen, std::uint32_t bit) {
        return results[chosen] == splat(bit, each.type.components);
      };
      if (all(0, 1) && all(1, 0)) return copy(each, choice->operands[0]);
      if (all(0, 0) && all(1, 1)) return become(each, Op::bnot, {choice->operands[0]});
      if (results[0] != results[1]) return false;
      each.op = Op::constant;
      each.operands.clear();
      each.data = results[0];
      return true;
    }
    return false;
  }

  bool rewrite_choice(Instruction& each) {
    if (each.op != Op::select) return false;
    const Value condition = each.operands[0], yes = each.operands[1], no = each.operands[2];
    if (yes == no || is(condition, 1U)) return copy(each, yes);
    if (is(condition, 0U)) return copy(each, no);
    if (const Instruction* const opposite = maker(condition, Op::bnot))
      return become(each, Op::select, {opposite->operands[0], no, yes});
    if (const Instruction* const wide = maker(condition, Op::swizzle))
      if (const Instruction* const opposite = maker(wide->operands[0], Op::bnot)) {
        const Value same = add(each, Op::swizzle, wide->type, {opposite->operands[0]}, wide->data);
        return become(each, Op::select, {same, no, yes});
      }
    // What an inner choice by the same condition comes to is known.
    if (const Instruction* const inner = maker(yes, Op::select); inner != nullptr && inner->operands[0] == condition)
      return become(each, Op::select, {condition, inner->operands[1], no});
    if (const Instruction* const inner = maker(no, Op::select); inner != nullptr && inner->operands[0] == condition)
      return become(each, Op::select, {condition, yes, inner->operands[2]});
    if (each.type.base != Base::boolean) return false;
    if (is(yes, 1U) || yes == condition) return become(each, Op::bor, {condition, no});
    if (is(no, 0U) || no == condition) return become(each, Op::band, {condition, yes});
    if (is(yes, 0U)) return become(each, Op::band, {opposite_of(each, condition), no});
    if (is(no, 1U)) return become(each, Op::bor, {opposite_of(each, condition), yes});
    return false;
  }
  Value opposite_of(const Instruction& model, Value condition) {
    return add(model, Op::bnot, program_.values[condition], {condition});
  }

  Program& program_;
  std::vector<Made> made_;        ///< by value
  std::vector<Instruction> out_;  ///< what the block becomes
  std::uint32_t now_ = 0;
  bool changed_ = false;
};

}  // namespace

bool rewrite_algebra(Program& program) { return Rewriter(program).run(); }

void contract(Program& program) {
  std::vector<const Instruction*> products(program.values.size());
  for (const Block& block : program.blocks)
    for (const Instruction& each : block.instructions)
      if (each.op == Op::fmul && !each.precise) products[each.result] = &each;
  for (Block& block : program.blocks)
    for (Instruction& each : block.instructions) {
      if (each.op != Op::fadd || each.precise) continue;
      const std::size_t i = products[each.operands[0]] != nullptr ? 0 : 1;
      const Instruction* const product = products[each.operands[i]];
      if (product == nullptr) continue;
      each.operands = {product->operands[0], product->operands[1], each.operands[1 - i]};
      each.op = Op::ffma;
    }
}

}  // namespace mobula::ssa
