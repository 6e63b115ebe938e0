#include "machines/midgard/text/parse.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/lexer.h"
#include "core/quote.h"
#include "core/source.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/text/line.h"
#include "machines/midgard/text/parse_alu.h"
#include "machines/midgard/text/parse_branch.h"
#include "machines/midgard/text/parse_memory.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

using TokenKind = LineToken::Kind;

/// Largest text that is read; its code is a fraction of it.
constexpr std::size_t longest_text = std::size_t{256} << 20;
/// Longest line; its tokens are held in memory at once.
constexpr std::size_t longest_line = 1 << 16;

bool is_hex_word(const LineToken& token) {
  return token.text.size() == 8 && std::all_of(token.text.begin(), token.text.end(), [](char c) {
           return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
         });
}

/// A branch whose word is written when all labels are known.
struct Fixup {
  BranchLine line;
  std::size_t at = 0;      // byte of its word in the code
  std::uint32_t end = 0;   // quadword after its bundle
  std::size_t bundle = 0;  // index in placed
};

/// A bundle whose next tag is written when all is placed.
struct PlacedBundle {
  std::uint32_t position = 0, end = 0;  // quadwords
  bool next_given = false;
  bool retried_behind = false;
};

/// The lines of one bundle while they are read.
struct OpenBundle {
  Span where;
  bool braces = false;
  std::array<std::optional<AluLine>, unit_count> alu;
  std::array<std::optional<BranchLine>, 2> branches;  // compact, extended
  ConstantPool constants;
  bool constants_line = false;
  std::vector<std::uint64_t> load_store;
  std::optional<Word128> texture;
  bool raw = false;  // .quad inside braces
  // From the line of the brace and "break".
  std::optional<unsigned> tag, next;
  std::optional<bool> constants_note;
  std::vector<Note> control;
  std::array<std::uint64_t, 2> padding{};
  Span padding_where;

  [[nodiscard]] bool has_alu() const {
    return constants_line || branches[0] || branches[1] ||
           std::any_of(alu.begin(), alu.end(), [](const auto& line) { return line.has_value(); });
  }
  [[nodiscard]] int pipes() const { return int{has_alu()} + int{!load_store.empty()} + int{texture.has_value()}; }
};

class Assembler {
 public:
  Assembler(const Source& source, const AssembleOptions& options)
      : source_(source), errors_(source), variant_(options.variant), product_(&find_product(options.variant)) {}

  Result<Program> run();

 private:
  // Lines.
  void read_line(std::size_t index, LineCursor& line);
  void read_directive(LineCursor& line);
  void read_equ(LineCursor& line);
  void read_quad(LineCursor& line);
  void read_bytes(LineCursor& line);
  void read_gpu(LineCursor& line);
  void read_entry(LineCursor& line);
  void read_label(LineCursor& line);
  void read_brace(LineCursor& line);
  void read_instruction(LineCursor& line);
  void unknown_line(LineCursor& line);

  // Bundles.
  void begin(Span where, bool braces);
  void finish();
  void finish_alu(OpenBundle& open);
  void finish_quadword(OpenBundle& open, unsigned tag, Word128 word);
  void place(OpenBundle& open, const Bundle& bundle);
  bool check_alignment(Span where);

  // The end.
  void resolve();
  void resolve(Fixup& fixup);

  [[nodiscard]] std::uint32_t position() const { return static_cast<std::uint32_t>(code_.size() / quadword_bytes); }

  const Source& source_;
  ErrorSink errors_;
  std::string_view variant_;
  const Product* product_;
  Constants constants_;
  Program program_;
  std::vector<std::uint8_t> code_;
  std::map<std::string_view, std::uint64_t> labels_;  // byte offsets
  std::vector<std::string_view> label_order_;
  std::vector<Fixup> fixups_;
  std::vector<PlacedBundle> placed_;
  std::optional<OpenBundle> open_;
  std::uint32_t line_ = 0;  // that is being read
  std::string_view entry_label_;
  Span entry_where_;
};

