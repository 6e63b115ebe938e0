#include "machines/rogue/merge/region.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace mobula::rogue {
namespace {

bool is_temporary_or_input(unsigned reg) {
  const Bank bank = tracked_register(reg).bank;
  return bank == Bank::temporary || bank == Bank::vertex_input;
}

bool has_index(const Group& group) {
  const unsigned used = slots_read(group);
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((used >> slot & 1) != 0 && group.slots[slot].indexed()) return true;
  return (group.w0p && group.written[0].indexed()) || (group.w1p && group.written[1].indexed());
}

/// True if nothing goes past the group, in either direction.
bool stands_still(const Group& group) {
  if (group.raw() || group.modelled.present || group.atom || has_index(group)) return true;
  if (group.alu == Alu::control) return !is_wait(group) && !group.ends();
  const Item& backend = group.item(Word::backend);
  if (!backend || group.ends()) return false;
  const int destination = destination_slot(group);
  if (destination >= 0 && tracked(group.slots[static_cast<std::size_t>(destination)]) < 0) return true;
  switch (backend.op->does.as<does::Backend>()) {
    case does::Backend::write_output:
      return !backend.form->is(forms::uvsw_write_imm);
    case does::Backend::iterate:
    case does::Backend::iterate_perspective:
    case does::Backend::alpha_test:
    case does::Backend::depth:
    case does::Backend::fence:
    case does::Backend::load:
    case does::Backend::store:
    case does::Backend::atomic:
    case does::Backend::sample:
      return false;
    default:
      return true;
  }
}

/// True if every register that the group touches is an operand by itself.
bool is_simple(const Group& group) {
  return group.repeat == 1 && group.condition != Condition::ignore_pe && !goes_on_beside(group);
}

// What orders groups beside values. Numbers of resources: registers that values stay in, then these, then values.
constexpr std::uint32_t predicate = tracked_count, common = predicate + 1, memory = common + 1,
                        pixel_tests = memory + 1, pixel_outputs = pixel_tests + 1, pixel_output_count = 8,
                        vertex_outputs = pixel_outputs + pixel_output_count, vertex_output_count = 256,
                        first_value = vertex_outputs + vertex_output_count;

/// Which groups wait for which counters' instructions: a wait that is not in the same region as what it waits for, or
/// the other way round, keeps all of that counter where they are.
std::array<bool, 2> counters_beyond(std::span<const Group> groups, const std::vector<bool>& begins) {
  std::array<bool, 2> beyond{};
  std::array<bool, 2> open{}, waited{true, true};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (begins[i])
      for (unsigned counter = 0; counter < 2; ++counter) {
        beyond[counter] = beyond[counter] || open[counter];
        open[counter] = false;
        waited[counter] = false;
      }
    if (groups[i].raw()) continue;
    const Access access = access_of(groups[i]);
    if (access.counter < 0) continue;
    const auto counter = static_cast<std::size_t>(access.counter);
    if (access.waits) {
      beyond[counter] = beyond[counter] || !open[counter];
      open[counter] = false;
    } else {
      open[counter] = true;
    }
  }
  for (unsigned counter = 0; counter < 2; ++counter) beyond[counter] = beyond[counter] || open[counter];
  return beyond;
}

class RegionBuilder {
 public:
  RegionBuilder(std::span<const Group> groups, std::size_t first, const RegisterSet& live)
      : groups_(groups), live_(live) {
    region_.first = first;
    region_.members.resize(groups.size());
    current_.fill(no_value);
    for (const Group& group : groups) accesses_.push_back(access_of(group));
  }

  Region run() {
    for (std::uint32_t i = 0; i < groups_.size(); ++i) find_values(i);
    for (unsigned reg = 0; reg < tracked_count; ++reg)
      if (current_[reg] != no_value && live_.test(reg)) {
        value(current_[reg]).leaves = true;
        value(current_[reg]).stays = true;
      }
    reads_.resize(groups_.size());
    for (std::uint32_t number = 0; number < region_.values.size(); ++number) {
      for (const std::uint32_t reader : value(number).readers) reads_[reader].push_back(number);
      for (const std::uint32_t writer : value(number).writers) region_.members[writer].writes.push_back(number);
    }
    for (std::uint32_t i = 0; i < groups_.size(); ++i) find_order(i);
    for (Member& member : region_.members) {
      std::ranges::sort(member.before);
      member.before.erase(std::ranges::unique(member.before).begin(), member.before.end());
    }
    return std::move(region_);
  }

 private:
  RegionValue& value(std::uint32_t number) { return region_.values[number]; }

