// Machine code of another compiler, beside the source that it was made of: all of it does what the source says, and
// what is broken is found.
#include "compile/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compile/attempt.h"
#include "compile/build.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/load.h"
#include "mobula/lab/run.h"
#include "paths.h"

namespace mobula::test {
namespace {

using Json = nlohmann::json;
using compile::Target;
using compile::verify;
using testing::HasSubstr;

/// A source of the references, and one of the binaries that were made of it.
struct Pair {
  std::string name;
  ssa::Program form;
  Program code;
  std::string reference;  ///< cases that yet another implementation computed
};

/// What the linker of the other compiler did to the names of two of them.
void give_names(const std::string& name, Interface& interface) {
  if (name == "own_v_scalar.vert.t860") {  // y became the second component of x
    interface.outputs[1].type = "float";
    interface.outputs.push_back(interface.outputs[1]);
    interface.outputs[2].name = "y";
    interface.outputs[2].component = 1;
  }
  if (name == "own_arrlocal.vert.t860") {  // another source with the same code
    interface.inputs[0].name = "p";
    interface.inputs[1].name = "c";
    interface.outputs[1].name = "vc";
  }
}

std::vector<Pair> pairs(const std::string& only = "") {
  std::vector<Pair> all;
  const std::filesystem::path folder = sample("midgard");
  if (!std::filesystem::is_directory(folder / "ref")) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "ref")) {
    const Json json = Json::parse(std::ifstream(entry.path()));
    if (!only.empty() && json["source"] != only) continue;
    const std::string stage = json["stage"];
    const auto form = ssa_of(json["glsl"].get<std::string>(), stage == "vert"   ? Stage::vertex
                                                              : stage == "comp" ? Stage::compute
                                                                                : Stage::fragment);
    EXPECT_TRUE(form) << errors_of(form);
    for (const Json& name : json["binaries"]) {
      auto code = load_program_file((folder / (name.get<std::string>() + ".bin")).string());
      EXPECT_TRUE(code) << errors_of(code);
      if (!form || !code) continue;
      give_names(name, code->interface);
      all.push_back({name, *form, *code, json.dump()});
    }
  }
  return all;
}

TEST(Verify, CodeOfAnotherCompilerDoesWhatItsSourceSays) {
  const std::vector<Pair> all = pairs();
  if (all.empty()) GTEST_SKIP() << "no samples";
  for (const Pair& each : all) {
    const auto outcome = verify(each.form, each.code, {.runs = 32, .seed = 7});
    ASSERT_TRUE(outcome) << each.name << errors_of(outcome);
    EXPECT_FALSE(outcome->difference) << each.name << render({to_diagnostic(*outcome->difference)});
    EXPECT_GT(outcome->compared, outcome->open / 8) << each.name;
    EXPECT_GT(outcome->runs, 24U) << each.name;
  }
  EXPECT_EQ(all.size(), 73U);
}

/// Code in which one bit is another, where the cases of the references show that it matters.
TEST(Verify, FindsWhatReferencesFind) {
  unsigned broken = 0, found = 0;
  const unsigned times = test::whole() ? 4 : 2;
  for (const Pair& each : pairs()) {
    std::uint64_t random = 1;
    for (unsigned i = 0; i < times; ++i) {
      Program code = each.code;
      random = random * 6364136223846793005U + 1442695040888963407U;
      code.code[(random >> 33) % code.code.size()] ^= static_cast<std::uint8_t>(1U << (random >> 29 & 7));
      const auto lifted = find_machine(code.machine)->lift(code, {});
      if (!lifted) continue;
      const auto report = check_reference(code, *lifted, {each.name, each.reference});
      if (!report || report->passed == report->cases) continue;
      ++broken;
      const auto outcome = verify(each.form, code);
      if (!outcome || outcome->difference)
        ++found;
      else
        ADD_FAILURE() << each.name << " passes, and " << report->cases - report->passed << " cases do not";
    }
  }
  if (broken == 0) GTEST_SKIP() << "no samples";
  EXPECT_GT(broken, 20 * times);
  EXPECT_EQ(found, broken);
}

