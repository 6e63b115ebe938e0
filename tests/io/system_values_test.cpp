#include "io/system_values.h"

#include <gtest/gtest.h>

#include <bit>

#include "io/float_bits.h"
#include "io/run_environment.h"
#include "io/storage_image.h"
#include "io/texture.h"

namespace mobula::io {
namespace {

TEST(SystemValues, EachHasItsFourWords) {
  Interface interface;
  interface.system_values = {{1, 0}, {2, 0}, {4, 3}, {5, 0}, {3, 2 | 2 << 7}, {3, 4 | 1 << 7 | 1 << 9}, {14, 0}};
  RunInputs inputs;
  inputs.viewport = {.scale = {10, 20, 0.5f}, .offset = {1, 2, 3}};
  inputs.groups = {7, 8, 9};
  Texture flat = constant_texture({}), array = constant_texture({});
  flat.size = {.width = 64, .height = 32};
  array.size = {.shape = ir::Texture::Shape::d1, .width = 16, .layers = 5};
  inputs.textures = {{2, std::make_shared<Texture>(flat)}, {4, std::make_shared<Texture>(array)}};
  inputs.system_values = {{6, {1, 2, 3, 4}}};
  Diagnostics warnings;
  const RunWords words = system_value_words(interface, inputs, {{3, 256}}, warnings);
  const std::uint64_t address = buffer_base + 3 * buffer_stride;
  EXPECT_EQ(words, (RunWords{float_bits(10),
                             float_bits(20),
                             float_bits(0.5f),
                             0,
                             float_bits(1),
                             float_bits(2),
                             float_bits(3),
                             0,
                             static_cast<std::uint32_t>(address),
                             static_cast<std::uint32_t>(address >> 32),
                             256,
                             0,
                             7,
                             8,
                             9,
                             0,
                             64,
                             32,
                             0,
                             0,
                             16,
                             5,
                             0,
                             0,
                             1,
                             2,
                             3,
                             4}));
  EXPECT_TRUE(warnings.empty());
}

TEST(SystemValues, ImagesHaveTheSizesOfTheirTexels) {
  Interface interface;
  interface.system_values = {{10, 1 | 2 << 7}, {10, 2 | 2 << 7 | 1 << 9}, {10, 2 | 2 << 7 | 1 << 9 | 1 << 10}, {10, 9}};
  RunInputs inputs;
  const StorageImage plane{.size = {8, 4, 1}}, stack{.size = {5, 5, 12}, .dimensions = 3};
  inputs.images = {{1, std::make_shared<StorageImage>(plane)}, {2, std::make_shared<StorageImage>(stack)}};
  Diagnostics warnings;
  EXPECT_EQ(system_value_words(interface, inputs, {}, warnings),
            (RunWords{8, 4, 0, 0, 5, 5, 12, 0, 5, 5, 2, 0, 0, 0, 0, 0}));
}

TEST(SystemValues, LevelsOfDetailAreThoseOfTheSampler) {
  Interface interface;
  interface.system_values = {{7, 2}, {7, 3}, {7, 9}};
  RunInputs inputs;
  inputs.samplers = {{2, std::make_shared<Sampler>(Sampler{.lod_bias = -0.5f, .min_lod = 1, .max_lod = 4})},
                     {3, std::make_shared<Sampler>(Sampler{.mip = MipFilter::none, .min_lod = 2, .max_lod = 4})}};
  Diagnostics warnings;
  EXPECT_EQ(system_value_words(interface, inputs, {}, warnings),
            (RunWords{float_bits(1), float_bits(4), float_bits(-0.5f), 0, float_bits(2), float_bits(2 + 1.0f / 256), 0,
                      0, float_bits(-1000), float_bits(1000), 0, 0}));
  EXPECT_TRUE(warnings.empty());
}

TEST(SystemValues, WhatIsUnknownIsZeroAndSaid) {
  Interface interface;
  interface.system_values = {{99, 0}, {4, 7}, {3, 0}};
  interface.ssbo_blocks = {{.name = "r", .driver_location = 7}};
  Diagnostics warnings;
  EXPECT_EQ(system_value_words(interface, {}, {}, warnings), RunWords(12));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[1].code, "RN014");
  EXPECT_EQ(warnings[1].message, "the inputs give no buffer 7 (r); its address is 0");
  EXPECT_EQ(warnings[0].code, "RN005");
  EXPECT_EQ(warnings[0].severity, Severity::warning);
}

}  // namespace
}  // namespace mobula::io
