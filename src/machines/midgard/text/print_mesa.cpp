#include "machines/midgard/text/print_mesa.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/listing_pieces.h"
#include "core/text_buffer.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/text/mesa_numbers.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

/// More than the text of any word takes.
constexpr std::size_t word_room = 8192;
/// Bytes of text that a byte of code becomes, about.
constexpr std::size_t mesa_growth = 5;

std::uint32_t register_bit(std::uint64_t number) { return number < 16 ? 1u << number : 0; }
/// The work register that the instruction writes.
std::uint32_t written_by(const AluInstruction& instruction) {
  return register_bit(get(instruction.registers, reg::dst));
}
/// The same of a half of a load/store word that does something.
std::uint32_t written_by_half(std::uint64_t word) {
  const LsOp* row = find_ls_op(static_cast<unsigned>(get(word, ls::op)));
  const bool writes = row == nullptr || (row->does != LsMeaning::trap && !form_of(row->does).stores);
  return writes ? register_bit(get(word, ls::reg)) : 0;
}

/// Where another tag was announced for a word than it has, or than a branch to it announces.
struct TagError {
  std::uint32_t position = 0;
  unsigned branch = 0;  ///< of the word there, counted from 1; 0 = the word itself
  std::uint8_t announced = 0;
};

/// What of the words before a word its text depends on.
struct Before {
  std::uint32_t written = 0;  ///< work registers: r8..r15 are uniforms until then
  std::uint8_t expected = tag_break;
  bool leads_onwards = false;  ///< a branch of the last arithmetic word
};

struct MesaPiece {
  std::uint32_t begin = 0, end = 0;
  Before before;
  std::vector<TagError> errors;  ///< in the order of the text
  bool last = false;
};

/// Goes through the words in their order, once: what depends on those before is found here.
class MesaPieces {
 public:
  explicit MesaPieces(std::span<const std::uint8_t> code) : code_(code), announced_(code.size() / quadword_bytes) {}

  [[nodiscard]] bool done() const { return done_; }
  MesaPiece next() {
    MesaPiece piece{.begin = position_, .end = position_, .before = before_, .errors = {}};
    while (position_ - piece.begin < piece_bytes / quadword_bytes && !done_) pass(piece);
    piece.end = position_;
    piece.last = done_;
    return piece;
  }

 private:
  void pass(MesaPiece& piece) {
    if (position_ == announced_.size()) {
      done_ = true;
      return;
    }
    const Bundle bundle = decode_bundle(code_, position_);
    announce(piece, position_, 0, bundle.tag);
    for (const AluInstruction& instruction : bundle.alu_instructions()) before_.written |= written_by(instruction);
    if (bundle.form == Bundle::Form::load_store)
      for (const Field* half : {&ldst::first, &ldst::second})
        if (const std::uint64_t word = get(bundle.word, *half); word != ls_noop)
          before_.written |= written_by_half(word);
    if (bundle.form == Bundle::Form::alu) pass_branches(piece, bundle);
    before_.expected = bundle.next;
    position_ += bundle.quadword_count;
    done_ = (bundle.next == tag_break && !before_.leads_onwards) || position_ == announced_.size();
  }
  void pass_branches(MesaPiece& piece, const Bundle& bundle) {
    before_.leads_onwards = false;
    unsigned number = 0;
    for (const Branch& branch : branches(bundle)) {
      ++number;
      before_.leads_onwards |= branch.offset >= 0;
      const std::int64_t target = target_of(bundle, branch);
      if (branch.extended && target >= 0 && target < static_cast<std::int64_t>(announced_.size()))
        announce(piece, static_cast<std::size_t>(target), number, static_cast<std::uint8_t>(branch.dest_tag));
    }
  }
  void announce(MesaPiece& piece, std::size_t target, unsigned branch, std::uint8_t tag) {
    std::uint8_t& announced = announced_[target];
    if (announced != 0 && announced != tag) piece.errors.push_back({position_, branch, announced});
    announced = tag;
  }

  std::span<const std::uint8_t> code_;
  std::vector<std::uint8_t> announced_;  ///< tag that a branch or the word itself gave each quadword; 0 = none yet
  Before before_;
  std::uint32_t position_ = 0;
  bool done_ = false;
};

class MesaPrinter {
 public:
  MesaPrinter(const Program& program, const DisassembleOptions& options, bool verbose, const MesaPiece& piece)
      : code_(program.code),
        options_(options),
        verbose_(verbose),
        aliasing_(find_product(program.variant).interpipe_aliasing),
        piece_(piece),
        error_(piece.errors.begin()),
        written_(piece.before.written),
        text_(std::size_t{piece.end - piece.begin} * quadword_bytes * mesa_growth + word_room) {}

