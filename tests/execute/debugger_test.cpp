// A debugger as a user of the library has it: public headers alone.
#include "mobula/lab/debugger.h"

#include <gmock/gmock.h>

#include <bit>

#include "mobula/isa/machine.h"
#include "mobula/lab/load.h"
#include "mobula/lab/word_texts.h"
#include "paths.h"

namespace mobula {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Counts r0 up by 1 and 2, then ends.
class Debugging : public testing::Test {
 protected:
  void SetUp() override {
    const Machine& machine = *find_machine("midgard");
    auto assembled = machine.assemble({"t.mdg",
                                       "{\n  vmul.FMUL.f32 R0.x, #2.0, #3.0\n}\n"
                                       "{\n  vmul.FMUL.f32 R0.x, R0.x, #2.0\n}\n"
                                       "{\n  vmul.FMUL.f32 R1.x, R0.x, #2.0\n}\n"},
                                      {});
    ASSERT_TRUE(assembled) << render(assembled.error());
    program = std::move(*assembled);
    auto words = machine.lift(program, {});
    ASSERT_TRUE(words) << render(words.error());
    lifted = std::move(*words);
    RunInputs inputs;
    inputs.threads = 3;
    auto created = Debugger::create(program, lifted, inputs);
    ASSERT_TRUE(created) << render(created.error());
    debugger.emplace(std::move(*created));
  }
  std::string value(std::string_view name) {
    const auto slot = debugger->slot(name);
    return slot ? slot_text(**slot, debugger->read(**slot)) : "no slot";
  }

