// Every arithmetic opcode, register mode, source and output modifier (2.4-2.7, 3.1-3.5, 4.1, 4.2).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "machines/midgard/build.h"
#include "machines/midgard/bundles.h"
#include "machines/midgard/lift_run.h"
#include "machines/midgard/words.h"

namespace mobula::midgard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t yes = 0xFFFFFFFF, no = 0;
constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

LiftRun run_one(const AluInstruction& instruction, std::array<std::uint32_t, 4> a, std::array<std::uint32_t, 4> b,
                const Policies& policies = {}) {
  LiftRun run(program_of({alu({instruction})}), policies);
  run.set4("r0", a).set4("r1", b).run();
  EXPECT_EQ(run.fault(), "");
  return run;
}

/// A 32-bit vector operation on x of r0 and r1, into r2.
std::uint32_t compute(unsigned opcode, std::uint32_t a, std::uint32_t b, const Policies& policies = {}) {
  const Out out{.outmod = output_kind(opcode) == Kind::f ? 0u : keeplo, .mask = 0x03};
  return run_one(vector_op(Unit::vadd, opcode, RegMode::bits32, 2, {0}, {1}, out), {a, 0, 0, 0}, {b, 0, 0, 0}, policies)
      .get("r2.x");
}

// ------------------------------------------------------------------------------------------------ opcodes

struct Case {
  unsigned opcode;
  std::uint32_t a, b, expected;
};

std::uint32_t f(float value) { return bits(value); }
std::uint32_t i(std::int32_t value) { return static_cast<std::uint32_t>(value); }

TEST(LiftAlu, LaneOperations) {
  const float tiny = std::ldexp(1.0f, -30);
  const std::uint32_t above_one = 0x3F800001, below_one = 0x3F7FFFFF;
  const std::uint32_t quiet_nan = 0x7FC00000;
  const Case cases[] = {
      {0x10, f(1), f(tiny), f(1)},
      {0x11, f(1), f(-tiny), below_one},
      {0x12, f(1), f(-tiny), below_one},
      {0x13, f(1), f(tiny), above_one},
      {0x14, f(3), f(-2), f(-6)},
      {0x15, above_one, above_one, 0x3F800002},
      {0x16, above_one, above_one, 0x3F800002},
      {0x17, above_one, above_one, 0x3F800003},
      {0x28, f(nan), f(2), f(2)},
      {0x29, f(nan), f(2), quiet_nan},
      {0x2A, f(-5), f(2), f(2)},
      {0x2B, f(-5), f(nan), quiet_nan},
      {0x2C, f(1), f(2), f(2)},
      {0x2D, f(nan), f(2), quiet_nan},
      {0x2E, f(-5), f(2), f(5)},
      {0x2F, f(-5), f(nan), quiet_nan},
      {0x34, f(2.5f), 0, f(2)},
      {0x35, f(-2.5f), 0, f(-2)},
      {0x36, f(-2.5f), 0, f(-3)},
      {0x37, f(2.25f), 0, f(3)},
      {0x40, 0xFFFFFFFF, 3, 2},
      {0x41, 0x80000001, 5, 7},
      {0x46, 3, 5, i(-2)},
      {0x47, 3, 5, 1},
      {0x48, 0x7FFFFFFF, 1, 0x7FFFFFFF},
      {0x49, 0xFFFFFFFF, 1, 0xFFFFFFFF},
      {0x4E, 0x80000000, 1, 0x80000000},
      {0x4F, 1, 2, 0},
      {0x58, 0x10001, 0x10001, 0x20001},
      {0x60, i(-1), 1, i(-1)},
      {0x61, i(-1), 1, 1},
      {0x62, i(-1), 1, 1},
      {0x63, i(-1), 1, i(-1)},
      {0x64, i(-3), 0, i(-2)},
      {0x65, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFE},
      {0x66, 2, 3, 3},
      {0x67, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF},
      {0x68, 0x80000000, 4, 0xF8000000},
      {0x69, 0x80000000, 4, 0x08000000},
      {0x6C, 0x40000000, 1, 0x7FFFFFFF},
      {0x6D, 0x80000000, 1, 0xFFFFFFFF},
      {0x6E, 3, 33, 6},
      {0x70, 0b1100, 0b1010, 0b1000},
      {0x71, 0b1100, 0b1010, 0b1110},
      {0x72, 0b1100, 0b1010, ~0b1000u},
      {0x73, 0b1100, 0b1010, ~0b1110u},
      {0x74, 0b1100, 0b1010, 0b0100},
      {0x75, 0b1100, 0b1010, 0b1100 | ~0b1010u},
      {0x76, 0b1100, 0b1010, 0b0110},
      {0x77, 0b1100, 0b1010, ~0b0110u},
      {0x78, 1, 0, 31},
      {0x7A, 0xF0F0F001, 0, 13},
      {0x7C, i(-3), 4, 7},
      {0x7D, i(-3), 4, 0xFFFFFFF9},
      {0x80, f(0), f(-0.0f), yes},
      {0x81, f(nan), f(nan), yes},
      {0x82, f(1), f(2), yes},
      {0x82, f(1), f(nan), no},
      {0x83, f(2), f(2), yes},
      {0x98, f(2.5f), 0, 2},
      {0x99, f(-2.75f), 0, i(-2)},
      {0x9A, f(-2.25f), 0, i(-3)},
      {0x9B, f(2.25f), 0, 3},
      {0x9C, f(3.5f), 0, 4},
      {0x9D, f(3.75f), 0, 3},
      {0x9E, f(3.75f), 0, 3},
      {0x9F, f(3.25f), 0, 4},
      {0x99, f(3e9f), 0, 0x7FFFFFFF},
      {0x9D, f(nan), 0, 0},
      {0xA0, 5, 5, yes},
      {0xA1, 5, 5, no},
      {0xA2, 1, 0xFFFFFFFF, yes},
      {0xA3, 0xFFFFFFFF, 1, no},
      {0xA4, 0xFFFFFFFF, 1, yes},
      {0xA5, 1, 1, yes},
      {0xB8, i(-7), 0, f(-7)},
      {0xB9, 0x7FFFFFFF, 0, 0x4EFFFFFF},
      {0xBA, i(-0x7FFFFFFF), 0, 0xCF000000},
      {0xBB, 0x7FFFFFFF, 0, 0x4F000000},
      {0xBC, 0xFFFFFFFF, 0, 0x4F800000},
      {0xBD, 0xFFFFFFFF, 0, 0x4F7FFFFF},
      {0xBE, 0xFFFFFFFF, 0, 0x4F7FFFFF},
      {0xBF, 0xFFFFFF01, 0, 0x4F800000},
      {0xC6, f(2.5f), 0, f(3)},
      {0xF0, f(4), 0, f(0.25f)},
      {0xF2, f(4), 0, f(0.5f)},
      {0xF3, f(9), 0, f(3)},
      {0xF4, f(3), 0, f(8)},
      {0xF5, f(8), 0, f(3)},
      {0xF6, f(0.5f), 0, f(1)},
      {0xF7, f(1), 0, f(-1)},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(compute(one.opcode, one.a, one.b), one.expected)
        << find_alu_op(one.opcode)->name << std::hex << " of " << one.a << " and " << one.b;
  }
}