// ------------------------------------------------------------------------------------------------ lines

Result<Program> Assembler::run() {
  std::vector<LineToken> tokens;
  for (std::size_t index = 0; index < source_.line_count() && !errors_.full(); ++index) {
    if (source_.line(index).size() > longest_line) {
      errors_.report({source_.line_offset(index), 1}, "MD116", "this line is longer than 64 KiB");
      continue;
    }
    lex_line(source_, index, tokens);
    LineCursor line(tokens, constants_, errors_);
    read_line(index, line);
    // What is wrong inside a bundle does not hide where it ends.
    if (line.failed() && open_ && tokens.size() > 1 && tokens[tokens.size() - 2].is("}")) open_.reset();
  }
  if (open_) {
    if (open_->braces) errors_.report(open_->where, "MD110", "this bundle has no closing brace");
    finish();
  }
  resolve();
  if (!errors_.empty()) return fail(errors_.take());
  program_.machine = "midgard";
  program_.variant = variant_;
  program_.code = std::move(code_);
  for (const std::string_view name : label_order_) program_.labels.push_back({std::string(name), labels_[name]});
  if (!program_.interface.first_tag && program_.entry < program_.code.size())
    program_.interface.first_tag = program_.code[program_.entry] & 15;
  return std::move(program_);
}

void Assembler::read_line(std::size_t index, LineCursor& line) {
  line_ = static_cast<std::uint32_t>(index + 1);
  if (line.peek().kind == TokenKind::bad) return line.fail(line.peek(), "MD101", "this byte has no meaning here");
  if (line.at_end()) {
    // A blank line ends a bundle without braces; one with a comment does not.
    const bool blank = source_.line(index).find_first_not_of(" \t") == std::string_view::npos;
    if (blank && open_ && !open_->braces) finish();
    return;
  }
  const bool label = line.peek().kind == TokenKind::word && line.peek(1).is(":");
  const bool raw =
      line.peek().is(".") && (same_word(line.peek(1).text, "quad") || same_word(line.peek(1).text, "byte"));
  const bool outside = label || line.peek().is("{") || line.peek().is(".");
  if (outside && open_ && !open_->braces) finish();
  if (outside && open_ && !(raw && open_->braces))
    return line.fail(line.peek(), "MD110", "this goes between bundles, not in one", "close the bundle with }");
  if (label) {
    read_label(line);
    if (line.at_end()) return;
    if (line.peek().is(".")) return read_directive(line);
  }
  if (line.peek().is(".")) return read_directive(line);
  if (line.peek().is("{")) {
    read_brace(line);
    if (line.at_end()) return;
  }
  if (!line.peek().is("}")) {
    if (!open_) begin(line.peek().span(), false);
    read_instruction(line);
  }
  if (line.failed() || line.at_end()) return;
  const LineToken& token = line.peek();
  if (!line.accept("}")) return line.fail(token, "MD101", "unexpected " + quote(token.text) + " after the instruction");
  if (!open_ || !open_->braces) return line.fail(token, "MD110", "there is no open bundle to close");
  finish();
  if (!line.at_end()) line.fail_expected("the end of the line");
}

void Assembler::read_label(LineCursor& line) {
  const LineToken& name = line.take();
  line.take();
  if (code_.size() % quadword_bytes != 0 && !check_alignment(name.span())) return;
  if (!labels_.emplace(name.text, code_.size()).second)
    return line.fail(name, "MD109", "the label " + quote(name.text) + " is defined twice");
  label_order_.push_back(name.text);
}

