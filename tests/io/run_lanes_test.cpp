// Random programs, all lanes together and one by one: the two engines and all sizes of batches give the same results.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "io/difficult.h"
#include "io/float_bits.h"
#include "io/run_environment.h"
#include "io/texture.h"
#include "ir/builder.h"
#include "mobula/lab/run.h"
#include "trials.h"

namespace mobula {
namespace {

using io::float_bits;
using ir::Op;
using ir::Operand;
using ir::Service;
using ir::Type;

/// Writes a program of some blocks over registers, whose calls reach everything that a run provides.
class RandomProgram {
 public:
  RandomProgram(std::uint32_t seed, Stage stage) : random_(seed), builder_(slots()), stage_(stage) {}

  ir::Program write() {
    // Mostly short ones: a long one takes host code's compiler ten times as long and rarely shows more.
    const bool is_long = pick(10) == 0;
    const std::uint32_t blocks = is_long ? 4 + pick(8) : 1 + pick(4);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      builder_.begin_block(16 * i, 16);
      for (std::uint32_t n = is_long ? 3 + pick(8) : 1 + pick(5); n != 0; --n) pick(3) == 0 ? call() : compute();
      if (pick(6) == 0) {
        builder_.emit(Op::enable, Type::i32, {}, reg());
        for (std::uint32_t n = 1 + pick(3); n != 0; --n) compute();
        builder_.emit(Op::enable, Type::i32, {});
      }
      if (i + 1 == blocks) {
        output();
      } else if (pick(3) == 0) {
        leave(i, blocks);
      }
      builder_.end_block(i + 1 == blocks ? std::nullopt : std::optional<std::uint64_t>(16 * (i + 1)));
    }
    return builder_.finish(0);
  }

 private:
  static constexpr std::uint32_t registers = 12;
  static std::vector<ir::Slot> slots() {
    std::vector<ir::Slot> list;
    for (std::uint32_t i = 0; i < registers; ++i) list.push_back({"r" + std::to_string(i), 4 * i, 4});
    list.push_back({"LOCAL_STORAGE_PTR.x", 4 * registers, 4});
    list.push_back({"LOCAL_STORAGE_PTR.y", 4 * registers + 4, 4});
    return list;
  }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  Operand reg() { return Operand::state(4 * pick(registers)); }
  Operand word(std::uint32_t value) { return builder_.constant_u32(value); }
  /// Room for this many registers.
  Operand row(std::uint32_t count) { return Operand::state(4 * pick(registers - count + 1)); }

  void compute() {
    static constexpr std::array binary{Op::fadd, Op::fmul, Op::fmin, Op::fmax, Op::flt, Op::iadd, Op::ixor, Op::iand};
    static constexpr std::array unary{Op::fexp2,  Op::flog2,  Op::fsinpi, Op::fcospi, Op::frcp,
                                      Op::frsqrt, Op::fround, Op::ddx,    Op::ddy,    Op::quad_first};
    switch (pick(4)) {
      case 0:
        return builder_.emit(unary[pick(unary.size())], Type::f32, reg(), reg());
      case 1:
        return builder_.emit(Op::ffma, Type::f32, reg(), reg(), reg(), reg());
      case 2:
        return pick(4) == 0 ? builder_.emit_conversion(Op::f2f, Type::f16, Type::f32, half(), reg()) : any();
      default: {
        const Op op = binary[pick(binary.size())];
        builder_.emit(op, op >= Op::fadd ? Type::f32 : Type::i32, reg(), reg(), reg());
      }
    }
  }
  /// Any operation in any form.
  void any() {
    static const std::vector<ir::Operation> forms = test::computing_forms();
    ir::Operation operation = forms[pick(static_cast<std::uint32_t>(forms.size()))];
    for (std::uint32_t i = 0; i < ir::info(operation.op).sources; ++i)
      operation.src[i] = element(ir::source_type(operation));
    operation.dst = element(ir::result_type(operation));
    builder_.emit(operation);
  }
  Operand element(Type type) {
    const std::uint32_t bytes = ir::bytes_of(type);
    return bytes == 8 ? row(2) : Operand::state(bytes * pick(4 * registers / bytes));
  }
  Operand half() { return Operand::state(2 * pick(2 * registers)); }

