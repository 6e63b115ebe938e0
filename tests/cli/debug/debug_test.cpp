#include <gmock/gmock.h>

#include <algorithm>

#include "cli/debug/pseudo_terminal.h"
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
  EXPECT_THAT(answers("s 4\nback 4\n"), EndsWith("\n" + start));
  EXPECT_THAT(answers("step 100\n"), EndsWith("thread 0 ended\n"));
}

TEST(Debug, GoingBackRestoresEverything) {
  const std::string before = answers("step 3\nprint\n"), there_and_back = answers("step 3\nstep 3\nback 3\nprint\n");
  EXPECT_THAT(before, HasSubstr("r0.x = 0x3f800000 (1)\n"));
  EXPECT_EQ(there_and_back.substr(there_and_back.rfind("thread 0 at")), before.substr(before.rfind("thread 0 at")));
  EXPECT_THAT(answers("step 8\noutputs\nback 8\noutputs\n"),
              EndsWith("thread 0: running\n1 thread: 0 ended, 0 discarded, 0 faulted\n"));
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

TEST(Debug, BackBeyondTheStartGoesToTheStart) {
  const Outcome outcome = run(debug_checker, "step 3\nrs 4\nrs\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, EndsWith("beginning\n" + start + "beginning\n" + start));
}

TEST(Debug, CountsAreFromOne) {
  for (const char* wrong : {"s 0\n", "s -1\n", "back 0\n", "c x\n", "rs -2\n"}) {
    const Outcome outcome = run(debug_checker, wrong);
    EXPECT_EQ(outcome.status, 1) << wrong;
    EXPECT_EQ(outcome.out, start) << wrong;
    EXPECT_THAT(outcome.err, HasSubstr("does not say how often\n  hint: a number from 1; \"back\"")) << wrong;
  }
  EXPECT_EQ(answers("s 010\n"), answers("s 8\n")) << "as in C";
}

TEST(Debug, BreakpointsStopBeforeTheWord) {
  EXPECT_THAT(answers("break 0x60\ncontinue\n"), HasSubstr("\nbreakpoint 1\nthread 0 at 0x0060: "));
  EXPECT_THAT(answers("break 0x60\nbreak 0x40\nbreak\ndelete 0x40\nc\n"),
              HasSubstr("\nbreakpoint 1\nthread 0 at 0x0060: "));
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
  EXPECT_THAT(answers("set r5.x 0x7\nstep\nback\np r5.x\n"), EndsWith("r5.x = 0x00000007 (9.80909e-45)\n"))
      << "what was written before stays";
  EXPECT_THAT(answers("step\nset r5.x 7\nback\np r5.x\n"), EndsWith("r5.x = 0x00000000 (0)\n"))
      << "what was written after is undone";
  for (const char* wrong : {"print q7\n", "set r0.x\n", "set r0.x 1.x\n", "set r0.x 0x100000000\n", "set q 1\n"})
    EXPECT_EQ(run(debug_checker, wrong).status, 1) << wrong;
}

TEST(Debug, WritesWhatAPersonMeans) {
  EXPECT_THAT(answers("set r0.x 3\n"), EndsWith("r0.x = 0x40400000 (3)\n")) << "as in r0.x == 3";
  EXPECT_THAT(answers("set r0.x -3\n"), EndsWith("r0.x = 0xc0400000 (-3)\n"));
  EXPECT_THAT(answers("set r0.x=0x3\n"), EndsWith("r0.x = 0x00000003 (4.2039e-45)\n"));
  EXPECT_THAT(answers("set var r0.x = int(3)\n"), EndsWith("r0.x = 0x00000003 (4.2039e-45)\n"));
  EXPECT_THAT(answers("step 2\nset r0.y r0.x + 1\n"), EndsWith("r0.y = 0x40400000 (3)\n"));
  EXPECT_THAT(answers("step 2\nset r0.y r0.x\n"), EndsWith("r0.y = 0x40000000 (2)\n"));
  EXPECT_THAT(run(debug_checker, "set r0.x\n").err, HasSubstr("a name and a value are needed"));
}

TEST(Debug, LetsTheThreadGoOnElsewhere) {
  EXPECT_THAT(answers("set $pc 0x20\n"), HasSubstr("\nthread 0 at 0x0020: vmul.FMUL.f32 TMP0.xy"));
  EXPECT_THAT(answers("step 2\nset $pc = 0x10\nstep\nback\n"), HasSubstr("thread 0 at 0x0010: LD_VARY"));
  EXPECT_THAT(run(debug_checker, "set $pc 0x21\n").err, HasSubstr("no word starts at 0x21"));
  EXPECT_THAT(run(debug_checker, "c\nset $pc 0\n").err, HasSubstr("the thread has stopped"));
}

TEST(Debug, ShowsTheProgramAsInstructions) {
  EXPECT_THAT(answers("x/2i 0x10\n"), HasSubstr("   0x0010: LD_VARY.f32 R0.~xy~, 0.x, 0.x\n   0x0020: "));
  EXPECT_THAT(answers("s\nx/i $pc\n"), EndsWith("=> 0x0010: LD_VARY.f32 R0.~xy~, 0.x, 0.x\n"));
  EXPECT_EQ(answers("s\nx/3i\n"), answers("s\nx/3i 0x10\n"));
  EXPECT_THAT(answers("s\np $pc\np/x $pc\n"), EndsWith("$pc = 16\n$pc = 0x10\n"));
  EXPECT_THAT(run(debug_checker, "x/4xw $pc\n").err, HasSubstr("\"x/i\" shows the program's words"));
  EXPECT_EQ(run(debug_checker, "x/i 0x11\n").status, 1);
  EXPECT_THAT(run(debug_checker, "c\nx/i $pc\n").err, HasSubstr("the thread has stopped [DB025]\n"));
}

TEST(Debug, WatchesWholeRegisters) {
  EXPECT_THAT(answers("watch r0\n"), EndsWith("1 r0.x = 0x00000000 (0)\n2 r0.y = 0x00000000 (0)\n"
                                              "3 r0.z = 0x00000000 (0)\n4 r0.w = 0x00000000 (0)\n"));
  EXPECT_THAT(answers("watch r0\nc\n"), HasSubstr("r0.x is now 0x40000000 (2)\nthread 0 at 0x0010: "));
  EXPECT_THAT(answers("watch r0\nunwatch r0\nc\n"), EndsWith("thread 0 ended\n"));
}

TEST(Debug, NumbersAreThoseOfBreakpoints) {
  EXPECT_THAT(run(debug_checker, "delete 99\n").err, HasSubstr("there is no breakpoint 99"));
  EXPECT_THAT(answers("b 0x20\nwatch r0.x\nd 2\ni b\n"), HasSubstr("\n1 at 0x0020: "));
  EXPECT_THAT(answers("b 0x20\nwatch r0.x\nd 2\nc\n"), HasSubstr("breakpoint 1\n"));
}

TEST(Debug, DeleteTakesWatchesAlongAndSeveralNumbers) {
  EXPECT_THAT(answers("b 0x60\nwatch r0.z\ndelete\ni b\ni w\nc\n"), EndsWith("thread 0 ended\n"));
  EXPECT_THAT(answers("b 0x60\nwatch r0.z\nd\nc\n"), Not(HasSubstr("is now")));
  EXPECT_THAT(answers("b 0x20\nwatch r0.x\nb 0x40\nd 1 2\nc\n"), HasSubstr("breakpoint 3\n"));
  EXPECT_THAT(run(debug_checker, "b 0x20\nd 1 7\ni b\n").out, HasSubstr("1 at 0x0020")) << "all or nothing";
}

TEST(Debug, WithoutANumberAllAreMeant) {
  EXPECT_THAT(answers("b 0x20\nwatch r0.z\ndisable\nc\n"), EndsWith("thread 0 ended\n"));
  EXPECT_THAT(answers("watch r0.z\nb 0x40\ndisable\nenable\nc\n"), HasSubstr("r0.z is now 0x3e4ccccd (0.2)\n"));
  EXPECT_THAT(answers("b 0x20\nb 0x40\nb 0x60\ndis 1 2\nc\n"), HasSubstr("breakpoint 3\n"));
}

TEST(Debug, UnwatchIsAboutEveryWatchOfTheName) {
  const std::vector<std::string> two = with(debug_checker, {"--threads", "2"});
  EXPECT_EQ(run(two, "watch r0.z\nt 1\nwatch r0.z if r0.z > 5\ni w\n").out.substr(0, start.size()), start);
  EXPECT_THAT(run(two, "watch r0.z\nt 1\ni w\n").out, EndsWith("1 r0.z of thread 0 = 0x00000000 (0)\n"));
  EXPECT_THAT(run(two, "watch r0.z\nt 1\nwatch r0.z if r0.z > 5\nunwatch r0.z\nc\n").out, Not(HasSubstr("is now")));
}

TEST(Debug, NumbersAreWrittenAsInC) {
  EXPECT_THAT(answers("p 010 + 0\np 0b11\np/t 0b11\np -1\n"),
              EndsWith("010 + 0 = 8\n0b11 = 0x3\n0b11 = 11\n-1 = -1\n"));
  EXPECT_THAT(answers("p int(0xffffffff)\np uint(-1)\n"), EndsWith("int(0xffffffff) = -1\nuint(-1) = 4294967295\n"));
  EXPECT_THAT(run(debug_checker, "p (1\n").err,
              HasSubstr("the \"(\" at character 1 of the expression \"(1\" is not closed"));
}

TEST(Debug, HelpKeepsItsColumnsApart) {
  const std::string help = answers("help\n");
  EXPECT_THAT(help, HasSubstr("print [SLOT...|EXPRESSION]"));
  const Folder folder;
  const std::string workload = run({"debug", example("scoreboard-textbook.sb")}, "help\n").out;
  EXPECT_THAT(workload, HasSubstr("print [REGISTER...|EXPRESSION] p "));
}

TEST(Debug, ErrorsOfScriptsSayWhereTheyStand) {
  const Folder folder;
  const std::string script = folder.file("commands", "step\n\nfrobnicate\n");
  EXPECT_THAT(run(with(debug_checker, {"-x", script})).err, HasSubstr(script + ":3: error: unknown command"));
  EXPECT_THAT(run(debug_checker, "step\nfrobnicate\n").err, HasSubstr("standard input:2: error: unknown command"));
}

TEST(Debug, AnswersHaveColoursWhereTheyAreWanted) {
  const std::vector<std::string> coloured = with(debug_checker, {"--color", "always"});
  EXPECT_THAT(run(coloured, "").out, HasSubstr("\x1b[32m0x0000\x1b[0m"));
  EXPECT_THAT(run(with(coloured, {"--json"}), "").out, Not(HasSubstr("\x1b")));
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

// ---- the habits of gdb

/// A loop over L4 that ends at L13; thread i does i + 1 turns, which $1.y counts.
class DebugLoop : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& more = {}) const {
    return with({"debug", example("loop.vert.bin"), "--inputs", inputs_}, more);
  }
  [[nodiscard]] std::string answers(const std::string& commands) const { return run(command(), commands).out; }

  const Folder folder_;
  const std::string inputs_ =
      folder_.file("inputs.json", R"({"threads": 3, "attributes": {"pos": [1, 1, 1, 1], "cnt": [[1], [2], [3]]}})");
};

TEST_F(DebugLoop, CommandsAreKnownByTheirBeginnings) {
  for (const char* commands : {"step 2\n", "s 2\n", "st 2\n", "ste 2\n", "si 2\n", "stepi 2\n", "n 2\n", "nexti 2\n"})
    EXPECT_EQ(answers(commands), answers("step 2\n")) << commands;
  EXPECT_EQ(answers("s 3\nba 2\n"), answers("s 3\nreverse-step 2\n"));
  EXPECT_EQ(answers("b L13\nc\n"), answers("break L13\ncontinue\n"));
  EXPECT_EQ(answers("b L4\ni b\n"), answers("break L4\ninfo breakpoints\n"));
  const Outcome ambiguous = run(command(), "wh\nw\nre\nun\ninfo w\n");
  EXPECT_THAT(ambiguous.err, HasSubstr("\"un\" is ambiguous: undisplay, until, unwatch"));
  EXPECT_THAT(run(command(), "info\n").err, HasSubstr("registers"));
  EXPECT_THAT(run(command(), "info l\n").err, HasSubstr("\"l\" is ambiguous: labels, line"));
  EXPECT_THAT(run(command(), "info nosuch\n").err, HasSubstr("unknown info \"nosuch\"\n  hint: registers, threads, "));
}

TEST_F(DebugLoop, LabelsOfTheListingArePlaces) {
  EXPECT_THAT(answers("b L13\nc\n"), EndsWith("1 at 0x00d0 <L13>: { p1 = $0; m0 = complex2 p1.w, p1.w; c = rcp p1.w }\n"
                                              "breakpoint 1\nthread 0 at 0x00d0 <L13>: { p1 = $0; m0 = complex2 "
                                              "p1.w, p1.w; c = rcp p1.w }\n"));
}

TEST_F(DebugLoop, BreakpointsStopEveryThread) {
  const std::string out = answers("b L13\nc\nc\nc\nc\n");
  for (const char* thread : {"thread 0 at 0x00d0", "thread 1 at 0x00d0", "thread 2 at 0x00d0"})
    EXPECT_THAT(out, HasSubstr(std::string("breakpoint 1\n") + thread));
  EXPECT_THAT(out, EndsWith("thread 2 ended\n"));
  EXPECT_THAT(answers("b L13\nc 2\n"), HasSubstr("breakpoint 1\nthread 1 at 0x00d0"));
}

TEST_F(DebugLoop, BreakpointsHaveConditionsAndNumbers) {
  EXPECT_THAT(answers("b L4 if $1.y > 1\nc\np $1.y\n"), EndsWith("$1.y = 0x40000000 (2)\n"));
  EXPECT_THAT(answers("b L4\ncond 1 $1.y == 2\nc\n"), HasSubstr("breakpoint 1\nthread 1 at 0x0040"));
  EXPECT_THAT(answers("b L4\nignore 1 2\nc\ninfo breakpoints\n"), EndsWith(", met 3 times\n"));
  EXPECT_THAT(answers("b L4\ntb L13\ndisable 1\nc\ninfo b\n"), EndsWith("sign p1.x }, disabled\n"));
  EXPECT_THAT(answers("b L4\nb L13\nd 1\nc\n"), HasSubstr("breakpoint 2\n"));
  EXPECT_THAT(answers("watch $1.y if $1.y == 2\nt 1\nc\n"), EndsWith("thread 1 ended\n"));
  const Outcome wrong = run(command(), "b L4 if\nb L4 if $1.y >\nb\ncondition 7 1\nenable 7\nignore 1\ndelete 7\n");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("the expression \"$1.y >\" is not complete"));
  EXPECT_THAT(wrong.err, HasSubstr("there is no breakpoint 7"));
}

