// Every row of every operation table: it is printed, read, explained, checked and executed, and what it computes is
// held to a statement of the operation made here, by name. A row without a statement fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "machines/midgard/bundles.h"
#include "machines/midgard/check/check.h"
#include "machines/midgard/lift_run.h"
#include "machines/midgard/machine.h"

namespace mobula::midgard {
namespace {

using Pattern = std::uint64_t;
__extension__ typedef __int128 Wide;

// ------------------------------------------------------------------------------------------------ text, explain, check

/// Whatever row a program of one word is made of: its text leads back to it, and the row is what is explained.
void expect_row_described(const Program& program, std::string_view spelled, std::string_view meaning) {
  const auto listing = machine().disassemble(program, {});
  ASSERT_TRUE(listing);
  EXPECT_NE(listing->text.find(spelled), std::string::npos) << spelled << " in\n" << listing->text;
  const auto back = machine().assemble({"row", listing->text}, {.syntax = {}, .variant = program.variant});
  ASSERT_TRUE(back) << listing->text << render(back.error());
  EXPECT_EQ(back->code, program.code) << listing->text;
  bool is_explained = false;
  for (const ExplainedWord& word : machine().explain(program))
    for (const ExplainedField& field : word.fields) is_explained |= field.meaning.find(meaning) != std::string::npos;
  EXPECT_TRUE(is_explained) << meaning;
  for (const Diagnostic& found : midgard::check(program))
    EXPECT_NE(found.severity, Severity::error) << found.code << ": " << found.message << '\n' << listing->text;
}

// ------------------------------------------------------------------------------------------------ numbers

constexpr int nearest = FE_TONEAREST, toward_zero = FE_TOWARDZERO, downward = FE_DOWNWARD, upward = FE_UPWARD;

/// The rounding mode of the host while it stands.
class Rounding {
 public:
  explicit Rounding(int mode) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};

constexpr Pattern ones(unsigned bits) { return bits == 64 ? ~Pattern{0} : (Pattern{1} << bits) - 1; }
constexpr std::int64_t as_signed(unsigned bits, Pattern value) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

double from_float(unsigned bits, Pattern pattern) {
  if (bits == 64) return std::bit_cast<double>(pattern);
  if (bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  const int exponent = static_cast<int>(pattern >> 10 & 31), fraction = static_cast<int>(pattern & 0x3FF);
  const double size = exponent == 31  ? fraction != 0 ? std::nan("") : HUGE_VAL
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (pattern & 0x8000) != 0 ? -size : size;
}

Pattern to_half(double value, int mode) {
  const Pattern sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7E00;
  if (std::isinf(value)) return sign | 0x7C00;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), -14);
  const Rounding rounding(mode);
  volatile double steps = std::ldexp(value, 10 - exponent);
  const double size = std::ldexp(std::fabs(std::nearbyint(steps)), exponent - 10);
  if (size > 65504) {
    const bool goes_out = mode == nearest || (mode == upward && sign == 0) || (mode == downward && sign != 0);
    return sign | (goes_out ? 0x7C00 : 0x7BFF);
  }
  if (size == 0) return sign;
  const int lowest = std::max(std::ilogb(size), -14);
  const auto fraction = static_cast<Pattern>(std::ldexp(size, 10 - lowest));
  return sign | (fraction < 1024 ? fraction : (static_cast<Pattern>(lowest + 15) << 10 | (fraction & 0x3FF)));
}

Pattern to_float(unsigned bits, double value, int mode = nearest) {
  if (bits == 64) return std::bit_cast<Pattern>(value);
  if (bits == 16) return to_half(value, mode);
  const Rounding rounding(mode);
  volatile double from = value;
  volatile auto narrow = static_cast<float>(from);
  return std::bit_cast<std::uint32_t>(static_cast<float>(narrow));
}

/// A sum or product of narrow floats, rounded once: first to odd in double, which is wide enough for that.
Pattern rounded(unsigned bits, int mode, const std::function<double()>& compute) {
  if (bits == 64) {
    const Rounding rounding(mode);
    return std::bit_cast<Pattern>(compute());
  }
  double value = 0;
  bool is_inexact = false;
  {
    const Rounding rounding(FE_TOWARDZERO);
    std::feclearexcept(FE_INEXACT);
    value = compute();
    is_inexact = std::fetestexcept(FE_INEXACT) != 0;
  }
  if (is_inexact && std::isfinite(value)) value = std::bit_cast<double>(std::bit_cast<Pattern>(value) | 1);
  if (value == 0) {
    const Rounding rounding(mode);
    value = compute();
  }
  return to_float(bits, value, mode);
}

// ------------------------------------------------------------------------------------------------ arithmetic:
// statements

/// What an operation gets: its sources lane by lane, and the lane asked for.
struct In {
  unsigned bits = 32, lanes = 4, lane = 0;
  std::array<Pattern, 16> a{}, b{}, condition{};
  Pattern condition_w = 0;        ///< the lowest bits of r31.w
  std::array<Pattern, 16> got{};  ///< what was computed, for statements that leave a choice

