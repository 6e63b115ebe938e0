// Putting groups of a text together: their lengths, the addresses of labels, and what branches aim at.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machines/rogue/text/group_assembler.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

/// What a line or a braced piece of text became.
struct Entry {
  Group group;
  bool is_group = false;
  std::vector<std::uint8_t> bytes;  ///< of .byte, or of a padding given as such
  bool has_padding = false;
  std::uint32_t words = 0;  ///< len=, 0 = not given
  /// .align: what follows it begins at a multiple; .org: at this byte. No bytes of its own.
  std::optional<std::uint32_t> align, org;
  Span span;
  std::uint32_t line = 0;  ///< 1-based
  std::optional<TextOperand> target;
};

/// A text that has been read; labels name positions in `entries`.
struct ParsedText {
  std::vector<Entry> entries;
  std::unordered_map<std::string, std::size_t> labels;
  std::vector<std::pair<std::string_view, std::size_t>> label_order;  ///< as they are in the text
  std::optional<LineToken> entry;                                     ///< label of .entry
};

/// Fills code, labels and entry of the program. What cannot be is complained about.
void link(ParsedText& text, const GroupAssembler::Complain& complain, Program& program);

}  // namespace mobula::rogue
