#include "mobula/lab/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/difficult.h"
#include "io/float_bits.h"
#include "io/run_environment.h"
#include "io/texture.h"
#include "ir/builder.h"
#include "mobula/lab/arrays.h"

namespace mobula {
namespace {

using io::float_bits;
using ir::Op;
using ir::Operand;
using ir::Service;
using ir::Type;
using testing::ElementsAre;
using testing::HasSubstr;

float real(std::uint32_t word) { return std::bit_cast<float>(word); }

/// Writes programs over a state named as Midgard's: r0.x to r31.w, then the selectors of the load/store pipe.
class Code {
 public:
  Code() : builder_(slots()) { builder_.begin_block(0, 16); }

  static Operand reg(std::uint32_t number, std::uint32_t component = 0) {
    return Operand::state(16 * number + 4 * component);
  }
  static Operand local_id() { return Operand::state(512); }
  static Operand group_id() { return Operand::state(528); }
  static Operand global_id() { return Operand::state(544); }
  static Operand local_pointer() { return Operand::state(560); }
  static Operand shared_pointer() { return Operand::state(568); }
  static Operand stack_pointer() { return Operand::state(584); }

  ir::Builder& operator*() { return builder_; }
  ir::Builder* operator->() { return &builder_; }
  Operand word(std::uint32_t value) { return builder_.constant_u32(value); }

  Code& call(Service service, Type type, std::uint8_t count, Operand data, std::array<Operand, 4> args = {},
             std::uint32_t index = 0) {
    builder_.call({.service = service, .type = type, .count = count, .index = index, .data = data, .args = args});
    return *this;
  }
  Code& load_varying(std::uint32_t number, Operand data, std::uint32_t interpolation = 0) {
    return call(Service::varying, Type::f32, 4, data, {word(number)}, interpolation);
  }
  /// Writes r0 as the colour and goes on.
  Code& write_colour() {
    return call(Service::fragment_out, Type::i32, 4, reg(0), {word(0), word(0), word(0), reg(15)});
  }
  Code& next_block() {
    builder_.end_block();
    address_ += 16;
    builder_.begin_block(address_, 16);
    return *this;
  }
  ir::Program finish() {
    builder_.end();
    builder_.end_block();
    ir::Program program = builder_.finish(0);
    EXPECT_THAT(ir::verify(program), ElementsAre());
    return program;
  }

