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

/// Size in bytes of one that does not stand at the end.
constexpr std::uint32_t default_size(const Extent& extent) {
  return extent.group ? (extent.bytes + 1) / 2 * 2 : extent.bytes;
}
/// Size of each in bytes. If the last one is a group that ends the program, it is made to begin and to end at a granule
/// (V-46): itself and, where there is room, the groups before it grow. `start`: bytes before the first one.
MOBULA_INTERNAL std::vector<std::uint32_t> default_sizes(std::span<const Extent> extents, std::uint64_t start = 0);
/// By how much one before the last can grow for that.
constexpr std::uint32_t room_in(const Extent& extent) {
  const std::uint32_t size = default_size(extent);
  return extent.group && size < max_group_bytes ? max_group_bytes - size : 0;
}

}  // namespace mobula::rogue
