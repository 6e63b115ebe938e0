#include "jit/approximations.h"

#include <bit>
#include <limits>
#include <numbers>

namespace mobula::jit {
namespace {

/// How approximations.inc computes with a program in the making: a number is a value of LLVM, a step an instruction.
/// Numbers of f32 are for what is exact with them.
template <ir::Type type>
struct Instructions {
  using N = Value;
  using M = Value;
  inline static thread_local const Vectors* to = nullptr;  ///< where the instructions go

  static N number(double value) { return to->all_real(type, value); }
  static N add(N a, N b) { return to->fadd(a, b); }
  static N sub(N a, N b) { return to->fsub(a, b); }
  static N mul(N a, N b) { return to->fmul(a, b); }
  static N div(N a, N b) { return to->fdiv(a, b); }
  static N mul_add(N a, N b, N c) { return to->call("llvm.fma", {LLVMTypeOf(a)}, {a, b, c}); }
  static N nearest(N a) { return to->unary("llvm.roundeven", a); }
  static N abs(N a) { return to->unary("llvm.fabs", a); }
  static N copy_sign(N size, N sign) { return to->binary("llvm.copysign", size, sign); }
  static M less(N a, N b) { return to->ftest(LLVMRealOLT, a, b); }
  static M equal(N a, N b) { return to->ftest(LLVMRealOEQ, a, b); }
  static M either(M a, M b) { return to->or_(a, b); }
  static N choose(M which, N yes, N no) { return to->select(which, yes, no); }
  static N power_of_two(N n) { return from_bits(to->shl(bits(add(n, number(0x1.8p52 + 1023))), word(52))); }
  static N exponent(N a) {
    const Value biased = to->or_(to->lshr(bits(a), word(52)), word(std::bit_cast<std::uint64_t>(0x1p52)));
    return sub(from_bits(biased), number(0x1p52 + 1023));
  }
  static N mantissa(N a) {
    const Value fraction = to->and_(bits(a), word((std::uint64_t{1} << 52) - 1));
    return from_bits(to->or_(fraction, word(std::bit_cast<std::uint64_t>(1.0))));
  }

 private:
  static Value word(std::uint64_t value) { return to->all(ir::Type::i64, value); }
  static Value bits(N a) { return to->bits(a, to->vector(ir::Type::i64)); }
  static N from_bits(Value a) { return to->bits(a, to->vector(ir::Type::f64)); }
};

#include "execute/approximations.inc"

using Wide = Instructions<ir::Type::f64>;
using Narrow = Instructions<ir::Type::f32>;

}  // namespace

Approximation approximated(const Vectors& v, ir::Op op, Value a, Value b) {
  Wide::to = Narrow::to = &v;
  const auto widened = [&](Value each) { return v.cast(LLVMFPExt, each, v.vector(ir::Type::f64)); };
  switch (op) {
    case ir::Op::fexp2:
      return {approximate_exp2<Wide>(widened(a))};
    case ir::Op::flog2:
      return {approximate_log2<Wide>(widened(a))};
    case ir::Op::fsinpi: {
      const SineArgument<Narrow> argument(a);
      return {sine_of_half_turns<Wide>(widened(argument.from_axis)), argument.sign};
    }
    case ir::Op::fcospi:
      return {cosine_of_half_turns<Wide>(widened(half_turns<Narrow>(a)))};
    case ir::Op::fatan2_base:
      return {approximate_atan2_base<Wide>(widened(a), widened(b))};
    case ir::Op::fatan2_minor:
      return {approximate_atan2_minor<Wide>(widened(a), widened(b))};
    case ir::Op::fatan2_recip:
      return {approximate_atan2_recip<Wide>(widened(a), widened(b))};
    case ir::Op::fatan2_final:
      return {approximate_atan2_final<Wide>(widened(a), widened(b))};
    default:
      return {};
  }
}

Value logarithm(const Vectors& v, Value a) {
  Wide::to = &v;
  return approximate_log2<Wide>(a);
}

}  // namespace mobula::jit
