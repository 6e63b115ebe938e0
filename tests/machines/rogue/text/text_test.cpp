#include "machines/rogue/text/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "machines/rogue/programs.h"
#include "machines/rogue/random_group.h"
#include "machines/rogue/spec/codec.h"
#include "paths.h"

namespace mobula::rogue {
namespace {

TEST(Text, WorkedExamplesAssembleToTheirBytes) {
  for (const Example& each : examples) EXPECT_EQ(assemble(each.text), bytes_of(each.bytes)) << each.text;
}

TEST(Text, WorkedExamplesRoundTrip) {
  for (const Example& each : examples) expect_round_trip(bytes_of(each.bytes));
}

TEST(Text, MinimalFormsNeedNoMarkers) {
  EXPECT_EQ(print_code(bytes_of("25 02 c0 c1 62 00 43 00 00 40")),
            "main { s0 = r1; s1 = r2; s2 = r3; is4 = ft0; p0: fmad ft0, s0, s1, s2; w0 = r0 }\n");
  EXPECT_EQ(print_code(bytes_of("04 80 ee 00 f2 ff ff ff")), "ctrl { nop.end }\n");
  EXPECT_EQ(print_code(bytes_of("54 a0 06 08 00 40 00 30")),
            "main rpt=4 { s0 = r0; is0 = s0; is4 = fte; be: uvsw.write w0, 0 }\n");
}

TEST(Text, MarkersSayWhatIsNotMinimal) {
  // A long header, a map with a mux nobody needs, an extended form, a group without the end's alignment.
  EXPECT_EQ(print_code(bytes_of("35 82 00 87 81 04 00 00 00 40")),
            "main hdr=3 { s0 = vi1; is4 = ft0; p0: mbyp ft0, s0; w0 = r0 }\n");
  EXPECT_THAT(print_code(bytes_of("25 02 87 c0 00 00 00 00 40 ff")), testing::HasSubstr("; map lo=1lo_3b11i_2m }"));
  EXPECT_THAT(print_code(bytes_of("25 02 97 00 40 00 00 40")), testing::HasSubstr(".byte"));
  EXPECT_EQ(print_code(bytes_of("02 80 ee 00")), "ctrl len=2 { nop.end }\n");
  EXPECT_EQ(print_code(bytes_of("03 80 6a ff ff ff")), "ctrl { wdf drc0; pad=FFFFFF }\n");
}

TEST(Text, AnyBytesRoundTrip) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 3000; ++round) {
    Bytes code(random() % 90);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    expect_round_trip(code);
  }
}

TEST(Text, RandomGroupsRoundTrip) {
  std::mt19937_64 random(6);
  unsigned groups = 0;
  for (int round = 0; round < 4000; ++round) {
    const Bytes code = random_group(random);
    groups += decode_group(code, 0).raw() ? 0 : 1;
    expect_round_trip(code);
  }
  EXPECT_GT(groups, 3500u);
}

TEST(Text, EverySampleRoundTrips) {
  const std::filesystem::path folder = mobula::test::sample("rogue");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    expect_round_trip({std::istreambuf_iterator<char>(stream), {}});
  }
}

TEST(Text, BranchesHaveLabels) {
  const Bytes code =
      assemble("again: wdf drc0\nif(p0) ctrl { br again }\nctrl { ba again }\nctrl { br done }\ndone: nop.end");
  const std::string text = print_code(code);
  EXPECT_THAT(
      text, testing::HasSubstr("L0:\nctrl { wdf drc0 }\nif(p0) ctrl { br L0 }\nctrl { ba L0 }\nctrl { br L4 }\nL4:\n"));
  expect_round_trip(code);
}

TEST(Text, TheLastGroupIsAlignedByTheOneBefore) {
  const Bytes code = assemble("wdf drc0\nnop.end");
  EXPECT_EQ(code, bytes_of("04 80 6a ff f2 ff ff ff 04 80 ee 00 f2 ff ff ff"));
}

