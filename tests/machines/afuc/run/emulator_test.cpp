// Firmware with its devices: our own small one, and the real images against expected boots and runs.
#include <gmock/gmock.h>

#include <map>

#include "machines/afuc/run.h"
#include "mobula/lab/firmware_run.h"
#include "paths.h"

namespace mobula::afuc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Emulator boot_own(EmulatorOptions options = {}) { return boot({own_image("run.asm")}, std::move(options)); }

// ---- our own firmware

TEST(AfucEmulator, FirmwareLoadsItsPacketTableAndWaits) {
  const Emulator emulator = boot_own();
  const auto cores = emulator.cores();
  ASSERT_EQ(cores.size(), 1u);
  EXPECT_EQ(cores[0].name, "SQE");
  EXPECT_EQ(cores[0].halt, Halt::idle);
  EXPECT_GT(cores[0].packet_table[0x04], cores[0].pc);
  EXPECT_GT(cores[0].packet_table[0x10], cores[0].packet_table[0x04]);
  EXPECT_EQ(cores[0].packet_table[0x02], 0u) << "no label fills it";
  EXPECT_GT(cores[0].preempt_entry, cores[0].packet_table[0x10]);
  EXPECT_EQ(emulator.packet_name(0x10), "CP_NOP");
}

TEST(AfucEmulator, NestedIndirectBuffersAreProcessedInOrder) {
  Emulator emulator = boot_own();
  const RunReport report = run_text(emulator, data_text("run.pm4"));
  EXPECT_TRUE(report.ok) << emulator.cores()[0].reason;
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=11 8102=12 8104=14 8106=16 8107=17 8108=18");
  EXPECT_EQ(listed(report, Event::Kind::memory_write), "100030000=dead 100030004=beef");
  EXPECT_EQ(emulator.read_memory(0x1'0003'0004), 0xBEEFu);
  std::vector<int> levels;
  for (const Event& event : report.events)
    if (event.kind == Event::Kind::packet) levels.push_back(event.level);
  EXPECT_THAT(levels, ElementsAre(0, 0, 0, 1, 1, 2, 2, 2, 1, 1, 0)) << "the ends of buffers are packets, too";
}

TEST(AfucEmulator, PacketsTellTheirInstructions) {
  Emulator emulator = boot_own();
  const RunReport report = run_text(emulator, "CP_NOP\nCP_NOP 1 2 3 4\nCP_NOP 1 2 3 4 5\n");
  ASSERT_EQ(report.packets.size(), 3u);
  EXPECT_EQ(report.packets[0].instructions, 3u);
  EXPECT_EQ(report.packets[1].instructions, 4u);
  EXPECT_EQ(report.packets[2].instructions, 5u);
}

TEST(AfucEmulator, BlocksAreToldAsTheyAreExecuted) {
  std::ostringstream told;
  Emulator emulator = boot_own({.on_block = [&](std::uint8_t core, const ExecutedBlock& executed) {
    told << unsigned{core} << ' ' << executed.block.address;
    for (const ExecutedBlock::Access& access : executed.accesses)
      told << (access.call->service == ir::Service::device_read ? " reads " : " writes ") << access.call->index;
    told << '\n';
  }});
  const std::uint32_t waitin = emulator.cores()[0].pc, nop = emulator.cores()[0].packet_table[0x10];
  EXPECT_THAT(told.str(), testing::StartsWith("0 0\n0 4\n0 8\n0 12 writes 6\n")) << "the boot, from word 0";
  told.str({});
  run_text(emulator, "CP_NOP 1 2 3 4\n");
  std::ostringstream expected;
  expected << "0 " << waitin * 4 << " reads 11\n";
  expected << "0 " << waitin * 4 + 5 << " reads 0 reads 12\n";  // its delay slot: the header, and where it leads
  expected << "0 " << nop * 4 << "\n0 " << nop * 4 + 2 << " reads 0 writes 5\n";  // (rep)(xmov3): once is enough
  EXPECT_EQ(told.str(), expected.str()) << "the waitin after it waits, and so is not executed";
}

TEST(AfucEmulator, DrawStatesKeepTheirWords) {
  Emulator emulator = boot_own();
  const RunReport report = run_text(emulator, "CP_SET_DRAW_STATE 0x01000004 0x5000 0x0 0x02000003 0x6000 0x0\n");
  EXPECT_EQ(listed(report, Event::Kind::sds_word, ':'), "0:5000 1:0 0:6000 1:0");
  EXPECT_EQ(emulator.read_control(0, 0x049), 6u) << "groups 1 and 2 are active";
  run_text(emulator, "CP_SET_DRAW_STATE 0x01020000 0x0 0x0\n");
  EXPECT_EQ(emulator.read_control(0, 0x049), 4u);
}

