#include "machines/utgard_gp/timing/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/timing/slots.h"
#include "machines/utgard_gp/words.h"
#include "paths.h"
#include "timeline/arrows.h"
#include "timeline/contract.h"
#include "timing/limits.h"

namespace mobula::utgard_gp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

Estimate estimate(const Program& program, const TimingParameters& parameters = {}) {
  auto result = timing_model().estimate(program, parameters);
  EXPECT_TRUE(result) << render(result.error());
  return std::move(*result);
}
SimulationReport simulated(const Program& program, const SimulationRequest& request) {
  auto result = timing_model().simulate(program, request);
  EXPECT_TRUE(result) << render(result.error());
  return result ? std::move(*result) : SimulationReport{};
}

/// The words a thread of 9.3 executes for so many turns of its loop.
std::vector<std::uint64_t> loop_path(unsigned turns) {
  std::vector<std::uint64_t> path;
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t word = first; word <= last; ++word) path.push_back(word * 16);
  };
  add(0, 3);
  for (unsigned turn = 0; turn < turns; ++turn) add(4, 12);
  add(4, 9);
  add(13, 19);
  return path;
}

TEST(GpEstimate, CountsAttributesWordsAndVaryings) {
  const Estimate result = estimate(program_of(program_a()));
  EXPECT_THAT(result.total, ElementsAre(2, 7, 2));
  EXPECT_THAT(result.shortest, Optional(ElementsAre(2, 7, 2)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(2, 7, 2)));
  EXPECT_EQ(result.words, 7u);
  EXPECT_EQ(result.uniform_registers, 3u);
  EXPECT_EQ(result.work_registers, 0u);
  EXPECT_EQ(shader_db_line(result), "7 inst, 0 loops, 0:0 spills:fills\n");
}

TEST(GpEstimate, ALoopHasAShortestPathOnly) {
  const Estimate result = estimate(program_of(program_c()));
  EXPECT_THAT(result.shortest, Optional(ElementsAre(2, 17, 2)));
  EXPECT_FALSE(result.longest);
  EXPECT_EQ(result.loops, 1u);
  EXPECT_EQ(result.work_registers, 2u);
  EXPECT_THAT(result.notes, testing::Contains(HasSubstr("1 loop whose trip count is unknown")));
}

TEST(GpEstimate, ABranchHasAShortestAndALongestPath) {
  const Estimate result = estimate(assembled("{ ld = u[0]; p = mov ld.x; br 3 }\n{}\n{}\n{}\n"));
  EXPECT_THAT(result.shortest, Optional(ElementsAre(0, 2, 0)));
  EXPECT_THAT(result.longest, Optional(ElementsAre(0, 4, 0)));
}

/// Slots of 9.1 counted by hand from the decoded words.
TEST(GpEstimate, SaysHowManyWordsUseEachSlot) {
  const Estimate result = estimate(program_of(program_a()));
  std::map<std::string_view, std::uint64_t> words;
  for (const SlotUse& slot : result.slots) words[slot.name] = slot.words;
  const std::map<std::string_view, std::uint64_t> expected{{"mul0", 6},   // all but word 6
                                                           {"mul1", 6},   // all but word 0; word 1 is wide
                                                           {"acc0", 3},   // 2 5 6
                                                           {"acc1", 4},   // 1 2 5 6
                                                           {"cplx", 3},   // 0 2 6
                                                           {"pass", 1},   // 3
                                                           {"port0", 4},  // 0 (and its w again in word 1), 2, 3, 4
                                                           {"port1", 0}, {"ld", 6},  // 1 2 3 4 5 6
                                                           {"st0", 2},   {"st1", 2}, {"branch", 0}};
  EXPECT_EQ(words, expected);
  // Word 0: complex2, rcp; 1: complex1, mov; 2: five moves; 3: two muls, clamp; 4: two muls; 5: two muls, mov, add;
  // 6: mov, two adds, mov.
  EXPECT_EQ(result.instructions, 22u);
  EXPECT_EQ(result.moves, 9u);
}

TEST(GpEstimate, ParametersWeighTheUnits) {
  const Estimate result = estimate(program_of(program_a()), {{"attribute_cycles", 5}, {"varying_cycles", 0}});
  EXPECT_EQ(path_cycles(2, result.pipes[0]), 10);
  EXPECT_EQ(path_cycles(7, result.pipes[1]), 7);
  EXPECT_EQ(path_cycles(2, result.pipes[2]), 0);
  EXPECT_THAT(report(result), HasSubstr("bound: L\n"));
  EXPECT_EQ(timing_model().estimate(program_of(program_a()), {{"nonsense", 1}}).error()[0].code, "TM001");
}

TEST(GpEstimate, AnythingHasOne) {
  EXPECT_FALSE(estimate(program_of({})).shortest);
  EXPECT_EQ(estimate(program_of(std::vector<std::uint8_t>(35, 0xFF))).words, 2u);
}

struct Bound {
  TimingParameters parameters;
  std::uint64_t cycles;
};

