#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "machines/utgard_gp/simulator.h"
#include "machines/utgard_gp/spec/codec.h"
#include "mobula/lab/schedule.h"

namespace mobula::utgard_gp {
namespace {

/// Every text brings these.
constexpr std::string_view inputs =
    "attribute vec4 a; attribute vec4 b; uniform vec4 u; uniform vec4 t; varying vec4 v; varying vec4 w;\n";

Result<ScheduledProgram> compile(const std::string& text) {
  static std::string kept;
  kept = std::string(inputs) + text;
  return schedule_expressions({"test.gpe", kept}, {.effort = 1, .exact = 5, .vertices = 64});
}

ScheduledProgram compiled(const std::string& text) {
  auto schedule = compile(text);
  EXPECT_TRUE(schedule) << text << '\n' << render(schedule.error());
  return schedule ? std::move(*schedule) : ScheduledProgram{};
}

/// Codes of the errors, with line and column.
std::vector<std::string> errors(const std::string& text) {
  const auto schedule = compile(text);
  std::vector<std::string> all;
  if (!schedule)
    for (const Diagnostic& entry : schedule.error())
      all.push_back(entry.code + ' ' + std::to_string(entry.where.line) + ':' + std::to_string(entry.where.column));
  return all;
}
using List = std::vector<std::string>;

// Every compiled text is verified against its own evaluation, so that these tests need only ask for the length.

TEST(Expressions, CompileToKnownLengths) {
  EXPECT_EQ(compiled("v = a;").words, 1u);
  EXPECT_EQ(compiled("v.x = rcp(a.x);").words, 4u);
  EXPECT_EQ(compiled("v.x = exp2(a.x);").words, 5u);
  EXPECT_EQ(compiled("v.x = log2(a.x);").words, 4u);
  EXPECT_EQ(compiled("v.x = a.x * b.x + u.x;").bound, compiled("v.x = a.x * b.x + u.x;").words);
  EXPECT_EQ(compiled("v = transform(a);").words, 7u);
  EXPECT_EQ(compiled("v = transform(a); w = b;").words, 7u);  // ARM's compiler needs as many (reference 6.4)
}

TEST(Expressions, EveryFunctionComputesWhatItSays) {
  for (const char* text : {"v = min(a, b);",
                           "v = max(a, 0.5);",
                           "v = floor(a);",
                           "v = sign(a);",
                           "v.xy = ge(a.xy, b.xy);",
                           "v.xy = lt(a.xy, 1.0);",
                           "v = select(a, b, u);",
                           "v = clamp(a, u.x, u.y);",
                           "v = clamp(a, -1.0, 1.0);",
                           "v.xy = abs(a.xy);",
                           "v.xy = ceil(a.xy);",
                           "v.xy = fract(a.xy);",
                           "v.x = sqrt(a.x);",
                           "v.x = pow(a.x, b.x);",
                           "v.xy = mix(a.xy, b.xy, u.x);",
                           "v.x = dot(a, b);",
                           "v.xyz = normalize(a.xyz);",
                           "v.x = rsqrt(a.x);",
                           "v = vec4(a.xy, 1.0, b.w);",
                           "v.xyz = vec3(a.x);",
                           "v.xy = -(a.xy - b.yx) / u.x;",
                           "v = a.wzyx;",
                           "v.xy = vec2(a[0], b[3]);"})
    compiled(text);
}

TEST(Expressions, MatricesAndVariables) {
  compiled("uniform mat4 m; p = m * a; v = p; p = p + 1; w = p; w.x = p.y;");
  compiled("uniform mat2 m; v.xy = m * a.xy; v.zw = m[1];");
  compiled("v = 1.0 + 2.0 * 3.0;");
}

TEST(Expressions, UniformsCanBeArrays) {
  const ScheduledProgram schedule =
      compiled("uniform vec4 x[2]; uniform mat2 m[3] @ 10; v = x[0] * a + x[1]; w.xy = m[2] * b.xy;");
  const std::vector<Variable>& uniforms = schedule.program.interface.uniforms;
  ASSERT_EQ(uniforms.size(), 4u);
  EXPECT_EQ(uniforms[2].type, "vec4[2]");
  EXPECT_EQ(uniforms[2].driver_location, 2);
  EXPECT_EQ(uniforms[3].type, "mat2[3]");
  std::vector<std::uint64_t> loaded;
  for (std::uint32_t i = 0; i < schedule.words; ++i)
    if (const Word128 word = load_word(schedule.program.code, i); reads_load(word))
      loaded.push_back(get(word, word::ld_addr));
  for (const std::uint64_t vec4 : {2u, 3u, 14u, 15u})
    EXPECT_EQ(std::count(loaded.begin(), loaded.end(), vec4) > 0, true) << vec4;
  EXPECT_EQ(errors("uniform vec4 x[2]; v = x;"), List{"GP152 2:24"});
  EXPECT_EQ(errors("uniform vec4 x[2]; v = x[2];"), List{"GP154 2:26"});
  EXPECT_EQ(errors("uniform vec4 x[0]; v = a;"), List{"GP152 2:16"});
  EXPECT_EQ(errors("attribute vec4 x[2]; v = a;"), List{"GP152 2:17"});
  EXPECT_EQ(errors("uniform vec4 x[303]; v = a;"), List{"GP154 2:14"});
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
/// What memory holds in these tests, unless the program brings a number for that place.
float held(std::size_t vec4, std::size_t component) { return static_cast<float>(10 * vec4 + component); }

/// Varyings 0 and 1 of the program by the simulator, which knows nothing of the scheduler.
std::array<std::array<float, 4>, 2> simulated_outputs(const ScheduledProgram& schedule, const std::array<float, 4>& a,
                                                      const std::array<float, 4>& b, const std::string& address) {
  simulated::Simulator machine(schedule.program.code);
  machine.address = address;
  for (std::size_t vec4 = 0; vec4 < machine.memory.size(); ++vec4)
    for (std::size_t c = 0; c < 4; ++c) machine.memory[vec4][c] = bits_of(held(vec4, c));
  for (const UniformConstant& each : schedule.program.interface.constants)
    machine.memory[each.word / 4][each.word % 4] = each.bits;
  for (std::size_t c = 0; c < 4; ++c) {
    machine.attributes[0][c] = bits_of(a[c]);
    machine.attributes[1][c] = bits_of(b[c]);
  }
  machine.run(500);
  std::array<std::array<float, 4>, 2> outputs{};
  for (const simulated::Stored& stored : machine.stored)
    outputs.at(stored.varying)[stored.component] = std::bit_cast<float>(stored.bits);
  return outputs;
}

TEST(Expressions, UniformArraysTakeIndicesComputedAtRunTime) {
  // The element is that of the index rounded down, however address registers round.
  const ScheduledProgram schedule = compiled(
      "uniform vec4 x[8] @ 10; uniform mat4 bones[4] @ 32; v = x[a.x * 2 + 1]; w = bones[b.x] * a + bones[1][b.y];");
  for (const std::string address : {"floor", "truncate", "nearest"})
    for (const float index : {0.0F, 0.25F, 1.75F, 2.5F, 3.0F}) {
      const std::array<float, 4> a{index, 2, 3, 4}, b{3 - index, index, 0, 0};
      const auto [v, w] = simulated_outputs(schedule, a, b, address);
      const auto element = static_cast<std::size_t>(10 + std::floor(2 * index + 1));
      const auto bone = static_cast<std::size_t>(32 + 4 * std::floor(3 - index));
      const auto column = static_cast<std::size_t>(36 + std::floor(index));
      for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(v[c], held(element, c)) << index << ' ' << address;
        float sum = held(bone, c) * a[0];
        for (std::size_t k = 1; k < 4; ++k) sum += held(bone + k, c) * a[k];
        EXPECT_EQ(w[c], sum + held(column, c)) << index << ' ' << address;
      }
    }
}

TEST(Expressions, IndicesComputedAtRunTimeGoAnywhere) {
  // Each is verified by comparing it with the evaluation of the text, outside of the array as well.
  for (const char* text :
       {"uniform float x[3]; v.x = x[a.x] + x[a.y] * x[a.z];", "uniform vec4 x[4]; v = x[x[a.x].y];",
        "uniform vec4 x[4]; i = floor(a.x); v = x[i]; w = x[i + 1];", "uniform mat3 m; v.xyz = m[a.x];",
        "uniform mat4 m[5]; v = m[a.x][b.x]; w = transform(m[a.x] * b);",
        "uniform vec4 x[4]; v = x[select(a.x, 1, 2)];", "uniform vec4 x[4] @ 299; v = x[-a.x];"})
    EXPECT_TRUE(compile(text)) << text;
  EXPECT_EQ(compiled("uniform vec4 x[4]; v = x[floor(a.x)];").words, compiled("uniform vec4 x[4]; v = x[a.x];").words);
  // Numbers are computed before.
  EXPECT_EQ(compiled("uniform vec4 x[4]; v = x[1 + 1];").words, compiled("uniform vec4 x[4]; v = x[2];").words);
}

TEST(Expressions, OnlyUniformMemoryIsIndexedAtRunTime) {
  EXPECT_EQ(errors("uniform vec4 x[4]; v = x[a];"), List{"GP152 2:26"});
  EXPECT_EQ(errors("uniform vec4 x[4]; v = x[2 + 2];"), List{"GP154 2:26"});
  EXPECT_EQ(errors("uniform vec4 x[4]; v = x[0.5];"), List{"GP154 2:26"});
  EXPECT_EQ(errors("uniform vec4 x[4]; v = x[-1];"), List{"GP154 2:27"});
  EXPECT_EQ(errors("v.x = a[b.x];"), List{"GP152 2:9"});
  EXPECT_EQ(errors("uniform mat4 m; v = (m * 2)[b.x];"), List{"GP152 2:29"});
  EXPECT_EQ(errors("uniform vec4 x[4]; v = x[c];"), List{"GP151 2:26"});
}

TEST(Expressions, TellWherePositionViewportAndPointSizeAre) {
  const Interface own = compiled("w = transform(a); v.x = b.x;").program.interface;
  EXPECT_EQ(own.position, 1u);
  EXPECT_EQ(own.viewport_vec4, 2u);
  EXPECT_EQ(own.point_size, std::nullopt);
  const Interface arms =
      compiled("uniform vec4 gl_mali_ViewportTransform[2] @ 7; varying float s; v = transform(a); s = point_size(b.x);")
          .program.interface;
  EXPECT_EQ(arms.position, 0u);
  EXPECT_EQ(arms.viewport_vec4, 7u);
  EXPECT_EQ(arms.point_size, 2u);
  EXPECT_EQ(arms.uniforms.back().name, "gl_mali_PointSizeParameters");
  const Interface apart =
      compiled("uniform vec4 viewport_offset; uniform vec4 viewport_scale; v = transform(a);").program.interface;
  EXPECT_EQ(apart.viewport_vec4, std::nullopt) << "they do not follow each other";
  EXPECT_EQ(compiled("v = a;").program.interface.position, std::nullopt);
  EXPECT_EQ(errors("v = transform(a.xy);"), List{"GP152 2:15"});
  EXPECT_EQ(errors("v.x = point_size(a);"), List{"GP152 2:18"});
  EXPECT_EQ(errors("attribute vec4 viewport_scale; varying vec4 viewport_offset; v = transform(a);").size(), 1u);
}

TEST(Expressions, DropWhatKeepsEveryBit) {
  EXPECT_EQ(compiled("v = a * 1;").words, 1u);
  EXPECT_EQ(compiled("v = a + -0.0;").words, 1u);
  EXPECT_EQ(compiled("v = - -a;").words, 1u);
  EXPECT_TRUE(compiled("v = a * (3 - 2);").program.interface.constants.empty());
  EXPECT_EQ(compiled("v.x = a.x + 0;").program.interface.constants.size(), 1u);  // turns -0.0 into 0.0
  const std::uint32_t once = compiled("v.x = a.x * b.x;").words;
  EXPECT_EQ(compiled("v.x = a.x * b.x; w.z = b.x * a.x;").words, once);
}

TEST(Expressions, NumbersGoAfterTheUniforms) {
  const ScheduledProgram schedule = compiled("v.xy = clamp(a.xy, 0.0, 1.0) * 7.0;");
  const auto& constants = schedule.program.interface.constants;
  ASSERT_EQ(constants.size(), 3u);
  EXPECT_EQ(constants[0].word, 8u);  // the pair that the pass unit clamps to
  EXPECT_EQ(constants[0].bits, 0u);
  EXPECT_EQ(constants[1].word, 9u);
  EXPECT_EQ(constants[1].bits, 0x3F800000u);
  EXPECT_EQ(constants[2].word, 10u);
  bool clamps = false;
  for (std::uint32_t i = 0; i < schedule.words; ++i) clamps |= takes_bounds(load_word(schedule.program.code, i));
  EXPECT_TRUE(clamps);
}

TEST(Expressions, PlacesCanBeChosen) {
  const ScheduledProgram schedule =
      compiled("attribute vec2 far @ 9; uniform vec4 there @ 40; varying float out @ 7; out = far.x * there.y;");
  const Word128 first = load_word(schedule.program.code, 0);
  EXPECT_EQ(get(first, word::port0_index), 9u);
  EXPECT_EQ(get(first, word::ld_addr), 40u);
}

TEST(Expressions, ErrorsNameTheirPlace) {
  EXPECT_EQ(errors("v = c;"), List{"GP151 2:5"});
  EXPECT_EQ(errors("v = a +;\nw = foo(a);\nw = a;"), (List{"GP150 2:8", "GP151 3:5"}));
  EXPECT_EQ(errors("v = a"), List{"GP150 2:6"});
  EXPECT_EQ(errors("v.xyz = a.xy;"), List{"GP152 2:9"});
  EXPECT_EQ(errors("v = a.xq;"), List{"GP152 2:7"});
  EXPECT_EQ(errors("v.x = dot(a, b.xy);"), List{"GP152 2:14"});
  EXPECT_EQ(errors("v.x = min(a.x);"), List{"GP152 2:7"});
  EXPECT_EQ(errors("a = b;"), List{"GP151 2:1"});
  EXPECT_EQ(errors("varying vec4 a; v = a;"), List{"GP151 2:14"});
  EXPECT_EQ(errors("v.x = a.x; w.x = v.y;"), List{"GP153 2:18"});
  EXPECT_EQ(errors("attribute mat4 m; v = a;"), List{"GP152 2:11"});
  EXPECT_EQ(errors("attribute vec4 z @ 16; v = a;"), List{"GP154 2:20"});
  EXPECT_EQ(errors("x = a;").size(), 1u);
}

TEST(Expressions, SurviveHostileTexts) {
  EXPECT_EQ(errors("v.x = " + std::string(100000, '(') + ";").size(), 1u);
  EXPECT_EQ(errors("v.x = " + std::string(100000, '-') + "a.x;").size(), 1u);
  std::string numbers = "v.x = a.x", doubled = "x = a;\n";
  for (int i = 0; i < 2000; ++i) numbers += " * " + std::to_string(i + 2) + ".5";
  EXPECT_EQ(errors(numbers + ";").size(), 1u);
  for (int i = 0; i < 9000; ++i) doubled += "x = x * x;\n";
  EXPECT_EQ(errors(doubled + "v = x;").size(), 1u);
  EXPECT_FALSE(compile(std::string(2 << 20, ' ')));
  EXPECT_FALSE(compile("\x01\xFF"));
}

}  // namespace
}  // namespace mobula::utgard_gp
