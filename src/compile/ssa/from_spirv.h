// SPIR-V, as optimise() leaves it, to the form that is compiled from.
#pragma once

#include <string_view>

#include "compile/front/shader.h"
#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// The program of a stage; of the only one where the stage is unknown. CO015 if there is none or a choice, CO020 for
/// what is not supported, with the construct and the line of the source.
Result<Program> from_spirv(const compile::Spirv& module, Stage stage, std::string_view file);

}  // namespace mobula::ssa
