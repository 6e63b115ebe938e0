// Pictures of machine code, as SVG text: the bits of words, and what a machine makes of them.
//
// Use: svg(machine.explain(program), machine.pictures(program)), or either of the two alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"

namespace mobula {

struct ExplainedWord;

/// Boxes on a grid, and arrows between them. The drawing finds the sizes: a column is as wide as what is in it.
struct Picture {
  /// What a box is; boxes of the same kind share a colour.
  enum class Kind : std::uint8_t { control, input, operation, output, idle };
  struct Box {
    std::uint32_t column = 0, row = 0, columns = 1, rows = 1;  ///< its place, and how many places it takes
    Kind kind = Kind::operation;
    std::string title;
    std::vector<std::string> lines;
  };
  /// A value that goes from one box to another.
  struct Arrow {
    std::size_t from = 0, to = 0;  ///< indices of boxes; an arrow without a box at each end is not drawn
    std::string label;             ///< may be empty
    bool operator==(const Arrow&) const = default;
  };
  std::string title;
  std::vector<std::string> columns;  ///< headings, from the first; may be fewer
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;
};

/// The fields of each word as boxes over its bits, with a table of what they mean; then the pictures. The same text for
/// the same arguments, everywhere.
MOBULA_API std::string svg(std::span<const ExplainedWord> words, std::span<const Picture> pictures);

}  // namespace mobula