TEST(GpSimulation, AVertexTakesAsLongAsTheSlowestUnit) {
  // Ten vertices: the first goes through all units, nine more at the pace of the slowest. 2 attributes, 7 words, 2
  // varyings.
  for (const auto& [parameters, cycles] :
       std::vector<Bound>{{{}, 2 + 7 + 2 + 9 * 7},
                          {{{"attribute_cycles", 10}}, 20 + 7 + 2 + 9 * 20},
                          {{{"varying_cycles", 5}}, 2 + 7 + 10 + 9 * 10},
                          {{{"varying_cycles", 5}, {"buffered_vertices", 1}}, 2 + 7 + 10 + 9 * 10},
                          {{{"word_cycles", 3}, {"start_cycles", 100}}, 100 + 2 + 21 + 2 + 9 * 21},
                          {{{"attribute_cycles", 0}, {"varying_cycles", 0}}, 70}}) {
    SimulationRequest request;
    request.threads = 10;
    request.parameters = parameters;
    EXPECT_EQ(simulated(program_of(program_a()), request).cycles, cycles);
  }
}

TEST(GpSimulation, VerticesTakeTheWayOfTheirRun) {
  ThreadPaths paths;
  const std::array<unsigned, 3> turns{0, 3, 1};
  for (std::uint32_t vertex = 0; vertex < turns.size(); ++vertex)
    for (const std::uint64_t address : loop_path(turns[vertex])) paths.step(std::array{vertex}, address);
  SimulationRequest request;
  request.paths = &paths;
  const SimulationReport result = simulated(program_of(program_c()), request);
  EXPECT_EQ(result.use[1].words, 3 * 17 + 4 * 9u);
  EXPECT_EQ(result.cycles, 2 + (3 * 17 + 4 * 9) + 2u);
  for (const SimulationReport::WordUse& word : result.words)
    if (word.address == 0x50) {
      EXPECT_EQ(word.executions, 7u);
    }
  EXPECT_EQ(result.slots.back().words, 7 + 4u) << "branches: word 9 each turn and once more, word 12 each turn";
}

/// How long each vertex is in the machine, from the first thing told of it to the last.
class Stays : public TimelineSink {
 public:
  void begin(const TimelineInfo&) override {}
  void end(std::uint64_t) override {}
  void on(const TimelineEvent& event) override {
    const auto stay = stays_.try_emplace(event.thread, event.cycle, event.cycle).first;
    stay->second.second = event.cycle;
  }
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t cycles = 0;
    for (const auto& [thread, stay] : stays_) cycles += stay.second - stay.first;
    return cycles;
  }

 private:
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> stays_;
};

/// Of the whole report, and of its words; whether it comes to its end or is stopped.
TEST(GpSimulation, EveryCycleOfAVertexIsExecutionOrWaiting) {
  for (const std::uint64_t limit : {100000u, 77u, 40u, 30u}) {
    Stays stays;
    SimulationRequest request;
    request.threads = 20;
    request.max_cycles = limit;
    request.parameters = {{"varying_cycles", 9}, {"buffered_vertices", 3}};
    request.timeline = &stays;
    const SimulationReport result = simulated(program_of(program_a()), request);
    EXPECT_EQ(result.resident, stays.total()) << limit;
    std::uint64_t in_words = 0;
    for (const SimulationReport::WordUse& word : result.words) {
      in_words += word.executing;
      for (const std::uint64_t cycles : word.waiting) in_words += cycles;
    }
    EXPECT_EQ(in_words, result.resident) << limit;
    if (!result.complete) continue;
    EXPECT_EQ(result.executing, 20 * (2 + 7 + 18u));
    EXPECT_GT(result.waiting[static_cast<std::size_t>(StallReason::no_free_slot)], 0u);
    EXPECT_GT(result.counters[4].second, 0u) << result.counters[4].first;
  }
}

/// Stopped while the first vertex is in word 0; the second, whose way begins with word 1, has only waited.
TEST(GpSimulation, AWordThatOnlyWaitedIsInTheReport) {
  ThreadPaths paths;
  paths.step(std::array{0u}, 0x00);
  paths.step(std::array{1u}, 0x10);
  SimulationRequest request;
  request.paths = &paths;
  request.max_cycles = 30;
  request.parameters = {{"word_cycles", 50}};
  const SimulationReport result = simulated(assembled("{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }\n{ }\n"), request);
  EXPECT_FALSE(result.complete);
  const auto waited = std::find_if(result.words.begin(), result.words.end(),
                                   [](const SimulationReport::WordUse& word) { return word.address == 0x10; });
  ASSERT_NE(waited, result.words.end());
  EXPECT_EQ(waited->executions, 0u);
  EXPECT_GT(waited->waiting[static_cast<std::size_t>(StallReason::unit_busy)], 0u);
}

