#include "mobula/lab/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "machines/utgard_gp/machine.h"
#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/random_program.h"
#include "machines/utgard_gp/schedule/attempts.h"
#include "machines/utgard_gp/schedule/values.h"
#include "machines/utgard_gp/simulator.h"
#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/words.h"
#include "mobula/lab/run.h"
#include "paths.h"
#include "trials.h"

namespace mobula::utgard_gp {
namespace {

/// The code of the error that refuses this program; empty if it is scheduled.
std::string refusal(const Program& program) {
  const auto scheduled = schedule(program, {.effort = 1, .exact = 0, .vertices = 8});
  return scheduled ? "" : scheduled.error().front().code;
}

// ------------------------------------------------------------------------------------------------ results

using Stored = std::map<unsigned, std::uint32_t>;
constexpr unsigned word_limit = 300;

/// What a program leaves in varyings, by the simulator that shares no code with the library; all NaNs as one. Nothing
/// if it does not end.
std::optional<Stored> simulate(const std::vector<std::uint8_t>& code, unsigned seed, unsigned limit) {
  simulated::Simulator simulator(code);
  std::mt19937 random(seed);
  const auto number = [&] {
    constexpr float special[] = {0.0F, -0.0F, 1, -1, 2, 0.5F, 3, 1e10F, 1e-40F, INFINITY, -INFINITY};
    const float value = random() % 3 == 0 ? special[random() % std::size(special)]
                                          : static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 200;
    return std::bit_cast<std::uint32_t>(value);
  };
  for (auto* file : {&simulator.attributes, &simulator.registers})
    for (auto& vec4 : *file) std::generate(vec4.begin(), vec4.end(), number);
  for (auto& vec4 : simulator.memory) std::generate(vec4.begin(), vec4.end(), number);
  simulator.run(limit);
  if (simulator.executed.size() >= limit) return std::nullopt;
  Stored stored;
  for (const simulated::Stored& each : simulator.stored)
    stored[4 * each.varying + each.component] = std::isnan(std::bit_cast<float>(each.bits)) ? 0x7FC00000 : each.bits;
  return stored;
}

/// Both programs leave the same in the simulator.
void expect_same(const Program& program, const ScheduledProgram& schedule) {
  for (unsigned vertex = 0; vertex < 4; ++vertex) {
    const auto expected = simulate(program.code, vertex, word_limit);
    if (!expected) continue;
    EXPECT_EQ(simulate(schedule.program.code, vertex, 2 * word_limit), expected)
        << program.file << " vertex " << vertex << '\n'
        << machine().disassemble(program, {})->text << "scheduled:\n"
        << machine().disassemble(schedule.program, {})->text;
  }
}

// ------------------------------------------------------------------------------------------------ samples

std::vector<Program> samples() {
  std::vector<Program> all;
  const std::filesystem::path folder = mobula::test::sample("utgard-gp");
  if (!std::filesystem::exists(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    all.push_back(program_of({std::istreambuf_iterator<char>(file), {}}));
    all.back().file = entry.path().filename().string();
  }
  return all;
}

TEST(Schedule, SamplesGetShorterAndNoneLonger) {
  const std::vector<Program> programs = samples();
  if (programs.empty()) GTEST_SKIP() << "no samples";
  std::uint32_t before = 0, after = 0;
  for (const Program& program : programs) {
    const auto scheduled = schedule(program, {.effort = 1, .exact = 0, .vertices = 32});
    ASSERT_TRUE(scheduled) << program.file << ": " << render(scheduled.error());
    EXPECT_LE(scheduled->words, scheduled->words_before) << program.file;
    EXPECT_GE(scheduled->words, scheduled->bound) << program.file;
    expect_same(program, *scheduled);
    before += scheduled->words_before;
    after += scheduled->words;
  }
  EXPECT_LE(10 * after, 9 * before) << after << " words, were " << before;
}

std::size_t count_of(const Diagnostics& found, std::string_view code) {
  return static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [&](const Diagnostic& each) { return each.code == code; }));
}

/// Rules of which a new program may have more warnings than the one given, unless branches are to be plain.
constexpr std::string_view unproven[] = {"GP329", "GP345", "GP355"};

TEST(Schedule, PlainBranchesDoNothingThatIsNotProven) {
  const std::vector<Program> programs = samples();
  if (programs.empty()) GTEST_SKIP() << "no samples";
  for (std::size_t number = 0; number < programs.size(); number += test::whole() ? 1 : 8) {
    const Program& program = programs[number];
    const auto scheduled = schedule(
        program, {.effort = 1, .exact = 1, .past_branches = false, .share_branch_words = false, .vertices = 8});
    ASSERT_TRUE(scheduled) << program.file << ": " << render(scheduled.error());
    EXPECT_LE(scheduled->words, scheduled->words_before) << program.file;
    EXPECT_TRUE(scheduled->remarks.empty()) << program.file << render(scheduled->remarks);
    const Diagnostics before = machine().check(program), after = machine().check(scheduled->program);
    for (const std::string_view code : unproven)
      EXPECT_LE(count_of(after, code), count_of(before, code)) << program.file << ' ' << render(after);
  }
}

TEST(Schedule, SaysWhatIsNotProven) {
  const std::vector<Program> programs = samples();
  if (programs.empty()) GTEST_SKIP() << "no samples";
  unsigned remarked = 0;
  for (const Program& program : programs) {
    const auto scheduled = schedule(program, {.effort = 1, .exact = 0, .vertices = 8});
    ASSERT_TRUE(scheduled) << program.file << ": " << render(scheduled.error());
    const Diagnostics before = machine().check(program), after = machine().check(scheduled->program);
    const std::string remarks = render(scheduled->remarks);
    for (const std::string_view code : unproven) {
      const bool more = count_of(after, code) > count_of(before, code);
      EXPECT_EQ(remarks.find(code) != std::string::npos, more) << program.file << remarks << render(after);
      remarked += more ? 1 : 0;
    }
  }
  EXPECT_GT(remarked, 0u);
}

/// Programs that once gave no result.
TEST(Schedule, FoundProgramsGiveAResult) {
  const std::filesystem::path folder = mobula::test::sample("found");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples";
  for (const std::string name : {"gp-302", "gp-304"}) {
    Program program = assembled(read_file(folder / (name + ".gpasm")));
    const std::string side = read_file(folder / (name + ".json"));
    auto read = read_side_file({name, side});
    ASSERT_TRUE(read) << render(read.error());
    program.interface = read->interface;
    machine().complete(program.interface);
    for (const bool plain : {false, true}) {
      const auto scheduled = schedule(
          program, {.effort = 2, .exact = 10, .past_branches = !plain, .share_branch_words = !plain, .vertices = 32});
      ASSERT_TRUE(scheduled) << name << render(scheduled.error());
      EXPECT_EQ(render(scheduled->remarks).find("given up"), std::string::npos) << render(scheduled->remarks);
      EXPECT_LT(scheduled->words, scheduled->words_before) << name;
      expect_same(program, *scheduled);
    }
  }
}

TEST(Schedule, FallsBackToWhatPassesItsVerification) {
  const auto attempts = attempts_of({}, true);
  ASSERT_EQ(attempts.size(), 4u);
  EXPECT_EQ(attempts[1].options.exact, 0u);
  EXPECT_FALSE(attempts[2].options.past_branches);
  EXPECT_TRUE(attempts[3].keep);
  unsigned runs = 0;
  const auto passes_from = [&](unsigned first, const char* code) {
    runs = 0;
    return first_verified(attempts, [&](const Attempt&) -> Result<ScheduledProgram> {
      if (runs++ >= first) return ScheduledProgram{};
      return fail(code, "wrong", "");
    });
  };
  const auto second = passes_from(1, "GP302");
  ASSERT_TRUE(second);
  EXPECT_EQ(runs, 2u);
  ASSERT_EQ(second->remarks.size(), 1u);
  EXPECT_EQ(second->remarks[0].severity, Severity::warning);
  EXPECT_EQ(second->remarks[0].message, "a new program did not pass its verification and was given up: wrong");
  ASSERT_TRUE(passes_from(3, "GP304"));
  EXPECT_EQ(runs, 4u);
  EXPECT_FALSE(passes_from(1, "GP301")) << "not the scheduler's fault";
  EXPECT_EQ(runs, 1u);
  EXPECT_FALSE(passes_from(4, "GP304"));
}

TEST(Schedule, DropsMovesNobodyNeeds) {
  const Program program = assembled(
      "{ p0 = attr0; a0 = mov p0.x }\n"
      "{ a0 = mov a0[-1] }\n"
      "{ m0 = mov a0[-1]; st0 v0.x = m0 }\n");
  const auto scheduled = schedule(program);
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  EXPECT_EQ(scheduled->words, 1u);
  EXPECT_EQ(scheduled->bound, 1u);
  EXPECT_EQ(scheduled->prefetch, 0u);
}

TEST(Schedule, LinesFollowWhatWordsMake) {
  Program program = assembled(
      "{ p0 = attr0; m0 = mul p0.x, p0.y }\n"
      "{ }\n"
      "{ p0 = attr0; m0 = mul p0.z, p0.w; st0 v0.x = m0 }\n"
      "{ c = rcp m0[-1]; m0 = complex2 m0[-1], m0[-1]; a0 = mov m0[-1] }\n"
      "{ m01 = complex1 c[-1], m0[-1], c[-1], a0[-1] }\n"
      "{ }\n"
      "{ a0 = mov m0[-2]; st0 v0.y = a0 }\n");
  program.lines = {{0, 9}, {32, 11}, {48, 12}};
  const auto scheduled = schedule(program);
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  ASSERT_LT(scheduled->words, 7u);
  const std::vector<SourceLine>& lines = scheduled->program.lines;
  ASSERT_EQ(lines.size(), 2u) << "nothing needs what line 9 makes";
  EXPECT_EQ(lines[0].byte_offset, 0u);
  EXPECT_EQ(lines[0].line, 11u);
  EXPECT_EQ(lines[1].line, 12u);
  EXPECT_GT(lines[1].byte_offset, 0u);
}

TEST(Schedule, ClampsInThePassUnit) {
  const Program program = assembled(
      "{ p0 = attr0; ld = u[0]; a0 = max p0.x, ld.x; m0 = mov ld.y }\n"
      "{ a0 = min a0[-1], m0[-1]; st0 v0.x = a0 }\n");
  const auto scheduled = schedule(program);
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  ASSERT_EQ(scheduled->words, 1u);
  EXPECT_EQ(pass_operation(load_word(scheduled->program.code, 0)).does, PassOp::clamp);
}

TEST(Schedule, KeepsALoop) {
  const auto scheduled = schedule(program_of(program_c()));
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  EXPECT_LT(scheduled->words, 20u);
  expect_same(program_of(program_c()), *scheduled);
  EXPECT_EQ(scheduled->traces.size(), 3u);
}

TEST(Schedule, ReportsTheStrictestBoundFirst) {
  const auto scheduled = schedule(program_of(program_b()));
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  for (const ScheduledTrace& trace : scheduled->traces) {
    ASSERT_FALSE(trace.bounds.empty());
    for (const ScheduleBound& bound : trace.bounds) EXPECT_LE(bound.words, trace.bound()) << bound.resource;
    EXPECT_LE(trace.bound(), trace.words);
    EXPECT_EQ(trace.optimal(), trace.words == trace.bound());
  }
}

/// Questions that take long: a product of two matrices, by a vector.
const SourceText long_product{"product.gpe",
                              "attribute vec4 p; uniform mat4 a; uniform mat4 b; varying vec4 v;"
                              "v = a * b[0] * p.x + a * b[1] * p.y + a * b[2] * p.z + a * b[3] * p.w;"};

TEST(Schedule, TellsHowFarItIsAndEndsWithinItsSteps) {
  std::uint64_t furthest = 0, most = 0;
  bool backwards = false;
  const auto scheduled = schedule_expressions(
      long_product, {.effort = 1, .exact = 2, .vertices = 16, .progress = [&](std::uint64_t done, std::uint64_t total) {
                       backwards |= done < furthest;
                       furthest = done;
                       most = total;
                     }});
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  EXPECT_FALSE(scheduled->traces.front().optimal()) << "the question was to be a long one";
  EXPECT_FALSE(backwards);
  EXPECT_EQ(most, 1'000u * 100 + 2'000u * 10'000);
  EXPECT_GT(furthest, most / 20);
  EXPECT_LE(furthest, most);
}

TEST(Schedule, TheExactSearchTakesNoMoreStepsThanItMay) {
  const auto bound_by = [](const ScheduleOptions& options) {
    const auto scheduled = schedule_expressions({"sums.gpe",
                                                 "attribute vec4 a; attribute vec4 b; uniform vec4 u; varying vec2 v;"
                                                 "v.x = a.w + (a.y + a.w); v.y = min(floor(a.w), b.y * u.w);"},
                                                options);
    return scheduled ? scheduled->traces.front().bounds.front().resource : render(scheduled.error());
  };
  EXPECT_EQ(bound_by({.effort = 1, .exact = 10, .vertices = 16}), "search");
  EXPECT_NE(bound_by({.effort = 1, .exact = 10, .exact_steps = 1000, .vertices = 16}), "search");
  EXPECT_NE(bound_by({.effort = 1, .exact = 0, .exact_steps = 1'000'000, .vertices = 16}), "search");
  std::uint64_t total = 0;
  ASSERT_TRUE(
      schedule_expressions(long_product, {.effort = 1,
                                          .exact = 2,
                                          .exact_steps = 500'000,
                                          .vertices = 16,
                                          .progress = [&](std::uint64_t, std::uint64_t most) { total = most; }}));
  EXPECT_EQ(total, 1'000u * 100 + 500'000);
}

/// Numbers that are stored as they are: what a load brings is stored in the word that loads it.
TEST(Schedule, StoresUniformsWhereTheyAreLoaded) {
  const auto scheduled = schedule_expressions(
      {"numbers.gpe",
       "attribute vec4 p; uniform mat4 m; varying vec4 v; varying vec2 a; varying vec2 b; varying vec2 c; varying vec2 "
       "d;"
       "varying vec2 e; varying vec2 f;"
       "v = m * p; a = vec2(1, 2); b = vec2(3, 4); c = vec2(5, 6); d = vec2(7, 8); e = vec2(9, 10); f = vec2(11, 12);"},
      {.effort = 4, .exact = 0, .vertices = 16});
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  EXPECT_LE(scheduled->words, 11u);
}

TEST(Schedule, IsTheSameEveryTime) {
  const auto first = schedule(program_of(program_c())), second = schedule(program_of(program_c()));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->program.code, second->program.code);
}

// ------------------------------------------------------------------------------------------------ memory

std::uint32_t count(const Program& program, bool (*is)(const Word128&)) {
  std::uint32_t words = 0;
  for (std::uint32_t i = 0; i < word_count(program.code); ++i) words += is(load_word(program.code, i)) ? 1 : 0;
  return words;
}

/// The shortest schedule of a text, which must keep its results.
ScheduledProgram shortened(const std::string& text) {
  const Program program = assembled(text);
  const auto scheduled = schedule(program);
  EXPECT_TRUE(scheduled) << render(scheduled.error());
  if (!scheduled) return {};
  expect_same(program, *scheduled);
  EXPECT_FALSE(has_errors(machine().check(scheduled->program))) << render(machine().check(scheduled->program));
  for (std::uint32_t i = 0; i < scheduled->words; ++i) {
    const Word128 word = load_word(scheduled->program.code, i);
    const StoreKind first = store_half(word, 0).kind, second = store_half(word, 1).kind;
    const bool mixed = (first == StoreKind::temporary) != (second == StoreKind::temporary);
    EXPECT_FALSE(mixed && first != StoreKind::none && second != StoreKind::none) << "unproven, reference 11";
  }
  return *scheduled;
}

TEST(Schedule, SetsAnAddressRegisterFourWordsBeforeItsLoads) {
  const ScheduledProgram schedule = shortened(
      "{ p0 = attr0; c = setA1 p0.x; a0 = mov p0.x }\n"
      "{ a0 = mov a0[-1] }\n{ }\n{ }\n{ }\n"
      "{ ld = u[4+A1]; a0 = mov ld.x; a1 = mov ld.y }\n"
      "{ p0 = attr1; a0 = mov a0[-1]; m0 = mul p0.x, a1[-1] }\n"
      "{ m0 = mov m0[-1]; a0 = mov a0[-1]; st0 v0.xy = a0, m0 }\n");
  ASSERT_EQ(schedule.words, 5u);
  const Word128 first = load_word(schedule.program.code, 0), last = load_word(schedule.program.code, 4);
  EXPECT_TRUE(sets_address(first, static_cast<unsigned>(get(last, word::ld_off))));
  EXPECT_EQ(get(last, word::ld_addr), 4u);
}

TEST(Schedule, LoadsWithMoreAddressesThanRegisters) {
  std::string text;
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    text += "{ p0 = attr" + n + "; c = setA1 p0.x }\n{ }\n{ }\n{ }\n{ }\n";
    text += "{ ld = u[4+A1]; a0 = mov ld.x; m0 = mov ld.y; st0 v" + n + ".xy = a0, m0 }\n";
  }
  EXPECT_LE(shortened(text).words, 12u);
}

