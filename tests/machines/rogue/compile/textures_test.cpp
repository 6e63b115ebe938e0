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

std::string fragment(const std::string& declared, const std::string& value) {
  return "#version 320 es\nprecision highp float;\nprecision highp int;\n" + declared +
         "\nuniform int i;\nin vec4 p;\nout vec4 o;\nvoid main() { o = vec4(" + value + "); }";
}

TEST(RogueTextures, CubesAreReadByDirections) {
  const std::string cube = "uniform highp samplerCube t;";
  for (const char* const value : {"texture(t, p.xyz)", "texture(t, p.xyz, 0.5)", "textureLod(t, p.xyz, 1.3)",
                                  "textureLod(t, -p.yzx, 0.0)", "textureGrad(t, p.xyz, p.wxy * 0.3, p.zwx * 0.1)",
                                  "textureGather(t, p.xyz)", "textureGather(t, p.zyx, 2)", "textureSize(t, 1).xyxy"})
    expect_verified(fragment(cube, value));
  expect_verified(fragment("uniform highp samplerCube t[3];", "texture(t[i & 1], p.xyz)"));
  expect_verified(fragment("uniform highp isamplerCube t;", "textureLod(t, p.xyz, 0.0)"));
  expect_verified(fragment("uniform highp usamplerCube t;", "texture(t, p.xyz)"));
  expect_verified(fragment("uniform highp samplerCubeArray t;", "texture(t, p)"));
  expect_verified(fragment("uniform highp samplerCubeArray t;", "textureLod(t, p, 1.0)"));
  expect_verified(fragment("uniform highp samplerCubeArray t;", "textureGather(t, p, 3)"));
}

TEST(RogueTextures, DepthsAreComparedAsTheSamplerHasIt) {
  const std::string flat = "uniform highp sampler2DShadow t;", layers = "uniform highp sampler2DArrayShadow t;",
                    cube = "uniform highp samplerCubeShadow t;", cubes = "uniform highp samplerCubeArrayShadow t;";
  for (const char* const value :
       {"texture(t, p.xyz)", "texture(t, p.xyz, 0.5)", "textureProj(t, vec4(p.xy, p.z, 1.5))",
        "textureLod(t, p.xyz, 1.0)", "textureOffset(t, p.xyz, ivec2(1, -2))", "textureGather(t, p.xy, p.z)",
        "textureGatherOffset(t, p.xy, p.z, ivec2(1, 2))", "textureGrad(t, p.xyz, p.xy, p.zw)",
        "textureLod(t, vec3(p.xy, 7.0), 0.0) + textureLod(t, vec3(p.xy, -7.0), 0.0)"})
    expect_verified(fragment(flat, value));
  expect_verified(fragment(layers, "texture(t, p)"));
  expect_verified(fragment(layers, "textureGather(t, p.xyz, p.w)"));
  expect_verified(fragment(cube, "texture(t, p)"));
  expect_verified(fragment(cube, "textureGather(t, p.xyz, p.w)"));
  expect_verified(fragment(cubes, "texture(t, p, 0.4)"));
  expect_verified(fragment("uniform highp sampler2DShadow t[2];", "texture(t[i & 1], p.xyz)"));
}

TEST(RogueTextures, BuffersAndSeveralSamplesAreFetched) {
  expect_verified(fragment("uniform highp samplerBuffer t;", "texelFetch(t, i & 7) + float(textureSize(t))"));
  expect_verified(fragment("uniform highp isamplerBuffer t;", "texelFetch(t, i)"));
  expect_verified(fragment("uniform highp sampler2DMS t;", "texelFetch(t, ivec2(i & 3, 1), i & 3)"));
  expect_verified(
      fragment("uniform highp sampler2DMS t;", "texelFetch(t, ivec2(p.xy), 2) + vec4(textureSize(t), 0, 0)"));
  expect_verified(fragment("uniform highp usampler2DMSArray t;", "texelFetch(t, ivec3(p.xyz), 1)"));
}

TEST(RogueImages, AreLoadedAndStored) {
  const auto shader = [](const std::string& declared, const std::string& body) {
    return "#version 320 es\nprecision highp float;\nprecision highp int;\nlayout(local_size_x = 8) in;\n" + declared +
           "\nlayout(std430) buffer B { vec4 b[]; };\nuniform ivec4 u;\nvoid main() { uint k = "
           "gl_GlobalInvocationID.x; int i = int(k); " +
           body + " }";
  };
  const std::pair<const char*, const char*> all[] = {
      {"layout(rgba8) readonly uniform highp image2D a;", "b[k] = imageLoad(a, ivec2(i, u.x & 3));"},
      {"layout(r32f) uniform highp image2D a;",
       "imageStore(a, ivec2(i & 7, i >> 3), imageLoad(a, ivec2(i & 7, i >> 3)) + b[k]);"},
      {"layout(rgba32ui) writeonly uniform highp uimage2D a;", "imageStore(a, ivec2(i & 7, i >> 3), uvec4(u) + k);"},
      {"layout(rgba16i) readonly uniform highp iimage2D a;", "b[k] = vec4(imageLoad(a, ivec2(i, 1)));"},
      {"layout(rgba16f) readonly uniform highp image3D a;", "b[k] = imageLoad(a, ivec3(i & 7, 2, u.y));"},
      {"layout(rgba8) writeonly uniform highp image3D a;",
       "imageStore(a, ivec3(i & 7, i >> 3, 1), vec4(0.25, 0.5, 0.75, 1.0));"},
      {"layout(rgba8) readonly uniform highp image2DArray a;",
       "b[k] = imageLoad(a, ivec3(i, 2, 1)) + vec4(imageSize(a), 0);"},
      {"layout(rgba8) readonly uniform highp imageCube a;",
       "b[k] = imageLoad(a, ivec3(i & 7, 2, u.x & 7)) + vec4(imageSize(a), 0, 0);"},
      {"layout(r32i) readonly uniform highp iimageBuffer a;", "b[k] = vec4(imageLoad(a, i)) + float(imageSize(a));"},
      {"layout(r32ui) readonly uniform highp uimage2D a[2];", "b[k] = vec4(imageLoad(a[u.x & 1], ivec2(i, 1)));"},
      {"layout(r32ui) writeonly uniform highp uimage2D a[2];",
       "imageStore(a[i & 1], ivec2(i & 7, i >> 3), uvec4(k));"}};
  for (const auto& [declared, body] : all) expect_verified(shader(declared, body), Stage::compute);
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