TEST_F(DebugLoop, GoesWhereItIsTold) {
  EXPECT_THAT(answers("until 0xc0\nuntil\n"), HasSubstr("thread 0 at 0x00d0 <L13>"));
  EXPECT_THAT(answers("b L4\nc\nc\nrc\n"), HasSubstr("breakpoint 1\nthread 0 at 0x0040 <L4>"));
  EXPECT_THAT(answers("c\nrc\n"), HasSubstr("beginning\nthread 0 at 0x0000"));
  EXPECT_THAT(answers("c\ntb L13\nrun\n"), HasSubstr("thread 0 at 0x00d0 <L13>"));
  EXPECT_THAT(run(command(), "finish\n").err, HasSubstr("no subroutine"));
}

TEST_F(DebugLoop, ValuesAreShownInManyWays) {
  const std::string at = "b L13\nc\n";
  EXPECT_THAT(answers(at + "p/x $1.y\n"), EndsWith("$1.y = 0x3f800000\n"));
  EXPECT_THAT(answers(at + "p/f $1.y\n"), EndsWith("$1.y = 1\n"));
  EXPECT_THAT(answers(at + "p/d $1.y\n"), EndsWith("$1.y = 1065353216\n"));
  EXPECT_THAT(answers(at + "p $1.y * 2 + 0.5\n"), EndsWith("$1.y * 2 + 0.5 = 2.5\n"));
  EXPECT_THAT(answers(at + "set var $1.y = 4.0\np $1.y\n"), EndsWith("$1.y = 0x40800000 (4)\n"));
  EXPECT_EQ(answers(at + "info registers\n"), answers(at + "print\n"));
  EXPECT_THAT(answers("p uint(-1e30)\np uint(1e30)\np int(-2.5)\n"),
              EndsWith("uint(-1e30) = 0\nuint(1e30) = 4294967295\nint(-2.5) = -2\n"));
  EXPECT_EQ(run(command(), "p/y $1.y\n").status, 1);
  EXPECT_EQ(run(command(), "step/x\n").status, 1);
  EXPECT_THAT(run(command(), "p $1.y q7\n").err, HasSubstr("there is no slot \"q7\""));
}

