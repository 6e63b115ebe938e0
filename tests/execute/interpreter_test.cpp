#include "mobula/lab/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <numeric>

#include "execute/four_words.h"
#include "ir/builder.h"

namespace mobula {
namespace {

using ir::Builder;
using ir::Op;
using ir::Operand;
using ir::Type;

std::vector<Thread> threads(std::uint32_t count) {
  std::vector<Thread> list(count);
  for (std::uint32_t i = 0; i < count; ++i) list[i].index = i;
  return list;
}

/// Threads for a restart. Counts how often somebody asks who they are.
class Started : public ThreadSource {
 public:
  explicit Started(std::uint32_t count, std::vector<std::uint32_t> helpers = {})
      : threads_(threads(count)), helpers_(std::move(helpers)) {
    for (std::size_t lane = 0; lane < helpers_.size(); ++lane) threads_[lane].helper = helpers_[lane] != 0;
  }
  [[nodiscard]] std::uint32_t count() const override { return static_cast<std::uint32_t>(threads_.size()); }
  [[nodiscard]] std::span<const Thread> threads() const override {
    ++asked;
    return threads_;
  }
  [[nodiscard]] std::span<const std::uint32_t> helpers() const override { return helpers_; }
  mutable std::uint32_t asked = 0;

 private:
  static std::vector<Thread> threads(std::uint32_t count) { return mobula::threads(count); }
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> helpers_;
};

/// Memory by address, and a record of what reached it.
class Memory : public Environment {
 public:
  std::map<std::uint64_t, std::uint32_t> words;
  std::vector<std::uint32_t> stored_by;
  std::uint32_t retries = 0, helper_stores = 0;
  std::vector<TextureRequest> requests;

  Fault load_memory(const Thread&, std::uint64_t address, std::span<std::uint8_t> out) override {
    if (!words.contains(address)) return {"nothing at " + std::to_string(address)};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(words[address] >> (8 * i));
    return {};
  }
  Fault store_memory(const Thread& thread, std::uint64_t address, std::span<const std::uint8_t> data) override {
    if (thread.helper) {
      ++helper_stores;
      return {};
    }
    stored_by.push_back(thread.index);
    words[address] = 0;
    for (std::size_t i = 0; i < data.size(); ++i) words[address] |= std::uint32_t{data[i]} << (8 * i);
    return {};
  }
  Fault atomic(const Thread&, ir::AtomicOp op, std::uint64_t address, std::uint32_t, std::uint64_t operand,
               std::uint64_t compare, std::uint64_t& old_value) override {
    old_value = words[address];
    if (op == ir::AtomicOp::add) words[address] += static_cast<std::uint32_t>(operand);
    if (op == ir::AtomicOp::compare_exchange && old_value == compare)
      words[address] = static_cast<std::uint32_t>(operand);
    return {};
  }
  Fault fragment_out(const Thread&, std::array<std::uint32_t, 4> colour, std::uint32_t, std::uint32_t, std::uint32_t,
                     bool& retry) override {
    retry = retries > 0;
    if (retry) --retries;
    words[1] = colour[0];
    return {};
  }
  Fault texture(const Thread&, const TextureRequest& request, std::array<std::uint32_t, 4>& out) override {
    requests.push_back(request);
    out = {1, 2, 3, 4};
    return {};
  }
};

class Engines : public testing::TestWithParam<Engine> {
 protected:
  [[nodiscard]] Interpreter run(ir::Program program_to_run, std::uint32_t count,
                                const std::function<std::uint32_t(std::uint32_t)>& first_a = nullptr,
                                std::uint64_t step_limit = 1000) {
    programs_.push_back(std::move(program_to_run));
    const ir::Program& program = programs_.back();
    EXPECT_THAT(ir::verify(program), testing::IsEmpty());
    Interpreter interpreter(program, memory, {.engine = GetParam(), .step_limit = step_limit});
    interpreter.start(threads(count));
    for (std::uint32_t lane = 0; lane < count; ++lane) interpreter.write_u32(lane, 0, first_a ? first_a(lane) : lane);
    interpreter.run();
    return interpreter;
  }
  Memory memory;

