#include "machines/utgard_gp/compile/select.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include "compile/cannot_do.h"

namespace mobula::utgard_gp_compiler {
namespace {

using compile::cannot;
using ssa::Op;
using ssa::Storage;
using Vector = std::array<Operand, 4>;

Operand opposite(Operand a) {
  a.negative = !a.negative;
  return a;
}

class Selector {
 public:
  Selector(const ssa::Program& program, const Layout& layout)
      : program_(program), layout_(layout), makers_(program.values.size()), values_(program.values.size()) {}

  Code run() {
    for (const ssa::Block& block : program_.blocks)
      for (const ssa::Instruction& each : block.instructions)
        if (each.result != ssa::none) makers_[each.result] = &each;
    code_.blocks.resize(program_.blocks.size());
    for (here_ = 0; here_ < code_.blocks.size(); ++here_) {
      if (program_.blocks[here_].end.kind != ssa::End::Kind::leave) code_.order.push_back(here_);
      select_block(program_.blocks[here_]);
    }
    for (here_ = 0; here_ < code_.blocks.size(); ++here_)  // the program ends after its last word
      if (program_.blocks[here_].end.kind == ssa::End::Kind::leave) code_.order.push_back(here_);
    for (here_ = 0; here_ < code_.blocks.size(); ++here_) fill_phis(program_.blocks[here_]);
    return std::move(code_);
  }

 private:
  // ---- blocks

  void select_block(const ssa::Block& block) {
    Block& made = code_.blocks[here_];
    made.predecessors = block.predecessors;
    for (const ssa::Instruction& each : block.instructions) {
      line_ = each.line;
      if (each.op == Op::phi)
        begin_phi(each);
      else
        select(each);
    }
    if (block.end.kind == ssa::End::Kind::jump) code_.blocks[here_].successors = {block.end.targets[0]};
    if (block.end.kind == ssa::End::Kind::branch) {
      const Operand condition = positive(values_[block.end.condition][0]);
      code_.blocks[here_].condition = condition;
      code_.blocks[here_].successors = {block.end.targets[0], block.end.targets[1]};
    }
  }

  void begin_phi(const ssa::Instruction& each) {
    if (each.operands.size() == 1) {
      values_[each.result] = values_[each.operands[0]];
      return;
    }
    for (unsigned i = 0; i < each.type.components; ++i) {
      const Value result = code_.add_value();
      code_.blocks[here_].phis.push_back({result, {}});
      values_[each.result][i] = of(result);
    }
  }
  void fill_phis(const ssa::Block& block) {
    std::size_t at = 0;
    for (const ssa::Instruction& each : block.instructions) {
      if (each.op != Op::phi || each.operands.size() == 1) continue;
      for (unsigned i = 0; i < each.type.components; ++i, ++at)
        for (const ssa::Value operand : each.operands)
          code_.blocks[here_].phis[at].operands.push_back(values_[operand][i]);
    }
  }

  // ---- operations of the machine

  static Operand of(Value value) { return {Operand::Kind::value, false, false, 0, value}; }

  Operand emit(Do does, Operand a, Operand b = {}, Operand c = {}) {
    const Value result = code_.add_value();
    code_.blocks[here_].operations.push_back({does, {a, b, c}, result, -1, line_});
    return of(result);
  }
  /// As units other than adders take it.
  Operand positive(const Operand& a) {
    if (!a.negative) return a;
    return a.kind == Operand::Kind::constant ? number(-std::bit_cast<float>(a.number)) : emit(Do::add, a);
  }

