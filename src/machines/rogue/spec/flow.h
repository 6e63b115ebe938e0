// Where control goes after a group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/export.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue {

/// Ways out of a group. Neither: the program ends there, returns (lapc), or the bytes are not a group.
struct Exits {
  bool falls = false;                  ///< to the group after it; after a call when that returns
  std::optional<std::int64_t> target;  ///< byte that a branch leads to; it may lie outside the program
  bool calls = false;                  ///< the branch saves where it came from
};
MOBULA_INTERNAL Exits exits_of(const Group& group);

/// Which of the groups of a program begins at this byte.
std::optional<std::size_t> group_at(std::span<const Group> groups, std::int64_t offset);

}  // namespace mobula::rogue