 private:
  static std::vector<ir::Slot> slots() {
    std::vector<ir::Slot> result;
    std::uint32_t byte = 0;
    const auto add = [&](const std::string& name) {
      for (const char component : {'x', 'y', 'z', 'w'}) {
        result.push_back({name + '.' + component, byte, 4});
        byte += 4;
      }
    };
    for (int i = 0; i < 32; ++i) add("r" + std::to_string(i));
    for (const char* name : {"LOCAL_THREAD_ID", "GROUP_ID", "GLOBAL_THREAD_ID", "LOCAL_STORAGE_PTR", "PC_SP"})
      add(name);
    return result;
  }
  ir::Builder builder_;
  std::uint64_t address_ = 0;
};

Program of(Stage stage) {
  Program program;
  program.file = "test.bin";
  program.machine = "midgard";
  program.interface.stage = stage;
  return program;
}

RunResult run(const Program& program, const ir::Program& code, const RunInputs& inputs,
              const RunOptions& options = {}) {
  auto result = run_program(program, code, inputs, options);
  EXPECT_TRUE(result) << render(result.error());
  return result ? std::move(result).value() : RunResult{};
}
RunResult run_well(const Program& program, const ir::Program& code, const RunInputs& inputs,
                   const RunOptions& options = {}) {
  RunResult result = run(program, code, inputs, options);
  EXPECT_TRUE(result.diagnostics.empty()) << render(result.diagnostics);
  return result;
}
std::string refusal(const Program& program, const ir::Program& code, const RunInputs& inputs,
                    const RunOptions& options = {}) {
  const auto result = run_program(program, code, inputs, options);
  EXPECT_FALSE(result);
  return result ? std::string() : result.error()[0].code;
}

// ---- vertices

TEST(Run, VerticesReadAttributesAndStoreVaryings) {
  Code code;
  code.call(Service::attribute, Type::f32, 4, Code::reg(0), {code.word(2)});
  code.call(Service::attribute, Type::i32, 1, Code::reg(1), {code.word(16)});
  code.call(Service::attribute, Type::i32, 1, Code::reg(1, 1), {code.word(17)});
  code->emit(Op::fadd, Type::f32, Code::reg(0), Code::reg(0), code->constant_f32(1));
  code.call(Service::store_varying, Type::i32, 4, Code::reg(0), {code.word(3)});
  code.call(Service::store_varying, Type::i32, 4, Code::reg(1), {code.word(1)});
  RunInputs inputs;
  inputs.threads = 600;  // three batches
  for (std::uint32_t i = 0; i < 600; ++i) inputs.attributes[2].push_back({float_bits(static_cast<float>(i)), 7, 8, 9});
  const RunResult result = run_well(of(Stage::vertex), code.finish(), inputs);
  ASSERT_EQ(result.threads.size(), 600u);
  EXPECT_EQ(result.ended, 600u);
  for (std::uint32_t i = 0; i < 600; ++i) {
    const ThreadResult& thread = result.threads[i];
    EXPECT_EQ(thread.thread.index, i);
    EXPECT_EQ(thread.state, LaneState::ended);
    ASSERT_EQ(thread.varyings.size(), 2u);
    EXPECT_EQ(thread.varyings[0].number, 1u);
    EXPECT_EQ(thread.varyings[0].value[0], i);
    EXPECT_EQ(thread.varyings[1].value, (RunVec4{float_bits(static_cast<float>(i + 1)), 7, 8, 9}));
  }
}

TEST(Run, ExplicitVertexReadsThatVertex) {
  Code code;
  code.call(Service::attribute, Type::f32, 4, Code::reg(0), {code.word(0), code.word(1)});
  code.call(Service::store_varying, Type::i32, 4, Code::reg(0), {code.word(0)});
  RunInputs inputs;
  inputs.threads = 3;
  inputs.attributes[0] = {{10}, {20}, {30}};
  const ir::Program program = code.finish();
  EXPECT_EQ(run_well(of(Stage::vertex), program, inputs).threads[2].varyings[0].value[0], 20u);
  inputs.threads = 1;
  inputs.attributes[0] = {{10}};
  EXPECT_EQ(run_well(of(Stage::vertex), program, inputs).threads[0].varyings[0].value[0], 10u);
}

TEST(Run, HalfInputsAndOutputsAreConverted) {
  Code code;
  code.call(Service::attribute, Type::f16, 4, Code::reg(0), {code.word(0)});
  code.call(Service::store_varying, Type::f16, 4, Code::reg(0), {code.word(0)});
  code.call(Service::store_varying, Type::i32, 2, Code::reg(0), {code.word(1)});
  RunInputs inputs;
  inputs.attributes[0] = {{float_bits(1.5f), float_bits(-2), float_bits(1e9f), float_bits(0)}};
  const RunResult result = run_well(of(Stage::vertex), code.finish(), inputs);
  EXPECT_EQ(result.threads[0].varyings[0].value, (RunVec4{float_bits(1.5f), float_bits(-2), 0x7F800000, 0}));
  EXPECT_EQ(result.threads[0].varyings[1].count(), 2u);
  EXPECT_EQ(result.threads[0].varyings[1].value, (RunVec4{0xC0003E00, 0x00007C00, 0, 0}));
}

// ---- registers and uniforms

TEST(Run, PushedUniformsFillRegistersFromTheTop) {
  Code code;
  for (std::uint32_t i = 0; i < 2; ++i) code->emit(Op::mov, Type::i32, Code::reg(0, i), Code::reg(23, i));
  code->emit(Op::mov, Type::i32, Code::reg(0, 2), Code::reg(22));
  code->emit(Op::mov, Type::i32, Code::reg(0, 3), Code::reg(21));
  code.call(Service::store_varying, Type::i32, 4, Code::reg(0), {code.word(0)});
  Program program = of(Stage::vertex);
  program.interface.push = {{0, 4}, {1, 0}, {0, 0}, {9, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
  program.interface.ubo_count = 1;
  program.interface.system_values = {{1, 0}};  // at the start of buffer 1
  RunInputs inputs;
  inputs.uniform_buffers[0] = {11, 12};
  inputs.viewport.emplace().scale = {3, 4, 5};
  inputs.uniform_registers[21] = {77, 0, 0, 0};
  EXPECT_EQ(run_well(program, code.finish(), inputs).threads[0].varyings[0].value,
            (RunVec4{12, float_bits(3), 11, 77}));
}

TEST(Run, RegistersThatTheMachineHasNotAreRefused) {
  RunInputs inputs;
  inputs.uniform_registers[99] = {};
  const ir::Program code = Code().finish();
  EXPECT_EQ(refusal(of(Stage::vertex), code, inputs), "RN007");
  inputs.uniform_registers.clear();
  inputs.slots["acc"] = 1;
  EXPECT_EQ(refusal(of(Stage::vertex), code, inputs), "RN007");
  Program program = of(Stage::vertex);
  program.interface.push.resize(97);
  EXPECT_EQ(refusal(program, code, {}), "RN007");
}

TEST(Run, SlotsAreSetByName) {
  Code code;
  code.call(Service::store_varying, Type::i32, 4, Code::reg(5), {code.word(0)});
  RunInputs inputs;
  inputs.slots["r5.y"] = 42;
  EXPECT_EQ(run_well(of(Stage::vertex), code.finish(), inputs).threads[0].varyings[0].value, (RunVec4{0, 42, 0, 0}));
}

TEST(Run, LoadsBeyondAUniformBufferGiveZeroAndAWarning) {
  Code code;
  code.call(Service::load_uniform, Type::i32, 4, Code::reg(0), {code.word(8), code.word(0)});
  code.call(Service::load_uniform, Type::i32, 1, Code::reg(1), {code.word(0xFFFFFFFC)}, 3);
  code.call(Service::store_varying, Type::i32, 4, Code::reg(0), {code.word(0)});
  RunInputs inputs;
  inputs.threads = 300;
  inputs.uniform_buffers[0] = {1, 2, 3, 4};
  const RunResult result = run(of(Stage::vertex), code.finish(), inputs);
  EXPECT_EQ(result.threads[299].varyings[0].value, (RunVec4{3, 4, 0, 0}));
  ASSERT_EQ(result.diagnostics.size(), 2u);
  EXPECT_EQ(result.diagnostics[0].code, "RN013");
  EXPECT_EQ(result.diagnostics[0].severity, Severity::warning);
  EXPECT_EQ(result.diagnostics[0].message,
            "300 loads reached beyond the 16 bytes of uniform buffer 0 and read zeros; the first is of 16 bytes at "
            "offset 8 "
            "by thread 0");
  EXPECT_THAT(result.diagnostics[1].message,
              HasSubstr("300 loads of uniform buffer 3, which the inputs do not give, gave 0"));
}

// ---- fragments

TEST(Run, FragmentsRecordColoursAndDiscards) {
  Code code;
  code.load_varying(0, Code::reg(0));
  const Operand negative = code->binary(Op::flt, Type::f32, Code::reg(0), code->constant_f32(0));
  code->discard_if(negative);
  code.next_block();
  code.write_colour();
  RunInputs inputs;
  inputs.threads = 2;
  inputs.varyings[0] = {{float_bits(1), float_bits(2), float_bits(3), float_bits(4)}, {float_bits(-1), 0, 0, 0}};
  const RunResult result = run_well(of(Stage::fragment), code.finish(), inputs);
  ASSERT_EQ(result.threads[0].colours.size(), 1u);
  EXPECT_EQ(result.threads[0].colours[0].colour, (RunVec4{float_bits(1), float_bits(2), float_bits(3), float_bits(4)}));
  EXPECT_EQ(result.threads[1].state, LaneState::discarded);
  EXPECT_TRUE(result.threads[1].colours.empty());
  EXPECT_EQ(result.discarded, 1u);
  EXPECT_EQ(result.executions, (std::vector<std::uint64_t>{2, 1}));
}

TEST(Run, WritesAndWaitsAreRetriedAsOftenAsAsked) {
  Code code;
  code.call(Service::tile_ready, Type::i32, 1, Operand(), {Operand(), Operand(), Operand(), Code::reg(15)});
  code->branch_if(Code::reg(15), 0);
  code.next_block();
  code->emit(Op::iadd, Type::i32, Code::reg(0), Code::reg(0), code.word(1));
  code.write_colour();
  code->branch_if(Code::reg(15), 16);
  code.next_block();
  RunInputs inputs;
  inputs.fragment_retries = 3;
  inputs.tile_waits = 5;
  const RunResult result = run_well(of(Stage::fragment), code.finish(), inputs);
  ASSERT_EQ(result.threads[0].colours.size(), 1u);
  EXPECT_EQ(result.threads[0].colours[0].colour[0], 4u);
  EXPECT_EQ(result.executions[0], 6u);
}

TEST(Run, TileBufferGivesWhatStandsThereAndWhatTheThreadStored) {
  Code code;
  const auto part = [&](std::uint32_t target) {
    return std::array{code.word(target), code.word(0), Operand(), Operand()};
  };
  code.call(Service::load_tile, Type::f32, 4, Code::reg(0), part(1));
  code.write_colour();
  code.call(Service::store_tile, Type::f32, 4, Code::reg(0), part(2));
  code.call(Service::load_tile, Type::f16, 4, Code::reg(1), part(2));
  code->emit(Op::mov, Type::i32, Code::reg(0), Code::reg(1));
  code.write_colour();
  const ir::Program lifted = code.finish();
  RunInputs inputs;
  inputs.threads = 2;
  inputs.tile[1] = {{float_bits(1), float_bits(2), 0, 0}, {float_bits(3), 0, 0, 0}};
  const RunResult result = run_well(of(Stage::fragment), lifted, inputs);
  ASSERT_EQ(result.threads[1].colours.size(), 3u);
  EXPECT_EQ(result.threads[0].colours[0].colour, (RunVec4{float_bits(1), float_bits(2), 0, 0}));
  EXPECT_EQ(result.threads[1].colours[0].colour, (RunVec4{float_bits(3), 0, 0, 0}));
  EXPECT_EQ(result.threads[1].colours[1].target, 0x200u) << "render target 2, sample 0";
  EXPECT_EQ(result.threads[1].colours[1].colour, (RunVec4{float_bits(3), 0, 0, 0}));
  EXPECT_EQ(result.threads[1].colours[2].colour[0], 0x4200u) << "3 as a half";
  inputs.tile.clear();
  const RunResult without = run(of(Stage::fragment), lifted, inputs);
  ASSERT_FALSE(without.diagnostics.empty());
  EXPECT_THAT(without.diagnostics[0].message, HasSubstr("do not give part 1 of the tile buffer; given: none"));
}

TEST(Run, TileBufferKeepsDepthAndStencilApart) {
  Code code;
  const auto store = [&](std::uint32_t target, std::uint32_t flags) {
    code->call({.service = Service::store_tile,
                .type = Type::i32,
                .count = 4,
                .flags = flags,
                .data = Code::reg(0),
                .args = {code.word(target), code.word(0)}});
  };
  code->emit(Op::mov, Type::i32, Code::reg(0), code.word(9));
  store(31, ir::CallFlags::depth);
  store(30, ir::CallFlags::stencil);
  const RunResult result = run_well(of(Stage::fragment), code.finish(), {});
  ASSERT_EQ(result.threads[0].colours.size(), 2u);
  EXPECT_EQ(result.threads[0].colours[0].depth, 9u);
  EXPECT_EQ(result.threads[0].colours[0].target, 0xFFu);
  EXPECT_EQ(result.threads[0].colours[1].stencil, 9u);
}

TEST(Run, DifferencesNeedNeighbours) {
  Code code;
  code.load_varying(0, Code::reg(1));
  code->emit(Op::ddx, Type::f32, Code::reg(0), Code::reg(1));
  code->emit(Op::ddy, Type::f32, Code::reg(0, 1), Code::reg(1, 1));
  code.write_colour();
  const ir::Program lifted = code.finish();
  Program program = of(Stage::fragment);
  program.interface.inputs = {{.name = "gl_FragCoord", .type = "vec4", .driver_location = 0}};
  RunInputs inputs;
  inputs.identities = {Thread{.x = 1.5f, .y = 2.5f}};
  RunResult result = run_well(program, lifted, inputs);
  ASSERT_EQ(result.threads.size(), 1u);
  EXPECT_EQ(result.started, 1u);
  EXPECT_EQ(result.threads[0].colours[0].colour, (RunVec4{float_bits(1), float_bits(1), 0, 0}));
  inputs.varyings[0] = {{float_bits(1.5f), float_bits(2.5f), float_bits(0.5f),
                         float_bits(1)}};  // given: the helpers are beside it all the same
  EXPECT_EQ(run_well(program, lifted, inputs).threads[0].colours[0].colour[0], float_bits(1));

  inputs = {};
  inputs.quads = true;
  inputs.threads = 6;
  inputs.varyings[0] = {{float_bits(1)}, {float_bits(3)}, {float_bits(1)},
                        {float_bits(3)}, {float_bits(5)}, {float_bits(9)}};
  result = run_well(of(Stage::fragment), lifted, inputs);
  EXPECT_EQ(real(result.threads[0].colours[0].colour[0]), 2);
  EXPECT_EQ(real(result.threads[3].colours[0].colour[0]), 2);
  EXPECT_EQ(real(result.threads[5].colours[0].colour[0]), 4);
  EXPECT_EQ(result.started, 6u);
}

TEST(Run, LanesTellWhomTheyRun) {
  Code code;
  code->emit(Op::ddx, Type::f32, Code::reg(0), Code::reg(1));
  const ir::Program lifted = code.finish();
  const Program program = of(Stage::fragment);
  RunInputs inputs;
  inputs.threads = 2;
  inputs.identities = {Thread{.x = 0.5f, .y = 0.5f}, Thread{.x = 1.5f, .y = 1.5f}};
  auto run = Run::prepare(program, lifted, inputs, {});
  ASSERT_TRUE(run);
  const Run::Batch batch = run->start(0);
  EXPECT_EQ(batch.input(0), 0u);
  EXPECT_EQ(batch.input(1), std::nullopt);
  EXPECT_EQ(batch.input(4), std::nullopt);
  EXPECT_EQ(batch.input(7), 1u);
}

TEST(Run, TexturesAreSampledByNumber) {
  Code code;
  code.load_varying(0, Code::reg(1));
  ir::Texture texture;
  texture.coordinate = {Code::reg(1), Code::reg(1, 1), Operand(), Operand()};
  texture.texture = code.word(3);
  texture.sampler = code.word(1);
  code->texture(texture, Code::reg(0));
  code.write_colour();
  const ir::Program lifted = code.finish();
  RunInputs inputs;
  inputs.varyings[0] = {{float_bits(0.5f), float_bits(0.5f)}};
  inputs.textures[3] =
      std::make_shared<io::Texture>(io::constant_texture({float_bits(1), float_bits(2), float_bits(3), float_bits(4)}));
  EXPECT_EQ(run_well(of(Stage::fragment), lifted, inputs).threads[0].colours[0].colour,
            (RunVec4{float_bits(1), float_bits(2), float_bits(3), float_bits(4)}));
  inputs.textures.clear();
  const RunResult result = run(of(Stage::fragment), lifted, inputs);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].message, "thread 0: the inputs give no texture 3; given: none");
  EXPECT_EQ(result.diagnostics[0].where.byte_offset, 0u);
}

// ---- images

TEST(Run, ImageInterpolatesCorners) {
  Code code;
  code.load_varying(0, Code::reg(0), ir::Interpolation::perspective);
  code.load_varying(1, Code::reg(2), ir::Interpolation::flat);
  code->emit(Op::mov, Type::i32, Code::reg(0, 2), Code::reg(2));
  const Operand right = code->binary(Op::flt, Type::f32, code->constant_f32(0.75f), Code::reg(0));
  code->discard_if(right);
  code.next_block();
  code.write_colour();
  const ir::Program lifted = code.finish();
  RunInputs inputs;
  const std::uint32_t one = float_bits(1);
  inputs.corners[0] = {RunVec4{0, 0, 0, one}, RunVec4{one, 0, 0, one}, RunVec4{0, one, 0, one},
                       RunVec4{one, one, 0, one}};
  inputs.corners[1] = {RunVec4{float_bits(0.25f)}, RunVec4{9}, RunVec4{9}, RunVec4{9}};
  RunOptions options;
  options.image = {5, 3};
  for (const unsigned threads : {1u, 2u}) {
    options.os_threads = threads;
    options.batch_lanes = 4;
    const RunResult result = run_well(of(Stage::fragment), lifted, inputs, options);
    ASSERT_TRUE(result.image);
    EXPECT_TRUE(result.threads.empty());
    EXPECT_EQ(result.started, 15u);
    EXPECT_EQ(result.discarded, 3u);
    for (std::uint32_t y = 0; y < 3; ++y) {
      for (std::uint32_t x = 0; x < 5; ++x) {
        EXPECT_EQ(result.image->covered[y * 5 + x], x < 4) << x << ' ' << y;
        if (x == 4) continue;
        const RunVec4& colour = result.image->colours[y * 5 + x];
        EXPECT_FLOAT_EQ(real(colour[0]), (static_cast<float>(x) + 0.5f) / 5);
        EXPECT_FLOAT_EQ(real(colour[1]), (static_cast<float>(y) + 0.5f) / 3);
        EXPECT_EQ(real(colour[2]), 0.25f);
      }
    }
    const auto rgba = to_rgba8(*result.image, ColourFormat::f32);
    EXPECT_EQ(rgba[0], 26);  // 0.1 * 255 = 25.5
    EXPECT_EQ(rgba[3], 255);
    EXPECT_EQ(rgba[4 * 4 + 3], 0);
    EXPECT_TRUE(to_png(*result.image, ColourFormat::f32));
  }
}

TEST(Run, WhatAColourLeavesOpenIsZeroAndAlphaOne) {
  Code code;
  code.load_varying(0, Code::reg(0));
  code.write_colour();
  const ir::Program lifted = code.finish();
  RunInputs inputs;
  inputs.varyings[0] = {RunVec4{float_bits(0.2F), float_bits(0.4F), float_bits(0.6F), float_bits(0.8F)}};
  RunOptions options;
  options.image = {2, 2};
  const auto picture = [&](std::string_view type, PictureColours kept) {
    Program program = of(Stage::fragment);
    program.interface.outputs = {{.name = "o", .type = std::string(type), .driver_location = 0}};
    options.kept_colours = kept;
    const RunResult result = run_well(program, lifted, inputs, options);
    return to_rgba8(*result.image, ColourFormat::f32);
  };
  for (const PictureColours kept : {PictureColours::words, PictureColours::bytes}) {
    EXPECT_EQ(picture("vec4", kept)[15], 204);
    EXPECT_EQ(picture("vec3", kept)[14], 153);
    EXPECT_EQ(picture("vec3", kept)[15], 255);
    EXPECT_EQ(picture("float", kept)[13], 0);
  }
}

/// Memory that pictures of 64 x 64 pixels are likely to get next is full of ones.
void leave_ones_in_memory() {
  for (const std::size_t bytes : {64 * 64 * sizeof(RunVec4), std::size_t{64} * 64})
    EXPECT_EQ(std::vector<std::uint8_t>(bytes, 0xff).back(), 0xff);
}

void expect_uncovered(const ImageResult& image, std::size_t from) {
  for (std::size_t i = from; i < image.covered.size(); ++i) {
    ASSERT_EQ(image.covered[i], 0) << i;
    ASSERT_EQ(image.colours[i], RunVec4{}) << i;
  }
}

TEST(Run, PixelsThatNobodyColoursAreNotCovered) {
  Code none, all;
  none->discard_if(none.word(~0u));
  none.next_block();
  none.write_colour();
  all.write_colour();
  const ir::Program without_colours = none.finish(), with_colours = all.finish();
  RunInputs inputs;
  RunOptions options;
  options.image = {64, 64};
  options.os_threads = 1;
  options.batch_lanes = 256;
  leave_ones_in_memory();
  const RunResult discarded = run_well(of(Stage::fragment), without_colours, inputs, options);
  expect_uncovered(*discarded.image, 0);

  inputs.limits.all_steps = 1;  // the first batch goes beyond it
  leave_ones_in_memory();
  const auto stopped = run_program(of(Stage::fragment), with_colours, inputs, options);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->started, 256u);
  EXPECT_EQ(stopped->image->covered[0], 1);
  expect_uncovered(*stopped->image, 256);
}

TEST(Run, ImageColoursMayBeHalves) {
  const ImageResult image{.size = {1, 1}, .colours = {{0x3C003800, 0x7E00BC00, 0, 0}}, .covered = {true}};
  EXPECT_THAT(to_rgba8(image, ColourFormat::f16), ElementsAre(128, 255, 0, 0));
}

TEST(Run, BytesAreTheNearest) {
  ImageResult image;
  for (const std::uint32_t word : test::words_near_half_bytes()) image.colours.push_back({word, word, word, word});
  image.size = {static_cast<std::uint32_t>(image.colours.size()), 1};
  image.covered.assign(image.colours.size(), true);
  const std::vector<std::uint8_t> rgba = to_rgba8(image, ColourFormat::f32);
  for (std::size_t pixel = 0; pixel < image.colours.size(); ++pixel) {
    const auto number = std::bit_cast<float>(image.colours[pixel][0]);
    const float limited = number > 0 ? std::min(number, 1.0f) : 0, scaled = limited * 255;
    ASSERT_EQ(rgba[4 * pixel], static_cast<std::uint8_t>(std::round(scaled))) << std::hexfloat << number;
  }
}

TEST(Run, ListsOfVaryingsHaveAValueForEachFragment) {
  Code code;
  code.load_varying(0, Code::reg(0));
  code.write_colour();
  const ir::Program program = code.finish();
  RunInputs inputs;
  inputs.threads = 2;
  inputs.varyings[0] = {RunVec4{}, RunVec4{}};
  const auto refused = [&](std::optional<ImageSize> image) {
    RunOptions options;
    options.image = image;
    const auto result = run_program(of(Stage::fragment), program, inputs, options);
    return result ? std::string() : result.error().front().code;
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused(ImageSize{2, 1}), "");
  EXPECT_EQ(refused(ImageSize{2, 2}), "IN009");
  inputs.corners[0] = {};
  EXPECT_EQ(refused(ImageSize{2, 2}), "") << "which give what the list does not";
  inputs.threads = 3;
  EXPECT_EQ(refused({}), "IN009");
  inputs.varyings[0].resize(1);
  EXPECT_EQ(refused({}), "") << "one is for all";
}

ImageResult spotted(ImageSize size) {
  ImageResult image{.size = size, .background = {1, 2, 3, 4}, .colours = {}, .covered = {}, .rgba8 = {}};
  for (std::uint32_t i = 0; i < size.width * size.height; ++i) {
    const auto number = static_cast<float>(i % 1009);
    image.colours.push_back({float_bits(number / 1009), float_bits(number / 500), float_bits(-number), float_bits(1)});
    image.covered.push_back(i % 7 != 0);
  }
  return image;
}

/// What is written by so many OS threads.
std::vector<std::uint8_t> written(const ImageResult& image, PictureFormat format, unsigned os_threads,
                                  std::size_t& pieces) {
  std::vector<std::uint8_t> file;
  pieces = 0;
  EXPECT_TRUE(write_picture(image, ColourFormat::f32, format, os_threads, [&](std::span<const std::uint8_t> piece) {
    file.insert(file.end(), piece.begin(), piece.end());
    ++pieces;
  }));
  return file;
}

TEST(Run, PicturesComeInPieces) {
  const ImageResult words = spotted({307, 601});
  ImageResult bytes{.size = words.size, .colours = {}, .covered = words.covered, .rgba8 = {}};
  const std::vector<std::uint8_t> rgba = to_rgba8(words, ColourFormat::f32);
  bytes.rgba8.assign(rgba.begin(), rgba.end());
  for (const PictureFormat format : {PictureFormat::png, PictureFormat::ppm, PictureFormat::pfm, PictureFormat::raw}) {
    std::size_t pieces = 0;
    const std::vector<std::uint8_t> file = written(words, format, 1, pieces);
    EXPECT_GE(pieces, 3u);
    EXPECT_EQ(written(words, format, 3, pieces), file);
    EXPECT_EQ(to_picture(words, ColourFormat::f32, format).value(), file);
    if (format == PictureFormat::png || format == PictureFormat::ppm)
      EXPECT_EQ(written(bytes, format, 2, pieces), file);
  }
  std::size_t pieces = 0;
  const std::vector<std::uint8_t> file = written(words, PictureFormat::ppm, 2, pieces);
  const std::size_t header = file.size() - rgba.size() / 4 * 3;
  for (std::size_t pixel = 0; pixel < rgba.size() / 4; ++pixel)
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(file[header + 3 * pixel + i], rgba[4 * pixel + i]) << pixel;
}

TEST(Run, ThrownByWhoTakesAPictureIsThrownByTheWriting) {
  const ImageResult image = spotted({200, 900});
  for (const PictureFormat format : {PictureFormat::png, PictureFormat::ppm}) {
    int pieces = 0;
    const auto write = [&](std::span<const std::uint8_t>) {
      if (++pieces == 2) throw std::runtime_error("full");
    };
    EXPECT_THROW((void)write_picture(image, ColourFormat::f32, format, 2, write), std::runtime_error);
  }
  const auto never = [](std::span<const std::uint8_t>) { ADD_FAILURE() << "nothing is written of what is refused"; };
  EXPECT_FALSE(write_picture({}, ColourFormat::f32, PictureFormat::png, 1, never));
  EXPECT_FALSE(write_picture({}, ColourFormat::f32, PictureFormat::ppm, 1, never));
}

TEST(Run, PicturesAreWrittenInSeveralFormats) {
  const ImageResult image{.size = {1, 2},
                          .background = {0, 255, 0, 255},
                          .colours = {{float_bits(0.5), float_bits(2), 0, 0}, {}},
                          .covered = {1, 0}};
  const auto text = [&](PictureFormat format) {
    const auto file = to_picture(image, ColourFormat::f32, format).value();
    return std::string(file.begin(), file.end());
  };
  EXPECT_EQ(text(PictureFormat::ppm), std::string("P6\n1 2\n255\n\x80\xFF\0\0\xFF\0", 17));
  const std::string half("\0\0\0\x3F", 4), one("\0\0\x80\x3F", 4), two("\0\0\0\x40", 4), zero(4, '\0');
  EXPECT_EQ(text(PictureFormat::pfm), "PF\n1 2\n-1.0\n" + zero + one + zero + half + two + zero);
  EXPECT_EQ(text(PictureFormat::raw), half + two + zero + zero + zero + one + zero + one);
  EXPECT_EQ(picture_format("a.ppm"), PictureFormat::ppm);
  EXPECT_EQ(picture_format("a.pfm"), PictureFormat::pfm);
  EXPECT_EQ(picture_format("-"), PictureFormat::png);
  EXPECT_EQ(to_picture({}, ColourFormat::f32, PictureFormat::raw).error()[0].code, "TX003");
}

TEST(Run, ImpossibleImagesAreRefused) {
  const ir::Program code = Code().finish();
  RunOptions options;
  options.image = {0, 1};
  EXPECT_EQ(refusal(of(Stage::fragment), code, {}, options), "RN002");
  options.image = {0xFFFFFFFF, 0xFFFFFFFF};
  EXPECT_EQ(refusal(of(Stage::fragment), code, {}, options), "RN002");
  options.image = {4, 4};
  EXPECT_EQ(refusal(of(Stage::vertex), code, {}, options), "RN001");
}

// ---- compute

/// r[i] = a[group * local + local_size - 1 - i] by way of shared memory.
ir::Program reversing(std::uint32_t local) {
  Code code;
  code.call(Service::load_uniform, Type::i32, 4, Code::reg(0), {code.word(0)}, 0);   // a
  code.call(Service::load_uniform, Type::i32, 4, Code::reg(1), {code.word(16)}, 0);  // r
  const Operand global = code->convert(Op::zext, Type::i64, Type::i32, Code::global_id());
  const Operand own = code->convert(Op::zext, Type::i64, Type::i32, Code::local_id());
  const Operand two = code->constant_u64(2);
  const Operand global_bytes = code->binary(Op::ishl, Type::i64, global, two);
  const Operand own_bytes = code->binary(Op::ishl, Type::i64, own, two);
  code.call(Service::load_memory, Type::i32, 1, Code::reg(2),
            {code->binary(Op::iadd, Type::i64, Code::reg(0), global_bytes)});
  code.call(Service::store_memory, Type::i32, 1, Code::reg(2),
            {code->binary(Op::iadd, Type::i64, Code::shared_pointer(), own_bytes)});
  code->barrier();
  code.next_block();
  const Operand last = code->constant_u64((local - 1) * 4);
  const Operand again = code->convert(Op::zext, Type::i64, Type::i32, Code::local_id());
  const Operand from = code->binary(Op::isub, Type::i64, last, code->binary(Op::ishl, Type::i64, again, two));
  code.call(Service::load_memory, Type::i32, 1, Code::reg(3),
            {code->binary(Op::iadd, Type::i64, Code::shared_pointer(), from)});
  const Operand index = code->convert(Op::zext, Type::i64, Type::i32, Code::global_id());
  const Operand to = code->binary(Op::ishl, Type::i64, index, two);
  code.call(Service::store_memory, Type::i32, 1, Code::reg(3), {code->binary(Op::iadd, Type::i64, Code::reg(1), to)});
  return code.finish();
}

TEST(Run, ComputeReachesBuffersThroughSystemValues) {
  Program program = of(Stage::compute);
  program.interface.local_size = {4, 1, 1};
  program.interface.workgroup_local_bytes = 16;
  program.interface.system_values = {{4, 2}, {4, 0}};
  RunInputs inputs;
  inputs.groups = {2, 1, 1};
  inputs.buffers[2] = {1, 2, 3, 4, 5, 6, 7, 8};
  inputs.buffers[0] = RunWords(8);
  const RunResult result = run_well(program, reversing(4), inputs);
  EXPECT_THAT(result.buffers.at(0), ElementsAre(4, 3, 2, 1, 8, 7, 6, 5));
  EXPECT_EQ(result.started, 8u);
  EXPECT_TRUE(result.threads.empty());
}

TEST(Run, ComputeThreadsKnowTheirPlace) {
  Code code;
  const std::array<Operand, 3> ids{Code::local_id(), Code::group_id(), Code::global_id()};
  const Operand x = Code::global_id(), y = Code::global_id().plus(4), z = Code::global_id().plus(8);
  Operand index = code->binary(Op::iadd, Type::i32, code->binary(Op::imul, Type::i32, z, code.word(4)), y);
  index = code->binary(Op::iadd, Type::i32, code->binary(Op::imul, Type::i32, index, code.word(6)), x);
  const Operand offset = code->binary(Op::imul, Type::i32, index, code.word(36));
  const Operand wide = code->convert(Op::zext, Type::i64, Type::i32, offset);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Operand address = code->binary(Op::iadd, Type::i64, wide, code->constant_u64(0x1000 + 12 * i));
    code.call(Service::store_memory, Type::i32, 3, ids[i], {address});
  }
  const ir::Program lifted = code.finish();
  RunInputs inputs;
  inputs.local_size = {3, 2, 1};
  inputs.groups = {2, 2, 3};
  inputs.memory = {{0x1000, std::vector<std::uint8_t>(72 * 36)}};
  const RunResult result = run_well(of(Stage::compute), lifted, inputs);
  const auto& bytes = result.memory[0].bytes;
  const auto ids_of = [&](std::size_t thread, std::size_t which) {
    const auto at = std::span(bytes).subspan(thread * 36 + which * 12);
    return std::array{io::read_little_endian(at.first(4)), io::read_little_endian(at.subspan(4, 4)),
                      io::read_little_endian(at.subspan(8, 4))};
  };
  using Three = std::array<std::uint64_t, 3>;
  const std::size_t thread = (2 * 4 + 3) * 6 + 4;  // x = 4, y = 3, z = 2
  EXPECT_EQ(ids_of(thread, 0), (Three{1, 1, 0}));
  EXPECT_EQ(ids_of(thread, 1), (Three{1, 1, 2}));
  EXPECT_EQ(ids_of(thread, 2), (Three{4, 3, 2}));
}

