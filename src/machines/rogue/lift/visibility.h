// Which pixels are seen, and which instances run: alpha test, depth feedback, masks (reference 3.9, 10).
//
// A program that tells the depth test about its pixels (atst without `ifb`, depthf) is seen where it said so; others
// are seen everywhere. Pixels have one sample, so the mask of a pixel's samples is one bit.
#pragma once

#include <string>

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// True for instructions that tell the depth test whether a pixel is seen. Precondition: item.
bool tells_visibility(const Item& item);

/// W0 of movmsk and savmsk.
Operand mask_result(GroupContext& context, const Item& item);
/// atst; `sources` are what S0, S1 and S2 held when the group began.
void lift_alpha_test(GroupContext& context, const Item& item, std::span<const Operand> sources);
/// depthf: W0 is the depth of the pixel.
void lift_depth(GroupContext& context);
/// What follows in the block is done in visible instances only.
void mask_invisible(GroupContext& context);

/// Why such an instruction cannot be executed; empty if it can.
std::string visibility_fault(const Group& group, const Item& item, const Settings& settings);

}  // namespace mobula::rogue::lifting
