// Diagnostics: what mobula has to say about an input, as values. The library never prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"

namespace mobula {

enum class Severity : std::uint8_t { note, warning, error };

/// Where in the input a diagnostic points. A text input has line and column, a binary input has a byte offset.
struct Location {
  std::string file;                          ///< name as the user gave it; empty when there is none
  std::uint32_t line = 0;                    ///< 1-based; 0 = not a text location
  std::uint32_t column = 0;                  ///< 1-based byte column; 0 = whole line
  std::uint32_t length = 1;                  ///< bytes underlined by the caret line
  std::string source_line;                   ///< the line itself, for the caret; may be empty
  std::optional<std::uint64_t> byte_offset;  ///< offset of the word in a binary input
  std::uint32_t bit_low = 0;                 ///< lowest affected bit, counted from bit 0 of the word
  std::uint32_t bit_width = 0;               ///< number of affected bits; 0 = the whole word
};

/// One finding. `message` says what was found and what is allowed; `hint` says how to fix it and may be empty.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  ///< stable rule code such as "MD014"; documented in docs/
  Location where;
  std::string message;
  std::string hint;
};

using Diagnostics = std::vector<Diagnostic>;

/// True if any entry is an error (warnings and notes do not make an input invalid).
MOBULA_API bool has_errors(const Diagnostics& diagnostics);

/// `name:line:col: error: text [CODE]` with source line and caret, then `hint: ...`; ends with a newline.
/// `colour` adds ANSI escapes.
MOBULA_API std::string render(const Diagnostic& diagnostic, bool colour = false);
MOBULA_API std::string render(const Diagnostics& diagnostics, bool colour = false);

/// "error", "warning" or "note".
MOBULA_API std::string_view name(Severity severity);

}  // namespace mobula
