// What a group leaves open: outputs, slots, forms and maps.
#include <algorithm>
#include <utility>

#include "core/counted.h"
#include "machines/rogue/check/rules.h"
#include "machines/rogue/spec/cores.h"
#include "machines/rogue/spec/slots.h"
#include "machines/rogue/text/group_assembler.h"
#include "machines/rogue/text/group_names.h"
#include "machines/rogue/text/print_instruction.h"

namespace mobula::rogue {
bool GroupAssembler::check_phases() {
  const auto present = [&](Unit unit) { return ops_[static_cast<std::size_t>(unit)] != nullptr; };
  const auto span = [&](Unit unit) { return spans_[static_cast<std::size_t>(unit)]; };
  const bool any = std::any_of(ops_.begin(), ops_.end(), [](const Op* op) { return op != nullptr; });
  if (!any) {
    if (!failed_) error(span_, group.alu == Alu::control ? "RG011" : "RG002", "this group has no instruction", "");
    return false;
  }
  if (group.alu != Alu::main) return true;
  const Phases phases{present(Unit::p0), present(Unit::p1),
                      present(Unit::pack) || present(Unit::test) || present(Unit::move), present(Unit::backend)};
  if (std::find(phase_sets.begin(), phase_sets.end(), phases) != phase_sets.end()) return true;
  if (phases.p1 && !phases.p0)
    error(span(Unit::p1), "RG002", "phase 1 is present without phase 0",
          "write the instruction in phase 0: it drives ft0 and reads s0, s1, s2");
  else
    error(span(Unit::backend), "RG002", "a backend instruction is alone or with both phase 0 and phase 2",
          "split: one group with the other phases that writes a register, then a group with the backend instruction "
          "alone, which reads it");
  return false;
}

/// True if something else than the feedthrough with this code goes to the port, or the port's register is bound.
bool GroupAssembler::is_port_taken(unsigned port, std::uint8_t code) const {
  const Trait driver = port == 0 ? drives_w0 : drives_w1;
  const bool driven =
      std::any_of(ops_.begin(), ops_.end(), [&](const Op* op) { return op != nullptr && op->has(driver); });
  return result_bound_[port] || driven || (selected_[4 + port] && group.selectors[4 + port] != code);
}

void GroupAssembler::choose_outputs() {
  const auto present = [&](Unit unit) { return ops_[static_cast<std::size_t>(unit)] != nullptr; };
  for (const Output& each : outputs_)
    if (is_port(each.source)) bind_result(number_of(each.source), each.reg, each.span);
  const Name driven = present(Unit::shift2) ? Name::ft5 : present(Unit::logical) ? Name::ft4 : Name::ft1;
  for (const Output& each : outputs_) {
    if (is_port(each.source)) continue;
    if (group.alu == Alu::bitwise) {
      if (each.source == Name::ft3)
        bind_result(1, each.reg, each.span);
      else if (each.source == driven)
        bind_result(0, each.reg, each.span);
      else
        error(each.span, "RG033", std::string(spelling(each.source)) + " reaches no port of this group",
              "W0 is " + std::string(spelling(driven)) +
                  " here and W1 is ft3: split the group after the unit that drives " +
                  std::string(spelling(each.source)));
      continue;
    }
    const auto code =
        static_cast<std::uint8_t>(std::find(fed_names.begin(), fed_names.end(), each.source) - fed_names.begin());
    const unsigned port = is_port_taken(0, code) ? 1 : 0;
    if (code == fed_names.size() || is_port_taken(port, code)) {
      error(each.span, "RG033", "a group writes at most two registers, from feedthroughs ft0, ft1, ft2 and fte",
            "split: write the other result in a group after this one");
      continue;
    }
    bind_result(port, each.reg, each.span);
    selected_[4 + port] = true;
    group.selectors[4 + port] = code;
    if (fed_names[code] == Name::fte)
      uses_external_ = uses_external_ || !present(Unit::p0) || !ops_[0]->has(high_result);
  }
  if (group.alu == Alu::main) choose_port_drivers();
}

/// Without a word about it, the last phase present drives W0 and the one before it W1.
void GroupAssembler::choose_port_drivers() {
  const auto present = [&](Unit unit) { return ops_[static_cast<std::size_t>(unit)] != nullptr; };
  std::vector<std::uint8_t> phases;
  for (const auto& [unit, code] : {std::pair{Unit::pack, 2}, std::pair{Unit::p1, 1}, std::pair{Unit::p0, 0}})
    if (present(unit) && !ops_[static_cast<std::size_t>(unit)]->has(drives_w0))
      phases.push_back(static_cast<std::uint8_t>(code));
  const auto driven = [&](Trait trait) {
    return std::any_of(ops_.begin(), ops_.end(), [&](const Op* op) { return op != nullptr && op->has(trait); });
  };
  const Values& backend = values(Word::backend);
  const bool sent = driven(reads_w0), sends_w1 = at(backend, F::dsel) != 0 || at(backend, F::ressel) != 0;
  const bool w0 = (group.w0p || (sent && !sends_w1)) && !driven(drives_w0);
  const bool w1 = (group.w1p || (sent && sends_w1)) && !driven(drives_w1);
  const std::size_t second = driven(drives_w0) ? 0 : 1;  // W0 takes none of them
  if (w0 && !selected_[4] && !phases.empty()) group.selectors[4] = phases[0];
  if (w1 && !selected_[5] && phases.size() > second) group.selectors[5] = phases[second];
}

bool GroupAssembler::is_commutable(Word word) const {
  const Op* op = word == Word::p0 ? ops_[0] : ops_[1];
  if (op == nullptr || !op->has(commutes) || !registers_only_[static_cast<std::size_t>(word)]) return false;
  const Values& all = values_[static_cast<std::size_t>(word)];
  if (at(all, F::s0flr) != 0 || at(all, F::s0ch) != at(all, F::s1ch)) return false;
  const bool fields = op->has_field(F::s1neg) || op->does == does::Early::multiply || at(all, F::s0neg) == 0;
  return fields;
}

void GroupAssembler::commute(Word word) {
  const std::size_t first = word == Word::p0 ? 0 : upper_slot;
  Values& all = values(word);
  std::swap(group.slots[first], group.slots[first + 1]);
  std::swap(slot_spans_[first], slot_spans_[first + 1]);
  std::swap(at(all, F::s0abs), at(all, F::s1abs));
  const Op* op = word == Word::p0 ? ops_[0] : ops_[1];
  if (op->has_field(F::s1neg)) std::swap(at(all, F::s0neg), at(all, F::s1neg));
}

/// Puts what is open into slots, one after the other, in all ways the rules allow, and keeps the shortest group.
void GroupAssembler::try_slots(std::size_t next, std::optional<Group>& best) {
  const bool external = !external_.empty();
  if (next == pending_.size() + (external ? 1 : 0)) {
    try_group(best);
    return;
  }
  const bool is_external = next == pending_.size();
  const Register reg = is_external ? external_.front().first : pending_[next].reg;
  for (unsigned i = 0; i < slot_count; ++i) {
    const unsigned slot = is_external ? is0_slots[i] : i;
    const bool free = !bound_[slot] && !named_[slot];
    if (!free && (!bound_[slot] || group.slots[slot] != reg)) continue;
    if (!said_[slot] && forbidden_in_slot(slot, reg)) continue;
    if (is_external && selected_[0] && is0_slots[group.selectors[0]] != slot) continue;
    const Register before = group.slots[slot];
    const bool was_bound = bound_[slot];
    const std::uint8_t is0 = group.selectors[0];
    group.slots[slot] = reg;
    bound_[slot] = true;
    if (is_external)
      group.selectors[0] = static_cast<std::uint8_t>(i);
    else
      at(values(pending_[next].word), pending_[next].field) = slot;
    try_slots(next + 1, best);
    group.slots[slot] = before;
    bound_[slot] = was_bound;
    group.selectors[0] = is0;
  }
}

void GroupAssembler::try_group(std::optional<Group>& best) {
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if (bound_[slot] && !said_[slot] && forbidden_in_slot(slot, group.slots[slot])) return;
  const Group before = group;
  if (choose_items() && choose_maps(false))
    if (!best || content_bytes(group) < content_bytes(*best)) best = group;
  group = before;
}

/// Why no slots could be found.
void GroupAssembler::explain_slots() {
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    if (!bound_[slot]) continue;
    const auto rule = forbidden_in_slot(slot, group.slots[slot]);
    if (!rule) continue;
    static constexpr std::array<std::string_view, 4> codes{"RG024", "RG025", "RG026", "RG027"};
    static constexpr std::array<std::string_view, 4> reasons{
        "s1, s4 and s5 have two bits for the bank: r, vi, cf and special registers only",
        "s1, s4 and s5 hold register numbers up to 255, the others up to 2047",
        "cf, sh, pixel outputs and indexed registers are read through s0, s2 and s3 only",
        "special registers are read through s1, s2 and s4 only"};
    const auto index = static_cast<std::size_t>(*rule);
    error(slot_spans_[slot], std::string(codes[index]),
          text_of(group.slots[slot]) + " cannot be read through s" + std::to_string(slot) + ": " +
              std::string(reasons[index]),
          "split: an earlier group with `mov r0, " + text_of(group.slots[slot]) +
              "` (r0: any free temporary), then read it here");
    return;
  }
  for (const auto& [reg, span] : external_) {
    error(span, "RG028", "no source slot is left for " + text_of(reg) + ", which phase 2 needs through FTE",
          "split: copy it to a register that one of the slots reads already, or do phase 2 in a later group");
    return;
  }
  error(span_, "RG021", "the sources of this group do not fit into its slots", "split it");
}

