#include "mobula/scoreboard/debugger.h"

#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Halt = Debugger::Halt;

constexpr const char* chain = "reg I2 = 3\n10 add L2 d=I1 s=I2,I2\n11 mul L0 d=I3 s=I1,I1\n12 st s=I3 mem=0x20+8\n";

Debugger debugger_of(Config config, Workload workload) {
  Result<Debugger> made = Debugger::create(std::move(config), std::move(workload));
  EXPECT_TRUE(made.has_value()) << (made ? "" : render(made.error()));
  return std::move(*made);
}
Debugger debugger_of(std::string_view program) { return debugger_of(preset("byte_lane"), workload(program)); }

TEST(ScoreboardDebugger, GoesClockByClock) {
  Debugger debugger = debugger_of(chain);
  EXPECT_EQ(debugger.clock(), 0u);
  EXPECT_EQ(debugger.next(), 0u);
  EXPECT_EQ(debugger.step(), Halt::stepped);
  EXPECT_EQ(debugger.clock(), 1u);
  EXPECT_THAT(debugger.happened(), ElementsAre(Happening{Moment::issue, 0}));
  EXPECT_EQ(debugger.next(), 1u);
  EXPECT_EQ(debugger.step(), Halt::stepped);
  EXPECT_THAT(debugger.happened(),
              ElementsAre(Happening{Moment::read, 0}, Happening{Moment::start, 0}, Happening{Moment::issue, 1}));
  EXPECT_THAT(debugger.waits(),
              Contains(HasSubstr("operation 11 in unit 1 waits: read_after_write, for operation 10")));
  EXPECT_THAT(debugger.waits_in_plain_words(),
              Contains("operation 11 in unit 1 waits because it reads a value that an earlier word has not delivered "
                       "yet, for operation 10 in unit 0"));
  EXPECT_EQ(debugger.step(1000), Halt::finished);
  EXPECT_TRUE(debugger.finished());
  const RunResult whole = good(run(preset("byte_lane"), workload(chain)));
  EXPECT_EQ(debugger.clock(), whole.clocks);
  EXPECT_EQ(debugger.registers().size(), whole.registers.size());
  EXPECT_EQ(debugger.value(good(debugger.register_named("I3"))), 36u);
  EXPECT_NE(debugger.memory(0x20, 8), 0u);
}

TEST(ScoreboardDebugger, StopsAtWhatBecomesOfAnOperation) {
  Debugger debugger = debugger_of(chain);
  EXPECT_EQ(good(debugger.add({.place = Happening{Moment::write, good(debugger.operation(11))}})), 1u);
  EXPECT_EQ(good(debugger.add({.place = Happening{Moment::issue, 2}})), 2u);
  EXPECT_EQ(debugger.go(), Halt::breakpoint);
  EXPECT_EQ(debugger.halted_by()->number, 2u);
  EXPECT_EQ(debugger.times(2).issue, debugger.clock());
  EXPECT_EQ(debugger.go(), Halt::breakpoint);
  EXPECT_EQ(debugger.times(1).write, debugger.clock());
  EXPECT_EQ(debugger.go(), Halt::finished);
  // Of any operation; each moment is met once by each.
  for (const Moment moment : moments()) {
    Debugger again = debugger_of(chain);
    good(again.add({.place = Happening{moment, no_operation}}));
    int met = 0;
    while (again.go() == Halt::breakpoint) ++met;
    EXPECT_EQ(met, moment == Moment::kill ? 0 : 3) << name(moment);
  }
}

TEST(ScoreboardDebugger, GoesBack) {
  const Workload random = random_workload(5, {.operations = 40, .paths = true});
  Debugger forward = debugger_of(preset("seed_two_level"), random);
  Debugger there_and_back = debugger_of(preset("seed_two_level"), random);
  for (int clock = 1; clock <= 30; ++clock) {
    forward.step();
    there_and_back.step(3);
    ASSERT_EQ(there_and_back.back(2), Halt::stepped);
    EXPECT_EQ(there_and_back.clock(), forward.clock());
    EXPECT_EQ(matrices(forward.config(), there_and_back.view()), matrices(forward.config(), forward.view()));
    EXPECT_EQ(there_and_back.registers(), forward.registers());
    EXPECT_TRUE(std::ranges::equal(there_and_back.happened(), forward.happened()));
  }
  EXPECT_EQ(forward.back(30), Halt::stepped);
  EXPECT_EQ(forward.clock(), 0u);
  forward.step(3);
  EXPECT_EQ(forward.back(4), Halt::beginning);
  EXPECT_EQ(forward.clock(), 0u);
}

