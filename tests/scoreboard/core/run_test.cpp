// What particular mechanisms do, one at a time.
#include <map>

#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

using testing::HasSubstr;

Config core(std::uint32_t units) {
  Config config;
  config.name = "test";
  config.waw = Waw::shadow_same_dest;
  config.lanes = Lanes::byte;
  config.groups = {{.name = "any",
                    .classes = {UnitClass::integer, UnitClass::load, UnitClass::store, UnitClass::mul},
                    .widths = {1, 2, 4, 8},
                    .units = units},
                   {.name = "branch", .classes = {UnitClass::branch}, .widths = {1, 2, 4, 8}, .units = 2}};
  config.files = {{'I', 16, 8}};
  return config;
}

std::uint64_t value(const RunResult& result, std::size_t number) { return result.registers[number].value; }
std::uint64_t clocks(const Config& config, std::string_view text) { return good(run(config, workload(text))).clocks; }
std::uint64_t stalls(const RunResult& result, Cause cause) { return result.causes[static_cast<std::size_t>(cause)]; }

TEST(Run, NothingTakesNoTime) { EXPECT_EQ(clocks(core(2), ""), 0u); }

TEST(Run, PartsOfRegistersDoNotWaitForEachOther) {
  const char* text = "0 int w1 L20 d=I1[0:1) s=I2[0:1)\n1 int w1 d=I3[0:1) s=I1[1:2)\n";
  Config config = core(4);
  EXPECT_EQ(good(run(config, workload(text))).times[1].read, 3u);
  config.lanes = Lanes::lock;
  EXPECT_GT(good(run(config, workload(text))).times[1].read, 20u);
}

TEST(Run, FunctionsAreModuloTheirWidth) {
  const RunResult result = good(run(core(4), workload("reg I1 = 0xff0201\nreg I2 = 0x20\n"
                                                      "add w1 d=I3 s=I1,I2 imm=0xff\n"
                                                      "sub w2 d=I4 s=I2,I1\n"
                                                      "shr w2 d=I5 s=I1,I2\n"
                                                      "mul w2 d=I6 s=I1,I1\n"
                                                      "blt w4 d=I7 s=I2,I1\n"
                                                      "mov w2 d=I8[4:6) s=I1\n")));
  EXPECT_EQ(value(result, 3), 0u);
  EXPECT_EQ(value(result, 4), (0x20u - 0x201u) & 0xffff);
  EXPECT_EQ(value(result, 5), 0u) << "shifted by all of the operand";
  EXPECT_EQ(value(result, 6), 0x201u * 0x201u & 0xffff);
  EXPECT_EQ(value(result, 7), 1u);
  EXPECT_EQ(value(result, 8), std::uint64_t{0x0201} << 32);
}

TEST(Run, TheWayNotTakenHasNoEffect) {
  for (const char* first : {"1", "9"}) {
    const RunResult result = good(run(core(8), workload("reg I1 = 5\nreg I2 = " + std::string(first) +
                                                        "\n"
                                                        "bgt L9 s=I1,I2\n"
                                                        "mov d=I3 s=I1 if=ok\n"
                                                        "mov d=I4 s=I1 if=not_ok\n"
                                                        "mov d=I5 s=I1\n")));
    const bool ok = std::string(first) == "1";
    EXPECT_EQ(value(result, 3), ok ? 5u : 0u);
    EXPECT_EQ(value(result, 4), ok ? 0u : 5u);
    EXPECT_EQ(value(result, 5), 5u);
    EXPECT_EQ(result.killed + result.skipped, 1u);
    EXPECT_EQ(result.executed, 3u);
    EXPECT_NE(result.times[ok ? 2 : 1].kill, 0u) << "it was in flight when the branch was resolved";
    EXPECT_GT(result.times[ok ? 1 : 2].write, result.times[0].write) << "held until the branch is resolved";
  }
}