/// Opcodes without a test of their own above: those that move, select or combine lanes.
TEST(LiftAlu, EveryOpcodeLifts) {
  for (const AluOp& op : alu_ops) {
    const Out out{.outmod = op.out == Kind::f ? 0u : keeplo, .mask = 0x03};
    LiftRun run(program_of({alu({vector_op(Unit::vlut, op.opcode, RegMode::bits32, 2, {0}, {1}, out)})}));
    EXPECT_EQ(run.run().fault(), "") << op.name;
  }
}

/// Those whose sources may change places, and no others of two, give the same when they do.
TEST(LiftAlu, SourcesChangePlacesWhereTheRowSaysSo) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  using Vector = std::array<std::uint32_t, 4>;
  const std::pair<Vector, Vector> pairs[] = {
      {{bits(1.5F), bits(1), bits(3), bits(7.75F)},
       {bits(2.5F), bits(4), bits(5), bits(9)}},  // each less than the other's
      {{bits(-1.5F), bits(-1), bits(-3), bits(-2)}, {bits(2.5F), bits(4), bits(5), bits(9)}}};
  for (const AluOp& op : alu_ops) {
    if (op.operands != 2 || op.is_select()) continue;
    const Out out{.outmod = op.out == Kind::f ? 0u : keeplo};
    const auto result = [&](const Vector& a, const Vector& b) {
      return run_one(vector_op(Unit::vlut, op.opcode, RegMode::bits32, 2, {0}, {1}, out), a, b).get4("r2");
    };
    const bool are_equal = std::ranges::all_of(
        pairs, [&](const auto& each) { return result(each.first, each.second) == result(each.second, each.first); });
    EXPECT_EQ(are_equal, op.commutes()) << op.name;
  }
}

TEST(LiftAlu, UnassignedOpcodeTraps) {
  LiftRun run(program_of({alu({vector_op(Unit::vadd, 0x00, RegMode::bits32, 2, {0}, {1})})}));
  EXPECT_EQ(run.run().fault(), "INSTR_INVALID_ENC: ALU opcode 0x0 on vadd is unassigned");
}

TEST(LiftAlu, MovesKeepBits) {
  const std::array<std::uint32_t, 4> patterns{4, 0xFFFFFFFF, 0x7F800001, 0x80000001};
  for (const unsigned opcode : {0x30u, 0x31u, 0x32u, 0x33u, 0x7Bu}) {
    const Out out{.outmod = opcode == 0x7B ? keeplo : 0u};
    const auto run = run_one(vector_op(Unit::vmul, opcode, RegMode::bits32, 2, {}, {1}, out), {}, patterns);
    EXPECT_EQ(run.get4("r2"), patterns) << opcode;
  }
}

/// A float move that changes size rounds as its opcode says.
TEST(LiftAlu, FloatMovesRoundWhenTheyShrink) {
  const std::uint32_t between = 0x3F801001;  // just above the middle of two halves
  const std::pair<unsigned, std::uint32_t> cases[] = {{0x30, 0x3C01}, {0x31, 0x3C00}, {0x32, 0x3C00}, {0x33, 0x3C01}};
  for (const auto& [opcode, expected] : cases) {
    const Out out{.shrink = Shrink::lower, .mask = 0x03};
    const auto run = run_one(vector_op(Unit::vmul, opcode, RegMode::bits32, 2, {}, {1}, out), {}, {between, 0, 0, 0});
    EXPECT_EQ(run.get("r2.x"), expected) << opcode;
  }
}

TEST(LiftAlu, DotProducts) {
  const std::array<std::uint32_t, 4> a{f(1), f(2), f(3), f(4)}, b{f(5), f(6), f(7), f(8)};
  const std::pair<unsigned, float> cases[] = {{0x3C, 38}, {0x3D, 38}, {0x3E, 70}};
  for (const auto& [opcode, expected] : cases) {
    const auto run = run_one(vector_op(Unit::vmul, opcode, RegMode::bits32, 2, {0}, {1}, {.mask = 0x0C}), a, b);
    EXPECT_THAT(run.get4f("r2"), ElementsAre(0, expected, 0, 0));
  }
}

TEST(LiftAlu, AllAndAnyComparisons) {
  struct Vectors {
    std::array<std::uint32_t, 4> a, b;
  };
  const Vectors floats{{f(1), f(2), f(3), f(4)}, {f(1), f(2), f(3), f(5)}};
  const Vectors integers{{1, 2, 3, i(-4)}, {1, 2, 3, 4}};
  const std::tuple<unsigned, Vectors, std::uint32_t> cases[] = {
      {0x88, floats, no},    {0x89, floats, no},   {0x8A, floats, no},    {0x8B, floats, yes},   {0x90, floats, yes},
      {0x91, floats, yes},   {0x92, floats, yes},  {0x93, floats, yes},   {0xA8, integers, no},  {0xA9, integers, no},
      {0xAA, integers, no},  {0xAB, integers, no}, {0xAC, integers, no},  {0xAD, integers, yes}, {0xB0, integers, yes},
      {0xB1, integers, yes}, {0xB2, integers, no}, {0xB3, integers, yes}, {0xB4, integers, yes}, {0xB5, integers, yes},
  };
  for (const auto& [opcode, vectors, expected] : cases) {
    const auto run =
        run_one(vector_op(Unit::vadd, opcode, RegMode::bits32, 2, {0}, {1}, {.outmod = keeplo, .mask = 0xC0}),
                vectors.a, vectors.b);
    EXPECT_EQ(run.get("r2.w"), expected) << find_alu_op(opcode)->name;
  }
}

/// Four lanes of the destination's group take part where there are more than four.
TEST(LiftAlu, HorizontalOperationsOnSixteenBitLanesTakeTheDestinationsHalf) {
  const std::array<std::uint32_t, 4> a{0x00020001, 0x00040003, 0x00060005, 0x00080007};
  auto b = a;
  b[2] = 0x00060009;
  const auto equal = [&](unsigned mask) {
    return run_one(vector_op(Unit::vadd, 0xA8, RegMode::bits16, 2, {0}, {1}, {.outmod = keeplo, .mask = mask}), a, b);
  };
  EXPECT_EQ(equal(0x02).get("r2.x"), 0xFFFF0000u);
  EXPECT_EQ(equal(0x10).get("r2.z"), 0u);
}

TEST(LiftAlu, FusedMultiplyAddTakesTwoLanesOfItsFirstSource) {
  // (1 + 2^-23)^2 - 1 in one rounding keeps the last bit that two roundings lose.
  const std::array<std::uint32_t, 4> a{0x3F800001, 0x3F800001, 0, 0}, b{f(-1), f(9), 0, 0};
  const auto run = run_one(vector_op(Unit::vlut, 0x38, RegMode::bits32, 2, {0}, {1}, {.mask = 0x30}), a, b);
  EXPECT_EQ(run.getf("r2.z"), std::ldexp(1.0f, -22) + std::ldexp(1.0f, -46));
  const auto up = run_one(vector_op(Unit::vlut, 0x3B, RegMode::bits32, 2, {0}, {1}, {.mask = 0x03}), {f(1), f(1), 0, 0},
                          {f(std::ldexp(1.0f, -40)), 0, 0, 0});
  EXPECT_EQ(up.get("r2.x"), 0x3F800001u);
}

TEST(LiftAlu, ChooseShufflesLanes) {
  const auto run = run_one(vector_op(Unit::vadd, 0x7E, RegMode::bits32, 2, {0}, {1}, {.outmod = keeplo}),
                           {10, 11, 12, 13}, {3, 0, 2, 5});
  EXPECT_THAT(run.get4("r2"), ElementsAre(13, 10, 12, 11));
}

