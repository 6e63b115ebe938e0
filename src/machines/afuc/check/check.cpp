#include "machines/afuc/check/check.h"

#include <algorithm>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/afuc/check/rules.h"
#include "machines/afuc/image/calls.h"
#include "machines/afuc/image/image.h"
#include "machines/afuc/text/tokens.h"

namespace mobula::afuc {
namespace {

constexpr std::uint32_t trap = 0xFBADC0DE;
/// Registers that hardware keeps and no real firmware writes.
constexpr ControlRole read_only[] = {ControlRole::chip_revision, ControlRole::chip_id, ControlRole::secure_mode,
                                     ControlRole::cache_pending};

std::string quoted(const Opcode& opcode) { return '\'' + std::string(opcode.name) + '\''; }

class Checker {
 public:
  explicit Checker(const Program& program) : image_(program), findings_(program.file, limit_code) {}

  Diagnostics run() {
    check_image();
    for (const Core& core : image_.cores()) {
      check_table(core);
      for (std::uint32_t i = core.start; i < core.code_end() && !findings_.full(); ++i) check_word(core, i);
      check_end(core);
      check_calls(core);
    }
    Diagnostics all = findings_.take();
    std::sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return a.where.byte_offset != b.where.byte_offset ? a.where.byte_offset < b.where.byte_offset : a.code < b.code;
    });
    return all;
  }

 private:
  void check_image();
  void check_table(const Core& core);
  void check_word(const Core& core, std::uint32_t index);
  void check_unknown(const Core& core, std::uint32_t index);
  void check_flow(const Core& core, std::uint32_t index, const Opcode& opcode);
  void check_slot(const Core& core, std::uint32_t index, const Opcode& opcode);
  void check_numbers(std::uint32_t index, const Opcode& opcode);
  void check_prefixes(std::uint32_t index, const Opcode& opcode);
  void check_access(std::uint32_t index, const Opcode& opcode);
  void check_end(const Core& core);
  void check_calls(const Core& core);

  void add(RuleId id, std::uint32_t index, BitRange bits, const std::string& found) {
    const Core& core = image_.core_of(index);
    findings_.add(rule(id), image_.byte_offset(index), bits, found + ", in " + place_of(core, index));
  }
  /// "SQE CP_NOP+3"
  [[nodiscard]] std::string place_of(const Core& core, std::uint32_t index) const {
    if (core.table && index >= *core.table) return "the packet table of " + std::string(core.name);
    std::string place = image_.place(core, index);
    return place.starts_with(core.name) ? place : std::string(core.name) + ' ' + place;
  }
  [[nodiscard]] bool reached(std::uint32_t index) const { return (image_.flags(index) & word_reached) != 0; }
  /// The instruction, whatever its reserved bits and wherever it leads.
  [[nodiscard]] const Opcode* raw(std::uint32_t index) const { return image_.decoder().find(image_.word(index)); }

  const Image image_;
  Findings findings_;
};

void Checker::check_image() {
  if (!image_.rest().empty())
    findings_.add(rule(RuleId::whole_words), image_.byte_offset(image_.size()), {},
                  counted(image_.rest().size(), "byte follows", "bytes follow") + " the last whole word");
  if (!image_.has_leading_zero() || image_.size() < 2) return;
  const Identity& identity = image_.identity();
  const BitRange id_bits{12, 12};
  if (!identity.known) {
    add(RuleId::known_id, 0, id_bits, "the firmware id is " + hexadecimal(identity.id));
  } else if (!image_.by_id() && generation_of(identity.chip->map) != generation_of(image_.map())) {
    add(RuleId::id_is_variant, 0, id_bits,
        "this is firmware for " + std::string(identity.chip->name) + ", but " + std::string(image_.chip().name) +
            " was chosen");
  }
  const bool several = image_.symbolic(1) != nullptr;
  if (!image_.cores()[0].table && !several)
    add(RuleId::header_leads_to_table, 1, {}, "word 1 is " + hexadecimal(image_.word(1), 8));
}

void Checker::check_table(const Core& core) {
  if (!core.table) return;
  std::uint32_t empty = 0;
  for (std::uint32_t i = 0; i < packet_table_words; ++i) {
    const std::uint32_t handler = image_.word(*core.table + i);
    const std::string packet = packet_or_number(image_.map(), i);
    if (handler == 0)
      ++empty;
    else if (handler >= core.code_end() - core.start)
      add(RuleId::entry_inside, *core.table + i, {}, packet + " goes to " + hexadecimal(handler));
  }
  if (empty != 0)
    add(RuleId::entry_has_handler, *core.table, {}, counted(empty, "packet has", "packets have") + " no handler");
}

