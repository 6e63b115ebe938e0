#include "compile/passes/lower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>

#include "compile/build.h"
#include "compile/evaluation.h"

namespace mobula::test {
namespace {

using ssa::Base;
using ssa::Bits;
using ssa::Op;

float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

Base base_of(char letter) {
  switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'f':
      return Base::real;
    case 'b':
      return Base::boolean;
    default:
      return Base::integer;
  }
}

/// One operation of inputs "0", "1" ..., into "result"; operands that are given are constants.
ssa::Program program_of(Op op, std::uint8_t components, const std::map<std::size_t, Bits>& given = {}) {
  ssa::Program program;
  program.stage = Stage::fragment;
  program.blocks.resize(1);
  const auto make = [&](ssa::Instruction each) {
    each.result = static_cast<ssa::Value>(program.values.size());
    program.values.push_back(each.type);
    program.blocks[0].instructions.push_back(each);
    return each.result;
  };
  const auto type_of = [&](char letter) {
    const bool scalar = std::isupper(static_cast<unsigned char>(letter)) != 0;
    return ssa::Type{base_of(letter), scalar ? std::uint8_t{1} : components};
  };
  const std::string_view signature = ssa::signature(op);
  ssa::Instruction operation{.op = op, .type = type_of(signature[0])};
  for (std::size_t i = 2; i < signature.size(); ++i) {
    const ssa::Type type = type_of(signature[i]);
    if (const auto known = given.find(i - 2); known != given.end()) {
      operation.operands.push_back(make({.op = Op::constant, .type = type, .data = known->second}));
      continue;
    }
    const auto variable = static_cast<std::uint32_t>(program.variables.size());
    program.variables.push_back({"in", ssa::Storage::input, {{std::to_string(i - 2), type}}});
    operation.operands.push_back(make({.op = Op::load, .type = type, .variable = variable}));
  }
  const auto variable = static_cast<std::uint32_t>(program.variables.size());
  program.variables.push_back({"out", ssa::Storage::output, {{"result", operation.type}}});
  const ssa::Value result = make(operation);
  program.blocks[0].instructions.push_back({.op = Op::store, .operands = {result}, .variable = variable});
  return program;
}

// ------------------------------------------------------------------------------------------------ operands

/// Corners, numbers of everyday size, and any.
class Numbers {
 public:
  std::uint32_t next(Base base) {
    if (base == Base::boolean) return any() & 1;
    return base == Base::real ? real() : integer();
  }

 private:
  std::uint32_t real() {
    static const std::vector<float> corners{0,
                                            -0.0F,
                                            1,
                                            -1,
                                            0.5F,
                                            -0.5F,
                                            1.5F,
                                            2,
                                            2.5F,
                                            -2.5F,
                                            3,
                                            10,
                                            49,
                                            INFINITY,
                                            -INFINITY,
                                            NAN,
                                            0x1p-149F,
                                            0x1p-127F,
                                            -0x1p-130F,
                                            0x1p-126F,
                                            0x1p-25F,
                                            0x1p-24F,
                                            0x1.8p-24F,
                                            0x1p-14F,
                                            0x1.ffcp-15F,
                                            0x1p31F,
                                            -0x1p31F,
                                            0x1p32F,
                                            0x1.fffffep30F,
                                            0x1.fffffep31F,
                                            0x1p23F,
                                            0x1.000002p23F,
                                            0x1.fffffep22F,
                                            65504,
                                            65519,
                                            65520,
                                            65536,
                                            0x1.fffffep127F,
                                            -0x1.fffffep127F,
                                            0x1p100F};
    switch (any() % 4) {
      case 0:
        return bits_of(corners[any() % corners.size()]);
      case 1:
        return any();
      case 2:
        return bits_of(std::uniform_real_distribution<float>(-1, 1)(random_));
      default:
        return bits_of(std::uniform_real_distribution<float>(-100, 100)(random_));
    }
  }
  std::uint32_t integer() {
    switch (any() % 4) {
      case 0: {  // around powers of two
        const std::uint32_t power = 1U << any() % 32, by = any() % 3;
        return (any() % 2 == 0 ? power : -power) + by - 1;
      }
      case 1:
        return any();
      case 2:
        return any() >> any() % 32;
      default:
        return any() % 41 - 20;
    }
  }
  std::uint32_t any() { return static_cast<std::uint32_t>(random_()); }

