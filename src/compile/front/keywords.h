// Words that glslang 12 reads in another way than a version of GLSL does.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::compile {

/// Whether a word is a name like any other where no extension has it, though glslang has it for a keyword or for a
/// reserved one.
bool is_only_a_name(std::string_view word, int version, bool is_es);

/// The extension by which such a word is a keyword; null where there is none.
const char* extension_with(std::string_view word);

/// Whether it is reserved, though glslang takes it for a name or for a keyword.
bool is_reserved(std::string_view word, int version, bool is_es);

/// Whether it is a variable, a type or a constant of the fixed functions, which GLSL has no more from 1.40 on: without
/// an extension there, and without the compatibility profile later. `version` is one of these.
bool is_of_fixed_functions(std::string_view name, int version);

/// "did you mean X?" with the keyword that a word is like, and of one that is a keyword elsewhere, that; empty where it
/// is like none.
std::string near_keyword(std::string_view word);

/// What to do about a name of GLSL that a shader does not have: what this version or stage has in its place; empty of
/// others.
std::string hint_for_name(std::string_view name);

/// The version from which on there is a constant of the language, and the extensions that have it before; null behind
/// the last of them.
struct Since {
  int version = 0;
  std::array<const char*, 3> extensions{};
};
/// Of the constants that glslang has earlier.
std::optional<Since> constant_since(std::string_view name, bool is_es);

}  // namespace mobula::compile
