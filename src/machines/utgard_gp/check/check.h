// Holding a program to the rules of rules.h.
#pragma once

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

/// Every violation, in order of address. The product is the program's variant; rules about attributes, varyings, the
/// prefetch and the position apply as far as the program's interface says, and constants of the interface decide
/// branches on them. Looks at the first 512 words, in time linear in their number.
Diagnostics check(const Program& program);

/// What is wrong with words by themselves, whatever stands around them.
Diagnostics check_words(const Program& program);

}  // namespace mobula::utgard_gp
