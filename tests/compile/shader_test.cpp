// The public door to the compiler, as a program uses it.
#include "mobula/compile/shader.h"

#include <gmock/gmock.h>

#include <bit>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/arrays.h"
#include "mobula/lab/run.h"

namespace mobula::compile {
namespace {

using ::testing::HasSubstr;

Result<Shader> read(const std::string& text, const std::string& file = "a.frag", const FindIncluded& included = {}) {
  return Shader::read({.file = file,
                       .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
                       .macros = {{"HALF", "0.5"}},
                       .find_included = included});
}

const std::string half = "precision mediump float; varying vec4 v; void main() { gl_FragColor = v * HALF; }";

TEST(Shader, IsCompiledAndVerifiedForEveryMachineThatDrawsFragments) {
  const auto shader = read(half);
  ASSERT_TRUE(shader) << render(shader.error());
  for (const char* machine : {"midgard", "midgard:t720", "rogue"}) {
    const auto code = shader->compile(machine);
    ASSERT_TRUE(code) << render(code.error());
    EXPECT_EQ(code->program.file, "a.frag");
    const auto outcome = shader->verify(code->program);
    ASSERT_TRUE(outcome) << render(outcome.error());
    EXPECT_GT(outcome->compared, 0u);
    EXPECT_FALSE(outcome->difference);
  }
}

/// What a text can ask for is what every machine takes of it; the vectors of the last one are indexed at run time.
TEST(Shader, AsMuchAsItsConstantsSayIsCompiledForEveryMachine) {
  constexpr const char* es = "precision highp float;\n";
  const std::string uniforms =
      "[gl_MaxVertexUniformVectors];\nuniform int i;\nvoid main() { gl_Position = u[i] + u[0] * "
      "0.3 + u[gl_MaxVertexUniformVectors - 1] * 0.7; gl_PointSize = 1.0; }\n";
  const std::string varyings =
      "(int i = 0; i < gl_MaxVaryingVectors; ++i) v[i] = p * float(i); gl_PointSize = 1.0; }\n";
  struct Case {
    std::string version, text;
  };
  for (const Case& each :
       {Case{"100", "uniform vec4 u" + uniforms},
        {"100",
         "attribute vec4 p; varying vec4 v[gl_MaxVaryingVectors];\nvoid main() { gl_Position = p; for" + varyings},
        {"120",
         "attribute vec4 p; varying vec4 v[gl_MaxVaryingFloats / 4];\nvoid main() { gl_Position = p;\n"
         "for (int i = 0; i < gl_MaxVaryingFloats / 4; ++i) v[i] = p * float(i); }\n"},
        {"120",
         "uniform vec4 u[gl_MaxVertexUniformComponents / 4];\nuniform int i;\n"
         "void main() { gl_Position = u[i] + u[0] * 0.3; }\n"}}) {
    const auto shader =
        read("#version " + each.version + "\n" + (each.version == "100" ? es : "") + each.text, "a.vert");
    ASSERT_TRUE(shader) << render(shader.error());
    for (const std::string_view machine : target_machines()) {
      const auto code = shader->compile(machine, 0);
      EXPECT_TRUE(code) << machine << '\n' << each.text << render(code ? Diagnostics() : code.error());
    }
  }
  for (const Case& each :
       {Case{"100",
             "uniform vec4 u[gl_MaxFragmentUniformVectors]; uniform sampler2D s[gl_MaxTextureImageUnits];\n"
             "uniform int i; varying vec4 v[gl_MaxVaryingVectors];\nvoid main() { gl_FragColor = u[i] + u[0];\n"
             "for (int k = 0; k < gl_MaxVaryingVectors; ++k) gl_FragColor += v[k];\n"
             "for (int k = 0; k < gl_MaxTextureImageUnits; ++k) gl_FragColor += texture2D(s[k], v[0].xy); }\n"},
        {"300 es",
         "uniform vec4 u[gl_MaxFragmentUniformVectors]; uniform int i; out vec4 c;\n"
         "in vec4 v[gl_MaxFragmentInputVectors];\nvoid main() { c = u[i] + u[0];\n"
         "for (int k = 0; k < gl_MaxFragmentInputVectors; ++k) c += v[k]; }\n"},
        {"410",
         "uniform vec4 u[gl_MaxFragmentUniformVectors]; uniform int i; out vec4 c;\n"
         "in vec4 v[gl_MaxVaryingVectors];\nvoid main() { c = u[i] + u[0];\n"
         "for (int k = 0; k < gl_MaxVaryingVectors; ++k) c += v[k]; }\n"}}) {
    const auto shader = read("#version " + each.version + "\n" + (each.version == "410" ? "" : es) + each.text);
    ASSERT_TRUE(shader) << render(shader.error());
    for (const char* const machine : {"midgard", "rogue"}) {
      const auto code = shader->compile(machine, 0);
      EXPECT_TRUE(code) << machine << '\n' << each.text << render(code ? Diagnostics() : code.error());
    }
  }
}

/// What a vertex shader that was read for a machine, or for none, writes to its varying v, as the code of one does.
std::vector<float> varying_of(const std::string& text, const std::string& read_for, std::string_view machine) {
  const auto shader = Shader::read({.file = "a.vert",
                                    .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
                                    .machine = read_for});
  const auto code = shader ? shader->compile(machine) : fail(shader.error());
  EXPECT_TRUE(code) << render(code ? Diagnostics() : code.error());
  if (!code) return {};
  const auto lifted = find_machine(code->program.machine)->lift(code->program, {});
  const auto result = run_program(code->program, *lifted, {});
  EXPECT_TRUE(result) << render(result ? Diagnostics() : result.error());
  const auto arrays = output_arrays(*result, code->program.interface);
  std::vector<float> numbers;
  for (const std::uint32_t word : arrays.at("v").words) numbers.push_back(std::bit_cast<float>(word));
  return numbers;
}

TEST(Shader, ConstantsTellWhatTheMachineHasThatItIsReadFor) {
  const std::string begin =
      " vec3 v;\nvoid main() { gl_Position = vec4(1.0);\n"
      "v = vec3(gl_MaxVertexTextureImageUnits, gl_MaxVertexUniformVectors, ";
  const std::string es1 = "#version 100\nvarying" + begin + "gl_MaxVaryingVectors); }",
                    es3 = "#version 300 es\nout" + begin + "gl_MaxVertexOutputVectors); }";
  using Numbers = std::vector<float>;
  for (const std::string& each : {es1, es3}) {
    EXPECT_EQ(varying_of(each, "utgard-gp:mali450", "utgard-gp:mali450"), (Numbers{0, 256, 12}));
    EXPECT_EQ(varying_of(each, "midgard", "midgard"), (Numbers{32, 256, 16}));
    EXPECT_EQ(varying_of(each, "rogue", "rogue"), (Numbers{32, 256, 16}));
  }
  EXPECT_EQ(varying_of(es1, "", "midgard"), (Numbers{0, 256, 12}));
  EXPECT_EQ(varying_of(es3, "", "midgard"), (Numbers{32, 256, 16}));
  EXPECT_EQ(varying_of(es1, "afuc", "midgard"), (Numbers{0, 256, 12}));
}

/// Where a machine takes no more than that, the next one is refused.
TEST(Shader, MoreThanItsConstantsSayIsRefusedWhereTheMachineLacksIt) {
  const auto shader = read(
      "#version 100\nattribute vec4 p; varying vec4 v[gl_MaxVaryingVectors + 1];\nvoid main() { gl_Position = p;\n"
      "for (int i = 0; i <= gl_MaxVaryingVectors; ++i) v[i] = p * float(i); }\n",
      "a.vert");
  ASSERT_TRUE(shader) << render(shader.error());
  EXPECT_TRUE(shader->compile("midgard", 0));
  const auto refused = shader->compile("utgard-gp");
  ASSERT_FALSE(refused);
  EXPECT_THAT(render(refused.error()), HasSubstr("13 varyings"));
}

/// A structure, an array, a function that returns early and a branch, so many times. Code beyond what few blocks need
/// is beyond what the library of SPIR-V is asked to make simpler.
std::string repeated(int times) {
  std::string text =
      "#version 300 es\nprecision highp float; in vec4 v; out vec4 c; struct Pair { vec4 first, second; };"
      "vec4 turned(vec4 x) { if (x.x > 0.5) return x.yzwx; return x.wxyz; }"
      "void main() { Pair pair = Pair(v, v.wzyx); float sums[2] = float[2](0.0, 0.0);";
  for (int i = 0; i < times; ++i)
    text += "if (pair.first.x > " + std::to_string(i) +
            ".0) pair.second += pair.first; else pair.first = turned(pair.first - pair.second); sums[" +
            std::to_string(i % 2) + "] += pair.second.y;";
  return text + "c = pair.first + pair.second * sums[0] + sums[1]; }";
}

TEST(Shader, ManyBlocksBecomeAsMuchCodeEachAsFewDo) {
  const auto words = [](int times) {
    const auto shader = read(repeated(times));
    if (!shader) throw std::runtime_error(render(shader.error()));
    const auto code = shader->compile("midgard");
    if (!code) throw std::runtime_error(render(code.error()));
    const auto outcome = shader->verify(code->program);
    EXPECT_TRUE(outcome && !outcome->difference && outcome->compared > 0) << times;
    return code->program.code.size() / 16;
  };
  EXPECT_NEAR(static_cast<double>(words(200)) / static_cast<double>(words(100)), 2.0, 0.05);
}

/// The shader compiles for a machine, and its code does what the source says.
void expect_verified(const Result<Shader>& shader, const char* machine) {
  ASSERT_TRUE(shader) << render(shader.error());
  const auto code = shader->compile(machine);
  ASSERT_TRUE(code) << render(code.error());
  const auto outcome = shader->verify(code->program, {.runs = 2, .seed = 1, .stop = {}});
  EXPECT_TRUE(outcome && !outcome->difference && outcome->compared > 0);
}

TEST(Shader, OfLongFunctionsMoreValuesAreKeptInMemoryThanAThousand) {
  std::string text =
      "#version 300 es\nprecision highp float; uniform float u[4]; in vec3 from; out vec4 c;"
      "void main() { vec3 v = from; float sum = 0.0;";
  for (int i = 0; i < 900; ++i) text += "v = fract(v.yzx * 1.3 + u[0]); sum += v.x;";
  expect_verified(read(text + "c = vec4(v, sum); }"), "midgard:t860");
}

/// All of it is read, number by number, before any of it is written.
TEST(Shader, AnArrayOfMatricesIsCopiedFromOneOrderIntoTheOther) {
  expect_verified(read("#version 310 es\nlayout(local_size_x = 1) in;"
                       "layout(std430, row_major, binding = 0) readonly buffer From { mat3x2 all[3][3][3]; } from;"
                       "layout(std140, column_major, binding = 1) buffer To { mat3x2 all[3][3][3]; } to;"
                       "void main() { to.all = from.all; }",
                       "a.comp"),
                  "midgard:t860");
}

/// What is read of one variable may be read after another was written.
TEST(Shader, AnArrayOfStructuresIsCopied) {
  expect_verified(
      read("#version 310 es\nprecision highp float; layout(local_size_x = 1) in;"
           "struct Thing { mat3x2 turn; float weights[3]; ivec3 at; };"
           "layout(std430, binding = 0) buffer Block { uint k; float sum; };"
           "void main() {"
           "  Thing first[20];"
           "  for (uint i = 0u; i < 20u; ++i) {"
           "    first[i].turn = mat3x2(float(i + k)); first[i].at = ivec3(i);"
           "    for (uint j = 0u; j < 3u; ++j) first[i].weights[j] = float(i * j);"
           "  }"
           "  Thing second[20] = first;"
           "  second[k % 20u].turn[1][k & 1u] = 100.0;"
           "  sum = second[k % 7u].turn[1][1] + second[(k + 3u) % 20u].weights[2] + first[k % 20u].turn[1][1];"
           "}",
           "a.comp"),
      "midgard:t860");
}

/// Either may be the other, so that all of both is read before any is written.
TEST(Shader, ArraysOfBuffersAreExchanged) {
  expect_verified(
      read(
          "#version 310 es\nprecision highp float; layout(local_size_x = 1) in; struct Thing { mat2 turn; int count; };"
          "layout(std430, binding = 0) buffer First { Thing all[40]; } first;"
          "layout(std430, binding = 1) buffer Second { Thing all[40]; } second;"
          "void main() { Thing kept[40] = first.all; first.all = second.all; second.all = kept; }",
          "a.comp"),
      "midgard:t860");
}

/// On Mali-T720 coordinates of cubes come from and go to the same two registers.
TEST(Shader, CoordinatesOfCubesLeaveRoomForWhatTheyAreMadeOf) {
  constexpr int kept = 16;
  const auto number = [](int i) { return std::to_string(i); };
  std::string text =
      "#version 300 es\nprecision highp float; uniform samplerCube c; in vec3 p; in vec4 q; out vec4 o;"
      "void main() { vec4 v = q;";
  for (int i = 0; i < kept; ++i)
    text += "vec4 k" + number(i) + " = fract(q * " + number(i) + ".5 + v); v += k" + number(i) + ';';
  for (int i = 0; i < 5; ++i) text += "v = (q + v) - texture(c, p + " + number(i) + ".0);";
  for (int i = 0; i < kept; ++i) text += "v = v * k" + number(i) + " + k" + number((i * 7 + 3) % kept) + ';';
  expect_verified(read(text + "o = v; gl_Position = q; }", "a.vert"), "midgard:t720");
}

/// What a phi's registers are called was once listed twice for each of two parts.
TEST(Shader, PartsOfOneVectorMayBePutTogetherAgainAndAgain) {
  std::string text =
      "#version 300 es\nprecision highp float; in vec4 v; out vec4 c;"
      "void f(inout vec2 a, out float b) { b = a.y; if (a.x > 0.5) { a = a.yx * 0.5; return; } a += 0.2; }"
      "void main() { vec4 x = v;";
  for (int i = 0; i < 150; ++i) text += "f(x.zy, x.x);";
  const auto shader = read(text + "c = x; }");
  ASSERT_TRUE(shader) << render(shader.error());
  for (const char* machine : {"midgard", "rogue"}) {
    const auto code = shader->compile(machine, 1);
    ASSERT_TRUE(code) << render(code.error());
    const auto outcome = shader->verify(code->program);
    EXPECT_TRUE(outcome && !outcome->difference && outcome->compared > 0) << machine;
  }
}

TEST(Shader, ConstantArraysComeWithTheProgram) {
  const std::string table =
      "const vec2 t[20] = vec2[20](vec2(1), vec2(2), vec2(3), vec2(4), vec2(5), vec2(6), vec2(7), vec2(8), vec2(9), "
      "vec2(10), vec2(11), vec2(12), vec2(13), vec2(14), vec2(15), vec2(16), vec2(17), vec2(18), vec2(19), vec2(20.5));"
      "void main() { int i = int(v.x); ";
  const auto fragment = read("#version 300 es\nprecision highp float; in vec4 v; out vec4 c;" + table +
                             "c = vec4(t[i], t[(i + 1) % 20]); }");
  const auto vertex =
      read("#version 300 es\nin vec4 v;" + table + "gl_Position = vec4(t[i], t[(i + 1) % 20]); }", "a.vert");
  ASSERT_TRUE(fragment && vertex);
  for (const auto& [machine, shader, most_bytes] : {std::tuple("midgard", &*fragment, 500),
                                                    {"rogue", &*fragment, 500},
                                                    {"midgard", &*vertex, 500},
                                                    {"rogue", &*vertex, 500},
                                                    {"utgard-gp", &*vertex, 600}}) {
    const auto code = shader->compile(machine);
    ASSERT_TRUE(code) << render(code.error());
    EXPECT_LT(code->program.code.size(), std::size_t(most_bytes)) << machine;
    EXPECT_GE(code->program.interface.constants.size(), 40u) << machine;
    const auto outcome = shader->verify(code->program);
    ASSERT_TRUE(outcome) << render(outcome.error());
    EXPECT_FALSE(outcome->difference) << machine;
    EXPECT_GT(outcome->compared, 0u) << machine;
  }
}

/// What they hold where nobody gives them is the driver's to know.
/// SPIRV-Tools leaves them to us there.
TEST(Shader, VariablesAreValuesWhereBlocksAreMany) {
  std::string text = "precision highp float; varying vec4 v; void main() { float a = v.x;\n";
  for (int i = 0; i < 300; ++i) text += "if (a > v.y) a += sin(a);\n";
  const auto shader = read(text + "gl_FragColor = vec4(a); }");
  ASSERT_TRUE(shader) << render(shader.error());
  for (const unsigned level : {0U, 1U, 2U}) {
    const auto form = shader->form(level);
    ASSERT_TRUE(form) << render(form.error());
    EXPECT_EQ(form->find("store a[0]") != form->npos, level == 0) << level;
  }
}

TEST(Shader, UniformsWithInitializersAreGivenLikeOthers) {
  const auto shader =
      read("#version 120\nuniform vec2 u = vec2(8, 12); void main() { gl_FragColor = vec4(u, 0.0, 1.0); }");
  ASSERT_TRUE(shader) << render(shader.error());
  for (const char* machine : {"midgard", "rogue"}) {
    const auto code = shader->compile(machine);
    ASSERT_TRUE(code) << render(code.error());
    ASSERT_EQ(code->program.interface.uniforms.size(), 1u) << machine;
    const auto outcome = shader->verify(code->program);
    ASSERT_TRUE(outcome) << render(outcome.error());
    EXPECT_FALSE(outcome->difference) << machine;
  }
}

/// SPIR-V gives variables of a function what they hold at first.
TEST(Shader, VariablesBeginWithTheirInitializers) {
  const auto shader = read(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %i %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %i Location 0
OpDecorate %i Flat
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%four = OpConstant %uint 4
%array = OpTypeArray %float %four
%in = OpTypePointer Input %int
%out = OpTypePointer Output %float
%arrays = OpTypePointer Function %array
%floats = OpTypePointer Function %float
%i = OpVariable %in Input
%one = OpConstant %float 1.5
%two = OpConstant %float 2.5
%last = OpConstant %int 3
%o = OpVariable %out Output %two
%bool = OpTypeBool
%first = OpConstantComposite %array %one %two %one %two
%main = OpFunction %void None %fn
%begin = OpLabel
%a = OpVariable %arrays Function %first
%b = OpVariable %arrays Function %first
%s = OpVariable %floats Function %two
%index = OpLoad %int %i
%at = OpAccessChain %floats %a %index
%changed = OpAccessChain %floats %b %last
OpStore %changed %one
%of_b = OpAccessChain %floats %b %index
%x = OpLoad %float %at
%y = OpLoad %float %of_b
%z = OpLoad %float %s
%xy = OpFAdd %float %x %y
%sum = OpFAdd %float %xy %z
%is = OpSLessThan %bool %index %last
OpSelectionMerge %end None
OpBranchConditional %is %then %end
%then = OpLabel
OpStore %o %sum
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)",
                           "a.spvasm");
  ASSERT_TRUE(shader) << render(shader.error());
  for (const char* machine : {"midgard", "rogue"})
    for (unsigned level = 0; level <= most_level; ++level) {
      const auto code = shader->compile(machine, level);
      ASSERT_TRUE(code) << render(code.error());
      const auto outcome = shader->verify(code->program);
      ASSERT_TRUE(outcome) << render(outcome.error());
      EXPECT_FALSE(outcome->difference) << machine << " -O" << level << ": " << outcome->difference->output;
      EXPECT_GT(outcome->compared, 0u);
    }
}

TEST(Shader, KnowsTheMembersOfItsBlocks) {
  const auto shader = read(
      "#version 310 es\nprecision highp float; struct L { vec4 a; float b[2]; };"
      "layout(std140, binding = 0) uniform B { L l[2]; layout(row_major) mat2 rows; mat3 columns[2]; uint n; };"
      "struct P { vec2 at; int kind[2]; };"
      "layout(std430, binding = 1) buffer S { int count; P points[]; }; out vec4 c;"
      "void main() { c = l[1].a * l[0].b[1] + vec4(rows[1], columns[1][2].x, float(n)) +"
      "vec4(points[count].at, float(points[1].kind[1]), 0.0); }");
  ASSERT_TRUE(shader) << render(shader.error());
  const auto members_of = [](const std::vector<Variable>& blocks) {
    std::string text;
    for (const BlockMember& each : blocks.at(0).members)
      text += each.name + ' ' + each.type + ' ' + std::to_string(each.offset) + ' ' + std::to_string(each.stride) +
              ' ' + std::to_string(each.step) + '\n';
    return text;
  };
  for (const char* machine : {"midgard", "rogue"}) {
    const auto code = shader->compile(machine);
    ASSERT_TRUE(code) << render(code.error());
    EXPECT_EQ(members_of(code->program.interface.ubo_blocks),
              "l[0].a vec4 0 0 4\nl[0].b float[2] 16 16 4\nl[1].a vec4 48 0 4\nl[1].b float[2] 64 16 4\n"
              "rows vec2[2] 96 4 16\ncolumns vec3[2][3] 128 16 4\nn uint 224 0 4\n");
    EXPECT_EQ(members_of(code->program.interface.ssbo_blocks),
              "count int 0 0 4\npoints[].at vec2[] 8 16 4\npoints[].kind[0] int[] 16 16 4\n"
              "points[].kind[1] int[] 20 16 4\n");
  }
}

TEST(Shader, KeepsTheNamesOfWhatItsCodeDoesNotRead) {
  const auto shader = read(
      "#version 300 es\nprecision mediump float; struct S { vec2 a; float b[3]; }; uniform S spare; uniform vec4 used;"
      "uniform sampler2D dark; in vec2 away; in vec4 v; out vec4 c; void main() { c = v * used; }");
  ASSERT_TRUE(shader) << render(shader.error());
  const auto named = [](const std::vector<Variable>& variables, bool read) {
    std::string text;
    for (const Variable& each : variables)
      if (each.driver_location >= 0 == read) text += each.type + ' ' + each.name + ';';
    return text;
  };
  for (const char* machine : {"midgard", "rogue"}) {
    const auto code = shader->compile(machine);
    ASSERT_TRUE(code) << render(code.error());
    const Interface& interface = code->program.interface;
    EXPECT_EQ(named(interface.uniforms, true), "vec4 used;");
    EXPECT_EQ(named(interface.uniforms, false), "vec2 spare.a;float[3] spare.b;sampler dark;");
    EXPECT_THAT(named(interface.inputs, true), testing::EndsWith("vec4 v;"));
    EXPECT_EQ(named(interface.inputs, false), "vec2 away;");
  }
}

TEST(Shader, DiffersFromTheCodeOfAnother) {
  const auto shader = read(half),
             other = read("precision mediump float; varying vec4 v; void main() { gl_FragColor = v; }");
  ASSERT_TRUE(shader && other);
  const auto code = other->compile("midgard:t860");
  ASSERT_TRUE(code);
  const auto outcome = shader->verify(code->program);
  ASSERT_TRUE(outcome && outcome->difference);
  EXPECT_EQ(to_diagnostic(*outcome->difference).code, "VF001");
}

TEST(Shader, ReadsWhatItWrites) {
  const auto shader = read(half);
  ASSERT_TRUE(shader);
  const auto again = read(shader->spirv(), "a.spvasm");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again->form(), *shader->form());
  EXPECT_NE(*shader->form(0), *shader->form(2));
}

