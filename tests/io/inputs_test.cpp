#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "io/float_bits.h"
#include "io/png.h"
#include "io/storage_image.h"
#include "io/texture.h"
#include "mobula/lab/run.h"
#include "png_bytes.h"

namespace mobula {
namespace {

using io::float_bits;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Interface fragment() {
  Interface interface;
  interface.stage = Stage::fragment;
  interface.inputs = {{.name = "uv", .type = "vec2", .driver_location = 0},
                      {.name = "count", .type = "ivec4", .driver_location = 1},
                      {.name = "packed:a,b.x", .type = "vec4", .driver_location = 2},
                      {.name = "packed:b.yz", .type = "vec2", .driver_location = 3},
                      {.name = "m", .type = "mat2", .driver_location = 4},
                      {.name = "late", .type = "float", .driver_location = 0, .component = 2}};
  interface.uniforms = {{.name = "scale", .type = "float", .driver_location = 3},
                        {.name = "nm", .type = "mat3", .driver_location = 4},
                        {.name = "idx", .type = "int", .driver_location = 1},
                        {.name = "on", .type = "bool", .driver_location = 2},
                        {.name = "tex", .type = "sampler2D", .driver_location = 1}};
  interface.ubo_blocks = {{.name = "Block", .type = "float", .driver_location = 1}};
  interface.ssbo_blocks = {{.name = "r", .type = "float[]", .driver_location = 0},
                           {.name = "a", .type = "float[]", .driver_location = 1},
                           {.name = "n", .type = "uint[]", .driver_location = 2}};
  interface.system_values = {{.type = 1, .id = 0}};
  return interface;
}

Result<std::vector<std::uint8_t>> no_files(const std::string& name) { return fail("T1", "no file " + name); }

RunInputs read(std::string_view text, const FileReader& files = no_files) {
  auto inputs = read_run_inputs({"in.json", text}, fragment(), files);
  EXPECT_TRUE(inputs) << render(inputs.error());
  return inputs ? std::move(inputs).value() : RunInputs{};
}
Diagnostic refused(std::string_view text, const FileReader& files = no_files) {
  const auto inputs = read_run_inputs({"in.json", text}, fragment(), files);
  EXPECT_FALSE(inputs) << text;
  return inputs ? Diagnostic{} : inputs.error().front();
}

TEST(Inputs, ASideFileIsNoInputs) {
  const auto inputs =
      read_run_inputs({"a.json", R"({"machine": "midgard", "stage": "frag", "push": [[0, 0]]})"}, fragment(), no_files);
  ASSERT_FALSE(inputs);
  ASSERT_EQ(inputs.error().size(), 1u) << render(inputs.error());
  EXPECT_EQ(inputs.error().front().message, "this is the side file of a program, not the inputs of a run");
}

TEST(Inputs, NumbersThatNoFloatHoldsAreErrors) {
  const Diagnostic error = refused(R"({"varyings": {"9": [1e39, 0]}})");
  EXPECT_EQ(error.code, "IN003");
  EXPECT_NE(error.message.find("varyings.9[0]: found 1e+39; allowed: a number that 32 bits hold"), std::string::npos)
      << error.message;
}

TEST(Inputs, ValuesAreNumbersOrBitPatterns) {
  const auto in = read(R"({"varyings": {"9": [1.5, "bf845378", "0x1", -2], "8": ["nan", "inf", "-inf", true]}})");
  EXPECT_THAT(in.varyings.at(9), ElementsAre(RunVec4{float_bits(1.5f), 0xBF845378, 1, float_bits(-2)}));
  EXPECT_THAT(in.varyings.at(8), ElementsAre(RunVec4{0x7FC00000, 0x7F800000, 0xFF800000, ~0u}));
}

TEST(Inputs, NamesFindTheirSlotAndType) {
  const auto in = read(R"({"varyings": {"uv": [1, 2], "count": [-1, 4294967295, 3, 4], "late": 7}})");
  EXPECT_THAT(in.varyings.at(0), ElementsAre(RunVec4{float_bits(1), float_bits(2), float_bits(7), float_bits(1)}));
  EXPECT_THAT(in.varyings.at(1), ElementsAre(RunVec4{~0u, ~0u, 3, 4}));
  EXPECT_THAT(read(R"({"varyings": {"1": [5]}})").varyings.at(1), ElementsAre(RunVec4{5, 0, 0, 1}));
  EXPECT_THAT(read(R"({"varyings": {"1": {"f32": [5]}}})").varyings.at(1),
              ElementsAre(RunVec4{float_bits(5), 0, 0, 1}));
}

TEST(Inputs, PackedSlotsAndMatricesAreTakenApart) {
  const auto in = read(R"({"varyings": {"a": [1, 2, 3], "b": [4, 5, 6], "m": [1, 2, 3, 4]}})");
  EXPECT_THAT(in.varyings.at(2), ElementsAre(RunVec4{float_bits(1), float_bits(2), float_bits(3), float_bits(4)}));
  EXPECT_THAT(in.varyings.at(3), ElementsAre(RunVec4{float_bits(5), float_bits(6), 0, float_bits(1)}));
  EXPECT_THAT(in.varyings.at(4), ElementsAre(RunVec4{float_bits(1), float_bits(2), 0, float_bits(1)}));
  EXPECT_THAT(in.varyings.at(5), ElementsAre(RunVec4{float_bits(3), float_bits(4), 0, float_bits(1)}));
}

TEST(Inputs, ColumnsAndElementsHaveNames) {
  Interface interface;
  interface.stage = Stage::fragment;
  interface.inputs = {{.name = "m", .type = "mat3", .driver_location = 1},
                      {.name = "a", .type = "vec2[2]", .driver_location = 4, .component = 1},
                      {.name = "ms", .type = "mat2[2]", .driver_location = 6},
                      {.name = "on", .type = "ivec2[2]", .driver_location = 10},
                      {.name = "one", .type = "vec2", .driver_location = 12},
                      {.name = "parts[1].m", .type = "mat2", .driver_location = 13},
                      {.name = "unread", .type = "mat2", .driver_location = -1}};
  const auto read = [&](std::string_view text) { return read_run_inputs({"in.json", text}, interface, no_files); };
  const auto in = read(
      R"({"varyings": {"m[1]": [1, 2, 3], "ms[1][0]": [4, 5], "on[1]": [6, 7], "parts[1].m[1]": [8, 9], "unread[1]": [8, 9]},
                           "corners": {"a[0]": [[1, 2], [3, 4], [5, 6], [7, 8]], "ms[0]": [[1,2,3,4],[1],[1],[1]]}})");
  ASSERT_TRUE(in) << render(in.error());
  EXPECT_THAT(in->varyings.at(2), ElementsAre(RunVec4{float_bits(1), float_bits(2), float_bits(3), float_bits(1)}));
  EXPECT_THAT(in->varyings.at(8), ElementsAre(RunVec4{float_bits(4), float_bits(5), 0, float_bits(1)}));
  EXPECT_THAT(in->varyings.at(11), ElementsAre(RunVec4{6, 7, 0, 1}));
  EXPECT_THAT(in->varyings.at(14), ElementsAre(RunVec4{float_bits(8), float_bits(9), 0, float_bits(1)}));
  EXPECT_EQ(in->varyings.size(), 4U);
  EXPECT_EQ(in->corners.at(4)[3], (RunVec4{0, float_bits(7), float_bits(8), float_bits(1)}));
  EXPECT_EQ(in->corners.at(7)[0], (RunVec4{float_bits(3), float_bits(4), 0, float_bits(1)}));
  for (const char* name : {"m[3]", "a[2]", "ms[2]", "ms[0][2]", "one[0]", "m[x]", "m[0]y"})
    EXPECT_FALSE(read(std::string(R"({"varyings": {")") + name + R"(": [1]}})")) << name;
  const auto some = read(R"({"varyings": {"m": [1, 2, 3]}})");
  ASSERT_FALSE(some);
  EXPECT_THAT(some.error().front().message, HasSubstr("varyings.m: has 3 values; 9 are needed"));
}

TEST(Inputs, WhatIsForOtherStagesIsWarnedOf) {
  const auto warnings = [](Stage stage) {
    Interface interface;
    interface.stage = stage;
    const auto in = read_run_inputs({"in.json", R"({"attributes": {"0": [1]}, "quads": true, "groups": [2]})"},
                                    interface, no_files);
    EXPECT_TRUE(in) << render(in.error());
    return in ? render(in->warnings) : "";
  };
  EXPECT_EQ(warnings(Stage::unknown), "");
  EXPECT_EQ(warnings(Stage::fragment),
            "in.json: warning: attributes: has no effect, as this is a fragment program [IN025]\n"
            "  hint: it is for vertex programs\n"
            "in.json: warning: groups: has no effect, as this is a fragment program [IN025]\n"
            "  hint: it is for compute programs\n");
  EXPECT_THAT(warnings(Stage::compute), HasSubstr("quads: has no effect, as this is a compute program [IN025]"));
}

TEST(Inputs, ArraysOfArraysAreOneValueAThread) {
  const auto in = read(R"({"varyings": {"uv": [[1, 2], [3, 4], [5, 6]], "late": 9}})");
  EXPECT_EQ(in.threads, 3u);
  EXPECT_THAT(in.varyings.at(0), ElementsAre(RunVec4{float_bits(1), float_bits(2), float_bits(9), float_bits(1)},
                                             RunVec4{float_bits(3), float_bits(4), float_bits(9), float_bits(1)},
                                             RunVec4{float_bits(5), float_bits(6), float_bits(9), float_bits(1)}));
}

TEST(Inputs, ThreadsOverrideWhatIsForAll) {
  const auto in = read(R"({"varyings": {"uv": [1, 2]},
                           "threads": [{}, {"varyings": {"late": 3}, "x": 4.5, "y": 1.5}, {"vertex": 9, "instance": 2}]})");
  EXPECT_EQ(in.threads, 3u);
  EXPECT_EQ(in.varyings.at(0)[0], (RunVec4{float_bits(1), float_bits(2), 0, float_bits(1)}));
  EXPECT_EQ(in.varyings.at(0)[1], (RunVec4{float_bits(1), float_bits(2), float_bits(3), float_bits(1)}));
  ASSERT_EQ(in.identities.size(), 3u);
  EXPECT_EQ(in.identities[1].x, 4.5f);
  EXPECT_EQ(in.identities[1].vertex, 1u);
  EXPECT_EQ(in.identities[2].vertex, 9u);
  EXPECT_EQ(in.identities[2].instance, 2u);
  EXPECT_EQ(read(R"({"threads": 5})").threads, 5u);
}

/// The values given for uniforms as they lie in buffer 0; ~0 where nothing is given.
RunWords buffer_of(const RunInputs& in) {
  RunWords words;
  for (const UniformWords& uniform : in.uniforms) {
    words.resize(std::max(words.size(), uniform.first + uniform.values.size()), ~0u);
    std::copy(uniform.values.begin(), uniform.values.end(), words.begin() + uniform.first);
  }
  return words;
}

TEST(Inputs, UniformsFillTheFirstBufferTightly) {
  const auto in = read(R"({"uniforms": {"nm": [[1,2,3],[4,5,6],[7,8,9]], "idx": -1, "on": true, "scale": 0.5}})");
  const RunWords words = buffer_of(in);
  ASSERT_EQ(words.size(), 13u);
  EXPECT_EQ(words[1], ~0u);
  EXPECT_EQ(words[2], ~0u);
  EXPECT_EQ(words[3], float_bits(0.5f));
  EXPECT_EQ(words[4], float_bits(1));
  EXPECT_EQ(words[12], float_bits(9));
}

/// As programs of Utgard GP have it: vec4s, and nothing but floats.
Interface vertex_of_vec4s() {
  Interface interface;
  interface.stage = Stage::vertex;
  interface.layout = ValueLayout::float_vec4s;
  interface.inputs = {{.name = "aPosition", .type = "vec3", .driver_location = 0},
                      {.name = "count", .type = "ivec2", .driver_location = 1},
                      {.name = "uv", .type = "vec2", .driver_location = 2}};
  interface.outputs = {{.name = "vColour", .type = "vec4", .driver_location = 3}};
  interface.uniforms = {{.name = "nm", .type = "mat3", .driver_location = 0},
                        {.name = "on", .type = "bool", .driver_location = 3, .component = 2},
                        {.name = "n", .type = "int[2]", .driver_location = 4}};
  return interface;
}
RunInputs read_vec4s(std::string_view text, const FileReader& files = no_files, std::string_view file = "in.json") {
  auto inputs = read_run_inputs({file, text}, vertex_of_vec4s(), files);
  EXPECT_TRUE(inputs) << render(inputs.error());
  return inputs ? std::move(inputs).value() : RunInputs{};
}
Diagnostic refused_vec4s(std::string_view text, const FileReader& files = no_files, std::string_view file = "in.json") {
  const auto inputs = read_run_inputs({file, text}, vertex_of_vec4s(), files);
  EXPECT_FALSE(inputs) << text;
  return inputs ? Diagnostic{} : inputs.error().front();
}

TEST(Inputs, UniformsInVec4sBeginOneWithEachColumnAndAreFloats) {
  const auto in = read_vec4s(R"({"uniforms": {"nm": [1,2,3,4,5,6,7,8,9], "on": true, "n": [-1, 7]}})");
  const RunWords words = buffer_of(in);
  ASSERT_EQ(words.size(), 21u);
  EXPECT_THAT(RunWords(words.begin(), words.begin() + 12),
              ElementsAre(float_bits(1), float_bits(2), float_bits(3), ~0u, float_bits(4), float_bits(5), float_bits(6),
                          ~0u, float_bits(7), float_bits(8), float_bits(9), ~0u));
  EXPECT_EQ(words[14], float_bits(1));
  EXPECT_EQ(words[16], float_bits(-1));
  EXPECT_EQ(words[20], float_bits(7));
  EXPECT_TRUE(in.warnings.empty());
}

TEST(Inputs, IntegerAttributesOfFloatMachinesAreFloats) {
  const auto in = read_vec4s(R"({"attributes": {"count": [3, -2]}, "uniforms_vec4": [[1, 2], ["40400000"]]})");
  EXPECT_THAT(in.attributes.at(1), ElementsAre(RunVec4{float_bits(3), float_bits(-2), 0, float_bits(1)}));
  EXPECT_EQ(in.uniform_buffers.at(0), (RunWords{float_bits(1), float_bits(2), 0, 0, float_bits(3), 0, 0, 0}));
}

TEST(Inputs, IntegersAndBooleansOfFloatMachinesAreWhatTheirTypesHave) {
  const RunWords words = buffer_of(read_vec4s(R"({"uniforms": {"on": 0.5, "n": [-16777216, 3], "nm": [1.5]}})"));
  EXPECT_EQ(words[14], float_bits(1)) << "any number but 0 is true";
  EXPECT_EQ(words[16], float_bits(-16777216));
  EXPECT_EQ(words[0], float_bits(1.5));
  const Diagnostic half = refused_vec4s(R"({"uniforms": {"n": [1.5, 7]}})");
  EXPECT_EQ(half.code, "IN003");
  EXPECT_THAT(half.message, HasSubstr("uniforms.n[0]: found 1.5; allowed: a whole number from -16777216 to 16777216"));
  EXPECT_EQ(refused_vec4s(R"({"attributes": {"count": [3, 2.5]}})").code, "IN003");
  EXPECT_EQ(refused_vec4s(R"({"uniforms": {"n": 16777217}})").code, "IN003") << "no float is that";
  EXPECT_EQ(refused_vec4s(R"({"uniforms": {"n": "nan"}})").code, "IN003");
  const RunWords typed = buffer_of(read_vec4s(R"({"uniforms": {"n": [{"i32": -3}, {"u32": 5}], "nm": {"u32": 5}}})"));
  EXPECT_EQ(typed[16], float_bits(-3));
  EXPECT_EQ(typed[20], float_bits(5));
  EXPECT_EQ(typed[0], 5u) << "the bits of a float";
}

TEST(Inputs, WhatIsGivenAndWrongIsNotMissing) {
  const auto inputs = read_run_inputs({"in.json", R"({"uniforms": {"scale": [1, 2]}})"}, fragment(), no_files);
  ASSERT_FALSE(inputs);
  EXPECT_THAT(inputs.error(), SizeIs(1)) << render(inputs.error());
}

TEST(Inputs, UniformsThatNothingGivesAreWarnedOf) {
  const auto in = read_vec4s(R"({"uniforms": {"on": 1}})");
  ASSERT_EQ(in.warnings.size(), 2u);
  EXPECT_EQ(in.warnings[0].code, "IN016");
  EXPECT_THAT(in.warnings[0].message, HasSubstr("the inputs give no uniform nm; it is 0"));
  const auto partly = read_vec4s(R"({"uniforms": {"on": 1, "nm": [1, 2, 3, 4], "n": [5, 6]}})");
  ASSERT_EQ(partly.warnings.size(), 1u);
  EXPECT_THAT(partly.warnings[0].message, HasSubstr("the inputs give 4 of the 9 numbers of uniform nm; the rest is 0"));
}

TEST(Inputs, UniformsThatNothingGivesAreWarnedOfWhereNumbersArePacked) {
  EXPECT_TRUE(
      read(R"({"uniforms": {"on": 1, "idx": 2, "scale": 1, "nm": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "ubos": {"1": [0]}})")
          .warnings.empty());
  const auto in = read(R"({"uniforms": {"on": 1, "idx": 2, "nm": [1, 2, 3, 4]}, "ubos": {"1": [0]}})");
  ASSERT_EQ(in.warnings.size(), 2u);
  EXPECT_EQ(in.warnings[0].code, "IN016");
  EXPECT_THAT(in.warnings[0].message, HasSubstr("the inputs give no uniform scale; it is 0"));
  EXPECT_THAT(in.warnings[1].message, HasSubstr("the inputs give 4 of the 9 numbers of uniform nm; the rest is 0"));
  EXPECT_TRUE(read(R"({"uniform_registers": {"r23": [1]}})").warnings.empty());
}

TEST(Inputs, UniformBlocksThatNothingGivesAreWarnedOf) {
  Interface interface;
  interface.ubo_blocks = {{.name = "lights", .driver_location = 1}, {.name = "unread", .driver_location = -1}};
  const auto warnings = [&](std::string_view text) {
    const auto inputs = read_run_inputs({"in.json", text}, interface, no_files);
    return inputs ? render(inputs->warnings) : "refused";
  };
  EXPECT_EQ(warnings("{}"),
            "in.json: warning: the inputs give no uniform block lights; it is 0 [IN016]\n  hint: give it under ubos\n");
  EXPECT_EQ(warnings(R"({"ubos": {"lights": [1]}})"), "");
  EXPECT_EQ(warnings(R"({"ubos": {"1": [1]}})"), "");
  interface.ubo_blocks = {{.name = "uniform_0", .driver_location = 0}};
  interface.uniforms = {{.name = "x", .type = "float", .driver_location = 0}};
  EXPECT_EQ(warnings(R"({"uniforms": {"x": 1}})"), "") << "drivers list the uniforms as a block, too";
  EXPECT_EQ(warnings(R"({"uniform_registers": {"r23": [1]}})"), "") << "who gives registers gives all that is read";
}

TEST(Inputs, BlocksTakeMembersByName) {
  Interface interface;
  interface.ubo_blocks = {{.name = "B",
                           .driver_location = 1,
                           .members = {{.name = "light.mode", .type = "int", .offset = 0},
                                       {.name = "light.at", .type = "vec2[2]", .offset = 16, .stride = 16}}}};
  interface.ssbo_blocks = {{.name = "S",
                            .members = {{.name = "words", .type = "uint", .offset = 0},
                                        {.name = "p[].w", .type = "int[]", .offset = 8, .stride = 8}}}};
  const auto read_blocks = [&](std::string_view text) {
    return read_run_inputs({"in.json", text}, interface, no_files);
  };
  const std::uint32_t one = float_bits(1), two = float_bits(2), three = float_bits(3);
  EXPECT_THAT(read_blocks(R"({"ubos": {"B": {"light.mode": -1, "light.at": [[1, 2], 3]}}})")->uniform_buffers.at(1),
              ElementsAre(~0u, 0, 0, 0, one, two, 0, 0, three, 0));
  EXPECT_THAT(read_blocks(R"({"ubos": {"B": {"light": {"at": [1], "mode": 7}}}})")->uniform_buffers.at(1),
              ElementsAre(7, 0, 0, 0, one, 0, 0, 0, 0, 0));
  EXPECT_THAT(read_blocks(R"({"ubos": {"B": [7, 0, 0, 0, 1, 2]}})")->uniform_buffers.at(1),
              ElementsAre(7, 0, 0, 0, one, two))
      << "a list knows the types of members, too";
  EXPECT_THAT(read_blocks(R"({"ubos": {"B": {"u32": [1, 2]}}})")->uniform_buffers.at(1), ElementsAre(1, 2));
  EXPECT_THAT(read_blocks(R"({"buffers": {"S": {"words": 5, "p[].w": [1, -2]}}})")->buffers.at(0),
              ElementsAre(5, 0, 1, 0, ~1u, 0))
      << "up to the end of the last element";
  EXPECT_THAT(read_blocks(R"({"buffers": {"S": {"p[1].w": 3}}})")->buffers.at(0), ElementsAre(0, 0, 0, 0, 3, 0));
  EXPECT_THAT(read_blocks(R"({"buffers": {"S": {"p[0]": {"w": 3}}}})")->buffers.at(0), ElementsAre(0, 0, 3, 0));
  EXPECT_THAT(read_blocks(R"({"buffers": {"S": {"words": 5}}})")->buffers.at(0), ElementsAre(5))
      << "a member of that name, not a length";
  const auto problem = [&](std::string_view text) {
    const auto inputs = read_blocks(text);
    return inputs ? "none" : render(inputs.error());
  };
  EXPECT_THAT(problem(R"({"ubos": {"B": {"light": {"att": [1]}}}})"), HasSubstr("did you mean light.at?"));
  EXPECT_THAT(problem(R"({"ubos": {"B": {"light.mode": [1, 2]}}})"),
              HasSubstr("has 2 values; light.mode has room for 1 [IN007]"));
  EXPECT_THAT(problem(R"({"buffers": {"S": {"p[1].w": [1, 2]}}})"), HasSubstr("p[1].w has room for 1"));
  for (const char* const unknown : {"p[x].w", "p[1].v", "p[4294967295].w", "p]1[.w"})
    EXPECT_THAT(problem(R"({"buffers": {"S": {")" + std::string(unknown) + R"(": 1}}})"),
                HasSubstr("allowed: words, p[].w"));
  EXPECT_THAT(problem(R"({"ubos": {"B": [1.5]}})"), HasSubstr("found 1.5; allowed: a whole number"));
  EXPECT_THAT(
      problem(R"({"limits": {"memory_bytes": 100}, "buffers": {"S": {"p[].w": [1,2,3,4,5,6,7,8,9,10,11,12,13,14]}}})"),
      HasSubstr("IN008"));
}

TEST(Inputs, AttributesInPartsAreGivenByTheNameOfTheWhole) {
  Interface interface;
  interface.inputs = {{.name = "m[0]", .type = "vec2", .driver_location = 4},
                      {.name = "m[1]", .type = "vec2", .driver_location = 8}};
  const auto inputs =
      read_run_inputs({"in.json", R"({"attributes": {"m": [[1, 2, 3, 4], [5, 6, 7, 8]]}})"}, interface, no_files);
  ASSERT_TRUE(inputs) << render(inputs.error());
  EXPECT_EQ(inputs->attributes.at(8)[1][1], float_bits(8));
  EXPECT_EQ(inputs->attributes.at(4)[1][0], float_bits(5));
}

TEST(Inputs, NumbersOfNoBlockAreWarnedOf) {
  Interface interface;
  interface.ubo_count = 3;
  interface.ubo_blocks = {{.name = "B", .driver_location = 1}};
  interface.ssbo_blocks = {{.name = "S", .driver_location = 0}};
  const auto warnings = [&](std::string_view text) {
    const auto inputs = read_run_inputs({"in.json", text}, interface, no_files);
    return inputs ? render(inputs->warnings) : "refused";
  };
  EXPECT_EQ(warnings(R"({"ubos": {"0": [1], "1": [1], "3": [1]}, "buffers": {"0": [1]}})"), "");
  EXPECT_EQ(warnings(R"({"ubos": {"1": [1], "2": [1]}, "buffers": {"7": [1]}})"),
            "in.json: warning: ubos.2: no block of the program has this number; 1 is B [IN023]\n  hint: name the "
            "block\nin.json: warning: buffers.7: no block of the program has this number; 0 is S [IN023]\n  hint: name "
            "the block\n");
  EXPECT_THAT(warnings(R"({"uniforms": {"q": 1}})"), "refused");
}

TEST(Inputs, UniformsInPartsAreGivenByTheNameOfTheWhole) {
  Interface interface;
  interface.uniforms = {{.name = "m[0]", .type = "vec2", .driver_location = 4},
                        {.name = "m[1]", .type = "vec2", .driver_location = 8}};
  const auto inputs = read_run_inputs({"in.json", R"({"uniforms": {"m": [[1, 2], [3]]}})"}, interface, no_files);
  ASSERT_TRUE(inputs) << render(inputs.error());
  ASSERT_THAT(inputs->uniforms, SizeIs(2));
  EXPECT_EQ(inputs->uniforms[1].first, 8u);
  EXPECT_THAT(inputs->uniforms[1].values, ElementsAre(float_bits(3)));
  EXPECT_FALSE(read_run_inputs({"in.json", R"({"uniforms": {"m": [1, 2, 3, 4, 5]}})"}, interface, no_files));
}

/// Of arrays and matrices, packed or in vec4s; what comes later counts.
TEST(Inputs, PartsOfUniformsHaveNames) {
  Interface interface;
  interface.uniforms = {{.name = "m", .type = "mat3", .driver_location = 1},
                        {.name = "ls[0].w", .type = "vec2[3]", .driver_location = 10}};
  const auto given = [&](const std::string& uniforms) {
    const auto inputs = read_run_inputs({"in.json", "{\"uniforms\": {" + uniforms + "}}"}, interface, no_files);
    return inputs ? buffer_of(*inputs) : RunWords();
  };
  EXPECT_THAT(given(R"("m[1]": [7, 8, 9])"),
              ElementsAre(~0u, ~0u, ~0u, ~0u, float_bits(7), float_bits(8), float_bits(9)));
  EXPECT_THAT(given(R"("ls[0].w": 1, "ls[0].w[2]": [5, 6])").at(14), float_bits(5));
  for (const char* wrong :
       {R"("m[3]": [1])", R"("m[1]": [1, 2, 3, 4])", R"("ls[0].w[3]": [1])", R"("m[x]": [1])", R"("m[1][0]": 1)"})
    EXPECT_TRUE(given(wrong).empty()) << wrong;
  interface.layout = ValueLayout::float_vec4s;
  EXPECT_EQ(given(R"("m[2]": [7])").at(12), float_bits(7));
  EXPECT_EQ(given(R"("ls[0].w[1]": [7])").at(44), float_bits(7));
}

TEST(Inputs, ElementsOfArraysOfMatricesAreMatrices) {
  Interface interface;
  interface.uniforms = {{.name = "ms", .type = "vec2[3][2]", .driver_location = 0},
                        {.name = "a", .type = "float[2][2][2]", .driver_location = 12}};
  const auto given = [&](const std::string& uniforms) {
    const auto inputs = read_run_inputs({"in.json", "{\"uniforms\": {" + uniforms + "}}"}, interface, no_files);
    return inputs ? buffer_of(*inputs) : RunWords();
  };
  EXPECT_THAT(given(R"("ms[1]": [1, 2, 3, 4])"),
              ElementsAre(~0u, ~0u, ~0u, ~0u, float_bits(1), float_bits(2), float_bits(3), float_bits(4)));
  EXPECT_EQ(given(R"("ms": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "ms[2][1]": [5, 6])").at(11), float_bits(6));
  EXPECT_EQ(given(R"("a[1][0][1]": 7)").at(17), float_bits(7));
  for (const char* wrong : {R"("ms[3]": [1])", R"("ms[0][2]": [1])", R"("ms[0][1][0]": 1)",
                            R"("ms[1]": [1, 2, 3, 4, 5])", R"("a[0][0][2]": 1)"})
    EXPECT_TRUE(given(wrong).empty()) << wrong;
  interface.layout = ValueLayout::float_vec4s;
  EXPECT_EQ(given(R"("ms[1]": [1, 2, 3, 4])").at(13), float_bits(4));
}

TEST(Inputs, PartsOfPartsAreGivenByTheNameOfTheWhole) {
  Interface interface;
  for (const char* name : {"m[0][0]", "m[0][1]", "m[1][0]", "m[1][1]"})
    interface.uniforms.push_back(
        {.name = name, .type = "vec2", .driver_location = 4 * static_cast<int>(interface.uniforms.size())});
  const SourceText text{"in.json", R"({"uniforms": {"m": [1, 2, 3, 4, 5, 6, 7, 8]}})"};
  const auto inputs = read_run_inputs(text, interface, no_files);
  ASSERT_TRUE(inputs) << render(inputs.error());
  ASSERT_THAT(inputs->uniforms, SizeIs(4));
  EXPECT_EQ(inputs->uniforms[2].first, 8u);
  EXPECT_THAT(inputs->uniforms[2].values, ElementsAre(float_bits(5), float_bits(6)));
  interface.uniforms.erase(interface.uniforms.begin() + 1);
  EXPECT_FALSE(read_run_inputs(text, interface, no_files)) << "nobody says which numbers are those of m[1]";
}

TEST(Inputs, NestedMatricesDoNotPassForThreads) {
  Interface interface;
  interface.inputs = {{.name = "m", .type = "mat2", .driver_location = 0}};
  const auto read_matrix = [&](std::string_view text) {
    return read_run_inputs({"in.json", text}, interface, no_files);
  };
  const auto nested = read_matrix(R"({"attributes": {"m": [[1, 2], [3, 4]]}})");
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error()[0].code, "IN007");
  EXPECT_THAT(nested.error()[0].message, HasSubstr("has 2 values of the 4 that a thread needs"));
  EXPECT_THAT(read_matrix(R"({"attributes": {"m": [[1, 2, 3, 4], [5, 6, 7, 8]]}})")->attributes.at(1), SizeIs(2));
  EXPECT_THAT(read_matrix(R"({"attributes": {"m": [[[1, 2], [3, 4]]]}})")->attributes.at(1), SizeIs(1));
}