  std::mt19937 random_{1};
};

using Row = std::vector<Bits>;  ///< of one lane

/// Rows of operands that an operation defines, more than a thousand.
std::vector<Row> rows_for(Op op, std::uint8_t components) {
  Numbers numbers;
  std::vector<Row> rows(components == 4 ? 4000 : 400);
  for (Row& row : rows) {
    for (const char letter : ssa::signature(op).substr(2)) {
      Bits& operand = row.emplace_back();
      const bool scalar = std::isupper(static_cast<unsigned char>(letter)) != 0;
      for (unsigned i = 0; i < (scalar ? 1U : components); ++i) operand[i] = numbers.next(base_of(letter));
    }
    // Fields lie within the 32 bits.
    const std::size_t first = op == Op::ibits_put ? 2 : 1;
    if (op == Op::ibits_put || op == Op::ibits_s || op == Op::ibits_u) {
      row[first][0] %= 33;
      row[first + 1][0] %= 33 - row[first][0];
    }
  }
  return rows;
}

// ------------------------------------------------------------------------------------------------ accuracy

/// What may differ: components of the operands, and the result as it is defined. NaN: anything may come out.
using Allowed = std::function<double(double a, double b, double result)>;

double last_place(double result) {
  return std::ldexp(1.0, std::max(std::ilogb(result == 0 ? 0x1p-149 : result), -126) - 23);
}
Allowed places(double count) {
  return [=](double, double, double result) { return count * last_place(result); };
}
Allowed places_or(double count, double absolute) {
  return [=](double, double, double result) { return std::max(count * last_place(result), absolute); };
}

bool is_normal(double a) { return a == 0 || std::isinf(a) || std::fabs(a) >= 0x1p-126; }

const std::map<Op, Allowed>& accuracy() {
  static const std::map<Op, Allowed> all{
      // The reciprocal of greater divisors is no normal number, that of denormals infinite.
      {Op::fdiv,
       [](double, double b, double result) {
         return !is_normal(b) || (std::fabs(b) > 0x1p126 && !std::isinf(b)) ? NAN : 1.5 * last_place(result);
       }},
      {Op::ffma,
       [](double a, double b, double result) {
         return std::fabs(a * b) < 0x1p128 ? last_place(a * b) + last_place(result) : NAN;
       }},
      {Op::fmin, [](double a, double b, double) { return std::isnan(a) || std::isnan(b) ? NAN : 0; }},
      {Op::fmax, [](double a, double b, double) { return std::isnan(a) || std::isnan(b) ? NAN : 0; }},
      {Op::fsqrt, places(2)},
      {Op::frsqrt, places(2)},
      {Op::fexp, places(120)},
      {Op::flog, places(2)},
      {Op::fpow,
       [](double a, double b, double result) {
         return a > 0 && std::isfinite(a * b) && result < 0x1.fffp127 ? 200 * last_place(result) : NAN;
       }},
      {Op::fsin, [](double a, double, double) { return std::fabs(a) > 1300 ? NAN : 0x1p-22 * (1 + std::fabs(a)); }},
      {Op::fcos, [](double a, double, double) { return std::fabs(a) > 1300 ? NAN : 0x1p-22 * (1 + std::fabs(a)); }},
      {Op::ftan,
       [](double a, double, double result) {
         const double of_angle = 0x1p-22 * (1 + std::fabs(a));
         return std::fabs(a) > 1300 || std::fabs(result) * of_angle > 0.01 ? NAN : 2 * of_angle * (1 + result * result);
       }},
      {Op::fasin, places(4)},
      {Op::facos, places_or(4, 0x1p-22)},
      {Op::fatan, places(16)},
      // Of two that are both no normal numbers the angle is that of 0, or any in its quadrant.
      {Op::fatan2,
       [](double a, double b, double result) {
         if ((a == 0 && b == 0) || std::isnan(result)) return static_cast<double>(NAN);
         return std::max(std::fabs(a), std::fabs(b)) < 0x1p-124 ? 1.6 : 16 * last_place(result) + 0x1p-126;
       }},
      {Op::fsinh, places(200)},
      {Op::fcosh, places(200)},
      {Op::ftanh, places(12)},
      {Op::fasinh, places(12)},
      {Op::facosh,
       [](double a, double, double result) { return a < 1 ? NAN : std::max(6 * last_place(result), 0x1p-21); }},
      {Op::fatanh, places(16)},
      {Op::fsinpi, places_or(0, 0x1p-21)},
      {Op::fcospi, places_or(0, 0x1p-21)},
  };
  return all;
}

/// Why one number is not as another; empty if it is.
std::string wrong(Op op, Base base, std::uint32_t expected, std::uint32_t found, double a, double b) {
  if (expected == found) return "";
  std::ostringstream text;
  if (base != Base::real) {
    text << std::hex << expected << " is expected, " << found << " found";
    return text.str();
  }
  const double want = number(expected), got = number(found);
  const auto row = accuracy().find(op);
  const double allowed = row == accuracy().end() ? 0 : row->second(a, b, want);
  if (std::isnan(allowed) || std::isnan(want) ? std::isnan(allowed) || std::isnan(got) : want == got) return "";
  if (std::isfinite(want) && std::fabs(got - want) <= allowed) return "";
  text << std::hexfloat << want << " is expected, " << got << " found, " << std::defaultfloat
       << std::fabs(got - want) / last_place(want) << " places beside it";
  return text.str();
}

/// All rows before and after lowering: the first few differences.
std::string differences(const ssa::Program& program, const ssa::Program& after, Op op, const std::vector<Row>& rows) {
  ssa::Evaluator one(program, 4), other(after, 4);
  const ssa::Type type = program.variables.back().slots[0].type;
  std::string text;
  int found = 0;
  for (std::size_t first = 0; first < rows.size() && found < 5; first += 4) {
    for (ssa::Evaluator* const each : {&one, &other}) {
      for (std::uint32_t lane = 0; lane < 4; ++lane)
        for (std::size_t i = 0; i < rows[first].size(); ++i)
          if (const auto place = each->find(std::to_string(i))) each->at(*place, lane) = rows[first + lane][i];
      EXPECT_EQ(each->run(), "");
    }
    for (std::uint32_t lane = 0; lane < 4; ++lane)
      for (unsigned i = 0; i < type.components; ++i) {
        const Row& row = rows[first + lane];
        const std::uint32_t b = row.size() > 1 ? row[1][i] : 0;
        const std::string what = wrong(op, type.base, one.at(*one.find("result"), lane)[i],
                                       other.at(*other.find("result"), lane)[i], number(row[0][i]), number(b));
        if (what.empty() || ++found > 5) continue;
        std::ostringstream of;
        of << ssa::name(op) << " of " << std::hex << row[0][i] << " (" << number(row[0][i]) << "), " << b << " ("
           << number(b) << ")";
        text += of.str() + ": " + what + '\n';
      }
  }
  return text;
}

/// Those whose operands are few, or that are compared in another way: they have tests of their own.
bool is_apart(Op op) {
  return op == Op::fmod || op == Op::frem || op == Op::fdot || op == Op::ddx || op == Op::ddy || op == Op::pack_half;
}

/// Where there is a choice of what to make a thing of.
ssa::Native other_native() {
  ssa::Native native = least_native();
  for (const Op op : {Op::fdiv, Op::fsqrt, Op::ffloor, Op::fsin, Op::fcos, Op::imulhi_s, Op::ihighest_u, Op::f_to_u})
    native.set(op);
  for (const Op op : {Op::frcp, Op::frsqrt, Op::fsinpi}) native.set(op, false);
  return native;
}
std::vector<ssa::Native> natives() { return {least_native(), rich_native(), other_native()}; }

std::size_t occurrences(const ssa::Program& program, Op op) {
  std::size_t found = 0;
  for (const ssa::Block& block : program.blocks)
    for (const ssa::Instruction& each : block.instructions) found += each.op == op ? 1 : 0;
  return found;
}

TEST(Lower, EveryOperationComputesWhatItIsDefinedAs) {
  for (const ssa::Native& native : natives())
    for (int number = 0; number < static_cast<int>(Op::constant); ++number)
      for (std::uint8_t components = 1; components <= 4; ++components) {
        const auto op = static_cast<Op>(number);
        if (is_apart(op)) continue;
        const ssa::Program before = program_of(op, components);
        EXPECT_EQ(differences(before, lowered(before, native), op, rows_for(op, components)), "");
      }
}

TEST(Lower, TwoFloatsArePacked) {
  for (const ssa::Native& native : natives()) {
    const ssa::Program before = program_of(Op::pack_half, 2);
    EXPECT_EQ(differences(before, lowered(before, native), Op::pack_half, rows_for(Op::pack_half, 2)), "");
  }
}

TEST(Lower, EveryHalfIsUnpacked) {
  std::vector<Row> rows;
  rows.reserve(0x10000);
  for (std::uint32_t half = 0; half < 0x10000; ++half) rows.push_back({{half << 16 | (half ^ 0x8421)}});
  for (const Op op : {Op::unpack_half_low, Op::unpack_half_high}) {
    const ssa::Program before = program_of(op, 1);
    EXPECT_EQ(differences(before, lowered(before, least_native()), op, rows), "");
  }
}

/// One row, all components.
Bits result_of(const ssa::Program& program, const Row& row) {
  ssa::Evaluator evaluator(program, 1);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (const auto place = evaluator.find(std::to_string(i))) evaluator.at(*place) = row[i];
  EXPECT_EQ(evaluator.run(), "");
  return evaluator.at(*evaluator.find("result"));
}

TEST(Lower, ProductsOfComponentsAreSummed) {
  ssa::Native native = rich_native();
  native.set(Op::fdot, false);
  for (std::uint8_t components = 1; components <= 4; ++components) {
    const ssa::Program before = program_of(Op::fdot, components), after = lowered(before, native);
    EXPECT_EQ(occurrences(after, Op::fmul), 1U) << "a vector at once";
    const Row row{{bits_of(2), bits_of(3), bits_of(5), bits_of(7)},
                  {bits_of(1), bits_of(-10), bits_of(100), bits_of(1000)}};
    EXPECT_EQ(result_of(after, row)[0], result_of(before, row)[0]);
  }
}

/// Remainders jump where the quotient is whole, and the quotient is rounded.
TEST(Lower, RemaindersOfFloats) {
  for (const ssa::Native& native : natives())
    for (const Op op : {Op::fmod, Op::frem}) {
      const ssa::Program before = program_of(op, 4), after = lowered(before, native);
      for (const Row& row : rows_for(op, 4)) {
        const Bits wanted = result_of(before, row), found = result_of(after, row);
        for (unsigned i = 0; i < 4; ++i) {
          const double a = number(row[0][i]), b = number(row[1][i]), want = number(wanted[i]), got = number(found[i]);
          const double quotient = std::fabs(a / b);
          if (!(quotient < 0x1p15) || std::fabs(b) < 0x1p-100 || std::fabs(b) > 0x1p100) continue;
          const double apart = std::fabs(got - want);
          EXPECT_LE(std::min(apart, std::fabs(apart - std::fabs(b))), std::fabs(b) * (1 + quotient) * 0x1p-22)
              << ssa::name(op) << ' ' << a << ' ' << b << ": " << want << " is expected, " << got << " found";
        }
      }
    }
}

TEST(Lower, MultiplesOfAKnownNumberHaveNoRemainder) {
  for (float divisor = 1; divisor < 200; ++divisor) {
    const std::uint32_t bits = bits_of(divisor);
    const ssa::Program after = lowered(program_of(Op::fmod, 1, {{1, {bits}}}), rich_native());
    EXPECT_EQ(occurrences(after, Op::frcp), 0U);
    for (float times = 0; times < 300; times += 7)
      EXPECT_EQ(number(result_of(after, {{bits_of(times * divisor)}})[0]), 0) << times << " times " << divisor;
  }
}

TEST(Lower, AKnownDivisorIsAFactor) {
  const ssa::Program after = lowered(program_of(Op::fdiv, 2, {{1, {bits_of(4), bits_of(-0.5F)}}}), rich_native());
  EXPECT_EQ(occurrences(after, Op::frcp), 0U);
  EXPECT_EQ(result_of(after, {{bits_of(3), bits_of(3)}}), (Bits{bits_of(0.75F), bits_of(-6)}));
}

// ------------------------------------------------------------------------------------------------ known divisors

/// Each divisor alone, and with others that want another way.
std::vector<Bits> divisors() {
  std::vector<Bits> all;
  const auto add = [&](std::uint32_t d) {
    all.push_back({d, d, d, d});
    all.push_back({d, 8, 3, 1});
    all.push_back({7, d, -d, 0});
  };
  for (std::uint32_t d = 0; d < 70; ++d) {
    add(d);
    add(-d);
  }
  for (unsigned i = 6; i < 32; ++i)
    for (const std::uint32_t by : {-1, 0, 1}) add((1U << i) + by);
  for (const std::uint32_t d : {100U, 641U, 1000U, 10000U, 1000000007U, 0x92492493U, 0xAAAAAAABU}) add(d);
  return all;
}

/// Where quotients are about to change: multiples and their neighbours.
Row near_multiples(const Bits& of, Numbers& numbers) {
  Bits a{};
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t any = numbers.next(Base::integer);
    a[i] = of[i] == 0 || numbers.next(Base::boolean) == 0 ? any : any / of[i] * of[i] - numbers.next(Base::boolean);
  }
  return {a};
}

