#include "machines/midgard/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "machines/midgard/check/check.h"
#include "machines/midgard/lift/lift.h"
#include "machines/midgard/machine.h"
#include "machines/midgard/spec/codec.h"
#include "mobula/lab/interpreter.h"

namespace mobula::midgard {
namespace {

TEST(Generate, MakesProgramsTheCheckerFindsNoErrorIn) {
  for (const Product& product : products)
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Program program = generate(product.name, {.seed = seed});
      Diagnostics errors = check(program);
      std::erase_if(errors, [](const Diagnostic& each) { return each.severity != Severity::error; });
      ASSERT_EQ(errors.size(), 0u) << product.name << " seed " << seed << '\n' << render(errors);
    }
}

TEST(Generate, IsRepeatableAndVaries) {
  EXPECT_EQ(generate("t860", {.seed = 5}).code, generate("t860", {.seed = 5}).code);
  EXPECT_NE(generate("t860", {.seed = 5}).code, generate("t860", {.seed = 6}).code);
}

TEST(Generate, ReachesTheTables) {
  std::set<unsigned> opcodes, modes, expands, shrinks;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const Bundle& bundle : decode_program(generate("t860", {.seed = seed}).code))
      for (const AluInstruction& instruction : bundle.alu_instructions()) {
        opcodes.insert(opcode_of(instruction));
        if (!info(instruction.unit).vector) continue;
        modes.insert(static_cast<unsigned>(get(instruction.word, vec::mode)));
        expands.insert(static_cast<unsigned>(get(get(instruction.word, vec::src1), vecsrc::expand)));
        shrinks.insert(static_cast<unsigned>(get(instruction.word, vec::shrink)));
      }
  EXPECT_GT(opcodes.size(), alu_ops.size() - 16);
  EXPECT_EQ(modes.size(), 4u);
  EXPECT_EQ(expands.size(), 8u);
  EXPECT_EQ(shrinks.size(), 3u);
}

TEST(Generate, EveryProgramSurvivesItsText) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = generate("t760", {.seed = seed});
    const auto text = machine().disassemble(program, {});
    ASSERT_TRUE(text);
    const auto back = machine().assemble({"generated", text->text}, {.syntax = {}, .variant = "t760"});
    ASSERT_TRUE(back) << text->text << render(back.error());
    ASSERT_EQ(back->code, program.code) << text->text;
  }
}

/// Gives every varying and uniform some value that depends on where it stands.
class Inputs : public Environment {
 public:
  std::vector<std::array<std::uint32_t, 4>> colours;
  Fault load_uniform(const Thread& thread, std::uint32_t buffer, std::uint32_t offset,
                     std::span<std::uint8_t> out) override {
    return fill(thread.index * 7 + buffer + offset, out);
  }
  Fault varying(const Thread& thread, const ir::Call&, std::uint32_t number, std::span<std::uint8_t> out) override {
    return fill(thread.index * 13 + number * 100, out);
  }
  Fault fragment_out(const Thread& thread, std::array<std::uint32_t, 4> colour, std::uint32_t, std::uint32_t,
                     std::uint32_t, bool&) override {
    colours.resize(std::max<std::size_t>(colours.size(), thread.index + 1));
    colours[thread.index] = colour;
    return {};
  }

 private:
  static Fault fill(std::uint32_t seed, std::span<std::uint8_t> out) {
    for (std::size_t i = 0; i + 4 <= out.size(); i += 4) {
      const auto bits =
          std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>((seed + i * 31) % 257)) / 16.0F - 8.0F);
      for (std::size_t k = 0; k < 4; ++k) out[i + k] = static_cast<std::uint8_t>(bits >> (8 * k));
    }
    return {};
  }
};

/// Registers and colours after a run, lane by lane.
std::vector<std::uint32_t> outcome(const ir::Program& program, Engine engine) {
  Inputs inputs;
  Interpreter interpreter(program, inputs, {.engine = engine});
  std::vector<Thread> threads(20);
  for (std::uint32_t i = 0; i < threads.size(); ++i) threads[i].index = i;
  interpreter.start(threads);
  for (std::uint32_t lane = 0; lane < threads.size(); ++lane)
    for (std::uint32_t byte = 0; byte < 384; byte += 4)
      interpreter.write_u32(lane, byte,
                            lane % 3 == 0 ? 0x3F000000 + byte * 0x1357 : lane * 0x9E3779B9u + byte * 0x85EBCA6Bu);
  interpreter.run();
  std::vector<std::uint32_t> seen;
  for (std::uint32_t lane = 0; lane < threads.size(); ++lane)
    for (std::uint32_t byte = 0; byte < 384; byte += 4) seen.push_back(interpreter.read_u32(lane, byte));
  for (const auto& colour : inputs.colours) seen.insert(seen.end(), colour.begin(), colour.end());
  for (const LaneFault& fault : interpreter.faults()) ADD_FAILURE() << fault.reason;
  return seen;
}

TEST(Generate, BothEnginesComputeTheSame) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = generate("t860", {.seed = seed});
    const auto lifted = lift(program, {});
    ASSERT_TRUE(lifted);
    ASSERT_THAT(ir::verify(*lifted), testing::IsEmpty());
    ASSERT_EQ(outcome(*lifted, Engine::simd), outcome(*lifted, Engine::reference)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mobula::midgard