TEST(Inputs, ANameOfNoBlockIsThatOfTheOnlyCounters) {
  const auto read_with = [](std::string_view text, std::vector<Variable> blocks) {
    Interface interface = fragment();
    interface.ssbo_blocks = std::move(blocks);
    interface.ubo_blocks.clear();
    interface.uniforms.clear();
    return read_run_inputs({"in.json", text}, interface, no_files);
  };
  const Variable data{.name = "data", .type = "float[]", .driver_location = 1},
      counter0{.name = "counter0", .type = "uint[]", .driver_location = 4},
      counter2{.name = "counter2", .type = "uint[]", .driver_location = 5};
  const auto in = read_with(R"({"buffers": {"hits": [7], "data": [1]}})", {data, counter0});
  ASSERT_TRUE(in) << render(in.error());
  EXPECT_THAT(in->buffers.at(4), ElementsAre(7u));
  ASSERT_EQ(in->warnings.size(), 1u);
  EXPECT_EQ(in->warnings[0].code, "IN020");
  EXPECT_THAT(in->warnings[0].message, HasSubstr("assumed to be counter0"));
  EXPECT_EQ(read_with(R"({"buffers": {"hits": [7]}})", {data, counter0, counter2}).error()[0].code, "IN005")
      << "there are two";
  EXPECT_EQ(read_with(R"({"buffers": {"dat": [7]}})", {data, counter0}).error()[0].hint, "did you mean data?");
  EXPECT_TRUE(read_with(R"({"buffers": {"counter0": [7]}})", {data, counter0})->warnings.empty());
}

