#include "servers/gdb_session.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"

namespace mobula::servers {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A client, and a program of three threads with words at 0, 0x20 and 0x30.
class Gdb : public testing::Test {
 protected:
  void SetUp() override {
    load(
        "{\n  vmul.FMUL.f32 R0, #2.0, #3.0\n}\n"
        "{\n  vmul.FMUL.f32 R0.x, R0.x, #2.0\n}\n"
        "{\n  vmul.FMUL.f32 R1.x, R0.x, #2.0\n}\n",
        {});
    ask("QStartNoAckMode");
  }
  void load(std::string_view text, RunInputs inputs) {
    const Machine& machine = *find_machine("midgard");
    auto assembled = machine.assemble({"t.mdg", text}, {});
    ASSERT_TRUE(assembled) << render(assembled.error());
    program = std::move(*assembled);
    auto words = machine.lift(program, {});
    ASSERT_TRUE(words) << render(words.error());
    lifted = std::move(*words);
    inputs.threads = 3;
    auto debugger = Debugger::create(program, lifted, std::move(inputs));
    ASSERT_TRUE(debugger) << render(debugger.error());
    session.emplace(program, lifted, std::move(*debugger));
  }
  /// All that comes back for some bytes, until the program stops.
  std::string send(std::string_view bytes) {
    session->feed(bytes);
    std::string back;
    do {
      while (const auto answer = session->answer()) back += *answer;
      if (session->running()) back += session->work();
    } while (session->running());
    return back;
  }
  /// The data of the packets that come back for one, joined by "|".
  std::string ask(std::string_view packet) {
    GdbReader reader;
    reader.feed(send(gdb_packet(packet)));
    std::string data;
    while (const auto event = reader.next()) data += (data.empty() ? "" : "|") + event->data;
    return data;
  }
  std::string monitor(std::string_view line) { return gdb_unhex(ask("qRcmd," + gdb_hex(line))).value_or("no text"); }
  /// Number of a register in packets.
  std::string number(std::string_view name) {
    const std::vector<GdbRegister> registers = gdb_registers(lifted);
    for (std::size_t i = 0; i < registers.size(); ++i)
      if (registers[i].name == name) return fmt(gdb_core_registers + i);
    return "none";
  }
  static std::string fmt(std::size_t value) {
    std::string text;
    for (; value != 0 || text.empty(); value /= 16) text.insert(text.begin(), "0123456789abcdef"[value % 16]);
    return text;
  }

