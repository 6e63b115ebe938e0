// Raw code says nothing about its machine. What is asked for counts, but where the code itself speaks against it, that
// is told.
#pragma once

#include "mobula/isa/program.h"

namespace mobula::cli {

/// MOB016 where the rules of the program's machine find errors in raw code, and those of one other machine none.
Diagnostics doubts(const Program& program);

}  // namespace mobula::cli
