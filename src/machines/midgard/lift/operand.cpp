#include "machines/midgard/lift/operand.h"

#include <bit>
#include <cmath>

#include "machines/midgard/lift/state.h"

namespace mobula::midgard {
namespace {

using ir::Op;
using ir::Operand;
using ir::Type;

AluSource vector_source(const AluInstruction& instruction, const Field& field, unsigned reg) {
  const std::uint64_t bits = get(instruction.word, field);
  return {.reg = reg,
          .mod = static_cast<unsigned>(get(bits, vecsrc::mod)),
          .expand = static_cast<unsigned>(get(bits, vecsrc::expand)),
          .swizzle = static_cast<unsigned>(get(bits, vecsrc::swizzle))};
}

}  // namespace

AluView view(const AluInstruction& instruction) {
  AluView v;
  v.opcode = opcode_of(instruction);
  v.op = find_alu_op(v.opcode);
  v.unit = instruction.unit;
  v.is_vector = info(instruction.unit).vector;
  v.bits = lane_bits(instruction);
  v.dst = static_cast<unsigned>(get(instruction.registers, reg::dst));
  const auto src1 = static_cast<unsigned>(get(instruction.registers, reg::src1));
  const auto src2 = static_cast<unsigned>(get(instruction.registers, reg::src2));
  const std::uint64_t word = instruction.word;
  if (v.is_vector) {
    v.source = {vector_source(instruction, vec::src1, src1), vector_source(instruction, vec::src2, src2)};
    v.mask = static_cast<unsigned>(get(word, vec::mask));
    v.shrink = static_cast<Shrink>(get(word, vec::shrink));
    v.outmod = static_cast<unsigned>(get(word, vec::outmod));
  } else {
    const std::uint64_t bits2 = get(word, scalar::src2);
    v.source = {AluSource{.reg = src1,
                          .mod = static_cast<unsigned>(get(word, scalar::src1_mod)),
                          .full = get(word, scalar::src1_full) != 0,
                          .component = static_cast<unsigned>(get(word, scalar::src1_component))},
                AluSource{.reg = src2,
                          .mod = static_cast<unsigned>(get(bits2, scalarsrc::mod)),
                          .full = get(bits2, scalarsrc::full) != 0,
                          .component = static_cast<unsigned>(get(bits2, scalarsrc::component))}};
    v.shrink = get(word, scalar::full) != 0 ? Shrink::none : Shrink::lower;
    v.outmod = static_cast<unsigned>(get(word, scalar::outmod));
    v.dst_component = static_cast<unsigned>(get(word, scalar::component));
  }
  if (has_inline_constant(instruction)) {
    AluSource& source = v.source[1];
    // Of the modifier bits only the vector form keeps any beside the constant.
    source = {.mod = v.is_vector ? source.mod : 0, .is_inline = true, .constant = inline_constant(instruction)};
  }
  return v;
}

LaneSource AluView::element(unsigned index, unsigned lane) const {
  const AluSource& s = source[index];
  if (is_vector) return lane_source(bits, s.expand, s.swizzle, lane);
  if (s.full) return {static_cast<std::uint8_t>(s.component / 2), 32};
  return {static_cast<std::uint8_t>(s.component), 16};
}

std::uint32_t widen_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 31, fraction = half & 0x3FF;
  if (exponent == 31) return fraction != 0 ? 0x7FC00000 : sign | 0x7F800000;
  if (exponent == 0) return sign | std::bit_cast<std::uint32_t>(std::ldexp(static_cast<float>(fraction), -24));
  return sign | (exponent + 112) << 23 | fraction << 13;
}

std::uint64_t widen_single(std::uint32_t single) {
  const auto value = std::bit_cast<float>(single);
  return std::isnan(value) ? 0x7FF8000000000000 : std::bit_cast<std::uint64_t>(static_cast<double>(value));
}

Type SourceLanes::lane_type() const {
  return is_float() ? float_type(instruction_.bits) : integer_type(instruction_.bits);
}

Type SourceLanes::half_type() const {
  return is_float() ? float_type(instruction_.bits / 2) : integer_type(instruction_.bits / 2);
}