TEST(Shader, IncludesWhatIsFound) {
  const auto find = [](const std::string& name, const std::string& from, bool quoted) -> std::optional<Included> {
    EXPECT_EQ(from, "a.frag");
    EXPECT_TRUE(quoted);
    return Included{name, "mediump vec4 one() { return vec4(1.0); }\n"};
  };
  EXPECT_TRUE(read("#version 100\n#include \"one.glsl\"\nvoid main() { gl_FragColor = one(); }\n", "a.frag", find));
}

TEST(Shader, TellsHowFarTheSchedulerIs) {
  const auto shader = read("attribute vec4 p; uniform mat4 m; void main() { gl_Position = m * p; }", "a.vert");
  ASSERT_TRUE(shader);
  std::uint64_t calls = 0;
  ASSERT_TRUE(shader->compile("utgard-gp", 1, [&](std::uint64_t done, std::uint64_t total) {
    ++calls;
    EXPECT_LE(done, total);
  }));
  EXPECT_GT(calls, 0u);
}

std::string first_error(const Diagnostics& errors) { return errors.front().code + ' ' + render(errors); }

TEST(Shader, TellsWhatIsWrong) {
  EXPECT_THAT(first_error(read(half, "shader.txt").error()), HasSubstr("CO015"));
  EXPECT_THAT(first_error(read("void main() { missing; }").error()), HasSubstr("CO001"));
  EXPECT_THAT(first_error(read(std::string("\xFF\xFEv\0o\0", 6)).error()), HasSubstr("MOB012"));
  const auto shader = read(half);
  ASSERT_TRUE(shader);
  EXPECT_THAT(first_error(shader->compile("afuc").error()), HasSubstr("MOB003"));
  EXPECT_THAT(first_error(shader->compile("afuc").error()), HasSubstr("midgard, utgard-gp, rogue"));
  EXPECT_THAT(first_error(shader->compile("none").error()), HasSubstr("MOB001"));
  EXPECT_THAT(first_error(shader->compile("midgard:none").error()), HasSubstr("MOB002"));
  EXPECT_THAT(first_error(shader->compile("utgard-gp").error()), HasSubstr("CO030 a.frag"));
  for (const char* machine : {"midgard", "utgard-gp", "rogue"})
    EXPECT_THAT(first_error(shader->compile(machine, 3).error()), HasSubstr("CO006"));
  EXPECT_THAT(first_error(shader->form(7).error()), HasSubstr("levels are 0 to 2"));
}

