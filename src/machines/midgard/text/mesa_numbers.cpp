#include "machines/midgard/text/mesa_numbers.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "core/text_buffer.h"
#include "machines/midgard/text/numbers.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

/// A number the constants hold, for one operand component.
enum class Notation : std::uint8_t { real, decimal, hexadecimal };

Notation notation(unsigned opcode) {
  if (input_kind(opcode) == Kind::f) return Notation::real;
  return is_bitwise(opcode) ? Notation::hexadecimal : Notation::decimal;
}

}  // namespace

char* put_mesa_real(char* out, double value) {
  if (std::isnan(value)) return put(out, std::signbit(value) ? std::string_view("-nan") : std::string_view("nan"));
  return std::to_chars(out, out + longest_mesa_number, value, std::chars_format::general, 6).ptr;
}

char* put_mesa_immediate(char* out, unsigned opcode, std::uint16_t constant) {
  out = put(out, '#');
  if (input_kind(opcode) == Kind::f) return put_mesa_real(out, std::bit_cast<double>(widen_half(constant, 64)));
  return put_decimal(out, constant);
}

char* put_mesa_constant(char* out, const std::array<std::uint32_t, 4>& constants, unsigned opcode, unsigned bits,
                        unsigned element, unsigned mod, bool widened) {
  const unsigned first_bit = bits * element;
  std::uint64_t value = constants[first_bit / 32] >> (first_bit % 32) & low_mask(bits);
  if (bits == 64) value |= std::uint64_t{constants[first_bit / 32 + 1]} << 32;
  if (bits == 8) {
    out = put_hex(out, value);
    if (mod != 0) out = put(put_decimal(put(out, " /* "), mod), " */");
    return out;
  }
  if (notation(opcode) == Notation::real) {
    double number = 0;
    if (bits == 16) number = std::bit_cast<double>(widen_half(static_cast<std::uint16_t>(value), 64));
    if (bits == 32) number = std::bit_cast<float>(static_cast<std::uint32_t>(value));
    if (bits == 64) number = std::bit_cast<double>(value);
    if ((mod & 1) != 0) number = std::fabs(number);
    return put_mesa_real(out, (mod & 2) != 0 ? -number : number);
  }
  const auto extension = static_cast<IntSourceMod>(mod);
  const bool shifted = widened && extension == IntSourceMod::lshift;
  if (shifted) value <<= bits;
  if (notation(opcode) == Notation::hexadecimal) return put_hex(out, value);
  const bool is_signed = input_kind(opcode) == Kind::i && !(widened && extension == IntSourceMod::zext);
  return is_signed ? put_signed(out, sign_extend(value, shifted ? 2 * bits : bits)) : put_decimal(out, value);
}

MesaSlots mesa_slots(unsigned opcode, unsigned lane_width, unsigned mask, unsigned expand) {
  const AluOp* row = find_alu_op(opcode);
  const unsigned bits = widens(expand) && lane_width > 8 ? lane_width / 2 : lane_width;
  const bool reduces = row != nullptr && row->reduces != 0;
  return {reduces ? (1u << row->reduces) - 1 : enabled_lanes(bits, mask), bits};
}

unsigned mesa_constant_element(unsigned lane_width, unsigned expand, unsigned swizzle, unsigned slot) {
  const bool widened = widens(expand), high = (expand & 1) != 0;
  if (lane_width == 64 && !widened) return selector(swizzle, 2 * slot) / 2;
  if (lane_width == 64) return high ? 2 + selector(swizzle, slot) / 2 : selector(swizzle, slot);
  if (lane_width == 32 && widened) return (high ? 4 : 0) + selector(swizzle, slot & 3);
  return lane_source(lane_width, expand, swizzle, lane_width == 16 && widened ? slot / 2 : slot).element;
}

}  // namespace mobula::midgard
