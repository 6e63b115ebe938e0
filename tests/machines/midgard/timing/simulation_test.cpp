#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "machines/midgard/timing/timing.h"
#include "machines/midgard/timing_programs.h"
#include "paths.h"
#include "timeline/arrows.h"
#include "timeline/contract.h"
#include "timing/limits.h"

namespace mobula::midgard {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Simulates with the contract of timelines and the sums of the report checked.
SimulationReport simulate_checked(const Program& program, SimulationRequest request) {
  TimelineContract contract;
  std::vector<TimelineSink*> sinks{&contract};
  if (request.timeline != nullptr) sinks.push_back(request.timeline);
  TimelineFork fork(sinks);
  request.timeline = &fork;
  auto result = timing_model().simulate(program, request);
  EXPECT_TRUE(result) << render(result.error());
  if (!result) return {};
  EXPECT_THAT(contract.broken(), IsEmpty());
  const auto sum = [](const WaitingCycles& waiting) {
    return std::accumulate(waiting.begin(), waiting.end(), std::uint64_t{0});
  };
  EXPECT_EQ(result->resident, result->executing + sum(result->waiting)) << "every thread-cycle is accounted for";
  std::uint64_t executing = 0, waiting = 0, executions = 0, issued = 0;
  for (const SimulationReport::WordUse& word : result->words) {
    executing += word.executing;
    waiting += sum(word.waiting);
    executions += word.executions;
  }
  for (const SimulationReport::PipeUse& pipe : result->use) issued += pipe.words;
  EXPECT_EQ(executing, result->executing);
  EXPECT_EQ(waiting, sum(result->waiting));
  EXPECT_EQ(executions, issued);
  return std::move(*result);
}

std::uint64_t waiting(const SimulationReport& report, StallReason reason) {
  return report.waiting[static_cast<std::size_t>(reason)];
}

/// The text view of a simulation, without ruler and legend.
std::vector<std::string> rows(const Program& program, SimulationRequest request) {
  std::string text;
  const auto view = text_timeline([&text](std::string_view piece) { text += piece; });
  request.timeline = view.get();
  simulate_checked(program, request);
  std::vector<std::string> result;
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; ++at) {
    const std::size_t end = text.find('|', at + 1);
    std::string cells = text.substr(at + 1, end - at - 1);
    cells.erase(cells.find_last_not_of(' ') + 1);
    if (!result.empty() || cells[0] != '0') result.push_back(cells);
    at = end;
  }
  return result;
}

TEST(MidgardSimulation, WordsOfOneThreadRunOneAfterTheOther) {
  const SimulationReport report =
      simulate_checked(TimingProgram().alu().load_store().alu().program("t860"), {.threads = 1});
  EXPECT_EQ(report.cycles, 8u + 16 + 8);
  EXPECT_EQ(report.executing, 32u);
  EXPECT_EQ(report.use[0].words, 2u);
  EXPECT_EQ(report.use[0].issue_cycles, 2u);
  EXPECT_TRUE(report.complete);
}

TEST(MidgardSimulation, ThreadsTakeTurnsOnAPipe) {
  const Program program = TimingProgram().alu().alu().program("t720");
  EXPECT_THAT(rows(program, {.threads = 3, .parameters = {{"thread_starts", 3}, {"alu_latency", 2}}}),
              ElementsAre("IXR", "  sIXR",     // thread 0: ready again at 2, when thread 2's turn is
                          "sIXR", "   sIXR",   // thread 1
                          "ssIXR", "    sIXR"  // thread 2
                          ));
}

TEST(MidgardSimulation, SeveralArithmeticPipesTakeSeveralThreads) {
  const Program program = TimingProgram().alu().program("t880");
  EXPECT_THAT(rows(program, {.threads = 4, .parameters = {{"thread_starts", 4}, {"alu_latency", 2}}}),
              ElementsAre("IXR", "IXR", "IXR", "sIXR"));
}

