// Whether a program is what ssa.h says: run after everything that makes or changes one.
#pragma once

#include <string>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// What is wrong, one sentence each; empty if nothing is.
std::vector<std::string> faults(const Program& program);

}  // namespace mobula::ssa
