// Rules of arithmetic words.
#include <array>
#include <bit>

#include "machines/midgard/check/report.h"
#include "machines/midgard/spec/operands.h"

namespace mobula::midgard {
namespace {

/// An instruction and where it lies in its word.
struct PlacedInstruction {
  const AluInstruction* instruction = nullptr;
  const AluOp* op = nullptr;  ///< nullptr: unassigned
  unsigned registers_at = 0, word_at = 0;

  [[nodiscard]] const UnitInfo& unit() const { return info(instruction->unit); }
  [[nodiscard]] unsigned opcode() const { return opcode_of(*instruction); }
  [[nodiscard]] unsigned bits() const { return lane_bits(*instruction); }
  [[nodiscard]] unsigned field(const Field& row) const { return static_cast<unsigned>(get(instruction->word, row)); }
  [[nodiscard]] std::string name() const {
    return std::string(unit().name) + '.' +
           (op != nullptr ? std::string(op->name) : "op " + capital_hexadecimal(opcode()));
  }
};

/// One source of a placed instruction.
struct PlacedSource {
  unsigned number = 1, reg = 0, at = 0;  ///< `at`: bit of the source field in the bundle
  bool used = false, is_inline = false;
  std::uint64_t word = 0;

  [[nodiscard]] unsigned field(const Field& row) const { return static_cast<unsigned>(get(word, row)); }
  [[nodiscard]] bool reads_register() const { return used && !is_inline; }
};

PlacedSource source_of(const PlacedInstruction& placed, unsigned number) {
  const AluInstruction& instruction = *placed.instruction;
  PlacedSource source{.number = number};
  source.reg = static_cast<unsigned>(get(instruction.registers, number == 1 ? reg::src1 : reg::src2));
  source.used = uses_source(placed.opcode(), number);
  source.is_inline = number == 2 && has_inline_constant(instruction);
  const unsigned low = placed.unit().vector ? (number == 1 ? vec::src1.low : vec::src2.low)
                                            : (number == 1 ? scalar::src1_mod.low : scalar::src2.low);
  const unsigned width = placed.unit().vector ? vec::src1.width : number == 1 ? 6u : scalar::src2.width;
  source.at = placed.word_at + low;
  source.word = instruction.word >> low & low_mask(width);
  return source;
}

class AluChecker {
 public:
  AluChecker(Report& report, const Bundle& bundle) : report_(report), bundle_(bundle) {
    const unsigned count = bundle.alu_count;
    unsigned word_at = 32 + 16 * count;
    for (unsigned i = 0; i < count; ++i) {
      placed_[i] = {&bundle.alu[i], find_alu_op(opcode_of(bundle.alu[i])), 32 + 16 * i, word_at};
      word_at += 8 * info(bundle.alu[i].unit).bytes;
    }
    end_of_fields_ = word_at + (bundle.has_compact ? 16 : 0) + (bundle.has_extended ? 48 : 0);
  }

  void run();

 private:
  using Where = const PlacedInstruction&;
  [[nodiscard]] std::span<const PlacedInstruction> all() const { return {placed_.data(), bundle_.alu_count}; }
  void add(RuleId id, BitRange bits, const std::string& found) { report_.add(id, bundle_, bits, found); }
  void add(RuleId id, Where placed, const Field& field, const std::string& found) {
    add(id, bits_of(field, placed.word_at), placed.name() + ": " + found);
  }
  void add(RuleId id, Where placed, const PlacedSource& source, const Field& field, const std::string& found) {
    add(id, bits_of(field, source.at), placed.name() + ", source " + std::to_string(source.number) + ": " + found);
  }

  void add_register(RuleId id, Where placed, const PlacedSource& source, const std::string& found) {
    add(id, bits_of(source.number == 1 ? reg::src1 : reg::src2, placed.registers_at),
        placed.name() + ", source " + std::to_string(source.number) + ": " + register_name(source.reg) + ' ' + found);
  }

  void check_word_bits();
  void check_operation(Where placed);
  void check_vector(Where placed);
  void check_scalar(Where placed);
  void check_lanes(Where placed);
  void check_source(Where placed, const PlacedSource& source);
  void check_vector_source(Where placed, const PlacedSource& source);
  void check_scalar_source(Where placed, const PlacedSource& source);
  void check_wide_source(Where placed, const PlacedSource& source);
  void check_temporary(Where placed, const PlacedSource& source);
  void check_destination(Where placed);
  void check_select(Where placed);
  void check_overlaps();
  void check_constants();
  /// True if vmul gives the condition register the same value in x and in a component.
  [[nodiscard]] bool conditions_agree(unsigned component) const;
  /// Bytes that units of stage 1 write to a register.
  [[nodiscard]] Bytes stage1_bytes(unsigned reg) const;

