// What a task does as a whole: base offsets, mutexes, phases, call links.
#include <gmock/gmock.h>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

using testing::HasSubstr;

TEST(BaseOffsets, MoveTheRegistersThatAreMeant) {
  const auto run = [](const std::string& unit) {
    Task task(
        "mov r0, sh1\nctrl { sbo.shared 4 }\nmov r1, sh1\nmov sh2, r9\nctrl { sbo.shared 0 }\nmov r2, sh1\nnop.end", 1,
        {{"base_offset", unit}});
    task.set("sh1", 11u).set("r9", 99u);
    if (unit == "registers") task.set("sh5", 15u);
    if (unit == "fours") task.set("sh17", 27u);
    return std::move(task.run());
  };
  const Task registers = run("registers");
  EXPECT_EQ(registers.fault(), "");
  EXPECT_EQ(registers.get("r0"), 11u);
  EXPECT_EQ(registers.get("r1"), 15u);
  EXPECT_EQ(registers.get("r2"), 11u);
  EXPECT_EQ(registers.get("sh6"), 99u);
  EXPECT_EQ(registers.get("sh2"), 0u);
  const Task fours = run("fours");
  EXPECT_EQ(fours.get("r1"), 27u);
  EXPECT_EQ(fours.get("sh18"), 99u);
  EXPECT_THAT(run("trap").fault(), HasSubstr("base_offset"));
}

TEST(BaseOffsets, OfCoefficientsMoveIterations) {
  Task task("ctrl { sbo.coeff 8 }\nctrl { ditr.pixel.schedwdf r0, drc0, cf0, 1, 0, cf0 }\nnop.end");
  task.set("cf2", 1.0f).set("cf10", 3.0f).run();
  EXPECT_EQ(task.get_f("r0"), 3.0f);
}

TEST(BaseOffsets, OfSharedRegistersChooseTextures) {
  Task task("ctrl { sbo.shared 8 }\nmain { smp2d.fcnorm drc0, sh4, r1, sh0, _, r0, 1 }");
  task.run();
  EXPECT_EQ(task.environment.requests.at(0).texture, 3u) << "sh12";
  EXPECT_EQ(task.environment.requests.at(0).sampler, 2u) << "sh8";
}

TEST(BaseOffsets, AddToIndices) {
  Task task("ctrl { sbo.shared 4 }\nmov r0, sh1[idx0]\nnop.end");
  task.set("idx0", 2u).set("sh7", 5u).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("r0"), 5u);
}

TEST(Mutexes, AreHeldUntilTheyAreReleased) {
  EXPECT_EQ(Task("mutex.lock 4\nmov r0, sc1\nmutex.release 4\nnop.end", 3).run().fault(), "");
  EXPECT_EQ(Task("mutex.lock 4\nmutex.lock 5\nmutex.release.wakeup 4\nmutex.release 5\nnop.end").run().fault(), "");
  EXPECT_EQ(Task("mutex.lock 4\nmutex.release 4\nmutex.lock 4\nmutex.release 4\nnop.end").run().fault(), "");
}

TEST(Mutexes, ADeadlockIsSaid) {
  EXPECT_THAT(Task("mutex.lock 4\nmutex.lock 4\nmutex.release 4\nnop.end").run().fault(),
              HasSubstr("mutex 4 is locked by this task already"));
  EXPECT_THAT(Task("mutex.lock 4\nmutex.lock 7\nmutex.release 4\nnop.end").run().fault(),
              HasSubstr("has not released mutex 7"));
  EXPECT_THAT(Task("mutex.release 4\nnop.end").run().fault(), HasSubstr("does not hold it"));
  EXPECT_THAT(Task("mutex.lock 3\nmutex.release 4\nmutex.release 3\nnop.end").run().fault(),
              HasSubstr("mutex 4 is released"));
}

/// The vendor's pattern: whoever finds the global flag unset sleeps and tries again.
constexpr std::string_view wait_for_flag = R"(
 again: mutex.lock 4
        main { s0 = sc0; s2 = g0; is0 = s2; is2 = fte; p0: mbyp ft0, s0; p2: tste.u32 ftt, p0, ft0, fte }
        if(!p0) ctrl { br ready }
        mutex.release.sleep 4
        ctrl { br again }
 ready: mutex.release 4
        nop.end)";

TEST(Mutexes, ATaskThatIsAloneSleepsForEver) {
  EXPECT_EQ(Task(wait_for_flag, 2).set("g0", 1u).run().fault(), "");
  EXPECT_THAT(Task(wait_for_flag, 2).run().fault(), HasSubstr("the task sleeps at mutex 4"));
  EXPECT_EQ(
      Task("mutex.lock 4\nmutex.release.sleep 4\nmov r0, sc3\nnop.end", 1, {{"mutex_sleep", "wake"}}).run().get("r0"),
      3u);
}

TEST(Phases, FollowEachOther) {
  const auto program = parse({"t", R"(
         main { s0 = r0; be: phas.inst s0, 0 }
         mov r1, sc5
         nop.end
 second: mov r2, sc6
         nop.end)"},
                             "");
  ASSERT_TRUE(program) << render(program.error());
  const auto address = static_cast<std::uint32_t>(program->labels.at(0).byte_offset);
  Task task(program->code, 2, {{"phase_change", "at-end"}});
  task.set("r0", address).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("r1"), 5u) << "the first phase goes on";
  EXPECT_EQ(task.get("r2"), 6u);
  EXPECT_THAT(Task(program->code).run().fault(), HasSubstr("phase_change"));
}

TEST(CallLinks, OfTheInternalKindAreAPolicy) {
  const auto run = [](const std::string& kind, const Policies& policies) {
    Task task("(ignorepe) ctrl { cndsetl." + kind + " i0, i0, r5 }\nnop.end", 2, policies);
    task.set("r5", [](std::uint32_t lane) { return 8 + lane; }).run();
    return task;
  };
  EXPECT_THAT(run("a", {}).fault(), HasSubstr("call_link"));
  const Task a = run("a", {{"call_link", "as-b"}}), b = run("b", {});
  EXPECT_EQ(a.get("link"), 16u);
  for (std::uint32_t lane = 0; lane < 2; ++lane) {
    EXPECT_EQ(a.get("i0", lane), lane) << "who calls another place waits";
    EXPECT_EQ(a.get("i0", lane), b.get("i0", lane));
    EXPECT_EQ(a.get("masked", lane), b.get("masked", lane));
  }
}

}  // namespace
}  // namespace mobula::rogue
