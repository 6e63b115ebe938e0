// What firmware asks of the hardware beyond registers and memory: draw states, preemption, counters, several cores, PFP
// and ME. Our own programs first, then the same on real images.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "machines/afuc/run.h"

namespace mobula::afuc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Emulator boot_hardware(EmulatorOptions options = {}) { return boot({own_image("hardware.asm")}, std::move(options)); }

// ---- draw states, conditions

TEST(AfucHardware, DrawsExecuteTheGroupsThatTheModeWants) {
  Emulator emulator = boot_hardware();
  const std::string states = "CP_SET_DRAW_STATE 0x01100002 0x50000 0 0x02200002 0x50100 0 0x03300002 0x50200 0\n";
  const std::string buffers = ".at 0x50000\npkt4 0x8101 1\n.at 0x50100\npkt4 0x8102 2\n.at 0x50200\npkt4 0x8103 3\n";
  RunReport report = run_text(emulator, "CP_SET_MARKER 1\n" + states + "CP_DRAW_AUTO 5\n" + buffers);
  EXPECT_TRUE(report.ok) << emulator.cores()[0].reason;
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8101=1 8103=3 9000=5");
  report = run_text(emulator, "CP_DRAW_AUTO 6\n");
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "9000=6") << "groups are executed once";
  report = run_text(emulator, "CP_SET_MARKER 2\n" + states + "CP_DRAW_AUTO 7\n");
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8102=2 8103=3 9000=7");
  report = run_text(emulator, states + "CP_SET_DRAW_STATE 0x00040000 0 0\nCP_DRAW_AUTO 8\n");
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "9000=8") << "all are disabled";
}

TEST(AfucHardware, ConditionsSkipWords) {
  Emulator emulator = boot_hardware();
  const RunReport report = run_text(emulator,
                                    "CP_COND_EXEC 0x60000 0 2\npkt4 0x8103 1\nCP_COND_EXEC 0x60004 0 2\npkt4 0x8104 1\n"
                                    ".at 0x60000\n[1]\n[0]\n");
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8103=1");
}

// ---- events

TEST(AfucHardware, EventsLeaveTheirValueInMemory) {
  Emulator emulator = boot_hardware();
  const RunReport report =
      run_text(emulator, "CP_EVENT_WRITE 0x4 0x20000 1 0xdead\nCP_EVENT_WRITE 0x40000004 0x20010 0 7\n");
  EXPECT_TRUE(report.ok) << emulator.cores()[0].reason;
  const std::uint32_t time = emulator.read_memory(0x20010);
  std::ostringstream expected;
  expected << "100020000=dead 20010=" << std::hex << time << " 20014=0";
  EXPECT_EQ(listed(report, Event::Kind::memory_write), expected.str());
  EXPECT_GT(time, emulator.cores()[0].pc);
  EXPECT_LT(time, emulator.cores()[0].instructions);
}

/// Bits of the control word of a7xx: 0 memory, 1 a register instead; 5:3 what.
TEST(AfucHardware, EventsOfA7xxChooseWhatTheyLeave) {
  const auto program = assemble_text(
      "[01740001]\n[01000000]\nmov $02, #handler\nmov $03, 0x46\ncwrite $03, [$00 + @PACKET_TABLE_WRITE_ADDR]\n"
      "cwrite $02, [$00 + @PACKET_TABLE_WRITE]\nwaitin\nmov $01, $data\n"
      "handler:\nmov $addr, 0xe8 << 24\n(rep)mov $data, $data\nwaitin\nmov $01, $data\n");
  ASSERT_TRUE(program) << render(program.error());
  Emulator emulator = boot({words_of(*program)});
  const auto left = [&](const std::string& control) {
    return listed(run_text(emulator, "CP_EVENT_WRITE7 0x20000 0 " + control + " 0x11 0x22\n"),
                  Event::Kind::memory_write);
  };
  EXPECT_EQ(left("0x9"), "20000=11");
  EXPECT_EQ(left("0x11"), "20000=11 20004=22");
  EXPECT_THAT(left("0x19"), testing::MatchesRegex("20000=[0-9a-f]+ 20004=0"));
  EXPECT_EQ(left("0xa"), "");
  EXPECT_EQ(left("0x29"), "");
}

// ---- a8xx: what one core passes on to another

