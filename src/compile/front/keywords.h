// Words that glslang 12 reads in another way than a version of GLSL does.
#pragma once

#include <string_view>

namespace mobula::compile {

/// Whether a word is a name like any other, though glslang has it for a keyword or for a reserved one.
bool is_only_a_name(std::string_view word, int version, bool is_es);

/// Whether it is a qualifier of GL_KHR_memory_scope_semantics, and without that extension a name like any other.
bool is_qualifier_of_vulkan(std::string_view word);

/// Whether it is reserved, though glslang takes it for a name.
bool is_reserved(std::string_view word, int version, bool is_es);

/// Whether it is a variable or a type of the fixed functions, which GLSL 1.40 has no more without an extension.
bool is_of_fixed_functions(std::string_view name);

}  // namespace mobula::compile
