// Firmware that is stepped, and traced.
#include <gmock/gmock.h>

#include "cli/two_cores.h"

namespace mobula::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class DebugFirmware : public testing::Test {
 protected:
  [[nodiscard]] Outcome session(const std::string& commands, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> options{"--stream", document_example("race.pm4")};
    options.insert(options.end(), more.begin(), more.end());
    return run(both_.command("debug", options), commands);
  }
  [[nodiscard]] std::string answers(const std::string& commands) const { return session(commands).out; }

  TwoCores both_;
};

TEST_F(DebugFirmware, StepsForwardAndBack) {
  EXPECT_THAT(answers(""), StartsWith("PFP 0x0011: PFP+17 "));
  EXPECT_THAT(answers("step 2\n"), HasSubstr("\nPFP 0x0013: PKT4 "));
  EXPECT_THAT(answers("s 2\n"), HasSubstr("  PFP packet CP_MEM_WRITE 703d8006\n"));
  const std::string there = answers("s 5\nprint\n"), and_back = answers("s 5\ns 9\nback 9\nprint\n");
  EXPECT_EQ(and_back.substr(and_back.rfind("PFP 0x")), there.substr(there.rfind("PFP 0x")));
  const Outcome beyond = session("s\nback 2\n");
  EXPECT_EQ(beyond.status, 0);
  EXPECT_THAT(beyond.out, EndsWith("beginning\n" + answers("")));
  EXPECT_THAT(answers("b 0x13\ns 5\n"), HasSubstr("breakpoint 1\nPFP 0x0013: ")) << "on the way";
}

TEST_F(DebugFirmware, StopsAtPlacesOfEveryCore) {
  EXPECT_THAT(answers("br ME:CP_DRAW_INDIRECT\nc\n"),
              EndsWith("breakpoint 1\nME 0x003a: CP_DRAW_INDIRECT         mov $02, $data\n"));
  EXPECT_THAT(answers("br CP_MEM_WRITE\nc\n"), HasSubstr("breakpoint 1\nPFP 0x0013: PKT4 "))
      << "a handler of several packets";
  EXPECT_THAT(answers("br 0x15\nc\n"), HasSubstr("breakpoint 1\nPFP 0x0015: PKT4+2 "));
  EXPECT_THAT(answers("br 0x15\nd 0x15\nc\n"), EndsWith("PFP idle\nPFP 0x003f: CP_DRAW_INDIRECT+13      waitin\n"));
  for (const char* const wrong :
       {"br nowhere\n", "br XX:CP_NOP\n", "br 0x4000\n", "d 0x15\n", "print $1f\n", "cores bv\n"})
    EXPECT_EQ(session(wrong).status, 1) << wrong;
  for (const auto& [wrong, told] : {std::pair("br nowhere\n", "there is no place nowhere in PFP"),
                                    {"br XX:CP_NOP\n", "there is no core XX [DB010]\n  hint: \"cores\" lists them"},
                                    {"br ME:0x4000\n", "ME has no instruction at 0x4000"}})
    EXPECT_THAT(session(wrong).err, HasSubstr(told)) << wrong;
}

TEST_F(DebugFirmware, ShowsAndWritesRegistersAndMemory) {
  const std::string at_draw = "br ME:CP_DRAW_INDIRECT+1\nc\n";
  EXPECT_THAT(answers(at_draw + "p $01 $17\n"), EndsWith("$01 = 0x70280002 (CP_DRAW_INDIRECT, 2 words)\n"
                                                         "$17 = 0x800 (bank 1 of registers 0xe000 to 0xefff)\n"));
  EXPECT_THAT(answers(at_draw + "cores pfp\np ME:$02 $07\n"), HasSubstr("ME:$02 = 0x484\n$07 = "));
  EXPECT_THAT(answers(at_draw + "m 0x20004 2\n"), EndsWith("0x20004 = 0x2\n0x20008 = 0x77\n"));
  EXPECT_THAT(answers(at_draw + "set 0x20004 0x55\n"), EndsWith("0x20004 = 0x55\n"));
  EXPECT_THAT(answers(at_draw + "s\nset $03 0x99\ns 2\ng 0xec08\n"),
              EndsWith("0xec08 VFD_INDEX_OFFSET in bank 1 = 0x99\n"));
  EXPECT_THAT(answers(at_draw + "s\nset $03 0x99\ns\nback\np $03\n"), EndsWith("$03 = 0x99\n"))
      << "what was written comes again";
  EXPECT_THAT(answers(at_draw + "s\nset $03 0x99\nback\ns\np $03\n"), EndsWith("$03 = 0x77\n"))
      << "unless that is undone";
  EXPECT_THAT(answers("s 13\nk 0x008\n"), EndsWith("0x8 = 0x1\n"));
  EXPECT_THAT(answers(at_draw + "s\nset $03 0x99\ns 2\ng VFD_INDEX_OFFSET+0x800\n"),
              EndsWith("0xec08 VFD_INDEX_OFFSET in bank 1 = 0x99\n"));
  EXPECT_THAT(answers("k @IB1_BASE 2\n"), EndsWith("0xb0 IB1_BASE = 0x0\n0xb1 IB1_BASE+0x1 = 0x0\n"));
}