  void call() {
    switch (pick(7)) {
      case 0:
        return input(Type::f32, row(4));
      case 1:
        return input(Type::f16, Operand::state(4 * pick(registers - 1)));
      case 2:
        return uniform();
      case 3:
        return memory(Service::store_memory);
      case 4:
        return memory(Service::load_memory);
      case 5:
        return texture();
      default:
        if (stage_ == Stage::vertex) return varying_output();
        return input(Type::f32, row(4));
    }
  }
  void input(Type type, Operand data) {
    const bool fragment = stage_ == Stage::fragment;
    builder_.call({.service = fragment ? Service::varying : Service::attribute,
                   .type = type,
                   .count = static_cast<std::uint8_t>(1 + pick(4)),
                   .index = fragment && pick(4) == 0 ? ir::Interpolation::flat : 0,
                   .data = data,
                   .args = {word(pick(2))}});
  }
  /// Sometimes beyond the end; sometimes at an offset of the lane's own.
  void uniform() {
    const Operand offset = pick(2) == 0 ? word(4 * pick(18)) : builder_.binary(Op::iand, Type::i32, reg(), word(60));
    builder_.call({.service = Service::load_uniform,
                   .count = static_cast<std::uint8_t>(1 + pick(4)),
                   .data = row(4),
                   .args = {offset}});
  }
  /// The thread's own, at the lane's own offset or at the same in all lanes, whole words or not.
  void memory(Service service) {
    const Operand address = builder_.temporary(Type::i64);
    const std::uint32_t place = pick(3);
    const Operand offset = place == 0   ? word(4 * pick(16))
                           : place == 1 ? builder_.binary(Op::iand, Type::i32, reg(), word(60))
                                        : builder_.binary(Op::iand, Type::i32, reg(), word(63));
    builder_.emit(Op::iadd, Type::i32, address, Operand::state(4 * registers), offset);
    builder_.emit(Op::mov, Type::i32, address.plus(4), Operand::state(4 * registers + 4));
    builder_.call({.service = service,
                   .type = pick(4) == 0 ? Type::i16 : Type::i32,
                   .count = static_cast<std::uint8_t>(1 + pick(4)),
                   .data = row(4),
                   .args = {address}});
  }
  void texture() {
    ir::Texture access{.texture = word(pick(2)), .sampler = word(pick(3))};
    access.coordinate[0] = reg();
    access.coordinate[1] = reg();
    access.implicit_lod = stage_ == Stage::fragment && pick(2) == 0;
    if (pick(3) == 0) access.lod = reg();
    if (pick(4) == 0) access.offset[0] = word(pick(3));
    if (pick(5) == 0) access.kind = ir::Texture::Kind::gather;
    builder_.texture(access, row(4));
  }
  void varying_output() {
    const std::uint32_t count = 1 + pick(4);
    builder_.call({.service = Service::store_varying,
                   .type = Type::f32,
                   .count = static_cast<std::uint8_t>(count),
                   .index = pick(5 - count),
                   .data = row(4),
                   .args = {word(pick(4))}});
  }
  void output() {
    if (stage_ == Stage::vertex) return varying_output();
    builder_.call({.service = Service::fragment_out,
                   .count = 4,
                   .data = row(4),
                   .args = {pick(2) == 0 ? Operand() : word(0), Operand(), word(0), builder_.temporary(Type::i32)}});
  }
  void leave(std::uint32_t block, std::uint32_t blocks) {
    const Operand condition = builder_.binary(Op::flt, Type::f32, reg(), reg());
    switch (pick(5)) {
      case 0:
        return builder_.discard_if(condition);
      case 1:
        return builder_.end_if(condition);
      default:  // forwards, or back a little: the step limit ends endless loops
        builder_.branch_if(condition, 16 * (pick(4) == 0 ? pick(block + 1) : block + 1 + pick(blocks - block - 1)));
    }
  }