  std::uint32_t add_value(unsigned reg) {
    RegionValue made;
    made.reg = reg;
    made.stays = !is_temporary_or_input(reg);
    region_.values.push_back(std::move(made));
    return current_[reg] = static_cast<std::uint32_t>(region_.values.size() - 1);
  }
  /// The value that a register holds; one that it held before the region, if nobody wrote it here.
  std::uint32_t held(unsigned reg) {
    if (current_[reg] == no_value) {
      RegionValue& made = value(add_value(reg));
      made.stays = made.comes_from_outside = true;
    }
    return current_[reg];
  }
  static void add_to(std::vector<std::uint32_t>& members, std::uint32_t member) {
    if (members.empty() || members.back() != member) members.push_back(member);
  }

  // ---- values

  void find_values(std::uint32_t i) {
    const Group& group = groups_[i];
    const Access& access = accesses_[i];
    Member& member = region_.members[i];
    member.slots.fill(no_value);
    member.written.fill(no_value);
    const bool simple = is_simple(group);
    each(access.reads | access.late_reads, [&](unsigned reg) {
      const std::uint32_t read = held(reg);
      add_to(value(read).readers, i);
      if (!simple) value(read).stays = true;
    });
    if (simple) {
      const unsigned used = slots_read(group);
      for (unsigned slot = 0; slot < slot_count; ++slot)
        if (const int reg = tracked(group.slots[slot]); (used >> slot & 1) != 0 && reg >= 0)
          member.slots[slot] = current_[static_cast<std::size_t>(reg)];
    }
    if (access.waits) return wait(i, static_cast<std::size_t>(access.counter));
    each(access.writes | access.late_writes, [&](unsigned reg) {
      const bool replaces = group.condition == Condition::always || group.condition == Condition::ignore_pe;
      const std::uint32_t made = replaces ? add_value(reg) : held(reg);
      if (!replaces) add_to(value(made).readers, i);
      add_to(value(made).writers, i);
      if (!simple) value(made).stays = true;
      if (access.late_writes.test(reg)) {
        value(made).comes_late = true;
        late_[static_cast<std::size_t>(access.counter)].push_back(made);
      }
    });
    if (access.counter >= 0) {
      const auto counter = static_cast<std::size_t>(access.counter);
      ordered_[counter].push_back(i);
      each(access.late_reads, [&](unsigned reg) { read_late_[counter].push_back(current_[reg]); });
    }
    for (unsigned port = 0; port < 2; ++port)
      if (const int reg = tracked(group.written[port]); (port == 0 ? group.w0p : group.w1p) && reg >= 0)
        member.written[port] = current_[static_cast<std::size_t>(reg)];
  }
  /// What came late is there, and what was read late may change.
  void wait(std::uint32_t i, std::size_t counter) {
    for (const std::uint32_t made : late_[counter]) {
      add_to(value(made).writers, i);
      add_to(value(made).readers, i);
    }
    for (const std::uint32_t read : read_late_[counter]) add_to(value(read).readers, i);
    for (const std::uint32_t ordered : ordered_[counter]) region_.members[i].before.push_back(ordered);
    late_[counter].clear();
    read_late_[counter].clear();
    ordered_[counter].clear();
  }
  template <class Act>
  static void each(const RegisterSet& set, Act act) {
    for (unsigned reg = 0; reg < tracked_count; ++reg)
      if (set.test(reg)) act(reg);
  }

  // ---- order

  struct Uses {
    std::uint32_t writer = no_value;     ///< the last one
    std::vector<std::uint32_t> readers;  ///< since then
  };
  void read(std::uint32_t i, std::uint32_t resource) {
    Uses& uses = uses_[resource];
    if (uses.writer != no_value && uses.writer != i) region_.members[i].before.push_back(uses.writer);
    uses.readers.push_back(i);
  }
  void write(std::uint32_t i, std::uint32_t resource) {
    Uses& uses = uses_[resource];
    if (uses.writer != no_value && uses.writer != i) region_.members[i].before.push_back(uses.writer);
    for (const std::uint32_t reader : uses.readers)
      if (reader != i) region_.members[i].before.push_back(reader);
    uses = {i, {}};
  }
  [[nodiscard]] std::uint32_t resource_of(std::uint32_t number) {
    return value(number).stays ? value(number).reg : first_value + number;
  }