  Listing print();

 private:
  // Pieces of text.
  void put(char c) { *out_++ = c; }
  void put(std::string_view text) { out_ = mobula::put(out_, text); }
  void number(std::int64_t value) { out_ = put_signed(out_, value); }
  void number(std::uint64_t value) { out_ = put_decimal(out_, value); }
  void number(unsigned value) { number(std::uint64_t{value}); }
  void number(int value) { number(std::int64_t{value}); }
  void hex(std::uint64_t value) { out_ = put_hex(out_, value); }
  void hex_digits(std::uint64_t value, unsigned digits) { out_ = put_hex_digits(out_, value, digits); }
  void unknown_op(std::string_view name, unsigned opcode) { put(name), hex_digits(opcode, 2); }
  void displacement(std::int64_t value);

  // Arithmetic.
  void alu(const Bundle& bundle);
  void alu_instruction(const Bundle& bundle, const AluInstruction& instruction);
  void vector_operands(const Bundle& bundle, const AluInstruction& instruction);
  void scalar_operands(const Bundle& bundle, const AluInstruction& instruction);
  void vector_source(const Bundle& bundle, const AluInstruction& instruction, unsigned number);
  void vector_constants(const Bundle& bundle, const AluInstruction& instruction, unsigned source);
  void scalar_source(const Bundle& bundle, const AluInstruction& instruction, unsigned number);
  void register_name(unsigned reg, bool written);
  void write_mask(unsigned mask, unsigned bits, unsigned shrink);
  void output_modifier(unsigned outmod, Kind kind, bool narrowed);
  void swizzle(unsigned swizzle, unsigned expand, unsigned bits, unsigned lanes);
  void wide_swizzle(unsigned swizzle, unsigned expand, unsigned lanes);
  void source_modifier(unsigned opcode, unsigned source, unsigned mod, bool widened);
  void immediate(const AluInstruction& instruction);
  void constant(const Bundle& bundle, unsigned opcode, unsigned bits, unsigned element, unsigned mod, bool widened);
  void branch(std::uint32_t position, const Branch& branch, unsigned number);

  // The other pipes.
  void load_store(std::uint64_t word);
  void load_store_address(std::uint64_t word, bool index);
  void selector_component(unsigned reg, unsigned component) {
    put(find_value(ls::arg, reg)->name), put('.'), put(element_letters[component]);
  }
  void texture(const Bundle& bundle);
  void texture_select(unsigned select);
  void texture_register(unsigned select, bool result);
  void texture_offset(const Word128& word);
  void texture_lod(const Word128& word);
  void raw(const Bundle& bundle);
  void bytes_comment(const Bundle& bundle);

  /// Another tag than is there that was announced; 0 if there was none.
  std::uint8_t tag_error(std::uint32_t position, unsigned branch) {
    const bool here = error_ != piece_.errors.end() && error_->position == position && error_->branch == branch;
    return here ? (error_++)->announced : std::uint8_t{0};
  }
  void word(const Bundle& bundle);

  std::span<const std::uint8_t> code_;
  const DisassembleOptions& options_;
  bool verbose_;
  bool aliasing_;
  const MesaPiece& piece_;
  std::vector<TagError>::const_iterator error_;
  std::uint32_t written_;
  TextBuffer text_;
  char* out_ = nullptr;
};

void MesaPrinter::displacement(std::int64_t value) {
  if (value == 0) return;
  put(value < 0 ? " - " : " + ");
  hex(static_cast<std::uint64_t>(value < 0 ? -value : value));
}

// ------------------------------------------------------------------------------------------------ arithmetic

void MesaPrinter::register_name(unsigned reg, bool written) {
  const bool uniform = reg >= 8 && reg <= last_uniform_register && (written_ >> reg & 1) == 0;
  if (uniform) {
    put('U'), number(last_uniform_register - reg);
  } else if (reg == register_tmp0 || reg == register_tmp1) {
    put("TMP"), number(reg - register_tmp0);
  } else if (reg == register_constants && !written) {
    put('K');
  } else if (reg == register_load_store0 || reg == register_load_store1) {
    put("AL"), number(reg - register_load_store0);
  } else if (reg == register_texture0 || reg == register_texture1) {
    put(written ? "AT" : "TA"), number(reg - register_texture0);
  } else if (reg == register_condition && !written) {
    put("PC_SP");
  } else {
    put('R'), number(reg);
  }
}

