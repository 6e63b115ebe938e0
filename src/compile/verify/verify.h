// Whether machine code computes what its source says: both are executed with the same inputs, and what GLSL promises of
// the results is compared. docs/compile.md says what it promises.
#pragma once

#include "compile/ssa/ssa.h"
#include "mobula/compile/shader.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::compile {

/// `code` is what a compiler made of `form`, with its Interface. Fails if the code cannot be executed at all.
Result<VerifyOutcome> verify(const ssa::Program& form, const mobula::Program& code, const VerifyOptions& options = {});

}  // namespace mobula::compile