 private:
  std::deque<ir::Program> programs_;  // interpreters refer to them
};
INSTANTIATE_TEST_SUITE_P(Both, Engines, testing::Values(Engine::simd, Engine::reference),
                         [](const auto& each) { return each.param == Engine::simd ? "simd" : "reference"; });

TEST_P(Engines, StraightLineRunsEveryLaneOfEveryCount) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::imul, Type::i32, b, a, a);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::iadd, Type::i32, b, b, builder.constant_u32(5));
  builder.end_block(std::nullopt);
  const ir::Program program = builder.finish(0);
  for (const std::uint32_t count : {1u, 3u, 64u, 65u, 1000u}) {
    const Interpreter interpreter = run(program, count);
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      ASSERT_EQ(interpreter.read_u32(lane, 4), lane * lane + 5) << count;
      ASSERT_EQ(interpreter.state(lane), LaneState::ended);
    }
    EXPECT_THAT(interpreter.executions(), testing::ElementsAre(count, count));
  }
}

/// while (b < a) b += 1; c += 100; so that each lane leaves the loop at another time and all meet after it.
ir::Program counting_loop() {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.branch_if(builder.binary(Op::ile_s, Type::i32, a, b), 48);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::iadd, Type::i32, b, b, builder.constant_u32(1));
  builder.end_block();
  builder.begin_block(32, 16);
  builder.branch(0);
  builder.end_block();
  builder.begin_block(48, 16);
  builder.emit(Op::iadd, Type::i32, c, c, builder.constant_u32(100));
  builder.end_block(std::nullopt);
  return builder.finish(0);
}

TEST_P(Engines, DivergedLanesMeetAgainAfterALoop) {
  const ir::Program program = counting_loop();
  std::uint32_t last_block_runs = 0;
  Interpreter interpreter(program, memory, {.engine = GetParam()});
  interpreter.set_observer({.before =
                                [&](std::uint32_t block, std::span<const std::uint32_t> lanes) {
                                  if (block != 3) return;
                                  EXPECT_EQ(lanes.size(), 40u) << ++last_block_runs;
                                },
                            .after = nullptr});
  interpreter.start(threads(40));
  for (std::uint32_t lane = 0; lane < 40; ++lane) interpreter.write_u32(lane, 0, (lane * 7) % 13);
  interpreter.run();
  for (std::uint32_t lane = 0; lane < 40; ++lane) {
    EXPECT_EQ(interpreter.read_u32(lane, 4), (lane * 7) % 13);
    EXPECT_EQ(interpreter.read_u32(lane, 8), 100u);
  }
  EXPECT_EQ(interpreter.executions()[3], 40u);
}

TEST_P(Engines, StoppedLanesKeepTheirState) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.end_if(builder.binary(Op::ilt_u, Type::i32, a, builder.constant_u32(10)));
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(7));
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 30);
  for (std::uint32_t lane = 0; lane < 30; ++lane) EXPECT_EQ(interpreter.read_u32(lane, 4), lane < 10 ? 0u : 7u);
}

TEST_P(Engines, ABarrierWaitsForLanesThatComeLater) {
  // Even lanes take a longer way to the barrier and store before it; odd lanes read after it.
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.branch_if(a, 32);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.call({.service = ir::Service::store_memory,
                .type = Type::i32,
                .count = 1,
                .data = a,
                .args = {builder.constant_u64(64)}});
  builder.end_block();
  builder.begin_block(32, 16);
  builder.barrier();
  builder.end_block();
  builder.begin_block(48, 16);
  builder.call({.service = ir::Service::load_memory,
                .type = Type::i32,
                .count = 1,
                .data = b,
                .args = {builder.constant_u64(64)}});
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 8);
  EXPECT_THAT(interpreter.faults(), testing::IsEmpty());
  for (std::uint32_t lane = 0; lane < 8; ++lane) EXPECT_EQ(interpreter.read_u32(lane, 4), 6u);
}

TEST_P(Engines, LanesThatEndDoNotHoldUpABarrier) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.end_if(a);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.barrier();
  builder.end_block();
  builder.begin_block(32, 16);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(1));
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 8);
  for (std::uint32_t lane = 0; lane < 8; ++lane) EXPECT_EQ(interpreter.read_u32(lane, 4), lane % 2 == 0 ? 1u : 0u);
}