  Program program;
  ir::Program lifted;
  std::optional<Debugger> debugger;
};

TEST_F(Debugging, GoesForwardAndBack) {
  EXPECT_EQ(debugger->address(0), 0u);
  EXPECT_EQ(debugger->step(), Debugger::Halt::stepped);
  EXPECT_EQ(value("r0.x"), "0x40c00000 (6)");
  EXPECT_EQ(debugger->step(), Debugger::Halt::stepped);
  EXPECT_EQ(value("r0.x"), "0x41400000 (12)");
  EXPECT_EQ(debugger->words_executed(), 2u);
  ASSERT_EQ(debugger->back(), Debugger::Halt::stepped);
  EXPECT_EQ(value("r0.x"), "0x40c00000 (6)");
  EXPECT_THAT(debugger->executed(9), ElementsAre(0));
  EXPECT_EQ(debugger->step(100), Debugger::Halt::stopped);
  EXPECT_EQ(debugger->state(0), LaneState::ended);
  EXPECT_EQ(debugger->outputs().ended, 3u);
}

TEST_F(Debugging, RefusesBreakpointsWhereNothingCanStop) {
  for (const std::uint64_t address : {std::uint64_t{1}, std::uint64_t{0x10000}}) {
    const auto number = debugger->add({.address = address});
    ASSERT_FALSE(number) << address;
    EXPECT_EQ(number.error().front().code, "DB004");
  }
  EXPECT_TRUE(debugger->breakpoints().empty());
}

TEST_F(Debugging, StopsAtBreakpointsAndChanges) {
  const std::uint64_t second = lifted.blocks[1].address;
  debugger->break_at(debugger->address_of(std::to_string(second)).value_or(0));
  EXPECT_EQ(debugger->go(), Debugger::Halt::breakpoint);
  EXPECT_EQ(debugger->address(0), second);
  debugger->watch(*debugger->slot("r1.x").value());
  EXPECT_EQ(debugger->go(), Debugger::Halt::watch);
  ASSERT_TRUE(debugger->halted_by());
  EXPECT_EQ(debugger->halted_by()->slot->name, "r1.x");
}

TEST_F(Debugging, RemembersWhatWasWrittenByHand) {
  debugger->step();
  const ir::Slot& slot = *debugger->slot("r0.x").value();
  ASSERT_TRUE(debugger->assign(slot, "0.5"));
  debugger->step(2);
  EXPECT_EQ(value("r1.x"), "0x40000000 (2)");
  ASSERT_EQ(debugger->back(), Debugger::Halt::stepped);
  EXPECT_EQ(value("r0.x"), "0x3f800000 (1)");
}

TEST_F(Debugging, WritesDecimalNumbersAsFloats) {
  const ir::Slot& slot = *debugger->slot("r0.x").value();
  for (const auto& [expression, bits] :
       std::initializer_list<std::pair<const char*, const char*>>{{"3", "0x40400000 (3)"},
                                                                  {"-1", "0xbf800000 (-1)"},
                                                                  {"2 * 2", "0x40800000 (4)"},
                                                                  {"7 / 2", "0x40400000 (3)"},
                                                                  {"0x3f800000", "0x3f800000 (1)"},
                                                                  {"int(1065353216)", "0x3f800000 (1)"},
                                                                  {"int(1) + 1065353215", "0x3f800000 (1)"},
                                                                  {"r0.x", "0x3f800000 (1)"},
                                                                  {"r0.x + 1", "0x40000000 (2)"},
                                                                  {"int(-1)", "0xffffffff (nan)"}}) {
    ASSERT_TRUE(debugger->assign(slot, expression)) << expression;
    EXPECT_THAT(value("r0.x"), testing::AnyOf(bits, "0xffffffff (-nan)")) << expression;
  }
}

TEST_F(Debugging, GoesOnElsewhere) {
  const std::uint64_t second = lifted.blocks[1].address;
  debugger->step(2);
  EXPECT_EQ(value("r0.x"), "0x41400000 (12)");
  ASSERT_TRUE(debugger->jump(second));
  EXPECT_EQ(debugger->address(0), second);
  EXPECT_NE(debugger->address(1), second) << "other threads stay where they are";
  debugger->step();
  EXPECT_EQ(value("r0.x"), "0x41c00000 (24)");
  ASSERT_EQ(debugger->back(), Debugger::Halt::stepped);
  EXPECT_EQ(debugger->address(0), second) << "what was done by hand is done again";
  ASSERT_EQ(debugger->back(), Debugger::Halt::stepped);
  EXPECT_EQ(value("r0.x"), "0x40c00000 (6)");
  debugger->step(100);
  const auto ended = debugger->jump(0);
  EXPECT_EQ(ended.error().front().code, "DB025");
}

/// Stores 6 and then 12 at 0x1000.
class DebuggingMemory : public testing::Test {
 protected:
  void SetUp() override {
    const Machine& machine = *find_machine("midgard");
    auto assembled = machine.assemble({"t.mdg",
                                       "{\n  vmul.MOV.i32 AL0, #0\n}\n"
                                       "{\n  smul.MOV.i32 AL0.x, _, #4096\n}\n"
                                       "{\n  vmul.FMUL.f32 AL1, #2.0, #3.0\n}\n"
                                       "{\n  ST.32 AL1, AL0.u64.x\n}\n"
                                       "{\n  vmul.FMUL.f32 AL1, #4.0, #3.0\n}\n"
                                       "{\n  ST.32 AL1, AL0.u64.x\n}\n"
                                       "{\n  vmul.FMUL.f32 R2.x, #2.0, #3.0\n}\n"},
                                      {});
    ASSERT_TRUE(assembled) << render(assembled.error());
    program = std::move(*assembled);
    auto words = machine.lift(program, {});
    ASSERT_TRUE(words) << render(words.error());
    lifted = std::move(*words);
    RunInputs inputs;
    inputs.threads = 1;
    inputs.memory.push_back({0x1000, {1, 2, 3, 4}});
    auto created = Debugger::create(program, lifted, inputs);
    ASSERT_TRUE(created) << render(created.error());
    debugger.emplace(std::move(*created));
  }
  [[nodiscard]] std::uint64_t word(std::size_t number) const { return lifted.blocks[number].address; }
  [[nodiscard]] std::vector<std::uint8_t> memory() const { return debugger->read_memory(0x1000, 4); }

