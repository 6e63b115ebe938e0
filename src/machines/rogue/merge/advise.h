// Merging advice for Rogue: see mobula/advise.h.
#pragma once

#include "mobula/advise.h"

namespace mobula::rogue {

Result<Advice> advise(const Program& program, const AdviseOptions& options);

}  // namespace mobula::rogue
