#include "machines/midgard/text/print.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "core/listing_pieces.h"
#include "machines/midgard/text/numbers.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

/// More than any line takes, the names of labels aside: about twelve notes of 45 bytes and 150 bytes of instruction.
constexpr std::size_t line_room = 1024;
/// Bytes of text that a byte of code becomes, with room to spare.
constexpr std::size_t expected_growth = 4;

// ------------------------------------------------------------------------------------------------ precomputed words

/// What the text of an ALU operation depends on.
struct OpcodeText {
  Kind in = Kind::f, out = Kind::f;
  bool unused1 = false, unused2 = false;  // has one operand, and which of the sources is none
  bool doubles1 = false;
  bool plain_lanes = true;  // operands are spelled lane by lane
};

/// Everything that would otherwise be put together again for each instruction.
struct Tables {
  std::array<std::array<Token<32>, 256>, unit_count> alu_heads;  // "  vmul.FMUL.f"
  std::array<Token<8>, 4> widths{"8 ", "16 ", "32 ", "64 "};
  std::array<std::array<std::uint16_t, 256>, 4> lanes;          // enabled lanes by width and mask
  std::array<std::array<std::uint8_t, 256>, 4> masks;           // the mask those lanes would be spelled with
  std::array<std::array<std::uint8_t, 256>, 16> filled32;       // fill_swizzle by lanes and swizzle
  std::array<std::array<std::array<char, 4>, 256>, 4> letters;  // four letters by first element / 4 and swizzle
  std::array<OpcodeText, 256> opcodes;
  UnusedOperand vector1 = unused_operand(true, false), vector2 = unused_operand(true, true);
  UnusedOperand scalar1 = unused_operand(false, false), scalar2 = unused_operand(false, true);
  std::array<Token<40>, 256> ls_heads;  // "  LD_ATTR.f32"
};

Token<40> ls_head(unsigned opcode) {
  Token<40> head("  ");
  if (const LsOp* row = find_ls_op(opcode)) {
    head.add(row->mnemonic);
  } else {
    std::array<char, 2> digits;
    put_hex_digits(digits.data(), opcode, 2);
    head.add("op_");
    head.add({digits.data(), 2});
  }
  return head;
}

Token<32> alu_head(const UnitInfo& unit, unsigned opcode) {
  Token<32> head("  ");
  head.add(unit.name);
  if (const AluOp* row = find_alu_op(opcode)) {
    head.add(".");
    head.add(row->mnemonic);
  } else {
    std::array<char, 2> digits;
    put_hex_digits(digits.data(), opcode, 2);
    head.add(".op_");
    head.add({digits.data(), 2});
  }
  const char letter = type_letter(opcode);
  head.add(".");
  head.add({&letter, 1});
  return head;
}

const Tables& tables() {
  static const Tables built = [] {
    Tables t;
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      for (std::size_t unit = 0; unit < unit_count; ++unit) t.alu_heads[unit][opcode] = alu_head(units[unit], opcode);
      t.ls_heads[opcode] = ls_head(opcode);
      OpcodeText& text = t.opcodes[opcode];
      text.in = input_kind(opcode);
      text.out = output_kind(opcode);
      text.plain_lanes = spelled_lanes(opcode, 32, 4, 0) == 4 && spelled_lanes(opcode, 32, 4, 1) == 4;
      if (const AluOp* row = find_alu_op(opcode)) {
        text.unused1 = row->operands == 1 && row->uses_source2;
        text.unused2 = row->operands == 1 && !row->uses_source2;
        text.doubles1 = row->shift1;
      }
    }
    for (unsigned mode = 0; mode < 4; ++mode)
      for (unsigned mask = 0; mask < 256; ++mask) {
        t.lanes[mode][mask] = enabled_lanes(8u << mode, mask);
        t.masks[mode][mask] = mask_of_lanes(8u << mode, t.lanes[mode][mask]);
      }
    for (unsigned swizzle = 0; swizzle < 256; ++swizzle) {
      for (unsigned lanes = 0; lanes < 16; ++lanes)
        t.filled32[lanes][swizzle] = static_cast<std::uint8_t>(fill_swizzle(32, swizzle, lanes));
      for (unsigned group = 0; group < 4; ++group)
        for (unsigned slot = 0; slot < 4; ++slot)
          t.letters[group][swizzle][slot] = element_letters[4 * group + selector(swizzle, slot)];
    }
    return t;
  }();
  return built;
}

// ------------------------------------------------------------------------------------------------ notes

char* put_note_value(char* out, const Field& field, std::uint64_t value) {
  if (holds_tag(field)) return put(out, tags[value & 15].name);
  return value < 10 ? put_decimal(out, value) : put_hex(out, value);
}

char* put_note(char* out, std::string_view key) {
  out = put(out, " !");
  out = put(out, key);
  return put(out, '=');
}

/// A note for each field in which the word differs from what the line says.
template <class Word>
[[gnu::noinline]] char* put_notes(char* out, std::span<const NoteField> notes, const Word& word, const Word& said) {
  for (const NoteField& note : notes)
    if (get(word, note.field) != get(said, note.field))
      out = put_note_value(put_note(out, note.key.view()), note.field, get(word, note.field));
  return out;
}

// ------------------------------------------------------------------------------------------------ the program

/// What the text of a word depends on beside the word: the same for all pieces of a listing.
class Surroundings {
 public:
  explicit Surroundings(const Program& program) : program(program), code(program.code) {
    quadwords = static_cast<std::uint32_t>(code.size() / quadword_bytes);
    find_starts();
    take_names();
    const std::uint64_t entry = program.entry / quadword_bytes;
    if (program.entry != 0 && program.entry % quadword_bytes == 0 && entry <= quadwords &&
        starts_at(static_cast<std::uint32_t>(entry)))
      mark(labelled_, static_cast<std::uint32_t>(entry));
  }

  const Program& program;
  std::span<const std::uint8_t> code;
  const Product& product = find_product(program.variant);
  std::uint32_t quadwords = 0;

