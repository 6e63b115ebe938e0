// Which groups of a part of a region can be one group, and what that group is.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "machines/rogue/merge/merger.h"
#include "machines/rogue/merge/region.h"
#include "machines/rogue/merge/search.h"

namespace mobula::rogue {

/// A group whose registers are open: values stand for them.
struct OpenGroup {
  std::vector<std::uint32_t> members;  ///< of the region, ascending
  Group group;
  std::array<std::uint32_t, slot_count> slots{};  ///< by slot, the value; no_value: the register that the group has
  std::array<std::uint32_t, 2> written{};         ///< likewise
};

/// Some members of a region, and the ways to put them together one after the other.
class Clusters {
 public:
  /// At most 64 members, ascending, which together with those that are done come before all others. `joins_last`: the
  /// last group of the region may become part of another.
  Clusters(std::span<const Group> groups, const Region& region, std::vector<std::uint32_t> members, bool joins_last,
           Merger& merger);

  [[nodiscard]] const SearchTask& task() const { return task_; }
  /// False if there are more than were looked for.
  [[nodiscard]] bool are_all() const;
  [[nodiscard]] OpenGroup open_group(Members cluster) const;

 private:
  bool name_values(std::span<const Group> groups);
  void find_needs();
  void extend(Members cluster);
  void join(Members cluster, std::uint32_t member);
  [[nodiscard]] RegisterSet dead_behind(Members cluster) const;

  const Region& region_;
  std::vector<std::uint32_t> members_;
  bool joins_last_, has_names_ = true;
  Merger& merger_;
  SearchTask task_;
  std::vector<Members> needs_;                   ///< by member, all that have to come before it
  std::vector<std::uint32_t> named_;             ///< by position in a RegisterSet, the value of that name
  std::map<Members, std::vector<Group>> forms_;  ///< by cluster, the groups that it can be
};

}  // namespace mobula::rogue