TEST(Run, OnlyWronglyPredictedBranchesStopTheFetch) {
  const auto cause = [](const char* prediction) {
    return stalls(good(run(core(8), workload("br br=taken L9 predicted=" + std::string(prediction) + "\nint d=I1\n"))),
                  Cause::branch);
  };
  EXPECT_EQ(cause("right"), 0u);
  EXPECT_GE(cause("wrong"), 9u);
}

TEST(Run, ATrapLeavesTheStateBeforeIt) {
  for (const Waw waw : {Waw::shadow_all, Waw::shadow_same_dest, Waw::last_writer}) {
    Config config = core(8);
    config.waw = waw;
    const RunResult result = good(run(config, workload("mov L30 d=I1 imm=7 s=I0,I0\n"
                                                       "int L3 d=I2 trap=may\n"
                                                       "int d=I3 trap=takes\n"
                                                       "mov d=I1 imm=9 s=I0,I0\n"
                                                       "mov d=I5 imm=9 s=I0,I0\n")));
    EXPECT_EQ(result.trapped, 2u);
    EXPECT_EQ(value(result, 1), 7u);
    EXPECT_NE(value(result, 2), 0u);
    EXPECT_EQ(value(result, 3), 0u);
    EXPECT_EQ(value(result, 5), 0u);
  }
}

TEST(Run, LoadsWaitForStoresToTheSameBytesOnly) {
  const auto read = [](const Config& config, const char* address) {
    return good(run(config, workload("st L20 s=I1 mem=0x100+8\nld d=I2 s=I3 mem=" + std::string(address) + "\n")))
        .times[1]
        .start;
  };
  Config config = core(8);
  EXPECT_GT(read(config, "0x104+4"), 20u);
  EXPECT_GT(read(config, "0xff+2"), 20u) << "across a line of 16 bytes";
  EXPECT_EQ(read(config, "0x108+8"), 3u);
  config.memory.high_bit = 6;
  EXPECT_GT(read(config, "0x180+8"), 20u) << "the bits that differ are not compared";
  config.memory.match_addresses = false;
  EXPECT_GT(read(config, "0x108+8"), 20u);
}

TEST(Run, PairsTakeAdjacentUnits) {
  Config config = preset("seed_two_level");
  config.groups[0].units = 4;
  config.virtual_registers.rows = 0;
  const Workload program = workload(
      "0 int w4 L1 d=F0[0:4)\n1 int w4 L40 d=F1[0:4)\n2 int w4 L1 d=F2[0:4)\n3 int w4 L40 d=F3[0:4)\n"
      "4 int w8 d=F4 s=F5\n");
  const RunResult result = good(run(config, program));
  EXPECT_GT(stalls(result, Cause::pair_fragment), 20u);
  EXPECT_EQ(result.times[4].unit % 2, 0);
}

TEST(Run, VirtualRegistersRunOut) {
  Config config = core(8);
  const char* text = "0 int L20 d=I1 s=I2\n1 int L20 d=I3 s=I4\n2 int d=I1 s=I1\n";
  config.virtual_registers.rows = 2;
  const RunResult result = good(run(config, workload(text)));
  EXPECT_GT(stalls(result, Cause::ir_full), 0u);
  config.virtual_registers.rows = 0;
  EXPECT_EQ(stalls(good(run(config, workload(text))), Cause::ir_full), 0u);
}

TEST(Run, BanksLimitReadsAndBroadcastsShare) {
  Config config = core(8);
  config.issue = {.width = 4, .queue = 4, .fetch = 4};
  config.banks.read = 1;
  const char* same = "int d=I1 s=I8\nint d=I2 s=I8\nint d=I3 s=I8\nint d=I4 s=I8\n";
  const RunResult one = good(run(config, workload(same)));
  EXPECT_EQ(one.conflicts.read_bank, 3u + 2u + 1u);
  EXPECT_EQ(one.times[3].read - one.times[0].read, 3u);
  config.banks.broadcast = true;
  EXPECT_EQ(good(run(config, workload(same))).conflicts.read_bank, 0u);
  config.banks.broadcast = false;
  config.banks.count = 2;
  EXPECT_EQ(good(run(config, workload("int d=I1 s=I8\nint d=I2 s=I9\n"))).conflicts.read_bank, 0u);
  EXPECT_EQ(good(run(config, workload("int d=I1 s=I8\nint d=I2 s=I10\n"))).conflicts.read_bank, 1u);
}

