// The back end for Rogue.
#pragma once

#include <string>

#include "compile/back_end.h"
#include "compile/ssa/ssa.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::rogue_compiler {

/// An empty variant is the usual one.
Result<Program> compile(const ssa::Program& form, const std::string& variant);

}  // namespace mobula::rogue_compiler

namespace mobula::rogue {

/// The row of the registry.
const compile::BackEnd& back_end();

}  // namespace mobula::rogue
