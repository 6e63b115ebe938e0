// Host code against the interpreter and the scalar semantics: the same results to the bit.
#include "io/native_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <span>

#include "execute/host_code.h"
#include "io/difficult.h"
#include "io/float_bits.h"
#include "io/native_support.h"
#include "io/texture.h"
#include "ir/builder.h"
#include "paths.h"

namespace mobula {
namespace {

using ir::Builder;
using ir::Op;
using ir::Operand;
using ir::Operation;
using ir::Type;
using test::NativeRuns;

class NativePicture : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (native::find_compiler(reason) == nullptr) GTEST_SKIP() << reason;
  }
};

constexpr std::uint32_t in = 0, result = 64, mix = 80, state_words = 26;

Builder new_builder() {
  std::vector<ir::Slot> slots;
  for (std::uint32_t word = 0; word < state_words; ++word) slots.push_back({"w" + std::to_string(word), 4 * word, 4});
  return Builder(std::move(slots));
}

void load_varying(Builder& b, std::uint32_t number, Operand to, Type type = Type::i32) {
  b.call({.service = ir::Service::varying, .type = type, .count = 4, .data = to, .args = {b.constant_u32(number)}});
}

void put_out(Builder& b, Operand from) {
  const Operand zero = b.constant_u32(0);
  b.call({.service = ir::Service::fragment_out,
          .count = 4,
          .data = from,
          .args = {zero, zero, zero, b.temporary(Type::i32)}});
}

NativeRuns difficult_runs(std::uint32_t seed, ImageSize size = {13, 7}) {
  std::mt19937 random(seed);
  RunInputs inputs;
  inputs.uniform_buffers[0] = {9, 3, 0x9E3779B1, 77, 5, 1};
  for (std::uint32_t number = 0; number < 4; ++number)
    for (std::uint32_t pixel = 0; pixel < size.width * size.height; ++pixel) {
      RunVec4& value = inputs.varyings[number].emplace_back();
      for (std::uint32_t& word : value) word = test::difficult_word(random);
    }
  return NativeRuns(std::move(inputs), size);
}

/// The operations, each on two parts of the loaded words, the first of them `shift` bytes into a word. What they wrote
/// is mixed to a colour.
ir::Program applied(std::span<const Operation> operations, std::uint32_t shift) {
  Builder b = new_builder();
  b.begin_block(0, 16);
  for (std::uint32_t number = 0; number < 4; ++number) load_varying(b, number, Operand::state(in + 16 * number));
  for (Operation operation : operations) {
    for (std::uint32_t i = 0; i < ir::info(operation.op).sources; ++i)
      operation.src[i] = Operand::state(in + 16 * i + shift);
    operation.dst = Operand::state(result + shift);
    b.emit(operation);
    for (Operand& source : operation.src)
      if (!source.is_none()) source = source.plus(8 - shift);
    operation.dst = Operand::state(result + 8);
    b.emit(operation);
    for (std::uint32_t word = 0; word < 4; ++word) {
      const Operand mixed = Operand::state(mix + 4 * word);
      b.emit(Op::iadd, Type::i32, mixed, b.binary(Op::imul, Type::i32, mixed, b.constant_u32(0x9E3779B1)),
             Operand::state(result + 4 * word));
    }
  }
  put_out(b, Operand::state(mix));
  b.end();
  b.end_block();
  return b.finish(0);
}

/// What differs, of the first of the operations that do.
std::string difference(std::span<const Operation> operations, std::uint32_t shift, std::uint32_t seed) {
  if (difficult_runs(seed).difference(applied(operations, shift)).empty()) return {};
  for (const Operation& operation : operations) {
    const ir::Program alone = applied({&operation, 1}, shift);
    if (const std::string found = difficult_runs(seed).difference(alone); !found.empty())
      return found + '\n' + ir::print(alone);
  }
  return "only together";
}

