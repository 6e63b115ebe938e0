// What the groups of a compiled shader look like.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "compile/attempt.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The native text, one group a line, of what is verified.
std::string groups_of(const char* glsl, Stage stage = Stage::fragment) {
  const Attempt made = attempt(glsl, stage, {"rogue", ""});
  EXPECT_TRUE(made.is_verified()) << made.why;
  const auto listing = find_machine("rogue")->disassemble(made.program, {});
  return listing ? listing->text : "";
}
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(RogueCode, IteratesVaryingsInARowAtOnceInPerspective) {
  const std::string text = groups_of("precision highp float; varying vec4 a, b; void main() { gl_FragColor = a + b; }");
  EXPECT_EQ(count(text, "fitrp.pixel"), 1U) << text;
  EXPECT_EQ(count(text, "wdf"), 1U);
  EXPECT_THAT(text, HasSubstr("s2 = cf12")) << "1/w";
}

TEST(RogueCode, MakesColoursWhereTheyLeaveAndEndsWithTheLast) {
  const std::string text =
      groups_of("precision highp float; uniform vec2 u; void main() { gl_FragColor = vec4(u * 2.0, u * 3.0); }");
  EXPECT_EQ(count(text, " = po"), 4U) << text;
  EXPECT_EQ(count(text, "fmul"), 4U);
  EXPECT_EQ(count(text, "mbyp"), 0U);
  EXPECT_THAT(text, Not(HasSubstr("nop.end")));
}

TEST(RogueCode, TakesSignsAndFloorsWithTheirReader) {
  const std::string text = groups_of(
      "precision highp float; uniform float a, b; void main() { gl_FragColor = vec4(a - floor(b), -a * b, abs(a) + b, "
      "a * b + 0.5); }");
  EXPECT_THAT(text, HasSubstr(".flr.neg"));
  EXPECT_THAT(text, HasSubstr("s0.abs"));
  EXPECT_THAT(text, HasSubstr("fmad"));
}

TEST(RogueCode, SpecialRegistersHaveSigns) {
  groups_of(
      "precision highp float; uniform float u; void main() { gl_FragColor = vec4(u - gl_FragCoord.x, -gl_FragCoord.y, "
      "floor(gl_FragCoord.x) - u, max(u, -gl_FragCoord.x)); }");
}

TEST(RogueCode, MultipliesByNegativeConstantsOfRoundedNumbers) {
  groups_of(
      "#version 310 es\nprecision highp float; in vec3 i; out vec3 o; void main() { o = ceil(i); gl_Position = "
      "(mat2(0.0, 0.001, 2.0, -1.0) * o.xy).yyyx; }",
      Stage::vertex);
}

TEST(RogueCode, JumpsWhereAllInstancesGoTheSameWay) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; uniform int n; in vec2 v; out vec4 o; void main() { float s = 0.0; for "
      "(int i = 0; i < n; ++i) s = sin(s + v.x); o = vec4(s); }");
  EXPECT_THAT(text, HasSubstr("if(")) << text;
  EXPECT_THAT(text, HasSubstr(" br "));
  EXPECT_THAT(text, Not(HasSubstr("cnd")));
}

TEST(RogueCode, MasksWhereTheyPartWays) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; uniform int n; in vec2 v; out vec4 o; void main() { float s = v.y; for "
      "(int i = 0; i < n; ++i) { if (float(i) > v.x) break; s = sin(s + v.x); } o = vec4(s); }");
  EXPECT_THAT(text, HasSubstr("cndsm"));
  EXPECT_THAT(text, HasSubstr("br.allinst"));
}

TEST(RogueCode, DiscardsAndDepthsAreToldTheDepthTest) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; in vec2 v; out vec4 o; void main() { if (v.x > 0.5) discard; "
      "gl_FragDepth = v.y; o = vec4(v, v); }");
  EXPECT_THAT(text, HasSubstr("depthf"));
  EXPECT_THAT(text, HasSubstr("atst"));
}

TEST(RogueCode, NobodyWaitsForWhoIsDiscarded) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; uniform int n; in vec2 v; out vec4 o; void main() { if (v.x < 1.0) "
      "discard; "
      "float s = v.y; int i = 0; while (s < 40.0) s += v.x; for (int i = 0; i < n; ++i) s = sin(s); o = vec4(s); }");
  EXPECT_THAT(text, HasSubstr("s2 = i2; cndsm")) << text;
}

