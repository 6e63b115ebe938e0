#include "machines/rogue/lift/arrivals.h"

#include <algorithm>
#include <numeric>

#include "machines/rogue/lift/fence.h"
#include "machines/rogue/spec/flow.h"

namespace mobula::rogue::lifting {
namespace {

std::size_t position_of(const RegisterPlace& place) {
  const Bank bank = place.space == Space::temporary ? Bank::temporary : Bank::vertex_input;
  return static_cast<std::size_t>(tracked({bank, static_cast<std::uint16_t>(place.number)}));
}
/// What the group itself sends.
RegisterSet sent_by(const Group& group, unsigned counter) {
  RegisterSet sent;
  if (group.raw()) return sent;
  const LateWrites writes = late_writes(group);
  if (writes.counter != counter || writes.first.indexed()) return sent;
  for (unsigned i = 0; i < writes.count; ++i)
    if (const int at = tracked({writes.first.bank, static_cast<std::uint16_t>(writes.first.index + i)}); at >= 0)
      sent.set(static_cast<std::size_t>(at));
  return sent;
}
/// Nothing is on its way behind it, in any instance: waits of groups that also do something else are masked.
bool ends_all(const Group& group, unsigned counter) {
  const Item& control = group.item(Word::control);
  return !group.raw() && control && control.op->does == does::Control::wait_fence && group.miscctl == counter;
}
/// Whether what a register says decides what comes next.
bool leads_anywhere(const Group& group) {
  const Item &control = group.item(Word::control), &backend = group.item(Word::backend);
  return !group.raw() && ((control && control.op->does == does::Control::return_to_link) ||
                          (backend && backend.op->does == does::Backend::change_phase));
}

}  // namespace

Arrivals::Arrivals(std::span<const Group> groups) : groups_(groups) {
  const bool is_known = std::ranges::none_of(groups, leads_anywhere);
  for (unsigned counter = 0; counter < sent_.size(); ++counter) {
    sent_[counter].resize(groups.size(), is_known ? RegisterSet() : RegisterSet().set());
    if (is_known) follow(counter);
  }
}

void Arrivals::follow(unsigned counter) {
  std::vector<RegisterSet>& sent = sent_[counter];
  for (std::size_t i = 0; i < groups_.size(); ++i) sent[i] = sent_by(groups_[i], counter);
  std::vector<std::size_t> open(groups_.size());
  std::iota(open.rbegin(), open.rend(), std::size_t{0});
  while (!open.empty()) {
    const std::size_t from = open.back();
    open.pop_back();
    if (ends_all(groups_[from], counter)) continue;
    const auto pass_on = [&](std::size_t to) {
      const RegisterSet joined = sent[to] | sent[from];
      if (joined == sent[to]) return;
      sent[to] = joined;
      open.push_back(to);
    };
    // Also behind those that always end or branch, where nothing is on its way in any program that was compiled.
    if (from + 1 < groups_.size()) pass_on(from + 1);
    const Exits exits = exits_of(groups_[from]);
    if (!exits.target) continue;
    if (const auto target = group_at(groups_, *exits.target)) pass_on(*target);
  }
}

bool Arrivals::may_arrive(const Group& group, unsigned counter, const RegisterPlace& place) const {
  return sent_[counter][static_cast<std::size_t>(&group - groups_.data())].test(position_of(place));
}

}  // namespace mobula::rogue::lifting