Operand SourceLanes::operator()(unsigned lane) {
  const bool by_lane = source_.is_inline || instruction_.bits == 64;
  Operand& prepared = prepared_[by_lane ? lane : instruction_.element(index_, lane).element];
  if (prepared.is_none()) prepared = operand(modified(lane_value(lane)), lane_type());
  return prepared;
}

std::optional<Operand> SourceLanes::unwidened(unsigned lane) {
  constexpr auto lshift = static_cast<unsigned>(IntSourceMod::lshift);
  if (source_.is_inline || source_.mod == lshift) return std::nullopt;
  if (instruction_.bits == 64) {
    const WideLaneSource low = wide_lane_source(source_.expand, source_.swizzle, lane, 0);
    if (!widens(source_.expand) || low.high_word) return std::nullopt;
    return operand(element(32, low.element), half_type());
  }
  const LaneSource from = instruction_.element(index_, lane);
  if (from.bits == instruction_.bits) return std::nullopt;
  return operand(element(from.bits, from.element), half_type());
}

std::optional<std::uint64_t> SourceLanes::constant(unsigned lane) {
  if (!source_.is_inline && source_.reg != register_constants) return std::nullopt;
  return modified(lane_value(lane)).bits & low_mask(instruction_.bits);
}

bool SourceLanes::same(unsigned lane, unsigned other) const {
  if (source_.is_inline) return true;
  if (instruction_.bits == 64) return (source_.swizzle >> (4 * lane) & 15) == (source_.swizzle >> (4 * other) & 15);
  return instruction_.element(index_, lane).element == instruction_.element(index_, other).element;
}

SourceLanes::Value SourceLanes::inline_value() const {
  if (!is_float()) {
    return {.bits = static_cast<std::uint64_t>(sign_extend(source_.constant, 16)), .is_known = true};
  }
  if (instruction_.bits == 16) return {.bits = source_.constant, .is_known = true};
  const std::uint32_t single = widen_half(source_.constant);
  return {.bits = instruction_.bits == 32 ? single : widen_single(single), .is_known = true};
}

/// Element `index` of `bits` bits of the source register as it is in the bundle.
SourceLanes::Value SourceLanes::element(unsigned bits, unsigned index) const {
  const unsigned byte = index * bits / 8;
  const auto known = [&](std::uint64_t low, std::uint64_t high) {
    const std::uint64_t half = byte < 8 ? low : high;
    return Value{.bits = half >> (8 * (byte % 8)) & low_mask(bits), .is_known = true};
  };
  const auto in_state = [&](std::uint32_t base) { return Value{.at = Operand::state(base + byte)}; };
  switch (source_.reg) {
    case register_constants: {
      const auto& words = context_.bundle.constants;
      return known(words[0] | std::uint64_t{words[1]} << 32, words[2] | std::uint64_t{words[3]} << 32);
    }
    case register_condition:
      return byte < 8 ? known(context_.program_counter(), 0) : in_state(state::pc_sp);
    case register_tmp0:
    case register_tmp1:
      return in_state(state::temporary + (source_.reg - register_tmp0) * state::register_bytes);
    case register_texture0:
    case register_texture1:
      return in_state(state::texture_results(context_.product) +
                      (source_.reg - register_texture0) * state::register_bytes);
    default:
      if (source_.reg > last_uniform_register) return known(0, 0);  // unknown_registers=zero
      return in_state(state::work + source_.reg * state::register_bytes);
  }
}

SourceLanes::Value SourceLanes::lane_value(unsigned lane) {
  if (source_.is_inline) return inline_value();
  if (instruction_.bits == 64) return wide_lane_value(lane);
  const LaneSource from = instruction_.element(index_, lane);
  const Value value = element(from.bits, from.element);
  return from.bits == instruction_.bits ? value : widened(value);
}