TEST(Schedule, LoadsAndStoresOfTemporariesKeepTheirOrder) {
  // The first load must not see the store, the second must; an address is unknown.
  const ScheduledProgram schedule = shortened(
      "{ ld = u[2]; a0 = mov ld.z; a1 = mov ld.x; st1 v0.z = a1 }\n"
      "{ }\n"
      "{ p0 = attr0; c = setA0 p0.y; a0 = mov p0.z; st0 t[A0].x = a0 }\n"
      "{ }\n{ }\n{ }\n{ }\n"
      "{ ld = u[2]; a0 = mov ld.x; st0 v1.x = a0 }\n"
      "{ ld = u[2]; a0 = mov ld.w; st1 v1.w = a0 }\n");
  EXPECT_EQ(schedule.words, 6u);
  EXPECT_EQ(count(schedule.program, stores_temporary), 1u);
}

TEST(Schedule, DropsTemporariesOfKnownAddresses) {
  Program program = assembled(
      "{ p0 = attr0; ld = u[8]; c = setA0 ld.x; a0 = mov p0.z; st0 t[A0].x = a0 }\n"
      "{ }\n{ }\n{ }\n"
      "{ ld = u[20]; a0 = mov ld.x; st0 v1.x = a0 }\n"
      "{ ld = u[21]; a0 = mov ld.x; st1 v2.z = a0 }\n");
  EXPECT_EQ(schedule(program)->words, 6u) << "the address may be any";
  program.interface.constants = {{32, std::bit_cast<std::uint32_t>(20.0F)}};
  EXPECT_EQ(schedule(program)->words, 1u);
}

