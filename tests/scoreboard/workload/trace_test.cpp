// What the micro-operations of a run become. Expected operations are written out by hand.
#include "mobula/scoreboard/trace.h"

#include <map>

#include "execute/processor.h"
#include "ir/builder.h"
#include "mobula/scoreboard/reshape.h"
#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

using ir::Op;
using ir::Type;
using testing::ElementsAre;

/// Two registers of four 32-bit components.
std::vector<ir::Slot> slots() {
  std::vector<ir::Slot> list;
  for (std::uint32_t i = 0; i < 8; ++i) list.push_back({"r" + std::to_string(i / 4) + '.' + "xyzw"[i % 4], 4 * i, 4});
  return list;
}
ir::Operand at(std::uint32_t byte) { return ir::Operand::state(byte); }

/// Memory that is there wherever it is asked for.
class World : public Environment {
 public:
  Fault load_memory(const Thread&, std::uint64_t, std::span<std::uint8_t> out) override {
    std::ranges::fill(out, std::uint8_t{1});
    return {};
  }
  Fault store_memory(const Thread&, std::uint64_t, std::span<const std::uint8_t>) override { return {}; }
  Fault atomic(const Thread&, ir::AtomicOp, std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t,
               std::uint64_t& old_value) override {
    old_value = 7;
    return {};
  }
  Fault device_read(const Thread&, const ir::Call&, std::uint32_t, std::span<std::uint8_t>) override {
    return {.reason = {}, .waits = waits};
  }
  bool waits = false;
};

Result<Workload> recorded(const ir::Program& program, TraceOptions options = {}, std::uint32_t lane = 0) {
  World world;
  Interpreter interpreter(program, world);
  const std::vector<Thread> threads(2);
  interpreter.start(threads);
  Trace trace(options);
  trace.watch(interpreter, program, lane);
  interpreter.run();
  return trace.workload("test");
}
std::vector<std::string> lines(const ir::Program& program, TraceOptions options = {}) {
  std::vector<std::string> list;
  for (const Operation& operation : good(recorded(program, options)).operations) list.push_back(print(operation));
  return list;
}

TEST(ScoreboardTrace, BytesAreThoseOfTheState) {
  ir::Builder b(slots());
  b.begin_block(0x40, 16);
  b.emit(Op::fmul, Type::f32, at(20), at(0), at(4));
  b.emit(Op::iadd, Type::i16, at(2), at(22), b.constant_u16(3));
  b.emit(Op::frcp, Type::f32, at(8), at(8));
  b.emit(Op::mov, Type::i64, at(24), at(4));  // across two registers of 8 bytes
  b.end_block(std::nullopt);
  EXPECT_THAT(
      lines(b.finish(0x40)),
      ElementsAre("0 mul w4 d=F2[4:8) s=F0[0:4),F0[4:8) f=mix g=1 at=64", "1 int w2 d=F0[2:4) s=F2[6:8) g=1 at=64",
                  "2 div w4 d=F1[0:4) s=F1[0:4) g=1 at=64", "3 int w8 d=F3[0:8) s=F0[4:8),F1[0:4) g=1 at=64"));
}

TEST(ScoreboardTrace, EachResultInScratchHasARegisterOfItsOwn) {
  ir::Builder b(slots());
  b.begin_block(0, 16);
  const ir::Operand scratch = b.temporary(Type::f32);
  b.emit(Op::fadd, Type::f32, scratch, at(0), at(0));
  b.emit(Op::fadd, Type::f32, at(4), scratch, at(0));
  b.emit(Op::fadd, Type::f32, scratch, at(8), at(8));
  b.emit(Op::fadd, Type::f32, at(12), scratch, at(8));
  b.end_block(std::nullopt);
  EXPECT_THAT(lines(b.finish(0)),
              ElementsAre("0 fp w4 d=I0[0:4) s=F0[0:4),F0[0:4) g=1", "1 fp w4 d=F0[4:8) s=I0[0:4),F0[0:4) g=1",
                          "2 fp w4 d=I1[0:4) s=F1[0:4),F1[0:4) g=1", "3 fp w4 d=F1[4:8) s=I1[0:4),F1[0:4) g=1"));
}

/// Three turns of a loop that counts down.
ir::Program loop() {
  ir::Builder b(slots());
  b.begin_block(0, 16);
  b.emit(Op::mov, Type::i32, at(0), b.constant_u32(3));
  b.end_block();
  b.begin_block(16, 16);
  b.emit(Op::isub, Type::i32, at(0), at(0), b.constant_u32(1));
  b.emit(Op::ine, Type::i32, at(4), at(0), b.constant_u32(0));
  b.branch_if(at(4), 16);
  b.end_block(std::nullopt);
  return b.finish(0);
}