TEST(Shader, NamesWhatNoMachineHas) {
  for (const std::string name : {"gl_BaseVertex", "gl_BaseInstance", "gl_DrawID"}) {
    const auto shader = read("#version 460\nvoid main() { gl_Position = vec4(" + name + "); }\n", "a.vert");
    ASSERT_TRUE(shader) << render(shader.error());
    EXPECT_THAT(first_error(shader->compile("midgard").error()), HasSubstr(name + " is not supported"));
    EXPECT_THAT(first_error(shader->compile("utgard-gp").error()), HasSubstr(name + " is not known"));
  }
}

/// What keeps a vertex and a fragment shader, each a few lines below its version, out of one program.
std::string misfits_of(const std::string& version, const std::string& vertex, const std::string& fragment) {
  const std::string head = "#version " + version + "\n";
  const auto one = read(head + vertex, "a.vert"), other = read(head + fragment);
  if (!one || !other) return render(one ? other.error() : one.error());
  std::string text;
  for (const Diagnostic& misfit : one->misfits(*other)) text += misfit.message + '\n';
  return text;
}

/// The same of a value that one passes on and the other draws.
std::string misfits_of_inputs(const std::string& version, const std::string& output, const std::string& input,
                              const std::string& value = "a") {
  return misfits_of(version, output + ";\nvoid main() { gl_Position = vec4(0.0); }\n",
                    input + ";\nout vec4 colour;\nvoid main() { colour = vec4(" + value + "); }\n");
}

