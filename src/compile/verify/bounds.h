// Between which numbers the values of a program lie, whatever its inputs are.
#pragma once

#include <limits>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::compile {

/// Of all components of a value. What is no number aside.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// By value. Infinite where nothing is known, as of inputs and of what loops compute.
std::vector<Bounds> bounds_of(const ssa::Program& program);

}  // namespace mobula::compile
