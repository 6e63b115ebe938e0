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
  EXPECT_EQ(debugger.step(1000), Halt::finished);
  EXPECT_TRUE(debugger.finished());
  const RunResult whole = good(run(preset("byte_lane"), workload(chain)));
  EXPECT_EQ(debugger.clock(), whole.clocks);
  EXPECT_EQ(debugger.registers().size(), whole.registers.size());
  EXPECT_EQ(good(debugger.value("I3")), 36u);
  EXPECT_NE(debugger.memory(0x20, 8), 0u);
}

TEST(ScoreboardDebugger, StopsAtWhatBecomesOfAnOperation) {
  Debugger debugger = debugger_of(chain);
  debugger.breakpoints = {{Moment::write, good(debugger.operation(11))}, {Moment::issue, 2}};
  EXPECT_EQ(debugger.go(), Halt::breakpoint);
  EXPECT_EQ(debugger.times(2).issue, debugger.clock());
  EXPECT_EQ(debugger.go(), Halt::breakpoint);
  EXPECT_EQ(debugger.times(1).write, debugger.clock());
  EXPECT_EQ(debugger.go(), Halt::finished);
  // Of any operation; each moment is met once by each.
  for (const Moment moment : moments()) {
    Debugger again = debugger_of(chain);
    again.breakpoints = {{moment, no_operation}};
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
    ASSERT_TRUE(there_and_back.back(2));
    EXPECT_EQ(there_and_back.clock(), forward.clock());
    EXPECT_EQ(matrices(forward.config(), there_and_back.view()), matrices(forward.config(), forward.view()));
    EXPECT_EQ(there_and_back.registers(), forward.registers());
    EXPECT_TRUE(std::ranges::equal(there_and_back.happened(), forward.happened()));
  }
  EXPECT_EQ(outcome(forward.back(31)), "SB160");
  EXPECT_EQ(outcome(forward.back(30)), "good");
  EXPECT_EQ(forward.clock(), 0u);
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
  EXPECT_EQ(outcome(debugger.value("X1")), "SB161");
  EXPECT_EQ(outcome(debugger.operation(99)), "SB162");
}

}  // namespace
}  // namespace mobula::scoreboard
