#include "machines/rogue/merge.h"

namespace mobula::rogue {
namespace {

bool touches_indexed(const Group& group) {
  const unsigned used = slots_read(group);
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((used >> slot & 1) != 0 && group.slots[slot].indexed()) return true;
  return (group.w0p && group.written[0].indexed()) || (group.w1p && group.written[1].indexed());
}

/// One register for all instances of a task.
bool is_common(const Register& reg) {
  return !is_pixel_output(reg) && !is(reg, Special::internal) && reg.bank != Bank::temporary &&
         reg.bank != Bank::vertex_input;
}

/// True if `group` writes a register for all instances that `other` reads or writes. What one instance wrote, another
/// one would see in between.
bool disturbs(const Group& group, const Group& other) {
  const unsigned used = slots_read(other);
  const auto touched = [&](const Register& reg) {
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if ((used >> slot & 1) != 0 && other.slots[slot] == reg) return true;
    return (other.w0p && other.written[0] == reg) || (other.w1p && other.written[1] == reg);
  };
  for (unsigned port = 0; port < 2; ++port)
    if ((port == 0 ? group.w0p : group.w1p) && is_common(group.written[port]) && touched(group.written[port]))
      return true;
  return false;
}

bool is_plain(const Group& group) {
  return !group.raw() && group.repeat == 1 && !group.atom && !touches_indexed(group);
}

/// `nop.end` behind a group is a flag of the group. Whether a group ends the program where its condition fails is not
/// known.
std::optional<Group> merge_end(const Group& first, const Group& second) {
  const bool only_ends = second.ends() && second.item(Word::control).op->name == "nop";
  if (!only_ends || first.condition != Condition::always || first.raw() || first.alu == Alu::control) return {};
  Group merged = first;
  merged.end = true;
  choose_header(merged);
  merged.content = content_bytes(merged);
  return merged;
}

}  // namespace

std::optional<Group> merge(const Group& first, const Group& second, const RegisterSet& dead) {
  if (first.raw() || second.raw() || first.ends()) return {};
  if (second.alu == Alu::control) return merge_end(first, second);
  if (first.alu != second.alu || !is_plain(first) || !is_plain(second)) return {};
  if (first.condition != second.condition || disturbs(first, second) || disturbs(second, first)) return {};
  const Access before = access_of(first), after = access_of(second);
  if (before.p0_writers != 0 && (after.reads_p0 || after.p0_writers != 0)) return {};
  auto merged = first.alu == Alu::main ? merge_main(first, second, dead) : merge_bitwise(first, second, dead);
  if (!merged) return {};
  merged->condition = first.condition;
  merged->olchk = first.olchk || second.olchk;
  merged->end = second.end;
  choose_header(*merged);
  merged->content = content_bytes(*merged);
  if (merged->content > max_group_bytes) return {};
  return merged;
}

}  // namespace mobula::rogue
