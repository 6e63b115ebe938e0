// Texture samples: what is asked for, and where the channels go.
#include <gmock/gmock.h>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

using testing::HasSubstr;

TEST(Textures, RegistersOfTheStateChooseTheTexture) {
  // The reference's example 31 (9), and its wait.
  Task task(bytes_of("46 20 f4 4c 84 61 80 00 88 80 a0 00 02 80 6a ff"));
  task.set("r1", 0.25f).set("r2", 0.75f).run();
  ASSERT_EQ(task.environment.requests.size(), 1u);
  const TextureRequest& request = task.environment.requests[0];
  EXPECT_EQ(request.texture, 1u) << "sh4";
  EXPECT_EQ(request.sampler, 0u) << "sh0";
  EXPECT_EQ(number(request.coordinate[0]), 0.25f);
  EXPECT_EQ(number(request.coordinate[1]), 0.75f);
  EXPECT_EQ(task.get("r0"), 100u);
  EXPECT_EQ(task.get("r3"), 103u);
}

TEST(Textures, ResultsAreLate) {
  Task task(bytes_of("46 20 f4 4c 84 61 80 00 88 80 a0 00"));
  EXPECT_EQ(task.run().get("r0"), 0x7FBADBADu);
}

TEST(Textures, DataFollowTheCoordinates) {
  Task projected("main { smp2d.fcnorm.proj.bias drc0, sh4, r1, sh0, _, r8, 1 }\nctrl { wdf drc0 }\nnop.end");
  projected.set("r1", 1.0f).set("r2", 3.0f).set("r3", 4.0f).set("r4", 0.5f).run();
  EXPECT_EQ(projected.fault(), "");
  const TextureRequest& biased = projected.environment.requests.at(0);
  EXPECT_EQ(number(biased.coordinate[0]), 0.25f);
  EXPECT_EQ(number(biased.coordinate[1]), 0.75f);
  EXPECT_EQ(biased.lod, 0.5f);
  EXPECT_EQ(projected.get("r9"), 0u) << "one channel";
  Task layered("main { smp2d.fcnorm.replace.array drc0, sh8, r1, sh4, _, r8, 4 }");
  layered.set("r3", 5u).set("r4", 2.0f).run();
  const TextureRequest& exact = layered.environment.requests.at(0);
  EXPECT_EQ(exact.texture, 2u);
  EXPECT_EQ(exact.lod, 2.0f);
  EXPECT_EQ(number(exact.coordinate[3]), 5.0f);
}

TEST(Textures, TheQuadsDifferencesChooseTheLevel) {
  Task task("main { smp1d.fcnorm drc0, sh4, r1, sh0, _, r8, 1 }", 4);
  task.set("r1", [](std::uint32_t lane) { return bits(lane % 2 == 0 ? 0.25f : 0.75f); }).run();
  EXPECT_EQ(task.environment.requests.at(3).ddx[0], 0.5f);
}

TEST(Textures, CoordinatesMayBeIterated) {
  Task task(bytes_of("05 80 70 00 05 04 02 00 2d ff"));
  task.set("cf2", 2.0f).set("cf6", 0.5f).set("cf10", 1.0f).run();
  EXPECT_EQ(task.fault(), "there is no instruction at 0xa");
  const TextureRequest& request = task.environment.requests.at(0);
  EXPECT_EQ(number(request.coordinate[0]), 0.25f);
  EXPECT_EQ(number(request.coordinate[1]), 0.5f);
  EXPECT_EQ(request.texture, 1u);
  EXPECT_EQ(task.get("r3"), 103u) << "schedwdf waits";
}

TEST(Textures, OffsetsStandInAWordAfterTheLevel) {
  Task task("main { smp2d.fcnorm.replace.soo.sno drc0, sh4, r1, sh0, _, r8, 4 }");
  // -3 in six bits, 5 in the next six, sample 2 in bits 18:16.
  task.set("r3", 2.0f).set("r4", 0x3Du | 5u << 6 | 2u << 16).run();
  const TextureRequest& request = task.environment.requests.at(0);
  EXPECT_EQ(request.lod, 2.0f);
  EXPECT_EQ(request.offset[0], -3);
  EXPECT_EQ(request.offset[1], 5);
}

TEST(Textures, GradientsAlternateBetweenRowAndColumn) {
  Task task("main { smp2d.fcnorm.gradient.soo drc0, sh4, r1, sh0, _, r8, 4 }");
  task.set("r3", 0.5f).set("r4", 0.25f).set("r5", 0.125f).set("r6", 2.0f).set("r7", 4u).run();
  const TextureRequest& request = task.environment.requests.at(0);
  EXPECT_FALSE(request.op->implicit_lod);
  EXPECT_TRUE(request.op->explicit_gradients());
  EXPECT_EQ(request.ddx, (std::array<float, 3>{0.5f, 0.125f, 0}));
  EXPECT_EQ(request.ddy, (std::array<float, 3>{0.25f, 2.0f, 0}));
  EXPECT_EQ(request.offset[0], 4) << "options follow the gradients";
}