TEST(Inputs, WhatIsDeclaredAndNotReadMayBeGiven) {
  Interface interface;
  interface.inputs = {{.name = "away", .type = "vec2", .driver_location = -1}};
  interface.uniforms = {{.name = "spare", .type = "vec4[2]", .driver_location = -1},
                        {.name = "tex", .type = "sampler", .driver_location = -1}};
  const std::string_view text = R"({"uniforms": {"spare": [1]}, "attributes": {"away": [[1, 2], [3, 4]]},
    "corners": {"away": [[0, 0], [4, 0], [0, 4], [4, 4]]}, "threads": [{"varyings": {"away": [1, 2]}}, {}],
    "samplers": {"tex": {"wrap": "repeat"}}})";
  const auto inputs = read_run_inputs({"in.json", text}, interface, no_files);
  ASSERT_TRUE(inputs) << render(inputs.error());
  EXPECT_TRUE(inputs->uniforms.empty() && inputs->attributes.empty() && inputs->corners.empty());
  EXPECT_TRUE(inputs->samplers.empty() && inputs->warnings.empty());
  for (const char* wrong :
       {R"({"uniforms": {"spar": [1]}})", R"({"attributes": {"awa": [1]}})", R"({"samplers": {"te": {}}})"})
    EXPECT_EQ(read_run_inputs({"in.json", wrong}, interface, no_files).error()[0].code, "IN005") << wrong;
}