TEST(AfucHardware, PassedOnPacketsAreHandledWhenTheyAreWhole) {
  const auto program = assemble_text(
      "[01700001]\n[01000000]\nmov $03, #further << 2\nadd $03, $03, 0x1000\ncwrite $03, [$00 + 0x088]\n"
      "mov $04, 0x1\ncwrite $04, [$00 + 0x08a]\nmov $02, #pass\nmov $03, 0x10\n"
      "cwrite $03, [$00 + @PACKET_TABLE_WRITE_ADDR]\ncwrite $02, [$00 + @PACKET_TABLE_WRITE]\nwaitin\nmov $01, $data\n"
      "pass:\n(rep)cwrite $data, [$00 + 0x191]\nwaitin\nmov $01, $data\n"
      "further:\nmov $02, 0x6\nmov $03, 0x4\ncwrite $03, [$00 + @PACKET_TABLE_WRITE_ADDR]\n"
      "cwrite $02, [$00 + @PACKET_TABLE_WRITE]\nwaitin\nmov $01, $data\n"
      "ushr $usraddr, $01, 0x8\n(rep)(xmov1)mov $data, $data\nwaitin\nmov $01, $data\n");
  ASSERT_TRUE(program) << render(program.error());
  Emulator emulator = boot({words_of(*program)});
  ASSERT_EQ(emulator.cores().size(), 2u);
  EXPECT_EQ(emulator.cores()[1].name, "DDE_BR");
  EXPECT_EQ(emulator.read_control(1, 0) >> 24 & 15, 6u) << "its number";
  const RunReport begun = run_text(emulator, "CP_NOP 0x48810001\n");
  EXPECT_FALSE(begun.ok) << "a word is left";
  EXPECT_EQ(listed(begun, Event::Kind::forward), "191=48810001");
  EXPECT_EQ(listed(begun, Event::Kind::gpu_write), "");
  const RunReport ended = run_text(emulator, "CP_NOP 5\n");
  EXPECT_TRUE(ended.ok) << emulator.cores()[1].reason;
  EXPECT_EQ(listed(ended, Event::Kind::gpu_write), "8100=5");
}

// ---- preemption, counters

TEST(AfucHardware, TriggersInterruptAndIretGoesOn) {
  Emulator emulator = boot_hardware();
  const RunReport forbidden = run_text(emulator, "CP_CONTEXT_SWITCH_YIELD 0\n");
  EXPECT_TRUE(forbidden.ok) << emulator.cores()[0].reason;
  EXPECT_EQ(listed(forbidden, Event::Kind::gpu_write), "9001=0") << "the handler leaves at once";
  const RunReport allowed = run_text(emulator, "CP_CONTEXT_SWITCH_YIELD 1\nCP_NOP\n");
  EXPECT_TRUE(allowed.ok) << emulator.cores()[0].reason;
  EXPECT_EQ(listed(allowed, Event::Kind::gpu_write), "9002=6 9003=0 9001=1") << "six instructions by the timer";
  ASSERT_EQ(allowed.packets.size(), 2u);
  const auto at = std::find_if(allowed.events.begin(), allowed.events.end(),
                               [](const Event& event) { return event.kind == Event::Kind::interrupt; });
  ASSERT_NE(at, allowed.events.end());
  EXPECT_GT(at->address, emulator.cores()[0].packet_table[0x6B]);
  EXPECT_LT(at->address, emulator.cores()[0].preempt_entry);
}

TEST(AfucHardware, ContextSwitchesAreAskedForByARegister) {
  Emulator emulator = boot_hardware();
  run_text(emulator, "CP_CONTEXT_SWITCH_YIELD 1\n");
  const RunReport report = run_text(emulator, ".reg CP_CONTEXT_SWITCH_CNTL 0x5\nCP_NOP\n");
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "9002=6 9003=5") << "before the first packet";
  EXPECT_EQ(emulator.read_register(0x8A0), 0u) << "the firmware has acknowledged it";
  EXPECT_EQ(report.packets.size(), 1u);
}

TEST(AfucHardware, CountersCountAndTime) {
  Emulator emulator = boot_hardware();
  EXPECT_TRUE(emulator.cores()[0].counters.empty());
  run_text(emulator, "CP_CONTEXT_SWITCH_YIELD 1\nCP_CONTEXT_SWITCH_YIELD 1\n");
  const auto counters = emulator.cores()[0].counters;
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0].name, "NUM_PREEMPTIONS");
  EXPECT_EQ(counters[0].count, 2u);
  EXPECT_EQ(counters[1].name, "PREEMPTION_REACTION_DELAY");
  EXPECT_EQ(counters[1].instructions, 6u);
}