TEST_F(NativePicture, EveryOperationIsThatOfTheReference) {
  const std::vector<Operation> words = test::computing_forms();
  std::vector<Operation> parts;
  std::ranges::copy_if(words, std::back_inserter(parts), [](const Operation& operation) {
    return ir::bits_of(operation.type) < 32 && ir::bits_of(ir::source_type(operation)) < 32;
  });
  EXPECT_GT(words.size(), 400u);
  constexpr std::size_t together = 12;
  for (std::size_t at = 0; at < words.size(); at += together)
    ASSERT_EQ(difference(std::span(words).subspan(at, std::min(together, words.size() - at)), 0, 1), "");
  for (std::size_t at = 0; at < parts.size(); at += together)
    ASSERT_EQ(difference(std::span(parts).subspan(at, std::min(together, parts.size() - at)), 2, 2), "");
}

TEST_F(NativePicture, ElementsAtAnyByteAreRead) {
  const std::array<Operation, 4> operations{{{.op = Op::fadd, .type = Type::f16},
                                             {.op = Op::iadd, .type = Type::i8},
                                             {.op = Op::fadd, .type = Type::f32},
                                             {.op = Op::isub, .type = Type::i64}}};
  for (std::uint32_t shift = 0; shift < 8; ++shift)
    for (const Operation& operation : operations)
      if (ir::verify(applied({&operation, 1}, shift)).empty()) {
        EXPECT_EQ(difference({&operation, 1}, shift, shift), "");
      }
}

/// Computes in 16 bytes what numbers of all sizes there have trouble with, wherever they begin.
ir::Program in_pieces(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  constexpr std::array<Operation, 8> operations{{{.op = Op::fadd, .type = Type::f16},
                                                 {.op = Op::fmul, .type = Type::f16},
                                                 {.op = Op::fmin, .type = Type::f16},
                                                 {.op = Op::fadd, .type = Type::f32},
                                                 {.op = Op::fmul, .type = Type::f32},
                                                 {.op = Op::iadd, .type = Type::i16},
                                                 {.op = Op::iadd, .type = Type::i32},
                                                 {.op = Op::ixor, .type = Type::i8}}};
  Builder b = new_builder();
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  for (std::uint32_t count = 0; count < 24; ++count) {
    Operation operation = operations[below(operations.size())];
    const std::uint32_t bytes = ir::bytes_of(operation.type);
    const auto somewhere = [&] { return Operand::state(in + below(16 / bytes) * bytes); };
    operation.dst = somewhere();
    for (std::size_t i = 0; i < 2; ++i) operation.src[i] = somewhere();
    if (below(4) == 0) {
      const Operand is_enabled = b.temporary(Type::i32);
      b.emit(Op::ilt_u, Type::i32, is_enabled, Operand::state(in + 4 * below(4)), Operand::state(in + 4 * below(4)));
      b.emit(Op::enable, Type::i32, {}, is_enabled);
      b.emit(operation);
      b.emit(Op::enable, Type::i32, {});
    } else {
      b.emit(operation);
    }
  }
  put_out(b, Operand::state(in));
  b.end();
  b.end_block();
  return b.finish(0);
}

/// Of a NaN that comes of arithmetic the code also knows another form, of which no part may be seen.
TEST_F(NativePicture, PiecesOfWordsAreWhatWasWritten) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed)
    ASSERT_EQ(difficult_runs(seed).difference(in_pieces(seed)), "") << seed << '\n' << ir::print(in_pieces(seed));
}

/// Each pixel counts to a number of its own; some leave in the middle, some are discarded.
ir::Program looping() {
  Builder b = new_builder();
  const Operand turns = Operand::state(result), sum = Operand::state(result + 4), limit = Operand::state(in);
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  b.emit(Op::iand, Type::i32, limit, limit, b.constant_u32(15));
  b.end_block();
  b.begin_block(16, 16);
  b.emit(Op::iadd, Type::i32, turns, turns, b.constant_u32(1));
  b.emit(Op::imul, Type::i32, sum, b.binary(Op::iadd, Type::i32, sum, turns), b.constant_u32(0x9E3779B1));
  const Operand is_last = b.binary(Op::ieq, Type::i32, turns, b.constant_u32(11));
  const Operand goes_on = b.binary(Op::ilt_u, Type::i32, turns, limit);
  b.branch_if(is_last, 48);
  b.branch_if(goes_on, 16);
  b.end_block();
  b.begin_block(32, 16);
  b.emit(Op::ixor, Type::i32, sum, sum, b.constant_u32(0x55AA));
  b.discard_if(b.binary(Op::ieq, Type::i32, limit, b.constant_u32(3)));
  b.end_block();
  b.begin_block(48, 16);
  b.emit(Op::ddx, Type::f32, Operand::state(result + 8), Operand::state(in + 4));
  b.emit(Op::ddy, Type::f32, Operand::state(result + 12), Operand::state(in + 8));
  put_out(b, Operand::state(result));
  b.end();
  b.end_block();
  return b.finish(0);
}

