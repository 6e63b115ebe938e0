#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/lexer.h"
#include "machines/afuc/codec.h"
#include "machines/afuc/names.h"
#include "machines/afuc/text.h"
#include "machines/afuc/text_tokens.h"
#include "mobula/firmware.h"

namespace mobula::afuc {
namespace {

constexpr std::size_t longest_text = std::size_t{256} << 20, longest_line = 1 << 16, most_errors = 1000;
constexpr std::size_t most_sections = 64;
/// Firmware is loaded as one piece; targets have 26 bits.
constexpr std::size_t most_words = 1 << 26;

/// A label or symbol times a factor, as part of a number.
struct Term {
  std::string_view name;
  bool symbol = false;  ///< a program of the image, or its end: "#.LPAC"
  std::int64_t factor = 1;
  Span where;
};
struct Number {
  std::int64_t value = 0;
  std::vector<Term> terms;
  Span where;
  [[nodiscard]] bool is_plain() const { return terms.empty(); }
};

/// An operand as written.
struct Written {
  enum class Kind : std::uint8_t { reg, bit, number, access, target } kind = Kind::number;
  unsigned reg = 0;  ///< also the base of an access
  unsigned bit = 0;
  Number number;  ///< also the offset of an access, and a target's label or number
  std::uint32_t shift = 0;
  bool shifted = false;
  bool pre = false;
  std::optional<std::uint32_t> flags;  ///< bits 15:12 as old listings write them
  Span where;
};

/// What has to be put into a word when all labels are known.
struct Fixup {
  enum class Kind : std::uint8_t { field, relative, absolute, skip, payload } kind = Kind::field;
  const Field* field = nullptr;
  std::size_t word = 0;
  std::uint32_t section = 0;
  Number number;
};

struct Section {
  std::string name;
  std::size_t start = 0;
  Span where;
  std::unordered_map<std::string_view, std::size_t> labels;  // words of the image
  std::optional<std::size_t> table;
};

std::string quoted(std::string_view text) { return "'" + std::string(text.substr(0, 40)) + "'"; }

class Assembler {
 public:
  Assembler(const SourceText& source, std::string_view variant)
      : source_(source.file, source.text), file_(source.file), chip_(find_chip(variant)), variant_(variant) {
    sections_.emplace_back();
  }

  Result<Program> run();

 private:
  // Tokens.
  [[nodiscard]] const LineToken& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  const LineToken& take() { return tokens_[next_ < tokens_.size() - 1 ? next_++ : next_]; }
  bool accept(std::string_view spelling) {
    if (!peek().is(spelling)) return false;
    take();
    return true;
  }
  [[nodiscard]] bool at_end() const { return peek().kind == LineToken::Kind::end; }
  void error(Span span, std::string code, std::string message, std::string hint = {}) {
    if (diagnostics_.size() < most_errors)
      diagnostics_.push_back(
          {Severity::error, std::move(code), source_.locate(span), std::move(message), std::move(hint)});
  }
  [[nodiscard]] std::string found() const {
    return at_end() ? std::string(", found the end of the line") : ", found " + quoted(peek().text);
  }
  bool expect(std::string_view spelling) {
    if (accept(spelling)) return true;
    error(peek().span(), "AF101", "expected '" + std::string(spelling) + "'" + found());
    return false;
  }
  std::optional<std::uint64_t> integer(std::string_view what);

  // Lines.
  void choose_chip();
  void read_line();
  void read_label();
  void read_directive();
  void read_align(const LineToken& name);
  void read_section();
  void read_literal();
  void read_instruction();

  // Operands.
  bool read_operand(Written& operand);
  bool read_access(Written& operand);
  bool read_number(Number& number);
  bool read_term(Number& number, std::int64_t sign);
  bool read_name(Number& number, std::int64_t sign);
  bool read_target(Written& operand);
  std::optional<unsigned> read_register(const LineToken& token);

