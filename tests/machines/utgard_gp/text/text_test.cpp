#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/text/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "core/listing_pieces.h"
#include "machines/utgard_gp/check/check.h"
#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/words.h"
#include "paths.h"
#include "trials.h"

namespace mobula::utgard_gp {
namespace {

std::string printed(const Program& program) { return joined(in_pieces(program, print(program), {})).text; }

std::string print_code(std::vector<std::uint8_t> code) {
  Program program;
  program.code = std::move(code);
  return printed(program);
}

void expect_round_trip(const std::vector<std::uint8_t>& code) {
  const std::string text = print_code(code);
  const auto program = parse({"printed", text}, "");
  ASSERT_TRUE(program) << text << render(program.error());
  ASSERT_EQ(program->code, code) << text;
}

std::string codes(std::string_view text) {
  const auto program = parse({"t", text}, "");
  std::string result;
  if (!program)
    for (const Diagnostic& each : program.error()) result += each.code + ' ';
  return result;
}

TEST(Text, PrintsProgramAAsTheReferenceDecodesIt) {
  EXPECT_EQ(print_code(program_a()),
            "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }\n"
            "{ ld = u[0]; m01 = complex1 c[-1], m0[-1], c[-1], p0[-1].w; a1 = mov ld.z }\n"
            "{ p0 = attr1; ld = u[0]; m0 = mov ld.y; m1 = mov p0.x; a0 = mov p0.y; a1 = mov p0.z; c = mov p0.w; "
            "st0 v0.xy = m1, a0; st1 v0.zw = a1, c }\n"
            "{ p0 = attr0; ld = u[2]; m0 = mul p0.z, a1[-2]; m1 = mul p0.y, m0[-1]; p = clamp m0[-2] }\n"
            "{ p0 = attr0; ld = u[0]; m0 = mul p0.x, ld.x; m1 = mul m0[-1], p[-1] }\n"
            "{ ld = u[1]; m0 = mul m1[-2], p[-2]; m1 = mul m0[-1], p[-2]; a0 = mov p[-2]; a1 = add m1[-1], ld.z }\n"
            "{ ld = u[1]; m1 = mov a0[-1]; a0 = add m0[-1], ld.y; a1 = add m1[-1], ld.x; c = mov a1[-1]; "
            "st0 v1.xy = a1, a0; st1 v1.zw = c, m1 }\n");
}

TEST(Text, BranchesHaveLabels) {
  const std::string text = print_code(program_c());
  EXPECT_THAT(text, testing::HasSubstr("L4:\n{ p1 = $1; a0 = sign p1.x }"));
  EXPECT_THAT(text, testing::HasSubstr("{ p = mov a0[-1]; br L13 }"));
  expect_round_trip(program_c());
}

TEST(Text, TheEmptyWordIsTheCanonicalNop) {
  const auto program = parse({"t", "{ }"}, "");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->code, code_of({0xad4ad6b5, 0x038002b5, 0x0007ff80, 0x000ad500}));
}

TEST(Text, SelectNamesConditionTrueFalse) {
  // 9.4: x > a ? y : z.
  EXPECT_EQ(print_code(code_of({0xad4a8602, 0x438002b5, 0x0007ff80, 0x000ad540})),
            "{ p0 = attr0; m01 = select a0[-1] ? p0.y : p0.z }\n");
}

TEST(Text, EveryFieldValueRoundTrips) {
  for (const Field* field : word::format.fields)
    for (std::uint64_t value = 0; value < std::uint64_t{1} << field->width; ++value) {
      Word128 word = nop;
      set(word, *field, value);
      std::vector<std::uint8_t> code;
      append_word(word, code);
      expect_round_trip(code);
    }
}

TEST(Text, AnyBytesRoundTrip) {
  std::mt19937_64 random(11);
  for (unsigned round = 0; round < test::trials(3000); ++round) {
    std::vector<std::uint8_t> code(random() % 70);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    expect_round_trip(code);
  }
}

TEST(Text, EverySampleRoundTrips) {
  const std::filesystem::path folder = mobula::test::sample("utgard-gp");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    expect_round_trip({std::istreambuf_iterator<char>(stream), {}});
  }
}

TEST(Text, NamesOfTheInterfaceStandInComments) {
  Program program;
  program.code = program_a();
  program.interface.inputs = {{"aPosition", "float", 0, 0, 0}, {"aColor", "float", 4, 1, 0}};
  program.interface.uniforms = {{"scale\nx", "vec4", 0, 0, 0}};
  const std::string text = printed(program);
  EXPECT_THAT(text, testing::HasSubstr("c = rcp p0.w }  // attr0 = aPosition\n"));
  EXPECT_THAT(text, testing::HasSubstr("m1 = mul m0[-1], p[-1] }  // attr0 = aPosition, u[0] = scale?x\n"));
  EXPECT_EQ(parse({"t", text}, "")->code, program.code);
}