TEST(MidgardSimulation, APipeThatIsOccupiedStallsTheNextInLine) {
  const Program program = TimingProgram().texture().program("t860");
  const SimulationRequest request{
      .threads = 3, .parameters = {{"thread_starts", 3}, {"texture_issue_cycles", 3}, {"texture_latency", 4}}};
  // Thread 1 is next from cycle 1 on, thread 2 from cycle 4 on.
  EXPECT_THAT(rows(program, request), ElementsAre("IXXXR", "suuIXXXR", "ssssuuIXXXR"));
  const SimulationReport report = simulate_checked(program, request);
  EXPECT_EQ(waiting(report, StallReason::not_selected), 5u);
  EXPECT_EQ(waiting(report, StallReason::unit_busy), 4u);
  EXPECT_EQ(report.use[2].issue_cycles, 9u);
}

TEST(MidgardSimulation, AStallNamesWhoIsInTheWay) {
  struct Listener : TimelineSink {
    std::vector<TimelineEvent> stalls;
    void begin(const TimelineInfo&) override {}
    void on(const TimelineEvent& event) override {
      if (event.kind == EventKind::stall_begin) stalls.push_back(event);
    }
    void end(std::uint64_t) override {}
  } listener;
  simulate_checked(TimingProgram().alu().program("t720"),
                   {.threads = 2, .parameters = {{"thread_starts", 2}}, .timeline = &listener});
  ASSERT_EQ(listener.stalls.size(), 1u);
  EXPECT_EQ(listener.stalls[0].thread, 1u);
  EXPECT_EQ(listener.stalls[0].unit, 0u);
  EXPECT_EQ(listener.stalls[0].cause.thread, 0u);
  EXPECT_EQ(listener.stalls[0].cause.execution, 0u);
  EXPECT_EQ(listener.stalls[0].cause.word, 0u);
}

// Binary compatible targets: the same words, twice the arithmetic pipes, half the time (5.1).
TEST(MidgardSimulation, AT650RunsTheWordsOfAT600InHalfTheTime) {
  TimingProgram program;
  for (int i = 0; i < 16; ++i) program.alu();
  const SimulationReport t600 = simulate_checked(program.program("t604"), {.threads = 2000});
  const SimulationReport t650 = simulate_checked(program.program("t650"), {.threads = 2000});
  EXPECT_NEAR(static_cast<double>(t600.cycles) / 2000, 8, 0.1);
  EXPECT_NEAR(static_cast<double>(t650.cycles) / 2000, 4, 0.1);
  EXPECT_EQ(t600.use[0].words, t650.use[0].words);
}

TEST(MidgardSimulation, MoreWorkRegistersMeanFewerThreads) {
  Program program = TimingProgram().load_store().program("t860");
  for (const auto& [registers, threads] :
       std::map<std::uint32_t, std::uint32_t>{{4, 256}, {5, 128}, {8, 128}, {9, 64}, {16, 64}}) {
    program.interface.work_registers = registers;
    EXPECT_EQ(simulate_checked(program, {}).threads_at_once, threads) << registers;
  }
}

TEST(MidgardSimulation, TooFewThreadsCannotHideLatency) {
  TimingProgram words;
  for (int i = 0; i < 8; ++i) words.alu();
  const Program program = words.program("t720");
  const SimulationReport few = simulate_checked(program, {.threads = 64, .parameters = {{"max_threads", 4}}});
  const SimulationReport enough = simulate_checked(program, {.threads = 64, .parameters = {{"max_threads", 8}}});
  EXPECT_NEAR(static_cast<double>(few.cycles) / 64, 16, 1);
  EXPECT_NEAR(static_cast<double>(enough.cycles) / 64, 8, 1);
  EXPECT_EQ(waiting(few, StallReason::not_selected), 0u);
}

