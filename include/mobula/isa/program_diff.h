// What differs between two programs of one machine, word by word, even if every address has moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula {

/// A word that is in both programs, or in one of them.
struct ProgramDiffLine {
  enum class Kind : std::uint8_t { same, removed, added } kind = Kind::same;
  std::uint64_t byte_offset = 0;  ///< in the old program if removed, else in the new one
  std::string text;               ///< on one line
};

struct ProgramDiff {
  std::vector<ProgramDiffLine> lines;  ///< of all words
  std::size_t same = 0, removed = 0, added = 0;
};

/// Words are equal if they do the same, regardless of address: a branch, if it leads to the same word. MOB009:
/// the programs are of different machines.
MOBULA_API Result<ProgramDiff> diff(const Program& before, const Program& after);

/// The words that differ, each with `context` words around it. For a person; ends with a newline.
MOBULA_API std::string report(const ProgramDiff& diff, std::size_t context = 3);

}  // namespace mobula
