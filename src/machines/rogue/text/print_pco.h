// What Mesa's compiler for Rogue (src/imagination/pco) prints of its instruction groups.
#pragma once

#include "machines/rogue/text/pieces.h"

namespace mobula::rogue {

PrintGroups print_pco(const Program& program, const Labels& labels);

}  // namespace mobula::rogue