TEST(Lower, QuotientsByKnownNumbersAreExact) {
  Numbers numbers;
  for (const Op op : {Op::idiv_s, Op::idiv_u, Op::irem_s, Op::irem_u, Op::imod_s})
    for (const Bits& each : divisors()) {
      const ssa::Program before = program_of(op, 4, {{1, each}}), after = lowered(before, rich_native());
      std::vector<Row> rows;
      rows.reserve(120);
      for (int i = 0; i < 120; ++i) rows.push_back(near_multiples(each, numbers));
      EXPECT_EQ(differences(before, after, op, rows), "")
          << "by " << each[0] << ' ' << each[1] << ' ' << each[2] << ' ' << each[3];
      EXPECT_EQ(occurrences(after, Op::frcp), 0U);
    }
}

TEST(Lower, QuotientsNearTheirChange) {
  Numbers numbers;
  for (const ssa::Native& native : natives())
    for (const Op op : {Op::idiv_s, Op::idiv_u, Op::irem_s, Op::irem_u, Op::imod_s}) {
      std::vector<Row> rows;
      for (int i = 0; i < 4000; ++i) {
        Bits b{};
        for (std::uint32_t& each : b) each = numbers.next(Base::integer);
        rows.push_back(near_multiples(b, numbers));
        rows.back().push_back(b);
      }
      const ssa::Program before = program_of(op, 4);
      EXPECT_EQ(differences(before, lowered(before, native), op, rows), "");
    }
}

