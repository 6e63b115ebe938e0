// Random programs through the lifter and the interpreter, and through the simulator of the reference's state machine.
#include <gtest/gtest.h>

#include <random>

#include "core/listing_pieces.h"
#include "machines/utgard_gp/lift_run.h"
#include "machines/utgard_gp/random_program.h"
#include "machines/utgard_gp/simulator.h"
#include "trials.h"

namespace mobula::utgard_gp {
namespace {

constexpr unsigned most_words = 300;

float random_number(std::mt19937& random) {
  constexpr float special[] = {0.0F, -0.0F, 1, -1, 2, 0.5F, 3, 1e10F, 1e-40F, INFINITY, -INFINITY, NAN};
  if (random() % 4 == 0) return special[random() % std::size(special)];
  return static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 200;
}

struct Outcome {
  std::vector<Store> expected, got;
  std::vector<unsigned> words;            ///< executed, by the simulator
  std::vector<std::uint64_t> executions;  ///< of each block, by the interpreter
};

Outcome run_both(const std::vector<std::uint8_t>& code, std::mt19937& random, Engine engine) {
  simulated::Simulator simulator(code);
  VertexRun run(code, {}, {.engine = engine, .step_limit = most_words});
  for (Bits4& attribute : run.environment.attributes)
    for (std::uint32_t& word : attribute) word = std::bit_cast<std::uint32_t>(random_number(random));
  for (Bits4& vec4 : run.environment.memory)
    for (std::uint32_t& word : vec4) word = std::bit_cast<std::uint32_t>(random_number(random));
  for (unsigned r = 0; r < 16; ++r)
    for (unsigned c = 0; c < 4; ++c) {
      const auto bits = std::bit_cast<std::uint32_t>(random_number(random));
      run.slots['$' + std::to_string(r) + '.' + "xyzw"[c]] = bits;
      simulator.registers[r][c] = bits;
    }
  for (unsigned i = 0; i < 16; ++i) simulator.attributes[i] = run.environment.attributes[i];
  for (unsigned i = 0; i < 512; ++i) simulator.memory[i] = run.environment.memory[i];
  simulator.run(most_words);
  run.run();
  Outcome outcome;
  for (const simulated::Stored& each : simulator.stored)
    outcome.expected.push_back({each.varying, each.component, std::bit_cast<float>(each.bits)});
  outcome.got = run.environment.stores;
  outcome.words = simulator.executed;
  outcome.executions = run.executions;
  return outcome;
}

std::string listing(const std::vector<std::uint8_t>& code) {
  Program program;
  program.code = code;
  return joined(in_pieces(program, print(program), {})).text;
}

/// Runs many programs of a kind; returns how many stored values were numbers.
double compare_many(const RandomProgramOptions& options, unsigned programs, unsigned seed) {
  std::mt19937 random(seed);
  double numbers = 0, values = 0;
  for (unsigned i = 0; i < test::trials(programs); ++i) {
    RandomProgramOptions chosen = options;
    chosen.words = 6 + static_cast<unsigned>(random() % options.words);
    const std::vector<std::uint8_t> code = random_program(random, chosen);
    const Outcome outcome = run_both(code, random, i % 2 == 0 ? Engine::simd : Engine::reference);
    EXPECT_EQ(outcome.got, outcome.expected) << "program " << i << '\n' << listing(code);
    std::vector<std::uint64_t> executions(outcome.executions.size(), 0);
    for (const unsigned word : outcome.words) ++executions[word];
    EXPECT_EQ(outcome.executions, executions) << "program " << i << '\n' << listing(code);
    if (testing::Test::HasFailure()) return 1;
    for (const Store& store : outcome.got) numbers += std::isnan(store.value) ? 0 : 1;
    values += static_cast<double>(outcome.got.size());
  }
  return numbers / values;
}

TEST(LiftRandom, StraightProgramsAgreeWithTheStateMachine) { EXPECT_GT(compare_many({.words = 30}, 1500, 1), 0.3); }
TEST(LiftRandom, MisusedPartialResultsAgree) {
  EXPECT_GT(compare_many({.words = 30, .loose_sequences = true}, 1500, 2), 0.1);
}
TEST(LiftRandom, BranchesAndLoopsAgree) { EXPECT_GT(compare_many({.words = 30, .branches = true}, 1500, 3), 0.3); }
TEST(LiftRandom, TemporariesAgree) {
  EXPECT_GT(compare_many({.words = 30, .branches = true, .temporaries = true}, 800, 4), 0.3);
}

}  // namespace
}  // namespace mobula::utgard_gp
