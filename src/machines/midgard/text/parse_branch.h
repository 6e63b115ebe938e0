// Reading branch lines of the machine's own text form.
#pragma once

#include <string_view>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "machines/midgard/text/line.h"
#include "machines/midgard/text/parse_alu.h"

namespace mobula::midgard {

/// A branch line as read; where it leads is known when all labels are.
struct BranchLine {
  Branch branch;
  std::string_view label;  // empty: branch.offset is the target
  Span where;              // of the target
  bool tagged = false;     // branch.dest_tag was given
  std::vector<Note> notes;
};

/// Reads a line that begins with "br" or "brx".
BranchLine parse_branch(LineCursor& line);

}  // namespace mobula::midgard
