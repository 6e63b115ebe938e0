// Operations without an encoding as text, and field by field.
#include <algorithm>

#include "core/text_buffer.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

std::string_view spelling(SopLine::Join join) {
  switch (join) {
    case SopLine::Join::add:
      return "add";
    case SopLine::Join::sub:
      return "sub";
    case SopLine::Join::min:
      return "min";
    case SopLine::Join::max:
      return "max";
    case SopLine::Join::rsub:
      return "rsub";
    case SopLine::Join::mad:
      return "mad";
  }
  return {};
}
std::string_view spelling(SopOperand::View view) {
  switch (view) {
    case SopOperand::View::f32:
      return {};
    case SopOperand::View::e0:
      return ".e0";
    case SopOperand::View::e1:
      return ".e1";
  }
  return {};
}
std::string_view spelling(const SopLine& line) {
  static constexpr std::array<std::array<std::string_view, 3>, 2> names{
      {{".joutj", ".jouta", ".joutb"}, {".koutk", ".koutc", ".koutd"}}};
  return names[line.port][static_cast<std::size_t>(line.out)];
}

class Printer {
 public:
  Printer(char* out, const TextOnly& op, bool resolved, std::string_view before, std::string_view after)
      : out_(out), op_(op), resolved_(resolved), before_(before), after_(after) {}

  char* run() {
    if (op_.kind == TextOnly::Kind::gta) put_gta();
    const bool all_idle =
        std::all_of(op_.lines.begin(), op_.lines.end(), [](const SopLine& line) { return line.is_idle(); });
    for (std::size_t i = 0; i < op_.lines.size(); ++i) {
      const bool left_out = op_.kind == TextOnly::Kind::sopmad && op_.lines[i].is_idle() && (i != 0 || !all_idle);
      if (!left_out) put_line(op_.lines[i]);
    }
    if (op_.moved) put_move(*op_.moved);
    return out_;
  }

 private:
  void begin(std::string_view name) { out_ = put(put(put(out_, before_), name), ' '); }
  void end() { out_ = put(out_, after_); }
  void comma() { out_ = put(out_, ", "); }
  void put_port(unsigned port) {
    const bool written = port == 0 ? op_.group.w0p : op_.group.w1p;
    out_ = resolved_ && written ? put_register(out_, op_.group.written[port]) : put_decimal(put(out_, 'w'), port);
  }
  void put_slot(unsigned slot) {
    out_ = resolved_ ? put_register(out_, op_.group.slots[slot]) : put_decimal(put(out_, 's'), slot);
  }
  void put_operand(const SopOperand& operand) {
    comma();
    if (operand.slot == SopOperand::zero)
      out_ = put(out_, '0');
    else if (operand.slot == SopOperand::z)
      out_ = put(out_, 'z');
    else
      put_slot(operand.slot);
    out_ = put(out_, spelling(operand.view));
    if (operand.one_minus) out_ = put(out_, ".oneminus");
    if (operand.absolute) out_ = put(out_, ".abs");
    if (operand.negated) out_ = put(out_, ".neg");
  }
  void put_line(const SopLine& line) {
    const bool mad = op_.kind == TextOnly::Kind::sopmad;
    begin(mad ? "sopmad" : "sop");
    put_port(line.port);
    out_ = put(out_, spelling(line.part));
    if (!mad) out_ = put(out_, spelling(line));
    put_operand(line.operands[0]);
    put_operand(line.operands[1]);
    if (!mad) out_ = put(put(out_, ", "), spelling(line.join));
    put_operand(line.operands[2]);
    if (!mad) put_operand(line.operands[3]);
    end();
  }
  void put_move(unsigned slot) {
    begin("sopmov");
    put_port(1);
    comma();
    put_slot(slot);
    end();
  }
  void put_gta() {
    begin("gta");
    put_port(0);
    comma();
    put_port(1);
    out_ = put(out_, op_.writes_p0 ? ", p0" : ", _");
    for (const unsigned slot : {3u, 0u, 1u, 4u, 5u}) {
      comma();
      put_slot(slot);
    }
    end();
  }