TEST(LiftAlu, ArcTangentInTwoSteps) {
  for (const auto& [n, d] : {std::pair{1.0f, 2.0f}, {3.0f, 0.5f}, {-1.0f, -2.0f}, {2.0f, -1.0f}, {0.0f, 1.0f}}) {
    // t.xzw = FATAN2_PT1(n, d); s = t.z * t.w; r = FATAN2_PT2(t.x, s)
    LiftRun run(
        program_of({alu({vector_op(Unit::vlut, 0xF9, RegMode::bits32, 2, {0, xxxx}, {1, xxxx}, {.mask = 0xF3})}),
                    alu({vector_op(Unit::vmul, 0x14, RegMode::bits32, 3, {2, zzzz}, {2, wwww}, {.mask = 0x03})}),
                    alu({vector_op(Unit::vlut, 0xE8, RegMode::bits32, 4, {2, xxxx}, {3, xxxx}, {.mask = 0x03})})}));
    run.setf("r0.x", n).setf("r1.x", d).set("r2.y", 77).run();
    EXPECT_NEAR(run.getf("r4.x"), std::atan2(n, d), 1e-6) << n << " " << d;
    EXPECT_EQ(run.get("r2.y"), 77u);
  }
}

TEST(LiftAlu, NormalizingByArgumentReduction) {
  // r2 = FREDUCE(r0); r3 = FRSQRT(FDOT3R(r2, r2)); r4 = r2 * r3
  LiftRun run(program_of({alu({vector_op(Unit::vlut, 0x3F, RegMode::bits32, 2, {0}, {})}),
                          alu({vector_op(Unit::vmul, 0x3D, RegMode::bits32, 24, {2}, {2}, {.mask = 0x03}),
                               vector_op(Unit::vlut, 0xF2, RegMode::bits32, 3, {24, xxxx}, {}, {.mask = 0x03})}),
                          alu({vector_op(Unit::vmul, 0x14, RegMode::bits32, 4, {2}, {3, xxxx}, {.mask = 0x3F})})}));
  run.set4f("r0", {0, 3, 4, 9}).run();
  EXPECT_FLOAT_EQ(run.getf("r4.y"), 0.6f);
  EXPECT_FLOAT_EQ(run.getf("r4.z"), 0.8f);
}

TEST(LiftAlu, PowerInTwoSteps) {
  for (const unsigned opcode : {0xECu, 0xEDu, 0xEEu}) {
    LiftRun run(
        program_of({alu({vector_op(Unit::vlut, opcode, RegMode::bits32, 2, {0, xxxx}, {1, xxxx}, {.mask = 0x03})}),
                    alu({vector_op(Unit::vlut, 0xF4, RegMode::bits32, 3, {2, xxxx}, {}, {.mask = 0x03})})}));
    EXPECT_FLOAT_EQ(run.setf("r0.x", 3).setf("r1.x", 4).run().getf("r3.x"), 81);
  }
}

/// 3.4: one component, any number of lanes.
TEST(LiftAlu, LookUpsReachEveryEnabledLane) {
  const auto run =
      run_one(vector_op(Unit::vlut, 0xF0, RegMode::bits32, 2, {0, wwww}, {}, {.mask = 0x3F}), {0, 0, 0, f(4)}, {});
  EXPECT_THAT(run.get4f("r2"), ElementsAre(0.25f, 0.25f, 0.25f, 0));
  const auto apart = run_one(vector_op(Unit::vlut, 0xF0, RegMode::bits32, 2, {0}, {}), {f(1), f(2), f(4), f(8)}, {});
  EXPECT_THAT(apart.get4f("r2"), ElementsAre(1, 0.5f, 0.25f, 0.125f));
}

// ------------------------------------------------------------------------------------------------ widening multiplies

TEST(LiftAlu, WideningMultipliesTakeTheLowerLanes) {
  const std::array<std::uint32_t, 4> a{0xFFFFFFFF, 2, 3, 4}, b{0xFFFFFFFF, 0x80000000, 3, 4};
  const auto product = [&](unsigned opcode) {
    return run_one(vector_op(Unit::vmul, opcode, RegMode::bits32, 2, {0}, {1}, {.outmod = keeplo}), a, b).get4("r2");
  };
  EXPECT_THAT(product(0x59), ElementsAre(1, 0, 0, 0xFFFFFFFF));
  EXPECT_THAT(product(0x5A), ElementsAre(1, 0xFFFFFFFE, 0, 1));
  EXPECT_THAT(product(0x5B), ElementsAre(1, 0xFFFFFFFF, 0, 1));
}

// ------------------------------------------------------------------------------------------------ register modes

TEST(LiftAlu, SixteenBitFloats) {
  // 1.5 * 2 in the first half, -1 * 0.5 in the last
  const auto run = run_one(vector_op(Unit::vmul, 0x14, RegMode::bits16, 2, {0}, {1}, {.mask = 0x81}),
                           {0x3E00, 0, 0, 0xBC000000}, {0x4000, 0, 0, 0x38000000});
  EXPECT_THAT(run.get4("r2"), ElementsAre(0x4200, 0, 0, 0xB8000000));
}

TEST(LiftAlu, SixtyFourBits) {
  const auto sum = run_one(vector_op(Unit::vadd, 0x40, RegMode::bits64, 2, {0}, {1}, {.outmod = keeplo}),
                           {0xFFFFFFFF, 0, 5, 6}, {1, 0, 7, 8});
  EXPECT_THAT(sum.get4("r2"), ElementsAre(0, 1, 12, 14));
  const std::uint64_t one_and_half = std::bit_cast<std::uint64_t>(1.5);
  const auto product = run_one(vector_op(Unit::vmul, 0x14, RegMode::bits64, 2, {0}, {1}, {.mask = 0x0F}),
                               {0, static_cast<std::uint32_t>(one_and_half >> 32), 0, 0}, {0, 0x40000000, 0, 0});
  EXPECT_EQ(product.get("r2.y"), std::bit_cast<std::uint64_t>(3.0) >> 32);
}

