#include "machines/rogue/text/print_isr.h"

#include <algorithm>

#include "machines/rogue/spec/cores.h"
#include "machines/rogue/spec/slots.h"
#include "machines/rogue/text/print.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

constexpr std::size_t group_room = 4096;

char* put_flags(char* out, const Group& group) {
  if (group.condition != Condition::always) out = put(put(out, ' '), condition_name(group.condition));
  if (group.repeat != 1) out = put_decimal(put(out, " rpt="), group.repeat);
  if (group.olchk) out = put(out, " olchk");
  if (group.atom) out = put(out, " atom");
  if (group.end) out = put(out, " end");
  return out;
}

/// Slots that an instruction reads unless nothing is bound to them.
unsigned slots_possible(const Group& group) {
  unsigned slots = 0;
  for (const Item& item : group.items)
    if (item)
      for (const OperandSpec& each : item.op->all_operands())
        if (each.what == OperandSpec::What::maybe) slots |= 1u << number_of(each.name);
  return slots;
}

/// Slots whose registers the assembler would not put there by itself: they are bound by name.
char* put_bindings(char* out, const Group& group) {
  if (group.lower == nullptr || group.modelled.present) return out;
  const unsigned used = slots_used(group) | slots_possible(group);
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((used >> slot & 1) != 0 && forbidden_in_slot(slot, group.slots[slot]))
      out = put(put_register(put(put_decimal(put(out, "    s"), slot), " = "), group.slots[slot]), '\n');
  const unsigned external = group.external_slot();
  if ((selectors_used(group) & 1) != 0 && forbidden_in_slot(external, group.slots[external]))
    out = put(put_decimal(put(out, "    is0 = s"), external), '\n');
  return out;
}

char* put_modelled(char* out, const TextOnly& op) {
  const Group& group = op.group;
  const bool resolved = resolves(op);
  for (unsigned slot = 0; slot < slot_count && !resolved; ++slot)
    if ((op.slots_used() >> slot & 1) != 0)
      out = put(put_register(put(put_decimal(put(out, "    s"), slot), " = "), group.slots[slot]), '\n');
  out = put_text_only(out, op, resolved, "    ", "\n");
  for (unsigned port = 0; port < 2 && !resolved; ++port)
    if (port == 0 ? group.w0p : group.w1p)
      out = put(put_register(put(put_decimal(put(out, "    w"), port), " = "), group.written[port]), '\n');
  return out;
}

/// What drives a port: a feedthrough, or, resolved, the register behind FTE.
char* put_driver(char* out, const Group& group, unsigned port) {
  if (group.alu == Alu::bitwise) {
    if (port == 1) return put(out, spelling(Name::ft3));
    return put(out, spelling(group.item(Word::bit2) ? Name::ft5 : group.item(Word::bit1) ? Name::ft4 : Name::ft1));
  }
  return put(out, spelling(fed_names[group.selectors[4 + port]]));
}

/// True if an instruction names the register that the port is written to.
bool is_named(const Group& group, unsigned port) {
  const Trait driven = port == 0 ? drives_w0 : drives_w1;
  return group.alu == Alu::control || std::any_of(group.items.begin(), group.items.end(),
                                                  [&](const Item& item) { return item && item.op->has(driven); });
}

char* put_outputs(char* out, const Group& group) {
  const unsigned used = selectors_used(group);
  const Item& p0 = group.item(Word::p0);
  const bool high = p0 && p0.op->has(high_result);
  for (unsigned port = 0; port < 2; ++port) {
    const bool written = port == 0 ? group.w0p : group.w1p;
    if (is_named(group, port) || (!written && (used >> (4 + port) & 1) == 0)) continue;
    const bool external = group.alu == Alu::main && group.selectors[4 + port] == external_feed && !high;
    out = put(out, "    mov ");
    out = written ? put_register(out, group.written[port]) : put_decimal(put(out, 'w'), port);
    out = put(out, ", ");
    if (external && !written)
      out = put_external(out, group);
    else
      out = put_driver(out, group, port);
    out = put(out, ";\n");
  }
  return out;
}

}  // namespace

PrintGroups print_isr(const Program& program, const Labels& labels) {
  const auto print_group = [&](const Group& group, std::size_t i, char* text) {
    if (labels.labelled(i)) text = put(put_decimal(put(text, 'L'), i), ":\n");
    const auto refused = group.raw() ? std::nullopt : refusal_of(group, program.variant);
    if (group.raw() || refused) {
      const std::string_view why = refused ? std::string_view(refused->found) : group.problem.text;
      return put(put_raw(text, program, group.offset, group.size, why), '\n');
    }
    text = put(put_flags(put(put_decimal(text, i), " :"), group), '\n');
    const Style style = group.modelled.present ? Style::slots : Style::resolved;
    const PrintContext context{group, labels, style};
    text = put_bindings(text, group);
    for (const Unit unit : text_order)
      if (const Op* op = visible_op(group, unit))
        text = put(put_instruction(put(text, "    "), context, unit, *op, group.item(word_of(unit))), '\n');
    return group.modelled.present ? put_modelled(text, text_only_of(program, group)) : put_outputs(text, group);
  };
  return [&program, &labels, print_group](std::size_t begin, std::size_t end, TextBuffer& out,
                                          std::vector<Listing::Word>* words) {
    return print_each(program, labels, begin, end, group_room, out, words, print_group);
  };
}

}  // namespace mobula::rogue