TEST(Schedule, CarriesAddressesAndTemporariesAroundALoop) {
  const ScheduledProgram schedule = shortened(
      "{ p0 = attr0; ld = u[0]; c = setA1 p0.x; a0 = mov ld.x; st0 $0.x = a0 }\n"
      "{ }\n{ }\n{ }\n"
      "again:\n"
      "{ p0 = $0; ld = u[4+A1]; a0 = add p0.x, ld.x; a1 = mov ld.y }\n"
      "{ p0 = $0; ld = u[1]; c = setA0 ld.x; a0 = mov a0[-1]; a1 = mov a1[-1]; st0 t[A0].xy = a0, a1; }\n"
      "{ p0 = $0; ld = u[2]; a0 = add p0.x, ld.y; st0 $0.x = a0 }\n"
      "{ p0 = attr1; a0 = lt a0[-1], p0.x }\n"
      "{ a0 = mov a0[-1] }\n"
      "{ p = mov a0[-1]; br again }\n"
      "{ ld = u[3]; a0 = mov ld.x; st0 v0.x = a0 }\n"
      "{ }\n");
  EXPECT_LE(schedule.words, 10u);
  EXPECT_EQ(schedule.traces.size(), 3u);
}

TEST(Schedule, CarriesTheStoreAddressOverBranchesAndJoins) {
  const ScheduledProgram schedule = shortened(
      "{ }\n{ }\n{ }\n{ }\n"
      "{ p0 = attr0; c = setA0 p0.x; a1 = lt p0.z, ident }\n"
      "{ a1 = mov a1[-1] }\n"
      "{ p = mov a1[-1]; br over }\n"
      "{ p0 = attr0; c = setA0 p0.w }\n"
      "over:\n"
      "{ p0 = attr1; a0 = mov p0.x; st0 t[A0].x = a0 }\n"
      "{ }\n{ }\n{ }\n{ }\n"
      "{ ld = u[3]; a0 = mov ld.x; st0 v0.x = a0 }\n");
  EXPECT_EQ(count(schedule.program, stores_temporary), 1u);
  const auto sets_a0 = [](const Word128& word) { return sets_address(word, 0); };
  EXPECT_EQ(count(schedule.program, sets_a0), 1u) << "it comes to the store from a register";
}

