#include <algorithm>
#include <optional>
#include <string>

#include "core/token_cursor.h"
#include "machines/rogue/text/group_assembler.h"
#include "machines/rogue/text/group_names.h"
#include "machines/rogue/text/link.h"
#include "machines/rogue/text/parse.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{64} << 20;
constexpr std::uint64_t max_code_bytes = std::uint64_t{1} << 28;

class Parser : TokenCursor {
 public:
  Parser(const SourceText& source, std::string_view variant)
      : source_(source.file, source.text),
        complain_([this](Severity severity, Span span, std::string code, std::string message, std::string hint) {
          diagnostics_.push_back(
              {severity, std::move(code), source_.locate(span), std::move(message), std::move(hint)});
        }) {
    program_.file = source.file;
    program_.machine = "rogue";
    program_.variant = variant;
  }

  Result<Program> run() {
    for (line_ = 0; line_ < source_.line_count(); ++line_) {
      lex_line(source_, line_, tokens_, Comments::slashes_only);
      cut_comment();
      start(tokens_);
      parse_line();
    }
    if (assembler_ && braced_) error(open_at_, "RG101", "this group is not closed", "write '}' after its last item");
    close_group();
    if (!has_errors(diagnostics_)) link(text_, complain_, program_);
    if (has_errors(diagnostics_)) return mobula::fail(std::move(diagnostics_));
    return std::move(program_);
  }

 private:
  // ---------------------------------------------------------------------------------------------- tokens

