#include "machines/midgard/lift_alu.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <optional>

#include "ir/text.h"
#include "machines/midgard/lift_operand.h"
#include "machines/midgard/lift_state.h"

namespace mobula::midgard {
namespace {

using ir::Op;
using ir::Operand;
using ir::Operation;
using ir::Round;
using ir::Type;

// ------------------------------------------------------------------------------------------------ opcodes

/// The families of four share their opcode but for the rounding in its low bits (3.1).
constexpr Round round_of(unsigned opcode) { return static_cast<Round>(opcode & 3); }

/// Opcodes that are one micro-operation on each lane: `count` of them from `opcode` on. Four are a family.
struct LaneOp {
  std::uint8_t opcode = 0, count = 1;
  Op op = Op::mov;
};
// clang-format off
constexpr LaneOp lane_ops[] = {
    {0x10, 4, Op::fadd}, {0x14, 4, Op::fmul},
    {0x28, 1, Op::fmin}, {0x29, 1, Op::fmin_nan}, {0x2A, 1, Op::fmin}, {0x2B, 1, Op::fmin_nan},
    {0x2C, 1, Op::fmax}, {0x2D, 1, Op::fmax_nan}, {0x2E, 1, Op::fmax}, {0x2F, 1, Op::fmax_nan},
    {0x34, 4, Op::fround},
    {0x40, 1, Op::iadd}, {0x41, 1, Op::iadd}, {0x46, 1, Op::isub}, {0x47, 1, Op::isub},
    {0x48, 1, Op::iadd_sat_s}, {0x49, 1, Op::iadd_sat_u}, {0x4E, 1, Op::isub_sat_s}, {0x4F, 1, Op::isub_sat_u},
    {0x58, 1, Op::imul},
    {0x60, 1, Op::imin_s}, {0x61, 1, Op::imin_u}, {0x62, 1, Op::imax_s}, {0x63, 1, Op::imax_u},
    {0x64, 1, Op::iavg_s}, {0x65, 1, Op::iavg_u}, {0x66, 1, Op::iravg_s}, {0x67, 1, Op::iravg_u},
    {0x68, 1, Op::iasr}, {0x69, 1, Op::ilsr}, {0x6C, 1, Op::ishl_sat_s}, {0x6D, 1, Op::ishl_sat_u}, {0x6E, 1, Op::ishl},
    {0x70, 1, Op::iand}, {0x71, 1, Op::ior}, {0x72, 1, Op::inand}, {0x73, 1, Op::inor},
    {0x74, 1, Op::iandnot}, {0x75, 1, Op::iornot}, {0x76, 1, Op::ixor}, {0x77, 1, Op::inxor},
    {0x78, 1, Op::iclz}, {0x7A, 1, Op::ipopcnt}, {0x7C, 1, Op::iabsdiff_s}, {0x7D, 1, Op::iabsdiff_u},
    {0x80, 1, Op::feq}, {0x81, 1, Op::fne}, {0x82, 1, Op::flt}, {0x83, 1, Op::fle},
    {0x98, 4, Op::f2i}, {0x9C, 4, Op::f2u},
    {0xA0, 1, Op::ieq}, {0xA1, 1, Op::ine}, {0xA2, 1, Op::ilt_u}, {0xA3, 1, Op::ile_u}, {0xA4, 1, Op::ilt_s}, {0xA5, 1, Op::ile_s},
    {0xB8, 4, Op::i2f}, {0xBC, 4, Op::u2f},
    {0xC6, 1, Op::fround_away}, {0xE8, 1, Op::fatan2_final},
    {0xF0, 1, Op::frcp}, {0xF2, 1, Op::frsqrt}, {0xF3, 1, Op::fsqrt}, {0xF4, 1, Op::fexp2}, {0xF5, 1, Op::flog2},
    {0xF6, 1, Op::fsinpi}, {0xF7, 1, Op::fcospi},
};
// clang-format on

/// Row of an opcode; nullptr when it is not of this kind.
constexpr const LaneOp* find_lane_op(unsigned opcode) {
  constexpr auto index = [] {
    std::array<std::uint8_t, 256> table{};
    for (std::size_t i = 0; i < std::size(lane_ops); ++i) {
      for (unsigned k = 0; k < lane_ops[i].count; ++k) table[lane_ops[i].opcode + k] = static_cast<std::uint8_t>(i + 1);
    }
    return table;
  }();
  const std::uint8_t row = index[opcode];
  return row == 0 ? nullptr : &lane_ops[row - 1];
}

constexpr bool is_float_move(unsigned opcode) { return opcode >= 0x30 && opcode <= 0x33; }
constexpr unsigned integer_move = 0x7B, choose = 0x7E, dot3r = 0x3D, reduce = 0x3F, count_ones = 0x7A,
                   atan2_first = 0xF9;
constexpr bool is_fma(unsigned opcode) { return opcode >= 0x38 && opcode <= 0x3B; }
constexpr bool is_dot(unsigned opcode) { return opcode >= 0x3C && opcode <= 0x3E; }
constexpr bool is_widening_multiply(unsigned opcode) { return opcode >= 0x59 && opcode <= 0x5B; }
constexpr bool takes_absolutes(unsigned opcode) { return (opcode & 0xFA) == 0x2A; }
constexpr bool is_shift(unsigned opcode) { return opcode >= 0x68 && opcode <= 0x6E; }
constexpr bool is_float_to_integer(unsigned opcode) { return opcode >= 0x98 && opcode <= 0x9F; }
constexpr bool is_pow_step(unsigned opcode) { return opcode >= 0xEC && opcode <= 0xEE; }
constexpr bool is_vector_select(unsigned opcode) { return opcode == 0xC0 || opcode == 0xC4; }
/// One result from several lanes of the sources.
constexpr bool is_horizontal(const AluOp& op) { return op.reduces != 0 || is_fma(op.opcode); }
constexpr bool needs_vectors(const AluOp& op) {
  return is_horizontal(op) || op.opcode == reduce || op.opcode == choose || is_widening_multiply(op.opcode);
}

/// The comparison of an all/any operation. Those of floats and of integers begin at 88, 90, A8 and B0.
constexpr Op compared_by(unsigned opcode) {
  constexpr Op floats[] = {Op::feq, Op::fne, Op::flt, Op::fle};
  constexpr Op integers[] = {Op::ieq, Op::ine, Op::ilt_u, Op::ile_u, Op::ilt_s, Op::ile_s};
  return opcode < 0xA8 ? floats[opcode & 3] : integers[opcode & 7];
}
constexpr bool wants_all(unsigned opcode) { return opcode < 0x90 || (opcode >= 0xA8 && opcode <= 0xAD); }

Operation operation(Op op, Type type, Operand a, Operand b = {}, Operand c = {}, Round round = Round::even) {
  return {.op = op, .type = type, .from = type, .round = round, .src = {a, b, c}};
}
Operation conversion(Op op, Type to, Type from, Operand a, Round round = Round::even) {
  return {.op = op, .type = to, .from = from, .round = round, .src = {a}};
}

std::string describe(const AluView& v) { return std::string(info(v.unit).name) + " " + std::string(v.op->name); }

// ------------------------------------------------------------------------------------------------ faults

constexpr bool is_unknown_source(unsigned reg) { return reg == register_load_store1 || reg == 30; }

std::string source_fault(const BundleContext& context, const AluView& v, const AluSource& source) {
  if (source.is_inline) return {};
  if (is_unknown_source(source.reg) && context.settings.is(PolicyId::unknown_registers, "trap")) {
    return operand_fault(describe(v) + " reads r" + std::to_string(source.reg) +
                         ", which has no known meaning as a source");
  }
  if (v.is_vector && !expand_allowed(source.expand, v.bits)) {
    return invalid_encoding(describe(v) + ": expand mode " + std::string(value::expand[source.expand].name) +
                            " does not exist for " + std::to_string(v.bits) + "-bit lanes");
  }
  if (v.bits == 16 && v.op->in == Kind::f && widens(source.expand)) {
    return invalid_encoding(describe(v) + " widens 8-bit floats");
  }
  if (!v.is_vector && source.full && source.component % 2 != 0) {
    return invalid_encoding(describe(v) + " reads a 32-bit component at an odd 16-bit position");
  }
  return {};
}

std::string modifier_fault(const BundleContext& context, const AluView& v) {
  if (v.shrink == Shrink::invalid) return invalid_encoding(describe(v) + " has shrink mode 3");
  if (v.is_shrunk() && v.bits == 16 && v.op->out == Kind::f) {
    return invalid_encoding(describe(v) + " shrinks to 8-bit floats");
  }
  if (v.is_shrunk() && v.bits == 8) return invalid_encoding(describe(v) + " shrinks 8-bit lanes");
  constexpr auto keeplo = static_cast<unsigned>(IntOutmod::keeplo), keephi = static_cast<unsigned>(IntOutmod::keephi);
  if (v.op->out == Kind::f || v.is_shrunk() || v.outmod == keeplo) return {};
  const bool stops = context.settings.is(PolicyId::unshrunk_outmod, "trap") ||
                     (v.outmod == keephi && !context.settings.is(PolicyId::unshrunk_outmod, "ignore"));
  if (!stops) return {};
  return invalid_encoding(describe(v) + " has integer output modifier " + std::to_string(v.outmod) +
                          " but does not shrink");
}

std::string policy_fault(const BundleContext& context, const AluView& v) {
  const auto stops = [&](PolicyId id) { return context.settings.is(id, "trap"); };
  const auto undefined = [&] { return invalid_encoding("what " + describe(v) + " does is not known"); };
  if (is_widening_multiply(v.opcode) && stops(PolicyId::widening_mul)) return undefined();
  if ((v.opcode == reduce || v.opcode == dot3r) && stops(PolicyId::argument_reduction)) return undefined();
  if (is_pow_step(v.opcode) && stops(PolicyId::pow_step)) return undefined();
  if (!state::is_destination(v.dst) && stops(PolicyId::unknown_registers)) {
    return operand_fault(describe(v) + " writes r" + std::to_string(v.dst) + ", which has no known meaning");
  }
  return {};
}

std::string unit_fault(const BundleContext& context, const AluView& v) {
  if (v.op == nullptr) {
    return invalid_encoding("ALU opcode " + ir::hex(v.opcode) + " on " + std::string(info(v.unit).name) +
                            " is unassigned");
  }
  if (!v.is_vector && needs_vectors(*v.op)) {
    return invalid_encoding(describe(v) + " needs several lanes and a scalar unit has one");
  }
  if (v.bits == 8 && (v.op->in == Kind::f || v.op->out == Kind::f)) {
    return invalid_encoding(describe(v) + " works on 8-bit floats");
  }
  if (v.bits == 64 && is_widening_multiply(v.opcode)) {
    return invalid_encoding(describe(v) + " makes 128-bit results");
  }
  if (!v.is_vector && !v.is_shrunk() && v.dst_component % 2 != 0) {
    return invalid_encoding(describe(v) + " writes a 32-bit component at an odd 16-bit position");
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (!v.uses(i)) continue;
    if (std::string fault = source_fault(context, v, v.source[i]); !fault.empty()) return fault;
  }
  if (std::string fault = modifier_fault(context, v); !fault.empty()) return fault;
  return policy_fault(context, v);
}

// ------------------------------------------------------------------------------------------------ results of a stage

/// What a stage writes. All units of a stage see the registers from before it, so results wait in scratch for the last
/// of them; ir::coalesce spares what need not wait.
class Results {
 public:
  explicit Results(ir::Builder& b) : b_(b) {}

