#include "machines/midgard/text/parse_lima.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
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
#include "machines/midgard/text/numbers.h"
#include "machines/midgard/text/parse_branch.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

using TokenKind = LineToken::Kind;

constexpr std::size_t longest_lima_text = std::size_t{64} << 20, longest_lima_line = 1 << 16;

// ------------------------------------------------------------------------------------------------ names

template <class Rows>
constexpr std::optional<unsigned> opcode_named(const Rows& rows, std::string_view name) {
  for (const auto& row : rows)
    if (row.name == name) return row.opcode;
  return std::nullopt;
}

struct Alias {
  std::string_view name;
  unsigned opcode;
};
constexpr Alias texture_ops[] = {{"normal", opcode_of(TexMeaning::sample)},
                                 {"gradient", opcode_of(TexMeaning::gradient)},
                                 {"texelfetch", opcode_of(TexMeaning::fetch)}};
constexpr std::array<std::string_view, 4> first_outmods{"none", "pos", "int", "sat"},
    later_outmods{"isat", "usat", "", "hi"};

struct ConstantFormat {
  char letter;
  unsigned bits;
  bool real;
};
constexpr ConstantFormat constant_formats[] = {{'f', 32, true}, {'h', 16, true}, {'i', 32, false}, {'s', 16, false}};

std::optional<unsigned> find_alu_name(std::string_view name) {
  for (const OtherName& row : alu_other_names)
    if (row.name == name) return row.opcode;
  return opcode_named(alu_ops, name);
}

std::optional<unsigned> find_ls_name(std::string_view name) {
  for (const OtherName& row : ls_other_names)
    if (row.name == name) return row.opcode;
  return opcode_named(ls_ops, name);
}

const ConstantFormat* find_constants(std::string_view word) {
  for (const ConstantFormat& row : constant_formats)
    if (word.size() == 10 && word[0] == row.letter && word.substr(1) == "constants") return &row;
  return nullptr;
}

std::optional<Unit> find_unit(std::string_view word) {
  for (std::size_t i = 0; i < unit_count; ++i)
    if (units[i].name == word) return static_cast<Unit>(i);
  return std::nullopt;
}

/// True if an instruction can begin with the word.
bool begins_instruction(std::string_view word) {
  return find_unit(word) || find_ls_name(word) || find_constants(word) != nullptr || word == "fb" || word == "br" ||
         word == "brx" || word == "texture";
}

// ------------------------------------------------------------------------------------------------ operands

/// "-abs(hr3.xyzw)": modifiers, register or half register, letters; or "#1.5".
struct LimaOperand {
  bool immediate = false;
  Value value;  // of an immediate
  unsigned number = 0;
  bool half = false, upper = false;
  unsigned mod = 0;
  std::vector<unsigned> letters;
  Span where;

  /// Selectors in order; those not written are x, all of them xyzw.
  [[nodiscard]] unsigned swizzle() const {
    if (letters.empty()) return identity_swizzle;
    unsigned bits = 0;
    for (std::size_t i = 0; i < letters.size(); ++i) bits |= letters[i] << (2 * i);
    return bits;
  }
  /// Components written; all of them if none is named.
  [[nodiscard]] unsigned mask() const {
    unsigned bits = letters.empty() ? 15 : 0;
    for (const unsigned letter : letters) bits |= 1u << letter;
    return bits;
  }
};

void read_letters(LineCursor& line, LimaOperand& operand) {
  if (!line.accept(".")) return;
  const Span run = line.take_run(",.)");
  for (const char letter : line.text(run)) {
    const int element = element_of(letter);
    if (element < 0 || element > 3 || operand.letters.size() == 4)
      return line.fail(run, "MD104", "expected up to four components x y z w");
    operand.letters.push_back(static_cast<unsigned>(element));
  }
  if (operand.letters.empty()) line.fail_expected("components");
}

