#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "machines/rogue/check/check.h"
#include "machines/rogue/merge/verify.h"
#include "machines/rogue/programs.h"
#include "machines/rogue/random_group.h"
#include "machines/rogue/spec/codec.h"
#include "machines/rogue/spec/cores.h"
#include "mobula/lab/advise.h"

namespace mobula::rogue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

MergeAdvice advice_of(std::string_view text) {
  auto result = advise(program_of(assemble(text)));
  EXPECT_TRUE(result) << render(result.error());
  return result ? std::move(*result) : MergeAdvice{};
}

TEST(Advise, ProposesGroupsAndTheProgramOfThem) {
  const MergeAdvice advice = advice_of("fmul r4, vi0, vi1\nfmad r5, vi2, vi3, vi4\nwdf drc0\nmov o0, r4\nnop.end");
  ASSERT_EQ(advice.merges.size(), 2u);
  EXPECT_THAT(advice.merges[0].offsets, ElementsAre(0, 10));
  EXPECT_EQ(advice.merges[0].bytes_before, 20u);
  EXPECT_EQ(advice.merges[0].bytes_after, 14u) << "r5 is dead";
  EXPECT_EQ(advice.groups_before, 5u);
  EXPECT_EQ(advice.groups, 3u);
  const std::vector<Group> groups = decode(advice.program.code);
  EXPECT_EQ(groups.size(), 3u);
  EXPECT_TRUE(groups.back().end);
  EXPECT_EQ(groups.back().offset % granule_bytes + groups.back().size % granule_bytes, 0u);
  EXPECT_THAT(report(advice), HasSubstr("5 groups become 3; the program has"));
}

TEST(Advise, GroupsWithoutMachineCodeStayAndAreUnderstood) {
  const auto advice_for = [](std::string_view text) {
    auto program = parse({"t", text}, model_variant);
    EXPECT_TRUE(program) << render(program.error());
    auto advice = advise(*program);
    EXPECT_TRUE(advice) << render(advice.error());
    return *advice;
  };
  // The sum reads r2 and r3: r1 need not be written.
  const MergeAdvice advice =
      advice_for("fmul r1, vi0, vi1\nmov r2, r1\nmov r3, r1\nsop r8, r3, vi1, add, r2, vi3\nmov.olchk o0, r8\nnop.end");
  EXPECT_EQ(advice.groups, 3u) << report(advice);
  EXPECT_THAT(advice.merges.at(0).offsets, testing::SizeIs(3));
  EXPECT_THAT(advice.merges.at(0).after, Not(HasSubstr("= r1")));
  EXPECT_EQ(advice.program.variant, "model");
  EXPECT_GT(advice.instances, 0u) << advice.not_executed;
}

TEST(Advise, ValuesThatAreReadLaterStay) {
  // r4 is read after the branch only; r5 where the mask count lets instances come back.
  const MergeAdvice branched = advice_of(
      "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nmov r4, vi1\nmov r4, vi2\nif(p0) ctrl { br over }\nmov r4, vi3\n"
      "over: mov.olchk o0, r4\nnop.end");
  EXPECT_THAT(report(branched), HasSubstr("w0 = r4"));
  const MergeAdvice masked = advice_of(
      "mov r5, vi0\nmain { mbyp ft0, vi1; tstz ftt, p0, ft0 }\n(ignorepe) ctrl { cndst !p0, i0, sc0, 1 }\n"
      "mov r5, vi2\n(ignorepe) ctrl { cndend i0, i0, 1 }\nmov.olchk o0, r5\nnop.end");
  ASSERT_EQ(masked.merges.size(), 2u);
  EXPECT_THAT(masked.merges[0].after, HasSubstr("= r5"));
}

/// Two coordinates and a bias lie in a row; and each group keeps its line of the source.
TEST(Advise, AllDataOfSamplesIsRead) {
  Program program = program_of(
      assemble("mov r0, vi0\nmov r1, vi1\nmov r2, vi2\nmov r3, vi3\nmain { s0 = sh0; s1 = r0; s2 = sh0; s4 = r4; be: "
               "smp2d.fcnorm.bias.pplod drc0, s0, s1, s2, _, s4, 4 }\nwdf drc0\nmov.olchk o0, r4\nnop.end"));
  program.lines = {{0, 7}, {decode(program.code)[4].offset, 9}};
  const auto advice = advise(program);
  ASSERT_TRUE(advice) << render(advice.error());
  const auto listing = find_machine("rogue")->disassemble(advice->program, {});
  ASSERT_TRUE(listing);
  for (const std::string_view read : {"= r0", "= r1", "= r2"}) EXPECT_THAT(listing->text, HasSubstr(read));
  EXPECT_THAT(listing->text, Not(HasSubstr("= r3"))) << "nobody reads it";
  ASSERT_EQ(advice->program.lines.size(), 2u);
  EXPECT_EQ(advice->program.lines[0].line, 7u);
  EXPECT_EQ(advice->program.lines[1].line, 9u);
  EXPECT_LT(advice->program.lines[1].byte_offset, program.lines[1].byte_offset);
}