  void add(Operation result, std::uint32_t byte) {
    const Type type = ir::as_integer(ir::result_type(result));
    result.dst = b_.temporary(type);
    b_.emit(result);
    moves_.push_back(operation(Op::mov, type, result.dst));
    moves_.back().dst = Operand::state(byte);
  }

  /// True if no byte was written twice.
  bool commit() {
    std::bitset<state::end> written;
    bool is_disjoint = true;
    for (const Operation& move : moves_) {
      for (std::uint32_t i = 0; i < ir::bytes_of(move.type); ++i) {
        is_disjoint &= !written[move.dst.byte() + i];
        written.set(move.dst.byte() + i);
      }
      b_.emit(move);
    }
    moves_.clear();
    return is_disjoint;
  }

 private:
  ir::Builder& b_;
  std::vector<Operation> moves_;
};

// ------------------------------------------------------------------------------------------------ one instruction

class InstructionLifter {
 public:
  InstructionLifter(const BundleContext& context, const AluView& v, Results& results, AluOutcome& outcome)
      : context_(context),
        b_(context.builder),
        v_(v),
        sources_{{{context, v, 0}, {context, v, 1}}},
        results_(results),
        outcome_(outcome) {}

  void lift();

 private:
  [[nodiscard]] bool is(PolicyId id, std::string_view value) const { return context_.settings.is(id, value); }
  [[nodiscard]] Type in_type() const { return v_.op->in == Kind::f ? float_type(v_.bits) : integer_type(v_.bits); }
  [[nodiscard]] Type bits_type() const { return integer_type(v_.bits); }
  [[nodiscard]] unsigned lane_count() const { return v_.is_vector ? 128 / v_.bits : 1; }
  /// Lanes of the result.
  [[nodiscard]] unsigned result_bits() const { return is_widening_multiply(v_.opcode) ? 2 * v_.bits : v_.bits; }
  [[nodiscard]] unsigned lanes() const { return v_.is_vector ? enabled_lanes(result_bits(), v_.mask) : 1; }
  [[nodiscard]] unsigned first_lane() const { return static_cast<unsigned>(std::countr_zero(lanes())); }