  Program program;
  ir::Program lifted;
  std::optional<Debugger> debugger;
};

TEST_F(DebuggingMemory, StopsAtChanges) {
  ASSERT_TRUE(debugger->watch({0x1000, 4}));
  EXPECT_EQ(debugger->go(), Debugger::Halt::watch);
  EXPECT_EQ(debugger->address(0), word(4)) << "after the store";
  EXPECT_EQ(debugger->go(), Debugger::Halt::watch);
  EXPECT_EQ(debugger->address(0), word(6));
  EXPECT_EQ(debugger->halted_by()->memory->address, 0x1000u);
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::watch);
  EXPECT_EQ(debugger->address(0), word(4));
  EXPECT_EQ(debugger->go_back(true), Debugger::Halt::watch) << "it was the last word's";
  EXPECT_EQ(debugger->address(0), word(4));
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::beginning);
}

TEST_F(DebuggingMemory, IsWrittenByHand) {
  debugger->step(4);
  EXPECT_THAT(memory(), ElementsAre(0, 0, 0xC0, 0x40));
  ASSERT_TRUE(debugger->write_memory(0x1000, {9, 8, 7, 6}));
  EXPECT_THAT(memory(), ElementsAre(9, 8, 7, 6));
  debugger->step();
  ASSERT_EQ(debugger->back(), Debugger::Halt::stepped);
  EXPECT_THAT(memory(), ElementsAre(9, 8, 7, 6)) << "it is written again";
  ASSERT_EQ(debugger->back(), Debugger::Halt::stepped);
  EXPECT_THAT(memory(), ElementsAre(1, 2, 3, 4)) << "and undone";
  EXPECT_FALSE(debugger->write_memory(0x1002, {1, 2, 3, 4})) << "it ends before";
}

TEST_F(Debugging, SaysWhatItCannotDo) {
  const auto code = [](const auto& result) { return result ? "none" : result.error().front().code; };
  EXPECT_EQ(code(debugger->address_of("there")), "DB003");
  EXPECT_EQ(code(debugger->address_of("0x1")), "DB004");
  EXPECT_EQ(code(debugger->slot("r99")), "DB006");
  EXPECT_EQ(code(debugger->slots("")), "DB006");
  EXPECT_EQ(code(debugger->choose(4096)), "DB008");
  const ir::Slot& slot = *debugger->slot("r0.x").value();
  EXPECT_EQ(code(debugger->assign(slot, "x")), "DB006");
  EXPECT_EQ(code(debugger->assign(slot, "0x100000000")), "DB005");
  EXPECT_EQ(code(debugger->assign(slot, "1e39")), "DB005") << "not infinity";
  EXPECT_EQ(code(debugger->assign(slot, "-3.5e38")), "DB005");
  EXPECT_EQ(code(debugger->assign(slot, "3.4e38")), "none");
  EXPECT_EQ(code(debugger->assign(slot, "1.0 / 0")), "none");
  EXPECT_EQ(code(debugger->assign(slot, "1 +")), "DB020");
  EXPECT_EQ(code(debugger->jump(1)), "DB004");
  EXPECT_EQ(code(debugger->write_memory(0x1000, {1, 2})), "DB024") << "the run has no memory";
  EXPECT_EQ(code(debugger->watch({0x1000, 4})), "DB023");
  EXPECT_EQ(code(debugger->write(slot, {1, 2})), "DB007");
  const ir::Slot far{"far", 1u << 30, 4};
  EXPECT_EQ(code(debugger->write(far, {1, 2, 3, 4})), "DB007");
  EXPECT_THAT(debugger->read(far), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(debugger->lane_of(99), std::nullopt);
  EXPECT_EQ(debugger->address(4096), std::nullopt);
  RunInputs none;
  none.threads = 0;
  EXPECT_EQ(code(Debugger::create(program, lifted, none)), "DB001");
}

// ---- with branches, several threads and faults

/// A Utgard GP program that loops as often as its second attribute says; thread i does i + 1 turns.
class DebuggingLoop : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_program_file(test::source_file("examples/loop.vert.bin"));
    ASSERT_TRUE(loaded) << render(loaded.error());
    program = std::move(*loaded);
    auto words = find_machine(program.machine)->lift(program, {});
    ASSERT_TRUE(words) << render(words.error());
    lifted = std::move(*words);
    RunInputs inputs;
    inputs.threads = 3;
    inputs.attributes[0] = {{one, one, one, one}};
    for (const float turns : {1.0f, 2.0f, 3.0f})
      inputs.attributes[1].push_back({std::bit_cast<std::uint32_t>(turns), 0, 0, 0});
    inputs.memory = {{0x1000, {1, 2, 3, 4, 5}}};
    start(inputs);
  }
  void start(const RunInputs& inputs) {
    fed = inputs;
    auto created = Debugger::create(program, lifted, inputs);
    ASSERT_TRUE(created) << render(created.error());
    debugger.emplace(std::move(*created));
  }
  std::uint64_t here() { return debugger->address(debugger->lane()).value_or(~0u); }
  /// Where go() stops: thread and number of the breakpoint.
  std::pair<std::uint32_t, std::uint32_t> stop(Debugger::Halt halt) {
    EXPECT_EQ(halt, Debugger::Halt::breakpoint);
    return {debugger->lane(), debugger->halted_by() ? debugger->halted_by()->number : 0};
  }
  using At = std::pair<std::uint32_t, std::uint32_t>;

  static constexpr std::uint32_t one = 0x3F800000;
  static constexpr std::uint64_t loop = 0x40, end = 0xD0;
  RunInputs fed;
  Program program;
  ir::Program lifted;
  std::optional<Debugger> debugger;
};