TEST(Text, NamesOfBankZeroAreAllAccepted) {
  const Bytes code = assemble("main { mbyp ft0, s0; s0 = i1; w0 = r0 }");
  for (const char* name : {"sc37", "sr37", "sl6", "SC37", "c37"})
    EXPECT_EQ(assemble("main { mbyp ft0, s0; s0 = " + std::string(name) + "; w0 = r0 }"), code) << name;
}

TEST(Text, TheSeedsGroupSaysWhatItLacks) {
  const auto program =
      parse({"seed",
             "0 : if (p0)\n mul ft0, s0, s1 # phase 0 instruction \n mad ft1, s3, s4, s5 # ft1 drives w1\n"
             " mul ft2, is0, ft0 # ft2 drives w0\n tstz.f32 ftt, p0, is1 # test\n # p0 write optional\n"
             " movc w0,w1, ftt, ft0, ft1 # ft1 or ft0\n uvsw w0 # backend instruction\n"},
            "");
  ASSERT_FALSE(program);
  ASSERT_EQ(codes_of(program.error()), "RG116 RG116 RG116 ");
  EXPECT_THAT(program.error()[0].message, testing::HasSubstr("which registers s0, s1, s3, s4, s5 are"));
  EXPECT_THAT(program.error()[1].hint, testing::HasSubstr("uvsw.write w0, 0"));
  EXPECT_EQ(program.error()[1].where.line, 8u);
  EXPECT_EQ(program.error()[2].severity, Severity::note);
}

TEST(Text, WhatHasNoEncodingSaysSo) {
  for (const char* name : {"fsqrt", "f16sop", "gta", "tstmin", "ftb_msb", "bpret", "st.texelmode", "fetch"}) {
    const auto program = parse({"t", "0: " + std::string(name) + " w0, r1\n"}, "");
    ASSERT_FALSE(program) << name;
    if (std::string_view(name) == "st.texelmode") continue;  // an st with a modifier it does not have
    EXPECT_EQ(program.error()[0].code, "RG115") << name;
  }
}

TEST(Text, EveryErrorIsReported) {
  EXPECT_EQ(errors_of("main { fmull r0, r1, r2 }\nctrl { wdf drc0, drc1 }"), "RG105 RG106 ");
  EXPECT_EQ(errors_of("main { s0 = q7 }"), "RG111 RG002 ");
  EXPECT_EQ(errors_of("ctrl { br nowhere }"), "RG112 ");
  EXPECT_EQ(errors_of("a:\na:\nnop"), "RG107 ");
  EXPECT_EQ(errors_of("main { mbyp ft0, r0"), "RG101 ");
  EXPECT_EQ(errors_of("hello"), "RG109 ");
  EXPECT_EQ(errors_of(".frob 1"), "RG108 ");
  EXPECT_EQ(errors_of("main rpt=5 { mbyp ft0, r0 }"), "RG104 ");
  EXPECT_EQ(errors_of("main len=1 { mbyp ft0, r0 }"), "RG117 ");
  EXPECT_EQ(errors_of("main { mbyp ft0, r0; map lo=nomap }"), "RG114 ");
  EXPECT_EQ(errors_of("main { mbyp ft0, r99; map lo=1lo_1b6i }"), "RG114 ");
  EXPECT_EQ(errors_of("mov r0, r1[idx0, 4]"), "RG115 RG002 ");
}

TEST(Text, TheAssemblerSwapsOperandsToReachASlot) {
  EXPECT_EQ(assemble("fadd r0, r1, sh0"), assemble("fadd r0, sh0, r1"));
  EXPECT_EQ(assemble("fmul r0, -r1.abs, sh0"),
            assemble("main { p0: fmul ft0, s0.neg, s1.abs; s0 = sh0; s1 = r1; w0 = r0 }"));
  EXPECT_EQ(errors_of("fadd r0, r1.flr, sh0"), "RG024 ");
  EXPECT_EQ(errors_of("fadd r0, sh1, sh0"), "RG024 ");
}

