// What glslang says of a text, as diagnostics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "mobula/isa/diagnostic.h"

namespace mobula::compile {

/// Texts by the names that messages give them.
using NamedTexts = std::map<std::string, std::string, std::less<>>;

/// Why a text is not included that includes itself; all else that is said of it comes of that.
inline constexpr const char* endless_inclusion = "files include each other more than 64 deep";

/// One diagnostic for each line of the log that is one, with place, line and caret where the log tells the line.
/// glslang tells no columns: the caret is where the word that it quotes begins in that line. Errors are CO001, warnings
/// CO002; CO004 where the parser's stack does not suffice, CO005 for what only the whole text shows.
/// What -D defines is in the file "-D"; where #line gives lines other numbers, places have no text.
Diagnostics read_log(std::string_view log, const NamedTexts& texts);

/// Whether an error is about a type without a precision.
bool is_of_precision(const Diagnostic& error);

/// Where a word stands that the grammar does not have there, behind which glslang reads no more; where the log tells
/// columns. Both count from 1.
struct SyntaxError {
  std::string file;
  std::uint32_t line = 0, column = 0;
};
std::optional<SyntaxError> syntax_error_in(std::string_view log, const NamedTexts& texts);

}  // namespace mobula::compile
