// Values that are kept in memory, as there are not enough registers.
#pragma once

#include "machines/utgard_gp/compile/code.h"
#include "machines/utgard_gp/compile/layout.h"

namespace mobula::utgard_gp_compiler {

/// Where most values are needed at a time, one of them goes to a temporary, which whoever needs it loads. False if
/// there is none that can: those that come from several blocks are kept in registers. CO030 if memory does not suffice.
bool spill(Code& code, Layout& layout);

}  // namespace mobula::utgard_gp_compiler
