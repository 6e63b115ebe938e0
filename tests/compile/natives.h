// What machines may have, for tests of what is lowered to it.
#pragma once

#include "compile/passes/lower.h"

namespace mobula::test {

/// The least that there must be.
inline ssa::Native least_native() {
  using ssa::Op;
  ssa::Native native{Op::fadd,   Op::fmul,   Op::frcp,   Op::frsqrt, Op::fexp2,     Op::flog2, Op::fsinpi, Op::iadd,
                     Op::isub,   Op::imul,   Op::iand,   Op::ior,    Op::ixor,      Op::inot,  Op::ishl,   Op::ishr_s,
                     Op::ishr_u, Op::f_to_s, Op::s_to_f, Op::f_bits, Op::f_of_bits, Op::feq,   Op::fne,    Op::flt,
                     Op::fle,    Op::ieq,    Op::ine,    Op::ilt_s,  Op::ilt_u,     Op::ile_s, Op::ile_u,  Op::band,
                     Op::bor,    Op::bxor,   Op::bnot,   Op::select, Op::ddx,       Op::ddy};
  native.any_angle = false;
  native.saturates = false;
  return native;
}

/// Much as a Mali of the Midgard family.
inline ssa::Native rich_native() {
  using ssa::Op;
  ssa::Native native = least_native();
  for (const Op op :
       {Op::fneg,     Op::ineg,     Op::iabs,   Op::fabs,   Op::ffloor, Op::fceil,           Op::ftrunc,
        Op::fround,   Op::fsub,     Op::fmin,   Op::fmax,   Op::fdot,   Op::fsqrt,           Op::fcospi,
        Op::imin_s,   Op::imin_u,   Op::imax_s, Op::imax_u, Op::iclz,   Op::imulhi_s,        Op::f_to_u,
        Op::u_to_f,   Op::imulhi_u, Op::bany,   Op::ball,   Op::f_half, Op::unpack_half_low, Op::unpack_half_high,
        Op::pack_half})
    native.set(op);
  native.any_angle = true;
  native.saturates = true;
  return native;
}

}  // namespace mobula::test