TEST(LiftAlu, SixtyFourBitLanesOfAnyTwoWords) {
  const auto run = run_one(vector_op(Unit::vadd, 0x7B, RegMode::bits64, 2, {}, {1, 0b00'11'10'01}, {.outmod = keeplo}),
                           {}, {10, 11, 12, 13});
  EXPECT_THAT(run.get4("r2"), ElementsAre(11, 12, 13, 10));
}

/// C9: byte lanes; the swizzle picks pairs.
TEST(LiftAlu, EightBits) {
  LiftRun run(program_of({0x00200018, 0x80400820, 0x0FAE4058, 0x00000000}));
  run.set4("r0", {0x04030201, 0x08070605, 0, 0}).set4("r1", {0x10101010, 0x101010FF, 0, 0}).run();
  // R0.zwxyghef: bytes 2 3 0 1, 6 7 4 5
  EXPECT_THAT(run.get4("r2"), ElementsAre(0x12111413, 0x16151806, 0, 0));
}

// ------------------------------------------------------------------------------------------------ expand modes (2.6.2)

TEST(LiftAlu, ExpandModesOfSixteenBitLanes) {
  const std::array<std::uint32_t, 4> halves{0x00010000, 0x00030002, 0x00050004, 0x00070006};
  const auto moved = [&](Expand expand, unsigned swizzle) {
    return run_one(vector_op(Unit::vmul, 0x7B, RegMode::bits16, 2, {}, {1, swizzle, 1, expand}, {.outmod = keeplo}), {},
                   halves)
        .get4("r2");
  };
  EXPECT_THAT(moved(Expand::none, 0x1B), ElementsAre(0x00020003, 0x00000001, 0x00060007, 0x00040005));
  EXPECT_THAT(moved(Expand::rep_low, xyzw), ElementsAre(0x00010000, 0x00030002, 0x00010000, 0x00030002));
  EXPECT_THAT(moved(Expand::rep_high, xyzw), ElementsAre(0x00050004, 0x00070006, 0x00050004, 0x00070006));
  EXPECT_THAT(moved(Expand::swap, xyzw), ElementsAre(0x00050004, 0x00070006, 0x00010000, 0x00030002));
}

TEST(LiftAlu, ExpandModesThatWidenBytes) {
  const std::array<std::uint32_t, 4> bytes{0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C};
  const auto moved = [&](Expand expand) {
    return run_one(vector_op(Unit::vmul, 0x7B, RegMode::bits16, 2, {}, {1, xyzw, 1, expand}, {.outmod = keeplo}), {},
                   bytes)
        .get4("r2");
  };
  EXPECT_THAT(moved(Expand::low), ElementsAre(0x00010000, 0x00030002, 0x00050004, 0x00070006));
  EXPECT_THAT(moved(Expand::high), ElementsAre(0x00090008, 0x000B000A, 0x000D000C, 0x000F000E));
  EXPECT_THAT(moved(Expand::low_swap), ElementsAre(0x00050004, 0x00070006, 0x00010000, 0x00030002));
  EXPECT_THAT(moved(Expand::high_swap), ElementsAre(0x000D000C, 0x000F000E, 0x00090008, 0x000B000A));
}

TEST(LiftAlu, IntegerWidening) {
  const auto widened = [&](unsigned mod, const Policies& policies = {}) {
    return run_one(
               vector_op(Unit::vmul, 0x7B, RegMode::bits32, 2, {}, {1, xxxx, mod, Expand::high}, {.outmod = keeplo}),
               {}, {0, 0, 0x8001, 0}, policies)
        .get("r2.x");
  };
  EXPECT_EQ(widened(0), 0xFFFF8001u);
  EXPECT_EQ(widened(1), 0x00008001u);
  EXPECT_EQ(widened(2), 0x80018001u);
  EXPECT_EQ(widened(3), 0x80010000u);
  EXPECT_EQ(widened(2, {{"replicate", "zero-extend"}}), 0x00008001u);
}

TEST(LiftAlu, WideningToSixtyFourBits) {
  const auto widened = [&](Expand expand, unsigned swizzle) {
    return run_one(vector_op(Unit::vmul, 0x7B, RegMode::bits64, 2, {}, {1, swizzle, 0, expand}, {.outmod = keeplo}), {},
                   {1, 0x80000000, 3, 4})
        .get4("r2");
  };
  EXPECT_THAT(widened(Expand::low, xyzw), ElementsAre(1, 0, 0x80000000, 0xFFFFFFFF));
  EXPECT_THAT(widened(Expand::high, xyzw), ElementsAre(3, 0, 4, 0));
  EXPECT_THAT(widened(Expand::low, 0xEE), ElementsAre(0x80000000, 0xFFFFFFFF, 0x80000000, 0xFFFFFFFF));
  EXPECT_THAT(widened(Expand::low, 0b11'01'10'00), ElementsAre(1, 0x80000000, 0, 0xFFFFFFFF));
  const auto doubles = run_one(vector_op(Unit::vmul, 0x30, RegMode::bits64, 2, {}, {1, xyzw, 2, Expand::low}), {},
                               {f(1.5f), f(-2), 0, 0});
  EXPECT_EQ(doubles.get("r2.y"), std::bit_cast<std::uint64_t>(-1.5) >> 32);
  EXPECT_EQ(doubles.get("r2.w"), std::bit_cast<std::uint64_t>(2.0) >> 32);
}

TEST(LiftAlu, FloatWidening) {
  const auto run = run_one(vector_op(Unit::vmul, 0x30, RegMode::bits32, 2, {}, {1, xyzw, 0, Expand::high}), {},
                           {0, 0, 0xC0003C00, 0x7C003800});
  EXPECT_THAT(run.get4f("r2"), ElementsAre(1, -2, 0.5f, infinity));
}

TEST(LiftAlu, ExpandModesThatDoNotExistTrap) {
  for (const auto& [mode, expand] : {std::pair{RegMode::bits32, Expand::rep_low},
                                     {RegMode::bits32, Expand::low_swap},
                                     {RegMode::bits8, Expand::low},
                                     {RegMode::bits64, Expand::swap}}) {
    LiftRun run(
        program_of({alu({vector_op(Unit::vmul, 0x7B, mode, 2, {}, {1, xyzw, 0, expand}, {.outmod = keeplo})})}));
    EXPECT_THAT(run.run().fault(), HasSubstr("expand mode"));
  }
}

// ------------------------------------------------------------------------------------------------ modifiers

TEST(LiftAlu, FloatSourceModifiers) {
  const auto moved = [&](unsigned mod) {
    return run_one(vector_op(Unit::vmul, 0x30, RegMode::bits32, 2, {}, {1, xyzw, mod}), {},
                   {f(3), f(-3), 0, 0x80000000})
        .get4f("r2");
  };
  EXPECT_THAT(moved(1), ElementsAre(3, 3, 0, 0));
  EXPECT_THAT(moved(2), ElementsAre(-3, 3, -0.0f, 0));
  EXPECT_THAT(moved(3), ElementsAre(-3, -3, -0.0f, -0.0f));
}

TEST(LiftAlu, IntegerModifierWithoutWideningDoesNothing) {
  for (unsigned mod = 0; mod < 4; ++mod) {
    const auto run =
        run_one(vector_op(Unit::vadd, 0x40, RegMode::bits32, 2, {0, xyzw, mod}, {1, xyzw, mod}, {.outmod = keeplo}),
                {0x80000001, 2, 3, 4}, {1, 1, 1, 1});
    EXPECT_THAT(run.get4("r2"), ElementsAre(0x80000002, 3, 4, 5));
  }
}

TEST(LiftAlu, FloatOutputModifiers) {
  const auto moved = [&](unsigned outmod) {
    return run_one(vector_op(Unit::vmul, 0x14, RegMode::bits32, 2, {0}, {1, xxxx}, {.outmod = outmod}),
                   {f(3), f(-3), f(nan), f(0.5f)}, {f(1), 0, 0, 0})
        .get4f("r2");
  };
  EXPECT_THAT(moved(1), ElementsAre(3, 0, 0, 0.5f));
  EXPECT_THAT(moved(2), ElementsAre(1, -1, -1, 0.5f));
  EXPECT_THAT(moved(3), ElementsAre(1, 0, 0, 0.5f));
}

TEST(LiftAlu, FloatShrink) {
  const auto run =
      run_one(vector_op(Unit::vadd, 0x10, RegMode::bits32, 2, {0}, {1}, {.outmod = 3, .shrink = Shrink::upper}),
              {f(0.25f), f(2), f(-1), f(0.125f)}, {f(0.25f), 0, 0, 0});
  EXPECT_THAT(run.get4("r2"), ElementsAre(0, 0, 0x3C003800, 0x30000000));
}

TEST(LiftAlu, IntegerShrink) {
  const std::array<std::uint32_t, 4> a{0x00012345, i(-0x12345), 0x7FFF, i(-1)};
  const auto shrunk = [&](unsigned opcode, unsigned outmod, const Policies& policies = {}) {
    const auto run = run_one(
        vector_op(Unit::vadd, opcode, RegMode::bits32, 2, {0}, {1}, {.outmod = outmod, .shrink = Shrink::lower}), a, {},
        policies);
    return std::array<std::uint32_t, 2>{run.get("r2.x"), run.get("r2.y")};
  };
  constexpr unsigned iadd = 0x40, umax = 0x63;
  EXPECT_THAT(shrunk(iadd, keeplo), ElementsAre(0xDCBB2345, 0xFFFF7FFF));
  EXPECT_THAT(shrunk(iadd, keephi), ElementsAre(0xFFFE0001, 0xFFFF0000));
  EXPECT_THAT(shrunk(iadd, ssat), ElementsAre(0x80007FFF, 0xFFFF7FFF));
  EXPECT_THAT(shrunk(iadd, usat), ElementsAre(0x0000FFFF, 0x00007FFF));
  EXPECT_THAT(shrunk(umax, usat), ElementsAre(0xFFFFFFFF, 0xFFFF7FFF));
  EXPECT_THAT(shrunk(umax, ssat), ElementsAre(0x7FFF7FFF, 0x7FFF7FFF));
  EXPECT_THAT(shrunk(umax, usat, {{"integer_outmod_sign", "signed"}}), ElementsAre(0x0000FFFF, 0x00007FFF));
}

/// 8.2.5 [21], C10: the high half of a 32-bit product by way of 64-bit lanes.
TEST(LiftAlu, HighHalfOfAProduct) {
  LiftRun run(program_of({0x00020018, 0x47580820, 0xFFCE48F2, 0x00000000}));
  run.set4("r0", {0xFFFFFFFF, 0x80000000, 0, 0}).set4("r1", {0xFFFFFFFF, 6, 0, 0}).run();
  EXPECT_THAT(run.get4("r2"), ElementsAre(0xFFFFFFFE, 3, 0, 0));
}

TEST(LiftAlu, IntegerOutputModifierWithoutShrink) {
  const auto result = [&](unsigned opcode, unsigned outmod, const Policies& policies = {}) {
    LiftRun run(
        program_of({alu({vector_op(Unit::vadd, opcode, RegMode::bits32, 2, {0}, {1}, {.outmod = outmod, .mask = 3})})}),
        policies);
    run.set("r0.x", i(-5)).run();
    return run.fault().empty() ? run.get("r2.x") : 0xDEAD;
  };
  EXPECT_EQ(result(0x40, ssat), i(-5));
  EXPECT_EQ(result(0x40, usat), 0u);
  EXPECT_EQ(result(0x63, ssat), 0x7FFFFFFFu);
  EXPECT_EQ(result(0x40, keephi), 0xDEADu);
  EXPECT_EQ(result(0x40, usat, {{"unshrunk_outmod", "ignore"}}), i(-5));
  EXPECT_EQ(result(0x40, keephi, {{"unshrunk_outmod", "ignore"}}), i(-5));
  EXPECT_EQ(result(0x40, ssat, {{"unshrunk_outmod", "trap"}}), 0xDEADu);
}

TEST(LiftAlu, WriteMaskKeepsOtherLanes) {
  LiftRun run(
      program_of({alu({vector_op(Unit::vadd, 0x40, RegMode::bits32, 0, {0}, {1}, {.outmod = keeplo, .mask = 0xCC})})}));
  run.set4("r0", {1, 2, 3, 4}).set4("r1", {10, 10, 10, 10}).run();
  EXPECT_THAT(run.get4("r0"), ElementsAre(1, 12, 3, 14));
}

TEST(LiftAlu, MaskBitsThatDifferWithinALane) {
  const auto moved = [&](Out out, const Policies& policies = {}) {
    return run_one(vector_op(Unit::vmul, 0x7B, RegMode::bits32, 2, {}, {1}, out), {}, {0x11112222, 0x33334444, 0, 0},
                   policies)
        .get4("r2");
  };
  EXPECT_THAT(moved({.outmod = keeplo, .mask = 0x06}), ElementsAre(0x11110000, 0x00004444, 0, 0));
  EXPECT_THAT(moved({.outmod = keeplo, .mask = 0x06}, {{"partial_mask", "lane"}}),
              ElementsAre(0x11112222, 0x33334444, 0, 0));
  EXPECT_THAT(moved({.outmod = keephi, .shrink = Shrink::lower, .mask = 0x06}), ElementsAre(0x00331100, 0, 0, 0));
}

// ------------------------------------------------------------------------------------------------ constants

TEST(LiftAlu, InlineConstants) {
  const auto result = [&](unsigned opcode, RegMode mode, V constant, const Policies& policies = {}) {
    const Out out{.outmod = output_kind(opcode) == Kind::f ? 0u : keeplo};
    return run_one(vector_op(Unit::vmul, opcode, mode, 2, {0}, constant, out), {}, {}, policies).get4("r2");
  };
  EXPECT_THAT(result(0x30, RegMode::bits32, {.constant = 0xB800}), ElementsAre(f(-0.5f), f(-0.5f), f(-0.5f), f(-0.5f)));
  EXPECT_EQ(result(0x30, RegMode::bits32, {.constant = 0x0001})[0], f(std::ldexp(1.0f, -24)));
  EXPECT_EQ(result(0x30, RegMode::bits32, {.constant = 0x7C00})[0], f(infinity));
  EXPECT_EQ(result(0x30, RegMode::bits16, {.constant = 0x3555})[3], 0x35553555u);
  EXPECT_EQ(result(0x30, RegMode::bits64, {.constant = 0x3C00})[1], 0x3FF00000u);
  EXPECT_EQ(result(0x7B, RegMode::bits32, {.constant = 0xFF80})[2], i(-128));
  EXPECT_EQ(result(0x7B, RegMode::bits16, {.constant = 0xFF80})[0], 0xFF80FF80u);
  EXPECT_THAT(result(0x7B, RegMode::bits64, {.constant = 0xFFFF}), ElementsAre(~0u, ~0u, ~0u, ~0u));
  EXPECT_EQ(result(0x30, RegMode::bits32, {.mod = 2, .constant = 0x3C00})[0], f(-1));
  EXPECT_EQ(result(0x30, RegMode::bits32, {.mod = 2, .constant = 0x3C00}, {{"inline_modifier", "ignore"}})[0], f(1));
}

/// C4: a scalar inline constant is sign-extended.
TEST(LiftAlu, ScalarInlineConstants) {
  LiftRun run(program_of({0x00080018, 0xD462E7E0, 0x00005809, 0x00000000}));
  EXPECT_EQ(run.set("r0.y", i(-1000)).run().get("TMP1.y"), i(-128));
}

/// C2, and the types a constant may have.
TEST(LiftAlu, EmbeddedConstants) {
  LiftRun run(program_of({0x0022001A, 0x07586340, 0x40720214, 0x0210FF29, 0xFF27E072, 0, 0, 0, 0x3FC00000, 0x3F000000,
                          0x3F800000, 0x40133333}));
  run.set4f("r0", {1, 2, 3, 4}).run();
  EXPECT_THAT(run.get4f("r1"), ElementsAre(2.5f, 3.3f, 3.8f, 4.5f));

  const std::array<std::uint32_t, 4> constants{0x40003C00, 0x80000000, 0x3FF80000, 0x00007FFF};
  const auto moved = [&](unsigned opcode, RegMode mode, V source) {
    const Out out{.outmod = opcode == 0x7B ? keeplo : 0u};
    LiftRun one(program_of({alu({vector_op(Unit::vmul, opcode, mode, 2, {}, source, out)}, constants)}));
    return one.run().get4("r2");
  };
  EXPECT_EQ(moved(0x30, RegMode::bits32, {26, xyzw, 2, Expand::low})[1], f(-2));
  EXPECT_EQ(moved(0x7B, RegMode::bits32, {26, xyzw, 2, Expand::low})[1], 0x40004000u);
  EXPECT_EQ(moved(0x7B, RegMode::bits32, {26, xyzw, 3, Expand::low})[1], 0x40000000u);
  EXPECT_EQ(moved(0x7B, RegMode::bits32, {26, xyzw, 0, Expand::low})[3], 0xFFFF8000u);
  EXPECT_EQ(moved(0x7B, RegMode::bits64, {26, xyzw, 0, Expand::low})[3], 0xFFFFFFFFu);
  EXPECT_EQ(moved(0x7B, RegMode::bits64, {26, 0x1B})[0], 0x00007FFFu);
  EXPECT_EQ(moved(0x7B, RegMode::bits16, {26, yyyy})[0], 0x40004000u);
  EXPECT_EQ(moved(0x30, RegMode::bits32, {26, xyzw, 1})[1], 0u);
}

// ------------------------------------------------------------------------------------------------ scalar units

TEST(LiftAlu, ScalarComponents) {
  // r2.y = r0.z + r1.w
  EXPECT_EQ(
      run_one(scalar_op(Unit::sadd, 0x40, {2, 1}, {0, 2}, {1, 3}, keeplo), {0, 0, 5, 0}, {0, 0, 0, 6}).get("r2.y"),
      11u);
  // fp16 components 5 and 2, widened and shrunk again into component 7
  const auto run = run_one(scalar_op(Unit::smul, 0x14, {2, 7, 0, true}, {0, 5, 0, true}, {1, 2, 2, true}),
                           {0, 0, 0x40000000, 0}, {0, 0x4200, 0, 0});
  EXPECT_THAT(run.get4("r2"), ElementsAre(0, 0, 0, 0xC6000000));
}

TEST(LiftAlu, ScalarHalfModifiers) {
  const auto moved = [&](unsigned mod) {
    return run_one(scalar_op(Unit::smul, 0x7B, {2, 0}, {}, {1, 1, mod, true}, keeplo), {}, {0x80010000, 0, 0, 0})
        .get("r2.x");
  };
  EXPECT_EQ(moved(0), 0xFFFF8001u);
  EXPECT_EQ(moved(1), 0x00008001u);
  EXPECT_EQ(moved(2), 0x80018001u);
  EXPECT_EQ(moved(3), 0x80010000u);
}

/// smul.MOV.i32 R0.x.keeplo, TMP0.x, R1.w.sext moves 16 bits and needs no arithmetic for it.
TEST(LiftAlu, ScalarMoveOfAHalfIsOneMove) {
  const Program program =
      program_of({alu({scalar_op(Unit::smul, 0x7B, {2, 3, 0, true}, {}, {1, 6, 0, true}, keeplo)})});
  LiftRun run(program);
  EXPECT_EQ(run.program().operations.size(), 1u);
  EXPECT_EQ(run.set("r1.w", 0x1234ABCD).run().get("r2.y"), 0xABCD0000u);
}

TEST(LiftAlu, OperationsOnSeveralLanesTrapOnScalarUnits) {
  for (const unsigned opcode : {0x38u, 0x3Cu, 0x3Fu, 0x59u, 0x7Eu, 0x88u, 0xB0u}) {
    LiftRun run(program_of({alu({scalar_op(Unit::smul, opcode, {2, 0}, {0, 0}, {1, 0}, keeplo)})}));
    EXPECT_THAT(run.run().fault(), HasSubstr("needs several lanes")) << opcode;
  }
}

TEST(LiftAlu, FullComponentsAtOddPositionsTrap) {
  AluInstruction instruction = scalar_op(Unit::smul, 0x7B, {2, 0}, {}, {1, 0}, keeplo);
  set(instruction.word, scalar::component, 1);
  LiftRun run(program_of({alu({instruction})}));
  EXPECT_THAT(run.run().fault(), HasSubstr("odd 16-bit position"));
}

// ------------------------------------------------------------------------------------------------ selects (3.3)

/// The condition comes from stage 1 of the same bundle.
TEST(LiftAlu, ScalarSelectMuxesBits) {
  const auto select = [&](std::uint32_t condition) {
    LiftRun run(program_of({alu({scalar_op(Unit::sadd, 0x7B, {31, 3}, {}, {3, 0}, keeplo),
                                 vector_op(Unit::vadd, 0xC1, RegMode::bits32, 2, {0}, {1}, {.outmod = keeplo}),
                                 scalar_op(Unit::smul, 0xC5, {4, 0}, {0, 1}, {1, 1})})}));
    run.set4("r0", {0xAAAAAAAA, 1, 2, 3}).set4("r1", {0x55555555, 11, 12, 13}).set("r3.x", condition).run();
    return std::array<std::uint32_t, 3>{run.get("r2.x"), run.get("r2.w"), run.get("r4.x")};
  };
  EXPECT_THAT(select(yes), ElementsAre(0xAAAAAAAA, 3, 1));
  EXPECT_THAT(select(no), ElementsAre(0x55555555, 13, 11));
  EXPECT_EQ(select(0xFFFF0000)[0], 0xAAAA5555u);
}

TEST(LiftAlu, VectorSelectTestsEachLane) {
  LiftRun run(program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 31, {}, {3}, {.outmod = keeplo}),
                               vector_op(Unit::vadd, 0xC0, RegMode::bits32, 2, {0}, {1}, {.outmod = keeplo}),
                               scalar_op(Unit::smul, 0xC0, {4, 1}, {0, 1}, {1, 1}, keeplo)})}));
  run.set4("r0", {1, 2, 3, 4}).set4("r1", {11, 12, 13, 14}).set4("r3", {yes, no, no, yes}).run();
  EXPECT_THAT(run.get4("r2"), ElementsAre(1, 12, 13, 4));
  EXPECT_EQ(run.get("r4.y"), 2u) << "a scalar unit tests r31.x whatever the component";
}