TEST(Schedule, LoadsAfterABranchWhatNoStoreOnItsWayCanHit) {
  const std::string text =
      "{ p0 = attr0; ld = u[8]; c = setA0 ld.x; a0 = mov p0.z; st0 t[A0].x = a0 }\n"
      "{ p0 = attr0; p = mov p0.w; br over }\n"
      "{ ld = u[21]; a0 = mov ld.x; st0 v0.x = a0 }\n"
      "over:\n"
      "{ ld = u[21]; a0 = mov ld.x; st0 v1.x = a0 }\n"
      "{ ld = u[9]; c = setA0 ld.x; a0 = mov ld.y; st0 t[A0].x = a0 }\n"
      "{ }\n{ }\n{ }\n"
      "{ ld = u[20]; a0 = mov ld.x; st1 v1.z = a0 }\n";
  Program program = assembled(text);
  EXPECT_EQ(refusal(program), "GP301") << "the stores may go anywhere";
  program.interface.constants = {{32, std::bit_cast<std::uint32_t>(20.0F)}, {36, std::bit_cast<std::uint32_t>(21.0F)}};
  const auto result = schedule(program);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_LT(result->words, result->words_before);
  program.interface.constants[0].bits = std::bit_cast<std::uint32_t>(21.0F);
  EXPECT_EQ(refusal(program), "GP301") << "the first load gets what was there before";
}

