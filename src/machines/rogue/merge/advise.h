// Merging advice for Rogue: see mobula/advise.h.
#pragma once

#include "mobula/lab/advise.h"

namespace mobula::rogue {

Result<MergeAdvice> advise(const Program& program, const AdviseOptions& options);

}  // namespace mobula::rogue
