// Whole programs and hostile ones.
#include "machines/rogue/lift/lift.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "machines/rogue/lift_run.h"
#include "machines/rogue/random_group.h"
#include "paths.h"
#include "trials.h"

namespace mobula::rogue {
namespace {

/// The final state of a quad on an engine, registers set to different numbers.
std::vector<std::uint32_t> final_state(const ir::Program& program, Engine engine) {
  TestEnvironment environment;
  for (std::uint64_t address = 0; address < 64; address += 4) environment.poke(address, 3);
  Interpreter interpreter(program, environment, {.engine = engine, .step_limit = 300});
  std::vector<Thread> threads(4);
  for (std::uint32_t lane = 0; lane < 4; ++lane) threads[lane].index = lane;
  interpreter.start(threads);
  for (std::uint32_t lane = 0; lane < 4; ++lane)
    for (const ir::Slot& slot : program.slots)
      if (slot.name[0] == 'r' || slot.name[0] == 'v')
        interpreter.write_u32(lane, slot.byte, (lane + 1) * slot.byte * 0x9E3779B9u);
  interpreter.run();
  std::vector<std::uint32_t> state;
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    for (std::uint32_t byte = 0; byte < program.temporary_byte; byte += 4)
      state.push_back(interpreter.read_u32(lane, byte));
    state.push_back(static_cast<std::uint32_t>(interpreter.state(lane)));
  }
  return state;
}

TEST(Lift, RandomGroupsAreWellFormedAndTheSameOnBothEngines) {
  std::mt19937_64 random(7);
  unsigned executable = 0;
  for (unsigned i = 0; i < test::trials(120); ++i) {
    Bytes code;
    for (unsigned k = 0; k < 4; ++k) {
      const Bytes group = random_group(random);
      code.insert(code.end(), group.begin(), group.end());
    }
    Policies policies;
    for (const Policy& policy : find_machine("rogue")->policies())
      policies.emplace(policy.name, policy.values[random() % policy.values.size()]);
    const auto program = lift(program_of(code), policies);
    ASSERT_TRUE(program);
    ASSERT_EQ(ir::verify(*program), std::vector<std::string>()) << print_code(code);
    ASSERT_EQ(final_state(*program, Engine::simd), final_state(*program, Engine::reference)) << print_code(code);
    executable += program->trap_reasons.size() < 3 ? 1 : 0;
  }
  EXPECT_GT(executable, test::trials(20)) << "most groups must be executed, not refused";
}

TEST(Lift, RandomBytesAreWellFormed) {
  std::mt19937_64 random(8);
  for (unsigned i = 0; i < 100; ++i) {
    Bytes code(random() % 200);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    const auto program = lift(program_of(code), {});
    ASSERT_TRUE(program);
    ASSERT_EQ(ir::verify(*program), std::vector<std::string>());
  }
}

TEST(Lift, UnknownPoliciesAreAllReported) {
  const auto result = lift(program_of({}), {{"colour", "red"}, {"fma", "twice"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(codes_of(result.error()), "RG801 RG802 ");
}

TEST(Lift, AHugeProgramOfIndexedGroupsIsRefused) {
  const Bytes group = assemble("mov sh0[idx0], r4[idx1]");
  Bytes code;
  while (code.size() < 60000) code.insert(code.end(), group.begin(), group.end());
  const auto result = lift(program_of(code), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(codes_of(result.error()), "RG901 ");
}

TEST(Lift, TheEntryMayLieAnywhere) {
  Program program = program_of(assemble("mov r0, sc1\nmov r0, sc2\nnop.end"));
  program.entry = 10;
  const auto lifted = lift(program, {});
  ASSERT_TRUE(lifted);
  EXPECT_EQ(lifted->blocks[lifted->entry].address, 10u);
}

/// Mesa's compiler made these; no hardware has run them. All must be understood.
TEST(Lift, EverySampleIsWellFormed) {
  const std::filesystem::path folder = mobula::test::sample("rogue");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples";
  unsigned lifted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    const Bytes code{std::istreambuf_iterator<char>(stream), {}};
    const auto program = lift(program_of(code), {});
    ASSERT_TRUE(program) << entry.path();
    EXPECT_EQ(ir::verify(*program), std::vector<std::string>()) << entry.path();
    ++lifted;
  }
  EXPECT_GT(lifted, 40u);
}

}  // namespace
}  // namespace mobula::rogue