/// `bare` also takes a number without a letter, as addresses are written.
LimaOperand read_operand(LineCursor& line, bool bare = false) {
  LimaOperand operand;
  const LineToken& first = line.peek();
  operand.where = first.span();
  if (line.accept("#")) {
    operand.immediate = true;
    operand.value = line.expression();
    return operand;
  }
  if (line.accept("-")) operand.mod |= 2;
  const bool call = line.peek().is("abs") && line.peek(1).is("(");
  if (call) {
    line.take();
    line.take();
    operand.mod |= 1;
  }
  const LineToken& name = line.take();
  operand.where = name.span();
  std::string_view digits = name.text;
  if (name.kind == TokenKind::word && digits.starts_with("hr")) {
    operand.half = true;
    digits.remove_prefix(2);
  } else if (name.kind == TokenKind::word && digits.starts_with("r")) {
    digits.remove_prefix(1);
  } else if (!bare || name.kind != TokenKind::number) {
    line.fail(name, "MD103", "expected a register, found " + quote(name.text),
              "registers are r0 to r31 and their halves hr0 to hr63; constants are written #1.0");
    return operand;
  }
  std::uint64_t number = 0;
  const std::uint64_t limit = bare ? 512 : operand.half ? 64 : 32;
  if (digits.size() > 3 || !parse_integer(digits, number) || number >= limit) {
    line.fail(name, "MD103", "there is no register " + quote(name.text),
              "registers are r0 to r31 and their halves hr0 to hr63");
    return operand;
  }
  operand.upper = operand.half && (number & 1) != 0;
  operand.number = static_cast<unsigned>(operand.half ? number / 2 : number);
  read_letters(line, operand);
  if (call && !line.failed()) line.expect(")");
  return operand;
}

// ------------------------------------------------------------------------------------------------ assembler

class LimaAssembler {
 public:
  explicit LimaAssembler(const Source& source) : source_(source), errors_(source) {}

  Result<std::vector<std::uint8_t>> run();

 private:
  void read_line(std::size_t index);
  void read_instruction(LineCursor& line);
  void parse_alu(LineCursor& line, Unit unit);
  void vector_word(AluInstruction& instruction, unsigned opcode, unsigned outmod, const LimaOperand& to,
                   const LimaOperand& a, const LimaOperand& b);
  void scalar_word(AluInstruction& instruction, unsigned opcode, unsigned outmod, const LimaOperand& to,
                   const LimaOperand& a, const LimaOperand& b, LineCursor& line);
  bool immediate(AluInstruction& instruction, unsigned opcode, const LimaOperand& operand, LineCursor& line);
  void parse_load_store(LineCursor& line, unsigned opcode);
  void parse_texture(LineCursor& line);
  void read_fb(LineCursor& line);
  void read_plain_branch(LineCursor& line);
  void read_constants(LineCursor& line, const ConstantFormat& format);

  /// Units and what follows them share a bundle as long as they come in the order of the control word.
  void take_place(unsigned place);
  void finish();

  const Source& source_;
  ErrorSink errors_;
  Constants no_constants_;
  std::vector<Bundle> bundles_;
  Bundle alu_;
  bool open_alu_ = false;
  unsigned last_place_ = 0;
  std::vector<std::uint64_t> load_store_;  // the instruction waiting for a second
};

bool writes_out(const Bundle& bundle) {
  const Branches all = branches(bundle);
  return std::any_of(all.begin(), all.end(), [](const Branch& branch) { return branch.op == BranchMeaning::write; });
}

constexpr unsigned place_compact = 26, place_extended = 27, place_constants = 32;