  std::mt19937 random_;
  ir::Builder builder_;
  Stage stage_;
};

RunVec4 random_vector(std::mt19937& random) {
  std::uniform_real_distribution<float> number(-2, 2);
  return {float_bits(number(random)), float_bits(number(random)), float_bits(number(random)),
          float_bits(number(random))};
}

RunInputs random_inputs(std::uint32_t seed, Stage stage) {
  std::mt19937 random(seed);
  RunInputs inputs;
  inputs.threads = 37;
  inputs.limits.steps = 60;
  for (const std::uint32_t number : {0u, 1u}) {
    for (auto& corner : inputs.corners[number]) corner = random_vector(random);
    auto& values = stage == Stage::vertex ? inputs.attributes[number] : inputs.varyings[number];
    values.resize(number == 0 ? 37 : 1);
    for (RunVec4& value : values) value = random_vector(random);
    for (std::uint32_t& each : values[0])
      if (random() % 4 == 0) each = test::difficult_word(random);
  }
  inputs.uniform_buffers[0].resize(16);
  for (std::uint32_t& uniform : inputs.uniform_buffers[0])
    uniform = random() % 3 == 0 ? test::difficult_word(random) : random_vector(random)[0];
  std::vector<std::uint8_t> texels(8 * 8 * 4);
  for (std::uint8_t& byte : texels) byte = static_cast<std::uint8_t>(random());
  auto texture =
      io::make_texture({.width = 8, .height = 8}, *io::find_texel_format("rgba8_unorm"), texels, "t").value();
  inputs.textures[1] = std::make_shared<io::Texture>(texture);
  EXPECT_TRUE(io::generate_levels(texture));
  inputs.textures[0] = std::make_shared<io::Texture>(std::move(texture));
  io::Sampler sampler;
  sampler.wrap = {io::Wrap::mirrored_repeat, io::Wrap::clamp_to_border, io::Wrap::repeat};
  inputs.samplers[1] = std::make_shared<io::Sampler>(sampler);
  sampler.min = io::Filter::nearest;
  sampler.mip = io::MipFilter::nearest;
  inputs.samplers[2] = std::make_shared<io::Sampler>(sampler);
  return inputs;
}

void expect_same(const RunResult& a, const RunResult& b, const std::string& what) {
  ASSERT_EQ(a.started, b.started) << what;
  ASSERT_EQ(a.ended, b.ended) << what;
  ASSERT_EQ(a.discarded, b.discarded) << what;
  ASSERT_EQ(a.faulted, b.faulted) << what;
  ASSERT_EQ(a.executions, b.executions) << what;
  ASSERT_EQ(a.image.has_value(), b.image.has_value()) << what;
  if (a.image) {
    ASSERT_EQ(a.image->covered, b.image->covered) << what;
    ASSERT_EQ(a.image->colours, b.image->colours) << what;
  }
  ASSERT_EQ(a.threads.size(), b.threads.size()) << what;
  for (std::size_t i = 0; i < a.threads.size(); ++i) {
    ASSERT_EQ(a.threads[i].state, b.threads[i].state) << what << ", thread " << i;
    ASSERT_EQ(a.threads[i].colours.size(), b.threads[i].colours.size()) << what << ", thread " << i;
    for (std::size_t k = 0; k < a.threads[i].colours.size(); ++k)
      ASSERT_EQ(a.threads[i].colours[k].colour, b.threads[i].colours[k].colour) << what << ", thread " << i;
    ASSERT_EQ(a.threads[i].varyings.size(), b.threads[i].varyings.size()) << what << ", thread " << i;
    for (std::size_t k = 0; k < a.threads[i].varyings.size(); ++k) {
      ASSERT_EQ(a.threads[i].varyings[k].number, b.threads[i].varyings[k].number) << what << ", thread " << i;
      ASSERT_EQ(a.threads[i].varyings[k].stored, b.threads[i].varyings[k].stored) << what << ", thread " << i;
      ASSERT_EQ(a.threads[i].varyings[k].value, b.threads[i].varyings[k].value) << what << ", thread " << i;
    }
  }
}

class RunLanes : public testing::TestWithParam<std::tuple<Stage, bool>> {};
INSTANTIATE_TEST_SUITE_P(All, RunLanes,
                         testing::Values(std::tuple(Stage::vertex, false), std::tuple(Stage::fragment, false),
                                         std::tuple(Stage::fragment, true)),
                         [](const auto& each) {
                           if (std::get<0>(each.param) == Stage::vertex) return "vertices";
                           return std::get<1>(each.param) ? "pixels" : "fragments";
                         });

/// What scripts/compare-engines wants instead.
std::uint32_t number_of(const char* variable, std::uint32_t otherwise) {
  const char* const text = std::getenv(variable);
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), otherwise);
  return otherwise;
}