TEST(AfucEmulator, ProtectedRegistersAreNotWritten) {
  Emulator emulator = boot_own();
  emulator.write_register(0x84F, 1);
  emulator.write_register(0x850, 0x8101 | 1 << 18);
  const RunReport report = run_text(emulator, "pkt4 0x8100 1 2 3 4\n");
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=1 8103=4");
  EXPECT_EQ(listed(report, Event::Kind::violation), "8101=2 8102=3");
}

TEST(AfucEmulator, StreamsThatAreCutShortSayWhere) {
  Emulator emulator = boot_own();
  const RunReport report = emulator.run(std::vector<std::uint32_t>{pm4::type4_header(0x8100, 3), 1});
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(emulator.cores()[0].reason, HasSubstr("the ring buffer ends in the middle of packet PKT4"));
}

/// It is no error: words of the next stream are taken, as a core takes them that reads past packets.
TEST(AfucEmulator, PacketsThatWantMoreThanIsThereSaySo) {
  Emulator emulator = boot_own();
  EXPECT_EQ(emulator.cores()[0].awaits, "") << "at waitin";
  const RunReport report = run_text(emulator, "CP_INDIRECT_BUFFER 0x100000\n");
  EXPECT_TRUE(report.ok);
  EXPECT_THAT(
      emulator.cores()[0].awaits,
      testing::AllOf(HasSubstr("waits at $data, and not at waitin, for a word of the ring buffer beyond packet"),
                     HasSubstr("packet CP_INDIRECT_BUFFER, header 70bf0001 with 1 word")));
  const Diagnostics told = firmware::complaints(emulator.cores());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].code, "AF168");
  EXPECT_EQ(told[0].severity, Severity::warning);
  EXPECT_TRUE(emulator.run(std::vector<std::uint32_t>{0, 0}).ok) << "the rest has come";
  EXPECT_EQ(emulator.cores()[0].awaits, "");
}

TEST(AfucEmulator, WordsThatBeginNoPacketAreFaults) {
  Emulator emulator = boot_own();
  const RunReport report = emulator.run(std::vector<std::uint32_t>{0x70108000, 0x12345678, 0x70108000});
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.unread_words, 1u);
  EXPECT_THAT(emulator.cores()[0].reason, HasSubstr("12345678 at word 1 of the ring buffer"));
  Emulator other = boot_own();
  other.run(std::vector<std::uint32_t>{0x70100000});
  EXPECT_THAT(other.cores()[0].reason, HasSubstr("parity"));
}

TEST(AfucEmulator, HeadersAreThoseThatPm4Takes) {
  for (const std::uint32_t header : {0x71108000u, 0x70108000u | 1u << 14, 0x40810080u}) {
    Emulator emulator = boot_own();
    emulator.run(std::vector<std::uint32_t>{header});
    const pm4::Packet packet = pm4::decode(std::vector<std::uint32_t>{header})[0];
    ASSERT_EQ(packet.kind, pm4::Packet::Kind::word);
    EXPECT_THAT(emulator.cores()[0].reason, HasSubstr(packet.code == "PM013" ? "bits that must be 0" : "parity"));
    EXPECT_THAT(emulator.cores()[0].reason, HasSubstr(packet.hint)) << "both say what is meant";
    EXPECT_THAT(emulator.cores()[0].hint, HasSubstr("mobula pm4"));
  }
}

TEST(AfucEmulator, PollingForEverEnds) {
  EmulatorOptions options;
  options.packet_instructions = 10000;
  Emulator emulator = boot_own(std::move(options));
  const RunReport report = run_text(emulator, "CP_WAIT_REG_MEM 0x4000 0 0 0 0 0\n");
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(emulator.cores()[0].halt, Halt::stuck);
  EXPECT_THAT(emulator.cores()[0].reason, HasSubstr("10000 instructions, in packet CP_WAIT_REG_MEM"));
  Emulator other = boot_own();
  EXPECT_TRUE(run_text(other, "CP_WAIT_REG_MEM 0x4000 0 0 0 0 0\n\n.at 0x4000\n[1]\n").ok);
}

TEST(AfucEmulator, FirmwareReportsUnknownPackets) {
  EmulatorOptions options;
  options.packet_instructions = 1000;
  Emulator emulator = boot_own(std::move(options));
  const RunReport report = run_text(emulator, "UNKN0\n");
  EXPECT_EQ(listed(report, Event::Kind::error), "64=1");
}

