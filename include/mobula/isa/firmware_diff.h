// What changed between two versions of firmware, function by function, even if every address has moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::firmware {

/// One line of a changed function.
struct DiffLine {
  enum class Kind : std::uint8_t { same, removed, added } kind = Kind::same;
  std::uint32_t word = 0;  ///< in its program: of the old image if removed, else of the new one
  std::string text;
};

/// A register of one version that has another number in the other.
struct DiffRegister {
  std::string before, after;
};

/// A packet handler, a function or code entered by its address; it extends to the start of the next one. Scratch
/// registers that are renumbered throughout are not a difference.
struct DiffFunction {
  enum class Kind : std::uint8_t { same, changed, added, removed } kind = Kind::same;
  std::string core;
  std::string old_name, new_name;  ///< "CP_NOP", "fxn120"; empty where there is none
  std::uint32_t old_words = 0, new_words = 0;
  std::vector<DiffRegister> registers;  ///< scratch registers with other numbers
  std::vector<DiffLine> lines;          ///< of changed functions: the lines that differ, with some context
};

/// One instruction that replaces another, wherever that happened: shows a fix that touches many functions at once.
struct DiffReplacement {
  std::string before, after;        ///< with `$x` for the destination where that is the same register
  std::vector<std::string> places;  ///< functions of the new image, once per occurrence
};

struct Diff {
  std::vector<DiffFunction> functions;        ///< in order of the new image, each removed one after its old neighbour
  std::vector<DiffReplacement> replacements;  ///< the most frequent first
  std::uint32_t same = 0, changed = 0, added = 0, removed = 0;
};

/// Programs are compared by their names. Fails for programs of other machines.
MOBULA_API Result<Diff> diff(const Program& old_program, const Program& new_program);

}  // namespace mobula::firmware