TEST(Inputs, UnknownNamesComeWithTheNearestOne) {
  EXPECT_EQ(refused_vec4s(R"({"attributes": {"aPositon": [1]}})").hint, "did you mean aPosition?");
  EXPECT_EQ(refused_vec4s(R"({"uniforms": {"nn": [1]}})").code, "IN005");
}

constexpr std::string_view obj = "v 1 2 3\nv 4 5 6\nv 7 8 9\nvt 0.5 0.25\nf 3/1 2/1 1/1\n";

TEST(Inputs, AMeshFeedsTheAttributesItsDataAreFor) {
  const auto in = read_vec4s(obj, no_files, "mesh.obj");
  EXPECT_EQ(in.threads, 3u);
  EXPECT_THAT(in.triangles, ElementsAre(std::array<std::uint32_t, 3>{0, 1, 2}));
  EXPECT_EQ(in.attributes.at(0)[0], (RunVec4{float_bits(7), float_bits(8), float_bits(9), float_bits(1)}));
  EXPECT_EQ(in.attributes.at(2)[2], (RunVec4{float_bits(0.5f), float_bits(0.25f), 0, float_bits(1)}));
  EXPECT_FALSE(in.attributes.contains(1));
}

TEST(Inputs, AMeshOfADocumentNamesItsFileAndMayNameAttributes) {
  const FileReader files = [](const std::string& name) -> Result<std::vector<std::uint8_t>> {
    EXPECT_EQ(name, "m.obj");
    return std::vector<std::uint8_t>(obj.begin(), obj.end());
  };
  const auto in = read_vec4s(R"({"mesh": {"file": "m.obj", "texcoord": "count"}, "line_colour": "vColour",
                                 "attributes": {"uv": [3, 4]}, "indices": [[0, 1, 1], [2, 1, 0]]})",
                             files);
  EXPECT_EQ(in.attributes.at(1)[0], (RunVec4{float_bits(0.5f), float_bits(0.25f), 0, float_bits(1)}));
  EXPECT_THAT(in.attributes.at(2), ElementsAre(RunVec4{float_bits(3), float_bits(4), 0, float_bits(1)}));
  EXPECT_EQ(in.line_colour, 3u);
  EXPECT_THAT(in.triangles, ElementsAre(std::array<std::uint32_t, 3>{0, 1, 1}, std::array<std::uint32_t, 3>{2, 1, 0}));
  EXPECT_EQ(refused_vec4s(R"({"mesh": {"file": "m.obj", "normal": "count"}})", files).code, "IN017");
  EXPECT_EQ(refused_vec4s(R"({"mesh": {"position": "count"}})", files).code, "IN003");
  EXPECT_EQ(refused_vec4s(R"({"mesh": "m.obj", "attributes": {"uv": [[1], [2]]}})", files).code, "IN009");
  EXPECT_EQ(refused_vec4s(R"({"mesh": "absent.obj"})").code, "T1");
  EXPECT_EQ(refused_vec4s(R"({"indices": [1, 2]})").code, "IN003");
  EXPECT_EQ(refused_vec4s("v 1 2 3\nv 4 x 5", no_files, "bad.obj").where.file, "bad.obj");
}