TEST(Run, AtomicsOfAllGroupsAddUp) {
  Code code;
  code.call(Service::atomic, Type::i32, 1, Code::reg(0), {code->constant_u64(0x1000), code.word(1)},
            static_cast<std::uint32_t>(ir::AtomicOp::add));
  const ir::Program lifted = code.finish();
  RunInputs inputs;
  inputs.local_size = {8, 1, 1};
  inputs.groups = {100, 1, 1};
  inputs.memory = {{0x1000, std::vector<std::uint8_t>(4)}};
  RunOptions options;
  options.os_threads = 2;
  const RunResult result = run_well(of(Stage::compute), lifted, inputs, options);
  EXPECT_EQ(io::read_little_endian(result.memory[0].bytes), 800u);
}

// ---- memory

TEST(Run, ScratchBelongsToItsThread) {
  Code code;
  for (const Operand pointer : {Code::local_pointer(), Code::stack_pointer()}) {
    const Operand address = code->binary(Op::iadd, Type::i64, pointer, code->constant_u64(12));
    code.call(Service::attribute, Type::i32, 1, Code::reg(0), {code.word(16)});
    code.call(Service::store_memory, Type::i32, 1, Code::reg(0), {address});
  }
  code.next_block();
  const Operand address = code->binary(Op::iadd, Type::i64, Code::local_pointer(), code->constant_u64(12));
  code.call(Service::load_memory, Type::i32, 1, Code::reg(1), {address});
  code.call(Service::store_varying, Type::i32, 1, Code::reg(1), {code.word(0)});
  const ir::Program lifted = code.finish();
  Program program = of(Stage::vertex);
  program.interface.thread_local_bytes = 16;
  RunInputs inputs;
  inputs.threads = 9;
  const RunResult result = run_well(program, lifted, inputs);
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(result.threads[i].varyings[0].value[0], i);
  program.interface.thread_local_bytes = 12;
  const RunResult small = run(program, lifted, inputs);
  EXPECT_EQ(small.faulted, 9u);
  EXPECT_THAT(small.diagnostics[0].message,
              HasSubstr(": store of 4 bytes at 0x7e000000000c, where there is no memory"));
}