  [[nodiscard]] Pattern x() const { return a[lane]; }
  [[nodiscard]] Pattern y() const { return b[lane]; }
  [[nodiscard]] std::int64_t sx() const { return as_signed(bits, x()); }
  [[nodiscard]] std::int64_t sy() const { return as_signed(bits, y()); }
  [[nodiscard]] double fx() const { return from_float(bits, x()); }
  [[nodiscard]] double fy() const { return from_float(bits, y()); }
  [[nodiscard]] double fa(unsigned i) const { return from_float(bits, a[i]); }
  [[nodiscard]] double fb(unsigned i) const { return from_float(bits, b[i]); }
};

enum class Match : std::uint8_t {
  pattern,  ///< every bit
  number,   ///< every bit, but one NaN is as good as another
  value,    ///< the same, and so is one zero
  close     ///< two units in the last place
};
struct Statement {
  std::function<Pattern(const In&)> result;
  Match match = Match::pattern;
};
using Statements = std::map<std::string, Statement, std::less<>>;

Pattern yes_no(unsigned bits, bool holds) { return holds ? ones(bits) : 0; }

void state_floats(Statements& all) {
  const std::pair<const char*, int> modes[] = {
      {"", nearest}, {"_rte", nearest}, {"_rtz", toward_zero}, {"_rtn", downward}, {"_rtp", upward}};
  for (const auto& [suffix, mode] : modes) {
    const auto add = [&, m = mode, end = suffix](const std::string& name, auto statement) {
      all[name + end] = {[=](const In& in) { return statement(in, m); }, Match::number};
    };
    add("fadd", [](const In& in, int m) {
      return rounded(in.bits, m, [&] {
        volatile double x = in.fx(), y = in.fy();
        return x + y;
      });
    });
    add("fmul", [](const In& in, int m) {
      return rounded(in.bits, m, [&] {
        volatile double x = in.fx(), y = in.fy();
        return x * y;
      });
    });
    add("ffma", [](const In& in, int m) {
      return rounded(in.bits, m, [&] { return std::fma(in.fa(0), in.fa(1), in.fb(0)); });
    });
    const auto whole = [](const In& in, int m) {
      const Rounding rounding(m);
      return std::nearbyint(in.fx());
    };
    add("f2i", [=](const In& in, int m) -> Pattern {
      const double value = whole(in, m), limit = std::ldexp(1, static_cast<int>(in.bits) - 1);
      if (std::isnan(value)) return 0;
      if (value >= limit) return ones(in.bits) >> 1;
      if (value < -limit) return Pattern{1} << (in.bits - 1);
      return static_cast<Pattern>(static_cast<std::int64_t>(value)) & ones(in.bits);
    });
    add("f2u", [=](const In& in, int m) -> Pattern {
      const double value = whole(in, m);
      if (!(value > 0)) return 0;
      return value >= std::ldexp(1, static_cast<int>(in.bits)) ? ones(in.bits) : static_cast<Pattern>(value);
    });
    const auto joined = [](unsigned bits, int m, double high, double low) {
      return rounded(bits, m, [&] { return std::fma(high, 4294967296.0, low); });
    };
    add("i2f", [=](const In& in, int m) {
      return joined(in.bits, m, static_cast<double>(in.sx() >> 32), static_cast<double>(in.sx() & 0xFFFFFFFF));
    });
    add("u2f", [=](const In& in, int m) {
      return joined(in.bits, m, static_cast<double>(in.x() >> 32), static_cast<double>(in.x() & 0xFFFFFFFF));
    });
    all[std::string("fmov") + suffix] = {[](const In& in) { return in.y(); }};
  }
  const auto whole = [&](const char* name, auto function) {
    all[name] = {[=](const In& in) { return to_float(in.bits, function(in.fx())); }, Match::number};
  };
  whole("froundeven", [](double x) { return std::nearbyint(x); });
  whole("ftrunc", [](double x) { return std::trunc(x); });
  whole("ffloor", [](double x) { return std::floor(x); });
  whole("fceil", [](double x) { return std::ceil(x); });
  whole("froundaway", [](double x) { return std::round(x); });
  for (const bool absolute : {false, true})
    for (const bool keeps_nan : {false, true})
      for (const bool least : {false, true}) {
        const std::string name =
            std::string(absolute ? "fabs" : "f") + (least ? "min" : "max") + (keeps_nan ? "_nan" : "");
        all[name] = {[=](const In& in) {
                       const double x = absolute ? std::fabs(in.fx()) : in.fx();
                       const double y = absolute ? std::fabs(in.fy()) : in.fy();
                       if (std::isnan(x) || std::isnan(y))
                         return to_float(in.bits, keeps_nan ? std::nan("") : std::isnan(x) ? y : x);
                       return to_float(in.bits, (x < y) == least ? x : y);
                     },
                     Match::value};
      }
  // Each step of a dot product rounds (policy dot_product=sequential); argument reduction does nothing.
  for (const auto& [name, count] : {std::pair{"fdot3", 3u}, {"fdot3r", 3u}, {"fdot4", 4u}})
    all[name] = {[terms = count](const In& in) {
                   const auto product = [&](unsigned i) {
                     return from_float(in.bits, rounded(in.bits, nearest, [&] { return in.fa(i) * in.fb(i); }));
                   };
                   double sum = product(0);
                   for (unsigned i = 1; i < std::min(terms, in.lanes); ++i) {
                     const double next = product(i);
                     sum = from_float(in.bits, rounded(in.bits, nearest, [&] { return sum + next; }));
                   }
                   return to_float(in.bits, sum);
                 },
                 Match::number};
  all["freduce"] = {[](const In& in) { return in.x(); }};
}

using Compare = bool (*)(const In&, unsigned lane);

void state_comparisons(Statements& all) {
  const std::tuple<const char*, const char*, const char*, Compare> comparisons[] = {
      {"feq", "fball_eq", "fbany_eq", [](const In& in, unsigned i) { return in.fa(i) == in.fb(i); }},
      {"fne", "fball_neq", "fbany_neq", [](const In& in, unsigned i) { return !(in.fa(i) == in.fb(i)); }},
      {"flt", "fball_lt", "fbany_lt", [](const In& in, unsigned i) { return in.fa(i) < in.fb(i); }},
      {"fle", "fball_lte", "fbany_lte", [](const In& in, unsigned i) { return in.fa(i) <= in.fb(i); }},
      {"ieq", "iball_eq", "ibany_eq", [](const In& in, unsigned i) { return in.a[i] == in.b[i]; }},
      {"ine", "iball_neq", "ibany_neq", [](const In& in, unsigned i) { return in.a[i] != in.b[i]; }},
      {"ult", "uball_lt", "ubany_lt", [](const In& in, unsigned i) { return in.a[i] < in.b[i]; }},
      {"ule", "uball_lte", "ubany_lte", [](const In& in, unsigned i) { return in.a[i] <= in.b[i]; }},
      {"ilt", "iball_lt", "ibany_lt",
       [](const In& in, unsigned i) { return as_signed(in.bits, in.a[i]) < as_signed(in.bits, in.b[i]); }},
      {"ile", "iball_lte", "ibany_lte",
       [](const In& in, unsigned i) { return as_signed(in.bits, in.a[i]) <= as_signed(in.bits, in.b[i]); }},
  };
  for (const auto& [one, of_all, of_any, holds] : comparisons) {
    const auto count = [test = holds](const In& in) {
      unsigned number = 0;
      for (unsigned i = 0; i < std::min(4u, in.lanes); ++i) number += test(in, i) ? 1 : 0;
      return number;
    };
    all[one] = {[test = holds](const In& in) { return yes_no(in.bits, test(in, in.lane)); }};
    all[of_all] = {[=](const In& in) { return yes_no(in.bits, count(in) == std::min(4u, in.lanes)); }};
    all[of_any] = {[=](const In& in) { return yes_no(in.bits, count(in) != 0); }};
  }
}

Wide clamp_signed(Wide value, unsigned bits) {
  const Wide limit = Wide{1} << (bits - 1);
  return std::clamp(value, -limit, limit - 1);
}
Wide clamp_unsigned(Wide value, unsigned bits) { return std::clamp(value, Wide{0}, (Wide{1} << bits) - 1); }
/// Shift amounts wrap at the lane's width (policy shift_mask=lane).
int wrapped(Wide amount, unsigned bits) { return static_cast<int>(amount & (bits - 1)); }

void state_integers(Statements& all) {
  /// Of both sources as numbers without limits; the result is cut to the lane.
  const auto add = [&](const char* name, bool is_signed, Wide (*function)(Wide, Wide, unsigned)) {
    all[name] = {[=](const In& in) {
      const Wide x = is_signed ? Wide{in.sx()} : Wide{in.x()}, y = is_signed ? Wide{in.sy()} : Wide{in.y()};
      return static_cast<Pattern>(function(x, y, in.bits)) & ones(in.bits);
    }};
  };
  add("iadd", false, [](Wide a, Wide b, unsigned) { return a + b; });
  add("isub", false, [](Wide a, Wide b, unsigned) { return a - b; });
  add("ishladd", false, [](Wide a, Wide b, unsigned) { return 2 * a + b; });
  add("ishlsub", false, [](Wide a, Wide b, unsigned) { return 2 * a - b; });
  add("iaddsat", true, [](Wide a, Wide b, unsigned bits) { return clamp_signed(a + b, bits); });
  add("uaddsat", false, [](Wide a, Wide b, unsigned bits) { return clamp_unsigned(a + b, bits); });
  add("isubsat", true, [](Wide a, Wide b, unsigned bits) { return clamp_signed(a - b, bits); });
  add("usubsat", false, [](Wide a, Wide b, unsigned bits) { return clamp_unsigned(a - b, bits); });
  add("imul", true, [](Wide a, Wide b, unsigned) { return a * b; });
  add("imin", true, [](Wide a, Wide b, unsigned) { return a < b ? a : b; });
  add("umin", false, [](Wide a, Wide b, unsigned) { return a < b ? a : b; });
  add("imax", true, [](Wide a, Wide b, unsigned) { return a < b ? b : a; });
  add("umax", false, [](Wide a, Wide b, unsigned) { return a < b ? b : a; });
  add("iavg", true, [](Wide a, Wide b, unsigned) { return (a + b) >> 1; });
  add("uavg", false, [](Wide a, Wide b, unsigned) { return (a + b) >> 1; });
  add("iravg", true, [](Wide a, Wide b, unsigned) { return (a + b + 1) >> 1; });
  add("uravg", false, [](Wide a, Wide b, unsigned) { return (a + b + 1) >> 1; });
  add("iabsdiff", true, [](Wide a, Wide b, unsigned) { return a < b ? b - a : a - b; });
  add("uabsdiff", false, [](Wide a, Wide b, unsigned) { return a < b ? b - a : a - b; });
  add("iasr", true, [](Wide a, Wide b, unsigned bits) { return a >> wrapped(b, bits); });
  add("ilsr", false, [](Wide a, Wide b, unsigned bits) { return a >> wrapped(b, bits); });
  add("ishl", false, [](Wide a, Wide b, unsigned bits) { return a * (Wide{1} << wrapped(b, bits)); });
  add("ishlsat", true,
      [](Wide a, Wide b, unsigned bits) { return clamp_signed(a * (Wide{1} << wrapped(b, bits)), bits); });
  add("ushlsat", false, [](Wide a, Wide b, unsigned bits) {
    const Wide most = (Wide{1} << bits) - 1;
    return a > (most >> wrapped(b, bits)) ? most : a << wrapped(b, bits);
  });
  add("iand", false, [](Wide a, Wide b, unsigned) { return a & b; });
  add("ior", false, [](Wide a, Wide b, unsigned) { return a | b; });
  add("inand", false, [](Wide a, Wide b, unsigned) { return ~(a & b); });
  add("inor", false, [](Wide a, Wide b, unsigned) { return ~(a | b); });
  add("iandnot", false, [](Wide a, Wide b, unsigned) { return a & ~b; });
  add("iornot", false, [](Wide a, Wide b, unsigned) { return a | ~b; });
  add("ixor", false, [](Wide a, Wide b, unsigned) { return a ^ b; });
  add("inxor", false, [](Wide a, Wide b, unsigned) { return ~(a ^ b); });
  add("imov", false, [](Wide, Wide b, unsigned) { return b; });
  add("iclz", false, [](Wide a, Wide, unsigned bits) {
    Wide zeros = 0;
    while (zeros < bits && (a >> (bits - 1 - static_cast<unsigned>(zeros)) & 1) == 0) ++zeros;
    return zeros;
  });
  // In the whole lane (policy popcnt=lane).
  add("ipopcnt", false, [](Wide a, Wide, unsigned) {
    Wide number = 0;
    for (; a != 0; a >>= 1) number += a & 1;
    return number;
  });
  all["ichoose"] = {[](const In& in) { return in.a[in.y() % in.lanes]; }};
  // Lane i of the result comes from lane i of the sources (policy widening_mul=low-half).
  const auto product = [&](const char* name, bool a_signed, bool b_signed) {
    all[name] = {[=](const In& in) {
      const Wide x = a_signed ? Wide{in.sx()} : Wide{in.x()}, y = b_signed ? Wide{in.sy()} : Wide{in.y()};
      return static_cast<Pattern>(x * y) & ones(2 * in.bits);
    }};
  };
  product("iwmul", true, true);
  product("uwmul", false, false);
  product("iuwmul", true, false);
  for (const char* name : {"icsel_v", "fcsel_v"})
    all[name] = {[](const In& in) {
      const Pattern mask = in.condition[in.lane];
      return (in.x() & mask) | (in.y() & ~mask & ones(in.bits));
    }};
  // Narrow lanes test the lowest bits of r31.w (policy csel16_half=low), wide ones test it twice.
  for (const char* name : {"icsel", "fcsel"})
    all[name] = {[](const In& in) {
      const Pattern mask = (in.condition_w | in.condition_w << 32) & ones(in.bits);
      return (in.x() & mask) | (in.y() & ~mask & ones(in.bits));
    }};
}

void state_look_ups(Statements& all) {
  const auto add = [&](const char* name, long double (*function)(long double)) {
    all[name] = {[=](const In& in) {
                   return to_float(in.bits, static_cast<double>(function(static_cast<long double>(in.fx()))));
                 },
                 Match::close};
  };
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  add("frcp", [](long double x) { return 1 / x; });
  add("frsqrt", [](long double x) { return 1 / std::sqrt(x); });
  add("fsqrt", [](long double x) { return std::sqrt(x); });
  add("fexp2", [](long double x) { return std::exp2(x); });
  add("flog2", [](long double x) { return std::log2(x); });
  add("fsinpi", [](long double x) {
    const long double turn = std::fmod(x, 2.0L);
    return turn == std::trunc(turn) ? std::copysign(0.0L, x) : std::sin(pi * turn);
  });
  add("fcospi", [](long double x) {
    const long double turn = std::fmod(x, 2.0L), half = std::fabs(std::fmod(x, 1.0L));
    return half == 0.5L ? 0.0L : std::cos(pi * turn);
  });
  // The first step of a power is unknown: b * log2(a) (policy pow_step=product).
  for (const char* name : {"fpow_pt1", "fpown_pt1", "fpowr_pt1"})
    all[name] = {[](const In& in) {
                   const double log = from_float(in.bits, to_float(in.bits, std::log2(in.fx())));
                   return to_float(in.bits, in.fy() * log);
                 },
                 Match::close};
  // Components of the first step of an arc tangent: quarter turns in x, and z and w whose product is the tangent of the
  // rest. The second step makes the angle of them.
  all["fatan2_pt1"] = {[](const In& in) -> Pattern {
                         const double turns = from_float(in.bits, in.got[0]), minor = from_float(in.bits, in.got[2]),
                                      reciprocal = from_float(in.bits, in.got[3]);
                         if (std::isnan(in.fx()) || std::isnan(in.fy())) return in.lane == 1 ? in.got[0] : ~Pattern{0};
                         const double angle = turns * std::acos(-1.0) / 2 + std::atan(minor * reciprocal);
                         const bool holds = std::fabs(angle - std::atan2(in.fx(), in.fy())) < 1e-6 &&
                                            std::fabs(turns) <= 2 && turns == std::trunc(turns);
                         return in.lane == 1 ? in.got[0] : holds ? in.got[in.lane] : ~in.got[in.lane];
                       },
                       Match::number};
  all["fatan2_pt2"] = {
      [](const In& in) { return to_float(in.bits, in.fx() * std::acos(-1.0) / 2 + std::atan(in.fy())); }, Match::close};
}

const Statements& alu_statements() {
  static const Statements made = [] {
    Statements all;
    state_floats(all);
    state_comparisons(all);
    state_integers(all);
    state_look_ups(all);
    return all;
  }();
  return made;
}

// ------------------------------------------------------------------------------------------------ arithmetic: values

std::vector<Pattern> float_values(unsigned bits) {
  const unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
  const Pattern sign = Pattern{1} << (bits - 1), infinity = (ones(bits) >> 1) & ~ones(fraction);
  std::vector<Pattern> values{0,
                              1,
                              ones(fraction),
                              ones(fraction) + 1,
                              infinity - 1,
                              infinity,
                              infinity | 1,
                              infinity | Pattern{3} << (fraction - 1)};
  for (const double value : {0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 1000.0}) values.push_back(to_float(bits, value));
  values.push_back(to_float(bits, 1) + 1);
  values.push_back(to_float(bits, std::ldexp(1, static_cast<int>(std::min(bits, 40u)) - 9)) + 3);
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(values[i] | sign);
  return values;
}

std::vector<Pattern> integer_values(unsigned bits) {
  std::vector<Pattern> values{0, 1, 2, 3, 5, 7, bits - 1, bits, 100, 0x5555555555555555, 0x0123456789ABCDEF};
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(~values[i]);
  values.push_back(ones(bits) >> 1);
  values.push_back(Pattern{1} << (bits - 1));
  values.push_back((Pattern{1} << (bits - 1)) + 1);
  for (Pattern& value : values) value &= ones(bits);
  return values;
}

/// Sources for each thread: all pairs of values, lane after lane; of a horizontal operation, mixtures of lanes, some of
/// them equal.
std::vector<In> inputs_of(const AluOp& row, unsigned bits, unsigned lanes) {
  const std::vector<Pattern> values = row.in == Kind::f ? float_values(bits) : integer_values(bits);
  const std::size_t n = values.size();
  std::vector<In> all(row.is_horizontal() ? 600 : (n * n + lanes - 1) / lanes);
  for (std::size_t t = 0; t < all.size(); ++t) {
    In& in = all[t];
    in.bits = bits;
    in.lanes = lanes;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::size_t pair = (t * lanes + lane) % (n * n), other = t * 7 + lane * (t % 5 + 1) + t / n;
      in.a[lane] = values[row.is_horizontal() ? other % n : pair % n];
      in.b[lane] = values[row.is_horizontal() ? (t % 3 == 0 ? other : other * 5 + t / 2) % n : pair / n];
      in.condition[lane] = (0x9E3779B97F4A7C15 * (t * lanes + lane + 1)) & ones(bits);
    }
    if (!row.look_up) continue;
    in.a.fill(in.a[0]);
    in.b.fill(in.b[0]);
  }
  return all;
}