void MesaPrinter::write_mask(unsigned mask, unsigned bits, unsigned shrink) {
  const bool shrinks = shrink != static_cast<unsigned>(Shrink::none);
  if (!shrinks && mask == 0xFF) return;
  // The upper half of the destination continues in the alphabet where the lower half ends.
  const unsigned first = shrink == static_cast<unsigned>(Shrink::upper) && bits > 8 ? 128 / bits : 0;
  const unsigned lanes = enabled_lanes(bits, mask);
  put('.');
  for (unsigned lane = 0; lane < 128 / bits; ++lane)
    if (lanes >> lane & 1) put(element_letters[first + lane]);
  if (!mask_is_regular(bits, mask)) put(" /* "), hex_digits(mask, 2), put(" */");
  if (shrink == static_cast<unsigned>(Shrink::invalid)) put(" /* shrink 3 */ ");
}

void MesaPrinter::output_modifier(unsigned outmod, Kind kind, bool narrowed) {
  constexpr std::string_view real[] = {"", ".clamp_0_inf", ".clamp_m1_1", ".clamp_0_1"};
  constexpr std::string_view integer[] = {".ssat", ".usat", ".keeplo", ".keephi"};
  if (kind == Kind::f) {
    if (narrowed) put(".shrink");
    put(real[outmod]);
  } else if (narrowed || outmod != static_cast<unsigned>(IntOutmod::keeplo)) {
    put(integer[outmod]);
  }
}

void MesaPrinter::swizzle(unsigned swizzle, unsigned expand, unsigned bits, unsigned lanes) {
  if (expand == 0 && swizzle == identity_swizzle) return;
  put('.');
  if (bits == 64) return wide_swizzle(swizzle, expand, lanes);
  for (unsigned lane = 0; lane < 128 / bits; ++lane)
    if (lanes >> lane & 1) put(element_letters[lane_source(bits, expand, swizzle, lane).element]);
}

/// Widened sources get the letters Mesa prints, which are not the components read (docs/midgard-mesa.md).
void MesaPrinter::wide_swizzle(unsigned swizzle, unsigned expand, unsigned lanes) {
  const bool high = expand == static_cast<unsigned>(Expand::high);
  for (unsigned lane = 0; lane < 2; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    if (widens(expand)) {
      put(element_letters[high ? (selector(swizzle, 2 + lane) + 2) / 2 : selector(swizzle, lane) / 2]);
      continue;
    }
    const unsigned low_word = selector(swizzle, 2 * lane), high_word = selector(swizzle, 2 * lane + 1);
    if (high_word == low_word + 1)
      put(low_word >= 2 ? 'Y' : 'X');
    else
      put('['), put(element_letters[low_word]), put(element_letters[high_word]), put(']');
  }
}

void MesaPrinter::source_modifier(unsigned opcode, unsigned source, unsigned mod, bool widened) {
  constexpr std::string_view integer[] = {".sext", ".zext", ".replicate", ".lshift"};
  constexpr std::string_view real[] = {"", ".abs", ".neg", ".abs.neg"};
  const AluOp* row = find_alu_op(opcode);
  if (row != nullptr && row->shift1 && source == 1) put(".x2");
  if (input_kind(opcode) != Kind::f) {
    if (widened) put(integer[mod]);
    return;
  }
  put(real[mod]);
  if (widened) put(".widen");
}

void MesaPrinter::immediate(const AluInstruction& instruction) {
  out_ = put_mesa_immediate(out_, opcode_of(instruction), inline_constant(instruction));
}

void MesaPrinter::constant(const Bundle& bundle, unsigned opcode, unsigned bits, unsigned element, unsigned mod,
                           bool widened) {
  out_ = put_mesa_constant(out_, bundle.constants, opcode, bits, element, mod, widened);
}

void MesaPrinter::vector_constants(const Bundle& bundle, const AluInstruction& instruction, unsigned source) {
  const unsigned opcode = opcode_of(instruction), mod = static_cast<unsigned>(get(source, vecsrc::mod));
  const unsigned expand = static_cast<unsigned>(get(source, vecsrc::expand));
  const unsigned swizzle = static_cast<unsigned>(get(source, vecsrc::swizzle));
  const unsigned lane_width = lane_bits(instruction);
  const bool widened = widens(expand) && lane_width > 8;
  const auto [slots, bits] =
      mesa_slots(opcode, lane_width, static_cast<unsigned>(get(instruction.word, vec::mask)), expand);
  const bool several = std::popcount(slots) > 1;
  put(several ? '<' : '#');
  bool first = true;
  for (unsigned slot = 0; slot < 128 / bits; ++slot) {
    if ((slots >> slot & 1) == 0) continue;
    if (!first) put(", ");
    first = false;
    const unsigned element = mesa_constant_element(lane_width, expand, swizzle, slot);
    constant(bundle, opcode, bits, element, mod, widened);
  }
  if (several) put('>');
}

