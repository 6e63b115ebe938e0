#include "io/storage_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/float_bits.h"
#include "ir/builder.h"
#include "mobula/lab/run.h"

namespace mobula {
namespace {

using ir::Operand;
using ir::Service;
using ir::Type;
using testing::ElementsAre;
using testing::HasSubstr;

Result<RunInputs> image_inputs(std::string_view document) {
  Interface interface;
  interface.uniforms = {{.name = "target", .type = "image2D", .driver_location = 3}};
  return read_run_inputs({"in.json", document}, interface,
                         [](const std::string&) -> Result<std::vector<std::uint8_t>> { return fail("T1", "no file"); });
}

/// Stores the four words, of which r0 to r3 tell, at (x, y) and loads (u, v) as the colour.
ir::Program storing_and_loading(Type type, std::array<std::uint32_t, 4> words, std::array<std::int32_t, 2> to,
                                std::array<std::int32_t, 2> from) {
  ir::Builder builder({{"r0.x", 0, 4}, {"r0.y", 4, 4}, {"r0.z", 8, 4}, {"r0.w", 12, 4}});
  builder.begin_block(0, 16);
  const auto number = [&](std::int32_t value) { return builder.constant_u32(static_cast<std::uint32_t>(value)); };
  for (std::uint32_t i = 0; i < 4; ++i)
    builder.emit(ir::Op::mov, Type::i32, Operand::state(4 * i), builder.constant_u32(words[i]));
  builder.call({.service = Service::store_image,
                .type = type,
                .count = 4,
                .data = Operand::state(0),
                .args = {number(3), number(to[0]), number(to[1]), number(77)}});
  builder.call({.service = Service::load_image,
                .type = type,
                .count = 4,
                .data = Operand::state(0),
                .args = {number(3), number(from[0]), number(from[1]), number(99)}});
  builder.call({.service = Service::fragment_out,
                .type = Type::i32,
                .count = 4,
                .data = Operand::state(0),
                .args = {number(0), number(0), number(0), builder.temporary(Type::i32)}});
  builder.end();
  builder.end_block();
  return builder.finish(0);
}

RunResult run_image(const ir::Program& lifted, const std::string& image) {
  const auto inputs = image_inputs(R"({"images": {"target": )" + image + "}}");
  EXPECT_TRUE(inputs) << render(inputs.error());
  Program program;
  program.interface.stage = Stage::fragment;
  auto result = run_program(program, lifted, inputs ? *inputs : RunInputs{}, {});
  EXPECT_TRUE(result) << render(result.error());
  return std::move(result).value();
}

constexpr std::uint32_t one = 0x3F800000, half = 0x3F000000, two = 0x40000000, nan = 0x7FC00000, minus_one = 0xBF800000;

TEST(StorageImage, StoresConvertToTheFormatAndLoadsBack) {
  const RunResult result = run_image(storing_and_loading(Type::f32, {two, half, nan, one}, {1, 2}, {1, 2}),
                                     R"({"address": "0x1000", "size": [4, 3], "format": "rgba8_unorm"})");
  ASSERT_TRUE(result.diagnostics.empty()) << render(result.diagnostics);
  EXPECT_THAT(result.threads[0].colours[0].colour, ElementsAre(one, io::float_bits(128 / 255.0), 0, one));
  ASSERT_EQ(result.memory.size(), 1u) << "an image without memory gets its own";
  EXPECT_EQ(result.memory[0].address, 0x1000u);
  ASSERT_EQ(result.memory[0].bytes.size(), 4u * 3 * 4);
  const std::size_t at = (2 * 4 + 1) * 4;
  EXPECT_THAT(std::vector(result.memory[0].bytes.begin() + at, result.memory[0].bytes.begin() + at + 4),
              ElementsAre(255, 128, 0, 255));
}

TEST(StorageImage, SignedFixedPointHalvesAndIntegersKeepTheirSign) {
  EXPECT_THAT(run_image(storing_and_loading(Type::f32, {minus_one, two, half, 0}, {0, 0}, {0, 0}),
                        R"({"address": "0x0", "size": [1], "format": "rgba8_snorm"})")
                  .memory[0]
                  .bytes,
              ElementsAre(0x81, 0x7F, 0x40, 0));
  EXPECT_THAT(run_image(storing_and_loading(Type::f32, {minus_one, 0, 0, 0}, {0, 0}, {0, 0}),
                        R"({"address": "0x0", "size": [1], "format": "r16_float"})")
                  .memory[0]
                  .bytes,
              ElementsAre(0, 0xBC));
  EXPECT_THAT(run_image(storing_and_loading(Type::i32, {0xFFFFFFFE, 0, 0, 0}, {0, 0}, {0, 0}),
                        R"({"address": "0x0", "size": [1, 1], "format": "r8_sint"})")
                  .threads[0]
                  .colours[0]
                  .colour,
              ElementsAre(0xFFFFFFFE, 0, 0, 1));
}

TEST(StorageImage, OutsideOfItNothingIsStoredAndZeroLoaded) {
  const std::string image = R"({"address": "0x1000", "size": [2, 2], "format": "r32_uint"})";
  for (const std::array<std::int32_t, 2> outside : {std::array{2, 0}, {0, 2}, {-1, 0}, {0, -1}}) {
    const RunResult result = run_image(storing_and_loading(Type::i32, {7, 0, 0, 0}, outside, outside), image);
    EXPECT_TRUE(result.diagnostics.empty()) << render(result.diagnostics);
    EXPECT_THAT(result.threads[0].colours[0].colour, ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(result.memory[0].bytes, testing::Each(0));
  }
}

TEST(StorageImage, WhatDoesNotFitIsAFault) {
  const auto fault = [](Type type, std::uint32_t word, const std::string& format) {
    const RunResult result = run_image(storing_and_loading(type, {word, 0, 0, 0}, {0, 0}, {0, 0}),
                                       R"({"address": "0x10", "size": [1, 1], "format": ")" + format + "\"}");
    return result.diagnostics.empty() ? std::string() : result.diagnostics[0].message;
  };
  EXPECT_THAT(fault(Type::i32, 256, "rgba8_uint"), HasSubstr("rgba8_uint has no room"));
  EXPECT_THAT(fault(Type::i32, 128, "r8_sint"), HasSubstr("r8_sint has no room"));
  EXPECT_THAT(fault(Type::i32, 1, "r32_float"), HasSubstr("treats its texels as integers"));
  EXPECT_THAT(fault(Type::f32, 1, "r32_uint"), HasSubstr("treats its texels as floats"));
  EXPECT_EQ(fault(Type::i32, 255, "rgba8_uint"), "");
}

TEST(StorageImage, MemoryThatIsGivenIsTheImage) {
  const auto inputs = image_inputs(
      R"({"memory": {"0x1000": [1, 2, 3, 4]}, "images": {"3": {"address": "0x1004", "size": [2], "format": "r32_uint"}}})");
  ASSERT_TRUE(inputs) << render(inputs.error());
  ASSERT_EQ(inputs->memory.size(), 1u);
  const io::StorageImage& image = *inputs->images.at(3);
  EXPECT_EQ(image.address_of({1, 55, 66}), 0x1008u);
  EXPECT_EQ(image.address_of({2, 0, 0}), std::nullopt);
}

TEST(StorageImage, WrongDescriptionsAreLocated) {
  const auto codes = [](std::string_view text) {
    std::vector<std::string> found;
    const auto inputs = image_inputs(text);
    if (!inputs)
      for (const Diagnostic& each : inputs.error()) found.push_back(each.code);
    return found;
  };
  EXPECT_THAT(codes(R"({"images": {"0": {}}})"), ElementsAre("IN006", "IN006", "IN006"));
  EXPECT_THAT(codes(R"({"images": {"0": {"address": "12", "size": [1, 2, 3, 4], "format": "rgb9"}}})"),
              ElementsAre("IN003", "IN003", "IN003"));
  EXPECT_THAT(codes(R"({"images": {"0": {"address": 12, "size": [0], "format": 3, "kind": 1}}})"),
              ElementsAre("IN004", "IN003", "IN003", "IN003", "IN003"));
  EXPECT_THAT(codes(R"({"images": {"0": 5, "tex": {}}})"), testing::Contains("IN005"));
  EXPECT_THAT(
      codes(R"({"images": {"0": {"address": "0x0", "size": [16384, 16384, 16384], "format": "rgba32_float"}}})"),
      ElementsAre("IN008"));
}

}  // namespace
}  // namespace mobula