TEST(LiftAlu, FloatSelectHasFloatModifiers) {
  LiftRun run(program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 31, {}, {3}, {.outmod = keeplo}),
                               vector_op(Unit::vadd, 0xC4, RegMode::bits32, 2, {0, xyzw, 2}, {1}, {.outmod = 3})})}));
  run.set4f("r0", {-0.5f, 3, -3, 1}).set4f("r1", {7, 8, 9, 0.25f}).set4("r3", {yes, yes, yes, no}).run();
  EXPECT_THAT(run.get4f("r2"), ElementsAre(0.5f, 0, 1, 0.25f));
}

TEST(LiftAlu, SelectOfNarrowAndWideLanes) {
  const auto select = [&](RegMode mode, const Policies& policies) {
    LiftRun run(program_of({alu({scalar_op(Unit::sadd, 0x7B, {31, 3}, {}, {3, 0}, keeplo),
                                 vector_op(Unit::vadd, 0xC1, mode, 2, {0}, {1}, {.outmod = keeplo})})}),
                policies);
    run.set4("r0", {~0u, ~0u, ~0u, ~0u}).set("r3.x", 0xFF0000FF).run();
    return run.get4("r2");
  };
  EXPECT_EQ(select(RegMode::bits16, {})[0], 0x00FF00FFu);
  EXPECT_EQ(select(RegMode::bits16, {{"csel16_half", "high"}})[0], 0xFF00FF00u);
  EXPECT_EQ(select(RegMode::bits16, {{"csel16_half", "alternate"}})[0], 0xFF0000FFu);
  EXPECT_EQ(select(RegMode::bits8, {{"csel16_half", "alternate"}})[3], 0xFF0000FFu);
  EXPECT_EQ(select(RegMode::bits8, {{"csel16_half", "high"}})[3], ~0u);
  EXPECT_THAT(select(RegMode::bits64, {}), ElementsAre(0xFF0000FF, 0xFF0000FF, 0xFF0000FF, 0xFF0000FF));
}