  Program program;
  ir::Program lifted;
  std::optional<GdbSession> session;
};

TEST_F(Gdb, StopsAtTheFirstWord) {
  EXPECT_EQ(ask("?"), "T05thread:1;20:0000000000000000;");
  EXPECT_THAT(ask("qSupported:multiprocess+;swbreak+"),
              AllOf(HasSubstr("qXfer:features:read+"), HasSubstr("ReverseStep+"), HasSubstr("vContSupported+")));
  EXPECT_EQ(ask("vCont?"), "vCont;c;C;s;S");
  EXPECT_EQ(ask("vMustReplyEmpty"), "");
  EXPECT_EQ(ask("qAttached"), "1");
  EXPECT_EQ(ask("qC"), "QC1");
}

TEST_F(Gdb, AcknowledgesUntilItNeedNot) {
  load("{\n  vmul.FMUL.f32 R0.x, #2.0, #3.0\n}\n", {});
  EXPECT_EQ(send("$qC#b4"), "+$QC1#c5");
  EXPECT_EQ(send("$qC#b5"), "-");
  EXPECT_EQ(send("-"), "$QC1#c5");
  EXPECT_EQ(send("$QStartNoAckMode#b0"), "+$OK#9a");
  EXPECT_EQ(send("$qC#b4"), "$QC1#c5");
  EXPECT_EQ(send("$qC#b5"), "");
}

TEST_F(Gdb, DescribesItsRegisters) {
  std::string document;
  for (std::size_t at = 0;;) {
    const std::string piece = ask("qXfer:features:read:target.xml:" + fmt(at) + ",100");
    ASSERT_FALSE(piece.empty());
    document += piece.substr(1);
    at += piece.size() - 1;
    if (piece.front() == 'l') break;
    ASSERT_EQ(piece.front(), 'm');
  }
  EXPECT_EQ(document, gdb_target_description(gdb_registers(lifted)));
  EXPECT_THAT(document, AllOf(HasSubstr("org.gnu.gdb.aarch64.core"), HasSubstr("<reg name=\"cpsr\""),
                              HasSubstr("<reg name=\"r0\" bitsize=\"128\" type=\"vec4\" regnum=\"34\"")));
  EXPECT_EQ(ask("qXfer:features:read:other.xml:0,100"), "E00");
  EXPECT_EQ(ask("qXfer:features:read:target.xml:fffff,100"), "l");
}

TEST_F(Gdb, ReadsAndWritesRegisters) {
  EXPECT_EQ(ask("vCont;s:1;c"), "T05thread:1;20:2000000000000000;");
  EXPECT_EQ(ask("p" + number("r0")), "0000c0400000c0400000c0400000c040");
  EXPECT_EQ(ask("P" + number("r0") + "=0000803f000000400000404000008040"), "OK");
  EXPECT_EQ(ask("p" + number("r0")), "0000803f000000400000404000008040");
  EXPECT_EQ(ask("s"), "T05thread:1;20:3000000000000000;");
  EXPECT_THAT(ask("p" + number("r0")), StartsWith("00000040"));
  EXPECT_EQ(ask("p20"), "3000000000000000");
  EXPECT_EQ(ask("P" + number("r0") + "=00"), "E.the register has 16 bytes");
  EXPECT_EQ(ask("P0=0000000000000000"), "E.the program has no such register: slots and pc can be written");
  EXPECT_EQ(ask("pffff"), "E01");
  const std::string all = ask("g");
  EXPECT_EQ(ask("G" + all), "OK");
  EXPECT_EQ(ask("g"), all);
  EXPECT_EQ(ask("G" + all.substr(0, all.size() - 2)), "E01");
}

TEST_F(Gdb, LetsTheThreadGoOnElsewhere) {
  EXPECT_EQ(ask("vCont;s:1;c"), "T05thread:1;20:2000000000000000;");
  EXPECT_EQ(ask("P20=0000000000000000"), "OK");
  EXPECT_EQ(ask("p20"), "0000000000000000");
  EXPECT_EQ(ask("p1e"), "0000000000000000") << "where GDB looks for a caller: there is none";
  EXPECT_EQ(ask("s"), "T05thread:1;20:2000000000000000;");
  EXPECT_EQ(ask("P20=0100000000000000"), "E.no word starts at 0x1");
}

TEST_F(Gdb, GoesToBreakpointsAndBack) {
  EXPECT_EQ(ask("Z1,30,4"), "OK");
  EXPECT_EQ(ask("Z0,11,4"), "E01") << "no word starts there";
  EXPECT_EQ(ask("vCont;c"), "T05thread:1;20:3000000000000000;hwbreak:;");
  EXPECT_THAT(ask("p" + number("r0")), StartsWith("00004041"));
  EXPECT_EQ(ask("bs"), "T05thread:1;20:2000000000000000;");
  EXPECT_THAT(ask("p" + number("r0")), StartsWith("0000c040"));
  EXPECT_EQ(ask("bc"), "T05thread:1;20:0000000000000000;replaylog:begin;");
  EXPECT_EQ(ask("bs"), "T05thread:1;20:0000000000000000;replaylog:begin;");
  EXPECT_EQ(ask("z1,30,4"), "OK");
  EXPECT_EQ(ask("c"), "T05thread:1;20:4000000000000000;replaylog:end;");
  EXPECT_EQ(ask("Z1,30,4"), "OK");
  EXPECT_EQ(ask("bc"), "T05thread:1;20:3000000000000000;hwbreak:;");
  EXPECT_EQ(ask("c"), "T05thread:1;20:4000000000000000;replaylog:end;");
  EXPECT_FALSE(session->over());
  EXPECT_EQ(ask("c"), "W00");
  EXPECT_TRUE(session->over());
}

TEST_F(Gdb, BreakpointsStopWhicheverThreadComesToThem) {
  // Thread 1 alone takes the word at 0x10.
  load(
      "{\n  sadd.CMP.eq.i32 COND.w, R4.x, #1\n  brx.cond.false L\n}\n"
      "{\n  vmul.FMUL.f32 R1.x, #2.0, #3.0\n}\n"
      "L:\n{\n  vmul.FMUL.f32 R2.x, #2.0, #2.0\n}\n",
      {});
  ask("QStartNoAckMode");
  ask("Hg2");
  EXPECT_EQ(ask("P" + number("r4") + "=01000000000000000000000000000000"), "OK");
  ask("Hg1");
  ask("Z1,10,4");
  EXPECT_EQ(ask("c"), "T05thread:2;20:1000000000000000;hwbreak:;");
  EXPECT_EQ(ask("qC"), "QC2");
  EXPECT_EQ(ask("bs"), "T05thread:2;20:0000000000000000;") << "it has a past of its own";
}

TEST_F(Gdb, ThreadsAreLanes) {
  EXPECT_EQ(ask("qfThreadInfo"), "m1,2,3");
  EXPECT_EQ(ask("qsThreadInfo"), "l");
  EXPECT_THAT(ask("qXfer:threads:read::0,ffff"), HasSubstr("<thread id=\"3\" name=\"thread 2\">running</thread>"));
  EXPECT_EQ(gdb_unhex(ask("qThreadExtraInfo,2")), "thread 1, running");
  EXPECT_EQ(ask("T3"), "OK");
  EXPECT_EQ(ask("T4"), "E01");
  EXPECT_EQ(ask("Hg4"), "E01");
  EXPECT_EQ(ask("Hg3"), "OK");
  EXPECT_EQ(ask("P" + number("r3") + "=01000000020000000300000004000000"), "OK");
  EXPECT_EQ(ask("p" + number("r3")), "01000000020000000300000004000000");
  EXPECT_EQ(ask("Hg1"), "OK");
  EXPECT_EQ(ask("p" + number("r3")), "00000000000000000000000000000000");
  EXPECT_EQ(ask("vCont;s:3;c"), "T05thread:3;20:2000000000000000;");
  EXPECT_EQ(ask("vCont;s:9"), "E01");
}

TEST_F(Gdb, MemoryIsThatOfTheData) {
  RunInputs inputs;
  inputs.memory.push_back({0x10000, {1, 2, 3, 4}});
  load("{\n  vmul.FMUL.f32 R0.x, #2.0, #3.0\n}\n{\n  vmul.FMUL.f32 R1.x, #2.0, #3.0\n}\n", inputs);
  ask("QStartNoAckMode");
  EXPECT_EQ(ask("m10000,4"), "01020304");
  EXPECT_EQ(ask("m10000,5"), "E01");
  EXPECT_EQ(ask("m0,4"), "E01") << "words of the program are not data";
  EXPECT_EQ(ask("M10001,2:aabb"), "OK");
  EXPECT_EQ(ask("m10000,4"), "01aabb04");
  EXPECT_EQ(ask("M10001,2:aa"), "E01") << "two bytes were announced";
  EXPECT_EQ(ask("M0,1:aa"), "E01") << "words of the program are not data";
  EXPECT_EQ(ask("Z2,10000,4"), "OK");
  EXPECT_EQ(ask("Z2,0,4"), "E01");
  EXPECT_EQ(ask("Z3,10000,4"), "");
}

/// GDB steps over the store itself before it compares.
TEST_F(Gdb, IsToldOfAStoreBeforeItHappens) {
  RunInputs inputs;
  inputs.memory.push_back({0x1000, {1, 2, 3, 4}});
  load(
      "{\n  vmul.MOV.i32 AL0, #0\n}\n{\n  smul.MOV.i32 AL0.x, _, #4096\n}\n{\n  vmul.FMUL.f32 AL1, #2.0, #3.0\n}\n"
      "{\n  ST.32 AL1, AL0.u64.x\n}\n{\n  vmul.FMUL.f32 R2.x, #2.0, #3.0\n}\n",
      inputs);
  ask("QStartNoAckMode");
  const std::uint64_t store = lifted.blocks[3].address, after = lifted.blocks[4].address;
  const auto at = [](std::uint64_t address) { return ";20:" + fmt(address) + "00000000000000;"; };
  EXPECT_EQ(ask("Z2,1000,4"), "OK");
  EXPECT_EQ(ask("c"), "T05thread:1" + at(store) + "watch:1000;");
  EXPECT_EQ(ask("m1000,4"), "01020304");
  EXPECT_EQ(ask("z2,1000,4"), "OK");
  EXPECT_EQ(ask("s"), "T05thread:1" + at(after));
  EXPECT_EQ(ask("m1000,4"), "0000c040");
  EXPECT_EQ(ask("Z2,1000,4"), "OK");
  EXPECT_THAT(ask("c"), EndsWith("replaylog:end;"));
  EXPECT_EQ(ask("bc"), "T05thread:1" + at(after) + "watch:1000;") << "before it is undone";
  EXPECT_EQ(ask("bs"), "T05thread:1" + at(store));
  EXPECT_THAT(ask("bc"), EndsWith("replaylog:begin;"));
}

TEST_F(Gdb, WatchesSlots) {
  EXPECT_EQ(monitor("watch r1.x"), "1 slot is watched\n");
  EXPECT_EQ(ask("c"),
            "O" + gdb_hex(std::string_view("r1.x is now 0x41c00000 (24)\n")) + "|T05thread:1;20:4000000000000000;");
  EXPECT_EQ(ask("bc"), "T05thread:1;20:0000000000000000;replaylog:begin;");
  EXPECT_EQ(monitor("unwatch r1.x"), "0 slots are watched\n");
  EXPECT_THAT(monitor("watch r99"), HasSubstr("there is no slot"));
}

TEST_F(Gdb, SaysInItsOwnWordsWhereItStands) {
  EXPECT_THAT(monitor("where"), StartsWith("thread 0 at 0x0000: vmul.FMUL.f32 R0,"));
  EXPECT_THAT(monitor("list"), AllOf(StartsWith("=> 0x0000"), HasSubstr("\n   0x0020: ")));
  EXPECT_THAT(monitor("slots"), Not(HasSubstr("r0.x")));
  ask("s");
  EXPECT_THAT(monitor("slots"), HasSubstr("r0.x = 0x40c00000 (6)"));
  EXPECT_THAT(monitor("nonsense"), AllOf(StartsWith("there is no \"monitor nonsense\""), HasSubstr("watch SLOT")));
  EXPECT_THAT(monitor("help"), StartsWith("where "));
}

TEST_F(Gdb, FaultsAreSignals) {
  load("{\n  LD.32 R0.x~~~, AL0.u64.x\n}\n", {});
  ask("QStartNoAckMode");
  const std::string stop = ask("c");
  EXPECT_THAT(stop, AllOf(StartsWith("O"), EndsWith("|T0bthread:1;20:0000000000000000;")));
}

TEST_F(Gdb, CanBeInterrupted) {
  load("L:\n{\n  vmul.FMUL.f32 R0.x, #2.0, #3.0\n  br.uncond L\n}\n", {});
  ask("QStartNoAckMode");
  session->feed(gdb_packet("c"));
  EXPECT_EQ(session->answer(), "");
  ASSERT_TRUE(session->running());
  EXPECT_EQ(session->work(), "");
  session->feed(gdb_packet("g"));
  EXPECT_EQ(session->answer(), "") << "while it runs only an interrupt is heard";
  session->feed("\x03");
  EXPECT_THAT(session->answer().value_or(""), StartsWith("$T02thread:1;"));
  EXPECT_FALSE(session->running());
}

TEST_F(Gdb, EndsWithItsClient) {
  EXPECT_EQ(ask("D"), "OK");
  EXPECT_TRUE(session->over());
  SetUp();
  EXPECT_EQ(send(gdb_packet("k")), "");
  EXPECT_TRUE(session->over());
  SetUp();
  EXPECT_EQ(ask("vKill;1"), "OK");
  EXPECT_TRUE(session->over());
}

/// Every packet that is understood, with a body that is too short, too long, or no number.
TEST_F(Gdb, BodiesThatAreNotThoseOfThePacketAreErrors) {
  const std::string all = ask("g"), r0 = number("r0");
  ASSERT_EQ(ask("G" + all), "OK");
  for (const std::string& packet : {std::string("?0"),
                                    std::string("g0"),
                                    std::string("G"),
                                    "G" + all.substr(2),
                                    "G" + all + "00",
                                    "G" + all.substr(1),
                                    "G" + all.substr(0, 16),
                                    "Gzz" + all.substr(2),
                                    std::string("p"),
                                    std::string("pzz"),
                                    std::string("pffff"),
                                    "p" + r0 + ";",
                                    std::string("P"),
                                    "P" + r0,
                                    "Pzz=" + std::string(32, '0'),
                                    std::string("m"),
                                    std::string("m0"),
                                    std::string("m0,"),
                                    std::string("m0,0"),
                                    std::string("mzz,4"),
                                    std::string("m0,4,4"),
                                    std::string("M0,1"),
                                    std::string("M0,1:"),
                                    std::string("M0,1:0000"),
                                    std::string("M0,1:zz"),
                                    std::string("Mzz,1:00"),
                                    std::string("H"),
                                    std::string("Hg"),
                                    std::string("Hc"),
                                    std::string("Hczz"),
                                    std::string("Hc9"),
                                    std::string("Hg9"),
                                    std::string("Hx1"),
                                    std::string("T"),
                                    std::string("Tzz"),
                                    std::string("T9"),
                                    std::string("Z0"),
                                    std::string("Z0,0"),
                                    std::string("Z0,zz,4"),
                                    std::string("Z0,20,4;X1,0"),
                                    std::string("Z0,21,4"),
                                    std::string("Z2,1000,0"),
                                    std::string("z0,"),
                                    std::string("c20"),
                                    std::string("czz"),
                                    std::string("C"),
                                    std::string("C5"),
                                    std::string("Czz"),
                                    std::string("s20"),
                                    std::string("S"),
                                    std::string("vCont;"),
                                    std::string("vCont;x"),
                                    std::string("vCont;C"),
                                    std::string("vCont;s:zz"),
                                    std::string("vCont;s:9"),
                                    std::string("vCont;s:"),
                                    std::string("vCont;s:1;q"),
                                    std::string("vCont;cc"),
                                    std::string("D1"),
                                    std::string("k1"),
                                    std::string("qRcmd,0"),
                                    std::string("qRcmd,zz"),
                                    std::string("qThreadExtraInfo,"),
                                    std::string("qThreadExtraInfo,9"),
                                    std::string("qXfer:features:read:target.xml:"),
                                    std::string("qXfer:features:read:target.xml:0"),
                                    std::string("qXfer:features:read:target.xml:zz,1")})
    EXPECT_EQ(ask(packet).substr(0, 1), "E") << packet;
  EXPECT_THAT(ask("P" + r0 + "=00"), StartsWith("E.the register has 16 bytes"));
  for (const char* unknown : {"qSupportedX", "qCX", "vKillX", "bx", "Z3,0,4", "X0,0:", "!", "vFile:open:"})
    EXPECT_EQ(ask(unknown), "") << unknown;
  EXPECT_FALSE(session->over());
  EXPECT_EQ(ask("vCont;C05:1;c"), "T05thread:1;20:4000000000000000;replaylog:end;")
      << "there are no signals to pass on";
}

TEST_F(Gdb, NonsenseHarmsNothing) {
  for (const char* packet : {"",
                             "!",
                             "H",
                             "Hg",
                             "Hgx",
                             "Hz1",
                             "m",
                             "m1",
                             "m,",
                             "m0,ffffffffffffffff",
                             "M0",
                             "M0,1",
                             "M0,ffffffffffffffff:00",
                             "X",
                             "Z",
                             "Z1",
                             "Z1,,",
                             "z9,0,0",
                             "p",
                             "P",
                             "P=",
                             "P0=0",
                             "G",
                             "G0",
                             "Gxx",
                             "b",
                             "bx",
                             "vCont;",
                             "vCont;x",
                             "vCont;t:1",
                             "vCont;c:zz;;",
                             "qRcmd,0",
                             "qXfer",
                             "qXfer:features:read:target.xml:",
                             "qXfer:features:write:target.xml:0,1",
                             "qThreadExtraInfo,0",
                             "T",
                             "\xff\xfe"})
    (void)ask(packet);
  EXPECT_THAT(ask("?"), StartsWith("T05thread:1;"));
}

}  // namespace
}  // namespace mobula::servers