  static Operand number(float value) {
    return {Operand::Kind::constant, false, false, 0, std::bit_cast<std::uint32_t>(value)};
  }
  Operand add(const Operand& a, const Operand& b) { return emit(Do::add, a, b); }
  Operand subtract(const Operand& a, const Operand& b) { return add(a, opposite(b)); }
  Operand multiply(Operand a, Operand b) {
    const bool negative = a.negative != b.negative;
    a.negative = b.negative = false;
    Operand product = emit(Do::mul, a, b);
    product.negative = negative;
    return product;
  }
  Operand magnitude(Operand a) {
    a.negative = false;
    return emit(Do::max, a, opposite(a));
  }
  Operand floor(const Operand& a) { return emit(Do::floor, a); }
  Operand truncated(const Operand& a) {
    const Operand sign = emit(Do::sign, a);
    return multiply(sign, floor(magnitude(a)));
  }
  /// Truths are 0 and 1, so that a choice between constants is often a sum or a product, or nothing at all: a real
  /// choice takes both multipliers.
  Operand choose(const Operand& condition, const Operand& yes, const Operand& no) {
    if (yes == no) return yes;
    if (yes.kind == Operand::Kind::constant && no.kind == Operand::Kind::constant) {
      const float then = value_of(yes), otherwise = value_of(no), difference = then - otherwise;
      if (std::isfinite(difference) && otherwise + difference == then && !std::signbit(then) &&
          !std::signbit(otherwise)) {
        const Operand more =
            std::fabs(difference) == 1 ? condition : multiply(condition, number(std::fabs(difference)));
        const Operand added = difference < 0 ? opposite(more) : more;
        return otherwise == 0 ? added : add(added, no);
      }
    }
    const Operand is = positive(condition), then = positive(yes);
    return emit(Do::select, is, then, positive(no));
  }
  static float value_of(const Operand& constant) {
    const auto value = std::bit_cast<float>(constant.number);
    return constant.negative ? -value : value;
  }
  Operand less(const Operand& a, const Operand& b) { return emit(Do::lt, a, b); }
  Operand at_least(const Operand& a, const Operand& b) { return emit(Do::ge, a, b); }
  Operand equal(const Operand& a, const Operand& b) {
    const Operand at_least_b = at_least(a, b);
    return both(at_least_b, at_least(b, a));
  }
  Operand differs(const Operand& a, const Operand& b) {
    const Operand is_less = less(a, b);
    return add(is_less, less(b, a));
  }
  /// Whole numbers, less than most_integer: one comparison is shared with those of the next number.
  Operand equal_to(const Operand& a, std::int32_t whole) {
    const Operand at_least_it = at_least(a, number(static_cast<float>(whole)));
    return subtract(at_least_it, at_least(a, number(static_cast<float>(whole + 1))));
  }
  /// Of truths.
  Operand both(const Operand& a, const Operand& b) {
    const Operand first = positive(a);
    return emit(Do::both, first, positive(b));
  }
  Operand either(const Operand& a, const Operand& b) { return emit(Do::max, a, b); }
  Operand without(const Operand& a) { return subtract(number(1), a); }
  Operand reciprocal(const Operand& a) { return emit(Do::rcp, positive(a)); }

  /// Sine of so many turns of which a quarter has been folded over: -1/4 to 1/4. Off by 4e-6 at most.
  Operand sine_of_quarter(const Operand& turns) {
    // Taylor's series in turns.
    constexpr std::array factors{6.2831853F, -41.341702F, 81.605249F, -76.705860F, 42.058693F};
    const Operand square = multiply(turns, turns);
    Operand sum = number(factors.back());
    for (std::size_t i = factors.size() - 1; i-- > 0;) sum = add(multiply(sum, square), number(factors[i]));
    return multiply(sum, turns);
  }
  Operand sine(const Operand& turns) {
    const Operand left = subtract(turns, floor(add(turns, number(0.75F))));
    return sine_of_quarter(subtract(magnitude(add(left, number(0.25F))), number(0.25F)));
  }
  Operand cosine(const Operand& turns) {
    const Operand left = add(turns, floor(opposite(turns)));
    return sine_of_quarter(subtract(magnitude(add(left, number(0.5F))), number(0.25F)));
  }
  Operand turns_of(const Operand& radians) {
    return multiply(radians, number(static_cast<float>(0.5 / std::numbers::pi)));
  }

  // ---- integers

