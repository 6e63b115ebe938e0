#include "execute/semantics.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace mobula::ir {
namespace {

__extension__ using Integer = __int128;

constexpr Type integer_types[] = {Type::i8, Type::i16, Type::i32, Type::i64};
constexpr Type float_types[] = {Type::f16, Type::f32, Type::f64};
constexpr Round all_roundings[] = {Round::even, Round::zero, Round::down, Round::up};

std::uint64_t mask_of(Type type) { return ~std::uint64_t{0} >> (64 - bits_of(type)); }

std::uint64_t run(Op op, Type type, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0,
                  Round round = Round::even) {
  return evaluate({.op = op, .type = type, .from = type, .round = round}, a, b, c);
}

std::uint64_t convert(Op op, Type to, Type from, std::uint64_t a, Round round = Round::even) {
  return evaluate({.op = op, .type = to, .from = from, .round = round}, a, 0, 0);
}

std::uint64_t f32(float value) { return std::bit_cast<std::uint32_t>(value); }

// ---- integers ----

/// Numbers of an integer type: the edges of its range and random ones.
std::vector<std::uint64_t> integer_samples(Type type, std::size_t random_count) {
  const std::uint64_t mask = mask_of(type), top = mask ^ (mask >> 1);
  std::vector<std::uint64_t> samples{0,  1,  2,  3,    7,        8,   15,      16,      31,
                                     32, 63, 64, mask, mask - 1, top, top - 1, top + 1, top / 2};
  std::mt19937_64 random(bits_of(type));
  for (std::size_t i = 0; i < random_count; ++i) samples.push_back((random() >> (random() % 64)) & mask);
  for (std::uint64_t& sample : samples) sample &= mask;
  return samples;
}

Integer as_signed(Type type, std::uint64_t bits) {
  const Integer value = bits;
  return (bits >> (bits_of(type) - 1)) & 1 ? value - (Integer{1} << bits_of(type)) : value;
}

Integer floor_divide(Integer a, Integer b) {
  const Integer quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

Integer magnitude(Integer value) { return value < 0 ? -value : value; }

/// The operands of one integer operation as numbers, and the limits of its type.
struct IntegerCase {
  Integer sa, sb, ua, ub, bits;
  [[nodiscard]] Integer power(Integer exponent) const {
    Integer result = 1;
    for (Integer i = 0; i < exponent; ++i) result *= 2;
    return result;
  }
  [[nodiscard]] Integer shift_factor() const { return power(ub % bits); }
  [[nodiscard]] Integer clamp_signed(Integer value) const {
    return std::clamp(value, -power(bits - 1), power(bits - 1) - 1);
  }
  [[nodiscard]] Integer clamp_unsigned(Integer value) const { return std::clamp(value, Integer{0}, power(bits) - 1); }
  /// A result made of the bits `table` gives for each pair of operand bits (a is the high bit of the index).
  [[nodiscard]] Integer bitwise(const char* table) const {
    Integer result = 0;
    for (int i = 0; i < static_cast<int>(bits); ++i) {
      const auto index = ((ua >> i) & 1) * 2 + ((ub >> i) & 1);
      if (table[static_cast<int>(index)] == '1') result |= Integer{1} << i;
    }
    return result;
  }
};

struct IntegerOp {
  Op op;
  std::function<Integer(const IntegerCase&)> reference;
};

const std::vector<IntegerOp>& integer_ops() {
  using Case = const IntegerCase&;
  static const std::vector<IntegerOp> ops{
      {Op::iadd, [](Case v) { return v.ua + v.ub; }},
      {Op::isub, [](Case v) { return v.ua - v.ub; }},
      {Op::imulhi_s,
       [](Case v) { return floor_divide(v.sa * v.sb, v.bits == 64 ? Integer{1} << 64 : v.power(v.bits)); }},
      {Op::iadd_sat_s, [](Case v) { return v.clamp_signed(v.sa + v.sb); }},
      {Op::iadd_sat_u, [](Case v) { return v.clamp_unsigned(v.ua + v.ub); }},
      {Op::isub_sat_s, [](Case v) { return v.clamp_signed(v.sa - v.sb); }},
      {Op::isub_sat_u, [](Case v) { return v.clamp_unsigned(v.ua - v.ub); }},
      {Op::imin_s, [](Case v) { return v.sa < v.sb ? v.sa : v.sb; }},
      {Op::imin_u, [](Case v) { return v.ua < v.ub ? v.ua : v.ub; }},
      {Op::imax_s, [](Case v) { return v.sa < v.sb ? v.sb : v.sa; }},
      {Op::imax_u, [](Case v) { return v.ua < v.ub ? v.ub : v.ua; }},
      {Op::iavg_s, [](Case v) { return floor_divide(v.sa + v.sb, 2); }},
      {Op::iavg_u, [](Case v) { return (v.ua + v.ub) / 2; }},
      {Op::iravg_s, [](Case v) { return floor_divide(v.sa + v.sb + 1, 2); }},
      {Op::iravg_u, [](Case v) { return (v.ua + v.ub + 1) / 2; }},
      {Op::iabsdiff_s, [](Case v) { return magnitude(v.sa - v.sb); }},
      {Op::iabsdiff_u, [](Case v) { return magnitude(v.ua - v.ub); }},
      {Op::ilsr, [](Case v) { return v.ua / v.shift_factor(); }},
      {Op::iasr, [](Case v) { return floor_divide(v.sa, v.shift_factor()); }},
      {Op::ishl_sat_s, [](Case v) { return v.clamp_signed(v.sa * v.shift_factor()); }},
      {Op::iand, [](Case v) { return v.bitwise("0001"); }},
      {Op::ior, [](Case v) { return v.bitwise("0111"); }},
      {Op::ixor, [](Case v) { return v.bitwise("0110"); }},
      {Op::inand, [](Case v) { return v.bitwise("1110"); }},
      {Op::inor, [](Case v) { return v.bitwise("1000"); }},
      {Op::inxor, [](Case v) { return v.bitwise("1001"); }},
      {Op::iandnot, [](Case v) { return v.bitwise("0010"); }},
      {Op::iornot, [](Case v) { return v.bitwise("1011"); }},
      {Op::ieq, [](Case v) { return -Integer{v.ua == v.ub}; }},
      {Op::ine, [](Case v) { return -Integer{v.ua != v.ub}; }},
      {Op::ilt_s, [](Case v) { return -Integer{v.sa < v.sb}; }},
      {Op::ile_s, [](Case v) { return -Integer{v.sa <= v.sb}; }},
      {Op::ilt_u, [](Case v) { return -Integer{v.ua < v.ub}; }},
      {Op::ile_u, [](Case v) { return -Integer{v.ua <= v.ub}; }},
  };
  return ops;
}

/// Operations whose exact result may need 128 unsigned bits.
__extension__ using Natural = unsigned __int128;
struct NaturalOp {
  Op op;
  std::function<Natural(Natural a, Natural b, unsigned bits)> reference;
};
const std::vector<NaturalOp>& natural_ops() {
  static const std::vector<NaturalOp> ops{
      {Op::imul, [](Natural a, Natural b, unsigned) { return a * b; }},
      {Op::imulhi_u, [](Natural a, Natural b, unsigned bits) { return a * b >> bits; }},
      {Op::ishl, [](Natural a, Natural b, unsigned bits) { return a << static_cast<unsigned>(b % bits); }},
      {Op::ishl_sat_u,
       [](Natural a, Natural b, unsigned bits) {
         return std::min(a << static_cast<unsigned>(b % bits), (Natural{1} << bits) - 1);
       }},
  };
  return ops;
}

void check_integer_pair(Type type, std::uint64_t a, std::uint64_t b) {
  const IntegerCase values{as_signed(type, a), as_signed(type, b), a, b, bits_of(type)};
  for (const IntegerOp& entry : integer_ops()) {
    const auto expected = static_cast<std::uint64_t>(entry.reference(values)) & mask_of(type);
    const std::uint64_t actual = run(entry.op, type, a, b);
    if (actual != expected) {
      FAIL() << info(entry.op).name << " " << name(type) << std::hex << " " << a << ", " << b << ": " << actual
             << ", expected " << expected;
    }
  }
  for (const NaturalOp& entry : natural_ops()) {
    const auto expected = static_cast<std::uint64_t>(entry.reference(a, b, bits_of(type))) & mask_of(type);
    const std::uint64_t actual = run(entry.op, type, a, b);
    if (actual != expected) {
      FAIL() << info(entry.op).name << " " << name(type) << std::hex << " " << a << ", " << b << ": " << actual
             << ", expected " << expected;
    }
  }
}

TEST(Semantics, IntegersOfEightBitsExhaustively) {
  for (std::uint64_t a = 0; a < 256; ++a) {
    for (std::uint64_t b = 0; b < 256 && !HasFatalFailure(); ++b) check_integer_pair(Type::i8, a, b);
  }
}

TEST(Semantics, WiderIntegers) {
  for (const Type type : {Type::i16, Type::i32, Type::i64}) {
    const auto samples = integer_samples(type, 80);
    for (const std::uint64_t a : samples) {
      for (const std::uint64_t b : samples) {
        if (!HasFatalFailure()) check_integer_pair(type, a, b);
      }
    }
  }
}

TEST(Semantics, IntegersOfOneOperand) {
  for (const Type type : integer_types) {
    for (const std::uint64_t a : integer_samples(type, 2000)) {
      std::uint64_t ones = 0, leading = 0;
      bool seen_one = false;
      for (int bit = static_cast<int>(bits_of(type)) - 1; bit >= 0; --bit) {
        const bool is_one = ((a >> bit) & 1) != 0;
        seen_one = seen_one || is_one;
        ones += is_one;
        leading += !seen_one;
      }
      ASSERT_EQ(run(Op::iclz, type, a, ~0ull), leading) << name(type) << " " << a;
      ASSERT_EQ(run(Op::ipopcnt, type, a, ~0ull), ones) << name(type) << " " << a;
      ASSERT_EQ(run(Op::inot, type, a, ~0ull), mask_of(type) - a);
      ASSERT_EQ(run(Op::mov, type, a, ~0ull), a);
    }
  }
}

TEST(Semantics, SelectIsAMuxOfBits) {
  EXPECT_EQ(run(Op::select, Type::i8, 0xF0, 0x0F, 0xAA), 0xA5u);
  EXPECT_EQ(run(Op::select, Type::f32, 0x7F800001, 0x12345678, 0xFFFFFFFF), 0x7F800001u);
  EXPECT_EQ(run(Op::select, Type::f32, 0x7F800001, 0x12345678, 0), 0x12345678u);
}

TEST(Semantics, IntegerConversions) {
  struct Entry {
    Op op;
    bool source_is_signed, narrows, saturates, result_is_signed;
  };
  constexpr Entry entries[] = {
      {Op::sext, true, false, false, false},   {Op::zext, false, false, false, false},
      {Op::trunc, false, true, false, false},  {Op::sat_s2s, true, true, true, true},
      {Op::sat_s2u, true, true, true, false},  {Op::sat_u2s, false, true, true, true},
      {Op::sat_u2u, false, true, true, false},
  };
  for (const Entry& entry : entries) {
    for (const Type from : integer_types) {
      for (const Type to : integer_types) {
        if (entry.narrows ? bits_of(from) < bits_of(to) : bits_of(from) > bits_of(to)) continue;
        for (const std::uint64_t a : integer_samples(from, 2000)) {
          Integer value = entry.source_is_signed ? as_signed(from, a) : Integer{a};
          if (entry.saturates) {
            const Integer limit = Integer{1} << (bits_of(to) - (entry.result_is_signed ? 1 : 0));
            value = std::clamp(value, entry.result_is_signed ? -limit : Integer{0}, limit - 1);
          }
          ASSERT_EQ(convert(entry.op, to, from, a), static_cast<std::uint64_t>(value) & mask_of(to))
              << info(entry.op).name << " " << name(from) << " to " << name(to) << " " << a;
        }
      }
    }
  }
}

// ---- floats, against MPFR ----

struct Layout {
  int fraction_bits, exponent_bits;
  std::uint64_t quiet_nan;
};
Layout layout(Type type) {
  if (type == Type::f16) return {10, 5, 0x7E00};
  if (type == Type::f32) return {23, 8, 0x7FC00000};
  return {52, 11, 0x7FF8000000000000};
}

/// Every number of every format is a double.
double value_of(Type type, std::uint64_t bits) {
  if (type == Type::f64) return std::bit_cast<double>(bits);
  if (type == Type::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const auto exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
  return (bits & 0x8000) != 0 ? -size : size;
}

/// Bits of a double that the format holds exactly; NaN is canonical.
std::uint64_t bits_of_value(Type type, double value) {
  if (std::isnan(value)) return layout(type).quiet_nan;
  if (type == Type::f64) return std::bit_cast<std::uint64_t>(value);
  if (type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (std::isinf(size)) return sign | 0x7C00;
  if (size < std::ldexp(1, -14)) return sign | static_cast<std::uint64_t>(std::ldexp(size, 24));
  const int exponent = std::ilogb(size);
  const auto biased = static_cast<std::uint64_t>(exponent + 14);  // one less: the hidden bit makes up for it
  return sign | ((biased << 10) + static_cast<std::uint64_t>(std::ldexp(size, 10 - exponent)));
}

mpfr_rnd_t rounding_of(Round round) {
  constexpr mpfr_rnd_t table[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};
  return table[static_cast<int>(round)];
}

/// A number of arbitrary precision that frees itself.
class Number {
 public:
  explicit Number(double value, mpfr_prec_t precision = 53) {
    mpfr_init2(value_, precision);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t value_;
};

/// Reference results of one float type.
class Reference {
 public:
  explicit Reference(Type type)
      : type_(type), result_(0, layout(type).fraction_bits + 1), max_exponent_(1 << (layout(type).exponent_bits - 1)) {}

  /// `compute(result, rounding)` sets result, rounded to its precision, and returns MPFR's ternary value.
  template <class Compute>
  std::uint64_t operator()(Round round, Compute compute) {
    const mpfr_rnd_t rounding = rounding_of(round);
    int ternary = compute(static_cast<mpfr_ptr>(result_), rounding);
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(3 - max_exponent_ - layout(type_).fraction_bits);
    mpfr_set_emax(max_exponent_);
    ternary = mpfr_check_range(result_, ternary, rounding);
    mpfr_subnormalize(result_, ternary, rounding);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return bits_of_value(type_, mpfr_get_d(result_, MPFR_RNDN));
  }

 private:
  Type type_;
  Number result_;
  mpfr_exp_t max_exponent_;
};

/// Zeros, denormals, the neighbours of every edge, halves, integer limits, infinities and NaNs.
std::vector<std::uint64_t> special_floats(Type type) {
  const Layout format = layout(type);
  const std::uint64_t infinity = format.quiet_nan & ~(1ull << (format.fraction_bits - 1));
  const std::uint64_t hidden = 1ull << format.fraction_bits;
  const std::uint64_t one = bits_of_value(type, 1);
  std::vector<std::uint64_t> samples{0,
                                     1,
                                     2,
                                     hidden / 2,
                                     hidden - 1,
                                     hidden,
                                     hidden + 1,
                                     infinity,
                                     infinity - 1,
                                     infinity + 1,
                                     format.quiet_nan,
                                     format.quiet_nan + 1,
                                     one,
                                     one - 1,
                                     one + 1};
  for (const double value : {0.25, 0.5, 1.5, 2.0, 2.5, 3.0, 3.5, 255.0, 1024.0, 2047.0, 2048.0, 32768.0, 65504.0}) {
    samples.push_back(bits_of_value(type, value));
  }
  const auto positive = samples.size();
  for (std::size_t i = 0; i < positive; ++i) samples.push_back(samples[i] | 1ull << (bits_of(type) - 1));
  return samples;
}

/// Random floats: any bits, few fraction bits, exponents close to those of 1 so that operands meet.
class RandomFloats {
 public:
  explicit RandomFloats(Type type) : type_(type), random_(bits_of(type)) {}
  std::uint64_t operator()() {
    std::uint64_t bits = random_() & mask_of(type_);
    const Layout format = layout(type_);
    const std::uint64_t kind = random_() % 4;
    if (kind & 1) bits &= ~((1ull << (random_() % format.fraction_bits)) - 1);
    if (kind & 2) {
      const std::uint64_t exponent = (1ull << (format.exponent_bits - 1)) - 8 + random_() % 16;
      const std::uint64_t exponent_mask = ((1ull << format.exponent_bits) - 1) << format.fraction_bits;
      bits = (bits & ~exponent_mask) | exponent << format.fraction_bits;
    }
    return bits;
  }

 private:
  Type type_;
  std::mt19937_64 random_;
};

void expect_same(Op op, Type type, Round round, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t actual,
                 std::uint64_t expected) {
  if (actual == expected) return;
  FAIL() << info(op).name << " " << name(type) << " " << name(round) << std::hex << " " << a << ", " << b << ", " << c
         << ": " << actual << ", expected " << expected;
}

class Arithmetic : public testing::TestWithParam<Type> {
 protected:
  const Type type = GetParam();
  Reference reference{type};
  RandomFloats random{type};

  void check_pair(std::uint64_t a, std::uint64_t b) {
    Number x(value_of(type, a)), y(value_of(type, b));
    for (const Round round : all_roundings) {
      const auto sum = reference(round, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_add(r, x, y, rnd); });
      expect_same(Op::fadd, type, round, a, b, 0, run(Op::fadd, type, a, b, 0, round), sum);
      const auto product = reference(round, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_mul(r, x, y, rnd); });
      expect_same(Op::fmul, type, round, a, b, 0, run(Op::fmul, type, a, b, 0, round), product);
    }
  }
  void check_triple(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    Number x(value_of(type, a)), y(value_of(type, b)), z(value_of(type, c));
    for (const Round round : all_roundings) {
      const auto fused = reference(round, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_fma(r, x, y, z, rnd); });
      expect_same(Op::ffma, type, round, a, b, c, run(Op::ffma, type, a, b, c, round), fused);
    }
  }
};

TEST_P(Arithmetic, SpecialValues) {
  const auto specials = special_floats(type);
  for (const std::uint64_t a : specials) {
    for (const std::uint64_t b : specials) {
      check_pair(a, b);
      for (std::size_t i = 0; i < specials.size(); i += 2) check_triple(a, b, specials[i]);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Arithmetic, RandomValues) {
  for (int i = 0; i < 60000 && !HasFatalFailure(); ++i) check_pair(random(), random());
  for (int i = 0; i < 60000 && !HasFatalFailure(); ++i) check_triple(random(), random(), random());
}

TEST_P(Arithmetic, FusedSumsThatCancel) {
  // c close to -(a * b): everything but the lowest bits of the product cancels.
  for (int i = 0; i < 40000 && !HasFatalFailure(); ++i) {
    const std::uint64_t a = random(), b = random();
    const std::uint64_t near = run(Op::fneg, type, run(Op::fmul, type, a, b)) + static_cast<std::uint64_t>(i % 3) - 1;
    check_triple(a, b, near & mask_of(type));
  }
}

TEST_P(Arithmetic, RoundToIntegral) {
  std::vector<std::uint64_t> samples = special_floats(type);
  if (type == Type::f16) {
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) samples.push_back(bits);
  } else {
    for (int i = 0; i < 50000; ++i) samples.push_back(random());
  }
  for (const std::uint64_t a : samples) {
    Number x(value_of(type, a));
    for (const Round round : all_roundings) {
      const auto expected = reference(round, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_rint(r, x, rnd); });
      expect_same(Op::fround, type, round, a, 0, 0, run(Op::fround, type, a, ~0ull, ~0ull, round), expected);
    }
    const auto away = reference(Round::even, [&](mpfr_ptr r, mpfr_rnd_t) { return mpfr_round(r, x); });
    expect_same(Op::fround_away, type, Round::even, a, 0, 0, run(Op::fround_away, type, a), away);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Arithmetic, FloatToFloat) {
  for (const Type from : float_types) {
    std::vector<std::uint64_t> samples = special_floats(from);
    RandomFloats numbers(from);
    for (int i = 0; i < 50000; ++i) samples.push_back(numbers());
    // Around the numbers of the result, and around the middle between two of them.
    for (int i = 0; i < 20000; ++i) {
      const double number = value_of(type, random());
      if (from != Type::f64) break;
      samples.push_back(bits_of_value(from, number) + static_cast<std::uint64_t>(i % 3) - 1);
      samples.push_back(bits_of_value(from, number * (1 + std::ldexp(1.0, -layout(type).fraction_bits - 1))));
    }
    for (const std::uint64_t a : samples) {
      Number x(value_of(from, a));
      for (const Round round : all_roundings) {
        const auto expected = reference(round, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_set(r, x, rnd); });
        expect_same(Op::f2f, type, round, a, 0, 0, convert(Op::f2f, type, from, a, round), expected);
      }
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Arithmetic, IntegerToFloat) {
  for (const Type from : integer_types) {
    for (const std::uint64_t a : integer_samples(from, 20000)) {
      Number as_unsigned(0, 64), as_negative(0, 64);
      mpfr_set_uj(as_unsigned, a, MPFR_RNDN);
      mpfr_set_sj(as_negative, static_cast<std::int64_t>(as_signed(from, a)), MPFR_RNDN);
      for (const Round round : all_roundings) {
        const auto u = reference(round, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_set(r, as_unsigned, rnd); });
        expect_same(Op::u2f, type, round, a, 0, 0, convert(Op::u2f, type, from, a, round), u);
        const auto s = reference(round, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_set(r, as_negative, rnd); });
        expect_same(Op::i2f, type, round, a, 0, 0, convert(Op::i2f, type, from, a, round), s);
      }
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Arithmetic, FloatToInteger) {
  for (const Type to : integer_types) {
    std::vector<std::uint64_t> samples = special_floats(type);
    for (int i = 0; i < 20000; ++i) samples.push_back(random());
    for (const double edge : {7.0, 8.0, 15.0, 16.0, 31.0, 32.0, 63.0, 64.0}) {
      const double limit = std::exp2(edge);
      for (const double value : {limit, limit - 0.5, limit - 1, limit - 1.5, limit + 0.5}) {
        for (const double sign : {1.0, -1.0}) {
          samples.push_back(convert(Op::f2f, type, Type::f64, std::bit_cast<std::uint64_t>(sign * value)));
        }
      }
    }
    for (const std::uint64_t a : samples) {
      const double value = value_of(type, a);
      for (const Round round : all_roundings) {
        Number integral(0, 128);
        mpfr_set_d(integral, value, MPFR_RNDN);
        mpfr_rint(integral, integral, rounding_of(round));
        // MPFR saturates to 64 bits, with 0 for NaN; the rest is clamping.
        const Integer s = mpfr_nan_p(static_cast<mpfr_ptr>(integral)) ? 0 : Integer{mpfr_get_sj(integral, MPFR_RNDZ)};
        const Integer u = mpfr_nan_p(static_cast<mpfr_ptr>(integral)) ? 0 : Integer{mpfr_get_uj(integral, MPFR_RNDZ)};
        const Integer limit = Integer{1} << (bits_of(to) - 1);
        expect_same(Op::f2i, type, round, a, 0, 0, convert(Op::f2i, to, type, a, round),
                    static_cast<std::uint64_t>(std::clamp(s, -limit, limit - 1)) & mask_of(to));
        expect_same(Op::f2u, type, round, a, 0, 0, convert(Op::f2u, to, type, a, round),
                    static_cast<std::uint64_t>(std::clamp(u, Integer{0}, 2 * limit - 1)) & mask_of(to));
      }
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Arithmetic, ComparisonsAndMinima) {
  std::vector<std::uint64_t> samples = special_floats(type);
  for (int i = 0; i < 200; ++i) samples.push_back(random());
  const std::uint64_t ones = mask_of(type), nan = layout(type).quiet_nan;
  const auto is_less = [&](std::uint64_t a, std::uint64_t b) {
    const double x = value_of(type, a), y = value_of(type, b);
    return x < y || (x == y && std::signbit(x) && !std::signbit(y));
  };
  for (const std::uint64_t a : samples) {
    for (const std::uint64_t b : samples) {
      const double x = value_of(type, a), y = value_of(type, b);
      ASSERT_EQ(run(Op::feq, type, a, b), x == y ? ones : 0) << name(type) << " " << x << " " << y;
      ASSERT_EQ(run(Op::fne, type, a, b), x != y ? ones : 0) << name(type) << " " << x << " " << y;
      ASSERT_EQ(run(Op::flt, type, a, b), x < y ? ones : 0) << name(type) << " " << x << " " << y;
      ASSERT_EQ(run(Op::fle, type, a, b), x <= y ? ones : 0) << name(type) << " " << x << " " << y;
      const bool a_is_nan = std::isnan(x), b_is_nan = std::isnan(y);
      std::uint64_t low = is_less(a, b) ? a : b, high = is_less(a, b) ? b : a;
      ASSERT_EQ(run(Op::fmin_nan, type, a, b), a_is_nan || b_is_nan ? nan : low) << name(type) << " " << x << " " << y;
      ASSERT_EQ(run(Op::fmax_nan, type, a, b), a_is_nan || b_is_nan ? nan : high) << name(type) << " " << x << " " << y;
      if (a_is_nan) low = high = b_is_nan ? nan : b;
      if (b_is_nan) low = high = a_is_nan ? nan : a;
      ASSERT_EQ(run(Op::fmin, type, a, b), low) << name(type) << " " << x << " " << y;
      ASSERT_EQ(run(Op::fmax, type, a, b), high) << name(type) << " " << x << " " << y;
    }
  }
}

TEST_P(Arithmetic, SignsAndClamps) {
  std::vector<std::uint64_t> samples = special_floats(type);
  for (int i = 0; i < 5000; ++i) samples.push_back(random());
  const std::uint64_t sign = 1ull << (bits_of(type) - 1);
  for (const std::uint64_t a : samples) {
    const double x = value_of(type, a);
    ASSERT_EQ(run(Op::fneg, type, a), a ^ sign);
    ASSERT_EQ(run(Op::fabs, type, a), a & ~sign);
    ASSERT_EQ(run(Op::fclamp_pos, type, a), x > 0 ? a : 0) << x;
    ASSERT_EQ(run(Op::fclamp_unit, type, a), x >= 1 ? bits_of_value(type, 1) : x > 0 ? a : 0) << x;
    const std::uint64_t inner = x >= 1 ? bits_of_value(type, 1) : x > -1 ? a : bits_of_value(type, -1);
    ASSERT_EQ(run(Op::fclamp_signed, type, a), inner) << x;
  }
}

// ---- approximations ----

struct Approximation {
  Op op;
  std::function<int(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)> reference;
};
const std::vector<Approximation>& approximations() {
  static const std::vector<Approximation> list{
      {Op::frcp, [](mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rnd) { return mpfr_ui_div(r, 1, x, rnd); }},
      {Op::frsqrt,
       [](mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rnd) {
         const int ternary = mpfr_rec_sqrt(r, x, rnd);
         if (mpfr_zero_p(x)) mpfr_setsign(r, r, mpfr_signbit(x), rnd);  // 1 / sqrt(-0) is -inf
         return ternary;
       }},
      {Op::fsqrt, mpfr_sqrt},
      {Op::fexp2, mpfr_exp2},
      {Op::flog2, mpfr_log2},
      {Op::fsinpi, mpfr_sinpi},
      {Op::fcospi, mpfr_cospi},
  };
  return list;
}

/// Distance in representable numbers; 0 only for the same bits.
std::uint64_t distance(Type type, std::uint64_t a, std::uint64_t b) {
  const double x = value_of(type, a), y = value_of(type, b);
  if (std::isnan(x) || std::isnan(y) || std::signbit(x) != std::signbit(y)) return a == b ? 0 : ~0ull;
  return a > b ? a - b : b - a;
}

TEST(Semantics, HalfPrecisionApproximationsAreCorrectlyRounded) {
  Reference reference(Type::f16);
  for (const Approximation& entry : approximations()) {
    for (std::uint64_t a = 0; a < 0x10000; ++a) {
      Number x(value_of(Type::f16, a));
      const auto expected =
          reference(Round::even, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return entry.reference(r, x, rnd); });
      expect_same(entry.op, Type::f16, Round::even, a, 0, 0, run(entry.op, Type::f16, a, ~0ull), expected);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Semantics, WiderApproximationsAreWithinOneUnitInTheLastPlace) {
  for (const Type type : {Type::f32, Type::f64}) {
    Reference reference(type);
    RandomFloats random(type);
    std::vector<std::uint64_t> samples = special_floats(type);
    for (int i = 0; i < 8000; ++i) samples.push_back(random());
    for (const Approximation& entry : approximations()) {
      const bool is_exact = entry.op == Op::frcp || entry.op == Op::fsqrt;
      for (const std::uint64_t a : samples) {
        Number x(value_of(type, a));
        const auto expected =
            reference(Round::even, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return entry.reference(r, x, rnd); });
        const std::uint64_t actual = run(entry.op, type, a, ~0ull);
        ASSERT_LE(distance(type, actual, expected), is_exact ? 0 : 1)
            << info(entry.op).name << " " << name(type) << " of " << value_of(type, a) << ": " << std::hex << actual
            << ", expected " << expected;
      }
    }
  }
}

/// atan2 as a program computes it: three steps, a product, the last step.
std::uint64_t atan2_in_steps(Type type, std::uint64_t y, std::uint64_t x, const FloatMode& mode = {}) {
  const auto step = [&](Op op, std::uint64_t a, std::uint64_t b) {
    return evaluate({.op = op, .type = type}, a, b, 0, mode);
  };
  const std::uint64_t tangent = step(Op::fmul, step(Op::fatan2_minor, y, x), step(Op::fatan2_recip, y, x));
  return step(Op::fatan2_final, step(Op::fatan2_base, y, x), tangent);
}

TEST(Semantics, ArcTangentInSteps) {
  for (const Type type : float_types) {
    Reference reference(type);
    RandomFloats random(type);
    std::vector<std::uint64_t> samples = special_floats(type);
    for (int i = 0; i < 60; ++i) samples.push_back(random());
    for (const std::uint64_t b : samples) {
      Number x(value_of(type, b));
      for (const std::uint64_t a : samples) {
        Number y(value_of(type, a));
        const auto expected =
            reference(Round::even, [&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_atan2(r, y, x, rnd); });
        ASSERT_LE(distance(type, atan2_in_steps(type, a, b), expected), 2u)
            << name(type) << " atan2(" << value_of(type, a) << ", " << value_of(type, b) << ")";
      }
    }
  }
}

TEST(Semantics, ArcTangentDoesNotNeedDenormals) {
  const FloatMode flush{.flush_denormals = true};
  EXPECT_EQ(atan2_in_steps(Type::f32, f32(0x1p127f), f32(0x1p127f), flush), f32(std::atan2(1.0f, 1.0f)));
  EXPECT_EQ(atan2_in_steps(Type::f32, f32(0x1p-126f), f32(-0x1p-126f), flush), f32(std::atan2(1.0f, -1.0f)));
}

// ---- denormals ----

TEST(FloatMode, FlushesDenormalOperandsAndResultsToZerosOfTheirSign) {
  const FloatMode flush{.flush_denormals = true};
  const std::uint64_t denormal = 1, negative = 0x80000001, smallest = 0x00800000, half = f32(0.5f), zero = 0;
  const auto f = [&](Op op, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
    return evaluate({.op = op, .type = Type::f32, .from = Type::f32}, a, b, c, flush);
  };
  EXPECT_EQ(f(Op::fadd, denormal, denormal), zero);
  EXPECT_EQ(f(Op::fadd, negative, negative), 0x80000000u);
  EXPECT_EQ(f(Op::fmul, smallest, half), zero);
  EXPECT_EQ(f(Op::fmul, smallest | 0x80000000, half), 0x80000000u);
  EXPECT_EQ(f(Op::ffma, half, smallest, zero), zero);
  EXPECT_EQ(f(Op::frcp, denormal), f32(INFINITY));
  EXPECT_EQ(f(Op::fmax, denormal, zero), zero);
  EXPECT_EQ(f(Op::fclamp_pos, denormal), zero);
  EXPECT_EQ(f(Op::feq, denormal, zero), 0xFFFFFFFFu);
  EXPECT_EQ(f(Op::flt, denormal, half), 0xFFFFFFFFu) << "the result of a comparison is not a float";
  EXPECT_EQ(f(Op::fadd, smallest, zero), smallest);
}

TEST(FloatMode, DoesNotTouchMovedBitsDoublesAndIntegers) {
  const FloatMode flush{.flush_denormals = true};
  for (const Op op : {Op::mov, Op::fabs}) EXPECT_EQ(evaluate({.op = op, .type = Type::f32}, 1, 0, 0, flush), 1u);
  EXPECT_EQ(evaluate({.op = Op::fneg, .type = Type::f16}, 1, 0, 0, flush), 0x8001u);
  EXPECT_EQ(evaluate({.op = Op::select, .type = Type::f32}, 1, 2, 1, flush), 3u);
  EXPECT_EQ(evaluate({.op = Op::fadd, .type = Type::f64, .from = Type::f64}, 1, 1, 0, flush), 2u);
  EXPECT_EQ(evaluate({.op = Op::iadd, .type = Type::i16, .from = Type::i16}, 1, 1, 0, flush), 2u);
}

TEST(FloatMode, FlushesBothSidesOfAConversion) {
  const FloatMode flush{.flush_denormals = true};
  EXPECT_EQ(evaluate({.op = Op::f2f, .type = Type::f32, .from = Type::f16}, 1, 0, 0, flush), 0u);
  EXPECT_EQ(evaluate({.op = Op::f2f, .type = Type::f16, .from = Type::f32}, f32(0x1p-15f), 0, 0, flush), 0u);
  EXPECT_EQ(evaluate({.op = Op::f2i, .type = Type::i32, .from = Type::f32, .round = Round::up}, 1, 0, 0, flush), 0u);
  EXPECT_EQ(evaluate({.op = Op::i2f, .type = Type::f32, .from = Type::i32}, 1, 0, 0, flush), f32(1));
}

std::string type_name(const testing::TestParamInfo<Type>& parameter) { return std::string(name(parameter.param)); }
INSTANTIATE_TEST_SUITE_P(Semantics, Arithmetic, testing::ValuesIn(float_types), type_name);

}  // namespace
}  // namespace mobula::ir
