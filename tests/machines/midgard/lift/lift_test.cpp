#include "machines/midgard/lift/lift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "machines/midgard/lift/policies.h"
#include "machines/midgard/words.h"
#include "mobula/isa/machine.h"
#include "paths.h"

namespace mobula::midgard {
namespace {

ir::Program lifted(const Program& program, const Policies& policies = {}) {
  auto result = lift(program, policies);
  EXPECT_TRUE(result.has_value());
  return result ? std::move(*result) : ir::Program{};
}

std::uint64_t count(const ir::Program& program, ir::Op op) {
  return static_cast<std::uint64_t>(std::count_if(program.operations.begin(), program.operations.end(),
                                                  [op](const ir::Operation& operation) { return operation.op == op; }));
}

TEST(Lift, EverySampleIsWellFormedAndHasNoTrap) {
  const auto all = samples();
  if (all.empty()) GTEST_SKIP() << "no samples";
  for (const Sample& sample : all) {
    const ir::Program program = lifted(sample.program);
    EXPECT_EQ(ir::verify(program), std::vector<std::string>()) << sample.path;
    EXPECT_EQ(program.trap_reasons, std::vector<std::string>()) << sample.path;
  }
}

/// Random bundles, most of which are arithmetic with all units; every bit pattern of every field gets its turn.
TEST(Lift, AnyBytesLiftToAWellFormedProgram) {
  std::mt19937_64 random(1);
  std::uint64_t traps = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    Program program;
    program.variant = i % 3 == 0 ? "t720" : "t860";
    program.code.resize(random() % 150);
    for (std::uint8_t& byte : program.code) byte = static_cast<std::uint8_t>(random());
    for (std::size_t at = 0; at + 16 <= program.code.size(); at += 16) {
      constexpr std::uint8_t heads[] = {0x58, 0x29, 0xDA, 0x8B, 0x45, 0x53, 0x82, 0x34};
      if (random() % 4 != 0) program.code[at] = heads[random() % 8];
    }
    program.entry = random() % 5 == 0 ? random() % 200 : 0;
    if (random() % 2 != 0) program.interface.first_tag = random() % 16;
    const ir::Program result = lifted(program, {{"unknown_registers", i % 2 == 0 ? "zero" : "trap"}});
    ASSERT_EQ(ir::verify(result), std::vector<std::string>());
    traps += result.trap_reasons.size();
  }
  EXPECT_GT(traps, 3000u);
}

TEST(Lift, EmptyProgramTrapsAtItsEntry) {
  const ir::Program program = lifted({});
  ASSERT_EQ(program.blocks.size(), 1u);
  EXPECT_EQ(program.trap_reasons, std::vector<std::string>{"INSTR_INVALID_PC: no bundle starts at the entry 0x0"});
}

/// 8.2.1 [1]: a vec4 multiply is four multiplications and nothing else.
TEST(Lift, VectorMultiplicationIsFourOperations) {
  const ir::Program program = lifted(program_of({0x02000018, 0x02140414, 0xFF200072, 0}));
  EXPECT_EQ(program.operations.size(), 4u);
  EXPECT_EQ(count(program, ir::Op::fmul), 4u);
}

/// 8.2.1 [7]: three units in two stages; the product in a temporary register stays there for the second stage.
TEST(Lift, BundleOfThreeUnitsNeedsNoFurtherMoves) {
  const ir::Program program =
      lifted(program_of({0x00A20019, 0x6AB862C0, 0x02146818, 0x3F2A4052, 0x40520210, 0x047B3F2A, 0x0000D80D, 0}));
  EXPECT_EQ(count(program, ir::Op::fmul), 3u);
  EXPECT_EQ(count(program, ir::Op::fadd), 3u);
  EXPECT_EQ(count(program, ir::Op::mov), 1u);
  EXPECT_EQ(program.operations.size(), 7u);
}

TEST(Lift, LoadsLandInTheirRegister) {
  // 8.2.1 [0]: LD_ATTR.f32 R0.xyzw; [9]: LD_ATTR.f32 R0.xy
  for (const auto& [word0, word1, count] :
       {std::tuple{0xC9E09415u, 0x00003839u, 4}, std::tuple{0xC8609415u, 0x08003839u, 2}}) {
    const ir::Program program = lifted(program_of({word0, word1, 0x00000030, 0}));
    ASSERT_EQ(program.operations.size(), 1u);
    EXPECT_EQ(program.calls[0].data, ir::Operand::state(0));
    EXPECT_EQ(program.calls[0].count, count);
  }
}

TEST(Lift, StateHasTheRegistersByName) {
  const ir::Program program = lifted({});
  for (unsigned i = 0; i < 24; ++i) {
    const ir::Slot* slot = program.find_slot("r" + std::to_string(i) + ".y");
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->byte, 16 * i + 4);
  }
  for (const char* name : {"AL0.x", "AL1.w", "AT0.x", "TA1.w", "TMP0.x", "TMP1.w", "COND.w", "PC_SP.z",
                           "LOCAL_STORAGE_PTR.w", "LOCAL_THREAD_ID.z", "GROUP_ID.x", "GLOBAL_THREAD_ID.y"})
    EXPECT_NE(program.find_slot(name), nullptr) << name;
  EXPECT_EQ(program.find_slot("PC_SP.x"), nullptr) << "the program counter is a constant";
  Program aliased;
  aliased.variant = "t720";
  EXPECT_EQ(lifted(aliased).find_slot("AT0.x"), nullptr) << "texture inputs are load/store registers there";
}