Result<std::vector<std::uint8_t>> LimaAssembler::run() {
  for (std::size_t index = 0; index < source_.line_count() && !errors_.full(); ++index) read_line(index);
  finish();
  if (!errors_.empty()) return fail(errors_.take());
  // The last bundle ends the program, and so does a writeout before it: the last one then repeats it (2.1, 4.4).
  std::vector<std::uint8_t> code;
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    const bool last = i + 1 == bundles_.size();
    const bool is_retried = i + 2 == bundles_.size() && is_alu_tag(bundles_.back().tag) && writes_out(bundles_[i]);
    const unsigned next = last || is_retried ? tag_break : bundles_[i + 1].tag;
    bundles_[i].next = static_cast<std::uint8_t>(next);
    set(bundles_[i].word, tex::next, next);
    encode_bundle(bundles_[i], code);
  }
  return code;
}

/// A ";" separates instructions; anything after it that is not an instruction is a comment.
void LimaAssembler::read_line(std::size_t index) {
  const std::string_view text = source_.line(index);
  if (text.size() > longest_lima_line)
    return errors_.report({source_.line_offset(index), 1}, "MD116", "this line is longer than 64 KiB");
  if (text.find_first_not_of(" \t") == std::string_view::npos) return finish();
  std::vector<LineToken> tokens;
  lex_line(source_, index, tokens, Comments::slashes_only);
  for (std::size_t begin = 0; begin < tokens.size();) {
    std::size_t end = begin;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    std::vector<LineToken> piece(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                 tokens.begin() + static_cast<std::ptrdiff_t>(end));
    if (end < tokens.size()) piece.push_back({TokenKind::end, {}, tokens[end].offset});
    const bool comment = begin > 0 && !begins_instruction(piece.front().text);
    begin = end + 1;
    if (comment) break;
    LineCursor line(piece, no_constants_, errors_);
    if (line.at_end()) continue;
    read_instruction(line);
    if (!line.at_end()) line.fail_expected("the end of the instruction");
  }
}

void LimaAssembler::read_instruction(LineCursor& line) {
  const LineToken& first = line.peek();
  if (const auto unit = find_unit(first.text)) return parse_alu(line, *unit);
  if (const auto opcode = find_ls_name(first.text)) return parse_load_store(line, *opcode);
  if (const ConstantFormat* format = find_constants(first.text)) return read_constants(line, *format);
  if (first.is("texture")) return parse_texture(line);
  if (first.is("fb")) return read_fb(line);
  if (first.is("br") || first.is("brx")) return read_plain_branch(line);
  Nearest nearest(first.text);
  for (const UnitInfo& unit : units) nearest.offer(unit.name);
  for (const LsOp& row : ls_ops) nearest.offer(row.name);
  for (const OtherName& row : ls_other_names) nearest.offer(row.name);
  for (const char* word : {"fb", "br", "brx", "texture", "fconstants", "hconstants", "iconstants", "sconstants"})
    nearest.offer(word);
  line.fail(first, "MD102", "there is no instruction " + quote(first.text), nearest.hint());
}

void LimaAssembler::take_place(unsigned place) {
  if (!load_store_.empty() || (open_alu_ && place <= last_place_)) finish();
  open_alu_ = true;
  last_place_ = place;
}

void LimaAssembler::finish() {
  if (open_alu_) {
    alu_.form = Bundle::Form::alu;
    const unsigned length = alu_quadwords(alu_);
    alu_.tag = static_cast<std::uint8_t>(tag_alu_4 + length - 1);
    bundles_.push_back(std::exchange(alu_, {}));
    open_alu_ = false;
    last_place_ = 0;
  }
  if (!load_store_.empty()) {
    Bundle bundle;
    bundle.form = Bundle::Form::load_store;
    bundle.tag = tag_load_store;
    set(bundle.word, ldst::tag, tag_load_store);
    // One alone comes second.
    set(bundle.word, ldst::first, load_store_.size() == 2 ? load_store_[0] : ls_noop);
    set(bundle.word, ldst::second, load_store_.back());
    bundles_.push_back(bundle);
    load_store_.clear();
  }
}

// ------------------------------------------------------------------------------------------------ ALU