// ------------------------------------------------------------------------------------------------ whole programs

TEST(Lower, WhatIsNativeStaysAsItIs) {
  const auto program =
      ssa_of("precision highp float; varying vec4 v; void main() { gl_FragColor = exp2(v) * v.yxwz; }");
  ASSERT_TRUE(program) << errors_of(program);
  const ssa::Program before = simplified(*program);
  EXPECT_EQ(ssa::print(lowered(before, rich_native())), ssa::print(before));
}

TEST(Lower, PreciseLineAndPrecisionGoOn) {
  ssa::Program program = program_of(Op::fdiv, 4);
  ssa::Instruction& division = program.blocks[0].instructions[2];
  division.precise = true;
  division.line = 14;
  division.type.relaxed = program.values[division.result].relaxed = true;
  const ssa::Program after = lowered(program, rich_native());
  bool any = false;
  for (const ssa::Instruction& each : after.blocks[0].instructions)
    if (each.op == Op::frcp || each.op == Op::fmul) {
      EXPECT_TRUE(each.precise);
      EXPECT_TRUE(each.type.relaxed);
      EXPECT_EQ(each.line, 14U);
      any = true;
    }
  EXPECT_TRUE(any);
}

TEST(Lower, BitsAreNotHadFromHalves) {
  ssa::Program program = program_of(Op::fmantissa, 4);
  ssa::Instruction& operation = program.blocks[0].instructions[1];
  operation.type.relaxed = program.values[operation.result].relaxed = true;
  const ssa::Program after = lowered(program, rich_native());
  std::size_t relaxed = 0;  // only the result may be
  for (const ssa::Instruction& each : after.blocks[0].instructions) relaxed += each.type.relaxed ? 1 : 0;
  EXPECT_LE(relaxed, 1U);
}

