// Draw states of an a5xx: the PFP compares groups and fetches their words, and the ME reads them from a queue of their
// own (decision 0042).
#include <gmock/gmock.h>

#include "machines/afuc/run.h"

namespace mobula::afuc {
namespace {

using testing::HasSubstr;

/// A firmware file of tests/data with these handlers.
std::vector<std::uint32_t> image_with(const std::string& file, const std::string& handlers) {
  std::string text = data_text(file);
  text.insert(text.find("jumptbl:\n"), handlers);
  const auto program = assemble_text(text);
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  return program ? words_of(*program) : std::vector<std::uint32_t>{};
}

/// Takes groups, hands all active ones over at a draw, and those that ask for it at once. UNKN56 selects group 0 and
/// stands for a draw; UNKN57 fetches words for a packet of the ME; UNKN58 sends a packet that needs more of them.
constexpr std::string_view pfp_handlers = R"(
CP_SET_DRAW_STATE:
cwrite $data, [$00 + 0x02c]
(rep)cwrite $data, [$00 + 0x02b]
cread $0a, [$00 + 0x02a]
call #hand_over
nop
waitin
mov $01, $data

UNKN56:
cread $0a, [$00 + 0x029]
cwrite $00, [$00 + 0x029]
call #hand_over
nop
waitin
mov $01, $data

UNKN57:
mov $03, 0x7041 << 16
or $data, $03, 0x1
mov $data, $data
cwrite $data, [$00 + 0x0bc]
cwrite $00, [$00 + 0x0bd]
cwrite $data, [$00 + 0x0be]
waitin
mov $01, $data

UNKN58:
mov $03, 0x7008 << 16
or $data, $03, 0x1
mov $data, $data
waitin
mov $01, $data

hand_over:
mov $02, 0x0
next:
breq $0a, 0x0, #done
and $03, $0a, 0x1
ushr $0a, $0a, 0x1
cwrite $02, [$00 + 0x021]
breq $03, 0x0, #next
add $02, $02, 0x1
cread $03, [$00 + 0x025]
cread $04, [$00 + 0x026]
cread $05, [$00 + 0x027]
and $05, $05, 0xffff
cwrite $03, [$00 + 0x022]
cwrite $04, [$00 + 0x023]
cwrite $05, [$00 + 0x024]
cwrite $00, [$00 + 0x027]
cwrite $03, [$00 + 0x0bc]
cwrite $04, [$00 + 0x0bd]
cwrite $05, [$00 + 0x0be]
mov $03, 0x7008 << 16
or $data, $03, 0x1
jump #next
mov $data, $05
done:
ret
nop

)";

/// UNKN8 goes to the words that were fetched, UNKN9 comes back, and CP_EXEC_CS_INDIRECT reads two of them.
constexpr std::string_view me_handlers = R"(
UNKN8:
mov $02, 0x1
cwrite $data, [$00 + 0x012]
cwrite $02, [$00 + 0x031]
waitin
mov $01, $data

UNKN9:
cwrite $00, [$00 + 0x031]
waitin
mov $01, $data

CP_EXEC_CS_INDIRECT:
mov $02, 0x5
cwrite $02, [$00 + 0x012]
mov $03, $data
cwrite $02, [$00 + 0x031]
add $rem, $rem, 0x2
mov $addr, 0xb78
mov $data, $data
mov $data, $data
cwrite $00, [$00 + 0x031]
mov $data, $03
waitin
mov $01, $data

UNKN59:
cwrite $data, [$00 + 0x031]
waitin
mov $01, $data

UNKN60:
cwrite $data, [$00 + 0x013]
waitin
mov $01, $data

)";

std::vector<std::uint32_t> own_pfp() {
  return image_with("pfp.asm", std::string(pfp_handlers) +
                                   "UNKN59:\nUNKN60:\nmov $data, $01\n(rep)mov $data, $data\nwaitin\n" +
                                   "mov $01, $data\n");
}
Emulator boot_pair() { return boot({own_pfp(), image_with("me.asm", std::string(me_handlers))}); }

constexpr std::string_view two_groups = R"(
.at 0x20000
pkt4 0x8100 0x11 0x12
pkt4 0x8102 0x13
.at 0x20040
pkt4 0x8103 0x14
)";

TEST(AfucStateQueue, DrawStatesSetRegisters) {
  Emulator emulator = boot_pair();
  const RunReport report = run_text(
      emulator, "CP_SET_DRAW_STATE 0x00010005 0x20000 0 0x03010002 0x20040 0\nUNKN56\n" + std::string(two_groups));
  EXPECT_TRUE(report.ok) << emulator.cores()[0].reason << emulator.cores()[1].reason;
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=11 8101=12 8102=13 8103=14");
  EXPECT_EQ(report.packets[2].level, 3) << "the packets of a draw state";
}