TEST(Run, SharedAlusTakeOneAnInterval) {
  Config config = core(8);
  config.groups[0].alus = 1;
  const char* text = "mul L5 II3 d=I1 s=I2\nmul L5 II3 d=I3 s=I4\n";
  const RunResult result = good(run(config, workload(text)));
  EXPECT_EQ(result.times[1].start - result.times[0].start, 3u);
  EXPECT_EQ(result.conflicts.alu, 2u);
}

TEST(Run, ForwardingSavesClocks) {
  const char* chain = "int d=I1 s=I2\nint d=I1 s=I1\nint d=I1 s=I1\nint d=I1 s=I1\n";
  Config config = core(8);
  const std::uint64_t plain = clocks(config, chain);
  config.forwarding = Forwarding::write_through;
  EXPECT_EQ(clocks(config, chain), plain - 3);
  config.forwarding = Forwarding::result_latch;
  EXPECT_LE(clocks(config, chain), plain);
}

/// The first operation is slow and holds the second back from writing, not from passing its result to the third; and
/// the fourth reads what the third writes in the same clock.
TEST(Run, ForwardingInBothWaysSavesTheClocksOfBoth) {
  const char* program =
      "int L9 d=I1 s=I2\nint L0 d=I1 s=I3\nint L0 d=I4 s=I1\nint L0 d=I5 s=I4\n"
      "int L0 d=I5 s=I5\nint L0 d=I5 s=I5\n";
  Config config = core(8);
  config.waw = Waw::shadow_same_dest;
  std::map<Forwarding, std::uint64_t> took;
  for (const Forwarding forwarding :
       {Forwarding::none, Forwarding::write_through, Forwarding::result_latch, Forwarding::both}) {
    config.forwarding = forwarding;
    took[forwarding] = good(run(config, workload(program))).times[5].write;
  }
  EXPECT_LT(took[Forwarding::write_through], took[Forwarding::none]);
  EXPECT_LT(took[Forwarding::result_latch], took[Forwarding::none]);
  EXPECT_LT(took[Forwarding::both], took[Forwarding::write_through]);
  EXPECT_LT(took[Forwarding::both], took[Forwarding::result_latch]);
}

/// A source's row is free once it is read, or only once its operation has written.
TEST(Run, RowsAreKeptUntilCompletionIfAsked) {
  Config config = core(8);
  config.virtual_registers.rows = 2;
  const char* program = "int L9 d=I1 s=I2\nint L0 d=I3\n";
  const RunResult early = good(run(config, workload(program)));
  EXPECT_EQ(early.times[1].issue, early.times[0].read + 1);
  config.virtual_registers.until_completion = true;
  const RunResult late = good(run(config, workload(program)));
  EXPECT_EQ(late.times[1].issue, late.times[0].write + 1);
  EXPECT_GT(stalls(late, Cause::ir_full), stalls(early, Cause::ir_full));
}

/// The functions that a group names go there, others of their class and width elsewhere; the class of a load counts.
TEST(Run, FunctionsHaveUnitsOfTheirOwn) {
  Config config = core(2);
  config.groups.push_back({.name = "adders", .functions = {Function::add, Function::sub}, .widths = {4}, .units = 2});
  const RunResult result = good(run(config, workload("add w4 d=I1[0:4)\nsub w4 d=I2[0:4)\nxor w4 d=I3[0:4)\n"
                                                     "add w8 d=I4\nld w4 f=add d=I5[0:4)\nint w4 d=I6[0:4)\n")));
  const auto in_adders = [&](std::size_t op) { return result.times[op].unit >= 4; };  // after two branch units
  EXPECT_TRUE(in_adders(0) && in_adders(1));
  for (const std::size_t op : {2, 3, 4, 5}) EXPECT_FALSE(in_adders(op)) << op;
  config.groups[0].classes = {UnitClass::mul};
  EXPECT_EQ(outcome(run(config, workload("add w4 d=I1[0:4)\n"))), "good");
  EXPECT_EQ(outcome(run(config, workload("xor w4 d=I1[0:4)\n"))), "SB201");
}

