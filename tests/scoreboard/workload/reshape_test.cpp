// Fewer registers and several threads: the same results, at the cost that they have.
#include "mobula/scoreboard/reshape.h"

#include <algorithm>
#include <map>

#include "scoreboard/core/plan.h"
#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

using testing::HasSubstr;

std::string text_of(const Result<Spilled>& spilled) {
  return spilled ? print(spilled->workload) : render(spilled.error());
}

/// What execution in order leaves at the addresses that a workload itself stores to.
std::map<std::uint64_t, std::uint64_t> stored(const Workload& original, const Workload& executed,
                                              const char* core = "byte_lane") {
  Config config = preset(core);
  config.files = {{'F', 16, 8}, {'I', 16, 8}};
  const Result<Plan> plan = make_plan(config, executed);
  EXPECT_TRUE(plan) << (plan ? "" : render(plan.error()));
  std::map<std::uint64_t, std::uint64_t> memory;
  for (const Operation& op : original.operations)
    if (plan && op.memory_bytes != 0 && op.unit == UnitClass::store)
      memory[op.address] = plan->reference.memory.load(op.address, op.memory_bytes);
  return memory;
}

TEST(Spill, ChangesNothingThatFits) {
  const Workload workload = random_workload(3, {});
  const Spilled spilled = good(spill(workload, 6));
  EXPECT_EQ(spilled.loads + spilled.stores, 0u);
  EXPECT_EQ(spilled.workload.operations, workload.operations);
}

/// Who used it last is done, and is not waited for.
TEST(Spill, TakesTheRegisterThatHasBeenFreeLongest) {
  EXPECT_EQ(text_of(spill(workload("0 int d=I5\n1 int s=I5\n2 int d=I6\n3 int s=I6\n4 int d=I7\n5 int s=I7\n"), 3)),
            "0 int d=I0\n1 int s=I0\n2 int d=I1\n3 int s=I1\n4 int d=I2\n5 int s=I2\n");
}

TEST(Spill, TakesTheRegisterWhoseNextUseIsFurthest) {
  const Result<Spilled> spilled = spill(workload("0 int d=I0\n1 int d=I1\n2 int d=I2 s=I1\n3 int d=I3 s=I2\n"
                                                 "4 int d=I4 s=I3,I0\n"),
                                        2);
  EXPECT_EQ(text_of(spilled),
            "0 int d=I0\n"
            "1 int d=I1\n"
            "2 int d=I1 s=I1\n"  // I1 is not read any more
            "3 int d=I1 s=I1\n"
            "4 int d=I1 s=I1,I0\n");
  const Result<Spilled> crowded = spill(workload("0 int d=I0\n1 int d=I1\n2 int d=I2\n3 int d=I3 s=I2,I1\n"
                                                 "4 int d=I4 s=I3,I0\n"),
                                        2);
  const std::string slot = std::to_string((std::uint64_t{1} << 62) + 8 * (std::uint64_t{'I' - 'A'} << 16));
  EXPECT_EQ(text_of(crowded), "0 int d=I0\n1 int d=I1\n5 st s=I0 f=mov mem=" + slot +
                                  "+8\n2 int d=I0\n3 int d=I0 s=I0,I1\n6 ld d=I1 f=mov mem=" + slot +
                                  "+8\n4 int d=I0 s=I0,I1\n");
  EXPECT_EQ(crowded->loads, 1u);
  EXPECT_EQ(crowded->stores, 1u);
}