TEST(Inputs, BuffersRegistersAndMemory) {
  const auto in = read(R"({"ubos": {"Block": [1], "0": ["00000002"]}, "uniform_registers": {"r23": [1, 2], "22": ["7"]},
                           "buffers": {"a": [1, 2], "n": [3], "r": {"words": 4}}, "memory": {"0x10000": ["01020304", 5, {"f32": [1.0]}, {"u32": 4.0}]},
                           "slots": {"acc": "ff"}, "system_values": {"0": [1, 2, 3]}, "fragment_retries": 2, "tile_waits": 3,
                           "policies": {"discard_bit": "any"}, "groups": [2, 3], "local_size": [8],
                           "limits": {"steps": 100, "memory_bytes": 1000, "threads": 7}})");
  EXPECT_THAT(in.uniform_buffers.at(1), ElementsAre(float_bits(1)));
  EXPECT_THAT(in.uniform_buffers.at(0), ElementsAre(2u));
  EXPECT_EQ(in.uniform_registers.at(23), (RunVec4{float_bits(1), float_bits(2), 0, 0}));
  EXPECT_EQ(in.uniform_registers.at(22)[0], 7u);
  EXPECT_THAT(in.buffers.at(1), ElementsAre(float_bits(1), float_bits(2)));
  EXPECT_THAT(in.buffers.at(2), ElementsAre(3u));
  EXPECT_THAT(in.buffers.at(0), ElementsAre(0u, 0u, 0u, 0u));
  ASSERT_EQ(in.memory.size(), 1u);
  EXPECT_EQ(in.memory[0].address, 0x10000u);
  EXPECT_THAT(in.memory[0].bytes, ElementsAre(4, 3, 2, 1, 5, 0, 0, 0, 0, 0, 0x80, 0x3F, 4, 0, 0, 0));
  EXPECT_EQ(in.slots.at("acc"), 0xFFu);
  EXPECT_EQ(in.system_values.at(0)[2], float_bits(3));
  EXPECT_EQ(in.fragment_retries, 2u);
  EXPECT_EQ(in.tile_waits, 3u);
  EXPECT_EQ(in.policies.at("discard_bit"), "any");
  EXPECT_EQ(in.groups, (std::array<std::uint32_t, 3>{2, 3, 1}));
  EXPECT_EQ(in.local_size, (std::array<std::uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(in.limits.steps, 100u);
  EXPECT_EQ(in.limits.threads, 7u);
}

TEST(Inputs, SlotsSayWhetherTheyAreBits) {
  const auto in = read(R"({"slots": {"sh0": 1.0, "sh1": "1", "sh2": {"u32": 1}, "sh3": {"f32": 1}, "sh4": true}})");
  EXPECT_EQ(in.slots.at("sh0"), float_bits(1));
  EXPECT_EQ(in.slots.at("sh1"), 1u);
  EXPECT_EQ(in.slots.at("sh2"), 1u);
  EXPECT_EQ(in.slots.at("sh3"), float_bits(1));
  EXPECT_EQ(in.slots.at("sh4"), ~0u);
  EXPECT_EQ(refused(R"({"slots": {"sh0": 1}})").code, "IN019");
}

TEST(Inputs, CornersNeedFourValues) {
  const auto in = read(R"({"corners": {"uv": [[0,0],[1,0],[0,1],[1,1]], "late": [[5],[6],[7],[8]]}})");
  EXPECT_EQ(in.corners.at(0)[1], (RunVec4{float_bits(1), 0, float_bits(6), float_bits(1)}));
  EXPECT_EQ(in.corners.at(0)[3], (RunVec4{float_bits(1), float_bits(1), float_bits(8), float_bits(1)}));
  EXPECT_THAT(refused(R"({"corners": {"uv": [[0,0],[1,0]]}})").message,
              HasSubstr("corners.uv: found an array of 2; allowed: four arrays"));
}

TEST(Inputs, CaseOfAReferenceFileIsAcceptedAsItStands) {
  const auto in =
      read(R"({"attributes":{"hda_a":[-0.8]},"uniforms":{"unknown":[1]},"outputs":{"discarded":false,"color0":[0.2]},
      "storage":[{"expected_discard":false,"expected_r0":[0.2,0.4,0.6,1],"textures":{"0":[0.2,0.4,0.6,1.0]},"ubos":{"0":["00000007"]},
      "uniform_registers":{"r23":["00000007","00000000","00000000","00000000"]},"varyings":{"0":["bf5387bc","bf6d2eec","00000000","3f800000"]}}]})");
  EXPECT_THAT(in.varyings.at(0), ElementsAre(RunVec4{0xBF5387BC, 0xBF6D2EEC, 0, 0x3F800000}));
  EXPECT_EQ(in.uniform_registers.at(23)[0], 7u);
  EXPECT_EQ(in.textures.at(0)->texels[0][3], float_bits(1));
  ASSERT_EQ(in.identities.size(), 1u);
  EXPECT_EQ(in.identities[0].x, 1.5f);
  const auto compute = read(R"({"buffers":{"groups":[2,1,1],"a":[1,2],"r":[3,4],"cnt0":0}})");
  EXPECT_EQ(compute.groups[0], 2u);
  EXPECT_THAT(compute.buffers.at(1), ElementsAre(float_bits(1), float_bits(2)));
  EXPECT_THAT(compute.buffers.at(0), ElementsAre(0u, 0u));
}