TEST(Lower, ALoopIsHandedWhatWasLowered) {
  const auto program = ssa_of(
      "#version 310 es\nprecision highp float; in vec4 v; uniform int n; out vec4 colour;\n"
      "void main() { vec4 a = v; for (int i = 0; isnan(a.x) || i / 3 < n; ++i) a = exp(-a);"
      " colour = a; }");
  ASSERT_TRUE(program) << errors_of(program);
  const ssa::Program before = simplified(*program);
  const ssa::Program after = lowered(before, least_native());
  Evaluation one(before), other(after);
  for (Evaluation* const each : {&one, &other}) {
    each->put("v", {0.5, -0.25, 0.1, 1});
    each->put("n", {1});
    EXPECT_EQ(each->evaluator.run(), "");
  }
  for (unsigned i = 0; i < 4; ++i) EXPECT_NEAR(one.get("colour", 0, i), other.get("colour", 0, i), 1e-5);
  EXPECT_NE(one.get("colour", 0, 0), 0.5);
}

TEST(Lower, WhatNothingMakesUpForIsNamed) {
  ssa::Program program = program_of(Op::flog2, 1);
  try {
    ssa::lower(program, ssa::Native{Op::fadd});
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "nothing native makes up for flog2");
  }
}

/// Operations that compute, bits seen as floats not counted.
std::size_t cost(const ssa::Program& program) {
  const auto& instructions = program.blocks[0].instructions;
  return static_cast<std::size_t>(std::ranges::count_if(instructions, [](const ssa::Instruction& each) {
    return !ssa::signature(each.op).empty() && each.op != Op::f_bits && each.op != Op::f_of_bits;
  }));
}
std::size_t cost(Op op, const std::map<std::size_t, Bits>& given = {}) {
  return cost(simplified(lowered(program_of(op, 4, given), rich_native())));
}

