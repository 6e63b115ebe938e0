// From the form to operations of the machine.
#pragma once

#include "compile/ssa/ssa.h"
#include "machines/midgard/compile/code.h"
#include "machines/midgard/compile/layout.h"
#include "mobula/isa/machine.h"

namespace mobula::midgard_compiler {

/// Precondition: only operations that the machine has (native.h) are in the program.
Code select(const ssa::Program& program, Layout& layout, UniformRegisters& uniforms, const midgard::Product& product);

}  // namespace mobula::midgard_compiler