// ------------------------------------------------------------------------------------------------ stages (4.1)

TEST(LiftAlu, SecondStageSeesTheFirst) {
  // vmul: r0 = r0 * 2 and TMP0; vadd: r1 = r0 + r0, smul: r2.x = r1.x (from before the stage)
  LiftRun run(program_of({alu({vector_op(Unit::vmul, 0x14, RegMode::bits32, 0, {0}, {.constant = 0x4000}),
                               vector_op(Unit::vadd, 0x10, RegMode::bits32, 1, {0}, {0}),
                               scalar_op(Unit::smul, 0x30, {2, 0}, {}, {1, 0})})}));
  run.set4f("r0", {1, 2, 3, 4}).set4f("r1", {50, 60, 70, 80}).run();
  EXPECT_THAT(run.get4f("r0"), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(run.get4f("r1"), ElementsAre(4, 8, 12, 16));
  EXPECT_EQ(run.getf("r2.x"), 50);
}

TEST(LiftAlu, UnitsOfAStageReadBeforeAnyWrites) {
  // first stage: r0.xyzw = r0.wzyx and r1.x = r0.x; the reversal needs no old value saved twice
  LiftRun run(program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 0, {}, {0, 0x1B}, {.outmod = keeplo}),
                               scalar_op(Unit::sadd, 0x7B, {1, 0}, {}, {0, 0}, keeplo)})}));
  run.set4("r0", {1, 2, 3, 4}).run();
  EXPECT_THAT(run.get4("r0"), ElementsAre(4, 3, 2, 1));
  EXPECT_EQ(run.get("r1.x"), 1u);
}