TEST(Run, HelpersKeepTheirScratchAndLeaveNoOtherTrace) {
  Code code;
  code.load_varying(0, Code::reg(1));
  code.call(Service::store_memory, Type::i32, 1, Code::reg(1), {Code::local_pointer()});
  code.call(Service::atomic, Type::i32, 1, Code::reg(3), {code->constant_u64(0x1000), code.word(1)},
            static_cast<std::uint32_t>(ir::AtomicOp::add));
  code.next_block();
  code.call(Service::load_memory, Type::i32, 1, Code::reg(2), {Code::local_pointer()});
  code->emit(Op::ddx, Type::f32, Code::reg(0), Code::reg(2));
  code.write_colour();
  Program program = of(Stage::fragment);
  program.interface.inputs = {{.name = "gl_FragCoord", .type = "vec4", .driver_location = 0}};
  RunInputs inputs;
  inputs.memory = {{0x1000, std::vector<std::uint8_t>(4)}};
  const RunResult result = run_well(program, code.finish(), inputs);
  EXPECT_EQ(real(result.threads[0].colours[0].colour[0]), 1);
  EXPECT_EQ(io::read_little_endian(result.memory[0].bytes), 1u);
}

TEST(Run, OverlappingMemoryIsRefused) {
  RunInputs inputs;
  inputs.memory = {{0x1000, std::vector<std::uint8_t>(16)}, {0x100C, std::vector<std::uint8_t>(16)}};
  EXPECT_EQ(refusal(of(Stage::vertex), Code().finish(), inputs), "RN006");
  inputs.memory.clear();
  inputs.buffers[5000] = {1};
  EXPECT_EQ(refusal(of(Stage::vertex), Code().finish(), inputs), "RN006");
}