TEST_F(DebugFirmware, WhatIsNotThereIsNotShown) {
  for (const auto& [command, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"m 0x20002\n", "0x20002 is not a multiple of 4"},
           {"set 0x20001 5\n", "the dword that holds it is at 0x20000"},
           {"g 0x40000\n", "there is no register 0x40000"},
           {"g CP_RB_BASS\n", "did you mean CP_RB_BASE?"},
           {"k 0x1000\n", "the last one is 0xfff"},
           {"k @IB1_BAS\n", "did you mean IB1_BASE?"},
           {"k\n", "the number or name of a register is needed"}}) {
    const Outcome outcome = session(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << command;
  }
}

TEST_F(DebugFirmware, WatchesRegisters) {
  EXPECT_THAT(answers("watch ME:$03\nc\n"), HasSubstr("$03 is now 0x77\nME 0x003c: "));
  EXPECT_THAT(answers("watch ME:$03\nunwatch\nc\n"), HasSubstr("PFP idle\n"));
}

TEST_F(DebugFirmware, MemoryIsPrintedAndWatched) {
  const std::string at_draw = "br ME:CP_DRAW_INDIRECT+1\nc\n";
  EXPECT_THAT(answers(at_draw + "p/x *0x20008\np *(0x20000 + 4) + 1\n"),
              EndsWith("*0x20008 = 0x77\n*(0x20000 + 4) + 1 = 3\n"));
  EXPECT_THAT(answers("watch *0x20008\nc\n"), HasSubstr("*0x20008 is now 0x77\n"));
  EXPECT_THAT(answers("watch *0x20008\nc\ni w\nunwatch *0x20008\nrc\n"),
              EndsWith("beginning\nME 0x0013: ME+19                    waitin\n"));
  EXPECT_THAT(answers("watch *0x20008\nc\nc\nrc\n"), HasSubstr("*0x20008 is now 0x77\n"));
  EXPECT_THAT(session("watch *0x20002\n").err, HasSubstr("the dword that holds it is at 0x20000"));
  EXPECT_THAT(session("p *0x20002\n").err, HasSubstr("0x20002 is not a multiple of 4"));
}

TEST_F(DebugFirmware, InfoIsAboutWhatOthersHave) {
  EXPECT_EQ(answers("info threads\n"), answers("info cores\n"));
  EXPECT_EQ(answers("info frame\n"), answers("where\n"));
  EXPECT_THAT(answers("c\ninfo outputs\n"), HasSubstr("PFP packet CP_MEM_WRITE 703d8006\n"));
  EXPECT_EQ(answers("c\ninfo outputs\n"), answers("c\noutputs\n"));
  EXPECT_THAT(answers("t ME\ninfo labels\n"), HasSubstr("0x003a CP_DRAW_INDIRECT\n"));
  for (const char* port : {"p $addr\n", "p $data\n", "watch $memdata\n"})
    EXPECT_THAT(session(port).err, HasSubstr("ports that hold no value: \"info outputs\" shows what went out")) << port;
}

