// What a machine does not compute by itself is made of what it does.
#pragma once

#include <bitset>
#include <initializer_list>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// What a machine computes by itself: operations of ops.inc, and how far some of them go.
class Native {
 public:
  Native(std::initializer_list<Op> ops) {
    for (const Op op : ops) ops_.set(static_cast<std::size_t>(op));
  }
  void set(Op op, bool native = true) { ops_.set(static_cast<std::size_t>(op), native); }
  /// What is no row of ops.inc is no matter of arithmetic, and stays.
  [[nodiscard]] bool has(Op op) const { return op >= Op::constant || ops_.test(static_cast<std::size_t>(op)); }
  /// Whether it has the operation for all operands.
  [[nodiscard]] bool has_whole(Op op) const {
    if ((op == Op::fsinpi || op == Op::fcospi) && !any_angle) return false;
    if ((op == Op::f_to_s || op == Op::f_to_u) && !saturates) return false;
    return has(op);
  }

  bool any_angle = true;  ///< fsinpi and fcospi take every angle; otherwise those from -1 to 1
  bool saturates = true;  ///< f_to_s and f_to_u of what is out of range are as defined; otherwise anything
  bool has_bits = true;   ///< floats can be taken for integers and back, as f_bits and f_of_bits do

 private:
  std::bitset<static_cast<std::size_t>(Op::constant)> ops_;
};

/// Replaces every operation that is not native. Vectors stay vectors. What comes out is within the accuracy that GLSL
/// ES asks for, and exact for integers; intermediate results are relaxed only where that accuracy permits it. Constants
/// and repetitions that it makes are worth another simplify(). So is algebra(), for machines that have fneg and ineg,
/// which it makes of differences from 0.
///
/// Native must be (std::logic_error otherwise): fadd, fmul; frcp or fdiv; frsqrt or fsqrt; fexp2, flog2; fsinpi, or
/// fsin and fcos; iadd, isub, imul, iand, ior, ixor, inot, the shifts; f_to_s, s_to_f, f_bits, f_of_bits; all
/// comparisons but fis_nan and fis_inf; band, bor, bxor, bnot, select; ddx and ddy. Of these, those that the program
/// has no use for may be left out. Without bits of floats, also fneg and fabs, and the sign of 0 is lost.
void lower(Program& program, const Native& native);

}  // namespace mobula::ssa