TEST(Shader, LinkingComparesInterpolationsOfTheVersionsThatSaySo) {
  const std::string differ = "'a' is smooth here, and noperspective in the vertex shader\n";
  for (const char* const version : {"130", "150", "330 core", "430 core"}) {
    EXPECT_EQ(misfits_of_inputs(version, "noperspective out vec4 a", "in vec4 a"), differ) << version;
    EXPECT_EQ(misfits_of_inputs(version, "noperspective out vec4 a", "noperspective in vec4 a"), "") << version;
  }
  EXPECT_EQ(misfits_of_inputs("440 core", "flat out vec4 a", "in vec4 a"), "");
  const std::string input = "in B { vec4 a; float b; } y";
  EXPECT_EQ(misfits_of_inputs("330 core", "out B { vec4 a; flat float b; } x", input, "y.a"),
            "'B' is smooth a, smooth b here, and smooth a, flat b in the vertex shader\n");
  EXPECT_EQ(misfits_of_inputs("450 core", "out B { vec4 a; flat float b; } x", input, "y.a"), "");
}

TEST(Shader, LinkingComparesFormatsOfImagesInGlslEs) {
  const auto differ = [](const std::string& version, const std::string& format) {
    const std::string declaration = "layout(binding = 0, " + format + ") uniform highp readonly image2D picture;\n";
    return misfits_of(
        version,
        "layout(binding = 0, rgba8) uniform highp readonly image2D picture;\n"
        "void main() { gl_Position = imageLoad(picture, ivec2(0)); }\n",
        "precision highp float;\n" + declaration + "out vec4 c;\nvoid main() { c = imageLoad(picture, ivec2(0)); }\n");
  };
  EXPECT_EQ(differ("310 es", "rgba8"), "");
  EXPECT_EQ(differ("310 es", "rgba16f"), "'picture' has the format rgba16f here, and rgba8 in the vertex shader\n");
  EXPECT_EQ(differ("420", "rgba16f"), "") << "which says nothing of it";
}