void MesaPrinter::vector_source(const Bundle& bundle, const AluInstruction& instruction, unsigned number) {
  const Field& register_field = number == 1 ? reg::src1 : reg::src2;
  const auto reg = static_cast<unsigned>(get(instruction.registers, register_field));
  const auto source = static_cast<unsigned>(get(instruction.word, number == 1 ? vec::src1 : vec::src2));
  put(", ");
  if (number == 2 && has_inline_constant(instruction)) return immediate(instruction);
  if (reg == register_constants && bundle.has_constants) return vector_constants(bundle, instruction, source);
  const unsigned opcode = opcode_of(instruction), bits = lane_bits(instruction);
  const auto expand = static_cast<unsigned>(get(source, vecsrc::expand));
  const AluOp* row = find_alu_op(opcode);
  const unsigned lanes = row != nullptr && row->reduces != 0
                             ? (1u << row->reduces) - 1
                             : enabled_lanes(bits, static_cast<unsigned>(get(instruction.word, vec::mask)));
  register_name(reg, false);
  swizzle(static_cast<unsigned>(get(source, vecsrc::swizzle)), expand, bits, lanes);
  source_modifier(opcode, number, static_cast<unsigned>(get(source, vecsrc::mod)), widens(expand));
  if (!expand_allowed(expand, bits)) put(" /* expand "), this->number(expand), put(" */");
}

void MesaPrinter::vector_operands(const Bundle& bundle, const AluInstruction& instruction) {
  const auto shrink = static_cast<unsigned>(get(instruction.word, vec::shrink));
  register_name(static_cast<unsigned>(get(instruction.registers, reg::dst)), true);
  write_mask(static_cast<unsigned>(get(instruction.word, vec::mask)), lane_bits(instruction), shrink);
  output_modifier(static_cast<unsigned>(get(instruction.word, vec::outmod)), output_kind(opcode_of(instruction)),
                  shrink != static_cast<unsigned>(Shrink::none));
  vector_source(bundle, instruction, 1);
  vector_source(bundle, instruction, 2);
}

void MesaPrinter::scalar_source(const Bundle& bundle, const AluInstruction& instruction, unsigned number) {
  put(", ");
  if (number == 2 && has_inline_constant(instruction)) return immediate(instruction);
  // Source 1 has the layout of source 2 and lies at bit 8.
  const std::uint64_t source =
      number == 1 ? instruction.word >> scalar::src1_mod.low & 63 : get(instruction.word, scalar::src2);
  const auto reg = static_cast<unsigned>(get(instruction.registers, number == 1 ? reg::src1 : reg::src2));
  const auto mod = static_cast<unsigned>(get(source, scalarsrc::mod));
  const bool full = get(source, scalarsrc::full) != 0;
  const auto component = static_cast<unsigned>(get(source, scalarsrc::component)) >> (full ? 1 : 0);
  if (reg == register_constants && bundle.has_constants) {
    put('#');
    return constant(bundle, opcode_of(instruction), full ? 32 : 16, component, mod, false);
  }
  register_name(reg, false);
  put('.'), put(element_letters[component]);
  source_modifier(opcode_of(instruction), number, mod, !full);
}

void MesaPrinter::scalar_operands(const Bundle& bundle, const AluInstruction& instruction) {
  const bool full = get(instruction.word, scalar::full) != 0;
  register_name(static_cast<unsigned>(get(instruction.registers, reg::dst)), true);
  put('.'), put(element_letters[get(instruction.word, scalar::component) >> (full ? 1 : 0)]);
  output_modifier(static_cast<unsigned>(get(instruction.word, scalar::outmod)), output_kind(opcode_of(instruction)),
                  !full);
  scalar_source(bundle, instruction, 1);
  scalar_source(bundle, instruction, 2);
}

void MesaPrinter::alu_instruction(const Bundle& bundle, const AluInstruction& instruction) {
  const unsigned opcode = opcode_of(instruction);
  written_ |= written_by(instruction);
  if (verbose_) put(info(instruction.unit).name), put('.');
  if (const AluOp* row = find_alu_op(opcode))
    put(row->mnemonic);
  else
    unknown_op("alu_op_", opcode);
  put(output_kind(opcode) == Kind::f ? ".f" : ".i"), number(lane_bits(instruction)), put(' ');
  if (info(instruction.unit).vector)
    vector_operands(bundle, instruction);
  else
    scalar_operands(bundle, instruction);
  put('\n');
}