bool matches(Match match, unsigned bits, Pattern got, Pattern expected) {
  if (got == expected) return true;
  if (match == Match::pattern) return false;
  const double x = from_float(bits, got), y = from_float(bits, expected);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (match == Match::value) return x == y;
  if (match == Match::number) return false;
  const std::int64_t distance = as_signed(bits, got) - as_signed(bits, expected);
  return x != 0 && y != 0 && distance >= -2 && distance <= 2;
}

// ------------------------------------------------------------------------------------------------ arithmetic:
// execution

Pattern element(const std::array<std::uint32_t, 4>& words, unsigned bits, unsigned index) {
  if (bits == 64) return words[2 * index] | Pattern{words[2 * index + 1]} << 32;
  return words[index * bits / 32] >> (index * bits % 32) & ones(bits);
}
std::array<std::uint32_t, 4> packed(const std::array<Pattern, 16>& lanes, unsigned bits, unsigned count) {
  std::array<std::uint32_t, 4> words{};
  for (unsigned i = 0; i < count; ++i)
    for (unsigned bit = 0; bit < bits; bit += 8)
      words[(i * bits + bit) / 32] |= static_cast<std::uint32_t>(lanes[i] >> bit & 0xFF) << ((i * bits + bit) % 32);
  return words;
}

