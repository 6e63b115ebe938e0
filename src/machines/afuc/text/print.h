// The text of firmware, printed.
#pragma once

#include <string_view>
#include <vector>

#include "core/export.h"
#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// Two dialects of one language; both are read by the same parser.
enum class Dialect : std::uint8_t {
  own,   ///< addresses in immediates and headers as labels, where words are reached from
  mesa,  ///< what Mesa's assembler reads
};

/// Any bytes; `parse` gives the same bytes back. `bytes` adds address and word of each instruction in a comment.
MOBULA_INTERNAL void print(const Program& program, Dialect dialect, bool bytes, TextBuffer& out,
                           std::vector<Listing::Word>* words);

}  // namespace mobula::afuc
