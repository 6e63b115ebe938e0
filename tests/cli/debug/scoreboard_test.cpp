// The debugger of workloads, driven by a script.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view chain =
    "reg I2 = 3\n10 add L2 d=I1 s=I2,I2\n11 mul L0 d=I3 s=I1,I1\n12 st s=I3 mem=0x20+8\n";

/// The workload with these commands, on the core `byte_lane`.
Outcome debug_chain(std::string_view commands, std::vector<std::string> more = {}) {
  const Folder folder;
  return run(with({"debug", folder.file("chain.sb", chain), "--preset", "byte_lane"}, more), commands);
}

TEST(ScoreboardDebug, GoesForwardAndBack) {
  const Outcome outcome = debug_chain("step 2\nback\nuntil 5\ncontinue\nquit\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("clock 2\n  read      10 int L2 d=I1 s=I2,I2 f=add\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  issue     11 mul L0 d=I3 s=I1,I1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("clock 1\n  issue     10 int"));
  EXPECT_THAT(outcome.out, HasSubstr("clock 5\n"));
  EXPECT_THAT(outcome.out, HasSubstr(", finished\n"));
}

TEST(ScoreboardDebug, StopsAtABreakpoint) {
  const Outcome outcome = debug_chain("break write 11\nbreak 12\nbreak\ncontinue\ndelete 2\ncontinue\nprint I3\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 write     11 mul L0 d=I3 s=I1,I1\n2 issue     12 st s=I3 mem=32+8\n"));
  EXPECT_THAT(outcome.out, HasSubstr("breakpoint 2\nclock 3\n"));
  EXPECT_THAT(outcome.out, HasSubstr("I3 = 0x24\n"));
}

TEST(ScoreboardDebug, BreakpointsAreThoseOfTheOtherConsoles) {
  EXPECT_THAT(debug_chain("tb issue\nc\ni b\n").out,
              EndsWith("breakpoint 1\nclock 1\n  issue     10 int L2 d=I1 s=I2,I2 "
                       "f=add\nnext        11 mul L0 d=I3 s=I1,I1\n"));
  EXPECT_THAT(debug_chain("b issue if clock > 2\nc\n").out, HasSubstr("breakpoint 1\nclock 3\n"));
  EXPECT_THAT(debug_chain("b issue\nc 2\n").out, HasSubstr("breakpoint 1\nclock 2\n"));
  EXPECT_THAT(debug_chain("b issue\nignore 1 2\nc\ni b\n").out, EndsWith(", met 3 times\n"));
  EXPECT_THAT(debug_chain("b issue\ndisable\nc\n").out, HasSubstr(", finished\n"));
  EXPECT_THAT(debug_chain("b 12\nc\nb issue\nrc\n").out, HasSubstr("breakpoint 2\nclock 2\n"));
  EXPECT_THAT(debug_chain("b 12\nc\nrc\n").out, HasSubstr("beginning\nclock 0\n"));
  EXPECT_THAT(debug_chain("c\ntb 12\nrun\n").out, HasSubstr("breakpoint 1\nclock 3\n"));
  EXPECT_THAT(debug_chain("b write 11\ndelete write 11\nc\n").out, HasSubstr(", finished\n"));
}

TEST(ScoreboardDebug, ChangesAreWatched) {
  const std::string out = debug_chain("watch I3\nw *0x20\ni w\nc\nc\nrc\n").out;
  EXPECT_THAT(out, HasSubstr("1 I3 = 0x0\n2 *0x20 = 0x0\n"));
  EXPECT_THAT(out, HasSubstr("I3 is now 0x24\nclock "));
  EXPECT_THAT(out, HasSubstr("*0x20 is now 0x8a80a71b98937d45\nclock "));
  EXPECT_THAT(debug_chain("watch I3\nunwatch I3\nc\n").out, HasSubstr(", finished\n"));
  EXPECT_THAT(debug_chain("c\np/x *0x20\np/x *(0x10 + 0x10) + 1\n").out,
              HasSubstr("*0x20 = 0x8a80a71b98937d45\n*(0x10 + 0x10) + 1 = 0x8a80a71b98937d46\n"));
  EXPECT_THAT(debug_chain("watch X9\n").err, HasSubstr("no register X9"));
}