TEST(Run, ThereMayBeMoreUnitsThanAWordHasBits) {
  Config config = core(100);
  config.issue = {.width = 4, .queue = 8, .fetch = 4};
  std::string program;
  for (int i = 0; i < 120; ++i)
    program += "int L90 d=I" + std::to_string(i % 16) + " s=I" + std::to_string(i % 7) + '\n';
  const RunResult result = good(run(config, workload(program)));
  std::size_t most = 0;
  for (std::size_t busy = 0; busy < result.busy_units[0].size(); ++busy)
    if (result.busy_units[0][busy] != 0) most = busy;
  EXPECT_EQ(most, 100u);
}

Config renaming_core(std::uint32_t physical) {
  Config config = core(8);
  config.waw = Waw::rename;
  config.lanes = Lanes::lock;
  config.files = {{'I', 16, 8, physical}};
  return config;
}

/// A younger write waits neither for an older write nor for an older read of its register.
TEST(Run, RenamedWritesWaitForNobody) {
  const char* hazards = "int L20 d=I2\nint L0 d=I1 s=I2\nint L0 d=I2\nint L0 d=I1\n";
  const RunResult renamed = good(run(renaming_core(24), workload(hazards)));
  EXPECT_LT(renamed.times[2].write, renamed.times[0].write);
  EXPECT_LT(renamed.times[3].write, renamed.times[1].read);
  const RunResult held = good(run(core(8), workload(hazards)));
  EXPECT_GT(held.times[2].write, held.times[0].write);
  EXPECT_GT(held.times[3].write, held.times[1].write);
}

/// One register more than named: the second write waits until the first has retired, and that waits for the oldest.
TEST(Run, RenamingStallsWithoutAFreePhysicalRegister) {
  const char* program = "bgt L20 s=I5,I6 predicted=right\nint L0 d=I1\nint L0 d=I2\n";
  const RunResult few = good(run(renaming_core(17), workload(program)));
  EXPECT_EQ(few.times[2].issue, few.times[0].write + 1);
  EXPECT_EQ(stalls(few, Cause::ir_full), few.times[2].issue - few.times[1].issue - 1);
  const RunResult enough = good(run(renaming_core(18), workload(program)));
  EXPECT_EQ(enough.times[2].issue, enough.times[1].issue + 1);
  EXPECT_LT(enough.times[2].write, enough.times[0].write);  // beyond the branch
  Config window = renaming_core(18);
  window.renaming.window = 2;
  EXPECT_GT(stalls(good(run(window, workload(program))), Cause::window), 0u);
}

/// What is written in part is read first: a dependency that registers of bytes do not have.
TEST(Run, RenamingReadsTheRestOfARegisterThatIsWrittenInPart) {
  const char* program = "int w4 L20 d=I1[0:4)\nint w4 L0 d=I1[4:8)\n";
  const RunResult renamed = good(run(renaming_core(24), workload(program)));
  EXPECT_EQ(renamed.times[1].read, renamed.times[0].write + 1);
  const RunResult bytes = good(run(core(8), workload(program)));
  EXPECT_LT(bytes.times[1].write, bytes.times[0].write);
  EXPECT_EQ(outcome(run(renaming_core(24), workload("int d=I1[0:4) s=I1,I2,I3,I4\n"))), "SB211");
}

