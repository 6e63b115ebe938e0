// The approximating operations, as LLVM's instructions.
#pragma once

#include "jit/vectors.h"

namespace mobula::jit {

/// What the operation gives in binary64, before it is rounded to its type; nothing if it is none of them. Operands are
/// vectors of binary64.
Value approximated(const Vectors& v, ir::Op op, Value a, Value b);

}  // namespace mobula::jit
