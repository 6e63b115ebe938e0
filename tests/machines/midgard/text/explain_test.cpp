#include "machines/midgard/text/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/system_values.h"
#include "machines/midgard/machine.h"
#include "machines/midgard/spec/spec.h"
#include "machines/midgard/text/parse.h"
#include "machines/midgard/words.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/manual.h"

namespace mobula::midgard {
namespace {

using testing::HasSubstr;

const ExplainedField& field_of(const ExplainedWord& word, std::string_view name) {
  static const ExplainedField none{};
  for (const ExplainedField& field : word.fields)
    if (field.name == name) return field;
  ADD_FAILURE() << "no field " << name;
  return none;
}

/// The fields follow one another without gap or overlap, and say what the bits are.
void expect_whole(const Program& program, const ExplainedWord& word) {
  std::uint32_t next = 0;
  for (const ExplainedField& field : word.fields) {
    ASSERT_EQ(field.low, next) << field.format << '.' << field.name << '\n' << word.text;
    ASSERT_GT(field.width, 0u);
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < field.width; ++i) {
      const std::uint64_t bit = word.byte_offset * 8 + field.low + i;
      value |= std::uint64_t{program.code[bit / 8] >> (bit % 8) & 1u} << i;
    }
    EXPECT_EQ(field.value, value) << field.name;
    EXPECT_FALSE(field.meaning.empty()) << field.name;
    EXPECT_FALSE(field.source.empty()) << field.name;
    next += field.width;
  }
  EXPECT_EQ(next, word.byte_length * 8) << word.text;
}

/// Fields of one pass lie in the order of explain, which is that of the word.
void expect_whole(const Program& program) {
  std::uint64_t next = 0;
  for (ExplainedWord word : machine().explain(program)) {
    EXPECT_EQ(word.byte_offset, next);
    next += word.byte_length;
    if (word.byte_length % 16 != 0) continue;
    expect_whole(program, word);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(next, program.code.size());
}

TEST(Explain, FieldsCoverEveryBitOfAnyWord) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    Program program;
    program.code.resize(random() % 500);
    for (std::uint8_t& byte : program.code) byte = static_cast<std::uint8_t>(random());
    for (std::size_t at = 0; at < program.code.size(); at += 16)
      program.code[at] = static_cast<std::uint8_t>((program.code[at] & 0xF0) | (i % 2 == 0 ? 2 + random() % 7 : 5));
    expect_whole(program);
    if (HasFatalFailure()) return;
  }
}

TEST(Explain, FieldsCoverEveryLoadAndStore) {
  for (const LsOp& row : ls_ops)
    for (const std::uint64_t rest : {0ull, ~0ull}) {
      std::uint64_t instruction = rest << 8 | row.opcode;
      Word128 word;
      set(word, ldst::tag, tag_load_store);
      set(word, ldst::first, instruction);
      set(word, ldst::second, instruction);
      Program program;
      for (const std::uint64_t half : {word.low, word.high})
        for (unsigned shift = 0; shift < 64; shift += 8)
          program.code.push_back(static_cast<std::uint8_t>(half >> shift));
      expect_whole(program);
      if (HasFatalFailure()) return;
      // All ones set what nobody knows, if the operation leaves anything unknown.
      const ExplainedWord word_text = machine().explain(program).front();
      const bool unknown =
          std::any_of(word_text.fields.begin(), word_text.fields.end(),
                      [](const ExplainedField& field) { return field.name.find("unknown") != std::string::npos; });
      EXPECT_EQ(!word_text.diagnostics.empty(), rest != 0 && unknown) << row.name;
    }
}

TEST(Explain, FieldsCoverCompilerOutput) {
  const std::vector<Sample> all = samples();
  if (all.empty()) GTEST_SKIP() << "no samples";
  for (const Sample& sample : all) {
    expect_whole(sample.program);
    for (const ExplainedWord& word : machine().explain(sample.program))
      EXPECT_TRUE(word.diagnostics.empty()) << word.text;
  }
}