TEST_F(DebugLoop, MemoryIsShown) {
  const std::vector<std::string> negative{
      "debug", "-m", "midgard", example("negative.comp.mdg"), "--inputs", example("negative.inputs.json")};
  EXPECT_THAT(run(negative, "x/2xw 0x1000\n").out, EndsWith("\n0x1000: 0xff000000 0xff0000ff\n"))
      << run(negative, "x/2xw 0x1000\n").out;
  EXPECT_THAT(run(negative, "x/4ub 0x1000 + 4\n").out, HasSubstr("\n0x1004: "));
  EXPECT_THAT(run(negative, "x/fg 0x1000\n").err, HasSubstr("only words are shown as floats"));
  EXPECT_THAT(run(negative, "x/2xw 0x101c\n").err,
              HasSubstr("memory ends at 0x1020: of 2 values only 1 is there\n  hint: x/1xw 0x101c shows"));
  EXPECT_THAT(run(negative, "x/1xw 0x101c\n").out, HasSubstr("\n0x101c: 0x"));
  EXPECT_THAT(run(negative, "x 0x99999999\n").err, HasSubstr("there is no memory at 0x99999999"));
  EXPECT_THAT(run(negative, "set *0x1000 0x11223344\nx/xw 0x1000\n").out, EndsWith("\n0x1000: 0x11223344\n"));
  EXPECT_THAT(run(negative, "set *0x1000 1\n").out, EndsWith("\n0x1000: 0x3f800000\n"));
  EXPECT_THAT(run(negative, "set *0x99999999 1\n").err, HasSubstr("cannot be written"));
  EXPECT_THAT(run(negative, "p/x *0x1000\np uint(*(0x1000 + 4)) & 0xff\n").out,
              EndsWith("*0x1000 = 0xff000000\nuint(*(0x1000 + 4)) & 0xff = 255\n"));
  EXPECT_THAT(run(negative, "p *0x99999999\n").err, HasSubstr("there is no memory of 4 bytes at 0x99999999"));
  EXPECT_THAT(run(negative, "watch *(0x1000 + 4)\n").out, EndsWith("1 *0x1004 = 0xff0000ff\n"));
  EXPECT_THAT(run(negative, "watch *0x99999999\n").err, HasSubstr("there is no memory of 4 bytes at 0x99999999"));
  EXPECT_THAT(run(negative, "info line :7\n").out, HasSubstr("line 8 is 0x0010: "));
  EXPECT_THAT(run(negative, "b :12\nb negative.comp.mdg:8\n").err, "");
  for (const auto& [line, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {":0", "\"0\" is not the number of a line"},
           {":-1", "\"-1\" is not the number of a line"},
           {":999", "no word begins in line 999 or later"},
           {"other.mdg:8", "the program does not come from other.mdg"},
           {"12", "a line of the text is \":12\""}})
    EXPECT_THAT(run(negative, "b " + std::string(line) + "\n").err, HasSubstr(message)) << line;
}

