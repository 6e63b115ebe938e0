// Listings that are made piece by piece.
#pragma once

#include <cstdint>

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula {

/// Code whose words are a piece, about: their text fits into a processor's cache, and is worth a call of the system.
inline constexpr std::uint32_t piece_bytes = 64 << 10;

/// All pieces put together.
MOBULA_INTERNAL Listing joined(const ListingPieces& pieces);

/// Calls use(word, text) for every word of the pieces, of which one at a time is kept.
template <class Use>
void for_each_word(const ListingPieces& pieces, Use use) {
  while (const ListingPiece piece = pieces()) {
    const Listing listing = piece();
    const std::string_view text = listing.text;
    for (const Listing::Word& word : listing.words)
      use(word, text.substr(word.text_begin, word.text_end - word.text_begin));
  }
}

}  // namespace mobula
