#include "machines/rogue/timing/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "machines/rogue/programs.h"
#include "machines/rogue/random_group.h"
#include "machines/rogue/timing/slots.h"
#include "paths.h"
#include "timeline/contract.h"
#include "timing/limits.h"

namespace mobula::rogue {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

Program assembled(std::string_view text) { return program_of(assemble(text)); }

Estimate estimate(const Program& program, const TimingParameters& parameters = {}) {
  auto result = timing_model().estimate(program, parameters);
  EXPECT_TRUE(result) << render(result.error());
  return result ? std::move(*result) : Estimate{};
}
SimulationReport simulated(const Program& program, const SimulationRequest& request) {
  auto result = timing_model().simulate(program, request);
  EXPECT_TRUE(result) << render(result.error());
  return result ? std::move(*result) : SimulationReport{};
}
/// One full task with these parameters.
SimulationReport one_task(const Program& program, const TimingParameters& parameters) {
  SimulationRequest request;
  request.threads = 32;
  request.parameters = parameters;
  return simulated(program, request);
}
std::uint64_t waiting(const SimulationReport& report, StallReason reason) {
  return report.waiting[static_cast<std::size_t>(reason)];
}
std::uint64_t slot(const std::vector<SlotUse>& slots, std::string_view name) {
  for (const SlotUse& each : slots)
    if (each.name == name) return each.words;
  ADD_FAILURE() << name;
  return 0;
}

constexpr std::string_view forked =
    "main { p0: mbyp ft0, vi0; p2: tstz ftt, p0, ft0 }\n"
    "if(p0) ctrl { br over }\n"
    "fadd r0, vi0, vi1\n"
    "main rpt=4 { p0: mbyp ft0, vi0; w0 = r1 }\n"
    "over: nop.end\n";
constexpr std::string_view loop =
    "again: main { p0: mbyp ft0, vi0; p2: tstz ftt, p0, ft0 }\nif(p0) ctrl { br again }\nnop.end";
constexpr std::string_view ordering =
    "fitr.pixel r0, drc0, cf0, 3\n"
    "ld r4, drc1, 5, vi0\n"
    "smp2d drc1, sh4, vi4, sh0, _, r10, 4\n"
    "wdf drc0\n"
    "wdf drc1\n"
    "main { p0: fadd ft0, r0, r4; w0 = o0 }\n"
    "nop.end\n";
const TimingParameters no_waits{{"group_latency", 0}, {"branch_wait", 0}};

// ------------------------------------------------------------------------------------------------ estimate

TEST(RogueEstimate, CountsGroupsAndBytesOfBothPaths) {
  const Program program = assembled(forked);
  const Estimate result = estimate(program);
  EXPECT_EQ(result.words, 5u);
  EXPECT_THAT(result.shortest, Optional(ElementsAre(3, 0, 0, 0)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(4 + 4, 0, 0, 0))) << "four groups, and one of four turns";
  EXPECT_THAT(result.total, ElementsAre(8, 0, 0, 0));
  EXPECT_EQ(result.bytes->total, program.code.size());
  EXPECT_THAT(result.bytes->longest, Optional(program.code.size())) << "a repeated group is fetched once";
  const std::vector<Group> groups = decode(program.code);
  EXPECT_THAT(result.bytes->shortest, Optional(groups[0].size + groups[1].size + groups[4].size));
  EXPECT_EQ(path_cycles((*result.shortest)[0], result.pipes[0]), 6) << "32 instances, 16 lanes";
  EXPECT_EQ(shader_db_line(result),
            "6 inst, 5 bundles, 3 quadwords, 5 registers, 4 threads, 0 loops, 0:0 spills:fills\n");
}

TEST(RogueEstimate, ALoopHasNoLongestPath) {
  const Estimate result = estimate(assembled(loop));
  EXPECT_EQ(result.loops, 1u);
  EXPECT_THAT(result.shortest, Optional(ElementsAre(3, 0, 0, 0)));
  EXPECT_FALSE(result.longest);
  EXPECT_FALSE(result.bytes->longest);
  EXPECT_THAT(result.notes, Contains(HasSubstr("1 loop whose trip count is unknown")));
}

TEST(RogueEstimate, CountsWhatIsOrdered) {
  const Estimate result = estimate(assembled(ordering));
  EXPECT_THAT(result.total, ElementsAre(7, 3, 5, 1));
  EXPECT_THAT(result.longest, Optional(ElementsAre(7, 3, 5, 1)));
  const Estimate unknown = estimate(assembled("ld r4, drc1, sh0, vi0\nwdf drc1\nnop.end"));
  EXPECT_THAT(unknown.total, ElementsAre(3, 0, 1, 0));
  EXPECT_THAT(unknown.notes, Contains(HasSubstr("a register holds")));
}

TEST(RogueEstimate, CallsCountForTheWholeProgramOnly) {
  const Estimate result = estimate(assembled("brl f\nnop.end\nf: mov r0, vi0\nlapc"));
  EXPECT_THAT(result.total, ElementsAre(4, 0, 0, 0));
  EXPECT_THAT(result.longest, Optional(ElementsAre(2, 0, 0, 0)));
  EXPECT_THAT(result.notes, Contains(HasSubstr("1 call: what is called counts for the whole program only")));
}

TEST(RogueEstimate, CountsPhasesAndMoves) {
  const Estimate result = estimate(assembled(
      "main { p0: fmul ft0, vi0, vi1; p1: mbyp ft1, vi2; pck.zero ft2; tstz ftt, p0, ft0; movc w0, w1, ftt, ft0, ft1; "
      "w0 = r0 }\n"
      "bit { byp ft0, ft1, sc0, 5; and ft4, ft1, ft2, _, s3; s3 = sc143; w0 = r1 }\n"
      "mov r2, vi0.neg\nnop.end"));
  EXPECT_EQ(slot(result.slots, "p0"), 2u);
  EXPECT_EQ(slot(result.slots, "p1"), 1u);
  EXPECT_EQ(slot(result.slots, "pack"), 1u);
  EXPECT_EQ(slot(result.slots, "test"), 1u);
  EXPECT_EQ(slot(result.slots, "move"), 1u);
  EXPECT_EQ(slot(result.slots, "mask"), 1u);
  EXPECT_EQ(slot(result.slots, "logical"), 1u);
  EXPECT_EQ(slot(result.slots, "control"), 1u);
  // In phase 1, and two of the bitwise group: an immediate, and an idle shift that passes FT2. A negation is not a
  // copy.
  EXPECT_EQ(result.moves, 3u);
}

TEST(RogueEstimate, RegistersLimitTheTasks) {
  EXPECT_EQ(estimate(assembled("mov r23, vi0\nnop.end")).threads, 24 * 24 / 32 * 32u) << "24 and 8 registers";
  EXPECT_EQ(estimate(assembled("mov r15, vi7\nnop.end")).threads, 24 * 32u);
  EXPECT_EQ(estimate(assembled("mov r100, vi7\nnop.end")).threads, 24 * 24 / 112 * 32u);
  EXPECT_EQ(estimate(assembled("mov r0, sh9\nnop.end")).uniform_registers, 10u);
}

// ------------------------------------------------------------------------------------------------ simulation

TEST(RogueSimulation, GroupsTakeTwoCyclesForAFullTask) {
  const Program program = assembled(forked);
  SimulationRequest request;
  request.parameters = no_waits;
  request.assumed = AssumedPath::longest;
  for (const auto& [threads, cycles] :
       std::vector<std::pair<std::uint32_t, std::uint64_t>>{{1, 8}, {16, 8}, {17, 16}, {32, 16}, {33, 24}, {64, 32}}) {
    request.threads = threads;
    const SimulationReport result = simulated(program, request);
    EXPECT_EQ(result.cycles, cycles) << threads;
    EXPECT_EQ(result.threads, threads);
    EXPECT_EQ(result.counters[4].second, 0u) << "no stalls";
  }
}

TEST(RogueSimulation, ATaskWaitsForEachAssumedReason) {
  const SimulationReport plain = one_task(assembled(forked), no_waits);
  EXPECT_EQ(plain.cycles, 6u);
  const SimulationReport late = one_task(assembled(forked), {{"group_latency", 7}, {"branch_wait", 3}});
  EXPECT_EQ(late.cycles, 6u + 7 + 3) << "the branch needs P0";
  EXPECT_EQ(waiting(late, StallReason::read_after_write), 7 * 32u);
  EXPECT_EQ(waiting(late, StallReason::branch), 3 * 32u);
  EXPECT_EQ(late.counters[4], (std::pair<std::string_view, std::uint64_t>{"ASSUMED_STALL_CYCLES", 10}));
  EXPECT_EQ(one_task(assembled("wop\nnop.end"), {{"output_wait", 9}}).cycles, 13u);
  TimingParameters slow = no_waits;
  slow["fetch_bytes"] = 1;
  EXPECT_EQ(one_task(assembled("mov r0, vi0\nnop.end"), slow).cycles, assembled("mov r0, vi0\nnop.end").code.size());
}

TEST(RogueSimulation, WaitsEndWhenTheirOrdersArrive) {
  TimingParameters parameters = no_waits;
  parameters["iterator_latency"] = 10;
  parameters["memory_latency"] = 100;
  parameters["texture_latency"] = 50;
  const SimulationReport result = one_task(assembled(ordering), parameters);
  // fitr is issued until 2 and arrives 3 * 8 + 10 later; wdf drc0 follows at 6. Memory: until 4, 5 * 2 + 100 later.
  EXPECT_EQ(waiting(result, StallReason::input), (2 + 34 - 6) * 32u);
  EXPECT_EQ(waiting(result, StallReason::memory) + waiting(result, StallReason::texture), (4 + 110 - 38) * 32u);
  EXPECT_EQ(result.cycles, 114 + 3 * 2u);
  EXPECT_EQ(result.use[1].issue_cycles, 24u);
  EXPECT_EQ(result.use[2].issue_cycles, 10u);
  EXPECT_EQ(result.use[3].issue_cycles, 8u);
}

TEST(RogueSimulation, AnIterationCanWaitForItself) {
  const std::string_view text = "ditr.pixel.schedwdf r0, drc0, cf4, 2, 1, cf0\nmov r2, r0\nnop.end";
  TimingParameters parameters = no_waits;
  parameters["iterator_latency"] = 100;
  EXPECT_EQ(one_task(assembled(text), parameters).cycles, 2 + 16 + 100 + 4u);
}

TEST(RogueSimulation, TheLastOrdersAreWaitedFor) {
  TimingParameters parameters = no_waits;
  parameters["memory_latency"] = 30;
  const SimulationReport result =
      one_task(assembled("main { st s3, 2, drc0, 4, s4; s3 = vi2; s4 = vi0 }\nnop.end"), parameters);
  EXPECT_EQ(result.cycles, 2 + 8 + 30u);
  EXPECT_EQ(waiting(result, StallReason::drain), (40 - 4) * 32u);
}

TEST(RogueSimulation, TasksHideEachOthersWaits) {
  SimulationRequest request;
  request.threads = 32 * 24;
  request.parameters = {{"iterator_latency", 10},   {"memory_latency", 10},    {"texture_latency", 10},
                        {"iterator_instances", 32}, {"texture_instances", 32}, {"memory_words", 1024}};
  EXPECT_EQ(simulated(assembled(ordering), request).cycles, 24 * 7 * 2u);
  for (const std::uint64_t scheduler : {0u, 1u}) {
    request.threads = 64;
    request.parameters = {{"group_latency", 0}, {"scheduler", scheduler}};
    const SimulationReport result = simulated(assembled("mov r0, vi0\nmov r1, vi1\nmov r2, vi2\nnop.end"), request);
    EXPECT_EQ(result.cycles, 16u);
    // Task 0 first, or both in turns.
    EXPECT_EQ(waiting(result, StallReason::not_selected), (scheduler == 0 ? 8 : 2 + 3 * 2 + 3 * 2) * 32u);
  }
}

TEST(RogueSimulation, TasksTakeTheWayOfTheirRun) {
  const Program program = assembled(loop);
  const std::vector<Group> groups = decode(program.code);
  ThreadPaths paths;
  for (std::uint32_t thread = 0; thread < 40; ++thread) {
    const int turns = thread < 32 ? 3 : thread % 2 + 1;
    for (int turn = 0; turn < turns; ++turn)
      for (const std::size_t group : {0u, 1u}) paths.step(std::array{thread}, groups[group].offset);
    paths.step(std::array{thread}, groups[2].offset);
  }
  SimulationRequest request;
  request.paths = &paths;
  request.parameters = no_waits;
  const SimulationReport result = simulated(program, request);
  EXPECT_EQ(result.threads, 40u);
  EXPECT_EQ(result.use[0].words, 7 + 3 + 5u);
  EXPECT_EQ(result.cycles, 7 * 2 + 3 + 5u) << "32 instances, and 4 that go each way";
  EXPECT_THAT(result.notes, Contains(HasSubstr("different ways")));
  ThreadPaths stray;
  stray.step(std::array{0u}, program.code.size());
  request.paths = &stray;
  EXPECT_EQ(timing_model().simulate(program, request).error()[0].code, "TM005");
}

/// The cycle in which each task was last heard of: they all begin in cycle 0 and end with an event.
class Lives : public TimelineSink {
 public:
  void begin(const TimelineInfo&) override {}
  void on(const TimelineEvent& event) override { last_[event.thread] = event.cycle; }
  void end(std::uint64_t) override {}