TEST(Text, HostileTextEndsInErrors) {
  for (const char* text : {"main {",
                           "main { map",
                           "0:",
                           "0: {",
                           "main { s0 = }",
                           "main { = }",
                           "if(",
                           "(",
                           "main { p0: }",
                           "main { pad= }",
                           "main { pad=0 }",
                           ".byte",
                           ".byte 300",
                           "main { mov w0, ft9 }",
                           "main { fadd ft0, , }",
                           "ctrl { br - }",
                           "main { fadd ft0, s0.neg.neg.neg, s1.flr }",
                           ";;",
                           "#",
                           "}",
                           "main } {",
                           "ctrl { wdf }",
                           "main { x:=1 }"}) {
    const auto program = parse({"t", text}, "");
    EXPECT_TRUE(program || has_errors(program.error())) << text;
  }
}

TEST(Text, SaysHowAnInstructionIsWritten) {
  const auto first_error = [](std::string_view text) {
    const auto program = parse({"t", text}, "");
    return program ? std::string() : program.error().front().message + ": " + program.error().front().hint;
  };
  EXPECT_EQ(first_error("ctrl { wdf }"), "'wdf' wants 1 operand; 0 are there: write `wdf (drc0|drc1)`");
  EXPECT_EQ(first_error("main { p0: fmul ft0 }"),
            "'fmul' wants 3 operands; 1 is there: write `fmul{.sat}{.lp} ft0, s0{.flr}{.abs}{.neg}, s1{.abs}`");
}

/// 4.8: the layout of the byte is unknown, and it is kept as it is.
TEST(Text, TheSecondExtensionWithoutTheFirstIsAByte) {
  const Bytes code = assemble(
      "main { smp3d.extb.fcnorm.bias drc0, s0, s1, s2, _, s4, 4, 0x5A; s0 = sh4; s1 = r1; s2 = sh0; s4 = r0 }");
  const Group group = decode_group(code, 0);
  ASSERT_FALSE(group.raw());
  EXPECT_EQ(group.item(Word::backend).form, &forms::smp_extb);
  EXPECT_EQ(group.item(Word::backend).bits, 0x5AEDF4u);
  expect_round_trip(code);
  EXPECT_EQ(assemble("smp3d.extb drc0, sh4, r1, sh0, _, r0, 4, 0").size(), code.size()) << "never a shorter form";
}

TEST(Text, PositionsAreReached) {
  const auto program = parse({"t", "mov r0, r1\n.align 16\na: mov r0, r2\n.org 0x2c\nb: mov r0, r3\nnop.end"}, "");
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(program->labels.at(0).byte_offset, 16u);
  EXPECT_EQ(program->labels.at(1).byte_offset, 0x2Cu);
  const std::vector<Group> groups = decode(program->code);
  ASSERT_EQ(groups.size(), 4u) << "groups grow, none are added";
  EXPECT_EQ(groups.back().offset % granule_bytes, 0u);
  expect_round_trip(program->code);
  EXPECT_EQ(errors_of("mov r0, r1\n.org 2\nnop.end"), "RG120 ");
  EXPECT_EQ(errors_of("wop\n.org 100\nnop.end"), "RG120 ");
  EXPECT_EQ(errors_of(".align 3"), "RG104 ");
  EXPECT_EQ(errors_of(".org 7"), "RG104 ");
  EXPECT_EQ(errors_of(".align"), "RG103 ");
}

TEST(Text, AProfileIsTheVariant) {
  EXPECT_EQ(errors_of(".profile usc\nnop.end"), "");
  EXPECT_EQ(errors_of(".profile model\nnop.end"), "RG108 ");
  EXPECT_TRUE(parse({"t", ".profile model\nnop.end"}, "model"));
  EXPECT_EQ(errors_of(".profile complex-p1\nnop.end"), "RG108 ");
  EXPECT_TRUE(parse({"t", ".profile complex-p1\nnop.end"}, "complex-p1"));
}