TEST_P(RunLanes, GiveWhatLanesGiveOneByOne) {
  const auto [stage, is_image] = GetParam();
  Program program;
  program.file = "random";
  program.machine = "midgard";
  program.interface.stage = stage;
  std::uint64_t ended = 0, started = 0, native = 0;
  const std::uint32_t first_seed = number_of("MOBULA_FIRST_SEED", 0);
  const std::uint32_t programs = number_of("MOBULA_PROGRAMS", test::trials(250));
  const bool is_thorough = std::getenv("MOBULA_PROGRAMS") != nullptr;
  for (std::uint32_t seed = first_seed; seed - first_seed < programs; ++seed) {
    const ir::Program lifted = RandomProgram(seed, stage).write();
    ASSERT_EQ(ir::verify(lifted), std::vector<std::string>()) << seed;
    const RunInputs inputs = random_inputs(seed, stage);
    RunOptions options;
    if (is_image) options.image = {13, 7};
    std::optional<RunResult> first;
    for (const std::uint32_t lanes : {8u, 20u, 4096u}) {
      options.batch_lanes = lanes;
      options.os_threads = lanes == 20 ? 2 : 1;
      const std::string what = "seed " + std::to_string(seed) + ", batches of " + std::to_string(lanes);
      options.interpreter.engine = Engine::reference;
      auto expected = run_program(program, lifted, inputs, options);
      ASSERT_TRUE(expected) << render(expected.error());
      options.interpreter.engine = Engine::simd;
      const auto result = run_program(program, lifted, inputs, options);
      ASSERT_TRUE(result) << render(result.error());
      ASSERT_EQ(render(result->diagnostics), render(expected->diagnostics)) << what;
      expect_same(*result, *expected, what);
      if (!first) first = std::move(*expected);
      expect_same(*result, *first, what);
      if (HasFatalFailure()) return;
    }
    if (is_image && has_native() && (is_thorough || seed % 5 == 0)) {
      options.native = NativeChoice::always;
      options.batch_lanes = seed % 2 == 0 ? 8 : 4096;  // code of eight lanes, or of as many as suit the processor
      const auto result = run_program(program, lifted, inputs, options);
      ASSERT_TRUE(result) << render(result.error());
      native += result->native.is_used;
      expect_same(*result, *first, "host code, seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
    ended += first->ended;
    started += first->started;
  }
  EXPECT_GT(ended, started / 4) << "programs that all fault show little";
  if (is_image && has_native()) {
    EXPECT_GT(native, 0u) << "programs that all leave show nothing";
  }
  if (is_thorough) std::printf("by host code: %llu\n", static_cast<unsigned long long>(native));
}

}  // namespace
}  // namespace mobula