TEST_F(DebugLoop, ChangesOfMemoryStopTheProgram) {
  const std::string program = folder_.file("store.mdg",
                                           "{\n  vmul.MOV.i32 AL0, #0\n}\n{\n  smul.MOV.i32 AL0.x, _, #4096\n}\n"
                                           "{\n  vmul.FMUL.f32 AL1, #2.0, #3.0\n}\n{\n  ST.32 AL1, AL0.u64.x\n}\n"
                                           "{\n  vmul.FMUL.f32 R2.x, #2.0, #3.0\n}\n");
  const std::string inputs = folder_.file("store.json", R"({"memory": {"0x1000": ["00000000"]}})");
  const std::vector<std::string> store{"debug", "-m", "midgard", program, "--inputs", inputs};
  EXPECT_THAT(run(store, "watch *0x1000\nc\n").out, HasSubstr("*0x1000 is now 0x40c00000\nthread 0 at 0x0050: "));
  EXPECT_THAT(
      run(store, "watch *0x1000\nc\nc\nrc\n").out,
      EndsWith("*0x1000 is now 0x40c00000\nthread 0 at 0x0050: vmul.FMUL.f32 R2.x, K.x, #3; fconst 2, 0, 0, 0\n"));
  EXPECT_THAT(run(store, "watch *0x1000\ninfo watchpoints\nunwatch *0x1000\nc\n").out, EndsWith("thread 0 ended\n"));
  const auto json = parse_json(run(with(store, {"--json"}), "watch *0x1000\nc\n").out);
  EXPECT_EQ(json[1]["result"]["watched"][0]["memory"], "0x1000");
}

