#include "machines/rogue/text/pieces.h"

#include <algorithm>
#include <memory>

#include "core/listing_pieces.h"

namespace mobula::rogue {
namespace {

/// Bytes of text that a byte of code becomes, about.
constexpr std::size_t expected_growth = 12;
constexpr std::size_t groups_in_piece = piece_bytes / 16;

/// "// 0x0010: 82 60 0a"
char* put_bytes(char* out, std::span<const std::uint8_t> bytes, std::uint64_t offset) {
  out = put_hex_digits(put(out, "// 0x"), offset, offset > 0xFFFF ? 8 : 4);
  out = put(out, ':');
  for (const std::uint8_t byte : bytes) out = put_hex_digits(put(out, ' '), byte, 2);
  return put(out, '\n');
}

struct Groups {
  const Program& program;
  Labels labels;
  PrintGroups print;

  Groups(const Program& of, GroupForm form) : program(of), labels(of), print(form(of, labels)) {}

  [[nodiscard]] std::uint64_t offset(std::size_t group) const {
    return group == labels.groups() ? program.code.size() : labels.offset(group);
  }
  /// Each group after a comment with its bytes.
  Undecoded print_with_bytes(std::size_t begin, std::size_t end, TextBuffer& out,
                             std::vector<Listing::Word>* words) const {
    Undecoded left;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t from = out.size();
      const auto bytes = std::span(program.code).subspan(offset(i), offset(i + 1) - offset(i));
      out.commit(put_bytes(out.reserve(32 + 3 * bytes.size()), bytes, offset(i)));
      left.add(print(i, i + 1, out, words));
      if (words != nullptr) words->back().text_begin = static_cast<std::uint32_t>(from);
    }
    return left;
  }
};

}  // namespace

ListingPieces in_pieces(const Program& program, GroupForm form, const DisassembleOptions& options) {
  return [groups = std::make_shared<const Groups>(program, form), bytes = options.bytes, needs_words = options.words,
          next = std::size_t{0}, done = false]() mutable -> ListingPiece {
    if (done) return {};
    const std::size_t begin = next, end = next = std::min(begin + groups_in_piece, groups->labels.groups());
    done = end == groups->labels.groups();
    return [groups, bytes, needs_words, begin, end] {
      Listing listing;
      TextBuffer text((groups->offset(end) - groups->offset(begin)) * expected_growth);
      std::vector<Listing::Word>* const words = needs_words ? &listing.words : nullptr;
      listing.undecoded =
          bytes ? groups->print_with_bytes(begin, end, text, words) : groups->print(begin, end, text, words);
      listing.text = text.take();
      return listing;
    };
  };
}

}  // namespace mobula::rogue
