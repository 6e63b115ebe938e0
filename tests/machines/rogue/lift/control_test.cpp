// Branches, execution masks, fences.
#include <gmock/gmock.h>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

std::uint32_t lane_number(std::uint32_t lane) { return lane; }

TEST(Masks, IfAndElse) {
  Task task(R"(
           (ignorepe) ctrl { cndst always, i0, sc0, 1 }
           mov r9, sc0
           main { s0 = r1; is1 = ft0; p0: mbyp ft0, s0; p2: tstz.u32 ftt, p0, is1 }
           (ignorepe) ctrl { cndst !p0, i0, i0, 1 }
           ctrl { br.allinst other }
           mov r2, sc7
    other: (ignorepe) ctrl { cndef always, i0, i0, 1 }
           ctrl { br.allinst done }
           mov r2, sc8
    done:  (ignorepe) ctrl { cndend i0, i0, 1 }
           umadd32 r3, r2, sc1, sc1
           nop.end)",
            8);
  task.set("r1", [](std::uint32_t lane) { return lane % 2; }).run();
  EXPECT_EQ(task.fault(), "");
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    // cndst !p0: where P0 is 0 (r1 != 0) the instance goes on.
    EXPECT_EQ(task.get("r2", lane), lane % 2 != 0 ? 7u : 8u) << lane;
    EXPECT_EQ(task.get("r3", lane), lane % 2 != 0 ? 8u : 9u) << lane;
    EXPECT_EQ(task.get("masked", lane), 0u);
  }
}

TEST(Masks, ALoopRunsUntilNoInstanceContinues) {
  // r1 times around; whoever is through waits outside.
  Task task(R"(
           (ignorepe) ctrl { cndst always, i0, sc0, 1 }
           mov r2, sc0
           (ignorepe) ctrl { cndst always, i0, i0, 2 }
           ctrl { br.allinst after }
    body:  umadd32 r2, r2, sc1, sc1
           main { s0 = r2; s3 = r1; is1 = ft0; is2 = ft1; p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2: tste.u32 ftt, p0, is1, is2 }
           mov r5, sc2
           (ignorepe) ctrl { cndsm p0, i0, i0, r5 }
           (ignorepe) ctrl { cndend i0, i0, 1 }
           (ignorepe) ctrl { cndst always, i0, i0, 1 }
           (ignorepe) ctrl { cndlt always, i0, p0, i0, 2 }
           if(p0) ctrl { br body }
    after: nop.end)",
            6);
  task.set("r1", [](std::uint32_t lane) { return lane + 1; }).run();
  EXPECT_EQ(task.fault(), "");
  for (std::uint32_t lane = 0; lane < 6; ++lane) EXPECT_EQ(task.get("r2", lane), lane + 1) << lane;
}

/// i0 and PE of one instance whose count is `count`.
std::pair<std::uint32_t, bool> after(const std::string& instruction, std::uint32_t count, bool p0 = false,
                                     std::uint32_t level = 0) {
  Task task("(ignorepe) ctrl { " + instruction + " }");
  task.set("i0", count).set("p0", p0 ? ~0u : 0u).set("r5", level).set("masked", count == 0 ? 0u : ~0u).run();
  return {task.get("i0"), task.get("masked") == 0};
}

TEST(Masks, EveryInstructionCounts) {
  using testing::Pair;
  EXPECT_THAT(after("cndst always, i0, i0, 1", 0), Pair(0, true));
  EXPECT_THAT(after("cndst always, i0, i0, 2", 3), Pair(5, false));
  EXPECT_THAT(after("cndst p0, i0, i0, 1", 0), Pair(1, false));
  EXPECT_THAT(after("cndst never, i0, i0, 1", 0), Pair(1, false));
  EXPECT_THAT(after("cndef always, i0, i0, 1", 0), Pair(1, false));
  EXPECT_THAT(after("cndef always, i0, i0, 1", 1), Pair(0, true));
  EXPECT_THAT(after("cndef p0, i0, i0, 1", 1), Pair(1, false));
  EXPECT_THAT(after("cndef always, i0, i0, 1", 2), Pair(2, false));
  EXPECT_THAT(after("cndsm p0, i0, i0, r5", 0, true, 3), Pair(3, false));
  EXPECT_THAT(after("cndsm p0, i0, i0, r5", 0, false, 3), Pair(0, true));
  EXPECT_THAT(after("cndsm always, i0, i0, r5", 2, false, 3), Pair(2, false));
  EXPECT_THAT(after("cndend i0, i0, 1", 1), Pair(0, true));
  EXPECT_THAT(after("cndend i0, i0, 1", 3), Pair(2, false));
  EXPECT_THAT(after("cndlpc i0, i0", 0), Pair(2, false));
  EXPECT_THAT(after("cndlpc i0, i0", 1), Pair(0, true));
  EXPECT_THAT(after("cndlpc i0, i0", 4), Pair(4, false));
  // Nobody runs: the loop ends and a level is taken off.
  EXPECT_THAT(after("cndlt always, i0, p0, i0, 2", 2), Pair(0, true));
  EXPECT_THAT(after("cndlt always, i0, p0, i0, 2", 3), Pair(1, false));
}

