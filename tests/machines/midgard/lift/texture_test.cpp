// Every texture opcode and operand form (2.9, 3.9, 4.6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machines/midgard/bundles.h"
#include "machines/midgard/lift_run.h"
#include "machines/midgard/words.h"

namespace mobula::midgard {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::SizeIs;
using TextureKind = ir::Texture::Kind;
using Shape = ir::Texture::Shape;

LiftRun looked_up(const Tex& t, const std::string& variant = {}) {
  LiftRun run(program_of({texture(t)}, variant));
  const std::string in = run.program().find_slot("AT0.x") == nullptr ? "AL" : "AT";
  run.set4f(in + "0", {0.25f, 0.5f, 0.75f, 1}).set4(in + "1", {0x40003C00, 0x44004200, 0x38003400, 0x00050004});
  run.environment.texel = {bits(2), bits(-2), bits(0.5f), bits(0.25f)};
  run.run();
  return run;
}
const TextureRequest& request(const LiftRun& run) { return run.environment.texture_requests.at(0); }

// ------------------------------------------------------------------------------------------------ operands

TEST(LiftTexture, CoordinatesAreSwizzled) {
  const auto run = looked_up({.in_swizzle = 0b00'10'01'11});
  EXPECT_EQ(run.fault(), "");
  EXPECT_THAT(request(run).coordinate, ElementsAre(bits(1), bits(0.5f), bits(0.75f), bits(0.25f)));
  const auto halves = looked_up({.in_full = false, .in_select = true});
  EXPECT_THAT(request(halves).coordinate, ElementsAre(bits(1), bits(2), bits(3), bits(4)));
  const auto upper = looked_up({.in_swizzle = xyzw, .in_full = false, .in_select = true, .in_upper = true});
  EXPECT_EQ(request(upper).coordinate[1], bits(0.5f));
}

TEST(LiftTexture, ShapesKindsAndResultTypes) {
  const auto op = [](const Tex& t) {
    const auto run = looked_up(t);
    EXPECT_EQ(run.fault(), "");
    return *request(run).op;
  };
  EXPECT_EQ(op({.format = 1}).shape, Shape::d1);
  EXPECT_EQ(op({.format = 2}).shape, Shape::d2);
  EXPECT_EQ(op({.format = 3}).shape, Shape::d3);
  EXPECT_EQ(op({}).kind, TextureKind::sample);
  EXPECT_EQ(op({.op = tex_fetch}).kind, TextureKind::fetch);
  EXPECT_TRUE(op({.mode = 5}).shadow);
  EXPECT_EQ(op({.op = tex_gradient, .mode = 10}).kind, TextureKind::gather);
  EXPECT_EQ(op({.op = tex_gradient, .mode = 10}).gather_component, 2);
  EXPECT_TRUE(op({.mode = 6}).shadow);
  EXPECT_EQ(op({.mode = 6}).kind, TextureKind::gather);
  EXPECT_EQ(op({.sampler_type = 1}).result, ir::Texture::Result::f32);
  EXPECT_EQ(op({.sampler_type = 2}).result, ir::Texture::Result::u32);
  EXPECT_EQ(op({.sampler_type = 3}).result, ir::Texture::Result::i32);
}

/// Only bundles with quad synchronisation have differences to make a LOD of.
TEST(LiftTexture, ImplicitLod) {
  EXPECT_TRUE(request(looked_up({})).op->implicit_lod);
  EXPECT_FALSE(request(looked_up({.tag = tag_texture_vertex})).op->implicit_lod);
  EXPECT_FALSE(request(looked_up({.op = tex_gradient})).op->implicit_lod);
  Program program = program_of({texture({})});
  program.interface.stage = Stage::vertex;
  LiftRun run(program);
  EXPECT_FALSE(request(run.run()).op->implicit_lod);
}

TEST(LiftTexture, SomeProductsIgnoreTheSamplersLod) {
  EXPECT_TRUE(request(looked_up({.op = tex_gradient}, "t720")).op->skip_sampler_lod);
  EXPECT_FALSE(request(looked_up({.op = tex_gradient}, "t760")).op->skip_sampler_lod);
  EXPECT_FALSE(request(looked_up({}, "t720")).op->skip_sampler_lod);
}

TEST(LiftTexture, LodAndBias) {
  EXPECT_EQ(request(looked_up({.op = tex_gradient, .lod_fraction = 0x80, .lod_integer = 2})).lod, 2.5f);
  EXPECT_EQ(request(looked_up({.lod_fraction = 0x40, .lod_integer = -2})).lod, -1.75f);
  // registers: AT0.z, 32 bits; AT1's fifth half
  EXPECT_EQ(request(looked_up({.lod_register = true, .lod_fraction = 1 | 2 << 3})).lod, 0.75f);
  EXPECT_EQ(request(looked_up({.lod_register = true, .lod_fraction = 2 | 4 | 1 << 3})).lod, 0.5f);
  EXPECT_EQ(request(looked_up({.op = tex_fetch, .lod_fraction = 200})).fetch_lod, 200);
  EXPECT_EQ(request(looked_up({.op = tex_fetch, .lod_register = true, .lod_fraction = 2 | 4 | 3 << 3})).fetch_lod, 5);
}

TEST(LiftTexture, Offsets) {
  EXPECT_THAT(request(looked_up({})).offset, ElementsAre(0, 0, 0));
  // C17: (1, -1, 0)
  EXPECT_THAT(request(looked_up({.op = tex_fetch, .offset = 0x0F1})).offset, ElementsAre(1, -1, 0));
  // halves 4, 5, 6 of AT1: 0x3400, 0x3800, 4
  const unsigned upper_halves = 2 | 4 | 0b11'10'01'00 << 3;
  EXPECT_THAT(request(looked_up({.offset_register = true, .offset = upper_halves})).offset,
              ElementsAre(0x3400, 0x3800, 4));
  EXPECT_THAT(request(looked_up({.offset_register = true, .offset = 1 | 2 | 0b11'11'11'11 << 3})).offset,
              ElementsAre(0x50004, 0x50004, 0x50004));
}

TEST(LiftTexture, Handles) {
  EXPECT_EQ(request(looked_up({.texture = 300})).texture, 300u);
  EXPECT_EQ(request(looked_up({.sampler = 400})).sampler, 400u);
  const unsigned last_half = 2 | 4 | 3 << 3, word_w = 1 | 2 | 3 << 3;
  EXPECT_EQ(request(looked_up({.texture_register = true, .texture = last_half})).texture, 5u);
  EXPECT_EQ(request(looked_up({.sampler_register = true, .sampler = word_w})).sampler, 0x50004u);
}

TEST(LiftTexture, FetchTakesIntegerCoordinates) {
  LiftRun run(program_of({texture({.op = tex_fetch, .in_full = false})}));
  run.set("AT0.x", 0x0002FFFF).set("AT0.y", 0x00040003).run();
  EXPECT_THAT(request(run).coordinate, ElementsAre(0xFFFFFFFF, 2, 3, 4));
  const auto full = looked_up({.op = tex_fetch});
  EXPECT_EQ(request(full).coordinate[0], bits(0.25f));
}

// ------------------------------------------------------------------------------------------------ results

TEST(LiftTexture, ResultsAreModifiedSwizzledAndMasked) {
  EXPECT_THAT(looked_up({}).get4f("TA0"), ElementsAre(2, -2, 0.5f, 0.25f));
  EXPECT_THAT(looked_up({.out_select = true}).get4f("TA1"), ElementsAre(2, -2, 0.5f, 0.25f));
  EXPECT_THAT(looked_up({.out_swizzle = 0x1B, .mask = 0b1011}).get4f("TA0"), ElementsAre(0.25f, 0.5f, 0, 2));
  EXPECT_THAT(looked_up({.outmod = 1}).get4f("TA0"), ElementsAre(2, 0, 0.5f, 0.25f));
  EXPECT_THAT(looked_up({.outmod = 2}).get4f("TA0"), ElementsAre(1, -1, 0.5f, 0.25f));
  EXPECT_THAT(looked_up({.outmod = 3}).get4f("TA0"), ElementsAre(1, 0, 0.5f, 0.25f));
  EXPECT_THAT(looked_up({.out_full = false}).get4("TA0"), ElementsAre(0xC0004000, 0x34003800, 0, 0));
  EXPECT_THAT(looked_up({.mask = 0b0110, .out_full = false, .out_upper = true}).get4("TA0"),
              ElementsAre(0, 0, 0xC0000000, 0x00003800));
  EXPECT_THAT(looked_up({.outmod = 3, .sampler_type = 3}).get4f("TA0"), ElementsAre(2, -2, 0.5f, 0.25f))
      << "integers have no modifier";
  EXPECT_THAT(looked_up({.out_swizzle = yyyy, .sampler_type = 2, .out_full = false}).get4("TA0")[0], 0u);
}

TEST(LiftTexture, NoLaneNoAccess) { EXPECT_THAT(looked_up({.mask = 0}).environment.texture_requests, SizeIs(0)); }

/// 1.3: inputs are the load/store registers, results are r0 and r1.
TEST(LiftTexture, AliasedRegisters) {
  const auto run = looked_up({}, "t720");
  EXPECT_EQ(request(run).coordinate[0], bits(0.25f));
  EXPECT_THAT(run.get4f("r0"), ElementsAre(2, -2, 0.5f, 0.25f));
  EXPECT_THAT(looked_up({.out_select = true}, "t830").get4f("r1"), ElementsAre(2, -2, 0.5f, 0.25f));
}

TEST(LiftTexture, CopiesKeepBits) {
  LiftRun run(program_of({texture({.op = tex_mov, .in_swizzle = 0x1B, .mask = 0b0111, .sampler_type = 0})}));
  run.set4("AT0", {0x7F800001, 2, 3, 4}).run();
  EXPECT_THAT(run.get4("TA0"), ElementsAre(4, 3, 2, 0));
  const auto widened = [](unsigned type) {
    LiftRun one(program_of({texture({.op = tex_mov, .sampler_type = type, .in_full = false})}));
    return one.set("AT0.x", 0xBC00BC00).run().get("TA0.x");
  };
  EXPECT_EQ(widened(1), bits(-1));
  EXPECT_EQ(widened(3), 0xFFFFBC00u);
}

// ------------------------------------------------------------------------------------------------ quads

TEST(LiftTexture, Derivatives) {
  const auto derive = [](unsigned mode, unsigned in_swizzle, unsigned mask, bool full) {
    auto run = std::make_unique<LiftRun>(
        program_of(
            {texture({.op = tex_derivative, .mode = mode, .in_swizzle = in_swizzle, .mask = mask, .out_full = full})}),
        Policies{}, 4u);
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      const float x = static_cast<float>(lane & 1), y = static_cast<float>(lane >> 1);
      run->setf("AT0.x", 3 * x + 5 * y, lane).setf("AT0.w", 7 * x * y, lane);
    }
    run->run();
    return run;
  };
  const auto ddx = derive(0, xyzw, 0b0001, true);
  EXPECT_EQ(ddx->getf("TA0.x", 0), 3);
  EXPECT_EQ(ddx->getf("TA0.x", 3), 3);
  const auto ddy = derive(1, wwww, 0b0010, true);
  EXPECT_EQ(ddy->getf("TA0.y", 0), 0);
  EXPECT_EQ(ddy->getf("TA0.y", 1), 7);
  EXPECT_EQ(derive(1, xyzw, 0b0001, false)->get("TA0.x", 2), 0x4500u);
}

/// The private encoding: the LOD of a texture of one texel, which a later lookup takes.
TEST(LiftTexture, GradientDescriptors) {
  LiftRun from_derivatives(
      program_of({texture({.op = tex_grad_from_derivative}),
                  alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 28, {}, {28}, {.outmod = keeplo})}),
                  texture({.op = tex_gradient, .lod_register = true, .lod_fraction = 1 | 1 << 3})}));
  from_derivatives.set4f("AT0", {3, 4, 0, 16}).run();
  EXPECT_EQ(from_derivatives.fault(), "");
  EXPECT_FLOAT_EQ(request(from_derivatives).lod, 4);
  LiftRun from_coordinates(program_of({texture({.op = tex_grad_from_coords})}), {}, 4);
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    from_coordinates.setf("AT0.x", static_cast<float>(lane & 1) * 8, lane)
        .setf("AT0.y", static_cast<float>(lane >> 1) * 2, lane);
  }
  EXPECT_FLOAT_EQ(from_coordinates.run().getf("TA0.w", 2), 3);
}

// ------------------------------------------------------------------------------------------------ cubes

/// A direction goes through CUBEMAP to face, s and t of the lookup.
TEST(LiftTexture, CubeDescriptors) {
  struct Place {
    std::array<float, 3> direction;
    std::uint32_t face;
    float s, t;
  };
  const Place places[] = {
      {{2, 0, 0}, 0, 0.5f, 0.5f},      {{-2, 0, 0}, 1, 0.5f, 0.5f},      {{0, 2, 0}, 2, 0.5f, 0.5f},
      {{0, -2, 0}, 3, 0.5f, 0.5f},     {{0, 0, 2}, 4, 0.5f, 0.5f},       {{0, 0, -2}, 5, 0.5f, 0.5f},
      {{4, -2, -1}, 0, 0.625f, 0.75f}, {{-4, -2, -1}, 1, 0.375f, 0.75f}, {{-2, 4, 1}, 2, 0.25f, 0.625f},
      {{-2, -4, 1}, 3, 0.25f, 0.375f}, {{-2, 1, 4}, 4, 0.25f, 0.375f},   {{-2, 1, -4}, 5, 0.75f, 0.375f},
  };
  for (const Place& place : places) {
    LiftRun run(program_of({load_store({.op = 0x0E, .reg = 28, .mask = 3, .arg = 1, .toggle = true}),
                            texture({.format = 0, .in_swizzle = 0x04})}));
    run.set4f("AL1", {place.direction[0], place.direction[1], place.direction[2], 9}).run();
    EXPECT_EQ(run.fault(), "");
    EXPECT_EQ(request(run).op->shape, Shape::cube);
    EXPECT_EQ(request(run).coordinate[0], place.face);
    EXPECT_FLOAT_EQ(std::bit_cast<float>(request(run).coordinate[1]), place.s);
    EXPECT_FLOAT_EQ(std::bit_cast<float>(request(run).coordinate[2]), place.t);
  }
}

TEST(LiftTexture, CubeDescriptorsOfHalvesAndVaryings) {
  LiftRun halves(program_of({load_store({.op = 0x0E, .reg = 28, .mask = 3, .arg = 1}), texture({.format = 0})}));
  halves.set("AL1.x", 0x00000000).set("AL1.y", 0xBC00).run();
  EXPECT_EQ(request(halves).coordinate[0], 5u);
  LiftRun varying(program_of(
      {load_store({.op = 0x98, .reg = 28, .mask = 3, .index_format = 2, .offset = 0x54}), texture({.format = 0})}));
  varying.environment.varyings[0] = bytes_of_words({0, bits(-3), 0, 0});
  varying.run();
  EXPECT_EQ(request(varying).coordinate[0], 3u);
  EXPECT_THAT(LiftRun(program_of({texture({.format = 0, .in_full = false})})).run().fault(),
              HasSubstr("cube descriptor"));
}

TEST(LiftTexture, ReferenceOfAShadowCubeIsItsThirdCoordinate) {
  LiftRun run(program_of({texture({.mode = 5, .format = 0})}));
  run.set4f("AT0", {0.5f, 0.5f, 0.125f, 1.75f}).run();
  EXPECT_EQ(request(run).coordinate[3], bits(0.125f));
  EXPECT_EQ(request(run).coordinate[0], 12u) << "of an array of cubes, the first face of the third";
}

// ------------------------------------------------------------------------------------------------ barriers, faults

TEST(LiftTexture, BarriersHoldThreadsBack) {
  // C18; threads store before it and load after it
  const Program program =
      program_of({load_store({.op = 0xC8, .reg = 0, .arg = 0, .arg_component = 1}),
                  texture({.op = tex_barrier, .mode = 0, .tag = tag_barrier, .mask = 0, .sampler_type = 0}),
                  load_store({.op = 0x88, .reg = 2, .mask = 1, .arg = 0, .arg_component = 2})});
  LiftRun run(program, {}, 2);
  run.set("AL0.x", 11, 0).set("AL0.y", 0x100, 0).set("AL0.z", 0x104, 0);
  run.set("AL0.x", 22, 1).set("AL0.y", 0x104, 1).set("AL0.z", 0x100, 1);
  run.run();
  EXPECT_EQ(run.fault(), "");
  EXPECT_EQ(run.get("r2.x", 0), 22u);
  EXPECT_EQ(run.get("r2.x", 1), 11u);
  const auto has_barrier = [](const Program& one) {
    const LiftRun lifted(one);
    for (const ir::Operation& operation : lifted.program().operations)
      if (operation.op == ir::Op::barrier) return true;
    return false;
  };
  EXPECT_TRUE(has_barrier(program));
  EXPECT_FALSE(has_barrier(program_of({texture({.op = tex_barrier, .tag = tag_texture})}))) << "a carrier of nothing";
}

TEST(LiftTexture, Faults) {
  for (const unsigned op : {0u, 3u, 5u, 6u, 7u, 8u, 14u, 15u}) {
    EXPECT_THAT(looked_up({.op = op}).fault(), HasSubstr("texture operation " + std::to_string(op)));
  }
  EXPECT_THAT(looked_up({.mode = 7}).fault(), HasSubstr("mode 7"));
  EXPECT_THAT(looked_up({.op = tex_fetch, .mode = 5}).fault(), HasSubstr("mode 5"));
  EXPECT_THAT(looked_up({.op = tex_derivative, .mode = 2}).fault(), HasSubstr("mode 2"));
  EXPECT_THAT(looked_up({.tag = tag_barrier}).fault(), HasSubstr("tag of barriers"));
}

/// 8.2.6: the same word on products whose registers alias or not.
TEST(LiftTexture, OneWordOnTwoProducts) {
  for (const auto& [variant, in, out] : {std::tuple{"t720", "AL0", "r0"}, {"t760", "AT0", "TA0"}}) {
    LiftRun run(program_of({0x210A1113, 0x00E43C40, 0, 0}, variant));
    run.set4f(in, {0.25f, 0.5f, 0, 0});
    run.environment.texel = {bits(1), bits(2), bits(3), bits(4)};
    run.run();
    EXPECT_EQ(run.fault(), "");
    EXPECT_EQ(request(run).coordinate[1], bits(0.5f));
    EXPECT_EQ(run.get(std::string(out) + ".x"), 0x40003C00u);
  }
}

/// A lane that is written names, by the result's swizzle, the coordinate that is derived.
TEST(LiftTexture, DerivativesAreSwizzled) {
  LiftRun run(program_of({texture({.op = tex_derivative, .mode = 0, .out_swizzle = 0x1B, .mask = 0b0011})}), {}, 4);
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    const float x = static_cast<float>(lane & 1);
    run.setf("AT0.x", 2 * x, lane).setf("AT0.y", 3 * x, lane).setf("AT0.z", 5 * x, lane).setf("AT0.w", 7 * x, lane);
  }
  run.run();
  EXPECT_EQ(run.fault(), "");
  EXPECT_EQ(run.getf("TA0.x", 0), 7);
  EXPECT_EQ(run.getf("TA0.y", 0), 5);
}

/// A descriptor written in halves holds a LOD as a half, which a lookup takes from any of them.
TEST(LiftTexture, GradientDescriptorsInHalves) {
  LiftRun run(program_of({texture({.op = tex_grad_from_derivative, .out_full = false}),
                          alu({vector_op(Unit::vmul, 0x7B, RegMode::bits32, 28, {}, {28}, {.outmod = keeplo})}),
                          texture({.op = tex_gradient, .lod_register = true, .lod_fraction = 3 << 3})}));
  run.set4f("AT0", {3, 4, 0, 16}).run();
  EXPECT_EQ(run.fault(), "");
  EXPECT_FLOAT_EQ(request(run).lod, 4);
}

}  // namespace
}  // namespace mobula::midgard