TEST(Schedule, KeepsPrefetchTrue) {
  Program program = program_of(program_a());
  program.interface.prefetch = 4;
  const auto scheduled = schedule(program);
  ASSERT_TRUE(scheduled) << render(scheduled.error());
  EXPECT_GE(*scheduled->program.interface.prefetch, scheduled->prefetch);
}

/// A text of which so many values are needed together: all of them again when their sum is known.
std::string many_values(unsigned count) {
  std::string text, sum, result;
  for (unsigned i = 0; i < (count + 19) / 20 || i < 5; ++i)
    text += "attribute vec4 a" + std::to_string(i) + "; uniform vec4 u" + std::to_string(i) + ";\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string x = "x" + std::to_string(i);
    text += x + " = a" + std::to_string(i / 20) + '.' + "xyzw"[i % 4] + " * u" + std::to_string(i % 20 / 4) + '.' +
            "xyzw"[(i * 7 + i / 4) % 4] + ";\n";
    sum += (i == 0 ? "" : " + ") + x;
    result += (i == 0 ? "max(" : " + max(") + x + ", s)";
  }
  return text + "varying vec4 v;\ns = " + sum + ";\nv.x = " + result + ";\n";
}

TEST(Schedule, SpillsToTemporariesWhenRegistersDoNotSuffice) {
  const ScheduleOptions quick{.effort = 1, .exact = 0, .vertices = 32};
  const auto few = schedule_expressions({"few.gpe", many_values(40)}, quick);
  ASSERT_TRUE(few) << render(few.error());
  EXPECT_EQ(count(few->program, stores_temporary), 0u);
  const std::string text = many_values(100);
  const auto many = schedule_expressions({"many.gpe", text}, quick);
  ASSERT_TRUE(many) << render(many.error());
  EXPECT_GT(count(many->program, stores_temporary), 4u);
  EXPECT_TRUE(machine().check(many->program).empty()) << render(machine().check(many->program));
  // As a program its temporaries are known, and it can be spilled again.
  const auto again = schedule(many->program, quick);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_LE(again->words, many->words);
  EXPECT_GT(again->words_tried, 0u) << "a schedule was found";
  Program unknown = many->program;
  unknown.interface.constants.clear();
  EXPECT_TRUE(schedule(unknown, quick)) << "it stays as it is, if need be";
}