/// A value that is in memory still is not stored again; a part of a register that is written keeps the rest alive.
TEST(Spill, StoresAValueOnceAndLoadsTheRestOfARegister) {
  const Spilled twice = good(spill(workload("int d=I0\nint d=I1\nint d=I2 s=I1\nst s=I0\nint d=I3\nint d=I4 s=I2,I3\n"
                                            "st s=I4\nst s=I0\n"),
                                   2));
  EXPECT_EQ(twice.stores, 1u);
  EXPECT_EQ(twice.loads, 1u);
  const char* part = "int w8 d=I0\nint d=I1\nint d=I2\nst s=I1\nst s=I2\nint w4 d=I0[0:4)\nst s=I0\n";
  EXPECT_EQ(good(spill(workload(part), 2)).loads, 1u);
  const char* whole = "int w8 d=I0\nint d=I1\nint d=I2\nst s=I1\nst s=I2\nint w4 d=I0[0:4)\nst s=I0[0:4)\n";
  EXPECT_EQ(good(spill(workload(whole), 2)).loads, 0u);
}

TEST(Spill, GivesTheSameResultsInEveryNumberOfRegisters) {
  std::uint64_t moved = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed)
    for (const std::uint32_t registers : {4u, 5u, 7u}) {
      Spice spice{.operations = 150, .registers = 10, .odd_ranges = seed % 2 == 1, .paths = seed % 3 == 2};
      const Workload original = random_workload(seed, spice);
      const Spilled spilled = good(spill(original, registers));
      moved += spilled.loads + spilled.stores;
      EXPECT_EQ(stored(original, original), stored(original, spilled.workload)) << seed << ' ' << registers;
      for (const Operation& op : spilled.workload.operations)
        for (const RegisterBytes& operand : op.sources) EXPECT_TRUE(!operand.used() || operand.number < registers);
      for (const char* core : {"seed_two_level", "byte_lane", "libresoc2020"})
        EXPECT_EQ(outcome(run(preset(core), spilled.workload)), "good");
    }
  EXPECT_GT(moved, 1000u);
}

TEST(Spill, RefusesWhatNeedsMore) {
  EXPECT_EQ(outcome(spill(workload("int d=I1 s=I2,I3,I4\n"), 2)), "SB143");
  EXPECT_EQ(outcome(spill(workload("st s=I2 mem=0x4000000000000100+4\n"), 2)), "SB143");
}

TEST(Quads, AreGatheredFromTheirNumbersAndHalves) {
  const auto gathered = [](const char* text) { return print(gather_quads(workload(text))); };
  EXPECT_EQ(gathered("mul w4 d=F2[0:4) s=F4[0:4),F9[4:8) g=3\nmul w4 d=F2[4:8) s=F4[4:8),F9[4:8) g=3\n"
                     "mul w4 d=F3[0:4) s=F5[0:4),F9[4:8) g=3\nmul w4 d=F3[4:8) s=F5[4:8),F9[4:8) g=3\nint d=I1\n"),
            "0 mul w16 d=F2[0:16) s=F4[0:16),F9[4:8) g=3\n4 int d=I1\n");
  EXPECT_EQ(gathered("st w8 s=F0[0:8)\nst w8 s=F1[0:8)\n"), "0 st w16 s=F0[0:16)\n");
  EXPECT_EQ(gathered("ld w8 d=F0[0:8) mem=32+8\nld w8 d=F1[0:8) mem=40+8\n"), "0 ld w16 d=F0[0:16) mem=32+16\n");
  for (const char* others : {"0 ld w8 d=F0[0:8) mem=32+8\n1 ld w8 d=F1[0:8) mem=48+8\n",  // not side by side
                             "0 fp w8 d=F0[0:8)\n1 fp w8 d=F1[0:8) s=F0[0:8)\n",          // one after the other
                             "0 fp w8 d=F0[0:8) g=1\n1 fp w8 d=F1[0:8) g=2\n",            // of two words
                             "0 fp w8 d=F0[0:8)\n1 fp w8 d=F2[0:8)\n", "0 fp w8 d=F0[0:8)\n1 int w8 d=F1[0:8)\n",
                             "0 st w8 s=F0[0:8)\n1 st w8 s=F0[0:8)\n"})
    EXPECT_EQ(gathered(others), others);
}

