#include "machines/rogue/text/group_assembler.h"

#include <algorithm>

#include "machines/rogue/text/group_names.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

bool belongs(Alu alu, Unit unit) {
  if (unit == Unit::control) return alu == Alu::control;
  return is_bitwise(unit) == (alu == Alu::bitwise) && alu != Alu::control;
}

std::string_view alu_name(Alu alu) {
  static constexpr std::array<std::string_view, 3> names{"main", "bitwise", "control"};
  return names[static_cast<std::size_t>(alu)];
}

bool is_register(const TextOperand& text) {
  std::string ignored;
  return register_of(text, ignored).has_value();
}

}  // namespace

GroupAssembler::GroupAssembler(Alu alu, bool isr, Span span, const Complain& complain)
    : complain_(complain), span_(span), isr_(isr) {
  group.alu = alu;
  values_.fill(default_values);
}

void GroupAssembler::error(Span span, std::string code, std::string message, std::string hint) {
  failed_ = true;
  complain_(Severity::error, span, std::move(code), std::move(message), std::move(hint));
}

// ------------------------------------------------------------------------------------------------ bindings

void GroupAssembler::read_through(unsigned slot, const Register& reg, Span span) {
  if (bound_[slot] && group.slots[slot] != reg) {
    error(span, "RG113",
          "s" + std::to_string(slot) + " is " + text_of(group.slots[slot]) + " already, and now " + text_of(reg),
          "a slot reads one register a group: use another slot, or copy one of the two in an earlier group");
    return;
  }
  bound_[slot] = true;
  group.slots[slot] = reg;
  slot_spans_[slot] = span;
}

void GroupAssembler::bind_result(unsigned port, const Register& reg, Span span) {
  if (result_bound_[port]) {
    error(span, "RG113", "w" + std::to_string(port) + " is written to " + text_of(group.written[port]) + " already",
          "a group writes one register from each port");
    return;
  }
  result_bound_[port] = true;
  result_spans_[port] = span;
  group.written[port] = reg;
  (port == 0 ? group.w0p : group.w1p) = true;
}

void GroupAssembler::select(unsigned selector, const LineToken& name) {
  static constexpr std::array<F, 6> fields{F::is0, F::is1, F::is2, F::is3, F::is4, F::is5};
  if (selector == 1)
    if (const Name slot = operand_named(name.text); is_slot(slot)) return select_second_external(number_of(slot), name);
  const auto value = value_named(fields[selector], name.text);
  if (!value) {
    error(name.span(), "RG029", "is" + std::to_string(selector) + " cannot be " + quote(name.text),
          "allowed: " + names_of(fields[selector]));
    return;
  }
  if (selector == 0 && selected_[0] && selected_[1] && group.selectors[0] != *value)
    return error(name.span(), "RG031",
                 "IS1 is s" + std::to_string(group.external_slot()) + " and IS0 " + quote(name.text) +
                     "; only one value beside ft0 and ft1 reaches phase 2, through FTE",
                 "bring the other in by phase 1: `mov ft1, ...`, or split the group before phase 2");
  if (selected_[selector] && group.selectors[selector] != *value) {
    error(name.span(), "RG113", "is" + std::to_string(selector) + " is chosen a second time",
          "a selector has one value a group");
    return;
  }
  selected_[selector] = true;
  group.selectors[selector] = static_cast<std::uint8_t>(*value);
}

/// The document's second external source: IS1 with a slot. The encoding has FTE for both.
void GroupAssembler::select_second_external(unsigned slot, const LineToken& name) {
  const auto code = static_cast<std::uint8_t>(std::find(is0_slots.begin(), is0_slots.end(), slot) - is0_slots.begin());
  if (selected_[0] && group.selectors[0] != code)
    return error(name.span(), "RG031",
                 "IS0 is s" + std::to_string(group.external_slot()) + " and IS1 s" + std::to_string(slot) +
                     "; only one value beside ft0 and ft1 reaches phase 2, through FTE",
                 "bring the other in by phase 1: `mov ft1, ...`, or split the group before phase 2");
  selected_[0] = selected_[1] = true;
  group.selectors[0] = code;
  group.selectors[1] = 1;
  uses_external_ = true;
}

// ------------------------------------------------------------------------------------------------ instructions

void TextOp::rename(Does does) {
  name.text = base_name(op_that(does).name);
  rows = ops_named(name.text);
}