void Checker::check_word(const Core& core, std::uint32_t index) {
  if (!reached(index)) return;
  const std::uint16_t before = index > core.start ? image_.flags(index - 1) : std::uint16_t{0};
  const bool assumed = (image_.flags(index) & word_assumed) != 0;
  if (assumed && (before & word_assumed) == 0) add(RuleId::unreached, index, {}, "nothing known leads to this code");
  const Opcode* opcode = raw(index);
  if (opcode == nullptr) {
    // Code that nothing reaches may be data.
    if (!assumed) check_unknown(core, index);
    return;
  }
  const bool header = opcode->op == Op::nop;
  if (!is_canonical(image_.word(index), *opcode) && !header) {
    if (!(index == 0 && image_.has_leading_zero()))
      add(RuleId::reserved_bits, index, {},
          quoted(*opcode) + " has reserved bits " + hexadecimal(image_.word(index) & opcode->reserved));
    return;
  }
  check_flow(core, index, *opcode);
  check_numbers(index, *opcode);
  check_prefixes(index, *opcode);
  check_access(index, *opcode);
}

void Checker::check_unknown(const Core&, std::uint32_t index) {
  const std::uint32_t word = image_.word(index);
  if (word == trap) return;
  constexpr std::uint8_t generations[] = {g5, g6, g7, g8};
  constexpr std::string_view names[] = {"a5xx", "a6xx", "a7xx", "a8xx"};
  for (std::size_t i = 0; i < std::size(generations); ++i) {
    const Opcode* elsewhere = decoder(generations[i]).find(word);
    if (elsewhere == nullptr || !is_canonical(word, *elsewhere) || (i == 0 && word == 0)) continue;
    add(RuleId::generation, index, {},
        hexadecimal(word, 8) + " is " + quoted(*elsewhere) + " on " + std::string(names[i]) + " but nothing on " +
            std::string(image_.chip().name));
    return;
  }
  add(RuleId::instruction_known, index, {}, hexadecimal(word, 8) + " is not an instruction");
}

void Checker::check_flow(const Core& core, std::uint32_t index, const Opcode& opcode) {
  const std::uint32_t word = image_.word(index);
  if (has_target(opcode.op)) {
    const Field& field = is_relative(opcode.op) ? field::distance : field::target;
    const auto to = Image::target(core, index, word, opcode);
    if (!to)
      add(RuleId::target_inside, index, bits_of(field),
          quoted(opcode) + " leads out of a program of " + counted(core.words, "word"));
    else if (*to >= core.code_end() || (image_.flags(*to) & word_data) != 0)
      add(RuleId::target_is_code, index, bits_of(field), quoted(opcode) + " leads to data");
  }
  if (is_conditional(opcode.op) && field_of(word, field::tested) == reg_zero)
    add(RuleId::branch_on_zero, index, bits_of(field::tested), quoted(opcode) + " tests $00");
  if (opcode.op == Op::jumpa && image_.map() == Map::a6xx) add(RuleId::jumpa_generation, index, {}, "this is jumpa");
  if (has_delay_slot(opcode.op)) check_slot(core, index, opcode);
}

void Checker::check_slot(const Core& core, std::uint32_t index, const Opcode& opcode) {
  const std::uint32_t slot = index + 1;
  const Opcode* inside = slot < core.code_end() ? raw(slot) : nullptr;
  if (opcode.op == Op::waitin) {
    constexpr std::uint32_t take_header = 0x981F0806, drop_header = 0x981F0006;
    if (inside != nullptr && image_.word(slot) != take_header && image_.word(slot) != drop_header)
      add(RuleId::takes_header, slot, {}, "the delay slot of waitin is " + hexadecimal(image_.word(slot), 8));
    return;
  }
  if (inside == nullptr || !is_transfer(inside->op)) return;
  const bool branch =
      is_conditional(inside->op) || inside->op == Op::jump || (inside->op == Op::waitin && opcode.op == Op::jump);
  if (!branch) {
    add(RuleId::transfer_in_slot, slot, {}, quoted(*inside) + " is in the delay slot of " + quoted(opcode));
    return;
  }
  if (inside->op == Op::waitin) return;
  const std::uint32_t first = image_.word(index), second = image_.word(slot);
  const bool one_target = is_relative(opcode.op) && have_one_target({first, &opcode}, {second, inside});
  // A loop of two jumps without a way out is how firmware stops.
  const bool stops =
      opcode.op == Op::jump && inside->op == Op::jump && distance_of(first) == 0 && distance_of(second) == -1;
  if (one_target || stops || !can_both_be_taken({first, &opcode}, {second, inside})) return;
  const bool always = !is_conditional(opcode.op) && !is_conditional(inside->op);
  add(RuleId::both_taken, slot, {},
      quoted(opcode) + " and " + quoted(*inside) + " in its delay slot " +
          (always ? "are both taken" : "can both be taken"));
}

