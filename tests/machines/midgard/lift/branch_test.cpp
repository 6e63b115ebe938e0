// Control flow, faults, writeout (2.1, 2.8, 4.3, 4.4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machines/midgard/bundles.h"
#include "machines/midgard/lift_run.h"
#include "machines/midgard/words.h"

namespace mobula::midgard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

/// r2.x += `amount`.
Bundle add(unsigned amount) {
  return alu({scalar_op(Unit::smul, 0x40, {2, 0}, {2, 0}, {.constant = static_cast<std::uint16_t>(amount)}, keeplo)});
}
/// r31.w = r0.x, with a branch.
Bundle test_r0(const Branch& branch) {
  return with(alu({scalar_op(Unit::smul, 0x7B, {31, 3}, {}, {0, 0}, keeplo)}), branch);
}
Branch compact(BranchMeaning op, unsigned condition, int offset, unsigned dest_tag = tag_alu_4) {
  return {.op = op,
          .dest_tag = static_cast<std::uint8_t>(dest_tag),
          .call_mode = 1,
          .lut = static_cast<std::uint16_t>(condition * 0x5555),
          .offset = offset};
}
Branch extended(BranchMeaning op, unsigned table, int offset, unsigned dest_tag = tag_alu_4) {
  return {.extended = true,
          .op = op,
          .dest_tag = static_cast<std::uint8_t>(dest_tag),
          .lut = static_cast<std::uint16_t>(table),
          .offset = offset};
}
constexpr unsigned if_false = 1, if_true = 2, always = 3;

// ------------------------------------------------------------------------------------------------ jumps

/// What r2.x is when the branch skips an addition of 1 before one of 10.
std::uint32_t path(const Branch& branch, std::uint32_t condition, const Policies& policies = {}) {
  LiftRun run(program_of({test_r0(branch), add(1), add(10)}), policies);
  run.set("r0.x", condition).run();
  EXPECT_EQ(run.fault(), "");
  return run.get("r2.x");
}

TEST(LiftBranch, ConditionalBranchesTestTheirBundlesR31) {
  for (const bool is_extended : {false, true}) {
    const auto branch = [&](unsigned condition) {
      return is_extended ? extended(BranchMeaning::cond, condition * 0x5555, 1)
                         : compact(BranchMeaning::cond, condition, 1);
    };
    EXPECT_EQ(path(branch(if_true), ~0u), 10u);
    EXPECT_EQ(path(branch(if_true), 0), 11u);
    EXPECT_EQ(path(branch(if_false), ~0u), 11u);
    EXPECT_EQ(path(branch(if_false), 0), 10u);
    EXPECT_EQ(path(branch(always), 0), 10u);
    EXPECT_EQ(path(branch(0), ~0u), 11u);
  }
}

TEST(LiftBranch, UnconditionalJumps) {
  EXPECT_EQ(path(compact(BranchMeaning::uncond, always, 1), 0), 10u);
  EXPECT_EQ(path(extended(BranchMeaning::uncond, 0xFFFF, 1), 0), 10u);
}

/// C11: the offset counts from the next bundle.
TEST(LiftBranch, ForwardBranchOfTheReference) {
  Program program = program_of({0x04800088, 0x04A4FC00, 0x82C2D800, 0});
  for (unsigned i = 0; i < 6; ++i) {
    const Program next = program_of({add(1u << i)});
    program.code.insert(program.code.end(), next.code.begin(), next.code.end());
    if (i < 5) program.code[16 * (i + 1)] = 0x88;
  }
  EXPECT_EQ(LiftRun(program).set("r0.x", 0xFFFFFFFF).run().get("r2.x"), 32u);
  EXPECT_EQ(LiftRun(program).set("r0.x", 1).run().get("r2.x"), 63u);
}

TEST(LiftBranch, LoopsGoBack) {
  // r2.x += 1; loop while r2.x < r0.y
  const Bundle body = with(alu({scalar_op(Unit::sadd, 0x40, {2, 0}, {2, 0}, {.constant = 1}, keeplo),
                                scalar_op(Unit::smul, 0xA4, {31, 3}, {2, 0}, {0, 1}, keeplo)}),
                           extended(BranchMeaning::cond, 0xAAAA, -2, 9));
  LiftRun run(program_of({body, add(100)}));
  EXPECT_EQ(run.set("r0.y", 7).run().get("r2.x"), 107u);
}