TEST_F(NativePicture, LanesPartAndMeetAsInTheInterpreter) {
  for (const ImageSize size : {ImageSize{1, 1}, {2, 2}, {3, 5}, {8, 8}, {17, 2}, {64, 9}})
    EXPECT_EQ(difficult_runs(7, size).difference(looping()), "") << size.width << " x " << size.height;
}

/// 1 / sqrt of a number whose last 20 bits say which pixel it is of a picture of 1024 x 1024, the others a uniform.
ir::Program roots_by_pixel() {
  Builder b = new_builder();
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  const auto whole = [&](std::uint32_t component) {
    const Operand result = b.temporary(Type::i32);
    b.emit({.op = Op::f2u,
            .type = Type::i32,
            .from = Type::f32,
            .round = ir::Round::zero,
            .dst = result,
            .src = {Operand::state(in + 4 * component)}});
    return result;
  };
  const Operand upper = b.temporary(Type::i32), row = b.binary(Op::ishl, Type::i32, whole(1), b.constant_u32(10));
  b.call({.service = ir::Service::load_uniform, .data = upper, .args = {b.constant_u32(0)}});
  const Operand number = b.binary(Op::ior, Type::i32, b.binary(Op::ior, Type::i32, upper, row), whole(0));
  b.emit({.op = Op::frsqrt, .type = Type::f32, .dst = Operand::state(result), .src = {number}});
  put_out(b, Operand::state(result));
  b.end();
  b.end_block();
  return b.finish(0);
}

TEST_F(NativePicture, BytesAreThoseOfTheInterpreter) {
  Builder b = new_builder();
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  put_out(b, Operand::state(in));
  b.end();
  b.end_block();
  RunInputs inputs;
  for (const std::uint32_t word : test::words_near_half_bytes())
    inputs.varyings[0].push_back({word, ~word, word ^ 0x80000000, word});
  const ImageSize size{static_cast<std::uint32_t>(inputs.varyings[0].size()), 1};
  EXPECT_EQ(NativeRuns(std::move(inputs), size).difference_of_bytes(b.finish(0)), "");
}

/// All numbers from 1 to 4, of which those of every other exponent differ by it alone, and denormals.
TEST_F(NativePicture, ReciprocalRootsAreThoseOfTheInterpreter) {
  constexpr ImageSize size{1024, 1024};
  constexpr std::uint32_t one = 0x3F800000, four = 0x40800000, part = size.width * size.height;
  std::vector<std::uint32_t> parts{0, 0x80000000, 0x7F700000, 0x7F800000};
  for (std::uint32_t first = one; first < four; first += part) parts.push_back(first);
  const ir::Program code = roots_by_pixel();
  Program program;
  program.machine = "midgard";
  program.interface.stage = Stage::fragment;
  for (const std::uint32_t first : parts) {
    RunInputs inputs;
    inputs.uniform_buffers[0] = {first};
    const auto word = [](std::uint32_t number) { return io::float_bits(static_cast<float>(number)); };
    inputs.corners[0] = {
        RunVec4{0, 0}, {word(size.width), 0}, {0, word(size.height)}, {word(size.width), word(size.height)}};
    RunOptions options{.image = size};
    const auto vector = run_program(program, code, inputs, options);
    options.native = NativeChoice::always;
    const auto native = run_program(program, code, inputs, options);
    ASSERT_TRUE(vector && native && native->native.is_used) << first;
    ASSERT_NE(vector->image->colours[0][0], vector->image->colours[part - 1][0]);
    ASSERT_TRUE(vector->image->colours == native->image->colours) << std::hex << first;
  }
}