TEST(Verify, ShowsTheSmallestInputsThatDiffer) {
  const std::vector<Pair> all = pairs("own_v_scalar");
  if (all.empty()) GTEST_SKIP() << "no samples";
  // The code divides by b * b + 1.
  const auto form = ssa_of(
      "precision highp float; attribute vec4 p; attribute float a, b; varying float x, y;"
      "void main() { gl_Position = p; x = a * b + a; y = a / (b * b + 1.25) - x; }",
      Stage::vertex);
  ASSERT_TRUE(form) << errors_of(form);
  const auto outcome = verify(*form, all[0].code);
  ASSERT_TRUE(outcome) << errors_of(outcome);
  ASSERT_TRUE(outcome->difference);
  const Diagnostic told = to_diagnostic(*outcome->difference);
  EXPECT_THAT(told.message, HasSubstr("y: -0.19999999 is expected, 0 found"));
  EXPECT_EQ(told.hint, "with p = (0, 0, 0, 0), a = 1, b = 0");
}

TEST(Verify, SaysWhatTheCodeDoesNotDo) {
  const std::vector<Pair> all = pairs("own_v_scalar");
  if (all.empty()) GTEST_SKIP() << "no samples";
  Program code = all[0].code;
  code.interface.outputs.pop_back();
  auto outcome = verify(all[0].form, code);
  ASSERT_TRUE(outcome && outcome->difference);
  EXPECT_THAT(to_diagnostic(*outcome->difference).message, HasSubstr("y: 0 is expected, nothing found"));
  code.interface.inputs.clear();
  outcome = verify(all[0].form, code);
  ASSERT_TRUE(outcome && outcome->difference);
  EXPECT_THAT(to_diagnostic(*outcome->difference).message, HasSubstr("the execution: an end is expected, "));
  code.machine = "none";
  EXPECT_EQ(verify(all[0].form, code).error().front().code, "MOB001");
}

/// All threads share it: it counts when some of them are discarded, too.
TEST(VerifyMemory, IsThatOfDiscardedFragmentsToo) {
  const auto shader = [](const char* body) {
    return std::string(
               "#version 310 es\nprecision highp float; uniform float s; out vec4 o;"
               "layout(std430) buffer S { int a[2]; }; void main() { o = vec4(1.0);") +
           body + '}';
  };
  const Attempt made = attempt(shader("a[0] = 5; if (s > 0.0) discard;"));
  ASSERT_TRUE(made.is_verified()) << made.why;
  const auto other = ssa_of(shader("if (s > 0.0) discard; a[0] = 5;"));
  ASSERT_TRUE(other) << errors_of(other);
  const auto outcome = verify(*other, made.program, {.runs = 16});
  ASSERT_TRUE(outcome) << errors_of(outcome);
  ASSERT_TRUE(outcome->difference);
  EXPECT_THAT(to_diagnostic(*outcome->difference).message, HasSubstr("5 found"));
}

/// Of large code, too, a difference is told soon, whether or not its inputs are the smallest.
TEST(VerifyDifferences, OfLargeCodeAreToldSoon) {
  const auto shader = [](const char* last) {
    std::string text = "precision highp float; uniform vec4 a, b; varying vec4 v; void main() { vec4 s = v;\n";
    for (int i = 0; i < 2000; ++i) text += "s = fract(s.yzwx * a + b * " + std::to_string(i % 7) + ".5);\n";
    return text + "gl_FragColor = vec4(s.x, " + last + ", 1.0, 1.0); }";
  };
  const Attempt made = attempt(shader("a.x"), Stage::fragment, {"midgard", "t860"}, {.runs = 0});
  const auto right = ssa_of(shader("a.x")), other = ssa_of(shader("a.y"));
  ASSERT_TRUE(made.is_verified() && right && other) << made.why;
  const auto time_of = [&](const ssa::Program& form, bool differs) {
    const std::clock_t start = std::clock();
    const auto outcome = verify(form, made.program, {.runs = 16});
    EXPECT_TRUE(outcome && outcome->difference.has_value() == differs);
    return std::clock() - start;
  };
  constexpr std::clock_t most_times = 25;
  EXPECT_LT(time_of(*other, true), most_times * time_of(*right, false));
}