TEST(RogueCode, KeepsArraysInRegistersThatAreIndexed) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; uniform int n; uniform float u[6]; flat in int k; out vec4 o; void "
      "main() "
      "{ float a[6]; for (int i = 0; i < 6; ++i) a[i] = u[(i + n) % 6]; a[k & 3] += 1.0; o = vec4(a[k % 6], a[0], "
      "a[5], a[n & 1]); }");
  EXPECT_THAT(text, HasSubstr("[idx0]"));
}

TEST(RogueCode, TakesCoordinatesFromTheRowTheyWereIteratedInto) {
  const std::string text = groups_of(
      "precision highp float; uniform sampler2D t; varying vec2 v; void main() { gl_FragColor = texture2D(t, v); }");
  EXPECT_THAT(text, HasSubstr("smp2d.fcnorm"));
  EXPECT_EQ(count(text, "mbyp"), 4U) << "of the colours only\n" << text;
}

TEST(RogueCode, ReadsUniformBlocksAsSharedRegisters) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; uniform float f; layout(std140) uniform B { vec4 a; mat4 m; vec4 "
      "many[8]; "
      "} b; uniform int i; out vec4 o; void main() { o = b.a * f + b.m * b.many[i] + b.many[3]; }");
  EXPECT_THAT(text, HasSubstr("[idx0]"));
  EXPECT_THAT(text, Not(HasSubstr("ld "))) << text;
}

TEST(RogueCode, IndexesWhatIsBeyondAnOperandsOffset) {
  for (const char* const body :
       {"uniform vec4 u[65]; void main() { o = u[i] + u[i + 30]; }",
        "uniform float a[300]; uniform mat4 m[20]; void main() { o = m[i & 15] * vec4(a[i], a[i + 1], 1.0, 1.0); }",
        "layout(std140) uniform B { vec4 first[70]; mat4 bones[40]; }; uniform float f[90]; void main() { o = bones[i "
        "% "
        "40] * first[i] + f[i]; }"})
    groups_of(("#version 300 es\nprecision highp float; uniform int i; out vec4 o; " + std::string(body)).c_str());
  groups_of(
      "#version 310 es\nlayout(local_size_x = 8) in; layout(std430) buffer B { float b[]; }; uniform float u[200]; "
      "uniform int i; shared float s[100]; shared uint n[20]; void main() { uint k = gl_LocalInvocationIndex; s[k * "
      "12u] = u[k + uint(i)]; if (k < 20u) n[k] = k; barrier(); atomicAdd(n[(k + 3u) % 20u], 2u); barrier(); b[k] = "
      "s[(7u - k) * 12u] + float(n[k]); }",
      Stage::compute);
}

TEST(RogueCode, ReadsAndWritesStorageBlocksAtTheirAddresses) {
  const std::string text = groups_of(
      "#version 310 es\nlayout(local_size_x = 8) in; layout(std430, binding = 0) buffer A { uint n; float a[]; }; "
      "layout(std430, binding = 1) buffer B { vec4 b[]; }; void main() { uint i = gl_GlobalInvocationID.x; b[i] = "
      "vec4(a[i], a.length(), b[i].yz); atomicAdd(n, i); }",
      Stage::compute);
  EXPECT_THAT(text, HasSubstr("uadd6432"));
  EXPECT_THAT(text, HasSubstr("atom.add"));
  EXPECT_EQ(count(text, "st s"), 1U) << "four words at once\n" << text;
}

TEST(RogueCode, SharesRegistersOfATaskAndChangesThemInTurn) {
  const char* const each[] = {
      "atomicAdd(s[k], v)", "atomicMin(s[k], v)", "atomicMax(s[2], v)",      "atomicAnd(s[k], v)",
      "atomicOr(s[1], v)",  "atomicXor(s[k], v)", "atomicExchange(s[k], v)", "atomicCompSwap(s[k], v, v + 3u)"};
  for (const char* const change : each) {
    SCOPED_TRACE(change);
    const std::string text =
        groups_of((std::string("#version 310 es\nlayout(local_size_x = 8) in; layout(std430) buffer B { uint b[]; }; "
                               "uniform uint u; shared uint s[4]; void main() { uint i = gl_LocalInvocationIndex, k = "
                               "i % 4u, v = u; if (i < 4u) s[i] = u * i; barrier(); uint before = ") +
                   change + "; barrier(); b[i] = s[k]; b[i + 8u] = s[1] + s[2]; b[i + 16u] = i == 0u ? before : 0u; }")
                      .c_str(),
                  Stage::compute);
    EXPECT_THAT(text, HasSubstr(" atom "));
  }
}