TEST(Textures, TexelsAreFetched) {
  Task task("main { smp2d.fcnorm.nncoords.replace drc0, sh4, r1, sh0, _, r8, 4 }");
  task.set("r1", 7.0f).set("r2", 3.5f).set("r3", 1.0f).run();
  const TextureRequest& request = task.environment.requests.at(0);
  EXPECT_EQ(request.op->kind, ir::Texture::Kind::fetch);
  EXPECT_EQ(request.coordinate[0], 7u);
  EXPECT_EQ(request.coordinate[1], 3u);
  EXPECT_EQ(request.fetch_lod, 1);
}

TEST(Textures, IntegersAreOfEitherSign) {
  Task task("main { smp2d.nncoords.replace.integer drc0, sh4, r1, sh0, _, r8, 4 }");
  task.run();
  EXPECT_EQ(task.environment.requests.at(0).op->result, ir::Texture::Result::integer);
}

TEST(Textures, CoordinatesMayBeHalves) {
  const auto run = [](const std::string& words) {
    Task task("main { smp2d.fcnorm.f16input.replace drc0, sh4, r1, sh0, _, r8, 4 }", 1, {{"f16_words", words}});
    task.set("r1", 0x40003C00u).set("r2", words == "pairs" ? bits(2.0f) : 0x4200u).set("r3", 4.0f).run();
    const TextureRequest& request = task.environment.requests.at(0);
    return std::array{number(request.coordinate[0]), number(request.coordinate[1]), request.lod};
  };
  EXPECT_EQ(run("pairs"), (std::array{1.0f, 2.0f, 2.0f}));
  EXPECT_EQ(run("low-halves"), (std::array{1.0f, 3.0f, 4.0f}));
}

TEST(Textures, ResultsMayBeHalves) {
  Task task("main { smp2d.fcnorm.f16 drc0, sh4, r1, sh0, _, r8, 4 }\nctrl { wdf drc0 }\nnop.end");
  task.set("r10", 77u).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("r8"), 0u) << "the texels are denormals as floats, and zeros as halves";
  EXPECT_EQ(task.get("r10"), 77u) << "four halves are two words";
}

TEST(Textures, AComparisonIsAPolicy) {
  const std::string text = "main { smp2d.fcnorm.replace.comparison drc0, sh4, r1, sh0, _, r8, 1 }";
  EXPECT_THAT(Task(text).run().fault(), HasSubstr("sample_comparison"));
  Task task(text, 1, {{"sample_comparison", "last"}});
  task.set("r3", 2.0f).set("r4", 0.5f).run();
  const TextureRequest& request = task.environment.requests.at(0);
  EXPECT_TRUE(request.op->shadow);
  EXPECT_EQ(number(request.coordinate[2]), 0.5f);
  EXPECT_EQ(request.lod, 2.0f);
}

TEST(Textures, WritesAreThoseOfImages) {
  Task task("main { smp2d.fcnorm.nncoords.wrt drc0, sh4, r1, sh0, _, r8, 2 }\nctrl { wdf drc0 }\nnop.end");
  task.set("r1", 3.0f).set("r2", 5.0f).set("r3", 0.5f).set("r4", 0.25f).set("r8", 9u).run();
  EXPECT_EQ(task.fault(), "");
  ASSERT_EQ(task.environment.texels.size(), 1u);
  const TestEnvironment::Texel& texel = task.environment.texels[0];
  EXPECT_EQ(texel.image, 1u) << "sh4";
  EXPECT_EQ(texel.at, (std::array<std::int32_t, 3>{3, 5, 0}));
  EXPECT_EQ(texel.words, (std::vector<std::uint32_t>{bits(0.5f), bits(0.25f), 0, 0}));
  EXPECT_EQ(task.get("r8"), 9u) << "no result";
}

/// A program whose interface says what the texture, or image, with the number 1 is.
Program program_with(std::string_view text, const char* type) {
  Program program = program_of(assemble(text));
  program.interface.uniforms.push_back({"t", type, 0, 1, 0, ""});
  return program;
}

