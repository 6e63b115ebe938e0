#include "machines/rogue/text/print_pco.h"

#include "machines/rogue/spec/access.h"
#include "machines/rogue/text/print.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

constexpr std::size_t pco_line_room = 4096;

std::string_view mesa_phase(Unit unit) {
  switch (unit) {
    case Unit::pack:
      return "p2_pck";
    case Unit::test:
      return "p2_tst";
    case Unit::move:
      return "p2_mov";
    case Unit::backend:
      return "backend";
    case Unit::control:
      return "ctrl";
    case Unit::p0:
    case Unit::p1:
    case Unit::bitmask:
    case Unit::shift1:
    case Unit::count:
    case Unit::logical:
    case Unit::shift2:
    case Unit::bit_test:
      break;
  }
  return phase_name(unit);
}

/// Consecutive registers that the slot names the first of; 1 for a plain source.
unsigned block_length(const Group& group, unsigned slot) {
  const Item& item = group.item(Word::backend);
  if (!item || !item.op->has(dma_write)) return 1;
  return static_cast<int>(slot) == destination_slot(group) ? words_moved(item) : 1;
}

class PcoPrinter {
 public:
  PcoPrinter(char* out, const PrintContext& context, const Program& program)
      : out_(out), context_(context), group_(context.group), program_(program) {}

  char* run() {
    if (group_.condition != Condition::always) out_ = put(put(out_, condition_name(group_.condition)), ' ');
    out_ = put(out_, "{ ");
    if (group_.alu != Alu::control || group_.lower != nullptr) put_bindings();
    for (const Unit unit : text_order)
      if (const Op* op = visible_op(group_, unit)) {
        if (unit != Unit::control || !first_) out_ = put(out_, ' ');
        out_ = put(put(out_, mesa_phase(unit)), ": ");
        out_ = op->does == does::Control::iterate
                   ? put_ditr()
                   : put_instruction(out_, context_, unit, *op, group_.item(word_of(unit)));
        out_ = put(out_, ';');
      }
    // Mesa has no phase for these.
    if (group_.modelled.present) out_ = put_text_only(out_, text_only_of(program_, group_), false, " ", ";");
    bool first = true;
    for (unsigned port = 0; port < 2; ++port)
      if (port == 0 ? group_.w0p : group_.w1p) {
        out_ = put(put_decimal(put(out_, first ? std::string_view(" w") : std::string_view(", w")), port), " = ");
        out_ = put_register(out_, group_.written[port]);
        first = false;
      }
    out_ = put(out_, " }");
    if (group_.olchk) out_ = put(out_, ".olchk");
    if (group_.atom) out_ = put(out_, ".atom");
    if (group_.end) out_ = put(out_, ".end");
    return out_;
  }

 private:
  void next() {
    if (!first_) out_ = put(out_, ", ");
    first_ = false;
  }

  void put_bindings() {
    if (group_.repeat != 1) {
      out_ = put(put_decimal(put(out_, "repeat "), group_.repeat), " , ");
    }
    const unsigned used = slots_used(group_), selectors = selectors_used(group_);
    const Item& bit0 = group_.item(Word::bit0);
    for (unsigned slot = 0; slot < slot_count; ++slot) {
      const Register& reg = group_.slots[slot];
      if ((used >> slot & 1) == 0) continue;
      // Beside an immediate S0 is not bound.
      if (bit0 && slot == 0 && reg == Register{} && bit0.form->find(F::imm) != nullptr) continue;
      next();
      out_ = put_register(put(put_decimal(put(out_, 's'), slot), " = "), reg);
      if (const unsigned length = block_length(group_, slot); length > 1)
        out_ = put_decimal(put(out_, ".."), reg.index + length - 1);
    }
    static constexpr std::array<F, 6> fields{F::is0, F::is1, F::is2, F::is3, F::is4, F::is5};
    for (unsigned i = 0; i < 6; ++i) {
      if ((selectors >> i & 1) == 0) continue;
      next();
      out_ = put(put_decimal(put(out_, "is"), i), " = ");
      for (const FieldValue& row : info(fields[i]).names)
        if (row.value == group_.selectors[i]) out_ = put(out_, row.name);
    }
  }

  /// Mesa calls the perspective one ditrp, and gives W's coefficients before the count.
  char* put_ditr() {
    const Item& item = group_.item(Word::control);
    const bool perspective = item.get(F::persp) == 1;
    char* out = put(out_, perspective ? std::string_view("ditrp") : std::string_view("ditr"));
    if (item.get(F::sat) != 0) out = put(out, ".sat");
    if (item.get(F::f16) != 0) out = put(out, ".f16");
    out = put(put(out, '.'), value::iter_mode[item.get(F::mode)].name);
    static constexpr std::array<std::string_view, 3> schedules{".none", ".swap", ".wdf"};
    out = put(out, schedules[item.get(F::sched_ctrl)]);
    out = put_decimal(put(out, " r"), item.get(F::dest));
    out = put_decimal(put(out, ", drc"), item.get(F::drc));
    out = put_decimal(put(out, ", cf"), 4 * item.get(F::coff));
    if (perspective) out = put_decimal(put(out, ", cf"), 4 * item.get(F::woff));
    out = put(out, ", 0x");
    const std::uint32_t count = item.get(F::count);
    return count == 0 ? put(out, "10") : put(out, "0123456789abcdef"[count]);
  }

  char* out_;
  const PrintContext& context_;
  const Group& group_;
  const Program& program_;
  bool first_ = true;
};

}  // namespace

PrintGroups print_pco(const Program& program, const Labels& labels) {
  return [&](std::size_t begin, std::size_t end, TextBuffer& out, std::vector<Listing::Word>* words) {
    return print_each(program, labels, begin, end, pco_line_room, out, words,
                      [&](const Group& group, std::size_t i, char* line) {
                        if (labels.labelled(i)) line = put(put_decimal(put(line, 'L'), i), ":\n");
                        if (i < 1000) line = put_hex_digits(line, 0, i < 10 ? 3 : i < 100 ? 2 : 1);
                        line = put(put_decimal(line, i), ": ");
                        if (group.raw())
                          line = put_raw(line, program, group.offset, group.size, group.problem.text);
                        else
                          line = PcoPrinter(line, {group, labels, Style::mesa}, program).run();
                        return put(line, '\n');
                      });
  };
}

}  // namespace mobula::rogue
