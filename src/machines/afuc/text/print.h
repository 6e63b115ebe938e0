// The text of firmware, printed.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "core/text_buffer.h"
#include "machines/afuc/image/image.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// Two dialects of one language; both are read by the same parser.
enum class Dialect : std::uint8_t {
  own,   ///< addresses in immediates and headers as labels, where words are reached from
  mesa,  ///< what Mesa's assembler reads
};

/// Any bytes; `parse` gives the same bytes back. `words`, if given, receives the range of each word's lines.
MOBULA_INTERNAL void print(const Image& image, Dialect dialect, TextBuffer& out, std::vector<Listing::Word>* words);
/// The same piece by piece. With `bytes`, each instruction has its address and word in a comment. The program of the
/// image must outlive the pieces.
ListingPieces print_in_pieces(const std::shared_ptr<const Image>& image, Dialect dialect,
                              const DisassembleOptions& options);

}  // namespace mobula::afuc
