// The native text of Utgard GP (docs/utgard-gp-text.md), printed: that never fails, and what is printed assembles to
// the same bytes.
#pragma once

#include "machines/utgard_gp/text/pieces.h"

namespace mobula::utgard_gp {

/// The program must outlive it.
MOBULA_INTERNAL PrintWords print(const Program& program);
/// What does not fill a word.
void print_rest(const Program& program, TextBuffer& out);

}  // namespace mobula::utgard_gp
