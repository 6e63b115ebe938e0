#include "mobula/lab/timing.h"

#include <gtest/gtest.h>

#include "machines/afuc/build.h"
#include "timing/limits.h"

namespace mobula::afuc {
namespace {

const TimingModel& model() { return *find_timing_model("afuc"); }

FunctionTime time_of(const Program& program, const std::string& name, const TimingParameters& parameters = {}) {
  const Estimate estimate = model().estimate(program, parameters).value();
  for (const FunctionTime& each : estimate.functions)
    if (each.name == name) return each;
  ADD_FAILURE() << name;
  return {};
}
FunctionTime time_of(const std::string& text, const std::string& name, const TimingParameters& parameters = {}) {
  return time_of(assemble_text(text).value(), name, parameters);
}
using Count = std::optional<std::uint64_t>;

/// As the emulator counts CP_NOP without words: waitin, its slot, waitin.
TEST(AfucTiming, PacketsCountFromWaitinToWaitin) {
  const std::string text = data_text("run.asm");
  EXPECT_EQ(time_of(text, "CP_NOP").shortest, Count(3));
  EXPECT_EQ(time_of(text, "CP_NOP").longest, Count());
  EXPECT_EQ(time_of(text, "CP_NOP").loops, 1u);
  EXPECT_TRUE(time_of(text, "CP_NOP").packet);
  EXPECT_EQ(time_of(text, "CP_INDIRECT_BUFFER").shortest, Count(9));
  EXPECT_EQ(time_of(text, "CP_INDIRECT_BUFFER").longest, Count(9));
  EXPECT_EQ(time_of(text, "CP_MEM_WRITE").shortest, Count(7));
}

TEST(AfucTiming, LoopsHaveNoLongestWay) {
  const FunctionTime polls = time_of(data_text("run.asm"), "CP_WAIT_REG_MEM");
  EXPECT_EQ(polls.shortest, Count(9));
  EXPECT_EQ(polls.longest, Count());
  EXPECT_EQ(polls.loops, 2u) << "the loop and the (rep)";
  const FunctionTime dead = time_of(data_text("run.asm"), "UNKN0");
  EXPECT_EQ(dead.shortest, Count());
  EXPECT_EQ(dead.longest, Count());
}

TEST(AfucTiming, CallsCountWithWhatTheyCall) {
  const std::string text =
      "[016ee001]\n[#jumptbl]\nwaitin\nmov $01, $data\n"
      "CP_NOP:\nmov $02, $data\nbreq $02, 0x0, #end\nnop\ncall #long\nnop\nend:\nwaitin\nmov $01, $data\n"
      "CP_MEM_WRITE:\njump #CP_NOP\nnop\n"
      "long:\nload $03, [$02 + 0x0]\nstore $03, [$02 + 0x4]\nret\nnop\njumptbl:\n.jumptbl\n";
  EXPECT_EQ(time_of(text, "CP_NOP").shortest, Count(3 + 2 + 1));
  EXPECT_EQ(time_of(text, "CP_NOP").longest, Count(3 + 2 + 4 + 2 + 1));
  EXPECT_EQ(time_of(text, "CP_MEM_WRITE").shortest, Count(2 + 3 + 2 + 1)) << "goes on in CP_NOP";
  EXPECT_EQ(time_of(text, "fxn13").longest, Count(4));
  const FunctionTime costly = time_of(text, "CP_NOP", {{"load_cycles", 40}, {"nop_cycles", 0}, {"waitin_cycles", 5}});
  EXPECT_EQ(costly.longest, Count(12));
  EXPECT_EQ(costly.longest_cycles, Count(1 + 1 + 0 + 1 + 0 + 40 + 1 + 1 + 0 + 5 + 1 + 5));
  EXPECT_EQ(costly.shortest_cycles, Count(1 + 1 + 0 + 5 + 1 + 5));
}

TEST(AfucTiming, FunctionsThatCallThemselvesHaveNoLongestWay) {
  const std::string text =
      "[016ee001]\n[#jumptbl]\nwaitin\nmov $01, $data\nf:\nbreq $02, 0x0, #end\nnop\ncall #f\nnop\nend:\nret\nnop\n"
      "CP_NOP:\ncall #f\nnop\nwaitin\nmov $01, $data\njumptbl:\n.jumptbl\n";
  EXPECT_EQ(time_of(text, "fxn4").shortest, Count(4));
  EXPECT_EQ(time_of(text, "fxn4").longest, Count());
  EXPECT_EQ(time_of(text, "CP_NOP").shortest, Count(2 + 4 + 2 + 1));
}

TEST(AfucTiming, SimulationCountsWhatWasExecuted) {
  const Program program = assemble_text(data_text("run.asm")).value();
  ThreadPaths paths;
  const std::uint32_t thread = 0;
  for (const std::uint64_t word : {2, 3, 3, 24}) paths.step({&thread, 1}, 4 + word * 4);
  SimulationRequest request;
  request.paths = &paths;
  EXPECT_EQ(model().simulate(program, request)->cycles, 4u);
  request.parameters = {{"control_cycles", 10}, {"waitin_cycles", 7}};
  const SimulationReport report = model().simulate(program, request).value();
  EXPECT_EQ(report.cycles, 1u + 10 + 10 + 7);
  ASSERT_EQ(report.words.size(), 3u);
  EXPECT_EQ(report.words[1].executions, 2u);
  EXPECT_EQ(report.words[1].executing, 20u);
  EXPECT_EQ(report.words[1].text, "SQE+3  cwrite $02, [$00 + @REG_READ_DWORDS]");
  request.max_cycles = 5;
  EXPECT_FALSE(model().simulate(program, request)->complete);
  request.paths = nullptr;
  EXPECT_EQ(model().simulate(program, request).error().at(0).code, "TM003");
  paths.step({&thread, 1}, 1 << 20);
  request.paths = &paths;
  EXPECT_EQ(model().simulate(program, request).error().at(0).code, "TM005");
}

TEST(AfucTiming, NothingIsIssuedAtTheLimit) {
  const Program program = assemble_text(data_text("run.asm")).value();
  ThreadPaths paths;
  for (const std::uint32_t thread : {0u, 1u})
    for (const std::uint64_t word : {2, 3, 3, 24}) paths.step({&thread, 1}, 4 + word * 4);
  for (const std::uint64_t cost : {0u, 1u, 10u})
    expect_limits_hold([&](const SimulationRequest& request) { return model().simulate(program, request).value(); },
                       {.paths = &paths, .parameters = {{"control_cycles", cost}, {"waitin_cycles", 7}}}, 1);
}

TEST(AfucTiming, AnyBytes) {
  for (const std::vector<std::uint8_t>& bytes :
       {std::vector<std::uint8_t>{}, {0, 0, 0}, std::vector<std::uint8_t>(900, 0xD4)})
    EXPECT_TRUE(model().estimate(program_of(bytes), {}));
}

TEST(AfucTiming, RealHandlers) {
  const auto images = real_images();
  if (images.empty()) GTEST_SKIP() << "no firmware in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  for (const auto& file : images) {
    const Estimate estimate = model().estimate(program_of(read_bytes(file)), {}).value();
    std::size_t ends = 0;
    for (const FunctionTime& each : estimate.functions) {
      if (each.shortest) ++ends;
      if (each.longest) {
        EXPECT_LE(*each.shortest, *each.longest) << each.name;
      }
      EXPECT_EQ(each.shortest, each.shortest_cycles) << "by default cycles are instructions";
      if (each.name == "CP_NOP" && each.program != "ME" && each.program != "PFP") {
        EXPECT_EQ(each.shortest, Count(3)) << file;
      }
    }
    EXPECT_GT(ends, estimate.functions.size() / 2) << file;
  }
}

}  // namespace
}  // namespace mobula::afuc
