#include <algorithm>
#include <array>

#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

TEST(WorkloadText, ReadsWhatItPrints) {
  for (const char* line :
       {"42 fp w4 L4 II1 d=F12[0:4) s=F3[4:8),F7[0:4),F12[0:4)", "0 int d=I1 s=I2,I3 f=add",
        "7 mul w2 d=I1[0:2) s=I2[0:2)", "1 ld w8 d=F6 s=I2 mem=256+8",
        "2 st w1 s=I2,I3[7:8) mem=18446744073709551607+1", "3 br s=I1,I2 f=bgt predicted=wrong",
        "4 br br=taken predicted=right", "5 int w1 d=C1[1:2) imm=18446744073709551615 if=not_ok trap=takes g=4 at=9",
        "6 special if=ok trap=may", "8 int d=Z65535[7:8),A0,B1[0:8) s=A1,A2,A3,A4"}) {
    const Workload made = workload(line);
    ASSERT_EQ(made.operations.size(), 1u) << line;
    EXPECT_EQ(print(made.operations[0]), line);
  }
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Workload made = random_workload(
        seed,
        {.odd_ranges = true, .paths = seed % 2 == 1, .traps = true, .groups = true, .destinations = 3, .sources = 4});
    const Workload again = workload(print(made));
    EXPECT_EQ(again.operations, made.operations);
    EXPECT_EQ(again.registers, made.registers);
  }
}

TEST(WorkloadText, ShortForms) {
  const Workload made = workload("# comment\n\n  reg I1=0x22 # here, too\r\nadd d=I1 s=I2\nbgt s=I1,I2\n");
  ASSERT_EQ(made.operations.size(), 2u);
  EXPECT_EQ(print(made.operations[0]), "0 int d=I1 s=I2 f=add");
  EXPECT_EQ(print(made.operations[1]), "1 br s=I1,I2 f=bgt");
  ASSERT_EQ(made.registers.size(), 1u);
  EXPECT_EQ(made.registers[0].value, 0x22u);
}

TEST(WorkloadText, QuadsAreTwoRegisters) {
  const std::string text = "0 fp w16 d=F2[0:16) s=F4[0:16),F8[0:4)\n1 ld w16 d=F2[0:16) s=I1 mem=64+16\n";
  const Workload made = workload(text);
  EXPECT_EQ(print(made), text);
  EXPECT_EQ(good(read_workload("x", write_workload(made))).operations, made.operations);
}