TEST(LiftBranch, ConditionsThatAreNeitherZeroNorOnes) {
  EXPECT_EQ(path(compact(BranchMeaning::cond, if_true, 1), 2), 11u);
  EXPECT_EQ(path(compact(BranchMeaning::cond, if_true, 1), 2, {{"condition_bit", "nonzero"}}), 10u);
  EXPECT_EQ(path(compact(BranchMeaning::cond, if_false, 1), 2, {{"condition_bit", "nonzero"}}), 11u);
}

/// C12: bit 0 of each half of r31.w and r31.x makes an index into the table.
TEST(LiftBranch, TableOfFourConditions) {
  const auto taken = [&](unsigned table, std::uint32_t x, std::uint32_t w, const Policies& policies = {}) {
    const Bundle bundle = with(alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 31, {}, {0}, {.outmod = keeplo})}),
                               extended(BranchMeaning::cond, table, 1));
    LiftRun run(program_of({bundle, add(1), add(10)}), policies);
    return run.set("r0.x", x).set("r0.w", w).run().get("r2.x") == 10;
  };
  for (unsigned index = 0; index < 16; ++index) {
    const std::uint32_t w = (index & 1) | (index & 2) << 15, x = (index >> 2 & 1) | (index & 8) << 13;
    for (const unsigned table : {0x8888u, 0x0001u, 0x8000u, 0x1234u}) {
      EXPECT_EQ(taken(table, x, w), (table >> index & 1) != 0) << index << " " << table;
    }
  }
  // w.hi set alone: index 2, or 4 or 8 in other orders
  EXPECT_TRUE(taken(1u << 2, 0, 0x10000));
  EXPECT_TRUE(taken(1u << 4, 0, 0x10000, {{"condition_lut", "wlo-xlo-whi-xhi"}}));
  EXPECT_TRUE(taken(1u << 8, 0, 0x10000, {{"condition_lut", "wlo-xhi-xlo-whi"}}));
  EXPECT_TRUE(taken(1u << 2, 0, 0x20000, {{"condition_bit", "nonzero"}}));
}

TEST(LiftBranch, BreaksEndTheThread) {
  // a break in the middle of the program
  Program program = program_of({add(1), add(2)});
  program.code[0] = 0x18;
  EXPECT_EQ(LiftRun(program).run().get("r2.x"), 1u);
  // a taken branch with destination tag 1 ends; not taken it goes on
  const Program ends = program_of({test_r0(compact(BranchMeaning::cond, if_true, 5, tag_break)), add(1)});
  EXPECT_EQ(LiftRun(ends).set("r0.x", 1).run().get("r2.x"), 0u);
  LiftRun on(ends);
  EXPECT_EQ(on.set("r0.x", 0).run().get("r2.x"), 1u);
  EXPECT_EQ(on.state(), LaneState::ended);
}

// ------------------------------------------------------------------------------------------------ faults

TEST(LiftBranch, WrongTagsFaultWhenTheyAreReached) {
  Program fall = program_of({add(1), add(2)});
  fall.code[0] = 0x98;
  EXPECT_THAT(LiftRun(fall).run().fault(),
              StartsWith("INSTR_TYPE_MISMATCH: the bundle at 0x10 has tag 8 (alu/4) but was announced as 9 (alu/8)"));
  const Program jump = program_of({test_r0(compact(BranchMeaning::cond, if_true, 1, 5)), add(1), add(10)});
  EXPECT_THAT(LiftRun(jump).set("r0.x", 1).run().fault(), StartsWith("INSTR_TYPE_MISMATCH"));
  EXPECT_EQ(LiftRun(jump).set("r0.x", 0).run().get("r2.x"), 11u);
}

TEST(LiftBranch, TargetsThatAreNotABundleFaultWhenTheyAreTaken) {
  const Bundle wide = alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 3, {}, {0}, {.outmod = keeplo})},
                          std::array<std::uint32_t, 4>{});
  for (const int offset : {1, 50, -3}) {
    const Program program = program_of({test_r0(compact(BranchMeaning::cond, if_true, offset, 8)), wide, add(1)});
    EXPECT_THAT(LiftRun(program).set("r0.x", 1).run().fault(), StartsWith("INSTR_INVALID_PC")) << offset;
    EXPECT_EQ(LiftRun(program).set("r0.x", 0).run().get("r2.x"), 1u);
  }
  EXPECT_THAT(LiftRun(program_of({test_r0(compact(BranchMeaning::cond, always, -2, 8))})).run().fault(),
              HasSubstr("at -0x10"));
}

TEST(LiftBranch, RunningOffTheEndFaults) {
  Program program = program_of({add(1)});
  program.code[0] = 0x88;
  EXPECT_EQ(LiftRun(program).run().fault(), "INSTR_INVALID_PC: no bundle starts at 0x10");
}