  [[nodiscard]] bool at_item_end() const { return at_end() || peek().is(";") || peek().is("}"); }
  void skip_item() {
    while (!at_item_end()) take();
  }
  /// Comments begin with "#" or ";;" besides "//".
  void cut_comment() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
      if (tokens_[i].is("#") || (tokens_[i].is(";") && tokens_[i + 1].is(";") && tokens_[i].touches(tokens_[i + 1]))) {
        const std::uint32_t offset = tokens_[i].offset;
        tokens_.resize(i + 1);
        tokens_[i] = {LineToken::Kind::end, {}, offset};
      }
  }
  void error(Span span, std::string code, std::string message, std::string hint = {}) {
    complain_(Severity::error, span, std::move(code), std::move(message), std::move(hint));
  }
  bool expect(std::string_view spelling) {
    if (accept(spelling)) return true;
    error(peek().span(), "RG102", "expected " + quote(spelling) + found());
    return false;
  }
  std::optional<std::uint32_t> number(std::uint64_t low, std::uint64_t high, std::string_view what) {
    std::uint64_t value = 0;
    if (peek().kind != LineToken::Kind::number || !parse_integer(peek().text, value)) {
      error(peek().span(), "RG103", "expected a number for " + std::string(what) + found());
      return std::nullopt;
    }
    if (value < low || value > high) {
      error(peek().span(), "RG104", std::string(what) + " is " + std::to_string(value),
            "allowed: " + std::to_string(low) + " to " + std::to_string(high));
      return std::nullopt;
    }
    take();
    return static_cast<std::uint32_t>(value);
  }

  // ---------------------------------------------------------------------------------------------- lines

  void parse_line() {
    while (!at_end()) {
      if (assembler_ && (braced_ || !starts_group())) {
        parse_in_group();
        continue;
      }
      close_group();
      if (peek().is(".")) {
        take();
        parse_directive();
        return;
      }
      if (peek().kind == LineToken::Kind::word && peek(1).is(":")) {
        parse_label();
      } else if (starts_group()) {
        open_group();
      } else if (is_instruction(peek().text)) {
        open_group();
        while (!at_end()) parse_in_group();
        close_group();
      } else {
        refuse_line();
        return;
      }
    }
  }

  /// A word with operands is meant for an instruction.
  void refuse_line() {
    const LineToken& first = peek();
    const std::string hint = first.kind == LineToken::Kind::word ? nearest_op(first.text) : std::string();
    const bool has_operands = peek(1).kind == LineToken::Kind::word || peek(1).is(".");
    if (!hint.empty() || (first.kind == LineToken::Kind::word && has_operands))
      return error(first.span(), "RG105", quote(first.text) + " is not an instruction", hint);
    error(first.span(), "RG109", "expected a group, a label or a directive" + found(),
          "groups look like main { s0 = r1; p0: mbyp ft0, s0; w0 = r0 }, or 0 : and instructions below");
  }

  [[nodiscard]] static bool is_alu(const LineToken& token) {
    return token.is("main") || token.is("bit") || token.is("ctrl") || token.is("bitwise") || token.is("control");
  }
  /// A number or nothing and ":", a label, a directive, a condition or an ALU begins something new.
  [[nodiscard]] bool starts_group() const {
    if (peek().is(".") || peek().is(":")) return true;
    if (peek().kind == LineToken::Kind::number && peek(1).is(":")) return true;
    if (is_alu(peek())) return true;
    if (peek().is("if") || (peek().is("(") && peek(1).is("ignorepe"))) return true;
    const bool phase = peek().is("p0") || peek().is("p1") || peek().is("p2") || peek().is("be");
    return peek().kind == LineToken::Kind::word && peek(1).is(":") && !phase;
  }

  /// An instruction alone on a line is a group.
  [[nodiscard]] static bool is_instruction(std::string_view name) { return !ops_named(name).empty(); }

  void parse_label() {
    const LineToken name = take();
    take();
    if (!text_.labels.try_emplace(std::string(name.text), text_.entries.size()).second)
      error(name.span(), "RG107", "label " + quote(name.text) + " is defined a second time",
            "labels are unique in a program");
    else
      text_.label_order.emplace_back(name.text, text_.entries.size());
  }

  void parse_directive() {
    const LineToken name = take();
    if (name.is("byte")) {
      parse_bytes();
    } else if (name.is("entry")) {
      text_.entry = take();
    } else if (name.is("align") || name.is("org")) {
      parse_position(name);
    } else if (name.is("profile")) {
      parse_profile();
    } else {
      error(name.span(), "RG108", "there is no directive ." + std::string(name.text),
            "available: .byte, .entry, .align, .org, .profile");
    }
  }

  void parse_position(const LineToken& name) {
    Entry entry;
    entry.span = peek().span();
    const bool align = name.is("align");
    const auto value =
        number(align ? 2 : 0, align ? max_group_bytes : max_code_bytes, align ? "an alignment" : "a byte");
    if (!value) return;
    if (align ? (*value & (*value - 1)) != 0 : *value % 2 != 0)
      return error(entry.span, "RG104", "groups cannot begin there",
                   align ? "allowed: 2, 4, 8, 16, 32" : "groups begin at even bytes");
    (align ? entry.align : entry.org) = value;
    text_.entries.push_back(std::move(entry));
  }

  /// Says what the text is for; the variant is chosen by whoever assembles it.
  void parse_profile() {
    std::string name;
    const Span span = peek().span();
    while (!at_end()) name += take().text;
    const std::string_view variant = variant_of(program_);
    if (name != variant)
      error(span, "RG108", "the text is for rogue:" + name + ", and is assembled for rogue:" + std::string(variant),
            "give --machine rogue:usc, rogue:complex-p1 or rogue:model");
  }

  void parse_bytes() {
    Entry entry;
    entry.span = peek().span();
    entry.line = line_number();
    do {
      const auto value = number(0, 255, "a byte");
      if (!value) return;
      entry.bytes.push_back(static_cast<std::uint8_t>(*value));
    } while (accept(",") || !at_end());
    text_.entries.push_back(std::move(entry));
  }

  [[nodiscard]] std::uint32_t line_number() const { return static_cast<std::uint32_t>(line_ + 1); }

  // ---------------------------------------------------------------------------------------------- groups

  void open_group() {
    open_at_ = peek().span();
    if (peek().kind == LineToken::Kind::number) take();
    (void)accept(":");
    Condition condition = Condition::always;
    if (!parse_condition(condition)) return skip_line();
    Alu alu = Alu::main;
    const bool said = is_alu(peek());
    if (said) {
      const std::string_view name = take().text;
      alu = name.starts_with("main") ? Alu::main : name.starts_with("bit") ? Alu::bitwise : Alu::control;
    }
    entry_draft_ = {};
    entry_draft_.span = open_at_;
    entry_draft_.line = line_number();
    flags_ = {};
    if (!parse_flags()) return skip_line();
    braced_ = accept("{");
    if (said && !braced_) {
      error(peek().span(), "RG102", "expected '{'" + found());
      return skip_line();
    }
    isr_ = !said;
    collected_.clear();
    alu_known_ = false;
    assembler_.emplace(alu, isr_, open_at_, complain_);
    assembler_->group.condition = condition;
    assembler_->complex_in_p1 = has_complex_in_p1(program_.variant);
  }
  void skip_line() {
    while (!at_end()) take();
  }

  bool parse_condition(Condition& condition) {
    if (accept("if")) {
      if (!expect("(")) return false;
      condition = accept("!") ? Condition::if_not_p0 : Condition::if_p0;
      return condition_word("p0") && expect(")");
    }
    if (!peek().is("(")) return true;
    take();
    condition = Condition::ignore_pe;
    return condition_word("ignorepe") && expect(")");
  }
  bool condition_word(std::string_view word) {
    if (accept(word)) return true;
    error(peek().span(), "RG013", quote(peek().text) + " is not a condition",
          "allowed: if(p0), if(!p0), (ignorepe), or none");
    return false;
  }

  struct Flags {
    bool olchk = false, atom = false, end = false, long_header = false, short_header = false;
    std::uint8_t repeat = 1;
  };
  bool parse_flags() {
    while (!at_end() && !peek().is("{")) {
      const LineToken name = take();
      switch (group_flag(name.text)) {
        case GroupFlag::olchk:
          flags_.olchk = true;
          break;
        case GroupFlag::atom:
          flags_.atom = true;
          break;
        case GroupFlag::end:
          flags_.end = true;
          break;
        case GroupFlag::rpt: {
          const auto value = flag_value(1, max_repeat, "the repeat count");
          if (!value) return false;
          flags_.repeat = static_cast<std::uint8_t>(*value);
          break;
        }
        case GroupFlag::hdr: {
          const auto value = flag_value(2, 3, "the header's size");
          if (!value) return false;
          (*value == 3 ? flags_.long_header : flags_.short_header) = true;
          break;
        }
        case GroupFlag::len: {
          const auto value = flag_value(1, 16, "the length in words");
          if (!value) return false;
          entry_draft_.words = *value;
          break;
        }
        case GroupFlag::none:
          if (is_instruction(name.text) || peek().is("=") || peek().is(":")) {
            step_back();
            return true;
          }
          refuse_flag(name);
          return false;
      }
    }
    return true;
  }
  void refuse_flag(const LineToken& name) {
    if (const std::string hint = nearest_op(name.text); !hint.empty())
      return error(name.span(), "RG105", quote(name.text) + " is neither an instruction nor a flag of a group", hint);
    error(name.span(), "RG117", quote(name.text) + " is not a flag of a group",
          "available: olchk, atom, end, rpt=1..4, hdr=3, len=1..16");
  }
  std::optional<std::uint32_t> flag_value(std::uint64_t least, std::uint64_t most, std::string_view what) {
    if (!expect("=")) return std::nullopt;
    return number(least, most, what);
  }
  void parse_in_group() {
    if (accept(";")) return;
    if (accept("}")) {
      if (!braced_) error(previous().span(), "RG102", "nothing is open here");
      close_group();
      return;
    }
    if (accept("{")) {
      if (braced_ || !isr_) error(previous().span(), "RG102", "a group is open already");
      braced_ = true;
      return;
    }
    const std::size_t before = position();
    parse_item();
    if (!at_item_end()) {
      error(peek().span(), "RG102", "expected ';' or the end of the item" + found());
      skip_item();
    }
    if (position() == before) take();
  }

  void parse_item() {
    const LineToken& name = peek();
    if (peek(1).is("=")) {
      parse_binding();
    } else if (name.is("map") && peek(1).kind == LineToken::Kind::word) {
      parse_map();
    } else {
      parse_op();
    }
  }

  void parse_binding() {
    const LineToken name = take();
    take();
    const std::string_view text = name.text;
    if (text == "pad") return parse_padding();
    const Name bound = name_spelled(text);
    if (is_selector(bound)) {
      const LineToken value = take();
      assembler_->select(number_of(bound), value);
      return;
    }
    if (!is_slot(bound) && !is_port(bound)) {
      error(name.span(), "RG118", quote(text) + " cannot be bound", "available: s0 to s5, is0 to is5, w0, w1, pad");
      return skip_item();
    }
    TextOperand operand;
    if (!parse_operand(operand)) return skip_item();
    std::string complaint;
    const auto reg = register_of(operand, complaint);
    if (!reg || !operand.modifiers.empty()) {
      error(operand.span, "RG111",
            complaint.empty() ? quote(source_.text(operand.span)) + " is not a register" : complaint,
            "registers are r, vi, cf, cfa, sh, sc, sr, i, sl, po, g with a number, and idx0, idx1");
      return;
    }
    if (is_slot(bound))
      assembler_->bind_slot(number_of(bound), *reg, operand.span);
    else
      assembler_->bind_result(number_of(bound), *reg, operand.span);
  }

  /// Hexadecimal digits, whatever tokens they fall into.
  void parse_padding() {
    std::string digits;
    const Span start = peek().span();
    while (!at_item_end()) digits += take().text;
    const auto digit = [](char c) {
      return c >= '0' && c <= '9'   ? c - '0'
             : c >= 'A' && c <= 'F' ? c - 'A' + 10
             : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                    : -1;
    };
    if (digits.size() % 2 != 0 || std::any_of(digits.begin(), digits.end(), [&](char c) { return digit(c) < 0; })) {
      error(start, "RG103", "padding is an even number of hexadecimal digits");
      return;
    }
    entry_draft_.has_padding = true;
    for (std::size_t i = 0; i < digits.size(); i += 2)
      entry_draft_.bytes.push_back(static_cast<std::uint8_t>(digit(digits[i]) * 16 + digit(digits[i + 1])));
  }

  /// "map lo=2lo_1b6i_1b5i": the names begin with a digit, so they come in pieces.
  void parse_map() {
    take();
    const LineToken which = take();
    if (!expect("=")) return skip_item();
    const LineToken first = peek();
    std::string name;
    while (!at_item_end()) name += take().text;
    const auto choose = [&](unsigned map, std::span<const Form> forms) {
      for (const Form& form : forms)
        if (form.name == name) {
          assembler_->force_map(map, form);
          return true;
        }
      return false;
    };
    const bool known = (which.is("lo") && choose(0, forms::lower)) || (which.is("hi") && choose(1, forms::upper)) ||
                       (which.is("dst") && (choose(2, forms::one_destination) || choose(2, forms::two_destinations)));
    if (!known)
      error(first.span(), "RG114", "there is no map " + quote(name) + " here",
            "see `mobula isa rogue` for the forms of maps");
  }

  // ---------------------------------------------------------------------------------------------- instructions

  bool parse_operand(TextOperand& operand) {
    const std::uint32_t start = peek().offset;
    while (peek().is("-") || peek().is("!") || peek().is("+")) {
      operand.minus = operand.minus || peek().is("-");
      operand.bang = operand.bang || peek().is("!");
      take();
    }
    if (peek().kind != LineToken::Kind::word && peek().kind != LineToken::Kind::number) {
      error(peek().span(), "RG102", "expected an operand" + found());
      return false;
    }
    operand.base = take();
    operand.name = operand_named(operand.base.text);
    if (accept("[")) {
      const LineToken index = take();
      std::uint64_t value = 0;
      if (index.is("idx0") || index.is("idx1"))
        operand.index_register = index.is("idx0") ? 0 : 1;
      else if (index.kind == LineToken::Kind::number && parse_integer(index.text, value) && value < 256)
        operand.bracketed = static_cast<std::uint32_t>(value);
      else {
        error(index.span(), "RG111", "an index is idx0, idx1 or a number up to 255");
        return false;
      }
      if (accept(",")) {
        error(peek().span(), "RG115", "how a dimension of an index is encoded is not published",
              "scale the index register instead");
        return false;
      }
      if (!expect("]")) return false;
    }
    while (peek().is(".") && (peek(1).kind == LineToken::Kind::word || peek(1).kind == LineToken::Kind::number)) {
      take();
      operand.modifiers.push_back(take());
    }
    operand.span = {start, previous().offset + static_cast<std::uint32_t>(previous().text.size()) - start};
    return true;
  }

  void parse_op() {
    TextOp op;
    if (peek().kind == LineToken::Kind::word && peek(1).is(":")) {
      op.phase = take();
      take();
    }
    if (peek().kind != LineToken::Kind::word) {
      error(peek().span(), "RG109", "expected an instruction or a binding" + found());
      return skip_item();
    }
    op.name = take();
    op.rows = ops_named(op.name.text);
    while (peek().is(".") && (peek(1).kind == LineToken::Kind::word || peek(1).kind == LineToken::Kind::number)) {
      take();
      op.modifiers.push_back(take());
    }
    while (!at_item_end()) {
      if (peek(1).is(":") && peek(2).is("=")) {
        const LineToken field = take();
        take();
        take();
        const auto value = number(0, 0xFFFFFFFF, "the field");
        if (!value) return skip_item();
        op.forced.push_back({field, *value});
      } else {
        TextOperand operand;
        if (!parse_operand(operand)) return skip_item();
        op.operands.push_back(std::move(operand));
      }
      if (!accept(",")) break;
    }
    constexpr std::size_t max_operands = 16;
    if (op.operands.size() > max_operands) {
      error(op.name.span(), "RG106", "no instruction has that many operands");
      return;
    }
    const LineToken& last = previous();
    op.span = {op.name.offset, last.offset + static_cast<std::uint32_t>(last.text.size()) - op.name.offset};
    add_op(std::move(op));
  }

  /// In the reference's style the instructions say which ALU the group uses; the first that says so decides.
  static std::optional<Alu> alu_of(const TextOp& op) {
    std::optional<Alu> found;
    for (const Op* row : op.rows) {
      for (std::size_t i = 0; i < unit_count; ++i) {
        const auto unit = static_cast<Unit>(i);
        if (!row->in(unit)) continue;
        const Alu alu = unit == Unit::control ? Alu::control : is_bitwise(unit) ? Alu::bitwise : Alu::main;
        if (found && *found != alu) return std::nullopt;
        found = alu;
      }
    }
    if (op.may_mean(does::Move::replace)) {
      const bool bitwise = op.operands.size() == 4 || (op.operands.size() == 2 && op.operands[0].name == Name::ft2) ||
                           (op.operands.size() == 2 && is_literal(op.operands[1]));
      if (bitwise) return Alu::bitwise;
      return std::nullopt;
    }
    return found;
  }

  [[nodiscard]] bool is_modelled(const TextOp& op) const {
    return program_.variant == model_variant && !op.rows.empty() && is_text_only(op.rows.front()->does);
  }
  /// What may be beside a sum of products.
  [[nodiscard]] static bool is_complex(const TextOp& op) {
    return !op.rows.empty() && op.rows.front()->has(drives_w0) && op.rows.front()->in(Unit::p1);
  }

  void add_op(TextOp op) {
    // Whether a group of the model variant has an encoding, all of its instructions say together.
    if (is_modelled(op) || (!isr_ && program_.variant == model_variant)) {
      collected_.push_back(std::move(op));
      return;
    }
    if (!isr_) {
      assembler_->add(std::move(op));
      return;
    }
    if (!alu_known_)
      if (const auto alu = alu_of(op)) {
        assembler_->group.alu = *alu;
        alu_known_ = true;
      }
    // `mov r0, 1.5` is a bypass of an immediate.
    if (assembler_->group.alu == Alu::bitwise && op.may_mean(does::Move::replace) && op.operands.size() == 2 &&
        is_literal(op.operands[1])) {
      TextOperand ft0 = op.operands[0], ft1 = op.operands[0], s0 = op.operands[0];
      const TextOperand to = op.operands[0];
      ft0.rename(Name::ft0);
      ft1.rename(Name::ft1);
      s0.name = Name::none;
      s0.base.text = "sc0";
      op.operands = {ft0, ft1, s0, op.operands[1]};
      collected_.push_back(std::move(op));
      TextOp output = collected_.back();
      output.operands = {to, ft1};
      collected_.push_back(std::move(output));
      return;
    }
    collected_.push_back(std::move(op));
  }

  void close_group() {
    if (!assembler_) return;
    const bool modelled =
        std::any_of(collected_.begin(), collected_.end(), [this](const TextOp& op) { return is_modelled(op); });
    if (!modelled)
      for (TextOp& op : collected_) assembler_->add(std::move(op));
    alu_known_ = false;
    Group& group = assembler_->group;
    group.olchk = group.olchk || flags_.olchk;
    group.atom = group.atom || flags_.atom;
    group.end = group.end || flags_.end;
    group.repeat = flags_.repeat;
    assembler_->long_header = flags_.long_header;
    if (modelled) return close_text_only(group);
    collected_.clear();
    if (group.alu == Alu::control && (group.atom || group.end || group.repeat != 1)) {
      error(open_at_, "RG011", "a control group has neither a repeat nor atom nor end",
            "the program's end is `nop.end`");
    } else if (assembler_->finish()) {
      if (flags_.short_header && !group.brief)
        error(open_at_, "RG014", "the two-byte header has no room for what this group says",
              "it is for main groups without end, atom, repeat, (ignorepe) and if(!p0)");
      entry_draft_.group = group;
      entry_draft_.target = assembler_->target;
    }
    entry_draft_.is_group = true;
    if (text_.entries.size() * 2 > max_code_bytes) error(open_at_, "RG119", "the program is too long");
    text_.entries.push_back(std::move(entry_draft_));
    assembler_.reset();
    braced_ = false;
  }

  /// Operations without an encoding and others do not share a group, whichever comes first.
  void refuse_beside_modelled() {
    const auto alone =
        std::find_if(collected_.begin(), collected_.end(), [this](const TextOp& op) { return is_modelled(op); });
    const std::string name = quote(alone->name.text);
    std::erase_if(collected_, [&](const TextOp& op) {
      if (is_modelled(op) || is_complex(op)) return false;
      error(
          op.span, "RG006", quote(op.name.text) + " shares its group with " + name,
          "sums of products and texel addresses take the whole main ALU, but for a complex operation beside a sum: put "
          "it into a group of its own");
      return true;
    });
  }

  /// A group of the model variant that has no encoding goes in as bytes.
  void close_text_only(const Group& group) {
    if (group.alu != Alu::main) error(open_at_, "RG001", "such an operation is one of the main ALU");
    if (group.repeat != 1 || group.atom) error(open_at_, "RG017", "such a group has neither a repeat nor atom");
    refuse_beside_modelled();
    if (const auto op = parse_text_only(collected_, group, complain_)) {
      const auto bytes = encode_text_only(*op);
      entry_draft_.bytes.assign(bytes.begin(), bytes.end());
    }
    collected_.clear();
    text_.entries.push_back(std::move(entry_draft_));
    assembler_.reset();
    braced_ = false;
  }

  Source source_;
  GroupAssembler::Complain complain_;
  Diagnostics diagnostics_;
  Program program_;
  std::vector<LineToken> tokens_;
  std::size_t line_ = 0;
  ParsedText text_;
  // the group that is open
  std::optional<GroupAssembler> assembler_;
  Entry entry_draft_;
  Flags flags_;
  std::vector<TextOp> collected_;  ///< until the group is complete
  bool braced_ = false, isr_ = false, alu_known_ = false;
  Span open_at_;
};

}  // namespace

Result<Program> parse(const SourceText& source, std::string_view variant) {
  if (source.text.size() > max_text_bytes) return mobula::fail("RG119", "the text is larger than 64 MiB", "split it");
  return Parser(source, variant).run();
}

}  // namespace mobula::rogue