TEST(AfucStateQueue, GroupsThatAskForItAreLoadedAtOnce) {
  Emulator emulator = boot_pair();
  EXPECT_EQ(listed(run_text(emulator, "CP_SET_DRAW_STATE 0x01090005 0x20000 0\n" + std::string(two_groups)),
                   Event::Kind::gpu_write),
            "8100=11 8101=12 8102=13");
  EXPECT_EQ(listed(run_text(emulator, "UNKN56\n"), Event::Kind::gpu_write), "") << "it is no longer pending";
}

TEST(AfucStateQueue, DisabledGroupsAreNotLoaded) {
  const std::string set = "CP_SET_DRAW_STATE 0x00010005 0x20000 0 0x03010002 0x20040 0\n";
  Emulator one = boot_pair();
  EXPECT_EQ(listed(run_text(one, set + "CP_SET_DRAW_STATE 0x03020000 0 0\nUNKN56\n" + std::string(two_groups)),
                   Event::Kind::gpu_write),
            "8100=11 8101=12 8102=13");
  Emulator all = boot_pair();
  EXPECT_EQ(listed(run_text(all, set + "CP_SET_DRAW_STATE 0x00040000 0 0\nUNKN56\n" + std::string(two_groups)),
                   Event::Kind::gpu_write),
            "");
}

TEST(AfucStateQueue, WordsInsideAPacketComeFromItToo) {
  Emulator emulator = boot_pair();
  EXPECT_EQ(
      listed(run_text(emulator, "UNKN57 7 0x20000 2\n.at 0x20000\n[00000021]\n[00000022]\n"), Event::Kind::gpu_write),
      "b78=21 b79=22 b7a=7");
}

/// Why a run did not end well.
std::string failure(std::string_view stream) {
  Emulator emulator = boot_pair();
  EXPECT_FALSE(run_text(emulator, stream).ok);
  std::string reasons;
  for (const CoreReport& core : emulator.cores())
    if (core.halt == Halt::fault) reasons += core.name + ' ' + core.reason + '\n';
  return reasons;
}

TEST(AfucStateQueue, WhatNobodyKnowsStopsACore) {
  EXPECT_THAT(failure("CP_SET_DRAW_STATE 0x00100001 0x20000 0\n"), HasSubstr("nobody knows bits 0x100000 on an a5xx"));
  EXPECT_THAT(failure("CP_SET_DRAW_STATE 0x00010001 0x20000\n"),
              HasSubstr("group 0 of draw states has 2 of its three"));
  EXPECT_THAT(failure("CP_SET_DRAW_STATE 0x00010001\nCP_SET_DRAW_STATE 0x00010001 0 0\n"),
              HasSubstr("group 0 of draw states has 1 of its three"));
  EXPECT_THAT(failure("CP_SET_DRAW_STATE 0x01000005 0x20000 0\nUNKN56\nCP_SET_DRAW_STATE 0x01020000 0 0\n"
                      "CP_SET_DRAW_STATE 0x01000005 0x20000 0\n" +
                      std::string(two_groups)),
              HasSubstr("group 1 of draw states was loaded from where it is now, and has been disabled or dirty"));
  EXPECT_THAT(failure("CP_SET_DRAW_STATE 0x01000005 0x20000 0\nUNKN56\nCP_SET_DRAW_STATE 0x01010005 0x20000 0 "
                      "0x01000005 0x20000 0\n" +
                      std::string(two_groups)),
              HasSubstr("group 1 of draw states was loaded from where it is now"));
  EXPECT_THAT(failure("UNKN59 2\n"), HasSubstr("ME the ME chooses queue 0x2: 0, 1 and 5 are known"));
}

TEST(AfucStateQueue, WordsThatAreMissingOrLeftAreReported) {
  EXPECT_THAT(failure("UNKN58 3\n"), HasSubstr("ME waits for 3 words of draw states that the PFP has not fetched"));
  EXPECT_THAT(failure("UNKN57 7 0x20000 3\n"), HasSubstr("ME has not read 1 word of draw states"));
  EXPECT_THAT(failure("UNKN57 7 0x20000 1\n"),
              HasSubstr("what the PFP has fetched for draw states ends in the middle"));
  EXPECT_THAT(failure("CP_SET_DRAW_STATE 0x00010002 0x20000 0\nUNKN56\n" + std::string(two_groups)),
              HasSubstr("what the PFP has fetched for draw states ends in the middle of packet PKT4"));
}

TEST(AfucStateQueue, ControlRegister0x013OfTheMeReadsNoRegister) {
  Emulator emulator = boot_pair();
  emulator.write_register(0x8101, 0x42);
  EXPECT_TRUE(run_text(emulator, "UNKN60 0x30\nCP_REG_TO_MEM 0x8101 0x30000 0\n").ok);
  EXPECT_EQ(emulator.read_memory(0x30000), 0x42u);
}

TEST(AfucStateQueue, AloneThePfpFetchesNothing) {
  Emulator emulator = boot({own_pfp()});
  run_text(emulator, "CP_SET_DRAW_STATE 0x00010005 0x20000 0\nUNKN56\n");
  EXPECT_EQ(emulator.cores()[0].halt, Halt::idle);
}

// ---- real images