TEST_F(DebugLoop, DisplaysFollowWhatIsExecuted) {
  const std::string out = answers("display $1.y\ndisplay/x $1.z\nb L13\nc\nundisplay 1\ns\n");
  EXPECT_THAT(out, HasSubstr("1: $1.y = 0x00000000 (0)\n2: $1.z = 0x0\n"));
  EXPECT_THAT(out, HasSubstr("1: $1.y = 0x3f800000 (1)\n2: $1.z = 0x3fc00000\n"));
  EXPECT_THAT(out, EndsWith("2: $1.z = 0x3fc00000\n"));
  EXPECT_EQ(run(command(), "display q7\n").status, 1);
  EXPECT_EQ(run(command(), "undisplay 7\n").status, 1);
}

TEST_F(DebugLoop, CommandsComeFromFiles) {
  const std::string script = folder_.file("commands", "# to the end\nb L13\nc\n");
  EXPECT_EQ(answers("source " + script + "\n"), answers("b L13\nc\n"));
  const std::string endless = folder_.file("endless", "source " + folder_.file("endless") + "\n");
  EXPECT_THAT(run(command(), "source " + endless + "\n").err, HasSubstr("nested too deeply"));
  const Outcome wrong = run(command(), "source " + folder_.file("wrong", "s\nfrobnicate\ns\n") + "\n");
  EXPECT_THAT(wrong.err, HasSubstr("wrong:2: error: unknown command \"frobnicate\""));
  EXPECT_EQ(wrong.out, answers("s\n")) << "what follows a mistake is not executed";
}