TEST_P(Engines, DiscardEndsALane) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.discard_if(a);
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 4);
  EXPECT_THAT(interpreter.states(),
              testing::ElementsAre(LaneState::ended, LaneState::discarded, LaneState::ended, LaneState::discarded));
}

TEST_P(Engines, AnEndlessLoopMeetsTheStepLimit) {
  Builder builder = new_builder();
  builder.begin_block(0x20, 16);
  builder.branch(0x20);
  builder.end_block();
  const Interpreter interpreter = run(builder.finish(0x20), 3, nullptr, 50);
  ASSERT_EQ(interpreter.faults().size(), 3u);
  EXPECT_EQ(interpreter.faults()[0].reason, "step limit of 50 words reached at 0x20");
  EXPECT_EQ(interpreter.executions()[0], 150u);
}

TEST_P(Engines, TrapsAndFaultsNameTheLaneAndTheAddress) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.call({.service = ir::Service::load_memory,
                .type = Type::i32,
                .count = 1,
                .data = b,
                .args = {builder.constant_u64(8)}});
  builder.end_block();
  builder.begin_block(16, 16);
  builder.trap_if(a, "odd");
  builder.end_block();
  memory.words[8] = 5;
  const Interpreter interpreter = run(builder.finish(0), 2);
  ASSERT_EQ(interpreter.faults().size(), 2u);
  EXPECT_EQ(interpreter.faults()[0].lane, 1u);
  EXPECT_EQ(interpreter.faults()[0].address, 16u);
  EXPECT_EQ(interpreter.faults()[0].reason, "odd");
  EXPECT_THAT(interpreter.faults()[1].reason, testing::HasSubstr("0x20"));
  EXPECT_EQ(interpreter.read_u32(0, 4), 5u);
}

TEST_P(Engines, AnEnvironmentFaultStopsTheLane) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.call({.service = ir::Service::load_memory,
                .type = Type::i32,
                .count = 1,
                .data = b,
                .args = {builder.constant_u64(8)}});
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, c, builder.constant_u32(1));
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 2);
  ASSERT_EQ(interpreter.faults().size(), 2u);
  EXPECT_EQ(interpreter.faults()[0].reason, "nothing at 8");
  EXPECT_EQ(interpreter.state(0), LaneState::faulted);
  EXPECT_EQ(interpreter.read_u32(0, 8), 0u);
}

TEST_P(Engines, IndirectBranchesGoByAddress) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.branch_indirect(a);
  builder.end_block();
  for (const std::uint32_t at : {16u, 32u}) {
    builder.begin_block(at, 16);
    builder.emit(Op::mov, Type::i32, b, builder.constant_u32(at));
    builder.end_block(std::nullopt);
  }
  const Interpreter interpreter = run(builder.finish(0), 3, [](std::uint32_t lane) { return 16 * lane + 16; });
  EXPECT_EQ(interpreter.read_u32(0, 4), 16u);
  EXPECT_EQ(interpreter.read_u32(1, 4), 32u);
  EXPECT_THAT(interpreter.faults().at(0).reason, testing::HasSubstr("0x30"));
}

TEST_P(Engines, DerivativesAreDifferencesInsideAQuad) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  const Operand x = builder.convert(Op::i2f, Type::f32, Type::i32, a);
  builder.emit(Op::ddx, Type::f32, b, x);
  builder.emit(Op::ddy, Type::f32, c, x);
  builder.end_block(std::nullopt);
  const std::uint32_t values[] = {1, 4, 20, 50, 7, 7, 7, 7};
  const Interpreter interpreter = run(builder.finish(0), 8, [&](std::uint32_t lane) { return values[lane]; });
  const auto f = [&](std::uint32_t lane, std::uint32_t byte) {
    return std::bit_cast<float>(interpreter.read_u32(lane, byte));
  };
  EXPECT_EQ(f(0, 4), 3.0F);
  EXPECT_EQ(f(1, 4), 3.0F);
  EXPECT_EQ(f(2, 4), 30.0F);
  EXPECT_EQ(f(0, 8), 19.0F);
  EXPECT_EQ(f(3, 8), 46.0F);
  EXPECT_EQ(f(5, 4), 0.0F);
}

