#include "compile/evaluate/operations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace mobula::ssa {
namespace {

using U = std::uint32_t;
using S = std::int32_t;

[[noreturn]] void not_defined(Op op) {
  throw std::logic_error("the evaluator has no definition of " + std::string(name(op)));
}

float number(U bits) { return std::bit_cast<float>(bits); }
U bits_of(double value) { return std::bit_cast<U>(static_cast<float>(value)); }
U bits_of(float value) { return std::bit_cast<U>(value); }
S sign_of(S value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

U signed_of(double value) {
  if (std::isnan(value)) return 0;
  constexpr double least = std::numeric_limits<S>::min(), most = std::numeric_limits<S>::max();
  return static_cast<U>(static_cast<S>(std::clamp(std::trunc(value), least, most)));
}
U unsigned_of(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<U>(std::clamp(std::trunc(value), 0.0, static_cast<double>(std::numeric_limits<U>::max())));
}

// ------------------------------------------------------------------------------------------------ 16-bit floats

/// Rounded to nearest even.
U half_of(float value) {
  const U bits = bits_of(value), sign = bits >> 16 & 0x8000;
  if (std::isnan(value)) return sign | 0x7E00;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude >= 65520.0) return sign | 0x7C00;
  if (magnitude == 0) return sign;  // it has no first place
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The last place of a normal number lies 11 bits below its first, of smaller ones at 2^-24.
  const int last = std::max(exponent - 11, -24);
  const auto places = static_cast<U>(std::nearbyint(std::ldexp(magnitude, -last)));
  if (last == -24) return sign | places;  // a denormal, or the smallest normal number by its carry
  return sign | ((static_cast<U>(last + 24) << 10) + places);
}
float of_half(U half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const U places = half & 0x3FF;
  float magnitude = 0;
  if (exponent == 31)
    magnitude = places == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(places), -24);
  else
    magnitude = std::ldexp(static_cast<float>(places | 0x400), exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// ------------------------------------------------------------------------------------------------ floats

/// Of a in half turns. Reduction to a quarter turn is exact, so whole and half ones have the sines that they should.
double sine_of_half_turns(double a) {
  const double in_turn = std::remainder(a, 2.0);
  const double nearest = std::fabs(in_turn) > 0.5 ? std::copysign(1.0, in_turn) - in_turn : in_turn;
  return std::sin(std::numbers::pi * nearest);
}
double cosine_of_half_turns(double a) { return sine_of_half_turns(0.5 - std::fabs(std::remainder(a, 2.0))); }

double unary(Op op, double a) {
  switch (op) {
    case Op::frcp:
      return 1 / a;
    case Op::fsqrt:
      return std::sqrt(a);
    case Op::frsqrt:
      return 1 / std::sqrt(a);
    case Op::fexp:
      return std::exp(a);
    case Op::fexp2:
      return std::exp2(a);
    case Op::flog:
      return std::log(a);
    case Op::flog2:
      return std::log2(a);
    case Op::fsin:
      return std::sin(a);
    case Op::fcos:
      return std::cos(a);
    case Op::fsinpi:
      return sine_of_half_turns(a);
    case Op::fcospi:
      return cosine_of_half_turns(a);
    case Op::ftan:
      return std::tan(a);
    case Op::fasin:
      return std::asin(a);
    case Op::facos:
      return std::acos(a);
    case Op::fatan:
      return std::atan(a);
    case Op::fsinh:
      return std::sinh(a);
    case Op::fcosh:
      return std::cosh(a);
    case Op::ftanh:
      return std::tanh(a);
    case Op::fasinh:
      return std::asinh(a);
    case Op::facosh:
      return std::acosh(a);
    case Op::fatanh:
      return std::atanh(a);
    case Op::fsign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    case Op::ffloor:
      return std::floor(a);
    case Op::fceil:
      return std::ceil(a);
    case Op::ftrunc:
      return std::trunc(a);
    case Op::fround:
      return std::nearbyint(a);
    default:
      not_defined(op);
  }
}

float binary(Op op, float a, float b) {
  const double wide_a = a, wide_b = b;
  switch (op) {
    case Op::fadd:
      return a + b;
    case Op::fsub:
      return a - b;
    case Op::fmul:
      return a * b;
    case Op::fdiv:
      return a / b;
    case Op::fmod:
      return static_cast<float>(wide_a - wide_b * std::floor(wide_a / wide_b));
    case Op::frem:
      return std::fmod(a, b);
    case Op::fmin:
      return b < a || std::isnan(a) ? b : a;
    case Op::fmax:
      return a < b || std::isnan(a) ? b : a;
    case Op::fpow:
      return static_cast<float>(std::pow(wide_a, wide_b));
    case Op::fatan2:
      return static_cast<float>(std::atan2(wide_a, wide_b));
    default:
      not_defined(op);
  }
}

bool compare(Op op, U a, U b) {
  switch (op) {
    case Op::feq:
      return number(a) == number(b);
    case Op::fne:
      return number(a) != number(b);
    case Op::flt:
      return number(a) < number(b);
    case Op::fle:
      return number(a) <= number(b);
    case Op::fis_nan:
      return std::isnan(number(a));
    case Op::fis_inf:
      return std::isinf(number(a));
    case Op::ieq:
      return a == b;
    case Op::ine:
    case Op::bxor:
      return a != b;
    case Op::ilt_s:
      return static_cast<S>(a) < static_cast<S>(b);
    case Op::ilt_u:
      return a < b;
    case Op::ile_s:
      return static_cast<S>(a) <= static_cast<S>(b);
    case Op::ile_u:
      return a <= b;
    case Op::band:
      return (a & b) != 0;
    case Op::bor:
      return (a | b) != 0;
    case Op::bnot:
      return a == 0;
    default:
      not_defined(op);
  }
}

// ------------------------------------------------------------------------------------------------ integers

U field(U a, U first, U count, bool is_signed) {
  if (count == 0 || first > 31) return 0;
  count = std::min(count, 32 - first);
  const U high = a << (32 - first - count);
  return is_signed ? static_cast<U>(static_cast<S>(high) >> (32 - count)) : high >> (32 - count);
}
U with_field(U a, U b, U first, U count) {
  if (count == 0 || first > 31) return a;
  count = std::min(count, 32 - first);
  const U mask = (count == 32 ? ~U{0} : (U{1} << count) - 1) << first;
  return (a & ~mask) | (b << first & mask);
}
U reversed(U a) {
  U result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= (a >> i & 1) << (31 - i);
  return result;
}
U highest(U a) { return a == 0 ? ~U{0} : 31 - static_cast<U>(std::countl_zero(a)); }

/// A quotient by 0 is 0, and so is the remainder: GLSL leaves them open.
U divide(Op op, U a, U b) {
  if (b == 0) return 0;
  const std::int64_t sa = static_cast<S>(a), sb = static_cast<S>(b);
  switch (op) {
    case Op::idiv_s:
      return static_cast<U>(sa / sb);
    case Op::idiv_u:
      return a / b;
    case Op::irem_s:
      return static_cast<U>(sa % sb);
    case Op::irem_u:
      return a % b;
    case Op::imod_s: {
      const std::int64_t rest = sa % sb;
      return static_cast<U>(rest != 0 && (rest < 0) != (sb < 0) ? rest + sb : rest);
    }
    default:
      not_defined(op);
  }
}

U integer(Op op, U a, U b) {
  const std::int64_t sa = static_cast<S>(a), sb = static_cast<S>(b);
  switch (op) {
    case Op::ineg:
      return -a;
    case Op::iabs:
      return sa < 0 ? -a : a;
    case Op::isign:
      return static_cast<U>(sign_of(static_cast<S>(a)));
    case Op::iadd:
      return a + b;
    case Op::isub:
      return a - b;
    case Op::imul:
      return a * b;
    case Op::imulhi_s:
      return static_cast<U>(static_cast<std::uint64_t>(sa * sb) >> 32);
    case Op::imulhi_u:
      return static_cast<U>((std::uint64_t{a} * b) >> 32);
    case Op::imin_s:
      return sa < sb ? a : b;
    case Op::imin_u:
      return std::min(a, b);
    case Op::imax_s:
      return sa > sb ? a : b;
    case Op::imax_u:
      return std::max(a, b);
    case Op::iand:
      return a & b;
    case Op::ior:
      return a | b;
    case Op::ixor:
      return a ^ b;
    case Op::inot:
      return ~a;
    case Op::ishl:
      return a << (b & 31);
    case Op::ishr_s:
      return static_cast<U>(static_cast<S>(a) >> (b & 31));
    case Op::ishr_u:
      return a >> (b & 31);
    case Op::ireverse:
      return reversed(a);
    case Op::icount:
      return static_cast<U>(std::popcount(a));
    case Op::iclz:
      return static_cast<U>(std::countl_zero(a));
    case Op::ilowest:
      return a == 0 ? ~U{0} : static_cast<U>(std::countr_zero(a));
    case Op::ihighest_s:
      return highest(static_cast<S>(a) < 0 ? ~a : a);
    case Op::ihighest_u:
      return highest(a);
    default:
      not_defined(op);
  }
}

U convert(Op op, U a) {
  switch (op) {
    case Op::f_to_s:
      return signed_of(number(a));
    case Op::f_to_u:
      return unsigned_of(number(a));
    case Op::s_to_f:
      return bits_of(static_cast<double>(static_cast<S>(a)));
    case Op::u_to_f:
      return bits_of(static_cast<double>(a));
    case Op::f_half:
      return bits_of(of_half(half_of(number(a))));
    case Op::unpack_half_low:
      return bits_of(of_half(a & 0xFFFF));
    case Op::unpack_half_high:
      return bits_of(of_half(a >> 16));
    case Op::f_bits:
    case Op::f_of_bits:
      return a;
    default:
      not_defined(op);
  }
}

/// One component.
U scalar(Op op, U a, U b, U c, U d) {
  int exponent = 0;
  switch (op) {
    case Op::select:
      return a != 0 ? b : c;
    case Op::fneg:
      return a ^ 0x80000000;
    case Op::fabs:
      return a & 0x7FFFFFFF;
    case Op::ffma:
      return bits_of(std::fma(number(a), number(b), number(c)));
    case Op::fmantissa:
      return bits_of(std::frexp(number(a), &exponent));
    case Op::fexponent:
      if (std::isfinite(number(a))) std::frexp(number(a), &exponent);
      return static_cast<U>(exponent);
    case Op::fscale:
      return bits_of(std::ldexp(static_cast<double>(number(a)), std::clamp(static_cast<S>(b), -1000, 1000)));
    case Op::ibits_s:
    case Op::ibits_u:
      return field(a, b, c, op == Op::ibits_s);
    case Op::ibits_put:
      return with_field(a, b, c, d);
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
    case Op::fis_nan:
    case Op::fis_inf:
    case Op::ieq:
    case Op::ine:
    case Op::ilt_s:
    case Op::ilt_u:
    case Op::ile_s:
    case Op::ile_u:
    case Op::band:
    case Op::bor:
    case Op::bxor:
    case Op::bnot:
      return compare(op, a, b) ? 1 : 0;
    case Op::f_to_s:
    case Op::f_to_u:
    case Op::s_to_f:
    case Op::u_to_f:
    case Op::f_bits:
    case Op::f_of_bits:
    case Op::f_half:
    case Op::unpack_half_low:
    case Op::unpack_half_high:
      return convert(op, a);
    case Op::ineg:
    case Op::iabs:
    case Op::isign:
    case Op::iadd:
    case Op::isub:
    case Op::imul:
    case Op::imulhi_s:
    case Op::imulhi_u:
    case Op::imin_s:
    case Op::imin_u:
    case Op::imax_s:
    case Op::imax_u:
    case Op::iand:
    case Op::ior:
    case Op::ixor:
    case Op::inot:
    case Op::ishl:
    case Op::ishr_s:
    case Op::ishr_u:
    case Op::ireverse:
    case Op::icount:
    case Op::iclz:
    case Op::ilowest:
    case Op::ihighest_s:
    case Op::ihighest_u:
      return integer(op, a, b);
    case Op::idiv_s:
    case Op::idiv_u:
    case Op::irem_s:
    case Op::imod_s:
    case Op::irem_u:
      return divide(op, a, b);
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
    case Op::fmod:
    case Op::frem:
    case Op::fmin:
    case Op::fmax:
    case Op::fpow:
    case Op::fatan2:
      return bits_of(binary(op, number(a), number(b)));
    case Op::fsign:
    case Op::ffloor:
    case Op::fceil:
    case Op::ftrunc:
    case Op::fround:
    case Op::frcp:
    case Op::fsqrt:
    case Op::frsqrt:
    case Op::fexp:
    case Op::fexp2:
    case Op::flog:
    case Op::flog2:
    case Op::fsin:
    case Op::fcos:
    case Op::fsinpi:
    case Op::fcospi:
    case Op::ftan:
    case Op::fasin:
    case Op::facos:
    case Op::fatan:
    case Op::fsinh:
    case Op::fcosh:
    case Op::ftanh:
    case Op::fasinh:
    case Op::facosh:
    case Op::fatanh:
      return bits_of(unary(op, number(a)));
    // of whole vectors, or of what an instruction alone does not tell
    case Op::fdot:
    case Op::pack_half:
    case Op::bany:
    case Op::ball:
    case Op::ddx:
    case Op::ddy:
#define OP(name, ...) case Op::name:
#include "compile/ssa/ops_more.inc"
#undef OP
      break;
  }
  not_defined(op);
}

/// Those whose result is not made component by component.
bool whole(const Instruction& each, std::span<const Bits> in, std::span<const Type> types, Bits& out) {
  switch (each.op) {
    case Op::constant:
      out = each.data;
      return true;
    case Op::undefined:
      return true;
    case Op::compose: {
      std::size_t next = 0;
      for (std::size_t i = 0; i < in.size(); ++i)
        for (unsigned k = 0; k < types[i].components && next < out.size(); ++k) out[next++] = in[i][k];
      return true;
    }
    case Op::swizzle:
      for (unsigned i = 0; i < each.type.components; ++i) out[i] = in[0][each.data[i] & 3];
      return true;
    case Op::extract:
      out[0] = in[1][0] < types[0].components ? in[0][in[1][0]] : 0;
      return true;
    case Op::insert:
      out = in[0];
      if (in[2][0] < types[0].components) out[in[2][0]] = in[1][0];
      return true;
    case Op::fdot: {
      double sum = 0;
      for (unsigned i = 0; i < types[0].components; ++i) sum += double{number(in[0][i])} * number(in[1][i]);
      out[0] = bits_of(sum);
      return true;
    }
    case Op::bany:
    case Op::ball: {
      unsigned count = 0;
      for (unsigned i = 0; i < types[0].components; ++i) count += in[0][i] != 0 ? 1 : 0;
      out[0] = each.op == Op::bany ? count != 0 : count == types[0].components;
      return true;
    }
    case Op::pack_half:
      out[0] = half_of(number(in[0][0])) | half_of(number(in[0][1])) << 16;
      return true;
    default:
      return false;
  }
}

}  // namespace

Bits compute(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types) {
  Bits out{};
  if (whole(each, operands, types, out)) return out;
  const auto part = [&](std::size_t operand, unsigned component) {
    if (operand >= operands.size()) return U{0};
    return operands[operand][types[operand].components == 1 ? 0 : component];
  };
  for (unsigned i = 0; i < each.type.components; ++i)
    out[i] = scalar(each.op, part(0, i), part(1, i), part(2, i), part(3, i));
  return out;
}

}  // namespace mobula::ssa