TEST(Quads, AreGatheredFromWholeRegistersToo) {
  const auto gathered = [](const char* text) { return print(gather_quads(workload(text))); };
  EXPECT_EQ(gathered("st w8 s=F2 g=1\nst w8 s=F3 g=1\n"), "0 st w16 s=F2[0:16) g=1\n");
  EXPECT_EQ(gathered("st s=F2 g=1\nst s=F3[0:8) g=1\n"), "0 st w16 s=F2[0:16) g=1\n");
  EXPECT_EQ(gathered("ld d=F2 mem=32+8\nld d=F3 mem=40+8\n"), "0 ld w16 d=F2[0:16) mem=32+16\n");
  EXPECT_EQ(gathered("fp w8 d=F2 s=C1\nfp w8 d=F3 s=C1\n"), "0 fp w16 d=F2[0:16) s=C1\n");
}

/// Carries go from one number to the next in 8 bytes, and not in quads.
TEST(Quads, AreNotGatheredFromWhatComputesOtherwise) {
  for (const char* apart :
       {"0 int w8 d=F10[0:8) s=F2[0:8),F4[0:8) f=add\n1 int w8 d=F11[0:8) s=F3[0:8),F5[0:8) f=add\n",
        "0 int w8 d=F2[0:8) s=F4[0:8) f=shr imm=3\n1 int w8 d=F3[0:8) s=F5[0:8) f=shr imm=3\n",
        "0 int w8 d=F2[0:8) f=mov imm=3\n1 int w8 d=F3[0:8) f=mov imm=3\n",
        "0 int w8 d=F2[0:8) s=F6[0:4) f=mov\n1 int w8 d=F3[0:8) s=F6[0:4) f=mov\n",
        "0 int w8 d=F2[0:8) s=C6 f=mov\n1 int w8 d=F3[0:8) s=C6 f=mov\n",
        "0 int d=F2[0:8),F3[0:8)\n1 int d=F3[0:8),F4[0:8)\n"})
    EXPECT_EQ(print(gather_quads(workload(apart))), apart);
}

/// Groups of random operations on the numbers or halves of F0 to F15, with operands that are the same for all parts.
std::string random_groups(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  const auto bytes_of = [](std::uint32_t number, std::uint32_t first, std::uint32_t bytes) {
    const std::string text = "F" + std::to_string(number);
    return bytes == 0 ? text : text + "[" + std::to_string(first) + ":" + std::to_string(first + bytes) + ")";
  };
  std::string text;
  for (std::uint32_t i = 0; i < 16; ++i)
    text += "reg F" + std::to_string(i) + " = " + std::to_string((std::uint64_t{random()} << 32) + random()) + "\n";
  for (std::uint32_t g = 1; g <= 30; ++g) {
    const std::uint32_t width = 4u << below(2), parts = 16 / width;
    constexpr std::array functions{"add", "sub", "mul", "shr", "and", "or", "xor", "mov", "blt", "bne"};
    const std::string kind = below(4) == 0 ? below(2) == 0 ? "ld f=mov" : "st f=mov"
                                           : std::string("int f=") + functions[below(functions.size())];
    const std::uint32_t to = below(15), from = below(15), other = below(16), narrow = below(5), address = 4 * below(6);
    const bool is_one_for_all = below(2) == 0, has_immediate = below(4) == 0, is_whole = width == 8 && below(2) == 0;
    for (std::uint32_t i = 0; i < parts; ++i) {
      const std::uint32_t number = i * width / 8, first = i * width % 8, bytes = is_whole ? 0 : width;
      text += kind + " w" + std::to_string(width) + " g=" + std::to_string(g);
      if (!kind.starts_with("st")) text += " d=" + bytes_of(to + number, first, bytes);
      if (!kind.starts_with("ld")) text += " s=" + bytes_of(from + number, first, bytes);
      if (kind.starts_with("int"))
        text += "," + (is_one_for_all ? bytes_of(other, 0, 8u >> narrow) : bytes_of(from + number, first, bytes));
      else
        text += " mem=" + std::to_string(address + i * width) + "+" + std::to_string(width);
      if (has_immediate && kind.starts_with("int")) text += " imm=" + std::to_string(random() >> below(32));
      text += "\n";
    }
  }
  return text;
}