  // Encoding.
  [[nodiscard]] bool fits(const Opcode& opcode, const std::vector<Written>& operands) const;
  void encode(const Opcode& opcode, const std::vector<Written>& operands, const std::vector<LineToken>& prefix_tokens,
              const std::vector<const Prefix*>& used);
  void put_operand(std::uint32_t& word, const Operand& operand, const Written& written, const Opcode& opcode);
  void put_access(std::uint32_t& word, const Operand& operand, const Written& written, const Opcode& opcode);
  void put_number(std::uint32_t& word, const Field& field, const Number& number);
  void no_form(const LineToken& name, std::string_view mnemonic);

  // The end.
  void resolve();
  void resolve(const Fixup& fixup);
  void fill_tables();
  /// Where a piece of the text stands.
  [[nodiscard]] Span span_of(std::string_view piece) const {
    return {static_cast<std::uint32_t>(piece.data() - source_.text().data()), static_cast<std::uint32_t>(piece.size())};
  }
  std::optional<std::int64_t> value_of(const Number& number, const Section& section);

  void add_word(std::uint32_t word) {
    if (words_.size() < most_words) words_.push_back(word);
  }
  void fix(Fixup::Kind kind, const Number& number, const Field* field = nullptr) {
    fixups_.push_back({kind, field, words_.size(), static_cast<std::uint32_t>(sections_.size() - 1), number});
  }
  [[nodiscard]] std::uint8_t generation() const { return generation_of(chip_->map); }

  Source source_;
  std::string file_;
  const Chip* chip_;
  std::string variant_;
  const Decoder* decoder_ = nullptr;
  bool bare_ = false;
  std::vector<LineToken> tokens_;
  std::size_t next_ = 0;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint8_t> rest_;
  std::vector<Section> sections_;
  std::vector<Fixup> fixups_;
  Diagnostics diagnostics_;
};

// ------------------------------------------------------------------------------------------------ lines

Result<Program> Assembler::run() {
  choose_chip();
  decoder_ = &decoder(generation());
  for (std::size_t line = 0; line < source_.line_count() && diagnostics_.size() < most_errors; ++line) {
    if (source_.line(line).size() > longest_line) {
      error({source_.line_offset(line), 1}, "AF102", "this line is longer than 64 KiB");
      continue;
    }
    lex_line(source_, line, tokens_);
    next_ = 0;
    read_line();
  }
  if (words_.size() >= most_words) error({0, 1}, "AF103", "this is more than 67108863 words of code");
  resolve();
  if (has_errors(diagnostics_)) return fail(std::move(diagnostics_));
  Program program;
  program.file = file_;
  program.machine = "afuc";
  program.variant = variant_.empty() ? std::string(automatic) : variant_;
  const std::size_t first = bare_ ? 0 : 1;
  program.code.resize((words_.size() + first) * word_bytes);
  for (std::size_t i = 0; i < words_.size(); ++i)
    for (unsigned byte = 0; byte < word_bytes; ++byte)
      program.code[(i + first) * word_bytes + byte] = static_cast<std::uint8_t>(words_[i] >> (8 * byte));
  program.code.insert(program.code.end(), rest_.begin(), rest_.end());
  program.entry = first * word_bytes;
  for (const Section& section : sections_) {
    std::vector<Label> labels;
    for (const auto& [name, word] : section.labels)
      labels.push_back(
          {(section.name.empty() ? "" : section.name + '.') + std::string(name), (word + first) * word_bytes});
    std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) {
      return a.byte_offset != b.byte_offset ? a.byte_offset < b.byte_offset : a.name < b.name;
    });
    program.labels.insert(program.labels.end(), labels.begin(), labels.end());
  }
  return program;
}

/// The variant, or `.gpu`, or the id in a first statement that is a literal.
void Assembler::choose_chip() {
  if (chip_ != nullptr) return;
  chip_ = &default_chip;
  for (std::size_t line = 0; line < source_.line_count(); ++line) {
    if (source_.line(line).size() > longest_line) return;
    lex_line(source_, line, tokens_);
    next_ = 0;
    while (peek().kind == LineToken::Kind::word && peek(1).is(":")) next_ += 2;
    if (at_end()) continue;
    if (accept(".")) {
      if (accept(bare_directive) && at_end()) continue;
      if (!accept(gpu_directive)) return;
      if (const Chip* chip = find_chip(peek().text)) {
        chip_ = chip;
        variant_ = chip->name;
      }
      return;
    }
    std::uint64_t word = 0;
    if (accept("[") && !peek().text.empty() && parse_integer("0x" + std::string(peek().text), word) && word >> 32 == 0)
      chip_ = identify(static_cast<std::uint32_t>(word)).chip;
    return;
  }
}

