// From the form to operations of the machine.
#pragma once

#include "compile/midgard/code.h"
#include "compile/midgard/layout.h"
#include "compile/ssa/ssa.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/machine.h"

namespace mobula::midgard_compiler {

/// Thrown where the machine cannot do what the shader asks for: CO030.
struct CannotDo {
  Diagnostic why;
};
[[noreturn]] void cannot(std::string what, std::uint32_t line, std::string hint);

/// Precondition: only operations that the machine has (native.h) are in the program.
Code select(const ssa::Program& program, Layout& layout, UniformRegisters& uniforms, const midgard::Product& product);

}  // namespace mobula::midgard_compiler