/// In the order of errors: "LINE:COLUMN word".
std::string places_of(const Diagnostics& errors) {
  std::string text;
  for (const Diagnostic& each : errors) {
    const Location& where = each.where;
    const std::string_view line = where.source_line;
    text += where.file + ':' + std::to_string(where.line) + ':' + std::to_string(where.column) + ' ';
    text += where.column == 0 || where.column > line.size() ? "" : line.substr(where.column - 1, where.length);
    text += '\n';
  }
  return text;
}

TEST(Shader, MisfitsStandAtDeclarations) {
  const auto vertex =
      read("#version 300 es\nin vec4 p;\nout vec3 colour, other;\nvoid main() { gl_Position = p; }\n", "a.vert");
  ASSERT_TRUE(vertex) << render(vertex.error());
  const auto places = [&](const std::string& text, const FindIncluded& included = {}) {
    const auto fragment = read(text, "a.frag", included);
    return fragment ? places_of(vertex->misfits(*fragment)) : render(fragment.error());
  };
  const std::string head = "#version 300 es\nprecision mediump float;\nout vec4 c;\n",
                    main = "void main() { c = colour; }\n", struct_first = "struct S { float colour; };\n";
  EXPECT_EQ(places(head + struct_first + "#if 0\nin vec2 colour;\n#endif\n/* colour */ in vec4 colour;\n" + main),
            "a.frag:8:22 colour\n");
  EXPECT_EQ(places(head + "#define NAME colour\n  in vec4 NAME;  // the colour\n" + main),
            "a.frag:5:3 in vec4 NAME;  // the colour\n")
      << "a name that a macro makes";
  EXPECT_EQ(places(head + "#line 70\nin vec4 colour;\n" + main), "a.frag:5:9 colour\n");
  const auto included = [](const std::string&, const std::string&, bool) {
    return Included{"part.glsl", "// inputs\nin vec4 colour;\n"};
  };
  EXPECT_EQ(places(head + "#include \"part.glsl\"\n" + main, included), "part.glsl:2:9 colour\n");
  EXPECT_EQ(places("#version 310 es\nvoid main() { }\n"), "a.frag:1:1 #version\n");
}