class AfucRealStateQueue : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::vector<std::uint32_t>> images = real_a530();
    if (images.empty()) GTEST_SKIP() << "no a530 in " << firmware_cache() << "; scripts/fetch-firmware gets it";
    emulator_.emplace(boot(std::move(images)));
    // Sets the mask of the groups that are loaded to all.
    EXPECT_TRUE(run_text(*emulator_, "CP_ME_INIT 0x2f 3 0 0 0 0 0 0\n").ok);
  }
  /// Writes to registers that tests set, by the ME, in either bank.
  std::string writes(const std::string& stream) {
    const RunReport report = run_text(*emulator_, stream);
    EXPECT_TRUE(report.ok) << stream << emulator_->cores()[0].reason << emulator_->cores()[1].reason;
    std::ostringstream text;
    for (const Event& event : report.events)
      if (const auto number = event.address & ~std::uint64_t{0x800};
          event.kind == Event::Kind::gpu_write && event.core == 1 && number >= 0xE784 && number < 0xE788)
        text << std::hex << number << '=' << event.value << ' ';
    return text.str();
  }
  std::optional<Emulator> emulator_;
};

const std::string draw = "CP_DRAW_INDX_OFFSET 0x484 1 3\n";
const std::string group_memory = ".at 0x20000\npkt4 0xe784 0x55\npkt4 0xe785 0x56 0x57\n";

TEST_F(AfucRealStateQueue, DrawsLoadTheirStates) {
  EXPECT_EQ(writes("CP_SET_DRAW_STATE 0x00010005 0x20000 0\n" + draw + group_memory), "e784=55 e785=56 e786=57 ");
  EXPECT_EQ(writes(draw), "") << "once";
}

TEST_F(AfucRealStateQueue, RegistersAreReadRightlyAfterADraw) {
  emulator_->write_register(0x8101, 0x42);
  writes(draw + "CP_REG_TO_MEM 0x8101 0x30000 0\n");
  EXPECT_EQ(emulator_->read_memory(0x30000), 0x42u);
}

TEST_F(AfucRealStateQueue, WhatIsLoadedIsNotLoadedAgain) {
  EXPECT_EQ(writes("CP_SET_DRAW_STATE 0x04000002 0x20000 0\n" + draw + group_memory), "e784=55 ");
  EXPECT_EQ(writes("CP_SET_DRAW_STATE 0x04000002 0x20000 0\n" + draw), "") << "the same";
  EXPECT_EQ(writes("CP_SET_DRAW_STATE 0x04000005 0x20000 0\n" + draw), "e785=56 e786=57 ") << "what was appended";
  EXPECT_EQ(writes("CP_SET_DRAW_STATE 0x04010005 0x20000 0\n" + draw), "e784=55 e785=56 e786=57 ") << "dirty";
}

TEST_F(AfucRealStateQueue, GroupsAreLoadedAtOnceOrNotAtAll) {
  EXPECT_EQ(writes("CP_SET_DRAW_STATE 0x02090002 0x20000 0\n" + group_memory), "e784=55 ") << "load immediately";
  EXPECT_EQ(writes(draw), "");
  EXPECT_EQ(writes("UNKN24 0xfffffffb\nCP_SET_DRAW_STATE 0x02010002 0x20000 0 0x03010003 0x20008 0\n" + draw),
            "e785=56 e786=57 ")
      << "UNKN24 is the mask of the groups that are loaded";
}

TEST_F(AfucRealStateQueue, ComputeTakesItsGroupsFromMemory) {
  const RunReport report =
      run_text(*emulator_, "CP_EXEC_CS_INDIRECT 0 0x20000 0 0\n.at 0x20000\n[00000002]\n[00000003]\n[00000004]\n");
  EXPECT_TRUE(report.ok) << emulator_->cores()[0].reason << emulator_->cores()[1].reason;
  EXPECT_THAT(listed(report, Event::Kind::gpu_write), HasSubstr("e7b9=2 e7ba=3 e7bb=4"));
}

TEST_F(AfucRealStateQueue, ABufferThatIsSkippedDoesNotComeBack) {
  // Level 2 ends at the packet that skips it; the next buffer of that level is another one.
  const std::string stream =
      "CP_INDIRECT_BUFFER 0x30000 0 12\n"
      ".at 0x30000\nCP_INDIRECT_BUFFER 0x31000 0 6\npkt4 0xe784 1\nCP_SKIP_IB2_ENABLE_LOCAL 0\n"
      "CP_INDIRECT_BUFFER 0x32000 0 2\n"
      ".at 0x31000\nCP_SKIP_IB2_ENABLE_LOCAL 1\nCP_SKIP_IB2_ENABLE_GLOBAL 1\npkt4 0xe785 2\n"
      ".at 0x32000\npkt4 0xe786 3\n";
  const auto names = emulator_->register_names();
  const auto flags = std::find(names.begin(), names.end(), "$14");
  emulator_->set_register(0, static_cast<std::size_t>(flags - names.begin()), 1u << 6);  // nothing is visible
  EXPECT_EQ(writes(stream), "e784=1 e786=3 ");
}

}  // namespace
}  // namespace mobula::afuc