TEST(RogueCode, ReadsOneOfSeveralTextures) {
  const std::string text = groups_of(
      "#version 320 es\nprecision highp float; uniform sampler2D t[3]; uniform int i; in vec2 v; out vec4 o; void "
      "main() { "
      "o = texture(t[i], v); }");
  EXPECT_EQ(count(text, "smp2d"), 3U) << text;
}

TEST(RogueCode, OffsetsAreDataOfASample) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; uniform sampler2D t; in vec2 v; out vec4 o; void main() { o = "
      "textureOffset(t, v, ivec2(-1, 3)) + texelFetchOffset(t, ivec2(v), 0, ivec2(1, 2)); }");
  EXPECT_EQ(count(text, ".soo"), 2U) << text;
}

TEST(RogueCode, SizesOfTexturesAreGiven) {
  groups_of(
      "#version 300 es\nprecision highp float; uniform sampler2D s; uniform highp sampler2DArray a; uniform "
      "samplerCube c; "
      "uniform int l; out vec4 o; void main() { o = vec4(textureSize(s, 0) + textureSize(c, 0), "
      "textureSize(a, l).xz); }");
}

TEST(RogueCode, VaryingsAndAttributesMayBeIndexed) {
  groups_of(
      "#version 300 es\nprecision highp float; in vec2 v[3]; flat in int i; out vec4 o; void main() { o = vec4(v[i % "
      "3], "
      "v[(i + 1) % 3]); }");
}

TEST(RogueCode, TakesMoreRegistersThanThereAreTemporaries) {
  std::string text =
      "#version 300 es\nprecision highp float; uniform vec4 u[80]; in vec4 v; out vec4 o; void main() { ";
  std::string sum = "o = vec4(0.0)";
  for (int i = 0; i < 80; ++i) {
    const std::string number = std::to_string(i);
    text += "vec4 a" + number + " = sin(u[" + number + "] * v); ";
    sum += " + a" + number + " * a" + std::to_string((i + 41) % 80);
  }
  text = text + sum + "; }";
  EXPECT_THAT(groups_of(text.c_str()), HasSubstr("vi71"));
}

/// So many vectors that live at once, each of a sine, in a loop and in a branch that parts ways.
std::string of_many_vectors(int count) {
  std::string text = "#version 300 es\nprecision highp float; uniform vec4 u[" + std::to_string(count) +
                     "]; uniform int n; in vec4 v; out vec4 o; void main() { ";
  std::string sum = "o = vec4(0.0)";
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += "vec4 a" + number + " = sin(u[" + number + "] * v); ";
    sum += " + a" + number + " * a" + std::to_string((i + count / 2) % count);
  }
  return text + "for (int i = 0; i < n; ++i) { a1 += a2.yzwx * a" + std::to_string(count - 1) +
         "; if (v.x > float(i)) a3 = a1 * v; else a4.x += 1.0; } " + sum + "; }";
}

TEST(RogueCode, KeepsInMemoryWhatRegistersDoNotSufficeFor) {
  const std::string text = groups_of(of_many_vectors(150).c_str());
  EXPECT_THAT(text, HasSubstr("ld s3"));
  EXPECT_THAT(text, HasSubstr("st s"));
  EXPECT_THAT(text, HasSubstr("sr48")) << "each instance has its own";
  EXPECT_THAT(groups_of(of_many_vectors(40).c_str()), Not(HasSubstr("ld s3")));
}

TEST(RogueCode, KeepsLongArraysInMemoryAndReadsTheirVectorsAsAWhole) {
  const std::string text = groups_of(
      "#version 300 es\nprecision highp float; uniform int n; uniform vec4 u; out vec4 o; void main() { vec4 a[100];"
      "for (int i = 0; i < 100; ++i) a[i] = u * float(i + n); int k = n & 63; a[k + 3] += vec4(1.0); a[7].y = u.w;"
      "o = a[k] + a[k + 3] + a[7]; }");
  EXPECT_THAT(text, Not(HasSubstr("[idx0]")));
  EXPECT_THAT(text, HasSubstr("drc0, 4, s0 }")) << "a load of four";
  EXPECT_THAT(text, HasSubstr("be: st s0, 2, drc0, 4, s3")) << "a store of four";
  EXPECT_THAT(text, HasSubstr("sr48")) << "each instance has its own";
}

