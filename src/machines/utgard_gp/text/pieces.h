// Listings piece by piece: what is the same for all text forms.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/export.h"
#include "core/text_buffer.h"
#include "mobula/isa/machine.h"

namespace mobula::utgard_gp {

/// Prints the words from `begin` to before `end`, and behind the last word of the program what does not fill one.
/// `words`, if given, receives the range of each word's lines. Several threads may call it at once.
using PrintWords =
    std::function<void(std::uint32_t begin, std::uint32_t end, TextBuffer& out, std::vector<Listing::Word>* words)>;

/// The program must outlive the pieces.
MOBULA_INTERNAL ListingPieces in_pieces(const Program& program, PrintWords print, const DisassembleOptions& options);

}  // namespace mobula::utgard_gp