void GroupAssembler::set_group_modifiers(TextOp& op) {
  const bool own_end = op.may_mean(does::Control::nothing) || op.may_mean(does::Backend::change_phase);
  std::erase_if(op.modifiers, [&](const LineToken& each) {
    switch (group_flag(each.text)) {
      case GroupFlag::olchk:
        return group.olchk = true;
      case GroupFlag::atom:
        return group.atom = true;
      case GroupFlag::end:
        return !own_end && (group.end = true);
      case GroupFlag::rpt:
      case GroupFlag::hdr:
      case GroupFlag::len:
      case GroupFlag::none:
        break;
    }
    return false;
  });
}

/// Short ways of writing.
void GroupAssembler::rewrite(TextOp& op) {
  const bool two = op.operands.size() == 2;
  if (op.may_mean(does::Move::replace) && group.alu == Alu::bitwise) op.rename(does::Bitmask::pass);
  if (op.may_mean(does::Move::replace) && two && op.modifiers.empty()) {
    const TextOperand &to = op.operands[0], &from = op.operands[1];
    const bool early = to.is(Name::ft0) || to.is(Name::ft1);
    if (early || (is_register(to) && (is_register(from) || slot_of(from)))) op.rename(does::Early::copy);
  }
  if (op.may_mean(does::Backend::write_output) && op.modifiers.empty()) {
    address_missing_ = true;
    LineToken write = op.name;
    write.text = "write";
    op.modifiers.push_back(write);
    TextOperand address;
    address.base = {LineToken::Kind::number, "0", op.name.offset};
    address.span = op.name.span();
    op.operands.push_back(address);
  }
  // Phase 2 adds and multiplies a feedthrough and FTE: the external value may be written first.
  if ((op.may_mean(does::Pack::multiply) || op.may_mean(does::Pack::add)) && op.operands.size() == 3 &&
      op.operands[0].name == Name::ft2) {
    const TextOperand &first = op.operands[1], &second = op.operands[2];
    const bool external = first.name == Name::is0 || first.name == Name::fte || is_register(first);
    if (external && (second.name == Name::ft0 || second.name == Name::ft1)) std::swap(op.operands[1], op.operands[2]);
  }
}

/// "mov r6, ft0": a register for a feedthrough. In the reference's style also "mov w0, ft0".
bool GroupAssembler::take_output(const TextOp& op) {
  if (!op.may_mean(does::Move::replace) || op.operands.size() != 2 || !op.modifiers.empty() || !op.forced.empty())
    return false;
  const TextOperand &to = op.operands[0], &from = op.operands[1];
  std::string ignored;
  if (!to.modifiers.empty() || !from.modifiers.empty()) return false;
  if (isr_ && group.alu == Alu::main && (to.is(Name::w0) || to.is(Name::w1))) {
    const unsigned port = number_of(to.name);
    TextOperand source = from;
    if (const auto reg = register_of(from, ignored)) {
      external_.emplace_back(*reg, from.span);
      source.rename(Name::fte);
    }
    select(4 + port, source.base);
    uses_external_ = uses_external_ || source.name == Name::fte;
    return true;
  }
  if (!is_feedthrough(from)) return false;
  const auto reg = register_of(to, ignored);
  if (!reg) return false;
  outputs_.push_back({from.name, *reg, to.span});
  return true;
}

void GroupAssembler::add(TextOp op) {
  set_group_modifiers(op);
  if (take_output(op)) return;
  rewrite(op);
  if (op.rows.empty()) {
    error(op.name.span(), "RG105", quote(op.name.text) + " is not an instruction", nearest_op(op.name.text));
    return;
  }
  Match best;
  bool tried = false, encodable = false, other_alu = true;
  for (const Op* row : op.rows)
    for (std::size_t i = 0; i < unit_count; ++i) {
      const auto unit = static_cast<Unit>(i);
      if (!row->in(unit)) continue;
      encodable = encodable || row->encodable();
      if (!belongs(group.alu, unit)) continue;
      other_alu = false;
      if (!row->encodable() || !may_stand(*row, unit)) continue;
      if (!op.phase.text.empty() && op.phase.text != phase_name(unit)) continue;
      Match attempt{.op = row, .unit = unit};
      if (match(op, attempt)) {
        apply(op, attempt);
        return;
      }
      if (!tried || attempt.progress > best.progress) best = std::move(attempt);
      tried = true;
    }
  if (!encodable)
    error(op.name.span(), "RG115", quote(op.name.text) + " has no published encoding",
          "it exists as text only: " + std::string(op.rows.front()->meaning) + "; no bytes can be made of it" +
              (is_text_only(op.rows.front()->does) ? ", but rogue:model executes it" : ""));
  else if (other_alu)
    error(op.name.span(), "RG001",
          quote(op.name.text) + " is not an instruction of a " + std::string(alu_name(group.alu)) + " group",
          "a group uses one ALU: put it into a group of its own");
  else if (!tried)
    refuse_unit(op);
  else
    error(best.at, std::string(best.code), best.message, best.hint);
}

