// Midgard's back end: the form to machine code of any product.
#pragma once

#include "compile/ssa/ssa.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::midgard_compiler {

/// CO030 where the machine cannot do what the shader asks for.
Result<Program> compile(const ssa::Program& form, const std::string& variant);

}  // namespace mobula::midgard_compiler