TEST(ScoreboardTrace, BranchesAreAsTheyWent) {
  const std::vector<std::string> perfect = lines(loop());
  ASSERT_EQ(perfect.size(), 10u);
  EXPECT_EQ(perfect[3], "3 br w4 s=F0[4:8) br=taken predicted=right g=2 at=16");
  EXPECT_EQ(perfect[9], "9 br w4 s=F0[4:8) predicted=right g=4 at=16");
  const std::vector<std::string> backward = lines(loop(), {.predictor = Predictor::backward});
  EXPECT_EQ(backward[3], perfect[3]);
  EXPECT_EQ(backward[9], "9 br w4 s=F0[4:8) predicted=wrong g=4 at=16");
}

TEST(ScoreboardTrace, NothingAfterABranchThatWasTakenIsThere) {
  ir::Builder b(slots());
  b.begin_block(0, 16);
  b.branch_if(b.constant_u32(1), 32);
  b.branch_if(b.constant_u32(0), 48);
  b.end_block();
  for (const std::uint64_t address : {32, 48}) {
    b.begin_block(address, 16);
    b.end_block(std::nullopt);
  }
  EXPECT_THAT(lines(b.finish(0)), ElementsAre("0 br w4 br=taken predicted=right g=1"));
}

TEST(ScoreboardTrace, MemoryHasItsAddressesAndAnOperationForEachRegister) {
  ir::Builder b(slots());
  b.begin_block(0, 16);
  const ir::Operand address = b.constant_u64(0x1000);
  b.call({.service = ir::Service::load_memory, .count = 3, .data = at(4), .args = {address}});
  b.call({.service = ir::Service::store_memory, .type = Type::i16, .data = at(4), .args = {address}});
  b.call({.service = ir::Service::atomic, .data = at(0), .args = {address, at(4), at(8)}});
  b.end_block(std::nullopt);
  EXPECT_THAT(lines(b.finish(0)),
              ElementsAre("0 ld w4 d=F0[4:8) mem=4096+4 g=1", "1 ld w8 d=F1[0:8) mem=4100+8 g=1",
                          "2 st w2 s=F0[4:6) mem=4096+2 g=1", "3 ld w4 d=F0[0:4) s=F0[4:8),F1[0:4) mem=4096+4 g=1",
                          "4 st w4 s=F0[0:4) mem=4096+4 g=1"));
}

TEST(ScoreboardTrace, BlocksThatHaveToWaitAreNotExecuted) {
  ir::Builder b(slots());
  b.begin_block(0, 16);
  b.call({.service = ir::Service::device_read, .index = 1, .data = at(4), .args = {b.constant_u32(5)}});
  b.end_block(std::nullopt);
  const ir::Program program = b.finish(0);
  World world;
  world.waits = true;
  Interpreter interpreter(program, world);
  const Thread thread;
  interpreter.start({&thread, 1});
  Trace trace;
  trace.watch(interpreter, program, 0);
  interpreter.run();
  EXPECT_EQ(outcome(trace.workload("test")), "SB140");
  world.waits = false;
  interpreter.unblock(0);
  interpreter.run();
  const Workload workload = good(trace.workload("test"));
  ASSERT_EQ(workload.operations.size(), 1u);
  EXPECT_EQ(workload.operations[0].address, (std::uint64_t{1} << 63) + (std::uint64_t{1} << 40) + 20);
}

TEST(ScoreboardTrace, WhatTakesManySourcesGathersThemBefore) {
  ir::Builder b(slots());
  b.begin_block(0, 16);
  ir::Texture texture;
  texture.coordinate = {at(0), at(8), at(16), at(24)};
  texture.texture = at(4);
  b.texture(texture, at(0));
  b.end_block(std::nullopt);
  const ir::Program program = b.finish(0);
  World world;
  class Textures : public World {
    Fault texture(const Thread&, const TextureRequest&, std::array<std::uint32_t, 4>&) override { return {}; }
  } textures;
  Interpreter interpreter(program, textures);
  const Thread thread;
  interpreter.start({&thread, 1});
  Trace trace;
  trace.watch(interpreter, program, 0);
  interpreter.run();
  std::vector<std::string> list;
  for (const Operation& operation : good(trace.workload("test")).operations) list.push_back(print(operation));
  EXPECT_THAT(list, ElementsAre("0 int w8 d=I0[0:8) s=F0[0:4),F1[0:4),F2[0:4),F3[0:4) g=1",
                                "1 ld w8 d=F0[0:8) s=I0[0:8),F0[4:8) g=1",
                                "2 int w8 d=I1[0:8) s=F0[0:4),F1[0:4),F2[0:4),F3[0:4) g=1",
                                "3 ld w8 d=F1[0:8) s=I1[0:8),F0[4:8) g=1"));
}