/// The words of a 64-bit lane are selected one by one (2.6.2); normally they are the two words of one element.
SourceLanes::Value SourceLanes::wide_lane_value(unsigned lane) {
  const WideLaneSource low = wide_lane_source(source_.expand, source_.swizzle, lane, 0);
  const WideLaneSource high = wide_lane_source(source_.expand, source_.swizzle, lane, 1);
  if (!widens(source_.expand)) {
    if (low.element % 2 == 0 && high.element == low.element + 1) return element(64, low.element / 2);
    return joined(element(32, low.element), element(32, high.element));
  }
  const Value wide = widened(element(32, low.element));
  if (low.element == high.element && !low.high_word && high.high_word) return wide;
  const Value other = low.element == high.element ? wide : widened(element(32, high.element));
  return joined(word_of(wide, low.high_word), word_of(other, high.high_word));
}

SourceLanes::Value SourceLanes::widened(Value narrow) {
  if (!is_float()) return widened_integer(narrow);
  if (narrow.is_known) {
    narrow.bits = instruction_.bits == 32 ? widen_half(static_cast<std::uint16_t>(narrow.bits))
                                          : widen_single(static_cast<std::uint32_t>(narrow.bits));
    return narrow;
  }
  return {.at = context_.builder.convert(Op::f2f, lane_type(), half_type(), narrow.at)};
}

SourceLanes::Value SourceLanes::widened_integer(Value narrow) {
  ir::Builder& b = context_.builder;
  const unsigned half_bits = instruction_.bits / 2;
  auto mod = static_cast<IntSourceMod>(source_.mod);
  if (mod == IntSourceMod::replicate && context_.settings.is(PolicyId::replicate, "zero-extend")) {
    mod = IntSourceMod::zext;
  }
  if (narrow.is_known) {
    if (mod == IntSourceMod::sext) narrow.bits = static_cast<std::uint64_t>(sign_extend(narrow.bits, half_bits));
    if (mod == IntSourceMod::replicate) narrow.bits |= narrow.bits << half_bits;
    if (mod == IntSourceMod::lshift) narrow.bits <<= half_bits;
    return narrow;
  }
  if (mod == IntSourceMod::sext) return {.at = b.convert(Op::sext, lane_type(), half_type(), narrow.at)};
  const Operand low = b.convert(Op::zext, lane_type(), half_type(), narrow.at);
  if (mod == IntSourceMod::zext) return {.at = low};
  const Operand high = b.binary(Op::ishl, lane_type(), low, b.constant(lane_type(), half_bits));
  return {.at = mod == IntSourceMod::lshift ? high : b.binary(Op::ior, lane_type(), low, high)};
}

SourceLanes::Value SourceLanes::joined(Value low, Value high) {
  if (low.is_known && high.is_known) return {.bits = low.bits | high.bits << 32, .is_known = true};
  ir::Builder& b = context_.builder;
  const Operand both = b.temporary(Type::i64);
  b.emit(Op::mov, Type::i32, both, operand(low, Type::i32));
  b.emit(Op::mov, Type::i32, both.plus(4), operand(high, Type::i32));
  return {.at = both};
}

SourceLanes::Value SourceLanes::word_of(Value wide, bool high) {
  if (wide.is_known) return {.bits = wide.bits >> (high ? 32 : 0) & 0xFFFFFFFF, .is_known = true};
  return {.at = wide.at.plus(high ? 4 : 0)};
}

/// Float modifiers (2.6.1): absolute value, then negation. Those of integers act in widening.
SourceLanes::Value SourceLanes::modified(Value value) {
  if (!is_float()) return value;
  if (source_.is_inline && context_.settings.is(PolicyId::inline_modifier, "ignore")) return value;
  const bool is_absolute = (source_.mod & 1) != 0, is_negated = (source_.mod & 2) != 0;
  if (value.is_known) {
    const std::uint64_t sign = std::uint64_t{1} << (instruction_.bits - 1);
    if (is_absolute) value.bits &= ~sign;
    if (is_negated) value.bits ^= sign;
    return value;
  }
  if (is_absolute) value.at = context_.builder.unary(Op::fabs, lane_type(), value.at);
  if (is_negated) value.at = context_.builder.unary(Op::fneg, lane_type(), value.at);
  return value;
}

Operand SourceLanes::operand(Value value, Type type) {
  return value.is_known ? context_.builder.constant(type, value.bits) : value.at;
}

}  // namespace mobula::midgard