TEST(RogueCode, ArraysInMemoryDoWhatThoseInRegistersDo) {
  for (const char* const body :
       {// Indices that come out of another array, stores under conditions, turns of loops that differ.
        "float a[1000]; int b[300]; for (int i = 0; i < 1000; ++i) a[i] = u.x * float(i); for (int i = 0; i < 300; ++i)"
        "b[i] = (i * 7 + n.x) % 1000; float s = 0.0; for (int i = 0; i < 300; ++i) { if ((b[i] & 1) != 0) a[b[i]] +="
        "u.y; else a[b[(i + n.y) & 127]] *= 0.5; s += a[b[(i + 5) % 300]]; }"
        "o = vec4(s, a[abs(n.z) % 1000], a[3], float(b[n.w & 127]));",
        // Too many registers for three of these, each of which would fit.
        "vec4 a[45]; vec4 b[45]; vec4 d[45]; for (int i = 0; i < 45; ++i) { a[i] = u * float(i + n.x); b[i] = a[i] *"
        "a[i]; d[i] = b[i] - a[i]; } int k = n.x & 31; a[k + 3] += b[k]; b[k] = d[k + 1];"
        "o = a[k] + a[k + 3] + b[k] + d[k + 7];"})
    groups_of((std::string("#version 300 es\nprecision highp float; uniform ivec4 n; uniform vec4 u; out vec4 o;"
                           "void main() {") +
               body + "}")
                  .c_str());
}

/// Thousands of loads and waits, and for nearly all values no register whose name is free.
TEST(RogueCode, HundredsOfVectorsLiveAcrossBranches) {
  constexpr int count = 200;
  const auto number = [](int i) { return std::to_string(i); };
  std::string text = "precision highp float; uniform vec4 u[200]; varying vec4 v;\nvoid main() {\n";
  for (int i = 0; i < count; ++i)
    text += "vec4 a" + number(i) + " = u[" + number(i) + "] * v + vec4(" + number(i) + ".0);\n";
  text += "if (v.x > 0.5) {\n";
  for (int i = 0; i < count; ++i)
    text += "a" + number(i) + " = a" + number(i) + " * a" + number((i * 7 + 3) % count) + " + v;\n";
  text += "} else {\n";
  for (int i = 0; i < count; ++i) text += "a" + number(i) + " += a" + number((i * 11 + 5) % count) + ";\n";
  text += "}\nvec4 s = vec4(0.0);\n";
  for (int i = 0; i < count; ++i) text += "s = s * 0.5 + a" + number(i) + ";\n";
  const Attempt made = attempt(text + "gl_FragColor = s; }", Stage::fragment, {"rogue", ""}, {.runs = 2});
  EXPECT_TRUE(made.is_verified()) << made.code << ' ' << made.why;
  const auto shortened = compile::make_code(made.optimised, {"rogue", "usc"}, 2);
  ASSERT_TRUE(shortened) << render(shortened.error());
  const auto outcome = compile::verify(made.form, shortened->program, {.runs = 2});
  ASSERT_TRUE(outcome) << render(outcome.error());
  EXPECT_FALSE(outcome->difference) << compile::to_diagnostic(*outcome->difference).message;
}

/// Idle units of bitwise groups pass a register on, and samples read several from one on: no group may lose or write
/// what it so reads.
TEST(RogueCode, GroupsKeepWhatNoOperandNames) {
  for (const char* const text :
       {"#version 310 es\nprecision highp float;\nprecision highp int;\nuniform ivec4 v;\nout vec4 o;\n"
        "void main() { o = vec4(float(findLSB(v.z))); }",
        "#version 310 es\nprecision highp float;\nprecision highp int;\nuniform ivec4 v;\nout vec4 o;\n"
        "void main() { o = vec4(float(bitCount(v.x) + findMSB(v.y)), float(findLSB(v.z)), 0.0, 1.0); }",
        "#version 310 es\nprecision highp float;\nprecision highp sampler2DShadow;\nin vec4 p;\n"
        "uniform sampler2DShadow s;\nout vec4 o;\nvoid main() { o = textureGather(s, p.xy, 0.5); }"}) {
    const Attempt made = attempt(text, Stage::fragment, {"rogue", ""});
    EXPECT_TRUE(made.is_verified()) << made.why << '\n' << text;
  }
}

TEST(RogueCode, LinesOfTheSourceAreKnown) {
  const Attempt made =
      attempt("precision highp float;\nuniform vec4 u;\nvoid main() {\n  vec4 c = sin(u);\n  gl_FragColor = c * u;\n}",
              Stage::fragment, {"rogue", ""});
  ASSERT_TRUE(made.is_verified()) << made.why;
  std::vector<std::uint32_t> lines;
  for (const SourceLine& each : made.program.lines) lines.push_back(each.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{4, 5}));
}

}  // namespace
}  // namespace mobula::test
