// What glslang says of texts that end too soon, and of words that it did not expect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/source.h"

namespace mobula::compile {

/// What is open where a text ends.
struct Unfinished {
  Span where;
  std::string message, hint;
};

/// Where glslang's message, of this line (from 1), is about the end of the text. It puts a declaration of its own
/// behind it, "int;", and may name that.
std::optional<Unfinished> unfinished(std::string_view message, std::uint32_t line, const Source& source);

/// A message about syntax with words as they are typed: glslang calls ";" SEMICOLON. `line` is the line that it is of,
/// `word` the one that is not expected, where that is known.
std::string syntax_as_typed(std::string_view message, std::string_view line, std::string_view word = {});

}  // namespace mobula::compile