TEST(Explain, SaysWhatAnAluWordMeans) {
  // Reference 8.2.2 [3].
  const Program program =
      program_of({0x08820099, 0xFCC10798, 0x48000230, 0xB482FF2E, 0x0404D800, 0xAAAA0000, 0, 0}, "t860");
  const ExplainedWord word = machine().explain(program).front();
  EXPECT_THAT(word.text, HasSubstr("smul.FCMP.lt.i32 COND.w, R1.w, #0.25"));
  EXPECT_THAT(field_of(word, "vmul.opcode").meaning, HasSubstr("FMOV"));
  EXPECT_EQ(field_of(word, "vmul.opcode").low, 64u);
  EXPECT_EQ(field_of(word, "vmul.src2").meaning, "source 2 register, or bits 15-11 of the inline constant: TA0 (r28)");
  EXPECT_THAT(field_of(word, "vmul.src2.expand").meaning, HasSubstr("low half widened"));
  EXPECT_THAT(field_of(word, "smul.src2.constant_4_0").meaning, HasSubstr("0x3400 = 0.25"));
  EXPECT_THAT(field_of(word, "smul.outmod").meaning, HasSubstr("none"));
  EXPECT_EQ(field_of(word, "brx.lut").value, 0xAAAAu);
  EXPECT_TRUE(word.diagnostics.empty());
}

/// A bundle of one vadd instruction on r0.
Program vadd_program(std::uint64_t word) {
  return program_of({0x00200018, static_cast<std::uint32_t>(word << 16), static_cast<std::uint32_t>(word >> 16), 0});
}

TEST(Explain, MeaningFollowsTheOperation) {
  // vadd.FADD.f32 with both modifiers, vadd.ADD.i32 with the same bits, and with a widened source.
  const auto mod_of = [](std::uint64_t opcode, std::uint64_t expand) {
    std::uint64_t source = 0, word = 0xFFAE40000000 | 2 << 8 | opcode;
    set(source, vecsrc::mod, 3);
    set(source, vecsrc::expand, expand);
    set(source, vecsrc::swizzle, 0xE4);
    set(word, vec::src1, source);
    return field_of(machine().explain(vadd_program(word)).front(), "vadd.src1.mod").meaning;
  };
  EXPECT_EQ(mod_of(0x10, 0), "source modifier: minus the absolute value");
  EXPECT_EQ(mod_of(0x40, 0), "source modifier: no effect, nothing is widened");
  EXPECT_EQ(mod_of(0x40, 4), "source modifier: in the upper half");
}

TEST(Explain, DividesLoadsByTheirOperation) {
  const ExplainedWord word = machine().explain(program_of({0xC8E19815, 0x09403939, 0x1C9E2B00, 0x00200380})).front();
  EXPECT_EQ(field_of(word, "first.vary.perspective").meaning, "perspective correction: yes");
  EXPECT_EQ(field_of(word, "first.vary.flat").meaning, "flat shading: no");
  EXPECT_EQ(field_of(word, "second.ubo.offset").meaning, "byte displacement: 32");
  EXPECT_EQ(field_of(word, "second.ubo").format, "ldst.ubo");
}

TEST(Explain, TextureRegistersFollowTheProduct) {
  const std::initializer_list<std::uint32_t> words{0x210B1113, 0x00E43C60, 0, 0};
  EXPECT_THAT(field_of(machine().explain(program_of(words)).front(), "out.select").meaning, HasSubstr("TA0 (r28)"));
  EXPECT_THAT(field_of(machine().explain(program_of(words, "t720")).front(), "out.select").meaning, HasSubstr(": r0"));
  EXPECT_THAT(field_of(machine().explain(program_of(words, "t720")).front(), "in.select").meaning,
              HasSubstr("AL0 (r26)"));
}

TEST(Explain, CallsOutWhatNobodyKnows) {
  const ExplainedWord bits =
      machine().explain(program_of({0x00600019, 0x0EF86041, 0x40720214, 0x0210FF2E, 0, 0, 0, 0})).front();
  ASSERT_FALSE(bits.diagnostics.empty());
  EXPECT_EQ(bits.diagnostics[0].code, "MD117");
  EXPECT_EQ(bits.diagnostics[0].where.bit_low, 22u);
  EXPECT_EQ(field_of(bits, "unknown_22").status, Status::unknown);

  const ExplainedWord raw = machine().explain(program_of({0x00000007, 1, 2, 3})).front();
  ASSERT_EQ(raw.diagnostics.size(), 1u);
  EXPECT_EQ(raw.diagnostics[0].code, "MD118");
  EXPECT_EQ(raw.diagnostics[0].severity, Severity::error);
  EXPECT_THAT(raw.diagnostics[0].message, HasSubstr("unk2"));

  const ExplainedWord unassigned = machine().explain(vadd_program(0xFFAE40000218)).front();
  EXPECT_EQ(field_of(unassigned, "vadd.opcode").status, Status::unknown);
  EXPECT_EQ(field_of(unassigned, "vadd.opcode").meaning, "operation: unknown");
}