/// They are granted together, even where operands are granted one by one.
TEST(Run, QuadsNeedPortsForBothRegisters) {
  Config config = core(2);
  config.groups[0].widths.push_back(16);
  config.ports.per_operand = true;
  config.banks.read = 1;
  const char* program = "int w16 d=I2[0:16) s=I4[0:16)\n";
  EXPECT_EQ(outcome(run(config, workload(program))), "SB204");
  config.banks.count = 2;
  EXPECT_EQ(outcome(run(config, workload(program))), "good");
}

/// Two places for one register could not be put together again.
TEST(Run, RenamingRefusesTwoPartsOfARegister) {
  const char* program = "int w2 d=I1[0:2),I1[2:4)\n";
  EXPECT_EQ(outcome(run(renaming_core(24), workload(program))), "SB210");
  EXPECT_EQ(outcome(run(core(8), workload(program))), "good");
}

TEST(Run, RenamingTakesTheLowestFreeRegister) {
  std::vector<std::size_t> places;
  RunOptions options;
  options.observer = [&](const View& view) {
    for (std::uint32_t unit = 0; unit < 8; ++unit)
      for (std::size_t column = 0; column < 20; ++column)
        if (view.signals().issue >> unit & 1 && view.destination_lanes(unit, column) != 0) places.push_back(column);
  };
  // The third is issued when both have retired, and I1 and I2 have left physical registers 1 and 2.
  good(run(renaming_core(20),
           workload("bgt L0 s=I5,I6 predicted=wrong\nint L0 d=I1\nint L0 d=I2\n"
                    "bgt L9 s=I5,I6 predicted=wrong\nint L0 d=I3\n"),
           options));
  EXPECT_THAT(places, testing::ElementsAre(16, 17, 1));
}

TEST(Run, RenamingTurnsTheMapBackAtATrap) {
  Config config = renaming_core(24);
  config.trap_shadows = true;
  const char* program = "reg I1 = 5\nreg I2 = 6\nint L9 d=I3 trap=takes\nadd L0 d=I1 s=I1,I2\nadd L0 d=I2 s=I1,I2\n";
  const RunResult result = good(run(config, workload(program)));
  EXPECT_EQ(result.trapped, 0u);
  EXPECT_NE(result.times[1].write, 0u);
  EXPECT_EQ(result.executed, 0u);
  EXPECT_EQ(result.killed, 3u);
  EXPECT_EQ(result.registers[1].value, 5u);
}

TEST(Run, GroupsIssueTogether) {
  Config config = core(4);
  config.issue = {.width = 2, .queue = 4, .fetch = 2, .together = true};
  const RunResult result =
      good(run(config, workload("int L9 d=I1\nint L9 d=I2\nint L1 d=I3\nint g=1 d=I4\nint g=1 d=I5\n")));
  EXPECT_EQ(result.times[3].issue, result.times[4].issue);
  EXPECT_GT(stalls(result, Cause::group), 0u);
}

TEST(Run, WithoutTheMaskConservativeHazardsDeadlockAndSaySo) {
  Config config = preset("seed_two_level");
  config.hazards = Hazards::conservative;
  const Workload program = workload("7 int w8 d=F1 s=F1\n");
  good(run(config, program));
  config.issue.mask_same_clock = false;
  const Result<RunResult> result = run(config, program);
  ASSERT_EQ(outcome(result), "SB301");
  EXPECT_THAT(render(result.error()),
              HasSubstr("operation 7 in unit 0 waits: read_after_write, for operation 7 in unit 1"));
}

TEST(Run, LoadsWithoutMemoryHaveNoOrder) {
  const RunResult result = good(run(preset("byte_lane"), workload("0 st s=I1 mem=0+8\n1 ld d=I2 s=I3\n")));
  EXPECT_LE(result.times[1].start, result.times[0].write);
}

TEST(Run, StopsAtTheLimit) {
  EXPECT_EQ(outcome(run(core(1), workload("int L50 d=I1\n"), {.max_clocks = 20})), "SB302");
}