TEST(LiftBranch, TheFirstTagIsChecked) {
  Program program = program_of({add(1)});
  program.interface.first_tag = 5;
  EXPECT_THAT(LiftRun(program).run().fault(), StartsWith("INSTR_TYPE_MISMATCH"));
  program.interface.first_tag = 8;
  EXPECT_EQ(LiftRun(program).run().get("r2.x"), 1u);
}

TEST(LiftBranch, EntryAfterTheStart) {
  Program program = program_of({add(1), add(2)});
  program.entry = 16;
  EXPECT_EQ(LiftRun(program).run().get("r2.x"), 2u);
  program.entry = 8;
  EXPECT_THAT(LiftRun(program).run().fault(), HasSubstr("not a multiple of 16"));
  program.entry = 0x1000;
  EXPECT_THAT(LiftRun(program).run().fault(), StartsWith("INSTR_INVALID_PC"));
}

TEST(LiftBranch, UndecodableWordsFaultWhenTheyAreExecuted) {
  Program program = program_of({add(1), add(2)});
  program.code[0] = 0x68;
  program.code[16] = 0x16;
  const std::string reason = LiftRun(program).run().fault();
  EXPECT_EQ(reason, "INSTR_INVALID_ENC: tag 6 (unk1) does not begin a known bundle");
  Program unread = program_of({with(add(1), compact(BranchMeaning::cond, always, 1)), add(2), add(4)});
  unread.code[16] = 0x16;
  EXPECT_EQ(LiftRun(unread).run().get("r2.x"), 5u);
}

TEST(LiftBranch, WriteoutTagsExistOnLaterProducts) {
  Program program = program_of({add(1)}, "t760");
  program.code[0] = 0x1C;
  EXPECT_THAT(LiftRun(program).run().fault(), HasSubstr("tag 12 (aluw/4) does not exist on Mali-T760"));
  program.variant = "t820";
  EXPECT_EQ(LiftRun(program).run().get("r2.x"), 1u);
}

TEST(LiftBranch, UnassignedBranches) {
  for (const unsigned op : {0u, 3u, 5u}) {
    EXPECT_THAT(LiftRun(program_of({with(add(1), compact(static_cast<BranchMeaning>(op), always, 1))})).run().fault(),
                HasSubstr("branch operation " + std::to_string(op)));
  }
  Bundle both = with(add(1), compact(BranchMeaning::cond, always, 0));
  both = with(both, extended(BranchMeaning::cond, 0xFFFF, 0));
  EXPECT_THAT(LiftRun(program_of({both, add(1)})).run().fault(), HasSubstr("compact and an extended branch"));
}

TEST(LiftBranch, CallsAndReturns) {
  // call [2]; [1] adds 1 and jumps to the end; [2] adds 10 and returns
  Branch call = compact(BranchMeaning::uncond, always, 1), back = compact(BranchMeaning::uncond, always, 0);
  call.call_mode = 2;
  back.call_mode = 3;
  const Program program = program_of(
      {with(add(100), call), with(add(1), compact(BranchMeaning::uncond, always, 1, tag_break)), with(add(10), back)});
  EXPECT_THAT(LiftRun(program).run().fault(), HasSubstr("call"));
  LiftRun run(program, {{"call_return", "r1.w"}});
  EXPECT_EQ(run.run().get("r2.x"), 111u);
  EXPECT_EQ(run.get("r1.w"), 0x10u);
}

TEST(LiftBranch, ConditionalCallsAndReturns) {
  Branch call = extended(BranchMeaning::cond, 0xAAAA, 1), back = extended(BranchMeaning::cond, 0x5555, 0);
  call.call_mode = 2;
  back.call_mode = 3;
  const Program program = program_of(
      {test_r0(call), with(add(1), compact(BranchMeaning::uncond, always, 1, tag_break)), test_r0(back), add(10)});
  const Policies policies{{"call_return", "r1.w"}};
  LiftRun taken(program, policies);
  EXPECT_EQ(taken.set("r0.x", 1).run().get("r2.x"), 10u) << "called, and not returned from";
  EXPECT_EQ(taken.get("r1.w"), 0x10u);
  LiftRun past(program, policies);
  EXPECT_EQ(past.set("r0.x", 0).set("r1.w", 7).run().get("r2.x"), 1u);
  EXPECT_EQ(past.get("r1.w"), 7u);
  EXPECT_EQ(LiftRun(program).set("r0.x", 0).run().get("r2.x"), 1u) << "only a call that is taken stops";
}

