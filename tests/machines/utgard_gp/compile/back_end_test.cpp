// Vertex shaders on Utgard GP: the code keeps the machine's rules and does what the source says, as it is made and as
// the scheduler of the machine makes it shorter; what the machine cannot do is refused.
#include "machines/utgard_gp/compile/back_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compile/back_end.h"
#include "compile/build.h"
#include "compile/verify/verify.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/schedule.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

constexpr std::size_t word_bytes = 16;

Result<Program> utgard_code(const ssa::Program& form) {
  return compile::find_back_end("utgard-gp")->compile(form, "mali450");
}

void expect_right(const ssa::Program& form, const Program& code) {
  const Diagnostics found = find_machine("utgard-gp")->check(code);
  EXPECT_TRUE(found.empty()) << render(found);
  const auto outcome = compile::verify(form, code);
  ASSERT_TRUE(outcome) << errors_of(outcome);
  EXPECT_FALSE(outcome->difference) << render({to_diagnostic(*outcome->difference)});
  EXPECT_GT(outcome->compared, 0U);
}

/// As it is and scheduled.
struct Compiled {
  Program code, shorter;
};
Compiled expect_compiles(const std::string& glsl) {
  const auto form = ssa_of(glsl, Stage::vertex);
  EXPECT_TRUE(form) << errors_of(form);
  if (!form) return {};
  const auto code = utgard_code(*form);
  EXPECT_TRUE(code) << errors_of(code);
  if (!code) return {};
  expect_right(*form, *code);
  const auto shorter = schedule(*code, {.effort = 2, .exact = 0, .past_branches = false, .share_branch_words = false});
  EXPECT_TRUE(shorter) << errors_of(shorter);
  if (!shorter) return {};
  EXPECT_TRUE(shorter->remarks.empty()) << render(shorter->remarks);
  expect_right(*form, shorter->program);
  return {*code, shorter->program};
}

