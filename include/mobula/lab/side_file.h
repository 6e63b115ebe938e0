// Writing side files: JSON beside a program with what its bytes do not say. Reading them: run.h.
#pragma once

#include <string>

#include "mobula/export.h"
#include "mobula/isa/program.h"

namespace mobula {

/// The side file of a program, as JSON text; reading it gives machine, variant, interface and lines again. (The layout
/// of values is not in it: it is the machine's.)
MOBULA_API std::string write_side_file(const Program& program);

}  // namespace mobula
