// Holds firmware to the rules of rules.h.
#pragma once

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::afuc {

/// Findings in order of address. Anything may be given; words that nothing reaches are not judged.
Diagnostics check(const Program& program);

}  // namespace mobula::afuc