enum class Parting { never, before, within, by_end };

/// A loop whose turns uniforms count, in all lanes alike but for those that part.
ir::Program counted(Parting parting) {
  Builder b = new_builder();
  const Operand turns = Operand::state(result), sum = Operand::state(result + 4), limit = Operand::state(result + 8);
  const auto uniform = [&](Operand offset, Operand to) {
    b.call({.service = ir::Service::load_uniform, .data = to, .args = {offset}});
  };
  const auto is_odd = [&](std::uint32_t word) {
    return b.binary(Op::iand, Type::i32, Operand::state(in + 4 * word), b.constant_u32(1));
  };
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  uniform(b.constant_u32(0), limit);
  if (parting == Parting::before) b.discard_if(is_odd(0));
  b.end_block();
  b.begin_block(16, 16);
  b.emit(Op::iadd, Type::i32, turns, turns, b.constant_u32(1));
  const Operand found = b.temporary(Type::i32);
  uniform(b.binary(Op::iand, Type::i32, b.binary(Op::ishl, Type::i32, turns, b.constant_u32(2)), b.constant_u32(12)),
          found);
  b.emit(Op::imul, Type::i32, sum, b.binary(Op::iadd, Type::i32, sum, found), b.constant_u32(0x9E3779B1));
  b.emit(Op::fsinpi, Type::f32, Operand::state(result + 12), sum);
  const Operand goes_on = b.binary(Op::ilt_u, Type::i32, turns, limit),
                parts = is_odd(parting == Parting::within ? 1 : 2);
  if (parting == Parting::within) b.branch_if(parts, 48);
  if (parting == Parting::by_end) b.end_if(parts);
  b.branch_if(goes_on, 16);
  b.end_block();
  b.begin_block(32, 8);
  b.branch_if(b.binary(Op::ilt_u, Type::i32, limit, turns), 64);
  b.end_block();
  b.begin_block(40, 8);
  b.emit(Op::iadd, Type::i32, Operand::state(in + 12), Operand::state(in + 12), sum);
  b.end_block();
  b.begin_block(48, 16);
  b.emit(Op::iadd, Type::i32, Operand::state(in), Operand::state(in), turns);
  b.emit(Op::ixor, Type::i32, Operand::state(in + 4), Operand::state(result + 12), Operand::state(in + 4));
  b.end_block();
  b.begin_block(64, 16);
  put_out(b, Operand::state(in));
  b.end();
  b.end_block();
  return b.finish(0);
}

TEST_F(NativePicture, WhatAllLanesShareIsComputedOnce) {
  for (const Parting parting : {Parting::never, Parting::before, Parting::within, Parting::by_end})
    for (const ImageSize size : {ImageSize{1, 1}, {13, 7}, {64, 9}})
      EXPECT_EQ(difficult_runs(11, size).difference(counted(parting)), "")
          << static_cast<int>(parting) << ", " << size.width << " x " << size.height;
}

TEST_F(NativePicture, TrapsAreLeftToTheInterpreter) {
  Builder b = new_builder();
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  b.trap_if(b.binary(Op::ieq, Type::i32, b.binary(Op::iand, Type::i32, Operand::state(in), b.constant_u32(63)),
                     b.constant_u32(9)),
            "nine");
  b.end_block();
  b.begin_block(16, 16);
  put_out(b, Operand::state(in));
  b.end();
  b.end_block();
  EXPECT_EQ(difficult_runs(3, {40, 40}).difference(b.finish(0), false), "");
}

TEST_F(NativePicture, LoopsWithoutEndAreLeftToTheInterpreter) {
  Builder b = new_builder();
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  b.end_block();
  b.begin_block(16, 16);
  b.emit(Op::iadd, Type::i32, Operand::state(in), Operand::state(in), b.constant_u32(2));
  b.branch_if(Operand::state(in), 16);
  b.end_block();
  b.begin_block(32, 16);
  put_out(b, Operand::state(in));
  b.end();
  b.end_block();
  EXPECT_EQ(difficult_runs(3).with_step_limit(500).difference(b.finish(0), false), "");
}