/// What the machine cannot do, which its layout of a program shows, is at a declaration.
TEST(Shader, WhatAMachineCannotDoHasAPlaceInTheText) {
  const auto place = [](const std::string& text, const std::string& file, const char* machine) {
    const auto shader = read(text, file);
    if (!shader) return render(shader.error());
    const auto code = shader->compile(machine);
    return code ? "compiles" : places_of(code.error());
  };
  const std::string targets =
      "#version 300 es\nprecision mediump float;\nlayout(location = 0) out vec4 a;\n"
      "layout(location = 1) out vec4 b;\nvoid main() { a = b = vec4(1.0); }\n";
  EXPECT_EQ(place(targets, "a.frag", "midgard:t604"), "a.frag:4:31 b\n");
  const std::string large =
      "#version 300 es\nprecision highp float;\nuniform int i;\nout vec4 o;\nvoid main() {\n  float a[70000];\n"
      "  a[i] = 1.0;\n  o = vec4(a[i + 1]);\n}\n";
  EXPECT_EQ(place(large, "a.frag", "midgard"), "a.frag:7:3 a[i] = 1.0;\n");
  const std::string clips = "#version 330\nvoid main() {\n  gl_Position = vec4(0.0);\n  gl_ClipDistance[0] = 1.0;\n}\n";
  for (const char* const machine : {"midgard", "utgard-gp", "rogue"})
    EXPECT_EQ(place(clips, "a.vert", machine), "a.vert:4:3 gl_ClipDistance\n") << machine;
  const std::string uniforms =
      "uniform vec4 few;\nuniform vec4 many[400];\nvoid main() {\n  gl_Position = few;\n"
      "  for (int i = 0; i < 400; ++i) gl_Position += many[i];\n}\n";
  EXPECT_EQ(place(uniforms, "a.vert", "utgard-gp"), "a.vert:2:14 many\n");
  const std::string samples =
      "uniform sampler2D s;\nvoid main() {\n\tgl_Position = texture2DLod(s, vec2(0.0), 0.0);  \n}\n";
  EXPECT_EQ(place(samples, "a.vert", "utgard-gp"), "a.vert:3:2 gl_Position = texture2DLod(s, vec2(0.0), 0.0);\n");
  EXPECT_EQ(place("#line 9\n" + samples, "a.vert", "utgard-gp"), "a.vert:11:0 \n") << "which is no line of the text";
}