void Assembler::read_line() {
  while (peek().kind == LineToken::Kind::word && peek(1).is(":")) read_label();
  if (at_end()) return;
  const std::size_t errors = diagnostics_.size();
  if (!rest_.empty() && !(peek().is(".") && peek(1).is(byte_directive))) {
    error(peek().span(), "AF104", "there is something behind .byte", "single bytes stand at the end of an image");
    return;
  }
  if (accept("."))
    read_directive();
  else if (accept("["))
    read_literal();
  else
    read_instruction();
  if (!at_end() && diagnostics_.size() == errors)
    error(peek().span(), "AF105", "expected the end of the line" + found());
}

void Assembler::read_label() {
  const LineToken name = take();
  take();
  if (!sections_.back().labels.try_emplace(name.text, words_.size()).second)
    error(name.span(), "AF106", "label " + quoted(name.text) + " stands here a second time",
          "labels are unique between two .section");
}

std::optional<std::uint64_t> Assembler::integer(std::string_view what) {
  std::uint64_t value = 0;
  if (peek().kind != LineToken::Kind::number || !parse_integer(peek().text, value)) {
    error(peek().span(), "AF107", "expected a number for " + std::string(what) + found());
    return std::nullopt;
  }
  take();
  return value;
}

void Assembler::read_directive() {
  const LineToken name = take();
  if (name.is(align_directive)) {
    read_align(name);
  } else if (name.is(table_directive)) {
    Section& section = sections_.back();
    if (section.table) error(name.span(), "AF108", "a program has one packet table", "remove one .jumptbl");
    section.table = words_.size();
    for (unsigned i = 0; i < packet_table_words; ++i) add_word(0);
  } else if (name.is(section_directive)) {
    read_section();
  } else if (name.is(bare_directive)) {
    if (!words_.empty()) error(name.span(), "AF109", ".bare stands in front of the first word");
    bare_ = true;
  } else if (name.is(gpu_directive)) {
    const LineToken chip = take();
    if (find_chip(chip.text) == nullptr) {
      Nearest nearest(chip.text);
      for (const Chip& each : chips) nearest.offer(each.name);
      error(chip.span(), "AF110", quoted(chip.text) + " is no GPU whose firmware is known", nearest.hint());
    } else if (!words_.empty()) {
      error(name.span(), "AF109", ".gpu stands in front of the first word");
    }
  } else if (name.is(byte_directive)) {
    do {
      const auto value = integer("a byte");
      if (!value) return;
      if (*value > 0xFF) error(name.span(), "AF111", "a byte is 0 to 255");
      rest_.push_back(static_cast<std::uint8_t>(*value));
    } while (accept(","));
    if (rest_.size() >= word_bytes)
      error(name.span(), "AF104", ".byte gives a whole word", "at most three bytes; write words as [%08x]");
  } else {
    error(name.span(), "AF112", "unknown directive '." + std::string(name.text) + "'",
          "directives: .align .bare .byte .gpu .jumptbl .section");
  }
}

void Assembler::read_align(const LineToken& name) {
  const auto bytes = integer("an alignment in bytes");
  if (!bytes) return;
  constexpr std::uint64_t largest = 1 << 16;
  if (*bytes == 0 || *bytes % word_bytes != 0 || *bytes > largest) {
    error(name.span(), "AF113", "an alignment is a multiple of 4 bytes up to 65536");
    return;
  }
  while (words_.size() % (*bytes / word_bytes) != 0 && words_.size() < most_words) add_word(decoder_->nop());
}

