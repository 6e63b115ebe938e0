// Holding a program to the rules of rules.h.
#pragma once

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::midgard {

/// Every violation, in order of address. The product is the program's variant; rules about registers, local memory and
/// stages apply as far as the program's interface says. Takes time linear in the program's length, and stops with a
/// note (MD200) after `check_limit` findings. Trailing zero quadwords are padding.
Diagnostics check(const Program& program);

}  // namespace mobula::midgard