TEST(MidgardSimulation, WordsMayOvertakeATextureWordWhereTheProductAllows) {
  const TimingProgram program = TimingProgram().texture(1).alu().alu();
  const TimingParameters parameters{{"texture_latency", 12}, {"alu_latency", 3}};
  EXPECT_THAT(rows(program.program("t860"), {.threads = 1, .parameters = parameters}),
              ElementsAre("IXXXXXXXXXXXR", " IXXR", "    ttttttttIXXR"));
  EXPECT_THAT(rows(program.program("t620"), {.threads = 1, .parameters = parameters}),
              ElementsAre("IXXXXXXXXXXXR", "            IXXR", "               IXXR"));
}

TEST(MidgardSimulation, AThreadEndsWithItsOvertakenTextureWord) {
  const SimulationReport report = simulate_checked(TimingProgram().texture(2).alu().program("t860"), {.threads = 1});
  EXPECT_EQ(report.cycles, 32u);
  EXPECT_EQ(report.executing, 32u);
}

TEST(MidgardSimulation, TextureWordsDoNotOvertakeTextureWords) {
  EXPECT_THAT(rows(TimingProgram().texture(3).texture().program("t860"),
                   {.threads = 1, .parameters = {{"texture_latency", 4}}}),
              ElementsAre("IXXXR", " tttIXXXR"));
}

TEST(MidgardSimulation, ThreadsOfAGroupMeetAtABarrier) {
  Program program = TimingProgram().alu().barrier().alu().program("t720", Stage::compute);
  program.interface.local_size = {3, 1, 1};
  const TimingParameters parameters{{"alu_latency", 2}, {"texture_latency", 2}};
  // One thread starts a cycle; the first group leaves the barrier when its third thread has come.
  EXPECT_THAT(rows(program, {.threads = 3, .parameters = parameters}), ElementsAre("IXR", "  IXWBR", "      IXR",    //
                                                                                   " IXR", "   IXWR", "      sIXR",  //
                                                                                   "  IXR", "    IXR", "      ssIXR"));
  const SimulationReport report = simulate_checked(program, {.threads = 7, .parameters = parameters});
  EXPECT_EQ(waiting(report, StallReason::barrier), 2u * 3);  // the last group has one thread
}

TEST(MidgardSimulation, AThreadThatHasEndedHoldsUpNoBarrier) {
  Program program = TimingProgram().alu(jump_if(1)).barrier().alu().program("t860", Stage::compute);
  program.interface.local_size = {2, 1, 1};
  ThreadPaths paths;
  const std::vector<std::uint32_t> both{0, 1}, first{0}, second{1};
  paths.step(both, 0x00);
  paths.step(first, 0x10);
  paths.step(first, 0x20);
  for (int i = 0; i < 20; ++i) paths.step(second, 0x20);
  const SimulationReport report = simulate_checked(program, {.paths = &paths});
  EXPECT_TRUE(report.complete);
  EXPECT_GT(waiting(report, StallReason::barrier), 100u);
}

TEST(MidgardSimulation, ArrowsSayWhatAWordMustComeAfter) {
  const auto program = find_machine("midgard")->assemble(
      {"test.mdg",
       "{ vadd.FADD.f32 R0, R2, R3 }\n{ vadd.FADD.f32 R1, R0, R2 }\n{ vadd.FADD.f32 R0, R2, R2 }\n"
       "{ vadd.FADD.f32 R1.xy, R3, R3 }\n{ vadd.FADD.f32 R4.x, R1.z, R1.z }\n{ vadd.FADD.f32 R4.y, R1.x, R1.x }\n"},
      {.syntax = {}, .variant = "t860"});
  ASSERT_TRUE(program) << render(program.error());
  Arrows arrows;
  SimulationRequest request;
  request.threads = 3;
  request.timeline = &arrows;
  simulate_checked(*program, request);
  EXPECT_THAT(arrows.list, ElementsAre("1 read_after_write 0", "2 write_after_write 0", "2 write_after_read 1",
                                       "3 write_after_write 1", "4 read_after_write 1", "5 read_after_write 3"));
}