TEST(ScoreboardDebugger, StopsAtChanges) {
  Debugger debugger = debugger_of(chain);
  good(debugger.add({.which = good(debugger.register_named("I3"))}));
  good(debugger.add({.memory = 0x20}));
  EXPECT_EQ(debugger.go(), Halt::watch);
  EXPECT_EQ(debugger.halted_by()->number, 1u);
  EXPECT_EQ(debugger.value(*debugger.halted_by()->which), 36u);
  const std::uint64_t written = debugger.clock();
  EXPECT_EQ(debugger.go(), Halt::watch);
  EXPECT_EQ(debugger.halted_by()->memory, 0x20u);
  EXPECT_EQ(debugger.go(), Halt::finished);
  EXPECT_EQ(debugger.go_back(), Halt::watch) << "before the one where it is";
  EXPECT_EQ(debugger.halted_by()->number, 1u);
  EXPECT_EQ(debugger.clock(), written);
  EXPECT_EQ(debugger.go_back(), Halt::beginning);
  EXPECT_EQ(debugger.clock(), 0u);
}

TEST(ScoreboardDebugger, MemoryThatIsNotTouchedIsZero) {
  Debugger close = debugger_of(chain);
  Debugger far = debugger_of("reg I2 = 3\n10 st s=I2 mem=0x20+8\n11 st s=I2 mem=0x100000+8\n");
  for (Debugger* debugger : {&close, &far}) {
    debugger->step(1000);
    EXPECT_NE(debugger->memory(0x20, 8), 0u);
    EXPECT_EQ(debugger->memory(0x23, 8), debugger->memory(0x20, 8) >> 24);
    for (const std::uint64_t address : {0x0ull, 0xC5ull, 0x28ull, 0xFFFF8ull, ~0ull})
      EXPECT_EQ(debugger->memory(address, 8), 0u) << address;
    good(debugger->add({.memory = 0xC5}));
  }
}

TEST(ScoreboardDebugger, BreakpointsHaveConditionsAndNumbers) {
  const Happening any_issue{Moment::issue, no_operation};
  Debugger debugger = debugger_of(chain);
  good(debugger.add({.place = any_issue, .condition = "clock > 1", .temporary = true}));
  EXPECT_EQ(debugger.go(), Halt::breakpoint);
  EXPECT_EQ(debugger.clock(), 2u);
  EXPECT_EQ(debugger.go(), Halt::finished) << "it went with its stop";
  EXPECT_EQ(debugger.back(1000), Halt::beginning);
  good(debugger.add({.place = any_issue, .ignore = 1}));
  EXPECT_EQ(debugger.go(), Halt::breakpoint);
  EXPECT_EQ(debugger.breakpoints().front().hits, 2u);
  EXPECT_EQ(debugger.back(2), Halt::stepped);
  EXPECT_EQ(debugger.step(2), Halt::breakpoint) << "on the way";
  EXPECT_EQ(debugger.clock(), 1u);
  EXPECT_EQ(debugger.step(), Halt::stepped) << "it stops there anyway";
  EXPECT_TRUE(debugger.remove(2));
  EXPECT_EQ(debugger.go(1), Halt::unfinished);
  EXPECT_FALSE(debugger.remove(2));
  EXPECT_EQ(outcome(debugger.add({.place = any_issue, .condition = "1 +"})), "DB020");
  EXPECT_EQ(outcome(debugger.replace({.number = 7})), "DB009");
}

TEST(ScoreboardDebugger, Evaluates) {
  Debugger debugger = debugger_of(chain);
  debugger.step(1000);
  EXPECT_EQ(good(debugger.evaluate("I3 + 1")).as_integer(), 37);
  EXPECT_EQ(good(debugger.evaluate("clock")).as_integer(), static_cast<std::int64_t>(debugger.clock()));
  EXPECT_EQ(good(debugger.evaluate("*0x20")).as_integer(), static_cast<std::int64_t>(debugger.memory(0x20, 8)));
  EXPECT_EQ(outcome(debugger.evaluate("pc")), "SB161");
  EXPECT_EQ(outcome(debugger.evaluate("X1")), "SB161");
}

TEST(ScoreboardDebugger, StopsAtADeadlock) {
  Config config = preset("june2019");
  config.issue = {.width = 2, .queue = 2, .fetch = 2, .mask_same_clock = false};
  Debugger debugger = debugger_of(config, workload("int d=I1 s=I2\nint d=I2 s=I1\n"));
  EXPECT_EQ(debugger.step(1000), Halt::deadlock);
  EXPECT_FALSE(debugger.finished());
  EXPECT_EQ(debugger.go(), Halt::deadlock);
}

TEST(ScoreboardDebugger, RefusesWhatThereIsNot) {
  EXPECT_EQ(outcome(Debugger::create(preset("june2019"), workload("int d=I100\n"))), "SB202");
  const Debugger debugger = debugger_of(chain);
  EXPECT_EQ(outcome(debugger.register_named("X1")), "SB161");
  EXPECT_EQ(outcome(debugger.operation(99)), "SB162");
}

}  // namespace
}  // namespace mobula::scoreboard