// ---- limits and faults

TEST(Run, LimitsAreKept) {
  const ir::Program code = Code().finish();
  RunInputs inputs;
  inputs.limits.memory_bytes = 1000;
  inputs.buffers[0] = RunWords(251);
  EXPECT_EQ(refusal(of(Stage::vertex), code, inputs), "RN004");
  inputs = {};
  inputs.limits.threads = 100;
  inputs.threads = 101;
  EXPECT_EQ(refusal(of(Stage::vertex), code, inputs), "RN003");
  inputs = {};
  inputs.groups = {65535, 65535, 65535};
  EXPECT_EQ(refusal(of(Stage::compute), code, inputs), "RN003");
  inputs = {};
  inputs.local_size = {4096, 4096, 4096};
  EXPECT_EQ(refusal(of(Stage::compute), code, inputs), "RN003");
}

TEST(Run, EndlessLoopsEndInAFault) {
  Code code;
  code->branch(0);
  code.next_block();
  RunInputs inputs;
  inputs.limits.steps = 1000;
  inputs.threads = 3;
  const RunResult result = run(of(Stage::vertex), code.finish(), inputs);
  EXPECT_EQ(result.faulted, 3u);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_THAT(result.diagnostics[0].message, testing::StartsWith("thread 0, and 2 more: "));
  EXPECT_EQ(result.diagnostics[0].code, "RN010");
  EXPECT_EQ(result.diagnostics[0].severity, Severity::error);
  EXPECT_EQ(result.diagnostics[0].where.file, "test.bin");
}