TEST_F(DebugLoop, ThreadsThatHaveEndedComeToNoLine) {
  const std::vector<std::string> negative{"debug", example("negative.comp.mdg"), "--inputs",
                                          example("negative.inputs.json")};
  EXPECT_THAT(run(negative, "s 100\nnl 18446744073709551615\n").out, EndsWith("thread 0 ended\nthread 0 ended\n"));
  EXPECT_THAT(run(negative, "nl 18446744073709551615\n").out, EndsWith("thread 0 ended\n"));
}

TEST_F(DebugLoop, AreAsManyAsRunTogether) {
  EXPECT_THAT(run(command({"--threads", "2000"}), "threads\n").out, EndsWith("thread 511: running at 0x0000\n"));
}

TEST_F(DebugLoop, FaultsAreNoSuccess) {
  const Outcome outcome = run(command({"--step-limit", "10"}), "c\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("thread 0 faulted\n  at "));
  EXPECT_EQ(run(command({"--step-limit", "10"}), "s 100\n").status, 1);
  EXPECT_EQ(run(command(), "c\n").status, 0);
}

TEST_F(DebugLoop, EveryLineIsAnsweredInJson) {
  const std::string script = folder_.file("commands", "s\nwhere\n");
  const std::string lines =
      "s 2\n\n# nothing\nfrobnicate\nb L13 if $1.y > 0\nwatch $1.y if $1.y > 5\ndisplay/x $1.y\nc\nc\np $1.y + "
      "1\nthreads\ninfo line L13\ninfo labels\nlist L4\nsource " +
      script + "\np q7\nrc\nset $1.y 7\nhelp print\ndelete 1\nquit\n";
  const auto results = parse_json(run(command({"--json"}), lines).out);
  ASSERT_EQ(results.size(), static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) + 1);
  EXPECT_EQ(results[4]["result"]["command"], "frobnicate");
  EXPECT_EQ(results[4]["result"]["error"][0]["severity"], "error");
  EXPECT_EQ(results[8]["result"]["symbol"], "L13");
  EXPECT_EQ(results[8]["result"]["displays"][0]["result"]["slots"]["$1.y"], "0000803f");
  EXPECT_EQ(results.back()["result"]["command"], "quit");
}