void Assembler::read_section() {
  const LineToken name = take();
  if (name.kind != LineToken::Kind::word) {
    error(name.span(), "AF114", "expected the name of a program");
    return;
  }
  const auto same = [&](const Section& section) { return section.name == name.text; };
  if (std::any_of(sections_.begin(), sections_.end(), same))
    error(name.span(), "AF106", "program " + quoted(name.text) + " begins here a second time");
  if (sections_.size() == most_sections) {
    error(name.span(), "AF134", "this is the " + std::to_string(most_sections + 1) + "th program of the image");
    return;
  }
  // Text may say the name of its first program too.
  const Section& first = sections_.front();
  const bool starts = words_.empty() && sections_.size() == 1 && first.name.empty() && first.labels.empty();
  while (words_.size() % section_alignment_words != 0) add_word(0);
  if (!starts) sections_.emplace_back();
  sections_.back().name = name.text;
  sections_.back().where = name.span();
  sections_.back().start = words_.size();
}

void Assembler::read_literal() {
  if (peek().is("#")) {
    Number number;
    number.where = peek().span();
    if (!read_number(number) || !expect("]")) return;
    fix(Fixup::Kind::payload, number);
    add_word(decoder_->nop());
    return;
  }
  const LineToken digits = take();
  std::uint64_t word = 0;
  std::string_view text = digits.text;
  if (text.starts_with("0x")) text.remove_prefix(2);
  if (text.empty() || text.size() > 8 || !parse_integer("0x" + std::string(text), word)) {
    error(digits.span(), "AF115", "expected up to 8 hexadecimal digits or #label, found " + quoted(digits.text));
    return;
  }
  if (expect("]")) add_word(static_cast<std::uint32_t>(word));
}

// ------------------------------------------------------------------------------------------------ instructions

void Assembler::read_instruction() {
  std::vector<const Prefix*> used;
  std::vector<LineToken> prefix_tokens;
  while (accept("(")) {
    const LineToken name = take();
    const auto* prefix =
        std::find_if(std::begin(prefixes), std::end(prefixes), [&](const Prefix& each) { return name.is(each.name); });
    if (prefix == std::end(prefixes)) {
      error(name.span(), "AF116", "unknown prefix (" + std::string(name.text) + ")",
            "prefixes: (rep) (xmov1) (xmov2) (xmov3) (peek) (sds1) (sds2) (sds3)");
      return;
    }
    used.push_back(prefix);
    prefix_tokens.push_back(name);
    if (!expect(")")) return;
  }
  const LineToken name = take();
  if (name.kind != LineToken::Kind::word) {
    error(name.span(), "AF117", "expected an instruction, a label, a directive or [word]");
    return;
  }
  std::string_view mnemonic = name.text;
  for (const Alias& alias : aliases)
    if (mnemonic == alias.name) mnemonic = alias.means;
  std::vector<Written> operands;
  while (!at_end()) {
    if (!operands.empty() && !expect(",")) return;
    // The last operand of old listings is a number that belongs to the address before it.
    Written operand;
    if (!read_operand(operand)) return;
    const bool flags = !operands.empty() && operands.back().kind == Written::Kind::access &&
                       operand.kind == Written::Kind::number && operand.number.is_plain();
    if (!flags) {
      operands.push_back(std::move(operand));
    } else if (operand.number.value < 0 || operand.number.value > 15) {
      error(operand.where, "AF118", "flags behind an address are bits 15:12 of the word", "allowed: 0 to 0xf");
      return;
    } else {
      operands.back().flags = static_cast<std::uint32_t>(operand.number.value);
    }
  }
  for (const Opcode& opcode : opcodes)
    if (opcode.name == mnemonic && (opcode.generations & generation()) != 0 && fits(opcode, operands)) {
      encode(opcode, operands, prefix_tokens, used);
      return;
    }
  no_form(name, mnemonic);
}

void Assembler::no_form(const LineToken& name, std::string_view mnemonic) {
  std::string forms;
  bool exists = false;
  for (const Opcode& opcode : opcodes) {
    if (opcode.name != mnemonic) continue;
    exists = true;
    if ((opcode.generations & generation()) == 0) continue;
    std::string form(opcode.name);
    for (const Operand& operand : opcode.operands) {
      constexpr std::array<std::string_view, 12> names{
          "$src",   "$dst",   "number", "number << n", "bN", "[$base + @NAME]", "[$base + %NAME]", "[$base + number]",
          "#label", "#label", "#label", "$02"};
      form +=
          (form.size() == opcode.name.size() ? " " : ", ") + std::string(names[static_cast<std::size_t>(operand.kind)]);
    }
    forms += (forms.empty() ? "" : "; ") + form;
  }
  if (!forms.empty())
    error(name.span(), "AF119", quoted(name.text) + " does not take these operands", "allowed: " + forms);
  else if (exists)
    error(name.span(), "AF120",
          quoted(name.text) + " is not an instruction of " + std::string(chip_->name) + " (" +
              std::string(afuc::name(chip_->map)) + ")",
          "choose another GPU with --machine afuc:CHIP or .gpu");
  else {
    Nearest nearest(name.text);
    for (const Opcode& opcode : opcodes)
      if ((opcode.generations & generation()) != 0) nearest.offer(opcode.name);
    error(name.span(), "AF121", "unknown instruction " + quoted(name.text), nearest.hint());
  }
}