  /// Rounded to zero; 0 if the divisor is 0. The product with the reciprocal may be one beside it.
  Operand quotient(const Operand& a, const Operand& b) {
    const Operand dividend = magnitude(a), divisor = magnitude(b);
    const Operand near = floor(multiply(dividend, reciprocal(divisor)));
    const Operand rest = subtract(dividend, multiply(near, divisor));
    const Operand raised = add(near, at_least(rest, divisor));
    const Operand exact = subtract(raised, less(rest, number(0)));
    const Operand is_zero = equal(b, number(0));
    const Operand sign = emit(Do::sign, a);
    return choose(is_zero, number(0), multiply(exact, multiply(sign, emit(Do::sign, b))));
  }
  Operand remainder(const Operand& a, const Operand& b) { return subtract(a, multiply(quotient(a, b), b)); }
  /// Of the sign of b.
  Operand modulo(const Operand& a, const Operand& b) {
    const Operand rest = remainder(a, b);
    const Operand is_other = less(multiply(rest, b), number(0));
    return add(rest, multiply(is_other, b));
  }
  Operand shifted(const Operand& a, int places) {
    const Operand product = multiply(a, number(std::ldexp(1.0F, places)));
    return places < 0 ? floor(product) : product;
  }
  std::optional<std::uint32_t> known(ssa::Value value, unsigned component) const {
    const ssa::Instruction* maker = makers_[value];
    return maker != nullptr && maker->op == Op::constant ? std::optional(maker->data[component]) : std::nullopt;
  }
  Operand shift(const ssa::Instruction& each, unsigned i, bool left) {
    const auto places = known(each.operands[1], i);
    if (!places) refuse(each);
    const int count = static_cast<int>(*places % 32);
    return shifted(values_[each.operands[0]][i], left ? count : -count);
  }
  /// The low bits, which the mask has all of.
  Operand low_bits(const ssa::Instruction& each, unsigned i) {
    for (unsigned which : {1U, 0U}) {
      const auto mask = known(each.operands[which], i);
      if (!mask || *mask >= static_cast<std::uint32_t>(most_integer) || !std::has_single_bit(*mask + 1)) continue;
      const Operand a = values_[each.operands[1 - which]][i];
      const int width = std::popcount(*mask);
      return subtract(a, shifted(shifted(a, -width), width));
    }
    refuse(each);
  }

  [[noreturn]] void refuse(const ssa::Instruction& each) const {
    cannot("Utgard GP cannot compute " + std::string(ssa::name(each.op)) + ", as its integers are floats", line_,
           "compute it with +, -, *, /, % and comparisons, or outside of the shader");
  }

  [[noreturn]] void refuse_array(const ssa::Variable& variable) const {
    cannot("on Utgard GP an array that is written to and indexed by what is only known when it runs has at most " +
               std::to_string(most_chosen) + " elements, and " + variable.name + " has " +
               std::to_string(variable.slots.size()),
           line_, "use fewer elements, or constants as indices");
  }

  // ---- instructions

  void select(const ssa::Instruction& each) {
    switch (each.op) {
      case Op::constant:
      case Op::undefined:
        for (unsigned i = 0; i < each.type.components; ++i)
          values_[each.result][i] = number(each.op == Op::constant ? as_float(each.data[i], each.type.base, line_) : 0);
        return;
      case Op::compose:
        return compose(each);
      case Op::swizzle:
        for (unsigned i = 0; i < each.type.components; ++i)
          values_[each.result][i] = values_[each.operands[0]][each.data[i]];
        return;
      case Op::extract:
        return extract(each);
      case Op::insert:
        return insert(each);
      case Op::load:
        return load(each);
      case Op::store:
        return store(each);
      case Op::texture:
        cannot("Utgard GP has no textures", line_, "read the texture in the fragment shader, or use a uniform array");
      case Op::read:
      case Op::write:
      case Op::atomic:
      case Op::length:
        cannot("Utgard GP has no buffers", line_, "use uniforms");
      case Op::phi:  // begin_phi() has them
      case Op::image_load:
      case Op::image_store:
      case Op::image_atomic:
      case Op::barrier:
        refuse(each);
#define OP(name, ...) case Op::name:
#include "compile/ssa/ops.inc"
#undef OP
        for (unsigned i = 0; i < each.type.components; ++i) values_[each.result][i] = compute(each, i);
    }
  }