// ------------------------------------------------------------------------------------------------ refusals

TEST(Schedule, RefusesWhatNoValueStandsFor) {
  const std::string store = "{ a0 = mov a0[-1]; st0 v0.x = a0 }\n";
  EXPECT_EQ(refusal(assembled("{ p0 = attr0; a0 = mov p0.x }\n" + store)), "");
  EXPECT_EQ(refusal(assembled("{ p0 = attr0; c = setA1 p0.x }\n{ ld = u[0+A1]; a0 = mov ld.x }\n" + store)), "GP301");
  EXPECT_EQ(refusal(assembled("{ p0 = attr0; a0 = mov p0.x; st0 t[A0].x = a0 }\n{ }\n{ }\n{ }\n"
                              "{ ld = u[0]; a0 = mov ld.x }\n" +
                              store)),
            "GP301")
      << "A0 is never set";
  EXPECT_EQ(refusal(assembled("{ p0 = attr0; a0 = mov p0.x; st0 t[A0].x = a0 }\n" + store)), "GP301") << "nor needed";
  EXPECT_EQ(refusal(assembled("{ p0 = attr0; p = mov p0.x; br over }\n"
                              "{ p0 = attr0; c = setA0 p0.y }\n"
                              "over:\n"
                              "{ p0 = attr0; a0 = mov p0.x; st0 t[A0].x = a0 }\n{ }\n{ }\n{ }\n"
                              "{ ld = u[0]; a0 = mov ld.x; st0 v0.x = a0 }\n")),
            "GP301")
      << "A0 is not set on every path";
  EXPECT_EQ(refusal(assembled("{ p0 = attr0; c = cplxop" + unknown_opcode(cplx_ops) + " p0.x }\n" + store)), "GP301");
  EXPECT_EQ(refusal(assembled("{ m0 = mov a1[-1]; st0 v0.x = m0 }\n")), "GP301");
  EXPECT_EQ(refusal(assembled("{ p0 = attr0; a0 = mov p0.x; st0 $0.x = a0 }\n"
                              "{ p0 = $0; a0 = mov p0.x; st0 v0.x = a0 }\n")),
            "GP301");
}