/// Code may yield anything for it, and nothing else.
TEST(VerifyUndefined, IsWhatNothingHasWritten) {
  const auto shader = [](const char* value) {
    return std::string("precision highp float; uniform float k; void main() { float u; gl_FragColor = vec4(k, ") +
           value + "); }";
  };
  const auto open = ssa_of(shader("u, 1.0, 0.5"));
  ASSERT_TRUE(open) << errors_of(open);
  for (const Target& target : {Target{"midgard", "t860"}, Target{"rogue", "usc"}})
    for (const unsigned level : {0U, 2U})
      for (const char* value : {"u, 1.0, 0.5", "0.0, 1.0, 0.5", "-7.0, 1.0, 0.5", "k, 1.0, 0.5", "u, 1.0, 0.75"}) {
        const Attempt made = attempt(shader(value), Stage::fragment, target, {.runs = 8}, level);
        ASSERT_TRUE(made.is_verified()) << made.why;
        const auto outcome = verify(*open, made.program, {.runs = 8});
        ASSERT_TRUE(outcome) << errors_of(outcome);
        EXPECT_EQ(outcome->difference.has_value(), std::string_view(value) == "u, 1.0, 0.75") << value;
        EXPECT_GT(outcome->compared, 2 * outcome->open);
        EXPECT_GT(outcome->open, 0U);
      }
}

/// Words of code are more than blocks of the source: a long loop is not an endless one.
TEST(VerifyLoops, MayBeLong) {
  const Attempt made = attempt(
      "attribute vec4 p; uniform float n; varying float v; void main() { gl_Position = p; v = p.x;"
      "for (float i = 0.0; i < 4000.0; i += 1.0) { if (i > n * 9000.0) break; v = sin(v) + cos(v * 0.5); } }",
      Stage::vertex, {"utgard-gp", "mali450"}, {.runs = 8});
  EXPECT_TRUE(made.is_verified()) << made.why;
  EXPECT_GT(made.outcome.runs, 0U);
}

/// What is left of sums that nearly cancel rests on what each of many operations may be off by.
TEST(VerifyWays, GoApart) {
  const Attempt made = attempt(R"(#version 130
out float d[8];
void main() {
  gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;
  vec2 coord = gl_Vertex.xy - vec2(0.5);
  d[0] = 0.4 - dot(vec2(1.0, 0.0), coord);
  d[1] = 0.4 - dot(vec2(0.707106769, 0.707106769), coord);
  d[2] = 0.4 - dot(vec2(-4.37113883e-08, 1.0), coord);
  d[3] = 0.4 - dot(vec2(-0.707106769, 0.707106769), coord);
  d[4] = 0.4 - dot(vec2(-1.0, -8.74227766e-08), coord);
  d[5] = 0.4 - dot(vec2(-0.70710665, -0.707106888), coord);
  d[6] = 0.4 - dot(vec2(1.19248806e-08, -1.0), coord);
  d[7] = 0.4 - dot(vec2(0.707107008, -0.707106531), coord);
})",
                               Stage::vertex, {"midgard", "t860"}, {.runs = 400});
  EXPECT_TRUE(made.is_verified()) << made.why;
}

/// Numbers of which little is certain, where results jump or end: a machine comes to edges that chance does not.
constexpr std::string_view hash_on_edges =
    "precision highp float; uniform float t; uniform sampler2D s; IN vec4 a;"
    "float hash(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }";

