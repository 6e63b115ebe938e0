#include "io/texture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "execute/kernels.h"
#include "io/difficult.h"
#include "io/float_bits.h"
#include "trials.h"

namespace mobula::io {
namespace {

using Op = ir::Texture;
using Shape = Op::Shape;
using Bytes = std::vector<std::uint8_t>;

float real(std::uint32_t value) { return std::bit_cast<float>(value); }

/// Single-component float texture whose texels count 0, 1, 2 ...
Texture counting(TextureSize size) {
  const std::uint32_t planes = size.layers * (size.shape == Shape::cube ? 6 : 1);
  std::size_t texels = 0;
  std::uint32_t w = size.width, h = size.height, d = size.depth;
  for (std::uint32_t level = 0; level < size.levels; ++level) {
    texels += std::size_t{w} * h * d * planes;
    w = std::max(w / 2, 1u), h = std::max(h / 2, 1u), d = std::max(d / 2, 1u);
  }
  Bytes bytes;
  for (std::size_t i = 0; i < texels; ++i) {
    const std::uint32_t value = float_bits(static_cast<float>(i));
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
  auto texture = make_texture(size, *find_texel_format("r32_float"), bytes, "test");
  EXPECT_TRUE(texture) << render(texture.error());
  return std::move(texture).value();
}

/// A request with its operation.
struct Ask {
  Op op;
  TextureRequest request;

  explicit Ask(Shape shape, std::array<float, 4> at = {}) {
    op.shape = shape;
    for (std::size_t i = 0; i < 4; ++i) request.coordinate[i] = float_bits(at[i]);
  }
  std::array<std::uint32_t, 4> words(const Texture& texture, const Sampler& sampler = {}) {
    std::array<std::uint32_t, 4> out{};
    request.op = &op;
    const Fault fault = sample(texture, sampler, request, out);
    EXPECT_FALSE(fault) << fault.reason;
    return out;
  }
  float operator()(const Texture& texture, const Sampler& sampler = {}) { return real(words(texture, sampler)[0]); }
  std::string fault(const Texture& texture) {
    std::array<std::uint32_t, 4> out{};
    request.op = &op;
    return sample(texture, {}, request, out).reason;
  }
};

Sampler nearest(Wrap wrap = Wrap::repeat) {
  return {.min = Filter::nearest,
          .mag = Filter::nearest,
          .mip = MipFilter::none,
          .wrap = {wrap, wrap, wrap},
          .border = {float_bits(-9)}};
}
Sampler linear(Wrap wrap = Wrap::repeat) {
  return {.mip = MipFilter::none, .wrap = {wrap, wrap, wrap}, .border = {float_bits(-9)}};
}

// ---- texels and sizes

TEST(Texture, DecodesEveryKindOfComponent) {
  const auto one = [](std::string_view format, const Bytes& bytes) {
    const auto texture = make_texture({}, *find_texel_format(format), bytes, "");
    EXPECT_TRUE(texture) << format;
    return texture->texels.at(0);
  };
  using Texel = Texture::Texel;
  EXPECT_EQ(one("rgba8_unorm", {0, 51, 102, 255}), (Texel{0, float_bits(0.2f), float_bits(0.4f), float_bits(1)}));
  EXPECT_EQ(one("r8_unorm", {255}), (Texel{float_bits(1), 0, 0, float_bits(1)}));
  EXPECT_EQ(one("rg8_snorm", {0x80, 0x7F}), (Texel{float_bits(-1), float_bits(1), 0, float_bits(1)}));
  EXPECT_EQ(one("r16_unorm", {0xFF, 0xFF}), (Texel{float_bits(1), 0, 0, float_bits(1)}));
  EXPECT_EQ(one("rg16_float", {0x00, 0x38, 0x01, 0x00}),
            (Texel{float_bits(0.5f), float_bits(std::ldexp(1.0f, -24)), 0, float_bits(1)}));
  EXPECT_EQ(one("r32_float", {0, 0, 0x80, 0x3F}), (Texel{float_bits(1), 0, 0, float_bits(1)}));
  EXPECT_EQ(one("r8_sint", {0xFF}), (Texel{0xFFFFFFFF, 0, 0, 1}));
  EXPECT_EQ(one("rgba8_uint", {1, 2, 3, 255}), (Texel{1, 2, 3, 255}));
  EXPECT_EQ(find_texel_format("rgba9"), nullptr);
}

TEST(Texture, ImpossibleSizesAreErrors) {
  const auto code = [](TextureSize size, std::size_t bytes = 4) {
    const auto texture = make_texture(size, *find_texel_format("rgba8_unorm"), Bytes(bytes), "f");
    return texture ? std::string() : texture.error()[0].code;
  };
  EXPECT_EQ(code({}), "");
  EXPECT_EQ(code({.width = 0}), "TX010");
  EXPECT_EQ(code({.width = 0xFFFFFFFF}), "TX010");
  EXPECT_EQ(code({.shape = Shape::d1, .height = 2}), "TX011");
  EXPECT_EQ(code({.shape = Shape::cube, .width = 2}), "TX011");
  EXPECT_EQ(code({.shape = Shape::d3, .layers = 2}), "TX011");
  EXPECT_EQ(code({.levels = 2}), "TX012");
  EXPECT_EQ(code({.levels = 0}), "TX012");
  EXPECT_EQ(code({}, 5), "TX013");
  EXPECT_EQ(code({.width = 16384, .height = 16384, .layers = 16384}), "TX002");
}

TEST(Texture, PixelsBecomeOneLevel) {
  const auto texture = make_texture(Pixels{.width = 2, .height = 1, .bytes = {255, 0, 0, 255, 0, 255, 0, 255}});
  EXPECT_EQ(Ask(Shape::d2, {0.75f, 0.5f}).words(*texture, nearest()),
            (std::array<std::uint32_t, 4>{0, float_bits(1), 0, float_bits(1)}));
  const auto deep =
      make_texture(Pixels{.width = 1, .height = 1, .component_bits = 16, .bytes = {0xFF, 0xFF, 0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(real(deep->texels[0][0]), 1.0f);
}

TEST(Texture, GeneratedLevelsAreAveragesOfTheArea) {
  Texture square = counting({.width = 4, .height = 4});
  ASSERT_TRUE(generate_levels(square));
  ASSERT_EQ(square.levels.size(), 3u);
  EXPECT_EQ(real(square.texels[square.levels[1].first][0]), (0 + 1 + 4 + 5) / 4.0f);
  EXPECT_EQ(real(square.texels[square.levels[2].first][0]), 7.5f);
  Texture odd = counting({.shape = Shape::d1, .width = 3});
  ASSERT_TRUE(generate_levels(odd));
  EXPECT_EQ(odd.levels[1].width, 1u);
  EXPECT_EQ(real(odd.texels[3][0]), 1.0f);
  Texture five = counting({.shape = Shape::d1, .width = 5});
  ASSERT_TRUE(generate_levels(five));
  EXPECT_FLOAT_EQ(real(five.texels[5][0]), (0 + 1 + 0.5f * 2) / 2.5f);
  EXPECT_FLOAT_EQ(real(five.texels[6][0]), (0.5f * 2 + 3 + 4) / 2.5f);
  Texture cube = counting({.shape = Shape::cube, .width = 2, .height = 2});
  ASSERT_TRUE(generate_levels(cube));
  EXPECT_EQ(real(cube.texels[cube.levels[1].first + 3][0]), 13.5f);
  Texture integers = make_texture({}, *find_texel_format("r32_uint"), Bytes(4), "").value();
  EXPECT_EQ(generate_levels(integers).error()[0].code, "TX014");
}

// ---- coordinates

TEST(Sample, WrapsEachWay) {
  const Texture texture = counting({.shape = Shape::d1, .width = 4});
  const auto at = [&](float texel, Wrap wrap) { return Ask(Shape::d1, {(texel + 0.5f) / 4})(texture, nearest(wrap)); };
  const float inside = at(2, Wrap::repeat);
  EXPECT_EQ(inside, 2);
  EXPECT_EQ(at(4, Wrap::repeat), 0);
  EXPECT_EQ(at(-1, Wrap::repeat), 3);
  EXPECT_EQ(at(-5, Wrap::repeat), 3);
  EXPECT_EQ(at(5, Wrap::clamp_to_edge), 3);
  EXPECT_EQ(at(-3, Wrap::clamp_to_edge), 0);
  EXPECT_EQ(at(4, Wrap::mirrored_repeat), 3);
  EXPECT_EQ(at(7, Wrap::mirrored_repeat), 0);
  EXPECT_EQ(at(8, Wrap::mirrored_repeat), 0);
  EXPECT_EQ(at(-1, Wrap::mirrored_repeat), 0);
  EXPECT_EQ(at(-5, Wrap::mirrored_repeat), 3);
  EXPECT_EQ(at(4, Wrap::clamp_to_border), -9);
  EXPECT_EQ(at(-1, Wrap::clamp_to_border), -9);
  EXPECT_EQ(at(-1, Wrap::mirror_clamp), 0);
  EXPECT_EQ(at(-3, Wrap::mirror_clamp), 2);
  EXPECT_EQ(at(-7, Wrap::mirror_clamp), 3);
  EXPECT_EQ(at(9, Wrap::mirror_clamp), 3);
}

TEST(Sample, ExtremeCoordinatesStayInside) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Wrap wrap :
       {Wrap::repeat, Wrap::clamp_to_edge, Wrap::mirrored_repeat, Wrap::clamp_to_border, Wrap::mirror_clamp}) {
    for (const float value : {infinity, -infinity, std::nanf(""), 3e38f, -3e38f}) {
      for (const Sampler& sampler : {nearest(wrap), linear(wrap)}) {
        (void)Ask(Shape::d2, {value, value, value, value})(counting({.width = 4, .height = 2, .layers = 3}), sampler);
        (void)Ask(Shape::cube, {0, value, value, value})(counting({.shape = Shape::cube, .width = 4, .height = 4}),
                                                         sampler);
      }
    }
  }
}

TEST(Sample, LinearFilterWeighsTexelCentres) {
  const Texture texture = counting({.width = 2, .height = 2});
  EXPECT_EQ(Ask(Shape::d2, {0.5f, 0.5f})(texture, linear()), 1.5f);
  EXPECT_EQ(Ask(Shape::d2, {0.25f, 0.25f})(texture, linear()), 0);
  EXPECT_EQ(Ask(Shape::d2, {0.375f, 0.25f})(texture, linear()), 0.25f);
  EXPECT_EQ(Ask(Shape::d2, {0.25f, 0.375f})(texture, linear()), 0.5f);
  EXPECT_EQ(Ask(Shape::d2, {0.0f, 0.25f})(texture, linear()), 0.5f);  // half of the neighbour across the edge
  EXPECT_EQ(Ask(Shape::d2, {0.0f, 0.25f})(texture, linear(Wrap::clamp_to_edge)), 0);
  EXPECT_EQ(Ask(Shape::d2, {0.0f, 0.25f})(texture, linear(Wrap::clamp_to_border)), -4.5f);
}

TEST(Sample, ThreeDimensionsAndLayers) {
  const Texture volume = counting({.shape = Shape::d3, .width = 2, .height = 2, .depth = 2});
  EXPECT_EQ(Ask(Shape::d3, {0.5f, 0.5f, 0.5f})(volume, linear()), 3.5f);
  EXPECT_EQ(Ask(Shape::d3, {0.25f, 0.25f, 0.75f})(volume, linear()), 4);
  const Texture layers = counting({.width = 2, .height = 1, .layers = 3});
  const auto layer = [&](float number) { return Ask(Shape::d2, {0.25f, 0.5f, 0, number})(layers, linear()); };
  EXPECT_EQ(layer(1), 2);
  EXPECT_EQ(layer(1.4f), 2);
  EXPECT_EQ(layer(1.5f), 4);
  EXPECT_EQ(layer(-3), 0);
  EXPECT_EQ(layer(99), 4);
}

TEST(Sample, OffsetsCountTexels) {
  const Texture texture = counting({.width = 4, .height = 4});
  Ask ask(Shape::d2, {0.125f, 0.125f});
  ask.request.offset = {1, 2, 0};
  EXPECT_EQ(ask(texture, nearest()), 9);
  ask.request.offset = {-1, 0, 0};
  EXPECT_EQ(ask(texture, linear(Wrap::repeat)), 3);
}

TEST(Sample, UnnormalisedCoordinatesAreTexels) {
  Sampler sampler = nearest();
  sampler.normalised = false;
  EXPECT_EQ(Ask(Shape::d2, {2.5f, 1.5f})(counting({.width = 4, .height = 4}), sampler), 6);
}

// ---- levels

TEST(Sample, LevelFollowsTheFootprint) {
  const Texture texture = counting({.width = 4, .height = 4, .levels = 3});  // levels begin at 0, 16 and 20
  Ask ask(Shape::d2, {0.125f, 0.125f});
  ask.op.implicit_lod = true;
  Sampler sampler = nearest();
  sampler.mip = MipFilter::nearest;
  const auto level = [&](float step, float bias = 0) {
    ask.request.ddx = {step / 4, 0, 0};
    ask.request.lod = bias;
    return ask(texture, sampler);
  };
  EXPECT_EQ(level(1), 0);
  EXPECT_EQ(level(2), 16);
  EXPECT_EQ(level(4), 20);
  EXPECT_EQ(level(64), 20);
  EXPECT_EQ(level(0), 0);
  EXPECT_EQ(level(1, 1), 16);
  EXPECT_EQ(level(4, -1), 16);
  sampler.lod_bias = 1;
  EXPECT_EQ(level(1), 16);
  sampler.max_lod = 0;
  EXPECT_EQ(level(64), 0);
  sampler = nearest();
  sampler.mip = MipFilter::nearest;
  sampler.min_lod = 2;
  EXPECT_EQ(level(1), 20);
  ask.op.skip_sampler_lod = true;
  EXPECT_EQ(level(1), 0);
}

TEST(Sample, LevelFollowsGradientsThatTheInstructionBrings) {
  const Texture texture = counting({.width = 4, .height = 4, .levels = 3});
  Ask ask(Shape::d2, {0.125f, 0.125f});
  Sampler sampler = nearest();
  sampler.mip = MipFilter::nearest;
  ask.request.ddy = {0, 1, 0};
  EXPECT_EQ(ask(texture, sampler), 0) << "differences that nobody asked for";
  ask.op.ddx[0] = ir::Operand::state(0);
  EXPECT_EQ(ask(texture, sampler), 20);
}

TEST(Sample, LongerAxisOfTheFootprintCounts) {
  const Texture texture = counting({.width = 8, .height = 2, .levels = 4});
  Ask ask(Shape::d2, {0.01f, 0.01f});
  ask.op.implicit_lod = true;
  ask.request.ddx = {0, 0.5f, 0};  // one texel in t
  ask.request.ddy = {0.5f, 0, 0};  // four in s
  Sampler sampler = nearest();
  sampler.mip = MipFilter::nearest;
  EXPECT_EQ(ask(texture, sampler), 16 + 4);
}

TEST(Sample, ExplicitLevelBlendsTwo) {
  const Texture texture = counting({.shape = Shape::d1, .width = 2, .levels = 2});  // 0 1, 2
  Ask ask(Shape::d1, {0.25f});
  ask.request.lod = 0.25f;
  Sampler sampler = nearest();
  sampler.mip = MipFilter::linear;
  EXPECT_EQ(ask(texture, sampler), 0.5f);
  ask.request.lod = 7;
  EXPECT_EQ(ask(texture, sampler), 2);
  ask.request.lod = std::nanf("");
  EXPECT_EQ(ask(texture, sampler), 0);
  sampler.mip = MipFilter::nearest;
  ask.request.lod = 0.5f;
  EXPECT_EQ(ask(texture, sampler), 0);
  ask.request.lod = 0.51f;
  EXPECT_EQ(ask(texture, sampler), 2);
}

TEST(Sample, MagnificationUsesItsOwnFilter) {
  const Texture texture = counting({.shape = Shape::d1, .width = 2});
  const Sampler sampler{.min = Filter::nearest, .mag = Filter::linear, .mip = MipFilter::none};
  Ask ask(Shape::d1, {0.375f});
  EXPECT_EQ(ask(texture, sampler), 0.25f);
  ask.request.lod = 1;
  EXPECT_EQ(ask(texture, sampler), 0);
}

// ---- cubes

TEST(Sample, CubeFacesAreChosenByNumber) {
  const Texture texture = counting({.shape = Shape::cube, .width = 2, .height = 2});
  for (std::uint32_t face = 0; face < 6; ++face) {
    Ask ask(Shape::cube, {0, 0.75f, 0.25f});
    ask.request.coordinate[0] = face;
    EXPECT_EQ(ask(texture, nearest()), static_cast<float>(face * 4 + 1));
  }
}

TEST(Sample, CubeIsSeamless) {
  // +x, left column is beside +z's right column: both are s = -z and s = x, t = -y.
  const Texture texture = counting({.shape = Shape::cube, .width = 2, .height = 2});
  Ask ask(Shape::cube, {0, 0.0f, 0.25f});
  EXPECT_EQ(ask(texture, linear()), (0 + 17) / 2.0f);
  // +x, top row (t = -y, so +y) is beside +y's right column, running the other way.
  Ask top(Shape::cube, {0, 0.25f, 0.0f});
  EXPECT_EQ(top(texture, linear()), (0 + 11) / 2.0f);
}

TEST(Sample, CubeLevelFollowsTheFootprintOnTheFace) {
  const Texture texture = counting({.shape = Shape::cube, .width = 4, .height = 4, .levels = 2});
  Ask ask(Shape::cube, {0, 0.1f, 0.1f});
  ask.op.implicit_lod = true;
  Sampler sampler = nearest();
  sampler.mip = MipFilter::nearest;
  EXPECT_EQ(ask(texture, sampler), 0);
  ask.request.ddx = {0, 0.5f, 0};
  EXPECT_EQ(ask(texture, sampler), 96);
}

// ---- comparison, gather, fetch

TEST(Sample, ShadowComparesBeforeFiltering) {
  const Texture texture = counting({.width = 2, .height = 2});
  Ask ask(Shape::d2, {0.5f, 0.5f, 1.5f});
  ask.op.shadow = true;
  EXPECT_EQ(ask.words(texture, linear()),
            (std::array<std::uint32_t, 4>{float_bits(0.5f), float_bits(0.5f), float_bits(0.5f), float_bits(1)}));
  Sampler sampler = linear();
  const auto passing = [&](Compare compare, float reference) {
    sampler.compare = compare;
    ask.request.coordinate[2] = float_bits(reference);
    return ask(texture, sampler) * 4;
  };
  EXPECT_EQ(passing(Compare::never, 1), 0);
  EXPECT_EQ(passing(Compare::less, 1), 2);
  EXPECT_EQ(passing(Compare::equal, 1), 1);
  EXPECT_EQ(passing(Compare::less_equal, 1), 3);
  EXPECT_EQ(passing(Compare::greater, 1), 1);
  EXPECT_EQ(passing(Compare::not_equal, 1), 3);
  EXPECT_EQ(passing(Compare::greater_equal, 1), 2);
  EXPECT_EQ(passing(Compare::always, 1), 4);
}

TEST(Sample, ShadowReferenceIsClampedForFixedPointDepth) {
  const auto depth = make_texture({}, *find_texel_format("r16_unorm"), Bytes{0xFF, 0xFF}, "");
  Ask ask(Shape::d2, {0.5f, 0.5f, 7});
  ask.op.shadow = true;
  EXPECT_EQ(ask(*depth, nearest()), 1);  // 7 becomes 1 <= 1
  const Texture real_depth = constant_texture({float_bits(1)});
  EXPECT_EQ(ask(real_depth, nearest()), 0);
}

TEST(Sample, GatherOrderIsThatOfTextureGather) {
  const Texture texture = counting({.width = 4, .height = 4});
  Ask ask(Shape::d2, {0.5f, 0.5f, 5.5f});
  ask.op.kind = Op::Kind::gather;
  const auto floats = [](const std::array<std::uint32_t, 4>& words) {
    return std::array<float, 4>{real(words[0]), real(words[1]), real(words[2]), real(words[3])};
  };
  EXPECT_EQ(floats(ask.words(texture, nearest())), (std::array<float, 4>{9, 10, 6, 5}));
  ask.op.gather_component = 3;
  EXPECT_EQ(floats(ask.words(texture, nearest())), (std::array<float, 4>{1, 1, 1, 1}));
  ask.op.shadow = true;
  EXPECT_EQ(floats(ask.words(texture, nearest())), (std::array<float, 4>{1, 1, 1, 0}));
}

TEST(Sample, FetchTakesTexelNumbers) {
  const Texture texture = counting({.width = 4, .height = 2, .layers = 2, .levels = 2});  // levels at 0 and 16
  Ask ask(Shape::d2);
  ask.op.kind = Op::Kind::fetch;
  const auto at = [&](std::int32_t x, std::int32_t y, std::int32_t layer, std::int32_t lod) {
    ask.request.coordinate = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0,
                              static_cast<std::uint32_t>(layer)};
    ask.request.fetch_lod = lod;
    return ask(texture);
  };
  EXPECT_EQ(at(3, 1, 0, 0), 7);
  EXPECT_EQ(at(1, 0, 1, 0), 9);
  EXPECT_EQ(at(1, 0, 1, 1), 19);
  for (const float outside : {at(4, 0, 0, 0), at(-1, 0, 0, 0), at(0, 2, 0, 0), at(0, 0, 2, 0), at(0, 0, -1, 0),
                              at(0, 0, 0, 2), at(0, 0, 0, -1), at(2147483647, 0, 0, 0)}) {
    EXPECT_EQ(outside, 0);
  }
  ask.request.offset = {-2, 1, 0};
  EXPECT_EQ(at(3, 0, 0, 0), 5);
}

TEST(Sample, IntegersAreNotFiltered) {
  const auto texture = make_texture({.shape = Shape::d1, .width = 2}, *find_texel_format("r32_uint"),
                                    Bytes{10, 0, 0, 0, 20, 0, 0, 0}, "");
  Ask ask(Shape::d1, {0.6f});
  ask.op.result = Op::Result::u32;
  EXPECT_EQ(ask.words(*texture, linear())[0], 20u);
  EXPECT_EQ(ask.words(*texture, linear())[3], 1u);
}

TEST(Sample, ConstantTextureHasThatColourEverywhere) {
  const Texture texture = constant_texture({float_bits(0.2f), float_bits(0.4f), float_bits(0.6f), float_bits(1)});
  for (const Shape shape : {Shape::d1, Shape::d2, Shape::d3, Shape::cube}) {
    for (const Op::Kind kind : {Op::Kind::sample, Op::Kind::fetch}) {
      Ask ask(shape, {77, -3, 5, 9});
      ask.op.kind = kind;
      EXPECT_EQ(ask.words(texture, nearest(Wrap::clamp_to_border)), texture.texels[0]);
    }
  }
}

TEST(Sample, MismatchesAreFaults) {
  const Texture texture = counting({.width = 2, .height = 2});
  EXPECT_EQ(Ask(Shape::d3).fault(texture), "texture 0 is 2d but the instruction takes 3d");
  Ask integers(Shape::d2);
  integers.op.result = Op::Result::i32;
  EXPECT_EQ(integers.fault(texture), "texture 0 holds floats but the instruction takes signed integers");
  Ask gather(Shape::d1);
  gather.op.kind = Op::Kind::gather;
  EXPECT_EQ(gather.fault(counting({.shape = Shape::d1, .width = 2})), "only 2d and cube textures can be gathered");
}

// ---- many lanes

Texture random_texture(std::mt19937& random) {
  const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  const std::uint32_t width = 1 + pick(9), height = 1 + pick(9);
  const auto whole = static_cast<std::uint32_t>(std::bit_width(std::max(width, height)));
  const std::uint32_t levels = pick(2) == 0 ? 1 : whole;
  Texture texture = counting({.width = width, .height = height, .levels = levels});
  for (Texel& texel : texture.texels)
    for (std::uint32_t& word : texel)
      word = random() % 16 == 0 ? test::difficult_word(random) : float_bits(static_cast<double>(random() % 1000) / 7);
  return texture;
}

Sampler random_sampler(std::mt19937& random) {
  const auto filter = [&] { return static_cast<Filter>(random() % 2); };
  const auto wrap = [&] { return static_cast<Wrap>(random() % 5); };
  return {.min = filter(),
          .mag = filter(),
          .mip = static_cast<MipFilter>(random() % 3),
          .wrap = {wrap(), wrap(), wrap()},
          .border = {float_bits(-9), 0x80000000, 0x7F800001, float_bits(3)},
          .normalised = random() % 4 != 0};
}

/// Coordinates inside, far beyond, on the edges, and none.
std::uint32_t random_coordinate(std::mt19937& random) {
  switch (random() % 8) {
    case 0:
      return test::difficult_word(random);
    case 1:
      return float_bits(static_cast<double>(random() % 64) / 4 - 8);
    default:
      return float_bits(static_cast<double>(random() % 30000) / 7000 - 2);
  }
}

/// Of every instruction set that this processor has.
class SampleLanes : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { ir::force_kernel_target(GetParam()); }
  void TearDown() override { ir::force_kernel_target(0); }
};
INSTANTIATE_TEST_SUITE_P(All, SampleLanes, testing::ValuesIn(ir::kernel_targets()),
                         [](const auto& each) { return ir::kernel_target_name(each.param); });

/// Textures that vector code samples, and one that it does not.
TEST_P(SampleLanes, GetWhatEachGetsAlone) {
  std::mt19937 random(1);
  constexpr std::size_t lanes = 32;
  for (unsigned trial = 0; trial < test::trials(4000); ++trial) {
    const Texture texture = trial % 50 == 0 ? constant_texture({1, 2, 3, 4}) : random_texture(random);
    const Sampler sampler = random_sampler(random);
    const bool is_implicit = trial % 3 == 0;
    const Op op{.implicit_lod = is_implicit};
    std::array<std::array<std::uint32_t, lanes>, 8> words{};  // s, t, lod, offset, ddx, ddy, mask
    std::array<std::array<std::uint32_t, lanes>, 4> out{};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      words[0][lane] = random_coordinate(random);
      words[1][lane] = random_coordinate(random);
      words[2][lane] = trial % 4 == 0 ? 0 : float_bits(static_cast<double>(random() % 100) / 20 - 1);
      words[3][lane] = trial % 5 == 0 ? static_cast<std::uint32_t>(random() % 5) - 2 : 0;
      words[4][lane] = random_coordinate(random);
      words[5][lane] = random_coordinate(random);
      words[6][lane] = trial % 7 != 0 || random() % 2 == 0 ? ~0u : 0;
    }
    const auto bound = [&](std::size_t row) { return LaneWords{words[row].data(), ~0u}; };
    LanesTexture request{.op = &op, .lanes = {0, lanes, words[6].data()}};
    request.coordinate = {bound(0), bound(1)};
    request.lod = bound(2);
    request.offset[0] = bound(3);
    if (is_implicit) request.ddx[0] = bound(4), request.ddy[1] = bound(5);
    for (std::size_t i = 0; i < 4; ++i) request.out[i] = out[i].data();
    ASSERT_TRUE(sample_lanes(texture, sampler, request));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (words[6][lane] == 0) continue;
      TextureRequest alone{.op = &op, .coordinate = {words[0][lane], words[1][lane]}, .lod = real(words[2][lane])};
      alone.offset[0] = static_cast<std::int32_t>(words[3][lane]);
      if (is_implicit) alone.ddx[0] = real(words[4][lane]), alone.ddy[1] = real(words[5][lane]);
      std::array<std::uint32_t, 4> expected{};
      ASSERT_FALSE(sample(texture, sampler, alone, expected));
      for (std::size_t i = 0; i < 4; ++i)
        ASSERT_EQ(out[i][lane], expected[i]) << "trial " << trial << ", lane " << lane;
    }
  }
}

}  // namespace
}  // namespace mobula::io
