// Groups in another order: what they compute stays, and how few they are is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "machines/rogue/check/check.h"
#include "machines/rogue/merge/equivalents.h"
#include "machines/rogue/merge/verify.h"
#include "machines/rogue/programs.h"
#include "machines/rogue/random_group.h"
#include "machines/rogue/spec/codec.h"
#include "mobula/lab/advise.h"

namespace mobula::rogue {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t effort = 1000;

MergeAdvice ordered(std::string_view text, std::uint32_t tasks = 8) {
  auto result = advise(program_of(assemble(text)), {.tasks = tasks, .effort = effort});
  EXPECT_TRUE(result) << render(result.error());
  return result ? std::move(*result) : MergeAdvice{};
}
std::uint32_t as_they_stand(std::string_view text) { return advise(program_of(assemble(text)), {.tasks = 0})->groups; }

TEST(Order, GroupsThatMergeComeTogether) {
  // Bitwise groups stand between those of the main ALU.
  constexpr std::string_view text =
      "fmul r0, vi0, vi1\nbit { p0: byp ft2, vi2; p1: and ft4, _, ft2, _, vi3; w0 = r1 }\nfmul r2, vi4, vi5\n"
      "bit { p0: byp ft2, r1; p1: or ft4, _, ft2, _, sc0; p2: shr ft5, ft4, sc4; w0 = r3 }\n"
      "fadd r4, r0, r2\nmov.olchk o0, r4\nmov.olchk o1, r3\nnop.end";
  const MergeAdvice advice = ordered(text);
  EXPECT_EQ(as_they_stand(text), 5u);
  EXPECT_EQ(advice.groups, 4u) << report(advice);
  ASSERT_EQ(advice.parts.size(), 1u);
  EXPECT_EQ(advice.parts[0].groups_before, 8u);
  EXPECT_EQ(advice.parts[0].groups, 4u);
  EXPECT_TRUE(advice.parts[0].optimal());
  EXPECT_GT(advice.instances, 0u) << advice.not_executed;
}

TEST(Order, TurnsInOneRegisterAreNoOrder) {
  // r0 is taken three times: what it holds in between may have any register.
  constexpr std::string_view text =
      "fmul r0, vi0, vi1\nmov.olchk o0, r0\nbit { p0: byp ft2, vi2; p1: and ft4, _, ft2, _, vi3; w0 = r0 }\n"
      "mov.olchk o1, r0\nfmul r0, vi4, vi5\nmov.olchk o2, r0\nnop.end";
  const MergeAdvice advice = ordered(text);
  EXPECT_EQ(advice.groups, 3u) << report(advice);
  EXPECT_GT(advice.instances, 0u) << advice.not_executed;
}

TEST(Order, WaitsAreShared) {
  constexpr std::string_view text =
      "main { s0 = cf4; s2 = cf0; s3 = r0; be: fitrp.pixel s3, drc0, s0, s2, 1 }\nwdf drc0\n"
      "main { s0 = cf8; s2 = cf0; s3 = r1; be: fitrp.pixel s3, drc0, s0, s2, 1 }\nwdf drc0\n"
      "fadd r2, r0, r1\nmov.olchk o0, r2\nnop.end";
  const MergeAdvice advice = ordered(text, 0);
  EXPECT_EQ(advice.groups, 4u) << report(advice);
  EXPECT_TRUE(check(advice.program).empty()) << render(check(advice.program));
}

TEST(Order, MemoryPredicateAndOutputsKeepTheirOrder) {
  const MergeAdvice stores = ordered(
      "main { st s3, 2, drc0, 1, s4; s3 = vi2; s4 = vi0 }\nwdf drc0\nmain { ld s3, drc0, 1, s4; s3 = r4; s4 = vi0 }\n"
      "wdf drc0\nmain { st s3, 2, drc0, 1, s4; s3 = r4; s4 = vi4 }\nwdf drc0\nnop.end");
  EXPECT_GT(stores.instances, 0u) << stores.not_executed;
  const MergeAdvice predicate = ordered(
      "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nmov r0, vi1\nif(p0) main { fmul ft0, r0, vi2; w0 = r0 }\n"
      "main { mbyp ft0, vi3; tstz ftt, p0, ft0 }\nif(p0) main { fmul ft0, r0, vi4; w0 = r0 }\nmov.olchk o0, "
      "r0\nmov.olchk o0, r0\nnop.end");
  EXPECT_GT(predicate.instances, 0u) << predicate.not_executed;
}

/// Nothing goes past a label or a branch.
TEST(Order, PartsEndWhereProgramsMeet) {
  const MergeAdvice advice = ordered(
      "mov r0, vi0\nmov r1, vi1\nagain: fadd r0, r0, sc64\nfmul r1, r1, r0\nmain { mbyp ft0, r0; tstz ftt, p0, ft0 }\n"
      "if(p0) ctrl { br again }\nmov.olchk o0, r0\nmov.olchk o1, r1\nnop.end");
  EXPECT_GE(advice.parts.size(), 3u);
  EXPECT_GT(advice.instances, 0u) << advice.not_executed;
}

TEST(Order, NoMoreRegistersThanLeaveRoomForOthers) {
  // 24 values that live at once, in their registers, and nothing else is free.
  std::string text;
  for (int i = 0; i < 24; ++i) text += "fmul r" + std::to_string(i) + ", vi" + std::to_string(i) + ", vi1\n";
  for (int i = 0; i < 24; ++i)
    text += "main { uvsw.write w0, " + std::to_string(i) + "; s0 = r" + std::to_string(23 - i) + "; is4 = fte }\n";
  const MergeAdvice advice = ordered(text + "uvsw.emit.endtask.end");
  for (const Group& group : decode(advice.program.code))
    for (unsigned port = 0; port < 2; ++port)
      if (port == 0 ? group.w0p : group.w1p) {
        EXPECT_LT(group.written[port].index, 24u);
      }
  EXPECT_LT(advice.groups, as_they_stand(text + "uvsw.emit.endtask.end"));
}

TEST(Order, NeverMoreThanNeighboursMakeAndNeverFewerThanTheBound) {
  std::mt19937_64 random(7);
  const auto any = [&](std::initializer_list<std::string_view> all) {
    return std::string(all.begin()[random() % all.size()]);
  };
  const auto number = [&](unsigned below) { return std::to_string(random() % below); };
  std::uint32_t fewer = 0, executed = 0;
  for (int run = 0; run < 15; ++run) {
    std::string text;
    const auto source = [&] { return any({"r", "r", "vi"}) + number(6); };
    for (unsigned i = 0; i < 6; ++i) text += "mov r" + std::to_string(i) + ", vi" + number(8) + "\n";
    for (unsigned i = 0, count = 4 + static_cast<unsigned>(random() % 20); i < count; ++i) {
      const std::string result = "r" + number(6);
      switch (random() % 7) {
        case 0:
          text +=
              any({"fmul ", "fadd "}) + result + ", " + source() + any({"", ".abs", ".neg"}) + ", " + source() + "\n";
          break;
        case 1:
          text += "fmad " + result + ", " + source() + ", " + source() + ", " + source() + "\n";
          break;
        case 2:
          text += "main { p0: mbyp ft0, " + source() + "; p1: mbyp ft1, " + any({"sc0", "r1", "r2"}) +
                  "; p2: pck.zero ft2; " + any({"tstl", "tstg", "tste", "tstge", "tstg.s32", "tstl.u32"}) +
                  " ftt, _, ft0, ft1; movc w0, w1, ftt, sc143, sc143; w0 = " + result + "; is4 = ft2 }\n";
          break;
        case 3:
          text += "bit { p0: byp ft2, " + source() + "; p1: " + any({"and", "or", "xor"}) + " ft4, _, ft2, _, " +
                  source() + "; w0 = " + result + " }\n";
          break;
        case 4:
          text += "frcp " + result + ", " + source() + "\n";
          break;
        case 5:
          text += "main { mbyp ft0, " + source() + "; tstz ftt, p0, ft0 }\nif(p0) main { fmul ft0, " + result + ", " +
                  source() + "; w0 = " + result + " }\n";
          break;
        default:
          text += "main { uvsw.write w0, " + number(4) + "; s0 = " + source() + "; is4 = fte }\n";
      }
    }
    text += "mov.olchk o0, r0\nmov.olchk o1, r1\nmov.olchk o2, r2\nnop.end";
    const MergeAdvice advice = ordered(text, 4);
    executed += advice.instances;
    std::uint32_t bound = advice.groups;
    for (const OrderedGroups& part : advice.parts) {
      EXPECT_LE(part.bound, part.groups) << text;
      bound -= part.groups - part.bound;
    }
    const std::uint32_t neighbours = as_they_stand(text);
    EXPECT_LE(bound, neighbours) << text;
    EXPECT_LE(advice.groups, neighbours) << text;
    fewer += advice.groups < neighbours;
  }
  EXPECT_GT(fewer, 8u);
  EXPECT_GT(executed, 0u);
}

TEST(Order, SurvivesAnyBytes) {
  std::mt19937_64 random(19);
  for (int run = 0; run < 200; ++run) {
    Bytes code;
    for (int i = 0; i < 12; ++i) {
      const Bytes group = random_group(random);
      code.insert(code.end(), group.begin(), group.end());
    }
    const auto result = advise(program_of(code), {.tasks = 2, .effort = effort});
    if (!result) {
      EXPECT_EQ(result.error()[0].code, "RG302") << render(result.error());
    }
  }
}

/// Each stands for the same: alone, in a program, they leave the same.
TEST(Equivalents, DoTheSame) {
  for (const std::string_view text :
       {"fadd r0, vi0.abs, vi1", "fmul r0, vi0, vi1.abs", "fmad r0, vi0.neg, vi1.abs, vi2",
        "main { p0: mbyp ft0, vi0; p1: mbyp ft1, vi1; tstl ftt, _, ft0, ft1; movc w0, w1, ftt, ft0, ft0; w0 = r0; is4 "
        "= ft1 }",
        "main { p0: mbyp ft0, vi0; p1: mbyp ft1, sc0; p2: pck.zero ft2; tstge ftt, _, ft0, ft1; movc w0, w1, ftt, "
        "sc143, "
        "sc143; w0 = r0; is4 = ft2 }"}) {
    const Group group = decode(assemble(text)).front();
    const std::vector<Group> all = equivalents(group);
    EXPECT_GT(all.size(), 1u) << text;
    const Program first = program_of(assemble(std::string(text) + "\nmov.olchk o0, r0\nnop.end"));
    for (const Group& each : all) {
      Bytes code;
      const unsigned words = (content_bytes(each) + 1) / 2;
      encode_content(each, words, code);
      append_padding(content_bytes(each), words, code);
      const Bytes end = assemble("mov.olchk o0, r0\nnop.end");
      code.insert(code.end(), end.begin(), end.end());
      const Comparison comparison = compare(first, program_of(code), 8);
      EXPECT_EQ(comparison.difference, "") << text;
      EXPECT_GT(comparison.instances, 0u) << comparison.obstacle;
    }
  }
}

}  // namespace
}  // namespace mobula::rogue
