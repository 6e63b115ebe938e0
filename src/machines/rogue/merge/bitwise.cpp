// Merging two bitwise groups. The units are in a fixed order, and only W0 and W1 leave it: the second group fits after
// the first where it continues with the value the first one ended with. The value itself cannot be kept then.
#include <algorithm>

#include "machines/rogue/merge/merge.h"
#include "machines/rogue/spec/slots.h"
#include "machines/rogue/text/print_instruction.h"

namespace mobula::rogue {
namespace {

constexpr Register all_ones{Bank::special, 143}, zero{};

/// A bitwise group with the fields of its phases spread out.
struct BitwiseRow {
  Group group;
  Values bits0 = default_values, bits1 = default_values, bits2 = default_values;
  bool phase0 = false, logical = false, shifts = false;
  bool makes_mask = false, shifts_first = false, counts = false;  ///< units that do something

  explicit BitwiseRow(const Group& from) : group(from) {
    const auto spread = [&](Word word, Values& values) {
      const Item& item = group.item(word);
      if (item) read(*item.form, item.bits, values);
      return bool(item);
    };
    phase0 = spread(Word::bit0, bits0);
    logical = spread(Word::bit1, bits1);
    shifts = spread(Word::bit2, bits2);
    makes_mask = phase0 && at(bits0, F::bitmask_op) != 0 && !has_immediate();
    shifts_first = phase0 && at(bits0, F::shift1_op) != 0;
    counts = group.w1p || (shifts && at(bits2, F::tst_src) != 0);
  }