// ------------------------------------------------------------------------------------------------ operands

std::optional<unsigned> Assembler::read_register(const LineToken& token) {
  for (const RegisterAlias& alias : register_aliases)
    if (token.is(alias.name)) return alias.reg;
  std::uint64_t value = 0;
  if (token.text.size() == 3 && parse_integer("0x" + std::string(token.text.substr(1)), value) &&
      value < register_count)
    return static_cast<unsigned>(value);
  error(token.span(), "AF122", quoted(token.text) + " is no register",
        "registers: $00 to $1f, $rem $memdata $addr $regdata $usraddr $data $sp $lr");
  return std::nullopt;
}

bool Assembler::read_operand(Written& operand) {
  const LineToken first = peek();
  operand.where = first.span();
  if (first.kind == LineToken::Kind::word && first.text.starts_with('$')) {
    take();
    const auto reg = read_register(first);
    operand.kind = Written::Kind::reg;
    operand.reg = reg.value_or(0);
    return reg.has_value();
  }
  if (accept("[")) return read_access(operand);
  if (first.is("#")) return read_target(operand);
  std::uint64_t bit = 0;
  if (first.kind == LineToken::Kind::word && first.text.size() <= 3 && first.text.starts_with('b') &&
      parse_integer(first.text.substr(1), bit)) {
    take();
    operand.kind = Written::Kind::bit;
    operand.bit = static_cast<unsigned>(bit);
    if (bit <= 31) return true;
    error(first.span(), "AF123", "bit " + std::to_string(bit) + " of a 32-bit register", "allowed: b0 to b31");
    return false;
  }
  operand.number.where = first.span();
  if (!read_number(operand.number)) return false;
  if (!accept("<<")) return true;
  const auto shift = integer("a shift");
  if (!shift) return false;
  if (*shift > 31) {
    error(first.span(), "AF124", "a shift by " + std::to_string(*shift), "allowed: 0 to 31");
    return false;
  }
  operand.shifted = true;
  operand.shift = static_cast<std::uint32_t>(*shift);
  return true;
}

/// "[$02 + @NAME+0x1]!", behind the bracket.
bool Assembler::read_access(Written& operand) {
  operand.kind = Written::Kind::access;
  const LineToken base = take();
  const auto reg = read_register(base);
  if (!reg) return false;
  operand.reg = *reg;
  operand.number.where = peek().span();
  if (!expect("+")) return false;
  operand.number.where = peek().span();
  if (!read_number(operand.number) || !expect("]")) return false;
  operand.pre = accept("!");
  return true;
}

/// "#label", "#.LPAC*4 - #.BV*4", "#+12", and "(#69, 04a2)" of old listings behind it, which says nothing new.
bool Assembler::read_target(Written& operand) {
  operand.kind = Written::Kind::target;
  operand.number.where = peek().span();
  const LineToken& second = peek(1);
  if (second.kind == LineToken::Kind::number || second.is("+") || second.is("-")) {
    take();
    const bool negative = accept("-");
    if (!negative) accept("+");
    const auto value = integer("a target");
    if (!value || *value > most_words) {
      if (value) error(operand.where, "AF125", "this target is outside any program");
      return false;
    }
    operand.number.value = negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
  } else if (!read_number(operand.number)) {
    return false;
  }
  if (accept("(")) {
    while (!at_end() && !peek().is(")")) take();
    return expect(")");
  }
  if (!accept("<<")) return true;
  const auto shift = integer("a shift");
  operand.shifted = true;
  operand.shift = static_cast<std::uint32_t>(std::min<std::uint64_t>(shift.value_or(0), 32));
  if (shift && *shift <= 31) return true;
  if (shift) error(operand.where, "AF124", "a shift by " + std::to_string(*shift), "allowed: 0 to 31");
  return false;
}