/// The number of an operation's words in the code's text.
std::size_t count_in_text(const Program& code, const std::string& what) {
  const auto listing = find_machine("utgard-gp")->disassemble(code, {});
  const std::string text = listing ? listing->text : "";
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string refusal_of(const std::string& glsl, Stage stage = Stage::vertex) {
  const auto form = ssa_of(glsl, stage);
  EXPECT_TRUE(form) << errors_of(form);
  if (!form) return "";
  const auto code = utgard_code(*form);
  EXPECT_FALSE(code);
  if (code) return "";
  EXPECT_EQ(code.error().front().code, "CO030");
  EXPECT_FALSE(code.error().front().hint.empty());
  return std::to_string(code.error().front().where.line) + ": " + code.error().front().message;
}

constexpr const char* declarations =
    "attribute vec4 p, a; attribute float f; uniform vec4 u, t[8]; uniform int n; uniform mat3 m; uniform bool b;"
    "varying vec4 v; varying float w;\n";
std::string vertex_of(const std::string& body) {
  return declarations + ("void main() { gl_Position = p;\n" + body + "\n}");
}

TEST(UtgardGpBackEnd, Computes) {
  for (const char* body : {
           "v = -abs(a) + floor(u) * sign(p) - ceil(a);",
           "v = vec4(sqrt(abs(a.x)), inversesqrt(abs(a.y) + 0.1), exp2(a.z), log2(abs(a.w) + 0.1));",
           "v = vec4(sin(a.x), cos(a.y), tan(a.z * 0.5), atan(a.w)); w = atan(f, a.x);",
           "v = vec4(asin(a.x), acos(a.y), radians(a.z), degrees(a.w));",
           "v = vec4(pow(abs(a.x) + 0.5, 1.5), exp(a.y), log(abs(a.z) + 0.5), mod(a.w, 3.0)); w = mod(f, a.x);",
           "v = mix(a, u, step(0.0, p)) + clamp(a, -u, abs(u)) + smoothstep(0.0, 1.0, p);",
           "v = vec4(m * a.xyz, dot(a, u)); w = length(a.xyz) + distance(a, u);",
           "v = vec4(normalize(a.xyz + 3.0), 1.0) + vec4(reflect(a.xyz, vec3(0.0, 1.0, 0.0)), a.x / (abs(a.y) + 1.0));",
           "v = vec4(a.x < u.x, a.y == u.y, b, any(lessThan(a, u)) != all(lessThan(a, u))); w = b ? f : -f;",
       }) {
    SCOPED_TRACE(body);
    expect_compiles(vertex_of(body));
  }
}

TEST(UtgardGpBackEnd, ChoosesBetweenConstantsWithoutChoosing) {
  const auto choices = [](const std::string& value) {
    return count_in_text(expect_compiles(vertex_of("v = " + value + ";")).code, "select");
  };
  EXPECT_EQ(choices("a.x < u.x ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0)"), 0U);
  EXPECT_EQ(choices("a.x < u.x ? vec4(0.25, 3.0, -2.0, 0.5) : vec4(1.0, 2.5, 0.0, 0.5)"), 1U) << "a sign";
  EXPECT_EQ(choices("a.x < u.x ? vec4(0.1) : vec4(1e9)"), 4U) << "1e9 - (1e9 - 0.1) is 0";
  EXPECT_EQ(choices("a.x < u.x ? a : vec4(u.x)"), 4U);
}

TEST(UtgardGpBackEnd, HasFloatsForIntegers) {
  for (const char* body : {
           "int i = int(f * 20.0); v = vec4(i + n, i - n, i * 3, -i);",
           "int i = int(f * 20.0); v = vec4(i / 3, i / (n * n + 1), 100 / n, n / -7);",
           "int i = int(f * 20.0); v = vec4(i < n, i == n, i >= 3, i != 4); w = i > 2 ? f : 0.0;",
           "ivec4 i = ivec4(a * 9.0); v = vec4(i * i + n); w = float(int(b) + i.x);",
       }) {
    SCOPED_TRACE(body);
    expect_compiles(vertex_of(body));
  }
  expect_compiles(
      "#version 300 es\nin vec4 p; in int a, b; out vec4 v; flat out int k; void main() { gl_Position = p;"
      "v = vec4(a % (b * b + 1), a << 3, a >> 2, a & 15); k = ~a; }");
}

TEST(UtgardGpBackEnd, Branches) {
  const std::string body =
      "v = a; if (f > 0.5) { for (int i = 0; i < 40; ++i) { if (float(i) > f * 8.0) break;\n"
      "v.x += sin(v.y) * u.x; v.y = v.x - v.z; if (v.x > 3.0) continue; v.xz = v.zx; } }"
      "else if (f > 0.25) { v = exp2(v) + log2(abs(v) + 1.0) * sin(v.wzyx) * cos(v) + sqrt(abs(v.yxwz)); return; }"
      "w = v.x;";
  const Compiled made = expect_compiles(vertex_of(body));
  EXPECT_GE(count_in_text(made.code, "br "), 3U);
}

TEST(UtgardGpBackEnd, ExchangesValuesInALoop) {
  expect_compiles(
      vertex_of("vec2 c = a.xy; float k = a.z; for (int i = 0; i < 90; ++i) { if (float(i) > abs(f) * 9.0) break;"
                "c = c.yx; k = c.x - k; } v = vec4(c, k, 1.0);"));
}

TEST(UtgardGpBackEnd, IndexesUniformsThroughTheAddressRegister) {
  const Compiled made = expect_compiles(vertex_of("v = t[n] * t[int(f)] + t[2]; w = t[n + 1].y;"));
  EXPECT_GE(count_in_text(made.code, "setA1"), 2U);
}

TEST(UtgardGpBackEnd, IndexesWhatIsNoUniform) {
  expect_compiles(vertex_of("vec4 k[4]; k[0] = a; k[1] = p; k[2] = u; k[3] = -a; k[n] = vec4(1.0); v = k[int(f)];"));
  expect_compiles(vertex_of("v = a; v[n] = 3.0; w = a[int(f)] + m[n][1];"));
  expect_compiles(
      "attribute vec4 p; attribute mat4 q; uniform int n; varying vec4 v; void main() { gl_Position = p; v = q[n]; }");
}

TEST(UtgardGpBackEnd, KnowsTheLinesOfItsWords) {
  const Compiled made =
      expect_compiles(vertex_of("v = a;\nfor (int i = 0; i < 40; ++i) {\n  if (float(i) > f * 8.0) break;\n  v = "
                                "sin(v);\n}\nw = v.x * u.x + v.y;"));
  for (const Program* code : {&made.code, &made.shorter}) {
    std::set<std::uint32_t> lines;
    std::uint64_t before = 0;
    for (const SourceLine& each : code->lines) {
      EXPECT_TRUE(lines.empty() || each.byte_offset > before);
      EXPECT_EQ(each.byte_offset % word_bytes, 0U);
      EXPECT_LT(each.byte_offset, code->code.size());
      before = each.byte_offset;
      lines.insert(each.line);
    }
    // main() begins in line 2
    EXPECT_THAT(lines, testing::IsSupersetOf({5U, 6U, 8U}));
    EXPECT_EQ(*lines.rbegin(), 8U);
  }
}

TEST(UtgardGpBackEnd, KeepsPointSizesToWhatCanBeDrawn) {
  const Compiled made = expect_compiles(vertex_of("gl_PointSize = f * 60.0;"));
  EXPECT_EQ(made.code.interface.position, 0U);
  ASSERT_TRUE(made.code.interface.point_size);
  EXPECT_EQ(made.code.interface.outputs.size(), 2U);
}

TEST(UtgardGpBackEnd, ReadsWhatItHasWritten) {
  expect_compiles(vertex_of("v = a; if (f > 0.0) v.xy = v.zw * p.xy; gl_Position.x += v.y; w = gl_Position.w;"));
}

TEST(UtgardGpBackEnd, RefusesWhatTheMachineHasNotGot) {
  EXPECT_THAT(refusal_of("uniform sampler2D s; attribute vec4 p;\nvoid main() {\ngl_Position = texture2D(s, p.xy); }"),
              HasSubstr("3: Utgard GP has no textures"));
  EXPECT_THAT(refusal_of("#version 300 es\nin ivec2 p;\nout float v; void main() {\ngl_Position = vec4(1);\n"
                         "v = float(p.x ^ p.y); }"),
              HasSubstr("5: Utgard GP cannot compute ixor"));
  EXPECT_THAT(refusal_of("#version 300 es\nin ivec2 p;\nout float v; void main() {\nv = float(p.x << p.y); }"),
              HasSubstr("4: Utgard GP cannot compute ishl"));
  EXPECT_THAT(refusal_of("#version 300 es\nin vec4 p;\nflat out int v; void main() {\nv = floatBitsToInt(p.x); }"),
              HasSubstr("4: Utgard GP cannot compute f_bits"));
  EXPECT_THAT(refusal_of("#version 300 es\nuniform k { vec4 c; };\nvoid main() {\ngl_Position = c; }"),
              HasSubstr("Utgard GP has no buffers"));
  EXPECT_THAT(refusal_of("#version 300 es\nvoid main() {\ngl_Position = vec4(gl_VertexID); }"),
              HasSubstr("gl_VertexID is not known"));
  EXPECT_THAT(refusal_of("#version 130\nvoid main() {\ngl_Position = vec4(1.0); gl_ClipDistance[0] = 1.0; }"),
              HasSubstr("nothing that takes gl_ClipDistance"));
  EXPECT_THAT(refusal_of("uniform int n; void main() {\ngl_Position = vec4(n + 20000000); }"),
              HasSubstr("the integer 20000000 is beyond"));
  EXPECT_THAT(refusal_of("precision highp float; void main() { gl_FragColor = vec4(1.0); }", Stage::fragment),
              HasSubstr("vertices and nothing else"));
}

/// Fourteen rows if each is given its own, and the places that the interface tells.
constexpr const char* small_varyings =
    "attribute vec4 p; varying vec4 a[6]; varying mat2 b; varying float c[3], d; varying vec3 e, f;\n"
    "void main() { gl_Position = p; gl_PointSize = p.x; for (int i = 0; i < 6; ++i) a[i] = p * float(i);\n"
    "b = mat2(p.xy, p.zw * 3.0); c[0] = p.x + 1.0; c[1] = p.y + 2.0; c[2] = p.z + 3.0; d = p.w + 4.0;\n"
    "e = p.xyz * 5.0; f = p.yzw * 6.0; }";

TEST(UtgardGpBackEnd, PacksVaryingsThatHaveNoRoomOtherwise) {
  const Program code = expect_compiles(small_varyings).shorter;
  std::string places;
  for (const Variable& each : code.interface.outputs)
    places += each.name + ' ' + std::to_string(each.driver_location) + '.' + "xyzw"[each.component] + "  ";
  EXPECT_EQ(places, "gl_Position 0.x  gl_PointSize 1.x  a 2.x  b 10.x  c 10.z  d 13.z  e 8.x  f 9.x  ");
  EXPECT_EQ(code.interface.position, 0U);
  EXPECT_EQ(code.interface.point_size, 1U);
}

TEST(UtgardGpBackEnd, LeavesVaryingsApartThatHaveRoom) {
  const Program code = expect_compiles(vertex_of("v = a; w = f; gl_Position = p;")).code;
  for (const Variable& each : code.interface.outputs) EXPECT_EQ(each.component, 0) << each.name;
}

TEST(UtgardGpBackEnd, RefusesWhatIsTooMuch) {
  EXPECT_THAT(refusal_of("attribute mat4 a, b, c, d, e; void main() { gl_Position = (a + b + c + d + e)[0]; }"),
              HasSubstr("20 attributes"));
  EXPECT_THAT(refusal_of("attribute vec4 p; varying vec4 v[13]; void main() { gl_Position = p;"
                         "for (int i = 0; i < 13; ++i) v[i] = p * float(i); }"),
              HasSubstr("13 varyings"));
  EXPECT_THAT(refusal_of("uniform vec4 k[310]; uniform int n; void main() { gl_Position = k[n]; }"), HasSubstr("304"));
  EXPECT_THAT(refusal_of(vertex_of("float k[40]; for (int i = 0; i < n; ++i) k[i] = f; w = k[n / 2];")),
              HasSubstr("at most 16 elements, and k has 40"));
}

/// Twenty vectors that are all made before any of them is used for the last time, and what happens in between.
std::string twenty_vectors(const std::string& between) {
  std::string text =
      "attribute vec4 p; uniform vec4 u[20]; uniform int n; varying vec4 o; void main() { vec4 a0 = p * u[0];";
  std::string sum = " o = s";
  for (int i = 1; i < 20; ++i) {
    const std::string number = std::to_string(i);
    text += " vec4 a" + number + " = p * u[" + number + "] + a" + std::to_string(i - 1) + ".yzwx;";
    sum += " + a" + number + " * a" + std::to_string((i * 7 + 3) % 20);
  }
  return text + " vec4 s = vec4(0.0); " + between + sum + "; gl_Position = p; }";
}

TEST(UtgardGpBackEnd, KeepsInMemoryWhatRegistersDoNotSufficeFor) {
  const Compiled straight = expect_compiles(twenty_vectors(""));
  EXPECT_GE(count_in_text(straight.code, "t[A0]"), 80U - 64U);
  // What is kept lives through the loop, and some of it is read there.
  const Compiled around =
      expect_compiles(twenty_vectors("for (int i = 0; i < 60; ++i) { if (i < n) s = s * a3 + a7.wzyx; }"));
  EXPECT_GE(count_in_text(around.code, "t[A0]"), 84U - 64U);
}

TEST(UtgardGpBackEnd, RefusesLoopsThatChangeMoreThanRegistersHold) {
  std::string text = "attribute vec4 p; uniform int n; varying vec4 o; void main() {", turn, sum;
  for (int i = 0; i < 18; ++i) {
    const std::string number = std::to_string(i);
    text += " vec4 a" + number + " = p * " + number + ".5;";
    turn += " a" + number + " = a" + number + " * p.yxwz + a" + std::to_string((i + 1) % 18) + ";";
    sum += " + a" + number;
  }
  EXPECT_THAT(refusal_of(text + " for (int i = 0; i < n; ++i) {" + turn + " } o = p" + sum + "; gl_Position = p; }"),
              HasSubstr("more than 64 numbers at a time that come from several ways"));
}

TEST(UtgardGpBackEnd, RefusesTooManyWordsOfBranchingCode) {
  std::string body = "v = a; for (int i = 0; i < n; ++i) {";
  for (int i = 0; i < 120; ++i) body += "v = sin(v + u.x) * v;";
  EXPECT_THAT(refusal_of(vertex_of(body + "}")), HasSubstr("512 words"));
}

}  // namespace
}  // namespace mobula::test