TEST_P(Engines, AQuadSharesItsFirstLanesValue) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::quad_first, Type::i32, b, a);
  builder.emit(Op::enable, Type::i32, {}, a);
  builder.emit(Op::quad_first, Type::i32, c, a);
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 8, [](std::uint32_t lane) { return 10 + lane; });
  for (std::uint32_t lane = 0; lane < 8; ++lane) EXPECT_EQ(interpreter.read_u32(lane, 4), lane < 4 ? 10u : 14u);
  EXPECT_EQ(interpreter.read_u32(1, 8), 11u) << "lane 0 is masked";
  EXPECT_EQ(interpreter.read_u32(2, 8), 0u);
}

TEST_P(Engines, ATaskSharesTheValueOfItsFirstLaneThatIsMeant) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  const Operand is_late = builder.binary(Op::ilt_u, Type::i32, builder.constant_u32(36), a);
  builder.emit(Op::task_first, Type::i32, b, a, is_late);
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 70);
  EXPECT_EQ(interpreter.read_u32(0, 4), 0u) << "none in the first task";
  EXPECT_EQ(interpreter.read_u32(32, 4), 37u);
  EXPECT_EQ(interpreter.read_u32(63, 4), 37u);
  EXPECT_EQ(interpreter.read_u32(69, 4), 64u) << "the last task is not whole";
}

TEST_P(Engines, EnableMasksTheRestOfTheBlock) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  const Operand is_small = builder.binary(Op::ilt_u, Type::i32, a, builder.constant_u32(6));
  builder.emit(Op::mov, Type::i32, d, builder.constant_u32(1));
  builder.emit(Op::enable, Type::i32, {}, a);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(7));
  builder.emit(Op::enable, Type::i32, {}, is_small);
  builder.emit(Op::mov, Type::i32, c, builder.constant_u32(8));
  builder.call({.service = ir::Service::store_memory, .data = a, .args = {builder.constant_u64(64)}});
  builder.emit(Op::enable, Type::i32, {});
  builder.emit(Op::task_lane, Type::i32, a);
  builder.branch(16);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::iadd, Type::i32, d, d, builder.constant_u32(1));
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 40);
  for (std::uint32_t lane = 0; lane < 40; ++lane) {
    EXPECT_EQ(interpreter.read_u32(lane, 4), lane % 2 == 1 ? 7u : 0u) << lane;
    EXPECT_EQ(interpreter.read_u32(lane, 8), lane % 2 == 1 && lane < 6 ? 8u : 0u) << lane;
    EXPECT_EQ(interpreter.read_u32(lane, 12), 2u) << "all lanes go on";
    EXPECT_EQ(interpreter.read_u32(lane, 0), lane % 32);
  }
  EXPECT_THAT(memory.stored_by, testing::ElementsAre(1, 3, 5));
}

TEST_P(Engines, ALaneThatFaultsWhileOthersAreMaskedStaysStopped) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::enable, Type::i32, {}, a);
  builder.call({.service = ir::Service::load_memory, .data = b, .args = {builder.constant_u64(99)}});
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, c, builder.constant_u32(3));
  builder.end_block(std::nullopt);
  const Interpreter interpreter = run(builder.finish(0), 4);
  EXPECT_EQ(interpreter.faults().size(), 2u);
  EXPECT_EQ(interpreter.state(1), LaneState::faulted);
  EXPECT_EQ(interpreter.state(2), LaneState::ended);
  EXPECT_EQ(interpreter.read_u32(2, 8), 3u);
  EXPECT_EQ(interpreter.read_u32(3, 8), 0u);
}