/// r2 = row(r0, r1) on a unit; a select's r31 is made of r3 before.
Program program_of_row(const AluOp& row, Unit unit, unsigned bits) {
  const unsigned neutral = row.out == Kind::f ? 0 : keeplo;
  const unsigned imov = 0x7B;
  std::vector<AluInstruction> instructions;
  if (row.is_select()) {
    instructions.push_back(
        vector_op(Unit::vmul, imov, RegMode::bits32, register_condition, {}, {.reg = 3}, {.outmod = keeplo}));
  }
  const bool first = !row.uses_source2, second = row.operands == 2 || row.uses_source2;
  if (info(unit).vector) {
    const unsigned swizzle = row.look_up ? xxxx : xyzw;
    V a{.swizzle = xxxx}, b{.swizzle = swizzle};
    if (first) a = {.reg = 0, .swizzle = swizzle};
    if (second)
      b.reg = 1;
    else
      b.constant = 0;
    const unsigned mask = row.is_horizontal() ? mask_of_lanes(bits, 1) : 0xFF;
    instructions.push_back(vector_op(unit, row.opcode, static_cast<RegMode>(std::countr_zero(bits) - 3), 2, a, b,
                                     {.outmod = neutral, .mask = mask}));
  } else {
    S a, b;
    if (first) a.reg = 0;
    if (second)
      b.reg = 1;
    else
      b.constant = 0;
    instructions.push_back(scalar_op(unit, row.opcode, {.reg = 2}, a, b, neutral));
  }
  return program_of({alu(std::move(instructions))});
}

