// Relinking for Utgard GP: see mobula/relink.h.
#pragma once

#include "core/export.h"
#include "mobula/isa/relink.h"

namespace mobula::utgard_gp {

MOBULA_INTERNAL Result<Program> relink(Program program, const RelinkMoves& moves);

}  // namespace mobula::utgard_gp