void Checker::check_numbers(std::uint32_t index, const Opcode& opcode) {
  const std::uint32_t word = image_.word(index);
  if (opcode.op.traits.shifts)
    if (const OperandSpec* number = find_operand(opcode, OperandKind::number))
      if (const std::uint32_t count = field_of(word, *number->field); count > 31)
        add(RuleId::shift_count, index, bits_of(*number->field),
            quoted(opcode) + " has a count of " + std::to_string(count));
  if (opcode.format == &form::bits && field_of(word, field::high_bit) < field_of(word, field::low_bit))
    add(RuleId::bit_order, index, {field::low_bit.low, 10},
        quoted(opcode) + " covers bits " + std::to_string(field_of(word, field::low_bit)) + " to " +
            std::to_string(field_of(word, field::high_bit)));
  if (opcode.format == &form::mov && field_of(word, field::dst16) == reg_addr) {
    constexpr std::uint32_t others = 0x00FBFFFF;
    const std::uint32_t value = field_of(word, field::imm16) << field_of(word, field::shift);
    if (value >> 24 != 0 && (value & others) != 0)
      add(RuleId::pipe_address, index, bits_of(field::imm16), "$addr becomes " + hexadecimal(value, 8));
  }
}

void Checker::check_prefixes(std::uint32_t index, const Opcode& opcode) {
  if (opcode.op != Op::alu) return;
  const std::uint32_t word = image_.word(index);
  bool reads_fifo = false, reads_data = false, writes_nothing = false;
  for (const OperandSpec& operand : opcode.operands) {
    if (operand.field == nullptr) continue;
    const std::uint32_t reg = field_of(word, *operand.field);
    if (operand.kind == OperandKind::source) {
      reads_fifo |= is_fifo(reg);
      reads_data |= reg == reg_data;
    }
    if (operand.kind == OperandKind::destination) writes_nothing = reg == reg_zero;
  }
  const std::uint32_t extra = has_field(opcode, field::xmov) ? field_of(word, field::xmov) : 0;
  if (extra != 0 && !reads_fifo)
    add(RuleId::xmov_source, index, bits_of(field::xmov), quoted(opcode) + " reads no queue");
  constexpr std::uint32_t never_seen = 2;
  if (extra == never_seen) add(RuleId::xmov2, index, bits_of(field::xmov), "this is (xmov2)");
  const bool peeks = has_field(opcode, field::peek) && field_of(word, field::peek) != 0;
  if (peeks && !reads_data)
    add(RuleId::peek_source, index, bits_of(field::peek), quoted(opcode) + " does not read $data");
  const bool carries = opcode.op.traits.carry == Carry::leaves;
  if (writes_nothing && !reads_fifo && !carries) add(RuleId::no_effect, index, {}, quoted(opcode) + " writes $00");
}

void Checker::check_access(std::uint32_t index, const Opcode& opcode) {
  const std::uint32_t word = image_.word(index);
  const std::uint32_t offset = field_of(word, field::offset);
  if (opcode.op == Op::cwrite && field_of(word, field::base) == reg_zero) {
    const ControlRole role = control_role(image_.map(), offset);
    if (std::find(std::begin(read_only), std::end(read_only), role) != std::end(read_only))
      add(RuleId::read_only, index, bits_of(field::offset),
          "cwrite to @" + std::string(control_register(image_.map(), offset).name));
    if (field_of(word, field::sds) != 0 && offset != draw_state_header_register(image_.map()))
      add(RuleId::sds_register, index, bits_of(field::sds), "(sds) is on another register");
  }
  if (opcode.op != Op::load && opcode.op != Op::store) return;
  constexpr std::uint32_t known_sizes = 3;
  const std::uint32_t size = field_of(word, field::size);
  if (size == 0 && offset % word_bytes != 0)
    add(RuleId::alignment, index, bits_of(field::offset), "the offset is " + hexadecimal(offset));
  const bool window = field_of(word, field::window) != 0 && image_.map() == Map::a6xx;
  if (window || size == known_sizes)
    add(RuleId::access_kind, index, bits_of(access_bits),
        quoted(opcode) + " has the flags " + hexadecimal(field_of(word, access_bits)));
}

void Checker::check_end(const Core& core) {
  if (core.code_end() == core.start) return;
  const std::uint32_t last = core.code_end() - 1;
  const std::uint16_t flags = image_.flags(last);
  const Opcode* opcode = raw(last);
  const bool goes_on = (flags & word_continues) != 0 && (flags & word_assumed) == 0;
  if (!goes_on || opcode == nullptr) return;
  // Padding in front of a table that a table of jumps may lead to is not worth a word.
  if (opcode->op == Op::nop && image_.word(last) == image_.decoder().nop() && core.table && image_.cores().size() > 1)
    return;
  add(RuleId::end_of_code, last, {},
      core.table ? "control runs into the packet table" : "control runs past the last word");
}

void Checker::check_calls(const Core& core) {
  for (const Function& function : functions(image_, core)) {
    if (function.in_cycle)
      add(RuleId::recursion, function.entry, {}, "this function calls itself, perhaps by way of others");
    const bool root = image_.callers(function.entry).empty();
    if (root && function.depth > stack_depth)
      add(RuleId::depth, function.entry, {}, "calls from here nest " + std::to_string(function.depth) + " deep");
  }
}

}  // namespace

Diagnostics check(const Program& program) { return Checker(program).run(); }

}  // namespace mobula::afuc