TEST(MidgardSimulation, AGroupThatDoesNotFitIsRefused) {
  Program program = TimingProgram().barrier().program("t860", Stage::compute);
  program.interface.local_size = {16, 16, 2};
  const auto result = timing_model().simulate(program, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "TM004");
}

// ------------------------------------------------------------------------------------------------ several programs

std::vector<SimulationReport> simulate_shared(const std::vector<Program>& programs, SimulationRequest request) {
  TimelineContract contract;
  request.timeline = &contract;
  auto result = timing_model().simulate_together(programs, request);
  EXPECT_TRUE(result) << render(result.error());
  EXPECT_THAT(contract.broken(), IsEmpty());
  return result ? std::move(*result) : std::vector<SimulationReport>(programs.size());
}

Program arithmetic_words(unsigned count, std::uint32_t work_registers = 4) {
  TimingProgram words;
  for (unsigned i = 0; i < count; ++i) words.alu();
  Program program = words.program("t820");
  program.file = std::to_string(count) + " words";
  program.interface.work_registers = work_registers;
  return program;
}

/// One cycle for everything.
const TimingParameters no_latency{
    {"alu_latency", 1}, {"load_store_latency", 1}, {"texture_latency", 1}, {"thread_starts", 8}};

TEST(MidgardSimulation, ProgramsThatNeedOtherPipesDoNotHinderEachOther) {
  const Program arithmetic = arithmetic_words(10);
  const Program loads = TimingProgram().load_store().load_store().load_store().program("t820");
  const auto reports = simulate_shared({arithmetic, loads}, {.threads = 1, .parameters = no_latency});
  EXPECT_EQ(reports[0].cycles, 10u);
  EXPECT_EQ(reports[1].cycles, 3u);
  EXPECT_EQ(reports[0].use[0].words, 10u);
  EXPECT_EQ(reports[0].use[1].words, 0u);
  EXPECT_EQ(reports[1].use[1].issue_cycles, 3u);
  EXPECT_EQ(reports[0].counters[0].second, 10u) << "the core was active as long as either of them";
  EXPECT_EQ(reports[1].counters[0].second, 10u);
  EXPECT_THAT(reports[1].together_with, ElementsAre("10 words"));
}

TEST(MidgardSimulation, ProgramsThatNeedOnePipeTakeTurns) {
  const auto reports =
      simulate_shared({arithmetic_words(10), arithmetic_words(4)}, {.threads = 1, .parameters = no_latency});
  EXPECT_EQ(reports[0].cycles, 14u);
  EXPECT_EQ(reports[1].cycles, 8u);
  EXPECT_EQ(reports[0].waiting,
            (simulate_shared({arithmetic_words(4), arithmetic_words(10)}, {.threads = 1, .parameters = no_latency})[1]
                 .waiting));
}

/// Alone, a program is simulated as it always was.
TEST(MidgardSimulation, OneProgramTogetherIsThatProgramAlone) {
  const Program program = TimingProgram().alu().texture(2).alu().load_store().alu().program("t860");
  const SimulationRequest request{.threads = 40, .max_cycles = 150};
  EXPECT_EQ(report(simulate_shared({program}, request)[0]), report(simulate_checked(program, request)));
}

/// The register file is shared: a thread with 16 work registers takes the room of four with 4.
TEST(MidgardSimulation, ThreadsTakeRoomByTheirRegisters) {
  TimingParameters parameters = no_latency;
  parameters["max_threads"] = 4;
  const Program large = arithmetic_words(5, 16), small = arithmetic_words(3, 4);
  const auto first = simulate_shared({large, small}, {.threads = 1, .parameters = parameters});
  EXPECT_EQ(first[0].cycles, 5u);
  EXPECT_EQ(first[1].cycles, 8u) << "it starts when the large thread has left";
  parameters["max_threads"] = 5;
  EXPECT_EQ(simulate_shared({large, small}, {.threads = 1, .parameters = parameters})[1].cycles, 6u);
  // Turns: a large thread, a small one, a large one ...
  const auto turns = simulate_shared({large, small}, {.threads = 3, .parameters = parameters});
  EXPECT_EQ(turns[0].threads, 3u);
  EXPECT_EQ(turns[1].threads, 3u);
  EXPECT_EQ(turns[0].cycles, 24u) << "24 words of one pipe, which is never idle";
}

