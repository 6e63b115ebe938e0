// What a task does as a whole: base offsets, mutexes, phases, call links.
#include <gmock/gmock.h>

#include <set>

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

/// A workgroup of two tasks.
Program of_two_tasks(std::string_view text) {
  Program program = program_of(assemble(text));
  program.interface.stage = Stage::compute;
  program.interface.local_size = {64, 1, 1};
  return program;
}
void start(Task& task) {
  for (std::uint64_t byte = 0; byte < 4096; ++byte) task.environment.memory[byte] = 0;
  for (const char* const name : {"memory.low", "memory.high", "asleep", "wakings", "mutexes", "done"})
    task.set(name, 0u);
}

TEST(Workgroups, TasksHaveSharedRegistersInCommonAndChangeThemInTurn) {
  Task task(
      of_two_tasks("main atom { p0: umadd32 ft0, sh0, sc1, sc1; w0 = r1; w1 = sh0; is0 = s0; is4 = fte; is5 = ft0 }\n"
                   "main { p0: mbyp ft0, sh0; w0 = r2 }\nmain { p0: mbyp ft0, sh5; w0 = r3 }\nnop.end"),
      64);
  start(task);
  task.set("sh0", 100u).set("sh5", 9u).run();
  EXPECT_EQ(task.fault(), "");
  std::set<std::uint32_t> before;
  for (std::uint32_t lane = 0; lane < 64; ++lane) {
    before.insert(task.get("r1", lane));
    EXPECT_EQ(task.get("r2", lane), 164u);
    EXPECT_EQ(task.get("r3", lane), 9u) << "what nothing writes";
  }
  EXPECT_EQ(before.size(), 64u);
  EXPECT_EQ(*before.begin(), 100u);
}

TEST(Workgroups, TasksSleepUntilAnotherWakesThem) {
  // What Mesa's driver does at a barrier, with a count that starts anew and the number of barriers gone by. The first
  // task gets there long before the other, which comes from further down.
  constexpr std::string_view text = R"(main { p2: tstz.u32 ftt, p0, r0 }
if(!p0) ctrl { br slow }
arrive:
ctrl { mutex.lock 3 }
main { p0: mbyp ft0, sh3; w0 = r1 }
main { p0: umadd32 ft0, sh2, sc1, sc1; w0 = r2 }
bit { p0: byp ft2, r2; p1: xor ft4, _, ft2, _, sc2; w0 = r3 }
main { p0: umadd32 ft0, r1, sc1, sc1; w0 = r4 }
main { p0: mbyp ft0, sc0; p1: mbyp ft1, r2; p2: tstz.u32 ftt, _, r3; movc w0, w1, ftt, ft0, ft0; w0 = sh2; is4 = ft1 }
main { p0: mbyp ft0, r4; p1: mbyp ft1, r1; p2: tstz.u32 ftt, _, r3; movc w0, w1, ftt, ft0, ft0; w0 = sh3; is4 = ft1 }
again:
main { p0: mbyp ft0, sh3; p1: mbyp ft1, r1; p2: tste.u32 ftt, p0, ft0, ft1 }
if(!p0) ctrl { br done }
ctrl { mutex.release.sleep 3 }
ctrl { mutex.lock 3 }
ctrl { br again }
done:
ctrl { mutex.release.wakeup 3 }
main { p0: mbyp ft0, sh1; w0 = r5 }
ctrl { br out }
slow:
main { p0: mbyp ft0, sc7; w0 = sh1 }
ctrl { br arrive }
out:
nop.end)";
  Task task(of_two_tasks(text), 64);
  start(task);
  for (const char* const name : {"sh1", "sh2", "sh3"}) task.set(name, 0u);
  task.set("r0", [](std::uint32_t lane) { return lane / 32; }).run();
  EXPECT_EQ(task.fault(), "");
  for (const std::uint32_t lane : {0u, 31u, 32u, 63u}) EXPECT_EQ(task.get("r5", lane), 7u) << lane;
}

TEST(Workgroups, TasksWaitForAMutexThatAnotherHolds) {
  // The second task locks first, as the first has to come from further down, and changes the register twice.
  constexpr std::string_view text = R"(main { p2: tstz.u32 ftt, p0, r0 }
if(p0) ctrl { br slow }
ctrl { mutex.lock 3 }
main { p0: mbyp ft0, sc5; w0 = sh1 }
ctrl { br further }
locked:
ctrl { mutex.lock 3 }
main { p0: mbyp ft0, sh1; w0 = r5 }
ctrl { mutex.release 3 }
ctrl { br out }
slow:
ctrl { br locked }
further:
main { p0: mbyp ft0, sc6; w0 = sh1 }
ctrl { mutex.release 3 }
out:
nop.end)";
  Task task(of_two_tasks(text), 64);
  start(task);
  task.set("sh1", 0u).set("r0", [](std::uint32_t lane) { return lane / 32; }).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("r5", 0), 6u) << "not in between";
}

}  // namespace
}  // namespace mobula::rogue
