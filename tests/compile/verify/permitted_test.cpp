// How far machines may be off, where they may do as they like, and that what is open shows in the ways of computing it.
#include "compile/verify/permitted.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>

#include "compile/build.h"
#include "compile/evaluation.h"

namespace mobula::test {
namespace {

using ssa::Base;
using ssa::Bits;
using ssa::Op;

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

double error(Op op, std::vector<float> operands, float exact, bool relaxed = false) {
  ssa::Instruction each;
  each.op = op;
  each.type = {Base::real, 1, relaxed};
  std::vector<Bits> values;
  for (const float operand : operands) values.push_back({bits(operand)});
  return compile::permitted_error(each, values, std::vector<ssa::Type>(values.size(), {Base::real, 1}), 0, exact);
}

TEST(Permitted, SumsAndProductsAreCorrectlyRounded) {
  EXPECT_EQ(error(Op::fadd, {1, 2}, 3), 0);
  EXPECT_EQ(error(Op::fmul, {1.5F, 1.5F}, 2.25F), 0);
  EXPECT_EQ(error(Op::fadd, {1, 0x1p-30F}, 1), 0x1p-23);
  EXPECT_EQ(error(Op::fsub, {1, 0x1p-30F}, 1), 0x1p-23);
}

TEST(Permitted, WhatIsUndefinedMayBeAnything) {
  EXPECT_TRUE(std::isinf(error(Op::fdiv, {1, 0}, INFINITY)));
  EXPECT_TRUE(std::isinf(error(Op::fsqrt, {-1}, NAN)));
  EXPECT_TRUE(std::isinf(error(Op::frsqrt, {0}, INFINITY)));
  EXPECT_TRUE(std::isinf(error(Op::flog2, {0}, -INFINITY)));
  EXPECT_TRUE(std::isinf(error(Op::fpow, {-2, 2}, 4)));
  EXPECT_TRUE(std::isinf(error(Op::fasin, {1.5F}, NAN)));
  EXPECT_TRUE(std::isinf(error(Op::ftan, {1.5708F}, -272242)));
  EXPECT_TRUE(std::isinf(error(Op::ftan, {1e8F}, -0.4F))) << "a pole is nearer than the angle is certain";
  EXPECT_LT(error(Op::ftan, {0.7F}, 0.84F), 1e-3);
  EXPECT_TRUE(std::isinf(error(Op::fmul, {1e30F, 1e30F}, INFINITY)));
  EXPECT_TRUE(std::isinf(error(Op::fmin, {NAN, 1}, 1)));
  EXPECT_EQ(error(Op::fpow, {0, 2}, 0), 0);
}

TEST(Permitted, SixteenBitsWhereTheyAreEnough) {
  EXPECT_EQ(error(Op::fmul, {1, 1.1F}, 1.1F, true), 0x1p-10 * 1.1F);
  EXPECT_EQ(error(Op::load, {}, 0.5F, true), 0) << "is one of 16 bits";
  EXPECT_TRUE(std::isinf(error(Op::fmul, {300, 300}, 90000, true)));
  EXPECT_EQ(error(Op::fmul, {1e-3F, 1e-3F}, 1e-6F, true), 1e-6F) << "may become 0";
  EXPECT_EQ(error(Op::ffma, {1.1F, -1, 1.1F}, 0, true), 0x1p-10 * 1.1F) << "of the product";
  EXPECT_EQ(error(Op::ffma, {1.5F, -1, 1.5F}, 0, true), 0);
}

/// The results of a fragment shader's colour in several ways.
std::vector<float> ways(const std::string& body, bool reach_edges = false) {
  const auto program = ssa_of(
      "#version 310 es\nprecision highp float; precision highp int; in float a; flat in int n;"
      "out float o; void main() { " +
      body + " }");
  EXPECT_TRUE(program) << errors_of(program);
  std::vector<float> results;
  std::optional<compile::Reach> reach;
  if (program && reach_edges) reach.emplace(*program, 4);
  const std::uint64_t count = reach_edges ? 64 : 16;
  for (std::uint64_t seed = 1; program && seed <= count; ++seed) {
    Evaluation run(*program);
    compile::OneWay way(*program, 4, seed, false, compile::Integers::whole, reach ? &*reach : nullptr);
    run.evaluator.set_freedom(&way);
    run.put("a", {0.7});
    run.put("n", {3});
    EXPECT_EQ(run.evaluator.run(), "");
    results.push_back(static_cast<float>(run.get("o", 0, 0)));
  }
  return results;
}
/// Between the least and the greatest; NaN if one of them is.
float spread(const std::vector<float>& results) {
  float least = results[0], most = results[0];
  for (const float each : results) {
    if (std::isnan(each)) return each;
    least = std::min(least, each);
    most = std::max(most, each);
  }
  return most - least;
}

TEST(OneWayOfMany, AgreesWithTheOthersOnWhatIsPromised) {
  EXPECT_EQ(spread(ways("o = -abs(a) + 0.0;")), 0);
  EXPECT_EQ(spread(ways("o = float(n * 7 / 2);")), 0);
  EXPECT_LT(spread(ways("o = a * a + a;")), 1e-6F);
  EXPECT_GT(spread(ways("o = sin(a);")), 1e-4F);
  EXPECT_LT(spread(ways("o = sin(a);")), 2e-3F);
  EXPECT_GT(spread(ways("o = sin(a * 1e8);")), 1);
  EXPECT_LE(spread(ways("o = sin(a * 1e8);")), 2.001F) << "any angle has a sine";
}

TEST(OneWayOfMany, DiffersWhereNothingIs) {
  const auto is_open = [](const std::string& body) { return !(spread(ways(body)) < 0.1F); };
  EXPECT_TRUE(is_open("o = 1.0 / (a - a);"));
  EXPECT_TRUE(is_open("o = sqrt(-a);"));
  EXPECT_TRUE(is_open("o = float(n / (n - n));"));
  EXPECT_TRUE(is_open("o = float(int(a * 1e20));"));
  EXPECT_TRUE(is_open("o = float(n << (n * 11));"));
  EXPECT_TRUE(is_open("float u; o = u;"));
  EXPECT_TRUE(is_open("float s = a * 1e-30, b = s * 1e-12, c = s * 2e-12, d = s * 3e-12; o = (b + c) / (c + d);"))
      << "small numbers may be 0, all of them";
  EXPECT_TRUE(is_open("o = floor(a * a - 0.49 + 1.0);")) << "may be on either side";
  EXPECT_TRUE(is_open("o = (a * 1000003.0 - 700002.1) * 100.0;")) << "little is left of the numbers";
}

/// A number of which a machine has no digit left.
constexpr const char* anywhere = "float h = fract(sin(a * 1e8) * 5.0); ";

TEST(OneWayOfMany, GoesToEdgesInReach) {
  const auto is_open = [](const std::string& body) { return !(spread(ways(anywhere + body, true)) < 10); };
  EXPECT_TRUE(is_open("o = 1.0 / h;"));
  EXPECT_TRUE(is_open("o = mod(a, h);"));
  EXPECT_TRUE(is_open("o = inversesqrt(h);"));
  EXPECT_TRUE(is_open("o = log(h);"));
  EXPECT_TRUE(is_open("o = pow(h, -a);"));
  EXPECT_TRUE(is_open("o = acos(1.1 - h);"));
  EXPECT_TRUE(is_open("o = normalize(floor(vec2(h, 0.9 - h) * 2.0)).x;"));
  EXPECT_TRUE(is_open("o = h < 0.001 ? 100.0 : 0.0;"));
  EXPECT_TRUE(is_open("o = float(int(h * 1.001)) * 100.0;"));
  EXPECT_FALSE(is_open("o = 1.0 / (h + 0.2);")) << "is never 0";
  EXPECT_FALSE(is_open("o = log(h + 0.1);"));
  EXPECT_FALSE(is_open("o = sqrt(abs(h));"));
  EXPECT_FALSE(is_open("o = acos(h * 0.9);"));
  EXPECT_FALSE(is_open("o = h < -0.001 ? 100.0 : 0.0;"));
  EXPECT_FALSE(is_open("o = a < 0.7001 ? 0.0 : 100.0;")) << "is certain";
}

/// Lanes with the same numbers, of which a difference is 0.
TEST(OneWayOfMany, ErrsAlikeOrApart) {
  unsigned alike = 0;
  for (const float each : ways("o = dFdx(sin(a));", true)) alike += each == 0 ? 1 : 0;
  EXPECT_GE(alike, 32U);
  EXPECT_LT(alike, 64U);
}

TEST(OneWayOfMany, TakesProductsBeforeTheyAreRounded) {
  const float off = spread(ways("float p = a * a; if (n == 3) p = -p; o = p - p;"));
  EXPECT_GT(off, 1e-9F) << "what is subtracted may have been rounded";
  EXPECT_LT(off, 1e-6F);
  EXPECT_EQ(spread(ways("float p = 0.5 * 3.0; o = p - p;")), 0);
  EXPECT_EQ(spread(ways("o = a - a;")), 0);
}

TEST(OneWayOfMany, SeesLanesThatGoAstray) {
  const auto program = ssa_of(
      "#version 310 es\nprecision highp float; precision highp int; flat in int n; out float o;"
      "uniform float f[4]; void main() { o = f[n]; }");
  ASSERT_TRUE(program) << errors_of(program);
  for (const int index : {3, 4}) {
    Evaluation run(*program);
    compile::OneWay way(*program, 4, 1, true);
    run.evaluator.set_freedom(&way);
    run.put("n", {static_cast<double>(index)});
    EXPECT_EQ(run.evaluator.run(), "");
    EXPECT_EQ(way.went_outside(0), index == 4);
  }
}

/// What is left of 2 << 31 is 0, and a float has 2^32.
TEST(OneWayOfMany, SeesIntegersThatFloatsDoNotHave) {
  const auto is_inexact = [](const std::string& value, double n) {
    const auto program = ssa_of(
        "#version 310 es\nprecision highp float; precision highp int; flat in int n; out float o;"
        "void main() { o = float(" +
        value + "); }");
    EXPECT_TRUE(program) << errors_of(program);
    Evaluation run(*program);
    compile::OneWay way(*program, 4, 1, true, compile::Integers::floats);
    run.evaluator.set_freedom(&way);
    run.put("n", {n});
    EXPECT_EQ(run.evaluator.run(), "");
    return way.went_outside(0);
  };
  EXPECT_FALSE(is_inexact("n << 23", 2));
  EXPECT_TRUE(is_inexact("n << 24", 2));
  EXPECT_TRUE(is_inexact("n << 31", 2));
  EXPECT_FALSE(is_inexact("n * n", 4096));
  EXPECT_TRUE(is_inexact("n * n", 65536));
}

}  // namespace
}  // namespace mobula::test