  [[nodiscard]] bool starts_at(std::uint32_t position) const { return test(starts_, position); }
  /// The first word from there on, or the end.
  [[nodiscard]] std::uint32_t start_from(std::uint32_t position) const {
    while (position < quadwords && !starts_at(position)) ++position;
    return std::min(position, quadwords);
  }
  [[nodiscard]] bool labelled(std::uint32_t position) const { return test(labelled_, position); }
  [[nodiscard]] unsigned tag_at(std::uint32_t position) const {
    return position < quadwords ? code[std::size_t{position} * quadword_bytes] & 15 : 0;
  }
  /// The user's name of a position, if it can be a label.
  [[nodiscard]] std::string_view name_of(std::uint32_t position) const;
  char* put_label(char* out, std::uint32_t position) const;

 private:
  struct NamedLabel {
    std::uint32_t position;
    std::string_view name;
    std::size_t order;
  };
  using Bits = std::vector<std::uint64_t>;  // one per quadword, and one for the end

  [[nodiscard]] static bool test(const Bits& bits, std::uint32_t position) {
    return (bits[position >> 6] >> (position & 63) & 1) != 0;
  }
  static void mark(Bits& bits, std::uint32_t position) { bits[position >> 6] |= std::uint64_t{1} << (position & 63); }
  void find_starts();
  void take_names();

  Bits starts_, labelled_;
  std::vector<NamedLabel> names_;  // by position
};

/// What uniform registers are called, as far as the words before have not written them.
class UniformNames {
 public:
  explicit UniformNames(const Program& program) {
    unsigned from = last_uniform_register - last_uniform_name;
    if (program.interface.uniform_registers) {
      from = std::max(register_tmp0 - std::min(*program.interface.uniform_registers, register_tmp0), from);
      guessed_ = 0;
    }
    for (unsigned i = from; i <= last_uniform_register; ++i) sources_[i] = uniform_names[i];
  }
  [[nodiscard]] const Token<8>& source(unsigned number) const { return sources_[number]; }
  /// Whether what further words write makes a difference.
  [[nodiscard]] bool depend_on_writes() const { return guessed_ != 0; }
  void see_writes(const Bundle& bundle);
  /// Of the words from one position to another.
  void see_writes(std::span<const std::uint8_t> code, std::uint32_t begin, std::uint32_t end);

 private:
  std::array<Token<8>, register_count> sources_ = source_names;
  std::uint32_t guessed_ = 0xFF00;  ///< r8..r15 are uniforms until written
};

// ------------------------------------------------------------------------------------------------ the printer

class Printer {
 public:
  Printer(const Surroundings& around, const UniformNames& uniforms, TextBuffer& out)
      : around_(around), uniforms_(uniforms), out_(out) {}

  void directives(bool names_product);
  /// Words from one position to another; behind the last one also what is no word.
  Undecoded words(std::uint32_t begin, std::uint32_t end, bool bytes_comments, std::vector<Listing::Word>* words);

 private:
  void print_label(std::uint32_t position);
  void print_bytes(std::uint32_t begin, std::uint32_t count);

  void bundle(const Bundle& bundle);
  char* bundle_notes(char* out, const Bundle& bundle, unsigned tag);
  char* alu_line(char* out, const AluInstruction& instruction);
  char* vector_line(char* out, const AluInstruction& instruction);
  char* scalar_line(char* out, const AluInstruction& instruction);
  char* vector_source(char* out, unsigned name, unsigned bits, unsigned width, Kind kind, unsigned lanes,
                      unsigned& said);
  char* scalar_source(char* out, unsigned name, unsigned mod, unsigned full, unsigned component, Kind kind,
                      bool& exact);
  void branch_line(const Bundle& bundle, const Branch& branch, std::uint64_t word);
  char* constants_line(char* out, const Bundle& bundle);
  char* ls_line(char* out, std::uint64_t word);
  char* texture_line(char* out, const Word128& word);

  const Surroundings& around_;
  UniformNames uniforms_;
  TextBuffer& out_;
  const Tables& tables_ = tables();
};

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

