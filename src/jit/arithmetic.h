// What each operation computes, as LLVM's instructions on one value a lane.
#pragma once

#include <array>

#include "jit/vectors.h"

namespace mobula::jit {

/// A value of each lane, twice: to the bit, and with NaNs of any bits. Arithmetic reads the loose one, since its
/// results do not depend on the bits of NaNs; what nobody reads LLVM removes. So NaNs are made canonical only where
/// somebody looks at their bits.
struct Lanes {
  Value exact = nullptr, loose = nullptr;

  static Lanes plain(Value value) { return {value, value}; }
  explicit operator bool() const { return exact != nullptr; }
};

/// Sources are vectors of ir::source_type; the result is one of ir::result_type. Nothing for an operation that has no
/// form here: the scalar semantics or a kernel do it.
Lanes compute(const Vectors& v, const ir::Operation& operation, const std::array<Lanes, 3>& sources);

/// a + b of floats: for differences between neighbours.
Lanes add_floats(const Vectors& v, ir::Type type, Value a, Value b);

}  // namespace mobula::jit