/// A program in one piece.
class Whole final : public CodeSource {
 public:
  explicit Whole(const ir::Program& program) : program_(program) {}
  std::optional<ir::Program> lift(std::uint64_t) override { return program_; }

 private:
  const ir::Program& program_;
};

TEST(ScoreboardTrace, WhatAProcessorExecutesIsTheSameWorkload) {
  ir::Builder b(slots());
  b.begin_block(0, 16);
  b.emit(Op::mov, Type::i32, at(0), b.constant_u32(3));
  b.end_block();
  b.begin_block(16, 16);
  const ir::Operand scratch = b.temporary(Type::i32, 2);
  b.call({.service = ir::Service::device_read, .count = 2, .index = 1, .data = scratch, .args = {at(0)}});
  b.emit(Op::isub, Type::i32, at(0), at(0), b.constant_u32(1));
  b.call({.service = ir::Service::device_write, .index = 2, .data = scratch, .args = {b.constant_u32(5)}});
  b.emit(Op::ine, Type::i32, at(4), at(0), b.constant_u32(0));
  b.branch_if(at(4), 16);
  b.end_block(std::nullopt);
  const ir::Program program = b.finish(0);
  class Devices : public World {
    Fault device_write(const Thread&, const ir::Call&, std::uint32_t, std::span<const std::uint8_t>) override {
      return {};
    }
  } devices;
  for (const Predictor predictor : {Predictor::perfect, Predictor::backward}) {
    Interpreter interpreter(program, devices);
    interpreter.start(std::vector<Thread>(1));
    Trace shown({.predictor = predictor}), told({.predictor = predictor});
    shown.watch(interpreter, program, 0);
    interpreter.run();
    Whole code(program);
    Processor processor(code, devices, 64);
    processor.set_observer([&](const ExecutedBlock& executed) { told.add(executed); });
    processor.run(100);
    const Workload workload = good(told.workload("test"));
    EXPECT_EQ(workload.operations.size(), 1u + 3 * 5);
    EXPECT_EQ(print(workload), print(good(shown.workload("test"))));
    told.clear();
    EXPECT_EQ(outcome(told.workload("test")), "SB140");
  }
}

TEST(ScoreboardTrace, LimitsAreErrors) {
  EXPECT_EQ(outcome(recorded(loop(), {.max_operations = 5})), "SB142");
  EXPECT_EQ(outcome(recorded(loop(), {}, 1)), "good") << "any lane can be recorded";
  std::vector<ir::Slot> many;
  for (std::uint32_t i = 0; i < 260; ++i) many.push_back({"r" + std::to_string(i), 8 * i, 8});
  const auto touching = [&](std::uint32_t registers, TraceOptions options = {}) {
    ir::Builder b(many);
    b.begin_block(0, 16);
    for (std::uint32_t i = 0; i < registers; ++i) b.emit(Op::inot, Type::i64, at(8 * (259 - i)), at(8 * (259 - i)));
    b.end_block(std::nullopt);
    return recorded(b.finish(0), options);
  };
  EXPECT_EQ(outcome(touching(128)), "good");
  EXPECT_EQ(print(touching(2)->operations[1]), "1 int w8 d=F1[0:8) s=F1[0:8) g=1") << "numbered as they are used";
  EXPECT_EQ(outcome(touching(129)), "SB141");
  const auto spilled = touching(129, {.most_registers = 1000});
  ASSERT_TRUE(spilled) << "who fits them into fewer takes as many as there are";
  EXPECT_TRUE(spill(*spilled, 8));
}

TEST(ScoreboardTrace, RecordsTheThreadThatIsAskedFor) {
  const Program program =
      find_machine("midgard")->assemble({"t", "{\n  vmul.FMUL.f32 R0.x, #2.0, #3.0\n}\n"}, {}).value();
  const ir::Program lifted = find_machine("midgard")->lift(program, {}).value();
  RunInputs inputs;
  inputs.threads = 3;
  const Result<Workload> last = record_thread(program, lifted, inputs, 2);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(print(last->operations[0]).substr(0, 5), "0 mul") << print(last->operations[0]);
  const Result<Workload> beyond = record_thread(program, lifted, inputs, 3);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().front().code, "SB144");
  EXPECT_EQ(beyond.error().front().message, "there is no thread 3; the run has 3");
}

TEST(ScoreboardTrace, RunsOnTheCores) {
  const Workload workload = good(recorded(loop()));
  for (const char* name : {"seed_full4", "seed_two_level", "byte_lane", "libresoc2020", "inorder_hazard_vector"})
    EXPECT_EQ(good(run(preset(name), workload)).executed, workload.operations.size()) << name;
}

}  // namespace
}  // namespace mobula::scoreboard
