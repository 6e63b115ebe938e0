// The text of operations without an encoding: the style of the Instruction Set Reference.
#include <algorithm>
#include <string>

#include "core/counted.h"
#include "core/quote.h"
#include "machines/rogue/text/group_names.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

class TextOnlyParser {
 public:
  TextOnlyParser(const Group& bound, const GroupAssembler::Complain& complain) : complain_(complain) {
    op_.group = bound;
    for (unsigned slot = 0; slot < slot_count; ++slot) taken_[slot] = bound.slots[slot] != Register{};
  }

  std::optional<TextOnly> run(std::span<const TextOp> ops) {
    // Slots that are named are not free for registers, whatever the order.
    for (const TextOp& op : ops)
      for (const TextOperand& each : op.operands)
        if (const auto named = slot_of(each)) taken_[*named] = true;
    for (const TextOp& op : ops)
      if (op.rows.front()->has(drives_w0)) read_complex(op);
    for (const TextOp& op : ops)
      if (!op.rows.front()->has(drives_w0)) read(op);
    if (op_.kind == TextOnly::Kind::sopmad) order_mads();
    check_ports(ops.front().span);
    if (failed_) return std::nullopt;
    return std::move(op_);
  }

 private:
  void error(Span span, std::string_view code, std::string message, std::string hint = {}) {
    failed_ = true;
    complain_(Severity::error, span, std::string(code), std::move(message), std::move(hint));
  }

  void read(const TextOp& op) {
    const std::string_view name = op.name.text;
    if (op.may_mean(does::Unencoded::move_beside_sum)) return read_move(op);
    const TextOnly::Kind kind = op.may_mean(does::Unencoded::texel_address)        ? TextOnly::Kind::gta
                                : op.may_mean(does::Unencoded::four_multiply_adds) ? TextOnly::Kind::sopmad
                                                                                   : TextOnly::Kind::sop;
    if (any_ && (kind != op_.kind || kind == TextOnly::Kind::gta))
      return error(op.span, "RG006", quote(name) + " shares its group with another operation",
                   "sop twice, sopmad four times, gta once; sopmov beside the first two");
    any_ = true;
    op_.kind = kind;
    if (!op.modifiers.empty() || !op.forced.empty())
      return error(op.span, "RG106", quote(name) + " is executed without modifiers and fields",
                   "what they mean is in no public document, or not modelled (docs/rogue-text-only.md)");
    if (kind == TextOnly::Kind::gta) return read_gta(op);
    const bool mad = kind == TextOnly::Kind::sopmad;
    const std::size_t wanted = mad ? 4 : 6;
    if (op.operands.size() != wanted)
      return error(
          op.span, "RG106", quote(name) + " wants " + counted(wanted, "operand"),
          mad ? "sopmad r0.e0, a, e, v is r0.e0 = a * e + v" : "sop r0.joutj, a, e, add, b, f is r0 = a * e + b * f");
    SopLine line;
    if (mad) line.join = SopLine::Join::mad;
    if (!read_destination(op.operands[0], line) || (!mad && !read_join(op.operands[3], line))) return;
    constexpr std::array<std::size_t, 4> of_sop{1, 2, 4, 5};
    for (std::size_t i = 0; i < wanted - (mad ? 1 : 2); ++i)
      if (!read_operand(op.operands[mad ? i + 1 : of_sop[i]], line.operands[i])) return;
    const bool taken = std::any_of(op_.lines.begin(), op_.lines.end(), [&](const SopLine& each) {
      return each.port == line.port &&
             (each.part == line.part || each.part == SopOperand::View::f32 || line.part == SopOperand::View::f32);
    });
    const std::size_t most = mad ? 4 : 2;
    if (taken || op_.lines.size() == most)
      return error(op.span, "RG003", taken ? "this result is written twice" : "a group holds at most two sums",
                   "put the second into a later group");
    op_.lines.push_back(line);
  }

  bool read_join(const TextOperand& text, SopLine& line) {
    constexpr std::array<std::string_view, 5> names{"add", "sub", "min", "max", "rsub"};
    const auto join = static_cast<std::size_t>(std::find(names.begin(), names.end(), text.base.text) - names.begin());
    if (join == names.size()) {
      error(text.span, "RG106", quote(text.base.text) + " joins no products", "allowed: add, sub, min, max, rsub");
      return false;
    }
    line.join = static_cast<SopLine::Join>(join);
    return true;
  }

