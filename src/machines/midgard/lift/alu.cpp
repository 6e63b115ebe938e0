#include "machines/midgard/lift/alu.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <optional>

#include "core/hexadecimal.h"
#include "machines/midgard/lift/operand.h"
#include "machines/midgard/lift/state.h"

namespace mobula::midgard {
namespace {

using ir::Op;
using ir::Operand;
using ir::Operation;
using ir::Round;
using ir::Type;

// ------------------------------------------------------------------------------------------------ operations

/// Operations that no unit of one lane can do.
constexpr bool needs_vectors(const AluOp& op) {
  return op.is_horizontal() || op.widens || op.does == AluMeaning::freduce || op.does == AluMeaning::ichoose;
}

/// The policy by which an operation of which this is unpublished may stop.
constexpr std::optional<PolicyId> policy_of(Unpublished what) {
  switch (what) {
    case Unpublished::lane_mapping:
      return PolicyId::widening_mul;
    case Unpublished::scaling:
      return PolicyId::argument_reduction;
    case Unpublished::step:
      return PolicyId::pow_step;
    case Unpublished::nothing:
    case Unpublished::rounding:
    case Unpublished::counting:
    case Unpublished::range:
    case Unpublished::wrapping:
    case Unpublished::condition:
      return std::nullopt;
  }
  return std::nullopt;
}

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
  if (const auto policy = policy_of(v.op->unpublished); policy && stops(*policy)) {
    return invalid_encoding("the effect of " + describe(v) + " is not known");
  }
  if (!state::is_destination(v.dst) && stops(PolicyId::unknown_registers)) {
    return operand_fault(describe(v) + " writes r" + std::to_string(v.dst) + ", which has no known meaning");
  }
  return {};
}

std::string unit_fault(const BundleContext& context, const AluView& v) {
  if (v.op == nullptr) {
    return invalid_encoding("ALU opcode " + hexadecimal(v.opcode) + " on " + std::string(info(v.unit).name) +
                            " is unassigned");
  }
  if (!v.is_vector && needs_vectors(*v.op)) {
    return invalid_encoding(describe(v) + " needs several lanes but a scalar unit has one");
  }
  if (v.bits == 8 && (v.op->in == Kind::f || v.op->out == Kind::f)) {
    return invalid_encoding(describe(v) + " works on 8-bit floats");
  }
  if (v.bits == 64 && v.op->widens) {
    return invalid_encoding(describe(v) + " produces 128-bit results");
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
  [[nodiscard]] unsigned result_bits() const { return v_.op->widens ? 2 * v_.bits : v_.bits; }
  [[nodiscard]] unsigned lanes() const { return v_.is_vector ? enabled_lanes(result_bits(), v_.mask) : 1; }
  [[nodiscard]] unsigned first_lane() const { return static_cast<unsigned>(std::countr_zero(lanes())); }

  Operand a(unsigned lane) { return sources_[0](lane); }
  Operand b(unsigned lane) { return sources_[1](lane); }
  /// The operation's value in an operand; scratch unless it only moves.
  Operand land(const Operation& value);

  Operation value(unsigned lane);
  [[nodiscard]] Op by_sign(Op of_signed, Op of_unsigned) const {
    return v_.op->in == Kind::u ? of_unsigned : of_signed;
  }
  Operation plain(Op op, unsigned lane);
  Operation paired(Op op, unsigned lane);
  Operation moved(unsigned lane);
  Operation to_integer(unsigned lane);
  Operation to_float(unsigned lane);
  Operation shifted(Op op, unsigned lane);
  Operation ones(unsigned lane);
  Operation selected(unsigned lane);
  Operand select_condition(unsigned lane);
  Operation chosen(unsigned lane);
  Operation widening_product(unsigned lane, Op widen_b);
  Operation fused();
  Operation power_step(unsigned lane);
  Operation atan2_step(unsigned lane);
  [[nodiscard]] unsigned joined_lanes() const { return std::min<unsigned>(v_.op->reduces, lane_count()); }
  Operation dot_product(unsigned lane);
  Operation compared(Op compare, unsigned lane);
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
  void note_unpublished(const std::string& what);
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
  if (v_.op->is_horizontal() || lanes_are_equal()) {
    Operation result = finished(value(first_lane()));
    const bool is_shared = (enabled & (enabled - 1)) != 0;
    if (is_shared) result = operation(Op::mov, ir::as_integer(ir::result_type(result)), land(result));
    for (unsigned lane = 0; lane < 16; ++lane)
      if (enabled >> lane & 1) store(lane, result);
    return;
  }
  for (unsigned lane = 0; lane < 16; ++lane)
    if (enabled >> lane & 1) store(lane, finished(value(lane)));
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
  if (!v_.op->look_up || v_.op->does == AluMeaning::fatan2_first) return false;
  for (unsigned lane = first_lane() + 1; lane < lane_count(); ++lane) {
    if (!(lanes() >> lane & 1)) continue;
    for (unsigned i = 0; i < 2; ++i)
      if (v_.uses(i) && !sources_[i].same(first_lane(), lane)) return false;
  }
  return true;
}

/// The value of a lane; of a horizontal operation, of any of them.
Operation InstructionLifter::value(unsigned lane) {
  using enum AluMeaning;
  switch (v_.op->does) {
    case fadd:
      return plain(Op::fadd, lane);
    case fmul:
      return plain(Op::fmul, lane);
    case fmin:
      return plain(Op::fmin, lane);
    case fmin_nan:
      return plain(Op::fmin_nan, lane);
    case fmax:
      return plain(Op::fmax, lane);
    case fmax_nan:
      return plain(Op::fmax_nan, lane);
    case fround:
      return plain(Op::fround, lane);
    case fround_away:
      return plain(Op::fround_away, lane);
    case fmov:
      return operation(Op::mov, bits_type(), b(lane));
    case ffma:
      return fused();
    case fdot:
    case fdot_reduced:
      return dot_product(lane);
    case freduce:
      return operation(Op::mov, bits_type(), a(lane));
    case iadd:
      return plain(Op::iadd, lane);
    case isub:
      return plain(Op::isub, lane);
    case imul:
      return plain(Op::imul, lane);
    case iadd_sat:
      return plain(by_sign(Op::iadd_sat_s, Op::iadd_sat_u), lane);
    case isub_sat:
      return plain(by_sign(Op::isub_sat_s, Op::isub_sat_u), lane);
    case imin:
      return plain(by_sign(Op::imin_s, Op::imin_u), lane);
    case imax:
      return plain(by_sign(Op::imax_s, Op::imax_u), lane);
    case iavg:
      return plain(by_sign(Op::iavg_s, Op::iavg_u), lane);
    case iravg:
      return plain(by_sign(Op::iravg_s, Op::iravg_u), lane);
    case iabsdiff:
      return plain(by_sign(Op::iabsdiff_s, Op::iabsdiff_u), lane);
    case imul_wide:
      return widening_product(lane, by_sign(Op::sext, Op::zext));
    case imul_wide_mixed:
      return widening_product(lane, Op::zext);
    case iasr:
      return shifted(Op::iasr, lane);
    case ilsr:
      return shifted(Op::ilsr, lane);
    case ishl:
      return shifted(Op::ishl, lane);
    case ishl_sat:
      return shifted(by_sign(Op::ishl_sat_s, Op::ishl_sat_u), lane);
    case iand:
      return plain(Op::iand, lane);
    case ior:
      return plain(Op::ior, lane);
    case inand:
      return plain(Op::inand, lane);
    case inor:
      return plain(Op::inor, lane);
    case iandnot:
      return plain(Op::iandnot, lane);
    case iornot:
      return plain(Op::iornot, lane);
    case ixor:
      return plain(Op::ixor, lane);
    case inxor:
      return plain(Op::inxor, lane);
    case iclz:
      return plain(Op::iclz, lane);
    case ipopcnt:
      return ones(lane);
    case imov:
      return moved(lane);
    case ichoose:
      return chosen(lane);
    case feq:
      return compared(Op::feq, lane);
    case fne:
      return compared(Op::fne, lane);
    case flt:
      return compared(Op::flt, lane);
    case fle:
      return compared(Op::fle, lane);
    case ieq:
      return compared(Op::ieq, lane);
    case ine:
      return compared(Op::ine, lane);
    case ilt:
      return compared(by_sign(Op::ilt_s, Op::ilt_u), lane);
    case ile:
      return compared(by_sign(Op::ile_s, Op::ile_u), lane);
    case f2i:
      return to_integer(lane);
    case i2f:
      return to_float(lane);
    case select_by_lane:
    case select_by_w:
      return selected(lane);
    case frcp:
      return plain(Op::frcp, lane);
    case frsqrt:
      return plain(Op::frsqrt, lane);
    case fsqrt:
      return plain(Op::fsqrt, lane);
    case fexp2:
      return plain(Op::fexp2, lane);
    case flog2:
      return plain(Op::flog2, lane);
    case fsinpi:
      return plain(Op::fsinpi, lane);
    case fcospi:
      return plain(Op::fcospi, lane);
    case fatan2_first:
      return atan2_step(lane);
    case fatan2_second:
      return plain(Op::fatan2_final, lane);
    case fpow:
    case fpown:
    case fpowr:
      return power_step(lane);
  }
  return {};
}

/// One micro-operation on a lane of each source.
Operation InstructionLifter::plain(Op op, unsigned lane) {
  Operand x = a(lane), y = v_.uses(1) ? b(lane) : Operand{};
  if (v_.op->absolutes) {
    x = b_.unary(Op::fabs, in_type(), x);
    y = b_.unary(Op::fabs, in_type(), y);
  }
  if (v_.op->shift1) x = b_.binary(Op::iadd, in_type(), x, x);
  return operation(op, in_type(), x, y, {}, v_.op->round);
}

/// The same without what a row may say besides, and with the operations that make source 2 first.
Operation InstructionLifter::paired(Op op, unsigned lane) {
  const Operand y = b(lane), x = a(lane);
  return operation(op, in_type(), x, y);
}

Operation InstructionLifter::to_integer(unsigned lane) {
  const Operand value = a(lane);
  if (is(PolicyId::f2i_overflow, "trap")) trap_on_overflow(value, v_.op->round);
  const Op op = v_.op->out == Kind::u ? Op::f2u : Op::f2i;
  return conversion(op, bits_type(), in_type(), value, v_.op->round);
}

Operation InstructionLifter::to_float(unsigned lane) {
  return conversion(by_sign(Op::i2f, Op::u2f), float_type(v_.bits), in_type(), a(lane), v_.op->round);
}

/// An integer keeps every bit (3.5). Widening an element only to keep its low half is moving the element.
Operation InstructionLifter::moved(unsigned lane) {
  if (v_.is_shrunk() && v_.outmod == static_cast<unsigned>(IntOutmod::keeplo)) {
    if (const auto element = sources_[1].unwidened(lane)) return operation(Op::mov, bits_type(), *element);
  }
  return operation(Op::mov, bits_type(), b(lane));
}

Operation InstructionLifter::shifted(Op op, unsigned lane) {
  const Operand value = a(lane), amount = b(lane);
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

Operation InstructionLifter::ones(unsigned lane) {
  if (!is(PolicyId::popcnt, "byte")) return plain(Op::ipopcnt, lane);
  const Operand value = a(lane);
  const Operand counts = b_.temporary(bits_type());
  for (unsigned byte = 0; byte < v_.bits / 8; ++byte)
    b_.emit(Op::ipopcnt, Type::i8, counts.plus(byte), value.plus(byte));
  return operation(Op::mov, bits_type(), counts);
}

/// A bitwise mux by r31 (3.3).
Operation InstructionLifter::selected(unsigned lane) {
  const Operand condition = select_condition(lane), otherwise = b(lane), then = a(lane);
  return operation(Op::select, bits_type(), then, otherwise, condition);
}

Operand InstructionLifter::select_condition(unsigned lane) {
  const Operand x = Operand::state(state::condition), w = x.plus(12);
  if (v_.op->does == AluMeaning::select_by_lane) return v_.is_vector ? x.plus(lane * v_.bits / 8) : x;
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
  const Operand last = b_.constant(bits_type(), count - 1), number = b(lane);
  const Operand index = b_.binary(Op::iand, bits_type(), number, last);
  Operation result = operation(Op::mov, bits_type(), a(0));
  for (unsigned i = 1; i < count; ++i) {
    const Operand is_this = b_.binary(Op::ieq, bits_type(), index, b_.constant(bits_type(), i));
    const Operand so_far = land(result);
    result = operation(Op::select, bits_type(), a(i), so_far, is_this);
  }
  return result;
}

Operation InstructionLifter::widening_product(unsigned lane, Op widen_b) {
  const Type wide = integer_type(2 * v_.bits);
  const Operand x = b_.convert(by_sign(Op::sext, Op::zext), wide, bits_type(), a(lane));
  const Operand y = b_.convert(widen_b, wide, bits_type(), b(lane));
  return operation(Op::imul, wide, x, y);
}

/// a.x * a.y + b.x.
Operation InstructionLifter::fused() {
  const Operand addend = b(0), y = a(1), x = a(0);
  return operation(Op::ffma, in_type(), x, y, addend, v_.op->round);
}

/// b * log2(a), in the place of what is not known.
Operation InstructionLifter::power_step(unsigned lane) {
  const Operand logarithm = b_.unary(Op::flog2, in_type(), a(lane));
  return operation(Op::fmul, in_type(), b(lane), logarithm);
}

/// The private encoding of the arc tangent's intermediate vector: x base angle, z smaller, w reciprocal (3.4).
Operation InstructionLifter::atan2_step(unsigned lane) {
  constexpr Op steps[] = {Op::fatan2_base, Op::fatan2_base, Op::fatan2_minor, Op::fatan2_recip};
  return paired(steps[lane & 3], lane);
}

/// Of 8- and 16-bit lanes, the four of the destination's group.
Operation InstructionLifter::dot_product(unsigned lane_in_group) {
  const unsigned first = lane_in_group / 4 * 4, count = joined_lanes();
  Operation sum = paired(Op::fmul, first);
  for (unsigned lane = first + 1; lane < first + count; ++lane) {
    if (is(PolicyId::dot_product, "fused")) {
      const Operand so_far = land(sum), y = b(lane), x = a(lane);
      sum = operation(Op::ffma, in_type(), x, y, so_far);
    } else {
      const Operand product = land(paired(Op::fmul, lane));
      sum = operation(Op::fadd, in_type(), land(sum), product);
    }
  }
  return sum;
}

/// Joined comparisons take the same lanes as dot products.
Operation InstructionLifter::compared(Op compare, unsigned lane_in_group) {
  if (v_.op->joins == Join::none) return plain(compare, lane_in_group);
  const Op combine = v_.op->joins == Join::all ? Op::iand : Op::ior;
  const unsigned first = lane_in_group / 4 * 4, count = joined_lanes();
  Operation result = paired(compare, first);
  for (unsigned lane = first + 1; lane < first + count; ++lane) {
    const Operand one = land(paired(compare, lane));
    result = operation(combine, bits_type(), land(result), one);
  }
  return result;
}

void InstructionLifter::trap_on_overflow(Operand value, Round round) {
  const bool is_signed = v_.op->out != Kind::u;
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
  const Round round = v_.op->does == AluMeaning::fmov ? v_.op->round : Round::even;
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
    case IntOutmod::keephi:
      return operation(Op::mov, half, land(value).plus(bits / 16));
  }
  return {};
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

/// False if every shift amount is a constant in the range whose meaning is certain.
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
  return v_.dst == 1 && all.count != 0 && all.items[0].op == BranchMeaning::write;
}

void InstructionLifter::note_unpublished(const std::string& what) {
  const auto rounding = [&] { context_.unknown(what + ": how intermediate results are rounded is unpublished"); };
  switch (v_.op->unpublished) {
    case Unpublished::nothing:
      return;
    case Unpublished::rounding:
      return rounding();
    case Unpublished::scaling:
      if (v_.op->reduces != 0) rounding();
      return context_.unknown(what + ": its scaling is unpublished; none is done");
    case Unpublished::step:
      return context_.unknown(what + ": unpublished; gives b * log2(a)");
    case Unpublished::counting:
      return context_.unknown(what + ": whether it counts by lane or by byte is unpublished");
    case Unpublished::lane_mapping:
      return context_.unknown(what + ": its lane mapping is unpublished");
    case Unpublished::range:
      return context_.inferred(what + ": results out of range are unpublished");
    case Unpublished::wrapping:
      if (!may_wrap()) return;
      if (v_.bits == 32) return context_.inferred(what + ": the amount wraps at 32");
      return context_.unknown(what + ": how its amount wraps is unpublished");
    case Unpublished::condition: {
      const bool by_lane = v_.op->does == AluMeaning::select_by_lane;
      if (!outcome_.wrote_condition) context_.unknown(what + ": nothing before it in this bundle writes r31");
      if (!v_.is_vector && by_lane) context_.unknown(what + ": on a scalar unit it tests r31.x");
      if (v_.bits < 32 && !by_lane) context_.unknown(what + ": the part of r31.w tested is unpublished");
      return;
    }
  }
}

void InstructionLifter::note_doubts() {
  const std::string what = describe(v_);
  const unsigned enabled = lanes();
  const bool is_one_lane = (enabled & (enabled - 1)) == 0;
  const auto on_unit = static_cast<UnitMask>(1u << static_cast<unsigned>(v_.unit));
  if ((v_.op->units & on_unit) == 0) context_.inferred(what + ": no compiler puts it on this unit");
  if (v_.op->look_up) {
    context_.unknown(what + ": the hardware's tables are unpublished; computed exactly, then rounded");
    if (v_.op->does != AluMeaning::fatan2_first && !lanes_are_equal() && !is_one_lane) {
      context_.unknown(what + ": lanes select different components; computed lane by lane");
    }
  }
  note_unpublished(what);
  if (v_.op->is_horizontal() && !is_one_lane) context_.unknown(what + ": more than one lane takes the one result");
  if (v_.op->reduces > lane_count()) context_.unknown(what + ": there are fewer lanes than it combines");
  if (v_.is_shrunk() && v_.op->out == Kind::f && v_.op->does != AluMeaning::fmov)
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
        context_.unknown(what + ": inline constants of this lane width have not been observed");
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
