#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/machine.h"

namespace mobula::midgard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Program> lima_assembled(std::string_view text) {
  return find_machine("midgard")->assemble({"test.lima", text}, {.syntax = "lima", .variant = "t760"});
}

std::vector<std::uint32_t> lima_words_of(std::string_view text) {
  const auto program = lima_assembled(text);
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  if (!program) return {};
  std::vector<std::uint32_t> words(program->code.size() / 4);
  std::memcpy(words.data(), program->code.data(), words.size() * 4);
  return words;
}

/// The same instructions in the machine's own form.
std::string own_form(std::string_view text) {
  const auto program = lima_assembled(text);
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  return program ? find_machine("midgard")->disassemble(*program, {}).value().text : "";
}

TEST(SyntaxLima, AssemblesThePublishedBlobShader) {
  // Reference 8.1.
  const auto expected = ElementsAre(0x00000385, 0x00000000, 0xC0860990, 0x001403D3, 0x04020018, 0x02300018, 0xFF2E4800,
                                    0x0000C047, 0x04020018, 0x02300018, 0xFF2E4000, 0x0000FFC7);
  EXPECT_THAT(lima_words_of("ld_vary_16 r0.xy, 0.xyxx, 0xA01E9E\n"
                            "vmul.fmov r0, r24.xxxx, hr0\n"
                            "fb.write 0x1808\n"
                            "vmul.fmov r0, r24.xxxx, r0\n"
                            "fb.write 0x1FF8\n"),
              expected);
  EXPECT_THAT(lima_words_of("; mediump colour\n"
                            "ld_vary_16 r0.xy, 0.xyxx, 0xA01E9E ; a varying\n"
                            "vmul.fmov r0, r24.xxxx, hr0 ; fb.write 0x1808 // once\n"
                            "vmul.fmov r0, r24.xxxx, r0 ; fb.write 0x1FF8"),
              expected);
}

/// The next tag of each word.
std::vector<unsigned> next_tags_of(std::string_view text) {
  std::vector<unsigned> tags;
  const std::vector<std::uint32_t> words = lima_words_of(text);
  for (std::size_t i = 0; i < words.size(); i += 4) tags.push_back(words[i] >> 4 & 15);
  return tags;
}

/// What is written runs: only a writeout ends the thread before the last word, which repeats it.
TEST(SyntaxLima, TheLastWordRuns) {
  EXPECT_THAT(next_tags_of("vmul.fmov r0, r24, r1\nvmul.fmov r2, r24, r0"), ElementsAre(8, 1));
  EXPECT_THAT(next_tags_of("ld_attr_32 r0, 0, 0\nvmul.fmov r2, r24, r0"), ElementsAre(8, 1));
  EXPECT_THAT(next_tags_of("fb.branch 0x1\n\nvmul.fmov r2, r24, r0"), ElementsAre(8, 1));
  EXPECT_THAT(next_tags_of("vmul.fmov r0, r24, r1\nfb.write 0x1808\nvmul.fmov r0, r24, r0\nfb.write 0x1FF8"),
              ElementsAre(1, 1));
  EXPECT_THAT(next_tags_of("vmul.fmov r0, r24, r1\nfb.write 0x1808\nld_attr_32 r0, 0, 0"), ElementsAre(5, 1));
}

/// all() and any() of booleans that are 0 or all ones.
TEST(SyntaxLima, BallAndBanyCompareWithZero) {
  EXPECT_THAT(own_form("vmul.ball r1.x, r2, #0"), HasSubstr("vmul.CMP.all.ne.i32 R1.x, R2, #0"));
  EXPECT_THAT(own_form("vmul.bany r1.x, r2, #0"), HasSubstr("vmul.CMP.any.ne.i32 R1.x, R2, #0"));
}

TEST(SyntaxLima, AnyProductGetsTheTagsOfTheTime) {
  const auto program = find_machine("midgard")->assemble({"t", "fb.write 0x1808"}, {.syntax = "lima"});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->code[0], 0x18);
}

TEST(SyntaxLima, VectorOperands) {
  EXPECT_THAT(own_form("vadd.fadd.sat r1.xz, -r2.yyyy, abs(r3.wzyx)"),
              HasSubstr("vadd.FADD.f32 R1.xz.clamp_0_1, R2.yy.neg, R3.wy.abs"));
  EXPECT_THAT(own_form("vadd.fmax.pos r1, -abs(hr5), #-0.5"),
              HasSubstr("vadd.FMAX.f32 R1.clamp_0_inf, R2.efgh.abs.neg.widen, #-0.5"));
  EXPECT_THAT(own_form("lut.frcp r1.x, r2.wwww, #0"), HasSubstr("lut.FRCP.f32 R1.x, R2.w, _"));
  EXPECT_THAT(own_form("vmul.csel r1, r2, r3"), HasSubstr("FCSEL.scalar.f32 R1, R2, R3"));
}

TEST(SyntaxLima, Halves) {
  EXPECT_THAT(own_form("vadd.fadd hr0, hr2, hr5"), HasSubstr("vadd.FADD.f16 R0.xyzw, R1, R2.efgh"));
  EXPECT_THAT(own_form("vadd.fadd hr1, hr2, hr5"), HasSubstr("vadd.FADD.f16 R0.efgh, R1.xyzw, R2.efgh"));
  EXPECT_THAT(own_form("vmul.fmov hr1, r24.xxxx, r3"), HasSubstr("vmul.FMOV.f32 R0.efgh.shrink, _, R3"));
  EXPECT_THAT(own_form("sadd.ilt r31.w, r0.x, hr3.y"), HasSubstr("sadd.CMP.lt.s32 COND.w, R0.x, R1.f.sext"));
  EXPECT_THAT(own_form("smul.fmul hr1.y, hr2.x, #0.1"),
              HasSubstr("smul.FMUL.f32 R0.f.shrink, R1.x.widen, #0.099975586"));
}