void Assembler::read_directive(LineCursor& line) {
  line.take();
  const LineToken& name = line.peek();
  if (name.kind != TokenKind::word) return line.fail_expected("the name of a directive");
  line.take();
  const auto is = [&](std::string_view word) { return same_word(name.text, word); };
  if (is("quad")) {
    read_quad(line);
  } else if (is("byte")) {
    read_bytes(line);
  } else if (is("equ")) {
    read_equ(line);
  } else if (is("gpu")) {
    read_gpu(line);
  } else if (is("entry")) {
    read_entry(line);
  } else if (is("stage")) {
    constexpr std::array<std::string_view, 3> stages{"vertex", "fragment", "compute"};
    const LineToken& word = line.take();
    std::size_t i = 0;
    while (i < stages.size() && !same_word(word.text, stages[i])) ++i;
    if (i == stages.size()) return line.fail(word, "MD101", "a stage is vertex, fragment or compute");
    program_.interface.stage = static_cast<Stage>(i + 1);
  } else if (is("work")) {
    program_.interface.work_registers = static_cast<std::uint32_t>(line.integer("the number of work registers", 0, 31));
  } else if (is("uniforms")) {
    program_.interface.uniform_registers =
        static_cast<std::uint32_t>(line.integer("the number of uniform registers", 0, 31));
  } else if (is("first_tag")) {
    program_.interface.first_tag = parse_tag(line);
  } else {
    Nearest nearest(name.text);
    for (const Directive& known : directives) nearest.offer(known.name);
    return line.fail(name, "MD102", "there is no directive ." + std::string(name.text.substr(0, 40)),
                     nearest.best().empty() ? std::string{} : "did you mean ." + std::string(nearest.best()) + "?");
  }
  if (!line.failed() && !line.at_end()) line.fail_expected("the end of the line");
}

void Assembler::read_equ(LineCursor& line) {
  const LineToken& name = line.take();
  if (name.kind != TokenKind::word) return line.fail(name, "MD101", ".equ needs a name and a value");
  line.accept(",");
  const Value value = line.expression();
  if (line.failed()) return;
  if (!constants_.emplace(name.text, value).second)
    line.fail(name, "MD109", "the constant " + quote(name.text) + " is defined twice");
}

/// Four words of eight hexadecimal digits as dumps show them, or expressions.
void Assembler::read_quad(LineCursor& line) {
  if (!check_alignment(line.peek().span())) return;
  if (open_ && (open_->pipes() != 0 || open_->raw))
    return line.fail(line.peek(), "MD110", "a raw quadword is alone in its bundle");
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) line.accept(",");
    const LineToken& token = line.peek();
    std::uint64_t value = 0;
    if (is_hex_word(token)) {
      parse_integer("0x" + std::string(token.text), value);
      line.take();
    } else if (token.kind == TokenKind::end) {
      return line.fail(token, "MD101", "a quadword is four 32-bit words");
    } else {
      value = static_cast<std::uint64_t>(line.integer("a word", 0, 0xFFFFFFFF));
    }
    if (line.failed()) return;
    words[i] = static_cast<std::uint32_t>(value);
  }
  for (const std::uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) code_.push_back(static_cast<std::uint8_t>(word >> shift));
  if (open_)
    open_->raw = true;
  else
    program_.lines.push_back({code_.size() - quadword_bytes, line_});
}

void Assembler::read_bytes(LineCursor& line) {
  if (open_) return line.fail(line.peek(), "MD110", "bytes go between bundles, not in one");
  do {
    const auto value = line.integer("a byte", -128, 255);
    if (line.failed()) return;
    code_.push_back(static_cast<std::uint8_t>(value));
  } while (line.accept(","));
}

void Assembler::read_gpu(LineCursor& line) {
  const LineToken& token = line.peek();
  const Product* found = nullptr;
  if (token.kind == TokenKind::word) {
    line.take();
    for (const Product& row : products)
      if (same_word(token.text, row.name)) found = &row;
    for (const ProductAlias& row : product_aliases)
      if (same_word(token.text, row.alias)) found = &find_product(row.name);
  } else {
    const auto id = line.integer("a GPU id", 0, 0xFFFF);
    if (line.failed()) return;
    for (const Product& row : products)
      if (row.gpu_id == id) found = &row;
  }
  if (found == nullptr) {
    std::string known;
    for (const Product& row : products) (known += known.empty() ? "" : " ") += row.name;
    return line.fail(token, "MD115", "there is no GPU " + quote(token.text), "there are " + known);
  }
  if (!code_.empty()) return line.fail(token, "MD115", ".gpu goes before all code: tags depend on it");
  if (!variant_.empty() && found != product_)
    return line.fail(
        token, "MD115",
        "the text is for " + std::string(found->name) + ", but " + std::string(variant_) + " was asked for",
        "remove .gpu, or ask for midgard:" + std::string(found->name));
  if (variant_.empty()) variant_ = found->name;
  product_ = found;
}