TEST(Run, StopsWhenItIsTold) {
  const Workload many = workload("0 int L500 d=I1\n1 int L500 d=I1 s=I1\n2 int L500 d=I1 s=I1\n");
  int asked = 0;
  EXPECT_EQ(outcome(run(core(1), many, {.stop = [&] { return ++asked == 3; }})), "SB304");
  EXPECT_EQ(asked, 3);  // before the first clock, at it, and at clock 1024
  EXPECT_EQ(outcome(run(core(1), many, {.stop = [] { return false; }})), "good");
  EXPECT_EQ(outcome(run(core(1), many, {.stop = [] { return true; }})), "SB304");
}

TEST(Run, WorkloadsThatDoNotFitAreRefused) {
  const auto refused = [](const Config& config, std::string_view text) { return outcome(run(config, workload(text))); };
  EXPECT_EQ(refused(core(1), "fp d=I1"), "SB201");
  EXPECT_EQ(refused(core(1), "int d=F1"), "SB202");
  EXPECT_EQ(refused(core(1), "int d=I16"), "SB202");
  EXPECT_EQ(refused(core(1), "reg I16 = 1"), "SB202");
  EXPECT_EQ(refused(preset("june2019"), "int w4 d=I1[0:4)"), "SB203");
  Config config = core(1);
  config.banks.read = 1;
  EXPECT_EQ(refused(config, "int d=I1 s=I2,I3"), "SB204");
  config = preset("byte_lane");
  config.banks.byte_crossbar = false;
  EXPECT_EQ(refused(config, "int d=I1 s=I2[0:4),I3[0:1)"), "good");
  EXPECT_EQ(refused(config, "int d=I1 s=I2[0:1),I3[0:1)"), "SB204") << "two narrow operands through one lane";
  config = core(1);
  config.groups[0].pairs = {8};
  config.groups[0].widths = {4};
  EXPECT_EQ(refused(config, "int w8 d=I1"), "SB205");
  config = core(1);
  config.virtual_registers.rows = 2;
  EXPECT_EQ(refused(config, "int d=I1 s=I2,I3"), "SB206");
  config = core(1);
  config.trap_shadows = false;
  EXPECT_EQ(refused(config, "int trap=takes"), "SB207");
  config = core(4);
  config.issue = {.width = 2, .queue = 2, .fetch = 1, .together = true};
  EXPECT_EQ(refused(config, "int g=1\nint g=1\nint g=1"), "SB208");
  EXPECT_EQ(refused(config, "int g=1\nint g=1"), "good");
  config.groups[0].units = 1;
  EXPECT_EQ(refused(config, "int g=1\nint g=1"), "SB208");
  EXPECT_EQ(refused(core(1), "int if=ok"), "SB209");
  EXPECT_EQ(refused(core(1), "br br=taken predicted=right\nint if=ok"), "SB212");
  EXPECT_EQ(refused(core(1), "int w4 d=I1[0:4),I1[2:6)"), "SB210");
  EXPECT_EQ(refused(core(1), "fp d=I1\nint d=F1\n"), "SB201 SB202") << "all of them";
}

TEST(Run, FitIsToldWithoutARun) {
  EXPECT_EQ(outcome(fits(core(1), workload("reg I15 = 1\n"))), "good");
  EXPECT_EQ(outcome(fits(core(1), workload("reg I16 = 1\n"))), "SB202");
  EXPECT_EQ(outcome(fits(core(1), workload("fp d=I1\nint d=F1\n"))), "SB201 SB202") << "all of them";
  Config config = preset("seed_two_level");
  config.hazards = Hazards::conservative;
  config.issue.mask_same_clock = false;
  EXPECT_EQ(outcome(fits(config, workload("7 int w8 d=F1 s=F1\n"))), "good") << "which only a run finds stuck";
}