TEST(Explain, TrailingBytesHaveNoFields) {
  Program program = program_of({0x00030B14, 0, 0, 0});
  program.code.push_back(7);
  const auto words = machine().explain(program);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[1].byte_length, 1u);
  EXPECT_EQ(words[1].text, ".byte 0x07\n");
  EXPECT_TRUE(words[1].fields.empty());
  ASSERT_EQ(words[1].diagnostics.size(), 1u);
  EXPECT_EQ(words[1].diagnostics[0].message, "the last 1 byte does not fill a quadword");
  EXPECT_EQ(words[1].diagnostics[0].where.byte_offset, 16u);
}

// ------------------------------------------------------------------------------------------------ manual

TEST(Manual, ListsEveryFormatAndOperation) {
  const Manual manual = midgard::manual();
  const auto others = std::ranges::count_if(manual.entries, [](const ManualEntry& entry) {
    return entry.title == "value of a field" || entry.title == "line of embedded constants";
  });
  EXPECT_EQ(manual.entries.size() - static_cast<std::size_t>(others),
            alu_ops.size() + ls_ops.size() + tex_ops.size() + std::size(value::branch_op) + register_roles.size() +
                units.size() + std::size(value::tag) + std::size(value::selector) + std::size(value::special) +
                std::size(value::attribute) + directives.size() + system_value_types.size());
  for (const Format* format : formats())
    EXPECT_TRUE(std::any_of(manual.formats.begin(), manual.formats.end(), [&](const ManualFormat& row) {
      return row.name == format->name;
    })) << format->name;
}

TEST(Manual, KnowsTheNamesOfValues) {
  const Manual manual = midgard::manual();
  const auto body = [&](std::string_view name) {
    const auto found = entries_named(manual, name);
    return found.empty() ? std::string() : found.front()->body;
  };
  EXPECT_THAT(body("keeplo"), HasSubstr(": 2, float: clamp to [-1, 1]; integer: keep the low half\n"));
  EXPECT_EQ(body("clamp_m1_1"), body("keeplo"));
  EXPECT_EQ(entries_named(manual, "saturate").size(), 3u);
  EXPECT_THAT(body("depth"), HasSubstr("field target: 31, the depth of the pixel, written rt[depth]\n"));
  EXPECT_THAT(body("fconst"), HasSubstr("Up to 4 numbers of 32 bits, floats"));
  EXPECT_THAT(body("hconst"), HasSubstr("Up to 8 numbers of 16 bits, floats"));
  for (const Format* format : formats())
    for (const Field* field : format->fields)
      for (const FieldValue& row : field->values) {
        const std::string_view second = row.name.substr(std::min(row.name.size(), row.name.find(" / ") + 3));
        EXPECT_TRUE(row.name.find(" / ") == row.name.npos || !body(second).empty()) << row.name;
      }
}

TEST(Manual, WhatItSaysIsWrittenAssembles) {
  for (const ManualEntry& entry : midgard::manual().entries) {
    EXPECT_EQ(entry.source.empty(), entry.title == "directive") << entry.mnemonic;
    std::size_t found = 0;
    for (std::size_t at = entry.body.find("Written "); at != std::string::npos;
         at = entry.body.find("Written ", at + 1)) {
      ++found;
      const std::size_t begin = at + 8, end = entry.body.find(".\n", begin);
      const std::string line = entry.body.substr(begin, end - begin);
      const auto program = find_machine("midgard")->assemble({"manual", line}, {});
      ASSERT_TRUE(program) << render(program.error());
      const std::string text = find_machine("midgard")->disassemble(*program, {}).value().text;
      EXPECT_EQ(text.find('!'), std::string::npos) << text;
      if (entry.title.starts_with("ALU")) {
        EXPECT_THAT(text, HasSubstr(line));
      }
    }
    const bool is_operation =
        !entry.names.empty() && (entry.title.starts_with("ALU") || entry.title.starts_with("load/store 0") ||
                                 entry.title.starts_with("texture") || entry.title.starts_with("branch"));
    EXPECT_EQ(found > 0, is_operation) << entry.mnemonic;
  }
}

}  // namespace
}  // namespace mobula::midgard