/// The prompt of an interactive session, where its commands are typed.
class DebugTerminal : public DebugLoop {
 protected:
  [[nodiscard]] std::vector<std::string> endless() const {
    const std::string inputs = folder_.file("endless.json", R"({"attributes": {"pos": [1, 1, 1, 1], "cnt": [1e9]}})");
    return {"debug", example("loop.vert.bin"), "--inputs", inputs, "--step-limit", "4000000000", "--color", "never"};
  }
  static constexpr const char* prompt = "(mobula) ";
  const std::vector<std::string> plain{"--color", "never"};
};

TEST_F(DebugTerminal, EnterRepeatsTheLastLine) {
  Terminal terminal(command(plain));
  EXPECT_THAT(terminal.read_to(prompt), HasSubstr("thread 0 at 0x0000"));
  terminal.type("s\n");
  EXPECT_THAT(terminal.read_to(prompt), HasSubstr("thread 0 at 0x0010"));
  terminal.type("\n");
  EXPECT_THAT(terminal.read_to(prompt), HasSubstr("thread 0 at 0x0020"));
  terminal.type("nonsense\n");
  EXPECT_THAT(terminal.read_to(prompt), HasSubstr("unknown command"));
  terminal.type("q\n");
  EXPECT_EQ(terminal.wait(), 0) << "a person saw what was wrong";
}

TEST_F(DebugTerminal, ControlCStopsWhatRunsAndNotTheSession) {
  Terminal terminal(endless());
  terminal.read_to(prompt);
  terminal.type("c\n");
  terminal.wait_until_busy();
  terminal.type("\x03");
  EXPECT_THAT(terminal.read_to(prompt), HasSubstr("interrupted\n"));
  terminal.type("\x03");
  terminal.read_to(prompt);
  terminal.type("p 1 + 1\n");
  terminal.read_to("1 + 1 = 2\n");
  terminal.read_to(prompt);
  terminal.end_input();
  EXPECT_EQ(terminal.wait(), 0);
}

