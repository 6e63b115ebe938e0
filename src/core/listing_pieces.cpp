#include "core/listing_pieces.h"

#include <utility>

namespace mobula {

Listing joined(const ListingPieces& pieces) {
  Listing all;
  bool first = true;
  while (const ListingPiece piece = pieces()) {
    Listing more = piece();
    if (std::exchange(first, false)) {
      all = std::move(more);
      continue;
    }
    const auto before = static_cast<std::uint32_t>(all.text.size());
    all.text += more.text;
    for (const Listing::Word& word : more.words)
      all.words.push_back({word.byte_offset, word.byte_length, word.text_begin + before, word.text_end + before});
    all.undecoded.add(more.undecoded);
  }
  return all;
}

}  // namespace mobula
