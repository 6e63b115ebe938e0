// How glslang is begun and asked.
#pragma once

#include <glslang/Public/ShaderLang.h>

#include "mobula/isa/program.h"

namespace mobula::compile {

/// Its tables are the process's: built once, and kept to its end.
void initialise_library();
EShLanguage language_of(Stage stage);

/// Of GLSL that does not say.
inline constexpr int version_if_none = 100;

}  // namespace mobula::compile