TEST_P(Engines, TexturesGetTheQuadsDifferences) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  ir::Texture texture{.implicit_lod = true};
  texture.coordinate = {a, b, Operand{}, Operand{}};
  texture.texture = texture.sampler = builder.constant_u32(3);
  builder.texture(texture, Operand::state(0));
  builder.end_block(std::nullopt);
  const float xs[] = {0.0F, 0.25F, 0.0F, 0.25F};
  const Interpreter interpreter =
      run(builder.finish(0), 4, [&](std::uint32_t lane) { return std::bit_cast<std::uint32_t>(xs[lane]); });
  ASSERT_EQ(memory.requests.size(), 4u);
  EXPECT_EQ(memory.requests[0].ddx[0], 0.25F);
  EXPECT_EQ(memory.requests[3].ddy[0], 0.0F);
  EXPECT_EQ(memory.requests[2].texture, 3u);
  EXPECT_EQ(interpreter.read_u32(2, 12), 4u);
}

TEST_P(Engines, PlacesOnDifferentFacesOfACubeHaveNoDifference) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  ir::Texture texture{.shape = ir::Texture::Shape::cube, .implicit_lod = true};
  const Operand place = builder.temporary(Type::f32);  // the face's number, so that it differs wherever the face does
  builder.emit_conversion(Op::u2f, Type::f32, Type::i32, place, a);
  texture.coordinate = {a, place, place, Operand{}};
  texture.texture = texture.sampler = builder.constant_u32(3);
  builder.texture(texture, Operand::state(0));
  builder.end_block(std::nullopt);
  // The rows look at faces 0 and 1.
  const Interpreter interpreter = run(builder.finish(0), 4, [](std::uint32_t lane) { return lane / 2; });
  ASSERT_EQ(memory.requests.size(), 4u);
  EXPECT_EQ(memory.requests[0].ddy[1], 0.0F);
}

TEST_P(Engines, HelpersLeaveNoTrace) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.call({.service = ir::Service::store_memory,
                .type = Type::i32,
                .count = 1,
                .data = a,
                .args = {builder.constant_u64(64)}});
  builder.call({.service = ir::Service::atomic,
                .type = Type::i32,
                .count = 1,
                .index = static_cast<std::uint32_t>(ir::AtomicOp::add),
                .data = b,
                .args = {builder.constant_u64(64), a}});
  builder.end_block(std::nullopt);
  const ir::Program program = builder.finish(0);
  Interpreter interpreter(program, memory, {.engine = GetParam()});
  std::vector<Thread> both = threads(2);
  both[1].helper = true;
  interpreter.start(both);
  interpreter.write_u32(0, 0, 21);
  interpreter.write_u32(1, 0, 1000);
  interpreter.write_u32(1, 4, 9);
  interpreter.run();
  EXPECT_THAT(memory.stored_by, testing::ElementsAre(0));
  EXPECT_EQ(memory.helper_stores, 1u);  // the environment decides
  EXPECT_EQ(memory.words[64], 42u);
  EXPECT_EQ(interpreter.read_u32(0, 4), 21u);
  EXPECT_EQ(interpreter.read_u32(1, 4), 0u);
}

TEST_P(Engines, BigEndianAtomicsSwapTheirMemory) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.call({.service = ir::Service::atomic,
                .type = Type::i32,
                .count = 1,
                .index = static_cast<std::uint32_t>(ir::AtomicOp::add),
                .flags = ir::CallFlags::big_endian,
                .data = b,
                .args = {builder.constant_u64(64), builder.constant_u32(0x100)}});
  builder.end_block(std::nullopt);
  memory.words[64] = 0x01000000;
  const Interpreter interpreter = run(builder.finish(0), 3);
  EXPECT_EQ(memory.words[64], 0x01030000u);
  EXPECT_EQ(interpreter.read_u32(2, 4), 0x201u);
}

TEST_P(Engines, FragmentOutputRetriesAsTheEnvironmentAsks) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  const Operand result = builder.temporary(Type::i32);
  builder.call({.service = ir::Service::fragment_out,
                .type = Type::i32,
                .count = 4,
                .data = a,
                .args = {Operand{}, Operand{}, Operand{}, result}});
  builder.branch_if(result, 0);
  builder.end_block(std::nullopt);
  memory.retries = 3;
  const Interpreter interpreter = run(builder.finish(0), 1, [](std::uint32_t) { return 77u; });
  EXPECT_EQ(interpreter.executions()[0], 4u);
  EXPECT_EQ(memory.words[1], 77u);
}