TEST(Text, HalvesOfAStoreNameTheirVaryingOnce) {
  Program program;
  program.code = program_a();
  program.interface.outputs = {{"vColor", "vec4", 0, 0, 0}};
  EXPECT_THAT(printed(program), testing::HasSubstr("st1 v0.zw = a1, c }  // v0 = vColor\n"));
}

/// The tour has every kind of item, so that what it assembles to says something of all of them.
TEST(Text, TheTourAssemblesAndRoundTrips) {
  const std::string text = read_file(mobula::test::source_file("tests/data/utgard_gp/tour.gpasm"));
  const auto program = parse({"tour.gpasm", text}, "");
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_TRUE(check(*program).empty()) << render(check(*program));
  expect_round_trip(program->code);
  const std::string printed = print_code(program->code);
  for (const char* item :
       {"p0 = attr1", "p1 = $0",  "ld = u[0+A1]", "m0 = mul",  "m1 = -mov", "complex1",    "complex2", "select",
        "a1 = neg",   "floor",    "sign",         "a0 = ge",   "lt ld.z",   "min",         "-a1[-1]",  "rcp",
        "rsqrt",      "exp2",     "log2",         "setA0",     "setA1",     "preexp2",     "postlog2", "clamp",
        "p0[-1].y",   "t[A0].zw", "st0 v0.x",     "st0 $0.xy", "br L13",    "st0.index:=3"})
    EXPECT_THAT(printed, testing::HasSubstr(item));
}

TEST(Text, MeaningsAreWhatTheyAreHoweverWritten) {
  EXPECT_EQ(parse({"t", "{\n  a0 = add p0.x, -ident\n  p0 = $3\n}"}, "")->code,
            parse({"t", "{ p0 = $3; a0 = mov p0.x }"}, "")->code);
  EXPECT_EQ(parse({"t", ".word ad4ad6b5 038002b5 0x0007ff80, 000ad500"}, "")->code, parse({"t", "{}"}, "")->code);
}

TEST(Text, EveryErrorIsReportedOnce) {
  EXPECT_EQ(codes("{ a0 = min p0.x, p0.y; a1 = max p0.x, p0.y }"), "GP115 ");
  EXPECT_EQ(codes("{ m0 = mul p0.x, c[-1] }"), "GP120 ");
  EXPECT_EQ(codes("{ m0 = mul -p0.x, p0.y }"), "GP118 ");
  EXPECT_EQ(codes("{ m0 = mov ident }"), "GP121 ");
  EXPECT_EQ(codes("{ m0 = mul p0.x, q7 }"), "GP122 ");
  EXPECT_EQ(codes("{ m1 = complex2 p0.x, p0.x }"), "GP117 ");
  EXPECT_EQ(codes("{ m0 = mov p0.x; m01 = complex1 c[-1], m0[-1], c[-1], p0.x }"), "GP114 ");
  EXPECT_EQ(codes("{ st0 v1.zw = a0, a1 }"), "GP123 ");
  EXPECT_EQ(codes("{ st0 v1.xy = a0, s9 }"), "GP124 ");
  EXPECT_EQ(codes("{ br nowhere }"), "GP125 ");
  EXPECT_EQ(codes("{ p0 = attr16 }\n{ p1 = $16 }\n{ ld = u[512] }"), "GP104 GP104 GP104 ");
  EXPECT_EQ(codes("{ flow:=16 }"), "GP104 ");
  EXPECT_EQ(codes("{ flaw:=1 }"), "GP127 ");
  EXPECT_EQ(codes("a:\na:\n{ c = rpc p0.x }"), "GP107 GP116 ");
  EXPECT_EQ(codes("{ m0 = mov p0.x"), "GP101 ");
  EXPECT_EQ(codes("hello"), "GP106 ");
  EXPECT_EQ(codes(".frob 1"), "GP108 ");
}

TEST(Text, ErrorsPointAtTheWordAndSuggest) {
  const auto program = parse({"a.gpasm", "{ p0 = attr0;\n  c = rpc p0.x }"}, "");
  ASSERT_FALSE(program);
  EXPECT_EQ(render(program.error()[0]),
            "a.gpasm:2:7: error: 'rpc' is not an operation of the complex unit [GP116]\n"
            "    c = rpc p0.x }\n        ^~~\n  hint: did you mean rcp?\n");
}

}  // namespace
}  // namespace mobula::utgard_gp