TEST(Advise, BranchesFindTheirGroups) {
  const MergeAdvice advice = advice_of(
      "mov r0, vi0\nmov r1, vi1\nagain: main { mbyp ft0, r0; tstz ftt, p0, ft0 }\nmov r0, r1\nif(p0) ctrl { br again "
      "}\n"
      "mov.olchk o0, r0\nnop.end");
  const std::vector<Group> groups = decode(advice.program.code);
  ASSERT_EQ(groups.size(), 4u) << report(advice);
  EXPECT_EQ(groups[2].offset + static_cast<std::int32_t>(groups[2].item(Word::control).get(F::offset) << 1),
            groups[1].offset);
  EXPECT_THAT(advice.merges[0].offsets, ElementsAre(0, 10)) << "not past the label";
}

TEST(Advise, VertexProgramsEndInOneInstruction) {
  const MergeAdvice advice = advice_of("main { uvsw.write w0, 3; s0 = vi0; is4 = fte }\nuvsw.emit.endtask.end");
  ASSERT_EQ(advice.merges.size(), 1u);
  EXPECT_THAT(advice.merges[0].after, HasSubstr("uvsw.write.emit.endtask w0, 3"));
}

TEST(Advise, BothProgramsAreExecuted) {
  const MergeAdvice advice = advice_of("fmul r4, vi0, vi1\nmov.olchk o0, r4\nnop.end");
  EXPECT_EQ(advice.instances, 32 * 32u);
  EXPECT_EQ(advice.not_executed, "");
  EXPECT_THAT(report(advice), HasSubstr("executed by 1024 instances on random inputs: both do the same\n"));
  EXPECT_EQ(advise(program_of(assemble("mov r0, vi0\nnop.end")), {.tasks = 0})->instances, 0u);
  // One that never ends says nothing.
  const MergeAdvice endless = advice_of("again: mov r0, vi0\nmov r1, vi1\nbr again");
  EXPECT_EQ(endless.instances, 0u);
  EXPECT_THAT(report(endless), HasSubstr("checked by the rules, not executed: "));
}

TEST(Advise, ADifferenceIsSeen) {
  const auto compared = [](std::string_view first, std::string_view second) {
    const std::string end = "\nnop.end";
    return compare(program_of(assemble(std::string(first) + end)), program_of(assemble(std::string(second) + end)), 4);
  };
  EXPECT_EQ(compared("mov.olchk o0, vi0", "mov.olchk o0, vi0").instances, 128u);
  EXPECT_NE(compared("mov.olchk o0, vi0", "mov.olchk o0, vi1").difference, "");
  EXPECT_NE(compared("mov sh0, vi0", "mov sh0, vi1").difference, "");
  EXPECT_EQ(compared("mov r0, vi0", "mov r0, vi1").difference, "") << "nobody sees it";
  EXPECT_NE(compared("main { uvsw.write w0, 0; s0 = vi0; is4 = fte }", "main { uvsw.write w0, 0; s0 = vi1; is4 = fte }")
                .difference,
            "");
  EXPECT_NE(compared("main { st s3, 2, drc0, 1, s4; s3 = vi2; s4 = vi0 }",
                     "main { st s3, 2, drc0, 1, s4; s3 = vi3; s4 = vi0 }")
                .difference,
            "");
}

TEST(Advise, SaysWhyThereIsNone) {
  EXPECT_EQ(advise(program_of(assemble("ctrl { br +2 }\nnop.end"))).error()[0].code, "RG302");
  std::string many;
  for (int i = 0; i <= 100000; ++i) many += "wop\n";
  EXPECT_EQ(advise(program_of(assemble(many))).error()[0].code, "RG301");
  EXPECT_THAT(report(advice_of("wop\nnop.end")), HasSubstr("no neighbouring groups are known to merge"));
  EXPECT_EQ(advice_of("").groups, 0u);
}

TEST(Advise, ForcedLengthsDoNotLast) {
  // The last group begins at a multiple of 8 because the first two are as long as they say.
  const MergeAdvice advice = advice_of(
      "main len=6 { mbyp ft0, vi0; w0 = r0 }\nmain len=6 { mbyp ft0, vi1; w0 = r1 }\nctrl len=4 { wdf drc0 }\n"
      "main { mbyp ft0, r0; mbyp ft1, r1; w0 = o0; w1 = o1; is5 = ft1 }\nwdf drc0\nnop.end");
  ASSERT_FALSE(advice.merges.empty());
  EXPECT_EQ(decode(advice.program.code).back().offset % granule_bytes, 0u);
}

TEST(Advise, BytesThatAreNotGroupsDoNotAlignTheLast) {
  const MergeAdvice advice = advice_of(
      ".byte 0x36, 0x82, 0x00, 0x87, 0xD3, 0x07, 0x00, 0x00, 0x00, 0xDA, 0x90, 0xFF\nmain len=10 { fmul ft0, vi0, vi1; "
      "w0 = r0 }\n"
      "main end { fmul ft0, vi2, vi3; w0 = r1 }");
  EXPECT_TRUE(advice.merges.empty());
}

TEST(Advise, SurvivesAnyBytes) {
  std::mt19937_64 random(9);
  for (int run = 0; run < 200; ++run) {
    Bytes code;
    for (int i = 0; i < 12; ++i) {
      const Bytes group = random_group(random);
      code.insert(code.end(), group.begin(), group.end());
    }
    if (run % 4 == 0) code.resize(random() % code.size());
    const Program program = program_of(code);
    const auto result = advise(program, {.tasks = 2});
    if (!result) {
      EXPECT_EQ(result.error()[0].code, "RG302") << render(result.error());
    }
  }
}

}  // namespace
}  // namespace mobula::rogue