void MesaPrinter::branch(std::uint32_t position, const Branch& branch, unsigned number) {
  constexpr std::string_view call_modes[] = {".reserved", "", ".call", ".return"};
  const auto operation = [&] {
    put('.');
    if (const FieldValue* op = find_value(branch::op, opcode_of(branch.op)))
      put(op->name);
    else
      put("unk"), this->number(opcode_of(branch.op));
  };
  put(branch.extended ? "brx" : "br");
  // The compact jump has no condition and says call or return after its name.
  const bool compact_jump = !branch.extended && branch.op == BranchMeaning::uncond;
  if (!compact_jump) put(call_modes[branch.call_mode]);
  operation();
  if (compact_jump) {
    put(call_modes[branch.call_mode]);
  } else if (branch.lut == (branch.lut & 3) * 0x5555) {
    put('.'), put(find_value(brcond::condition, branch.lut & 3)->name);
  } else {
    put(".lut"), hex_digits(branch.lut, 4);
  }
  put(branch.offset < 0 ? " " : " +"), this->number(branch.offset);
  put(" -> "), put(tags[branch.dest_tag].name), put('\n');
  if (const std::uint8_t announced = tag_error(position, number); announced != 0)
    put("/* XXX TAG ERROR: jumping to "), put(tags[branch.dest_tag].name), put(" but tagged "),
        put(tags[announced].name), put('\n');
}

void MesaPrinter::alu(const Bundle& bundle) {
  if ((bundle.control & control::reserved_mask) != 0)
    put("/* unknown control bits "), hex(bundle.control & control::reserved_mask), put(" */\n");
  for (const AluInstruction& instruction : bundle.alu_instructions()) alu_instruction(bundle, instruction);
  unsigned number = 0;
  for (const Branch& item : branches(bundle)) branch(bundle.position, item, ++number);
  if (bundle.has_constants) {
    put("uconstants");
    for (unsigned i = 0; i < 4; ++i) put(i == 0 ? " " : ", "), hex(bundle.constants[i]);
    put('\n');
  }
  if (is_writeout_tag(bundle.tag)) put("writeout\n");
}

// ------------------------------------------------------------------------------------------------ load/store

void MesaPrinter::load_store_address(std::uint64_t word, bool index) {
  constexpr std::string_view formats[] = {"", ".u64", ".u32", ".s32"};
  const auto base = static_cast<unsigned>(get(word, ls::arg)), index_reg = static_cast<unsigned>(get(word, ls::index));
  constexpr unsigned zero = 7;
  const bool shows_base = base != zero || verbose_;
  if (shows_base) {
    put(find_value(ls::arg, base)->name), put(get(word, ls::toggle) != 0 ? ".u64." : ".u32.");
    put(element_letters[get(word, ls::arg_component)]);
  }
  if (index && index_reg != zero) {
    if (shows_base) put(" + ");
    put(find_value(ls::index, index_reg)->name), put(formats[get(word, ls::index_format)]), put('.');
    put(element_letters[get(word, ls::index_component)]);
    if (get(word, ls::shift) != 0) put(" << "), number(get(word, ls::shift));
  }
  displacement(get_signed(word, ls::offset));
}