TEST(MidgardSimulation, GroupsOfSeveralProgramsMeetAtTheirOwnBarriers) {
  Program three = TimingProgram().alu().barrier().alu().program("t720", Stage::compute);
  Program two = three;
  three.interface.local_size = {3, 1, 1};
  two.interface.local_size = {2, 1, 1};
  const auto reports = simulate_shared({three, two}, {.threads = 7});
  for (const SimulationReport& one : reports) {
    EXPECT_TRUE(one.complete);
    EXPECT_EQ(one.threads, 7u);
    EXPECT_EQ(one.use[0].words, 14u);
  }
  two.interface.local_size = {16, 16, 1};
  const auto result = timing_model().simulate_together(std::vector{three, two}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "TM004");
}

TEST(MidgardSimulation, ProgramsOfSeveralProductsShareNoCore) {
  const auto result =
      timing_model().simulate_together(std::vector{arithmetic_words(1), TimingProgram().alu().program("t860")}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "TM008");
  EXPECT_EQ(find_timing_model("rogue")->simulate_together({}, {}).error()[0].code, "TM008");
}

TEST(MidgardSimulation, StoppedTogetherNobodyIsFinished) {
  const auto reports = simulate_shared({arithmetic_words(10), arithmetic_words(2)},
                                       {.threads = 1, .parameters = no_latency, .max_cycles = 6});
  EXPECT_FALSE(reports[0].complete);
  EXPECT_EQ(reports[0].cycles, 6u);
  EXPECT_EQ(reports[1].cycles, 4u) << "it had left by then";
}

TEST(MidgardSimulation, WritesWaitForTheTileBuffer) {
  const Program program = TimingProgram().alu(writeout(0)).last().alu(writeout(-1)).program("t860", Stage::fragment);
  EXPECT_THAT(rows(program, {.threads = 1, .parameters = {{"writeout_wait", 3}, {"alu_latency", 2}}}),
              ElementsAre("IXWllR"));
}

TEST(MidgardSimulation, CostsOfWordsAreParameters) {
  const auto issue_cycles = [](const TimingProgram& program, const TimingParameters& parameters, std::size_t pipe) {
    return simulate_checked(program.program("t860"), {.threads = 1, .parameters = parameters}).use[pipe].issue_cycles;
  };
  EXPECT_EQ(issue_cycles(TimingProgram().texture(0, 3), {{"texture_3d_factor", 2}}, 2), 2u);
  EXPECT_EQ(issue_cycles(TimingProgram().texture(0, 2), {{"texture_3d_factor", 2}}, 2), 1u);
  EXPECT_EQ(issue_cycles(TimingProgram().load_store(), {{"load_store_pair_extra_cycles", 5}}, 1), 1u);
  EXPECT_EQ(issue_cycles(TimingProgram().load_store(), {{"load_store_issue_cycles", 5}}, 1), 5u);
  const TimingParameters alu{{"alu_issue_cycles", 4},
                             {"alu_lut_extra_cycles", 100},
                             {"alu_64bit_extra_cycles", 200},
                             {"alu_quadword_extra_cycles", 30}};
  EXPECT_EQ(issue_cycles(TimingProgram().alu(), alu, 0), 4u);
  Bundle bundle{.form = Bundle::Form::alu, .tag = tag_alu_4, .alu_count = 1};
  bundle.control = 1u << info(Unit::vlut).control_bit;
  bundle.alu[0] = {.unit = Unit::vlut, .registers = 0, .word = 0x2F0};  // 32-bit reciprocal
  EXPECT_EQ(issue_cycles(TimingProgram().add(bundle), alu, 0), 104u);
  bundle.alu[0].word = 0x310;  // 64-bit addition
  EXPECT_EQ(issue_cycles(TimingProgram().add(bundle), alu, 0), 204u);
  bundle.tag = tag_alu_4 + 1;
  bundle.has_constants = true;
  EXPECT_EQ(issue_cycles(TimingProgram().add(bundle), alu, 0), 234u);
  Bundle pair{.form = Bundle::Form::load_store, .tag = tag_load_store};
  EXPECT_EQ(issue_cycles(TimingProgram().add(pair), {{"load_store_pair_extra_cycles", 5}}, 1), 6u);
}