TEST_P(Engines, ARestartBringsBackWhatTheProgramReadsFirst) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::iadd, Type::i32, c, a, b);
  builder.emit(Op::iadd, Type::i32, a, a, builder.constant_u32(1));
  builder.end_block(std::nullopt);
  const ir::Program program = builder.finish(0);
  Interpreter interpreter(program, memory, {.engine = GetParam()});
  interpreter.set_initial(4, std::array<std::uint8_t, 4>{100, 0, 0, 0});
  interpreter.start(threads(40));
  interpreter.run();
  for (const std::uint32_t count : {40u, 33u, 70u}) {
    const Started started(count);
    interpreter.restart(started);
    interpreter.write_u32(3, 4, 5);
    interpreter.run();
    ASSERT_EQ(interpreter.lanes(), count);
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      ASSERT_EQ(interpreter.read_u32(lane, 8), lane == 3 ? 5u : 100u) << count;
      ASSERT_EQ(interpreter.read_u32(lane, 0), 1u) << count;
      ASSERT_EQ(interpreter.state(lane), LaneState::ended);
      ASSERT_EQ(interpreter.steps(lane), 1u);
    }
  }
}

/// A program in which lanes share words, part with some of them and meet again: b = 2 + 3 in all lanes; those with a
/// bit 0 go to c = b + a, the others to c = 7; then d = b + c, in half a word d + 1, and c = d.
ir::Program parting_program() {
  Builder builder = new_builder();
  const auto constant = [&](std::uint32_t value) { return builder.constant_u32(value); };
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, d, constant(3));
  builder.emit(Op::iadd, Type::i32, b, d, constant(2));
  builder.branch_if(a, 32);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, c, constant(7));
  builder.branch(48);
  builder.end_block();
  builder.begin_block(32, 16);
  builder.emit(Op::iadd, Type::i32, c, b, a);
  builder.end_block();
  builder.begin_block(48, 16);
  builder.emit(Op::iadd, Type::i32, d, b, c);
  builder.emit(Op::iadd, Type::i16, d, d, constant(1));
  builder.emit(Op::mov, Type::i32, c, d);
  builder.end_block(std::nullopt);
  return builder.finish(0);
}

TEST_P(Engines, LanesThatShareWordsPartAndMeet) {
  const ir::Program program = parting_program();
  Interpreter interpreter(program, memory, {.engine = GetParam()});
  interpreter.start(threads(40));
  // All lanes one way, all the other way, each its own way.
  for (const std::uint32_t keep : {0u, 1u, ~0u}) {
    const Started started(40);
    interpreter.restart(started);
    for (std::uint32_t lane = 0; lane < 40; ++lane)
      interpreter.write_u32(lane, 0, keep == 1 ? 2 * lane + 1 : lane & keep);
    interpreter.run();
    for (std::uint32_t lane = 0; lane < 40; ++lane) {
      const std::uint32_t value = interpreter.read_u32(lane, 0);
      const std::uint32_t expected = 5 + ((value & 1) != 0 ? 5 + value : 7) + 1;
      ASSERT_EQ(interpreter.read_u32(lane, 4), 5u);
      ASSERT_EQ(interpreter.read_u32(lane, 8), expected) << lane << ", " << keep;
      ASSERT_EQ(interpreter.read_u32(lane, 12), expected) << lane << ", " << keep;
      ASSERT_EQ(interpreter.steps(lane), 3u);
    }
    EXPECT_EQ(interpreter.executions()[0], 40u);
    EXPECT_EQ(started.asked, 0u) << "nothing needs to know who they are";
    EXPECT_EQ(interpreter.thread(39).index, 39u);
    EXPECT_EQ(started.asked, 1u);
  }
}

TEST_P(Engines, WhatLanesShareCanBeReadAndChangedBetweenSteps) {
  const ir::Program program = parting_program();
  Interpreter interpreter(program, memory, {.engine = GetParam()});
  interpreter.start(threads(20));
  for (const bool changes : {false, true, false}) {
    const Started started(20);
    interpreter.restart(started);
    interpreter.step();
    if (changes) interpreter.write_u32(17, 4, 100);
    ASSERT_EQ(interpreter.read_u32(17, 4), changes ? 100u : 5u);
    ASSERT_EQ(interpreter.read_u32(18, 4), 5u);
    interpreter.run();
    ASSERT_EQ(interpreter.read_u32(17, 8), (changes ? 100u : 5u) + 7 + 1);
    ASSERT_EQ(interpreter.read_u32(18, 8), 13u);
  }
}