void MesaPrinter::load_store(std::uint64_t word) {
  const auto opcode = static_cast<unsigned>(get(word, ls::op));
  const LsOp* row = find_ls_op(opcode);
  const auto does = [&](LsMeaning meaning) { return row != nullptr && row->does == meaning; };
  const LsForm form = row != nullptr ? form_of(row->does) : LsForm{};
  const bool is_exchange = row != nullptr && row->is_exchange();
  const auto swizzle_bits = static_cast<unsigned>(get(word, ls::swizzle));
  const auto mask = static_cast<unsigned>(get(word, ls::mask));
  const auto argument = static_cast<unsigned>(get(word, ls::arg)), index = static_cast<unsigned>(get(word, ls::index));
  const auto argument_component = static_cast<unsigned>(get(word, ls::arg_component));
  const auto index_component = static_cast<unsigned>(get(word, ls::index_component));
  const bool toggle = get(word, ls::toggle) != 0;

  if (row != nullptr)
    put(row->mnemonic);
  else
    unknown_op("ldst_op_", opcode);
  if (does(LsMeaning::trap)) {
    put(' '), hex(get(word, ls::offset)), put('\n');
    return;
  }
  if (form.uses_table) {
    if (get(word, ls::auto32) != 0) put(".a32");
    const bool secondary = get(word, ls::secondary) != 0;
    const bool usual = !does(LsMeaning::attribute);
    if (!form.is_image && secondary != usual) put(secondary ? ".secondary" : ".primary");
  } else if (does(LsMeaning::cubemap) || does(LsMeaning::perspective)) {
    put(toggle ? ".f32" : ".f16");
  }
  put(' ');

  const auto reg = static_cast<unsigned>(get(word, ls::reg));
  if (form.stores) {
    if (const FieldValue* source = find_value(ls::arg, reg))
      put(source->name);
    else
      put("/* selector "), number(reg), put(" */ 0");
    swizzle(swizzle_bits, 0, 32, mask);
  } else {
    if (reg >= register_load_store0 && reg <= register_texture1)
      register_name(reg, true);
    else if (reg == register_condition)
      put("PC_SP");
    else
      put('R'), number(reg);
    put('.');
    const bool own_letters = form.mesa_swizzles_argument || does(LsMeaning::atomic);
    for (unsigned lane = 0; lane < 4; ++lane)
      put((mask >> lane & 1) == 0 ? '~' : element_letters[own_letters ? lane : selector(swizzle_bits, lane)]);
  }

  if (does(LsMeaning::ubo)) {
    // Mesa shows the immediate buffer number as if it were the register its bits would name.
    put(", ");
    if (get(word, ls::ubo_register) != 0)
      number(get(word, ls::ubo_immediate));
    else
      selector_component(argument, argument_component);
    put(", "), selector_component(index, index_component);
    if (get(word, ls::shift) != 0) put(" << "), number(get(word, ls::shift));
    displacement(get_signed(word, ls::ubo_offset));
  }
  if (form.has_address) put(", "), load_store_address(word, !is_exchange);
  // Mesa counts the two address makers among the operations between registers and so shows their argument too.
  if (form.mesa_swizzles_argument || does(LsMeaning::lea) || does(LsMeaning::lea_image)) {
    put(", "), put(find_value(ls::arg, argument)->name);
    swizzle(swizzle_bits, 0, 32, 15);
  }
  if (does(LsMeaning::atomic)) {
    put(", ");
    selector_component(static_cast<unsigned>(get(word, ls::atomic_operand)),
                       static_cast<unsigned>(get(word, ls::atomic_component)));
    if (is_exchange) put(", "), selector_component(index, index_component);
  }
  if (form.uses_table || does(LsMeaning::load_special) || does(LsMeaning::store_special)) {
    put(", "), selector_component(index, index_component);
    if (get(word, ls::shift) != 0) put(" << "), number(get(word, ls::shift));
    displacement(get_signed(word, ls::table_offset));
  }
  if (form.uses_table) {
    put(", "), put(find_value(ls::arg, argument)->name);
    if (form.is_image) put(toggle ? ".u64" : ".u32");
    put('.'), put(element_letters[argument_component]);
    if (toggle && !form.is_image) displacement(get_signed(word, ls::vertex_offset));
  }
  if (does(LsMeaning::pack) || does(LsMeaning::unpack))
    put(", "), hex((get(word, ls::offset) << ls::shift.width | get(word, ls::shift)));
  put('\n');
  written_ |= written_by_half(word);
}

// ------------------------------------------------------------------------------------------------ texture

/// Where registers alias, inputs are r26/r27 and results r0/r1.
void MesaPrinter::texture_register(unsigned select, bool result) {
  put(result ? (aliasing_ ? "R" : "TA") : (aliasing_ ? "AL" : "AT")), number(select);
}

void MesaPrinter::texture_select(unsigned select) {
  const bool full = get(select, texselect::full) != 0;
  texture_register(static_cast<unsigned>(get(select, texselect::select)), false);
  put('.'), put(element_letters[get(select, texselect::component) + (get(select, texselect::upper) != 0 ? 4 : 0)]);
  put(full ? ".32" : ".16");
  if (get(select, texselect::unknown_5) != 0) put(" /* unknown bits */ ");
}

void MesaPrinter::texture_offset(const Word128& word) {
  const std::uint64_t offset = get(word, tex::offset);
  if (get(word, tex::offset_register) != 0) {
    put(" + "), texture_register(static_cast<unsigned>(get(offset, texoffsetreg::select)), false);
    const bool upper = get(offset, texoffsetreg::upper) != 0;
    swizzle(static_cast<unsigned>(get(offset, texoffsetreg::swizzle)),
            static_cast<unsigned>(upper ? Expand::high : Expand::none), 32, 15);
    put(get(offset, texoffsetreg::full) != 0 ? ".32" : ".16");
  } else if (offset != 0) {
    // Mesa prints the 4-bit fields unsigned.
    put(" + <"), number(get(offset, texoffset::x)), put(", "), number(get(offset, texoffset::y)), put(", ");
    number(get(offset, texoffset::z)), put('>');
  }
  put(", ");
}

