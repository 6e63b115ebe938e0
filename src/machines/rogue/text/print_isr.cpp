#include "machines/rogue/text/print_isr.h"

#include "machines/rogue/text/print.h"
#include "machines/rogue/text/print_instruction.h"

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
  const Item& p0 = group.item(Word::p0);
  return group.alu == Alu::control || (p0 && p0.op->has(port == 0 ? complex_result : complex_w1));
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
      out = put_register(out, group.slots[group.external_slot()]);
    else
      out = put_driver(out, group, port);
    out = put(out, ";\n");
  }
  return out;
}

}  // namespace

void print_isr(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words) {
  const std::vector<Group> groups = decode(program.code);
  const Labels labels(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    const auto begin = static_cast<std::uint32_t>(out.size());
    char* text = out.reserve(group_room);
    if (labels.labelled(i)) text = put(put_decimal(put(text, 'L'), i), ":\n");
    if (group.raw()) {
      text = put(put_raw(text, program, group.offset, group.size, group.problem.text), '\n');
    } else {
      text = put(put_flags(put(put_decimal(text, i), " :"), group), '\n');
      const PrintContext context{group, labels, Style::resolved};
      for (const Unit unit : text_order)
        if (const Op* op = visible_op(group, unit))
          text = put(put_instruction(put(text, "    "), context, unit, *op, group.item(word_of(unit))), '\n');
      text = put_outputs(text, group);
    }
    out.commit(text);
    if (words != nullptr) words->push_back({group.offset, group.size, begin, static_cast<std::uint32_t>(out.size())});
  }
}

}  // namespace mobula::rogue