  Operand a(unsigned lane) { return sources_[0](lane); }
  Operand b(unsigned lane) { return sources_[1](lane); }
  /// The operation's value in an operand; scratch unless it only moves.
  Operand land(const Operation& value);

  Operation value_of_lane(unsigned lane);
  Operation value_of_all();
  Operation plain(Op op, unsigned lane);
  Operation move(unsigned lane);
  Operation shifted(Op op, Operand value, Operand amount);
  Operation ones_by_byte(Operand value);
  Operation selected(unsigned lane);
  Operand select_condition(unsigned lane);
  Operation chosen(unsigned lane);
  Operation widening_product(unsigned lane);
  Operation atan2_step(unsigned lane);
  Operation dot_product(unsigned first, unsigned count);
  Operation compared(unsigned first, unsigned count);
  void trap_on_overflow(Operand value, Round round);

  [[nodiscard]] bool lanes_are_equal() const;
  Operation finished(Operation value);
  Operation finished_float(Operation value);
  Operation finished_integer(Operation value);
  void store(unsigned lane, const Operation& value);
  void store_partly(std::uint32_t byte, unsigned piece_bytes, unsigned bits, const Operation& value);
  [[nodiscard]] std::uint32_t destination() const;
  void record_writes() const;
  [[nodiscard]] bool may_wrap();
  [[nodiscard]] bool is_blend_return() const;
  void note_doubts();