void LimaAssembler::parse_alu(LineCursor& line, Unit unit) {
  line.take();
  if (!line.expect(".")) return;
  const LineToken& name = line.take();
  const auto opcode = find_alu_name(name.text);
  if (!opcode) {
    Nearest nearest(name.text);
    for (const AluOp& row : alu_ops) nearest.offer(row.name);
    for (const OtherName& row : alu_other_names) nearest.offer(row.name);
    return line.fail(name, "MD102", "there is no ALU operation " + quote(name.text), nearest.hint());
  }
  unsigned outmod = output_kind(*opcode) == Kind::f ? 0 : static_cast<unsigned>(IntOutmod::keeplo);
  if (line.accept(".")) {
    const LineToken& word = line.take();
    std::optional<unsigned> found;
    for (unsigned i = 0; i < 4; ++i)
      if (word.text == first_outmods[i] || (!later_outmods[i].empty() && word.text == later_outmods[i])) found = i;
    if (!found)
      return line.fail(word, "MD105", "unknown output modifier " + quote(word.text),
                       "it is pos, int, sat, isat, usat or hi");
    outmod = *found;
  }
  const LimaOperand to = read_operand(line);
  if (line.failed() || !line.expect(",")) return;
  const LimaOperand a = read_operand(line);
  if (line.failed() || !line.expect(",")) return;
  const LimaOperand b = read_operand(line);
  if (line.failed()) return;
  if (to.immediate || to.mod != 0) return line.fail(to.where, "MD103", "expected a register to write");
  if (a.immediate) return line.fail(a.where, "MD103", "only the second operand can be a constant");

  AluInstruction instruction;
  instruction.unit = unit;
  std::uint64_t registers = 0;
  set(registers, reg::src1, a.number);
  if (!b.immediate) set(registers, reg::src2, b.number);
  set(registers, reg::dst, to.number);
  instruction.registers = static_cast<std::uint16_t>(registers);
  if (info(unit).vector)
    vector_word(instruction, *opcode, outmod, to, a, b);
  else
    scalar_word(instruction, *opcode, outmod, to, a, b, line);
  if (b.immediate && !immediate(instruction, *opcode, b, line)) return;
  if (line.failed()) return;
  take_place(info(unit).control_bit);
  alu_.control |= 1u << info(unit).control_bit;
  alu_.alu[alu_.alu_count++] = instruction;
}

/// The 16-bit constant of an operand such as "#1.5".
bool LimaAssembler::immediate(AluInstruction& instruction, unsigned opcode, const LimaOperand& operand,
                              LineCursor& line) {
  const bool real = input_kind(opcode) == Kind::f;
  const auto bits = real ? float_pattern(operand.value, 16) : integer_pattern(operand.value, 16);
  if (!bits) {
    line.fail(operand.where, "MD107", "this constant does not fit in 16 bits", "use fconstants or iconstants and r26");
    return false;
  }
  set_inline_constant(instruction, static_cast<std::uint16_t>(*bits));
  return true;
}

