// Constants whose values glslang does not compute.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "mobula/isa/diagnostic.h"

namespace glslang {
class TIntermediate;
}

namespace mobula::compile {

/// Whether a text has no other errors than that constants have values that glslang does not take for constant, and
/// these are computed of constants by built-in functions, as GLSL permits: `const float a = sinh(1.0)`. They stay
/// variables that nothing may write to. Those of `variables` were made variables of the whole file, as below. In GLSL
/// ES what the file's variables begin with must be such, too.
bool are_unfolded_constants(const Diagnostics& errors, glslang::TIntermediate& shader,
                            const std::set<std::string, std::less<>>& variables = {});

/// A text whose constants at file scope are variables where `errors` say that they are not constant.
struct WithVariables {
  std::string text;  ///< with as many letters in each line
  std::set<std::string, std::less<>> names;
};
/// None where no error is of that kind, nor of what a variable of the file begins with.
std::optional<WithVariables> with_variables_for_constants(const Diagnostics& errors, std::string_view file,
                                                          std::string_view text);

}  // namespace mobula::compile