TEST(AfucHardware, InterruptsWithoutEndAreFound) {
  // Its handler triggers itself again and leaves.
  std::string text = data_text("hardware.asm");
  const std::string entry = "preempted:\n";
  text.insert(text.find(entry) + entry.size(), "mov $02, 0x1\ncwrite $02, [$00 + @PREEMPT_TRIGGER]\niret\nnop\n");
  EmulatorOptions options;
  options.packet_instructions = 5000;
  Emulator emulator = boot({words_of(*assemble_text(text))}, std::move(options));
  EXPECT_FALSE(run_text(emulator, "CP_CONTEXT_SWITCH_YIELD 1\n").ok);
  EXPECT_EQ(emulator.cores()[0].halt, Halt::stuck);
}

// ---- streams that do not end

TEST(AfucHardware, BuffersThatLeadToThemselvesAreFound) {
  EmulatorOptions options;
  options.buffer_packets = 1000;
  options.events = 100;
  Emulator emulator = boot_hardware(std::move(options));
  const RunReport report = run_text(
      emulator,
      "CP_NOP\nCP_INDIRECT_BUFFER 0x100000 0 5\n.at 0x100000\nCP_NOP\nCP_INDIRECT_BUFFER_CHAIN 0x100000 0 5\n");
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(emulator.cores()[0].halt, Halt::endless);
  EXPECT_THAT(emulator.cores()[0].reason, HasSubstr("1000 packets since word 4 of the ring buffer"));
  EXPECT_THAT(emulator.cores()[0].reason, HasSubstr("at level 1"));
  EXPECT_EQ(report.packets.size(), 100u) << "what is kept has a limit";
}

TEST(AfucHardware, LongStreamsAreNotTakenForEndlessOnes) {
  EmulatorOptions options;
  options.buffer_packets = 50;
  Emulator emulator = boot_hardware(std::move(options));
  std::string text;
  for (int i = 0; i < 200; ++i) text += "CP_NOP\n";
  EXPECT_TRUE(run_text(emulator, text).ok);
}

// ---- several cores

TEST(AfucHardware, CoresStartMeetAndHandleTheirOwnStreams) {
  Emulator emulator = boot({own_image("cores.asm")});
  ASSERT_EQ(emulator.cores().size(), 2u);
  EXPECT_EQ(emulator.cores()[0].name, "BR");
  EXPECT_EQ(emulator.cores()[1].name, "BV");
  EXPECT_EQ(emulator.read_control(0, 0x23F), 0u) << "shared control registers are not a core's own";
  const auto br = prepare(emulator, data_text("cores.pm4")), bv = prepare(emulator, data_text("cores-bv.pm4"));
  const CoreStream streams[] = {{0, br}, {1, bv}};
  const RunReport report = emulator.run(streams).value();
  EXPECT_TRUE(report.ok) << emulator.cores()[0].reason << emulator.cores()[1].reason;
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=1 8101=2 8102=3");
  std::vector<int> writers;
  for (const Event& event : report.events)
    if (event.kind == Event::Kind::gpu_write) writers.push_back(event.core);
  EXPECT_THAT(writers, ElementsAre(0, 1, 0));
}

TEST(AfucHardware, ACoreThatWaitsForAnotherForEverIsStuck) {
  EmulatorOptions options;
  options.packet_instructions = 10000;
  Emulator emulator = boot({own_image("cores.asm")}, std::move(options));
  EXPECT_FALSE(emulator.run(prepare(emulator, data_text("cores.pm4"))).ok);
  EXPECT_EQ(emulator.cores()[0].halt, Halt::stuck);
  EXPECT_EQ(emulator.cores()[1].halt, Halt::idle);
}

TEST(AfucHardware, CoverageOfACoreEndsWhereTheNextBegins) {
  const Emulator emulator = boot({own_image("cores.asm")});
  const auto br = emulator.executions(0), bv = emulator.executions(1);
  EXPECT_EQ(br.size() + bv.size(), own_image("cores.asm").size());
}

// ---- PFP and ME

TEST(AfucHardware, ThePfpFeedsTheMe) {
  for (const bool swapped : {false, true}) {
    std::vector<std::vector<std::uint32_t>> images{own_image("pfp.asm"), own_image("me.asm")};
    if (swapped) std::swap(images[0], images[1]);
    Emulator emulator = boot(std::move(images));
    const RunReport report = run_text(emulator, data_text("a5xx.pm4"));
    EXPECT_TRUE(report.ok) << emulator.cores()[0].reason << emulator.cores()[1].reason;
    EXPECT_EQ(listed(report, Event::Kind::memory_write), "100020000=dead 30000=12");
    EXPECT_EQ(emulator.read_register(0x8100), 0x11u);
    EXPECT_EQ(emulator.read_register(0x8101), 0x12u);
  }
}

// ---- real images

