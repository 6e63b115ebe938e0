#include "compile/evaluate/evaluate.h"

#include <gmock/gmock.h>

#include "compile/build.h"
#include "compile/evaluation.h"

namespace mobula::test {
namespace {

/// The colour of the first lane, its first component.
double first_of(Evaluation& run) { return run.get("colour", 0, 0); }

constexpr const char* head =
    "#version 310 es\nprecision highp float; precision highp int;\nlayout(location=0) out vec4 colour;\n";

double colour_of(const std::string& body, const std::vector<std::pair<std::string, double>>& inputs = {}) {
  const auto program = ssa_of(head + body);
  if (!program) {
    ADD_FAILURE() << errors_of(program);
    return 0;
  }
  Evaluation run(*program);
  for (const auto& [name, number] : inputs) run.put(name, {number});
  EXPECT_EQ(run.evaluator.run(), "");
  return first_of(run);
}

TEST(Evaluate, TakesDifferencesInQuads) {
  const auto program =
      ssa_of(std::string(head) + "in float a; void main() { colour = vec4(dFdx(a), dFdy(a), fwidth(-a), 0); }");
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  const auto a = run.evaluator.find("a");
  ASSERT_TRUE(a);
  for (std::uint32_t lane = 0; lane < 4; ++lane)
    run.evaluator.at(*a, lane) = {std::bit_cast<std::uint32_t>(static_cast<float>(lane % 2 * 2 + lane / 2 * 16))};
  ASSERT_EQ(run.evaluator.run(), "");
  EXPECT_EQ(run.get("colour", 0, 0), 2);
  EXPECT_EQ(run.get("colour", 0, 1), 16);
  EXPECT_EQ(run.get("colour", 0, 2), 18);
}

TEST(Evaluate, LetsLanesPartAndMeet) {
  const auto program =
      ssa_of(std::string(head) +
             "flat in int n; void main() { float s = 0.0; for (int i = 0; i < n; ++i) { if ((i & 1) == 1) continue; "
             "if (i > 6) break; s += float(i); } colour = vec4(s); }");
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  const auto n = run.evaluator.find("n"), colour = run.evaluator.find("colour");
  for (std::uint32_t lane = 0; lane < 4; ++lane) run.evaluator.at(*n, lane) = {lane * 4};
  ASSERT_EQ(run.evaluator.run(), "");
  const float expected[] = {0, 2, 12, 12};
  for (std::uint32_t lane = 0; lane < 4; ++lane)
    EXPECT_EQ(std::bit_cast<float>(run.evaluator.at(*colour, lane)[0]), expected[lane]) << lane;
}

TEST(Evaluate, GoesThroughSwitches) {
  const std::string text =
      "uniform int n; void main() { float s = 0.0; switch (n) { case 1: case 2: s += 1.0; case 3: s += 10.0; break; "
      "default: s = 5.0; } "
      "colour = vec4(s); }";
  for (const auto& [n, expected] : {std::pair{0, 5}, {1, 11}, {2, 11}, {3, 10}, {4, 5}})
    EXPECT_EQ(colour_of(text, {{"n", n}}), expected) << n;
}

TEST(Evaluate, EndsWhatDoesNotEnd) {
  const auto program = ssa_of(
      std::string(head) + "uniform int n; void main() { float s = 0.0; while (n < 1) s += 1.0; colour = vec4(s); }");
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  EXPECT_THAT(run.evaluator.run(1000), testing::HasSubstr("more than 1000 blocks"));
}

TEST(Evaluate, KeepsToTheEndsOfArrays) {
  const std::string text =
      "uniform int n; uniform float a[3]; void main() { float t[3]; for (int i = 0; i < 3; ++i) t[i] = a[i]; colour = "
      "vec4(t[n]); }";
  EXPECT_EQ(colour_of(text, {{"n", 1}, {"a[1]", 7}}), 7);
  EXPECT_EQ(colour_of(text, {{"n", 100}, {"a[2]", 9}}), 9);
  EXPECT_EQ(colour_of(text, {{"n", -1}, {"a[2]", 9}}), 9);
}

TEST(Evaluate, InvertsMatrices) {
  // Of a matrix that stretches by 2, 4 and 8 and exchanges x and y.
  EXPECT_EQ(colour_of("uniform float s; void main() { mat3 m = mat3(0, s, 0, 2.0 * s, 0, 0, 0, 0, 4.0 * s); colour = "
                      "vec4(inverse(m)[0][1] * 100.0 + "
                      "determinant(m)); }",
                      {{"s", 2}}),
            25 - 64);
}

TEST(Evaluate, CountsWithAtomicOperations) {
  const auto program = ssa_of(
      "#version 310 es\nlayout(local_size_x = 4) in; layout(std430, binding = 0) buffer B { uint total; uint old[4]; "
      "};\nshared uint all_of_us;\n"
      "void main() { if (gl_LocalInvocationIndex == 0u) all_of_us = 0u; barrier(); atomicAdd(all_of_us, "
      "gl_LocalInvocationIndex + 1u); barrier();\n"
      "  old[gl_LocalInvocationIndex] = atomicMax(total, all_of_us * (gl_LocalInvocationIndex + 1u)); }",
      Stage::compute);
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  std::uint32_t block = 0;
  while (program->variables[block].storage != ssa::Storage::storage_block) ++block;
  run.evaluator.block(block).resize(20);
  const auto index = run.evaluator.find("gl_LocalInvocationIndex");
  ASSERT_TRUE(index);
  for (std::uint32_t lane = 0; lane < 4; ++lane) run.evaluator.at(*index, lane) = {lane};
  ASSERT_EQ(run.evaluator.run(), "");
  EXPECT_EQ(run.evaluator.block(block)[0], 40);
  EXPECT_EQ(run.evaluator.block(block)[4 + 4 * 2], 20);
}

TEST(Evaluate, CountsInComponentsOfVectors) {
  const auto program = ssa_of(
      "#version 310 es\nlayout(local_size_x = 4) in; layout(std430, binding = 0) buffer B { uvec4 a; uvec2 b[2]; };\n"
      "void main() { uint i = gl_LocalInvocationIndex; atomicAdd(a.z, 1u); atomicAdd(a[i], 4u); atomicAdd(b[1].y, 2u); "
      "}",
      Stage::compute);
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  std::uint32_t block = 0;
  while (program->variables[block].storage != ssa::Storage::storage_block) ++block;
  run.evaluator.block(block).resize(32);
  for (std::uint32_t lane = 0; lane < 4; ++lane)
    run.evaluator.at(*run.evaluator.find("gl_LocalInvocationIndex"), lane) = {lane};
  ASSERT_EQ(run.evaluator.run(), "");
  for (const auto& [word, expected] : {std::pair{0, 4}, {2, 8}, {3, 4}, {6, 0}, {7, 8}})
    EXPECT_EQ(run.evaluator.block(block)[static_cast<std::size_t>(word) * 4], expected) << word;
}

/// Threads that write different numbers of a vector at the same time do not undo what others write.
TEST(Evaluate, WritesNumbersOfSharedVectorsEachByItself) {
  const auto program = ssa_of(
      "#version 310 es\nlayout(local_size_x = 4) in; layout(std430, binding = 0) buffer B { uvec4 a, b; uint c[4]; };\n"
      "shared uvec4 v; shared struct { uint before; mat2x3 m[2]; ivec3 n[2]; } s;\n"
      "void main() { uint i = gl_LocalInvocationIndex; v[i] = i + 1u; s.n[1] = ivec3(0); s.m[1] = mat2x3(0.0); "
      "barrier();\n"
      "if (i == 1u) s.n[1].y = 5; else if (i == 2u) s.n[1].z = 6; s.m[1][1][i % 3u] = float(10u + i); "
      "atomicOr(s.n[1].x, 1 << int(i)); barrier();\n"
      "if (i == 0u) { a = v; b = uvec4(s.n[1], s.m[1][1].y); } c[i] = v[3u - i]; }",
      Stage::compute);
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  std::uint32_t block = 0;
  while (program->variables[block].storage != ssa::Storage::storage_block) ++block;
  run.evaluator.block(block).resize(48);
  for (std::uint32_t lane = 0; lane < 4; ++lane)
    run.evaluator.at(*run.evaluator.find("gl_LocalInvocationIndex"), lane) = {lane};
  ASSERT_EQ(run.evaluator.run(), "");
  std::vector<int> found;
  for (std::size_t word = 0; word < 12; ++word) found.push_back(run.evaluator.block(block)[word * 4]);
  EXPECT_EQ(found, (std::vector<int>{1, 2, 3, 4, 15, 5, 6, 11, 4, 3, 2, 1}));
}

/// glslang makes a choice of what are numbers already.
TEST(Evaluate, CopiesStructuresWithBooleansFromBlockToBlock) {
  const auto program = ssa_of(
      "#version 310 es\nlayout(local_size_x = 1) in; struct S { uint n; bool b; bvec2 c[2]; };\n"
      "layout(std430, binding = 0) buffer A { S s; } a; layout(std140, binding = 1) buffer B { S s; } b;\n"
      "void main() { b.s = a.s; a.s.b = !a.s.b; }",
      Stage::compute);
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  const auto block = [&](std::string_view name) -> std::vector<std::uint8_t>& {
    const auto variable = std::ranges::find(program->variables, name, &ssa::Variable::name);
    return run.evaluator.block(static_cast<std::uint32_t>(variable - program->variables.begin()));
  };
  block("A").assign(24, 0);
  block("B").assign(48, 0);
  block("A")[0] = 9;
  block("A")[4] = 1;
  block("A")[12] = 1;
  ASSERT_EQ(run.evaluator.run(), "");
  EXPECT_EQ(block("B")[0], 9);
  EXPECT_EQ(block("B")[4], 1);
  EXPECT_EQ(block("B")[16], 0);
  EXPECT_EQ(block("B")[20], 1);
  EXPECT_EQ(block("A")[4], 0);
}

TEST(Evaluate, HandsTexturesWhatTheyNeed) {
  const auto program = ssa_of(
      std::string(head) +
      "uniform highp sampler2D t; in vec2 uv; void main() { colour = textureLodOffset(t, uv, 2.0, ivec2(3, -1)); }");
  ASSERT_TRUE(program) << errors_of(program);
  Evaluation run(*program);
  run.put("uv", {0.25, 0.5});
  EXPECT_THAT(run.evaluator.run(), testing::HasSubstr("nothing that reads textures"));
  run.evaluator.set_textures([&](const ssa::TextureCall& call, ssa::Bits& out) -> std::string {
    EXPECT_EQ(program->variables[call.access->texture].name, "t");
    EXPECT_EQ(std::bit_cast<float>(call.coordinate[1]), 0.5F);
    EXPECT_EQ(std::bit_cast<float>(call.lod), 2.F);
    EXPECT_EQ(call.offset[1], ~0U);
    out = {std::bit_cast<std::uint32_t>(0.75F)};
    return "";
  });
  ASSERT_EQ(run.evaluator.run(), "");
  EXPECT_EQ(first_of(run), 0.75);
}

}  // namespace
}  // namespace mobula::test