TEST(Lift, PipelineRegistersLastOneBundle) {
  const ir::Program program = lifted({});
  std::vector<std::string> names;
  for (const ir::Slot& slot : program.slots) {
    for (const ir::ByteRange& range : program.volatile_state)
      if (slot.byte >= range.byte && slot.byte < range.byte + range.bytes) names.push_back(slot.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"TMP0.x", "TMP0.y", "TMP0.z", "TMP0.w", "TMP1.x", "TMP1.y", "TMP1.z",
                                             "TMP1.w", "COND.x", "COND.y", "COND.z", "COND.w"}));
}

TEST(Lift, UnknownPoliciesAreAllReported) {
  const auto result = lift({}, {{"colour", "red"}, {"popcnt", "nibble"}});
  ASSERT_FALSE(result.has_value());
  ASSERT_EQ(result.error().size(), 2u);
  EXPECT_EQ(result.error()[0].code, "MD801");
  EXPECT_EQ(result.error()[1].code, "MD802");
  EXPECT_EQ(result.error()[1].hint, "one of lane, byte");
}

TEST(Lift, EveryPolicyHasItsDefaultFirst) {
  ASSERT_EQ(policy_rows().size(), policy_count);
  const auto defaults = choose_settings({});
  ASSERT_TRUE(defaults.has_value());
  for (std::size_t i = 0; i < policy_count; ++i) {
    const Policy& policy = policy_rows()[i];
    EXPECT_EQ(policy.default_value, policy.values.front());
    EXPECT_GE(policy.values.size(), 2u);
    EXPECT_EQ(defaults->value(static_cast<PolicyId>(i)), policy.default_value);
  }
  EXPECT_EQ(policy_rows()[static_cast<std::size_t>(PolicyId::writeout_r1)].name, "writeout_r1");
  EXPECT_EQ(policy_rows()[static_cast<std::size_t>(PolicyId::pc_value)].name, "pc_value");
}

/// docs/midgard-execution.md has a row for each policy, with its values in order.
TEST(Lift, EveryPolicyIsDocumented) {
  const std::string page = read_file(mobula::test::source_file("docs/midgard-execution.md"));
  for (const Policy& policy : policy_rows()) {
    std::string row = "| `" + std::string(policy.name) + "` | ";
    for (const std::string_view value : policy.values) {
      if (value != policy.values.front()) row += ", ";
      row += value;
    }
    EXPECT_NE(page.find(row + " | "), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace mobula::midgard