/// FTE is one value: all registers that phase 2 reads directly have to be the same.
bool GroupAssembler::check_external() {
  for (std::size_t i = 1; i < external_.size(); ++i)
    if (external_[i].first != external_[0].first) {
      error(external_[i].second, "RG031",
            "phase 2 reads two registers, " + text_of(external_[0].first) + " and " + text_of(external_[i].first) +
                "; only one value beside ft0 and ft1 reaches it, through FTE",
            "bring one of them in by phase 0 or 1: `mov ft0, " + text_of(external_[i].first) +
                "`, or split the group before phase 2");
      return false;
    }
  return true;
}

bool GroupAssembler::choose_slots() {
  std::optional<Group> best;
  for (const bool swap0 : {false, true})
    for (const bool swap1 : {false, true}) {
      if ((swap0 && !is_commutable(Word::p0)) || (swap1 && !is_commutable(Word::p1))) continue;
      if (swap0) commute(Word::p0);
      if (swap1) commute(Word::p1);
      try_slots(0, best);
      if (swap0) commute(Word::p0);
      if (swap1) commute(Word::p1);
    }
  if (!best) return false;
  group = *best;
  return true;
}

bool GroupAssembler::choose_items() {
  const auto present = [&](Unit unit) { return ops_[static_cast<std::size_t>(unit)] != nullptr; };
  if (group.alu == Alu::main) {
    at(values(Word::move), F::p2end) = present(Unit::test) || present(Unit::pack) ? 0 : 1;
    at(values(Word::test), F::p2end) = present(Unit::pack) ? 0 : 1;
  }
  for (const Unit unit : text_order) {
    const Op* op = ops_[static_cast<std::size_t>(unit)];
    const Word word = word_of(unit);
    if (op == nullptr && is_bitwise(unit) && !group.item(word)) {
      // A phase with one instruction holds idle ones beside it.
      const bool needed = (unit == Unit::bitmask && (present(Unit::shift1) || present(Unit::count))) ||
                          (unit == Unit::shift2 && present(Unit::bit_test));
      if (needed) op = unit == Unit::bitmask ? &op_that(does::Bitmask::pass) : &op_that(does::Shift2::left);
    }
    if (op == nullptr || group.item(word)) continue;
    const Form* form = shortest_form(*op, values(word));
    if (form == nullptr) return false;
    const auto forms = op->all_forms();
    const unsigned steps = steps_[static_cast<std::size_t>(word)];
    const auto index = static_cast<unsigned>(std::find(forms.begin(), forms.end(), form) - forms.begin());
    // Some instructions have a long form only; the marker is true of it.
    if (index + steps < forms.size()) form = forms[index + steps];
    if (!holds(*form, values(word))) return false;
    group.item(word) = {form, op, write(*form, values(word))};
  }
  return true;
}