void Assembler::read_entry(LineCursor& line) {
  const LineToken& token = line.peek();
  if (token.kind == TokenKind::word) {
    entry_label_ = token.text;
    entry_where_ = token.span();
    line.take();
    return;
  }
  program_.entry = static_cast<std::uint64_t>(line.integer("the byte offset of the entry", 0, 0xFFFFFFFF));
}

/// "{" and the notes about the bundle as a whole.
void Assembler::read_brace(LineCursor& line) {
  begin(line.peek().span(), true);
  line.take();
  while (!line.failed() && line.accept("!")) {
    const Span key = line.take_run("=");
    const std::string_view name = line.text(key);
    if (line.failed() || !line.expect("=")) return;
    if (name == note_tag) {
      open_->tag = static_cast<unsigned>(parse_note_value(line, control::tag));
    } else if (name == note_next) {
      open_->next = static_cast<unsigned>(parse_note_value(line, control::next));
    } else if (name == note_constants) {
      open_->constants_note = line.integer("whether there are constants", 0, 1) != 0;
    } else if (name == note_padding || name == note_padding_high) {
      const LineToken& token = line.peek();
      const auto bits = integer_pattern(line.primary(), 64);
      if (!bits && !line.failed()) return line.fail(token, "MD107", "the padding must be a 64-bit integer");
      open_->padding[name == note_padding ? 0 : 1] = bits.value_or(0);
      open_->padding_where = key;
    } else {
      const auto field = std::find_if(control_notes.begin(), control_notes.end(),
                                      [&](const NoteField& row) { return row.key.view() == name; });
      if (field == control_notes.end()) {
        std::string known = "it has";
        for (const std::string_view one : {note_tag, note_next, note_constants, note_padding, note_padding_high})
          (known += ' ') += one;
        for (const NoteField& row : control_notes) (known += ' ') += row.key.view();
        return line.fail(key, "MD113", "a bundle has no field " + quote(name), known);
      }
      open_->control.push_back({&*field, parse_note_value(line, field->field)});
    }
  }
}