TEST(AfucEmulator, EventsBeyondTheLimitAreCounted) {
  EmulatorOptions options;
  options.events = 3;
  Emulator emulator = boot_own(std::move(options));
  const RunReport report = run_text(emulator, "pkt4 0x8100 1 2 3 4\n");
  EXPECT_LE(report.events.size(), 3u);
  EXPECT_EQ(report.dropped_events, 2u);
}

TEST(AfucEmulator, MemoryHasALimit) {
  EmulatorOptions options;
  options.memory_bytes = 16384;
  Emulator emulator = boot_own(std::move(options));
  std::string text;
  for (int i = 1; i < 9; ++i) text += "CP_MEM_WRITE " + std::to_string(i << 16) + " 0 1\n";
  EXPECT_FALSE(run_text(emulator, text).ok);
  EXPECT_THAT(emulator.cores()[0].reason, HasSubstr("limit of 16384 bytes"));
}

TEST(AfucEmulator, CountsExecutionsOfWords) {
  Emulator emulator = boot_own();
  run_text(emulator, "CP_NOP 1 2 3 4 5\n");
  const auto counts = emulator.executions(0);
  EXPECT_EQ(counts[emulator.cores()[0].packet_table[0x10]], 2u) << "two iterations of (rep)";
  EXPECT_EQ(counts[emulator.cores()[0].packet_table[0x5C]], 0u);
}

TEST(AfucEmulator, RefusesWhatCannotRunTogether) {
  EXPECT_FALSE(Emulator::create({}));
  EXPECT_FALSE(Emulator::create({{}}));
  EXPECT_FALSE(Emulator::create({{0x016EE001}, {0x016EE001}}));
  EXPECT_FALSE(Emulator::create({{0x005FF001, 0}, {0x005FF001, 0}})) << "two PFPs";
}

// ---- real images, and what the samples expect of them