  void compose(const ssa::Instruction& each) {
    unsigned at = 0;
    for (const ssa::Value operand : each.operands)
      for (unsigned i = 0; i < program_.values[operand].components; ++i)
        values_[each.result][at++] = values_[operand][i];
  }
  void extract(const ssa::Instruction& each) {
    const Vector& from = values_[each.operands[0]];
    const unsigned components = program_.values[each.operands[0]].components;
    Operand result = number(0);
    if (const auto at = known(each.operands[1], 0))
      result = *at < components ? from[*at] : result;
    else
      for (unsigned i = components; i-- > 0;)
        result = choose(equal_to(values_[each.operands[1]][0], static_cast<std::int32_t>(i)), from[i], result);
    values_[each.result][0] = result;
  }
  void insert(const ssa::Instruction& each) {
    const Vector from = values_[each.operands[0]];
    const Operand put = values_[each.operands[1]][0];
    const auto at = known(each.operands[2], 0);
    for (unsigned i = 0; i < each.type.components; ++i)
      values_[each.result][i] =
          at ? (*at == i ? put : from[i])
             : choose(equal_to(values_[each.operands[2]][0], static_cast<std::int32_t>(i)), put, from[i]);
  }

  Operand combine(const ssa::Instruction& each) {
    const Vector& a = values_[each.operands[0]];
    const auto term = [&](unsigned i) {
      return each.op == Op::fdot ? multiply(a[i], values_[each.operands[1]][i]) : a[i];
    };
    Operand result = term(0);
    for (unsigned i = 1; i < program_.values[each.operands[0]].components; ++i)
      result = each.op == Op::fdot   ? add(result, term(i))
               : each.op == Op::bany ? either(result, a[i])
                                     : both(result, a[i]);
    return result;
  }

  void load(const ssa::Instruction& each) {
    const ssa::Variable& variable = program_.variables[each.variable];
    const bool is_indexed = !each.operands.empty();
    if (!layout_.is_placed(each.variable) || variable.storage == Storage::output) refuse_array(variable);
    const bool is_input = variable.storage == Storage::input;
    const std::uint32_t first = each.data[0];
    Vector& result = values_[each.result];
    if (is_input && is_indexed) {
      const Operand index = values_[each.operands[0]][0];
      for (auto slot = static_cast<std::uint32_t>(variable.slots.size()); slot-- > first;) {
        const bool is_last = slot + 1 == variable.slots.size();
        const Operand here = is_last ? Operand{} : equal_to(index, static_cast<std::int32_t>(slot - first));
        for (std::uint8_t i = 0; i < each.type.components; ++i) {
          const Operand element{Operand::Kind::attribute, false, false, i, layout_.place(each.variable, slot)};
          result[i] = is_last ? element : choose(here, element, result[i]);
        }
      }
      return;
    }
    if (is_indexed)
      code_.blocks[here_].operations.push_back(
          {Do::set_address, {positive(values_[each.operands[0]][0])}, no_value, -1, line_});
    for (std::uint8_t i = 0; i < each.type.components; ++i) {
      result[i] = {is_input ? Operand::Kind::attribute : Operand::Kind::memory, false, is_indexed, i,
                   layout_.place(each.variable, first)};
      if (is_indexed) result[i] = emit(Do::add, result[i]);
    }
  }

  void store(const ssa::Instruction& each) {
    const ssa::Variable& variable = program_.variables[each.variable];
    if (variable.storage != Storage::output) refuse_array(variable);
    const ssa::Slot& slot = variable.slots[each.data[0]];
    Vector data = values_[each.operands[0]];
    if (slot.built_in == ssa::BuiltIn::point_size)
      data[0] = emit(Do::min, emit(Do::max, data[0], number(1)), number(100));
    for (unsigned i = 0; i < slot.type.components; ++i) {
      const std::uint32_t place = layout_.place(each.variable, each.data[0]) + i;
      code_.blocks[here_].operations.push_back({Do::add, {data[i]}, no_value, static_cast<std::int32_t>(place), line_});
    }
  }

