#include "machines/midgard/text/numbers.h"

#include <bit>

#include "core/text_buffer.h"
#include "ir/rounding.h"

namespace mobula::midgard {
namespace {

constexpr ir::FloatFormat format_of_width(unsigned width) {
  return ir::format_of(width == 64 ? ir::Type::f64 : width == 32 ? ir::Type::f32 : ir::Type::f16);
}

/// Widens a half to `format`; the payload of a NaN keeps its place at the top.
std::uint64_t widen(std::uint16_t half, ir::FloatFormat format) {
  constexpr ir::FloatFormat from = format_of_width(16);
  if (!from.is_nan(half) && !from.is_infinite(half)) return ir::pack(format, ir::unpack(from, half), ir::Round::even);
  const std::uint64_t payload = from.magnitude(half) - from.infinity();
  return format.signed_infinity(from.is_negative(half)) | payload << (format.fraction_bits - from.fraction_bits);
}

}  // namespace

char* put_real(char* out, unsigned width, std::uint64_t pattern) {
  const ir::FloatFormat format = format_of_width(width);
  if (format.is_nan(pattern)) {
    if (format.magnitude(pattern) != format.quiet_nan()) return put_hex(out, pattern);
    return format.is_negative(pattern) ? put(out, "-nan") : put(out, "nan");
  }
  if (width == 64) return put_float(out, std::bit_cast<double>(pattern));
  if (width == 16) pattern = widen(static_cast<std::uint16_t>(pattern), format_of_width(32));
  return put_float(out, std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
}

std::uint64_t real_pattern(double value, unsigned width) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (width == 64) return bits;
  constexpr ir::FloatFormat from = format_of_width(64);
  const ir::FloatFormat to = format_of_width(width);
  const std::uint64_t sign = from.is_negative(bits) ? to.sign_bit() : 0;
  if (from.is_nan(bits)) return sign | to.quiet_nan();
  if (from.is_infinite(bits)) return sign | to.infinity();
  return ir::pack(to, ir::unpack(from, bits), ir::Round::even);
}

std::uint64_t infinity_pattern(unsigned width) { return format_of_width(width).infinity(); }

std::uint64_t widen_half(std::uint16_t half, unsigned width) {
  return width <= 16 ? half : widen(half, format_of_width(width));
}

std::optional<std::uint16_t> narrow_exactly(std::uint64_t pattern, unsigned width) {
  if (width <= 16) return static_cast<std::uint16_t>(pattern);
  const ir::FloatFormat from = format_of_width(width), to = format_of_width(16);
  std::uint64_t half = 0;
  if (from.is_nan(pattern) || from.is_infinite(pattern)) {
    const std::uint64_t payload = from.magnitude(pattern) - from.infinity();
    half = to.signed_infinity(from.is_negative(pattern)) |
           (payload >> (from.fraction_bits - to.fraction_bits) & (to.hidden_bit() - 1));
  } else {
    half = ir::pack(to, ir::unpack(from, pattern), ir::Round::even);
  }
  if (widen_half(static_cast<std::uint16_t>(half), width) != pattern) return std::nullopt;
  return static_cast<std::uint16_t>(half);
}

}  // namespace mobula::midgard
