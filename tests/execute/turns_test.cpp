// Interpreters that take turns: threads that wait for their environment, and runs of some steps.
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "mobula/lab/interpreter.h"

namespace mobula {
namespace {

using ir::Op;
using ir::Operand;
using ir::Type;

const Operand sum = Operand::state(0), word = Operand::state(4);

/// Words that may not be there yet.
class Mailbox : public Environment {
 public:
  std::vector<std::uint8_t> words;
  Fault device_read(const Thread&, const ir::Call&, std::uint32_t, std::span<std::uint8_t> out) override {
    if (words.empty()) return {.reason = {}, .waits = true};
    out[0] = words.back();
    words.pop_back();
    return {};
  }
};

/// Adds words up for ever, in two blocks.
ir::Program adder() {
  ir::Builder builder({{"sum", 0, 4}, {"word", 4, 4}});
  builder.begin_block(0, 4);
  builder.call({.service = ir::Service::device_read, .data = word, .args = {builder.constant_u32(0)}});
  builder.end_block();
  builder.begin_block(4, 4);
  builder.emit(Op::iadd, Type::i32, sum, sum, word);
  builder.end_block(0);
  return builder.finish(0);
}

class Turns : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    const Thread thread{};
    interpreter.start({&thread, 1});
  }
  const ir::Program program = adder();
  Mailbox mailbox;
  Interpreter interpreter{program, mailbox, {.engine = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(Both, Turns, testing::Values(Engine::simd, Engine::reference));

TEST_P(Turns, AThreadWaitsAtItsBlockUntilItIsLetGo) {
  mailbox.words = {1, 2};
  interpreter.run();
  EXPECT_EQ(interpreter.state(0), LaneState::blocked);
  EXPECT_EQ(interpreter.read_u32(0, 0), 3u);
  EXPECT_EQ(interpreter.block(0), 0u);
  EXPECT_FALSE(interpreter.step()) << "nothing runs while it waits";
  mailbox.words = {4};
  interpreter.run();
  EXPECT_EQ(interpreter.read_u32(0, 0), 3u) << "it does not look by itself";
  interpreter.unblock(0);
  interpreter.run();
  EXPECT_EQ(interpreter.read_u32(0, 0), 7u);
  EXPECT_EQ(interpreter.state(0), LaneState::blocked);
}

TEST_P(Turns, WaitingIsNotAStep) {
  mailbox.words = {1, 2};
  interpreter.run();
  EXPECT_EQ(interpreter.steps(0), 4u);
  EXPECT_EQ(interpreter.executions(), (std::vector<std::uint64_t>{2, 2}));
  interpreter.unblock(0);
  interpreter.run();
  EXPECT_EQ(interpreter.steps(0), 4u);
  EXPECT_EQ(interpreter.executions(), (std::vector<std::uint64_t>{2, 2}));
}

TEST_P(Turns, RunsSomeSteps) {
  mailbox.words = {1, 1, 1, 1, 1};
  interpreter.run(3);
  EXPECT_EQ(interpreter.state(0), LaneState::running);
  EXPECT_EQ(interpreter.steps(0), 3u);
  EXPECT_EQ(interpreter.block(0), 1u);
  interpreter.run(0);
  EXPECT_EQ(interpreter.steps(0), 3u);
  interpreter.run(1);
  EXPECT_EQ(interpreter.read_u32(0, 0), 2u);
}

TEST_P(Turns, OnlyBlockedThreadsAreUnblocked) {
  mailbox.words = {1};
  interpreter.run(1);
  interpreter.unblock(0);
  EXPECT_EQ(interpreter.block(0), 1u) << "a running thread stays where it is";
}

TEST_P(Turns, ObserversSeeTheSameSteps) {
  std::size_t seen = 0;
  interpreter.set_observer({{}, [&](std::uint32_t, std::span<const std::uint32_t>) { ++seen; }});
  mailbox.words = {1, 1};
  interpreter.run(3);
  EXPECT_EQ(seen, 3u);
  EXPECT_EQ(interpreter.steps(0), 3u);
}

}  // namespace
}  // namespace mobula
