// PFP and ME of an a5xx: what one may do before the other, the queue between them, and the ports of the ME. The
// programs are examples/documents/afuc/pfp.afuc and me.afuc.
#include <gmock/gmock.h>

#include <fstream>

#include "machines/afuc/run.h"
#include "paths.h"

namespace mobula::afuc {
namespace {

using testing::HasSubstr;

std::string example_text(const std::string& name) {
  const auto bytes = read_bytes(mobula::test::source_file("examples/documents/afuc/" + name));
  return {bytes.begin(), bytes.end()};
}
std::vector<std::uint32_t> example_image(const std::string& name) {
  const auto program = assemble_text(example_text(name));
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  return program ? words_of(*program) : std::vector<std::uint32_t>{};
}
Emulator boot_both(EmulatorOptions options = {}) {
  return boot({example_image("pfp.afuc"), example_image("me.afuc")}, std::move(options));
}

constexpr std::uint32_t vfd_index_offset_of_bank_1 = 0xEC08;

TEST(AfucTwoCores, ThePfpWaitsForWhatTheMeWrites) {
  const std::string stream = example_text("race.pm4");
  // However fast the two are: the result is that of the order in the stream.
  for (const auto& [name, cycles] :
       std::initializer_list<std::pair<const char*, std::uint64_t>>{{"alu_cycles", 1},
                                                                    {"alu_cycles", 100},
                                                                    {"control_cycles", 50},
                                                                    {"branch_cycles", 0},
                                                                    {"waitin_cycles", 1000}}) {
    EmulatorOptions options;
    options.costs = {{name, cycles}};
    Emulator emulator = boot_both(std::move(options));
    EXPECT_TRUE(run_text(emulator, stream).ok) << name;
    EXPECT_EQ(emulator.read_register(vfd_index_offset_of_bank_1), 0x77u) << name << cycles;
  }
}

TEST(AfucTwoCores, WithoutWaitingThePfpReadsFirst) {
  Emulator emulator = boot_both();
  std::string stream = example_text("race.pm4");
  stream.replace(stream.find("CP_WAIT_FOR_ME"), 14, "CP_NOP");
  stream.insert(0, "UNKN121 1 2\nUNKN121 1 2\nUNKN121 1 2\nUNKN121 1 2\n");  // the ME is still at these
  EXPECT_TRUE(run_text(emulator, stream).ok);
  EXPECT_EQ(emulator.read_register(vfd_index_offset_of_bank_1), 7u);
}

TEST(AfucTwoCores, AloneThePfpDoesNotWait) {
  Emulator emulator = boot({example_image("pfp.afuc")});
  run_text(emulator, "CP_WAIT_FOR_ME\n");
  EXPECT_EQ(emulator.cores()[0].halt, Halt::idle);
}

TEST(AfucTwoCores, TheQueueBetweenThemHolds64Words) {
  std::vector<firmware::Waiting> waits;
  EmulatorOptions options;
  options.on_wait = [&](const firmware::Waiting& each) { waits.push_back(each); };
  Emulator emulator = boot_both(std::move(options));
  std::string stream = "CP_MEM_WRITE 0x20000 0";
  for (unsigned i = 0; i < 300; ++i) stream += " " + std::to_string(i);
  const RunReport report = run_text(emulator, stream + "\n" + stream + "\n");
  EXPECT_TRUE(report.ok) << emulator.cores()[0].reason << emulator.cores()[1].reason;
  EXPECT_EQ(emulator.read_memory(0x20000 + 4 * 299), 299u);
  int queued = 0, most = 0;
  for (const Event& event : report.events) {
    if (event.kind == Event::Kind::forward) ++queued;
    if (event.kind == Event::Kind::gpu_write && event.core == 1) --queued;
    most = std::max(most, queued);
  }
  EXPECT_LE(most, 66) << "words that have become writes, and a header, are not in the queue";
  EXPECT_TRUE(std::any_of(waits.begin(), waits.end(), [](const auto& each) { return each.wanting == Wanting::words; }));
}

TEST(AfucTwoCores, ThePfpWaitsForRoom) {
  std::vector<firmware::Waiting> waits;
  EmulatorOptions options;
  options.costs = {{"memdata_cycles", 0}};
  options.on_wait = [&](const firmware::Waiting& each) { waits.push_back(each); };
  Emulator emulator = boot_both(std::move(options));
  // Branches and calls are the ME's only; the PFP forwards 100 packets in less time than it takes to handle them.
  std::string stream;
  for (unsigned i = 0; i < 100; ++i) stream += "UNKN121 1 2\n";
  EXPECT_TRUE(run_text(emulator, stream).ok);
  const auto room = [](const firmware::Waiting& each) { return each.wanting == Wanting::room; };
  ASSERT_TRUE(std::any_of(waits.begin(), waits.end(), room));
  EXPECT_EQ(std::find_if(waits.begin(), waits.end(), room)->core, 0);
}

TEST(AfucTwoCores, APacketWhoseWordsDoNotComeIsReported) {
  // This PFP announces two words and sends one.
  std::string text = example_text("pfp.afuc");
  const std::string sent = "mov $data, $addr\nmov $08, $memdata\n";
  text.replace(text.find(sent), sent.size(), "mov $08, $memdata\n");
  Emulator emulator = boot({words_of(assemble_text(text).value()), example_image("me.afuc")});
  EXPECT_FALSE(run_text(emulator, "CP_DRAW_INDIRECT 0x484 0x20000 0x0\n").ok);
  EXPECT_EQ(emulator.cores()[1].halt, Halt::fault);
  EXPECT_THAT(emulator.cores()[1].reason, HasSubstr("ends in the middle of packet CP_DRAW_INDIRECT"));
}

TEST(AfucTwoCores, APfpWithoutRoomIsReported) {
  Emulator emulator = boot_both();
  std::string stream = "UNKN125\n";  // the ME stops in it: nothing is being fetched
  for (unsigned i = 0; i < 50; ++i) stream += "UNKN121 1 2\n";
  EXPECT_FALSE(run_text(emulator, stream).ok);
  EXPECT_EQ(emulator.cores()[1].halt, Halt::fault);
  EXPECT_EQ(emulator.cores()[0].halt, Halt::fault);
  EXPECT_THAT(emulator.cores()[0].reason, HasSubstr("waits for room in the queue to the ME"));
}

TEST(AfucTwoCores, TheHardwareModifiesRegisters) {
  Emulator emulator = boot_both();
  emulator.write_register(0x8101, 0xF0000042);
  EXPECT_TRUE(run_text(emulator, "CP_REG_RMW 0x04008101 0xf00000ff 0x1000\n").ok);
  EXPECT_EQ(emulator.read_register(0x8101), 0x142Fu) << "masked, rotated left by 4, and or";

  EmulatorOptions options;
  options.policies = {{"rmw", "trap"}};
  Emulator strict = boot_both(std::move(options));
  EXPECT_FALSE(run_text(strict, "CP_REG_RMW 0x04008101 0xf00000ff 0x1000\n").ok);
  EXPECT_THAT(strict.cores()[1].reason, HasSubstr("policy rmw"));
}

TEST(AfucTwoCores, ThePortsOfTheDocumentAreAPolicy) {
  const std::string stream = "UNKN124 0x11 0x22\nUNKN125\nUNKN127 0x20000 1 0xdead 0xbeef\n";
  EmulatorOptions options;
  options.policies = {{"me_ports", "document"}};
  Emulator emulator = boot_both(std::move(options));
  EXPECT_TRUE(run_text(emulator, stream).ok) << emulator.cores()[1].reason;
  EXPECT_EQ(emulator.read_register(0xB7C), 0x11u);
  EXPECT_EQ(emulator.read_register(0xB7D), 0x22u);
  EXPECT_EQ(emulator.read_memory(0x1'0002'0000), 0xDEADu);
  EXPECT_EQ(emulator.read_memory(0x1'0002'0004), 0xBEEFu);
  EXPECT_TRUE(run_text(emulator, "UNKN118 0x20000 1\n").ok);
  EXPECT_EQ(emulator.read_register(0xB7C), 0xDEADu);
  EXPECT_EQ(emulator.read_register(0xB7D), 0xBEEFu);

  Emulator images = boot_both();
  EXPECT_FALSE(run_text(images, stream).ok);
  EXPECT_THAT(images.cores()[1].reason, HasSubstr("no memory is being fetched"));
}

// ---- real images

class AfucRealTwoCores : public ::testing::Test {
 protected:
  void SetUp() override {
    if (images_.empty()) GTEST_SKIP() << "no a530 in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  }
  Emulator boot_both(EmulatorOptions options = {}) { return boot(images_, std::move(options)); }
  std::vector<std::vector<std::uint32_t>> images_ = real_a530();
};

TEST_F(AfucRealTwoCores, DrawsComeAfterWhatTheyWaitFor) {
  std::string stream;
  for (unsigned i = 0; i < 30; ++i) stream += "CP_MEM_TO_MEM 0 0x30000 0 0x30010 0\n";
  stream += "CP_MEM_WRITE 0x20008 0 0x77\nCP_WAIT_FOR_ME\nCP_DRAW_INDIRECT 0x484 0x20000 0\n";
  stream += ".at 0x20000\n[00000003]\n[00000002]\n[00000007]\n[00000001]\n";
  for (const std::uint64_t cycles : {1, 30}) {
    EmulatorOptions options;
    options.costs = {{"alu_cycles", cycles}};
    Emulator emulator = boot_both(std::move(options));
    EXPECT_TRUE(run_text(emulator, stream).ok) << emulator.cores()[0].reason << emulator.cores()[1].reason;
    EXPECT_EQ(emulator.read_register(0xE408), 0x77u) << cycles;
  }
}

TEST_F(AfucRealTwoCores, TheFoundRaceIsNone) {
  std::ifstream file(mobula::test::sample("found/adreno-race.pm4"));
  if (!file) GTEST_SKIP() << "no samples";
  Emulator emulator = boot_both();
  const std::string stream(std::istreambuf_iterator<char>(file), {});
  EXPECT_TRUE(run_text(emulator, stream).ok) << emulator.cores()[0].reason;
  EXPECT_EQ(emulator.read_register(0xE408), 0x77u);
}

TEST_F(AfucRealTwoCores, RegistersAreModified) {
  Emulator emulator = boot_both();
  emulator.write_register(0x8101, 2);
  EXPECT_TRUE(run_text(emulator, "CP_REG_RMW 0x8101 0xffffff0f 0x40\nCP_REG_TO_MEM 0x8101 0x30000 0\n").ok)
      << emulator.cores()[1].reason;
  EXPECT_EQ(emulator.read_register(0x8101), 0x42u);
  EXPECT_EQ(emulator.read_memory(0x30000), 0x42u) << "nothing is left in the queue of registers read";
}

TEST_F(AfucRealTwoCores, WaitsAreAnswered) {
  Emulator emulator = boot_both();
  for (const char* packet : {"CP_WAIT_FOR_IDLE", "CP_WAIT_FOR_ME", "CP_WAIT_MEM_WRITES"}) {
    EXPECT_TRUE(run_text(emulator, std::string(packet) + "\nCP_WAIT_FOR_ME\n").ok) << packet;
    EXPECT_EQ(emulator.read_control(0, 0x008), 0u) << packet;
  }
}

}  // namespace
}  // namespace mobula::afuc