  Operand compute(const ssa::Instruction& each, unsigned i) {
    const auto operand = [&](std::size_t n) {
      return n < each.operands.size() ? values_[each.operands[n]][i] : Operand{};
    };
    const Operand a = operand(0), b = operand(1), c = operand(2);
    switch (each.op) {
      case Op::fneg:
      case Op::ineg:
        return opposite(a);
      case Op::fabs:
      case Op::iabs:
        return magnitude(a);
      case Op::fsign:
      case Op::isign:
        return emit(Do::sign, a);
      case Op::ffloor:
        return floor(a);
      case Op::fceil:
        return opposite(floor(opposite(a)));
      case Op::ftrunc:
      case Op::f_to_s:
      case Op::f_to_u:
        return truncated(a);
      case Op::fadd:
      case Op::iadd:
        return add(a, b);
      case Op::fsub:
      case Op::isub:
        return subtract(a, b);
      case Op::fmul:
      case Op::imul:
        return multiply(a, b);
      case Op::fdiv:
        return multiply(a, reciprocal(b));
      case Op::frcp:
        return reciprocal(a);
      case Op::ffma:
        return add(multiply(a, b), c);
      case Op::fmin:
      case Op::imin_s:
      case Op::imin_u:
        return emit(Do::min, a, b);
      case Op::band:
        return both(a, b);
      case Op::fmax:
      case Op::imax_s:
      case Op::imax_u:
      case Op::bor:
        return emit(Do::max, a, b);
      case Op::fsqrt:
        return reciprocal(emit(Do::rsqrt, positive(a)));
      case Op::frsqrt:
        return emit(Do::rsqrt, positive(a));
      case Op::fexp2:
        return emit(Do::exp2, positive(a));
      case Op::flog2:
        return emit(Do::log2, positive(a));
      case Op::fsin:
        return sine(turns_of(a));
      case Op::fcos:
        return cosine(turns_of(a));
      case Op::fsinpi:
        return sine(multiply(a, number(0.5F)));
      case Op::fcospi:
        return cosine(multiply(a, number(0.5F)));
      case Op::idiv_s:
      case Op::idiv_u:
        return quotient(a, b);
      case Op::irem_s:
      case Op::irem_u:
        return remainder(a, b);
      case Op::imod_s:
        return modulo(a, b);
      case Op::inot:
        return subtract(opposite(a), number(1));
      case Op::ishl:
        return shift(each, i, true);
      case Op::ishr_s:
      case Op::ishr_u:
        return shift(each, i, false);
      case Op::iand:
        return low_bits(each, i);
      case Op::s_to_f:
      case Op::u_to_f:
        return a;
      case Op::feq:
        return equal(a, b);
      case Op::ieq:
        for (const std::size_t n : {0U, 1U})
          if (const auto whole = known(each.operands[n], i); whole && static_cast<std::int32_t>(*whole) < most_integer)
            return equal_to(n == 0 ? b : a, static_cast<std::int32_t>(*whole));
        return equal(a, b);
      case Op::fne:
      case Op::ine:
      case Op::bxor:
        return differs(a, b);
      case Op::flt:
      case Op::ilt_s:
      case Op::ilt_u:
        return less(a, b);
      case Op::fle:
      case Op::ile_s:
      case Op::ile_u:
        return at_least(b, a);
      case Op::fis_nan:
        return without(at_least(a, a));
      case Op::fis_inf:
        return less(number(std::numeric_limits<float>::max()), magnitude(a));
      case Op::bnot:
        return without(a);
      case Op::select:
        return choose(a, b, c);
      case Op::fdot:
      case Op::bany:
      case Op::ball:
        return combine(each);
      // lowered, or on bits, which floats have no use for
      case Op::fround:
      case Op::fmod:
      case Op::frem:
      case Op::fexp:
      case Op::flog:
      case Op::fpow:
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
      case Op::fmantissa:
      case Op::fexponent:
      case Op::fscale:
      case Op::imulhi_s:
      case Op::imulhi_u:
      case Op::ior:
      case Op::ixor:
      case Op::ibits_s:
      case Op::ibits_u:
      case Op::ibits_put:
      case Op::ireverse:
      case Op::icount:
      case Op::iclz:
      case Op::ilowest:
      case Op::ihighest_s:
      case Op::ihighest_u:
      case Op::f_bits:
      case Op::f_of_bits:
      case Op::f_half:
      case Op::pack_half:
      case Op::unpack_half_low:
      case Op::unpack_half_high:
      case Op::ddx:
      case Op::ddy:
#define OP(name, ...) case Op::name:  // select() has them
#include "compile/ssa/ops_more.inc"
#undef OP
        break;
    }
    refuse(each);
  }

  const ssa::Program& program_;
  const Layout& layout_;
  Code code_;
  std::vector<const ssa::Instruction*> makers_;
  std::vector<Vector> values_;
  std::uint32_t here_ = 0, line_ = 0;
};

}  // namespace

Code select(const ssa::Program& program, const Layout& layout) { return Selector(program, layout).run(); }

}  // namespace mobula::utgard_gp_compiler
