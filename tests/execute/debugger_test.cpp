// A debugger as a user of the library has it: public headers alone.
#include "mobula/lab/debugger.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"
#include "mobula/lab/word_texts.h"

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
  ASSERT_TRUE(debugger->back());
  EXPECT_EQ(value("r0.x"), "0x40c00000 (6)");
  EXPECT_THAT(debugger->executed(9), ElementsAre(0));
  EXPECT_EQ(debugger->step(100), Debugger::Halt::stopped);
  EXPECT_EQ(debugger->state(0), LaneState::ended);
  EXPECT_EQ(debugger->outputs().ended, 3u);
}

TEST_F(Debugging, StopsAtBreakpointsAndChanges) {
  const std::uint64_t second = lifted.blocks[1].address;
  debugger->breakpoints.insert(debugger->address_of(std::to_string(second)).value_or(0));
  EXPECT_EQ(debugger->go(), Debugger::Halt::breakpoint);
  EXPECT_EQ(debugger->address(0), second);
  debugger->watched.insert(debugger->slot("r1.x").value());
  EXPECT_EQ(debugger->go(), Debugger::Halt::watch);
  ASSERT_NE(debugger->changed(), nullptr);
  EXPECT_EQ(debugger->changed()->name, "r1.x");
}

TEST_F(Debugging, RemembersWhatWasWrittenByHand) {
  debugger->step();
  const ir::Slot& slot = *debugger->slot("r0.x").value();
  ASSERT_TRUE(debugger->write(slot, slot_bytes(slot, "0.5").value()));
  debugger->step(2);
  EXPECT_EQ(value("r1.x"), "0x40000000 (2)");
  ASSERT_TRUE(debugger->back());
  EXPECT_EQ(value("r0.x"), "0x3f800000 (1)");
}

TEST_F(Debugging, SaysWhatItCannotDo) {
  const auto code = [](const auto& result) { return result ? "none" : result.error().front().code; };
  EXPECT_EQ(code(debugger->back(1)), "DB002");
  EXPECT_EQ(code(debugger->address_of("there")), "DB003");
  EXPECT_EQ(code(debugger->address_of("0x1")), "DB004");
  EXPECT_EQ(code(debugger->slot("r99")), "DB006");
  EXPECT_EQ(code(debugger->slots("")), "DB006");
  EXPECT_EQ(code(debugger->choose(4096)), "DB008");
  const ir::Slot& slot = *debugger->slot("r0.x").value();
  EXPECT_EQ(code(slot_bytes(slot, "x")), "DB005");
  EXPECT_EQ(code(slot_bytes(slot, "0x100000000")), "DB005");
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

}  // namespace
}  // namespace mobula