TEST(Shader, LinkingTakesComponentsOfALocationForPlaces) {
  const std::string output = "layout(location = 1, component = 1) out vec2 a";
  EXPECT_EQ(misfits_of_inputs("440 core", output, "layout(location = 1, component = 1) in vec2 b", "b, b"), "");
  EXPECT_EQ(misfits_of_inputs("440 core", output, "layout(location = 1, component = 2) in vec2 b", "b, b"),
            "'b' is read here, and the vertex shader has no such output at this location\n");
}

TEST(Shader, LinkingComparesInitialValuesOfUniforms) {
  const auto differ = [](const std::string& in_vertex, const std::string& in_fragment) {
    const std::string structure = "struct S { vec2 a; int b; bool c; uint d; };\nuniform S s";
    return misfits_of("330 core", structure + in_vertex + ";\nvoid main() { gl_Position = vec4(s.a, s.a); }\n",
                      structure + in_fragment + ";\nout vec4 c;\nvoid main() { c = vec4(s.b); }\n");
  };
  const std::string value = " = S(vec2(1.0, 2.0), 3, true, 4u)";
  EXPECT_EQ(differ(value, value), "");
  EXPECT_EQ(differ(value, ""), "");
  for (const char* const other : {"vec2(1.0, 0.0), 3, true, 4u", "vec2(1.0, 2.0), 0, true, 4u",
                                  "vec2(1.0, 2.0), 3, false, 4u", "vec2(1.0, 2.0), 3, true, 0u"})
    EXPECT_EQ(differ(value, " = S(" + std::string(other) + ')'),
              "'s' is initialized here to another value than in the vertex shader\n")
        << other;
}

TEST(Shader, LinkingComparesInvarianceOfBuiltInVariables) {
  const std::string fragment =
      "invariant gl_FragCoord;\nprecision highp float;\nvoid main() { gl_FragColor = vec4(gl_FragCoord.x); }\n";
  const std::string writes = "void main() { gl_Position = vec4(0.0); }\n";
  EXPECT_EQ(misfits_of("100", writes, fragment),
            "'gl_FragCoord' is invariant here, and 'gl_Position' is not in the vertex shader\n");
  EXPECT_EQ(misfits_of("100", "invariant gl_Position;\n" + writes, fragment), "");
  EXPECT_EQ(misfits_of("100", "#pragma STDGL invariant(all)\n" + writes, fragment), "");
  EXPECT_EQ(misfits_of("100", "invariant gl_Position;\nvoid main() { }\n", fragment), "");
}

}  // namespace
}  // namespace mobula::compile