using Row = std::map<std::string, std::string>;
std::vector<Row> read_csv(const std::string& name) {
  std::ifstream in(mobula::test::sample("afuc/") + name);
  std::vector<Row> rows;
  std::vector<std::string> titles;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    if (titles.empty()) {
      titles = cells;
      continue;
    }
    cells.resize(titles.size());
    Row row;
    for (std::size_t i = 0; i < titles.size(); ++i) row[titles[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Word 0 on of an image of the package version that the samples were made with.
std::vector<std::uint32_t> image_words(const std::string& name) {
  const auto bytes = read_bytes(firmware_cache() / "20230210-5" / (name + ".fw"));
  return words_of_bytes(bytes);
}
std::string file_of(const Row& row) { return row.at("firmware").substr(0, row.at("firmware").find('.')); }

class AfucSamples : public ::testing::Test {
 protected:
  void SetUp() override {
    if (read_csv("boot.csv").empty()) GTEST_SKIP() << "no samples in " << mobula::test::sample("");
    if (image_words("a630_sqe").empty())
      GTEST_SKIP() << "no firmware in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  }
};

TEST_F(AfucSamples, Boots) {
  for (const Row& row : read_csv("boot.csv")) {
    auto emulator = Emulator::create({image_words(file_of(row))});
    ASSERT_TRUE(emulator) << render(emulator.error());
    EXPECT_TRUE(emulator->boot());
    const CoreReport core = emulator->cores()[0];
    EXPECT_EQ(core.name, row.at("core"));
    EXPECT_EQ(std::to_string(core.instructions), row.at("instructions_executed")) << row.at("firmware");
    EXPECT_EQ(core.pc + 1, std::stoul(row.at("final_pc"), nullptr, 16)) << "the sample stops in the slot of waitin";
    EXPECT_EQ(core.preempt_entry, std::stoul(row.at("preempt_instr"), nullptr, 16));
  }
}

TEST_F(AfucSamples, PacketTables) {
  std::map<std::string, std::vector<Row>> tables;
  for (const Row& row : read_csv("packet_tables.csv")) tables[file_of(row)].push_back(row);
  EXPECT_EQ(tables.size(), 3u);
  for (const auto& [file, rows] : tables) {
    auto emulator = Emulator::create({image_words(file)});
    ASSERT_TRUE(emulator->boot());
    const CoreReport core = emulator->cores()[0];
    for (const Row& row : rows) {
      const auto entry = std::stoul(row.at("entry"), nullptr, 16);
      EXPECT_EQ(core.packet_table[entry], std::stoul(row.at("handler_word"), nullptr, 16)) << file << ' ' << entry;
    }
  }
}

TEST_F(AfucSamples, PacketRuns) {
  auto emulator = Emulator::create({image_words("a630_sqe")});
  ASSERT_TRUE(emulator->boot());
  std::size_t tests = 0;
  for (const Row& row : read_csv("packet_runs.csv")) {
    std::vector<std::uint32_t> words;
    std::istringstream cut(row.at("packet_words"));
    for (std::string word; cut >> word;) words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    const RunReport report = emulator->run(words);
    std::ostringstream pipe;
    for (const Event& event : report.events) {
      if (event.kind != Event::Kind::pipe_select && event.kind != Event::Kind::pipe_write) continue;
      pipe << (pipe.tellp() == 0 ? "" : " ") << std::hex << event.address;
      if (event.kind == Event::Kind::pipe_write) pipe << '=' << event.value;
    }
    const std::string& test = row.at("test");
    EXPECT_TRUE(report.ok) << test;
    ASSERT_EQ(report.packets.size(), 1u) << test;
    EXPECT_EQ(std::to_string(report.packets[0].instructions), row.at("instructions")) << test;
    EXPECT_EQ(listed(report, Event::Kind::gpu_write), row.at("gpu_writes")) << test;
    EXPECT_EQ(listed(report, Event::Kind::memory_write), row.at("mem_writes")) << test;
    EXPECT_EQ(pipe.str(), row.at("pipe_writes")) << test;
    EXPECT_EQ(listed(report, Event::Kind::sds_word, ':'), row.at("sds_words")) << test;
    EXPECT_EQ(std::to_string(report.unread_words), row.at("leftover_words")) << test;
    ++tests;
  }
  EXPECT_EQ(tests, 22u);
}

TEST_F(AfucSamples, PfpFeedsMe) {
  auto emulator = Emulator::create({image_words("a530_pm4"), image_words("a530_pfp")});
  ASSERT_TRUE(emulator->boot());
  const RunReport report = run_text(*emulator,
                                    "pkt7 0x10 1 2\npkt4 0x8100 0x11 0x12\npkt7 0x3d 0x20000 0x1 0xdead\n"
                                    "pkt7 0x3e 0x8100 0x30000 0x0\n");
  EXPECT_TRUE(report.ok) << emulator->cores()[0].reason << emulator->cores()[1].reason;
  EXPECT_EQ(listed(report, Event::Kind::memory_write), "100020000=dead 30000=11");
  EXPECT_EQ(emulator->read_register(0x8101), 0x12u);
  const RunReport nested =
      run_text(*emulator, "CP_INDIRECT_BUFFER 0x100000 0 2\npkt4 0x8103 4\n\n.at 0x100000\npkt4 0x8102 3\n");
  EXPECT_TRUE(nested.ok) << "the PFP makes up headers without parity for the ME: " << emulator->cores()[1].reason;
  EXPECT_EQ(emulator->read_register(0x8102), 3u);
}

TEST_F(AfucSamples, NestedIndirectBuffersOfRealFirmware) {
  auto emulator = Emulator::create({image_words("a630_sqe")});
  ASSERT_TRUE(emulator->boot());
  const RunReport report = run_text(*emulator,
                                    "CP_INDIRECT_BUFFER 0x100000 0 9\npkt4 0x8103 4\n\n.at 0x100000\npkt4 0x8100 1\n"
                                    "CP_INDIRECT_BUFFER 0x200000 0 3\npkt4 0x8102 3\nCP_NOP\n\n.at 0x200000\n"
                                    "pkt4 0x8101 2\nCP_NOP\n");
  EXPECT_TRUE(report.ok) << emulator->cores()[0].reason;
  EXPECT_EQ(listed(report, Event::Kind::gpu_write), "8100=1 8101=2 8102=3 8103=4");
}

TEST_F(AfucSamples, EveryImageBootsWithAllItsCores) {
  for (const auto& file : real_images()) {
    if (file.string().find("aqe") != std::string::npos) continue;  // no command processor, and no packet table
    const auto bytes = read_bytes(file);
    auto emulator = Emulator::create({words_of_bytes(bytes)});
    ASSERT_TRUE(emulator) << file;
    EXPECT_TRUE(emulator->boot()) << file;
    EXPECT_GE(emulator->cores().size(), firmware::layout(bytes).sections.size()) << file;
  }
}

}  // namespace
}  // namespace mobula::afuc