/// Phase 1 takes a complex operation where the core has that, and then a second one goes there, too.
bool GroupAssembler::may_stand(const Op& op, Unit unit) const {
  if (!op.has(drives_w0) || !op.in(Unit::p1)) return true;
  if (unit == Unit::p1) return complex_in_p1;
  return !complex_in_p1 || ops_[0] == nullptr;
}

void GroupAssembler::refuse_unit(const TextOp& op) {
  const bool complex = std::any_of(op.rows.begin(), op.rows.end(),
                                   [](const Op* row) { return row->has(drives_w0) && row->in(Unit::p1); });
  if (complex && !complex_in_p1 && op.phase.is("p1"))
    return error(op.phase.span(), "RG007", quote(op.name.text) + " in phase 1 is an option of some cores",
                 "put it into phase 0, or assemble for rogue:complex-p1");
  error(op.phase.span(), "RG008", quote(op.name.text) + " does not exist in phase " + quote(op.phase.text),
        "see `mobula isa rogue " + std::string(op.name.text) + "`");
}

void GroupAssembler::apply(const TextOp& text, Match& match) {
  const auto unit = static_cast<std::size_t>(match.unit);
  if (ops_[unit] != nullptr) {
    const bool bitwise = is_bitwise(match.unit);
    error(text.span,
          bitwise                     ? "RG009"
          : group.alu == Alu::control ? "RG011"
          : match.unit == Unit::pack  ? "RG004"
                                      : "RG003",
          quote(text.name.text) + " is placed where " + quote(ops_[unit]->name) + " is already",
          "one instruction for each unit: put the second into a group after this one");
    return;
  }
  for (std::size_t later = unit + 1; later < unit_count; ++later)
    if (ops_[later] != nullptr) {
      error(
          text.span, "RG005", quote(text.name.text) + " goes before " + quote(ops_[later]->name),
          "the order is phase 0, phase 1, pack, test, move, backend; of bitwise groups bitmask, shift, count, logical, "
          "shift, test");
      return;
    }
  ops_[unit] = match.op;
  spans_[unit] = text.span;
  const Word word = word_of(match.unit);
  Values& all = values(word);
  for (std::size_t i = 0; i < field_count; ++i)
    if (match.said[i]) all[i] = match.values[i];
  for (const LineToken& token : text.modifiers)
    if (token.text.find_first_not_of('x') == std::string_view::npos)
      steps_[static_cast<std::size_t>(word)] = static_cast<unsigned>(token.text.size());
  if (match.unit == Unit::control) {
    group.ctrlop = match.op->required[0].second;
    group.miscctl = static_cast<std::uint8_t>(at(all, F::miscctl));
  }
  for (const auto& [slot, bound] : match.slots) read_through(slot, bound.first, bound.second);
  for (const unsigned slot : match.named_slots) {
    named_[slot] = true;
    if (slot_spans_[slot].length == 0) slot_spans_[slot] = text.span;
  }
  registers_only_[static_cast<std::size_t>(word)] = match.named_slots.empty() && !match.slots.empty();
  for (const auto& [selector, value] : match.selectors) {
    constexpr std::uint8_t only_named = 0xFF;
    if (value != only_named) {
      if (selected_[selector] && group.selectors[selector] != value)
        error(text.span, "RG113", "is" + std::to_string(selector) + " is chosen a second time");
      selected_[selector] = true;
      group.selectors[selector] = value;
    } else if (isr_ && selector == 1 && !selected_[1]) {
      // The page calls IS1 an external source; the encoding has one, FTE (D1).
      selected_[1] = true;
      group.selectors[1] = 1;
      uses_external_ = true;
    }
  }
  external_.insert(external_.end(), match.external.begin(), match.external.end());
  uses_external_ = uses_external_ || match.uses_external;
  for (const auto& [field, bound] : match.slot_fields) pending_.push_back({word, field, bound.first, bound.second});
  for (const auto& [source, bound] : match.outputs) outputs_.push_back({source, bound.first, bound.second});
  if (match.branch_target) target = match.branch_target;
}

}  // namespace mobula::rogue