/// Gives word n of uniforms to all lanes, and counts for how many lanes it is asked.
class Uniforms : public Environment {
 public:
  std::uint32_t lanes_served = 0;
  bool serve(const LanesCall& call) override {
    if (call.args[0][0] >= 100) return false;
    lanes_served += call.lanes.end - call.lanes.begin;
    std::fill(call.out[0] + call.lanes.begin, call.out[0] + call.lanes.end, call.args[0][0] + 1);
    return true;
  }
  bool gives_same(const ir::Call& call) const override { return call.service == ir::Service::load_uniform; }
  Fault load_uniform(const Thread& thread, std::uint32_t, std::uint32_t, std::span<std::uint8_t> out) override {
    if (thread.index == 3) return {"beyond"};
    out[0] = 77;
    return {};
  }
};

TEST(CallsOfLanes, ThatGiveAllTheSameAreMadeForOneVector) {
  for (const std::uint32_t offset : {8u, 100u}) {
    Builder builder = new_builder();
    builder.begin_block(0, 16);
    builder.emit(Op::mov, Type::i32, c, builder.constant_u32(offset));
    builder.call({.service = ir::Service::load_uniform, .data = b, .args = {c}});
    builder.emit(Op::iadd, Type::i32, d, b, a);
    builder.end_block(std::nullopt);
    const ir::Program program = builder.finish(0);
    Uniforms environment;
    Interpreter interpreter(program, environment);
    interpreter.start(threads(40));
    interpreter.write_u32(39, 0, 5);
    interpreter.run();
    environment.lanes_served = 0;
    const Started started(40);
    interpreter.restart(started);
    interpreter.write_u32(39, 0, 5);
    interpreter.run();
    EXPECT_EQ(environment.lanes_served, offset == 8 ? 16u : 0u);
    EXPECT_EQ(interpreter.common_state(), offset == 8 ? std::optional(LaneState::ended) : std::nullopt);
    EXPECT_EQ(interpreter.read_u32(39, 12), (offset == 8 ? 9u : 77u) + 5);
    EXPECT_EQ(interpreter.read_u32(20, 12), offset == 8 ? 9u : 77u);
    EXPECT_EQ(interpreter.state(3), offset == 8 ? LaneState::ended : LaneState::faulted);
  }
}

/// Serves loads of uniforms for all lanes, except where one of them asks for what there is not.
class AllLanes : public Environment {
 public:
  std::uint32_t served = 0, single = 0;
  bool serve(const LanesCall& call) override {
    for (std::uint32_t lane = call.lanes.begin; lane < call.lanes.end; ++lane)
      if (call.lanes.has(lane) && call.args[0][lane] >= 100) return false;
    ++served;
    for (std::uint32_t lane = call.lanes.begin; lane < call.lanes.end; ++lane)
      for (std::uint32_t i = 0; i < call.call.count; ++i) call.out[i][lane] = 10 * call.args[0][lane] + i;
    return true;
  }
  Fault load_uniform(const Thread&, std::uint32_t, std::uint32_t byte_offset, std::span<std::uint8_t> out) override {
    ++single;
    if (byte_offset >= 100) return {"beyond"};
    for (std::size_t i = 0; i < out.size(); i += 4) out[i] = static_cast<std::uint8_t>(10 * byte_offset + i / 4);
    return {};
  }
};