class AfucRealHardware : public ::testing::Test {
 protected:
  void SetUp() override {
    images_ = real_images();
    if (images_.empty()) GTEST_SKIP() << "no firmware in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  }
  /// Boots every image whose name holds the text and whose generation is not a5xx's, and calls use(emulator, file).
  template <class Use>
  unsigned for_each_sqe(Use use) {
    unsigned count = 0;
    for (const auto& file : images_) {
      const std::string name = file.filename().string();
      if (name.find("_sqe") == std::string::npos) continue;
      Emulator emulator = boot({words_of_bytes(read_bytes(file))});
      use(emulator, name);
      ++count;
    }
    return count;
  }
  std::vector<std::filesystem::path> images_;
};

TEST_F(AfucRealHardware, DrawsExecuteTheirGroups) {
  const unsigned images = for_each_sqe([](Emulator& emulator, const std::string& name) {
    if (name.starts_with("gen80")) return;  // sends draws to a further core
    const RunReport report = run_text(emulator,
                                      "CP_SET_MODE 0\nCP_SET_MARKER 1\nCP_SET_DRAW_STATE 0x01700002 0x50000 0 "
                                      "0x02700002 0x50100 0\nCP_DRAW_INDX_OFFSET 4 1 3\npkt4 0x8104 4\n.at 0x50000\n"
                                      "pkt4 0x8100 0xaa\n.at 0x50100\npkt4 0x8101 0xbb\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason;
    std::string writes;
    for (const Event& event : report.events)
      if (event.kind == Event::Kind::gpu_write && event.address >= 0x8100 && event.address < 0x8110)
        writes += std::to_string(event.value) + ' ';
    EXPECT_EQ(writes, "170 187 4 ") << name;
  });
  EXPECT_GE(images, 3u);  // Debian 12 alone has as many
}

TEST_F(AfucRealHardware, ConditionsSkipWords) {
  for_each_sqe([](Emulator& emulator, const std::string& name) {
    const RunReport report = run_text(
        emulator,
        "CP_COND_EXEC 0x60000 0 0x60000 0 1 2\npkt4 0x8101 1\nCP_COND_EXEC 0x60004 0 0x60004 0 1 2\npkt4 0x8102 1\n"
        "pkt4 0x8103 1\n.at 0x60000\n[1]\n[0]\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason;
    EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8101=1 8103=1") << name;
  });
}

TEST_F(AfucRealHardware, RegisterBunchesAndBuffersThreeDeep) {
  for_each_sqe([](Emulator& emulator, const std::string& name) {
    const RunReport report =
        run_text(emulator,
                 "CP_CONTEXT_REG_BUNCH 0x8100 1 0x8102 2\nCP_INDIRECT_BUFFER 0x100000 0 7\npkt4 0x8109 9\n"
                 ".at 0x100000\nCP_INDIRECT_BUFFER 0x200000 0 2\npkt4 0x8108 8\nCP_NOP\n.at 0x200000\npkt4 0x8107 7\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason;
    EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=1 8102=2 8107=7 8108=8 8109=9") << name;
  });
}

TEST_F(AfucRealHardware, RequestsForPreemptionAreSeenAndPutOff) {
  for_each_sqe([](Emulator& emulator, const std::string& name) {
    if (name.starts_with("gen80")) return;
    const RunReport report = run_text(emulator, ".reg CP_CONTEXT_SWITCH_CNTL 0x1\nCP_NOP\npkt4 0x8100 1\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason;
    EXPECT_NE(listed(report, Event::Kind::interrupt), "") << name;
    EXPECT_THAT(listed(report, Event::Kind::gpu_write), HasSubstr("8100=1")) << name;
  });
}

TEST_F(AfucRealHardware, EventsLeaveTheirValueInMemory) {
  for_each_sqe([](Emulator& emulator, const std::string& name) {
    const bool a6xx = emulator.chip().starts_with("a6") || emulator.chip() == "a702";
    const RunReport report = run_text(emulator, a6xx ? "CP_EVENT_WRITE 0x4 0x20000 1 0xdead\n"
                                                     : "CP_EVENT_WRITE7 0x08000004 0x20000 1 0xdead\n"
                                                       "CP_EVENT_WRITE7 0x08100004 0x20010 1 0x11 0x22\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason;
    EXPECT_EQ(listed(report, Event::Kind::memory_write),
              a6xx ? "100020000=dead" : "100020000=dead 100020010=11 100020014=22")
        << name;
  });
  std::vector<std::vector<std::uint32_t>> pair = real_a530();
  if (pair.empty()) return;
  Emulator emulator = boot(std::move(pair));
  const RunReport report = run_text(emulator, "CP_EVENT_WRITE 0x4 0x20000 1 0xdead\n");
  EXPECT_EQ(listed(report, Event::Kind::memory_write), "100020000=dead");
}

/// a8xx: BR passes draws on to DDE_BR, which writes their registers.
TEST_F(AfucRealHardware, DrawsArePassedOn) {
  for_each_sqe([](Emulator& emulator, const std::string& name) {
    if (!name.starts_with("gen80")) return;
    const RunReport report =
        run_text(emulator, "CP_WAIT_FOR_IDLE\nCP_DRAW_INDX_OFFSET 4 1 3\nCP_DRAW_INDX_OFFSET 5 2 6\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[3].reason;
    const std::string writes = listed(report, Event::Kind::gpu_write);
    EXPECT_THAT(writes, HasSubstr("9e00=4 9e01=1 9e02=3")) << name;
    EXPECT_THAT(writes, HasSubstr("9e00=5 9e01=2 9e02=6")) << name;
    for (const PacketRun& run : report.packets) EXPECT_TRUE(run.core == 0 || run.core == 3) << name;
  });
}

/// After one buffer firmware looks for the next, and goes there at once.
TEST_F(AfucRealHardware, BuffersFollowEachOther) {
  for_each_sqe([](Emulator& emulator, const std::string& name) {
    const RunReport report =
        run_text(emulator,
                 "CP_INDIRECT_BUFFER 0x100000 0 6\nCP_INDIRECT_BUFFER 0x200000 0 2\nCP_INDIRECT_BUFFER 0x300000 0 2\n"
                 "pkt4 0x8104 5\n.at 0x100000\nCP_INDIRECT_BUFFER 0x400000 0 2\npkt4 0x8101 2\n.at 0x200000\n"
                 "pkt4 0x8102 3\n.at 0x300000\npkt4 0x8103 4\n.at 0x400000\npkt4 0x8100 1\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason;
    EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=1 8101=2 8102=3 8103=4 8104=5") << name;
  });
}

TEST_F(AfucRealHardware, BuffersLeadToOthers) {
  for_each_sqe([](Emulator& emulator, const std::string& name) {
    const RunReport report =
        run_text(emulator,
                 "CP_INDIRECT_BUFFER 0x100000 0 6\npkt4 0x8103 4\n.at 0x100000\npkt4 0x8100 1\n"
                 "CP_INDIRECT_BUFFER_CHAIN 0x200000 0 4\n.at 0x200000\npkt4 0x8101 2\npkt4 0x8102 3\n");
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason;
    EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=1 8101=2 8102=3 8103=4") << name;
  });
}

TEST_F(AfucRealHardware, LpacTakesAStream) {
  unsigned others = 0;
  for_each_sqe([&](Emulator& emulator, const std::string& name) {
    const auto cores = emulator.cores();
    for (std::size_t i = 1; i < cores.size(); ++i) {
      if (cores[i].name != "LPAC") continue;
      const auto ring = prepare(emulator, "pkt4 0x8100 0x1\nCP_NOP 1 2 3\n");
      const CoreStream stream{i, ring};
      const RunReport report = emulator.run(std::span(&stream, 1)).value();
      EXPECT_TRUE(report.ok) << name << emulator.cores()[i].reason;
      EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=1") << name;
      EXPECT_EQ(report.packets.size(), 2u) << name;
      ++others;
    }
  });
  EXPECT_GE(others, 1u);
}

/// Both read the same ring buffer; a packet says who is concerned.
TEST_F(AfucRealHardware, BrAndBvMeetAtThreadControl) {
  unsigned pairs = 0;
  for_each_sqe([&](Emulator& emulator, const std::string& name) {
    if (emulator.cores().size() < 2 || emulator.cores()[1].name != "BV" || name.starts_with("gen80")) return;
    const auto ring = prepare(emulator, "CP_THREAD_CONTROL 0x3\npkt4 0x8100 1\nCP_NOP 1 2 3\n");
    const CoreStream streams[] = {{0, ring}, {1, ring}};
    const RunReport report = emulator.run(streams).value();
    EXPECT_TRUE(report.ok) << name << emulator.cores()[0].reason << emulator.cores()[1].reason;
    std::set<int> writers;
    for (const Event& event : report.events)
      if (event.kind == Event::Kind::gpu_write && event.address == 0x8100) writers.insert(event.core);
    EXPECT_EQ(writers.size(), 2u) << name;
    ++pairs;
  });
  if (pairs == 0) GTEST_SKIP() << "none of the images that were fetched has a BV; Debian 12 alone has none";
}

}  // namespace
}  // namespace mobula::afuc
