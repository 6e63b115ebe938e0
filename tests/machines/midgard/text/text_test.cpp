#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "machines/midgard/words.h"
#include "mobula/isa/machine.h"
#include "paths.h"
#include "trials.h"

namespace mobula::midgard {
namespace {

using testing::HasSubstr;

const Machine& machine() { return *find_machine("midgard"); }

std::string text_of(const Program& program) { return machine().disassemble(program, {}).value().text; }

Result<Program> assembled(std::string_view text, std::string_view variant = {}) {
  return machine().assemble({"test.mdg", text}, {.variant = variant});
}

/// Words in memory order; empty and a failure of the test if the text does not assemble.
std::vector<std::uint32_t> words_of(std::string_view text, std::string_view variant = {}) {
  const auto program = assembled(text, variant);
  EXPECT_TRUE(program) << (program ? "" : render(program.error())) << text;
  if (!program) return {};
  std::vector<std::uint32_t> words(program->code.size() / 4);
  std::memcpy(words.data(), program->code.data(), words.size() * 4);
  return words;
}

void expect_round_trip(const Program& program, std::string_view what) {
  const std::string text = text_of(program);
  const auto back = assembled(text, program.variant);
  ASSERT_TRUE(back) << what << '\n' << render(back.error());
  ASSERT_EQ(back->code, program.code) << what << '\n' << text.substr(0, 4000);
}

std::string without_blanks(std::string_view text) {
  std::string kept;
  bool blank = false;
  for (const char letter : text) {
    const bool space = letter == ' ' || letter == '\n';
    if (!space && blank && !kept.empty()) kept += ' ';
    blank = space;
    if (!space) kept += letter;
  }
  return kept;
}

// ------------------------------------------------------------------------------------------------ what is printed

struct Example {
  const char* name;
  Program program;
  const char* text;  // blanks aside
};

std::vector<Example> reference_examples() {
  return {
      {"8.1",
       program_of({0x00000385, 0x00000000, 0xC0860990, 0x001403D3, 0x04020018, 0x02300018, 0xFF2E4800, 0x0000C047,
                   0x04020018, 0x02300018, 0xFF2E4000, 0x0000FFC7},
                  "t760"),
       ".gpu t760 { NOP LD_VARY.f16 R0.xy~~, 0.z, 0.z !swizzle=4 } { vmul"},
      {"C1", program_of({0x00220019, 0x0EF86041, 0x40720214, 0x0210FF2E, 0xFF2E4072, 0, 0, 0}),
       "{ vmul.FMUL.f32 TMP0, R1, R2 vadd.FADD.f32 R3, TMP0, U0 }"},
      {"C2",
       program_of({0x0022001A, 0x07586340, 0x40720214, 0x0210FF29, 0xFF27E072, 0, 0, 0, 0x3FC00000, 0x3F000000,
                   0x3F800000, 0x40133333}),
       "{ vmul.FMUL.f32 TMP0, R0, K.xyyz vadd.FADD.f32 R1, TMP0, K.zwwy fconst 1.5, 0.5, 1, 2.3 }"},
      {"C3", program_of({0x00020018, 0x021480E0, 0xFF200072, 0x00000000}), "{ vmul.FMUL.f32 R0, R0, #0.5 }"},
      {"C4", program_of({0x00080018, 0xD462E7E0, 0x00005809, 0x00000000}), "{ sadd.MAX.s32 TMP1.y, R0.y, #-128 }"},
      {"C5", program_of({0x02000018, 0x86F00700, 0x0320007F, 0x00000000}), "{ lut.FRCP.f32 R1.x, R0.w.abs, TMP0.x }"},
      {"C6", program_of({0x02000018, 0xC2F20700, 0x0C10007F, 0x00000000}),
       "{ lut.FRSQRT.f32 R1.f.shrink, R0.w.widen, TMP0.x }"},
      {"C7", program_of({0x00280019, 0x10627C20, 0xD8058482, 0x407202C5, 0x0000FF2E, 0, 0, 0}),
       "{ sadd.FCMP.lt.i32 COND.w, R0.x, R1.y.neg vadd.FCSEL.scalar.f32 R4, R2, R3 }"},
      {"C8", program_of({0x00200018, 0xA1100820, 0x5A20070D, 0x00000000}),
       "{ vadd.FADD.f16 R2.yweg, R0.gehf, R1.eexx.neg }"},
      {"C9", program_of({0x00200018, 0x80400820, 0x0FAE4058, 0x00000000}),
       "{ vadd.ADD.i8 R2.xyzwefgh, R0.zwxyghef, R1 }"},
      {"C10", program_of({0x00020018, 0x47580820, 0xFFCE48F2, 0x00000000}),
       "{ vmul.MUL.i64 R2.xy.keephi, R0.xy.zext, R1.xy.zext }"},
      {"C11", program_of({0x04800088, 0x04A4FC00, 0x82C2D800, 0x00000000}),
       "{ !next=alu/4 smul.CMP.lt.s32 COND.w, R0.x, #0 br.cond.true +5 -> alu/4 }"},
      {"C12", program_of({0x08000088, 0x00000EAA, 0x00008888, 0x00000000}),
       "{ !next=alu/4 brx.cond.lut8888 +7 -> ldst !call_mode=1 }"},
      {"C13", program_of({0xC8E19815, 0x09403939, 0x1C9E2B00, 0x00200380}),
       "{ LD_VARY.f32 R1.xyz~, 0.x + 0x1, 0.x LD_UBO.128 R2.xyzw, ubo[0], 0.x + 0x20 }"},
      {"C14", program_of({0xC8208815, 0xFFF08941, 0x0000003F, 0x00000000}),
       "{ LD.32 R0.x~~~, AL0.u64.x + AL1.u32.x << 2 - 0x4 !swizzle=0xE4 }"},
      {"C15", program_of({0x08204015, 0x000001DC, 0x00000030, 0x00000000}),
       "{ AADD.32 R0.x~~~, LOCAL_STORAGE_PTR.u64.z + AL0.s32.x, AL1.x }"},
      {"C16", program_of({0x210B1113, 0x00E43C60, 0, 0}), "{ TEX.2d TA0.f32, texture0, fsampler0, AT0.xyxx.32 }"},
      {"C16 where registers alias", program_of({0x210B1113, 0x00E43C60, 0, 0}, "t720"),
       ".gpu t720 { TEX.2d R0.f32, texture0, fsampler0, AL0.xyxx.32 }"},
      {"C17", program_of({0x210B1412, 0x00E43C67, 0x00020F10, 0x00030001}),
       "{ TEX_FETCH.vtx.2d TA0.f32, texture3, fsampler1, AT0.32, offset <1, -1, 0>, lod = 2 }"},
      {"C18", program_of({0x00030B14, 0, 0, 0}), "{ BARRIER }"},
      {"C19", program_of({0x210A1D13, 0x00E40C67, 0, 0}),
       "{ DERIVATIVE.y.2d.kill TA0.xy.f32, texture0, fsampler0, AT0.32 }"},
  };
}

TEST(Text, PrintsTheReferenceExamples) {
  for (const Example& example : reference_examples()) {
    SCOPED_TRACE(example.name);
    const std::string text = without_blanks(text_of(example.program));
    const std::string expected = without_blanks(example.text);
    EXPECT_EQ(text.substr(0, expected.size()), expected);
    expect_round_trip(example.program, example.name);
  }
}

TEST(Text, TheTourReadsBackAsItIsWritten) {
  const std::string text = read_file(mobula::test::test_data("midgard/tour.asm"));
  const auto program = assembled(text);
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(text_of(*program), text.substr(text.find('\n') + 1));
  // No kind of operand, branch or modifier is missing.
  for (const char* word : {"ubo[AL0.x]", "sample[AL0.x]", "rt[depth]", ".vertex",     ".centroid", "CMPXCHG", "TRAP",
                           "NOP",        "offset <",      "lod + AT0", "texture[AT0", ".cube",     "K.eexx",  ".[xz]",
                           "op_18",      "dconst",        "lut8888",   "brx.call",    "!padding",  ".quad",   ".byte"})
    EXPECT_THAT(text, HasSubstr(word));
}

TEST(Text, PrintsABlobShaderWithItsEpilogue) {
  const std::string text = without_blanks(text_of(reference_examples().front().program));
  EXPECT_THAT(text, HasSubstr("{ vmul.FMOV.f32 R0, _, R0.xyzw.widen br.write.always L2 break } "
                              "L2: { vmul.FMOV.f32 R0, _, R0 br.write.always L2 }"));
}

TEST(Text, UniformNamesFollowTheirCount) {
  // vadd.FADD.f32 R1, r15, r16
  Program program = program_of({0x00200018, 0x0210060F, 0xFF2E4072, 0});
  program.code[4] = 0x0F;
  program.code[5] = 0x06;
  EXPECT_THAT(text_of(program), HasSubstr("FADD.f32 R1, U8, U7"));
  program.interface.uniform_registers = 8;
  EXPECT_THAT(text_of(program), HasSubstr("FADD.f32 R1, R15, U7"));
  program.interface.uniform_registers = 9;
  EXPECT_THAT(text_of(program), HasSubstr("FADD.f32 R1, U8, U7"));
}

TEST(Text, WordsAndBytesPointIntoTheText) {
  const Program program = reference_examples()[1].program;
  const Listing listing = machine().disassemble(program, {.bytes = true, .words = true}).value();
  ASSERT_EQ(listing.words.size(), 1u);
  EXPECT_EQ(listing.words[0].byte_length, 32u);
  const std::string text = listing.text.substr(listing.words[0].text_begin, listing.words[0].text_end);
  EXPECT_THAT(text, testing::StartsWith("; 0x0000: 00220019 0EF86041"));
  EXPECT_THAT(text, testing::EndsWith("}\n"));
  EXPECT_EQ(assembled(listing.text)->code, program.code);
}

// ------------------------------------------------------------------------------------------------ round trips

TEST(Text, EveryBitOfEveryExampleSurvives) {
  for (const Example& example : reference_examples())
    for (std::size_t bit = 0; bit < example.program.code.size() * 8; ++bit) {
      Program flipped = example.program;
      flipped.code[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
      expect_round_trip(flipped, std::string(example.name) + " with bit " + std::to_string(bit) + " flipped");
      if (HasFatalFailure()) return;
    }
}

TEST(Text, EveryOperationSurvives) {
  std::mt19937_64 random(7);
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    Program program;
    for (const UnitInfo& unit : units) {
      for (unsigned mode = 0; mode < (unit.vector ? 4 : 1); ++mode) {
        Bundle bundle;
        bundle.form = Bundle::Form::alu;
        bundle.control = 1u << unit.control_bit;
        bundle.alu_count = 1;
        AluInstruction& instruction = bundle.alu[0];
        instruction.unit = static_cast<Unit>(&unit - units.data());
        instruction.registers = static_cast<std::uint16_t>(random());
        instruction.word = random() & (unit.vector ? 0xFFFFFFFFFFFF : 0xFFFFFFFF);
        set(instruction.word, vec::opcode, opcode);
        if (unit.vector) set(instruction.word, vec::mode, mode);
        bundle.has_constants = true;
        for (std::uint32_t& constant : bundle.constants) constant = static_cast<std::uint32_t>(random());
        bundle.tag = 9;
        encode_bundle(bundle, program.code);
      }
    }
    Word128 word{random(), random()};
    set(word, ldst::tag, 5);
    std::uint64_t first = get(word, ldst::first), second = get(word, ldst::second);
    set(first, ls::op, opcode);
    set(second, ls::op, opcode);
    set(word, ldst::first, first);
    set(word, ldst::second, second);
    Bundle bundle;
    bundle.word = word;
    encode_bundle(bundle, program.code);
    for (unsigned tag = 2; tag < 5; ++tag) {
      bundle.word = {random(), random()};
      set(bundle.word, tex::tag, tag);
      set(bundle.word, tex::op, opcode);
      encode_bundle(bundle, program.code);
    }
    expect_round_trip(program, "opcode " + std::to_string(opcode));
    if (HasFatalFailure()) return;
  }
}

TEST(Text, EveryInlineConstantSurvives) {
  for (const unsigned opcode : {0x10u, 0x40u, 0x61u}) {
    for (unsigned mode = 0; mode < 4; ++mode) {
      Program program;
      for (unsigned constant = 0; constant < 0x10000; constant += test::sanitized ? 251 : mode == 2 ? 1 : 7) {
        Bundle bundle;
        bundle.form = Bundle::Form::alu;
        bundle.control = 1u << info(Unit::vadd).control_bit;
        bundle.alu_count = 1;
        bundle.alu[0].unit = Unit::vadd;
        bundle.alu[0].word = 0xFFAE40000000 | mode << 8 | opcode;
        set_inline_constant(bundle.alu[0], static_cast<std::uint16_t>(constant));
        bundle.tag = 8;
        encode_bundle(bundle, program.code);
      }
      expect_round_trip(program, "constants");
      if (HasFatalFailure()) return;
    }
  }
}

/// Random bytes, made to look like good bundles in part.
Program random_program(std::mt19937_64& random) {
  Program program;
  program.code.resize(1 + random() % 2000);
  for (std::uint8_t& byte : program.code) byte = static_cast<std::uint8_t>(random());
  constexpr std::array<const char*, 4> variants{"", "t720", "t830", "t604"};
  program.variant = variants[random() % variants.size()];
  const unsigned kind = random() % 4;
  for (std::size_t at = 0; kind != 0 && at + 16 <= program.code.size(); at += 16) {
    std::uint32_t word = 0;
    std::memcpy(&word, &program.code[at], 4);
    const std::uint32_t tag = kind == 1 ? 2 + random() % 4 : kind == 2 ? 8 + random() % 8 : 2 + random() % 14;
    word = (word & ~15u) | tag;
    if (tag >= 8) {
      if (random() % 2 == 0) word &= ~control::reserved_mask;
      unsigned bytes = 4 + (word >> 26 & 1) * 2 + (word >> 27 & 1) * 6;
      for (const UnitInfo& unit : units) bytes += (word >> unit.control_bit & 1) * (2u + unit.bytes);
      const unsigned length = std::min((bytes + 15) / 16 + (random() % 3 == 0 ? 1u : 0u), 4u);
      word = (word & ~3u) | (length - 1);
      if (random() % 2 == 0)
        for (std::size_t i = at + bytes; i < at + (bytes + 15) / 16 * 16 && i < program.code.size(); ++i)
          program.code[i] = 0;
      std::memcpy(&program.code[at], &word, 4);
      at += 16 * (length - 1);
    } else {
      std::memcpy(&program.code[at], &word, 4);
    }
  }
  return program;
}

TEST(Text, AnyBytesSurvive) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 600; ++i) {
    expect_round_trip(random_program(random), "random program " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
}

TEST(Text, CompilerOutputSurvivesWithHardlyANote) {
  const std::vector<Sample> all = samples();
  if (all.empty()) GTEST_SKIP() << "no samples";
  std::size_t bundles = 0, noted = 0;
  for (const Sample& sample : all) {
    expect_round_trip(sample.program, sample.path.string());
    if (HasFatalFailure()) return;
    const Listing listing = machine().disassemble(sample.program, {.words = true}).value();
    for (const Listing::Word& word : listing.words) {
      ++bundles;
      if (listing.text.substr(word.text_begin, word.text_end - word.text_begin).find('!') != std::string::npos) ++noted;
    }
  }
  EXPECT_GT(bundles, 3000u);
  // Only selectors of lanes nobody writes: 43 of 3203 when this was written.
  EXPECT_LT(noted * 50, bundles);
}

// ------------------------------------------------------------------------------------------------ what is read

TEST(Text, ReadsBundlesWithoutBraces) {
  EXPECT_EQ(words_of("vmul.FMUL.f32 TMP0, R1, R2\n; still the same bundle\nvadd.FADD.f32 R3, TMP0, U0\n\nBARRIER\n"),
            words_of("{ vmul.FMUL.f32 TMP0, R1, R2\nvadd.FADD.f32 R3, TMP0, U0 }\n{\n BARRIER }"));
}

TEST(Text, CaseOfNamesDoesNotMatter) {
  EXPECT_EQ(words_of("VMUL.fmul.F32 r0.xy, u1.xy, tmp0.xy.NEG"), words_of("vmul.FMUL.f32 R0.xy, U1.xy, TMP0.xy.neg"));
  EXPECT_EQ(words_of("ld_vary.F32.FLAT r0.xyzw, 0.x"), words_of("LD_VARY.f32.flat R0.xyzw, 0.x"));
}

TEST(Text, UnusedOperandsMayBeLeftOut) {
  EXPECT_EQ(words_of("lut.FRCP.f32 R0.x, R1.y"), words_of("lut.FRCP.f32 R0.x, R1.y, _"));
  EXPECT_EQ(words_of("smul.MOV.i32 R0.x, R1.y"), words_of("smul.MOV.i32 R0.x, _, R1.y"));
  EXPECT_EQ(words_of("LD_VARY.f32 R0.xy~~, 0.x + 1"), words_of("LD_VARY.f32 R0.xy~~, 0.x + 0x1, 0.x"));
}

TEST(Text, TagsFollowTheProduct) {
  const std::string text = "vmul.MOV.i32 R0, R0\nbr.write.always +0 -> alu/4";
  EXPECT_EQ(words_of(text, "t760")[0] & 15, 8u);
  EXPECT_EQ(words_of(text, "t860")[0] & 15, 12u);
  EXPECT_EQ(words_of(".gpu 0x750\n" + text)[0] & 15, 8u);
  EXPECT_EQ(words_of(".gpu t830\n" + text)[0] & 15, 12u);
}

TEST(Text, NextTagsAndTargetTagsComeFromTheProgram) {
  const auto words = words_of(
      "{ LD_ATTR.f32 R0.xyzw, 0.x }\n"
      "top:\n{ vadd.FADD.f32 R0, R0, R1\nbrx.cond.always end }\n"
      "{ vadd.FADD.f32 R0, R0, R1\nbreak }\n"
      "{ lut.FRCP.f32 R0.x, R0.x\nbr.cond.true top }\nend:");
  ASSERT_EQ(words.size(), 20u);
  EXPECT_EQ(words[0] >> 4 & 15, 9u);
  EXPECT_EQ(words[4] >> 4 & 15, 8u);
  EXPECT_EQ(words[12] >> 4 & 15, 1u);
  EXPECT_EQ(words[16] >> 4 & 15, 1u);
  // The extended branch leads to the end, the compact one to the second bundle.
  EXPECT_EQ(words[7] >> 3 & 15, 1u);
}

TEST(Text, RaisesAndLowersLiterals) {
  const auto fits = [](std::string_view text) { return without_blanks(text_of(assembled(text).value())); };
  EXPECT_THAT(fits("vmul.FMUL.f32 R0, R1, #0.5"), HasSubstr("R1, #0.5 }"));
  EXPECT_THAT(fits("vmul.FMUL.f32 R0, R1, #0.1"), HasSubstr("R1, K.xxxx fconst 0.1, 0, 0, 0 }"));
  EXPECT_THAT(fits("vmul.FMUL.f32 R0, #0.5, R1"), HasSubstr("K.xxxx, R1 fconst 0.5, 0, 0, 0 }"));
  EXPECT_THAT(fits("vmul.ADD.i32 R0, R1, #0xFFFFFFFF"), HasSubstr("R1, #-1 }"));
  EXPECT_THAT(fits("vmul.ADD.i32 R0, R1, #0xFFFF"), HasSubstr("R1, K.xxxx uconst 0xFFFF, 0, 0, 0 }"));
  EXPECT_THAT(fits("vmul.FADD.f16 R0.xyzw, R1.xyzw, <0.1, 0.2, 0.1, 1>"),
              HasSubstr("K.xyxz hconst 0.099975586, 0.19995117, 1, 0, 0, 0, 0, 0 }"));
  EXPECT_THAT(fits("vmul.MUL.i64 R0, R1, <0x123456789, 5>"), HasSubstr("K uconst 0x23456789, 1, 5, 0 }"));
  EXPECT_THAT(fits("smul.FMUL.f32 R0.x, R1.x, #0.3\nvmul.FMUL.f32 R2.xyz, R1.xyz, <0.3, 0.7, 0.3>"),
              HasSubstr("K.xyx smul.FMUL.f32 R0.x, R1.x, K.x fconst 0.3, 0.7, 0, 0 }"));
  // A line of constants is taken as it is and searched.
  EXPECT_THAT(fits("vmul.FMUL.f32 R0, R1, #0.3\nfconst 0.1, 0.2, 0.3, 0.4"),
              HasSubstr("K.zzzz fconst 0.1, 0.2, 0.3, 0.4 }"));
}

TEST(Text, ConstantsKeepTheirBits) {
  const auto words = words_of("vmul.FMUL.f32 R0, R1, K\nfconst 0x7FC00001, -0, nan, -inf");
  EXPECT_THAT(std::vector<std::uint32_t>(words.end() - 4, words.end()),
              testing::ElementsAre(0x7FC00001, 0x80000000, 0x7FC00000, 0xFF800000));
  const auto halves = words_of("vmul.FMUL.f32 R0, R1, K\nhconst 0x7E01, -0, 65504, 6e-8");
  EXPECT_THAT(std::vector<std::uint32_t>(halves.end() - 4, halves.end()),
              testing::ElementsAre(0x80007E01, 0x00017BFF, 0, 0));
}

TEST(Text, ExpressionsAndNamedConstants) {
  const std::string head = ".equ SLOTS 4\n.equ BYTES, SLOTS * (1 << 4) - 1 | 0\n.equ SCALE 0.1\n";
  EXPECT_EQ(words_of(head + "LD.128 R0.xyzw, AL0.u64.x + BYTES + 1"), words_of("LD.128 R0.xyzw, AL0.u64.x + 0x40"));
  EXPECT_EQ(words_of(head + "vmul.FMUL.f32 R0, R1, #SCALE"), words_of("vmul.FMUL.f32 R0, R1, #0.1"));
  EXPECT_EQ(words_of(head + "vmul.FMUL.f32 R0, R1, #-SCALE * 10"), words_of("vmul.FMUL.f32 R0, R1, #-1"));
}

TEST(Text, DirectivesFillTheProgram) {
  const auto program = assembled(
      ".gpu t720\n.stage compute\n.work 4\n.uniforms 3\n.entry main\n"
      "{ BARRIER }\nmain:\n{ vadd.FADD.f32 R0, R1, R2 }\n.byte 1, 0x2, -1\n");
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(program->variant, "t720");
  EXPECT_EQ(program->interface.stage, Stage::compute);
  EXPECT_EQ(program->interface.work_registers, 4u);
  EXPECT_EQ(program->interface.uniform_registers, 3u);
  EXPECT_EQ(program->interface.first_tag, 8u);
  EXPECT_EQ(program->entry, 16u);
  ASSERT_EQ(program->labels.size(), 1u);
  EXPECT_EQ(program->labels[0].name, "main");
  EXPECT_EQ(program->labels[0].byte_offset, 16u);
  EXPECT_EQ(program->code.size(), 35u);
  EXPECT_EQ(program->code.back(), 0xFF);
  const std::string text = text_of(*program);
  const auto again = assembled(text);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(text_of(*again), text);
  EXPECT_EQ(again->entry, 16u);
  EXPECT_THAT(text, HasSubstr(".entry main\n"));
}

TEST(Text, NamesOfLabelsThatCannotStandAreReplaced) {
  Program program = program_of({0x00030B14, 0, 0, 0, 0x00030B14, 0, 0, 0, 0x00030B14, 0, 0, 0});
  program.labels = {{"good", 16}, {"good", 32}, {"other", 16}, {"no word", 32},
                    {"L7", 32},   {"L2", 32},   {"odd", 3},    {"far", 999}};
  const std::string text = text_of(program);
  EXPECT_THAT(text, HasSubstr("}\ngood:\n{"));
  EXPECT_THAT(text, HasSubstr("}\nL2:\n{"));
  for (const char* name : {"other", "no word", "L7", "odd", "far"}) EXPECT_THAT(text, testing::Not(HasSubstr(name)));
  EXPECT_EQ(assembled(text)->code, program.code);
}

TEST(Text, RawQuadwordsInBothSpellings) {
  const std::vector<std::uint32_t> expected{0x00000385, 0, 0xC0860990, 0x12E45678};
  EXPECT_EQ(words_of(".quad 00000385 00000000 C0860990 12E45678"), expected);
  EXPECT_EQ(words_of("{\n.quad 0x385, 0, 0xC086098F + 1, 0x12E45678\n}"), expected);
}

// ------------------------------------------------------------------------------------------------ errors

struct Wrong {
  const char* text;
  const char* code;
  std::uint32_t line, column;
  const char* hint;  // part of it
};

TEST(Text, ErrorsNameThePlaceAndTheWayOut) {
  const std::vector<Wrong> all{
      {"vadd.FADDD.f32 R0, R1, R2", "MD102", 1, 6, "did you mean FADD?"},
      {"\n\nFADD.f32 R0, R1, R2", "MD102", 3, 1, "sadd or vadd before .FADD"},
      {"vadd.MIN.i32 R0, R1, R2", "MD105", 1, 6, "MIN.s32 or MIN.u32"},
      {"vadd.FADD R0, R1, R2", "MD105", 1, 6, "FADD.f32"},
      {"sadd.FADD.f16 R0.x, R1.x, R2.x", "MD105", 1, 6, "vmul, vadd or lut"},
      {"vadd.FADD.f32 R24x, R1, R2", "MD103", 1, 15, "COND"},
      {"vadd.FADD.f32 R0.xyx, R1, R2", "MD104", 1, 18, ""},
      {"vadd.FADD.f32 R0.xye, R1, R2", "MD104", 1, 18, ""},
      {"vadd.FADD.f32 R0.keeplo, R1, R2", "MD105", 1, 18, ""},
      {"vadd.ADD.i32 R0.clamp_0_1, R1, R2", "MD105", 1, 17, ""},
      {"vmul.FMUL.f32 R0.xy, R1.xyz, R2", "MD104", 1, 25, "one lane for each lane"},
      {"vmul.FMUL.f32 R0, Q1, R2", "MD103", 1, 19, "U0 to U15"},
      {"vmul.FMUL.f32 R0, R1.sext, R2", "MD105", 1, 22, ""},
      {"vmul.FMUL.f32 R0, R1.xyef, R2", "MD104", 1, 22, ".widen"},
      {"vmul.FMUL.f16 R0, R1.xyzwfegh, R2", "MD104", 1, 22, "half"},
      {"vmul.MUL.i32 R0, R1.x2, R2", "MD105", 1, 21, ""},
      {"vmul.MUL.i64 R0, R1.xy, R2", "MD104", 1, 21, "X or Y"},
      {"vmul.MUL.i32 R0, R1, #4294967296", "MD107", 1, 23, ""},
      {"vmul.MUL.i32 R0, R1, #1.5", "MD107", 1, 23, ""},
      {"vadd.FADD.f32 R0, R1, #1e39", "MD107", 1, 24,
       "the largest 32-bit float is 3.4028235e+38; infinity is written inf"},
      {"vadd.FADD.f32 R0, R1, #1e20*1e20", "MD107", 1, 24,
       "the largest 32-bit float is 3.4028235e+38; infinity is written inf"},
      {"vadd.FADD.f32 R0, R1, 2.5", "MD103", 1, 23, "constants begin with #: write #2.5"},
      {"vadd.FADD.f32 R0, -2.5, R1", "MD103", 1, 19, "constants begin with #, which goes before the -"},
      {"vmul.FMUL.f32 R0, R1, <1, 2>", "MD104", 1, 24, "one value for each lane"},
      {"vmul.FMUL.f32 R0, <1,2,3,4>, <5,6,7,8>", "MD111", 1, 31, "earlier bundle"},
      {"vmul.FMUL.f32 R0, R1, K", "MD111", 1, 1, "fconst"},
      {"vmul.FMUL.f32 R0, R1, R2\nfconst 1, 2, 3, 4, 5", "MD111", 2, 20, ""},
      {"vmul.FMUL.f32 R0, R1, R2\nhconst 1, 65536", "MD107", 2, 11, "the largest 16-bit float is 65504"},
      {"vmul.FMUL.f32 R0, R1, R2\ndconst 1e309", "MD107", 2, 8, "the largest 64-bit float"},
      {"vmul.FMUL.f32 R0, R1, R2\nuconst -9223372036854777856", "MD107", 2, 8, ""},
      {"vmul.FMUL.f32 R0, R1, R2 !src3.mod=1", "MD113", 1, 27, "src1.mod"},
      {"vmul.FMUL.f32 R0, R1, R2 !src1.mod=4", "MD107", 1, 36, ""},
      {"vmul.FMUL.f32 R0, R1", "MD101", 1, 21, ""},
      {"vmul.FMUL.f32 R0, R1, R2, R3", "MD101", 1, 25, ""},
      {"{ vmul.FMUL.f32 R0, R1, R2\nvmul.FMUL.f32 R0, R1, R2 }", "MD110", 2, 1, ""},
      {"vmul.FMUL.f32 R0, R1, R2\nLD.32 R0.x~~~, AL0.u64.x", "MD110", 2, 1, "blank line"},
      {"{", "MD110", 1, 1, ""},
      {"{ }", "MD110", 1, 1, "!tag=alu/4"},
      {"}", "MD110", 1, 1, ""},
      {"{\n.gpu t860\n}", "MD110", 2, 1, "close the bundle"},
      {"{ !tag=alu/8\nvmul.FMUL.f32 R0, R1, R2 }", "MD114", 1, 1, ""},
      {"{ !tag=ldst\nvmul.FMUL.f32 R0, R1, R2 }", "MD114", 1, 1, ""},
      {"{ !padding_high=0x100000000\nvmul.FMUL.f32 R0, R1, R2 }", "MD113", 1, 4, ""},
      {"{ !what=1\nvmul.FMUL.f32 R0, R1, R2 }", "MD113", 1, 4, "unknown_8"},
      {".byte 1\nBARRIER", "MD114", 2, 1, ".byte"},
      {"LD_ATR.f32 R0.xyzw, 0.x", "MD102", 1, 1, "LD_ATTR"},
      {"LD_VARY.f32.flatt R0.xyzw, 0.x", "MD105", 1, 13, ".flat"},
      {"LD_VARY.f32.div_y.div_z R0.xyzw, 0.x", "MD105", 1, 19, ""},
      {"CUBEMAP AT0.xy~~, AL0", "MD105", 1, 1, ""},
      {"LD.32 R0.xy, AL0.u64.x", "MD104", 1, 10, ""},
      {"LD.32 R0.x~~~, R1.u64.x", "MD103", 1, 16, "LOCAL_STORAGE_PTR"},
      {"LD.32 R0.x~~~, AL0.u64.x + 0x20000", "MD107", 1, 26, ""},
      {"LD.32 R0.x~~~, AL0.u64.x + AL1.u32.x << 16", "MD107", 1, 41, ""},
      {"LD_UBO.32 R0.x~~~, ubo[256], 0.x", "MD107", 1, 24, ""},
      {"LD_ATTR.f32 R0.xyzw, 0.x, AL0.x + 1", "MD105", 1, 33, ""},
      {"TEX TA0.f32, texture0, fsampler0, AT0.32", "MD105", 1, 1, ".2d"},
      {"TEX.2d R0.f32, texture0, fsampler0, AT0.32", "MD103", 1, 8, "TA0 or TA1"},
      {"TEX.2d TA0.i32, texture0, fsampler0, AT0.32", "MD105", 1, 12, "isampler"},
      {"TEX.2d TA0.f32, texture0, fsampler0, AT0.32, lod = 2", "MD105", 1, 50, "TEX_GRAD"},
      {"TEX.2d TA0.f32, texture0, fsampler0, AT0.32, offset <8, 0, 0>", "MD107", 1, 54, ""},
      {"MOV.i32 R0, R1", "MD105", 1, 5, "vmul"},
      {"br.cond.true nowhere", "MD108", 1, 14, ""},
      {"here:\n{ br.cond.true hear }", "MD108", 2, 16, "here"},
      {"br.cond.sometimes +1 -> alu/4", "MD101", 1, 9, "lut"},
      {"br.cond.lut8888 +1 -> alu/4", "MD112", 1, 9, "brx"},
      {"br.cond.true +64 -> alu/4", "MD107", 1, 14, ""},
      {"br.cond.true +1 -> alu/5", "MD101", 1, 20, "alu/4"},
      {"br.jump L1", "MD102", 1, 4, "uncond"},
      {"a:\nbr.cond.true a\n\na:", "MD109", 4, 1, ""},
      {".equ A 1\n.equ A 2", "MD109", 2, 6, ""},
      {".equ A B", "MD108", 1, 8, ".equ"},
      {".equ A 1/0", "MD106", 1, 9, ""},
      {".equ A 1.5 | 1", "MD106", 1, 12, ""},
      {".equ A 0xFFFFFFFFFFFFFFFF + 1", "MD107", 1, 27, ""},
      {".equ A 12AB", "MD106", 1, 8, ""},
      {".gpuu t860", "MD102", 1, 2, ".gpu?"},
      {".gpu t999", "MD115", 1, 6, "t860"},
      {"BARRIER\n.gpu t860", "MD115", 2, 6, ""},
      {".quad 1 2 3", "MD101", 1, 12, ""},
      {".entry nowhere", "MD108", 1, 8, ""},
      {"\x01", "MD101", 1, 1, ""},
  };
  for (const Wrong& wrong : all) {
    const auto program = assembled(wrong.text);
    ASSERT_FALSE(program) << wrong.text;
    const Diagnostic& first = program.error().front();
    EXPECT_EQ(first.code, wrong.code) << wrong.text << '\n' << render(first);
    EXPECT_EQ(first.where.line, wrong.line) << render(first);
    EXPECT_EQ(first.where.column, wrong.column) << render(first);
    EXPECT_THAT(first.hint, HasSubstr(wrong.hint)) << render(first);
    EXPECT_EQ(first.where.file, "test.mdg");
    EXPECT_EQ(program.error().size(), 1u) << render(program.error());
  }
}

TEST(Text, FloatsBeyondTheIntegersComeBack) {
  for (const std::string constants : {"dconst -9223372036854777856, -18446744073709549568",
                                      "dconst 18446744073709551616, -1.2e19", "dconst 1.7976931348623157e308, -inf",
                                      "hconst 65504, 65519, -inf", "fconst 3.4028235e38, -3.4028235e+38, inf, nan"}) {
    const auto program = assembled("vmul.FMUL.f32 R0, R1, K\n" + constants, "t860");
    ASSERT_TRUE(program) << constants << '\n' << render(program.error());
    const auto listing = find_machine("midgard")->disassemble(*program, {});
    const auto again = assembled(listing->text, "t860");
    ASSERT_TRUE(again) << listing->text << render(again.error());
    EXPECT_EQ(again->code, program->code) << listing->text;
  }
}

TEST(Text, AskingForAnotherProductThanTheTextIsAnError) {
  EXPECT_EQ(assembled(".gpu t720\nBARRIER", "t860").error().front().code, "MD115");
  EXPECT_TRUE(assembled(".gpu t620\nBARRIER", "t628"));
}

TEST(Text, AllErrorsAreReportedInTheOrderOfTheText) {
  const auto program = assembled("{ br.cond.true nowhere }\n{ foo }\n{ vadd.FADDD.f32 R0, R1, R2 }\n");
  ASSERT_FALSE(program);
  ASSERT_EQ(program.error().size(), 3u) << render(program.error());
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(program.error()[i].where.line, i + 1);
}

TEST(Text, HostileTextsEndSoon) {
  std::string errors, nested = "vmul.ADD.i32 R0, R1, #", labels, unknown;
  for (int i = 0; i < 100000; ++i) errors += "foo\n\n";
  EXPECT_LE(assembled(errors).error().size(), 101u);
  EXPECT_FALSE(assembled(nested + std::string(100000, '(')));
  EXPECT_FALSE(assembled(nested + std::string(60000, '(')));
  EXPECT_FALSE(assembled(nested + std::string(60000, '-') + "1"));
  for (int i = 0; i < 20000; ++i)
    labels += "label" + std::to_string(i) + ":\n{ br.uncond lebel" + std::to_string(i) + " }\n";
  EXPECT_LE(assembled(labels).error().size(), 101u);
  EXPECT_FALSE(assembled(std::string(1 << 20, 'x')));
  EXPECT_FALSE(assembled("vmul.FMUL.f32 R0" + std::string(60000, '.')));
  EXPECT_FALSE(assembled("vmul.FMUL.f32 R0, R1, <" + std::string(60000, '<')));
}

TEST(Text, FarBranches) {
  std::string text = "{ br.uncond end }\n";
  for (int i = 0; i < 64; ++i) text += "{ BARRIER }\n";
  EXPECT_EQ(assembled(text + "end:\n{ BARRIER }").error().front().code, "MD112");
  text.replace(text.find("br.uncond"), 9, "brx.uncond.always");
  EXPECT_TRUE(assembled(text + "end:\n{ BARRIER }"));
}

TEST(Text, UnknownFormsAreErrors) {
  EXPECT_EQ(machine().disassemble({}, {.syntax = "intel"}).error().front().code, "MD100");
  EXPECT_EQ(machine().assemble({"t", ""}, {.syntax = "intel"}).error().front().code, "MD100");
}

}  // namespace
}  // namespace mobula::midgard