TEST(Run, WhatAllThreadsLackIsSaidOnceByTheNamesOfGlsl) {
  Code code;
  code.load_varying(4, Code::reg(0));
  RunInputs inputs;
  inputs.threads = 1000;
  inputs.varyings[1] = {{}};
  const ir::Program lifted = code.finish();
  RunResult result = run(of(Stage::fragment), lifted, inputs);
  EXPECT_EQ(result.faulted, 1000u);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].message, "thread 0, and 999 more: the inputs give no varying 4; given: 1");
  Program program = of(Stage::fragment);
  program.interface.inputs = {{.name = "given", .type = "vec2", .driver_location = 1},
                              {.name = "m", .type = "mat3", .driver_location = 3},
                              {.name = "unread", .type = "vec2", .driver_location = -1},
                              {.name = "uv", .type = "vec2[2]", .driver_location = 6},
                              {.name = "gl_FragCoord", .type = "vec4", .driver_location = 9}};
  result = run(program, lifted, inputs);
  EXPECT_EQ(result.diagnostics[0].message,
            "thread 0, and 999 more: the inputs give no varying 4 (m[1]), nor uv; given: 1");
  for (const auto& [type, name] :
       {std::pair{"mat2[2]", "m[1][0]"}, {"vec4[2][2]", "m[1][0]"}, {"mat2[1][3]", "m[0][1][0]"}}) {
    program.interface.inputs = {{.name = "m", .type = type, .driver_location = 2}};
    result = run(program, lifted, inputs);
    EXPECT_THAT(result.diagnostics[0].message, HasSubstr("no varying 4 (" + std::string(name) + ")")) << type;
  }
}

