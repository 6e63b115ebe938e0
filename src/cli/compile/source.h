// From the file that somebody names to the shader in it, and to machine code.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/command.h"
#include "mobula/compile/shader.h"

namespace mobula::cli {

/// The shader in `bytes`. Stops with every error of the source.
compile::Shader read_shader(const SourceOptions& options, std::span<const std::uint8_t> bytes);
/// Its code for --machine. A Stop for misuse if the machine has no compiler.
compile::MachineCode code_of(const compile::Shader& shader, const std::string& machine, const std::string& file,
                             unsigned level);

}  // namespace mobula::cli