void expect_computed(const AluOp& row, const Statement& statement, const Program& program, bool is_vector,
                     unsigned bits) {
  std::vector<In> inputs = inputs_of(row, bits, is_vector ? 128 / bits : 1);
  LiftRun run(program, {}, static_cast<std::uint32_t>(inputs.size()));
  const auto fill = [&](const char* name, std::uint32_t thread, const std::array<std::uint32_t, 4>& words) {
    for (unsigned i = 0; i < 4; ++i) run.set(std::string(name) + "." + "xyzw"[i], words[i], thread);
  };
  for (std::uint32_t t = 0; t < inputs.size(); ++t) {
    In& in = inputs[t];
    fill("r0", t, packed(in.a, bits, in.lanes));
    fill("r1", t, packed(in.b, bits, in.lanes));
    const auto condition = packed(in.condition, bits, in.lanes);
    fill("r3", t, condition);
    in.condition_w = condition[3];
  }
  run.run();
  ASSERT_EQ(run.fault(), "");
  const unsigned result_bits = row.widens ? 2 * bits : bits;
  for (std::uint32_t t = 0; t < inputs.size(); ++t) {
    In& in = inputs[t];
    std::array<std::uint32_t, 4> words{};
    for (unsigned i = 0; i < 4; ++i) words[i] = run.get(std::string("r2.") + "xyzw"[i], t);
    const unsigned count = row.is_horizontal() ? 1 : is_vector ? 128 / result_bits : 1;
    for (unsigned lane = 0; lane < count; ++lane) in.got[lane] = element(words, result_bits, lane);
    for (in.lane = 0; in.lane < count; ++in.lane) {
      const Pattern expected = statement.result(in);
      ASSERT_TRUE(matches(statement.match, result_bits, in.got[in.lane], expected))
          << row.name << " in " << bits << " bits, lane " << in.lane << std::hex << ": of " << in.x() << " and "
          << in.y() << " comes " << in.got[in.lane] << " and not " << expected;
    }
  }
}

/// Widths in which a vector unit has the operation; look-ups are for 32 bits.
std::vector<unsigned> widths_of(const AluOp& row) {
  if (row.look_up) return {32};
  if (row.widens) return {8, 16, 32};
  if (row.in == Kind::f || row.out == Kind::f) return {16, 32, 64};
  // One result needs one lane, and a mask bit enables two of 8 bits.
  if (row.is_horizontal()) return {16, 32, 64};
  return {8, 16, 32, 64};
}

/// Shuffles and reductions are of several lanes, of which a scalar unit has one.
bool has_scalar_form(const AluOp& row) { return row.name != "ichoose" && row.name != "freduce"; }

class AluRows : public testing::TestWithParam<AluOp> {};