/// A half register written with halves read is the 16-bit mode; with a full register read, a 32-bit result shrunk.
void LimaAssembler::vector_word(AluInstruction& instruction, unsigned opcode, unsigned outmod, const LimaOperand& to,
                                const LimaOperand& a, const LimaOperand& b) {
  const AluOp* row = find_alu_op(opcode);
  const bool ignores_a = row != nullptr && row->operands == 1 && row->uses_source2;
  const bool ignores_b = (row != nullptr && row->operands == 1 && !row->uses_source2) || b.immediate;
  const bool full_read = (!ignores_a && !a.half) || (!ignores_b && !b.half);
  const bool halves = to.half && !full_read;
  std::uint64_t& word = instruction.word;
  set(word, vec::opcode, opcode);
  set(word, vec::mode, static_cast<unsigned>(halves ? RegMode::bits16 : RegMode::bits32));
  set(word, vec::outmod, outmod);
  const Shrink shrink = !to.half || halves ? Shrink::none : to.upper ? Shrink::upper : Shrink::lower;
  set(word, vec::shrink, static_cast<unsigned>(shrink));
  set(word, vec::mask, halves ? to.mask() << (to.upper ? 4 : 0) : mask_of_lanes(32, to.mask()));

  const auto source = [&](const LimaOperand& operand) {
    std::uint64_t bits = 0;
    unsigned expand = 0;
    if (operand.half && !halves) expand = static_cast<unsigned>(operand.upper ? Expand::high : Expand::low);
    if (operand.half && halves && operand.upper) expand = static_cast<unsigned>(Expand::rep_high);
    if (operand.half && halves && !operand.upper && to.upper) expand = static_cast<unsigned>(Expand::rep_low);
    set(bits, vecsrc::mod, operand.mod);
    set(bits, vecsrc::expand, expand);
    set(bits, vecsrc::swizzle, operand.swizzle());
    return bits;
  };
  set(word, vec::src1, source(a));
  if (!b.immediate) set(word, vec::src2, source(b));
}

void LimaAssembler::scalar_word(AluInstruction& instruction, unsigned opcode, unsigned outmod, const LimaOperand& to,
                                const LimaOperand& a, const LimaOperand& b, LineCursor& line) {
  const auto component = [&](const LimaOperand& operand) -> unsigned {
    if (operand.letters.empty() || std::any_of(operand.letters.begin(), operand.letters.end(),
                                               [&](unsigned letter) { return letter != operand.letters[0]; })) {
      line.fail(operand.where, "MD104", "a scalar unit reads and writes one component");
      return 0;
    }
    return operand.half ? operand.letters[0] + (operand.upper ? 4 : 0) : operand.letters[0] * 2;
  };
  std::uint64_t& word = instruction.word;
  set(word, scalar::opcode, opcode);
  set(word, scalar::src1_mod, a.mod);
  set(word, scalar::src1_full, a.half ? 0 : 1);
  set(word, scalar::src1_component, component(a));
  if (!b.immediate) {
    std::uint64_t bits = 0;
    set(bits, scalarsrc::mod, b.mod);
    set(bits, scalarsrc::full, b.half ? 0 : 1);
    set(bits, scalarsrc::component, component(b));
    set(word, scalar::src2, bits);
  }
  set(word, scalar::outmod, outmod);
  set(word, scalar::full, to.half ? 0 : 1);
  set(word, scalar::component, component(to));
}

void LimaAssembler::read_constants(LineCursor& line, const ConstantFormat& format) {
  line.take();
  std::array<std::uint8_t, quadword_bytes> bytes{};
  std::size_t at = 0;
  do {
    const LineToken& first = line.peek();
    const Value value = line.expression();
    if (line.failed()) return;
    if (at == bytes.size()) return line.fail(first, "MD111", "a bundle has 16 bytes of constants");
    const auto bits = format.real ? float_pattern(value, format.bits) : integer_pattern(value, format.bits);
    if (!bits) return line.fail(first, "MD107", "this constant does not fit in " + counted(format.bits, "bit"));
    std::memcpy(bytes.data() + at, &*bits, format.bits / 8);
    at += format.bits / 8;
  } while (line.accept(","));
  take_place(place_constants);
  alu_.has_constants = true;
  std::memcpy(alu_.constants.data(), bytes.data(), bytes.size());
}

// ------------------------------------------------------------------------------------------------ branches

