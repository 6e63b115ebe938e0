#include "machines/rogue/spec/layout.h"

#include <algorithm>
#include <numeric>

namespace mobula::rogue {

std::vector<std::uint32_t> default_sizes(std::span<const Extent> extents, std::uint64_t start) {
  std::vector<std::uint32_t> sizes;
  sizes.reserve(extents.size());
  for (const Extent& each : extents) sizes.push_back(default_size(each));
  if (extents.empty() || !extents.back().group || !extents.back().ends) return sizes;
  const std::uint32_t last = sizes.back();
  sizes.back() = std::min((last + granule_bytes - 1) / granule_bytes * granule_bytes, max_group_bytes);
  start = std::accumulate(sizes.begin(), sizes.end() - 1, start);
  std::uint32_t missing = static_cast<std::uint32_t>((granule_bytes - start % granule_bytes) % granule_bytes);
  if (missing % 2 != 0) return sizes;  // bytes that are not a group have left an odd address
  for (std::size_t i = sizes.size() - 1; missing != 0 && i-- > 0;) {
    const std::uint32_t more = std::min(missing, room_in(extents[i]));
    sizes[i] += more;
    missing -= more;
  }
  return sizes;
}

}  // namespace mobula::rogue