TEST(Inputs, TexturesComeFromFilesOrColours) {
  const auto png = test::png_bytes(2, 12, std::vector<std::uint8_t>(96, 255)).value();
  const auto files = [&](const std::string& name) -> Result<std::vector<std::uint8_t>> {
    if (name == "p.png") return png;
    if (name == "r.raw") return std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8};
    return fail("T1", "no file " + name);
  };
  const auto in = read(R"({"textures": {
      "tex": {"file": "p.png", "mipmaps": true, "sampler": {"min": "nearest", "wrap": ["repeat", "clamp_to_edge"], "compare": "less"}},
      "2": {"file": "p.png", "kind": "cube"}, "3": {"file": "p.png", "layers": 3}, "4": {"file": "p.png", "kind": "3d", "depth": 6},
      "5": {"file": "r.raw", "format": "rgba8_uint", "width": 2}, "6": {"constant": [1, 2], "numbers": "i32"},
      "7": {"kind": "2d", "size": [4, 4], "rgba8_all_texels": [51, 102, 153, 255]}},
      "samplers": {"5": {"mag": "nearest", "border": [1, 1, 1, 1], "normalized": false, "lod_bias": 1.5}}})",
                       files);
  EXPECT_EQ(in.textures.at(1)->size.height, 12u);
  EXPECT_EQ(in.textures.at(1)->size.levels, 4u);
  EXPECT_EQ(in.samplers.at(1)->min, io::Filter::nearest);
  EXPECT_EQ(in.samplers.at(1)->wrap[1], io::Wrap::clamp_to_edge);
  EXPECT_EQ(in.samplers.at(1)->wrap[2], io::Wrap::repeat);
  EXPECT_EQ(in.samplers.at(1)->compare, io::Compare::less);
  EXPECT_EQ(in.textures.at(2)->size.shape, ir::Texture::Shape::cube);
  EXPECT_EQ(in.textures.at(2)->size.height, 2u);
  EXPECT_EQ(in.textures.at(3)->size.height, 4u);
  EXPECT_EQ(in.textures.at(4)->size.depth, 6u);
  EXPECT_EQ(in.textures.at(5)->texels[1], (RunVec4{5, 6, 7, 8}));
  EXPECT_EQ(in.textures.at(6)->texels[0], (RunVec4{1, 2, 0, 1}));
  EXPECT_EQ(in.textures.at(7)->texels[0][0], float_bits(0.2f));
  EXPECT_EQ(in.textures.at(7)->size.width, 4u);
  EXPECT_EQ(in.samplers.at(5)->lod_bias, 1.5f);
  EXPECT_FALSE(in.samplers.at(5)->normalised);

  EXPECT_EQ(refused(R"({"textures": {"tex": {"file": "missing"}}})", files).message, "textures.tex: no file missing");
  EXPECT_EQ(refused(R"({"textures": {"tex": {"file": "r.raw"}}})", files).code, "TX001");
  EXPECT_EQ(refused(R"({"textures": {"tex": {"file": "p.png", "kind": "cube", "layers": 5}}})", files).code, "TX015");
  EXPECT_THAT(refused(R"({"textures": {"tex": {"file": "r.raw", "format": "rgb5"}}})", files).message,
              HasSubstr("r8_unorm, rg8_unorm"));
  EXPECT_EQ(refused(R"({"textures": {"tex": {}}})", files).code, "IN006");
  EXPECT_THAT(refused(R"({"textures": {"tex": 5}})", files).message, HasSubstr("textures.tex: found 5"));
}