/// Names of the form L<digits> are the printer's own.
bool is_own_label(std::string_view name) {
  return name.size() > 1 && name.front() == 'L' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void Surroundings::find_starts() {
  starts_.assign(quadwords / 64 + 1, 0);
  labelled_.assign(quadwords / 64 + 1, 0);
  Bits targets(quadwords / 64 + 1, 0);
  mark(starts_, quadwords);
  for (std::uint32_t position = 0; position < quadwords;) {
    mark(starts_, position);
    constexpr unsigned branch_bits = (mask_of(control::branch_compact) | mask_of(control::branch_extended)) >> 24;
    if (is_alu_tag(tag_at(position)) && (code[std::size_t{position} * quadword_bytes + 3] & branch_bits) != 0) {
      const Bundle bundle = decode_bundle(code, position);
      for (const Branch& branch : branches(bundle)) {
        const std::int64_t target = target_of(bundle, branch);
        if (target >= 0 && target <= quadwords && branch.op != BranchMeaning::discard)
          mark(targets, static_cast<std::uint32_t>(target));
      }
    }
    position += bundle_length(code, position);
  }
  for (std::size_t i = 0; i < starts_.size(); ++i) labelled_[i] = starts_[i] & targets[i];
}

void Surroundings::take_names() {
  for (const Label& label : program.labels) {
    const std::uint64_t position = label.byte_offset / quadword_bytes;
    if (label.byte_offset % quadword_bytes != 0 || position > quadwords || !is_identifier(label.name)) continue;
    if (!starts_at(static_cast<std::uint32_t>(position))) continue;
    if (is_own_label(label.name)) {
      if (std::string_view(label.name).substr(1) == std::to_string(position))
        mark(labelled_, static_cast<std::uint32_t>(position));
      continue;
    }
    names_.push_back({static_cast<std::uint32_t>(position), label.name, names_.size()});
  }
  // One position, one name, and no name twice: the first of each.
  const auto keep_first = [&](auto key) {
    std::sort(names_.begin(), names_.end(), [&](const NamedLabel& a, const NamedLabel& b) {
      return std::pair(key(a), a.order) < std::pair(key(b), b.order);
    });
    names_.erase(std::unique(names_.begin(), names_.end(),
                             [&](const NamedLabel& a, const NamedLabel& b) { return key(a) == key(b); }),
                 names_.end());
  };
  keep_first([](const NamedLabel& label) { return label.name; });
  keep_first([](const NamedLabel& label) { return label.position; });
  for (const NamedLabel& label : names_) mark(labelled_, label.position);
}

std::string_view Surroundings::name_of(std::uint32_t position) const {
  const auto at =
      std::lower_bound(names_.begin(), names_.end(), position,
                       [](const NamedLabel& label, std::uint32_t wanted) { return label.position < wanted; });
  return at != names_.end() && at->position == position ? at->name : std::string_view{};
}

char* Surroundings::put_label(char* out, std::uint32_t position) const {
  const std::string_view name = names_.empty() ? std::string_view{} : name_of(position);
  if (!name.empty()) return put(out, name);
  return put_decimal(put(out, 'L'), position);
}

void Printer::print_label(std::uint32_t position) {
  char* out = out_.reserve(line_room + around_.name_of(position).size());
  out_.commit(put(around_.put_label(out, position), ":\n"));
}

void Printer::directives(bool names_product) {
  const Program& program = around_.program;
  const std::size_t before = out_.size();
  char* out = out_.reserve(line_room);
  if (names_product && !program.variant.empty()) out = put(put(put(out, ".gpu "), around_.product.name), '\n');
  if (program.interface.stage != Stage::unknown)
    out = put(put(put(out, ".stage "), name(program.interface.stage)), '\n');
  if (program.interface.work_registers)
    out = put(put_decimal(put(out, ".work "), *program.interface.work_registers), '\n');
  if (program.interface.uniform_registers)
    out = put(put_decimal(put(out, ".uniforms "), *program.interface.uniform_registers), '\n');
  const auto first = program.interface.first_tag;
  if (first && *first < 16 && *first != around_.tag_at(static_cast<std::uint32_t>(program.entry / quadword_bytes)))
    out = put(put(put(out, ".first_tag "), tags[*first].name), '\n');
  out_.commit(out);
  if (program.entry != 0) {
    const std::uint64_t entry = program.entry / quadword_bytes;
    const bool aligned = program.entry % quadword_bytes == 0 && entry <= around_.quadwords &&
                         around_.labelled(static_cast<std::uint32_t>(entry));
    out = out_.reserve(line_room + (aligned ? around_.name_of(static_cast<std::uint32_t>(entry)).size() : 0));
    out = put(out, ".entry ");
    out = aligned ? around_.put_label(out, static_cast<std::uint32_t>(entry)) : put_hex(out, program.entry);
    out_.commit(put(out, '\n'));
  }
  if (out_.size() != before) out_.append('\n');
}

void Printer::print_bytes(std::uint32_t begin, std::uint32_t count) {
  char* out = out_.reserve(line_room);
  out = put_hex_digits(put(out, "; 0x"), begin, 4 + 4 * (begin > 0xFFFF));
  out = put(out, ':');
  for (std::uint32_t i = 0; i < count; i += 4) {
    std::uint32_t word = 0;
    const std::uint32_t size = std::min(count - i, 4u);
    std::memcpy(&word, around_.code.data() + begin + i, size);
    out = put_hex_digits(put(out, ' '), word, 2 * size);
  }
  out_.commit(put(out, '\n'));
}

Undecoded Printer::words(std::uint32_t begin, std::uint32_t end, bool bytes_comments,
                         std::vector<Listing::Word>* words) {
  Undecoded left;
  const auto note_word = [&](std::uint64_t offset, std::uint32_t length, std::size_t from) {
    if (words != nullptr)
      words->push_back({offset, length, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(out_.size())});
  };
  for (std::uint32_t position = begin; position < end;) {
    if (around_.labelled(position)) print_label(position);
    const Bundle decoded = decode_bundle(around_.code, position);
    const std::size_t from = out_.size();
    const std::uint32_t length = decoded.quadword_count * quadword_bytes;
    if (bytes_comments) print_bytes(position * quadword_bytes, length);
    bundle(decoded);
    if (decoded.form == Bundle::Form::raw) left.add(std::uint64_t{position} * quadword_bytes, length);
    note_word(std::uint64_t{position} * quadword_bytes, length, from);
    position += decoded.quadword_count;
  }
  if (end != around_.quadwords) return left;
  if (around_.labelled(end)) print_label(end);
  const std::span<const std::uint8_t> rest = around_.code.subspan(std::size_t{end} * quadword_bytes);
  if (rest.empty()) return left;
  left.add(std::uint64_t{end} * quadword_bytes, rest.size());
  const std::size_t from = out_.size();
  char* out = put(out_.reserve(line_room), ".byte");
  for (std::size_t i = 0; i < rest.size(); ++i) {
    out = put(out, i == 0 ? " 0x" : ", 0x");
    out = put_hex_digits(out, rest[i], 2);
  }
  out_.commit(put(out, '\n'));
  note_word(std::uint64_t{end} * quadword_bytes, static_cast<std::uint32_t>(rest.size()), from);
  return left;
}

// ------------------------------------------------------------------------------------------------ bundles

void Printer::bundle(const Bundle& bundle) {
  if (bundle.form == Bundle::Form::raw) {
    char* out = put(out_.reserve(line_room), ".quad");
    for (const std::uint64_t half : {bundle.word.low, bundle.word.high}) {
      out = put_hex_digits(put(out, ' '), half & 0xFFFFFFFF, 8);
      out = put_hex_digits(put(out, ' '), half >> 32, 8);
    }
    out_.commit(put(out, '\n'));
    return;
  }
  char* out = out_.reserve(line_room);
  if (bundle.form == Bundle::Form::alu) {
    out = bundle_notes(put(out, '{'), bundle, computed_tag(bundle, around_.product));
    out_.commit(put(out, '\n'));
    for (const AluInstruction& instruction : bundle.alu_instructions())
      out_.commit(alu_line(out_.reserve(line_room), instruction));
    if (bundle.has_compact) branch_line(bundle, compact_branch(bundle.compact), bundle.compact);
    if (bundle.has_extended) branch_line(bundle, extended_branch(bundle.extended), bundle.extended);
    out = out_.reserve(line_room);
    if (bundle.has_constants) out = constants_line(out, bundle);
  } else if (bundle.form == Bundle::Form::load_store) {
    out = put(bundle_notes(put(out, '{'), bundle, tag_load_store), '\n');
    const std::uint64_t first = get(bundle.word, ldst::first), second = get(bundle.word, ldst::second);
    if (first != ls_noop || second == ls_noop) out = ls_line(out, first);
    if (first == ls_noop && second != ls_noop) out = put(out, "  NOP\n");
    if (second != ls_noop) {
      out_.commit(out);
      out = ls_line(out_.reserve(line_room), second);
    }
  } else {
    const auto op = static_cast<TexMeaning>(get(bundle.word, tex::op));
    const unsigned tag = texture_tag(op, bundle.tag == tag_texture_vertex);
    out = put(bundle_notes(put(out, '{'), bundle, tag), '\n');
    out = texture_line(out, bundle.word);
  }
  if (bundle.next == tag_break && bundle.position + bundle.quadword_count < around_.quadwords)
    out = put(out, "  break\n");
  out_.commit(put(out, "}\n"));
  if (uniforms_.depend_on_writes()) uniforms_.see_writes(bundle);
}

/// What neither the lines nor the next bundle imply.
char* Printer::bundle_notes(char* out, const Bundle& bundle, unsigned tag) {
  // An ALU bundle without lines is told by its tag alone.
  const bool has_lines = bundle.form != Bundle::Form::alu || bundle.alu_count != 0 || bundle.has_compact ||
                         bundle.has_extended || bundle.has_constants;
  if (bundle.tag != tag || !has_lines) out = put(put_note(out, note_tag), tags[bundle.tag].name);
  if (bundle.next != tag_break &&
      bundle.next != implied_next(branches(bundle), around_.tag_at(bundle.position + bundle.quadword_count)))
    out = put(put_note(out, note_next), tags[bundle.next].name);
  if (bundle.form != Bundle::Form::alu) return out;
  if (bundle.control & control::reserved_mask)
    out = put_notes(out, control_notes, std::uint64_t{bundle.control},
                    std::uint64_t{bundle.control & ~control::reserved_mask});
  std::array<std::uint64_t, 2> padding{};
  std::memcpy(padding.data(), bundle.padding.data(), bundle.padding_count);
  if (padding[0] != 0) out = put_hex(put_note(out, note_padding), padding[0]);
  if (padding[1] != 0) out = put_hex(put_note(out, note_padding_high), padding[1]);
  if (!bundle.has_constants) {
    const bool reads = std::any_of(
        bundle.alu_instructions().begin(), bundle.alu_instructions().end(), [](const AluInstruction& instruction) {
          return get(instruction.registers, reg::src1) == register_constants ||
                 (!has_inline_constant(instruction) && get(instruction.registers, reg::src2) == register_constants);
        });
    if (reads) out = put(put_note(out, note_constants), '0');
  }
  return out;
}

/// Registers 8 to 15 hold uniforms until the program is seen to write them, if the number of uniforms is not given.
void UniformNames::see_writes(const Bundle& bundle) {
  const auto see = [&](std::uint64_t number) {
    if (number >= register_count || (guessed_ >> number & 1) == 0) return;
    sources_[number] = source_names[number];
    guessed_ &= ~(1u << number);
  };
  for (const AluInstruction& instruction : bundle.alu_instructions()) see(get(instruction.registers, reg::dst));
  if (bundle.form != Bundle::Form::load_store) return;
  for (const Field* field : {&ldst::first, &ldst::second}) {
    const std::uint64_t word = get(bundle.word, *field);
    const LsOp* row = find_ls_op(static_cast<unsigned>(get(word, ls::op)));
    if (row != nullptr && !form_of(row->does).stores) see(get(word, ls::reg));
  }
}

void UniformNames::see_writes(std::span<const std::uint8_t> code, std::uint32_t begin, std::uint32_t end) {
  while (begin < end && depend_on_writes()) {
    const Bundle bundle = decode_bundle(code, begin);
    see_writes(bundle);
    begin += bundle.quadword_count;
  }
}

// ------------------------------------------------------------------------------------------------ ALU lines

char* Printer::alu_line(char* out, const AluInstruction& instruction) {
  out = put(out, tables_.alu_heads[static_cast<std::size_t>(instruction.unit)][opcode_of(instruction)]);
  out = info(instruction.unit).vector ? vector_line(out, instruction) : scalar_line(out, instruction);
  return put(out, '\n');
}

/// Letters of the lanes; the first lane's letter is letters[0].
char* put_lanes(char* out, unsigned lanes, const char* letters) {
  *out++ = '.';
  if (lanes == 0) *out++ = '~';
  for (; lanes != 0; lanes &= lanes - 1) *out++ = letters[std::countr_zero(lanes)];
  return out;
}

/// "#" and the value of an inline constant.
char* put_inline(char* out, std::uint16_t constant, unsigned width, Kind kind) {
  *out++ = '#';
  if (kind != Kind::f) return put_signed(out, static_cast<std::int16_t>(constant));
  return put_real(out, std::max(width, 16u), widen_half(constant, width));
}

char* put_float_mods(char* out, unsigned mod) {
  if (mod & 1) out = put(out, ".abs");
  if (mod & 2) out = put(out, ".neg");
  return out;
}

char* Printer::vector_line(char* out, const AluInstruction& instruction) {
  const std::uint64_t word = instruction.word;
  const unsigned opcode = opcode_of(instruction);
  const auto mode = static_cast<unsigned>(get(word, vec::mode));
  const unsigned width = 8u << mode;
  const auto mask = static_cast<unsigned>(get(word, vec::mask));
  const unsigned lanes = tables_.lanes[mode][mask];
  const OpcodeText& text = tables_.opcodes[opcode];
  std::uint64_t said = word;

  out = put(out, tables_.widths[mode]);
  out = put(out, destination_names[get(instruction.registers, reg::dst)]);
  set(said, vec::mask, tables_.masks[mode][mask]);
  const auto outmod = static_cast<unsigned>(get(word, vec::outmod));
  const auto shrink = static_cast<Shrink>(get(word, vec::shrink));
  const bool shrinks = width != 8 && (shrink == Shrink::lower || shrink == Shrink::upper);
  if (shrinks) {
    const bool upper = shrink == Shrink::upper && lanes != 0;
    out = put_lanes(out, lanes, element_letters.data() + (upper ? 128 / width : 0));
    set(said, vec::shrink, upper ? 1 : 0);
    if (text.out == Kind::f) out = put(out, ".shrink");
  } else {
    if (mask != 0xFF) out = put_lanes(out, lanes, element_letters.data());
    set(said, vec::shrink, static_cast<unsigned>(Shrink::none));
  }
  if (text.out == Kind::f) {
    if (outmod != 0) out = put(put(out, '.'), float_outmods[outmod]);
  } else if (shrinks) {
    out = put(put(out, '.'), int_outmods[outmod]);
  } else {
    set(said, vec::outmod, static_cast<unsigned>(IntOutmod::keeplo));
  }

  const bool plain = text.plain_lanes && lanes != 0;

  if (text.unused1 && matches(instruction, tables_.vector1)) {
    out = put(out, ", _");
  } else {
    unsigned said_source = 0;
    out = put(out, ", ");
    out = vector_source(out, static_cast<unsigned>(get(instruction.registers, reg::src1)),
                        static_cast<unsigned>(get(word, vec::src1)), width, text.in,
                        plain ? lanes : spelled_lanes(opcode, width, lanes, 0), said_source);
    set(said, vec::src1, said_source);
    if (text.doubles1) out = put(out, ".x2");
  }
  if (text.unused2 && matches(instruction, tables_.vector2)) {
    out = put(out, ", _");
  } else if (has_inline_constant(instruction)) {
    out = put_inline(put(out, ", "), inline_constant(instruction), width, text.in);
    set(said, vec::src2, get(word, vec::src2) & ~mask_of(vecinline::mod));
  } else {
    unsigned said_source = 0;
    out = put(out, ", ");
    out = vector_source(out, static_cast<unsigned>(get(instruction.registers, reg::src2)),
                        static_cast<unsigned>(get(word, vec::src2)), width, text.in,
                        plain ? lanes : spelled_lanes(opcode, width, lanes, 1), said_source);
    set(said, vec::src2, said_source);
  }
  return said == word ? out : put_notes(out, vector_notes, word, said);
}

/// One 64-bit lane: X, Y, or the two words it is made of.
char* put_wide_lane(char* out, unsigned expand, unsigned pair) {
  const bool whole = pair == 0x4 || pair == 0xE;
  if (whole) {
    const unsigned element = pair == 0xE ? 1 : 0;
    if (!widens(expand)) return put(out, wide_letters[element]);
    return put(out, element_letters[(expand & 1) * 2 + element]);
  }
  const char* letters = element_letters.data() + (widens(expand) ? (expand & 1) * 4 : 0);
  *out++ = '[';
  *out++ = letters[pair & 3];
  *out++ = letters[pair >> 2];
  return put(out, ']');
}

char* Printer::vector_source(char* out, unsigned name, unsigned bits, unsigned width, Kind kind, unsigned lanes,
                             unsigned& said) {
  const auto swizzle = static_cast<unsigned>(get(bits, vecsrc::swizzle));
  const auto mod = static_cast<unsigned>(get(bits, vecsrc::mod));
  const auto given = static_cast<unsigned>(get(bits, vecsrc::expand));
  unsigned expand = expand_allowed(given, width) ? given : 0, filled = swizzle;
  out = put(out, uniforms_.source(name));
  if (expand != 0 || swizzle != identity_swizzle) {
    if (width == 32) {
      out = put_lanes(out, lanes, tables_.letters[expand & 1][swizzle].data());
      filled = tables_.filled32[lanes][swizzle];
    } else {
      *out++ = '.';
      for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (width == 64)
          out = put_wide_lane(out, expand, swizzle >> (4 * lane) & 15);
        else
          *out++ = element_letters[lane_source(width, expand, swizzle, lane).element];
      }
      filled = fill_swizzle(width, swizzle, lanes);
      expand = spelled_expand(width, expand, lanes);
    }
  }
  std::uint64_t word = 0;
  set(word, vecsrc::swizzle, filled);
  set(word, vecsrc::expand, expand);
  if (kind == Kind::f) {
    out = put_float_mods(out, mod);
    if (widens(expand)) out = put(out, ".widen");
    set(word, vecsrc::mod, mod);
  } else if (widens(expand)) {
    out = put(put(out, '.'), widen_mods[mod]);
    set(word, vecsrc::mod, mod);
  }
  said = static_cast<unsigned>(word);
  return out;
}