void MesaPrinter::texture_lod(const Word128& word) {
  const auto op = static_cast<TexMeaning>(get(word, tex::op));
  const std::uint64_t fraction = get(word, tex::lod_fraction);
  const std::int64_t integer = get_signed(word, tex::lod_integer);
  const bool bias = op == TexMeaning::sample;
  if (get(word, tex::lod_register) != 0) {
    put(bias ? "lod + " : "lod = "), texture_select(static_cast<unsigned>(fraction)), put(", ");
    if (integer != 0) put(" /* bias_int = "), hex(get(word, tex::lod_integer)), put(" */");
  } else if (op == TexMeaning::fetch) {
    if (integer != 0) put(" /* bias_int = "), hex(get(word, tex::lod_integer)), put(" */ ");
    put("lod = "), number(fraction), put(", ");
  } else if (fraction != 0 || integer != 0) {
    const double value = static_cast<double>(integer) + static_cast<double>(fraction) / 256;
    if (bias)
      put(value < 0 ? "lod - " : "lod + ");
    else
      put(value < 0 ? "lod = -" : "lod = ");
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), std::fabs(value), std::chars_format::fixed, 6).ptr;
    put(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
    put(", ");
  }
}

void MesaPrinter::texture(const Bundle& bundle) {
  const Word128& word = bundle.word;
  const auto op = static_cast<TexMeaning>(get(word, tex::op));
  const auto mode = static_cast<unsigned>(get(word, tex::mode));
  const auto out_of_order = get(word, tex::out_of_order);
  if (const TexOp* row = find_tex_op(op))
    put(row->mnemonic);
  else
    unknown_op("tex_op_", opcode_of(op));
  if (op == TexMeaning::barrier) {
    if (bundle.tag != tag_barrier) put(" /* tag "), put(tags[bundle.tag].name), put(" */");
    if (out_of_order != 0) put(".ooo"), number(out_of_order);
    put('\n');
    return;
  }
  if (bundle.tag == tag_barrier) put(" /* tag tex/bar */ ");
  if (bundle.tag == tag_texture_vertex) put(".vtx");
  const auto modifier = [&]() -> std::string_view {
    if (op == TexMeaning::derivative) return mode == 0 ? ".x" : mode == 1 ? ".y" : ".unk";
    switch (mode) {
      case 1:
        return "";
      case 5:
        return ".shadow";
      case 6:
        return ".gather.shadow";
      case 8:
        return ".gatherX";
      case 9:
        return ".gatherY";
      case 10:
        return ".gatherZ";
      case 11:
        return ".gatherW";
      default:
        return ".unk";
    }
  };
  put(modifier());
  put('.'), put(find_value(tex::format_, get(word, tex::format_))->name);
  constexpr std::string_view execution[] = {".reserved", ".skip", ".kill", ""};
  put(execution[get(word, tex::exec)]);
  if (out_of_order != 0) put(".ooo"), number(out_of_order);
  put(' ');

  const bool out_full = get(word, tex::out_full) != 0, out_upper = get(word, tex::out_upper) != 0;
  const auto mask = static_cast<unsigned>(get(word, tex::mask));
  const auto type = static_cast<unsigned>(get(word, tex::sampler_type));
  constexpr unsigned type_float = 1;
  texture_register(static_cast<unsigned>(get(word, tex::out_select)), true);
  if (mask != 15) {
    put('.');
    for (unsigned lane = 0; lane < 4; ++lane)
      if (mask >> lane & 1) put(element_letters[lane + (out_upper ? 4 : 0)]);
  } else if (out_upper) {
    put('\'');
  }
  put(type == type_float ? ".f" : ".i"), put(out_full ? "32" : "16");
  if (type == type_float) output_modifier(static_cast<unsigned>(get(word, tex::outmod)), Kind::f, false);

  put(", texture");
  if (get(word, tex::texture_register) != 0)
    put('['), texture_select(static_cast<unsigned>(get(word, tex::texture) & 0xFF)), put(']');
  else
    number(get(word, tex::texture));
  put(", "), put("?fui"[type]), put("sampler");
  if (get(word, tex::sampler_register) != 0)
    put('['), texture_select(static_cast<unsigned>(get(word, tex::sampler) & 0xFF)), put(']');
  else
    number(get(word, tex::sampler));
  swizzle(static_cast<unsigned>(get(word, tex::swizzle)), 0, 32, 15);

  put(", "), texture_register(static_cast<unsigned>(get(word, tex::in_select)), false);
  const bool in_upper = get(word, tex::in_upper) != 0;
  swizzle(static_cast<unsigned>(get(word, tex::in_swizzle)),
          static_cast<unsigned>(in_upper ? Expand::high : Expand::none), 32, 15);
  put(get(word, tex::in_full) != 0 ? ".32" : ".16");
  texture_offset(word);
  texture_lod(word);
  put('\n');
  if (get(word, tex::unknown_60) != 0 || get(word, tex::unknown_35) != 0)
    put("// unknown4 = "), hex(get(word, tex::unknown_60)), put(", unknown8 = "), hex(get(word, tex::unknown_35)),
        put('\n');
}