TEST(VerifyEdges, InReachPromiseNothing) {
  const std::string_view values[] = {
      "vec4(a.x / sin(t * 65536.0))",
      "vec4(log(abs(sin(t * 1e6))))",
      "vec4(log(abs(tan(t * 1e5))))",
      "vec4(sqrt(-2.0 * log(hash(a.xy))) * cos(6.2831 * hash(a.yx)))",
      "vec4(mod(a.x, hash(floor(a.xy * 100.0))))",
      "vec4(normalize(floor(vec3(hash(a.xy), hash(a.yz), hash(a.zw)) * 2.0)), 1.0)",
      "vec4(fract(a.x / sin(t * 1e6)))",
      "vec4(sin(t * 1e6) < 0.0 ? 0.0 : 1.0 / sin(t * 1e6))",
  };
  for (const Target& target : {Target{"midgard", "t860"}, Target{"rogue", "usc"}, Target{"utgard-gp", "mali450"}})
    for (const std::string_view value : values) {
      const bool is_fragment = target.machine != "utgard-gp";
      std::string shader(hash_on_edges);
      shader.replace(shader.find("IN"), 2, is_fragment ? "varying" : "attribute");
      shader += is_fragment ? "void main() { gl_FragColor = " : "varying vec4 v; void main() { gl_Position = a; v = ";
      const Attempt made = attempt(shader + std::string(value) + "; }", is_fragment ? Stage::fragment : Stage::vertex,
                                   target, {.runs = 200});
      EXPECT_TRUE(made.is_verified()) << target.machine << ' ' << value << made.why;
    }
}

/// That of one lane may be beside that of the others, or the same: levels of textures rest on it.
TEST(VerifyEdges, AreNotApartInAllLanes) {
  const Attempt made = attempt(
      "precision highp float; uniform float t; uniform sampler2D s; varying vec4 a;"
      "void main() { vec2 p = floor(a.xy * 10.0); float h = sin(t * 65536.0 + dot(p, vec2(1e4, 3e5)));"
      "gl_FragColor = texture2D(s, vec2(h * 0.5 + sin(dot(p, vec2(3e5, 1e4))), p.y)); }",
      Stage::fragment, {"midgard", "t860"}, {.runs = 1000});
  EXPECT_TRUE(made.is_verified()) << made.why;
}

/// What is certain of such numbers is compared nevertheless.
TEST(VerifyEdges, LeaveTheRestCertain) {
  const auto shader = [](const std::string& value) {
    std::string text(hash_on_edges);
    text.replace(text.find("IN"), 2, "varying");
    return text + "void main() { float h = hash(a.xy); gl_FragColor = vec4(" + value + "); }";
  };
  const std::pair<const char*, const char*> pairs[] = {
      {"sqrt(abs(h))", "sqrt(-0.1 - h)"},
      {"1.0 / (h + 0.5)", "1.0 / (h - h)"},
      {"log(h + 0.1)", "log(-h - 0.1)"},
      {"1.0 / h, a.x / t, h, 1.0", "1.0 / h, t / a.x, h, 1.0"},
      {"h < 0.5 ? a.x : a.x * 2.0", "h < 0.5 ? a.x : a.x * 16.0"},
      {"h > -1.0 ? a.x : a.y", "h > 2.0 ? a.x : a.y"},
  };
  for (const auto& [source, other] : pairs) {
    const Attempt made = attempt(shader(other));
    const auto form = ssa_of(shader(source));
    ASSERT_TRUE(form) << errors_of(form);
    const auto outcome = verify(*form, made.program, {.runs = 100});
    ASSERT_TRUE(outcome) << errors_of(outcome);
    EXPECT_TRUE(outcome->difference) << source << " by " << other;
  }
}

/// As many as the compiler takes are kept of an execution.
TEST(VerifyVaryings, AreMany) {
  const Attempt made = attempt(R"(#version 130
uniform int first;
flat out int each[240];
void main() {
  gl_Position = gl_Vertex;
  for (int i = 0; i < 240; i++) each[i] = first + i;
})",
                               Stage::vertex, {"midgard", "t860"}, {.runs = 2});
  EXPECT_TRUE(made.is_verified()) << made.why;
}

