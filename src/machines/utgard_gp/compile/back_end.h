// Utgard GP's back end: the form to machine code that is right, and has more words than it needs: the scheduler of the
// machine makes fewer of it.
#pragma once

#include "compile/back_end.h"
#include "compile/ssa/ssa.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::utgard_gp_compiler {

/// CO030 where the machine cannot do what the shader asks for. Code without branches may be longer than the machine
/// takes, up to 4096 words, as long as it is not scheduled.
Result<Program> compile(const ssa::Program& form, const std::string& variant);

}  // namespace mobula::utgard_gp_compiler

namespace mobula::utgard_gp {

/// The row of the registry.
const compile::BackEnd& back_end();

}  // namespace mobula::utgard_gp