/// The last phase present drives W0 and the one before it W1, whichever form a group is written in.
TEST(Text, PortsHaveTheSameDefaultsInBothForms) {
  const Bytes native = assemble(
      "main { s0 = r1; s1 = r2; s3 = r3; s4 = r4; s5 = r5; w0 = r6; w1 = r7; p0: fmul ft0, s0, s1; p1: fmad ft1, s3, "
      "s4, "
      "s5 }");
  EXPECT_EQ(native, assemble("0: fmul ft0, r1, r2\n fmad ft1, r3, r4, r5\n w0 = r6\n w1 = r7"));
  EXPECT_EQ(decode(native)[0].selectors[4], 1) << "FT1";
  EXPECT_EQ(decode(native)[0].selectors[5], 0) << "FT0";
  const Bytes three =
      assemble("main { s0 = r1; s3 = r2; w0 = r6; w1 = r7; p0: mbyp ft0, s0; p1: mbyp ft1, s3; pck.one ft2 }");
  EXPECT_EQ(decode(three)[0].selectors[4], 2);
  EXPECT_EQ(decode(three)[0].selectors[5], 1);
  const Bytes sent = assemble("main { s0 = r1; p0: mbyp ft0, s0; pck.one ft2; be: uvsw.write w0, 3 }");
  EXPECT_EQ(decode(sent)[0].selectors[4], 2) << "a port that the backend reads";
}

TEST(Text, OutputsGoToAPortThatNothingElseDrives) {
  const Group complex = decode(assemble("0: frcp w0, r1\n mov r2, fte\n is0 = s0"))[0];
  EXPECT_FALSE(complex.w0p) << "what frcp drives";
  EXPECT_TRUE(complex.w1p);
  const Group sent =
      decode(assemble("0: mov ft0, r1\n pck.zero ft2\n uvsw.write w0, 3\n mov w0, ft2\n mov r2, ft0"))[0];
  EXPECT_FALSE(sent.w0p);
  EXPECT_EQ(sent.selectors[5], 0);
}

/// What movc does not choose is what the port carries without it, as in vendor code (example 8).
TEST(Text, AMoveChoosesOverTheDefault) {
  const std::string_view group =
      "0: mul ft0, s0, s1\n mad ft1, s3, s4, s5\n mul ft2, is0, ft0\n tstz.f32 ftt, p0, is1\n"
      " movc w0, w1, ftt, ft0, ft1\n s0 = r0\n s1 = r1\n s3 = r3\n s4 = r4\n s5 = r5\n w0 = r6\n w1 = r7\n";
  const Group chosen = decode(assemble(group))[0];
  EXPECT_EQ(chosen.selectors[4], 2);
  EXPECT_EQ(chosen.selectors[5], 1);
  EXPECT_EQ(decode(assemble(std::string(group) + " is4 = ft1"))[0].selectors[4], 1);
}

/// The document's two external sources are one in the encoding.
TEST(Text, IS0AndIS1NameOneSlot) {
  const std::string group =
      "0: mul ft0, s0, s1\n mul ft2, is0, ft0\n tstz ftt, p0, is1\n s0 = r0\n s1 = r1\n w0 = r2\n";
  EXPECT_EQ(assemble(group + " is0 = s1\n is1 = s1"), assemble(group + " is0 = s1\n is1 = fte"));
  EXPECT_EQ(assemble(group + " is1 = s1"), assemble(group + " is0 = s1\n is1 = fte"));
  for (const std::string_view two : {" is0 = s0\n is1 = s1", " is1 = s1\n is0 = s0"}) {
    const auto program = parse({"t", group + std::string(two)}, "");
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error()[0].code, "RG031");
    EXPECT_THAT(program.error()[0].message, testing::HasSubstr("only one value beside ft0 and ft1"));
  }
}

TEST(Text, OtherNamesOfInstructionsNeedNoGroupNumber) {
  EXPECT_EQ(assemble("add r0, r1, r2"), assemble("fadd r0, r1, r2"));
  EXPECT_EQ(assemble("0: mul r0, r1, r2"), assemble("fmul r0, r1, r2"));
  EXPECT_EQ(assemble("1: mad.sat r0, r1, r2, r3"), assemble("fmad.sat r0, r1, r2, r3"));
  EXPECT_EQ(assemble("main { p0: add r0, r1, r2 }"), assemble("fadd r0, r1, r2"));
}