TEST(Masks, ALoopTestAsksTheWholeTask) {
  Task task("(ignorepe) ctrl { cndlt p0, i0, p0, i0, 2 }", 40);
  task.set("p0", [](std::uint32_t lane) { return lane == 3 ? ~0u : 0u; }).run();
  EXPECT_EQ(task.get("p0", 0), ~0u) << "lane 3 goes on";
  EXPECT_EQ(task.get("i0", 0), 2u);
  EXPECT_EQ(task.get("masked", 0), ~0u);
  EXPECT_EQ(task.get("masked", 3), 0u);
  EXPECT_EQ(task.get("p0", 35), 0u) << "of another task, where nobody does";
}

TEST(Masks, MaskedInstancesDoNothing) {
  Task store(R"((ignorepe) ctrl { cndst p0, i0, i0, 1 }
                main { s3 = r2; s4 = r4; be: st s3, 2, drc0, 1, s4 }
                nop.end)",
             3);
  store.set("p0", [](std::uint32_t lane) { return lane == 1 ? ~0u : 0u; });
  store.set("r2", [](std::uint32_t lane) { return lane + 5; });
  store.set("r4", [](std::uint32_t lane) { return 4 * lane; }).run();
  EXPECT_EQ(store.environment.memory.size(), 4u);
  EXPECT_EQ(store.environment.peek(4), 6u);
}

TEST(Masks, GroupsMayIgnoreThem) {
  Task task(
      "(ignorepe) ctrl { cndst never, i0, i0, 1 }\n(ignorepe) main { p0: mbyp ft0, sc4; w0 = r0 }\nmov r1, "
      "sc4\nnop.end");
  task.run();
  EXPECT_EQ(task.get("r0"), 4u);
  EXPECT_EQ(task.get("r1"), 0u);
}

// ---- branches

constexpr std::string_view conditional = "if(p0) ctrl { br over }\nmov r0, sc1\nover: mov r1, sc1\nnop.end";

TEST(Branches, GoWhereAllAgree) {
  Task taken(conditional, 2);
  taken.set("p0", ~0u).run();
  EXPECT_EQ(taken.get("r0"), 0u);
  EXPECT_EQ(taken.get("r1"), 1u);
  Task stays(conditional, 2);
  EXPECT_EQ(stays.run().get("r0"), 1u);
}

TEST(Branches, ADivergentOneIsAPolicy) {
  const auto run = [](const Policies& policies) {
    Task task(conditional, 2, policies);
    task.set("p0", lane_number).set("p0", [](std::uint32_t lane) { return lane == 1 ? ~0u : 0u; }).run();
    return task;
  };
  EXPECT_THAT(run({}).fault(), testing::HasSubstr("divergent branch"));
  EXPECT_EQ(run({{"divergent_branch", "any"}}).get("r0", 0), 0u);
  EXPECT_EQ(run({{"divergent_branch", "each"}}).get("r0", 0), 1u);
  EXPECT_EQ(run({{"divergent_branch", "each"}}).get("r0", 1), 0u);
}

TEST(Branches, OneOfNoInstanceIsAPolicy) {
  const std::string_view text =
      "(ignorepe) ctrl { cndst never, i0, i0, 1 }\nctrl { br over }\n(ignorepe) main { p0: mbyp ft0, sc1; w0 = r0 "
      "}\nover: nop.end";
  EXPECT_EQ(Task(text).run().get("r0"), 1u);
  EXPECT_EQ(Task(text, 1, {{"idle_branch", "taken"}}).run().get("r0"), 0u);
}