TEST_F(DebugFirmware, HasTheHabitsOfTheOtherConsole) {
  EXPECT_EQ(answers("b ME:CP_DRAW_INDIRECT\nc\n"), answers("break ME:CP_DRAW_INDIRECT\ncontinue\n"));
  EXPECT_EQ(answers("s 5\nrs 2\n"), answers("step 5\nback 2\n"));
  EXPECT_THAT(answers("until ME:CP_DRAW_INDIRECT\ni b\n"),
              EndsWith("ME 0x003a: CP_DRAW_INDIRECT         mov $02, $data\n"))
      << "and no breakpoint is left";
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT+3 if $03 == 0x77\nc\n"), HasSubstr("breakpoint 1\nME 0x003d: "));
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT+3 if $03 == 0x78\nc\n"),
              EndsWith("PFP idle\nPFP 0x003f: CP_DRAW_INDIRECT+13      waitin\n"));
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT+1\nc\np/d $02\np $02 + 1\n"), EndsWith("$02 = 1156\n$02 + 1 = 1157\n"));
  EXPECT_THAT(answers("display/x $01\ns 2\n"), HasSubstr("PFP 0x0013: PKT4 "));
  EXPECT_THAT(answers("info line ME:CP_DRAW_INDIRECT\n"), HasSubstr("mov $02, $data"));
  EXPECT_EQ(answers("info registers\n"), answers("print\n"));
  const Outcome wrong =
      session("b ME:CP_DRAW_INDIRECT if $03 ==\nb ME:CP_DRAW_INDIRECT unless 1\nuntil\np $02 + $99\n");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("is not complete"));
}

TEST_F(DebugFirmware, BreakpointsHaveNumbers) {
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT\nb 0x15\nwatch ME:$03\ni b\n"),
              EndsWith("1 ME 0x003a: CP_DRAW_INDIRECT         mov $02, $data\n"
                       "2 PFP 0x0015: PKT4+2                   waitin\n"));
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT\nb 0x15\nd 2\nc\n"), HasSubstr("breakpoint 1\nME 0x003a: "));
  EXPECT_THAT(answers("tb 0x15\n"), EndsWith("waitin, once\n"));
  EXPECT_THAT(answers("tb 0x15\nc\ni b\n"), EndsWith("breakpoint 1\nPFP 0x0015: PKT4+2                   waitin\n"))
      << "it went with its stop";
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT+3\ncond 1 $03 == 0x78\nc\n"), HasSubstr("PFP idle\n"));
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT+3\ncond 1 $03 == 0x77\nc\n"), HasSubstr("breakpoint 1\n"));
  EXPECT_THAT(answers("b 0x15\ndisable 1\nc\n"), HasSubstr("PFP idle\n"));
  EXPECT_THAT(answers("b 0x15\nignore 1 1\nc\n"), HasSubstr("PFP idle\n"));
  EXPECT_THAT(session("d 7\n").err, HasSubstr("there is no breakpoint 7"));
}

TEST_F(DebugFirmware, GoesBackAndRunsAnew) {
  EXPECT_THAT(answers("b ME:CP_DRAW_INDIRECT\nc\nc\nrc\n"),
              EndsWith("breakpoint 1\nME 0x003a: CP_DRAW_INDIRECT         mov $02, $data\n"));
  EXPECT_THAT(answers("watch ME:$03\nc\nc\nrc\np ME:$03\n"), EndsWith("$03 = 0x77\n"));
  EXPECT_THAT(answers("c\nrc\n"), EndsWith("beginning\n" + answers("")));
  EXPECT_THAT(answers("c\ntb 0x15\nrun\n"), HasSubstr("breakpoint 1\nPFP 0x0015: "));
  EXPECT_THAT(session("finish\n").err, HasSubstr("PFP is in no subroutine"));
}

TEST_F(DebugFirmware, ShowsTheProgramAndMemory) {
  EXPECT_THAT(answers("x/2i ME:CP_DRAW_INDIRECT\n"),
              HasSubstr("   ME 0x003a: CP_DRAW_INDIRECT         mov $02, $data\n   ME 0x003b: "));
  EXPECT_THAT(answers("x/i $pc\n"), HasSubstr("=> PFP 0x0011: "));
  EXPECT_THAT(answers("list ME:CP_DRAW_INDIRECT\n"),
              HasSubstr("   ME 0x003a: CP_DRAW_INDIRECT         mov $02, $data\n"));
  EXPECT_THAT(answers("p $pc\np/x pc + 1\n"), EndsWith("$pc = 17\npc + 1 = 0x12\n"));
  const std::string at_draw = "br ME:CP_DRAW_INDIRECT+1\nc\n";
  EXPECT_THAT(answers(at_draw + "x/2xw 0x20004\n"), EndsWith("0x20004: 0x2 0x77\n"));
  EXPECT_THAT(answers(at_draw + "set *0x20004 = 0x55\nx 0x20004\n"), EndsWith("0x20004: 0x55\n"));
  EXPECT_THAT(session("x/2b 0x20004\n").err, HasSubstr("shown in dwords"));
}

TEST_F(DebugFirmware, AStuckCoreIsNoSuccess) {
  EXPECT_EQ(session("c\n").status, 0);
  EXPECT_EQ(session("c\n", {"--step-limit", "2"}).status, 1);
}