  Report& report_;
  const Bundle& bundle_;
  std::array<PlacedInstruction, unit_count> placed_{};
  unsigned end_of_fields_ = 0;
};

Bytes AluChecker::stage1_bytes(unsigned reg) const {
  Bytes bytes = 0;
  for (Where placed : all()) {
    const Touched touched = destination_bytes(*placed.instruction);
    if (placed.unit().stage == 1 && touched.reg == reg) bytes |= touched.bytes;
  }
  return bytes;
}

void AluChecker::check_word_bits() {
  for (const Field* field : control::format.fields)
    if (field->reserved && get(bundle_.control, *field) != 0)
      add(RuleId::reserved_bits, bits_of(*field),
          "control word: " + std::string(field->name) + " is " + capital_hexadecimal(get(bundle_.control, *field)));
  for (unsigned i = 0; i < bundle_.padding_count; ++i)
    if (bundle_.padding[i] != 0)
      return add(RuleId::reserved_bits, {end_of_fields_, 8u * bundle_.padding_count}, "the padding is not zero");
}

void AluChecker::check_operation(Where placed) {
  if (placed.op == nullptr) {
    add(RuleId::alu_op, placed, vec::opcode, "the operation is unassigned");
  } else if (placed.op->is_select() && placed.unit().stage == 1) {
    add(RuleId::csel_stage, placed, vec::opcode, "a select in stage 1");
  } else if ((placed.op->units >> static_cast<unsigned>(placed.instruction->unit) & 1) == 0) {
    std::string list;
    for (unsigned unit = 0; unit < unit_count; ++unit)
      if (placed.op->units >> unit & 1) list += (list.empty() ? "" : ", ") + std::string(units[unit].name);
    add(RuleId::unit, placed, vec::opcode, "the operation is listed for " + list);
  }
}

void AluChecker::check_vector(Where placed) {
  const unsigned bits = placed.bits(), opcode = placed.opcode(), shrink = placed.field(vec::shrink);
  const bool narrowed = shrink < static_cast<unsigned>(Shrink::none);
  const unsigned outmod = placed.field(vec::outmod), mask = placed.field(vec::mask);
  if (shrink == static_cast<unsigned>(Shrink::invalid)) add(RuleId::shrink_value, placed, vec::shrink, "shrink is 3");
  if (narrowed && bits == 8) add(RuleId::shrink_8, placed, vec::shrink, "shrink is " + std::to_string(shrink));
  const bool float_result = output_kind(opcode) == Kind::f;
  if (!float_result && !narrowed && outmod != static_cast<unsigned>(IntOutmod::keeplo))
    add(RuleId::integer_outmod, placed, vec::outmod, "the output modifier is " + std::to_string(outmod));
  const bool float_source = input_kind(opcode) == Kind::f;
  if ((bits == 8 && (float_source || float_result)) || (bits == 16 && narrowed && float_result))
    add(RuleId::float8, placed, vec::mode, "an operand or the result would be an 8-bit float");
  if (!mask_is_regular(bits, mask))
    add(RuleId::mask_bits, placed, vec::mask, "the mask is " + capital_hexadecimal(mask));
  if (is_look_up(opcode) && bits != 32) add(RuleId::lut_width, placed, vec::mode, std::to_string(bits) + "-bit lanes");
  check_lanes(placed);
}

/// Operations with one result, and look-ups with one source component.
void AluChecker::check_lanes(Where placed) {
  const unsigned bits = placed.bits(), opcode = placed.opcode();
  const unsigned lanes = enabled_lanes(bits, placed.field(vec::mask));
  // A bit of the mask cannot name one lane of 8 bits.
  const int most_lanes = bits == 8 ? 2 : 1;
  const bool one_lane = lanes != 0 && std::popcount(lanes) <= most_lanes;
  if (placed.op != nullptr && placed.op->is_horizontal() && !one_lane)
    add(RuleId::reduction_lane, placed, vec::mask, "the mask is " + capital_hexadecimal(placed.field(vec::mask)));
  if (!is_look_up(opcode) || bits != 32) return;
  for (const unsigned number : {1u, 2u}) {
    const PlacedSource source = source_of(placed, number);
    if (!source.reads_register()) continue;
    unsigned selectors = 0;  // bit k: component k is read
    for (unsigned lane = 0; lane < 4; ++lane)
      if (lanes >> lane & 1) selectors |= 1u << lane_source(bits, 0, source.field(vecsrc::swizzle), lane).element;
    if ((selectors & (selectors - 1)) != 0)
      add(RuleId::lut_lanes, placed, source, vecsrc::swizzle, "the enabled lanes read different components");
  }
}

void AluChecker::check_scalar(Where placed) {
  const bool full = placed.field(scalar::full) != 0;
  const unsigned outmod = placed.field(scalar::outmod);
  if (get(placed.instruction->word, scalar::unknown_25) != 0)
    add(RuleId::reserved_bits, placed, scalar::unknown_25, "bit 25 is set");
  if (full && (placed.field(scalar::component) & 1) != 0)
    add(RuleId::odd_component, placed, scalar::component,
        "the destination component is " + std::to_string(placed.field(scalar::component)));
  if (output_kind(placed.opcode()) != Kind::f && full && outmod != static_cast<unsigned>(IntOutmod::keeplo))
    add(RuleId::integer_outmod, placed, scalar::outmod, "the output modifier is " + std::to_string(outmod));
}

void AluChecker::check_vector_source(Where placed, const PlacedSource& source) {
  const unsigned bits = placed.bits();
  if (source.is_inline) {
    if (source.field(vecinline::mod) != 0)
      add(RuleId::inline_modifier, placed, source, vecinline::mod,
          "the modifier is " + std::to_string(source.field(vecinline::mod)));
    if (bits == 8 || bits == 64)
      add(RuleId::inline_width, placed, vec::mode, "an inline constant with " + std::to_string(bits) + "-bit lanes");
    return;
  }
  const unsigned expand = source.field(vecsrc::expand);
  if (!expand_allowed(expand, bits)) {
    add(RuleId::expand, placed, source, vecsrc::expand,
        "expand mode " + std::to_string(expand) + " with " + std::to_string(bits) + "-bit lanes");
  } else {
    if (bits == 16 && widens(expand) && input_kind(placed.opcode()) == Kind::f)
      add(RuleId::float8, placed, source, vecsrc::expand, "8-bit elements are widened to float");
    if (bits == 64) check_wide_source(placed, source);
  }
}

void AluChecker::check_wide_source(Where placed, const PlacedSource& source) {
  const unsigned swizzle = source.field(vecsrc::swizzle), lanes = evaluated_lanes(*placed.instruction, source.number);
  for (unsigned lane = 0; lane < 2; ++lane) {
    const unsigned pair = swizzle >> (4 * lane) & 15;
    constexpr unsigned first = 0x4, second = 0xE;  // selectors (0, 1) and (2, 3)
    if ((lanes >> lane & 1) != 0 && pair != first && pair != second)
      add(RuleId::wide_pair, placed, source, vecsrc::swizzle,
          "lane " + std::to_string(lane) + " is put together from words " + std::to_string(pair & 3) + " and " +
              std::to_string(pair >> 2));
  }
}

void AluChecker::check_scalar_source(Where placed, const PlacedSource& source) {
  if (source.is_inline) return;
  const bool full = source.field(scalarsrc::full) != 0;
  if (full && (source.field(scalarsrc::component) & 1) != 0)
    add(RuleId::odd_component, placed, source, scalarsrc::component,
        "the component is " + std::to_string(source.field(scalarsrc::component)));
  if (!full && input_kind(placed.opcode()) != Kind::f &&
      source.field(scalarsrc::mod) == static_cast<unsigned>(IntSourceMod::replicate))
    add(RuleId::replicate_half, placed, source, scalarsrc::mod, "the modifier is 2 (replicate)");
  if (source.number == 2 && source.field(scalarsrc::unknown_6) != 0)
    add(RuleId::reserved_bits, placed, source, scalarsrc::unknown_6,
        "the upper bits are " + capital_hexadecimal(source.field(scalarsrc::unknown_6)));
}

void AluChecker::check_temporary(Where placed, const PlacedSource& source) {
  const Touched touched = source_bytes(*placed.instruction, source.number);
  const bool first_stage = placed.unit().stage == 1;
  if (first_stage ? touched.bytes != 0 : (touched.bytes & ~stage1_bytes(touched.reg)) != 0)
    add_register(RuleId::temporary, placed, source,
                 first_stage ? "is read in stage 1" : "is read where stage 1 of this word has not written it");
}

void AluChecker::check_source(Where placed, const PlacedSource& source) {
  if (!source.used) return;
  if (placed.unit().vector)
    check_vector_source(placed, source);
  else
    check_scalar_source(placed, source);
  if (source.is_inline) return;
  switch (source.reg) {
    case register_tmp0:
    case register_tmp1:
      check_temporary(placed, source);
      break;
    case register_constants:
      if (!bundle_.has_constants) add_register(RuleId::constants_missing, placed, source, "is read");
      break;
    case register_load_store1:
    case register_unknown:
      add_register(RuleId::unknown_register, placed, source, "is read");
      break;
    case register_texture0:
    case register_texture1:
      if (report_.product.interpipe_aliasing) add_register(RuleId::aliased_register, placed, source, "is read");
      break;
    default:
      if (const auto broken = register_rule(report_, source.reg, false))
        add_register(*broken, placed, source, "is read");
  }
}

void AluChecker::check_destination(Where placed) {
  const auto reg = static_cast<unsigned>(get(placed.instruction->registers, reg::dst));
  std::optional<RuleId> broken = register_rule(report_, reg, true);
  if (reg == register_unknown) broken = RuleId::unknown_register;
  if ((reg == register_texture0 || reg == register_texture1) && report_.product.interpipe_aliasing)
    broken = RuleId::aliased_register;
  if (broken)
    add(*broken, bits_of(reg::dst, placed.registers_at), placed.name() + ": " + register_name(reg) + " is written");
}

void AluChecker::check_select(Where placed) {
  if (placed.op == nullptr || !placed.op->is_select() || placed.unit().stage == 1) return;
  const bool by_lane = placed.op->does == AluMeaning::select_by_lane;
  constexpr Bytes component_x = 0x000F;
  Bytes needed = component_w;
  if (by_lane && placed.unit().vector) {
    needed = 0;
    const unsigned bits = placed.bits(), lanes = enabled_lanes(bits, placed.field(vec::mask));
    for (unsigned lane = 0; lane < 128 / bits; ++lane)
      if (lanes >> lane & 1) needed |= static_cast<Bytes>(low_mask(bits / 8) << (lane * bits / 8));
  } else if (by_lane) {
    needed = component_x;
    const unsigned component = placed.field(scalar::component) / (placed.field(scalar::full) != 0 ? 2 : 1) % 4;
    if (!conditions_agree(component))
      add(RuleId::csel_vector_smul, placed, vec::opcode,
          "a vector select of component " + std::string(1, "xyzw"[component]) + " on smul");
  }
  if ((needed & ~stage1_bytes(register_condition)) != 0)
    add(RuleId::csel_condition, placed, vec::opcode, "stage 1 does not write the condition in r31");
  if (!by_lane && placed.bits() < 32)
    add(RuleId::csel_narrow, placed, vec::mode, std::to_string(placed.bits()) + "-bit lanes");
}

bool AluChecker::conditions_agree(unsigned component) const {
  if (component == 0) return true;
  const AluInstruction* writer = bundle_.find(Unit::vmul);
  if (writer == nullptr || destination_bytes(*writer).reg != register_condition || lane_bits(*writer) != 32)
    return false;
  const PlacedInstruction placed{.instruction = writer};
  for (const unsigned number : {1u, 2u}) {
    const PlacedSource source = source_of(placed, number);
    const unsigned swizzle = source.field(vecsrc::swizzle);
    if (source.reads_register() &&
        lane_source(32, 0, swizzle, component).element != lane_source(32, 0, swizzle, 0).element)
      return false;
  }
  return true;
}

void AluChecker::check_overlaps() {
  for (std::size_t i = 0; i < all().size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      Where later = all()[i];
      Where earlier = all()[j];
      const Touched a = destination_bytes(*earlier.instruction), b = destination_bytes(*later.instruction);
      const bool discarded = later.unit().stage == 2 && (b.reg == register_tmp0 || b.reg == register_tmp1);
      if (earlier.unit().stage == later.unit().stage && a.reg == b.reg && (a.bytes & b.bytes) != 0 && !discarded)
        add(RuleId::overlap, bits_of(reg::dst, later.registers_at),
            earlier.name() + " and " + later.name() + " both write bytes " + capital_hexadecimal(a.bytes & b.bytes) +
                " of " + register_name(a.reg) + " (one bit per byte)");
    }
}

void AluChecker::check_constants() {
  if (!bundle_.has_constants) return;
  for (Where placed : all())
    for (const unsigned number : {1u, 2u}) {
      const PlacedSource source = source_of(placed, number);
      if (!source.is_inline && source.reg == register_constants) return;
    }
  const unsigned last = (bundle_.quadword_count - 1u) * 128;
  add(RuleId::constants_unused, {last, 128}, "no operand is r26");
}

void AluChecker::run() {
  check_word_bits();
  for (Where placed : all()) {
    check_operation(placed);
    if (placed.unit().vector)
      check_vector(placed);
    else
      check_scalar(placed);
    for (const unsigned number : {1u, 2u}) check_source(placed, source_of(placed, number));
    check_destination(placed);
    check_select(placed);
  }
  check_overlaps();
  check_constants();
}

}  // namespace

void check_alu(Report& report, const Bundle& bundle) { AluChecker(report, bundle).run(); }

}  // namespace mobula::midgard
