// gl_SampleMask where a pixel has one sample.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// A fragment whose mask lacks the only sample changes nothing of its pixel: at its end it is discarded. The mask
/// itself becomes a local variable; what nothing writes has the sample.
void discard_by_sample_mask(Program& program);

}  // namespace mobula::ssa
