// What messages and listings show of an input: nothing that steers a terminal, and no more than is read.
#pragma once

#include <string>
#include <string_view>

#include "core/export.h"

namespace mobula {

/// Bytes of the character of UTF-8 that the text begins with; 0 where its first byte begins none, or one that steers a
/// terminal.
MOBULA_INTERNAL std::size_t printable_bytes(std::string_view text);

/// The text with control characters and what is not UTF-8 as \xNN; of a longer one its beginning, "..." and its end.
MOBULA_INTERNAL std::string shown(std::string_view text, std::size_t most = 200);

/// Whether a byte of UTF-8 begins a character.
constexpr bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

/// The text between apostrophes: at most its first 40 bytes, "..." for the rest, bytes that do not print as \xNN.
MOBULA_INTERNAL std::string quote(std::string_view text);

}  // namespace mobula