TEST(WorkloadText, ErrorsHaveCodesAndPlaces) {
  const std::pair<const char*, const char*> wrong[] = {{"99999999999 int", "SB102"},
                                                       {"0 float", "SB103"},
                                                       {"0 int f=sqrt", "SB103"},
                                                       {"reg I1", "SB104"},
                                                       {"reg I1[0:2) = 3", "SB104"},
                                                       {"reg I1 = x", "SB104"},
                                                       {"0 int d=i1", "SB105"},
                                                       {"0 int d=I", "SB105"},
                                                       {"0 int d=I1[0:2", "SB105"},
                                                       {"0 int s=I1,", "SB105"},
                                                       {"0 int d=I70000", "SB105"},
                                                       {"0 int d=I1[4:4)", "SB106"},
                                                       {"0 int d=I1[0:9)", "SB106"},
                                                       {"0 int s=I1,I2,I3,I4,I5", "SB107"},
                                                       {"0 int d=I1,I2,I3,I4", "SB107"},
                                                       {"0 int w3", "SB108"},
                                                       {"0 int w12", "SB108"},
                                                       {"0 int L10001", "SB108"},
                                                       {"0 int II0", "SB108"},
                                                       {"0 int imm=", "SB108"},
                                                       {"0 br br=maybe", "SB109"},
                                                       {"0 int if=perhaps", "SB109"},
                                                       {"0 int fast", "SB110"},
                                                       {"0 int x=1", "SB110"},
                                                       {"0 ld mem=0x100", "SB111"},
                                                       {"0 int mem=0+4", "SB112"},
                                                       {"0 int br=taken", "SB112"},
                                                       {"0 bgt s=I1,I2 br=not", "SB112"},
                                                       {"0 br br=taken f=beq", "SB112"},
                                                       {"0 int d=I1[4:16)", "SB106"},
                                                       {"0 int w8 d=I1[0:16)", "SB112"},
                                                       {"0 ld w8 mem=0+16", "SB112"},
                                                       {"0 ld w16 mem=0+12", "SB112"},
                                                       {"0 ld w16 mem=0+8", "SB112"},
                                                       {"0 ld w16 mem=0xfffffffffffffff7+16", "SB112"},
                                                       {"0 br if=ok", "SB112"}};
  for (const auto& [line, code] : wrong) EXPECT_EQ(outcome(parse_workload("x", line)), code) << line;
  const Result<Workload> result = parse_workload("x.sb", "0 int\n1 int w3 q\n2 int mem=0+4\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(codes(result.error()), "SB108 SB110 SB112") << "all of them";
  EXPECT_EQ(result.error()[1].where.line, 2u);
  EXPECT_EQ(result.error()[1].where.column, 10u);
}

TEST(WorkloadBinary, RoundTrip) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Workload made = random_workload(
        seed,
        {.odd_ranges = true, .paths = seed % 2 == 1, .traps = true, .groups = true, .destinations = 3, .sources = 4});
    const std::vector<std::uint8_t> bytes = write_workload(made);
    EXPECT_TRUE(is_binary_workload(bytes));
    EXPECT_EQ(bytes.size(), 16 + 16 * made.registers.size() + 96 * made.operations.size());
    const Workload again = good(read_workload("x", bytes));
    EXPECT_EQ(again.operations, made.operations);
    EXPECT_EQ(again.registers, made.registers);
  }
}

TEST(WorkloadBinary, DamageIsAnErrorOrAnotherWorkload) {
  const std::vector<std::uint8_t> bytes = write_workload(random_workload(1, {.operations = 3, .registers = 1}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<Workload> cut = read_workload("x", std::span(bytes).first(size));
    EXPECT_TRUE(!cut || (size - 48) % 96 == 0) << size;
  }
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> damaged = bytes;
    for (int k = 0; k < 3; ++k) damaged[8 + random() % (damaged.size() - 8)] = static_cast<std::uint8_t>(random());
    const Result<Workload> result = read_workload("x", damaged);
    EXPECT_TRUE(!result || workload(print(*result)).operations == result->operations)
        << "what is accepted can be printed";
  }
  EXPECT_EQ(outcome(read_workload("x", {})), "SB120");
  std::vector<std::uint8_t> newer = bytes;
  newer[8] = 2;
  EXPECT_EQ(outcome(read_workload("x", newer)), "SB121");
}

TEST(Generate, FollowsTheMix) {
  const Mix mix = good(find_mix("fp"));
  const Workload made = generate(mix, 20'000, 5);
  std::array<int, unit_class_count> found{};
  for (const Operation& op : made.operations) ++found[static_cast<std::size_t>(op.unit)];
  for (std::size_t i = 0; i < unit_class_count; ++i)
    EXPECT_NEAR(found[i] / 200.0, mix.units[i], 1.5) << name(static_cast<UnitClass>(i));
  EXPECT_EQ(generate(mix, 100, 5).operations, generate(mix, 100, 5).operations);
  EXPECT_NE(generate(mix, 100, 5).operations, generate(mix, 100, 6).operations);
  EXPECT_EQ(outcome(find_mix("gpu")), "SB130");
}

TEST(Generate, LongerOnesBeginLikeShorterOnes) {
  const Workload shorter = generate(good(find_mix("int")), 10, 1), longer = generate(good(find_mix("int")), 20, 1);
  EXPECT_TRUE(std::equal(shorter.operations.begin(), shorter.operations.end(), longer.operations.begin()));
}

TEST(Generate, EndsWhenItIsTold) {
  int asked = 0;
  const Workload begun = generate(good(find_mix("int")), 20'000, 1, [&] { return ++asked == 2; });
  EXPECT_EQ(begun.operations.size(), 4096u);
}

}  // namespace
}  // namespace mobula::scoreboard