TEST(Textures, CubesTakeDirections) {
  struct Direction {
    float x, y, z;
    std::uint32_t face;
    float s, t;
  };
  // OpenGL ES 3.2, table 8.18.
  for (const Direction& each : {Direction{2, 1, 0.5F, 0, 0.375F, 0.25F},
                                {-2, 1, 0.5F, 1, 0.625F, 0.25F},
                                {1, 2, 0.5F, 2, 0.75F, 0.625F},
                                {1, -2, 0.5F, 3, 0.75F, 0.375F},
                                {1, 0.5F, 2, 4, 0.75F, 0.375F},
                                {1, 0.5F, -2, 5, 0.25F, 0.375F}}) {
    Task task(program_with("main { smp3d.fcnorm.replace drc0, sh4, r1, sh0, _, r8, 4 }", "samplerCube"));
    task.set("r1", each.x).set("r2", each.y).set("r3", each.z).set("r4", 2.0f).run();
    const TextureRequest& request = task.environment.requests.at(0);
    EXPECT_EQ(request.op->shape, ir::Texture::Shape::cube);
    EXPECT_EQ(request.coordinate[0], each.face);
    EXPECT_EQ(number(request.coordinate[1]), each.s) << each.face;
    EXPECT_EQ(number(request.coordinate[2]), each.t) << each.face;
    EXPECT_EQ(request.lod, 2.0f);
  }
  Task other("main { smp3d.fcnorm.replace drc0, sh4, r1, sh0, _, r8, 4 }");
  EXPECT_EQ(other.run().environment.requests.at(0).op->shape, ir::Texture::Shape::d3) << "nothing says that it is one";
}

TEST(Textures, GradientsOfACubeAreThoseOnItsFace) {
  Task task(program_with("main { smp3d.fcnorm.gradient drc0, sh4, r1, sh0, _, r8, 4 }", "samplerCube[2]"));
  // x is major: s = (1 - z / x) / 2, t = (1 - y / x) / 2, and x differs along the row.
  task.set("r1", 2.0f).set("r2", 1.0f).set("r3", -0.5f);
  const float row[] = {0.5F, 0.25F, 1}, column[] = {0, 1, -2};
  for (int i = 0; i < 3; ++i)
    task.set("r" + std::to_string(4 + 2 * i), row[i]).set("r" + std::to_string(5 + 2 * i), column[i]);
  const TextureRequest& request = task.run().environment.requests.at(0);
  EXPECT_EQ(request.ddx[1], -(1 * 2.0F - -0.5F * 0.5F) / 4 / 2);
  EXPECT_EQ(request.ddx[2], -(0.25F * 2 - 1 * 0.5F) / 4 / 2);
  EXPECT_EQ(request.ddy[1], 0.5F);
  EXPECT_EQ(request.ddy[2], -0.25F);
}

TEST(Textures, RawDataAreTheTexelsOfAFilter) {
  Task task("main { smp2d.fcnorm.replace.data drc0, sh4, r1, sh0, _, r8, 4 }\nctrl { wdf drc0 }\nnop.end");
  task.run();
  ASSERT_EQ(task.environment.requests.size(), 4u) << "one a component";
  for (unsigned component = 0; component < 4; ++component)
    EXPECT_EQ(task.environment.requests[component].op->gather_component, component);
  // Each gather gives 100 to 103: those of higher t, from the left, then those of lower t, from the right.
  for (const auto& [first, texel] : {std::pair{8, 103u}, {12, 100u}, {16, 102u}, {20, 101u}})
    for (int i = 0; i < 4; ++i) EXPECT_EQ(task.get("r" + std::to_string(first + i)), texel) << first;
}

TEST(Textures, TexelsOfImagesAreLoaded) {
  Task task(program_with(
      "main { smp2d.fcnorm.nncoords.array drc0, sh4, r1, sh0, _, r8, 2 }\nctrl { wdf drc0 }\nnop.end", "image"));
  task.set("r1", 3.0f).set("r2", 5.0f).set("r3", 2u).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_TRUE(task.environment.requests.empty());
  EXPECT_EQ(task.get("r8"), 1'030'502u) << "image 1 at (3, 5, 2)";
  EXPECT_EQ(task.get("r10"), 0u) << "two channels";
}

TEST(Textures, WhatIsNotModelledStops) {
  for (const std::string modifiers : {"tao", "info", "both", "f16.data", "wrt"})
    EXPECT_THAT(Task("main { smp2d.fcnorm." + modifiers + " drc0, sh4, r1, sh0, _, r8, 4 }").run().fault(),
                HasSubstr("not modelled"))
        << modifiers;
  EXPECT_THAT(Task("main { smp2d.fcnorm drc0, sh5, r1, sh0, _, r8, 4 }").run().fault(), HasSubstr("multiple of 4"));
}

}  // namespace
}  // namespace mobula::rogue
