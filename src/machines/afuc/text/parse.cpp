#include "machines/afuc/text/parse.h"

#include <unordered_map>

#include "core/quote.h"
#include "machines/afuc/image/image.h"
#include "machines/afuc/text/assembler.h"

#include "mobula/isa/firmware.h"

namespace mobula::afuc {
namespace {

constexpr std::size_t longest_text = std::size_t{256} << 20, longest_line = 1 << 16;
constexpr std::size_t most_sections = 64;
/// With this comment Mesa 22.3.6 shows that another program begins, whose labels start over.
constexpr std::string_view lpac_comment = "; LPAC microcode:";

}  // namespace

// ------------------------------------------------------------------------------------------------ lines

Result<Program> Assembler::run() {
  choose_chip();
  decoder_ = &decoder(generation());
  std::vector<SourceLine> lines;  // by word
  for (std::size_t line = 0; line < source_.line_count() && diagnostics_.size() < most_parse_errors; ++line) {
    if (source_.line(line).size() > longest_line) {
      error({source_.line_offset(line), 1}, "AF102", "this line is longer than 64 KiB");
      continue;
    }
    if (names_ == Names::mesa22 && source_.line(line) == lpac_comment)
      begin_section("LPAC", {source_.line_offset(line), 1});
    lex_line(source_, line, tokens_);
    start(tokens_);
    const std::size_t before = words_.size();
    parse_line();
    if (words_.size() != before) lines.push_back({before, static_cast<std::uint32_t>(line + 1)});
  }
  if (words_.size() >= most_assembled_words) error({0, 1}, "AF103", "this is more than 67108863 words of code");
  append_table();
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
  for (const SourceLine& each : lines) program.lines.push_back({(each.byte_offset + first) * word_bytes, each.line});
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
  remark_on_loose_words(program);
  return program;
}

void Assembler::remark_on_loose_words(Program& program) {
  if (loose_words_.empty()) return;
  const Image image(program);
  for (const LooseWord& each : loose_words_)
    if ((image.flags(each.word) & word_reached) == 0)
      program.remarks.push_back({Severity::warning, "AF137", source_.locate(each.where),
                                 "nothing leads to this word, so it may be data; " + quote(each.name) +
                                     " has bits that no text shows, which are 0 here",
                                 "compare it with the image; mobula disasm prints such words as [xxxxxxxx]"});
}

/// The variant, or `.gpu`, or the id in a first statement that is a literal.
void Assembler::choose_chip() {
  if (chip_ != nullptr) return;
  chip_ = &default_chip;
  for (std::size_t line = 0; line < source_.line_count(); ++line) {
    if (source_.line(line).size() > longest_line) return;
    lex_line(source_, line, tokens_);
    start(tokens_);
    while (peek().kind == LineToken::Kind::word && peek(1).is(":")) take(), take();
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
    if (!accept("[") || peek().text.empty() || !parse_integer("0x" + std::string(peek().text), word) || word >> 32 != 0)
      return;
    if (const Chip* chip = chip_of_id(static_cast<std::uint32_t>(word)))
      chip_ = chip;
    else
      error(peek().span(), "AF138", "no known GPU has firmware with the id of " + quote(peek().text),
            "say which instructions and names are meant: .gpu CHIP before it, or --machine afuc:CHIP");
    return;
  }
}

void Assembler::parse_line() {
  while (peek().kind == LineToken::Kind::word && peek(1).is(":")) parse_label();
  if (at_end()) return;
  const std::size_t errors = diagnostics_.size();
  if (!rest_.empty() && !(peek().is(".") && peek(1).is(byte_directive))) {
    error(peek().span(), "AF104", "nothing can follow .byte", "single bytes belong at the end of an image");
    return;
  }
  if (accept("."))
    parse_directive();
  else if (accept("["))
    parse_literal();
  else
    parse_instruction();
  if (!at_end() && diagnostics_.size() == errors)
    error(peek().span(), "AF105", "expected the end of the line" + found());
}

void Assembler::parse_label() {
  const LineToken name = take();
  take();
  if (!sections_.back().labels.try_emplace(name.text, words_.size()).second)
    error(name.span(), "AF106", "label " + quote(name.text) + " is defined a second time",
          "labels are unique between two .section directives");
}

std::optional<std::uint64_t> Assembler::integer(std::string_view what) {
  std::uint64_t value = 0;
  if (peek().kind != LineToken::Kind::number || !parse_integer(peek().text, value)) {
    error(peek().span(), "AF107", "expected " + std::string(what) + found());
    return std::nullopt;
  }
  take();
  return value;
}

void Assembler::parse_directive() {
  const LineToken name = take();
  if (name.is(align_directive)) {
    parse_align(name);
  } else if (name.is(table_directive)) {
    Section& section = sections_.back();
    if (section.table) error(name.span(), "AF108", "a program has one packet table", "remove one .jumptbl");
    section.table = words_.size();
    for (unsigned i = 0; i < packet_table_words; ++i) add_word(0);
  } else if (name.is(section_directive)) {
    parse_section();
  } else if (name.is(bare_directive)) {
    if (!words_.empty()) error(name.span(), "AF109", ".bare goes before the first word");
    bare_ = true;
  } else if (name.is(gpu_directive)) {
    const LineToken chip = take();
    if (find_chip(chip.text) == nullptr) {
      Nearest nearest(chip.text);
      for (const Chip& each : chips) nearest.offer(each.name);
      error(chip.span(), "AF110", quote(chip.text) + " is not a GPU whose firmware is known", nearest.hint());
    } else if (!words_.empty()) {
      error(name.span(), "AF109", ".gpu goes before the first word");
    }
  } else if (name.is(byte_directive)) {
    do {
      const auto value = integer("a byte");
      if (!value) return;
      if (*value > 0xFF) error(name.span(), "AF111", "a byte is 0 to 255");
      rest_.push_back(static_cast<std::uint8_t>(*value));
    } while (accept(","));
    if (rest_.size() >= word_bytes)
      error(name.span(), "AF104", ".byte makes a whole word", "at most three bytes; write words as [%08x]");
  } else {
    error(name.span(), "AF112", "unknown directive '." + std::string(name.text) + "'",
          "directives: .align .bare .byte .gpu .jumptbl .section");
  }
}

void Assembler::parse_align(const LineToken& name) {
  const auto bytes = integer("an alignment in bytes");
  if (!bytes) return;
  constexpr std::uint64_t largest = 1 << 16;
  if (*bytes == 0 || *bytes % word_bytes != 0 || *bytes > largest) {
    error(name.span(), "AF113", "an alignment is a multiple of 4 bytes up to 65536");
    return;
  }
  while (words_.size() % (*bytes / word_bytes) != 0 && words_.size() < most_assembled_words) add_word(decoder_->nop());
}

void Assembler::parse_section() {
  const LineToken name = take();
  if (name.kind != LineToken::Kind::word) {
    error(name.span(), "AF114", "expected the name of a program");
    return;
  }
  const auto same = [&](const Section& section) { return section.name == name.text; };
  if (std::any_of(sections_.begin(), sections_.end(), same))
    error(name.span(), "AF106", "program " + quote(name.text) + " begins here a second time");
  if (sections_.size() == most_sections) {
    error(name.span(), "AF134", "this is the " + std::to_string(most_sections + 1) + "th program of the image");
    return;
  }
  // Text may say the name of its first program too.
  const Section& first = sections_.front();
  const bool starts = words_.empty() && sections_.size() == 1 && first.name.empty() && first.labels.empty();
  while (words_.size() % section_alignment_words != 0) add_word(0);
  if (starts) sections_.clear();
  begin_section(name.text, name.span());
}

void Assembler::begin_section(std::string_view name, Span where) {
  Section& section = sections_.emplace_back();
  section.name = name;
  section.where = where;
  section.start = words_.size();
}

void Assembler::parse_literal() {
  if (peek().is("#")) {
    Number number;
    number.where = peek().span();
    if (!parse_number(number) || !expect("]")) return;
    fix(Fixup::Kind::payload, number);
    add_word(decoder_->nop());
    return;
  }
  const LineToken digits = take();
  std::uint64_t word = 0;
  std::string_view text = digits.text;
  if (text.starts_with("0x")) text.remove_prefix(2);
  if (text.empty() || text.size() > 8 || !parse_integer("0x" + std::string(text), word)) {
    error(digits.span(), "AF115", "expected up to 8 hexadecimal digits or #label, found " + quote(digits.text));
    return;
  }
  if (expect("]")) add_word(static_cast<std::uint32_t>(word));
}

// ------------------------------------------------------------------------------------------------ instructions

namespace {
/// The rows of a mnemonic in the order of the table.
std::span<const Opcode* const> rows_of(std::string_view mnemonic) {
  static const auto rows = [] {
    std::unordered_map<std::string_view, std::vector<const Opcode*>> by_name;
    for (const Opcode& opcode : opcodes) by_name[opcode.name].push_back(&opcode);
    return by_name;
  }();
  const auto found = rows.find(mnemonic);
  return found == rows.end() ? std::span<const Opcode* const>{} : found->second;
}
}  // namespace

void Assembler::parse_instruction() {
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
    if (!parse_operand(operand)) return;
    const bool flags = !operands.empty() && operands.back().kind == Written::Kind::access &&
                       operand.kind == Written::Kind::number && operand.number.is_plain();
    if (!flags) {
      operands.push_back(std::move(operand));
    } else if (operand.number.value < 0 || operand.number.value > 15) {
      error(operand.where, "AF118", "flags after an address are bits 15:12 of the word", "allowed: 0 to 0xf");
      return;
    } else {
      operands.back().flags = static_cast<std::uint32_t>(operand.number.value);
    }
  }
  for (const Opcode* opcode : rows_of(mnemonic))
    if ((opcode->generations & generation()) != 0 && fits(*opcode, operands)) {
      if (has_field(*opcode, field::zero_src1))
        loose_words_.push_back({static_cast<std::uint32_t>(words_.size()), opcode->name, name.span()});
      encode(*opcode, operands, prefix_tokens, used);
      return;
    }
  no_form(name, mnemonic);
}