TEST(MidgardSimulation, TheOldestThreadMayGoFirst) {
  const Program program = TimingProgram().alu().alu().program("t720");
  const TimingParameters parameters{{"thread_starts", 3}, {"alu_latency", 2}, {"scheduler", 1}};
  EXPECT_THAT(rows(program, {.threads = 3, .parameters = parameters}),
              ElementsAre("IXR", "  IXR", "sIXR", "   IXR", "ssssIXR", "      IXR"));
}

TEST(MidgardSimulation, FollowsThePathsOfARun) {
  const Program program = TimingProgram().alu(jump_if(1)).load_store().alu().program("t860");
  ThreadPaths paths;
  const std::vector<std::uint32_t> both{0, 1}, second{1};
  paths.step(both, 0x00);
  paths.step(second, 0x10);
  paths.step(both, 0x20);
  EXPECT_THAT(paths.addresses(paths.path_id(0)), ElementsAre(0x00, 0x20));
  EXPECT_THAT(paths.addresses(paths.path_id(1)), ElementsAre(0x00, 0x10, 0x20));
  const SimulationReport report = simulate_checked(program, {.paths = &paths});
  EXPECT_EQ(report.threads, 2u);
  EXPECT_EQ(report.use[0].words, 4u);
  EXPECT_EQ(report.use[1].words, 1u);
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(MidgardSimulation, RecordsTheBlocksAnInterpreterExecutes) {
  ir::Program program;
  program.blocks = {{.address = 0x00}, {.address = 0x20}};
  ThreadPaths paths;
  const InterpreterObserver observer = paths.observer(program, 4);
  const std::vector<std::uint32_t> lanes{0, 1}, one{1};
  observer.before(0, lanes);
  observer.before(1, one);
  EXPECT_EQ(paths.threads(), 6u);
  EXPECT_THAT(paths.addresses(paths.path_id(4)), ElementsAre(0x00));
  EXPECT_THAT(paths.addresses(paths.path_id(5)), ElementsAre(0x00, 0x20));
  EXPECT_THAT(paths.all_addresses(), ElementsAre(0x00, 0x20));
}

TEST(MidgardSimulation, LongRunsAreCutAndSaySo) {
  ThreadPaths paths(3);
  const std::vector<std::uint32_t> one{0};
  for (int i = 0; i < 5; ++i) paths.step(one, 0);
  EXPECT_TRUE(paths.truncated());
  EXPECT_THAT(paths.addresses(paths.path_id(0)), ElementsAre(0, 0, 0));
  EXPECT_THAT(simulate_checked(TimingProgram().alu().program("t860"), {.paths = &paths}).notes,
              ElementsAre(HasSubstr("cut short")));
}

TEST(MidgardSimulation, RefusesPathsOfAnotherProgram) {
  ThreadPaths paths;
  paths.step(std::vector<std::uint32_t>{0}, 0x30);
  const auto result = timing_model().simulate(TimingProgram().alu().program("t860"), {.paths = &paths});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "TM005");
}