TEST(Text, FloatsThatConstantsHoldAreOperands) {
  EXPECT_EQ(assemble("fmul r0, r1, 0.5"), assemble("fmul r0, r1, sc75"));
  EXPECT_EQ(assemble("fmad r0, r1, -2.0, 1.0"), assemble("fmad r0, r1, sc65.neg, sc64"));
  EXPECT_EQ(assemble("fmad r0, r1, -inf, inf"), assemble("fmad r0, r1, sc142.neg, sc142"));
  EXPECT_EQ(assemble("mov r0, inf"), assemble("bit { s0 = sc0; s1 = sc142; p0: byp ft0, ft1, s0, s1; w0 = r0 }"));
  EXPECT_EQ(assemble("mov r0, -inf"), assemble("mov r0, 0xff800000"));
  EXPECT_EQ(assemble("mov r0, nan"), assemble("mov r0, 0x7fc00000"));
  EXPECT_EQ(assemble("main { mbyp ft0, r1; tstg ftt, p0, ft0, 3.1415927 }"),
            assemble("main { mbyp ft0, r1; tstg ftt, p0, ft0, sc95 }"));
  const auto hint_of = [](std::string_view text) {
    const auto program = parse({"t", text}, "");
    return program ? std::string() : program.error()[0].message + "; " + program.error()[0].hint;
  };
  EXPECT_THAT(hint_of("fmul r0, r1, 0.3"), testing::HasSubstr("no special constant holds 0.3; load it"));
  EXPECT_THAT(hint_of("fmul r0, r1, 3"), testing::HasSubstr("write 3.0 for the float, sc3 for the integer"));
  EXPECT_THAT(hint_of("fmul r0, r1, 40"), testing::HasSubstr("write 40.0 for the float"));
}

TEST(Text, AWrongNameHasANeighbour) {
  const auto hint_of = [](std::string_view text) {
    const auto program = parse({"t", text}, "");
    return program ? std::string() : program.error()[0].code + ' ' + program.error()[0].hint;
  };
  EXPECT_EQ(hint_of("fmull r0, r1, r2"), "RG105 did you mean fmul?");
  EXPECT_EQ(hint_of("0: fmull r0, r1, r2"), "RG105 did you mean fmul?");
  EXPECT_THAT(hint_of("0: qqqqqqqq { nop }"), testing::StartsWith("RG117 available: olchk"));
}

TEST(Text, MessagesSayWhatTheyWantInOneSentence) {
  const auto message_of = [](std::string_view text) {
    const auto program = parse({"t", text}, "");
    return program ? std::string() : program.error()[0].message;
  };
  EXPECT_EQ(message_of("wdf r0"), "expected drc0 or drc1, found 'r0'");
  EXPECT_EQ(message_of("fitr.pixel r0, drc0, cf0, 17"), "expected a number from 1 to 16, found '17'");
  EXPECT_EQ(message_of("mov r1, sh2048"), "sh2048 does not exist: the last one is sh2047");
  EXPECT_EQ(message_of("fadd r1, sh2048, r1"), "sh2048 does not exist: the last one is sh2047");
  EXPECT_EQ(message_of("fmul r1, r2, 1e400"), "1e400 is more than a float holds");
  EXPECT_EQ(message_of("fmul r1, r2, 1.5e1"), "no special constant holds 1.5e1");
  EXPECT_EQ(message_of("fmul r1, r2, 1e0"), "");
  EXPECT_EQ(message_of("fmul r1, r2, 0x1e"), "the number 0x1e may be an integer or a float");
}

TEST(Text, RegistersOfOperandsExist) {
  const auto program = parse({"t", "nop\nfmul r300, r1, r2"}, "");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error()[0].code, "RG210");
  EXPECT_EQ(program.error()[0].where.line, 2u);
  EXPECT_EQ(program.error()[0].where.column, 6u) << "the register, not the group";
}

}  // namespace
}  // namespace mobula::rogue
