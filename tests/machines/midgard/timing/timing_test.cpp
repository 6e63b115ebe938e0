#include "machines/midgard/timing/timing.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "machines/midgard/timing/flow.h"
#include "machines/midgard/timing_programs.h"
#include "paths.h"

namespace mobula::midgard {
namespace {

using nlohmann::json;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

Estimate estimate(const Program& program) {
  auto result = timing_model().estimate(program, {});
  EXPECT_TRUE(result) << render(result.error());
  return std::move(*result);
}
Estimate estimate(const TimingProgram& program, std::string variant = "t860") {
  return estimate(program.program(std::move(variant)));
}

TEST(MidgardEstimate, CountsWordsOfEachPipe) {
  const Estimate result = estimate(TimingProgram().alu().load_store().texture().alu());
  EXPECT_THAT(result.total, ElementsAre(2, 1, 1));
  EXPECT_THAT(result.shortest, Optional(ElementsAre(2, 1, 1)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(2, 1, 1)));
  EXPECT_EQ(result.loops, 0u);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(MidgardEstimate, BranchesGiveAShortestAndALongestPath) {
  // 0 branches over 1-3 to 4; each figure is that pipe's own fewest or most.
  const Estimate result = estimate(TimingProgram().alu(jump_if(3)).alu().load_store().alu().texture());
  EXPECT_THAT(result.shortest, Optional(ElementsAre(1, 0, 1)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(3, 1, 1)));
  EXPECT_THAT(result.total, ElementsAre(3, 1, 1));
}

TEST(MidgardEstimate, PathsOfDifferentPipesMayDiffer) {
  // Either two arithmetic words or two load/store words.
  const Estimate result =
      estimate(TimingProgram().alu(jump_if(3)).alu().alu().alu(jump(2)).load_store().load_store().alu());
  EXPECT_THAT(result.shortest, Optional(ElementsAre(2, 0, 0)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(5, 2, 0)));
}

TEST(MidgardEstimate, ALoopHasNoLongestPath) {
  const Estimate result = estimate(TimingProgram().alu().load_store().alu(jump_if(-2)).alu());
  EXPECT_THAT(result.shortest, Optional(ElementsAre(3, 1, 0)));
  EXPECT_EQ(result.longest, std::nullopt);
  EXPECT_EQ(result.loops, 1u);
  EXPECT_THAT(result.notes, ElementsAre("1 loop whose trip count is unknown: there is no longest path"));
}

TEST(MidgardEstimate, NestedLoopsAreCountedByWhereTheyReturnTo) {
  const Estimate result = estimate(TimingProgram().alu().alu().alu(jump_if(-2)).alu(jump_if(-4)).alu());
  EXPECT_EQ(result.loops, 2u);
}

TEST(MidgardEstimate, AProgramThatNeverEndsHasNoPath) {
  const Estimate result = estimate(TimingProgram().alu(jump(-1)).alu());
  EXPECT_EQ(result.shortest, std::nullopt);
  EXPECT_EQ(result.longest, std::nullopt);
  EXPECT_THAT(result.total, ElementsAre(2, 0, 0));
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("1 loop"), "no path leads to an end of the program"));
}

// A fragment shader's retry word is emitted but lies on no path (5.3: the figures of ARM's compiler for fragment
// shaders without branches have one word more in total than on the path).
TEST(MidgardEstimate, WriteoutsAreTakenToSucceed) {
  const Estimate result = estimate(TimingProgram().alu(writeout(0)).last().alu(writeout(-1)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(1, 0, 0)));
  EXPECT_THAT(result.total, ElementsAre(2, 0, 0));
  EXPECT_EQ(result.loops, 0u);
}

TEST(MidgardEstimate, DiscardMayEndTheThread) {
  const Estimate result = estimate(TimingProgram().alu(discard_if()).load_store());
  EXPECT_THAT(result.shortest, Optional(ElementsAre(1, 0, 0)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(1, 1, 0)));
}

TEST(MidgardEstimate, SaysWhereAThreadWouldFault) {
  EXPECT_THAT(estimate(TimingProgram().alu(jump(40)).alu()).notes,
              ElementsAre("0x0: a branch leads outside the program"));
  EXPECT_THAT(estimate(TimingProgram().alu().raw()).notes,
              ElementsAre("0x10: the word cannot be decoded; a thread that comes here faults"));
  Program no_end = TimingProgram().alu().program("t860");
  no_end.code[0] = static_cast<std::uint8_t>(no_end.code[0] & 0x0F) | tag_alu_4 << 4;
  EXPECT_THAT(estimate(no_end).notes, ElementsAre("0x0: the program runs past its end"));
  Program elsewhere = TimingProgram().alu().program("t860");
  elsewhere.entry = 0x40;
  EXPECT_THAT(estimate(elsewhere).notes, ElementsAre("0x40: the entry lies outside the code"));
  Program odd = TimingProgram().alu().program("t860");
  odd.code.push_back(0);
  EXPECT_THAT(estimate(odd).notes, ElementsAre(HasSubstr("do not fill a quadword")));
}

TEST(MidgardEstimate, OfNoCodeIsEmpty) {
  const Estimate result = estimate(Program{.machine = "midgard"});
  EXPECT_EQ(result.words, 0u);
  EXPECT_EQ(result.shortest, std::nullopt);
}

TEST(MidgardEstimate, CountsRegisters) {
  // r9 is written, so it and all below are work registers; r10 is only read, so it is a uniform register.
  const Estimate counted = estimate(TimingProgram().alu({}, 0, 10).alu({}, 9, 23).alu({}, 0, 9));
  EXPECT_EQ(counted.work_registers, 10u);
  EXPECT_EQ(counted.uniform_registers, 14u);
  EXPECT_FALSE(counted.registers_announced);
  EXPECT_EQ(counted.threads, 64u);
  Program announced = TimingProgram().alu().program("t860");
  announced.interface.work_registers = 6;
  announced.interface.uniform_registers = 2;
  EXPECT_EQ(estimate(announced).work_registers, 6u);
  EXPECT_EQ(estimate(announced).uniform_registers, 2u);
  EXPECT_EQ(estimate(announced).threads, 128u);
  EXPECT_TRUE(estimate(announced).registers_announced);
}

TEST(MidgardEstimate, CountsSpillsAndFills) {
  const Estimate result =
      estimate(TimingProgram().load_store(0xD0, 0, 3).load_store(0x90, 0, 3).load_store(0x90, 0, 3));
  EXPECT_EQ(result.spills, 1u);
  EXPECT_EQ(result.fills, 2u);
}

TEST(MidgardEstimate, ShaderDbLine) {
  EXPECT_EQ(shader_db_line(estimate(TimingProgram().alu(jump_if(1), 4).load_store().alu())),
            "4 inst, 3 bundles, 3 quadwords, 5 registers, 2 threads, 0 loops, 0:0 spills:fills\n");
}

TEST(MidgardEstimate, EveryProductDividesByItsPipes) {
  const std::map<std::string, double> cycles{{"t604", 6},  {"t620", 6}, {"t650", 3}, {"t720", 12}, {"t760", 6},
                                             {"t820", 12}, {"t830", 6}, {"t860", 6}, {"t880", 4}};
  TimingProgram program;
  for (int i = 0; i < 12; ++i) program.alu();
  EXPECT_EQ(products.size(), cycles.size());
  for (const auto& [product, expected] : cycles) {
    const Estimate result = estimate(program, product);
    EXPECT_EQ(total_cycles(result.total[0], result.pipes[0]), expected) << product;
  }
}

// What ARM's offline compiler reports for Mali-T880, as checked in by a public project that runs it on its shaders
// (5.3).
TEST(MidgardEstimate, CyclesAreReportedAsArmReportsThem) {
  const TimingPipe three{.name = "arithmetic", .letter = "A", .count = 3};
  const std::map<std::uint64_t, double> paths{{36, 11.88}, {30, 9.90}, {22, 7.26},   {19, 6.27},
                                              {18, 5.94},  {15, 4.95}, {11, 3.63},   {10, 3.30},
                                              {8, 2.64},   {6, 1.98},  {164, 54.12}, {132, 43.56}};
  for (const auto& [words, cycles] : paths) EXPECT_THAT(path_cycles(words, three), DoubleNear(cycles, 1e-9)) << words;
  const std::map<std::uint64_t, double> totals{{39, 13},      {33, 11},      {24, 8},      {21, 7},
                                               {20, 6.66667}, {10, 3.33333}, {2, 0.66667}, {169, 56.33333}};
  for (const auto& [words, cycles] : totals) EXPECT_THAT(total_cycles(words, three), DoubleNear(cycles, 1e-5)) << words;
  // The shortest shaders are reported with one cycle: one word on the path, two in total.
  EXPECT_EQ(path_cycles(1, three), 1.0);
  EXPECT_EQ(path_cycles(0, three), 0.0);
}

TEST(MidgardEstimate, JsonHasTheShapeOfArmsCompiler) {
  TimingProgram program;
  program.texture().load_store();
  for (int i = 0; i < 7; ++i) program.alu();
  Program fragment = program.program("t880", Stage::fragment);
  fragment.file = "a.frag";
  const Estimate result = estimate(fragment);
  const json document = json::parse(timing_json({&result, 1}, {}));
  const json& shader = document["shaders"][0];
  EXPECT_EQ(shader["filename"], "a.frag");
  EXPECT_EQ(shader["hardware"]["core"], "Mali-T880");
  EXPECT_EQ(shader["shader"]["type"], "Fragment");
  const json& performance = shader["variants"][0]["performance"];
  EXPECT_EQ(performance["pipelines"], (json{"arithmetic", "load_store", "texture"}));
  EXPECT_EQ(performance["longest_path_cycles"],
            (json{{"cycle_count", {2.31F, 1.0, 1.0}}, {"bound_pipelines", {"arithmetic"}}}));
  EXPECT_EQ(performance["total_cycles"]["cycle_count"][0], 7.0F / 3);
  std::map<std::string, json> properties;
  for (const json& property : shader["variants"][0]["properties"]) properties[property["name"]] = property["value"];
  EXPECT_EQ(properties["work_registers_used"], 1);
  EXPECT_EQ(properties["thread_occupancy"], 100);
  EXPECT_EQ(properties["has_stack_spilling"], false);
}

TEST(MidgardEstimate, JsonHasNullsForALoopAndAllPipesOfATie) {
  const Estimate loop = estimate(TimingProgram().texture().load_store().alu(jump_if(-1)), "t880");
  const json performance = json::parse(timing_json({&loop, 1}, {}))["shaders"][0]["variants"][0]["performance"];
  EXPECT_EQ(performance["longest_path_cycles"]["cycle_count"], (json{nullptr, nullptr, nullptr}));
  EXPECT_EQ(performance["longest_path_cycles"]["bound_pipelines"], json::array({nullptr}));
  EXPECT_EQ(performance["shortest_path_cycles"]["bound_pipelines"], (json{"arithmetic", "load_store", "texture"}));
}

TEST(MidgardEstimate, Report) {
  EXPECT_EQ(report(estimate(TimingProgram().alu(jump_if(1)).load_store().alu().alu(jump_if(-2)).alu(), "t880")),
            "Mali-T880 (midgard:t880): test\n"
            "registers: 1 work, 0 uniform (counted in the code); 256 threads a core\n"
            "5 words, 7 instructions, 5 quadwords, 1 loop, 0:0 spills:fills\n"
            "\n"
            "words                A x3        LS         T\n"
            "shortest path           4         0         0\n"
            "  cycles             1.32      0.00      0.00   bound: A\n"
            "longest path   unbounded\n"
            "whole program           4         1         0\n"
            "  cycles             1.33      1.00      0.00   bound: A\n"
            "note: 1 loop whose trip count is unknown: there is no longest path\n");
}

TEST(MidgardEstimate, SurvivesAnyBytes) {
  std::mt19937 random(1);
  for (int run = 0; run < 300; ++run) {
    Program program{.machine = "midgard", .variant = run % 2 == 0 ? "t860" : "t720"};
    program.code.resize(random() % 700);
    for (std::uint8_t& byte : program.code) byte = static_cast<std::uint8_t>(random());
    // Tags that occur make the bytes hold more than raw quadwords.
    for (std::size_t at = 0; at < program.code.size(); at += 16)
      program.code[at] = static_cast<std::uint8_t>((random() % 16) << 4 | (2 + random() % 8));
    program.entry = random() % 4 == 0 ? random() : 0;
    const Estimate result = estimate(program);
    EXPECT_LE(result.words * 16, program.code.size());
    EXPECT_LE(result.notes.size(), 12u);
  }
}

TEST(MidgardFlow, IsLinearInLongChainsOfBranches) {
  TimingProgram program;
  for (int i = 0; i < 30000; ++i) program.alu(jump_if(1));
  program.alu().alu();
  const Estimate result = estimate(program);
  EXPECT_THAT(result.shortest, Optional(ElementsAre(15002, 0, 0)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(30002, 0, 0)));
}

TEST(MidgardFlow, FollowsABranchIntoTheMiddleOfABundle) {
  // The second word is given constants, the bytes of the third, which thereby lies inside it.
  Program program = TimingProgram().alu(jump(1)).alu().alu().program("t860");
  program.code[16] = static_cast<std::uint8_t>(program.code[16] & 0xF0) | (tag_alu_4 + 1);
  EXPECT_EQ(estimate(program).words, 2u);
  const Flow flow = find_flow(program);
  ASSERT_EQ(flow.nodes.size(), 2u);
  EXPECT_EQ(flow.words[1].position, 2u);
}

/// Every real shader: the registers counted in the code are those its compiler announced.
TEST(MidgardEstimate, CountsTheRegistersOfRealShaders) {
  const std::filesystem::path folder = mobula::test::sample("midgard");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  int shaders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    ++shaders;
    std::ifstream code(entry.path(), std::ios::binary),
        side(std::filesystem::path(entry.path()).replace_extension(".json"));
    Program program{.machine = "midgard", .variant = entry.path().stem().extension().string().substr(1)};
    program.code.assign(std::istreambuf_iterator<char>(code), {});
    const json announced = json::parse(side);
    const RegisterUse use = register_use(program);
    EXPECT_EQ(use.work, announced["work_reg_count"]) << entry.path();
    EXPECT_EQ(use.uniform, announced["uniform_reg_count"]) << entry.path();
    for (const std::string& note : estimate(program).notes) EXPECT_THAT(note, HasSubstr("trip count")) << entry.path();
  }
  EXPECT_GT(shaders, 0);
}

}  // namespace
}  // namespace mobula::midgard
