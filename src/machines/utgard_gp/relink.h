// Relinking for Utgard GP: see mobula/relink.h.
#pragma once

#include "mobula/relink.h"

namespace mobula::utgard_gp {

Result<Program> relink(Program program, const Moves& moves);

}  // namespace mobula::utgard_gp