  void find_order(std::uint32_t i) {
    const Group& group = groups_[i];
    const Access& access = accesses_[i];
    if (group.ends())
      for (std::uint32_t other = 0; other < i; ++other) region_.members[i].before.push_back(other);
    order_values(i);
    if (access.reads_p0) read(i, predicate);
    if (access.p0_writers != 0) write(i, predicate);
    order_others(group, i);
    order_backend(group, access, i);
  }
  void order_values(std::uint32_t i) {
    Member& member = region_.members[i];
    for (const std::uint32_t number : reads_[i]) read(i, resource_of(number));
    for (const std::uint32_t number : member.writes) write(i, resource_of(number));
  }
  /// By registers that are no values: pixel outputs, and what the instances of a task have in common.
  void order_others(const Group& group, std::uint32_t i) {
    const auto resource = [](const Register& reg) -> std::optional<std::uint32_t> {
      if (tracked(reg) >= 0 || is(reg, Special::constant)) return std::nullopt;
      if (!is(reg, Special::pixel_output)) return common;
      constexpr unsigned first_outputs = 32, more_outputs = 164;
      return pixel_outputs + (reg.index < more_outputs ? reg.index - first_outputs : reg.index - more_outputs + 4);
    };
    if (is_wait(group)) read(i, common);  // a store may still read some of it
    const unsigned used = slots_read(group);
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if ((used >> slot & 1) != 0)
        each_turn(group.slots[slot], source_turns(group), resource, [&](std::uint32_t which) { read(i, which); });
    for (unsigned port = 0; port < 2; ++port)
      if (port == 0 ? group.w0p : group.w1p)
        each_turn(group.written[port], result_turns(group), resource, [&](std::uint32_t which) { write(i, which); });
  }
  template <class Find, class Act>
  static void each_turn(Register reg, unsigned turns, Find find, Act act) {
    for (unsigned turn = 0; turn < turns; ++turn, ++reg.index)
      if (const auto which = find(reg)) act(*which);
  }
  void order_backend(const Group& group, const Access& access, std::uint32_t i) {
    const Item& backend = group.item(Word::backend);
    if (!backend || group.ends()) return;
    switch (backend.op->does.as<does::Backend>()) {
      case does::Backend::write_output:
        for (unsigned turn = 0; turn < group.repeat; ++turn)
          write(i, vertex_outputs + (backend.get(F::imm_addr) + turn) % vertex_output_count);
        break;
      case does::Backend::alpha_test:
        if (access.p0_writers == 0) write(i, pixel_tests);
        break;
      case does::Backend::depth:
        write(i, pixel_tests);
        break;
      case does::Backend::sample:
        if (backend.get(F::wrt) != 0)
          write(i, memory);
        else
          read(i, memory);
        break;
      case does::Backend::load:
        read(i, memory);
        break;
      case does::Backend::iterate:
      case does::Backend::iterate_perspective:
        break;
      default:
        write(i, memory);
    }
  }

  std::span<const Group> groups_;
  const RegisterSet& live_;
  Region region_;
  std::vector<Access> accesses_;
  std::array<std::uint32_t, tracked_count> current_{};
  std::array<std::vector<std::uint32_t>, 2> late_, read_late_, ordered_;  ///< by counter, until the next wait
  std::vector<std::vector<std::uint32_t>> reads_;                         ///< by member, values
  std::unordered_map<std::uint32_t, Uses> uses_;
};

}  // namespace

std::vector<Region> find_regions(std::span<const Group> groups, const std::vector<bool>& leads,
                                 std::span<const RegisterSet> live) {
  std::vector<bool> still(groups.size()), begins(groups.size());
  const auto find_begins = [&] {
    for (std::size_t i = 0; i < groups.size(); ++i)
      begins[i] = i == 0 || leads[i] || still[i] || still[i - 1] || groups[i - 1].ends() ||
                  (groups[i].condition == Condition::ignore_pe) != (groups[i - 1].condition == Condition::ignore_pe);
  };
  for (std::size_t i = 0; i < groups.size(); ++i) still[i] = stands_still(groups[i]);
  find_begins();
  const std::array<bool, 2> beyond = counters_beyond(groups, begins);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int counter = groups[i].raw() ? -1 : access_of(groups[i]).counter;
    if (counter >= 0 && beyond[static_cast<std::size_t>(counter)]) still[i] = true;
  }
  find_begins();
  std::vector<Region> regions;
  for (std::size_t first = 0; first < groups.size();) {
    std::size_t end = first + 1;
    while (end < groups.size() && !begins[end]) ++end;
    if (end - first > 1)
      regions.push_back(RegionBuilder(groups.subspan(first, end - first), first, live[end - 1]).run());
    first = end;
  }
  return regions;
}

}  // namespace mobula::rogue