TEST_F(DebuggingLoop, KnowsTheLabelsOfTheListing) {
  EXPECT_EQ(debugger->address_of("L13").value_or(0), end);
  EXPECT_EQ(debugger->address_of("L13+0x10").value_or(0), end + 16);
  EXPECT_EQ(debugger->address_of("*0x40").value_or(0), loop);
  for (const char* wrong : {"L99", "L13+x", ":3"}) EXPECT_EQ(debugger->address_of(wrong).error().front().code, "DB003");
  EXPECT_EQ(debugger->address_of("L13+1").error().front().code, "DB004");
  EXPECT_EQ(debugger->symbol(end), "L13");
  EXPECT_EQ(debugger->symbol(end + 16), "L13+0x10");
  EXPECT_EQ(debugger->symbol(0), "");
}

TEST_F(DebuggingLoop, StopsWhereAnyThreadIs) {
  debugger->break_at(end);
  EXPECT_EQ(stop(debugger->go()), At(0, 1));
  EXPECT_EQ(stop(debugger->go()), At(1, 1));
  EXPECT_EQ(stop(debugger->go()), At(2, 1));
  EXPECT_EQ(debugger->go(), Debugger::Halt::stopped);
  EXPECT_EQ(debugger->outputs().ended, 3u);
}

TEST_F(DebuggingLoop, StopsOnConditionAndCount) {
  const auto number = debugger->add({.address = loop, .condition = "$1.y == 2 && pc == L4"});
  ASSERT_TRUE(number);
  EXPECT_EQ(stop(debugger->go()), At(1, *number));
  EXPECT_EQ(debugger->add({.address = loop, .condition = "$1.y =="}).error().front().code, "DB020");
  EXPECT_EQ(debugger->breakpoints().size(), 1u);

  start(fed);
  Debugger::Breakpoint point{.address = loop, .temporary = true, .ignore = 2};
  point.number = *debugger->add(point);
  EXPECT_EQ(stop(debugger->go()), At(1, point.number)) << "the first thread is out of the loop by then";
  EXPECT_EQ(debugger->halted_by()->hits, 3u);
  EXPECT_TRUE(debugger->breakpoints().empty()) << "it was temporary";

  start(fed);
  point.number = *debugger->add({.address = loop});
  point.enabled = false;
  ASSERT_TRUE(debugger->replace(point));
  EXPECT_EQ(debugger->go(), Debugger::Halt::stopped);
  EXPECT_TRUE(debugger->remove(point.number));
  EXPECT_FALSE(debugger->remove(point.number));
  EXPECT_EQ(debugger->replace(point).error().front().code, "DB009");
}

