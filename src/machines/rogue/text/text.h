// The native text of Rogue (docs/rogue-text.md): printing never fails, and what is printed assembles to the same bytes.
// Reading also accepts the style of the Instruction Set Reference.
#pragma once

#include "core/export.h"
#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {

/// Prints a whole program. `words`, if given, receives the range of each group's lines.
MOBULA_INTERNAL void print(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words);

/// Reads text. Errors carry codes RG1xx, or RG0xx where a rule of the machine forbids a group; all are reported.
MOBULA_INTERNAL Result<Program> parse(const SourceText& source, std::string_view variant);

/// ".byte 0x12, 0x34  // why" for bytes that are no group.
char* put_raw(char* out, const Program& program, std::uint32_t offset, std::uint32_t size, std::string_view why);

}  // namespace mobula::rogue