TEST(Run, ManyFaultsAreCountedNotListed) {
  Code code;
  code.load_varying(0, Code::reg(1));
  code.call(Service::load_memory, Type::i32, 1, Code::reg(0), {Code::reg(1)});
  RunInputs inputs;
  inputs.threads = 1000;
  for (std::uint32_t i = 0; i < 1000; ++i) inputs.varyings[0].push_back({i, 0, 0, 0});
  const RunResult result = run(of(Stage::fragment), code.finish(), inputs);
  EXPECT_EQ(result.faulted, 1000u);
  ASSERT_LE(result.diagnostics.size(), 101u);
  EXPECT_EQ(result.diagnostics.back().message,
            "and " + std::to_string(1000 - (result.diagnostics.size() - 1)) + " more threads with faults");
}

TEST(Run, StrictModeNamesWhatWasNeverWritten) {
  Code code;
  code->emit(Op::iadd, Type::i32, Code::reg(0), Code::reg(7, 2), code.word(1));
  code.call(Service::store_varying, Type::i32, 1, Code::reg(0), {code.word(0)});
  RunOptions options;
  options.interpreter.strict = true;
  const RunResult result = run(of(Stage::vertex), code.finish(), {}, options);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].code, "RN012");
  EXPECT_EQ(result.diagnostics[0].message, "thread 0: reads r7.z before anything has written it");
}

TEST(Run, CanBeWatchedBatchByBatch) {
  Code code;
  code->emit(Op::iadd, Type::i32, Code::reg(0), Code::reg(0), code.word(1));
  code.next_block();
  const ir::Program lifted = code.finish();
  const Program program = of(Stage::vertex);
  RunInputs inputs;
  inputs.threads = 300;
  RunOptions options;
  options.batch_lanes = 256;
  auto run = Run::prepare(program, lifted, inputs, options);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->batches(), 2u);
  Run::Batch batch = run->start(1);
  EXPECT_EQ(batch.interpreter().lanes(), 44u);
  EXPECT_EQ(batch.input(3), 259u);
  EXPECT_EQ(batch.interpreter().thread(0).vertex, 256u);
  EXPECT_TRUE(batch.interpreter().step());
  EXPECT_EQ(batch.interpreter().read_u32(0, 0), 1u);
  batch.interpreter().run();
  run->finish(batch);
  EXPECT_EQ(run->result().ended, 44u);
}

