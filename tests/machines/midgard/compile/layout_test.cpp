#include "machines/midgard/compile/layout.h"

#include <gmock/gmock.h>

#include "compile/build.h"
#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

using midgard_compiler::BufferWord;
using midgard_compiler::UniformRegisters;

const Variable* named(const std::vector<Variable>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Variable::name);
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? nullptr : &*found;
}

TEST(MidgardLayout, UniformsHaveTheirNamesAndLieOneAfterTheOther) {
  const Interface made = verified(
                             "#version 310 es\nprecision highp float; uniform float s; uniform mat4 m; uniform vec3 v;"
                             "uniform float f[3]; out vec4 o;"
                             "void main() { o = m * vec4(v, s) + f[0] + f[1] * f[2]; }")
                             .program.interface;
  const Variable *s = named(made.uniforms, "s"), *m = named(made.uniforms, "m"), *v = named(made.uniforms, "v"),
                 *f = named(made.uniforms, "f");
  ASSERT_TRUE(s && m && v && f);
  EXPECT_EQ(s->type, "float");
  EXPECT_EQ(m->type, "vec4[4]");
  EXPECT_EQ(v->type, "vec3");
  EXPECT_EQ(f->type, "float[3]");
  std::vector<std::pair<int, int>> taken{
      {s->driver_location, 1}, {m->driver_location, 16}, {v->driver_location, 3}, {f->driver_location, 3}};
  std::ranges::sort(taken);
  int next = 0;
  for (const auto& [first, words] : taken) {
    EXPECT_EQ(first, next);
    next = first + words;
  }
}

TEST(MidgardLayout, WhatIsIndexedAtRunTimeIsInStepsOfSixteenBytesIfItsVectorsDiffer) {
  const Interface made = verified(
                             "#version 310 es\nprecision highp float; uniform struct { float x; vec3 y; } s[2];"
                             "uniform int n; out vec4 o; void main() { o = vec4(s[n & 1].y, s[(n >> 1) & 1].x); }")
                             .program.interface;
  for (const char* name : {"s[0].x", "s[0].y", "s[1].x", "s[1].y"})
    if (const Variable* each = named(made.uniforms, name)) {
      EXPECT_EQ(each->driver_location % 4, 0) << name;
    }
}

TEST(MidgardLayout, UniformsThatAreReadAreInRegistersThatTheDriverFills) {
  const Interface made =
      verified("#version 310 es\nprecision highp float; uniform vec4 u; out vec4 o; void main() { o = u; }")
          .program.interface;
  EXPECT_EQ(made.uniform_registers, 1U);
  ASSERT_EQ(made.push.size(), 4U);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(made.push[i].ubo, 0U);
    EXPECT_EQ(made.push[i].byte_offset, 4 * i);
  }
}

TEST(MidgardLayout, InputsAndOutputsHaveTheLocationsOfTheSource) {
  const Interface vertex = verified(
                               "#version 310 es\nlayout(location = 3) in vec4 p; layout(location = 5) out vec2 t;"
                               "void main() { gl_Position = p; gl_PointSize = 2.0; t = p.xy; }",
                               Stage::vertex)
                               .program.interface;
  ASSERT_TRUE(named(vertex.inputs, "p") && named(vertex.outputs, "t"));
  EXPECT_EQ(named(vertex.inputs, "p")->location, 15 + 3);
  EXPECT_EQ(named(vertex.outputs, "t")->location, 32 + 5);
  EXPECT_EQ(named(vertex.outputs, "gl_Position")->location, 0);
  EXPECT_EQ(named(vertex.outputs, "gl_PointSize")->location, 12);
  const Interface fragment =
      verified(
          "#version 310 es\nprecision highp float; layout(location = 2) in vec2 t;"
          "layout(location = 0) out vec4 o; layout(location = 2) out vec4 q; void main() { o = t.xyxy; q = o; }")
          .program.interface;
  ASSERT_TRUE(named(fragment.inputs, "t") && named(fragment.outputs, "q"));
  EXPECT_EQ(named(fragment.inputs, "t")->location, 32 + 2);
  EXPECT_EQ(named(fragment.outputs, "o")->location, 4);
  EXPECT_EQ(named(fragment.outputs, "q")->location, 4 + 2);
}

TEST(MidgardLayout, BlocksAreNumberedAfterTheDefaultOne) {
  const Interface made =
      verified(
          "#version 310 es\nprecision highp float; layout(std140) uniform A { vec4 a; }; uniform float u;"
          "layout(std140) uniform B { vec4 b; } b; out vec4 o; void main() { o = a * u + b.b; }")
          .program.interface;
  ASSERT_TRUE(named(made.ubo_blocks, "A") && named(made.ubo_blocks, "B"));
  EXPECT_NE(named(made.ubo_blocks, "A")->driver_location, named(made.ubo_blocks, "B")->driver_location);
  for (const Variable& each : made.ubo_blocks)
    EXPECT_THAT(each.driver_location, testing::AllOf(testing::Ge(1), testing::Le(2)));
  EXPECT_EQ(made.ubo_count, 3U);
}