/// What a thread gets from an atomic operation rests on which others came before it, and a machine may have them come
/// neither as they are numbered nor backwards.
TEST(VerifyOrders, OfThreadsAreManyMore) {
  const Attempt made = attempt(R"(#version 310 es
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Sum { uint sum; };
layout(std430, binding = 1) readonly buffer Added { uint added[]; };
layout(std430, binding = 2) writeonly buffer Before { uint before[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  if (i == 0u) sum = 0u;
  memoryBarrierBuffer();
  barrier();
  before[i + 1u] = atomicAdd(sum, added[i]);
  barrier();
  if (i == 0u) before[0] = sum;
})",
                               Stage::compute, {"rogue", ""}, {.runs = 64});
  EXPECT_TRUE(made.is_verified()) << made.why;
}

/// What an index beyond the end reads or changes is not promised, wherever its address leads to in 32 bits.
TEST(VerifyIndices, BeyondTheEndPromiseNothing) {
  const auto made = [](const std::string& declarations, const std::string& statement, const Target& target) {
    return attempt(
        "#version 310 es\nprecision highp float; precision highp int; layout(local_size_x = 1) in;\n"
        "layout(std430, binding = 5) readonly buffer Z { int z; };\n" +
            declarations + "\nvoid main() { " + statement + " }\n",
        Stage::compute, target, {.runs = 200});
  };
  for (const Target& target : {Target{"midgard", "t860"}, Target{"rogue", "usc"}}) {
    const Attempt stored = made("layout(std430) buffer A { ivec4 a; vec3 m[4]; };", "m[z + 3] = vec3(1);", target);
    EXPECT_TRUE(stored.is_verified()) << target.machine << stored.why;
    EXPECT_GT(stored.outcome.compared, 0U);
    const Attempt loaded = made("writeonly buffer Out { float w; }; uniform A { layout(row_major) mat2x3 m; };",
                                "w = m[z + 1].z;", target);
    EXPECT_TRUE(loaded.is_verified()) << target.machine << loaded.why;
    EXPECT_GT(loaded.outcome.compared, 0U);
    const Attempt added =
        made("buffer A { ivec4 a; int m[4]; };", "atomicAdd(m[z + 3], 1); atomicAdd(m[z - 1], 1);", target);
    EXPECT_TRUE(added.is_verified()) << target.machine << added.why;
    // What is stored is no index.
    const Attempt stays =
        made("buffer A { uint a, b; };", "a = uint(z) * 2246822519u; b = min(uint(z) << 7, 5u);", target);
    EXPECT_TRUE(stays.is_verified()) << target.machine << stays.why;
    EXPECT_EQ(stays.outcome.open, 0U) << target.machine;
  }
}

/// Of floats that are read as bits GLSL promises less than of floats: not what a NaN holds, nor the sign of a zero that
/// may have been a number too small, nor which of two such numbers is the smaller one.
TEST(VerifyBits, OfFloatsAreNotAlwaysPromised) {
  const auto made = [](const std::string& value, const Target& target) {
    return attempt(
        "#version 310 es\nprecision highp float; precision highp int; layout(local_size_x = 1) in;\n"
        "layout(std430, binding = 0) readonly buffer In { uint i[3]; };\n"
        "layout(std430, binding = 1) buffer Out { uint o; };\n"
        "void main() { float a = uintBitsToFloat(i[0]), b = uintBitsToFloat(i[1]), c = uintBitsToFloat(i[2]); o = " +
            value + "; }\n",
        Stage::compute, target, {.runs = 500});
  };
  for (const Target& target : {Target{"midgard", "t860"}, Target{"rogue", "usc"}})
    for (const char* value :
         {"floatBitsToUint(min(a, b))", "floatBitsToUint(clamp(a, b, c))", "floatBitsToUint(a < b ? a : b)",
          "floatBitsToUint(a == b ? a : c)", "floatBitsToUint(dot(vec2(a, b), vec2(b, c)))",
          "floatBitsToUint(mod(7.25, a))", "floatBitsToUint(unpackHalf2x16(i[0]).x)"}) {
      const Attempt one = made(value, target);
      EXPECT_TRUE(one.is_verified()) << target.machine << ' ' << value << ": " << one.why;
      EXPECT_GT(one.outcome.compared, 100U) << target.machine << ' ' << value;
    }
}