char* Printer::scalar_line(char* out, const AluInstruction& instruction) {
  const std::uint64_t word = instruction.word;
  const unsigned opcode = opcode_of(instruction);
  const OpcodeText& text = tables_.opcodes[opcode];
  std::uint64_t said = word;
  set(said, scalar::unknown_25, 0);

  out = put(out, "32 ");
  out = put(out, destination_names[get(instruction.registers, reg::dst)]);
  *out++ = '.';
  const auto component = static_cast<unsigned>(get(word, scalar::component));
  const auto outmod = static_cast<unsigned>(get(word, scalar::outmod));
  const bool full = get(word, scalar::full) != 0;
  *out++ = element_letters[full ? component >> 1 : component];
  if (full) set(said, scalar::component, component & 6);
  if (text.out == Kind::f) {
    if (!full) out = put(out, ".shrink");
    if (outmod != 0) out = put(put(out, '.'), float_outmods[outmod]);
  } else if (!full) {
    out = put(put(out, '.'), int_outmods[outmod]);
  } else {
    set(said, scalar::outmod, static_cast<unsigned>(IntOutmod::keeplo));
  }

  const auto source = [&](unsigned name, unsigned mod, bool wide, unsigned part, std::uint64_t& said_mod,
                          std::uint64_t& said_part) {
    out = put(out, ", ");
    out = put(out, uniforms_.source(name));
    *out++ = '.';
    *out++ = element_letters[wide ? part >> 1 : part];
    said_part = wide ? part & 6 : part;
    said_mod = mod;
    if (text.in == Kind::f) {
      out = put_float_mods(out, mod);
      if (!wide) out = put(out, ".widen");
    } else if (!wide) {
      out = put(put(out, '.'), widen_mods[mod]);
    } else {
      said_mod = 0;
    }
  };

  std::uint64_t said_mod = 0, said_part = 0;
  if (text.unused1 && matches(instruction, tables_.scalar1)) {
    out = put(out, ", _");
  } else {
    source(static_cast<unsigned>(get(instruction.registers, reg::src1)),
           static_cast<unsigned>(get(word, scalar::src1_mod)), get(word, scalar::src1_full) != 0,
           static_cast<unsigned>(get(word, scalar::src1_component)), said_mod, said_part);
    set(said, scalar::src1_mod, said_mod);
    set(said, scalar::src1_component, said_part);
    if (text.doubles1) out = put(out, ".x2");
  }
  if (text.unused2 && matches(instruction, tables_.scalar2)) {
    out = put(out, ", _");
  } else if (has_inline_constant(instruction)) {
    out = put_inline(put(out, ", "), inline_constant(instruction), 32, text.in);
  } else {
    const std::uint64_t bits = get(word, scalar::src2);
    source(static_cast<unsigned>(get(instruction.registers, reg::src2)),
           static_cast<unsigned>(get(bits, scalarsrc::mod)), get(bits, scalarsrc::full) != 0,
           static_cast<unsigned>(get(bits, scalarsrc::component)), said_mod, said_part);
    std::uint64_t said_bits = bits;
    set(said_bits, scalarsrc::mod, said_mod);
    set(said_bits, scalarsrc::component, said_part);
    set(said_bits, scalarsrc::unknown_6, 0);
    set(said, scalar::src2, said_bits);
  }
  return said == word ? out : put_notes(out, scalar_notes, word, said);
}

