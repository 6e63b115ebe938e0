#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/token_cursor.h"
#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/text/tokens.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

/// Items of one unit may occur once in a word; adders share their operation.
struct WordState {
  Word128 word = nop;
  std::uint32_t set = 0;  ///< bit per resource, see resource_of()
  std::optional<std::uint8_t> acc_op;
};

class Parser : TokenCursor {
 public:
  Parser(const SourceText& source, std::string_view variant) : source_(source.file, source.text) {
    program_.file = source.file;
    program_.machine = "utgard-gp";
    program_.variant = variant;
  }

  Result<Program> run() {
    for (line_ = 0; line_ < source_.line_count(); ++line_) {
      lex_line(source_, line_, tokens_, Comments::slashes_only);
      start(tokens_);
      parse_line();
    }
    if (open_) error(open_at_, "GP101", "this word is not closed", "write '}' after its last item");
    patch_branches();
    if (has_errors(diagnostics_)) return fail(std::move(diagnostics_));
    return std::move(program_);
  }

 private:
  // ---------------------------------------------------------------------------------------------- tokens

  void error(Span span, std::string code, std::string message, std::string hint = {}) {
    diagnostics_.push_back(
        {Severity::error, std::move(code), source_.locate(span), std::move(message), std::move(hint)});
  }
  bool expect(std::string_view spelling) {
    if (accept(spelling)) return true;
    error(peek().span(), "GP102", "expected '" + std::string(spelling) + "'" + found());
    return false;
  }
  std::optional<std::uint32_t> number(std::uint64_t limit, std::string_view what) {
    std::uint64_t value = 0;
    if (peek().kind != LineToken::Kind::number || !parse_integer(peek().text, value)) {
      error(peek().span(), "GP103", "expected a number for " + std::string(what) + found());
      return std::nullopt;
    }
    if (value >= limit) {
      error(peek().span(), "GP104", std::string(what) + " is " + std::to_string(value),
            "allowed: 0 to " + std::to_string(limit - 1));
      return std::nullopt;
    }
    take();
    return static_cast<std::uint32_t>(value);
  }
  /// A word made of a prefix and a decimal number, such as "attr3" or "$12".
  std::optional<std::uint32_t> numbered(std::string_view prefix, std::uint64_t limit, std::string_view what) {
    const LineToken token = peek();
    std::uint64_t value = 0;
    if (token.text.starts_with(prefix) && parse_integer(token.text.substr(prefix.size()), value)) {
      if (value < limit) {
        take();
        return static_cast<std::uint32_t>(value);
      }
      error(token.span(), "GP104", std::string(what) + " has the number " + std::to_string(value),
            "allowed: 0 to " + std::to_string(limit - 1));
      return std::nullopt;
    }
    error(token.span(), "GP105", "expected " + std::string(prefix) + "N for " + std::string(what) + found());
    return std::nullopt;
  }

  // ---------------------------------------------------------------------------------------------- lines

  void parse_line() {
    while (!at_end()) {
      if (open_) {
        parse_in_word();
      } else if (accept("{")) {
        open_ = true;
        open_at_ = previous().span();
        add_line();
        state_ = {};
      } else if (peek().is(".")) {
        take();
        parse_directive();
        return;
      } else if (peek().kind == LineToken::Kind::word && peek(1).is(":")) {
        parse_label();
      } else {
        error(peek().span(), "GP106", "expected a word in braces, a label or a directive" + found(),
              "words look like { m0 = mul p0.x, ld.x; st0 v0.x = m0 }");
        return;
      }
    }
  }

  void parse_label() {
    const LineToken name = take();
    take();
    if (!labels_.try_emplace(std::string(name.text), index()).second)
      error(name.span(), "GP107", "label '" + std::string(name.text) + "' is defined a second time",
            "labels are unique in a program");
    else
      program_.labels.push_back({std::string(name.text), std::uint64_t{index()} * word_bytes});
  }