TEST(CallsOfLanes, AreServedTogetherOrOneByOneWithTheSameResult) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.end_if(builder.binary(Op::ieq, Type::i32, a, builder.constant_u32(2)));
  builder.end_block();
  builder.begin_block(16, 16);
  builder.call({.service = ir::Service::load_uniform, .count = 2, .data = b, .args = {a}});
  builder.end_block(std::nullopt);
  const ir::Program program = builder.finish(0);
  for (const std::uint32_t last : {7u, 100u}) {
    AllLanes environment;
    Interpreter interpreter(program, environment);
    interpreter.start(threads(8));
    for (std::uint32_t lane = 0; lane < 8; ++lane) interpreter.write_u32(lane, 0, lane == 7 ? last : lane);
    interpreter.run();
    EXPECT_EQ(environment.served, last == 7 ? 1u : 0u);
    EXPECT_EQ(environment.single, last == 7 ? 0u : 7u);
    EXPECT_EQ(interpreter.read_u32(2, 4), 0u) << "took no part";
    EXPECT_EQ(interpreter.read_u32(3, 4), 30u);
    EXPECT_EQ(interpreter.read_u32(3, 8), 31u);
    EXPECT_EQ(interpreter.state(7), last == 7 ? LaneState::ended : LaneState::faulted);
  }
}

TEST_P(Engines, ASnapshotComesBackToTheSamePlace) {
  const ir::Program program = counting_loop();
  Interpreter interpreter(program, memory, {.engine = GetParam()});
  interpreter.start(threads(5));
  for (std::uint32_t lane = 0; lane < 5; ++lane) interpreter.write_u32(lane, 0, lane);
  for (int i = 0; i < 7; ++i) interpreter.step();
  const auto snapshot = interpreter.snapshot();
  const auto outcome = [&] {
    std::vector<std::uint64_t> seen = interpreter.executions();
    for (std::uint32_t lane = 0; lane < 5; ++lane) {
      seen.push_back(interpreter.read_u32(lane, 4));
      seen.push_back(interpreter.block(lane).value_or(99));
    }
    return seen;
  };
  const auto at_snapshot = outcome();
  interpreter.run();
  const auto at_end = outcome();
  EXPECT_NE(at_snapshot, at_end);
  interpreter.restore(*snapshot);
  EXPECT_EQ(outcome(), at_snapshot);
  interpreter.run();
  EXPECT_EQ(outcome(), at_end);
}

TEST(Strict, ReportsWhatNothingHasWritten) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::iadd, Type::i32, c, a, b);
  builder.branch_if(c, 0x20);
  builder.end_block();
  builder.begin_block(0x10, 16);
  builder.end_block(std::nullopt);
  builder.begin_block(0x20, 16);
  builder.emit(Op::mov, Type::i32, d, c);
  builder.end_block(std::nullopt);
  ir::Program program = builder.finish(0);
  Memory memory;
  Interpreter interpreter(program, memory, {.strict = true});
  interpreter.start(threads(2));
  for (std::uint32_t lane = 0; lane < 2; ++lane) interpreter.write_u32(lane, 0, 1);
  interpreter.run();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  for (const UndefinedRead& read : interpreter.undefined_reads()) found.emplace_back(read.address, read.byte);
  EXPECT_THAT(found, testing::ElementsAre(std::pair(0, 4), std::pair(0, 8), std::pair(0x20, 8)));
}

TEST(Strict, VolatileStateIsUndefinedInTheNextBlock) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, a, builder.constant_u32(1));
  builder.emit(Op::mov, Type::i32, b, a);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, c, a);
  builder.end_block(std::nullopt);
  ir::Program program = builder.finish(0);
  program.volatile_state = {{0, 4}};
  Memory memory;
  Interpreter interpreter(program, memory, {.strict = true});
  interpreter.start(threads(1));
  interpreter.run();
  ASSERT_EQ(interpreter.undefined_reads().size(), 1u);
  EXPECT_EQ(interpreter.undefined_reads()[0].address, 16u);
}

TEST(FlushDenormals, AppliesToBothEngines) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::fadd, Type::f32, b, a, a);
  builder.emit(Op::mov, Type::f32, c, a);
  builder.end_block(std::nullopt);
  const ir::Program program = builder.finish(0);
  for (const Engine engine : {Engine::simd, Engine::reference}) {
    Memory memory;
    Interpreter interpreter(program, memory, {.engine = engine, .flush_denormals = true});
    interpreter.start(threads(1));
    interpreter.write_u32(0, 0, 0x00400000);
    interpreter.run();
    EXPECT_EQ(interpreter.read_u32(0, 4), 0u);
    EXPECT_EQ(interpreter.read_u32(0, 8), 0x00400000u);
  }
}

}  // namespace
}  // namespace mobula