// ------------------------------------------------------------------------------------------------ branches, constants

void Printer::branch_line(const Bundle& bundle, const Branch& branch, std::uint64_t word) {
  const std::int64_t target = target_of(bundle, branch);
  const bool inside = target >= 0 && target <= around_.quadwords && branch.op != BranchMeaning::discard &&
                      around_.starts_at(static_cast<std::uint32_t>(target));
  const std::size_t name = inside ? around_.name_of(static_cast<std::uint32_t>(target)).size() : 0;
  char* out = put(out_.reserve(line_room + name), branch.extended ? "  brx" : "  br");
  const bool jump = !branch.extended && branch.op == BranchMeaning::uncond;
  const bool has_mode = branch.extended || jump;
  if (has_mode && branch.call_mode >= 2) out = put(out, branch.call_mode == 2 ? ".call" : ".return");
  *out++ = '.';
  const FieldValue* op = find_value(branch::op, opcode_of(branch.op));
  out = op != nullptr ? put(out, op->name) : put_decimal(put(out, "op"), opcode_of(branch.op));
  if (!jump) {
    *out++ = '.';
    const FieldValue* condition = find_value(brx::lut, branch.lut);
    out = condition != nullptr ? put(out, condition->name) : put_hex_digits(put(out, "lut"), branch.lut, 4);
  }
  std::uint64_t said = word;
  if (has_mode && branch.call_mode < 2)
    set(said, branch.extended ? brx::call_mode : bruncond::call_mode, branch.extended ? 0 : 1);
  if (inside) {
    out = around_.put_label(put(out, ' '), static_cast<std::uint32_t>(target));
    set(said, branch::dest_tag,
        target == around_.quadwords ? tag_break : around_.tag_at(static_cast<std::uint32_t>(target)));
  } else if (branch.op != BranchMeaning::discard || branch.offset != discard_offset || branch.dest_tag != tag_invalid) {
    out = put(out, branch.offset < 0 ? " " : " +");
    out = put(put_signed(out, branch.offset), " -> ");
    out = put(out, tags[branch.dest_tag].name);
  }
  if (said != word)
    out = put_notes(out, branch.extended ? extended_notes : jump ? jump_notes : compact_notes, word, said);
  out_.commit(put(out, '\n'));
}