TEST(Views, SayWhatHappened) {
  const Config config = preset("seed_full4");
  const Workload program = workload("int w1 L2 d=F3[1:2) s=F4[2:3)\nint w4 d=F3[0:4) s=F3[0:4)\n");
  std::string lines = signals_header(config), cells, vcd;
  RunOptions options;
  Vcd writer(config, [&](std::string_view piece) { vcd += piece; });
  options.observer = [&](const View& view) {
    lines += signals_line(config, view);
    cells += matrices(config, view);
    writer.on(view);
  };
  const RunResult result = good(run(config, program, options));
  writer.end();
  EXPECT_THAT(lines, HasSubstr("F3:B1"));
  EXPECT_THAT(cells, HasSubstr("    24          0  - / F3:B1"));
  EXPECT_THAT(table(program, result), HasSubstr("0 int w1 L2 d=F3[1:2) s=F4[2:3)"));
  EXPECT_THAT(report(config, program, result), HasSubstr("2 operations"));
  EXPECT_THAT(vcd, HasSubstr("$var wire 32 ! issue $end"));
  EXPECT_THAT(vcd, HasSubstr("#1\nb00000001000000000000000000000000 !\n"));
  EXPECT_THAT(vcd, HasSubstr("#" + std::to_string(result.clocks + 1) + "\n"));
}

/// Everything the text views say of a run, and the value change dump.
struct Seen {
  std::string lines, cells, vcd;
  RunResult result;
};
Seen see(const Config& config, const Workload& program) {
  Seen seen;
  Vcd writer(config, [&](std::string_view piece) { seen.vcd += piece; });
  RunOptions options;
  options.observer = [&](const View& view) {
    seen.lines += signals_line(config, view);
    seen.cells += matrices(config, view);
    writer.on(view);
  };
  seen.result = good(run(config, program, options));
  writer.end();
  return seen;
}

TEST(Views, RowsAndTheRegistersTheyStandFor) {
  Config config = preset("seed_full4");
  const Workload program = workload("int w1 d=F3[1:2) s=F4[2:3)\nint w4 d=I7[0:4) s=F3[0:4)\n");
  const Seen seen = see(config, program);
  EXPECT_THAT(seen.cells, HasSubstr("clock 1\n  virtual registers  0=F4,1=F3\n"));
  EXPECT_THAT(seen.vcd, HasSubstr(" row_0_file $end\n"));
  EXPECT_THAT(seen.vcd, HasSubstr("b01000110 ")) << "the letter F";
  EXPECT_THAT(seen.vcd, HasSubstr("b0000000000000100 ")) << "F4";
  EXPECT_THAT(seen.vcd, testing::Not(HasSubstr(" row_32_file ")));

  config.virtual_registers.per_file = true;
  const Seen tables = see(config, program);
  EXPECT_THAT(tables.cells, HasSubstr("F.0=F4,F.1=F3,I.0=I7\n"));
  EXPECT_THAT(tables.vcd, HasSubstr(" row_I_0_register $end\n"));
  EXPECT_THAT(tables.vcd, testing::Not(HasSubstr(" row_A_0_file ")));
  EXPECT_THAT(see(preset("june2019"), workload("add d=I1 s=I2,I3\n")).cells, testing::Not(HasSubstr("virtual")));
}

TEST(Views, ARegisterWhoseRowIsFreedIsStillNamedInThatClock) {
  const Seen seen = see(preset("seed_full4"), random_workload(3, {.operations = 200}));
  EXPECT_THAT(seen.lines, testing::Not(HasSubstr("-:")));
}

TEST(Views, ResultsOfZeroAreResults) {
  const Workload program = workload("reg I1 = 5\nsub d=I3 s=I1,I1\nadd d=I4 s=I1,I3\n");
  const Seen seen = see(preset("june2019"), program);
  EXPECT_EQ(registers_text(program, seen.result), "I1=5 I3=0 I4=5\n");
  EXPECT_EQ(registers_text(workload("br s=I1\n"), see(preset("june2019"), workload("br s=I1\n")).result),
            "no register is written\n");
}

}  // namespace
}  // namespace mobula::scoreboard