  /// Thread-cycles of tasks of 32, the last one with the rest, up to `limit`.
  [[nodiscard]] std::uint64_t thread_cycles(std::uint32_t threads, std::uint64_t limit) const {
    std::uint64_t sum = 0;
    for (const auto& [task, cycle] : last_) sum += std::min(threads - 32 * task, 32u) * std::min(cycle, limit);
    return sum;
  }

 private:
  std::map<std::uint32_t, std::uint64_t> last_;
};

TEST(RogueSimulation, ResidenceIsFromTheBeginningOfATaskToItsEnd) {
  constexpr std::string_view draining = "fitr.pixel r0, drc0, cf0, 4\nmov r8, vi0\nnop.end";
  for (const std::string_view text : {forked, ordering, draining}) {
    Lives lives;
    SimulationRequest request;
    request.threads = 500;
    request.timeline = &lives;
    const SimulationReport whole = simulated(assembled(text), request);
    ASSERT_TRUE(whole.complete);
    EXPECT_EQ(whole.resident, lives.thread_cycles(500, whole.cycles));
    request.timeline = nullptr;
    for (const std::uint64_t limit : {90u, 41u, 1u}) {
      request.max_cycles = limit;
      EXPECT_EQ(simulated(assembled(text), request).resident, lives.thread_cycles(500, limit)) << limit;
    }
  }
}

TEST(RogueSimulation, NothingIsIssuedAtTheLimit) {
  for (const std::string_view text : {forked, ordering})
    expect_limits_hold([&](const SimulationRequest& request) { return simulated(assembled(text), request); },
                       {.threads = 100}, 1);
}

TEST(RogueSimulation, EveryCycleIsExecutionOrWaiting) {
  for (const std::uint64_t limit : {100000u, 90u, 41u, 1u})
    for (const std::string_view text : {forked, ordering}) {
      TimelineContract checker;
      SimulationRequest request;
      request.threads = 500;
      request.max_cycles = limit;
      request.timeline = &checker;
      const SimulationReport result = simulated(assembled(text), request);
      EXPECT_EQ(checker.broken(), std::vector<std::string>{});
      EXPECT_EQ(result.complete, limit == 100000);
      EXPECT_LE(result.cycles, limit);
      std::uint64_t sum = result.resident;
      for (const SimulationReport::WordUse& word : result.words) {
        sum -= word.executing;
        for (const std::uint64_t cycles : word.waiting) sum -= cycles;
      }
      EXPECT_EQ(sum, 0u) << "by word, too";
    }
}

TEST(RogueSimulation, WithoutAnEndThereIsNoPathToAssume) {
  SimulationRequest longest;
  longest.assumed = AssumedPath::longest;
  EXPECT_EQ(timing_model().simulate(assembled(loop), longest).error()[0].code, "TM003");
  EXPECT_EQ(timing_model().simulate(program_of({}), {}).error()[0].code, "TM003");
  EXPECT_FALSE(estimate(assembled("again: br again")).shortest);
}

// ------------------------------------------------------------------------------------------------ both

TEST(RogueTiming, ParametersAreDocumentedAsTheyAre) {
  std::ifstream file(mobula::test::source_file("docs/rogue-timing.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const TimingParameter& parameter : timing_model().parameters("")) {
    const std::string row = "| `" + std::string(parameter.name) + "` | " + std::to_string(parameter.value) + " | " +
                            std::to_string(parameter.minimum) + "-" + std::to_string(parameter.maximum) + " | " +
                            std::string(name(parameter.status)) + " | " + std::string(parameter.summary) + " |\n";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(timing_model().estimate(assembled(loop), {{"nonsense", 1}}).error()[0].code, "TM001");
  EXPECT_EQ(timing_model().simulate(assembled(loop), {.parameters = {{"lanes", 0}}}).error()[0].code, "TM002");
}

TEST(RogueTiming, GroupsWithoutAnEncodingTakeTheirTurn) {
  const auto program = parse({"t", "0: sop r8, vi0, vi1, add, vi2, vi3\n1: fadd r9, r8, vi0\n2: nop.end"}, "model");
  ASSERT_TRUE(program);
  const Estimate result = estimate(*program);
  EXPECT_EQ(result.variant, "model");
  EXPECT_EQ(slot(result.slots, "p0"), 2u);
  const SimulationReport run = one_task(*program, {{"group_latency", 10}});
  EXPECT_EQ(run.use[0].words, 3u);
  EXPECT_GT(waiting(run, StallReason::read_after_write), 0u) << "for r8";
}

TEST(RogueTiming, SurvivesAnyBytes) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 300; ++run) {
    Bytes code;
    if (run % 2 == 0) {
      code.resize(random() % 300);
      for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    } else {
      for (int i = 0; i < 20; ++i) {
        const Bytes group = random_group(random);
        code.insert(code.end(), group.begin(), group.end());
      }
    }
    const Program program = program_of(code);
    const Estimate whole = estimate(program);
    TimelineContract checker;
    SimulationRequest request;
    request.threads = 70;
    request.timeline = &checker;
    const auto result = timing_model().simulate(program, request);
    EXPECT_EQ(result.has_value(), whole.shortest.has_value());
    EXPECT_EQ(checker.broken(), std::vector<std::string>{});
  }
}

TEST(RogueTiming, TheReportIsJson) {
  const Estimate whole = estimate(assembled(ordering));
  const SimulationReport run = one_task(assembled(ordering), {});
  const auto json = nlohmann::json::parse(timing_json({&whole, 1}, {&run, 1}));
  EXPECT_EQ(json["shaders"][0]["hardware"]["architecture"], "Rogue");
  EXPECT_EQ(json["shaders"][0]["bytes"]["total"], assembled(ordering).code.size());
  EXPECT_EQ(json["simulations"][0]["counters"]["GROUPS_ISSUED"], 7);
  EXPECT_THAT(report(whole), HasSubstr("\n  bytes fetched"));
}

}  // namespace
}  // namespace mobula::rogue