  /// "r0.joutj", "r0.e1.koutk", "w0.e0".
  bool read_destination(const TextOperand& text, SopLine& line) {
    const auto port = port_of(text);
    if (!port) return false;
    line.port = *port;
    for (const LineToken& each : text.modifiers) {
      static constexpr std::pair<std::string_view, SopLine::Out> outs[] = {
          {"joutj", SopLine::Out::result}, {"koutk", SopLine::Out::result}, {"jouta", SopLine::Out::first},
          {"koutc", SopLine::Out::first},  {"joutb", SopLine::Out::second}, {"koutd", SopLine::Out::second}};
      const auto* const out =
          std::find_if(std::begin(outs), std::end(outs), [&](const auto& row) { return row.first == each.text; });
      const OperandModifier modifier = operand_modifier(each.text);
      if (out != std::end(outs)) {
        line.out = out->second;
      } else if (modifier == OperandModifier::e0 || modifier == OperandModifier::e1) {
        line.part = modifier == OperandModifier::e0 ? SopOperand::View::e0 : SopOperand::View::e1;
      } else {
        error(each.span(), "RG106", "a result has no modifier ." + std::string(each.text),
              "allowed: e0, e1, joutj, jouta, joutb, koutk, koutc, koutd");
        return false;
      }
    }
    if (op_.kind == TextOnly::Kind::sopmad && line.part == SopOperand::View::f32) {
      error(text.span, "RG106", "sopmad writes halves", "write .e0 or .e1 after the register");
      return false;
    }
    return true;
  }
  /// The port that drives the register: W0 for the first one named, W1 for the second.
  std::optional<std::uint8_t> port_of(const TextOperand& text) {
    if (text.is(Name::w0) || text.is(Name::w1)) return static_cast<std::uint8_t>(number_of(text.name));
    const auto reg = read_register(text);
    if (!reg) return std::nullopt;
    Group& group = op_.group;
    for (std::uint8_t port = complex_result_ ? 1 : 0; port < 2; ++port) {
      bool& written = port == 0 ? group.w0p : group.w1p;
      if (written && group.written[port] == *reg) return port;
      if (written) continue;
      written = true;
      group.written[port] = *reg;
      return port;
    }
    error(text.span, "RG033", "a group writes two registers", "put the third into a later group");
    return std::nullopt;
  }

  bool read_operand(const TextOperand& text, SopOperand& operand) {
    operand.negated = text.minus;
    static constexpr std::pair<std::string_view, std::uint8_t> values[] = {{"z", SopOperand::z},
                                                                           {"0", SopOperand::zero}};
    const auto* const value = std::find_if(std::begin(values), std::end(values),
                                           [&](const auto& row) { return row.first == text.base.text; });
    if (value != std::end(values)) {
      operand.slot = value->second;
    } else {
      const auto slot = read_slot(text);
      if (!slot) return false;
      operand.slot = *slot;
    }
    for (const LineToken& each : text.modifiers) {
      switch (operand_modifier(each.text)) {
        case OperandModifier::e0:
        case OperandModifier::e1:
          if (operand.slot != SopOperand::zero)  // both halves of 0 are 0
            operand.view =
                operand_modifier(each.text) == OperandModifier::e0 ? SopOperand::View::e0 : SopOperand::View::e1;
          break;
        case OperandModifier::neg:
          operand.negated = true;
          break;
        case OperandModifier::abs:
          operand.absolute = true;
          break;
        case OperandModifier::one_minus:
          operand.one_minus = true;
          break;
        case OperandModifier::flr:
        case OperandModifier::e2:
        case OperandModifier::e3:
        case OperandModifier::no_element:
        case OperandModifier::none:
          error(each.span(), "RG032", "this operand takes no ." + std::string(each.text),
                "allowed: e0, e1, neg, abs, oneminus");
          return false;
      }
    }
    return true;
  }

  /// s0 to s5, or a register, which goes to a slot that is free.
  std::optional<std::uint8_t> read_slot(const TextOperand& text) {
    if (const auto named = slot_of(text)) return static_cast<std::uint8_t>(*named);
    const auto reg = read_register(text);
    if (!reg) return std::nullopt;
    for (std::uint8_t slot = 0; slot < slot_count; ++slot) {
      if (taken_[slot] && op_.group.slots[slot] == *reg) return slot;
      if (taken_[slot]) continue;
      bind(slot, *reg);
      return slot;
    }
    error(text.span, "RG021", "a group reads six registers at most", "put a part into a group of its own");
    return std::nullopt;
  }
  void bind(unsigned slot, const Register& reg) {
    taken_[slot] = true;
    op_.group.slots[slot] = reg;
  }
  std::optional<Register> read_register(const TextOperand& text) {
    std::string complaint;
    const auto reg = register_of(text, complaint);
    if (!reg) error(text.span, "RG111", complaint.empty() ? quote(text.base.text) + " is not a register" : complaint);
    return reg;
  }