bool Assembler::read_number(Number& number) {
  std::int64_t sign = accept("-") ? -1 : 1;
  while (true) {
    if (!read_term(number, sign)) return false;
    if (accept("+"))
      sign = 1;
    else if (accept("-"))
      sign = -1;
    else
      return true;
  }
}

bool Assembler::read_term(Number& number, std::int64_t sign) {
  constexpr std::uint64_t largest = 0xFFFFFFFF;
  const LineToken first = peek();
  if (accept("#")) {
    const bool symbol = accept(".");
    const LineToken name = take();
    if (name.kind != LineToken::Kind::word) {
      error(name.span(), "AF126", "expected the name of a label behind '#'");
      return false;
    }
    Term term{name.text, symbol, sign, name.span()};
    if (accept("*")) {
      const auto factor = integer("a factor");
      if (!factor) return false;
      if (*factor > largest) {
        error(first.span(), "AF127", "this number has more than 32 bits");
        return false;
      }
      term.factor *= static_cast<std::int64_t>(*factor);
    }
    number.terms.push_back(term);
    return true;
  }
  if (first.is("@") || first.is("%") || first.kind == LineToken::Kind::word) return read_name(number, sign);
  const auto value = integer("a number");
  if (!value) return false;
  if (*value > largest) {
    error(first.span(), "AF127", "this number has more than 32 bits");
    return false;
  }
  number.value += sign * static_cast<std::int64_t>(*value);
  return true;
}

/// "@NAME" of a control register, "%NAME" of an SQE register, "NAME[0x2].MEMBER" of a GPU register.
bool Assembler::read_name(Number& number, std::int64_t sign) {
  const bool control = accept("@"), sqe = !control && accept("%");
  const LineToken name = take();
  std::optional<unsigned> value;
  if (name.kind == LineToken::Kind::word) {
    if (control) {
      value = find_control_register(chip_->map, name.text);
    } else if (sqe) {
      value = find_sqe_register(name.text);
    } else {
      std::optional<unsigned> index;
      std::string_view member;
      if (accept("[")) {
        const auto read = integer("an index");
        if (!read || !expect("]")) return false;
        index = static_cast<unsigned>(std::min<std::uint64_t>(*read, 0xFFFF));
        if (accept(".")) member = take().text;
      }
      value = find_gpu_register(chip_->map, name.text, index, member);
    }
  }
  if (value) {
    number.value += sign * static_cast<std::int64_t>(*value);
    return true;
  }
  std::string hint;
  if (!control && !sqe) {
    Nearest nearest(name.text);
    for (const std::string_view each : gpu_register_names(chip_->map)) nearest.offer(each);
    hint = nearest.hint();
  }
  error(name.span(), "AF128",
        quoted(name.text) + " is no " +
            (control ? "control"
             : sqe   ? "SQE"
                     : "GPU") +
            " register of " + std::string(chip_->name),
        hint.empty() ? "write its number" : hint);
  return false;
}

// ------------------------------------------------------------------------------------------------ encoding

bool Assembler::fits(const Opcode& opcode, const std::vector<Written>& operands) const {
  if (opcode.operands.size() != operands.size()) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    using Kind = Written::Kind;
    const Written& written = operands[i];
    const Operand& operand = opcode.operands[i];
    bool good = false;
    switch (operand.kind) {
      case OperandKind::source:
      case OperandKind::destination:
        good = written.kind == Kind::reg && (operand.field != nullptr || written.reg == reg_lr);
        break;
      case OperandKind::secure:
        good = written.kind == Kind::reg && written.reg == reg_secure;
        break;
      case OperandKind::number:
        // A label as a number looks like a target.
        good = (written.kind == Kind::number || (written.kind == Kind::target && !written.number.is_plain())) &&
               !written.shifted;
        break;
      case OperandKind::shifted:
        good = written.kind == Kind::number || (written.kind == Kind::target && !written.number.is_plain());
        break;
      case OperandKind::bit:
        good = written.kind == Kind::bit;
        break;
      case OperandKind::control:
      case OperandKind::sqe:
      case OperandKind::memory:
        good = written.kind == Kind::access;
        break;
      case OperandKind::relative:
      case OperandKind::absolute:
      case OperandKind::skip:
        good = written.kind == Kind::target && !written.shifted;
        break;
    }
    if (!good) return false;
  }
  return true;
}