TEST(MidgardSimulation, WithoutARunAPathIsAssumedAndSaid) {
  const Program branch = TimingProgram().alu(jump_if(2)).load_store().load_store().alu().program("t860");
  EXPECT_EQ(simulate_checked(branch, {.threads = 1}).use[1].words, 0u);
  const SimulationReport longest = simulate_checked(branch, {.assumed = AssumedPath::longest, .threads = 1});
  EXPECT_EQ(longest.use[1].words, 2u);
  EXPECT_THAT(longest.notes,
              ElementsAre("No inputs were given: every thread is assumed to take the longest path, 4 words."));
  const Program loop = TimingProgram().alu(jump_if(-1)).alu().program("t860");
  const auto refused = timing_model().simulate(loop, {.assumed = AssumedPath::longest});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].code, "TM003");
}

TEST(MidgardSimulation, StopsAtTheLimit) {
  const Program program = TimingProgram().texture(1).alu().load_store().alu(writeout(-1)).program("t860");
  for (std::uint64_t limit = 0; limit < 80; ++limit) {
    const SimulationReport report = simulate_checked(
        program, {.threads = 9, .parameters = {{"max_threads", 5}, {"writeout_wait", 4}}, .max_cycles = limit});
    EXPECT_LE(report.cycles, limit);
    for (std::size_t pipe = 0; pipe < pipe_kinds; ++pipe)
      EXPECT_LE(report.use[pipe].issue_cycles, report.cycles * report.pipes[pipe].count);
    EXPECT_EQ(report.complete, report.threads == 9 && report.notes.size() == 1) << limit;
  }
}

TEST(MidgardSimulation, NothingIsIssuedAtTheLimit) {
  const Program program = TimingProgram().texture(1).alu().load_store().alu(writeout(-1)).program("t860");
  for (const std::uint64_t wait : {0u, 4u})
    expect_limits_hold([&](const SimulationRequest& request) { return simulate_checked(program, request); },
                       {.threads = 9, .parameters = {{"max_threads", 5}, {"writeout_wait", wait}}}, pipe_kinds);
}

TEST(MidgardSimulation, ThreadsEndAtAWordThatCannotRun) {
  const SimulationReport report = simulate_checked(TimingProgram().alu().raw().program("t860"), {.threads = 1});
  EXPECT_EQ(report.cycles, 8u);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("No inputs"), "The word at 0x10 cannot run: threads end there."));
  EXPECT_EQ(simulate_checked(TimingProgram().raw().program("t860"), {.threads = 3}).executing, 0u);
}

