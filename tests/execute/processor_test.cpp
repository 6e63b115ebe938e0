// One thread whose code appears as it runs.
#include "execute/processor.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <map>
#include <random>

#include "execute/semantics.h"
#include "ir/builder.h"

namespace mobula {
namespace {

using ir::Builder;
using ir::Op;
using ir::Operand;
using ir::Type;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Operand x = Operand::state(0), y = Operand::state(4), z = Operand::state(8), result = Operand::state(16);

std::vector<ir::Slot> slots() { return {{"x", 0, 4}, {"y", 4, 4}, {"z", 8, 4}, {"rounds", 12, 4}, {"result", 16, 8}}; }

/// Pieces by address; notes which were asked for.
class Pieces final : public CodeSource {
 public:
  std::map<std::uint64_t, ir::Program> pieces;
  std::vector<std::uint64_t> asked;
  std::optional<ir::Program> lift(std::uint64_t address) override {
    asked.push_back(address);
    const auto found = pieces.find(address);
    return found == pieces.end() ? std::nullopt : std::optional(found->second);
  }
  /// A piece of one block, which goes on at the next address.
  template <class Fill>
  void add(std::uint64_t address, Fill fill) {
    Builder builder(slots());
    builder.begin_block(address, 4);
    fill(builder);
    builder.end_block();
    pieces.emplace(address, builder.finish(address));
  }
};

/// A device that counts up, keeps what it is sent, and makes wait until it may go on.
class Device final : public Environment {
 public:
  bool may_go_on = true;
  std::vector<std::uint32_t> sent;
  Fault device_read(const Thread&, const ir::Call& call, std::uint32_t address, std::span<std::uint8_t> out) override {
    if (!may_go_on) return {.reason = {}, .waits = true};
    if (address == 99) return {"nothing is there"};
    const std::uint32_t words[] = {call.index + address, 7};
    std::memcpy(out.data(), words, out.size());
    return {};
  }
  Fault device_write(const Thread&, const ir::Call&, std::uint32_t address,
                     std::span<const std::uint8_t> data) override {
    std::uint32_t value = 0;
    std::memcpy(&value, data.data(), sizeof value);
    sent.push_back(address + value);
    return {};
  }
};

TEST(Processor, LiftsWhatItComesToAndNothingElse) {
  Pieces code;
  Device device;
  code.add(0, [&](Builder& b) { b.branch(8); });
  code.add(4, [&](Builder& b) { b.trap("skipped"); });
  code.add(8, [&](Builder& b) { b.end(); });
  Processor processor(code, device, 64);
  processor.run(100);
  EXPECT_EQ(processor.state(), LaneState::ended);
  EXPECT_THAT(code.asked, ElementsAre(0, 8));
  EXPECT_EQ(processor.blocks(), 2u);
}

TEST(Processor, EveryOperationIsTheScalarSemantics) {
  std::vector<std::uint32_t> values{0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x12345678};
  unsigned compared = 0;
  for (std::uint32_t index = 0; index < ir::op_count; ++index) {
    const Op op = static_cast<Op>(index);
    if (ir::is_control(op) || ir::is_conversion(op) || op == Op::call || ir::info(op).types == 'F') continue;
    const std::uint32_t sources = ir::info(op).sources;
    for (const std::uint32_t a : values)
      for (const std::uint32_t b : values) {
        const std::uint32_t c = a ^ ~b;
        Pieces code;
        Device device;
        const ir::Operation operation{.op = op,
                                      .type = Type::i32,
                                      .from = Type::i32,
                                      .dst = result,
                                      .src = {x, sources > 1 ? y : Operand(), sources > 2 ? z : Operand()}};
        code.add(0, [&](Builder& builder) {
          builder.emit(Op::mov, Type::i32, x, builder.constant_u32(a));
          builder.emit(Op::mov, Type::i32, y, builder.constant_u32(b));
          builder.emit(Op::mov, Type::i32, z, builder.constant_u32(c));
          builder.emit(operation);
        });
        Processor processor(code, device, 4);
        processor.run(1);
        ASSERT_EQ(processor.read_u32(16), ir::evaluate(operation, a, b, c))
            << ir::info(op).name << ' ' << a << ' ' << b;
        ++compared;
      }
  }
  EXPECT_GT(compared, 40 * values.size());
}

TEST(Processor, OtherTypesGoThroughTheScalarSemantics) {
  Pieces code;
  Device device;
  code.add(0, [&](Builder& b) {
    b.emit(Op::mov, Type::i32, x, b.constant_u32(0x12345678));
    b.emit_conversion(Op::zext, Type::i64, Type::i8, result, Operand::state(1));
    b.emit(Op::iadd, Type::i64, result, result, b.constant_u64(0xFFFFFFFF));
    b.emit(Op::fadd, Type::f32, y, b.constant_f32(1.5f), b.constant_f32(2.0f));
    b.emit(Op::mov, Type::i8, Operand::state(2), Operand::state(0));
  });
  Processor processor(code, device, 4);
  processor.run(1);
  EXPECT_EQ(processor.read_u32(16), 0x55u);
  EXPECT_EQ(processor.read_u32(20), 1u);
  EXPECT_EQ(processor.read_u32(4), 0x40600000u);
  EXPECT_EQ(processor.read_u32(0), 0x12785678u);
}

TEST(Processor, ReachesDevices) {
  Pieces code;
  Device device;
  code.add(0, [&](Builder& b) {
    b.call({.service = ir::Service::device_read, .count = 2, .index = 5, .data = result, .args = {b.constant_u32(3)}});
    b.call({.service = ir::Service::device_write, .data = result, .args = {b.constant_u32(100)}});
  });
  Processor processor(code, device, 4);
  processor.run(1);
  EXPECT_EQ(processor.read_u32(16), 8u);
  EXPECT_EQ(processor.read_u32(20), 7u);
  EXPECT_THAT(device.sent, ElementsAre(108));
}

TEST(Processor, WaitsWhereTheDeviceSaysAndTriesAgain) {
  Pieces code;
  Device device;
  code.add(0, [&](Builder& b) {
    b.call({.service = ir::Service::device_read, .index = 5, .data = x, .args = {b.constant_u32(0)}});
  });
  code.add(4, [&](Builder& b) { b.end(); });
  device.may_go_on = false;
  Processor processor(code, device, 8);
  processor.run(100);
  EXPECT_EQ(processor.state(), LaneState::blocked);
  EXPECT_EQ(processor.blocks(), 0u) << "it counts when it happens";
  EXPECT_EQ(processor.address(), 0u);
  processor.run(100);
  EXPECT_EQ(processor.state(), LaneState::blocked) << "nobody has unblocked it";
  device.may_go_on = true;
  processor.unblock();
  processor.run(100);
  EXPECT_EQ(processor.state(), LaneState::ended);
  EXPECT_EQ(processor.read_u32(0), 5u);
}

TEST(Processor, FaultsSayWhereAndWhy) {
  const auto run = [](auto fill, std::uint64_t code_bytes = 64) {
    Pieces code;
    Device device;
    code.add(0, fill);
    Processor processor(code, device, code_bytes);
    processor.run(10);
    EXPECT_EQ(processor.state(), LaneState::faulted);
    return std::to_string(processor.address()) + ": " + processor.reason();
  };
  EXPECT_EQ(run([](Builder& b) { b.trap("no further"); }), "0: no further");
  EXPECT_EQ(run([](Builder& b) { b.branch(32); }), "32: there is no instruction at 0x20");
  EXPECT_EQ(run([](Builder& b) { b.branch_indirect(b.constant_u32(0x7FFFFFFF)); }),
            "2147483647: there is no instruction at 0x7fffffff");
  EXPECT_EQ(
      run([](Builder& b) { b.call({.service = ir::Service::device_read, .data = x, .args = {b.constant_u32(99)}}); }),
      "0: nothing is there");
  EXPECT_THAT(run([](Builder& b) { b.barrier(); }), HasSubstr("no such operation"));
}

TEST(Processor, ConditionsAreBitZero) {
  for (const std::uint32_t condition : {0u, 1u, 2u, 3u}) {
    Pieces code;
    Device device;
    code.add(0, [&](Builder& b) { b.branch_if(b.constant_u32(condition), 8); });
    code.add(4, [&](Builder& b) { b.end(); });
    code.add(8, [&](Builder& b) {
      b.trap_if(b.constant_u32(condition), "taken");
      b.end();
    });
    Processor processor(code, device, 16);
    processor.run(10);
    EXPECT_EQ(processor.state(), (condition & 1) != 0 ? LaneState::faulted : LaneState::ended) << condition;
  }
}

/// Blocks of random operations on a few words, with devices and branches between them, until the rounds are used up.
ir::Program random_program(std::mt19937& random) {
  constexpr std::uint32_t blocks = 8;
  constexpr Op choices[] = {Op::iadd, Op::isub, Op::iand, Op::ixor, Op::ishl, Op::ilsr, Op::iasr, Op::ilt_u, Op::ieq};
  constexpr Operand rounds = Operand::state(12);
  Builder b(slots());
  const auto any = [&] {
    const Operand choice[] = {x, y, z, result, b.constant_u32(static_cast<std::uint32_t>(random() % 40))};
    return choice[random() % std::size(choice)];
  };
  for (std::uint32_t block = 0; block < blocks; ++block) {
    b.begin_block(std::uint64_t{4} * block, 4);
    b.emit(Op::iadd, Type::i32, rounds, rounds, b.constant_u32(1));
    for (unsigned i = 0; i < 4; ++i)
      b.emit(choices[random() % std::size(choices)], Type::i32, std::array{x, y, z, result}[random() % 4], any(),
             any());
    if (random() % 2 == 0)
      b.call({.service = ir::Service::device_read, .index = block, .data = x, .args = {b.constant_u32(block)}});
    if (random() % 2 == 0) b.call({.service = ir::Service::device_write, .data = z, .args = {b.constant_u32(block)}});
    b.end_if(b.binary(Op::ilt_u, Type::i32, b.constant_u32(100), rounds));
    b.branch_if(any(), random() % blocks * 4);
    b.branch(random() % blocks * 4);
    b.end_block();
  }
  return b.finish(0);
}

TEST(Processor, DoesWhatTheInterpreterDoes) {
  std::mt19937 random(1);
  for (unsigned program = 0; program < 200; ++program) {
    Pieces code;
    Device here, there;
    const ir::Program& whole = code.pieces.emplace(0, random_program(random)).first->second;
    ASSERT_TRUE(ir::verify(whole).empty());
    Processor processor(code, here, 64);
    std::uint64_t told = 0;
    if (program % 2 == 0) processor.set_observer([&](const ExecutedBlock&) { ++told; });
    processor.run(1000);
    EXPECT_EQ(told, program % 2 == 0 ? processor.blocks() : 0);
    Interpreter interpreter(whole, there);
    interpreter.start(std::vector<Thread>(1));
    interpreter.run();
    EXPECT_EQ(processor.state(), LaneState::ended);
    EXPECT_EQ(interpreter.state(0), LaneState::ended);
    EXPECT_EQ(processor.blocks(), interpreter.steps(0));
    for (std::uint32_t byte = 0; byte < 24; byte += 4)
      EXPECT_EQ(processor.read_u32(byte), interpreter.read_u32(0, byte)) << program << ' ' << byte;
    EXPECT_EQ(here.sent, there.sent) << program;
    if (HasFailure()) return;
  }
}

TEST(Processor, TellsWhatItExecutesAndNothingElse) {
  Pieces code;
  Device device;
  code.add(0, [&](Builder& b) {
    b.emit(Op::mov, Type::i32, x, b.constant_u32(9));
    b.branch_if(b.constant_u32(1), 8);
  });
  code.add(8, [&](Builder& b) {
    b.call({.service = ir::Service::device_write, .index = 2, .data = x, .args = {b.constant_u32(6)}});
    b.call({.service = ir::Service::device_read, .index = 5, .data = y, .args = {b.constant_u32(3)}});
  });
  code.add(12, [&](Builder& b) { b.trap("no further"); });
  std::vector<std::string> told;
  Processor processor(code, device, 64);
  processor.set_observer([&](const ExecutedBlock& executed) {
    std::string line = std::to_string(executed.block.address) + ':' + std::to_string(executed.block.count);
    for (const auto& [call, address] : executed.accesses)
      line += ' ' + std::to_string(call->index) + '@' + std::to_string(address);
    told.push_back(line + " y=" + std::to_string(executed.state[4]));
  });
  device.may_go_on = false;
  processor.run(10);
  EXPECT_EQ(processor.state(), LaneState::blocked);
  EXPECT_THAT(told, ElementsAre("0:2 y=0")) << "a block that waits is none";
  device.may_go_on = true;
  processor.unblock();
  processor.run(10);
  EXPECT_EQ(processor.state(), LaneState::faulted);
  EXPECT_THAT(told, ElementsAre("0:2 y=0", "8:2 2@6 5@3 y=8")) << "nor is one that stops the thread";
}

TEST(Processor, GoesElsewhereWhenToldTo) {
  Pieces code;
  Device device;
  code.add(0, [&](Builder& b) { b.branch(0); });
  code.add(8, [&](Builder& b) { b.end(); });
  Processor processor(code, device, 16);
  processor.run(10);
  EXPECT_EQ(processor.state(), LaneState::running);
  EXPECT_EQ(processor.blocks(), 10u);
  unsigned visits = 0;
  processor.for_each_executed([&](std::uint64_t address, std::uint64_t executions) {
    EXPECT_EQ(address, 0u);
    EXPECT_EQ(executions, 10u);
    ++visits;
  });
  EXPECT_EQ(visits, 1u);
  processor.go_to(8);
  processor.run(10);
  EXPECT_EQ(processor.state(), LaneState::ended);
}

}  // namespace
}  // namespace mobula