TEST(SyntaxLima, IntegerOutputModifiers) {
  EXPECT_EQ(lima_words_of("vadd.iadd r1, r2, r3"), lima_words_of("vadd.iadd.int r1, r2, r3"));
  EXPECT_THAT(own_form("vadd.iadd.isat hr1, r2, r3"), HasSubstr("R0.efgh.ssat"));
  EXPECT_THAT(own_form("vadd.iadd.usat hr1, r2, r3"), HasSubstr("R0.efgh.usat"));
  EXPECT_THAT(own_form("vadd.iadd.hi hr1, r2, r3"), HasSubstr("R0.efgh.keephi"));
  EXPECT_THAT(own_form("vadd.iadd r1, r2, #-3"), HasSubstr("R2, #-3"));
}

TEST(SyntaxLima, UnitsInOrderShareABundle) {
  const std::string text = own_form(
      "vmul.fmul r24, r1, r26.xxxx\nsmul.fmul r0.x, r1.x, r1.y\nbr.cond.true +1 -> alu/4\nfconstants 1.5, -2\n"
      "vmul.fmov r1, r24, r1\nvmul.fmov r2, r24, r1\n\nlut.fmov r3, r24, r1\n");
  EXPECT_THAT(text, HasSubstr("  br.cond.true"));
  EXPECT_THAT(text, HasSubstr("fconst 1.5, -2, 0, 0\n}\n{\n"));
  std::size_t bundles = 0;
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) ++bundles;
  EXPECT_EQ(bundles, 4u) << text;
}

TEST(SyntaxLima, ConstantsOfAllKinds) {
  EXPECT_THAT(lima_words_of("hconstants 1, 0.5, -2"), ElementsAre(0x00000019, 0, 0, 0, 0x38003C00, 0x0000C000, 0, 0));
}

TEST(SyntaxLima, LoadsAndStoresPairUp) {
  EXPECT_THAT(own_form("ld_attr_32 r0, 3.xyzw, 0x1C1C\nld_uniform_32 r1.xyz, 2.xyzw, 0x1C0000"),
              testing::AllOf(HasSubstr("LD_ATTR.f32 R0.xyzw"), HasSubstr("LD_UBO.128 R1.xyz~"),
                             testing::Not(HasSubstr("NOP"))));
  EXPECT_THAT(own_form("st_vary_32 r1, 0.xyzw, 0x1C1E9E"), HasSubstr("NOP\n  ST_VARY.f32"));
}

TEST(SyntaxLima, Textures) {
  const std::string text =
      own_form("texture.normal.2d.shadow.cont.last.bias r28.xyz, texture3, sampler1.xyzw, r29.xy, 1.5");
  EXPECT_THAT(text, HasSubstr("TEX.shadow.2d TA0.xyz.f32, texture3, fsampler1, AT1.xyxx.32, lod + 1.5"));
  EXPECT_THAT(own_form("texture.texelfetch.3d.last hr57, texture0, sampler0, hr58.xyz"),
              HasSubstr("TEX_FETCH.3d.kill TA0.efgh.f16, texture0, fsampler0, AT1.xyzx.16"));
}

TEST(SyntaxLima, Errors) {
  struct Wrong {
    const char *text, *code;
    std::uint32_t column;
  };
  constexpr Wrong all[] = {
      {"vmul.fmlu r0, r1, r2", "MD102", 6},
      {"vmul.fmul.big r0, r1, r2", "MD105", 11},
      {"vmul.fmul r0, r1", "MD101", 17},
      {"vmul.fmul r0, r1, q2", "MD103", 19},
      {"vmul.fmul r0, r1, r32", "MD103", 19},
      {"vmul.fmul r0, #1, r2", "MD103", 15},
      {"vmul.fmul r0.xe, r1, r2", "MD104", 14},
      {"smul.fmul r0, r1.x, r2.x", "MD104", 11},
      {"vmul.iadd r0, r1, #70000", "MD107", 19},
      {"vmul.fmul r0, abs(r1, r2", "MD101", 21},
      {"fb.write 0x2000", "MD107", 10},
      {"fb.read 1", "MD102", 4},
      {"br.cond.true somewhere", "MD101", 14},
      {"fconstants 1, 2, 3, 4, 5", "MD111", 24},
      {"ld_attr_32 r0, 512.xyzw, 0", "MD103", 16},
      {"ld_attr_32 r0, 0.xyzw, 0x4000000", "MD107", 24},
      {"ld_atr_32 r0, 0, 0", "MD102", 1},
      {"texture.normal r28, texture0, sampler0, r28.xy", "MD105", 9},
      {"texture.normal.2d r0, texture0, sampler0, r28.xy", "MD103", 19},
      {"texture.normal.2d r28, texture, sampler0, r28.xy", "MD101", 24},
  };
  for (const Wrong& wrong : all) {
    const auto program = lima_assembled(wrong.text);
    ASSERT_FALSE(program) << wrong.text;
    EXPECT_EQ(program.error().front().code, wrong.code) << render(program.error());
    EXPECT_EQ(program.error().front().where.column, wrong.column) << render(program.error());
  }
}

}  // namespace
}  // namespace mobula::midgard
