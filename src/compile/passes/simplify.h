// What every machine gains by: nothing is computed twice, nothing that is known beforehand, nothing for nobody.
#pragma once

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// Folds what only constants go into (by compute(), the definition of the operations), makes what is known of an index
/// part of the place, sees through swizzles and vectors that are taken apart again, lets equal values be one where one
/// of them is always there before the other, and drops what has neither an effect nor a reader. Control flow stays as
/// it is; so do accuracy and the order of effects, so that `precise` needs no care. Values are numbered anew, in the
/// order in which they are made.
void simplify(Program& program);

}  // namespace mobula::ssa
