#include "machines/afuc/spec/names.h"

#include <gtest/gtest.h>

#include <array>

namespace mobula::afuc {
namespace {

constexpr std::array maps{Map::a5xx, Map::a6xx, Map::a7xx, Map::a750, Map::a8xx};

/// The one register that has the name.
unsigned number_of(Map map, std::string_view name) {
  const auto found = control_registers_named(map, name, Names::any);
  EXPECT_EQ(found.size(), 1u) << name;
  return found.empty() ? 0 : found.front().number;
}

TEST(Names, ControlRegistersReadBack) {
  unsigned named = 0;
  for (const Map map : maps)
    for (unsigned number = 0; number < 0x1000; ++number)
      if (const RegisterName name = control_register(map, number)) {
        ++named;
        EXPECT_EQ(number_of(map, name.name) + name.offset, number) << name.name;
      }
  EXPECT_GT(named, 250u);
}

TEST(Names, ControlRegistersMoveBetweenGenerations) {
  EXPECT_EQ(number_of(Map::a5xx, "REG_WRITE_ADDR"), 0x10u);
  EXPECT_EQ(number_of(Map::a6xx, "REG_WRITE_ADDR"), 0x24u);
  EXPECT_EQ(number_of(Map::a7xx, "REG_WRITE_ADDR"), 0x36u);
  EXPECT_EQ(number_of(Map::a750, "REG_WRITE_ADDR"), 0x18u);
  EXPECT_EQ(number_of(Map::a8xx, "REG_WRITE_ADDR"), 0x18u);
  EXPECT_EQ(control_register(Map::a5xx, 0xB9).name, "MEM_READ_ADDR");
  EXPECT_EQ(control_register(Map::a5xx, 0xB9).offset, 1u);
  // a8xx has A750's registers where nothing else is known.
  EXPECT_EQ(control_register(Map::a8xx, 0x134).name, control_register(Map::a750, 0x134).name);
  EXPECT_EQ(control_register_status(Map::a8xx, 0x134), Status::inferred);
  EXPECT_EQ(control_register_status(Map::a6xx, 0x24), Status::driver);
}

TEST(Names, RegistersOfTheSecondBankOfAnA5xx) {
  EXPECT_EQ(gpu_register(Map::a5xx, 0xE408 | 1u << 11), "VFD_INDEX_OFFSET in bank 1");
  EXPECT_EQ(gpu_register(Map::a5xx, 0xE800),
            gpu_register(Map::a5xx, 0xE000).empty() ? "" : gpu_register(Map::a5xx, 0xE000) + " in bank 1");
  unsigned low_registers = 0;
  for (unsigned number = 0x2400; number < 0x2800; ++number)
    low_registers += gpu_register(Map::a5xx, number).ends_with(" in bank 1");
  EXPECT_GT(low_registers, 10u) << "registers 0x2000 to 0x27ff are told apart by bit 10";
  EXPECT_EQ(gpu_register(Map::a6xx, 0xFC08), "") << "of a5xx alone";
}

TEST(Names, GpuRegistersWithTheirIndex) {
  EXPECT_EQ(gpu_register(Map::a5xx, 0xB78), "CP_SCRATCH[0].REG");
  EXPECT_EQ(gpu_register(Map::a5xx, 0xB7A), "CP_SCRATCH[0x2].REG");
  EXPECT_EQ(gpu_register(Map::a5xx, 0xE408), "VFD_INDEX_OFFSET");
  EXPECT_EQ(gpu_register(Map::a6xx, 0x831), "CP_SQE_INSTR_BASE+0x1");
  EXPECT_EQ(gpu_register(Map::a8xx, 0x831), "");
  EXPECT_EQ(find_gpu_register(Map::a5xx, "CP_SCRATCH", 2, "REG"), 0xB7Au);
  EXPECT_EQ(find_gpu_register(Map::a5xx, "CP_SCRATCH", 2, ""), 0xB7Au);
  EXPECT_EQ(find_gpu_register(Map::a5xx, "CP_SCRATCH_REG", 7, ""), 0xB7Fu);
  EXPECT_EQ(find_gpu_register(Map::a5xx, "CP_SCRATCH", 8, "REG"), std::nullopt);
  EXPECT_EQ(find_gpu_register(Map::a6xx, "CP_SQE_INSTR_BASE", {}, ""), 0x830u);
}

TEST(Names, PipeAndSqeRegisters) {
  EXPECT_EQ(pipe_register(Map::a6xx, 0x80), "WAIT_FOR_IDLE");
  EXPECT_EQ(pipe_register(Map::a7xx, 0x87), "WAIT_FOR_IDLE");
  EXPECT_EQ(pipe_register(Map::a7xx, 0x80), "");
  EXPECT_EQ(sqe_register(4).name, "PREEMPT_INSTR");
  EXPECT_EQ(find_sqe_register("STACK7"), 15u);
}

TEST(Names, PacketsReadBack) {
  for (const Map map : maps)
    for (unsigned opcode = 0; opcode < packet_table_words; ++opcode) {
      const auto back = find_packet(map, packet_or_number(map, opcode));
      ASSERT_TRUE(back);
      EXPECT_EQ(*back, opcode);
    }
  // Two names of one a5xx packet: the first is printed, both are read.
  EXPECT_EQ(packet(Map::a5xx, 0x1C), "CP_PREEMPT_ENABLE");
  EXPECT_EQ(find_packet(Map::a5xx, "CP_YIELD_ENABLE"), 0x1Cu);
  EXPECT_EQ(find_packet(Map::a6xx, "UNKN128"), std::nullopt);
  EXPECT_EQ(find_packet(Map::a6xx, "UNKN"), std::nullopt);
}

TEST(Chips, KnownIds) {
  const auto name_of = [](std::uint32_t word0) { return identify(std::array{word0}).chip->name; };
  // Mesa has the ids of a650 and a660 exchanged.
  EXPECT_EQ(name_of(0x016DD099), "a650");
  EXPECT_EQ(name_of(0x016DC094), "a660");
  EXPECT_EQ(name_of(0x005FF08A), "a530");
  EXPECT_EQ(name_of(0x01520181), "a750");
  EXPECT_EQ(name_of(0x017AA047), "a702");
  EXPECT_TRUE(identify(std::array{0x017AA047u}).known);
  EXPECT_EQ(chip_of_id(0x01741001), nullptr);
}

// shl $02, $02, 0x2 of a6xx; the same $02, $02, 0x2 of a7xx and later; popcnt, which only a8xx has.
TEST(Chips, UnknownIdsStayInTheGenerationOfTheWords) {
  constexpr std::uint32_t shl6 = 0x48420002, shl7 = 0x90422002, popcnt8 = 0x9803101C;
  struct Case {
    std::uint32_t id, word;
    std::string_view chip;
  };
  for (const auto& [id, word, chip] :
       {Case{0x741, shl7, "a740"}, Case{0x741, shl6, "a630"}, Case{0x741, popcnt8, "gen80100"},
        Case{0x511, shl7, "gen70500"}, Case{0x511, popcnt8, "gen80200"}, Case{0x511, shl6, "a660"},
        Case{0x7AB, shl7, "a740"}, Case{0x7AB, shl6, "a702"}}) {
    const Identity found = identify(std::array{0x01000001 | id << 12, word});
    EXPECT_FALSE(found.known);
    EXPECT_EQ(found.id, id);
    EXPECT_EQ(found.chip->name, chip) << std::hex << id << ' ' << word;
  }
  EXPECT_EQ(identify(std::array{0x00123001u}).chip->name, "a530");
}

}  // namespace
}  // namespace mobula::afuc