// ---- textures

io::Texture random_texture(std::mt19937& random, std::uint32_t width, std::uint32_t height, bool has_levels) {
  std::vector<std::uint8_t> texels(std::size_t{4} * width * height);
  for (std::uint8_t& byte : texels) byte = static_cast<std::uint8_t>(random());
  auto texture =
      io::make_texture({.width = width, .height = height}, *io::find_texel_format("rgba8_snorm"), texels, "t").value();
  if (has_levels) {
    EXPECT_TRUE(io::generate_levels(texture));
  }
  texture.texels.front()[0] = 0x80000000;  // a zero whose sign a filter may lose
  return texture;
}

/// Samples by the first varying, in some of the lanes only where that has an odd word.
ir::Program sampling(ir::Texture texture) {
  Builder b = new_builder();
  b.begin_block(0, 16);
  load_varying(b, 0, Operand::state(in));
  load_varying(b, 1, Operand::state(in + 16));
  b.branch_if(Operand::state(in + 12), 32);
  b.end_block();
  b.begin_block(16, 16);
  texture.coordinate = {Operand::state(in), Operand::state(in + 4)};
  texture.texture = texture.sampler = b.constant_u32(0);
  b.texture(texture, Operand::state(mix));
  b.end_block();
  b.begin_block(32, 16);
  put_out(b, Operand::state(mix));
  b.end();
  b.end_block();
  return b.finish(0);
}

/// Ways in which an instruction says which level it wants.
std::vector<ir::Texture> ways_to_sample() {
  const Operand number = Operand::state(in + 16);
  const auto offset = Operand::state(in + 12);
  return {{.implicit_lod = true},
          {.implicit_lod = true, .lod = number},
          {.lod = number, .offset = {offset, offset}},
          {.implicit_lod = true, .skip_sampler_lod = true},
          {.lod = number, .ddx = {number, number.plus(4)}, .ddy = {number.plus(8), number.plus(12)}}};
}

TEST_F(NativePicture, TexturesAreSampledAsTheReferenceDoes) {
  std::mt19937 random(5);
  const auto one_of = [&](auto... values) {
    const std::array all{values...};
    return all[random() % all.size()];
  };
  const std::vector<ir::Program> programs = [] {
    std::vector<ir::Program> all;
    for (const ir::Texture& way : ways_to_sample()) all.push_back(sampling(way));
    return all;
  }();
  const std::uint32_t turns = test::whole() ? 20 : 10;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    io::Sampler sampler;
    sampler.min = sampler.mag = one_of(io::Filter::nearest, io::Filter::linear);
    sampler.mip = one_of(io::MipFilter::none, io::MipFilter::nearest, io::MipFilter::linear);
    for (io::Wrap& wrap : sampler.wrap) wrap = one_of(io::Wrap::repeat, io::Wrap::clamp_to_edge);
    sampler.lod_bias = one_of(0.F, 0.7F);
    sampler.max_lod = one_of(1000.F, 1.5F);
    if (turn % 10 == 9) sampler.mag = io::Filter::nearest;  // these three the environment samples
    if (turn % 10 == 8) sampler.wrap[1] = io::Wrap::mirrored_repeat;
    if (turn % 10 == 7) sampler.normalised = false;
    const ImageSize size{13, 7};
    RunInputs inputs;
    const bool is_magnified = turn % 5 == 1, is_smooth = turn % 2 == 0 || is_magnified;
    const float least = is_magnified ? -0.01F : -3, most = is_magnified ? 0 : 3;
    std::uniform_real_distribution<float> number(least, most);
    for (std::uint32_t varying = 0; varying < 2; ++varying)
      for (std::uint32_t pixel = 0; pixel < size.width * size.height; ++pixel) {
        RunVec4& value = inputs.varyings[varying].emplace_back();
        for (std::uint32_t& word : value)
          word = is_smooth ? io::float_bits(number(random)) : test::difficult_word(random);
        value[3] = static_cast<std::uint32_t>(random() % 5 == 0);
      }
    inputs.textures[0] = std::make_shared<io::Texture>(
        random_texture(random, one_of(1u, 7u, 8u, 33u), one_of(1u, 5u, 16u), turn % 3 != 0));
    inputs.samplers[0] = std::make_shared<io::Sampler>(sampler);
    const NativeRuns runs(std::move(inputs), size);
    for (std::size_t way = 0; way < programs.size(); ++way)
      ASSERT_EQ(runs.difference(programs[way]), "") << "turn " << turn << ", way " << way;
  }
}

