// What GLSL ES forbids and glslang takes.
#pragma once

#include <string>
#include <string_view>

namespace glslang {
class TIntermediate;
}

namespace mobula::compile {

/// A log as glslang writes them, with a line for each: labels of another type than their switch, declarations in front
/// of the first label, interpolation of uniforms, and compute shaders that do not say how large their workgroups are.
/// Empty where there is none, or the text is not of GLSL ES.
std::string broken_es_rules(glslang::TIntermediate& shader, std::string_view file, std::string_view text);

}  // namespace mobula::compile