/// Also where many breakpoints are set, and several lanes stand at different words.
TEST_F(DebuggingLoop, FindsTheOneOfManyBreakpointsThatIsMet) {
  for (const ir::Block& block : lifted.blocks)
    if (block.address != 0) debugger->break_at(block.address);
  for (const ir::Block& block : lifted.blocks) {
    if (block.address == 0) continue;
    ASSERT_EQ(debugger->go(), Debugger::Halt::breakpoint);
    EXPECT_EQ(debugger->halted_by()->address, here());
    if (block.address >= loop) break;
  }
}

TEST_F(DebuggingLoop, GoesBackToWhereItStopped) {
  debugger->break_at(loop);
  const ir::Slot& turns = *debugger->slot("$1.y").value();
  for (int i = 0; i < 3; ++i) debugger->go();
  const std::vector<std::uint8_t> third = debugger->read(turns);
  debugger->go();
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::breakpoint);
  EXPECT_EQ(debugger->read(turns), third);
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::breakpoint);
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::breakpoint);
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::beginning);
  EXPECT_EQ(debugger->words_executed(), 0u);
}

TEST_F(DebuggingLoop, GoesBackToAChange) {
  ASSERT_TRUE(debugger->choose(2));
  debugger->watch(*debugger->slot("$1.y").value());
  EXPECT_EQ(debugger->go(), Debugger::Halt::watch);
  const auto first = here();
  EXPECT_EQ(debugger->go(), Debugger::Halt::watch);
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::watch);
  EXPECT_EQ(here(), first);
}

/// A watch sees the change that a breakpoint stands at, and does not take it for one of the next word.
TEST_F(DebuggingLoop, GoesBackToABreakpointWhereSomethingChanged) {
  debugger->watch(*debugger->slot("$1.y").value());
  ASSERT_EQ(debugger->go(), Debugger::Halt::watch);
  const std::uint64_t changed = here();
  start(fed);
  debugger->break_at(changed);
  ASSERT_EQ(debugger->go(), Debugger::Halt::breakpoint);
  debugger->step(2);
  debugger->watch(*debugger->slot("$1.y").value());
  EXPECT_EQ(debugger->go_back(), Debugger::Halt::breakpoint);
  EXPECT_EQ(here(), changed);
}

TEST_F(DebuggingLoop, GoesToGoals) {
  EXPECT_EQ(debugger->go({.address = 0xC0}), Debugger::Halt::stepped);
  EXPECT_EQ(here(), 0xC0u);
  EXPECT_EQ(debugger->go({.later = true}), Debugger::Halt::stepped);
  EXPECT_EQ(here(), end) << "not back at the loop";
  EXPECT_EQ(debugger->go({.address = loop}), Debugger::Halt::stopped);
  EXPECT_FALSE(debugger->has_returns());
  start(fed);
  EXPECT_EQ(debugger->go({}, 3), Debugger::Halt::unfinished);
  EXPECT_EQ(here(), 0x30u);
}

TEST(DebuggingCalls, GoOnUntilASubroutineReturns) {
  const Machine& machine = *find_machine("rogue");
  const auto program = machine.assemble(
      {"t.rgasm", "ctrl { brl over }\nmov r8, sc1\nnop.end\nover: mov r9, sc2\nmov r10, sc2\nlapc\n"}, {});
  ASSERT_TRUE(program) << render(program.error());
  const auto lifted = machine.lift(*program, {});
  ASSERT_TRUE(lifted) << render(lifted.error());
  auto debugger = Debugger::create(*program, *lifted, {});
  ASSERT_TRUE(debugger) << render(debugger.error());
  EXPECT_TRUE(debugger->has_returns());
  debugger->step(2);
  EXPECT_EQ(debugger->symbol(*debugger->address(0)).substr(0, 5), "over+");
  EXPECT_EQ(debugger->go({.returned = true}), Debugger::Halt::stepped);
  EXPECT_EQ(debugger->address(0), lifted->blocks[1].address);
  EXPECT_EQ(debugger->go({.returned = true}), Debugger::Halt::stopped) << "it never returns again";
}