  char* out_;
  const TextOnly& op_;
  const bool resolved_;
  const std::string_view before_, after_;
};

}  // namespace

bool resolves(const TextOnly& op) {
  const bool fixed_slots = op.kind != TextOnly::Kind::gta && !op.group.item(Word::p1);
  const bool z = std::any_of(op.lines.begin(), op.lines.end(), [](const SopLine& line) {
    return std::any_of(line.operands.begin(), line.operands.end(),
                       [](const SopOperand& each) { return each.slot == SopOperand::z; });
  });
  const bool both = op.group.w0p && op.group.w1p && op.group.written[0] == op.group.written[1];
  const auto printed =
      std::find_if(op.lines.begin(), op.lines.end(), [](const SopLine& line) { return !line.is_idle(); });
  const bool first = !op.group.w1p || (op.group.w0p && printed != op.lines.end() && printed->port == 0);
  return fixed_slots && !z && !both && first;
}

char* put_text_only(char* out, const TextOnly& op, bool resolved, std::string_view before, std::string_view after) {
  return Printer(out, op, resolved, before, after).run();
}

std::vector<ExplainedField> explain_text_only(std::span<const std::uint8_t> bytes, const TextOnly& op) {
  std::vector<ExplainedField> rows;
  const std::string_view source = op.kind == TextOnly::Kind::gta ? "3.4" : "3.3";
  const auto add = [&](std::string name, unsigned byte, unsigned low, unsigned width, std::string meaning) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 4 && byte + i < bytes.size(); ++i) value |= std::uint64_t{bytes[byte + i]} << (8 * i);
    rows.push_back({"modelled", std::move(name), 8 * byte + low, width, value >> low & low_mask(width),
                    std::move(meaning), Status::inferred, std::string(source)});
  };
  static constexpr std::array<std::string_view, 3> kinds{"sop", "sopmad", "gta"};
  add("length", 0, 0, 4, "16 words, stored as 0");
  add("kind", 0, 4, 4, std::string(kinds[static_cast<std::size_t>(op.kind)]) + "; the layout is mobula's own");
  add("cc[0]", 1, 0, 1, "condition of execution, low bit");
  add("w0p", 1, 1, 1, "W0 is written to a register");
  add("w1p", 1, 2, 1, "W1 is written to a register");
  add("olchk", 1, 3, 1, "the group touches pixel outputs");
  add("fixed", 1, 4, 4, "as in a long header");
  add("cc[1]", 2, 0, 1, "condition of execution, high bit");
  add("fixed", 2, 1, 4, "0");
  add("alutype", 2, 5, 2, "01, which no hardware has");
  add("end", 2, 7, 1, "the program ends after this group");
  add("lines", 3, 0, 3, "results");
  add("pwen", 3, 3, 1, "predicate P0 is written");
  add("moved", 3, 4, 4, "slot that sopmov copies to W1; 7: none");
  for (unsigned slot = 0; slot < slot_count; ++slot)
    add("s" + std::to_string(slot), 4 + 2 * slot, 0, 16, text_of(op.group.slots[slot]));
  for (unsigned port = 0; port < 2; ++port)
    add("w" + std::to_string(port), 16 + 2 * port, 0, 16,
        (port == 0 ? op.group.w0p : op.group.w1p) ? text_of(op.group.written[port]) : std::string("not written"));
  unsigned byte = 20;
  for (std::size_t line = 0; line < op.lines.size(); ++line) {
    const bool mad = op.kind == TextOnly::Kind::sopmad;
    const std::string which = '[' + std::to_string(line) + ']';
    if (!mad) add("line" + which, byte++, 0, 8, "join, what of it is the result, part and port");
    for (unsigned i = 0; i < (mad ? 3u : 4u); ++i)
      add("operand" + which + '[' + std::to_string(i) + ']', byte++, 0, 8, "slot, half, signs");
  }
  const Item& complex = op.group.item(Word::p1);
  for (; byte < (complex ? 30u : bytes.size()); ++byte) add("unused", byte, 0, 8, "0");
  if (complex) add("complex", 30, 0, 16, std::string(complex.op->name) + " in phase 1, in its longer form");
  return rows;
}

}  // namespace mobula::rogue