/// Of blocks, what is not 0.
TEST(VerifyBits, OfBlocksAreToldWhereTheyMatter) {
  const auto shader = [](const std::string& value) {
    return "#version 310 es\nprecision highp int; layout(local_size_x = 1) in;\n"
           "layout(std430, binding = 0) readonly buffer In { int i[3], k; };\n"
           "layout(std430, binding = 1) buffer Out { int o; };\nvoid main() { o = " +
           value + "; }\n";
  };
  const Attempt made = attempt(shader("i[0] + k"), Stage::compute);
  ASSERT_TRUE(made.is_verified()) << made.why;
  const auto other = ssa_of(shader("i[0] + 2 * k"), Stage::compute);
  ASSERT_TRUE(other) << errors_of(other);
  const auto outcome = verify(*other, made.program, {.runs = 16});
  ASSERT_TRUE(outcome && outcome->difference);
  EXPECT_THAT(to_diagnostic(*outcome->difference).hint, testing::MatchesRegex("with k = -?[0-9]+"));
}

/// Of a level that a texture does not have, GLSL promises no size.
TEST(VerifyTextures, SizesAreThoseOfLevelsThatThereAre) {
  const Attempt made = attempt(
      "#version 300 es\nprecision highp float; uniform highp sampler2D s; uniform int l; out highp ivec2 o;\n"
      "void main() { o = textureSize(s, l); }\n",
      Stage::fragment, {"midgard", "t860"}, {.runs = 32});
  EXPECT_TRUE(made.is_verified()) << made.why;
  EXPECT_GT(made.outcome.compared, 40U);
}

TEST(VerifyTextures, PromiseNothingOfNoNumber) {
  const Attempt made = attempt(
      "precision highp float; uniform float t; uniform sampler2D s;"
      "void main() { gl_FragColor = texture2D(s, vec2(1.0 / (t - t), 0.5)); }");
  EXPECT_TRUE(made.is_verified()) << made.why;
  EXPECT_EQ(made.outcome.compared, 0U);
}

/// Where a direction leads to no face, GLSL promises nothing of what is gathered, and of nothing computed from it.
TEST(VerifyTextures, PromiseNothingOfDirectionsToNowhere) {
  const Attempt colours = attempt(
      "#version 320 es\nuniform highp isamplerCube s; out highp ivec4 o;\n"
      "void main() { highp ivec4 t = textureGather(s, vec3(0.0), 2); o = t - t.yzwx; }\n");
  EXPECT_TRUE(colours.is_verified()) << colours.why;
  const Attempt places = attempt(
      "#version 320 es\nuniform highp isamplerCube s;\n"
      "void main() { gl_Position = vec4(textureGather(s, vec3(0.0), 2)); }\n",
      Stage::vertex);
  EXPECT_TRUE(places.is_verified()) << places.why;
}

/// Two groups of four by two threads, each with a texel of its own.
/// A discarded neighbour may have gone on or not: GLSL does not define which level is chosen then.
TEST(VerifyTextures, PromiseNoLevelBesideDiscardedNeighbours) {
  for (const char* const sampled : {"texture2D(t, c.xy)", "texture2D(t, c.xy, 1.0)"}) {
    const Attempt made =
        attempt(std::string("precision highp float; uniform sampler2D t; varying vec2 v; void main() { vec4 c = "
                            "texture2D(t, v); if (c.a < 0.5) discard; gl_FragColor = ") +
                    sampled + "; }",
                Stage::fragment, {"midgard", "t860"}, {.runs = 64});
    EXPECT_TRUE(made.is_verified()) << made.why;
    EXPECT_GT(made.outcome.compared, 0U) << "where none is discarded";
  }
}

TEST(VerifyImages, AreWideEnoughForADispatch) {
  for (const char* image : {"image3D", "imageCube", "imageCubeArray", "image2DArray", "image2D"}) {
    const std::string whole = std::string("highp i") + image;
    const Attempt made = attempt(
        "#version 320 es\nprecision highp int; precision " + whole +
            "; layout(local_size_x = 4, local_size_y = 2) in; layout(r32i, binding = 0) uniform " + whole +
            " a; layout(std430, binding = 0) buffer B { int o[]; };\nvoid main() { o[gl_LocalInvocationIndex] = " +
            "imageAtomicAdd(a, " + (std::string(image) == "image2D" ? "ivec2" : "ivec3") +
            "(gl_GlobalInvocationID), 3); }\n",
        Stage::compute);
    EXPECT_TRUE(made.is_verified()) << image << made.why;
    EXPECT_GT(made.outcome.compared, 100U) << image;
  }
}