  [[nodiscard]] bool has_immediate() const { return phase0 && group.item(Word::bit0).form->find(F::imm) != nullptr; }
  [[nodiscard]] bool tests() const { return shifts && visible_op(group, Unit::bit_test) != nullptr; }
  /// FT1 is used: by the logical unit's masks, or as its result.
  [[nodiscard]] bool uses_mask() const {
    return !logical || at(bits1, F::mska) != 0 || at(bits1, F::mskb) != 0 || logical_does(does::Logical::pass);
  }
  [[nodiscard]] bool logical_does(Does what) const { return logical && group.item(Word::bit1).op->does == what; }
  /// FT0 or FT3 are used by the second shift.
  [[nodiscard]] bool shifts_by_early_bits() const {
    if (!shifts) return false;
    const Does does = group.item(Word::bit2).op->does;
    return does == does::Shift2::arithmetic_ft0 || does == does::Shift2::arithmetic_ft3;
  }
};

/// True if the value is also the amount of the second shift.
bool shifts_by(const BitwiseRow& row, const Register& value) { return row.shifts && row.group.slots[4] == value; }

/// The shortest group of a row; nothing if its registers fit into no map.
std::optional<Group> built(BitwiseRow row) {
  Group& group = row.group;
  const auto form_of = [](const Op& op, const Values& values) -> Item {
    const Form* form = shortest_form(op, values);
    return form == nullptr ? Item{} : Item{form, &op, write(*form, values)};
  };
  if (row.phase0) group.item(Word::bit0) = form_of(*group.item(Word::bit0).op, row.bits0);
  if (row.logical) group.item(Word::bit1) = form_of(*group.item(Word::bit1).op, row.bits1);
  if (row.shifts) group.item(Word::bit2) = form_of(*group.item(Word::bit2).op, row.bits2);
  const unsigned used = slots_read(group);
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    if ((used >> slot & 1) == 0) group.slots[slot] = zero;
    if (forbidden_in_slot(slot, group.slots[slot])) return {};
  }
  group.lower = shortest_lower(group);
  group.upper = shortest_upper(group);
  group.destination = group.w0p || group.w1p ? shortest_destination(group) : nullptr;
  if (group.lower == nullptr || group.upper == nullptr) return {};
  if ((group.w0p || group.w1p) && group.destination == nullptr) return {};
  return group;
}

/// The second one only shifts or tests the value: its phase 2 goes after the first one's phases. What is tested and
/// not shifted is still there.
std::optional<Group> append_shift(const BitwiseRow& first, const BitwiseRow& second, const Register& value,
                                  bool needed) {
  const bool passes = second.phase0 && second.shifts && !second.logical && !second.makes_mask &&
                      !second.has_immediate() && !second.counts && !second.shifts_by_early_bits() &&
                      second.group.slots[1] == value && second.group.slots[4] != value;
  if (first.shifts || !passes) return {};
  const bool keeps = !second.group.w0p && second.group.item(Word::bit2).op->does == does::Shift2::left &&
                     second.group.slots[4] == zero;
  if (needed && !keeps) return {};
  BitwiseRow merged = first;
  merged.shifts = true;
  merged.bits2 = second.bits2;
  merged.group.item(Word::bit2) = second.group.item(Word::bit2);
  merged.group.slots[4] = second.group.slots[4];
  merged.group.w0p = second.group.w0p || needed;
  if (second.group.w0p) merged.group.written[0] = second.group.written[0];
  return built(merged);
}

/// The first one only brings a mask, and the second one ands with it or ors it in.
std::optional<Group> use_as_mask(const BitwiseRow& first, const BitwiseRow& second, const Register& value,
                                 bool needed) {
  const bool brings = !first.logical && !first.shifts && !first.shifts_first && !first.counts;
  const bool takes = second.logical && !second.uses_mask() && !second.shifts_by_early_bits() && !second.counts &&
                     !shifts_by(second, value);
  if (!brings || !takes || needed) return {};
  BitwiseRow merged = second;
  Group& group = merged.group;
  const Register left = group.slots[2], right = group.slots[3];
  merged.phase0 = true;
  group.item(Word::bit0) = first.group.item(Word::bit0);
  merged.bits0 = first.bits0;
  group.slots[0] = first.group.slots[0];
  group.slots[1] = first.group.slots[1];
  const bool in_left = left == value && !second.shifts_first, in_right = right == value;
  if (in_left == in_right) return {};
  if (second.logical_does(does::Logical::and_) || second.logical_does(does::Logical::nand)) {
    // (FT1 & x) & ~0
    if (in_right && second.shifts_first) {
      if (!first.has_immediate()) return {};  // the shift needs s1
      at(merged.bits0, F::shift1_op) = at(second.bits0, F::shift1_op);
      group.slots[1] = second.group.slots[1];
    }
    group.slots[2] = in_right ? left : right;
    group.slots[3] = all_ones;
    at(merged.bits1, F::mska) = 1;
  } else if ((second.logical_does(does::Logical::or_) || second.logical_does(does::Logical::nor)) &&
             !second.shifts_first) {
    // (FT1 & ~0) | (~FT1 & x)
    group.slots[2] = all_ones;
    group.slots[3] = in_right ? left : right;
    at(merged.bits1, F::mska) = at(merged.bits1, F::mskb) = 1;
  } else {
    return {};
  }
  return built(merged);
}

/// The first one only shifts left, which the second one's first shift can do.
std::optional<Group> shift_first(const BitwiseRow& first, const BitwiseRow& second, const Register& value,
                                 bool needed) {
  const bool shifts = first.phase0 && first.shifts && !first.logical && !first.makes_mask && !first.has_immediate() &&
                      !first.shifts_first && !first.counts && !first.tests() &&
                      first.group.item(Word::bit2).op->does == does::Shift2::left;
  const bool takes = second.phase0 && second.logical && !second.shifts_first && !second.counts && !second.makes_mask &&
                     !second.shifts_by_early_bits() && !second.logical_does(does::Logical::pass);
  if (!shifts || !takes || needed || shifts_by(second, value) || (second.uses_mask() && !second.has_immediate()))
    return {};
  BitwiseRow merged = second;
  Group& group = merged.group;
  const bool in_left = group.slots[2] == value, in_right = group.slots[3] == value;
  if (in_left == in_right) return {};
  if (in_right) {
    // The operations do not mind which side an operand is on, but their masks do.
    if (second.uses_mask()) return {};
    group.slots[3] = group.slots[2];
  }
  constexpr std::uint32_t lsl = 3;
  at(merged.bits0, F::shift1_op) = lsl;
  group.slots[0] = zero;
  group.slots[1] = first.group.slots[4];
  group.slots[2] = first.group.slots[1];
  return built(merged);
}

}  // namespace

std::optional<Group> merge_bitwise(const Group& first, const Group& second, const RegisterSet& dead) {
  if (!first.w0p || first.w1p) return {};
  const Register value = first.written[0];
  const bool overwritten = (second.w0p && second.written[0] == value) || (second.w1p && second.written[1] == value);
  const bool needed = !overwritten && !is_dead(value, dead);
  const BitwiseRow a(first), b(second);
  if (a.tests() && b.tests()) return {};
  for (const auto attempt : {append_shift, use_as_mask, shift_first})
    if (auto merged = attempt(a, b, value, needed)) return merged;
  return {};
}

}  // namespace mobula::rogue
