// What a shader shares with the others of a program: inputs, outputs, uniforms and blocks. Those of two shaders must
// fit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compile/front/shader_text.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace glslang {
class TIntermediate;
class TType;
}  // namespace glslang

namespace mobula::compile {

struct SharedName {
  enum class Kind : std::uint8_t { input, output, uniform, uniform_block, storage_block };
  Kind kind = Kind::input;
  std::string name;                  ///< of blocks, that of the block
  std::string type;                  ///< as text with all that must be the same: members, of uniforms also precisions
  std::string interpolation;         ///< of a block, that of each member
  std::vector<std::string> members;  ///< of a block without an instance name, whose members are names of the shader
  Location where;                    ///< of its declaration; no line where that is not found
  int location = -1, binding = -1;   ///< -1: not said
  std::string format;                ///< of an image; empty: not said
  int component = 0;                 ///< of its location, where it begins
  int locations = 1;                 ///< that a uniform takes
  std::vector<double> initial;       ///< what a uniform holds at first; empty: not said
  bool invariant = false, centroid = false;
  bool used = false;  ///< outside its declaration
};

struct BuiltInName {
  bool is_invariant = false;
  Location where;  ///< of its declaration, or else of its first use
};

struct SharedNames {
  Stage stage = Stage::unknown;
  Location where;  ///< of the text's version
  int version = 0;
  bool is_es = false;
  std::vector<SharedName> all;
  std::map<std::string, BuiltInName> built_ins;  ///< those that are used
};

/// How many locations a uniform of a type takes: one for each member and element that is neither array nor structure.
int uniform_locations(const glslang::TType& type);

/// Of what glslang has made of a text.
SharedNames shared_names_of(glslang::TIntermediate& shader, Stage stage, const ShaderText& text);

/// What keeps a vertex and a fragment shader out of one program: CO016, at what the fragment shader declares.
Diagnostics misfits(const SharedNames& vertex, const SharedNames& fragment);

}  // namespace mobula::compile