// ------------------------------------------------------------------------------------------------ program

void MesaPrinter::raw(const Bundle& bundle) {
  put("Unknown word type "), number(bundle.tag), put(": /* "), put(raw_reason(code_, bundle.position)), put(" */\n");
  const std::uint64_t words[] = {bundle.word.low & low_mask(32), bundle.word.low >> 32, bundle.word.high & low_mask(32),
                                 bundle.word.high >> 32};
  for (unsigned i = 0; i < 4; ++i) put(i == 0 ? "0x" : ", 0x"), hex_digits(words[i], 8);
  put('\n');
}

void MesaPrinter::bytes_comment(const Bundle& bundle) {
  const std::size_t begin = std::size_t{bundle.position} * quadword_bytes;
  put("// 0x"), hex_digits(begin, begin > 0xFFFF ? 8 : 4), put(':');
  for (std::size_t i = 0; i < bundle.quadword_count * quadword_bytes; i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, code_.data() + begin + i, 4);
    put(' '), hex_digits(word, 8);
  }
  put('\n');
}

void MesaPrinter::word(const Bundle& bundle) {
  switch (bundle.form) {
    case Bundle::Form::alu:
      return alu(bundle);
    case Bundle::Form::load_store:
      for (const Field* slot : {&ldst::first, &ldst::second})
        if (const std::uint64_t word = get(bundle.word, *slot); word != ls_noop) load_store(word);
      return;
    case Bundle::Form::texture:
      return texture(bundle);
    case Bundle::Form::raw:
      return raw(bundle);
  }
}

Listing MesaPrinter::print() {
  Listing listing;
  bool leads_onwards = piece_.before.leads_onwards;
  std::uint8_t expected = piece_.before.expected;
  for (std::uint32_t position = piece_.begin; position < piece_.end;) {
    const Bundle bundle = decode_bundle(code_, position);
    const auto text_begin = static_cast<std::uint32_t>(text_.size());
    out_ = text_.reserve(word_room);
    if (options_.bytes) bytes_comment(bundle);
    if (const std::uint8_t announced = tag_error(position, 0); announced != 0)
      put("/* XXX: TAG ERROR branch, got "), put(tags[bundle.tag].name), put(" expected "), put(tags[announced].name),
          put(" */\n");
    if (bundle.next == tag_invalid) put("/* XXX: invalid next tag */\n");
    if (expected > tag_break && expected != bundle.tag)
      put("/* XXX: TAG ERROR sequence, got "), put(tags[bundle.tag].name), put(" expected "), put(tags[expected].name),
          put(" */\n");
    expected = bundle.next;
    word(bundle);
    if (bundle.form == Bundle::Form::raw)
      listing.undecoded.add(std::uint64_t{position} * quadword_bytes, quadword_bytes);
    if (bundle.form == Bundle::Form::alu) {
      leads_onwards = false;
      for (const Branch& item : branches(bundle)) leads_onwards |= item.offset >= 0;
    }
    if (bundle.next == tag_break && leads_onwards) put("break\n");
    put('\n');
    text_.commit(out_);
    if (options_.words)
      listing.words.push_back({std::uint64_t{position} * quadword_bytes, bundle.quadword_count * quadword_bytes,
                               text_begin, static_cast<std::uint32_t>(text_.size())});
    position += bundle.quadword_count;
  }
  if (piece_.last) {
    out_ = text_.reserve(word_room);
    if (expected != tag_break) put("/* XXX: shader ended with tag "), put(tags[expected].name), put(" */\n");
    text_.commit(out_);
    const std::size_t rest = code_.size() % quadword_bytes;
    listing.undecoded.add(code_.size() - rest, rest);
  }
  listing.text = text_.take();
  return listing;
}

ListingPieces print_mesa(const Program& program, const DisassembleOptions& options, bool verbose) {
  return [&program, options, verbose, pieces = std::make_shared<MesaPieces>(program.code)]() -> ListingPiece {
    if (pieces->done()) return {};
    return [&program, options, verbose, piece = pieces->next()] {
      return MesaPrinter(program, options, verbose, piece).print();
    };
  };
}

}  // namespace

ListingPieces print_mesa(const Program& program, const DisassembleOptions& options) {
  return print_mesa(program, options, false);
}
ListingPieces print_mesa_verbose(const Program& program, const DisassembleOptions& options) {
  return print_mesa(program, options, true);
}

}  // namespace mobula::midgard