/// The constants as the first operand that reads them takes them.
char* Printer::constants_line(char* out, const Bundle& bundle) {
  const auto kind_of = [](const AluInstruction& instruction, const Field& number, const Field& source) {
    if (get(instruction.registers, number) != register_constants) return constants_kinds.size();
    if (number.low == reg::src2.low && has_inline_constant(instruction)) return constants_kinds.size();
    if (input_kind(opcode_of(instruction)) != Kind::f) return std::size_t{0};
    unsigned width = lane_bits(instruction);
    if (info(instruction.unit).vector) {
      if (widens(static_cast<unsigned>(get(get(instruction.word, source), vecsrc::expand)))) width /= 2;
    } else {
      const bool full = number.low == reg::src1.low ? get(instruction.word, scalar::src1_full) != 0
                                                    : get(get(instruction.word, scalar::src2), scalarsrc::full) != 0;
      if (!full) width = 16;
    }
    return width == 32 ? std::size_t{1} : width == 16 ? std::size_t{2} : width == 64 ? std::size_t{3} : std::size_t{0};
  };
  std::size_t kind = constants_kinds.size();
  for (const AluInstruction& instruction : bundle.alu_instructions()) {
    if (kind == constants_kinds.size()) kind = kind_of(instruction, reg::src1, vec::src1);
    if (kind == constants_kinds.size()) kind = kind_of(instruction, reg::src2, vec::src2);
  }
  const ConstantsKind& row = constants_kinds[kind % constants_kinds.size()];
  out = put(put(out, "  "), row.name);
  for (unsigned bit = 0; bit < 128; bit += row.bits) {
    std::uint64_t value = bundle.constants[bit / 32] >> (bit % 32);
    if (row.bits == 64) value |= std::uint64_t{bundle.constants[bit / 32 + 1]} << 32;
    value &= low_mask(row.bits);
    out = put(out, bit == 0 ? " " : ", ");
    if (row.real)
      out = put_real(out, row.bits, value);
    else
      out = value < 10 ? put_decimal(out, value) : put_hex(out, value);
  }
  return put(out, '\n');
}

// ------------------------------------------------------------------------------------------------ load/store lines

/// Writes one load/store instruction and keeps account of the bits it has said.
class LsLine {
 public:
  LsLine(char* out, std::uint64_t word, const Tables& tables) : out_(out), word_(word), tables_(tables) {}

  char* print() {
    const auto opcode = static_cast<unsigned>(get(word_, ls::op));
    out_ = put(out_, tables_.ls_heads[opcode]);
    said_ = opcode;
    if (const LsOp* row = find_ls_op(opcode); row != nullptr && row->does != LsMeaning::nop) {
      const LsShape& shape = ls_shape(*row);
      said_ |= shape.defaults;
      elements_ = result_elements(*row);
      modifiers(shape.modifiers);
      bool first = true;
      for (const LsPart* part : shape.parts) {
        out_ = put(out_, first ? " " : ", ");
        first = false;
        for (const LsPiece& piece : part->pieces) print(piece);
      }
    }
    if (said_ != word_) out_ = put_notes(out_, ls_notes, word_, said_);
    return put(out_, '\n');
  }