TEST(Inputs, ElementsOfArraysHaveNames) {
  Interface interface;
  interface.uniforms = {{.name = "shades", .type = "sampler[3]", .driver_location = 2},
                        {.name = "taken", .type = "uimage[2]", .driver_location = 4}};
  const auto files = [](const std::string&) -> Result<std::vector<std::uint8_t>> { return fail("T1", "none"); };
  const auto in =
      read_run_inputs({"in.json", R"({"textures": {"shades[2]": {"constant": [1]}, "shades": {"constant": [2]}},
        "images": {"taken[1]": {"address": "0x1000", "size": [2], "format": "r32_uint"}}})"},
                      interface, files);
  ASSERT_TRUE(in) << render(in.error());
  EXPECT_EQ(in->textures.at(4)->texels[0][0], float_bits(1));
  EXPECT_EQ(in->textures.at(2)->texels[0][0], float_bits(2));
  EXPECT_EQ(in->images.at(5)->size[0], 2U);
  const auto beyond =
      read_run_inputs({"in.json", R"({"textures": {"shades[3]": {"constant": [1]}}})"}, interface, files);
  EXPECT_FALSE(beyond);
}

TEST(Inputs, ErrorsNameThePlace) {
  EXPECT_EQ(refused("[1]").message, "the document: found an array of 1; allowed: an object");
  EXPECT_THAT(refused(R"({"varying": {}})").message, HasSubstr("varying: unknown member; allowed: threads, quads"));
  EXPECT_EQ(refused(R"({"varyings": {"nope": [1]}})").message,
            "varyings.nope: no such name; allowed: a number, uv, count, packed:a,b.x, packed:b.yz, m, late");
  EXPECT_EQ(refused(R"({"varyings": {"uv": [1, 2, 3]}})").message, "varyings.uv: has 3 values; at most 2 fit");
  EXPECT_THAT(refused(R"({"varyings": {"uv": ["zz"]}})").message,
              HasSubstr("varyings.uv[0]: found \"zz\"; allowed: a number"));
  EXPECT_THAT(refused(R"({"varyings": {"count": [1.5]}})").message,
              HasSubstr("varyings.count[0]: found 1.5; allowed: a whole number"));
  EXPECT_EQ(refused(R"({"uniforms": {"tex": 1}})").code, "IN010");
  EXPECT_EQ(refused(R"({"uniforms": {"scale": [1, 2]}})").code, "IN007");
  EXPECT_EQ(refused(R"({"uniforms": {"zzz": 1}})").code, "IN005");
  EXPECT_EQ(refused(R"({"uniform_registers": {"x": 1}})").code, "IN011");
  EXPECT_EQ(refused(R"({"system_values": {"1": 1}})").code, "IN012");
  EXPECT_EQ(refused(R"({"memory": {"16": [1]}})").code, "IN013");
  for (const char* const untyped : {"1.0", "1e3", "[2, [1.5]]"}) {
    const Diagnostic found = refused(R"({"memory": {"0x10": )" + std::string(untyped) + "}}");
    EXPECT_EQ(found.code, "IN019") << untyped;
    EXPECT_THAT(found.hint, HasSubstr(R"({"f32": [...]})")) << untyped;
  }
  EXPECT_EQ(refused(R"({"tile": {"8": [1]}})").code, "IN011");
  EXPECT_EQ(refused(R"({"varyings": {"uv": [[1],[2]], "late": [[1],[2],[3]]}})").code, "IN009");
  EXPECT_EQ(refused(R"({"storage": []})").code, "IN003");
  EXPECT_EQ(refused(R"({"groups": [0]})").code, "IN003");
}