TEST(Schedule, RefusesWhatIsNotAProgram) {
  EXPECT_EQ(refusal(program_of(std::vector<std::uint8_t>(17))), "GP305");
  Program entered_late = program_of(program_b());
  entered_late.entry = word_bytes;
  EXPECT_EQ(refusal(entered_late), "GP305");
  EXPECT_EQ(refusal(program_of(std::vector<std::uint8_t>(4097 * word_bytes))), "GP305");
  EXPECT_EQ(refusal(program_of({})), "");
}

TEST(Schedule, SaysByHowMuchAProgramIsTooLong) {
  // Each of the 1040 words adds what cannot be shared, two a word at the best.
  std::string text;
  for (int i = 0; i < 1040; ++i)
    text += i == 0 ? "{ p0 = attr0; a0 = mov p0.x }\n" : "{ p0 = attr0; a0 = add a0[-1], p0.x }\n";
  text += "{ a0 = mov a0[-1]; st0 v0.x = a0 }\n";
  const auto scheduled = schedule(assembled(text), {.effort = 1, .exact = 0});
  ASSERT_FALSE(scheduled);
  EXPECT_EQ(scheduled.error().front().code, "GP303");
  EXPECT_NE(scheduled.error().front().message.find("more than the machine's 512"), std::string::npos)
      << scheduled.error().front().message;
}

TEST(Schedule, RandomWordsNeverCrash) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> code(16 * (1 + random() % 12));
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    const std::string code_of_error = refusal(program_of(code));
    EXPECT_TRUE(code_of_error.empty() || code_of_error == "GP301") << code_of_error;
  }
}

// ------------------------------------------------------------------------------------------------ random programs