 private:
  void say(const Field& field) { said_ = (said_ & ~mask_of(field)) | (word_ & mask_of(field)); }
  [[nodiscard]] unsigned value(const Field& field) const { return static_cast<unsigned>(get(word_, field)); }

  void modifiers(std::span<const LsModifier> rows) {
    for (const LsModifier& row : rows) {
      // A field none of whose words fits stays at its default, and a note says so.
      if (row.default_value != 0xFF && (said_ & mask_of(*row.field)) == 0) set(said_, *row.field, row.default_value);
    }
    for (const LsModifier& row : rows) {
      if (value(*row.field) != row.value) continue;
      out_ = put(put(out_, '.'), row.name);
      say(*row.field);
    }
  }

  void selector_name(const Field& field) {
    out_ = put(out_, value::selector[value(field) & 7].name);
    say(field);
  }
  void component(const Field& field) {
    *out_++ = '.';
    *out_++ = element_letters[value(field)];
    say(field);
  }
  void shift_amount() {
    if (value(ls::shift) != 0) out_ = put_decimal(put(out_, " << "), value(ls::shift));
    say(ls::shift);
  }
  void displacement(const Field& field) {
    const std::int64_t amount = get_signed(word_, field);
    if (amount > 0) out_ = put_hex(put(out_, " + "), static_cast<std::uint64_t>(amount));
    if (amount < 0) out_ = put_hex(put(out_, " - "), static_cast<std::uint64_t>(-amount));
    say(field);
  }
  void four_letters(const Field& field) {
    *out_++ = '.';
    out_ = put(out_, std::string_view(tables_.letters[0][value(field)].data(), 4));
    say(field);
  }
  void masked_letters(const char* letters) {
    out_ = put(out_, load_names[value(ls::reg)]);
    *out_++ = '.';
    const unsigned mask = value(ls::mask);
    for (unsigned lane = 0; lane < 4; ++lane) *out_++ = mask >> lane & 1 ? letters[lane] : '~';
    say(ls::reg);
    say(ls::mask);
  }
  void base() {
    if ((word_ & base_bits) == no_base) {
      *out_++ = '0';
      said_ |= no_base;
      return;
    }
    selector_name(ls::arg);
    out_ = put(out_, value(ls::toggle) != 0 ? ".u64" : ".u32");
    say(ls::toggle);
    component(ls::arg_component);
  }

  void scalar(const Field& number, const Field& part) {
    selector_name(number);
    component(part);
  }
  void address_index() {
    if ((word_ & index_bits) == no_index) {
      said_ |= no_index;
      return;
    }
    out_ = put(out_, " + ");
    selector_name(ls::index);
    out_ = put(put(out_, '.'), index_formats[value(ls::index_format)]);
    say(ls::index_format);
    component(ls::index_component);
    shift_amount();
  }
  void stored() {
    if (value(ls::reg) < 8)
      out_ = put(out_, value::selector[value(ls::reg)].name);
    else
      out_ = put_decimal(put(out_, 'R'), value(ls::reg));
    say(ls::reg);
  }
  void target(const LsPiece& piece) {
    const unsigned number = value(*piece.field);
    out_ = put(put(out_, piece.name), '[');
    if (number == target_depth)
      out_ = put(out_, target_depth_name);
    else if (number == target_stencil)
      out_ = put(out_, target_stencil_name);
    else
      out_ = put_decimal(out_, number);
    *out_++ = ']';
    say(*piece.field);
  }
  void numbered(const LsPiece& piece) {
    out_ = put(put(out_, piece.name), '[');
    if (value(*piece.second) != 0) {
      scalar(ls::arg, ls::arg_component);
    } else {
      out_ = put_decimal(out_, value(*piece.field));
      say(*piece.field);
    }
    *out_++ = ']';
    say(*piece.second);
  }

  void print(const LsPiece& piece) {
    using Kind = LsPiece::Kind;
    switch (piece.kind) {
      case Kind::result:
        masked_letters(tables_.letters[0][value(ls::swizzle)].data());
        set(said_, ls::swizzle, fill_result_swizzle(value(ls::swizzle), value(ls::mask), elements_));
        break;
      case Kind::lanes:
        masked_letters(element_letters.data());
        break;
      case Kind::stored:
        stored();
        break;
      case Kind::selector:
        selector_name(*piece.field);
        break;
      case Kind::component:
        component(*piece.field);
        break;
      case Kind::component_but_x:
        if (value(*piece.field) != 0) component(*piece.field);
        break;
      case Kind::scalar:
        scalar(*piece.field, *piece.second);
        break;
      case Kind::letters:
        four_letters(*piece.field);
        break;
      case Kind::letters_but_xyzw:
        if (value(*piece.field) != identity_swizzle) four_letters(*piece.field);
        say(*piece.field);
        break;
      case Kind::size:
        out_ = put(out_, value(*piece.field) != 0 ? ".u64" : ".u32");
        say(*piece.field);
        break;
      case Kind::base:
        base();
        break;
      case Kind::address_index:
        address_index();
        break;
      case Kind::table_index:
        scalar(ls::index, ls::index_component);
        shift_amount();
        displacement(*piece.field);
        break;
      case Kind::displacement:
        displacement(*piece.field);
        break;
      case Kind::vertex_displacement:
        if (value(ls::toggle) != 0) displacement(*piece.field);
        break;
      case Kind::hexadecimal:
        out_ = put_hex(out_, value(*piece.field));
        say(*piece.field);
        break;
      case Kind::target:
        target(piece);
        break;
      case Kind::numbered:
        numbered(piece);
        break;
    }
  }

  char* out_;
  std::uint64_t word_, said_ = 0;
  const Tables& tables_;
  unsigned elements_ = 4;
};

char* Printer::ls_line(char* out, std::uint64_t word) { return LsLine(out, word, tables_).print(); }

// ------------------------------------------------------------------------------------------------ texture lines

