// The text that Mesa's disassembler of Utgard GP programs prints (reference 7.1), with its errors put right
// (docs/utgard-gp-mesa.md). It cannot be assembled back.
#pragma once

#include "machines/utgard_gp/text/pieces.h"

namespace mobula::utgard_gp {

/// The program must outlive it.
PrintWords print_mesa(const Program& program);

}  // namespace mobula::utgard_gp