  void parse_directive() {
    const LineToken name = take();
    if (name.is("word")) {
      add_line();
      std::array<std::uint32_t, 4> words{};
      for (unsigned i = 0; i < 4; ++i) {
        if (i != 0) accept(",");
        const auto value = hexadecimal();
        if (!value) return;
        words[i] = *value;
      }
      append_word({words[0] | std::uint64_t{words[1]} << 32, words[2] | std::uint64_t{words[3]} << 32}, program_.code);
    } else if (name.is("byte")) {
      do {
        const auto value = number(256, "a byte");
        if (!value) return;
        program_.code.push_back(static_cast<std::uint8_t>(*value));
      } while (accept(","));
      if (at_end()) bytes_seen_ = true;
    } else {
      error(name.span(), "GP108", "unknown directive '." + std::string(name.text) + "'", "directives: .word, .byte");
      return;
    }
    if (!at_end()) error(peek().span(), "GP109", "expected the end of the line" + found());
  }

  /// 32 bits, "0x" optional: a number token, or a word of hexadecimal digits such as "ad4ad6b5".
  std::optional<std::uint32_t> hexadecimal() {
    const LineToken token = take();
    std::string_view digits = token.text;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    std::uint64_t value = 0;
    if (digits.empty() || digits.size() > 8 || !parse_integer("0x" + std::string(digits), value)) {
      error(token.span(), "GP110", "expected up to 8 hexadecimal digits, found '" + std::string(token.text) + "'");
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(value);
  }

  void parse_in_word() {
    if (accept(";")) return;
    if (accept("}")) {
      close_word();
      return;
    }
    if (!parse_item()) skip_item();
    if (!at_end() && !peek().is(";") && !peek().is("}")) {
      error(peek().span(), "GP111", "expected ';' or '}' after an item" + found());
      skip_item();
    }
  }
  void skip_item() {
    while (!at_end() && !peek().is(";") && !peek().is("}")) take();
  }

  void close_word() {
    open_ = false;
    if (bytes_seen_ && program_.code.size() % word_bytes != 0)
      error(open_at_, "GP112", "a word after .byte bytes that do not fill one",
            "bytes that do not fill a word belong at the end of a program");
    append_word(state_.word, program_.code);
  }

  [[nodiscard]] std::uint32_t index() const { return static_cast<std::uint32_t>(program_.code.size() / word_bytes); }
  /// The next word begins in this line.
  void add_line() { program_.lines.push_back({program_.code.size(), static_cast<std::uint32_t>(line_ + 1)}); }

  // ---------------------------------------------------------------------------------------------- items

  bool parse_item() {
    const LineToken head = peek();
    Item item;
    if (is_force()) return parse_force();
    if (head.is("br")) {
      take();
      return parse_branch(head);
    }
    if (head.is("st0") || head.is("st1")) {
      take();
      item.kind = Item::Kind::store;
      item.half = head.is("st1") ? 1 : 0;
      return parse_store(item) && add(item, head);
    }
    take();
    if (!accept("=")) {
      error(head.span(), "GP113", "unknown item '" + std::string(head.text) + "'",
            "items begin with p0 p1 ld m0 m1 m01 a0 a1 c p st0 st1 br, or force a field with :=");
      return false;
    }
    if (head.is("p0")) return parse_port0(item) && add(item, head);
    if (head.is("p1")) {
      item.kind = Item::Kind::port1;
      return store_number(item, numbered("$", register_count, "a register")) && add(item, head);
    }
    if (head.is("ld")) return parse_load(item) && add(item, head);
    if (head.is("m0") || head.is("m1")) {
      item.unit = head.is("m0") ? Unit::mul0 : Unit::mul1;
      return parse_mul(item) && add(item, head);
    }
    if (head.is("m01")) return parse_wide(item) && add(item, head);
    if (head.is("a0") || head.is("a1")) {
      item.unit = head.is("a0") ? Unit::acc0 : Unit::acc1;
      return parse_acc(item) && add(item, head);
    }
    if (head.is("c")) return parse_single(item, Item::Kind::complex, cplx_ops, unknown_cplx) && add(item, head);
    if (head.is("p")) return parse_single(item, Item::Kind::pass, pass_ops, unknown_pass) && add(item, head);
    error(head.span(), "GP113", "unknown item '" + std::string(head.text) + "'",
          "items begin with p0 p1 ld m0 m1 m01 a0 a1 c p st0 st1 br, or force a field with :=");
    return false;
  }

  static bool store_number(Item& item, std::optional<std::uint32_t> number) {
    item.number = number.value_or(0);
    return number.has_value();
  }

  bool add(const Item& item, const LineToken& head) {
    const std::uint32_t resource = resource_of(item);
    if ((state_.set & resource) != 0) {
      error(head.span(), "GP114", "'" + std::string(head.text) + "' is already used in this word",
            "move it to another word");
      return false;
    }
    state_.set |= resource;
    if (item.kind == Item::Kind::acc) {
      if (state_.acc_op && *state_.acc_op != item.opcode) {
        error(head.span(), "GP115",
              "both adders must perform the same operation, and the other one performs a different one",
              "mov, neg and add count as one operation");
        return false;
      }
      state_.acc_op = item.opcode;
    }
    apply(item, state_.word);
    return true;
  }

  /// Bits of what an item occupies in its word.
  static std::uint32_t resource_of(const Item& item) {
    switch (item.kind) {
      case Item::Kind::port0_attribute:
      case Item::Kind::port0_register:
        return 1;
      case Item::Kind::port1:
        return 2;
      case Item::Kind::load:
        return 4;
      case Item::Kind::mul:
        return item.unit == Unit::mul0 ? 8 : 16;
      case Item::Kind::wide:
        return 24;
      case Item::Kind::acc:
        return item.unit == Unit::acc0 ? 32 : 64;
      case Item::Kind::complex:
        return 128;
      case Item::Kind::pass:
        return 256;
      case Item::Kind::store:
        return item.half == 0 ? 512 : 1024;
      case Item::Kind::branch:
        return 2048;
      case Item::Kind::force:
        return 0;
    }
    return 0;
  }

  bool parse_port0(Item& item) {
    const bool attribute = peek().text.starts_with("attr");
    item.kind = attribute ? Item::Kind::port0_attribute : Item::Kind::port0_register;
    return store_number(item, attribute ? numbered("attr", attribute_count, "an attribute")
                                        : numbered("$", register_count, "a register"));
  }

  bool parse_load(Item& item) {
    item.kind = Item::Kind::load;
    if (!expect("u") || !expect("[") || !store_number(item, number(memory_vec4s, "a uniform address"))) return false;
    item.offset = 7;
    if (accept("+")) {
      const auto offset = numbered("A", 4, "an address register");
      if (!offset) return false;
      item.offset = static_cast<std::uint8_t>(*offset);
    }
    return expect("]");
  }

  template <class Does, std::size_t N>
  std::optional<std::uint8_t> opcode(const std::array<Operation<Does>, N>& table, std::string_view unknown,
                                     std::string_view unit) {
    const LineToken token = take();
    for (std::size_t i = 0; i < N; ++i)
      if (!table[i].name.empty() && token.is(table[i].name)) return static_cast<std::uint8_t>(i);
    std::uint64_t number = 0;
    if (token.text.starts_with(unknown) && parse_integer(token.text.substr(unknown.size()), number) && number < N)
      return static_cast<std::uint8_t>(number);
    Nearest nearest(token.text);
    for (const Operation<Does>& row : table)
      if (!row.name.empty()) nearest.offer(row.name);
    error(token.span(), "GP116", "'" + std::string(token.text) + "' is not an operation of " + std::string(unit),
          nearest.hint());
    return std::nullopt;
  }

  bool parse_mul(Item& item) {
    item.kind = Item::Kind::mul;
    item.negated = accept("-");
    if (accept("mov")) {
      item.operands[1].selector = selector_identity;
      return operand(item.operands[0], false, false);
    }
    const LineToken at = peek();
    const auto op = opcode(mul_ops, unknown_mul, "one multiplier");
    if (!op) return false;
    if (is_wide(*op) || (*op != multiply_opcode && item.unit == Unit::mul1)) {
      error(at.span(), "GP117", "'" + std::string(at.text) + "' does not run on this unit alone",
            is_wide(*op) ? "write m01 = ..." : std::string(at.text) + " runs on m0");
      return false;
    }
    item.opcode = *op;
    return operand(item.operands[0], false, false) && expect(",") && operand(item.operands[1], true, false);
  }

  bool parse_wide(Item& item) {
    item.kind = Item::Kind::wide;
    const LineToken at = peek();
    const auto op = opcode(mul_ops, unknown_mul, "both multipliers");
    if (!op) return false;
    if (!is_wide(*op)) {
      error(at.span(), "GP117", "'" + std::string(at.text) + "' uses one multiplier", "write m0 = ... or m1 = ...");
      return false;
    }
    item.opcode = *op;
    std::array<ItemOperand, 4>& x = item.operands;
    bool good = false;
    if (mul_ops[*op].traits.selects) {
      good = operand(x[1], true, false) && expect("?") && operand(x[2], false, false) && expect(":") &&
             operand(x[0], false, false);
      if (good && accept(",")) good = operand(x[3], true, false);
    } else {
      good = operand(x[0], false, false) && expect(",") && operand(x[1], true, false) && expect(",") &&
             operand(x[2], false, false) && expect(",") && operand(x[3], true, false);
    }
    item.negated = good && accept("neg0");
    item.negated1 = good && accept("neg1");
    return good;
  }

  bool parse_acc(Item& item) {
    item.kind = Item::Kind::acc;
    if (const bool move = peek().is("mov"); move || peek().is("neg")) {
      take();
      item.opcode = add_opcode;
      item.operands[1] = {selector_identity, true};
      if (!operand(item.operands[0], false, false)) return false;
      item.operands[0].negated = !move;
      return true;
    }
    const auto op = opcode(acc_ops, unknown_acc, "an adder");
    if (!op) return false;
    item.opcode = *op;
    if (!operand(item.operands[0], false, true)) return false;
    return acc_ops[*op].operands == 1 || (expect(",") && operand(item.operands[1], true, true));
  }

  template <class Does, std::size_t N>
  bool parse_single(Item& item, Item::Kind kind, const std::array<Operation<Does>, N>& table,
                    std::string_view unknown) {
    item.kind = kind;
    const auto op = opcode(table, unknown, kind == Item::Kind::complex ? "the complex unit" : "the pass unit");
    if (!op) return false;
    item.opcode = *op;
    return operand(item.operands[0], false, false);
  }

  bool operand(ItemOperand& result, bool b, bool may_negate) {
    const LineToken first = peek();
    if (accept("-")) {
      result.negated = true;
      if (!may_negate) {
        error(first.span(), "GP118", "this unit cannot negate an operand",
              "multipliers negate their result: m0 = -mul a, b; adders negate operands");
        return false;
      }
    }
    const LineToken start = peek();
    if (start.kind != LineToken::Kind::word) {
      error(start.span(), "GP119", "expected a source" + found(),
            "sources: p0.x p1.x ld.x p0[-1].x a0[-1] m1[-2] c[-1] ident unused");
      return false;
    }
    const std::string spelling = source_spelling();
    for (unsigned selector = 0; selector < selectors.size(); ++selector)
      if (source_name(selector, b) == spelling) {
        result.selector = static_cast<std::uint8_t>(selector);
        return true;
      }
    const Span span{start.offset,
                    static_cast<std::uint32_t>(previous().offset + previous().text.size() - start.offset)};
    if (b && spelling == "c[-1]") {
      error(span, "GP120", "the complex result cannot be a second operand: its selector means the identity there",
            "make it the first operand");
    } else if (!b && spelling == identity_name) {
      error(span, "GP121", "the identity is allowed only as a second operand of multipliers and adders");
    } else {
      Nearest nearest(spelling);
      for (unsigned selector = 0; selector < selectors.size(); ++selector) nearest.offer(source_name(selector, b));
      error(span, "GP122", "unknown source '" + spelling + "'", nearest.hint());
    }
    return false;
  }

  /// A name, its age in brackets and its component, as one text.
  std::string source_spelling() {
    std::string spelling(take().text);
    if (peek().is("[")) {
      do spelling += take().text;
      while (!at_end() && !peek().is("]"));
      spelling += take().text;
    }
    if (peek().is(".")) {
      spelling += take().text;
      spelling += take().text;
    }
    return spelling;
  }

  bool parse_store(Item& item) {
    if (accept("t")) {
      item.store.kind = StoreKind::temporary;
      if (!expect("[") || !expect("A0") || !expect("]")) return false;
    } else {
      const bool varying = peek().text.starts_with("v");
      item.store.kind = varying ? StoreKind::varying : StoreKind::reg;
      const auto index =
          varying ? numbered("v", varying_count, "a varying") : numbered("$", register_count, "a register");
      if (!index) return false;
      item.store.index = static_cast<std::uint8_t>(*index);
    }
    if (!expect(".")) return false;
    const LineToken mask = take();
    const std::string_view allowed = item.half == 0 ? "xy" : "zw";
    if (!(mask.is(allowed) || mask.is(allowed.substr(0, 1)) || mask.is(allowed.substr(1)))) {
      error(mask.span(), "GP123", "this half stores ." + std::string(allowed) + ", not ." + std::string(mask.text),
            item.half == 0 ? "st1 stores z and w" : "st0 stores x and y");
      return false;
    }
    if (!expect("=")) return false;
    bool first = true;
    for (unsigned i = 0; i < 2; ++i) {
      if (mask.text.find(allowed[i]) == std::string_view::npos) continue;
      if (!first && !expect(",")) return false;
      first = false;
      const LineToken unit = take();
      unsigned selector = 0;
      while (selector < store_nothing && !unit.is(stored_name(selector))) ++selector;
      if (selector == store_nothing) {
        error(unit.span(), "GP124", "'" + std::string(unit.text) + "' cannot be stored",
              "units: a0 a1 m0 m1 p c (and x5, the unknown selector)");
        return false;
      }
      item.store.selector[i] = static_cast<std::uint8_t>(selector);
    }
    return true;
  }

  struct Fixup {
    std::uint32_t word;
    std::string label;
    Span span;
  };

  bool parse_branch(const LineToken& head) {
    Item item;
    item.kind = Item::Kind::branch;
    if (peek().kind == LineToken::Kind::word) {
      const LineToken label = take();
      fixups_.push_back({index(), std::string(label.text), label.span()});
      return add(item, head);
    }
    return store_number(item, number(max_words, "a branch target")) && add(item, head);
  }

  void patch_branches() {
    for (const Fixup& fixup : fixups_) {
      const auto label = labels_.find(fixup.label);
      if (label == labels_.end()) {
        Nearest nearest(fixup.label);
        for (const Label& each : program_.labels) nearest.offer(each.name);
        error(fixup.span, "GP125", "there is no label '" + fixup.label + "'", nearest.hint());
        continue;
      }
      if (label->second >= max_words) {
        error(fixup.span, "GP126", "label '" + fixup.label + "' is word " + std::to_string(label->second),
              "branches reach words 0 to 511");
        continue;
      }
      if (std::size_t{fixup.word + 1} * word_bytes > program_.code.size()) continue;
      Word128 word = load_word(program_.code, fixup.word);
      set_branch_target(word, label->second);
      std::vector<std::uint8_t> bytes;
      append_word(word, bytes);
      std::copy(bytes.begin(), bytes.end(),
                program_.code.begin() + static_cast<std::ptrdiff_t>(fixup.word) * word_bytes);
    }
  }

  /// "name := value" where the name may contain dots.
  [[nodiscard]] bool is_force() const {
    std::size_t ahead = 1;
    while (peek(ahead).is(".") && peek(ahead + 1).kind == LineToken::Kind::word) ahead += 2;
    return peek(ahead).is(":") && peek(ahead + 1).is("=");
  }

  bool parse_force() {
    const LineToken start = peek();
    std::string name(take().text);
    while (accept(".")) name += '.' + std::string(take().text);
    take();
    take();
    Item item;
    Nearest nearest(name);
    for (const Field* field : word::format.fields) {
      nearest.offer(field->name);
      if (field->name == name) item.field = field;
    }
    if (item.field == nullptr) {
      error(start.span(), "GP127", "there is no field '" + name + "'", nearest.hint());
      return false;
    }
    if (!store_number(item, number(std::uint64_t{1} << item.field->width, name))) return false;
    apply(item, state_.word);
    return true;
  }

  mobula::Source source_;
  Program program_;
  Diagnostics diagnostics_;
  std::vector<LineToken> tokens_;
  std::size_t line_ = 0;
  bool open_ = false, bytes_seen_ = false;
  Span open_at_;
  WordState state_;
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::vector<Fixup> fixups_;
};

}  // namespace

Result<Program> parse(const SourceText& source, std::string_view variant) {
  if (source.text.size() > max_text_bytes)
    return fail("GP100", "the text has " + std::to_string(source.text.size()) + " bytes; at most 64 MiB are read");
  return Parser(source, variant).run();
}

}  // namespace mobula::utgard_gp