TEST(LiftAlu, ResultsForOtherPipesLandInTheirInputs) {
  const auto written = [](unsigned reg, const std::string& variant) {
    LiftRun run(
        program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, reg, {}, {0}, {.outmod = keeplo})})}, variant));
    run.set4("r0", {1, 2, 3, 4}).run();
    std::vector<std::string> names;
    for (const char* name : {"AL0.y", "AL1.y", "AT0.y", "AT1.y", "TA0.y", "COND.y"})
      if (run.program().find_slot(name) != nullptr && run.get(name) == 2) names.emplace_back(name);
    return names;
  };
  EXPECT_THAT(written(26, "t860"), ElementsAre("AL0.y"));
  EXPECT_THAT(written(27, "t860"), ElementsAre("AL1.y"));
  EXPECT_THAT(written(28, "t860"), ElementsAre("AT0.y"));
  EXPECT_THAT(written(29, "t860"), ElementsAre("AT1.y"));
  EXPECT_THAT(written(31, "t860"), ElementsAre("COND.y"));
  EXPECT_THAT(written(28, "t720"), ElementsAre("AL0.y"));
}

TEST(LiftAlu, TextureResultsAreReadFromTheirRegisters) {
  const Program program =
      program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 2, {}, {29}, {.outmod = keeplo})})});
  LiftRun apart(program);
  EXPECT_THAT(apart.set4("TA1", {1, 2, 3, 4}).run().get4("r2"), ElementsAre(1, 2, 3, 4));
  Program aliased = program;
  aliased.variant = "t820";
  LiftRun same(aliased);
  EXPECT_THAT(same.set4("r1", {5, 6, 7, 8}).run().get4("r2"), ElementsAre(5, 6, 7, 8));
}

TEST(LiftAlu, ProgramCounterAndStackPointer) {
  const Program program =
      program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 0, {}, {0}, {.outmod = keeplo})}),
                  alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 2, {}, {31}, {.outmod = keeplo})})});
  LiftRun next(program);
  EXPECT_THAT(next.set("PC_SP.z", 7).set("PC_SP.w", 8).run().get4("r2"), ElementsAre(0x20, 0, 7, 8));
  EXPECT_EQ(LiftRun(program, {{"pc_value", "this"}}).run().get("r2.x"), 0x10u);
}

TEST(LiftAlu, RegistersWithoutMeaning) {
  for (const unsigned reg : {27u, 30u}) {
    const Program program =
        program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 2, {}, {reg}, {.outmod = keeplo})})});
    EXPECT_THAT(LiftRun(program).run().fault(), HasSubstr("INSTR_OPERAND_FAULT"));
    LiftRun zero(program, {{"unknown_registers", "zero"}});
    EXPECT_THAT(zero.set4("r2", {1, 1, 1, 1}).run().get4("r2"), ElementsAre(0, 0, 0, 0));
  }
  const Program write =
      program_of({alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 30, {}, {0}, {.outmod = keeplo})})});
  EXPECT_THAT(LiftRun(write).run().fault(), HasSubstr("writes r30"));
  EXPECT_EQ(LiftRun(write, {{"unknown_registers", "zero"}}).run().fault(), "");
}

// ------------------------------------------------------------------------------------------------ policies

TEST(LiftAlu, PopulationCountByByte) { EXPECT_EQ(compute(0x7A, 0xFF0F0301, 0, {{"popcnt", "byte"}}), 0x08040201u); }

TEST(LiftAlu, ShiftAmountsOfOtherLaneWidths) {
  const auto shifted = [&](unsigned opcode, RegMode mode, std::uint32_t value, std::uint32_t amount,
                           const Policies& policies) {
    return run_one(vector_op(Unit::vadd, opcode, mode, 2, {0}, {1}, {.outmod = keeplo, .mask = 0x0F}), {value, 0, 0, 0},
                   {amount, 0, 0, 0}, policies)
        .get4("r2");
  };
  const Policies five{{"shift_mask", "five-bits"}};
  EXPECT_EQ(shifted(0x6E, RegMode::bits16, 1, 17, {})[0], 2u);
  EXPECT_EQ(shifted(0x6E, RegMode::bits16, 1, 17, five)[0], 0u);
  EXPECT_EQ(shifted(0x68, RegMode::bits16, 0x8000, 17, five)[0], 0xFFFFu);
  EXPECT_EQ(shifted(0x69, RegMode::bits16, 0x8000, 15, five)[0], 1u);
  EXPECT_EQ(shifted(0x6C, RegMode::bits16, 1, 17, five)[0], 0x7FFFu);
  EXPECT_EQ(shifted(0x6D, RegMode::bits16, 1, 17, five)[0], 0xFFFFu);
  EXPECT_THAT(shifted(0x6E, RegMode::bits64, 1, 33, {}), ElementsAre(0, 2, 0, 0));
  EXPECT_THAT(shifted(0x6E, RegMode::bits64, 1, 33, five), ElementsAre(2, 0, 0, 0));
}

