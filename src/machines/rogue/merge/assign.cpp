#include "machines/rogue/merge/assign.h"

#include <algorithm>
#include <map>

namespace mobula::rogue {
namespace {

/// Two times for each group: it reads, and then it writes. What comes late may do so from the first on.
struct Life {
  std::int64_t first = 0, last = 0;
};

/// What is taken of a register.
class Taken {
 public:
  [[nodiscard]] bool is_free(const Life& life) const {
    const auto behind = lives_.upper_bound(life.first);
    if (behind != lives_.end() && behind->first <= life.last) return false;
    return behind == lives_.begin() || std::prev(behind)->second < life.first;
  }
  void take(const Life& life) {
    std::int64_t& last = lives_[life.first];
    last = std::max(last, life.last);
  }

 private:
  std::map<std::int64_t, std::int64_t> lives_;
};

std::int64_t reads_at(std::size_t group) { return 2 * static_cast<std::int64_t>(group); }
std::int64_t writes_at(std::size_t group) { return reads_at(group) + 1; }
/// When a group is done with what it reads by itself, operands aside. When samples, loads and stores read is not
/// published: no sooner than the group's results are there.
std::int64_t has_read_at(const OpenGroup& group, std::size_t place) {
  return goes_on_beside(group.group) ? writes_at(place) : reads_at(place);
}

}  // namespace

bool assign_registers(const Region& region, std::span<OpenGroup> groups, const RegisterSet& live, unsigned limit) {
  std::vector<std::size_t> place(region.members.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const std::uint32_t member : groups[i].members) place[member] = i;
  const std::int64_t end = reads_at(groups.size());

  std::vector<Taken> taken(temporary_count);
  RegisterSet known;
  for (const RegionValue& value : region.values) {
    if (!value.stays) continue;
    known.set(value.reg);
    if (value.reg >= temporary_count) continue;
    Life life{.first = -1, .last = value.leaves ? end : -1};
    for (std::size_t i = 0; i < value.writers.size(); ++i) {
      const std::size_t at = place[value.writers[i]];
      const std::int64_t time = value.comes_late ? reads_at(at) : writes_at(at);
      if (!value.comes_from_outside) life.first = i == 0 ? time : std::min(life.first, time);
      life.last = std::max(life.last, time);
    }
    for (const std::uint32_t reader : value.readers)
      life.last = std::max(life.last, has_read_at(groups[place[reader]], place[reader]));
    taken[value.reg].take(life);
  }
  for (unsigned reg = 0; reg < temporary_count; ++reg)
    if (live.test(reg) && !known.test(reg)) taken[reg].take({-1, end});

  std::vector<Life> lives(region.values.size(), Life{end, -1});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const std::uint32_t value : groups[i].slots)
      if (value != no_value) lives[value].last = std::max(lives[value].last, reads_at(i));
    for (const std::uint32_t value : groups[i].written)
      if (value != no_value) {
        lives[value].first = std::min(lives[value].first, writes_at(i));
        lives[value].last = std::max(lives[value].last, writes_at(i));
      }
  }
  std::vector<Register> given(region.values.size());
  for (const OpenGroup& group : groups)
    for (const std::uint32_t value : group.written) {
      if (value == no_value || given[value].bank == Bank::temporary) continue;
      unsigned reg = 0;
      while (reg < limit && !taken[reg].is_free(lives[value])) ++reg;
      if (reg == limit) return false;
      taken[reg].take(lives[value]);
      given[value] = tracked_register(reg);
    }
  for (OpenGroup& group : groups) {
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if (group.slots[slot] != no_value) group.group.slots[slot] = given[group.slots[slot]];
    for (unsigned port = 0; port < 2; ++port)
      if (group.written[port] != no_value) group.group.written[port] = given[group.written[port]];
    auto fits = fitted(group.group);
    if (!fits) return false;
    group.group = *fits;
  }
  return true;
}

}  // namespace mobula::rogue