void Assembler::encode(const Opcode& opcode, const std::vector<Written>& operands,
                       const std::vector<LineToken>& prefix_tokens, const std::vector<const Prefix*>& used) {
  std::uint32_t word = opcode.match;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Prefix& prefix = *used[i];
    if (!has_field(opcode, *prefix.field))
      error(prefix_tokens[i].span(), "AF129",
            "this form of '" + std::string(opcode.name) + "' takes no (" + std::string(prefix.name) + ")");
    else if (field_of(word, *prefix.field) != 0)
      error(prefix_tokens[i].span(), "AF129", "(" + std::string(prefix.name) + ") contradicts a prefix before it");
    else
      word |= std::uint32_t{prefix.value} << prefix.field->low;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) put_operand(word, opcode.operands[i], operands[i], opcode);
  add_word(word);
}

void Assembler::put_operand(std::uint32_t& word, const Operand& operand, const Written& written, const Opcode& opcode) {
  switch (operand.kind) {
    case OperandKind::source:
    case OperandKind::destination:
      if (operand.field != nullptr) word |= written.reg << operand.field->low;
      return;
    case OperandKind::secure:
      return;
    case OperandKind::shifted:
      word |= written.shift << field::shift.low;
      put_number(word, *operand.field, written.number);
      return;
    case OperandKind::number:
      put_number(word, *operand.field, written.number);
      return;
    case OperandKind::bit:
      word |= written.bit << operand.field->low;
      return;
    case OperandKind::control:
    case OperandKind::sqe:
    case OperandKind::memory:
      put_access(word, operand, written, opcode);
      return;
    case OperandKind::relative:
      fix(Fixup::Kind::relative, written.number);
      return;
    case OperandKind::absolute:
      fix(Fixup::Kind::absolute, written.number);
      return;
    case OperandKind::skip:
      fix(Fixup::Kind::skip, written.number);
      return;
  }
}

void Assembler::put_access(std::uint32_t& word, const Operand& operand, const Written& written, const Opcode& opcode) {
  word |= written.reg << field::base.low;
  if (written.pre) word |= 1u << field::pre.low;
  put_number(word, *operand.field, written.number);
  if (!written.flags) return;
  // Old listings show bits that the mnemonic implies too, and take cwrite with bit 15 for swrite.
  word |= *written.flags << access_bits.low;
  const Opcode* now = decoder_->find(word);
  if (now == nullptr || !is_canonical(word, *now))
    error(written.where, "AF118",
          "'" + std::string(opcode.name) + "' cannot have the flags " + std::to_string(*written.flags),
          "flags are bits 15:12 of the word");
}

void Assembler::put_number(std::uint32_t& word, const Field& field, const Number& number) {
  if (!number.is_plain()) {
    fix(Fixup::Kind::field, number, &field);
    return;
  }
  const auto largest = static_cast<std::int64_t>(low_mask(field.width));
  if (number.value < 0 || number.value > largest) {
    error(number.where, "AF130",
          "the number " + std::to_string(number.value) + " does not fit " + std::to_string(field.width) + " bits",
          "allowed: 0 to " + std::to_string(largest) + (field.width == 16 ? "; mov takes NUMBER << SHIFT" : ""));
    return;
  }
  word |= static_cast<std::uint32_t>(number.value) << field.low;
}

// ------------------------------------------------------------------------------------------------ labels

