// Shaders as people write them, where programs are expected: they are compiled on the way in.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/command.h"
#include "mobula/isa/program.h"

namespace mobula::cli {

#ifdef MOBULA_COMPILE
/// GLSL or SPIR-V, by the name of the file or by what it holds.
bool is_shader(const InputOptions& options, const std::string& file, std::span<const std::uint8_t> bytes);
/// The machine code that the compiler of --machine makes of it. A Stop where that machine has none.
Program compile_shader(const InputOptions& options, const std::string& file);
#else
inline bool is_shader(const InputOptions&, const std::string&, std::span<const std::uint8_t>) { return false; }
inline Program compile_shader(const InputOptions&, const std::string&) { return {}; }
#endif

}  // namespace mobula::cli
