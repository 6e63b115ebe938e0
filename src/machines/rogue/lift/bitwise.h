// Bitwise groups (reference 2.2, 3.7).
#pragma once

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// One pass: feedthroughs, ports, registers, P0.
void lift_bitwise(GroupContext& context);

}  // namespace mobula::rogue::lifting
