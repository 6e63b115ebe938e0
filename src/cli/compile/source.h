// From the file that somebody names to the form that is compiled from, and to machine code.
#pragma once

#include <cstdint>
#include <span>

#include "cli/command.h"
#include "compile/front/shader.h"
#include "compile/make/make.h"
#include "compile/ssa/ssa.h"
#include "mobula/isa/machine.h"

namespace mobula::cli {

/// The shader in `bytes` as SPIR-V with its functions in one. Stops with every error of the source.
compile::Spirv optimised_spirv(const SourceOptions& options, std::span<const std::uint8_t> bytes);
/// The form as it comes from there.
ssa::Program form_of(const SourceOptions& options, const compile::Spirv& module);
/// Machine code of the form, optimised first. A Stop for misuse if the machine has no compiler.
compile::MachineCode code_of(const ssa::Program& form, const MachineChoice& target, const std::string& file,
                             unsigned level);

}  // namespace mobula::cli
