#include <gmock/gmock.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> debug_checker{"debug", example("checker.frag.bin"), "--inputs",
                                             example("checker.inputs.json")};

/// The answers to commands; the place the session starts at comes first.
std::string answers(const std::string& commands) { return run(debug_checker, commands).out; }
const std::string start = "thread 0 at 0x0000: vadd.FADD.f32 R0.x, U0.x.abs, #2\n";

TEST(Debug, StepsForwardAndBack) {
  EXPECT_EQ(answers(""), start);
  EXPECT_THAT(answers("step\n"), StartsWith(start + "thread 0 at 0x0010: LD_VARY"));
  EXPECT_THAT(answers("step 2\n"), StartsWith(start + "thread 0 at 0x0020: "));
  EXPECT_THAT(answers("s 4\nback 3\n"), HasSubstr("\nthread 0 at 0x0010: "));
  EXPECT_THAT(answers("s 4\nb 4\n"), EndsWith("\n" + start));
  EXPECT_THAT(answers("step 100\n"), EndsWith("thread 0 ended\n"));
}

TEST(Debug, GoingBackRestoresEverything) {
  const std::string before = answers("step 3\nprint\n"), there_and_back = answers("step 3\nstep 3\nback 3\nprint\n");
  EXPECT_THAT(before, HasSubstr("r0.x = 0x3f800000 (1)\n"));
  EXPECT_EQ(there_and_back.substr(there_and_back.rfind("thread 0 at")), before.substr(before.rfind("thread 0 at")));
  EXPECT_THAT(answers("step 8\noutputs\nback 8\noutputs\n"),
              EndsWith("thread 0: running\n1 threads: 0 ended, 0 discarded, 0 faulted\n"));
}

TEST(Debug, ResultsOfEarlierWordsAreFoundByTheirAge) {
  // Vertex 0 of the torus is (1.4, 0, 0): its y in clip space is 1.4 * 0.7111.
  const std::vector<std::string> torus{"debug", example("torus.vert.bin"), "--inputs", example("torus.inputs.json")};
  const std::string y = "0x3f7edbb5 (0.99554)\n";
  EXPECT_THAT(run(torus, "step\nprint mul0[-1] m0[-1]\n").out, HasSubstr("\nm0@0 = " + y + "m0@0 = " + y));
  EXPECT_THAT(run(torus, "step 2\nprint acc0[-1]\nback\nprint m0[-1]\n").out, HasSubstr("a0@1 = " + y));
  EXPECT_THAT(run(torus, "step 8\nprint $0.y\n").out, HasSubstr("$0.y = " + y));
  EXPECT_THAT(run(torus, "step 13\nwatch p[-1]\n").out, HasSubstr("p@12 = 0x3e800000 (0.25)"));
  EXPECT_EQ(run(torus, "print acc0[-1]\n").status, 1) << "nothing was executed";
  EXPECT_THAT(run(torus, "step\nprint cplx[-1]\n").err, HasSubstr("no later word reads"));
}

