// Textures by machine code, beside their source.
#include <gtest/gtest.h>

#include "compile/attempt.h"

namespace mobula::test {
namespace {

void expect_verified(const std::string& text, Stage stage = Stage::fragment) {
  const Attempt made = attempt(text, stage, {"rogue", ""});
  EXPECT_TRUE(made.is_verified()) << name(made.end) << ": " << made.code << ' ' << made.why << '\n' << text;
  EXPECT_GT(made.outcome.compared, 0U);
}

TEST(RogueTextures, IntegersOfEitherSignAreReadAsTheyAre) {
  for (const std::string sign : {"i", "u"})
    for (const auto& [kind, coordinate, texel] : {std::tuple{"sampler2D", "p.xy", "ivec2(p.xy)"},
                                                  {"sampler3D", "p", "ivec3(p)"},
                                                  {"sampler2DArray", "p", "ivec3(p)"}}) {
      const std::string type = sign + kind;
      const auto shader = [&](const std::string& read) {
        return "#version 300 es\nprecision highp float;\nprecision highp int;\nuniform highp " + type +
               " t;\nin vec3 p;\nout " + sign + "vec4 o;\nvoid main() { o = " + read + "; }";
      };
      expect_verified(shader(std::string("texture(t, ") + coordinate + ")"));
      expect_verified(shader(std::string("textureLod(t, ") + coordinate + ", 1.0)"));
      expect_verified(shader(std::string("texelFetch(t, ") + texel + ", 0)"));
    }
}

TEST(RogueTextures, FourTexelsAreGathered) {
  const auto shader = [](const std::string& type, const std::string& read) {
    return "#version 320 es\nprecision highp float;\nprecision highp int;\nuniform highp " + type +
           " t;\nuniform highp " + type + " ts[2];\nuniform int i;\nin vec3 p;\nout vec4 o;\nvoid main() { o = vec4(" +
           read + "); }";
  };
  expect_verified(shader("sampler2D", "textureGather(t, p.xy)"));
  expect_verified(shader("sampler2D", "textureGather(t, p.xy, 2)"));
  expect_verified(shader("sampler2D", "textureGatherOffset(t, p.xy, ivec2(3, -5), 1)"));
  expect_verified(shader("sampler2D", "textureGatherOffset(t, p.xy, ivec2(i & 3, 1), 3)"));
  expect_verified(shader("sampler2D", "textureGather(ts[i & 1], p.xy)"));
  expect_verified(shader("isampler2D", "textureGather(t, p.xy, 1)"));
  expect_verified(shader("sampler2DArray", "textureGather(t, p, 1)"));
  expect_verified(shader("usampler2DArray", "textureGather(t, p)"));
}

/// GLSL rounds the number of a layer to the nearest, halves up; conversions round them to even numbers.
TEST(RogueTextures, LayersAreTheNearest) {
  expect_verified(
      "#version 300 es\nprecision highp float;\nuniform highp sampler2DArray t;\nuniform float f;\nout vec4 o;\n"
      "void main() { o = textureLod(t, vec3(0.3, 0.3, float(int(f) & 1) + 0.5), 0.0); }");
}

/// A buffer is as long as std140 makes the block, whatever comes after it.
TEST(RogueBlocks, UniformsAreBehindThem) {
  expect_verified(
      "#version 310 es\nprecision highp float;\nlayout(std140) uniform U { float a[2]; float z; };\nuniform float "
      "u;\nuniform int i;\nout vec4 o;\nvoid main() { o = vec4(u, a[i & 1], z, a[1]); }");
}

TEST(RogueVaryings, MembersOfABlockAreFlatEachForItself) {
  expect_verified(
      "#version 320 es\nprecision highp float;\nin Blk { vec4 a; flat int b; flat vec2 c; } blk;\nout vec4 o;\nvoid "
      "main() { o = blk.a * float(blk.b) + blk.c.xyxy; }");
}

}  // namespace
}  // namespace mobula::test