// ---- compiled programs

Program sample_program(const std::filesystem::path& file, std::string_view machine) {
  const auto read = [](const std::filesystem::path& from) {
    std::ifstream stream(from, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  const std::string code = read(file), stem = file.stem().string();
  Program program;
  program.machine = machine;
  if (machine == "midgard") program.variant = stem.substr(stem.rfind('.') + 1);
  program.code.assign(code.begin(), code.end());
  if (const auto side = read_side_file({.text = read(std::filesystem::path(file).replace_extension(".json"))}))
    program.interface = side->interface;
  return program;
}

/// Whatever a program may ask for.
RunInputs rich_inputs(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-3, 3);
  const auto bits = [&] { return io::float_bits(number(random)); };
  RunInputs inputs;
  for (std::uint32_t varying = 0; varying < 16; ++varying)
    for (RunVec4& corner : inputs.corners[varying]) corner = {bits(), bits(), bits(), bits()};
  for (std::uint32_t buffer = 0; buffer < 4; ++buffer) {
    RunWords& words = inputs.uniform_buffers[buffer];
    for (std::uint32_t i = 0; i < 256; ++i)
      words.push_back(random() % 8 == 0 ? static_cast<std::uint32_t>(random() % 5) : bits());
  }
  std::vector<std::uint8_t> texels(8 * 8 * 4);
  for (std::uint8_t& byte : texels) byte = static_cast<std::uint8_t>(random());
  auto texture =
      io::make_texture({.width = 8, .height = 8}, *io::find_texel_format("rgba8_unorm"), texels, "t").value();
  EXPECT_TRUE(io::generate_levels(texture));
  const auto shared = std::make_shared<io::Texture>(std::move(texture));
  for (std::uint32_t i = 0; i < 8; ++i) inputs.textures[i] = shared;
  inputs.limits.steps = 5000;
  return inputs;
}

/// Sizes that leave chunks with lanes outside, and rows without a second one. Which part of the programs has host code.
double compare_samples(std::string_view machine_name, std::string_view part_of_name) {
  const Machine* const machine = find_machine(machine_name);
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::sample(std::string(machine_name))))
    if (entry.path().extension() == ".bin" && entry.path().string().find(part_of_name) != std::string::npos)
      files.insert(entry.path());
  std::uint32_t seed = 0, native = 0;
  for (const std::filesystem::path& file : files) {
    ++seed;
    const Program program = sample_program(file, machine_name);
    const auto lifted = machine->lift(program, {});
    EXPECT_TRUE(lifted) << file;
    if (!lifted) continue;
    const NativeRuns runs = NativeRuns(rich_inputs(seed), {11 + seed % 8, 5 + seed % 3}).with(program);
    bool is_native = false;
    EXPECT_EQ(runs.difference(*lifted, false, &is_native), "") << file;
    if (seed % 3 == 0) EXPECT_EQ(runs.difference_of_bytes(*lifted), "") << file;
    native += is_native;
  }
  return files.empty() ? 0 : static_cast<double>(native) / static_cast<double>(files.size());
}

TEST_F(NativePicture, CompiledProgramsGiveWhatTheInterpreterGives) {
  const std::filesystem::path folder = test::sample("midgard");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  EXPECT_GT(compare_samples("midgard", ".frag."), 0.75);
}

/// Registers hold where the pixel is, and what varyings are interpolated from.
TEST_F(NativePicture, ProgramsThatStartWithRegistersGiveWhatTheInterpreterGives) {
  const std::filesystem::path folder = test::sample("rogue");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  EXPECT_GT(compare_samples("rogue", "rg_fs_"), 0.75);
}

}  // namespace
}  // namespace mobula
