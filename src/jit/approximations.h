// The approximating operations, as LLVM's instructions.
#pragma once

#include "jit/vectors.h"

namespace mobula::jit {

/// What an operation gives before it is rounded to its type.
struct Approximation {
  Value wide = nullptr;  ///< of binary64; none: the operation is none of them
  Value sign = nullptr;  ///< of binary32: the rounded number takes its sign, if there is one
};
/// Operands are vectors of binary32.
Approximation approximated(const Vectors& v, ir::Op op, Value a, Value b);
/// log2 of binary64, as close as flog2 needs.
Value logarithm(const Vectors& v, Value a);

}  // namespace mobula::jit