TEST(Inputs, SmallTextCannotAskForMuchMemory) {
  EXPECT_EQ(refused(R"({"buffers": {"a": {"words": 400000000}}})").code, "IN008");
  EXPECT_EQ(
      refused(R"({"buffers": {"a": {"words": 200}, "r": {"words": 200}}, "limits": {"memory_bytes": 1000}})").code,
      "IN008");
  EXPECT_EQ(refused(R"({"threads": 4000000000})").code, "IN008");
  EXPECT_EQ(refused(R"({"limits": {"threads": 2}, "varyings": {"uv": [[1],[2],[3]]}})").code, "IN008");
}

TEST(Inputs, TileBufferIsGivenByPart) {
  const RunInputs in = read(R"({"tile": {"0": [0.5, 1], "depth": [[0.25], [1]], "stencil": 7}})");
  EXPECT_THAT(in.tile.at(0)[0], ElementsAre(float_bits(0.5), float_bits(1), 0, float_bits(1)));
  ASSERT_EQ(in.tile.at(31).size(), 2u);
  EXPECT_EQ(in.tile.at(31)[0][0], float_bits(0.25));
  EXPECT_EQ(in.tile.at(30)[0][0], 7u);
  EXPECT_EQ(in.threads, 2u);
}

}  // namespace
}  // namespace mobula