void Assembler::read_instruction(LineCursor& line) {
  const LineToken& first = line.peek();
  OpenBundle& open = *open_;
  if (open.raw) return line.fail(first, "MD110", "a raw quadword is alone in its bundle");
  if (first.kind != TokenKind::word) return line.fail_expected("an instruction");

  for (std::size_t i = 0; i < unit_count; ++i) {
    if (!same_word(first.text, units[i].name)) continue;
    AluLine read = parse_alu(line, static_cast<Unit>(i));
    if (line.failed()) return;
    if (open.alu[i]) return line.fail(first, "MD110", "the bundle has two lines for " + std::string(units[i].name));
    open.alu[i] = std::move(read);
  }
  if (line.failed()) return;
  const auto op = find_texture_name(first.text);
  const ConstantsKind* kind = nullptr;
  for (const ConstantsKind& row : constants_kinds)
    if (same_word(first.text, row.name)) kind = &row;

  if (std::any_of(units.begin(), units.end(), [&](const UnitInfo& unit) { return same_word(first.text, unit.name); })) {
    // read above
  } else if (same_word(first.text, "br") || same_word(first.text, "brx")) {
    BranchLine read = parse_branch(line);
    if (line.failed()) return;
    const bool extended = read.branch.extended;
    if (open.branches[extended ? 1 : 0])
      return line.fail(first, "MD110", "the bundle has two " + std::string(extended ? "brx" : "br") + " lines");
    open.branches[extended ? 1 : 0] = std::move(read);
  } else if (same_word(first.text, "break")) {
    line.take();
    open.next = tag_break;
  } else if (kind != nullptr) {
    line.take();
    if (open.constants_line) return line.fail(first, "MD110", "the bundle has two lines of constants");
    open.constants_line = true;
    open.constants.read(line, *kind);
  } else if (op) {
    const Word128 word = parse_texture(line, *product_);
    if (line.failed()) return;
    if (open.texture) return line.fail(first, "MD110", "a texture bundle holds one instruction");
    open.texture = word;
  } else if (begins_load_store(first.text)) {
    const std::uint64_t word = parse_load_store(line);
    if (line.failed()) return;
    if (open.load_store.size() == 2) return line.fail(first, "MD110", "a load/store bundle holds two instructions");
    open.load_store.push_back(word);
  } else {
    return unknown_line(line);
  }
  if (!line.failed() && open.pipes() > 1)
    line.fail(first, "MD110", "a bundle is for one pipe: ALU and branches, load/store, or texture",
              open.braces ? "close the bundle with } first" : "leave a blank line between bundles");
}

void Assembler::unknown_line(LineCursor& line) {
  const LineToken& first = line.peek();
  std::string name(first.text);
  for (std::size_t i = 1; line.peek(i).is(".") && i < 6; i += 2) {
    if (const std::string hint = units_hint(name); !hint.empty())
      return line.fail(first, "MD102", quote(name) + " needs a unit", hint);
    name += '.' + std::string(line.peek(i + 1).text.substr(0, 20));
  }
  Nearest nearest(name);
  offer_memory_names(nearest);
  for (const UnitInfo& unit : units) nearest.offer(unit.name);
  for (const ConstantsKind& kind : constants_kinds) nearest.offer(kind.name);
  for (const char* word : {"br", "brx", "break"}) nearest.offer(word);
  line.fail(first, "MD102", "there is no instruction " + quote(first.text), nearest.hint());
}

// ------------------------------------------------------------------------------------------------ bundles

void Assembler::begin(Span where, bool braces) {
  program_.lines.push_back({code_.size(), line_});
  open_.emplace();
  open_->where = where;
  open_->braces = braces;
}

bool Assembler::check_alignment(Span where) {
  if (code_.size() % quadword_bytes == 0) return true;
  errors_.report(where, "MD114",
                 "code starts at a multiple of 16 bytes; here it is at byte " + std::to_string(code_.size()),
                 "pad with .byte");
  return false;
}

void Assembler::finish() {
  OpenBundle open = std::move(*open_);
  open_.reset();
  if (open.raw) return;
  if (!check_alignment(open.where)) return;
  const bool lineless = open.pipes() == 0 && open.tag && is_alu_tag(*open.tag);
  if (open.pipes() == 0 && !lineless) {
    if (errors_.empty())
      errors_.report(open.where, "MD110", "this bundle is empty", "an ALU bundle without a unit needs !tag=alu/4");
    return;
  }
  if (open.pipes() > 1) return;  // reported at the line
  const bool alu = open.has_alu() || lineless;
  if (!alu && (!open.control.empty() || open.constants_note || open.padding[0] != 0 || open.padding[1] != 0))
    return errors_.report(open.where, "MD113", "only an ALU bundle has these fields");
  if (alu) return finish_alu(open);
  Word128 word;
  if (open.texture) {
    word = *open.texture;
    return finish_quadword(open, static_cast<unsigned>(get(word, tex::tag)), word);
  }
  set(word, ldst::first, open.load_store[0]);
  set(word, ldst::second, open.load_store.size() > 1 ? open.load_store[1] : ls_noop);
  finish_quadword(open, tag_load_store, word);
}

