#include "jit/approximations.h"

#include <bit>
#include <limits>
#include <numbers>

namespace mobula::jit {
namespace {

/// How approximations.inc computes with a program in the making: a number is a value of LLVM, a step an instruction.
struct Instructions {
  using N = Value;
  using M = Value;
  inline static thread_local const Vectors* to = nullptr;  ///< where the instructions go

  static N number(double value) { return to->all_real(ir::Type::f64, value); }
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

}  // namespace

Value approximated(const Vectors& v, ir::Op op, Value a, Value b) {
  Instructions::to = &v;
  switch (op) {
    case ir::Op::fexp2:
      return approximate_exp2<Instructions>(a);
    case ir::Op::flog2:
      return approximate_log2<Instructions>(a);
    case ir::Op::fsinpi:
      return approximate_sin_pi<Instructions>(a);
    case ir::Op::fcospi:
      return approximate_cos_pi<Instructions>(a);
    case ir::Op::fatan2_base:
      return approximate_atan2_base<Instructions>(a, b);
    case ir::Op::fatan2_minor:
      return approximate_atan2_minor<Instructions>(a, b);
    case ir::Op::fatan2_recip:
      return approximate_atan2_recip<Instructions>(a, b);
    case ir::Op::fatan2_final:
      return approximate_atan2_final<Instructions>(a, b);
    default:
      return nullptr;
  }
}

}  // namespace mobula::jit