/// Going back does not stop on the way.
TEST_F(DebugTerminal, ControlCTwiceEndsWhatDoesNotStop) {
  Terminal terminal(endless());
  terminal.read_to(prompt);
  terminal.type("c\n");
  for (int i = 0; i < 8; ++i) terminal.wait_until_busy();
  terminal.type("\x03");
  terminal.read_to(prompt);
  for (const char* const slot : {"$0.x", "$0.y", "$0.z", "$0.w", "$1.x", "$1.y", "$1.z"}) {  // seen after every step
    terminal.type("watch " + std::string(slot) + " if 1 == 2\n");
    terminal.read_to(prompt);
  }
  terminal.type("rc\n");
  terminal.wait_until_busy();
  terminal.type("\x03");
  terminal.wait_until_busy();
  terminal.type("\x03");
  terminal.read_to("interrupted\n");
  EXPECT_EQ(terminal.wait(), 2);
}

TEST_F(DebugTerminal, LinesAreEditedAndRemembered) {
  Terminal terminal(command(plain));
  terminal.read_to(prompt);
  terminal.type("p 40 + 2\n");
  EXPECT_THAT(terminal.read_to(prompt), HasSubstr("40 + 2 = 42"));
  terminal.type("\x1b[A");  // up
  if (!terminal.comes("p 40 + 2")) GTEST_SKIP() << "built without libedit";
  terminal.type("\x01\x1b[C\x1b[C9\n");  // to the start of the line, right, right
  EXPECT_THAT(terminal.read_to(prompt), HasSubstr("940 + 2 = 942"));
  terminal.type("q\n");
  EXPECT_EQ(terminal.wait(), 0);
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
  EXPECT_EQ(results[2]["result"]["slots"]["r0.x"], "00000040") << "in memory order";
  EXPECT_EQ(results[2]["result"]["registers"]["r0.x"],
            nlohmann::json::parse(R"({"value": "0x40000000", "float": 2.0})"));
}

TEST(Debug, PrintsWhatTheInputsGiveNamesOfTheSource) {
  const Folder folder;
  const std::string shader = folder.file("a.frag",
                                         "#version 310 es\nprecision highp float;\nin vec2 uv;\nflat in int n;\n"
                                         "uniform vec3 tint;\nuniform mat2 m;\nout vec4 c;\n"
                                         "void main() {\n  c = vec4(m * uv * tint.xy, tint.z, float(n));\n}\n"),
                    inputs =
                        folder.file("in.json", R"({"threads": 2, "varyings": {"uv": [[0.25, 0.5], [1, 2]], "n": -3},)"
                                               R"( "uniforms": {"tint": [0.5, 2, 3], "m": [1, 0, 0, 1]}})");
  for (const char* const machine : {"midgard", "rogue"}) {
    const auto answer = [&](const std::string& commands) {
      const Outcome outcome = run({"debug", shader, "-m", machine, "--inputs", inputs}, commands);
      return outcome.out + outcome.err;
    };
    EXPECT_THAT(answer("print uv\np n\np tint\n"), EndsWith("uv = 0.25 0.5\nn = -3\ntint = 0.5 2 3\n")) << machine;
    EXPECT_THAT(answer("t 1\nprint uv\n"), EndsWith("uv = 1 2\n"));
    EXPECT_THAT(answer("print c\n"), HasSubstr("there is no slot \"c\" [DB006]\n  hint: \"outputs\" shows"));
    EXPECT_THAT(answer("print m\n"), HasSubstr("no value of a single number or vector"));
    EXPECT_THAT(answer("print lost\n"), HasSubstr("of the source it knows uv, n, tint\n"));
  }
}

}  // namespace
}  // namespace mobula::test
