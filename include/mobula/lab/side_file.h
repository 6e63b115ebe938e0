// Writing side files: JSON beside a program with what its bytes do not say. Reading them: run.h.
#pragma once

#include <string>

#include "mobula/export.h"
#include "mobula/isa/program.h"

namespace mobula {

/// The side file of a program of Utgard GP, as JSON text; reading it gives machine, variant and interface again.
MOBULA_API std::string write_side_file(const Program& program);

}  // namespace mobula