bool GroupAssembler::choose_maps(bool report) {
  const Item& control = group.item(Word::control);
  const bool sources = group.alu != Alu::control || has_sources(*control.op);
  if (sources) {
    group.lower = forced_maps_[0] != nullptr ? forced_maps_[0] : shortest_lower(group);
    group.upper = forced_maps_[1] != nullptr ? forced_maps_[1] : shortest_upper(group);
    if (group.lower == nullptr || group.upper == nullptr) {
      if (report) explain_slots();
      return false;
    }
  }
  if (group.w0p || group.w1p) {
    group.destination = forced_maps_[2] != nullptr ? forced_maps_[2] : shortest_destination(group);
    if (group.destination == nullptr) {
      if (report)
        error(span_, "RG033", "no destination map holds these registers", "numbers of two results go up to 2047");
      return false;
    }
  }
  return true;
}

void GroupAssembler::explain_template() {
  std::string missing;
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if (named_[slot] && !bound_[slot]) missing += (missing.empty() ? "s" : ", s") + std::to_string(slot);
  if (!missing.empty())
    error(span_, "RG116", "this group is a template: nothing says which registers " + missing + " are",
          "add lines such as `s0 = r0` to the group, and `w0 = r6` for results to be kept");
  if (address_missing_)
    error(spans_[static_cast<std::size_t>(Unit::backend)], "RG116", "'uvsw' names neither what it does nor an address",
          "write `uvsw.write w0, 0`");
  if (failed_ && uses_external_ && !selected_[0] && external_.empty())
    complain_(Severity::note, span_, "RG116",
              "phase 2 reads an external value, and nothing says which slot it comes from; s0 is taken",
              "write `is0 = s0` to say so");
}

