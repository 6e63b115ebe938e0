#include "machines/rogue/merge/clusters.h"

#include <algorithm>
#include <unordered_map>

#include "machines/rogue/merge/equivalents.h"

namespace mobula::rogue {
namespace {

// Of a cluster so many forms are kept: what differs between them matters to who joins it next.
constexpr std::size_t most_forms = 2;
// Copies go with nearly everything, so that a few of them make very many clusters.
constexpr std::size_t most_clusters = 3000;

}  // namespace

Clusters::Clusters(std::span<const Group> groups, const Region& region, std::vector<std::uint32_t> members,
                   bool joins_last, Merger& merger)
    : region_(region), members_(std::move(members)), joins_last_(joins_last), merger_(merger) {
  find_needs();
  has_names_ = name_values(groups);
  if (!has_names_) {
    // More values than names: each group stays alone.
    forms_.clear();
    for (std::uint32_t i = 0; i < members_.size(); ++i) forms_[bit(i)] = {groups[region.first + members_[i]]};
    return;
  }
  for (std::uint32_t i = 0; i < members_.size(); ++i) extend(bit(i));
  // Small ones first: which there are of them counts most.
  for (std::size_t i = 0; i < task_.clusters.size(); ++i) extend(Members(task_.clusters[i]));
}

void Clusters::find_needs() {
  std::unordered_map<std::uint32_t, std::uint32_t> here;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    here[members_[i]] = i;
    Members before = 0, needs = 0;
    for (const std::uint32_t other : region_.members[members_[i]].before)
      if (const auto found = here.find(other); found != here.end()) {
        before |= bit(found->second);
        needs |= bit(found->second) | needs_[found->second];
      }
    task_.before.push_back(before);
    needs_.push_back(needs);
  }
}

/// Values that do not stay in their registers get names that no other value has. False if there are not enough.
bool Clusters::name_values(std::span<const Group> groups) {
  named_.assign(tracked_count, no_value);
  RegisterSet taken;
  for (const RegionValue& each : region_.values)
    if (each.stays) taken.set(each.reg);
  std::unordered_map<std::uint32_t, Register> names;
  unsigned next = 0;
  const auto name = [&](std::uint32_t value, Register& reg) {
    if (value == no_value) return true;
    const RegionValue& each = region_.values[value];
    if (each.stays) return named_[each.reg] = value, true;
    if (const auto found = names.find(value); found != names.end()) return reg = found->second, true;
    const auto is_usable = [&](unsigned position) {
      const Register candidate = tracked_register(position);
      return !taken.test(position) && candidate.index < temporary_count &&
             (candidate.bank == Bank::temporary || candidate.bank == Bank::vertex_input);
    };
    while (next < tracked_count && !is_usable(next)) ++next;
    if (next == tracked_count) return false;
    named_[next] = value;
    reg = names[value] = tracked_register(next++);
    return true;
  };
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const Member& member = region_.members[members_[i]];
    Group group = groups[region_.first + members_[i]];
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if (!name(member.slots[slot], group.slots[slot])) return false;
    for (unsigned port = 0; port < 2; ++port)
      if (!name(member.written[port], group.written[port])) return false;
    forms_[bit(i)] = equivalents(group);
  }
  return true;
}

/// Registers that hold something behind the cluster that nobody else wants.
RegisterSet Clusters::dead_behind(Members cluster) const {
  RegisterSet dead;
  const auto is_in = [&](std::uint32_t member) {
    const auto found = std::ranges::lower_bound(members_, member);
    return found != members_.end() && *found == member &&
           (cluster >> static_cast<std::uint32_t>(found - members_.begin()) & 1) != 0;
  };
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    if ((cluster >> i & 1) == 0) continue;
    const Member& member = region_.members[members_[i]];
    for (const std::uint32_t number : member.writes) {
      const RegionValue& value = region_.values[number];
      if (value.stays) dead.set(value.reg, !value.leaves && std::ranges::all_of(value.readers, is_in));
    }
    const Group& group = forms_.at(bit(i)).front();
    for (unsigned port = 0; port < 2; ++port) {
      const std::uint32_t number = member.written[port];
      if (number == no_value || region_.values[number].stays) continue;
      const RegionValue& value = region_.values[number];
      dead.set(static_cast<std::size_t>(tracked(group.written[port])), std::ranges::all_of(value.readers, is_in));
    }
  }
  return dead;
}

/// Joins the cluster with each that may come directly behind it.
void Clusters::extend(Members cluster) {
  const bool is_one = (cluster & (cluster - 1)) == 0;
  for (std::uint32_t other = 0; other < members_.size(); ++other) {
    if ((cluster >> other & 1) != 0 || forms_.contains(cluster | bit(other))) continue;
    if (is_one && bit(other) < cluster) continue;  // found from that side
    if (task_.clusters.size() == most_clusters) return;
    bool may_follow = true;
    for (std::uint32_t i = 0; i < members_.size() && may_follow; ++i) {
      const bool inside = (cluster >> i & 1) != 0;
      if (inside)
        may_follow = (needs_[i] >> other & 1) == 0;
      else if ((needs_[other] >> i & 1) != 0)
        may_follow = (needs_[i] & cluster) == 0;
    }
    if (may_follow) join(cluster, other);
  }
}

void Clusters::join(Members cluster, std::uint32_t member) {
  const Members both = cluster | bit(member);
  if (members_[member] + 1 == region_.members.size() && !joins_last_) return;
  const std::vector<Group> forms = forms_.at(cluster), others = forms_.at(bit(member));
  std::vector<Group> made;
  if (is_wait(forms.front()) && is_wait(others.front())) {
    if (forms.front().miscctl != others.front().miscctl) return;
    made.push_back(forms.front());
  } else {
    const RegisterSet dead = dead_behind(both);
    for (const Group& form : forms)
      for (const Group& other : others)
        if (made.size() < most_forms)
          if (auto merged = merger_.merged(form, other, dead)) made.push_back(*merged);
  }
  if (made.empty()) return;
  const auto shortest = std::ranges::min_element(made, {}, &Group::content);
  std::rotate(made.begin(), shortest, shortest + 1);
  forms_[both] = std::move(made);
  task_.clusters.push_back(both);
}

bool Clusters::are_all() const { return task_.clusters.size() < most_clusters; }

OpenGroup Clusters::open_group(Members cluster) const {
  OpenGroup made;
  for (std::uint32_t i = 0; i < members_.size(); ++i)
    if ((cluster >> i & 1) != 0) made.members.push_back(members_[i]);
  made.group = forms_.at(cluster).front();
  const auto if_free = [&](std::uint32_t value) {
    return value == no_value || region_.values[value].stays ? no_value : value;
  };
  if (!has_names_) {
    const Member& alone = region_.members[made.members.front()];
    std::ranges::transform(alone.slots, made.slots.begin(), if_free);
    std::ranges::transform(alone.written, made.written.begin(), if_free);
    return made;
  }
  const auto value_of = [&](const Register& reg) {
    const int position = tracked(reg);
    return if_free(position < 0 ? no_value : named_[static_cast<std::size_t>(position)]);
  };
  for (unsigned slot = 0; slot < slot_count; ++slot) made.slots[slot] = value_of(made.group.slots[slot]);
  for (unsigned port = 0; port < 2; ++port)
    if (port == 0 ? made.group.w0p : made.group.w1p)
      made.written[port] = value_of(made.group.written[port]);
    else
      made.written[port] = no_value;
  return made;
}

}  // namespace mobula::rogue