TEST(LiftBranch, DiscardEndsTheFragment) {
  const Program program = program_of({test_r0(extended(BranchMeaning::discard, 0xAAAA, 2, 0)), add(1)});
  LiftRun gone(program);
  gone.set("r0.x", 1).run();
  EXPECT_EQ(gone.state(), LaneState::discarded);
  EXPECT_EQ(gone.get("r2.x"), 0u);
  LiftRun kept(program);
  EXPECT_EQ(kept.set("r0.x", 0).run().get("r2.x"), 1u);
  EXPECT_EQ(LiftRun(program_of({with(add(1), compact(BranchMeaning::discard, always, 2, 0))})).run().state(),
            LaneState::discarded);
}

TEST(LiftBranch, TileBufferWait) {
  const Program program = program_of({with(add(1), compact(BranchMeaning::tilebuffer, always, -1)), add(10)});
  LiftRun run(program);
  run.environment.waits = 3;
  EXPECT_EQ(run.run().get("r2.x"), 14u);
}

// ------------------------------------------------------------------------------------------------ writeout

/// 8.1: ARM's compiler; the fp16 varying is copied out, the second bundle is the retry.
TEST(LiftBranch, VendorShaderWritesAVarying) {
  const Program program = program_of({0x00000385, 0x00000000, 0xC0860990, 0x001403D3, 0x04020018, 0x02300018,
                                      0xFF2E4800, 0x0000C047, 0x04020018, 0x02300018, 0xFF2E4000, 0x0000FFC7},
                                     "t760");
  for (const std::uint32_t retries : {0u, 3u}) {
    LiftRun run(program);
    run.environment.varyings[0] = bytes_of_words({0x40003C00, 0xBC003800});
    run.environment.retries = retries;
    run.run();
    EXPECT_EQ(run.fault(), "");
    ASSERT_THAT(run.environment.fragments, SizeIs(1 + retries));
    const auto& last = run.environment.fragments.back();
    EXPECT_THAT(last.colour, ElementsAre(bits(1), bits(2), bits(0.5f), bits(-1)));
    EXPECT_EQ(last.depth, 0u);
    EXPECT_EQ(last.target, 0u);
    ASSERT_THAT(run.environment.calls, SizeIs(1));
    EXPECT_EQ(run.environment.calls[0].call.index, ir::Interpolation::perspective | ir::Interpolation::sample);
  }
}

/// 8.2.4 [19] and [20]: depth in r1.x, as written in the bundle of the branch.
TEST(LiftBranch, DepthComesFromTheBundleOfTheWriteout) {
  const Program program =
      program_of({0x08A2001D, 0x841F0018, 0x027B0421, 0xFFAE4000, 0x00000240, 0x0414C0A0, 0x006F1005, 0xFFFF0000,
                  0x08A2001D, 0x841F0018, 0x027B0438, 0xFFAE4000, 0x00000240, 0x047BC0A0, 0xFC6F1801, 0xFFFFFFFF});
  LiftRun run(program);
  run.set4f("r0", {1, 2, 3, 4}).setf("r1.x", 0.5f).setf("r1.y", 0.25f).set("r1.z", 0x100);
  run.environment.retries = 2;
  run.run();
  EXPECT_EQ(run.fault(), "");
  ASSERT_THAT(run.environment.fragments, SizeIs(3));
  for (const auto& out : run.environment.fragments) {
    EXPECT_THAT(out.colour, ElementsAre(bits(1), bits(2), bits(3), bits(4)));
    EXPECT_EQ(out.depth, bits(0.125f));
    EXPECT_EQ(out.stencil, 0u) << "r1.y is not written in this bundle";
    EXPECT_EQ(out.target, 0u);
  }
  EXPECT_EQ(run.get("r1.w"), 0x40u) << "the address after the bundle";

  LiftRun all(program, {{"writeout_r1", "always"}});
  all.setf("r1.y", 0.25f).set("r1.z", 0x100).run();
  EXPECT_EQ(all.environment.fragments[0].stencil, bits(0.25f));
  EXPECT_EQ(all.environment.fragments[0].target, 0x100u);
}

TEST(LiftBranch, TargetWordComesFromTheBundleOfTheWriteout) {
  const Bundle bundle = with(alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 0, {}, {0}, {.outmod = keeplo}),
                                  scalar_op(Unit::smul, 0x7B, {1, 2}, {}, {.constant = 0x0102}, keeplo)}),
                             extended(BranchMeaning::write, 0xFFFF, 0));
  LiftRun run(program_of({bundle}));
  run.run();
  ASSERT_THAT(run.environment.fragments, SizeIs(1));
  EXPECT_EQ(run.environment.fragments[0].target, 0x102u);
}

}  // namespace
}  // namespace mobula::midgard