bool GroupAssembler::finish() {
  if (!check_phases() || failed_) return false;
  choose_outputs();
  if (!check_external()) return false;
  if (isr_) explain_template();
  if (failed_) return false;
  if (group.alu == Alu::control) {
    const bool wants = has_destination(*ops_[static_cast<std::size_t>(Unit::control)]);
    if (wants != group.w0p || group.w1p) {
      error(span_, "RG033", wants ? "this instruction writes W0" : "this instruction writes no register",
            wants ? "add `w0 = r0` or name a register in its place" : "");
      return false;
    }
  }
  const bool maps =
      std::any_of(forced_maps_.begin(), forced_maps_.end(), [](const Form* form) { return form != nullptr; });
  if (maps) {
    // Maps that are given have to hold what the group says, whatever that is.
    const std::array<const Form*, 3> forced = std::exchange(forced_maps_, {});
    if (!choose_slots()) return explain_slots(), false;
    for (std::size_t i = 0; i < forced.size(); ++i) {
      if (forced[i] == nullptr) continue;
      const Form*& chosen = i == 0 ? group.lower : i == 1 ? group.upper : group.destination;
      const Form* shortest = std::exchange(chosen, forced[i]);
      if (shortest == nullptr || !map_holds(*forced[i], group)) {
        error(span_, "RG114", "the map " + std::string(forced[i]->name) + " does not hold these registers",
              "leave it out to get the shortest that does");
        return false;
      }
    }
  } else if (!choose_slots()) {
    explain_slots();
    return false;
  }
  if (const auto refused = refusal_of(group, complex_in_p1 ? complex_p1_variant : std::string_view())) {
    const Span at = refused->slot ? slot_spans_[*refused->slot] : refused->port ? result_spans_[*refused->port] : span_;
    error(at, std::string(refused->code), refused->found, std::string(rule(refused->code).mend));
    return false;
  }
  if (!long_header) choose_header(group);
  group.content = content_bytes(group);
  if (group.content > max_group_bytes) {
    error(span_, "RG012", "the group is " + counted(group.content, "byte") + " long; a group has at most 32",
          "split it");
    return false;
  }
  return true;
}

}  // namespace mobula::rogue