TEST_F(DebugFirmware, AnswersInJson) {
  for (const auto& answer :
       parse_json(session("s 20\nback\nbr ME:CP_DRAW_INDIRECT\nc\np\nm 0x20000 4\ng 0xec08\nlist\ncores\nwatch $02\ni "
                          "b\ni w\nx/2i\nx/2xw 0x20000\nrc\nc\nhelp\nwatch *0x20008\ninfo labels\ninfo outputs\n",
                          {"--json"})
                      .out))
    EXPECT_EQ(schema_errors("debug", answer), std::vector<std::string>{}) << answer;
}

TEST_F(DebugFirmware, OptionsThatDoNothingAreRefused) {
  EXPECT_EQ(run(both_.command("debug", {})).status, 2) << "without a stream";
  EXPECT_EQ(session("", {"--inputs", example("checker.inputs.json")}).status, 2);
  EXPECT_EQ(session("", {"--threads", "4"}).status, 2);
  EXPECT_EQ(run({"debug", example("checker.frag.bin"), "--stream", document_example("race.pm4")}).status, 2);
  EXPECT_EQ(run({"debug", example("checker.frag.bin"), example("checker.frag.bin")}).status, 2);
}

TEST_F(DebugFirmware, TracesWhatInstructionsChange) {
  const Outcome both = run(both_.command("run", {"--trace", "--stream", document_example("race.pm4")}));
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out,
              HasSubstr("     1 PFP  0x0012  PFP+18                   mov $01, $data                                "
                        "$01 = 0x703d8006 (CP_MEM_WRITE, 6 words), $rem = 0x6\n"
                        "                      packet CP_MEM_WRITE 703d8006\n"));
  EXPECT_THAT(both.out, Not(HasSubstr("$17 = "))) << "that was at the boot";
  const Outcome one = run(both_.command("run", {"--trace", "--thread", "1", "--stream", document_example("race.pm4")}));
  EXPECT_THAT(one.out, AllOf(HasSubstr(" ME   0x003b"), Not(HasSubstr(" PFP  0x"))));
  EXPECT_THAT(run({"run", both_.pfp, "--trace"}).out, HasSubstr("     2 PFP  0x0002  PFP+2 ")) << "the boot";
  const auto json =
      parse_json(run(both_.command("run", {"--json", "--trace", "--stream", document_example("race.pm4")})).out);
  EXPECT_EQ(schema_errors("run-firmware", json[0]), std::vector<std::string>{});
  EXPECT_EQ(json[0]["result"]["streams"][0]["trace"].size(), 60u);
}

TEST_F(DebugFirmware, TracesSayWhatCmpFound) {
  const std::string stream = both_.folder.file("cmp.pm4", "UNKN123 1 2\nUNKN123 2 2\nUNKN123 3 2\n");
  EXPECT_THAT(run(both_.command("run", {"--trace", "--stream", stream})).out,
              AllOf(HasSubstr("$04 = 0x1e (less)"), HasSubstr("$04 = 0x2b (equal)"), HasSubstr("$04 = 0x0 (greater)")));
}

TEST_F(DebugFirmware, RunRefusesOptionsThatDoNothing) {
  const std::string stream = document_example("race.pm4");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--stream", stream, "--jobs", "2"},
                                             {"--stream", stream, "--side", "x.json"},
                                             {"--stream", stream, "--stage", "vertex"},
                                             {"--stream", stream, "--collapsed", "--fidelity"},
                                             {"--stream", stream, "--threads", "2"},
                                             {"--stream", stream, "--thread", "1"},
                                             {"--stream", stream, "--trace", "--thread", "2"},
                                             {"--stream", stream, "--collapsed", "--coverage"},
                                             {"--stream", stream, "--collapsed", "--json"},
                                             {"--stream", stream, "--trace", "--all-events", "--collapsed"},
                                             {"--all-events"},
                                             {"--memory", "0x1000=" + stream}})
    EXPECT_EQ(run(both_.command("run", wrong)).status, 2) << wrong.back();
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--stream", stream}, {"--all-events"}, {"--coverage"}, {"--profile"}, {"--collapsed"}, {"--thread", "1"}}) {
    std::vector<std::string> all{"run", example("checker.frag.bin"), "--inputs", example("checker.inputs.json")};
    all.insert(all.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(all).status, 2) << wrong.front();
  }
}

}  // namespace
}  // namespace mobula::test