TEST(GpSimulation, ArrowsSayWhatAWordMustComeAfter) {
  Arrows arrows;
  SimulationRequest request;
  request.threads = 2;
  request.timeline = &arrows;
  simulated(assembled("{ p0 = attr0; a0 = mov p0.x; st0 $1.x = a0 }\n{ p0 = attr0; a1 = add a0[-1], p0.y }\n{ a0 = mov "
                      "a1[-1]; st0 v1.x = a0 }\n"
                      "{ p1 = $1; a0 = mov p1.x; st0 v0.x = a0 }\n{ p0 = attr0; a0 = mov p0.y; st0 $1.x = a0 }\n"
                      "{ p0 = attr0; a0 = mov p0.z; st0 $1.x = a0 }\n"),
            request);
  EXPECT_EQ(arrows.list,
            (std::vector<std::string>{"1 read_after_write 0", "2 read_after_write 1", "3 read_after_write 0",
                                      "4 write_after_write 0", "4 write_after_read 3", "5 write_after_write 4"}));
}

TEST(GpSimulation, TheTimelineKeepsItsContract) {
  for (const std::uint64_t limit : {1000u, 40u, 1u}) {
    for (const std::uint64_t slow : {0u, 1u, 9u}) {
      TimelineContract checker;
      SimulationRequest request;
      request.threads = 8;
      request.max_cycles = limit;
      request.parameters = {{"varying_cycles", slow}, {"attribute_cycles", 9 - slow}, {"buffered_vertices", 1}};
      request.timeline = &checker;
      const SimulationReport result = simulated(program_of(program_c()), request);
      EXPECT_EQ(checker.broken(), std::vector<std::string>{});
      EXPECT_EQ(result.complete, limit == 1000);
      EXPECT_LE(result.cycles, limit);
    }
  }
}

TEST(GpSimulation, NothingIsIssuedAtTheLimit) {
  for (const std::uint64_t slow : {1u, 4u, 8u})
    expect_limits_hold(
        [](const SimulationRequest& request) { return simulated(program_of(program_c()), request); },
        {.threads = 8,
         .parameters = {{"varying_cycles", slow}, {"attribute_cycles", 9 - slow}, {"buffered_vertices", 1}}},
        3);
}

TEST(GpSimulation, WithoutAnEndThereIsNoPathToAssume) {
  const Program endless = assembled("{ ld = u[0]; p = mov ld.x; br 0 }\n{ ld = u[0]; p = mov ld.x; br 0 }\n");
  EXPECT_TRUE(timing_model().simulate(endless, {}));
  SimulationRequest longest;
  longest.assumed = AssumedPath::longest;
  EXPECT_EQ(timing_model().simulate(endless, longest).error()[0].code, "TM003");
  EXPECT_EQ(timing_model().simulate(program_of({}), {}).error()[0].code, "TM003");
}

TEST(GpTiming, ParametersAreDocumentedAsTheyAre) {
  std::ifstream file(mobula::test::source_file("docs/timing.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const TimingParameter& parameter : timing_model().parameters("")) {
    const std::string row = "| `" + std::string(parameter.name) + "` | " + std::to_string(parameter.value) + " | " +
                            std::to_string(parameter.minimum) + "-" + std::to_string(parameter.maximum) + " | " +
                            std::string(name(parameter.status)) + " | " + std::string(parameter.summary) + " |\n";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(GpTiming, SurvivesAnyBytes) {
  std::mt19937 random(7);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::uint8_t> code(random() % 600);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    const Program program = program_of(std::move(code));
    const Estimate whole = estimate(program);
    TimelineContract checker;
    SimulationRequest request;
    request.threads = 5;
    request.timeline = &checker;
    const auto result = timing_model().simulate(program, request);
    EXPECT_EQ(result.has_value(), whole.shortest.has_value());
    EXPECT_EQ(checker.broken(), std::vector<std::string>{});
  }
}

TEST(GpTiming, TheReportIsJson) {
  SimulationRequest request;
  request.threads = 4;
  const Estimate whole = estimate(program_of(program_a()));
  const SimulationReport run = simulated(program_of(program_a()), request);
  const auto json = nlohmann::json::parse(timing_json({&whole, 1}, {&run, 1}));
  EXPECT_EQ(json["shaders"][0]["hardware"]["architecture"], "Utgard GP");
  EXPECT_EQ(json["shaders"][0]["slots"]["ld"], 6);
  EXPECT_EQ(json["simulations"][0]["slots"]["ld"], 24);
}

/// A register counts when it is written, read at port 0, or read at port 1.
TEST(GpEstimate, RegistersAreThoseReadAndThoseWritten) {
  const auto registers = [](std::string_view text) { return estimate(assembled(text)).work_registers; };
  EXPECT_EQ(registers("{ p0 = attr9; a0 = mov p0.x; st0 v0.x = a0 }"), 0u);
  EXPECT_EQ(registers("{ p0 = attr0; a0 = mov p0.x; st0 $6.x = a0 }"), 7u);
  EXPECT_EQ(registers("{ p0 = attr0; a0 = mov p0.x; st1 $4.z = a0 }"), 5u);
  EXPECT_EQ(registers("{ p0 = $3; a0 = mov p0.x; st0 v0.x = a0 }"), 4u);
  EXPECT_EQ(registers("{ p1 = $2; a0 = mov p1.x; st0 v0.x = a0 }"), 3u);
}

}  // namespace
}  // namespace mobula::utgard_gp
