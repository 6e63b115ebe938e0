#include "machines/utgard_gp/lift/lift.h"
#include "machines/utgard_gp/lift/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "machines/utgard_gp/lift_run.h"
#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/words.h"
#include "paths.h"

namespace mobula::utgard_gp {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::IsNan;

constexpr float infinity = std::numeric_limits<float>::infinity();

auto vec4(float x, float y, float z, float w) { return ElementsAre(FloatEq(x), FloatEq(y), FloatEq(z), FloatEq(w)); }

/// A program text, run on attribute 0 = (1, 2, 3, 4), attribute 1 = (5, 6, 7, 8), u[n] = (10n, 10n + 1, 10n + 2, ...),
/// $0 = (100, 101, 102, 103).
VertexRun run_text(std::string_view text, const Policies& policies = {}, InterpreterOptions options = {}) {
  VertexRun run(assemble(text), policies, options);
  run.environment.attributes[0] = bits_of(1, 2, 3, 4);
  run.environment.attributes[1] = bits_of(5, 6, 7, 8);
  for (unsigned n = 0; n < 512; ++n) {
    const auto first = static_cast<float>(10 * n);
    run.environment.memory[n] = bits_of(first, first + 1, first + 2, first + 3);
  }
  for (unsigned c = 0; c < 4; ++c)
    run.slots[std::string("$0.") + "xyzw"[c]] = std::bit_cast<std::uint32_t>(static_cast<float>(100 + c));
  run.run();
  return run;
}
/// v0.x of it.
float value_of(std::string_view text, const Policies& policies = {}) {
  const VertexRun run = run_text(text, policies);
  EXPECT_TRUE(run.faults.empty()) << run.faults[0].reason;
  return run.varying(0)[0];
}
std::vector<std::string> notes_of(std::string_view text, const Policies& policies = {}) {
  Program program;
  program.code = assemble(text);
  const auto lifted = lift(program, policies);
  std::vector<std::string> texts;
  for (const ir::FidelityNote& note : lifted->notes) texts.push_back(note.text);
  return texts;
}
std::string fault_of(std::string_view text, const Policies& policies) {
  const VertexRun run = run_text(text, policies);
  return run.faults.empty() ? "" : run.faults[0].reason;
}

// ---- the worked examples of the reference (9)

class Example : public testing::TestWithParam<Engine> {
 protected:
  InterpreterOptions options() const { return {.engine = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Engines, Example, testing::Values(Engine::simd, Engine::reference),
                         [](const auto& instance) { return instance.param == Engine::simd ? "simd" : "reference"; });

TEST_P(Example, ProgramATransformsAndCopies) {
  VertexRun run(program_a(), {}, options());
  run.environment.attributes[0] = bits_of(0.4F, 0.6F, 0.25F, 2);
  run.environment.attributes[1] = bits_of(0.1F, 0.2F, 0.3F, 0.4F);
  run.environment.memory[0] = bits_of(400, -240, 0.5F, 1);
  run.environment.memory[1] = bits_of(400, 240, 0.5F, 0);
  run.environment.memory[2] = bits_of(-1e10F, 1e10F, 0, 0);
  run.run();
  EXPECT_THAT(run.varying(0), vec4(0.1F, 0.2F, 0.3F, 0.4F));
  EXPECT_THAT(run.varying(1), vec4(480, 168, 0.5625F, 0.5F));
}

/// The clamp of 1/w is what makes w = 0 harmless.
TEST_P(Example, ProgramAClampsTheReciprocal) {
  VertexRun run(program_a(), {}, options());
  run.environment.attributes[0] = bits_of(1, 1, 1, 0);
  run.environment.memory[0] = bits_of(1, 1, 1, 1);
  run.environment.memory[2] = bits_of(-1e10F, 1e10F, 0, 0);
  run.run();
  EXPECT_THAT(run.varying(1), vec4(1e10F, 1e10F, 1e10F, 1e10F));
}

TEST_P(Example, ProgramBReadsOneResultAtBothAges) {
  VertexRun run(program_b(), {}, options());
  run.environment.attributes[0] = bits_of(-0.375F, 0.625F, -0.1F);
  run.environment.memory[0] = bits_of(400, -240, 0.5F, 1);
  run.environment.memory[1] = bits_of(400, 240, 0.5F, 0);
  run.environment.memory[2] = bits_of(1, 0, 0, 0);
  run.run();
  EXPECT_THAT(run.varying(0), vec4(250, 90, 0.45F, 1));
}

TEST_P(Example, ProgramCLoops) {
  for (const auto& [count, rounds] : {std::pair{0.0F, 0u}, {1.0F, 1u}, {3.0F, 3u}, {7.9F, 7u}}) {
    VertexRun run(program_c(), {}, options());
    run.environment.attributes[0] = bits_of(0.4F, 0.6F, 0.25F, 2);
    run.environment.attributes[1] = bits_of(count, 0, 0, 0);
    run.environment.memory[0] = bits_of(400, -240, 0.5F, 1);
    run.environment.memory[1] = bits_of(400, 240, 0.5F, 0);
    run.environment.memory[2] = bits_of(0, 0, 1.5F, 1);
    run.environment.memory[3] = bits_of(1, 1, 0, 0);
    run.run();
    const float sum = 1.5F * static_cast<float>(rounds);
    EXPECT_THAT(run.varying(1), vec4(sum, sum, sum, 1));
    EXPECT_THAT(run.varying(0), vec4(480, 168, 0.5625F, 0.5F));
    std::uint64_t words = 0;
    for (const std::uint64_t each : run.executions) words += each;
    EXPECT_EQ(words, 4 + 9 * rounds + 6 + 7);
    EXPECT_TRUE(run.undefined_reads.empty());
  }
}

/// 9.4: log2 in flight while an earlier reciprocal is picked up; exp2.
TEST_P(Example, SequencesOverlap) {
  const VertexRun run = run_text(
      "{ p0 = attr0; m0 = complex2 p0.y, p0.y; c = rcp p0.y }"
      "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.y }"
      "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = log2 p0.w }"
      ".word 0xb681da56, 0x43800ab5, 0x0007ff80, 0x00015610\n"
      "{ a1 = mov a0[-1]; st0 v0.x = a1 }"
      "{ p = postlog2 m0[-2]; st0 v0.y = p }",
      {{"sequence", "trap"}}, options());
  EXPECT_TRUE(run.faults.empty());
  EXPECT_FLOAT_EQ(run.varying(0)[0], 0.5F);
  EXPECT_FLOAT_EQ(run.varying(0)[1], 2);
  const VertexRun exp_run = run_text(
      "{ p0 = attr0; p = preexp2 p0.z }"
      ".word 0xad4ad694, 0x038002b5, 0x0087ff80, 0x000ad130\n"
      ".word 0xb60bda56, 0x03800ab5, 0x0007ff80, 0x000d5690\n"
      "{ }"
      "{ m1 = mov m0[-2]; st0 v0.x = m1 }",
      {}, options());
  EXPECT_FLOAT_EQ(exp_run.varying(0)[0], 8);
}

TEST_P(Example, SelectTakesMul1WhenTheConditionHolds) {
  // x > a ? y : z
  for (const auto& [condition, expected] : {std::pair{"p0.x", 2.0F}, {"p0.w", 3.0F}}) {
    const VertexRun run = run_text(std::string("{ p0 = attr0; a0 = lt ") + condition +
                                       ", p0.y }"
                                       ".word 0xad4a8602, 0x438002b5, 0x0007ff80, 0x000ad540\n"
                                       "{ m1 = mov m0[-1]; st0 v0.x = m1 }",
                                   {}, options());
    EXPECT_FLOAT_EQ(run.varying(0)[0], expected) << condition;
  }
}

TEST_P(Example, OneResultFeedsFourComponents) {
  const VertexRun run = run_text(
      "{ p0 = attr0; a0 = mov p0.x; a1 = mov p0.y; m0 = mov p0.z; m1 = mov p0.w; p = mov p0.x }"
      "{ p0 = attr0; a0 = mov p0.x; m0 = mov p0.z; m1 = mov p0.w; p = mov p0.x }"
      ".word 0x74c84a3b, 0x0380a2d9, 0x48012480, 0x000b5509\n",
      {}, options());
  EXPECT_THAT(run.varying(2), vec4(2, 2, 2, 2));
}

// ---- latencies (4.3)

TEST(Lift, RegistersTakeThreeInstructions) {
  const std::string store = "{ p0 = attr0; a0 = mov p0.x; st0 $0.x = a0 }";
  const std::string read = "{ p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }";
  EXPECT_FLOAT_EQ(value_of(store + read), 100);
  EXPECT_FLOAT_EQ(value_of(store + "{ }" + read), 100);
  EXPECT_FLOAT_EQ(value_of(store + "{ }{ }" + read), 1);
  EXPECT_FLOAT_EQ(value_of(store + "{ }{ }{ }" + read), 1);
  EXPECT_FLOAT_EQ(value_of("{ p0 = attr0; p1 = $0; a0 = mov p0.x; a1 = mov p1.x; st0 $0.x = a0; st1 v0.z = a1 }" +
                           store + "{ }{ }" + read),
                  1);
}

TEST(Lift, TheWordThatStoresARegisterReadsTheOldValue) {
  EXPECT_FLOAT_EQ(value_of("{ p0 = attr0; p1 = $0; a0 = mov p0.x; a1 = mov p1.x; st0 $0.x = a0 }"
                           "{ a0 = mov a1[-1]; st0 v0.x = a0 }"),
                  100);
}

TEST(Lift, StoresOneAfterTheOtherArriveOneAfterTheOther) {
  const VertexRun run = run_text(
      "{ p0 = attr0; a0 = mov p0.x; st0 $0.x = a0 }"
      "{ p0 = attr0; a0 = mov p0.y; st0 $0.x = a0 }"
      "{ p0 = attr0; a0 = mov p0.z; st0 $0.x = a0 }"
      "{ p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }"
      "{ p0 = $0; a0 = mov p0.x; st0 v0.y = a0 }"
      "{ p1 = $0; a0 = mov p1.x; st1 v0.z = a0 }"
      "{ p1 = $0; a0 = mov p1.x; st1 v0.w = a0 }");
  EXPECT_THAT(run.varying(0), vec4(1, 2, 3, 3));
}

/// The distance counts executed instructions: it is two on the way of the branch, three on the other.
TEST(Lift, RegisterLatencyRunsAcrossBranches) {
  const auto program = [](const char* condition) {
    return std::string("{ p0 = attr0; a0 = ") + condition +
           " }"
           "{ p0 = attr0; a1 = mov p0.x; p = mov a0[-1]; st0 $0.x = a1; br L }"
           "{ }"
           "{ }"
           "L: { p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }";
  };
  EXPECT_FLOAT_EQ(value_of(program("lt p0.x, p0.y")), 100);
  EXPECT_FLOAT_EQ(value_of(program("lt p0.y, p0.x")), 1);
}

/// A register that is only ever read in time needs no queue.
TEST(Lift, RegistersReadInTimeAreWrittenAtOnce) {
  const std::string store = "{ p0 = attr0; a0 = mov p0.x; st0 $0.x = a0 }";
  const std::string read = "{ p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }";
  const auto queued = [](std::string_view text) {
    Program program;
    program.code = assemble(text);
    return lift(program, {})->find_slot("$0.x.new[-1]") != nullptr;
  };
  EXPECT_FALSE(queued(store + "{ }{ }" + read));
  EXPECT_TRUE(queued(store + "{ }" + read));
}

TEST(Lift, TemporariesTakeFourInstructionsAndA0NoTime) {
  // Stored at u[20]: A0 = 20 in the same word. (1, 2) lie in x and y then, z and w keep what was there.
  const std::string store =
      "{ p0 = attr0; ld = u[2]; a0 = mov p0.x; a1 = mov p0.y; c = setA0 ld.x; st0 t[A0].xy = a0, a1 }";
  const std::string read =
      "{ ld = u[20]; a0 = mov ld.x; a1 = mov ld.y; m0 = mov ld.z; m1 = mov ld.w; st0 v0.xy = a0, a1; st1 v0.zw = m0, "
      "m1 }";
  std::string wait;
  for (unsigned distance = 1; distance <= 5; ++distance) {
    const VertexRun run = run_text(store + wait + read);
    EXPECT_TRUE(run.faults.empty());
    const bool arrived = distance >= 4;
    EXPECT_THAT(run.varying(0), vec4(arrived ? 1.0F : 200.0F, arrived ? 2.0F : 201.0F, 202, 203)) << distance;
    wait += "{ }";
  }
}

TEST(Lift, EarlyAndLateTemporariesDoNotMix) {
  // Three stores in a row to three vec4s, each found at its own address.
  const VertexRun run = run_text(
      "{ p0 = attr0; ld = u[2]; a0 = mov p0.x; c = setA0 ld.x; st0 t[A0].x = a0 }"
      "{ p0 = attr0; ld = u[2]; a0 = mov p0.y; c = setA0 ld.y; st0 t[A0].x = a0 }"
      "{ p0 = attr0; ld = u[2]; a0 = mov p0.z; c = setA0 ld.z; st0 t[A0].x = a0 }"
      "{ }"
      "{ ld = u[20]; a0 = mov ld.x; st0 v0.x = a0 }"
      "{ ld = u[21]; a0 = mov ld.x; st0 v0.y = a0 }"
      "{ ld = u[22]; a0 = mov ld.x; st1 v0.z = a0 }"
      "{ ld = u[23]; a0 = mov ld.x; st1 v0.w = a0 }");
  EXPECT_THAT(run.varying(0), vec4(1, 2, 3, 230));
}

TEST(Lift, AddressRegistersTakeFourInstructions) {
  for (const char* which : {"1", "2", "3"}) {
    const std::string set = std::string("{ p0 = attr0; c = setA") + which + " p0.y }";
    const std::string read = std::string("{ ld = u[7+A") + which + "]; a0 = mov ld.x; st0 v0.x = a0 }";
    EXPECT_FLOAT_EQ(value_of(set + read), 70);
    EXPECT_FLOAT_EQ(value_of(set + "{ }" + read), 70);
    EXPECT_FLOAT_EQ(value_of(set + "{ }{ }" + read), 70);
    EXPECT_FLOAT_EQ(value_of(set + "{ }{ }{ }" + read), 90);
    EXPECT_FLOAT_EQ(value_of(set + set + "{ }{ }{ }" + read), 90);
  }
}

TEST(Lift, Operation10SetsA0NowAndA1Later) {
  const VertexRun run = run_text(
      "{ p0 = attr0; a0 = mov p0.y; p = mov p0.z; c = setA01 unused; st0 t[A0].x = a0 }"
      "{ }{ }{ }"
      "{ ld = u[1+A1]; a0 = mov ld.x; st0 v0.x = a0 }"
      "{ ld = u[0+A1]; a0 = mov ld.x; st0 v0.y = a0 }");
  EXPECT_THAT(run.varying(0), ElementsAre(FloatEq(40), FloatEq(2), IsNan(), IsNan()));
}

TEST(Lift, AddressesRoundAsThePolicySays) {
  const auto at = [](const char* value, const char* policy) {
    return value_of(std::string("{ p0 = attr0; ld = u[0]; m0 = mul p0.x, ld.y }"  // 1
                                "{ p0 = attr0; a0 = add m0[-1], ") +
                        value +
                        " }"
                        "{ c = setA1 a0[-1] }{ }{ }{ }{ ld = u[5+A1]; a0 = mov ld.x; st0 v0.x = a0 }",
                    {{"address", policy}});
  };
  EXPECT_FLOAT_EQ(at("p0.y", "floor"), 80);
  // 1 - 2 = -1: a negative offset.
  EXPECT_FLOAT_EQ(at("-p0.y", "floor"), 40);
}

TEST(Lift, FractionsOfAddresses) {
  // -1 / 4 * 7 = -1.75
  const std::string text =
      "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }"
      "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w }"
      "{ }"
      "{ p0 = attr1; m0 = -mul p0.z, m0[-2] }"
      "{ c = setA1 m0[-1] }{ }{ }{ }{ ld = u[5+A1]; a0 = mov ld.x; st0 v0.x = a0 }";
  EXPECT_FLOAT_EQ(value_of(text, {{"address", "floor"}}), 30);
  EXPECT_FLOAT_EQ(value_of(text, {{"address", "truncate"}}), 40);
  EXPECT_FLOAT_EQ(value_of(text, {{"address", "nearest"}}), 30);
}

TEST(Lift, WildAddressesStayOutside) {
  for (const char* wild : {"1e30", "-1e30"}) {
    VertexRun run(
        assemble("{ ld = u[0]; c = setA1 ld.x }{ }{ }{ }"
                 "{ ld = u[3+A1]; a0 = mov ld.x; st0 v0.x = a0 }"));
    run.environment.memory[0] = bits_of(std::stof(wild));
    run.environment.memory[3] = bits_of(7);
    run.run();
    EXPECT_FLOAT_EQ(run.varying(0)[0], 0) << wild;
    VertexRun temporary(
        assemble("{ ld = u[0]; p0 = attr0; a0 = mov p0.x; c = setA0 ld.x; st0 t[A0].x = a0 }{ }{ }{ }"
                 "{ ld = u[0]; a0 = mov ld.y; st0 v0.x = a0 }"));
    temporary.environment.memory[0] = bits_of(std::stof(wild), 5);
    temporary.run();
    EXPECT_FLOAT_EQ(temporary.varying(0)[0], 5) << wild;
  }
}

// ---- forwarding

TEST(Lift, ComplexOneIsReadTwoInstructionsLaterOnly) {
  const std::string sequence =
      "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }"
      "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w }";
  EXPECT_THAT(value_of(sequence + "{ m1 = mov m0[-1]; st0 v0.x = m1 }"), IsNan());
  EXPECT_FLOAT_EQ(value_of(sequence + "{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }"), 0.25F);
  // mul0 is used for something else in between, and both are read at once.
  const VertexRun run = run_text(sequence +
                                 "{ p0 = attr1; m0 = mov p0.x }"
                                 "{ a0 = mov m0[-1]; a1 = mov m0[-2]; st0 v0.xy = a0, a1 }"
                                 "{ m1 = mov m0[-2]; st1 v0.z = m1 }");
  EXPECT_THAT(run.varying(0), ElementsAre(FloatEq(5), FloatEq(0.25F), FloatEq(5), IsNan()));
  // Nor can it be stored.
  EXPECT_THAT(value_of("{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }"
                       "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w; st0 v0.x = m0 }"),
              IsNan());
}

TEST(Lift, SelectorTwentyTwoIsTheIdentityInSecondOperands) {
  const VertexRun run = run_text(
      "{ p0 = attr0; c = mov p0.z }"
      "{ p0 = attr0; m0 = mul c[-1], ident; m1 = mul p0.y, ident; a0 = add c[-1], ident; a1 = add p0.y, ident; "
      "st0 v0.xy = m0, m1; st1 v0.zw = a0, a1 }"
      "{ p = mov c[-1]; st0 v1.x = p }");
  EXPECT_THAT(run.varying(0), vec4(3, 2, 3, 2));
  EXPECT_THAT(run.varying(1)[0], IsNan()) << "one instruction later it is gone";
}

TEST(Lift, PreviousPort0IsWhateverPort0Loaded) {
  EXPECT_FLOAT_EQ(value_of("{ p0 = attr1; }{ p0 = attr0; a0 = mov p0[-1].w; st0 v0.x = a0 }"), 8);
  EXPECT_FLOAT_EQ(value_of("{ p0 = $0; }{ a0 = mov p0[-1].w; st0 v0.x = a0 }"), 103);
  EXPECT_FLOAT_EQ(
      value_of("{ p0 = $0; }{ p0 = attr0; a1 = mov p0.x; st0 $0.x = a1 }{ a0 = mov p0[-1].x; st0 v0.x = a0 }"), 1);
}

TEST(Lift, PathsThatMeetBringTheirOwnValues) {
  // [-1] comes from the branch word or the word before L, [-2] from one before that.
  const auto program = [](const char* condition) {
    return std::string("{ p0 = attr0; a0 = ") + condition +
           "; m0 = mov p0.x }"
           "{ p0 = attr0; a1 = mov p0.x; m1 = mov p0.y; p = mov a0[-1]; br L }"
           "{ p0 = attr0; a1 = mov p0.z; m1 = mov p0.w; m0 = mov p0.z }"
           "L: { a0 = mov a1[-1]; p = mov m1[-1]; c = mov m0[-2]; st0 v0.xy = a0, p; st1 v0.z = c }"
           "{ a0 = mov m1[-2]; st1 v0.w = a0 }";
  };
  EXPECT_THAT(run_text(program("lt p0.x, p0.y")).varying(0), vec4(1, 2, 1, 2));
  EXPECT_THAT(run_text(program("lt p0.y, p0.x")).varying(0), ElementsAre(FloatEq(3), FloatEq(4), IsNan(), FloatEq(4)));
}

/// Every round reads its own results of the rounds before.
TEST(Lift, AWordThatFollowsItselfForwardsToItself) {
  // Fibonacci numbers, while a counter that starts at 3 is not 0.
  const VertexRun run = run_text(
      "{ p0 = attr0; a0 = mov p0.x }"
      "{ p0 = attr0; a0 = mov p0.x; a1 = mov p0.z }"
      "L: { ld = u[0]; a0 = add a0[-1], a0[-2]; a1 = add a1[-1], -ld.y; p = mov a1[-1]; br L; st0 v0.x = a0 }"
      "{ a0 = mov a0[-1]; a1 = mov a0[-2]; st0 v1.xy = a0, a1 }");
  std::vector<float> sums;
  for (const Store& store : run.environment.stores) sums.push_back(store.value);
  EXPECT_THAT(sums, ElementsAre(2, 3, 5, 8, 8, 5));
}

TEST(Lift, AMoveAroundALoopOfOneWord) {
  // a0 and a1 swap places every round; p counts down through the attribute: three rounds.
  const VertexRun run = run_text(
      "{ p0 = attr0; a0 = mov p0.x; a1 = mov p0.y; m0 = mov p0.z }"
      "L: { a0 = mov a1[-1]; a1 = mov a0[-1]; m0 = mul m0[-1], m0[-1]; p = mov ld.y; br L; st0 v0.xy = a0, a1; "
      "ld = u[0] }",
      {}, {.step_limit = 4});
  std::vector<float> values;
  for (const Store& store : run.environment.stores) values.push_back(store.value);
  EXPECT_THAT(values, ElementsAre(2, 1, 1, 2, 2, 1));
}

/// The start of the program is a way into its first word.
TEST(Lift, ALoopBackToTheFirstWordForwardsFromTheSecondRoundOn) {
  const VertexRun run = run_text(
      "L: { p0 = attr0; a0 = mov a1[-1]; st0 v0.x = a0 }"
      "{ p0 = attr0; a1 = mov p0.z; p = mov p0.x; br L }",
      {}, {.step_limit = 5});
  ASSERT_EQ(run.environment.stores.size(), 3u);
  EXPECT_FLOAT_EQ(run.environment.stores[1].value, 3);
  EXPECT_FLOAT_EQ(run.environment.stores[2].value, 3);
}

/// complex1 on one path only: [-2] two words after the join finds its result, [-1] finds nothing.
TEST(Lift, ComplexOneBeforeAJoin) {
  const auto program = [](const char* condition) {
    return std::string("{ p0 = attr0; a0 = ") + condition +
           "; m0 = complex2 p0.w, p0.w; c = rcp p0.w }"
           "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w; p = mov a0[-1]; br L }"
           "{ p0 = attr1; m0 = mov p0.y }"
           "L: { a0 = mov m0[-1]; st0 v0.x = a0 }"
           "{ a1 = mov m0[-2]; st0 v0.y = a1 }";
  };
  EXPECT_THAT(run_text(program("lt p0.x, p0.y")).varying(0), ElementsAre(IsNan(), FloatEq(0.25F), IsNan(), IsNan()));
  EXPECT_THAT(run_text(program("lt p0.y, p0.x")).varying(0), ElementsAre(FloatEq(6), FloatEq(6), IsNan(), IsNan()));
}

// ---- operations (3)

/// Operand and result of every table function, through its whole sequence.
struct Function {
  const char* name;
  double argument, expected;
};
class Functions : public testing::TestWithParam<Function> {};

TEST_P(Functions, GiveTheFunctionOfTheirArgument) {
  const auto& [name, argument, expected] = GetParam();
  const std::string function = name;
  std::string text;
  if (function == "exp2")
    text =
        "{ ld = u[9]; p = preexp2 ld.x }"
        "{ m0 = complex2 p[-1], p[-1]; c = exp2 p[-1] }"
        "{ m01 = complex1 c[-1], m0[-1], c[-1], p[-2] }";
  else
    text = "{ ld = u[9]; m0 = complex2 ld.x, ld.x; c = " + function +
           " ld.x }"
           "{ ld = u[9]; m01 = complex1 c[-1], m0[-1], c[-1], ld.x }";
  text += function == "log2" ? "{ }{ p = postlog2 m0[-2]; st0 v0.x = p }" : "{ }{ p = mov m0[-2]; st0 v0.x = p }";
  for (const Engine engine : {Engine::simd, Engine::reference}) {
    VertexRun run(assemble(text), {{"sequence", "trap"}}, {.engine = engine});
    run.environment.memory[9] = bits_of(static_cast<float>(argument));
    run.run();
    EXPECT_TRUE(run.faults.empty());
    const float got = run.varying(0)[0];
    if (std::isnan(expected))
      EXPECT_THAT(got, IsNan());
    else
      EXPECT_FLOAT_EQ(got, static_cast<float>(expected));
  }
}
INSTANTIATE_TEST_SUITE_P(Tables, Functions,
                         testing::Values(Function{"rcp", 3, 1.0 / 3}, Function{"rcp", 0, infinity},
                                         Function{"rcp", -0.0, -infinity}, Function{"rcp", infinity, 0},
                                         Function{"rcp", NAN, NAN}, Function{"rsqrt", 2, 1 / std::sqrt(2.0)},
                                         Function{"rsqrt", 0, infinity}, Function{"rsqrt", -1, NAN},
                                         Function{"exp2", 2.5, std::exp2(2.5)}, Function{"exp2", -200, 0},
                                         Function{"exp2", 200, infinity}, Function{"log2", 10, std::log2(10.0)},
                                         Function{"log2", 0, -infinity}, Function{"log2", -1, NAN}));

TEST(Lift, EveryAdderOperation) {
  const auto adder = [](const char* operation, float a, float b) {
    VertexRun run(assemble(std::string("{ ld = u[0]; a0 = ") + operation + " ld.x" +
                           (std::string_view(operation).substr(0, 2) == "fl" || operation[0] == 's' ? "" : ", ld.y") +
                           "; st0 v0.x = a0 }"));
    run.environment.memory[0] = bits_of(a, b);
    run.run();
    return run.varying(0)[0];
  };
  EXPECT_FLOAT_EQ(adder("add", 1, 2.5F), 3.5F);
  EXPECT_FLOAT_EQ(adder("floor", -1.5F, 0), -2);
  EXPECT_FLOAT_EQ(adder("floor", 1.9F, 0), 1);
  EXPECT_FLOAT_EQ(adder("sign", -7, 0), -1);
  EXPECT_FLOAT_EQ(adder("sign", 7, 0), 1);
  EXPECT_FLOAT_EQ(adder("sign", -0.0F, 0), 0);
  EXPECT_FLOAT_EQ(adder("sign", NAN, 0), 0);
  for (const auto& [a, b] : {std::pair{1.0F, 2.0F}, {2.0F, 1.0F}, {2.0F, 2.0F}, {NAN, 1.0F}}) {
    EXPECT_FLOAT_EQ(adder("ge", a, b), a >= b ? 1.0F : 0.0F);
    EXPECT_FLOAT_EQ(adder("lt", a, b), a < b ? 1.0F : 0.0F);
    EXPECT_FLOAT_EQ(adder("min", a, b), std::fmin(a, b));
    EXPECT_FLOAT_EQ(adder("max", a, b), std::fmax(a, b));
  }
}

TEST(Lift, NegationsOfAddersAndMultipliers) {
  const VertexRun run = run_text(
      "{ p0 = attr0; a0 = add -p0.x, p0.w; a1 = add p0.x, -p0.w; m0 = -mul p0.y, p0.z; m1 = -mov p0.y; "
      "st0 v0.xy = a0, a1; st1 v0.zw = m0, m1 }"
      "{ p0 = attr0; a0 = max p0.x, -p0.x; st0 v1.x = a0 }"
      "{ p0 = attr0; a0 = min p0.x, -p0.x; st0 v1.y = a0 }");
  EXPECT_THAT(run.varying(0), vec4(3, -3, -6, -2));
  EXPECT_THAT(run.varying(1), ElementsAre(FloatEq(1), FloatEq(-1), IsNan(), IsNan()));
}

/// A move through an adder adds -0, so that it keeps the sign of zero and every bit of a NaN.
TEST(Lift, MovesKeepEveryBit) {
  for (const std::uint32_t bits : {0x80000000u, 0x7FA12345u, 0x00000001u}) {
    VertexRun run(
        assemble("{ ld = u[0]; a0 = mov ld.x; a1 = mov ld.x; m0 = mov ld.x; m1 = mov ld.x; p = mov ld.x; "
                 "c = mov ld.x; st0 v0.xy = a0, a1; st1 v0.zw = m0, m1 }"
                 "{ a0 = mov p[-1]; m0 = mov c[-1]; st0 v1.xy = a0, m0 }"));
    run.environment.memory[0][0] = bits;
    run.run();
    ASSERT_EQ(run.environment.stores.size(), 6u);
    for (const Store& store : run.environment.stores) EXPECT_EQ(std::bit_cast<std::uint32_t>(store.value), bits);
  }
}

TEST(Lift, ClampTakesItsBoundsFromTheLoad) {
  for (const auto& [value, expected] : {std::pair{-5.0F, -1.0F}, {0.5F, 0.5F}, {7.0F, 2.0F}}) {
    VertexRun run(assemble("{ ld = u[0]; m0 = mov ld.z }{ ld = u[0]; p = clamp m0[-1]; st0 v0.x = p }"));
    run.environment.memory[0] = bits_of(-1, 2, value);
    run.run();
    EXPECT_FLOAT_EQ(run.varying(0)[0], expected);
  }
}

TEST(Lift, TruthIsAPolicy) {
  const auto taken = [](float condition, const char* policy) {
    VertexRun run(assemble("{ ld = u[0]; p = mov ld.x; br L }"
                           "{ ld = u[0]; a0 = mov ld.y; st0 v0.x = a0 }"
                           "L: { ld = u[0]; m01 = select ld.x ? ld.y : ld.z }{ m1 = mov m0[-1]; st0 v0.y = m1 }"),
                  {{"truth", policy}});
    run.environment.memory[0] = bits_of(condition, 1, 0);
    run.run();
    const bool jumped = std::isnan(run.varying(0)[0]);
    EXPECT_EQ(run.varying(0)[1], jumped ? 1 : 0);
    return jumped;
  };
  for (const char* policy : {"nonzero", "positive", "half"}) {
    EXPECT_TRUE(taken(1, policy));
    EXPECT_FALSE(taken(0, policy));
    EXPECT_FALSE(taken(-0.0F, policy));
  }
  EXPECT_TRUE(taken(0.25F, "nonzero"));
  EXPECT_TRUE(taken(0.25F, "positive"));
  EXPECT_FALSE(taken(0.25F, "half"));
  EXPECT_TRUE(taken(-1, "nonzero"));
  EXPECT_FALSE(taken(-1, "positive"));
}

TEST(Lift, ABranchNeedsItsBitAndItsFlow) {
  const std::string tail =
      "{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }L: { p0 = attr0; a0 = mov p0.y; st0 v0.y = a0 }";
  EXPECT_THAT(value_of("{ p0 = attr0; p = mov p0.x; br L }" + tail), IsNan());
  EXPECT_FLOAT_EQ(value_of("{ p0 = attr0; p = mov p0.x; br L; flow := 0 }" + tail), 1);
  EXPECT_FLOAT_EQ(value_of("{ p0 = attr0; p = mov p0.x; br L; branch := 0 }" + tail), 1);
  EXPECT_THAT(notes_of("{ p0 = attr0; p = mov p0.x; br L; flow := 0 }" + tail),
              testing::Contains(HasSubstr("does not branch")));
}

// ---- partial results (3.6)

struct Misuse {
  const char* text;
  const char* complaint;
};
class Misused : public testing::TestWithParam<Misuse> {};

TEST_P(Misused, GivesNanOrStops) {
  EXPECT_THAT(value_of(GetParam().text), IsNan()) << GetParam().text;
  EXPECT_THAT(fault_of(GetParam().text, {{"sequence", "trap"}}), HasSubstr(GetParam().complaint)) << GetParam().text;
}
INSTANTIATE_TEST_SUITE_P(
    Sequences, Misused,
    testing::Values(
        Misuse{"{ p0 = attr0; c = rcp p0.x }{ m0 = mov c[-1]; st0 v0.x = m0 }", "partial result outside"},
        Misuse{"{ p0 = attr0; c = rcp p0.x; st0 v0.x = c }", "store of c, a partial result"},
        Misuse{"{ p0 = attr0; m0 = complex2 p0.x, p0.x; st0 v0.x = m0 }", "store of m0, a partial result"},
        Misuse{"{ p0 = attr0; p = preexp2 p0.x }{ a0 = mov p[-1]; st0 v0.x = a0 }", "acc0.a uses a partial result"},
        // The table result read as complex1's argument, and so on: every operand must be the right one.
        Misuse{"{ p0 = attr0; m0 = complex2 p0.x, p0.x; c = rcp p0.x }"
               "{ p0 = attr0; m01 = complex1 c[-1], p0.x, c[-1], p0.x }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "complex1 without"},
        Misuse{"{ p0 = attr0; m0 = complex2 p0.x, p0.x; c = rcp p0.x }"
               "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], p0.x, p0.x }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "complex1 without"},
        Misuse{"{ p0 = attr0; m0 = complex2 p0.x, p0.x; c = rcp p0.x }"
               "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.y }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "complex1 of different arguments"},
        Misuse{"{ p0 = attr0; m0 = complex2 p0.y, p0.y; c = rcp p0.x }"
               "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.x }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "complex1 of different arguments"},
        Misuse{"{ p0 = attr0; m0 = complex2 p0.x, p0.y; c = rcp p0.x }"
               "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.x }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "complex2 of two different values"},
        // exp2 without preexp2; log2 without postlog2; postlog2 of something else.
        Misuse{"{ p0 = attr0; m0 = complex2 p0.x, p0.x; c = exp2 p0.x }"
               "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.x }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "exp2 without preexp2"},
        Misuse{"{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = log2 p0.w }"
               "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "mul1.a uses a partial result"},
        Misuse{"{ p0 = attr0; p = postlog2 p0.x; st0 v0.x = p }", "postlog2 without"},
        // A move of the preexp2 result is not a preexp2 result.
        Misuse{"{ p0 = attr0; p = preexp2 p0.x }{ p = mov p[-1] }{ c = exp2 p[-1]; m0 = complex2 p[-1], p[-1] }"
               "{ m01 = complex1 c[-1], m0[-1], c[-1], p[-2] }{ }{ m1 = mov m0[-2]; st0 v0.x = m1 }",
               "pass.in uses a partial result"},
        // Nothing there: an idle unit, the time before the start, an unused operand.
        Misuse{"{ }{ a0 = mov m0[-1]; st0 v0.x = a0 }", "acc0.a reads a result that is not there"},
        Misuse{"{ a0 = mov m0[-1]; st0 v0.x = a0 }", "acc0.a reads a result that is not there"},
        Misuse{"{ p0 = attr0; a0 = add p0.x, unused; st0 v0.x = a0 }", "acc0.b reads a result that is not there"},
        Misuse{"{ st0 v0.x = m1 }", "store of m1, which is idle"}));

/// Only the value of the argument has to agree (3.5): here it comes through three different units.
TEST(Lift, TheArgumentMayComeAnyWay) {
  EXPECT_FLOAT_EQ(value_of("{ p0 = attr0; a0 = mov p0.w; m1 = mov p0.w }"
                           "{ m0 = complex2 a0[-1], m1[-1]; c = rcp a0[-1]; a1 = mov m1[-1] }"
                           "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], a1[-1] }{ }"
                           "{ m1 = mov m0[-2]; st0 v0.x = m1 }",
                           {{"sequence", "trap"}}),
                  0.25F);
}

// ---- reading too early

TEST(Lift, EarlyReadsAreNoted) {
  const std::string store = "{ p0 = attr0; a0 = mov p0.x; st0 $0.x = a0 }";
  const std::string read = "{ p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }";
  EXPECT_THAT(notes_of(store + "{ }" + read), testing::Contains("reads $0.x less than 3 instructions after a write; "
                                                                "gets the old value"));
  EXPECT_THAT(notes_of(store + "{ }{ }" + read), testing::IsEmpty());
  EXPECT_THAT(fault_of(store + "{ }" + read, {{"early", "trap"}}), HasSubstr("reads $0.x less than 3"));
  EXPECT_EQ(fault_of(store + "{ }{ }" + read, {{"early", "trap"}}), "");
}

/// Whether it is too early depends on the path taken.
TEST(Lift, EarlyReadsStopOnlyOnTheirPath) {
  const auto program = [](const char* condition) {
    return std::string("{ p0 = attr0; a0 = ") + condition +
           " }"
           "{ p0 = attr0; a1 = mov p0.x; p = mov a0[-1]; st0 $0.x = a1; br L }{ }{ }"
           "L: { p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }";
  };
  EXPECT_NE(fault_of(program("lt p0.x, p0.y"), {{"early", "trap"}}), "");
  EXPECT_EQ(fault_of(program("lt p0.y, p0.x"), {{"early", "trap"}}), "");
}

TEST(Lift, EarlyTemporariesStopOnlyAtTheirAddress) {
  const std::string store = "{ p0 = attr0; ld = u[2]; a0 = mov p0.x; c = setA0 ld.x; st0 t[A0].x = a0 }{ }";
  EXPECT_NE(fault_of(store + "{ ld = u[20]; a0 = mov ld.x; st0 v0.x = a0 }", {{"early", "trap"}}), "");
  EXPECT_EQ(fault_of(store + "{ ld = u[21]; a0 = mov ld.x; st0 v0.x = a0 }", {{"early", "trap"}}), "");
  EXPECT_EQ(fault_of(store + "{ }{ }{ ld = u[20]; a0 = mov ld.x; st0 v0.x = a0 }", {{"early", "trap"}}), "");
}

TEST(Lift, StrictRunsReportWhatNothingWrote) {
  const InterpreterOptions strict{.engine = Engine::reference, .strict = true};
  const VertexRun run = run_text("{ p1 = $1; a0 = mov p1.x; st0 v0.x = a0 }", {}, strict);
  ASSERT_FALSE(run.undefined_reads.empty());
  EXPECT_EQ(run.undefined_reads[0].byte, run.lifted.find_slot("$1.x")->byte);
  EXPECT_TRUE(run_text("{ p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }", {}, strict).undefined_reads.empty());
  // Queues and latches are the lifter's own: a program that reads early is no reason to report them.
  EXPECT_TRUE(run_text("{ p1 = $0; a0 = mov p1.x; st0 $0.x = a0 }{ p1 = $0; a0 = mov p1.x; st0 v0.x = a0 }", {}, strict)
                  .undefined_reads.empty());
}

// ---- any program

TEST(Lift, WordsThatCannotRunSayWhy) {
  const auto reason = [](std::string_view text) { return fault_of(text, {}); };
  EXPECT_THAT(reason("{ p0 = attr0; a0 = mov s9 }"), HasSubstr("source selector 9 in acc0.a is unknown"));
  const std::string mul = unknown_opcode(mul_ops), cplx = unknown_opcode(cplx_ops), pass = unknown_opcode(pass_ops);
  EXPECT_THAT(reason("{ p0 = attr0; m01 = mulop" + mul + " p0.x, p0.x, p0.x, p0.x }"),
              HasSubstr("mul.op " + mul + " is unknown"));
  EXPECT_THAT(reason("{ p0 = attr0; c = cplxop" + cplx + " p0.x }"), HasSubstr("cplx.op " + cplx + " is unknown"));
  EXPECT_THAT(reason("{ p0 = attr0; p = passop" + pass + " p0.x }"), HasSubstr("pass.op " + pass + " is unknown"));
  EXPECT_THAT(reason("{ ld = u[1]; a0 = mov ld.x; ld.off := 5 }"), HasSubstr("ld.off 5 is unknown"));
  EXPECT_THAT(reason("{ st0 v0.x = x5 }"), HasSubstr("store selector 5 is unknown"));
  EXPECT_THAT(reason("{ p0 = attr0; p = mov p0.x; br 9 }"), HasSubstr("branch to word 9 of a program of 1 word"));
}

TEST(Lift, SelectorEightMayBeUnused) {
  const std::string idle = "{ p0 = attr0; a0 = mov s8; a1 = mov p0.x; st0 v0.x = a1 }";
  EXPECT_THAT(fault_of(idle, {}), HasSubstr("source selector 8 in acc0.a is unknown"));
  EXPECT_EQ(fault_of(idle, {{"selector8", "unused"}}), "");
  EXPECT_THAT(fault_of("{ p0 = attr0; a0 = mov s9 }", {{"selector8", "unused"}}), HasSubstr("selector 9"));
  EXPECT_THAT(fault_of(idle, {{"selector8", "unused"}, {"sequence", "trap"}}), HasSubstr("a result that is not there"));
}

TEST(Lift, NegationOfASelectIsIgnoredAndNoted) {
  EXPECT_FLOAT_EQ(value_of("{ p0 = attr0; m01 = select p0.x ? p0.y : p0.z neg0 }{ m1 = mov m0[-1]; st0 v0.x = m1 }"),
                  2);
  EXPECT_THAT(notes_of("{ p0 = attr0; m01 = select p0.x ? p0.y : p0.z neg0 }"),
              testing::Contains("negation bits of select are ignored"));
}

TEST(Lift, AnyBytesLiftToAWellFormedProgram) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 2000; ++i) {
    std::vector<std::uint8_t> code(random() % 200);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    VertexRun run(std::move(code),
                  {{"sequence", i % 2 == 0 ? "trap" : "poison"}, {"early", i % 3 == 0 ? "trap" : "old"}},
                  {.step_limit = 200});
    run.run();
    if (testing::Test::HasFailure()) break;
  }
}

/// 512 words that all branch to one word, which reads everything: the work stays in proportion.
TEST(Lift, ManyBranchesToOneWordAreNoBurden) {
  std::string text =
      "L: { p0 = $0; p1 = $1; a0 = add a0[-1], a0[-2]; a1 = add a1[-1], m0[-2]; p = mov p[-2]; "
      "st0 $0.xy = a0, a1; st1 $1.zw = a0, a1; br L }";
  for (unsigned i = 1; i < 512; ++i)
    text +=
        "{ p0 = $0; p1 = $1; a0 = add p0.x, p1.z; m0 = mov a0[-2]; p = mov m0[-1]; "
        "st0 $0.xy = a0, a1; br L }";
  Program program;
  program.code = assemble(text);
  const auto lifted = lift(program, {});
  ASSERT_TRUE(lifted.has_value());
  EXPECT_EQ(ir::verify(*lifted), std::vector<std::string>());
  EXPECT_LT(lifted->operations.size(), 512u * 64);
}

TEST(Lift, EveryPolicyHasItsDefaultFirst) {
  for (const Policy& policy : policy_rows()) {
    EXPECT_EQ(policy.default_value, policy.values.front());
    EXPECT_GE(policy.values.size(), 2u);
  }
}

TEST(Lift, WhatDoesNotFitIsRefused) {
  Program program;
  program.code.resize(513 * 16);
  EXPECT_EQ(lift(program, {}).error()[0].code, "GP800");
  program.code.resize(16);
  const auto unknown = lift(program, {{"colour", "red"}, {"truth", "maybe"}});
  ASSERT_FALSE(unknown.has_value());
  ASSERT_EQ(unknown.error().size(), 2u) << "all of them";
  EXPECT_EQ(unknown.error()[0].code, "GP801");
  EXPECT_EQ(unknown.error()[1].code, "GP802");
  EXPECT_EQ(unknown.error()[1].hint, "one of nonzero, positive, half");
}

TEST(Lift, EverySampleIsWellFormedAndHasNoTrap) {
  const std::filesystem::path folder = mobula::test::sample("utgard-gp");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples";
  unsigned seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    ++seen;
    std::ifstream in(entry.path(), std::ios::binary);
    Program program;
    program.code.assign(std::istreambuf_iterator<char>(in), {});
    const auto lifted = lift(program, {{"sequence", "trap"}, {"early", "trap"}});
    ASSERT_TRUE(lifted.has_value());
    EXPECT_EQ(ir::verify(*lifted), std::vector<std::string>()) << entry.path();
    // complex1 compares its arguments as the program runs; nothing else can go wrong.
    for (const std::string& reason : lifted->trap_reasons)
      EXPECT_THAT(reason, testing::AnyOf(HasSubstr("complex1 of different"), HasSubstr("complex2 of two different")))
          << entry.path();
  }
  EXPECT_EQ(seen, 48u);
}

}  // namespace
}  // namespace mobula::utgard_gp