TEST_F(DebuggingLoop, KeepsThePastOfEveryThread) {
  debugger->step(5);
  ASSERT_TRUE(debugger->choose(1));
  EXPECT_EQ(debugger->words_executed(), 5u);
  ASSERT_EQ(debugger->back(4), Debugger::Halt::stepped);
  EXPECT_EQ(here(), 0x10u);
  EXPECT_EQ(debugger->back(2), Debugger::Halt::beginning);
  EXPECT_EQ(here(), 0u) << "no further than to its first word";
}

TEST_F(DebuggingLoop, StopsAtFaults) {
  fed.limits.steps = 20;
  start(fed);
  EXPECT_EQ(debugger->go(), Debugger::Halt::fault);
  EXPECT_EQ(debugger->lane(), 1u) << "the first one ends earlier";
  EXPECT_EQ(debugger->state(1), LaneState::faulted);
  debugger->go();
  EXPECT_EQ(debugger->go(), Debugger::Halt::stopped);
}

TEST_F(DebuggingLoop, ReadsMemoryUpToItsEnd) {
  EXPECT_THAT(debugger->read_memory(0x1001, 2), ElementsAre(2, 3));
  EXPECT_THAT(debugger->read_memory(0x1000, 100000), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(debugger->read_memory(0x2000, 4), ElementsAre());
  EXPECT_THAT(debugger->read_memory(0x1000, std::size_t{1} << 62), ElementsAre(1, 2, 3, 4, 5));
  Debugger::Breakpoint all;
  all.memory = {.address = 0, .bytes = SIZE_MAX};
  EXPECT_FALSE(debugger->add(all));
}

TEST_F(DebuggingLoop, EvaluatesWhatAnyoneWrites) {
  debugger->step(2);
  const auto value = [&](std::string_view text) {
    const auto result = debugger->evaluate(text);
    return result ? *format_value(*result) : result.error().front().code;
  };
  EXPECT_EQ(value("$0.x + 1"), "2");
  EXPECT_EQ(value("pc"), "32");
  EXPECT_EQ(value("L13 - pc"), "176");
  EXPECT_EQ(value("nothing"), "DB006");
  EXPECT_EQ(value("uint(*0x1000)"), "67305985");
  EXPECT_EQ(value("*0x1002"), "DB023");
  EXPECT_THAT(debugger->slots_written(), testing::Contains(debugger->slot("$1.x").value()));
}

TEST_F(Debugging, TakesNamesAsTheListingHasThem) {
  debugger->step();
  EXPECT_EQ(value("R0.x"), "0x40c00000 (6)");
  EXPECT_EQ(debugger->slot("U0.y").value()->name, "r23.y");
  EXPECT_EQ(debugger->slots("U2").value().size(), 4u);
  EXPECT_EQ(debugger->slots("R0").value().size(), 4u);
  EXPECT_EQ(debugger->slot("U24.x").error().front().code, "DB006");
}

TEST_F(Debugging, KnowsTheLinesOfTheText) {
  EXPECT_EQ(debugger->line_of(0), 1u);
  EXPECT_EQ(debugger->line_of(lifted.blocks[1].address), 4u);
  EXPECT_EQ(debugger->line_of(1), std::nullopt);
  EXPECT_EQ(debugger->address_of(":5").value_or(0), lifted.blocks[2].address);
  EXPECT_EQ(debugger->address_of("t.mdg:4").value_or(0), lifted.blocks[1].address);
  const auto wrong = [&](std::string_view place) { return debugger->address_of(place).error().front().message; };
  EXPECT_EQ(wrong(":99"), "no word begins in line 99 or later");
  EXPECT_EQ(wrong(":0"), "\"0\" is not the number of a line");
  EXPECT_EQ(wrong(":x"), "\"x\" is not the number of a line");
  EXPECT_EQ(wrong("other.mdg:4"), "the program does not come from other.mdg");
}

}  // namespace
}  // namespace mobula