  /// frcp r8, r4: W0 from S3, in phase 1.
  void read_complex(const TextOp& op) {
    const Op& row = *op.rows.front();
    const std::string name = quote(op.name.text);
    if (op_.group.item(Word::p1))
      return error(op.span, "RG003", name + " is the second complex operation", "put it into a later group");
    const bool p0 = row.operand_count == 3;
    if (op.operands.size() != row.operand_count || !op.modifiers.empty() || !op.forced.empty() ||
        (p0 && !op.operands[1].is(Name::p0)))
      return error(op.span, "RG106", name + " beside a sum of products takes a result and a source",
                   "write " + std::string(row.name) + (p0 ? " r0, p0, r1" : " r0, r1"));
    if (const auto port = port_of(op.operands[0]); !port || *port != 0)
      return error(op.span, "RG033", name + " drives W0");
    if (!op.operands[0].is(Name::w0)) complex_result_ = op_.group.written[0];
    const TextOperand& source = op.operands.back();
    if (const auto named = slot_of(source); named && *named != upper_slot)
      return error(source.span, "RG021", "this operand is read from s3");
    else if (!named) {
      const auto reg = read_register(source);
      if (!reg) return;
      bind(upper_slot, *reg);
    }
    Values values = default_values;
    for (std::size_t i = 0; i < row.required_count; ++i) at(values, row.required[i].first) = row.required[i].second;
    at(values, F::s0neg) = source.minus ? 1 : 0;
    for (const LineToken& each : source.modifiers) {
      const OperandModifier modifier = operand_modifier(each.text);
      if (modifier != OperandModifier::neg && modifier != OperandModifier::abs)
        return error(each.span(), "RG032", "this operand takes no ." + std::string(each.text), "allowed: neg, abs");
      at(values, modifier == OperandModifier::neg ? F::s0neg : F::s0abs) = 1;
    }
    const Form* form = shortest_form(row, values);
    op_.group.item(Word::p1) = {form, &row, write(*form, values)};
  }

  /// A complex operation has W0 for itself, and sopmov W1.
  void check_ports(Span span) {
    for (unsigned port = 0; port < 2; ++port) {
      const bool taken = port == 0 ? bool(op_.group.item(Word::p1)) : op_.moved.has_value();
      const bool summed = std::any_of(op_.lines.begin(), op_.lines.end(),
                                      [&](const SopLine& line) { return line.port == port && !line.is_idle(); });
      if (taken && summed)
        error(span, "RG033", "w" + std::to_string(port) + " is driven twice",
              port == 0 ? "a complex operation drives W0: one sum goes to W1" : "sopmov drives W1");
    }
    if (op_.group.item(Word::p1) && op_.kind != TextOnly::Kind::sop)
      error(span, "RG006", "a complex operation may stand beside sop only", "put it into a group of its own");
  }

  /// sopmov dst, src: W1 from a slot, beside a sum that leaves W1 free.
  void read_move(const TextOp& op) {
    if (op.operands.size() != 2) return error(op.span, "RG106", "sopmov takes a result and a source");
    const auto slot = read_slot(op.operands[1]);
    Group& group = op_.group;
    if (!slot) return;
    if (op_.moved) return error(op.span, "RG033", "W1 is already written");
    op_.moved = slot;
    if (op.operands[0].is(Name::w1)) return;
    if (group.w1p) return error(op.span, "RG033", "W1 is already written");
    const auto reg = read_register(op.operands[0]);
    if (!reg) return;
    group.w1p = true;
    group.written[1] = *reg;
  }

  /// gta w0, w1, p0 or _, s3, s0, s1, s4, s5
  void read_gta(const TextOp& op) {
    constexpr std::size_t count = 8;
    if (op.operands.size() != count)
      return error(op.span, "RG106", "gta takes 8 operands", "gta w0, w1, (p0|_), s3, s0, s1, s4, s5");
    if (!port_of(op.operands[0]) || !port_of(op.operands[1])) return;
    op_.writes_p0 = op.operands[2].is(Name::p0);
    if (!op_.writes_p0 && !op.operands[2].is(Name::nothing))
      return error(op.operands[2].span, "RG106", "expected p0 or _");
    constexpr std::array<unsigned, 5> slots{3, 0, 1, 4, 5};
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const TextOperand& text = op.operands[3 + i];
      if (const auto named = slot_of(text)) {
        if (*named != slots[i]) error(text.span, "RG021", "this operand is read from s" + std::to_string(slots[i]));
      } else if (const auto reg = read_register(text)) {
        bind(slots[i], *reg);
      }
    }
  }

  /// Four results in their order; those that nobody asked for are 0.
  void order_mads() {
    std::vector<SopLine> ordered(4);
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      SopLine& line = ordered[i];
      line.join = SopLine::Join::mad;
      line.port = static_cast<std::uint8_t>(i % 2);
      line.part = i < 2 ? SopOperand::View::e0 : SopOperand::View::e1;
      for (const SopLine& each : op_.lines)
        if (each.port == line.port && each.part == line.part) line = each;
    }
    op_.lines = std::move(ordered);
  }

  const GroupAssembler::Complain& complain_;
  TextOnly op_;
  std::array<bool, slot_count> taken_{};
  std::optional<Register> complex_result_;
  bool any_ = false, failed_ = false;
};

}  // namespace

std::optional<TextOnly> parse_text_only(std::span<const TextOp> ops, const Group& bound,
                                        const GroupAssembler::Complain& complain) {
  return TextOnlyParser(bound, complain).run(ops);
}

}  // namespace mobula::rogue