namespace {
/// What is to be written for an operand.
std::string_view placeholder(OperandKind kind) {
  switch (kind) {
    case OperandKind::source:
      return "$src";
    case OperandKind::destination:
      return "$dst";
    case OperandKind::number:
      return "number";
    case OperandKind::shifted:
      return "number << n";
    case OperandKind::bit:
      return "bN";
    case OperandKind::control:
      return "[$base + @NAME]";
    case OperandKind::sqe:
      return "[$base + %NAME]";
    case OperandKind::memory:
      return "[$base + number]";
    case OperandKind::relative:
    case OperandKind::absolute:
    case OperandKind::skip:
      return "#label";
    case OperandKind::secure:
      return "$02";
  }
  return {};
}
}  // namespace

void Assembler::no_form(const LineToken& name, std::string_view mnemonic) {
  std::string forms;
  const auto rows = rows_of(mnemonic);
  for (const Opcode* opcode : rows) {
    if ((opcode->generations & generation()) == 0) continue;
    std::string form(opcode->name);
    for (const OperandSpec& operand : opcode->operands) {
      form += (form.size() == opcode->name.size() ? " " : ", ") + std::string(placeholder(operand.kind));
    }
    forms += (forms.empty() ? "" : "; ") + form;
  }
  if (!forms.empty())
    error(name.span(), "AF119", quote(name.text) + " does not take these operands", "allowed: " + forms);
  else if (!rows.empty())
    error(name.span(), "AF120",
          quote(name.text) + " is not an instruction of " + std::string(chip_->name) + " (" +
              std::string(afuc::name(chip_->map)) + ")",
          "choose another GPU with --machine afuc:CHIP or .gpu");
  else {
    Nearest nearest(name.text);
    for (const Opcode& opcode : opcodes)
      if ((opcode.generations & generation()) != 0) nearest.offer(opcode.name);
    error(name.span(), "AF121", "unknown instruction " + quote(name.text), nearest.hint());
  }
}

Result<Program> parse(const SourceText& source, const AssembleOptions& options, Names names) {
  if (source.text.size() > longest_text)
    return fail(Diagnostic{
        Severity::error, "AF100", {.file = std::string(source.file)}, "this text is longer than 256 MiB", ""});
  return Assembler(source, options, names).run();
}

}  // namespace mobula::afuc
