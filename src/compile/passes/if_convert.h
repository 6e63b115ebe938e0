// Small branches as choices of values.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// A branch whose sides only compute, both together no more than so many operations, and meet behind it is executed as
/// one: both sides, then a `select` for each phi. What reads a texture or takes differences stays behind its branch,
/// and so does what reads a buffer, whose end it may be the branch that keeps to. \return whether there was one.
/// straighten() joins the blocks that are left.
bool convert_branches(Program& program, unsigned most_operations);

}  // namespace mobula::ssa