/// AT0.xyzw.32: a texture operand of four selectors; of 16-bit ones the upper half has letters of its own.
char* put_texture_source(char* out, unsigned name, bool full, bool upper, unsigned swizzle, const Tables& tables) {
  out = put(out, load_names[name]);
  const bool high = !full && upper;
  if (swizzle != identity_swizzle || high) {
    *out++ = '.';
    out = put(out, std::string_view(tables.letters[high ? 1 : 0][swizzle].data(), 4));
  }
  return put(out, full ? ".32" : ".16");
}

/// AT0.x.32: a texture operand of one component.
char* put_texture_select(char* out, unsigned first_register, std::uint64_t bits) {
  const bool full = get(bits, texselect::full) != 0;
  const bool high = !full && get(bits, texselect::upper) != 0;
  out = put(out, load_names[first_register + get(bits, texselect::select)]);
  *out++ = '.';
  *out++ = element_letters[(high ? 4 : 0) + get(bits, texselect::component)];
  return put(out, full ? ".32" : ".16");
}

char* Printer::texture_line(char* out, const Word128& word) {
  const auto op = static_cast<TexMeaning>(get(word, tex::op));
  const Word128 said = spelled_texture(word);
  const auto flag = [&](const Field& field) { return get(word, field) != 0; };
  const auto number = [&](const Field& field) { return static_cast<unsigned>(get(word, field)); };
  out = put(out, "  ");
  const TexOp* row = find_tex_op(op);
  out = row != nullptr ? put(out, row->mnemonic) : put_hex_digits(put(out, "tex_op_"), opcode_of(op), 1);
  if (op != TexMeaning::barrier) {
    const unsigned input = texture_input(around_.product), output = texture_output(around_.product);
    if (number(tex::tag) == tag_texture_vertex) out = put(out, ".vtx");
    const std::string_view mode = texture_mode_name(op, number(tex::mode));
    if (!mode.empty()) out = put(put(out, '.'), mode);
    out = put(put(out, '.'), value::texture_format[number(tex::format_)].name);
    if (const unsigned exec = number(tex::exec); exec == 1 || exec == 2)
      out = put(put(out, '.'), value::execution[exec].name);
    if (const unsigned count = number(tex::out_of_order); count != 0) out = put_decimal(put(out, ".ooo"), count);

    const bool full = flag(tex::out_full), upper = get(said, tex::out_upper) != 0;
    const unsigned mask = number(tex::mask), type = number(tex::sampler_type);
    const unsigned result = output + number(tex::out_select);
    out = put(put(out, ' '), around_.product.interpipe_aliasing ? load_names[result] : source_names[result]);
    if (mask != 15 || upper) out = put_lanes(out, mask, element_letters.data() + (upper ? 4 : 0));
    out = put(put(out, '.'), type == 1 ? 'f' : 'i');
    out = put(out, full ? "32" : "16");
    if (const unsigned outmod = number(tex::outmod); outmod != 0) out = put(put(out, '.'), float_outmods[outmod]);

    const auto handle = [&](const Field& in_register, const Field& field) {
      if (!flag(in_register)) {
        out = put_decimal(out, number(field));
        return;
      }
      out = put(put_texture_select(put(out, '['), input, number(field) & 0xFF), ']');
    };
    out = put(out, ", texture");
    handle(tex::texture_register, tex::texture);
    out = put(put(put(out, ", "), sampler_letters[type]), "sampler");
    handle(tex::sampler_register, tex::sampler);
    if (const unsigned swizzle = number(tex::swizzle); swizzle != identity_swizzle)
      out = put(put(out, '.'), std::string_view(tables_.letters[0][swizzle].data(), 4));
    out = put(out, ", ");
    out = put_texture_source(out, input + number(tex::in_select), flag(tex::in_full), flag(tex::in_upper),
                             number(tex::in_swizzle), tables_);

    const unsigned offset = number(tex::offset);
    if (flag(tex::offset_register)) {
      out = put_texture_source(put(out, ", offset "), input + static_cast<unsigned>(get(offset, texoffsetreg::select)),
                               get(offset, texoffsetreg::full) != 0, get(offset, texoffsetreg::upper) != 0,
                               static_cast<unsigned>(get(offset, texoffsetreg::swizzle)), tables_);
    } else if (offset != 0) {
      out = put_signed(put(out, ", offset <"), get_signed(offset, texoffset::x));
      out = put_signed(put(out, ", "), get_signed(offset, texoffset::y));
      out = put_signed(put(out, ", "), get_signed(offset, texoffset::z));
      *out++ = '>';
    }
    const char* lod = op == TexMeaning::sample ? ", lod + " : ", lod = ";
    const std::string_view lod_words(lod, 8);
    if (flag(tex::lod_register)) {
      out = put_texture_select(put(out, lod_words), input, number(tex::lod_fraction));
    } else if (op == TexMeaning::fetch) {
      if (number(tex::lod_fraction) != 0) out = put_decimal(put(out, lod_words), number(tex::lod_fraction));
    } else if (const std::int64_t fixed = get_signed(word, tex::lod_integer) * 256 + number(tex::lod_fraction);
               fixed != 0) {
      out = put_float(put(out, lod_words), static_cast<double>(fixed) / 256);
    }
  }
  if (!(said == word)) out = put_notes(out, texture_notes, word, said);
  return put(out, '\n');
}

}  // namespace

ListingPieces print_mdg(const Program& program, const DisassembleOptions& options) {
  struct State {
    Surroundings around;
    UniformNames uniforms;  ///< as the next piece finds them
    std::uint32_t next = 0;
    bool done = false;
  };
  const auto state = std::make_shared<State>(State{Surroundings(program), UniformNames(program)});
  return [state, options]() -> ListingPiece {
    if (state->done) return {};
    const std::uint32_t begin = state->next;
    const UniformNames uniforms = state->uniforms;
    const Surroundings& around = state->around;
    const std::uint32_t end = around.start_from(begin + piece_bytes / quadword_bytes);
    state->next = end;
    state->done = end == around.quadwords;
    if (!state->done) state->uniforms.see_writes(around.code, begin, end);
    return [state, options, uniforms, begin, end] {
      Listing listing;
      TextBuffer out(std::size_t{end - begin} * quadword_bytes * expected_growth);
      Printer printer(state->around, uniforms, out);
      if (begin == 0) printer.directives(!options.directive);
      listing.undecoded = printer.words(begin, end, options.bytes, options.words ? &listing.words : nullptr);
      listing.text = out.take();
      return listing;
    };
  };
}

}  // namespace mobula::midgard
