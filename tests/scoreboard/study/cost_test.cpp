// Against the figures of the reference (§8) and counts made by hand.
#include <gmock/gmock.h>

#include <algorithm>

#include "mobula/scoreboard/hardware.h"

namespace mobula::scoreboard {
namespace {

using ::testing::HasSubstr;

Group group(const char* name, std::vector<std::uint32_t> widths, std::vector<std::uint32_t> pairs,
            std::uint32_t units) {
  return {
      .name = name, .classes = {UnitClass::fp}, .widths = std::move(widths), .pairs = std::move(pairs), .units = units};
}

/// §8.3: 128 FP and 128 INT registers of 64 bits, eight units a class.
Config sized(Lanes lanes, std::vector<Group> groups, std::uint32_t rows = 0) {
  Config config;
  config.name = "sized";
  config.lanes = lanes;
  config.groups = std::move(groups);
  config.files = {{'F', 128, 8}, {'I', 128, 8}};
  config.virtual_registers.rows = rows;
  return config;
}
Config locked() { return sized(Lanes::lock, {group("all", {1, 2, 4, 8}, {}, 8)}); }
Config full(std::uint32_t rows = 0) {
  return sized(Lanes::full,
               {group("64", {8}, {}, 8), group("32", {4}, {}, 8), group("16", {2}, {}, 8), group("8", {1}, {}, 8)},
               rows);
}
Config two_level(std::uint32_t rows = 0) {
  return sized(Lanes::two_level, {group("32", {4}, {8}, 8), group("8", {1}, {2}, 8)}, rows);
}
Config byte_lane() { return sized(Lanes::byte, {group("all", {1, 2, 4, 8}, {}, 8)}); }

Cost cost_of(const Config& config, const Hardware& hardware = {}) {
  Result<Cost> result = cost(config, hardware);
  EXPECT_TRUE(result);
  return std::move(*result);
}

/// Sums over the structures whose name begins so.
Structure sum(const Cost& cost, std::string_view prefix) {
  Structure total;
  for (const Structure& structure : cost.structures)
    if (structure.name.starts_with(prefix)) {
      total.cells += structure.cells;
      total.latches += structure.latches;
      total.transistors += structure.transistors;
    }
  return total;
}
std::uint64_t thousands_of_nand2(const Structure& structure) { return (structure.transistors + 2000) / 4000; }

struct Published {
  Config config;
  std::uint64_t fu_reg, fu_reg_nand2, fu_fu, fu_fu_nand2;
};

TEST(ScoreboardCost, IsThePublishedTable) {
  const std::vector<Published> rows{{locked(), 2048, 98, 64, 1},       {full(), 30720, 1475, 1024, 15},
                                    {two_level(), 20480, 983, 256, 4}, {byte_lane(), 16384, 786, 64, 1},
                                    {full(32), 3840, 184, 1024, 15},   {two_level(32), 2560, 123, 256, 4}};
  for (const Published& row : rows) {
    const Cost cost = cost_of(row.config);
    EXPECT_EQ(sum(cost, "FU-Reg").cells, row.fu_reg);
    EXPECT_EQ(thousands_of_nand2(sum(cost, "FU-Reg")), row.fu_reg_nand2);
    EXPECT_EQ(sum(cost, "FU-FU").cells, row.fu_fu);
    EXPECT_EQ(thousands_of_nand2(sum(cost, "FU-FU")), row.fu_fu_nand2);
  }
  EXPECT_EQ(thousands_of_nand2(sum(cost_of(full(32)), "IR table")), 78u);
}

TEST(ScoreboardCost, GrowsSixteenfoldFromOneWidthToFour) {
  EXPECT_EQ(sum(cost_of(full()), "FU-FU").cells, 16 * sum(cost_of(locked()), "FU-FU").cells);
  EXPECT_EQ(sum(cost_of(two_level()), "FU-FU").cells, 4 * sum(cost_of(locked()), "FU-FU").cells);
}

/// §8.2, within the spread of what was measured there.
TEST(ScoreboardCost, IsNearTheMeasuredBlocks) {
  const auto near = [](std::uint64_t estimate, double measured) {
    EXPECT_GT(static_cast<double>(estimate), measured * 0.93) << measured;
    EXPECT_LT(static_cast<double>(estimate), measured * 1.07) << measured;
  };
  Config matrix = locked();
  matrix.files = {{'F', 32, 8}};
  near(sum(cost_of(matrix, {.sources = 2}), "FU-Reg").transistors, 36302);
  near(sum(cost_of(matrix, {.sources = 3}), "FU-Reg").transistors, 48660);
  matrix.files = {{'F', 64, 8}};
  matrix.groups[0].units = 16;
  near(sum(cost_of(matrix), "FU-Reg").transistors, 199332);
  for (const auto& [units, transistors] : {std::pair{4u, 960}, {8u, 3824}, {16u, 15360}, {32u, 61376}}) {
    matrix.groups[0].units = units;
    near(sum(cost_of(matrix), "FU-FU").transistors, transistors);
  }
  matrix.groups[0].units = 16;
  near(sum(cost_of(matrix), "order shadow").transistors, 12256);
  matrix.ports.read = 1;
  for (const auto& [units, transistors] : {std::pair{8u, 70}, {16u, 160}, {32u, 350}}) {
    matrix.groups[0].units = units;
    near(sum(cost_of(matrix), "read pickers").transistors, transistors);
  }
  matrix.files = {{'F', 128, 8}};
  for (const auto& [rows, transistors] : {std::pair{16u, 77280}, {32u, 155328}}) {
    matrix.virtual_registers.rows = rows;
    near(sum(cost_of(matrix), "IR table").transistors, transistors);
  }
}

TEST(ScoreboardCost, CountsLatchesOfPortsByTheirNumber) {
  EXPECT_EQ(sum(cost_of(locked()), "FU-Reg").latches, 2048u * 4);
  EXPECT_EQ(sum(cost_of(locked(), {.sources = 2, .destinations = 2}), "FU-Reg").latches, 2048u * 4);
  EXPECT_EQ(sum(cost_of(locked(), {.sources = 2}), "FU-Reg").latches, 2048u * 3);
  EXPECT_EQ(sum(cost_of(locked()), "FU-FU").latches, 64u * 2);
  Config several = locked();
  several.ports.per_operand = true;
  EXPECT_EQ(sum(cost_of(several), "FU-FU").latches, 64u * 4);  // one a port: 3 + 1
}

/// §8.2: 154 and 76 transistors a register and vector; two vectors, four for pairs as each half has its own.
TEST(ScoreboardCost, CascadesTwoVectorsForEachUnitIssued) {
  EXPECT_EQ(sum(cost_of(full()), "cascade").transistors, 256u * 2 * 154);
  EXPECT_EQ(sum(cost_of(two_level()), "cascade").transistors, 256u * 4 * 76);
  EXPECT_EQ(sum(cost_of(byte_lane()), "cascade").cells, 0u);
  Config conservative = two_level();
  conservative.hazards = Hazards::conservative;
  EXPECT_EQ(sum(cost_of(conservative), "cascade").transistors, 256u * 2 * 76);
}

TEST(ScoreboardCost, CountsColumnsOfAllWidthsWhenAsked) {
  EXPECT_EQ(sum(cost_of(two_level(), {.all_columns = true}), "FU-Reg").cells, 16u * 256 * 10);
}

const Line& line(const Cost& cost, std::string_view name) {
  return *std::ranges::find_if(cost.lines, [&](const Line& each) { return each.name == name; });
}

/// §8.4: 128, 256, 512, 2048 loads; a level of buffers drives four each.
TEST(ScoreboardCost, CountsLoadsOfLines) {
  Config small = locked();
  small.files = {{'F', 128, 8}};
  EXPECT_EQ(line(cost_of(small), "issue, row of FU-Reg all").fan_out, 128u);
  EXPECT_EQ(line(cost_of(small), "issue, row of FU-Reg all").levels, 4u);
  const Cost cascade = cost_of(full());
  EXPECT_EQ(line(cascade, "go_rd, row of FU-Reg 64").fan_out, 256u);
  EXPECT_EQ(line(cascade, "go_rd, row of FU-Reg 32").fan_out, 512u);
  EXPECT_EQ(line(cascade, "go_rd, row of FU-Reg 8").fan_out, 2048u);
  EXPECT_EQ(line(cascade, "go_rd, row of FU-Reg 8").levels, 6u);
  EXPECT_EQ(line(cascade, "dst and src, column B0..B7").fan_out, 8u);
  EXPECT_EQ(line(cascade, "dst and src, column B0..B7").wires, 256u * 8 * 4);
  EXPECT_EQ(line(cascade, "go_wr, column of FU-FU").fan_out, 32u);
}

TEST(ScoreboardCost, AddsUpTheLevelsOfTheLoop) {
  Config config = locked();  // 8 units, 256 columns, banks of 128 words
  config.ports.read = 1;
  const Cost cost = cost_of(config);
  // OR of 8: 2; picker of 8: 3; 256 loads: 4; OR of 8 rows: 2; OR of 128 words: 4.
  EXPECT_EQ(cost.levels(), 2u + 3 + 4 + 2 + 4);
  EXPECT_EQ(cost.loop.size(), 5u);
}

TEST(ScoreboardCost, HasAHazardVectorInsteadOfMatrices) {
  Config config = locked();
  config.hazards = Hazards::vector;
  config.waw = Waw::stall_issue;
  const Cost cost = cost_of(config);
  EXPECT_EQ(sum(cost, "hazard vector").latches, 256u);
  EXPECT_EQ(sum(cost, "FU-").cells, 0u);
}

/// Byte crossbars stand at the lanes that narrow units read through, and at no others.
TEST(ScoreboardCost, RoutesBytesOnlyToNarrowUnits) {
  const auto crosspoints = [](Config config, const Hardware& hardware = {}) {
    config.banks = {.count = 4, .read = 3, .lanes = config.banks.lanes};
    return sum(cost_of(config, hardware), "byte crossbars").cells;
  };
  EXPECT_EQ(crosspoints(two_level()), 3u * 8 * 16);  // the units of 8 bits
  EXPECT_EQ(crosspoints(two_level(), {.all_columns = true}), 3u * 16 * 16);
  EXPECT_EQ(crosspoints(full()), 3u * 16 * 16);  // of 16 and of 8 bits
  EXPECT_EQ(crosspoints(byte_lane()), 3u * 8 * 16);
  EXPECT_EQ(crosspoints(sized(Lanes::byte, {group("32", {4, 8}, {}, 8)})), 0u);
  Config shared = two_level();
  shared.banks.lanes = 4;  // wide and narrow units share all four
  EXPECT_EQ(crosspoints(shared), 3u * 4 * 16);
  const Cost wide = cost_of(sized(Lanes::byte, {group("32", {4, 8}, {}, 8)}));
  EXPECT_TRUE(std::ranges::none_of(wide.loop, [](const Step& step) { return step.name == "byte crossbar"; }));
}

/// The founding document's worry: 3 ports, four banks of 32 bits, 16 bytes to 16 bytes.
TEST(ScoreboardCost, ComparesTheCrossbarsWithOneStage) {
  const Cost cost = cost_of(*find_preset("seed_two_level"));
  // Words: 3 files, 3 ports, 4 lanes, 4 banks, 32 bits. Bytes: 3 ports, 4 lanes, 16 crosspoints, 8 bits. 5 a
  // crosspoint.
  EXPECT_EQ(cost.crossbars.transistors, 3u * 3 * 4 * 4 * 32 * 5 + 3u * 4 * 16 * 8 * 5);
  EXPECT_EQ(cost.crossbars.of_bytes, 3u * 3 * 16 * 16 * 8 * 5);
  EXPECT_LT(cost.crossbars.transistors, cost.total().transistors / 20);
  EXPECT_THAT(report(cost), HasSubstr("% of the total; any byte to any in one stage"));
}

TEST(ScoreboardCost, HasATableForEachFileWithTheLinesOfItsRegisters) {
  Config config = two_level();
  config.files = {{'F', 128, 8}, {'I', 128, 8}, {'C', 8, 4}};
  config.virtual_registers = {.rows = 4, .per_file = true};
  const Cost cost = cost_of(config);
  for (const auto& [name, registers] : {std::pair{"F", 128u}, {"I", 128u}, {"C", 8u}}) {
    const std::string table = std::string("IR table ") + name;
    EXPECT_EQ(sum(cost, table).cells, 4u * registers);
    EXPECT_EQ(line(cost, "row of the " + table).wires, 4u);
    EXPECT_EQ(line(cost, "row of the " + table).fan_out, registers);
    EXPECT_EQ(line(cost, "column of the " + table).wires, registers);
    EXPECT_EQ(line(cost, "column of the " + table).fan_out, 4u);
  }
  EXPECT_TRUE(std::ranges::any_of(cost.loop, [](const Step& step) {
    return step.name == "real register: OR of an IR table column" && step.levels == 1;
  }));
}

/// Measured with Yosys as the reference did, 16 for a flip-flop.
TEST(ScoreboardCost, KnowsWhatOverwrittenBytesTake) {
  Config config = locked();
  config.waw = Waw::last_writer;
  for (const auto& [units, registers, destinations, gates] : {std::tuple{2u, 16u, 1u, 652u},
                                                              {8u, 16u, 1u, 6000u},
                                                              {8u, 256u, 1u, 7808u},
                                                              {4u, 256u, 2u, 7650u},
                                                              {8u, 256u, 2u, 31884u}}) {
    config.groups[0].units = units;
    config.files = {{'I', registers, 8}};
    const Structure block = sum(cost_of(config, {.destinations = destinations}), "overwritten bytes");
    const double measured = gates + 16.0 * static_cast<double>(block.latches);
    EXPECT_GT(static_cast<double>(block.transistors), measured * 0.85);
    EXPECT_LT(static_cast<double>(block.transistors), measured * 1.15);
  }
}

/// A row of quads has the columns of 8 bytes: an operand sets those of two registers.
TEST(ScoreboardCost, HasRowsForQuads) {
  const Config config = sized(Lanes::full, {group("quads", {16}, {}, 4), group("32", {4}, {}, 4)});
  EXPECT_EQ(sum(cost_of(config), "FU-Reg quads").cells, 4u * 256);
  EXPECT_EQ(sum(cost_of(sized(Lanes::byte, {group("quads", {16}, {}, 4)})), "FU-Reg quads").cells, 4u * 256 * 8);
}

TEST(ScoreboardCost, CountsWhatRenamingTakes) {
  Config config = locked();
  config.waw = Waw::rename;
  config.files = {{'F', 128, 8, 160}, {'I', 128, 8, 160}};
  const Cost cost = cost_of(config);
  EXPECT_EQ(cost.registers, 256u);
  EXPECT_EQ(sum(cost, "FU-Reg").cells, 8u * 320);
  EXPECT_EQ(sum(cost, "FU-Reg").latches, 8u * 320 * (3 + 1 + 1));  // one more source, for what is written in part
  EXPECT_EQ(sum(cost, "map of registers").latches, 256u * 8);
  EXPECT_EQ(sum(cost, "free physical").latches, 320u);
  EXPECT_EQ(sum(cost, "window").latches, 32u * (8 + 8 + 2));
  EXPECT_EQ(sum(cost, "physical registers").latches, 64u * 64);
  EXPECT_EQ(sum(cost, "order shadow").cells, 0u);
  config.groups[0].widths = {8};
  EXPECT_EQ(sum(cost_of(config), "FU-Reg").latches, 8u * 320 * (3 + 1));
}

TEST(ScoreboardCost, KeepsRowsUntilCompletionWithALatchEach) {
  Config config = two_level(32);
  EXPECT_EQ(sum(cost_of(config), "rows kept").cells, 0u);
  config.virtual_registers.until_completion = true;
  EXPECT_EQ(sum(cost_of(config), "rows kept").latches, 16u * 32);
}

TEST(ScoreboardCost, RefusesPortsOutOfRange) {
  for (const Hardware& hardware :
       {Hardware{.sources = 0}, Hardware{.sources = 5}, Hardware{.destinations = 0}, Hardware{.destinations = 4}}) {
    const Result<Cost> result = cost(locked(), hardware);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error()[0].code, "SB401");
  }
}

TEST(ScoreboardCost, ReportsTotals) {
  const Cost cost = cost_of(two_level(32));
  EXPECT_EQ(cost.total().cells, sum(cost, "").cells);
  EXPECT_THAT(report(cost), HasSubstr("FU-Reg 32"));
  EXPECT_THAT(report(cost), HasSubstr("critical loop"));
}

}  // namespace
}  // namespace mobula::scoreboard
