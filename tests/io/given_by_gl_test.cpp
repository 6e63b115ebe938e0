#include "io/given_by_gl.h"

#include <gmock/gmock.h>

namespace mobula::io {
namespace {

constexpr std::uint32_t half = 0x3F000000, one = 0x3F800000;

TEST(GivenByGl, UniformsAreWhereTheInterfaceHasThem) {
  Interface interface;
  interface.uniforms = {{.name = "gl_NumSamples", .type = "int", .driver_location = 5},
                        {.name = "gl_DepthRange.far", .type = "float", .driver_location = 7},
                        {.name = "gl_DepthRange.near", .type = "float", .driver_location = -1},
                        {.name = "scale", .type = "float", .driver_location = 9}};
  RunInputs inputs;
  give_uniforms_of_gl(inputs, interface);
  give_uniforms_of_gl(inputs, interface);
  ASSERT_EQ(inputs.uniforms.size(), 2u) << "once";
  EXPECT_EQ(inputs.uniforms[0].first, 5u);
  EXPECT_THAT(inputs.uniforms[0].values, testing::ElementsAre(1u));
  EXPECT_EQ(inputs.uniforms[1].first, 7u);
  EXPECT_THAT(inputs.uniforms[1].values, testing::ElementsAre(one));
  RunInputs whole;
  whole.uniform_buffers[0] = {0, 0, 0, 0, 0, 0, 0};
  give_uniforms_of_gl(whole, interface);
  ASSERT_EQ(whole.uniforms.size(), 1u) << "what is beyond the buffer";
  EXPECT_EQ(whole.uniforms[0].first, 7u);
}

/// Word by word: what inputs give of an array or a vector leaves the rest.
TEST(GivenByGl, UniformsHaveTheirInitialValues) {
  Interface interface;
  interface.uniforms = {{.name = "pair", .type = "ivec2", .driver_location = 2, .initial = {1, ~0u}}};
  RunInputs inputs;
  inputs.uniforms = {{3, {7}}};
  give_uniforms_of_gl(inputs, interface);
  give_uniforms_of_gl(inputs, interface);
  ASSERT_EQ(inputs.uniforms.size(), 2u) << "once";
  EXPECT_EQ(inputs.uniforms[1].first, 2u);
  EXPECT_THAT(inputs.uniforms[1].values, testing::ElementsAre(1u));
  interface.layout = ValueLayout::float_vec4s;
  RunInputs floats;
  give_uniforms_of_gl(floats, interface);
  ASSERT_EQ(floats.uniforms.size(), 2u);
  EXPECT_EQ(floats.uniforms[0].first, 8u) << "the second vec4";
  EXPECT_THAT(floats.uniforms[0].values, testing::ElementsAre(one));
  EXPECT_THAT(floats.uniforms[1].values, testing::ElementsAre(one | 1u << 31));
}

TEST(GivenByGl, TheSampleIsGivenUnlessTheInputsDo) {
  Interface interface;
  interface.inputs = {{.name = "gl_SamplePosition", .type = "vec2", .driver_location = 3},
                      {.name = "gl_SampleID", .type = "int", .driver_location = 4},
                      {.name = "gl_SampleMask[0]", .type = "int", .driver_location = 5}};
  RunInputs inputs;
  inputs.varyings[4] = {{7, 0, 0, 0}};
  inputs.corners[5] = {};
  give_sample(inputs, interface);
  EXPECT_THAT(inputs.varyings.at(3), testing::ElementsAre(RunVec4{half, half, 0, 0}));
  EXPECT_THAT(inputs.varyings.at(4), testing::ElementsAre(RunVec4{7, 0, 0, 0}));
  EXPECT_FALSE(inputs.varyings.contains(5));
}

}  // namespace
}  // namespace mobula::io