TEST(LiftAlu, ConversionsOutOfRangeMayStop) {
  const auto faults = [&](unsigned opcode, RegMode mode, std::uint32_t value) {
    LiftRun run(program_of({alu({vector_op(Unit::vadd, opcode, mode, 2, {0}, {}, {.outmod = keeplo, .mask = 0x03})})}),
                {{"f2i_overflow", "trap"}});
    run.set4("r0", {value, value, value, value}).run();
    return !run.fault().empty();
  };
  EXPECT_FALSE(faults(0x99, RegMode::bits32, f(-2147483648.0f)));
  EXPECT_TRUE(faults(0x99, RegMode::bits32, f(2147483648.0f)));
  EXPECT_TRUE(faults(0x99, RegMode::bits32, f(nan)));
  EXPECT_FALSE(faults(0x9D, RegMode::bits32, f(-0.75f)));
  EXPECT_TRUE(faults(0x9E, RegMode::bits32, f(-0.75f)));
  EXPECT_TRUE(faults(0x9D, RegMode::bits32, f(4294967296.0f)));
  EXPECT_FALSE(faults(0x99, RegMode::bits16, 0x77FF77FF));
  EXPECT_TRUE(faults(0x99, RegMode::bits16, 0x78007800));
  EXPECT_FALSE(faults(0x9D, RegMode::bits16, 0x7BFF7BFF));
  EXPECT_TRUE(faults(0x9D, RegMode::bits16, 0x7C007C00));
}

TEST(LiftAlu, OperationsThatMayBeUndefined) {
  const std::pair<unsigned, const char*> cases[] = {
      {0x59, "widening_mul"}, {0x3F, "argument_reduction"}, {0x3D, "argument_reduction"}, {0xEC, "pow_step"}};
  for (const auto& [opcode, policy] : cases) {
    const Out out{.outmod = output_kind(opcode) == Kind::f ? 0u : keeplo, .mask = 0x0F};
    const Program program = program_of({alu({vector_op(Unit::vmul, opcode, RegMode::bits32, 2, {0}, {1}, out)})});
    EXPECT_EQ(LiftRun(program).run().fault(), "");
    EXPECT_THAT(LiftRun(program, {{policy, "trap"}}).run().fault(), HasSubstr("is not known")) << policy;
  }
}

TEST(LiftAlu, DotProductsMayBeFused) {
  // 1 * 1 + e * e in two roundings loses what a fused step keeps when -1 is added first
  const std::array<std::uint32_t, 4> a{f(-1), 0x3F800001, 0, 0}, b{f(1), 0x3F800001, 0, 0};
  const auto dot = [&](const Policies& policies) {
    return run_one(vector_op(Unit::vmul, 0x3C, RegMode::bits32, 2, {0}, {1}, {.mask = 3}), a, b, policies).getf("r2.x");
  };
  EXPECT_EQ(dot({}), std::ldexp(1.0f, -22));
  EXPECT_EQ(dot({{"dot_product", "fused"}}), std::ldexp(1.0f, -22) + std::ldexp(1.0f, -46));
}

// ------------------------------------------------------------------------------------------------ fidelity

/// The order of micro-operations is the lifter's, whichever compiler built it. Source 1 is negated and source 2 made
/// absolute, which shows when each of them is read.
TEST(LiftAlu, SourcesAreReadInOneOrder) {
  constexpr unsigned fdot3 = 0x3C, ffma = 0x38, fball_eq = 0x88, fcsel = 0xC5, fatan2_pt1 = 0xF9, fpow_pt1 = 0xEC;
  const auto order = [](unsigned opcode, unsigned mask, const Policies& policies = {}) {
    const build::Vector op{.opcode = opcode, .dst = 2, .src1 = 0, .src2 = 1, .mod1 = 2, .mod2 = 1, .mask = mask};
    const auto lifted_program =
        *lift(build::program({build::bundle(build::Word{{build::alu(Unit::vadd, op)}})}), policies);
    std::string names;
    for (const ir::Operation& operation : lifted_program.operations)
      if (operation.op != ir::Op::mov) (names += names.empty() ? "" : " ") += ir::info(operation.op).name;
    return names;
  };
  EXPECT_EQ(order(fdot3, 3), "fabs fneg fabs fneg fmul fmul fabs fneg fmul fadd fadd");
  EXPECT_EQ(order(fdot3, 3, {{"dot_product", "fused"}}), "fabs fneg fmul fabs fneg ffma fabs fneg ffma");
  EXPECT_EQ(order(ffma, 3), "fabs fneg fneg ffma");
  EXPECT_EQ(order(fball_eq, 3), "fabs fneg fabs fneg feq feq fabs fneg feq iand fabs fneg feq iand iand");
  EXPECT_EQ(order(fcsel, 3), "fabs fneg select");
  EXPECT_EQ(order(fatan2_pt1, 3), "fabs fneg fatan2_base");
  EXPECT_EQ(order(fpow_pt1, 3), "fneg flog2 fabs fmul");
  EXPECT_EQ(order(build::fadd, 3), "fneg fabs fadd");
}

TEST(LiftAlu, NotesSayWhatIsNotExact) {
  LiftRun exact(program_of({alu({vector_op(Unit::vmul, 0x14, RegMode::bits32, 2, {0}, {1})})}));
  EXPECT_LT(exact.program().blocks[0].fidelity, Status::inferred);
  EXPECT_TRUE(exact.program().notes.empty());
  LiftRun table(program_of({alu({vector_op(Unit::vlut, 0xF0, RegMode::bits32, 2, {0, xxxx}, {}, {.mask = 3})})}));
  EXPECT_EQ(table.program().blocks[0].fidelity, Status::unknown);
  ASSERT_EQ(table.program().notes.size(), 1u);
  EXPECT_THAT(table.program().notes[0].text, HasSubstr("tables are unpublished"));
  const auto notes_of_shift = [](V amount, RegMode mode) {
    return LiftRun(program_of({alu({vector_op(Unit::vadd, 0x6E, mode, 2, {0}, amount, {.outmod = keeplo})})}))
        .program()
        .notes;
  };
  EXPECT_EQ(notes_of_shift({1}, RegMode::bits32).size(), 1u);
  EXPECT_EQ(notes_of_shift({.constant = 31}, RegMode::bits32).size(), 0u) << "nothing wraps";
  EXPECT_EQ(notes_of_shift({.constant = 16}, RegMode::bits16).size(), 1u);
  LiftRun clash(program_of({alu({vector_op(Unit::vmul, 0x14, RegMode::bits32, 2, {0}, {1}),
                                 scalar_op(Unit::sadd, 0x10, {2, 0}, {0, 0}, {1, 0})})}));
  ASSERT_FALSE(clash.program().notes.empty());
  EXPECT_THAT(clash.program().notes.back().text, HasSubstr("same bytes"));
}

}  // namespace
}  // namespace mobula::midgard