/// For a vector of four: what lowering costs must not grow unseen.
TEST(Lower, CostsWhatItDid) {
  std::map<std::string, std::size_t> found;
  for (int number = 0; number < static_cast<int>(Op::constant); ++number) {
    const auto op = static_cast<Op>(number);
    if (rich_native().has(op)) continue;
    found[std::string(ssa::name(op))] = cost(op);
  }
  const std::map<std::string, std::size_t> known{
      {"facos", 25},  {"facosh", 12}, {"fasin", 22},     {"fasinh", 23},    {"fatan", 22},     {"fatan2", 33},
      {"fatanh", 19}, {"fcos", 2},    {"fcosh", 6},      {"fdiv", 2},       {"fexp", 2},       {"fexponent", 12},
      {"ffma", 2},    {"fis_inf", 2}, {"fis_nan", 1},    {"flog", 2},       {"fmantissa", 10}, {"fmod", 5},
      {"fpow", 3},    {"frem", 5},    {"fscale", 17},    {"fsign", 4},      {"fsin", 2},       {"fsinh", 15},
      {"ftan", 5},    {"ftanh", 18},  {"ibits_put", 9},  {"ibits_s", 6},    {"ibits_u", 6},    {"icount", 12},
      {"idiv_s", 25}, {"idiv_u", 19}, {"ihighest_s", 4}, {"ihighest_u", 2}, {"ilowest", 4},    {"imod_s", 29},
      {"irem_s", 23}, {"irem_u", 18}, {"ireverse", 23},  {"isign", 2}};
  EXPECT_EQ(found, known);
}

TEST(Lower, WhatIsKnownCostsLess) {
  const auto all = [](std::uint32_t value) { return Bits{value, value, value, value}; };
  EXPECT_EQ(cost(Op::ibits_u, {{1, {8}}, {2, {8}}}), 2U);
  EXPECT_EQ(cost(Op::ibits_s, {{1, {24}}, {2, {8}}}), 1U);
  EXPECT_EQ(cost(Op::ibits_u, {{1, {0}}, {2, {32}}}), 0U);
  EXPECT_EQ(cost(Op::ibits_put, {{2, {0}}, {3, {8}}}), 3U);
  EXPECT_EQ(cost(Op::fscale, {{1, all(3)}}), 1U);
  EXPECT_EQ(cost(Op::fdiv, {{1, all(bits_of(3))}}), 1U);
  EXPECT_EQ(cost(Op::fmod, {{1, all(bits_of(3))}}), 4U);
  EXPECT_EQ(cost(Op::idiv_u, {{1, all(16)}}), 1U);
  EXPECT_EQ(cost(Op::idiv_u, {{1, all(641)}}), 1U) << "divides 2^32 + 1";
  EXPECT_EQ(cost(Op::idiv_u, {{1, all(10)}}), 2U);
  EXPECT_EQ(cost(Op::idiv_u, {{1, all(7)}}), 5U);
  EXPECT_EQ(cost(Op::idiv_s, {{1, all(16)}}), 4U);
  EXPECT_EQ(cost(Op::idiv_s, {{1, all(10)}}), 5U);
  EXPECT_EQ(cost(Op::irem_u, {{1, all(16)}}), 1U);
  EXPECT_EQ(cost(Op::imod_s, {{1, all(16)}}), 1U);
  EXPECT_EQ(cost(Op::imod_s, {{1, all(10)}}), 10U);
}

}  // namespace
}  // namespace mobula::test