TEST(ScheduleRandom, ProgramsKeepTheirResults) {
  std::mt19937 random(1);
  unsigned scheduled = 0;
  for (unsigned i = 0; i < test::trials(2000); ++i) {
    // Most read something that is not there; few short ones do not.
    const Program program = program_of(random_program(random, {.words = 6 + static_cast<unsigned>(random() % 6)}));
    const auto result = schedule(program, {.effort = 1, .exact = 1, .vertices = 16});
    if (!result) {
      EXPECT_EQ(result.error().front().code, "GP301") << render(result.error());
      continue;
    }
    ++scheduled;
    expect_same(program, *result);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(scheduled, test::trials(10));
}

TEST(ScheduleRandom, ProgramsWithBranchesTemporariesAndAddressesKeepTheirResults) {
  std::mt19937 random(5);
  unsigned scheduled = 0, shorter = 0, with_temporaries = 0, with_offsets = 0, with_branches = 0, with_both = 0;
  for (unsigned i = 0; i < test::trials(120); ++i) {
    const Program program = program_of(random_program(random, {.words = 8 + static_cast<unsigned>(random() % 16),
                                                               .branches = i % 4 == 1,
                                                               .temporaries = i % 3 != 1,
                                                               .patient = true}));
    const auto result = schedule(program, {.effort = 1, .exact = i % 8 == 0 ? 1u : 0u, .vertices = 16});
    if (!result) {
      EXPECT_EQ(result.error().front().code, "GP301") << render(result.error());
      continue;
    }
    ++scheduled;
    expect_same(program, *result);
    if (testing::Test::HasFailure()) return;
    if (result->words == result->words_before) continue;
    ++shorter;
    const auto contains = [&](auto is) {
      for (std::uint32_t word = 0; word < result->words; ++word)
        if (is(load_word(result->program.code, word))) return 1u;
      return 0u;
    };
    with_temporaries += contains([](const Word128& word) { return get(word, word::flow) == 12; });
    with_offsets += contains([](const Word128& word) { return get(word, word::ld_off) != no_offset; });
    with_branches += contains(is_branch);
    with_both += contains(is_branch) & contains([](const Word128& word) { return get(word, word::flow) == 12; });
  }
  if (test::sanitized) return;  // too few programs to hold something of everything
  EXPECT_GT(scheduled, test::trials(80));
  EXPECT_GT(shorter, test::trials(60));
  EXPECT_GT(with_temporaries, test::trials(15));
  EXPECT_GT(with_offsets, test::trials(15));
  EXPECT_GT(with_branches, test::trials(10));
  EXPECT_GT(with_both, 1u);
}

/// A random expression of the language, over attributes a and b and the uniform u.
std::string random_expression(std::mt19937& random, unsigned depth) {
  const auto again = [&] { return random_expression(random, depth - 1); };
  if (depth == 0 || random() % 5 == 0) return std::string{"abu"[random() % 3], '.', "xyzw"[random() % 4]};
  constexpr const char* functions[] = {"min", "max", "ge", "lt", "rcp", "rsqrt", "exp2", "log2", "floor", "sign", "-"};
  const auto which = static_cast<unsigned>(random() % 18);
  if (which < 4) return '(' + again() + " + " + again() + ')';
  if (which < 7) return '(' + again() + " * " + again() + ')';
  const std::string name = functions[which - 7];
  return name + '(' + again() + (which < 11 ? ", " + again() : "") + ')';
}

TEST(ScheduleRandom, ExpressionsKeepTheirResults) {
  std::mt19937 random(3);
  for (unsigned i = 0; i < test::trials(60); ++i) {
    std::string text = "attribute vec4 a; attribute vec4 b; uniform vec4 u; varying vec4 v;\n";
    for (const char component : {'x', 'y', 'w'})
      text += std::string("v.") + component + " = " + random_expression(random, 3) + ";\n";
    const auto compiled = schedule_expressions({"random.gpe", text}, {.effort = 1, .exact = 0, .vertices = 32});
    ASSERT_TRUE(compiled) << text << render(compiled.error());
    const auto again = schedule(compiled->program, {.effort = 1, .exact = 1, .vertices = 0});
    ASSERT_TRUE(again) << text << render(again.error());
    EXPECT_LE(again->words, compiled->words) << text;
    expect_same(compiled->program, *again);
    if (testing::Test::HasFailure()) FAIL() << text;
  }
}

}  // namespace
}  // namespace mobula::utgard_gp
