// In which characters a text is written.
#pragma once

#include <optional>
#include <string_view>

#include "core/export.h"
#include "mobula/isa/diagnostic.h"

namespace mobula {

/// The text without the mark that some editors write before UTF-8. Columns are counted from after it.
MOBULA_INTERNAL std::string_view without_mark(std::string_view text);

/// Letters of 16 bits: a mark of their order, or every other byte zero for longer than in any code.
MOBULA_INTERNAL bool is_utf16(std::string_view bytes);

/// Bytes of the character that begins there in UTF-8, if it is one that a text has; 0 otherwise.
std::size_t character_bytes(std::string_view text);

/// For what is expected to be text: MOB012 where it is in UTF-16 or UTF-32, and MOB014 where much of it is neither
/// UTF-8 nor printed nor white space.
MOBULA_INTERNAL std::optional<Diagnostic> refuse_noise(std::string_view file, std::string_view text);

/// The same, and MOB014 where there is a byte of zero, as in no text.
MOBULA_INTERNAL std::optional<Diagnostic> refuse_other_than_text(std::string_view file, std::string_view text);

/// What to do with such a text.
inline constexpr std::string_view utf16_hint = "iconv -f UTF-16 -t UTF-8 turns it into text that can be read";
inline constexpr std::string_view utf32_hint = "iconv -f UTF-32 -t UTF-8 turns it into text that can be read";

}  // namespace mobula