void Assembler::finish_quadword(OpenBundle& open, unsigned tag, Word128 word) {
  Bundle bundle;
  bundle.form = open.texture ? Bundle::Form::texture : Bundle::Form::load_store;
  const unsigned chosen = open.tag.value_or(tag);
  if (tags[chosen].pipe != tags[tag].pipe)
    return errors_.report(open.where, "MD114",
                          "tag " + std::string(tags[chosen].name) + " is not for this kind of bundle");
  set(word, tex::tag, chosen);
  set(word, tex::next, open.next.value_or(0));
  bundle.word = word;
  place(open, bundle);
}

void Assembler::finish_alu(OpenBundle& open) {
  Bundle bundle;
  bundle.form = Bundle::Form::alu;
  bool reads_constants = false;
  for (std::size_t i = 0; i < unit_count; ++i) {
    if (!open.alu[i]) continue;
    AluLine& line = *open.alu[i];
    for (const auto& literal : line.literals) {
      if (!literal) continue;
      if (!open.constants.place(*literal, line.instruction))
        errors_.report(literal->where, "MD111", "the bundle's 16 bytes of constants have no room for this one",
                       "move it to a register in an earlier bundle, or into a bundle of its own");
    }
    apply_notes(line.notes, line.instruction.word);
    const std::uint16_t registers = line.instruction.registers;
    reads_constants = reads_constants || get(registers, reg::src1) == register_constants ||
                      (!has_inline_constant(line.instruction) && get(registers, reg::src2) == register_constants);
    bundle.control |= 1u << units[i].control_bit;
    bundle.alu[bundle.alu_count++] = line.instruction;
  }
  bundle.has_constants = open.constants_line || open.constants.used();
  if (open.constants_note) bundle.has_constants = *open.constants_note;
  if (reads_constants && !bundle.has_constants && !open.constants_note)
    return errors_.report(open.where, "MD111", "the bundle reads K but has no constants",
                          "add a line such as fconst 1, 2, 3, 4");
  bundle.constants = open.constants.words();
  bundle.has_compact = open.branches[0].has_value();
  bundle.has_extended = open.branches[1].has_value();
  if (bundle.has_compact) {
    bundle.control |= static_cast<std::uint32_t>(mask_of(control::branch_compact));
    bundle.compact = encode_compact(open.branches[0]->branch);
  }
  if (bundle.has_extended) {
    bundle.control |= static_cast<std::uint32_t>(mask_of(control::branch_extended));
    bundle.extended = encode_extended(open.branches[1]->branch);
  }
  std::uint64_t control = bundle.control;
  apply_notes(open.control, control);
  bundle.control = static_cast<std::uint32_t>(control);

  const unsigned length = alu_quadwords(bundle);
  const unsigned tag = open.tag.value_or(computed_tag(bundle, *product_));
  if (!is_alu_tag(tag) || quadwords(tag) != length)
    return errors_.report(
        open.where, "MD114",
        "tag " + std::string(tags[tag].name) + " does not fit a bundle of " + counted(length, "quadword"));
  bundle.tag = static_cast<std::uint8_t>(tag);
  bundle.next = static_cast<std::uint8_t>(open.next.value_or(0));
  place(open, bundle);
}

void Assembler::place(OpenBundle& open, const Bundle& bundle) {
  const std::size_t begin = code_.size();
  encode_bundle(bundle, code_);
  PlacedBundle entry{static_cast<std::uint32_t>(begin / quadword_bytes), position(), open.next.has_value(), false};
  if (bundle.form == Bundle::Form::alu) {
    // After the fields come the branches, then padding up to the constants or the end.
    std::size_t at = begin + 4;
    for (const AluInstruction& instruction : bundle.alu_instructions()) at += 2u + info(instruction.unit).bytes;
    for (unsigned i = 0; i < 2; ++i) {
      if (!open.branches[i]) continue;
      fixups_.push_back({std::move(*open.branches[i]), at, position(), placed_.size()});
      at += i == 0 ? 2 : 6;
    }
    const std::size_t end = code_.size() - (bundle.has_constants ? quadword_bytes : 0);
    for (std::size_t i = 0; i < 16; ++i) {
      const auto byte = static_cast<std::uint8_t>(open.padding[i / 8] >> (8 * (i % 8)));
      if (at + i < end)
        code_[at + i] = byte;
      else if (byte != 0)
        return errors_.report(open.padding_where, "MD113",
                              "the bundle has " + counted(end - at, "byte") + " of padding");
    }
  }
  placed_.push_back(entry);
}

