// What GLSL ES forbids and glslang takes.
#pragma once

#include <string>
#include <string_view>

namespace glslang {
class TIntermediate;
}

namespace mobula::compile {

/// A log as glslang writes them, with a line for each rule that is broken: of switches, qualifiers and layouts, of what
/// may be read, of constants and workgroups. Empty where there is none, or the text is not of GLSL ES.
/// `text` has been through the preprocessor.
std::string broken_es_rules(glslang::TIntermediate& shader, std::string_view file, std::string_view text);

/// The same of what is declared outside functions alone. Where the parser found something wrong, it may have left
/// anything of the rest.
std::string broken_rules_of_declarations(glslang::TIntermediate& shader, std::string_view file, std::string_view text);

}  // namespace mobula::compile
