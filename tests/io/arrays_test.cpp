// Inputs and outputs of runs as arrays.
#include "mobula/lab/arrays.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>

namespace mobula {
namespace {

Interface interface_of_a_fragment() {
  Interface interface;
  interface.stage = Stage::fragment;
  interface.inputs = {{.name = "a", .type = "vec2", .driver_location = 1, .component = 2}};
  interface.uniforms = {{.name = "n", .type = "int", .driver_location = 3},
                        {.name = "s", .type = "float", .driver_location = 5},
                        {.name = "t", .type = "sampler2D", .driver_location = 0}};
  interface.ssbo_blocks = {{.name = "out_words", .type = "uint[]", .driver_location = 2}};
  return interface;
}

std::string code_of(const Result<void>& done) { return done ? "" : done.error().front().code; }

struct ArrayInputs : testing::Test {
  Interface interface = interface_of_a_fragment();
  RunInputs inputs;

  std::string set(std::string_view name, std::vector<float> values, std::size_t rows) {
    RunWords words;
    for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
    return code_of(set_array(inputs, interface, name, {.words = words, .rows = rows}));
  }
  std::string set_whole(std::string_view name, RunWords words) {
    return code_of(set_array(inputs, interface, name, {.words = words, .rows = 1, .kind = NumberKind::i32}));
  }
};

TEST_F(ArrayInputs, GoWhereTheirNamesLead) {
  EXPECT_EQ(set("a", {1, 2, 3, 4}, 2), "");
  EXPECT_EQ(inputs.threads, 2u);
  EXPECT_EQ(inputs.varyings.at(1)[1][2], std::bit_cast<std::uint32_t>(3.0f));
  EXPECT_EQ(inputs.varyings.at(1)[1][3], std::bit_cast<std::uint32_t>(4.0f));
  EXPECT_EQ(set_whole("n", {7}), "");
  EXPECT_EQ(inputs.uniforms.back().first, 3u);
  EXPECT_EQ(inputs.uniforms.back().values, RunWords{7});
  EXPECT_EQ(set_whole("out_words", {8, 9}), "");
  EXPECT_EQ(inputs.buffers.at(2), (RunWords{8, 9}));
}

TEST_F(ArrayInputs, OfFloatMachinesHaveWholeNumbersForIntegers) {
  interface.layout = ValueLayout::float_vec4s;
  EXPECT_EQ(set("n", {7}, 1), "");
  EXPECT_EQ(inputs.uniforms.back().values[0], std::bit_cast<std::uint32_t>(7.0f));
  EXPECT_EQ(set("n", {7.5}, 1), "IN021");
  EXPECT_EQ(set_whole("n", {8}), "");
  EXPECT_EQ(inputs.uniforms.back().values[0], std::bit_cast<std::uint32_t>(8.0f));
}

TEST_F(ArrayInputs, AreTheSameNumbersInTheProgram) {
  interface.uniforms.push_back({.name = "u", .type = "uint", .driver_location = 4});
  const RunWords high{0xFFFFFFFF};
  const auto set_as = [&](std::string_view name, NumberKind kind) {
    return code_of(set_array(inputs, interface, name, {.words = high, .rows = 1, .kind = kind}));
  };
  EXPECT_EQ(set_as("u", NumberKind::u32), "");
  EXPECT_EQ(set_as("n", NumberKind::i32), "");
  EXPECT_EQ(set_as("u", NumberKind::i32), "IN024") << "-1";
  EXPECT_EQ(set_as("out_words", NumberKind::i32), "IN024");
  EXPECT_EQ(set_as("n", NumberKind::u32), "IN024") << "4294967295";
  EXPECT_EQ(set_as("s", NumberKind::i32), "") << "floats take both";
}

TEST_F(ArrayInputs, OfBlocksAreWhatTheirMembersAre) {
  interface.ubo_blocks = {{.name = "whole", .driver_location = 0, .members = {{"n", "int[4]", 0, 16}}},
                          {.name = "mixed", .driver_location = 1, .members = {{"n", "int", 0}, {"f", "float", 4}}}};
  EXPECT_EQ(set_whole("whole", {5}), "");
  EXPECT_EQ(inputs.uniform_buffers.at(0), RunWords{5});
  EXPECT_EQ(set("whole", {5}, 1), "IN021");
  EXPECT_EQ(set_whole("mixed", {5}), "IN021") << "an integer, or a float";
  const RunWords words{5, std::bit_cast<std::uint32_t>(1.5f)};
  EXPECT_EQ(code_of(set_array(inputs, interface, "mixed", {.words = words, .rows = 1, .kind = NumberKind::u32})), "");
  EXPECT_EQ(inputs.uniform_buffers.at(1), words);
}

TEST_F(ArrayInputs, GoToTheElementsOfWhatHasItsWordsApart) {
  interface.uniforms.push_back({.name = "m[0]", .type = "vec2", .driver_location = 8});
  interface.uniforms.push_back({.name = "m[1]", .type = "vec2", .driver_location = 12});
  EXPECT_EQ(set("m", {1, 2, 3}, 1), "");
  ASSERT_EQ(inputs.uniforms.size(), 2u);
  EXPECT_EQ(inputs.uniforms[1].first, 12u);
  EXPECT_EQ(inputs.uniforms[1].values, RunWords{std::bit_cast<std::uint32_t>(3.0f)});
  EXPECT_EQ(set("m", {1, 2, 3, 4, 5}, 1), "IN007");
}

TEST_F(ArrayInputs, BecomeFloatsWhereThoseAreTaken) {
  EXPECT_EQ(set_whole("s", {static_cast<std::uint32_t>(-2)}), "");
  EXPECT_EQ(inputs.uniforms.back().values.front(), std::bit_cast<std::uint32_t>(-2.0f));
  EXPECT_EQ(set("n", {1}, 1), "IN021");
}

TEST_F(ArrayInputs, MayBeOfWhatIsNotRead) {
  interface.inputs.push_back({.name = "away", .type = "vec2", .driver_location = -1});
  interface.uniforms.push_back({.name = "spare", .type = "float", .driver_location = -1});
  interface.uniforms.push_back({.name = "dark", .type = "sampler", .driver_location = -1});
  const std::size_t before = inputs.uniforms.size();
  EXPECT_EQ(set("away", {1, 2}, 1), "");
  EXPECT_EQ(set("spare", {1}, 1), "");
  const std::vector<std::uint8_t> texels(16);
  EXPECT_EQ(code_of(set_texture(inputs, interface, "dark", {2, 2}, "rgba8_unorm", texels)), "");
  EXPECT_EQ(inputs.uniforms.size(), before);
  EXPECT_TRUE(inputs.textures.empty());
}

TEST_F(ArrayInputs, ThatDoNotFitAreRefused) {
  EXPECT_EQ(set("b", {1}, 1), "IN005");
  EXPECT_EQ(set("a", {1, 2, 3}, 1), "IN007");
  EXPECT_EQ(set("s", {1, 2}, 1), "IN007");
  EXPECT_EQ(set("a", {1, 2, 3}, 2), "IN022");
  EXPECT_EQ(set("a", {}, 1), "IN022");
  EXPECT_EQ(set("t", {1}, 1), "IN010");
  EXPECT_EQ(set("a", {1, 2, 3, 4}, 2), "");
  EXPECT_EQ(set("a", {1, 2, 3, 4, 5, 6}, 3), "IN009");
}

TEST_F(ArrayInputs, OfCornersHaveFourRows) {
  const RunWords words(8);
  EXPECT_EQ(code_of(set_corners(inputs, interface, "a", {.words = words, .rows = 4})), "");
  EXPECT_TRUE(inputs.corners.contains(1));
  EXPECT_EQ(code_of(set_corners(inputs, interface, "a", {.words = words, .rows = 2})), "IN022");
}

TEST_F(ArrayInputs, OfTexturesNameTheirFormat) {
  const std::vector<std::uint8_t> texels(16);
  EXPECT_EQ(code_of(set_texture(inputs, interface, "t", {2, 2}, "rgba8_unorm", texels)), "");
  EXPECT_TRUE(inputs.textures.contains(0));
  EXPECT_EQ(code_of(set_texture(inputs, interface, "t", {2, 2}, "rgba9", texels)), "TX016");
  EXPECT_EQ(code_of(set_texture(inputs, interface, "a", {2, 2}, "rgba8_unorm", texels)), "IN005");
  EXPECT_NE(code_of(set_texture(inputs, interface, "t", {3, 2}, "rgba8_unorm", texels)), "");
}

TEST(ArrayOutputs, AreByNameWithRowsForAllThreads) {
  Interface interface;
  interface.outputs = {{.name = "v", .type = "vec2", .driver_location = 4}};
  RunResult result;
  result.threads.resize(3);
  const std::array varyings{VaryingOutput{.number = 4, .stored = 3, .value = {5, 6, 0, 0}}};
  const std::array colours{ColourOutput{.colour = {1, 2, 3, 4}}};
  result.threads[1].varyings = varyings;
  result.threads[2].colours = colours;
  result.buffers[7] = {9};
  const auto arrays = output_arrays(result, interface);
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_EQ(arrays.at("v").shape, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(arrays.at("v").words, (RunWords{0, 0, 5, 6, 0, 0}));
  EXPECT_EQ(arrays.at("colour").words, (RunWords{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(arrays.at("buffer 7").shape, std::vector<std::size_t>{1});
}

TEST(ArrayOutputs, ThatShareAVaryingAreApart) {
  Interface interface;
  interface.outputs = {{.name = "b", .type = "ivec2", .driver_location = 1, .component = 2},
                       {.name = "a", .type = "float", .driver_location = 1},
                       {.name = "unstored", .type = "float", .driver_location = 1, .component = 1}};
  RunResult result;
  const std::array varyings{VaryingOutput{.number = 1, .stored = 13, .value = {5, 0, 6, 7}}};
  result.threads.push_back({.thread = {}, .state = LaneState::ended, .colours = {}, .varyings = varyings});
  const auto arrays = output_arrays(result, interface);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("a").words, RunWords{5});
  EXPECT_EQ(arrays.at("b").words, (RunWords{6, 7}));
  EXPECT_EQ(arrays.at("b").kind, NumberKind::i32);
}

}  // namespace
}  // namespace mobula
