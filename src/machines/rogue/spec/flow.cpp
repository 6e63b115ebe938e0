#include "machines/rogue/spec/flow.h"

#include <algorithm>

namespace mobula::rogue {

Exits exits_of(const Group& group) {
  const Item& control = group.item(Word::control);
  if (group.raw() || group.ends() || (control && control.op->does == does::Control::return_to_link)) return {};
  if (!control || control.op->does != does::Control::branch) return {.falls = true};
  const bool calls = control.get(F::link) != 0;
  return {.falls = calls || control.get(F::bpred) != 0 || group.condition != Condition::always,
          .target = branch_target(group, control),
          .calls = calls};
}

std::optional<std::size_t> group_at(std::span<const Group> groups, std::int64_t offset) {
  const auto found =
      std::ranges::lower_bound(groups, offset, {}, [](const Group& group) { return std::int64_t{group.offset}; });
  if (found == groups.end() || found->offset != offset) return {};
  return static_cast<std::size_t>(found - groups.begin());
}

}  // namespace mobula::rogue