TEST(MidgardLayout, SystemValuesAreThoseThatAreUsed) {
  const auto types = [](const Interface& interface) {
    std::vector<std::uint32_t> all;
    for (const SystemValue& each : interface.system_values) all.push_back(each.type);
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(types(verified("attribute vec4 p; void main() { gl_Position = p; }", Stage::vertex).program.interface),
            (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(
      types(verified("precision highp float; varying vec4 p; void main() { gl_FragColor = p; }").program.interface),
      std::vector<std::uint32_t>{});
  const Interface compute =
      verified(
          "#version 310 es\nlayout(local_size_x = 4) in; layout(std430) buffer A { uint a[]; };"
          "shared uint s[4]; void main() { s[gl_LocalInvocationIndex] = gl_NumWorkGroups.x; barrier();"
          "a[gl_GlobalInvocationID.x] = s[3u - gl_LocalInvocationIndex]; }",
          Stage::compute)
          .program.interface;
  EXPECT_EQ(types(compute), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(compute.workgroup_local_bytes, 16U);
  EXPECT_EQ(compute.local_size, (std::array<std::uint32_t, 3>{4, 1, 1}));
  ASSERT_TRUE(named(compute.ssbo_blocks, "A"));
  EXPECT_EQ(named(compute.ssbo_blocks, "A")->driver_location, 0);
}

TEST(MidgardLayout, TexturesHaveNumbersOfTheirOwnAndSayWhatTheyHold) {
  const Interface made =
      verified(
          "#version 310 es\nprecision highp float; precision highp isampler2D; precision highp usampler2D;"
          "uniform sampler2D t[3]; uniform isampler2D i; uniform usampler2D u; in vec2 a; out vec4 o;"
          "void main() { o = texture(t[2], a) + texture(t[0], a) + texture(t[1], a)"
          " + vec4(texelFetch(i, ivec2(1), 0)) + vec4(texelFetch(u, ivec2(1), 0)); }")
          .program.interface;
  const Variable *t = named(made.uniforms, "t"), *i = named(made.uniforms, "i"), *u = named(made.uniforms, "u");
  ASSERT_TRUE(t && i && u);
  EXPECT_EQ(t->type, "sampler[3]");
  EXPECT_EQ(i->type, "isampler");
  EXPECT_EQ(u->type, "usampler");
  std::vector numbers{t->driver_location, t->driver_location + 1, t->driver_location + 2, i->driver_location,
                      u->driver_location};
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::vector{0, 1, 2, 3, 4}));
}

TEST(MidgardLayout, ImagesAreNumberedAfterTheAttributes) {
  const Interface made =
      verified(
          "#version 320 es\nprecision highp float; layout(r32f) readonly uniform highp image2D i[2];"
          "layout(r32i) readonly uniform highp iimage2D k; in vec4 p; in mat2 m; out vec4 o;"
          "void main() { gl_Position = p; o = vec4(m) + imageLoad(i[1], ivec2(0)) + vec4(imageLoad(k, ivec2(1))); }",
          Stage::vertex)
          .program.interface;
  const Variable *i = named(made.uniforms, "i"), *k = named(made.uniforms, "k");
  ASSERT_TRUE(i && k);
  EXPECT_EQ(i->type, "image[2]");
  EXPECT_EQ(k->type, "iimage");
  EXPECT_EQ(std::min(i->driver_location, k->driver_location), 3);
  EXPECT_EQ(std::abs(i->driver_location - k->driver_location), i->driver_location < k->driver_location ? 2 : 1);
}

TEST(MidgardLayout, RegistersForUniformsAreFilledAndThenFull) {
  UniformRegisters registers(2);
  const auto first = registers.find({0, 0}, 3), second = registers.find({0, 32}, 1), third = registers.find({1, 0}, 4);
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(first->number, 23U);
  EXPECT_EQ(second->number, 23U) << "there is room beside the first";
  EXPECT_EQ(second->component[0], 3);
  EXPECT_EQ(third->number, 22U);
  EXPECT_FALSE(registers.find({2, 0}, 1));
  const auto again = registers.find({0, 4}, 2);
  ASSERT_TRUE(again) << "it is part of the first";
  EXPECT_EQ(again->component[0], 1);
  EXPECT_EQ(registers.count(), 2U);
  ASSERT_EQ(registers.words().size(), 8U);
  EXPECT_EQ(registers.words()[3].byte_offset, 32U);
  EXPECT_EQ(registers.words()[4].ubo, 1U);
}

}  // namespace
}  // namespace mobula::test