TEST(Branches, AllInstancesMeansThatNoneRuns) {
  const std::string_view text = R"((ignorepe) ctrl { cndst p0, i0, i0, 1 }
                                   ctrl { br.allinst over }
                                   (ignorepe) main { p0: mbyp ft0, sc1; w0 = r0 }
                             over: nop.end)";
  Task one(text, 2);
  one.set("p0", [](std::uint32_t lane) { return lane == 1 ? ~0u : 0u; }).run();
  EXPECT_EQ(one.get("r0", 0), 1u);
  EXPECT_EQ(Task(text, 2).run().get("r0", 0), 0u);
}

TEST(Branches, UnpublishedOnesStop) {
  EXPECT_THAT(Task("ctrl { br.anyinst 0 }").run().fault(), testing::HasSubstr("anyinst_branch"));
  EXPECT_THAT(Task("if(p0) ctrl { br.allinst 0 }").run().fault(), testing::HasSubstr("allinst_condition"));
  EXPECT_THAT(Task("ctrl { br -8 }").run().fault(), testing::HasSubstr("before the program"));
}

// ---- fences

TEST(Fences, EachCounterBringsItsOwn) {
  Task task(R"(main { s3 = r8; s4 = r0; be: ld s3, drc0, 1, s4 }
               main { s3 = r9; s4 = r0; be: ld s3, drc1, 1, s4 }
               ctrl { wdf drc1 }
               nop.end)");
  task.environment.poke(64, 7);
  task.set("r0", 64u).run();
  EXPECT_EQ(task.get("r8"), 0x7FBADBADu);
  EXPECT_EQ(task.get("r9"), 7u);
}

TEST(Fences, ResultsArriveOnWhateverWayTheWaitIsReached) {
  // What one turn of a loop loads, the next one waits for; P0 ends it after two.
  Task loop(R"(again:
               ctrl { wdf drc0 }
               fadd r1, r1, r8
               main { s3 = r8; s4 = r2; be: ld s3, drc0, 1, s4 }
               main { mbyp ft0, r1; tstz ftt, p0, ft0 }
               if(p0) ctrl { br again }
               ctrl { wdf drc0 }
               nop.end)");
  loop.environment.poke(64, bits(7));
  loop.set("r1", -1.0F).set("r2", 64u).set("r8", 1.0F).run();
  EXPECT_EQ(loop.get_f("r1"), 7) << loop.fault();
  EXPECT_EQ(loop.get_f("r8"), 7);
  // Where a call returns to, a register says.
  Task call(R"(ctrl { brl part }
               ctrl { wdf drc0 }
               nop.end
               part:
               main { s3 = r8; s4 = r0; be: ld s3, drc0, 1, s4 }
               ctrl { lapc })");
  call.environment.poke(64, 7);
  EXPECT_EQ(call.set("r0", 64u).run().get("r8"), 7u) << call.fault();
}

/// Each wait looks for what may be on its way there: not for all that the program ever loads.
TEST(Fences, ManyWaitsForManyRegistersTakeFewOperations) {
  const auto operations = [](unsigned loads) {
    std::string text;
    for (unsigned i = 0; i < loads; ++i)
      text += "main { s3 = r" + std::to_string(2 + i) + "; s4 = r0; be: ld s3, drc0, 1, s4 }\nctrl { wdf drc0 }\n";
    return Task(text + "nop.end").program().operations.size();
  };
  EXPECT_LT(operations(200), 21 * operations(10));
}

TEST(Fences, LateResultsAreAPolicy) {
  Task task("main { s3 = r8; s4 = r0; be: ld s3, drc0, 1, s4 }", 1, {{"late_results", "at-issue"}});
  task.environment.poke(64, 7);
  EXPECT_EQ(task.set("r0", 64u).run().get("r8"), 7u);
}

TEST(Fences, AnInstanceThatDidNotLoadKeepsItsRegister) {
  Task task("if(p0) main { s3 = r8; s4 = r0; be: ld s3, drc0, 1, s4 }\nctrl { wdf drc0 }", 2);
  task.environment.poke(64, 7);
  task.set("r0", 64u).set("r8", 3u).set("p0", [](std::uint32_t lane) { return lane == 0 ? 0u : ~0u; }).run();
  EXPECT_EQ(task.get("r8", 0), 3u);
  EXPECT_EQ(task.get("r8", 1), 7u);
}

}  // namespace
}  // namespace mobula::rogue