/// "fb.write 0x1808": bits 3 to 15 of the compact branch.
void LimaAssembler::read_fb(LineCursor& line) {
  line.take();
  if (!line.expect(".")) return;
  const LineToken& name = line.take();
  constexpr Alias ops[] = {{"jump", opcode_of(BranchMeaning::uncond)},
                           {"branch", opcode_of(BranchMeaning::cond)},
                           {"write", opcode_of(BranchMeaning::write)}};
  const auto op = std::find_if(std::begin(ops), std::end(ops), [&](const Alias& row) { return name.is(row.name); });
  if (op == std::end(ops)) return line.fail(name, "MD102", "expected fb.write, fb.jump or fb.branch");
  const auto bits = line.integer("the rest of the branch word", 0, 0x1FFF);
  if (line.failed()) return;
  take_place(place_compact);
  alu_.control |= static_cast<std::uint32_t>(mask_of(control::branch_compact));
  alu_.has_compact = true;
  alu_.compact = static_cast<std::uint16_t>(bits << 3 | op->opcode);
}

void LimaAssembler::read_plain_branch(LineCursor& line) {
  const BranchLine read = parse_branch(line);
  if (line.failed()) return;
  if (!read.label.empty())
    return line.fail(read.where, "MD101", "this text form has no labels", "write a distance such as +2 -> alu/4");
  std::uint64_t word = read.branch.extended ? encode_extended(read.branch) : encode_compact(read.branch);
  apply_notes(read.notes, word);
  if (read.branch.extended) {
    take_place(place_extended);
    alu_.control |= static_cast<std::uint32_t>(mask_of(control::branch_extended));
    alu_.has_extended = true;
    alu_.extended = word;
  } else {
    take_place(place_compact);
    alu_.control |= static_cast<std::uint32_t>(mask_of(control::branch_compact));
    alu_.has_compact = true;
    alu_.compact = static_cast<std::uint16_t>(word);
  }
}

// ------------------------------------------------------------------------------------------------ load/store, texture

/// "ld_vary_16 r0.xy, 0.xyxx, 0xA01E9E": register and mask, address and swizzle, bits 25 to 50.
void LimaAssembler::parse_load_store(LineCursor& line, unsigned opcode) {
  line.take();
  std::uint64_t word = 0;
  set(word, ls::op, opcode);
  if (opcode != ls_noop) {
    const LimaOperand to = read_operand(line);
    if (line.failed() || !line.expect(",")) return;
    const LimaOperand address = read_operand(line, true);
    if (line.failed() || !line.expect(",")) return;
    constexpr unsigned raw_bits = 26;
    const auto raw = line.integer("bits 25 to 50", 0, (1 << raw_bits) - 1);
    if (line.failed()) return;
    if (to.immediate || to.half || to.mod != 0) return line.fail(to.where, "MD103", "expected a full register");
    if (address.immediate || address.mod != 0) return line.fail(address.where, "MD103", "expected an address");
    set(word, ls::reg, to.number);
    set(word, ls::mask, to.mask());
    set(word, ls::swizzle, address.swizzle());
    word |= static_cast<std::uint64_t>(raw) << ls::arg_component.low;
    set(word, ls::table_offset, address.number);
  }
  if (open_alu_ || load_store_.size() == 2) finish();
  load_store_.push_back(word);
}

