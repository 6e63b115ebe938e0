// Merging advice for Rogue: see mobula/advise.h.
#pragma once

#include "mobula/lab/advise.h"

namespace mobula::rogue {

Result<Advice> advise(const Program& program, const AdviseOptions& options);

}  // namespace mobula::rogue
