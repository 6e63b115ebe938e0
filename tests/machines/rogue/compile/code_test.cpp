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