/// "texture.normal.2d.shadow.cont.last.bias r28, texture0, sampler0.xyzw, r28.xy, 1.5".
void LimaAssembler::parse_texture(LineCursor& line) {
  line.take();
  Word128 word;
  std::vector<LineToken> words;
  while (line.accept(".")) words.push_back(line.take());
  const Alias* op = nullptr;
  if (!words.empty())
    for (const Alias& row : texture_ops)
      if (words[0].is(row.name)) op = &row;
  if (op == nullptr)
    return line.fail(words.empty() ? line.peek() : words[0], "MD102",
                     "expected texture.normal, texture.gradient or texture.texelfetch");
  set(word, tex::op, op->opcode);
  set(word, tex::mode, 1);
  bool dimensions = false, bias = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const FieldValue* format = nullptr;
    for (const FieldValue& row : value::texture_format)
      if (words[i].is(row.name)) format = &row;
    if (format != nullptr) {
      set(word, tex::format_, format->value);
      dimensions = true;
    } else if (words[i].is("shadow")) {
      set(word, tex::mode, 5);
    } else if (words[i].is("cont")) {
      set(word, tex::exec, get(word, tex::exec) | 1);
    } else if (words[i].is("last")) {
      set(word, tex::exec, get(word, tex::exec) | 2);
    } else if (words[i].is("bias")) {
      bias = true;
    } else {
      return line.fail(words[i], "MD105", "unknown modifier " + quote(words[i].text),
                       "it is 1d, 2d, 3d, cube, shadow, cont, last or bias");
    }
  }
  if (!dimensions) return line.fail(words[0], "MD105", "the operation needs 1d, 2d, 3d or cube");

  const auto texture_register = [&](const LimaOperand& operand) -> unsigned {
    if (operand.immediate || operand.mod != 0 || operand.number < register_texture0 ||
        operand.number > register_texture1)
      line.fail(operand.where, "MD103", "expected r28, r29 or their halves hr56 to hr59");
    return operand.number - register_texture0;
  };
  const auto numbered = [&](std::string_view name, const Field& field) {
    const LineToken& token = line.take();
    std::uint64_t number = 0;
    if (!token.text.starts_with(name) || !parse_integer(token.text.substr(name.size()), number) || number > 0xFFFF)
      return line.fail(token, "MD101", "expected " + std::string(name) + " and its number");
    set(word, field, number);
  };
  const LimaOperand to = read_operand(line);
  if (line.failed()) return;
  set(word, tex::out_select, texture_register(to));
  set(word, tex::out_full, to.half ? 0 : 1);
  set(word, tex::out_upper, to.upper ? 1 : 0);
  set(word, tex::mask, to.mask());
  set(word, tex::sampler_type, 1);
  if (line.failed() || !line.expect(",")) return;
  numbered("texture", tex::texture);
  if (line.failed() || !line.expect(",")) return;
  LimaOperand sampler;
  numbered("sampler", tex::sampler);
  if (!line.failed()) read_letters(line, sampler);
  set(word, tex::swizzle, sampler.swizzle());
  if (line.failed() || !line.expect(",")) return;
  const LimaOperand from = read_operand(line);
  if (line.failed()) return;
  set(word, tex::in_select, texture_register(from));
  set(word, tex::in_full, from.half ? 0 : 1);
  set(word, tex::in_upper, from.upper ? 1 : 0);
  set(word, tex::in_swizzle, from.swizzle());
  if (bias && !line.failed() && line.expect(",")) {
    const LineToken& first = line.peek();
    const double fixed = std::trunc(line.expression().number * 256);
    if (!line.failed() && !(fixed >= -32768 && fixed <= 32767))
      return line.fail(first, "MD107", "the bias must be from -128 to 127.99609375");
    const auto bits = line.failed() ? 0 : static_cast<std::uint64_t>(static_cast<std::int64_t>(fixed));
    set(word, tex::lod_fraction, bits & 0xFF);
    set(word, tex::lod_integer, bits >> 8);
  }
  if (line.failed()) return;
  finish();
  Bundle bundle;
  bundle.form = Bundle::Form::texture;
  bundle.tag = tag_texture;
  set(word, tex::tag, tag_texture);
  bundle.word = word;
  bundles_.push_back(bundle);
}

}  // namespace

Result<Program> parse_lima(const SourceText& source, const AssembleOptions& options) {
  if (source.text.size() > longest_lima_text)
    return fail("MD116", "the text is longer than " + std::to_string(longest_lima_text >> 20) + " MiB");
  const Source text(source.file, source.text);
  auto code = LimaAssembler(text).run();
  if (!code) return fail(std::move(code).error());
  Program program;
  program.file = source.file;
  program.machine = "midgard";
  program.variant = options.variant;
  program.code = std::move(*code);
  if (!program.code.empty()) program.interface.first_tag = program.code[0] & 15;
  return program;
}

}  // namespace mobula::midgard