std::optional<std::int64_t> Assembler::value_of(const Number& number, const Section& section) {
  // Sums of hostile texts wrap; whoever asked checks the range.
  auto value = static_cast<std::uint64_t>(number.value);
  for (const Term& term : number.terms) {
    std::optional<std::uint64_t> at;
    if (!term.symbol) {
      const auto label = section.labels.find(term.name);
      if (label != section.labels.end()) at = label->second - section.start;
    } else if (term.name == end_symbol) {
      at = words_.size();
    } else {
      for (const Section& each : sections_)
        if (each.name == term.name) at = each.start;
    }
    if (!at) {
      Nearest nearest(term.name);
      for (const auto& [name, word] : section.labels) nearest.offer(name);
      error(term.where, "AF131",
            std::string("there is no ") + (term.symbol ? "program " : "label ") + quoted(term.name), nearest.hint());
      return std::nullopt;
    }
    value += *at * static_cast<std::uint64_t>(term.factor);
  }
  return static_cast<std::int64_t>(value);
}

void Assembler::resolve() {
  // Words beyond the limit are not there; that is an error already.
  for (const Fixup& fixup : fixups_)
    if (fixup.word < words_.size() && diagnostics_.size() < most_errors) resolve(fixup);
  fill_tables();
}

void Assembler::resolve(const Fixup& fixup) {
  const Section& section = sections_[fixup.section];
  std::uint32_t& word = words_[fixup.word];
  const bool labelled = !fixup.number.is_plain();
  const auto value = value_of(fixup.number, section);
  if (!value) return;
  const auto here = static_cast<std::int64_t>(fixup.word - section.start);
  switch (fixup.kind) {
    case Fixup::Kind::field:
      if (*value < 0 || *value > static_cast<std::int64_t>(low_mask(fixup.field->width))) {
        error(fixup.number.where, "AF130",
              "this address is " + std::to_string(*value) + " and does not fit " + std::to_string(fixup.field->width) +
                  " bits");
        return;
      }
      word |= static_cast<std::uint32_t>(*value) << fixup.field->low;
      return;
    case Fixup::Kind::payload: {
      constexpr std::int64_t largest = 0xFFFFFF;
      if (*value < 0 || *value > largest)
        error(fixup.number.where, "AF130", "this address is " + std::to_string(*value) + " and does not fit 24 bits");
      word = decoder_->nop_with(static_cast<std::uint32_t>(*value));
      return;
    }
    case Fixup::Kind::relative: {
      const std::int64_t distance = labelled ? *value - here : *value;
      if (distance < -0x8000 || distance > 0x7FFF) {
        error(fixup.number.where, "AF132", "this target is " + std::to_string(distance) + " words away",
              "allowed: -32768 to 32767; jumpa and call reach everything");
        return;
      }
      word |= static_cast<std::uint32_t>(distance) & 0xFFFF;
      return;
    }
    case Fixup::Kind::absolute:
      if (*value < 0 || *value > static_cast<std::int64_t>(low_mask(field::target.width))) {
        error(fixup.number.where, "AF132", "this target is word " + std::to_string(*value), "allowed: 0 to 67108863");
        return;
      }
      word |= static_cast<std::uint32_t>(*value);
      return;
    case Fixup::Kind::skip:
      if ((labelled ? *value - here : *value) != 3)
        error(fixup.number.where, "AF133", "setsecure goes three words on, and this is not there",
              "put the label behind the two words that follow");
      return;
  }
}

void Assembler::fill_tables() {
  for (const Section& section : sections_) {
    if (!section.table || *section.table + packet_table_words > words_.size()) continue;
    std::array<std::string_view, packet_table_words> taken{};
    for (const auto& [name, word] : section.labels) {
      const auto entry = find_packet(chip_->map, name);
      if (!entry) continue;
      std::uint32_t& handler = words_[*section.table + *entry];
      if (!taken[*entry].empty() && handler != word - section.start)
        error(span_of(name), "AF135",
              "labels " + quoted(taken[*entry]) + " and " + quoted(name) + " are the same packet",
              "a packet has one handler");
      taken[*entry] = name;
      handler = static_cast<std::uint32_t>(word - section.start);
    }
  }
}

}  // namespace

Result<Program> assemble(const SourceText& source, std::string_view variant) {
  if (source.text.size() > longest_text)
    return fail(Diagnostic{
        Severity::error, "AF100", {.file = std::string(source.file)}, "this text is longer than 256 MiB", ""});
  return Assembler(source, variant).run();
}

}  // namespace mobula::afuc