TEST(Debug, BackBeyondTheStartIsRefused) {
  const Outcome outcome = run(debug_checker, "step\nback 2\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("has not executed that many words"));
}

TEST(Debug, BreakpointsStopBeforeTheWord) {
  EXPECT_THAT(answers("break 0x60\ncontinue\n"), HasSubstr("\nbreakpoint\nthread 0 at 0x0060: "));
  EXPECT_THAT(answers("break 0x60\nbreak 0x40\nbreak\ndelete 0x40\nc\n"),
              HasSubstr("\nbreakpoint\nthread 0 at 0x0060: "));
  EXPECT_THAT(answers("br 0x60\nd\nc\n"), EndsWith("thread 0 ended\n"));
  EXPECT_EQ(run(debug_checker, "break 0x61\n").status, 1) << "no word starts there";
  EXPECT_EQ(run(debug_checker, "delete 0x60\n").status, 1) << "there is none";
}

TEST(Debug, WatchesStopOnChange) {
  EXPECT_THAT(answers("watch r0.z\ncontinue\n"), HasSubstr("\nr0.z is now 0x3e4ccccd (0.2)\nthread 0 at 0x0020: "));
  EXPECT_THAT(answers("w r0.z\nunwatch r0.z\nc\n"), EndsWith("thread 0 ended\n"));
  EXPECT_EQ(run(debug_checker, "unwatch r0.z\n").status, 1);
  EXPECT_EQ(run(debug_checker, "watch q7\n").status, 1);
}

TEST(Debug, SlotsCanBeReadAndWritten) {
  EXPECT_THAT(
      answers("step 2\nprint r0\n"),
      EndsWith("r0.x = 0x40000000 (2)\nr0.y = 0x3f19999a (0.6)\nr0.z = 0x3e4ccccd (0.2)\nr0.w = 0x00000000 (0)\n"));
  EXPECT_THAT(answers("step 7\nset r0.x 0.25\nset r0.y 0x3f800000\ncontinue\noutputs\n"),
              HasSubstr("colour = 0.25 1.0 0.7 1.0\n"));
  EXPECT_THAT(answers("set r5.x 7\nstep\nback\np r5.x\n"), EndsWith("r5.x = 0x00000007 (9.80909e-45)\n"))
      << "what was written before stays";
  EXPECT_THAT(answers("step\nset r5.x 7\nback\np r5.x\n"), EndsWith("r5.x = 0x00000000 (0)\n"))
      << "what was written after is undone";
  for (const char* wrong : {"print q7\n", "set r0.x\n", "set r0.x 1.x\n", "set r0.x 0x100000000\n", "set q 1\n"})
    EXPECT_EQ(run(debug_checker, wrong).status, 1) << wrong;
}

TEST(Debug, ListsWordsAroundTheNext) {
  EXPECT_THAT(answers("step 2\nlist 3\n"), HasSubstr("   0x0010: LD_VARY.f32 R0.~xy~, 0.x, 0.x\n=> 0x0020: "));
}

TEST(Debug, ThreadsAreChosenByNumber) {
  const Outcome outcome =
      run({"debug", example("checker.frag.bin"), "--inputs", example("checker.inputs.json"), "--threads", "2"},
          "step\nthreads 1\nthreads\n");
  EXPECT_THAT(outcome.out, HasSubstr("\n  thread 0: running at 0x0010\n* thread 1: running at 0x0010\n"));
  EXPECT_EQ(run(debug_checker, "threads 5\n").status, 1);
}

TEST(Debug, ScriptAndQuit) {
  const Folder folder;
  const std::string script = folder.file("commands", "# a comment\n\nstep\nquit\nstep\n");
  EXPECT_EQ(
      run({"debug", example("checker.frag.bin"), "--inputs", example("checker.inputs.json"), "--script", script}).out,
      answers("step\n"));
  const Outcome both = run({"debug", "-m", "midgard", "-"}, "");
  EXPECT_EQ(both.status, 2) << "program and commands cannot both be standard input";
}

TEST(Debug, WrongCommandsDoNotEndTheSession) {
  const Outcome outcome = run(debug_checker, "frobnicate\nstep 1 2\nstep many\nwhere\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, start + start);
  EXPECT_THAT(outcome.err, HasSubstr("unknown command \"frobnicate\""));
}

TEST(Debug, JsonAnswersKeepToTheSchema) {
  const std::vector<std::string> json{"debug", example("checker.frag.bin"), "--inputs", example("checker.inputs.json"),
                                      "--json"};
  const auto results = parse_json(
      run(json,
          "step 2\nprint r0\nbreak 0x40\nwatch r0.x\nlist\nthreads\ncontinue\noutputs\nhelp\ncontinue\ncontinue\n")
          .out);
  ASSERT_EQ(results.size(), 12u);
  EXPECT_EQ(results[1]["result"]["offset"], "0x20");
  EXPECT_EQ(results[2]["result"]["slots"]["r0.x"], "00000040");
}

}  // namespace
}  // namespace mobula::test
