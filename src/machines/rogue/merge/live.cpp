#include "machines/rogue/merge/live.h"

#include <algorithm>

#include "machines/rogue/spec/flow.h"

namespace mobula::rogue {
namespace {

/// What a group needs, and what it makes unneeded in front of it: in an instance that runs, and in one that is masked
/// out.
struct Effect {
  RegisterSet reads, ends, masked_reads, masked_ends;
  bool changes_masks = false;
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

/// Neighbours see what an instance has, whether it runs or not.
bool shows_neighbours(const Group& group) {
  for (const Word word : {Word::p0, Word::p1}) {
    const Item& item = group.item(word);
    if (!item || item.op->does.family() != Does::Family::early) continue;
    switch (item.op->does.as<does::Early>()) {
      case does::Early::derivative_x:
      case does::Early::derivative_y:
      case does::Early::fine_derivative_x:
      case does::Early::fine_derivative_y:
        return true;
      case does::Early::multiply_add:
      case does::Early::add:
      case does::Early::multiply:
      case does::Early::copy:
      case does::Early::reciprocal:
      case does::Early::reciprocal_root:
      case does::Early::log2:
      case does::Early::log2_variant:
      case does::Early::exp2:
      case does::Early::sinc:
      case does::Early::arctan_ratio:
      case does::Early::to_srgb:
      case does::Early::from_srgb:
      case does::Early::reduce:
      case does::Early::narrow_add:
      case does::Early::narrow_multiply:
      case does::Early::narrow_multiply_add:
      case does::Early::add_word_to_pair:
      case does::Early::add_pairs:
      case does::Early::multiply_add_word:
      case does::Early::multiply_add_pair:
      case does::Early::unpack:
        break;
    }
  }
  const Item& backend = group.item(Word::backend);
  return backend && backend.op->has(by_texture_unit);
}

Effect effect_of(const Group& group) {
  const Access access = access_of(group);
  Effect effect{.reads = access.reads | access.late_reads, .changes_masks = !group.raw() && masks(group)};
  const bool whole = access.counter < 0 || access.waits;
  const bool in_all = group.condition == Condition::ignore_pe;
  if (whole && !group.raw() && (group.condition == Condition::always || in_all)) effect.ends = access.writes;
  if (leads_anywhere(group) || reads_through_index(group)) effect.reads.set();
  if (in_all) effect.masked_ends = effect.ends;
  if (in_all || leads_anywhere(group) || shows_neighbours(group)) effect.masked_reads = effect.reads;
  return effect;
}

}  // namespace

std::vector<RegisterSet> live_behind(std::span<const Group> groups) {
  std::vector<Effect> effects;
  effects.reserve(groups.size());
  for (const Group& group : groups) effects.push_back(effect_of(group));

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

  // Behind each group, for an instance that runs there and for one that is masked out.
  struct Needs {
    RegisterSet running, masked;
    bool operator==(const Needs&) const = default;
    void operator|=(const Needs& other) {
      running |= other.running;
      masked |= other.masked;
    }
  };
  std::vector<Needs> after(groups.size());
  const auto in_front = [&](std::size_t i) {
    Needs needs;
    if (i == groups.size()) {  // outside the program
      needs.running.set();
      needs.masked.set();
      return needs;
    }
    const Effect& effect = effects[i];
    needs = after[i];
    if (effect.changes_masks) needs.running = needs.masked = needs.running | needs.masked;
    needs.running = (needs.running & ~effect.ends) | effect.reads;
    needs.masked = (needs.masked & ~effect.masked_ends) | effect.masked_reads;
    return needs;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = groups.size(); i-- > 0;) {
      Needs needs;
      if (exits[i].falls) needs |= in_front(i + 1);
      if (exits[i].target) needs |= in_front(targets[i]);
      if (needs == after[i]) continue;
      after[i] = needs;
      changed = true;
    }
  }
  std::vector<RegisterSet> live;
  live.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool in_all = groups[i].condition == Condition::ignore_pe || effects[i].changes_masks;
    live.push_back(in_all ? after[i].running | after[i].masked : after[i].running);
  }
  return live;
}

}  // namespace mobula::rogue