TEST(MidgardSimulation, RefusesUnknownParametersAndValues) {
  const Program program = TimingProgram().alu().program("t860");
  const auto result = timing_model().simulate(program, {.parameters = {{"alu_latenzy", 1}, {"alu_pipes", 0}}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "TM001");
  EXPECT_THAT(result.error()[0].hint, HasSubstr("alu_latency"));
  EXPECT_EQ(result.error()[1].code, "TM002");
}

TEST(MidgardSimulation, CountersHaveTheHardwaresNames) {
  const SimulationReport report =
      simulate_checked(TimingProgram().alu().alu().texture().program("t860", Stage::fragment), {.threads = 4});
  const std::map<std::string_view, std::uint64_t> counters(report.counters.begin(), report.counters.end());
  EXPECT_EQ(counters.at("ARITH_WORDS"), 4u);  // 8 words over two pipes
  EXPECT_EQ(counters.at("TEX_WORDS"), 4u);
  EXPECT_EQ(counters.at("FRAG_THREADS"), 4u);
  EXPECT_EQ(counters.at("TRIPIPE_ACTIVE"), report.cycles);
}

TEST(MidgardSimulation, ReportsSayWhatTheyRestOn) {
  const SimulationReport result =
      simulate_checked(TimingProgram().alu().program("t720"), {.threads = 4, .parameters = {{"thread_starts", 4}}});
  const std::string text = report(result);
  EXPECT_THAT(text, AllOf(HasSubstr("11 cycles for 4 threads (2.75 a thread)"), HasSubstr("alu_latency = 8 (unknown)"),
                          HasSubstr("not_selected: The unit it needs took another ready word"),
                          HasSubstr("A                  4   36.4%")));
  const nlohmann::json document = nlohmann::json::parse(timing_json({}, {&result, 1}));
  const nlohmann::json& simulation = document["simulations"][0];
  EXPECT_EQ(simulation["cycles"], 11);
  EXPECT_EQ(simulation["thread_cycles"]["waiting"], (nlohmann::json{{"not_selected", 6}}));
  EXPECT_EQ(simulation["words"][0]["executions"], 4);
  EXPECT_EQ(simulation["parameters"].size(), result.parameters.size());
}

TEST(MidgardSimulation, WordsHaveTheirTextOnOneLine) {
  const SimulationReport report = simulate_checked(TimingProgram().alu({}, 3, 2).alu().program("t860"), {.threads = 1});
  ASSERT_EQ(report.words.size(), 2u);
  EXPECT_EQ(report.words[0].address, 0u);
  EXPECT_THAT(report.words[0].text, AllOf(HasSubstr("R3"), HasSubstr("R2"), ::testing::Not(HasSubstr("\n"))));
}

TEST(MidgardSimulation, ParametersAreDocumentedAsTheyAre) {
  std::ifstream file(mobula::test::source_file("docs/timing.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const TimingParameter& parameter : timing_model().parameters("")) {
    const std::string row = "| `" + std::string(parameter.name) + "` | " + std::to_string(parameter.value) + " | " +
                            std::to_string(parameter.minimum) + "-" + std::to_string(parameter.maximum) + " | " +
                            std::string(name(parameter.status)) + " | " + std::string(parameter.summary) + " |\n";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(MidgardSimulation, SurvivesAnyBytes) {
  std::mt19937 random(7);
  for (int run = 0; run < 300; ++run) {
    Program program{.machine = "midgard", .variant = run % 2 == 0 ? "t860" : "t720"};
    program.interface.stage = run % 3 == 0 ? Stage::compute : Stage::fragment;
    program.interface.local_size = {static_cast<std::uint32_t>(1 + random() % 4), 1, 1};
    program.code.resize(16 * (1 + random() % 40));
    for (std::uint8_t& byte : program.code) byte = static_cast<std::uint8_t>(random());
    for (std::size_t at = 0; at < program.code.size(); at += 16) {
      program.code[at] = static_cast<std::uint8_t>((1 + random() % 8) << 4 | (2 + random() % 7));
      if ((program.code[at] & 15) == tag_alu_4) {  // one scalar instruction, so that the length is right
        program.code[at + 2] = 0x08;
        program.code[at + 3] = 0;
      }
    }
    const std::uint64_t words = program.code.size() / 16;
    // A run that goes anywhere: each thread walks about at random.
    ThreadPaths paths;
    for (std::uint32_t thread = 0; thread < 5; ++thread)
      for (std::uint64_t step = random() % 30; step != 0; --step)
        paths.step(std::vector<std::uint32_t>{thread}, random() % words * 16);
    const TimingParameters parameters{{"texture_issue_cycles", 1 + random() % 3},
                                      {"scheduler", random() % 2},
                                      {"thread_starts", 1 + random() % 4},
                                      {"max_threads", 16 + random() % 8},
                                      {"writeout_wait", random() % 3},
                                      {"alu_lut_extra_cycles", random() % 3}};
    simulate_checked(
        program, {.paths = &paths, .parameters = parameters, .max_cycles = run % 5 == 0 ? random() % 300 : 1000000});
    if (timing_model().simulate(program, {})) simulate_checked(program, {.threads = 10, .parameters = parameters});
  }
}

}  // namespace
}  // namespace mobula::midgard
