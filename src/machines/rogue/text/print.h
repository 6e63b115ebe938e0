// The native text of Rogue (docs/rogue-text.md), printed: that never fails, and what is printed assembles to the same
// bytes.
#pragma once

#include "core/export.h"
#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {

/// Prints a whole program. `words`, if given, receives the range of each group's lines.
MOBULA_INTERNAL Undecoded print(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words);

/// ".byte 0x12, 0x34  // why" for bytes that are not a group.
char* put_raw(char* out, const Program& program, std::uint32_t offset, std::uint32_t size, std::string_view why);

}  // namespace mobula::rogue
