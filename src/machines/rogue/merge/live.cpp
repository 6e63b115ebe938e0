#include "machines/rogue/merge/live.h"

#include <algorithm>

#include "machines/rogue/spec/flow.h"

namespace mobula::rogue {
namespace {

/// What a group needs, and what it makes unneeded in front of it.
struct Effect {
  RegisterSet reads, ends;
};

bool reads_through_index(const Group& group) {
  const unsigned used = slots_read(group);
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((used >> slot & 1) != 0 && group.slots[slot].indexed()) return true;
  return false;
}

/// Where the program continues in a way that is not followed, everything is needed.
bool leads_anywhere(const Group& group) {
  const Item &control = group.item(Word::control), &backend = group.item(Word::backend);
  if (group.raw() || (control && control.op->does == does::Control::return_to_link)) return true;
  return backend && backend.op->has(names_code);
}

bool masks(const Group& group) {
  const Item &control = group.item(Word::control), &backend = group.item(Word::backend);
  return (control && control.op->has(changes_masks)) || (backend && backend.op->has(reads_masks));
}

}  // namespace

std::vector<RegisterSet> live_behind(std::span<const Group> groups) {
  const bool masked = std::any_of(groups.begin(), groups.end(), masks);
  std::vector<Effect> effects;
  effects.reserve(groups.size());
  for (const Group& group : groups) {
    const Access access = access_of(group);
    Effect effect{access.reads | access.late_reads, {}};
    const bool whole = access.counter < 0 || access.waits;
    if (!masked && whole && group.condition == Condition::always && !group.raw()) effect.ends = access.writes;
    if (leads_anywhere(group) || reads_through_index(group)) effect.reads.set();
    effects.push_back(effect);
  }

  const auto index_at = [&](std::int64_t offset) {
    const auto found = std::lower_bound(groups.begin(), groups.end(), offset,
                                        [](const Group& group, std::int64_t at) { return group.offset < at; });
    return found != groups.end() && found->offset == offset ? static_cast<std::size_t>(found - groups.begin())
                                                            : groups.size();
  };
  std::vector<Exits> exits;
  std::vector<std::size_t> targets;
  exits.reserve(groups.size());
  for (const Group& group : groups) {
    exits.push_back(exits_of(group));
    targets.push_back(exits.back().target ? index_at(*exits.back().target) : groups.size());
  }

  std::vector<RegisterSet> after(groups.size());
  const auto in_front = [&](std::size_t i) {
    RegisterSet all;
    if (i == groups.size()) return all.set();  // outside the program
    return (after[i] & ~effects[i].ends) | effects[i].reads;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = groups.size(); i-- > 0;) {
      RegisterSet live;
      if (exits[i].falls) live |= in_front(i + 1);
      if (exits[i].target) live |= in_front(targets[i]);
      if (live == after[i]) continue;
      after[i] = live;
      changed = true;
    }
  }
  return after;
}

}  // namespace mobula::rogue