  const BundleContext& context_;
  ir::Builder& b_;
  const AluView& v_;
  std::array<SourceLanes, 2> sources_;
  Results& results_;
  AluOutcome& outcome_;
};

void InstructionLifter::lift() {
  b_.rests_on(v_.op->fact.status);
  note_doubts();
  const bool is_discarded = !state::is_destination(v_.dst) ||  // unknown_registers=zero
                            (info(v_.unit).stage == 2 && (v_.dst == register_tmp0 || v_.dst == register_tmp1));
  const unsigned enabled = lanes();
  if (is_discarded || enabled == 0) return;
  record_writes();
  if (is_horizontal(*v_.op) || lanes_are_equal()) {
    Operation value = finished(is_horizontal(*v_.op) ? value_of_all() : value_of_lane(first_lane()));
    const bool is_shared = (enabled & (enabled - 1)) != 0;
    if (is_shared) value = operation(Op::mov, ir::as_integer(ir::result_type(value)), land(value));
    for (unsigned lane = 0; lane < 16; ++lane)
      if (enabled >> lane & 1) store(lane, value);
    return;
  }
  for (unsigned lane = 0; lane < 16; ++lane)
    if (enabled >> lane & 1) store(lane, finished(value_of_lane(lane)));
}

Operand InstructionLifter::land(const Operation& value) {
  if (value.op == Op::mov) return value.src[0];
  Operation landed = value;
  landed.dst = b_.temporary(ir::result_type(value));
  b_.emit(landed);
  return landed.dst;
}

// A look-up takes one component for all its lanes (3.4), so it is computed once.
bool InstructionLifter::lanes_are_equal() const {
  if (!is_lut_op(v_.opcode) || v_.opcode == atan2_first) return false;
  for (unsigned lane = first_lane() + 1; lane < lane_count(); ++lane) {
    if (!(lanes() >> lane & 1)) continue;
    for (unsigned i = 0; i < 2; ++i)
      if (v_.uses(i) && !sources_[i].same(first_lane(), lane)) return false;
  }
  return true;
}

Operation InstructionLifter::value_of_lane(unsigned lane) {
  if (const LaneOp* row = find_lane_op(v_.opcode)) return plain(row->op, lane);
  if (is_float_move(v_.opcode) || v_.opcode == integer_move) return move(lane);
  if (is_csel(v_.opcode)) return selected(lane);
  if (is_widening_multiply(v_.opcode)) return widening_product(lane);
  if (is_pow_step(v_.opcode)) return operation(Op::fmul, in_type(), b(lane), b_.unary(Op::flog2, in_type(), a(lane)));
  if (v_.opcode == choose) return chosen(lane);
  if (v_.opcode == atan2_first) return atan2_step(lane);
  return operation(Op::mov, bits_type(), a(lane));  // reduce
}

Operation InstructionLifter::value_of_all() {
  if (is_fma(v_.opcode)) return operation(Op::ffma, in_type(), a(0), a(1), b(0), round_of(v_.opcode));
  // 8- and 16-bit lanes: the four of the destination's group.
  const unsigned first = first_lane() / 4 * 4;
  const unsigned count = std::min<unsigned>(v_.op->reduces, lane_count());
  return is_dot(v_.opcode) ? dot_product(first, count) : compared(first, count);
}

Operation InstructionLifter::plain(Op op, unsigned lane) {
  const Round round = find_lane_op(v_.opcode)->count == 4 ? round_of(v_.opcode) : Round::even;
  Operand x = a(lane), y = v_.uses(1) ? b(lane) : Operand{};
  if (takes_absolutes(v_.opcode)) {
    x = b_.unary(Op::fabs, in_type(), x);
    y = b_.unary(Op::fabs, in_type(), y);
  }
  if (v_.op->shift1) x = b_.binary(Op::iadd, in_type(), x, x);
  if (is_shift(v_.opcode)) return shifted(op, x, y);
  if (v_.opcode == count_ones && is(PolicyId::popcnt, "byte")) return ones_by_byte(x);
  if (is_float_to_integer(v_.opcode)) {
    if (is(PolicyId::f2i_overflow, "trap")) trap_on_overflow(x, round);
    return conversion(op, bits_type(), in_type(), x, round);
  }
  if (op == Op::i2f || op == Op::u2f) return conversion(op, float_type(v_.bits), in_type(), x, round);
  return operation(op, in_type(), x, y, {}, round);
}

/// Moves keep every bit (3.5). Widening an element only to keep its low half is moving the element.
Operation InstructionLifter::move(unsigned lane) {
  const bool keeps_low =
      v_.opcode == integer_move && v_.is_shrunk() && v_.outmod == static_cast<unsigned>(IntOutmod::keeplo);
  if (keeps_low) {
    if (const auto element = sources_[1].unwidened(lane)) return operation(Op::mov, bits_type(), *element);
  }
  return operation(Op::mov, bits_type(), b(lane));
}

Operation InstructionLifter::shifted(Op op, Operand value, Operand amount) {
  if (v_.bits == 32 || is(PolicyId::shift_mask, "lane")) return operation(op, bits_type(), value, amount);
  if (v_.bits == 64) {
    return operation(op, Type::i64, value, b_.binary(Op::iand, Type::i64, amount, b_.constant_u64(31)));
  }
  const bool is_signed = op == Op::iasr || op == Op::ishl_sat_s;
  const Operand wide = b_.convert(is_signed ? Op::sext : Op::zext, Type::i32, bits_type(), value);
  const Operand wide_amount = b_.convert(Op::zext, Type::i32, bits_type(), amount);
  const Operand result = b_.binary(op, Type::i32, wide, wide_amount);
  const Op narrow = op == Op::ishl_sat_s ? Op::sat_s2s : op == Op::ishl_sat_u ? Op::sat_u2u : Op::trunc;
  return conversion(narrow, bits_type(), Type::i32, result);
}

Operation InstructionLifter::ones_by_byte(Operand value) {
  const Operand counts = b_.temporary(bits_type());
  for (unsigned byte = 0; byte < v_.bits / 8; ++byte)
    b_.emit(Op::ipopcnt, Type::i8, counts.plus(byte), value.plus(byte));
  return operation(Op::mov, bits_type(), counts);
}

/// A bitwise mux by r31 (3.3).
Operation InstructionLifter::selected(unsigned lane) {
  return operation(Op::select, bits_type(), a(lane), b(lane), select_condition(lane));
}

Operand InstructionLifter::select_condition(unsigned lane) {
  const Operand x = Operand::state(state::condition), w = x.plus(12);
  if (is_vector_select(v_.opcode)) return v_.is_vector ? x.plus(lane * v_.bits / 8) : x;
  if (v_.bits == 32) return w;
  if (v_.bits == 64) {
    const Operand both = b_.temporary(Type::i64);
    b_.emit(Op::mov, Type::i32, both, w);
    b_.emit(Op::mov, Type::i32, both.plus(4), w);
    return both;
  }
  const unsigned bytes = v_.bits / 8;
  if (is(PolicyId::csel16_half, "low")) return w;
  if (is(PolicyId::csel16_half, "high")) return w.plus(4 - bytes);
  return w.plus(lane * bytes % 4);
}

/// Lane i = a[b[i]].
Operation InstructionLifter::chosen(unsigned lane) {
  const unsigned count = lane_count();
  const Operand index = b_.binary(Op::iand, bits_type(), b(lane), b_.constant(bits_type(), count - 1));
  Operation result = operation(Op::mov, bits_type(), a(0));
  for (unsigned i = 1; i < count; ++i) {
    const Operand is_this = b_.binary(Op::ieq, bits_type(), index, b_.constant(bits_type(), i));
    result = operation(Op::select, bits_type(), a(i), land(result), is_this);
  }
  return result;
}

Operation InstructionLifter::widening_product(unsigned lane) {
  const Type wide = integer_type(2 * v_.bits);
  const bool a_is_signed = v_.opcode != 0x5A, b_is_signed = v_.opcode == 0x59;
  const Operand x = b_.convert(a_is_signed ? Op::sext : Op::zext, wide, bits_type(), a(lane));
  const Operand y = b_.convert(b_is_signed ? Op::sext : Op::zext, wide, bits_type(), b(lane));
  return operation(Op::imul, wide, x, y);
}

/// The private encoding of the arc tangent's intermediate vector: x base angle, z smaller, w reciprocal (3.4).
Operation InstructionLifter::atan2_step(unsigned lane) {
  constexpr Op steps[] = {Op::fatan2_base, Op::fatan2_base, Op::fatan2_minor, Op::fatan2_recip};
  return operation(steps[lane & 3], in_type(), a(lane), b(lane));
}

Operation InstructionLifter::dot_product(unsigned first, unsigned count) {
  Operation sum = operation(Op::fmul, in_type(), a(first), b(first));
  for (unsigned lane = first + 1; lane < first + count; ++lane) {
    if (is(PolicyId::dot_product, "fused")) {
      sum = operation(Op::ffma, in_type(), a(lane), b(lane), land(sum));
    } else {
      const Operand product = b_.binary(Op::fmul, in_type(), a(lane), b(lane));
      sum = operation(Op::fadd, in_type(), land(sum), product);
    }
  }
  return sum;
}

Operation InstructionLifter::compared(unsigned first, unsigned count) {
  const Op compare = compared_by(v_.opcode), combine = wants_all(v_.opcode) ? Op::iand : Op::ior;
  Operation result = operation(compare, in_type(), a(first), b(first));
  for (unsigned lane = first + 1; lane < first + count; ++lane) {
    const Operand one = land(operation(compare, in_type(), a(lane), b(lane)));
    result = operation(combine, bits_type(), land(result), one);
  }
  return result;
}

void InstructionLifter::trap_on_overflow(Operand value, Round round) {
  const bool is_signed = v_.opcode < 0x9C;
  const Type type = in_type();
  // Powers of two as floats of each width: the first number beyond the range, and minus it.
  const auto power = [&](unsigned exponent) -> std::uint64_t {
    if (v_.bits == 16) return exponent > 15 ? 0x7C00 : (exponent + 15ull) << 10;
    return v_.bits == 32 ? (exponent + 127ull) << 23 : (exponent + 1023ull) << 52;
  };
  const unsigned exponent = is_signed ? v_.bits - 1 : v_.bits;
  const std::uint64_t sign = std::uint64_t{1} << (v_.bits - 1);
  const Operand lowest = b_.constant(type, is_signed ? power(exponent) | sign : 0);
  const Operand rounded = b_.unary(Op::fround, type, value, round);
  const Operand is_low = land(operation(Op::fle, type, lowest, rounded));
  const Operand is_high = land(operation(Op::flt, type, rounded, b_.constant(type, power(exponent))));
  const Operand outside = b_.binary(Op::inand, bits_type(), is_low, is_high);
  // Its low bits are what a condition needs.
  const Operand condition = v_.bits >= 32 ? outside : b_.convert(Op::zext, Type::i32, bits_type(), outside);
  outcome_.traps.push_back({condition, operand_fault(describe(v_) + " converts a number that does not fit")});
}

// ---- output modifiers (2.6.3)

Operation InstructionLifter::finished(Operation value) {
  return v_.op->out == Kind::f ? finished_float(value) : finished_integer(value);
}

Operation InstructionLifter::finished_float(Operation value) {
  const Type type = float_type(v_.bits);
  constexpr Op clamps[] = {Op::mov, Op::fclamp_pos, Op::fclamp_signed, Op::fclamp_unit};
  if (v_.outmod != 0) value = operation(clamps[v_.outmod], type, land(value));
  if (!v_.is_shrunk()) return value;
  const Round round = is_float_move(v_.opcode) ? round_of(v_.opcode) : Round::even;
  return conversion(Op::f2f, float_type(v_.bits / 2), type, land(value), round);
}

Operation InstructionLifter::finished_integer(Operation value) {
  const unsigned bits = result_bits();
  const Type type = integer_type(bits);
  const bool is_signed = v_.op->out != Kind::u || is(PolicyId::integer_outmod_sign, "signed");
  const auto outmod = static_cast<IntOutmod>(v_.outmod);
  const auto saturate = [&](Type to) {
    const bool to_signed = outmod == IntOutmod::ssat;
    const Op op = is_signed ? (to_signed ? Op::sat_s2s : Op::sat_s2u) : (to_signed ? Op::sat_u2s : Op::sat_u2u);
    return conversion(op, to, type, land(value));
  };
  if (!v_.is_shrunk()) {
    const bool is_plain = outmod == IntOutmod::keeplo || is(PolicyId::unshrunk_outmod, "ignore");
    return is_plain ? value : saturate(type);
  }
  const Type half = integer_type(bits / 2);
  switch (outmod) {
    case IntOutmod::ssat:
    case IntOutmod::usat:
      return saturate(half);
    case IntOutmod::keeplo:
      return operation(Op::mov, half, land(value));
    default:
      return operation(Op::mov, half, land(value).plus(bits / 16));
  }
}

// ---- destinations

std::uint32_t InstructionLifter::destination() const {
  const std::uint32_t base = state::destination(v_.dst, context_.product);
  if (!v_.is_vector) return base + 2 * v_.dst_component;
  return base + (v_.shrink == Shrink::upper ? 8 : 0);
}

void InstructionLifter::store(unsigned lane, const Operation& value) {
  const unsigned bytes = result_bits() / (v_.is_shrunk() ? 16 : 8);
  const std::uint32_t byte = destination() + lane * bytes;
  if (!v_.is_vector || result_bits() < 32) return results_.add(value, byte);
  // Mask bits of this lane; one is 16 bits of the result before shrinking.
  const unsigned count = result_bits() / 16, all = (1u << count) - 1, bits = v_.mask >> (lane * count) & all;
  if (bits == all || is(PolicyId::partial_mask, "lane")) return results_.add(value, byte);
  store_partly(byte, bytes / count, bits, value);
}

void InstructionLifter::store_partly(std::uint32_t byte, unsigned piece_bytes, unsigned bits, const Operation& value) {
  // A constant or register moves as it is: its bytes are addressed like the destination's.
  const Operand whole = land(value);
  for (unsigned i = 0; bits >> i != 0; ++i) {
    if ((bits >> i & 1) == 0) continue;
    results_.add(operation(Op::mov, integer_type(8 * piece_bytes), whole.plus(i * piece_bytes)),
                 byte + i * piece_bytes);
  }
}

void InstructionLifter::record_writes() const {
  if (v_.dst == register_condition) outcome_.wrote_condition = true;
  if (v_.dst != 1) return;
  const unsigned bytes = result_bits() / (v_.is_shrunk() ? 16 : 8);
  for (unsigned lane = 0; lane < 16; ++lane) {
    if ((lanes() >> lane & 1) == 0) continue;
    const std::uint32_t first = destination() - state::destination(1, context_.product) + lane * bytes;
    for (std::uint32_t byte = first; byte < first + bytes; ++byte) outcome_.wrote_r1[byte / 4] = true;
  }
}

// ---- what the semantics rest on

/// False if every shift amount is a constant in the range about which there is no doubt.
bool InstructionLifter::may_wrap() {
  for (unsigned lane = 0; lane < lane_count(); ++lane) {
    if ((lanes() >> lane & 1) == 0) continue;
    const auto amount = sources_[1].constant(lane);
    if (!amount || *amount >= std::min(v_.bits, 32u)) return true;
  }
  return false;
}

/// The address a blend shader returns to (4.4), in the bundle of a writeout. Nothing else reads it.
bool InstructionLifter::is_blend_return() const {
  const Branches all = branches(context_.bundle);
  return v_.dst == 1 && all.count != 0 && all.items[0].op == branch_writeout;
}

void InstructionLifter::note_doubts() {
  const std::string what = describe(v_);
  const unsigned enabled = lanes();
  const bool is_one_lane = (enabled & (enabled - 1)) == 0;
  const auto on_unit = static_cast<UnitMask>(1u << static_cast<unsigned>(v_.unit));
  if ((v_.op->units & on_unit) == 0) context_.inferred(what + ": no compiler puts it on this unit");
  if (is_lut_op(v_.opcode)) {
    context_.unknown(what + ": the hardware's tables are unpublished; computed exactly, then rounded");
    if (v_.opcode != atan2_first && !lanes_are_equal() && !is_one_lane) {
      context_.unknown(what + ": lanes select different components; computed lane by lane");
    }
  }
  if (is_dot(v_.opcode)) context_.unknown(what + ": how intermediate results are rounded is unpublished");
  if (v_.opcode == dot3r || v_.opcode == reduce) context_.unknown(what + ": its scaling is unpublished; none is done");
  if (is_pow_step(v_.opcode)) context_.unknown(what + ": unpublished; gives b * log2(a)");
  if (v_.opcode == count_ones) context_.unknown(what + ": whether it counts by lane or by byte is unpublished");
  if (is_widening_multiply(v_.opcode)) context_.unknown(what + ": its lane mapping is unpublished");
  if (is_float_to_integer(v_.opcode)) context_.inferred(what + ": results out of range are unpublished");
  if (is_horizontal(*v_.op) && !is_one_lane) context_.unknown(what + ": more than one lane takes the one result");
  if (v_.op->reduces > lane_count()) context_.unknown(what + ": there are fewer lanes than it combines");
  if (is_shift(v_.opcode) && may_wrap()) {
    if (v_.bits == 32) context_.inferred(what + ": the amount wraps at 32");
    if (v_.bits != 32) context_.unknown(what + ": how its amount wraps is unpublished");
  }
  if (is_csel(v_.opcode)) {
    if (!outcome_.wrote_condition) context_.unknown(what + ": nothing before it in this bundle writes r31");
    if (!v_.is_vector && is_vector_select(v_.opcode)) context_.unknown(what + ": on a scalar unit it tests r31.x");
    if (v_.bits < 32 && !is_vector_select(v_.opcode))
      context_.unknown(what + ": the part of r31.w tested is unpublished");
  }
  if (v_.is_shrunk() && v_.op->out == Kind::f && !is_float_move(v_.opcode))
    context_.inferred(what + ": rounding when it shrinks is to nearest even");
  if (!v_.is_shrunk() && v_.op->out != Kind::f && v_.outmod != static_cast<unsigned>(IntOutmod::keeplo)) {
    context_.unknown(what + ": an integer output modifier without shrink is unpublished");
  }
  if (v_.is_vector && !mask_is_regular(result_bits(), v_.mask)) {
    context_.unknown(what + ": write mask bits differ within a lane");
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (!v_.uses(i)) continue;
    const AluSource& source = v_.source[i];
    if (source.is_inline) {
      if (source.mod != 0 && v_.op->in == Kind::f) context_.unknown(what + ": modifier of an inline constant");
      if (v_.bits == 8 || v_.bits == 64)
        context_.unknown(what + ": inline constants of this lane width are not observed");
      continue;
    }
    if (is_unknown_source(source.reg)) context_.unknown(what + " reads a register without a known meaning");
    if (source.reg == register_constants && !context_.bundle.has_constants) {
      context_.unknown(what + " reads constants that the bundle does not have; they are 0");
    }
    if (source.reg == register_condition && !is_blend_return()) {
      context_.unknown(what + ": which program counter r31 gives is unpublished");
    }
    const bool is_integer_widened = v_.op->in != Kind::f && (v_.is_vector ? widens(source.expand) : !source.full);
    if (is_integer_widened && source.mod == static_cast<unsigned>(IntSourceMod::replicate)) {
      context_.inferred(what + ": replicate copies the element into both halves");
    }
  }
  const auto uniforms = context_.interface.uniform_registers;
  if (uniforms && v_.dst <= last_uniform_register && v_.dst + *uniforms > last_uniform_register) {
    context_.unknown(what + " writes a uniform register");
  }
  if (!state::is_destination(v_.dst)) context_.unknown(what + " writes a register without a known meaning");
}

}  // namespace

std::string alu_fault(const BundleContext& context) {
  for (const AluInstruction& instruction : context.bundle.alu_instructions()) {
    if (std::string fault = unit_fault(context, view(instruction)); !fault.empty()) return fault;
  }
  return {};
}

AluOutcome lift_alu(const BundleContext& context) {
  AluOutcome outcome;
  Results results(context.builder);
  for (const unsigned stage : {1u, 2u}) {
    for (const AluInstruction& instruction : context.bundle.alu_instructions()) {
      if (info(instruction.unit).stage != stage) continue;
      const AluView v = view(instruction);
      InstructionLifter(context, v, results, outcome).lift();
    }
    if (!results.commit()) {
      context.unknown("two units of one stage write the same bytes; the last of them wins");
    }
  }
  return outcome;
}

}  // namespace mobula::midgard