TEST(ScoreboardDebug, ShowsTheCore) {
  const Outcome outcome = debug_chain("step 3\nunits\nmatrices\nrows\nsignals\nprint\nmemory 0x20\nlist\nhelp\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text : {"  1 any        11 mul L0 d=I3 s=I1,I1\n", "waits: read_after_write, for operation 10",
                           "(FU-Reg)", "1 = I1\n", "I2 = 0x3\n", "0x20 = 0x0\n", "matrices"})
    EXPECT_THAT(outcome.out, HasSubstr(text));
}

TEST(ScoreboardDebug, AnswersInJson) {
  const Outcome outcome =
      debug_chain("step 2\nbreak kill\nunits\nrows\nlist\nprint I2\nmatrices\nsignals\nmemory 0x20 4\n", {"--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<nlohmann::json> lines = parse_json(outcome.out);
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines[1]["result"]["clock"], 2);
  EXPECT_EQ(lines[1]["result"]["happened"][0]["moment"], "read");
  EXPECT_EQ(lines[2]["result"]["breakpoints"][0]["happening"], nlohmann::json::parse(R"({"moment": "kill"})"));
  EXPECT_EQ(lines[3]["result"]["units"].size(), 2u);
  EXPECT_EQ(lines[6]["result"]["registers"]["I2"]["value"], "0x3");
}

TEST(ScoreboardDebug, HasTheHabitsOfTheOtherConsoles) {
  EXPECT_THAT(debug_chain("p/d I2\np/t I2\np I2 * 2\np clock\n").out,
              HasSubstr("I2 = 3\nI2 = 11\nI2 * 2 = 6\nclock = 0\n"));
  EXPECT_THAT(debug_chain("x/2i\n").out, HasSubstr("=> 10 int L2 d=I1 s=I2,I2 f=add\n   11 mul L0 d=I3 s=I1,I1\n"));
  EXPECT_THAT(debug_chain("x/2xw 0x20\n").out, HasSubstr("0x20: 0x0 0x0\n"));
  EXPECT_THAT(debug_chain("p $pc\n").err, HasSubstr("\"where\" shows the operation"));
  EXPECT_THAT(debug_chain("x/i 0x10\n").err, HasSubstr("operations have no addresses"));
}

/// Programs of other machines, too; the file's name is enough for a workload.
TEST(ScoreboardDebug, KnowsWhatIsAWorkload) {
  const Outcome program =
      run({"debug", example("checker.frag.bin"), "--inputs", example("checker.inputs.json"), "--preset", "june2019"},
          "quit\n");
  EXPECT_EQ(program.status, 1);  // the core has too few registers for it
  EXPECT_THAT(program.err, HasSubstr("SB202"));
  const Outcome other =
      run({"debug", example("checker.frag.bin"), "--inputs", example("checker.inputs.json"), "--preset", "byte_lane"},
          "step 5\n");
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("clock 5\n"));
  const Outcome named = run({"debug", example("scoreboard-textbook.sb")}, "step\n");
  EXPECT_THAT(named.out, HasSubstr("clock 1\n"));
}

TEST(ScoreboardDebug, SaysWhatIsWrong) {
  const auto error = [](const std::string& command) {
    const Outcome outcome = debug_chain(command + "\n");
    EXPECT_EQ(outcome.status, 1) << command;
    return outcome.err;
  };
  EXPECT_THAT(error("step 0"), HasSubstr("does not say how often"));
  EXPECT_THAT(error("print X3"), HasSubstr("no register X3"));
  EXPECT_THAT(error("break 99"), HasSubstr("no operation 99"));
  EXPECT_THAT(error("break soon"), HasSubstr("neither a moment nor an operation"));
  EXPECT_THAT(error("break write kill"), HasSubstr("second moment"));
  EXPECT_THAT(error("delete 10"), HasSubstr("no breakpoint 10"));
  EXPECT_THAT(error("delete write 10"), HasSubstr("no breakpoint at write 10"));
  EXPECT_THAT(error("matrices"), HasSubstr("no clock has passed"));
  EXPECT_THAT(error("memory 0 9"), HasSubstr("1 to 8 bytes"));
  EXPECT_THAT(error("dance"), HasSubstr("unknown command"));
}

}  // namespace
}  // namespace mobula::test
