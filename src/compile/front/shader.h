// A shader as a person has it: GLSL of any version, or SPIR-V. What comes out of this folder is SPIR-V that has been
// checked, and nothing after it knows where it came from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/front/limits.h"
#include "compile/front/shader_text.h"
#include "compile/front/shared_names.h"
#include "mobula/compile/shader.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::compile {

/// A module, word by word.
using Spirv = std::vector<std::uint32_t>;

struct GlslSource {
  std::string_view file;  ///< its name in errors
  std::string_view text;
  Stage stage = Stage::unknown;
  std::vector<Macro> macros;
  FindIncluded find_included;         ///< empty: nothing can be included
  std::optional<Limits> limits = {};  ///< of the machine; none: what every machine has
};

/// What else is known of a text that was compiled.
struct Remarks {
  SharedNames shared;                      ///< what it has in common with other shaders
  Diagnostics warnings;                    ///< CO002
  std::shared_ptr<const ShaderText> text;  ///< null where there is none
};

/// GLSL to SPIR-V. Every error and warning of the text with its place: CO001, CO002; what the libraries cannot do:
/// CO003; what is too large: CO004.
Result<Spirv> glsl_to_spirv(const GlslSource& source, Remarks* remarks = nullptr);

/// What a file of SPIR-V holds, as binary (of either byte order) or as text: CO010 to CO012.
bool is_spirv_binary(std::span<const std::uint8_t> bytes);
bool is_spirv_text(std::string_view text);
Result<Spirv> read_spirv(std::span<const std::uint8_t> bytes, std::string_view file);
Result<Spirv> assemble_spirv(std::string_view text, std::string_view file);

/// The module as text that assemble_spirv() takes.
std::string print_spirv(const Spirv& module);

/// The module with its functions in one, what is known computed, variables as values. CO013 for what would become too
/// large, CO014 for what the optimiser refuses.
Result<Spirv> optimise(const Spirv& module, std::string_view file);

}  // namespace mobula::compile
