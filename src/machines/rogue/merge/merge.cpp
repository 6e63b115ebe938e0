#include "machines/rogue/merge/merge.h"

#include "machines/rogue/spec/slots.h"

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

bool is_plain(const Group& group) { return !group.raw() && !group.atom && !touches_indexed(group); }

/// True if the passes of a repeated group are that group with all registers one further: no packs, which gather or
/// scatter, no P0, no instruction with a life of its own.
bool is_element_wise(const Group& group) {
  const Item &backend = group.item(Word::backend), &pack = group.item(Word::pack), &p0 = group.item(Word::p0);
  const Access access = access_of(group);
  return group.alu == Alu::main && !(pack && pack.op->has(gathers)) && !(p0 && p0.op->does == does::Early::unpack) &&
         (!backend || backend.form->is(forms::uvsw_write_imm)) && access.p0_writers == 0;
}

/// One pass of a repeated group.
Group pass_of(const Group& group, unsigned pass) {
  Group one = group;
  one.repeat = 1;
  const auto advance = [&](Register& reg) {
    if (!is(reg, Special::constant)) reg.index = static_cast<std::uint16_t>(reg.index + pass);
  };
  for (Register& reg : one.slots) advance(reg);
  for (Register& reg : one.written) advance(reg);
  return one;
}

/// True if one group writes what the other reads or writes.
bool depend(const Group& first, const Group& second) {
  const auto touches = [](const Group& group, const Register& reg) {
    const unsigned used = slots_read(group);
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if ((used >> slot & 1) != 0 && group.slots[slot] == reg) return true;
    return (group.w0p && group.written[0] == reg) || (group.w1p && group.written[1] == reg);
  };
  for (unsigned port = 0; port < 2; ++port)
    if (((port == 0 ? first.w0p : first.w1p) && touches(second, first.written[port])) ||
        ((port == 0 ? second.w0p : second.w1p) && touches(first, second.written[port])))
      return true;
  return false;
}

/// True if the group writes what its backend's instruction reads by itself, beyond the register that an operand names.
bool writes_what_goes_on_reading(const Group& group) {
  if (!goes_on_beside(group)) return false;
  const Access access = access_of(group);
  return ((access.reads | access.late_reads) & access.writes).any();
}

/// In one repeated group, passes of the second come before later passes of the first. True if nobody notices.
bool passes_interleave(const Group& first, const Group& second) {
  for (unsigned later = 1; later < first.repeat; ++later)
    for (unsigned earlier = 0; earlier < later; ++earlier)
      if (depend(pass_of(first, later), pass_of(second, earlier))) return false;
  return true;
}

/// Registers that are dead in all passes.
RegisterSet dead_in_all(RegisterSet dead, unsigned passes) {
  RegisterSet all = dead;
  for (unsigned pass = 1; pass < passes; ++pass) all &= dead >> pass;
  return all;
}

/// `nop.end` after a group is a flag of the group. Whether a group ends the program where its condition fails is not
/// known.
std::optional<Group> merge_end(const Group& first, const Group& second) {
  const bool only_ends = second.ends() && second.item(Word::control).op->does == does::Control::nothing;
  if (!only_ends || first.condition != Condition::always || first.raw() || first.alu == Alu::control) return {};
  Group merged = first;
  merged.end = true;
  choose_header(merged);
  merged.content = content_bytes(merged);
  return merged;
}

}  // namespace

std::optional<Group> fitted(Group group) {
  if (group.alu == Alu::control) return group;
  const unsigned used = slots_read(group);
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    if ((used >> slot & 1) == 0) group.slots[slot] = {};
    if (forbidden_in_slot(slot, group.slots[slot])) return {};
  }
  group.lower = shortest_lower(group);
  group.upper = shortest_upper(group);
  if (group.lower == nullptr || group.upper == nullptr) return {};
  group.destination = group.w0p || group.w1p ? shortest_destination(group) : nullptr;
  if ((group.w0p || group.w1p) && group.destination == nullptr) return {};
  choose_header(group);
  group.content = content_bytes(group);
  if (group.content > max_group_bytes) return {};
  return group;
}

std::optional<Group> merge(const Group& first, const Group& second, const RegisterSet& dead) {
  if (first.raw() || second.raw() || first.ends()) return {};
  if (first.modelled.present || second.modelled.present) return {};  // they hold nothing else
  if (second.alu == Alu::control) return merge_end(first, second);
  if (first.alu != second.alu || !is_plain(first) || !is_plain(second) || first.repeat != second.repeat) return {};
  if (first.repeat > 1) {
    if (!is_element_wise(first) || !is_element_wise(second) || !passes_interleave(first, second)) return {};
    auto merged = merge(pass_of(first, 0), pass_of(second, 0), dead_in_all(dead, first.repeat));
    if (!merged) return {};
    merged->repeat = first.repeat;
    choose_header(*merged);
    merged->content = content_bytes(*merged);
    if (merged->content > max_group_bytes) return {};
    return merged;
  }
  if (first.condition != second.condition || disturbs(first, second) || disturbs(second, first)) return {};
  const Access before = access_of(first), after = access_of(second);
  if (before.p0_writers != 0 && (after.reads_p0 || after.p0_writers != 0)) return {};
  auto merged = first.alu == Alu::main ? merge_main(first, second, dead) : merge_bitwise(first, second, dead);
  if (!merged || writes_what_goes_on_reading(*merged)) return {};
  merged->condition = first.condition;
  merged->olchk = first.olchk || second.olchk;
  merged->end = second.end;
  choose_header(*merged);
  merged->content = content_bytes(*merged);
  if (merged->content > max_group_bytes) return {};
  return merged;
}

}  // namespace mobula::rogue