TEST(Quads, ChangeNoValueOfRandomGroups) {
  std::size_t gathered_operations = 0;
  for (std::uint32_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    const std::string text = random_groups(seed);
    const Workload parts = workload(text), quads = gather_quads(parts);
    gathered_operations += parts.operations.size() - quads.operations.size();
    EXPECT_EQ(registers_text(parts, good(run(preset("quads"), parts))),
              registers_text(parts, good(run(preset("quads"), quads))))
        << text;
    EXPECT_EQ(stored(parts, parts, "quads"), stored(parts, quads, "quads")) << text;
  }
  EXPECT_GT(gathered_operations, 1000u);
}

/// Not by comparison with execution in order, which the core shares the computing with.
TEST(Quads, TakeOneNumberForAllFour) {
  const auto registers = [](const char* text) {
    const Workload quads = workload(std::string("reg F2 = 0x0000000500000007\nreg F3 = 0x0000000100000002\n"
                                                "reg F6 = 0x0000000a00000003\n") +
                                    text);
    const RunResult result = good(run(preset("quads"), quads));
    std::vector<std::uint64_t> values;
    for (const RegisterValue& reg : result.registers)
      if (reg.which.file == 'F' - 'A' && reg.which.number >= 10 && reg.which.number < 12) values.push_back(reg.value);
    return values;
  };
  using Two = std::vector<std::uint64_t>;
  EXPECT_EQ(registers("add w16 d=F10[0:16) s=F2[0:16),F6[0:4)\n"), (Two{0x000000080000000a, 0x0000000400000005}));
  EXPECT_EQ(registers("sub w16 d=F10[0:16) s=F6[4:8),F2[0:16)\n"), (Two{0x0000000500000003, 0x0000000900000008}));
  EXPECT_EQ(registers("mov w16 d=F10[0:16) s=F6[0:4)\n"), (Two{0x0000000300000003, 0x0000000300000003}));
  EXPECT_EQ(registers("mov w16 d=F10[0:16) s=F6\n"), (Two{0x0000000a00000003, 0x0000000a00000003}));
  EXPECT_EQ(registers("bgt w16 d=F10[0:16) s=F2[0:16),F6[0:4)\n"), (Two{0x0000000100000001, 0}));
  EXPECT_EQ(registers("add w16 d=F10[0:16) s=F2[0:16) imm=1\n"), (Two{0x0000000600000008, 0x0000000200000003}));
  EXPECT_EQ(registers("mov w16 d=F10[0:16) imm=0x900000007\n"), (Two{0x0000000700000007, 0x0000000700000007}));
  EXPECT_EQ(registers("st w16 f=mov s=F6[0:4) mem=0+16\nld d=F10[0:16) mem=0+16\n"),
            (Two{0x0000000300000003, 0x0000000300000003}));
}

/// A branch on four comparisons is ok if all of them are.
TEST(Quads, BranchOnAllFourNumbers) {
  const auto taken = [](const char* least) {
    const Workload quads = workload(std::string("reg F2 = 0x0000000500000007\nreg F3 = 0x0000000100000002\nbgt w16 ") +
                                    "s=F2[0:16) imm=" + least + "\nmov d=I1 imm=1 if=ok\n");
    return registers_text(quads, good(run(preset("quads"), quads)));
  };
  EXPECT_THAT(taken("0"), HasSubstr("I1=1"));
  EXPECT_THAT(taken("1"), HasSubstr("I1=0"));
}

