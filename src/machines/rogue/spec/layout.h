// Lengths of groups: what an assembler pads groups to, and so what a listing need not say (reference 4.10).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/export.h"
#include "machines/rogue/spec/spec.h"

namespace mobula::rogue {

/// One group, or bytes that are none, as the layout sees it.
struct Extent {
  std::uint32_t bytes = 0;  ///< without padding
  bool group = true;        ///< can be padded
  bool ends = false;        ///< ends the program
};

/// Size of each in bytes. If the last one is a group that ends the program, it is made to begin and to end at a granule
/// (V-46): itself and, where there is room, the groups before it grow.
MOBULA_INTERNAL std::vector<std::uint32_t> default_sizes(std::span<const Extent> extents);

}  // namespace mobula::rogue
