// The fewest groups that some groups can become: which of them are put together, and in which order that leaves them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/export.h"

namespace mobula::rogue {

/// Up to 64 of them, a bit each.
using Members = std::uint64_t;
inline constexpr std::uint32_t most_members = 64;
inline Members bit(std::uint32_t member) { return Members{1} << member; }

struct SearchTask {
  std::vector<Members> before;    ///< by member, those that have to come first; ascending order is one that will do
  std::vector<Members> clusters;  ///< sets of two or more that can be one group
};

struct SearchResult {
  std::vector<Members> groups;  ///< in an order that will do; together all members
  std::uint32_t bound = 0;      ///< there is no way with fewer
};

/// Looks at no more than `states` sets of members that could have been done first.
MOBULA_INTERNAL SearchResult fewest_groups(const SearchTask& task, std::uint32_t states);

}  // namespace mobula::rogue