TEST(Quads, TakeOneUnitAndTheSameValues) {
  const char* text =
      "reg F4 = 0x300000005\nreg F5 = 0x400000006\nreg F6 = 0x70000000a\nreg F7 = 0xb0000000c\n"
      "add w4 d=F2[0:4) s=F4[0:4),F6[0:4)\nadd w4 d=F2[4:8) s=F4[4:8),F6[4:8)\n"
      "add w4 d=F3[0:4) s=F5[0:4),F7[0:4)\nadd w4 d=F3[4:8) s=F5[4:8),F7[4:8)\n"
      "st w8 f=mov s=F2[0:8) mem=64+8\nst w8 f=mov s=F3[0:8) mem=72+8\nld w8 d=F8[0:8) mem=64+8\nld w8 d=F9[0:8) "
      "mem=72+8\n";
  Config config = preset("quads");
  const Workload quads = gather_quads(workload(text));
  ASSERT_EQ(quads.operations.size(), 3u);
  const RunResult one = good(run(config, workload(text))), gathered = good(run(config, quads));
  EXPECT_EQ(registers_text(workload(text), one), registers_text(quads, gathered));
  EXPECT_THAT(registers_text(quads, gathered), HasSubstr("F8="));
  EXPECT_LT(gathered.clocks, one.clocks);
  EXPECT_EQ(outcome(run(preset("byte_lane"), quads)), "SB201 SB201 SB201");
  config.banks.lanes = 1;
  EXPECT_EQ(outcome(run(config, quads)), "SB204 SB204 SB204");
  EXPECT_EQ(outcome(run(config, workload("fp w16 d=F127[0:16)\n"))), "SB203");
  EXPECT_EQ(outcome(run(config, workload("fp w16 d=F4[0:16),F5\n"))), "SB210");
  EXPECT_EQ(outcome(spill(quads, 16)), "SB143");
}

TEST(Interleave, TakesTurnsInRegistersOfTheirOwn) {
  const std::vector<Workload> threads{workload("reg I7 = 5\n9 int d=I3 s=I7\n8 int d=I9 s=I3\n"),
                                      workload("int d=I3\nint d=F2 s=I3\nint d=I3\n")};
  EXPECT_EQ(print(good(interleave(threads))),
            "reg I1 = 5\n"
            "0 int d=I0 s=I1\n"
            "1 int d=I3\n"
            "2 int d=I2 s=I0\n"
            "3 int d=F0 s=I3\n"
            "4 int d=I3\n");
}

TEST(Interleave, KeepsGroupsAndBothWaysOfABranchTogether) {
  const Workload thread = workload(
      "int g=5 d=I1\nint g=5 d=I2\nint d=I3\nbgt s=I1,I2\nint d=I4\nint if=ok d=I5\nint if=not_ok d=I5\nint d=I6\n");
  const std::vector<Workload> threads{thread, thread};
  const Workload both = good(interleave(threads));
  std::string order;
  for (const Operation& op : both.operations) order += op.destinations[0].number >= 6 ? 'b' : 'a';
  // The branch writes nothing and counts as the first thread's here.
  EXPECT_EQ(order, "aabbabaaaaabbbab");
  EXPECT_EQ(both.operations[0].group, both.operations[1].group);
  EXPECT_NE(both.operations[0].group, both.operations[2].group);
  Config config = preset("byte_lane");
  EXPECT_EQ(outcome(run(config, both)), "good");
}

/// Four independent threads fill the clocks in which one of them waits.
TEST(Interleave, HidesLatency) {
  std::string chain;
  for (int i = 0; i < 50; ++i) chain += "fp d=F1 s=F1\n";
  const std::vector<Workload> threads(4, workload(chain));
  const Config config = preset("byte_lane");
  const std::uint64_t one = good(run(config, threads[0])).clocks,
                      four = good(run(config, good(interleave(threads)))).clocks;
  EXPECT_LT(four, one * 5 / 4);
}

TEST(Interleave, RefusesMoreRegistersThanNumbers) {
  Workload thread;
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    Operation op;
    op.destinations[0] = {.file = 5, .bytes = 8, .number = static_cast<std::uint16_t>(i)};
    thread.operations.push_back(op);
  }
  EXPECT_EQ(outcome(interleave(std::vector<Workload>{thread, thread})), "SB145");
}

}  // namespace
}  // namespace mobula::scoreboard
