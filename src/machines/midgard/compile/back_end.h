// Midgard's back end: the form to machine code of any product.
#pragma once

#include "compile/back_end.h"
#include "compile/ssa/ssa.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::midgard_compiler {

/// CO030 where the machine cannot do what the shader asks for.
Result<Program> compile(const ssa::Program& form, const std::string& variant);

}  // namespace mobula::midgard_compiler

namespace mobula::midgard {

/// The row of the registry.
const compile::BackEnd& back_end();

}  // namespace mobula::midgard
