// Scalar semantics: the definition of the micro-operations of mobula/ops.inc. Everything faster is tested against it.
#pragma once

#include <cstdint>

#include "mobula/isa/ir.h"

namespace mobula::ir {

/// How a run treats floats beyond what each operation says.
struct FloatMode {
  /// f16 and f32 denormals become zeros of their sign, as operands and as results, in every operation that reads or
  /// makes floats except those that only move bits (mov, select, fneg, fabs). f64 is not touched.
  bool flush_denormals = false;
};

/// The result of one operation. Operands and result are the raw bits of their type in the low end, zeros above;
/// operands the operation does not have are ignored. The operation must be one ir::verify accepts and compute a value:
/// for ddx, ddy, quad_first, task_lane, task_first, enable, control and calls, which need more than one lane's
/// operands, the result is 0.
///
/// frcp and fsqrt are correctly rounded to nearest even, as is every operation with a Round in that rounding. The other
/// approximating operations (frsqrt, fexp2, flog2, fsinpi, fcospi, fatan2_*) are computed in double (f64: long double)
/// and rounded to nearest even.
std::uint64_t evaluate(const Operation& operation, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       const FloatMode& mode = {});

/// What flog2 rounds to its type: the same in code of every kind and on every computer, unlike the C library's.
double logarithm(double a);

}  // namespace mobula::ir
