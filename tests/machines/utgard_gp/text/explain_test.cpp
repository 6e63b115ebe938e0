#include "machines/utgard_gp/text/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "machines/utgard_gp/machine.h"
#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/spec/names.h"
#include "machines/utgard_gp/words.h"

namespace mobula::utgard_gp {
namespace {

using testing::HasSubstr;

const ExplainedField& field_of(const ExplainedWord& word, std::string_view name) {
  for (const ExplainedField& field : word.fields)
    if (field.name == name) return field;
  static const ExplainedField none;
  ADD_FAILURE() << name;
  return none;
}

TEST(Explain, FieldsTileEveryWord) {
  const std::vector<ExplainedWord> words = machine().explain(program_of(program_a()));
  ASSERT_EQ(words.size(), 7u);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i].byte_offset, 16 * i);
    EXPECT_EQ(words[i].byte_length, 16u);
    Word128 rebuilt;
    std::uint32_t next = 0;
    for (const ExplainedField& field : words[i].fields) {
      EXPECT_EQ(field.low, next) << field.name;
      next += field.width;
      set(rebuilt, {.low = static_cast<std::uint8_t>(field.low), .width = static_cast<std::uint8_t>(field.width)},
          field.value);
      EXPECT_FALSE(field.meaning.empty() || field.source.empty()) << field.name;
    }
    EXPECT_EQ(next, 128u);
    EXPECT_EQ(rebuilt, load_word(program_a(), static_cast<std::uint32_t>(i)));
  }
  EXPECT_EQ(words[0].text, "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }\n");
}

TEST(Explain, FindingsAreThoseAboutTheWordItself) {
  Program program = program_of(program_a());
  Word128 changed = load_word(program.code, 2);
  set(changed, word::flow, 5);
  std::vector<std::uint8_t> bytes;
  append_word(changed, bytes);
  std::copy(bytes.begin(), bytes.end(), program.code.begin() + 2 * word_bytes);
  program.code.resize(program.code.size() + 3);
  const std::vector<ExplainedWord> words = machine().explain(program);
  std::vector<std::string> codes;
  for (const ExplainedWord& word : words)
    for (const Diagnostic& each : word.diagnostics)
      codes.push_back(std::to_string(word.byte_offset / 16) + ": " + each.code);
  EXPECT_EQ(codes, (std::vector<std::string>{"2: GP321", "7: GP311"}));
  // What stands around a word is not its fault: neither the branch's target nor what a result is read from.
  EXPECT_TRUE(
      machine().explain(program_of(assembled("{ p0 = attr0; p = mov p0.x; br 300 }").code))[0].diagnostics.empty());
  EXPECT_TRUE(
      machine().explain(program_of(assembled("{ a0 = mov m0[-1]; st0 v0.x = a0 }").code))[0].diagnostics.empty());
}

TEST(Explain, MeaningsNameWhatTheWordReadsAndWrites) {
  Program program = program_of(program_a());
  program.interface.inputs = {{"aPosition", "vec4", 0, 0, 0}, {"aColor", "vec4", 0, 1, 0}};
  program.interface.outputs = {{"vColor", "vec4", 0, 0, 0}, {"gl_Position", "vec4", 0, 1, 0}};
  program.interface.uniforms = {{"gl_mali_ViewportTransform", "vec4[2]", 0, 0, 0}};
  const std::vector<ExplainedWord> words = machine().explain(program);
  EXPECT_EQ(field_of(words[0], "cplx.in").meaning,
            "operand of the complex unit: p0.w, port 0 = attribute 0 (aPosition).w");
  EXPECT_EQ(field_of(words[0], "cplx.op").meaning, "operation of the complex unit: rcp, stage of a function");
  EXPECT_EQ(field_of(words[0], "port0.index").meaning, "register or attribute number: attribute 0 (aPosition)");
  EXPECT_THAT(field_of(words[2], "mul0.a").meaning, HasSubstr("= u[0] (gl_mali_ViewportTransform[0]).y"));
  EXPECT_THAT(field_of(words[2], "st1.index").meaning, HasSubstr(": varying 0 (vColor)"));
  EXPECT_THAT(field_of(words[3], "st0.index").meaning, HasSubstr("; nothing is stored"));
  EXPECT_THAT(field_of(words[3], "branch.target").meaning, HasSubstr("; this word does not branch"));
  EXPECT_THAT(field_of(machine().explain(program_of(program_c()))[9], "branch.target").meaning, HasSubstr(": word 13"));
}

TEST(Explain, DeadOperandsAreNotRead) {
  // 9.3 word 4: the b operand of sign is a leftover.
  const std::vector<ExplainedWord> words = machine().explain(program_of(program_c()));
  EXPECT_EQ(field_of(words[4], "acc0.b").meaning, "operand b of acc0: p0.x, port 0; not read");
  EXPECT_EQ(field_of(words[4], "acc0.a").meaning, "operand a of acc0: p1.x, port 1 = register 1.x");
}

