// Listings piece by piece: what is the same for all text forms.
#pragma once

#include <functional>
#include <vector>

#include "core/text_buffer.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {

/// Prints the groups from number `begin` to before `end`. `words`, if given, receives the range of each group's lines.
/// Several threads may call it at once, if they begin in the order of the groups.
using PrintGroups =
    std::function<Undecoded(std::size_t begin, std::size_t end, TextBuffer& out, std::vector<Listing::Word>* words)>;
/// A text form; program and labels outlive what it makes.
using GroupForm = PrintGroups (*)(const Program& program, const Labels& labels);

/// What a text form makes of any groups, if `print_group(group, number, out)` returns where the text of one that it has
/// written to `out` ends; this takes at most `room` bytes.
template <class PrintGroup>
Undecoded print_each(const Program& program, const Labels& labels, std::size_t begin, std::size_t end, std::size_t room,
                     TextBuffer& out, std::vector<Listing::Word>* words, PrintGroup print_group) {
  Undecoded left;
  for (std::size_t i = begin; i < end; ++i) {
    const Group group = decode_group(program, labels.offset(i));
    const auto from = static_cast<std::uint32_t>(out.size());
    out.commit(print_group(group, i, out.reserve(room)));
    if (group.raw()) left.add(group.offset, group.size);
    if (words != nullptr) words->push_back({group.offset, group.size, from, static_cast<std::uint32_t>(out.size())});
  }
  return left;
}

/// The program must outlive the pieces.
MOBULA_INTERNAL ListingPieces in_pieces(const Program& program, GroupForm form, const DisassembleOptions& options);

}  // namespace mobula::rogue
