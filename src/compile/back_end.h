// What makes machine code of the form that shaders are compiled from: a row for each machine that has a compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/front/limits.h"
#include "compile/ssa/ssa.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::compile {

/// Names of the registry. An empty variant is the machine's usual one.
struct Target {
  std::string machine, variant;
};

struct BackEnd {
  /// Machine code with its Interface (names, push words, system values, locations) and source lines (Program::lines).
  Result<mobula::Program> (*compile)(const ssa::Program& form, const std::string& variant);
  /// What GLSL's constants tell the shaders that are read for it.
  Limits limits;
  /// Its vertex programs put out positions in pixels, and 1/w; otherwise positions are as GLSL has them.
  bool places_positions = true;
  /// Its textures compare each texel that a filter reads; otherwise what comes out of the filter, as GLSL permits.
  bool compares_texels = true;
  /// Its fragment programs pack colours into the format of the pixels.
  bool packs_colours = false;
};

/// nullptr if the machine has no compiler.
const BackEnd* find_back_end(std::string_view machine);
/// Those with a compiler, in the order of docs and listings.
std::vector<std::string_view> machines_with_back_ends();
/// Of a machine without a compiler: true.
bool places_positions(std::string_view machine);
bool compares_texels(std::string_view machine);

}  // namespace mobula::compile
