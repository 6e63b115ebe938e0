#include "machines/utgard_gp/text/pieces.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/listing_pieces.h"
#include "machines/utgard_gp/spec/codec.h"

namespace mobula::utgard_gp {
namespace {

/// Bytes of text that a byte of code becomes, about.
constexpr std::size_t expected_growth = 8;

/// "// 0x0010: ad4ad6b5 038002b5 0007ff80 000ad500"
char* put_bytes(char* out, const Word128& word, std::uint64_t byte_offset) {
  out = put_hex_digits(put(out, "// 0x"), byte_offset, byte_offset > 0xFFFF ? 8 : 4);
  out = put(out, ':');
  for (const std::uint32_t part : parts(word)) out = put_hex_digits(put(out, ' '), part, 8);
  return put(out, '\n');
}

/// Each word after a comment with its bytes.
void print_with_bytes(const PrintWords& print, const Program& program, std::uint32_t begin, std::uint32_t end,
                      TextBuffer& out, std::vector<Listing::Word>* words) {
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::size_t from = out.size();
    out.commit(put_bytes(out.reserve(64), load_word(program.code, i), std::uint64_t{i} * word_bytes));
    print(i, i + 1, out, words);
    if (words != nullptr) words->back().text_begin = static_cast<std::uint32_t>(from);
  }
  if (begin == end) print(begin, end, out, words);
}

}  // namespace

ListingPieces in_pieces(const Program& program, PrintWords print, const DisassembleOptions& options) {
  return [&program, print = std::make_shared<const PrintWords>(std::move(print)), bytes = options.bytes,
          needs_words = options.words, count = word_count(program.code), next = std::uint32_t{0},
          done = false]() mutable -> ListingPiece {
    if (done) return {};
    const std::uint32_t begin = next, end = next = begin + std::min(count - begin, piece_bytes / word_bytes);
    done = end == count;
    return [&program, print, bytes, needs_words, begin, end, is_last = done] {
      Listing listing;
      TextBuffer text((end - begin) * word_bytes * expected_growth);
      std::vector<Listing::Word>* const words = needs_words ? &listing.words : nullptr;
      if (bytes)
        print_with_bytes(*print, program, begin, end, text, words);
      else
        (*print)(begin, end, text, words);
      listing.text = text.take();
      const std::size_t rest = program.code.size() % word_bytes;
      if (is_last) listing.undecoded.add(program.code.size() - rest, rest);
      return listing;
    };
  };
}

}  // namespace mobula::utgard_gp