TEST(Explain, StatusesAreThoseOfTheValue) {
  const auto status = [](const Field& field, std::uint64_t value) {
    Word128 word = nop;
    set(word, field, value);
    Program program = program_of({});
    append_word(word, program.code);
    return field_of(machine().explain(program)[0], field.name).status;
  };
  EXPECT_EQ(status(word::mul_op, opcode_of(MulOp::select)), Status::driver);
  EXPECT_EQ(status(word::mul_op, opcode_of(MulOp::mul)), Status::seed);
  EXPECT_EQ(status(word::mul_op, 7), Status::unknown);
  EXPECT_EQ(status(word::pass_op, opcode_of(PassOp::clamp)), Status::binaries);
  EXPECT_EQ(status(word::acc0_a, 8), Status::unknown);
  EXPECT_EQ(status(word::acc0_a, 7), Status::seed);
  EXPECT_EQ(status(word::st0_x, store_unknown), Status::unknown);
  EXPECT_EQ(status(word::ld_off, 0), Status::unknown);
  EXPECT_EQ(status(word::ld_off, 4), Status::unknown);
  EXPECT_EQ(status(word::flow, 7), Status::unknown);
  EXPECT_EQ(status(word::flow, 12), Status::driver);
}

TEST(Explain, TrailingBytesAreAnEntryOfTheirOwn) {
  std::vector<std::uint8_t> code = program_b();
  code.resize(code.size() - 13);
  const std::vector<ExplainedWord> words = machine().explain(program_of(code));
  ASSERT_EQ(words.size(), 5u);
  EXPECT_EQ(words[4].byte_offset, 64u);
  EXPECT_EQ(words[4].byte_length, 3u);
  EXPECT_EQ(words[4].text, ".byte 0xB5, 0x66, 0x8B\n");
  EXPECT_TRUE(words[4].fields.empty());
}

TEST(Explain, ManualHasEveryOperationOnce) {
  const Manual text = manual();
  ASSERT_EQ(text.formats.size(), 1u);
  EXPECT_EQ(text.formats[0].width, 128u);
  EXPECT_EQ(text.formats[0].fields.size(), word::format.fields.size());
  std::set<std::string> titles;
  std::size_t operations = 0;
  for (const ManualEntry& entry : text.entries) {
    if (entry.in_words) {
      ++operations;
      EXPECT_TRUE(titles.insert(entry.title).second) << entry.title;
    }
    EXPECT_FALSE(entry.mnemonic.empty() || entry.body.empty() || entry.source.empty()) << entry.title;
    EXPECT_EQ(entry.body.back(), '\n');
  }
  EXPECT_EQ(operations, mul_ops.size() + acc_ops.size() + cplx_ops.size() + pass_ops.size() + 6);
  const auto rcp = std::find_if(text.entries.begin(), text.entries.end(),
                                [](const ManualEntry& entry) { return entry.mnemonic == "rcp"; });
  ASSERT_NE(rcp, text.entries.end());
  EXPECT_EQ(rcp->title, "cplx.op 5, complex unit");
  EXPECT_THAT(rcp->body, HasSubstr("m01 = complex1 c[-1], m0[-1], c[-1], x"));
  EXPECT_EQ(rcp->status, Status::seed);
}

TEST(Names, CoverArraysAndMatrices) {
  EXPECT_EQ(vec4s_of("float"), 1u);
  EXPECT_EQ(vec4s_of("mat4"), 4u);
  EXPECT_EQ(vec4s_of("mat3x2"), 3u);
  EXPECT_EQ(vec4s_of("vec4[5]"), 5u);
  EXPECT_EQ(vec4s_of("mat2[2][3]"), 12u);
  EXPECT_EQ(vec4s_of("float[4000000000][4000000000]"), memory_vec4s);
  EXPECT_EQ(vec4s_of(""), 1u);
  Interface interface;
  interface.uniforms = {{"bones", "mat4[2]", 0, 3, 0}, {"a", "float", 0, 1, 0}, {"b", "float", 0, 1, 1}};
  const Names names(interface);
  EXPECT_EQ(names.uniform(10), "bones[7]");
  EXPECT_EQ(names.uniform(11), "");
  EXPECT_EQ(names.uniform(1), "a/b");
}

TEST(Names, ArePrintableAndShortWhateverTheFileSays) {
  Interface interface;
  interface.inputs = {{"a\nb", "vec4", 0, 0, 0}, {std::string(1000000, 'x'), "vec4", 0, 1, 0}, {"out", "", 0, 99, 0}};
  for (int i = 0; i < 1000; ++i) interface.inputs.push_back({"many", "vec4", 0, 2, 0});
  const Names names(interface);
  EXPECT_EQ(names.attribute(0), "a?b");
  EXPECT_LT(names.attribute(1).size(), 100u);
  EXPECT_LT(names.attribute(2).size(), 100u);
}

}  // namespace
}  // namespace mobula::utgard_gp