TEST_P(AluRows, DoWhatTheyAreSaidToDo) {
  const AluOp& row = GetParam();
  const auto statement = alu_statements().find(row.name);
  ASSERT_NE(statement, alu_statements().end()) << row.name << " has no statement";
  for (unsigned i = 0; i < unit_count; ++i) {
    const Unit unit = static_cast<Unit>(i);
    if ((row.units >> i & 1) == 0 || (!info(unit).vector && !has_scalar_form(row))) continue;
    for (const unsigned bits : info(unit).vector ? widths_of(row) : std::vector<unsigned>{32}) {
      const Program program = program_of_row(row, unit, bits);
      expect_row_described(program, std::string(info(unit).name) + "." + std::string(row.mnemonic) + ".", row.meaning);
      expect_computed(row, statement->second, program, info(unit).vector, bits);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Midgard, AluRows, testing::ValuesIn(alu_ops),
                         [](const auto& row) { return std::string(row.param.name); });

// ------------------------------------------------------------------------------------------------ load/store

constexpr unsigned in_al0 = 0, in_al1 = 1;
constexpr std::uint64_t memory_base = 0x100000000;

/// A run of one load/store instruction: AL0.xy is the address of its memory, AL1 what is stored or combined.
LiftRun ls_run(const Ls& instruction) {
  LiftRun run(program_of({load_store(instruction)}));
  for (unsigned i = 0; i < 32; ++i) run.environment.memory[memory_base + i] = static_cast<std::uint8_t>(0x81 + 37 * i);
  run.set4("AL0", {0, 1, 7, 9}).set4("AL1", {0x11223384, 0x556677F8, 0x99AABBCC, 0xDDEEFF00});
  run.set4("r2", {0xA0, 0xA1, 0xA2, 0xA3});
  return run;
}
std::vector<std::uint8_t> memory_bytes() {
  std::vector<std::uint8_t> bytes;
  for (unsigned i = 0; i < 32; ++i) bytes.push_back(static_cast<std::uint8_t>(0x81 + 37 * i));
  return bytes;
}

/// How the operation is written, and what must be true when it has run.
struct LsStatement {
  Ls word;
  std::function<void(LiftRun&)> prepare;
  std::function<void(LiftRun&)> expect;
};
using LsStatements = std::map<std::string, LsStatement, std::less<>>;
using Words = std::array<std::uint32_t, 4>;

struct Moved {
  const char* suffix;
  unsigned bytes;
  bool is_signed;
  unsigned swap;
};
constexpr Moved moved_sizes[] = {
    {"u8", 1, false, 1},          {"i8", 1, true, 1},     {"u16", 2, false, 1},         {"i16", 2, true, 1},
    {"u16_be", 2, false, 2},      {"i16_be", 2, true, 2}, {"32", 4, false, 1},          {"32_bswap2", 4, false, 2},
    {"32_bswap4", 4, false, 4},   {"64", 8, false, 1},    {"64_bswap2", 8, false, 2},   {"64_bswap4", 8, false, 4},
    {"64_bswap8", 8, false, 8},   {"128", 16, false, 1},  {"128_bswap2", 16, false, 2}, {"128_bswap4", 16, false, 4},
    {"128_bswap8", 16, false, 8},
};
std::vector<std::uint8_t> swapped_bytes(std::vector<std::uint8_t> bytes, unsigned size, unsigned group) {
  bytes.resize(size);
  for (unsigned at = 0; at < size; at += group) std::reverse(bytes.begin() + at, bytes.begin() + at + group);
  return bytes;
}
Words words_of_bytes(const std::vector<std::uint8_t>& bytes, bool is_signed) {
  Words words{};
  for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 4] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
  if (bytes.size() < 4 && is_signed)
    words[0] = static_cast<std::uint32_t>(as_signed(static_cast<unsigned>(8 * bytes.size()), words[0]));
  return words;
}

void state_memory(LsStatements& all) {
  for (const Moved& size : moved_sizes) {
    const std::string suffix = size.suffix;
    const Words loaded = words_of_bytes(swapped_bytes(memory_bytes(), size.bytes, size.swap), size.is_signed);
    all["ld_" + suffix] = {{.reg = 2, .arg = in_al0, .toggle = true},
                           [](LiftRun&) {},
                           [=](LiftRun& run) { EXPECT_EQ(run.get4("r2"), loaded); }};
    all["ld_ubo_" + suffix] = {{.reg = 2, .arg = 5},
                               [](LiftRun& run) { run.environment.uniforms[5 << 2] = memory_bytes(); },
                               [=](LiftRun& run) { EXPECT_EQ(run.get4("r2"), loaded); }};
    const auto stored =
        swapped_bytes(bytes_of_words({0x11223384, 0x556677F8, 0x99AABBCC, 0xDDEEFF00}), size.bytes, size.swap);
    all["st_" + suffix] = {{.reg = in_al1, .arg = in_al0, .toggle = true},
                           [](LiftRun& run) { run.environment.memory.clear(); },
                           [=](LiftRun& run) {
                             EXPECT_EQ(run.environment.memory.size(), stored.size());
                             for (std::size_t i = 0; i < stored.size(); ++i)
                               EXPECT_EQ(run.environment.memory[memory_base + i], stored[i]) << i;
                           }};
  }
}

using Combine = Pattern (*)(unsigned bits, Pattern old, Pattern operand);

void state_atomics(LsStatements& all) {
  const std::pair<const char*, Combine> combinations[] = {
      {"add", [](unsigned, Pattern a, Pattern b) { return a + b; }},
      {"and", [](unsigned, Pattern a, Pattern b) { return a & b; }},
      {"or", [](unsigned, Pattern a, Pattern b) { return a | b; }},
      {"xor", [](unsigned, Pattern a, Pattern b) { return a ^ b; }},
      {"imin", [](unsigned bits, Pattern a, Pattern b) { return as_signed(bits, a) < as_signed(bits, b) ? a : b; }},
      {"umin", [](unsigned, Pattern a, Pattern b) { return a < b ? a : b; }},
      {"imax", [](unsigned bits, Pattern a, Pattern b) { return as_signed(bits, a) < as_signed(bits, b) ? b : a; }},
      {"umax", [](unsigned, Pattern a, Pattern b) { return a < b ? b : a; }},
      {"xchg", [](unsigned, Pattern, Pattern b) { return b; }},
      {"cmpxchg", [](unsigned, Pattern, Pattern b) { return b; }},  // the comparison holds here; below it does not
  };
  for (const auto& [op, combine] : combinations)
    for (const unsigned bits : {32u, 64u})
      for (const bool big_endian : {false, true}) {
        const bool compares = std::string_view(op) == "cmpxchg";
        const auto in_order = [=](Pattern value) {
          if (!big_endian) return value;
          Pattern turned = 0;
          for (unsigned i = 0; i < bits; i += 8) turned |= (value >> i & 0xFF) << (bits - 8 - i);
          return turned;
        };
        const Pattern old_value = 0x8000000180000001 & ones(bits), operand = 0x556677F811223384 & ones(bits);
        const Pattern expected = combine(bits, old_value, operand) & ones(bits);
        Ls word{.reg = 2, .mask = 3, .swizzle = in_al1 << 2, .arg = in_al0, .toggle = true};
        if (compares) word.index = in_al1, word.index_component = 2;
        all[std::string("atomic_") + op + "_" + std::to_string(bits) + (big_endian ? "_be" : "")] = {
            word,
            [=](LiftRun& run) {
              run.environment.poke(memory_base, in_order(old_value), bits / 8);
              run.set("AL1.z", static_cast<std::uint32_t>(old_value));
              run.set("AL1.w", static_cast<std::uint32_t>(old_value >> 32));
            },
            [=](LiftRun& run) {
              EXPECT_EQ(run.environment.peek(memory_base, bits / 8), in_order(expected));
              EXPECT_EQ(run.get("r2.x"), static_cast<std::uint32_t>(old_value));
              EXPECT_EQ(run.get("r2.y"), static_cast<std::uint32_t>(bits == 64 ? old_value >> 32 : old_value));
            }};
      }
}

/// An access to something outside that is known by a number: its kind, and what the data in registers are.
struct Typed {
  const char* name;
  ir::Service service;
  ir::Type type;
  std::uint32_t flags = 0;
};
constexpr std::uint32_t is_unsigned = ir::CallFlags::is_unsigned, raw = ir::CallFlags::raw;
constexpr Typed typed_loads[] = {
    {"ld_attr_32", ir::Service::attribute, ir::Type::f32},
    {"ld_attr_16", ir::Service::attribute, ir::Type::f16},
    {"ld_attr_32u", ir::Service::attribute, ir::Type::i32, is_unsigned},
    {"ld_attr_32i", ir::Service::attribute, ir::Type::i32},
    {"ld_vary_32", ir::Service::varying, ir::Type::f32},
    {"ld_vary_16", ir::Service::varying, ir::Type::f16},
    {"ld_vary_32u", ir::Service::varying, ir::Type::i32, is_unsigned},
    {"ld_vary_32i", ir::Service::varying, ir::Type::i32},
    {"ld_special_32f", ir::Service::load_special, ir::Type::f32},
    {"ld_special_16f", ir::Service::load_special, ir::Type::f16},
    {"ld_special_32u", ir::Service::load_special, ir::Type::i32, is_unsigned},
    {"ld_special_32i", ir::Service::load_special, ir::Type::i32},
    {"ld_image_32f", ir::Service::load_image, ir::Type::f32},
    {"ld_image_16f", ir::Service::load_image, ir::Type::f16},
    {"ld_image_32u", ir::Service::load_image, ir::Type::i32, is_unsigned},
    {"ld_image_32i", ir::Service::load_image, ir::Type::i32},
    {"ld_tilebuffer_32f", ir::Service::load_tile, ir::Type::f32},
    {"ld_tilebuffer_16f", ir::Service::load_tile, ir::Type::f16},
    {"ld_tilebuffer_raw", ir::Service::load_tile, ir::Type::i32, raw},
};
constexpr Typed typed_stores[] = {
    {"st_vary_32", ir::Service::store_varying, ir::Type::f32},
    {"st_vary_16", ir::Service::store_varying, ir::Type::f16},
    {"st_vary_32u", ir::Service::store_varying, ir::Type::i32, is_unsigned},
    {"st_vary_32i", ir::Service::store_varying, ir::Type::i32},
    {"st_special_32f", ir::Service::store_special, ir::Type::f32},
    {"st_special_16f", ir::Service::store_special, ir::Type::f16},
    {"st_special_32u", ir::Service::store_special, ir::Type::i32, is_unsigned},
    {"st_special_32i", ir::Service::store_special, ir::Type::i32},
    {"st_image_32f", ir::Service::store_image, ir::Type::f32},
    {"st_image_16f", ir::Service::store_image, ir::Type::f16},
    {"st_image_32u", ir::Service::store_image, ir::Type::i32, is_unsigned},
    {"st_image_32i", ir::Service::store_image, ir::Type::i32},
    {"st_tilebuffer_32f", ir::Service::store_tile, ir::Type::f32},
    {"st_tilebuffer_16f", ir::Service::store_tile, ir::Type::f16},
    {"st_tilebuffer_raw", ir::Service::store_tile, ir::Type::i32, raw},
};

/// Number 1 of each table; where there are coordinates, (7, 0) in AL0.z.
Ls typed_word(const Typed& one, unsigned reg) {
  Ls word{.reg = reg, .offset = table(1)};
  const bool is_image = one.service == ir::Service::load_image || one.service == ir::Service::store_image;
  const bool is_varying = one.service == ir::Service::varying || one.service == ir::Service::store_varying;
  if (is_image) word.arg = in_al0, word.arg_component = 2;
  if (is_varying) word.index_format = 2;  // the usual table of descriptors
  if (one.service == ir::Service::load_tile || one.service == ir::Service::store_tile) {
    word.offset = 0;
    word.arg = 0;
    word.index = 0, word.index_component = 1;  // target 1, sample 0
  }
  return word;
}

void state_typed(LsStatements& all) {
  const auto expect_call = [](LiftRun& run, const Typed& one) -> const TestEnvironment::TypedCall& {
    EXPECT_EQ(run.environment.calls.size(), 1u);
    const TestEnvironment::TypedCall& call = run.environment.calls.at(0);
    EXPECT_EQ(call.call.service, one.service);
    EXPECT_EQ(call.call.type, one.type);
    EXPECT_EQ(call.call.flags, one.flags);
    EXPECT_EQ(call.number, 1u);
    const bool is_image = one.service == ir::Service::load_image || one.service == ir::Service::store_image;
    if (is_image) {
      EXPECT_EQ(call.at, (std::array<std::int32_t, 3>{7, 0, 0}));
    }
    return call;
  };
  for (const Typed& one : typed_loads) {
    const unsigned words = one.type == ir::Type::f16 ? 2 : 4;
    all[one.name] = {typed_word(one, 2),
                     [](LiftRun& run) {
                       TestEnvironment& e = run.environment;
                       e.attributes[1] = e.varyings[1] = e.specials[1] = e.images[1] = e.tile = memory_bytes();
                     },
                     [=](LiftRun& run) {
                       expect_call(run, one);
                       EXPECT_EQ(run.get4("r2"), words_of_bytes(swapped_bytes(memory_bytes(), 4 * words, 1), false));
                     }};
  }
  for (const Typed& one : typed_stores) {
    auto data = bytes_of_words({0x11223384, 0x556677F8, 0x99AABBCC, 0xDDEEFF00});
    if (one.type == ir::Type::f16) data.resize(8);
    all[one.name] = {typed_word(one, in_al1), [](LiftRun&) {},
                     [=](LiftRun& run) { EXPECT_EQ(expect_call(run, one).data, data); }};
  }
}

void state_registers(LsStatements& all) {
  const auto nothing = [](LiftRun&) {};
  const auto of_floats = [](LiftRun& run) { run.set4f("AL0", {-3, 2, 4, 8}); };
  all["ld_st_noop"] = {{}, nothing, [](LiftRun& run) { EXPECT_EQ(run.get("r2.x"), 0xA0u); }};
  all["lea"] = {{.reg = 2, .arg = in_al0, .toggle = true, .offset = 12}, nothing, [](LiftRun& run) {
                  EXPECT_EQ(run.get4("r2"), (Words{12, 1, 0, 0}));
                }};
  // The environment's address is image << 32 | x + 100 y.
  all["lea_image"] = {{.reg = 2, .arg = in_al0, .arg_component = 2, .offset = table(3)},
                      [](LiftRun& run) { run.set("AL0.z", 0x00020007); },
                      [](LiftRun& run) {
                        EXPECT_EQ(run.get4("r2"), (Words{207, 3, 0, 0}));
                      }};
  all["ldst_mov"] = {{.reg = 2, .swizzle = 0x1B, .arg = in_al1}, nothing, [](LiftRun& run) {
                       EXPECT_EQ(run.get4("r2"), (Words{0xDDEEFF00, 0x99AABBCC, 0x556677F8, 0x11223384}));
                     }};
  // The largest is z, so the face is +z (4), the place on it (x / z + 1) / 2, (-y / z + 1) / 2.
  all["ld_cubemap_coords"] = {{.reg = 2, .arg = in_al0, .toggle = true}, of_floats, [](LiftRun& run) {
                                EXPECT_EQ(run.get("r2.x") & 7, 4u);
                                EXPECT_NEAR(run.getf("r2.x"), 0.125, 1e-6);
                                EXPECT_NEAR(run.getf("r2.y"), 0.25, 1e-6);
                              }};
  const std::pair<const char*, std::array<float, 4>> divisions[] = {
      {"ldst_perspective_div_y", {-1.5f, 1, 2, 4}},
      {"ldst_perspective_div_z", {-0.75f, 0.5f, 1, 2}},
      {"ldst_perspective_div_w", {-0.375f, 0.25f, 0.5f, 1}}};
  for (const auto& [name, expected] : divisions)
    all[name] = {{.reg = 2, .arg = in_al0, .toggle = true}, of_floats, [numbers = expected](LiftRun& run) {
                   EXPECT_EQ(run.get4f("r2"), numbers);
                 }};
}

const LsStatements& ls_statements() {
  static const LsStatements made = [] {
    LsStatements all;
    state_memory(all);
    state_atomics(all);
    state_typed(all);
    state_registers(all);
    return all;
  }();
  return made;
}

/// Operations that stop, and what they say.
const std::map<std::string_view, std::string> stops = [] {
  std::map<std::string_view, std::string> all{{"trap", "TRAP with code 7"}};
  for (const char* name : {"unpack_colour_f32", "unpack_colour_f16", "unpack_colour_u32", "unpack_colour_s32",
                           "pack_colour_f32", "pack_colour_f16", "pack_colour_u32", "pack_colour_s32"})
    all[name] = "the meaning of pixel format specifier 0x70 is not known";
  return all;
}();

class LsRows : public testing::TestWithParam<LsOp> {};

TEST_P(LsRows, DoWhatTheyAreSaidToDo) {
  const LsOp& row = GetParam();
  const auto stop = stops.find(row.name);
  const auto statement = ls_statements().find(row.name);
  ASSERT_NE(stop == stops.end(), statement == ls_statements().end()) << row.name << " has no statement, or two";
  Ls word = stop != stops.end() ? Ls{.reg = 2, .arg = in_al0, .offset = 7} : statement->second.word;
  word.op = row.opcode;
  expect_row_described(program_of({load_store(word)}), row.mnemonic, row.meaning);
  LiftRun run = ls_run(word);
  if (stop != stops.end()) {
    EXPECT_NE(run.run().fault().find(stop->second), std::string::npos) << run.fault();
    return;
  }
  statement->second.prepare(run);
  ASSERT_EQ(run.run().fault(), "");
  statement->second.expect(run);
}

INSTANTIATE_TEST_SUITE_P(Midgard, LsRows, testing::ValuesIn(ls_ops),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Rows, AnExchangeThatComparesUnequalStoresNothing) {
  for (const LsOp& row : ls_ops) {
    if (row.name.find("cmpxchg") == std::string_view::npos) continue;
    LiftRun run =
        ls_run({.op = row.opcode, .reg = 2, .swizzle = in_al1 << 2, .arg = in_al0, .toggle = true, .index = in_al1});
    const Pattern before = run.environment.peek(memory_base, 8);
    ASSERT_EQ(run.run().fault(), "");
    EXPECT_EQ(run.environment.peek(memory_base, 8), before) << row.name;
  }
}

// ------------------------------------------------------------------------------------------------ texture

using TexRun = std::function<void(LiftRun&)>;
struct TexStatement {
  Tex word;
  TexRun expect;
};

const std::map<std::string_view, TexStatement>& tex_statements() {
  const auto of_texel = [](ir::Texture::Kind kind, bool implicit_lod, float lod) {
    return [=](LiftRun& run) {
      ASSERT_EQ(run.environment.texture_requests.size(), 4u);
      const TextureRequest& request = run.environment.texture_requests[0];
      EXPECT_EQ(request.op->kind, kind);
      EXPECT_EQ(request.op->implicit_lod, implicit_lod);
      EXPECT_EQ(kind == ir::Texture::Kind::fetch ? static_cast<float>(request.fetch_lod) : request.lod, lod);
      EXPECT_EQ(run.get4("TA0"), (Words{11, 12, 13, 14}));
    };
  };
  const auto of_numbers = [](std::array<float, 4> expected) {
    return [=](LiftRun& run) { EXPECT_EQ(run.get4f("TA0"), expected); };
  };
  // Threads of a quad lie side by side: x, then y. AT0 is (i * i, 3 i, 0, 1) of thread i.
  static const std::map<std::string_view, TexStatement> all{
      {"normal", {{.lod_integer = 2}, of_texel(ir::Texture::Kind::sample, true, 2)}},
      {"gradient", {{.op = tex_gradient, .lod_integer = 2}, of_texel(ir::Texture::Kind::sample, false, 2)}},
      {"fetch",
       {{.op = tex_fetch, .tag = tag_texture_vertex, .lod_fraction = 3}, of_texel(ir::Texture::Kind::fetch, false, 3)}},
      {"mov", {{.op = tex_mov, .in_swizzle = 0x1B, .sampler_type = 0}, of_numbers({1, 0, 0, 0})}},
      {"barrier",
       {{.op = tex_barrier, .mode = 0, .tag = tag_barrier, .sampler_type = 0},
        [](LiftRun& run) {
          EXPECT_EQ(run.environment.texture_requests.size(), 0u);
          const auto& operations = run.program().operations;
          EXPECT_TRUE(std::any_of(operations.begin(), operations.end(),
                                  [](const ir::Operation& each) { return each.op == ir::Op::barrier; }));
        }}},
      {"derivative", {{.op = tex_derivative, .mode = 0, .mask = 3}, of_numbers({1, 3, 0, 0})}},
      // d/dx is (1, 3) and d/dy (4, 6): the longer has the square 52, and the LOD is half its logarithm.
      {"grad_from_coords",
       {{.op = tex_grad_from_coords},
        [](LiftRun& run) {
          for (const float lod : run.get4f("TA0")) EXPECT_NEAR(lod, std::log2(52.0) / 2, 1e-5);
        }}},
      // The derivatives are the coordinates themselves: (0, 0) and (0, 1).
      {"grad_from_derivative", {{.op = tex_grad_from_derivative}, of_numbers({0, 0, 0, 0})}},
  };
  return all;
}

class TexRows : public testing::TestWithParam<TexOp> {};

TEST_P(TexRows, DoWhatTheyAreSaidToDo) {
  const TexOp& row = GetParam();
  const auto statement = tex_statements().find(row.name);
  ASSERT_NE(statement, tex_statements().end()) << row.name << " has no statement";
  const Tex& word = statement->second.word;
  ASSERT_EQ(word.op, opcode_of(row.does));
  const Program program = program_of({texture(word)});
  expect_row_described(program, row.mnemonic, row.meaning);
  LiftRun run(program, {}, 4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    run.setf("AT0.x", static_cast<float>(i * i), i).setf("AT0.y", static_cast<float>(3 * i), i);
    run.setf("AT0.z", 0, i).setf("AT0.w", 1, i);
  }
  run.environment.texel = {11, 12, 13, 14};
  ASSERT_EQ(run.run().fault(), "");
  statement->second.expect(run);
}

INSTANTIATE_TEST_SUITE_P(Midgard, TexRows, testing::ValuesIn(tex_ops),
                         [](const auto& row) { return std::string(row.param.name); });

// ------------------------------------------------------------------------------------------------ branches

/// What a thread whose condition holds does: which additions to r2.x it executes, of 1 after the branch and of 10 at
/// its target; how often it asks the world outside; how it ends.
struct BranchStatement {
  std::uint32_t sum_if_taken = 0, sum_if_not = 0;
  std::function<void(LiftRun&)> expect;
};

TEST(Rows, BranchesDoWhatTheyAreSaidToDo) {
  const auto nothing = [](LiftRun&) {};
  const std::map<std::string_view, BranchStatement> statements{
      {"uncond", {10, 10, nothing}},
      {"cond", {10, 11, nothing}},
      {"discard", {0, 11, [](LiftRun& run) { EXPECT_EQ(run.state(), LaneState::discarded); }}},
      {"tilebuffer", {10, 11, [](LiftRun& run) { EXPECT_EQ(run.environment.waits, 0u); }}},
      {"write",
       {10, 11,
        [](LiftRun& run) {
          ASSERT_EQ(run.environment.fragments.size(), 1u);
          EXPECT_EQ(run.environment.fragments[0].colour, (Words{0xFFFFFFFF, 5, 6, 7}));
        }}},
  };
  for (const FieldValue& row : value::branch_op) {
    const auto statement = statements.find(row.name);
    ASSERT_NE(statement, statements.end()) << row.name << " has no statement";
    const auto add = [](std::uint16_t number) {
      return alu({vector_op(Unit::vadd, 0x40, RegMode::bits32, 2, {.reg = 2}, {.constant = number},
                            {.outmod = keeplo, .mask = 0x03})});
    };
    // r31.w = r0.x; a branch by the tile buffer tests what the tile buffer says.
    const bool by_tile = row.name == "tilebuffer" || row.name == "write";
    for (const bool holds : {true, false}) {
      Branch branch{.op = static_cast<BranchMeaning>(row.value), .dest_tag = tag_alu_4, .call_mode = 1, .offset = 1};
      if (!by_tile && row.name != "uncond") branch.lut = 0xAAAA;
      const AluInstruction test =
          scalar_op(Unit::smul, 0x7B, {.reg = register_condition, .component = 3}, {}, {.reg = 0}, keeplo);
      const Program program = program_of({with(alu({test}), branch), add(1), add(10)});
      const auto listing = machine().disassemble(program, {});
      ASSERT_TRUE(listing);
      EXPECT_NE(listing->text.find("br." + std::string(row.name)), std::string::npos) << listing->text;
      const auto back = machine().assemble({"row", listing->text}, {});
      ASSERT_TRUE(back) << listing->text << render(back.error());
      EXPECT_EQ(back->code, program.code) << listing->text;
      LiftRun run(program);
      run.set4("r0", {holds ? 0xFFFFFFFF : 0, 5, 6, 7});
      if (holds) run.environment.waits = run.environment.retries = 1;
      ASSERT_EQ(run.run().fault(), "");
      EXPECT_EQ(run.get("r2.x"), holds ? statement->second.sum_if_taken : statement->second.sum_if_not) << row.name;
      if (holds) statement->second.expect(run);
    }
  }
}

}  // namespace
}  // namespace mobula::midgard
