// Cube maps: which face a direction points to, and where on it.
#pragma once

#include <array>

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// The access is one of three dimensions, with a direction instead of coordinates; it becomes one of a cube.
void place_on_cube(GroupContext& context, ir::Texture& texture);

}  // namespace mobula::rogue::lifting