// ------------------------------------------------------------------------------------------------ the end

void Assembler::resolve(Fixup& fixup) {
  Branch& branch = fixup.line.branch;
  if (!fixup.line.label.empty()) {
    const auto found = labels_.find(fixup.line.label);
    if (found == labels_.end()) {
      Nearest nearest(fixup.line.label);
      for (const std::string_view name : label_order_) nearest.offer(name);
      return errors_.report(fixup.line.where, "MD108", "there is no label " + quote(fixup.line.label), nearest.hint());
    }
    const auto target = static_cast<std::int64_t>(found->second / quadword_bytes);
    const std::int64_t offset = target - std::int64_t{fixup.end};
    const std::int64_t limit = branch.extended ? 1 << 22 : 64;
    if (offset < -limit || offset >= limit) {
      // Positions mean little once something else went wrong.
      if (errors_.empty())
        errors_.report(fixup.line.where, "MD112",
                       quote(fixup.line.label) + " is " + std::to_string(offset) +
                           " quadwords away; the branch reaches " + std::to_string(-limit) + " to " +
                           std::to_string(limit - 1),
                       branch.extended ? std::string{} : "write brx");
      return;
    }
    branch.offset = static_cast<std::int32_t>(offset);
    if (!fixup.line.tagged) {
      const auto at = static_cast<std::size_t>(target) * quadword_bytes;
      branch.dest_tag = at + quadword_bytes <= code_.size() ? code_[at] & 15 : tag_break;
    }
  }
  std::uint64_t word = branch.extended ? encode_extended(branch) : encode_compact(branch);
  apply_notes(fixup.line.notes, word);
  const unsigned bytes = branch.extended ? 6 : 2;
  for (unsigned i = 0; i < bytes; ++i) code_[fixup.at + i] = static_cast<std::uint8_t>(word >> (8 * i));
  Branches one;
  one.items[one.count++] = branch.extended ? extended_branch(word) : compact_branch(static_cast<std::uint16_t>(word));
  if (implied_next(one, tag_load_store) == tag_break) placed_[fixup.bundle].retried_behind = true;
}

void Assembler::resolve() {
  for (Fixup& fixup : fixups_) {
    if (errors_.full()) return;
    resolve(fixup);
  }
  const auto count = static_cast<std::uint32_t>(code_.size() / quadword_bytes);
  for (const PlacedBundle& bundle : placed_) {
    if (bundle.next_given) continue;
    const unsigned following = bundle.end < count ? code_[std::size_t{bundle.end} * quadword_bytes] & 15 : 0;
    const unsigned next = bundle.retried_behind ? tag_break : implied_next({}, following);
    code_[std::size_t{bundle.position} * quadword_bytes] |= static_cast<std::uint8_t>(next << 4);
  }
  if (entry_label_.empty()) return;
  if (const auto found = labels_.find(entry_label_); found != labels_.end())
    program_.entry = found->second;
  else
    errors_.report(entry_where_, "MD108", "there is no label " + quote(entry_label_));
}

}  // namespace

Result<Program> parse_mdg(const SourceText& source, const AssembleOptions& options) {
  if (source.text.size() > longest_text)
    return fail("MD116", "the text is longer than " + std::to_string(longest_text >> 20) + " MiB");
  const Source text(source.file, source.text);
  auto program = Assembler(text, options).run();
  if (program) program->file = source.file;
  return program;
}

}  // namespace mobula::midgard