/// Whoever verifies is told why that says nothing, and what to do.
std::string remarks_on(std::string_view glsl, Stage stage = Stage::fragment, compile::VerifyOptions options = {}) {
  const Attempt made = attempt(glsl, stage, {"midgard", "t860"}, options);
  EXPECT_TRUE(made.is_verified()) << made.why;
  return render(compile::remarks_of(made.outcome));
}
constexpr std::string_view long_loop =
    "precision highp float; uniform float u; void main() { float s = 0.0; for (int i = 0; i < 20000; ++i)"
    " s = s * 0.5 + u; gl_FragColor = vec4(s); }";

TEST(VerifyRemarks, NothingToSay) {
  EXPECT_EQ(remarks_on("void main() {}"), "");
  EXPECT_EQ(remarks_on("precision highp float; uniform float u; void main() { gl_FragColor = vec4(u); }"), "");
  EXPECT_EQ(remarks_on(long_loop, Stage::fragment, {.runs = 0}), "");
  EXPECT_EQ(remarks_on("precision highp float; varying vec2 u; uniform sampler2D s;\n"
                       "void main() { if (texture2D(s, u).r >= 0.0) discard; gl_FragColor = vec4(1); }"),
            "");
}

TEST(VerifyRemarks, LongLoopsNeedMoreSteps) {
  const std::string remarks = remarks_on(long_loop, Stage::fragment, {.runs = 2});
  EXPECT_THAT(remarks, testing::HasSubstr("VF003"));
  EXPECT_THAT(remarks, testing::HasSubstr("more than 20000 turns of loops and sides of branches"));
  EXPECT_THAT(remarks, testing::HasSubstr("--verify-steps"));
  EXPECT_EQ(remarks_on(long_loop, Stage::fragment, {.runs = 1, .steps = 200'000}), "");
}

TEST(VerifyRemarks, MoreInputsAreTriedWhereAllGoAstray) {
  const Attempt made = attempt(
      "#version 300 es\nprecision highp float; uniform int k; uniform float a[3]; out vec4 o;\n"
      "void main() { o = vec4(a[k - 1], a[k], a[k + 1], 1); }",
      Stage::fragment);
  EXPECT_TRUE(made.is_verified()) << made.why;
  EXPECT_GT(made.outcome.compared, 0U);
  EXPECT_GT(made.outcome.runs, 16U);
}

TEST(VerifyRemarks, SayWhatTheSourceDoes) {
  EXPECT_THAT(remarks_on("precision highp float; uniform float u; void main() { gl_FragColor = vec4(u / 0.0); }"),
              testing::HasSubstr("GLSL promises nothing"));
  EXPECT_THAT(
      remarks_on("#version 310 es\nprecision highp float; layout(std430, binding = 0) buffer B { float a[4]; };\n"
                 "layout(local_size_x = 1) in; uniform int n; void main() { a[n | 64] = 1.0; }",
                 Stage::compute),
      testing::HasSubstr("the source goes beyond the end of 'B'"));
  EXPECT_THAT(remarks_on("precision highp float; void main() { float u; gl_FragColor = vec4(u); }"),
              testing::HasSubstr("variables that nothing has written"));
  EXPECT_THAT(
      remarks_on("#version 310 es\nlayout(std430, binding = 0) buffer B { uint a[4]; }; layout(local_size_x = 4) in;\n"
                 "void main() { if (gl_LocalInvocationIndex < 2u) barrier(); a[gl_LocalInvocationIndex] = 1u; }",
                 Stage::compute),
      testing::HasSubstr("not reached by all threads of its workgroup"));
}

}  // namespace
}  // namespace mobula::test
