// Main ALU instructions against values computed here or by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::uint32_t denormal = 0x00000001, nan_bits = 0x7FC00000;

/// r0 of one group over r1, r2, r3.
std::uint32_t result(std::string_view text, std::uint32_t r1, std::uint32_t r2 = 0, std::uint32_t r3 = 0,
                     const Policies& policies = {}) {
  Task task(text, 1, policies);
  task.set("r1", r1).set("r2", r2).set("r3", r3).run();
  return task.get("r0");
}
float result_f(std::string_view text, float r1, float r2 = 0, float r3 = 0, const Policies& policies = {}) {
  return number(result(text, bits(r1), bits(r2), bits(r3), policies));
}

// ---- floats

TEST(Floats, Arithmetic) {
  EXPECT_EQ(result_f("fadd r0, r1, r2", 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(result_f("fmul r0, r1, r2", 1.5f, 2.5f), 3.75f);
  EXPECT_EQ(result_f("fmad r0, r1, r2, r3", 1.5f, 2.0f, 0.25f), 3.25f);
  EXPECT_EQ(result_f("fadd.sat r0, r1, r2", 1.5f, 2.25f), 1.0f);
  EXPECT_EQ(result_f("fadd.sat r0, r1, r2", -1.5f, 1.0f), 0.0f);
}

TEST(Floats, ModifiersApplyInOrder) {
  EXPECT_EQ(result_f("fadd r0, r1.flr, r2", 1.75f, 0.0f), 1.0f);
  EXPECT_EQ(result_f("fadd r0, r1.flr.abs, r2", -1.25f, 0.0f), 2.0f) << "floor before absolute value";
  EXPECT_EQ(result_f("fadd r0, r1.abs.neg, r2.abs", -3.0f, -5.0f), 2.0f) << "absolute value before negation";
  EXPECT_EQ(result_f("fmad r0, r1.neg, r2.neg, r3.flr", 2.0f, 3.0f, 0.5f), 6.0f);
}

TEST(Floats, TheProductOfAMadIsRoundedByPolicy) {
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  EXPECT_EQ(result_f("fmad r0, r1, r2, r3", a, a, c), 0x1p-24f);
  EXPECT_EQ(result_f("fmad r0, r1, r2, r3", a, a, c, {{"fma", "separate"}}), 0.0f);
}

TEST(Floats, RoundingIsAPolicy) {
  EXPECT_EQ(result_f("fadd r0, r1, r2", 1.0f, 0x1.8p-24f), 1 + 0x1p-23f);
  EXPECT_EQ(result_f("fadd r0, r1, r2", 1.0f, 0x1.8p-24f, 0, {{"rounding", "zero"}}), 1.0f);
}

TEST(Floats, DenormalsAreAPolicy) {
  EXPECT_EQ(result("fadd r0, r1, r2", denormal), 0u);
  EXPECT_EQ(result("fadd r0, r1, r2", denormal | 0x80000000, 0x80000000), 0x80000000u) << "zeros of their sign";
  EXPECT_EQ(result("fadd r0, r1, r2", denormal, 0, 0, {{"denormals", "keep"}}), denormal);
  EXPECT_EQ(result_f("fmul r0, r1, r2", 0x1p-100f, 0x1p-30f), 0.0f) << "results, too";
}

TEST(Floats, CopiesKeepEveryBit) {
  EXPECT_EQ(result("mbyp r0, r1", denormal), denormal);
  EXPECT_EQ(result("mbyp r0, r1", 0x7FA00001), 0x7FA00001u);
  EXPECT_EQ(result("mbyp r0, r1.abs.neg", 0x00000005), 0x80000005u);
}

TEST(Floats, ComplexOperations) {
  EXPECT_EQ(result_f("frcp r0, r1", 4.0f), 0.25f);
  EXPECT_EQ(result_f("frcp r0, r1", -0.0f), -infinity);
  EXPECT_EQ(result_f("frcp r0, r1", infinity), 0.0f);
  EXPECT_EQ(result("frcp r0, r1", 0xFFC00000), nan_bits) << "NaN gives +NaN";
  EXPECT_EQ(result_f("frsq r0, r1", 4.0f), 0.5f);
  EXPECT_EQ(result_f("frsq r0, r1", -0.0f), -infinity);
  EXPECT_EQ(result("frsq r0, r1", bits(-1.0f)), nan_bits);
  EXPECT_EQ(result_f("flog r0, r1", 8.0f), 3.0f);
  EXPECT_EQ(result_f("flog r0, r1", 0.0f), -infinity);
  EXPECT_EQ(result("flog r0, r1", bits(1.0f)), 0u);
  EXPECT_EQ(result_f("flogcn r0, r1", 8.0f), 3.0f);
  EXPECT_EQ(result_f("fexp r0, r1", 3.0f), 8.0f);
  EXPECT_EQ(result_f("fexp r0, r1", -infinity), 0.0f);
  EXPECT_EQ(result_f("fexp r0, r1.neg", 1.0f), 0.5f);
}

TEST(Floats, TheCurvesAreThoseOfSrgb) {
  EXPECT_FLOAT_EQ(result_f("gcmp r0, r1", 0.002f), 0.02584f);
  EXPECT_FLOAT_EQ(result_f("gcmp r0, r1", 0.5f), 0.735356983f);
  EXPECT_FLOAT_EQ(result_f("gexp r0, r1", 0.735356983f), 0.5f);
  EXPECT_FLOAT_EQ(result_f("gexp r0, r1", 0.02584f), 0.002f);
}

TEST(Floats, ASineInFourGroups) {
  const Bytes code = assemble(R"(
    fred.sin r4, r5, _, 0, r1, _
    fred.sin.partb r4, r5, _, 0, r1, r5
    fsinc r6, p0, r4
    if(p0) main { p0: fmul ft0, r6, r4; w0 = r6 })");
  const Bytes cosine = assemble(R"(
    fred.cos r4, r5, _, 0, r1, _
    fred.cos.partb r4, r5, _, 0, r1, r5
    fsinc r6, p0, r4
    if(p0) main { p0: fmul ft0, r6, r4; w0 = r6 })");
  for (const float x : {0.0f, 1e-20f, 0.3f, 1.5f, 3.0f, 4.5f, 6.0f, -2.0f, 100.0f}) {
    EXPECT_NEAR(Task(code).set("r1", x).run().get_f("r6"), std::sin(x), 2e-6) << x;
    EXPECT_NEAR(Task(cosine).set("r1", x).run().get_f("r6"), std::cos(x), 2e-6) << x;
  }
}

TEST(Floats, AnArcTangentRatio) {
  EXPECT_FLOAT_EQ(result_f("farctanc r0, r1", 0.5f), std::atan(0.5f) / 0.5f);
  EXPECT_EQ(result("farctanc r0, r1", 0x39BFFFFF), bits(1.0f));
}

TEST(Floats, DerivativesAreCoarseOrFine) {
  const auto of = [](std::string_view text) {
    Task task(text, 4);
    task.set("r1", [](std::uint32_t lane) { return bits(std::array{1.0f, 3.0f, 10.0f, 17.0f}[lane]); });
    task.run();
    return std::array{task.get_f("r0", 0), task.get_f("r0", 1), task.get_f("r0", 2), task.get_f("r0", 3)};
  };
  using testing::ElementsAre;
  EXPECT_THAT(of("fdsx r0, r1"), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(of("fdsy r0, r1"), ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(of("fdsxf r0, r1"), ElementsAre(2, 2, 7, 7));
  EXPECT_THAT(of("fdsyf r0, r1"), ElementsAre(9, 14, 9, 14));
}

TEST(Floats, DerivativesSeeInstancesThatDoNotRun) {
  Task task("if(p0) main { p0: fdsx ft0, r1; w0 = r0 }", 4);
  task.set("r1", [](std::uint32_t lane) { return bits(static_cast<float>(lane)); });
  task.set("p0", [](std::uint32_t lane) { return lane == 0 ? ~0u : 0u; }).set("r0", 9.0f).run();
  EXPECT_EQ(task.get_f("r0", 0), 1.0f);
  EXPECT_EQ(task.get_f("r0", 1), 9.0f);
}

// ---- integers

TEST(Integers, EightAndSixteenBits) {
  EXPECT_EQ(result("uadd8 r0, r1, r2", 0xF0, 0x20), 0x10u);
  EXPECT_EQ(result("uadd8.sat r0, r1, r2", 0xF0, 0x20), 0xFFu);
  EXPECT_EQ(result("iadd8.sat r0, r1, r2", 0x7F, 0x01), 0x7Fu);
  EXPECT_EQ(result("iadd8.sat r0, r1, r2", 0x80, 0xFF), 0xFFFFFF80u);
  EXPECT_EQ(result("imul16 r0, r1, r2", 0xFFFE, 3), 0xFFFFFFFAu);
  EXPECT_EQ(result("umul16.sat r0, r1, r2", 0xFFFF, 0xFFFF), 0xFFFFu);
  EXPECT_EQ(result("umad16 r0, r1, r2, r3", 100, 200, 7), 20007u);
  EXPECT_EQ(result("imad8 r0, r1.neg, r2, r3", 5, 6, 1), 0xFFFFFFE3u);
}

TEST(Integers, MultiplyAndAdd32) {
  EXPECT_EQ(result("umadd32 r0, r1, r2, r3", 7, 6, 5), 47u);
  EXPECT_EQ(result("smadd32 r0, r1.neg, r2, r3", 7, 6, 5), static_cast<std::uint32_t>(-37));
  EXPECT_EQ(result("smadd32 r0, r1, r2.abs, r3.neg", 2, static_cast<std::uint32_t>(-3), 1), 5u);
  EXPECT_EQ(Task("umadd32 r0, r1, sc1, sc0, p0").set("r1", 4u).set("p0", ~0u).run().get("r0"), 5u);
}

/// The pair of a 64-bit operation over r1:r0 (S1:S0), r2 and r3.
std::uint64_t pair_of(std::string_view text, std::uint64_t a, std::uint64_t c, std::uint32_t p0 = 0) {
  Task task(text);
  task.set("r0", static_cast<std::uint32_t>(a)).set("r1", static_cast<std::uint32_t>(a >> 32));
  task.set("r2", static_cast<std::uint32_t>(c)).set("r3", static_cast<std::uint32_t>(c >> 32)).set("p0", p0).run();
  return task.get("r4") | std::uint64_t{task.get("r5")} << 32;
}

TEST(Integers, SixtyFourBits) {
  EXPECT_EQ(pair_of("add64 r4, r5, r0, r1, r2, r3", 0xFFFFFFFF, 0x1'00000001), 0x2'00000000u);
  EXPECT_EQ(pair_of("add64 r4, r5, r0, r1, r2, r3, p0", 5, 6, ~0u), 12u);
  EXPECT_EQ(pair_of("uadd6432 r4, r5, r0, r1, r2", 0x1'00000000, 0xFFFFFFFF), 0x1'FFFFFFFFu);
  EXPECT_EQ(pair_of("sadd6432 r4, r5, r0, r1, r2", 0x1'00000000, 0xFFFFFFFF), 0xFFFFFFFFu);
  EXPECT_EQ(pair_of("umadd64 r4, r5, r0, r1, r2, r3", 0xFFFFFFFF'FFFFFFFF, 1), 0xFFFFFFFE'00000002u);
  EXPECT_EQ(pair_of("smadd64 r4, r5, r0, r1, r2, r3", 0x00000003'FFFFFFFE, 0), static_cast<std::uint64_t>(-6));
}

TEST(Integers, TheCarryCanBeTested) {
  const std::string_view text = R"(main { s0 = r1; s1 = sc1; s2 = r2; is4 = ft0; p0: umadd32 ft0, s0, s1, s2;
                                          p2: tstc ftt, p0; w0 = r0 })";
  EXPECT_EQ(Task(text).set("r1", 0xFFFFFFFFu).set("r2", 1u).run().get("p0"), ~0u);
  EXPECT_EQ(Task(text).set("r1", 0xFFFFFFFEu).set("r2", 1u).run().get("p0"), 0u);
}

// ---- tests and moves

TEST(Tests, EveryTypeAndComparison) {
  const auto holds = [](const std::string& mnemonic, std::uint32_t x, std::uint32_t y) {
    Task task("main { s0 = r1; s3 = r2; p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2: " + mnemonic + " ftt, p0, is1, is2 }");
    return task.set("r1", x).set("r2", y).run().get("p0") != 0;
  };
  EXPECT_TRUE(holds("tstl", bits(-1.0f), bits(2.0f)));
  EXPECT_FALSE(holds("tstl", nan_bits, bits(2.0f)));
  EXPECT_TRUE(holds("tstne", nan_bits, nan_bits));
  EXPECT_FALSE(holds("tste", nan_bits, nan_bits));
  EXPECT_TRUE(holds("tste", denormal, 0x80000000)) << "denormals are zeros";
  EXPECT_TRUE(holds("tstg.u32", ~0u, 1));
  EXPECT_FALSE(holds("tstg.s32", ~0u, 1));
  EXPECT_TRUE(holds("tstge.s32", 5, 5));
  EXPECT_TRUE(holds("tstle.u16", 0xFFFF0001, 2));
  EXPECT_TRUE(holds("tstl.s8", 0x80, 0x7F));
  EXPECT_FALSE(holds("tstl.u8", 0x80, 0x7F));
  EXPECT_TRUE(holds("tstne.u32", 1, 2));
}

TEST(Tests, AgainstZero) {
  const auto holds = [](const std::string& mnemonic, std::uint32_t x) {
    Task task("main { s0 = r1; p0: mbyp ft0, s0; p2: " + mnemonic + " ftt, p0, is1 }");
    return task.set("r1", x).run().get("p0") != 0;
  };
  EXPECT_TRUE(holds("tstz", 0x80000000)) << "-0.0";
  EXPECT_FALSE(holds("tstz.u32", 0x80000000));
  EXPECT_TRUE(holds("tstgz", bits(0.5f)));
  EXPECT_FALSE(holds("tstgz.s32", 0x80000000));
  EXPECT_TRUE(holds("tstgez.s32", 0));
  EXPECT_FALSE(holds("tstgez", nan_bits));
}

TEST(Moves, BytesThatAreLeftOutComeFromTheSelector) {
  Task task(
      R"(main { s0 = r1; s3 = r2; is4 = ft0; p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2: mov w0.e1.e3, ft1; w0 = r0 })");
  task.set("r1", 0x44332211u).set("r2", 0xDDCCBBAAu).run();
  EXPECT_EQ(task.get("r0"), 0xDD33BB11u);
}

TEST(Moves, BothPortsFollowTheTest) {
  const std::string_view text = R"(main { s0 = r1; s3 = r2; s1 = r3; is0 = s1; is1 = ft0; is4 = ft0; is5 = ft0;
      p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2: tstz.u32 ftt, _, is1; p2: movc w0, w1, ftt, ft1, fte;
      w0 = r4; w1 = r5 })";
  Task yes(text);
  yes.set("r1", 0u).set("r2", 2u).set("r3", 3u).run();
  EXPECT_EQ(yes.get("r4"), 2u);
  EXPECT_EQ(yes.get("r5"), 3u);
  Task no(text);
  no.set("r1", 1u).set("r2", 2u).set("r3", 3u).run();
  EXPECT_EQ(no.get("r4"), 1u);
  EXPECT_EQ(no.get("r5"), 1u);
}

// ---- groups

TEST(Groups, NoResultOfAGroupIsSeenByItsSources) {
  Task swap("main { s0 = r0; s3 = r1; is4 = ft1; is5 = ft0; p0: mbyp ft0, s0; p1: mbyp ft1, s3; w0 = r0; w1 = r1 }");
  swap.set("r0", 1u).set("r1", 2u).run();
  EXPECT_EQ(swap.get("r0"), 2u);
  EXPECT_EQ(swap.get("r1"), 1u);
}

TEST(Groups, TheSecondPhaseAddsAndMultiplies) {
  Task task(
      "main { s0 = r1; s1 = r2; is0 = s0; is3 = ft0; is4 = ft2; p0: fmul ft0, s0, s1; p2: fadd ft2, is3, fte; w0 = r0 "
      "}");
  EXPECT_EQ(task.set("r1", 3.0f).set("r2", 4.0f).run().get_f("r0"), 15.0f);
}

TEST(Groups, RepeatAdvancesRegisters) {
  Task task("main rpt=3 { s0 = r4; is4 = ft0; p0: mbyp ft0, s0; w0 = r8 }");
  task.set("r4", 1u).set("r5", 2u).set("r6", 3u).set("r7", 4u).run();
  EXPECT_EQ(task.get("r8"), 1u);
  EXPECT_EQ(task.get("r10"), 3u);
  EXPECT_EQ(task.get("r11"), 0u);
}

TEST(Groups, ConstantsOfARepeatedGroupAreAPolicy) {
  const std::string_view text = "main rpt=2 { s0 = sc5; is4 = ft0; p0: mbyp ft0, s0; w0 = r8 }";
  EXPECT_EQ(Task(text).run().get("r9"), 5u);
  EXPECT_EQ(Task(text, 1, {{"repeat_constants", "advance"}}).run().get("r9"), 6u);
}

TEST(Groups, IndexedRegistersAreFoundAndBounded) {
  Task read("main { s0 = r10[idx0]; is4 = ft0; p0: mbyp ft0, s0; w0 = r0 }", 2);
  read.set("idx0", [](std::uint32_t lane) { return lane == 0 ? 3u : 300u; }).set("r13", 6u).run();
  EXPECT_EQ(read.get("r0", 0), 6u);
  EXPECT_THAT(read.fault(), testing::HasSubstr("beyond the 248 registers"));
}

TEST(Groups, ARegisterOfTheTaskIsOneForAllInstances) {
  Task task("if(p0) main { p0: mbyp ft0, r1; w0 = sh4 }\nmov r2, sh4", 40);
  task.set("p0", [](std::uint32_t lane) { return lane == 5 || lane == 36 ? ~0u : 0u; });
  task.set("r1", [](std::uint32_t lane) { return lane; }).run();
  EXPECT_EQ(task.get("r2", 0), 5u);
  EXPECT_EQ(task.get("r2", 31), 5u);
  EXPECT_EQ(task.get("r2", 33), 36u) << "another task";
}

TEST(Groups, AtomicGroupsTakeInstancesInTurn) {
  // Old value to r0, sum to sh0.
  Task task(R"(main atom { s0 = sh0; s1 = sc1; s2 = r1; is0 = s0; is4 = fte; is5 = ft0; p0: umadd32 ft0, s0, s1, s2;
                           w0 = r0; w1 = sh0 })",
            34);
  task.set("r1", [](std::uint32_t lane) { return lane + 1; }).set("sh0", 100u).run();
  EXPECT_EQ(task.get("r0", 0), 100u);
  EXPECT_EQ(task.get("r0", 1), 101u);
  EXPECT_EQ(task.get("r0", 31), 100u + 31 * 32 / 2);
  EXPECT_EQ(task.get("sh0", 7), 100u + 32 * 33 / 2);
  EXPECT_EQ(task.get("sh0", 33), 100u + 33 + 34) << "the other task has its own";
}

TEST(Groups, StrictRunsSeeWhatNobodyWrote) {
  EXPECT_EQ(Task("fadd r0, r1, r2", 1, {}, true).set("r1", 1.0f).run().undefined_reads(), 1u) << "r2";
  Task masked("if(p0) main { p0: fadd ft0, r1, r2; w0 = r0 }\nnop.end", 2, {}, true);
  masked.set("p0", 0u).run();
  EXPECT_EQ(masked.undefined_reads(), 0u) << "an instance that does not run reads nothing";
}

/// 1.5 * 2^-125 is no denormal; twelve point nine two of it, or two over pi, are.
TEST(Complex, ResultsAreFlushed) {
  const auto result = [](const std::string& instruction, std::uint32_t input, const Policies& policies) {
    return Task(instruction + "\nnop.end", 1, policies).set("r1", input).run().get("r8");
  };
  const Policies keep{{"denormals", "keep"}};
  for (const auto& [instruction, input] :
       {std::pair{"gexp r8, r1", 0x01400000u},
        std::pair{"main { fred.sin.partb w0, w1, _, 0, r1, _; w0 = r8 }", 0x00C00000u}}) {
    EXPECT_EQ(result(instruction, input, {}), 0u) << instruction;
    EXPECT_EQ(result(instruction, input | 0x80000000, {}), 0x80000000u) << instruction << ": the sign stays";
    const std::uint32_t kept = result(instruction, input, keep);
    EXPECT_TRUE(kept != 0 && kept < 0x00800000) << instruction << kept;
  }
  EXPECT_EQ(result("gcmp r8, r1", 0x00000001, {}), 0u);
  EXPECT_NE(result("gcmp r8, r1", 0x00000001, keep), 0u);
}

TEST(Groups, WhatCannotBeExecutedSaysWhy) {
  EXPECT_THAT(Task(bytes_of("ff ff ff ff")).run().fault(), testing::HasSubstr("the bytes are not a group"));
  EXPECT_THAT(Task(bytes_of("25 02 87 ec 00 01 00 00 40 ff")).run().fault(), testing::HasSubstr("r300"));
  EXPECT_THAT(Task("mov r0, r1").run().fault(), testing::HasSubstr("0x8")) << "after the last group";
}

}  // namespace
}  // namespace mobula::rogue