// ---- JSON

TEST(Run, ResultsBecomeJson) {
  Code code;
  code.call(Service::store_varying, Type::i32, 2, Code::reg(0), {code.word(0)});
  code.call(Service::store_varying, Type::i32, 1, Code::reg(0, 2), {code.word(1)});
  const ir::Program lifted = code.finish();
  Program program = of(Stage::vertex);
  program.interface.outputs = {{.name = "uv", .type = "vec2", .driver_location = 0},
                               {.name = "n", .type = "int", .driver_location = 1}};
  program.interface.ssbo_blocks = {{.name = "r", .type = "uint[]", .driver_location = 4}};
  RunInputs inputs;
  inputs.slots = {{"r0.x", float_bits(0.1f)}, {"r0.y", 0x7FC00000}, {"r0.z", 0xFFFFFFFF}};
  inputs.buffers[4] = {0xFFFFFFFF};
  inputs.memory = {{0x1000, {1, 2, 3, 4}}};
  const auto json = nlohmann::json::parse(to_json(run_well(program, lifted, inputs), program, lifted));
  const nlohmann::json expected = {
      {"threads", {{"started", 1}, {"ended", 1}, {"discarded", 0}, {"faulted", 0}}},
      {"outputs",
       {{{"thread", 0},
         {"state", "ended"},
         {"varyings",
          {{{"number", 0}, {"name", "uv"}, {"bits", {"3dcccccd", "7fc00000"}}, {"value", {0.1, "nan"}}},
           {{"number", 1}, {"name", "n"}, {"bits", {"ffffffff"}}, {"value", {-1}}}}}}}},
      {"buffers", {{{"number", 4}, {"name", "r"}, {"bits", {"ffffffff"}}, {"value", {4294967295}}}}},
      {"memory", {{{"address", "0x1000"}, {"bits", {"04030201"}}}}},
      {"executions", {{{"address", "0x0"}, {"lanes", 1}}}}};
  EXPECT_EQ(json, expected);
}

/// Colours of a fragment may be of different types, and each has its name.
TEST(RunResults, EveryColourIsOfItsOwnType) {
  Program program;
  program.interface.outputs = {{.name = "o", .type = "ivec4", .driver_location = 0, .semantic = {}},
                               {.name = "p", .type = "vec4", .driver_location = 1, .semantic = {}}};
  const std::array colours{ColourOutput{.colour = {1, 2, 3, 4}, .target = 0},
                           ColourOutput{.colour = {float_bits(0.5F), 0, 0, float_bits(1)}, .target = 0x100}};
  RunResult result;
  result.threads.push_back({.thread = {}, .state = LaneState::ended, .colours = colours, .varyings = {}});
  const auto json = nlohmann::json::parse(to_json(result, program, {}));
  EXPECT_EQ(json["outputs"][0]["colours"][0]["value"], (nlohmann::json{1, 2, 3, 4}));
  EXPECT_EQ(json["outputs"][0]["colours"][1]["value"], (nlohmann::json{0.5, 0.0, 0.0, 1.0}));
  const auto arrays = output_arrays(result, program.interface);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("o").kind, NumberKind::i32);
  EXPECT_EQ(arrays.at("p").kind, NumberKind::f32);
  EXPECT_THAT(arrays.at("o").words, ElementsAre(1, 2, 3, 4));

  // Where driver locations count words, as on Rogue.
  program.interface.outputs = {{.name = "p", .type = "vec4", .location = 4, .driver_location = 0, .semantic = {}},
                               {.name = "q", .type = "uvec2", .location = 5, .driver_location = 4, .semantic = {}}};
  const std::array second{ColourOutput{.colour = {7, 8, 0, 0}, .target = 0x100}};
  result.threads[0].colours = second;
  EXPECT_EQ(nlohmann::json::parse(to_json(result, program, {}))["outputs"][0]["colours"][0]["value"],
            (nlohmann::json{7, 8, 0, 0}));
  EXPECT_EQ(output_arrays(result, program.interface).at("q").kind, NumberKind::u32);
}

TEST(RunResults, ElementsOfAnArrayOfColoursHaveItsNameAndType) {
  Program program;
  program.interface.outputs = {
      {.name = "all", .type = "ivec4[2]", .location = 5, .driver_location = 1, .semantic = {}}};
  const std::array colours{ColourOutput{.colour = {1, 0, 0, 0}, .target = 0x100},
                           ColourOutput{.colour = {~0U, 0, 0, 0}, .target = 0x200}};
  RunResult result;
  result.threads.push_back({.thread = {}, .state = LaneState::ended, .colours = colours, .varyings = {}});
  const auto json = nlohmann::json::parse(to_json(result, program, {}))["outputs"][0]["colours"];
  EXPECT_EQ(json[0]["name"], "all[0]");
  EXPECT_EQ(json[1]["name"], "all[1]");
  EXPECT_EQ(json[1]["value"], (nlohmann::json{-1, 0, 0, 0}));
  const auto arrays = output_arrays(result, program.interface);
  EXPECT_THAT(arrays.at("all[0]").words, ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(arrays.at("all[1]").kind, NumberKind::i32);
}

TEST(RunResults, OutputsThatShareAVaryingAreListedOneByOne) {
  Program program;
  program.interface.outputs = {
      {.name = "a", .type = "uvec2[2]", .driver_location = 0, .component = 0, .semantic = {}},
      {.name = "b", .type = "float", .driver_location = 1, .component = 2, .semantic = {}},
      {.name = "unstored", .type = "float", .driver_location = 1, .component = 3, .semantic = {}}};
  const std::array varyings{VaryingOutput{.number = 1, .stored = 6, .value = {0, 7, 0x3F800000, 0}}};
  RunResult result;
  result.threads.push_back({.thread = {}, .state = LaneState::ended, .colours = {}, .varyings = varyings});
  const auto json = nlohmann::json::parse(to_json(result, program, {}))["outputs"][0]["varyings"];
  EXPECT_EQ(json, nlohmann::json::parse(R"([
      {"number": 1, "name": "a[1]", "bits": [null, "00000007"], "value": [null, 7]},
      {"number": 1, "name": "b", "component": 2, "bits": ["3f800000"], "value": [1.0]}])"));
}

}  // namespace
}  // namespace mobula
