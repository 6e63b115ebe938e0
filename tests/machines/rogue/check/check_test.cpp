#include "machines/rogue/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "machines/rogue/check/rules.h"
#include "machines/rogue/programs.h"
#include "machines/rogue/spec/codec.h"
#include "paths.h"

namespace mobula::rogue {
namespace {

/// A program that breaks a rule and nothing else, and one that just keeps it. `nop.end` follows both, but for texts
/// that begin with '$'.
struct RulePair {
  std::string_view code, broken, kept;
};
// clang-format off
constexpr RulePair pairs[] = {
    {"RG001", "main { wop }", "wop"},
    {"RG002", "$0: p1: fadd ft1, vi0, vi1\n1: nop.end", "main { p0: mbyp ft0, vi0; p1: mbyp ft1, vi1; w0 = r0; w1 = r1; is5 = ft1 }"},
    {"RG003", "main { p0: mbyp ft0, vi0; p0: mbyp ft0, vi1 }", "main { p0: mbyp ft0, vi0; p1: mbyp ft1, vi1; w0 = r0 }"},
    {"RG004", "main { mbyp ft0, vi0; pck.zero ft2; pck.one ft2 }", "main { mbyp ft0, vi0; pck.zero ft2; is4 = ft2; w0 = r0 }"},
    {"RG005", "main { tstz ftt, p0, ft0; p0: mbyp ft0, vi0 }", "main { p0: mbyp ft0, vi0; tstz ftt, p0, ft0 }"},
    {"RG006", "main { fred.sin r0, r1, _, 0, vi0, _; pck.zero ft2 }", "main { fred.sin r0, r1, _, 0, vi0, _ }"},
    {"RG007", "main { frcp r0, vi0; tstz ftt, p0, fte }", "main { frcp r0, vi0; pck.zero ft2 }"},
    {"RG008", "main { p0: mbyp ft0, vi0; p1: umadd32 ft1, vi1, vi2, vi3; w0 = r0 }", "main { p0: mbyp ft0, vi0; p1: fmad ft1, vi1, vi2, vi3; w0 = r0 }"},
    {"RG009", "bit { byp ft0, ft1, sc0, 5; msk ft0, ft1, s0, s1 }", "bit { byp ft0, ft1, sc0, 5; w0 = r0 }"},
    {"RG010", "bit { and ft4, _, ft2, _, s3; s3 = vi0; w0 = r0 }", "bit { byp ft0, ft1, s0, s1; and ft4, _, ft2, _, s3; s3 = vi0; w0 = r0 }"},
    {"RG011", "ctrl { wop; nop }", "ctrl { wop }"},
    {"RG012", "main hdr=3 { p0: fmad.lp ft0, sh1000, vi200, sh1001; p1: fmad.lp ft1, sh1002, vi201, vi202; pck.zero ft2; tstz.u32 ftt, _, ft0; mov w0, ft0; be: ld.slc_write_back s3, drc0, 4, s3; w0 = sh1003; w1 = sh1004; is5 = ft1 }",
     "main { p0: fmad.lp ft0, sh1000, vi200, sh1001; p1: fmad.lp ft1, sh1002, vi201, vi202; pck.zero ft2; tstz.u32 ftt, _, ft0; mov w0, ft0; be: ld.slc_write_back s3, drc0, 4, s3; w0 = sh1003; w1 = sh1004; is5 = ft1 }"},
    {"RG013", "if(p1) main { mbyp ft0, vi0; w0 = r0 }", "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nif(!p0) main { mbyp ft0, vi0; w0 = r0 }"},
    {"RG014", "$main hdr=2 end { mbyp ft0, vi0; w0 = r0 }", "main hdr=2 { mbyp ft0, vi0; w0 = r0 }"},
    {"RG015", "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nif(p0) ctrl { wop }", "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nwop"},
    {"RG016", "ctrl { cndst always, i0, sc0, 1 }", "(ignorepe) ctrl { cndst always, i0, sc0, 1 }"},
    {"RG017", "main rpt=2 { fitr.pixel r0, drc0, cf0, 1 }\nwdf drc0", "main { fitr.pixel r0, drc0, cf0, 1 }\nwdf drc0"},
    {"RG018", "mov o0, vi0", "mov.olchk o0, vi0"},
    {"RG019", "fadd sh0, sh0, vi0", "fadd.atom sh0, sh0, vi0"},
    {"RG020", "$mov r0, vi0", "mov r0, vi0"},
    {"RG021", "main { fadd ft0, s3, s1; s3 = vi0; s1 = vi1; w0 = r0 }", "main { fadd ft0, s0, s1; s0 = vi0; s1 = vi1; w0 = r0 }"},
    {"RG022", "main { p2: mov w0, fte; s1 = vi2; is0 = s1; w0 = r0 }", "main { p2: mov w0, fte; s0 = vi2; is0 = s0; w0 = r0 }"},
    {"RG023", ".byte 0x25, 0x02, 0x87, 0x80, 0x00, 0x08, 0x00, 0x00, 0x40, 0xff\nwop", ".byte 0x25, 0x02, 0x87, 0x81, 0x04, 0x00, 0x00, 0x00, 0x40, 0xff\nwop"},
    {"RG024", "fadd r0, sh0, sh1", "fadd r0, sh0, vi1"},
    {"RG025", "main { fadd ft0, s0, s1; s0 = vi0; s1 = cf300; w0 = r0 }", "fadd r0, sh300, vi1"},
    {"RG026", "main { fadd ft0, s0, s1; s0 = vi0; s1 = cf3; w0 = r0 }", "main { fadd ft0, s0, s1; s0 = cf3; s1 = vi0; w0 = r0 }"},
    {"RG027", "main { mbyp ft0, s0; s0 = sr97; w0 = r0 }", "main { p2: mov w0, sr97; w0 = r0 }"},
    {"RG028", "main { p0: fmad ft0, vi0, vi1, vi2; p1: fmad ft1, vi3, vi4, vi5; tste ftt, p0, ft0, vi6 }", "main { p0: fmad ft0, vi0, vi1, vi2; p1: fmad ft1, vi3, vi4, vi5; tste ftt, p0, ft0, vi3 }"},
    {"RG029", "main { mbyp ft0, vi0; p1: mbyp ft1, vi1; tste ftt, p0, ft1, fte }", "main { mbyp ft0, vi0; p1: mbyp ft1, vi1; tste ftt, p0, ft0, ft1 }"},
    {"RG030", "main { mbyp ft0, vi0; is4 = ft1; w0 = r0 }", "main { mbyp ft0, vi0; is4 = ft0; w0 = r0 }"},
    {"RG031", "main { mbyp ft0, vi0; tste ftt, p0, vi1, vi2 }", "main { mbyp ft0, vi0; tste ftt, p0, ft0, vi2 }"},
    {"RG032", "fadd r0, vi0, vi1.neg", "fadd r0, vi0.neg, vi1"},
    {"RG033", "$0: mbyp ft0, vi0\n mbyp ft1, vi1\n mov r0, ft0\n mov r1, ft1\n mov r2, ft0\n1: nop.end", "$0: mbyp ft0, vi0\n mbyp ft1, vi1\n mov r0, ft0\n mov r1, ft1\n1: nop.end"},
    {"RG034", "mov sc3, vi0", "mov r3, vi0"},
    {"RG035", "main { p0: mbyp ft0, vi0; p1: mbyp ft1, vi1; is5 = ft1; w0 = r0; w1 = r0 }", "main { p0: mbyp ft0, vi0; p1: mbyp ft1, vi1; is5 = ft1; w0 = r0; w1 = r1 }"},
    {"RG036", "main { p0: mbyp ft0, vi1; p2: mov w0.e0, vi0; w0 = r0 }", "main { p0: mbyp ft0, vi1; p2: mov w0.e0, vi0; w0 = vi1 }"},
    {"RG037", "main { fitr.pixel s3, drc0, cf0, 1; s3 = i0 }\nwdf drc0", "main { fitr.pixel s3, drc0, cf0, 1; s3 = vi0 }\nwdf drc0"},
    {"RG038", "main { p0: mbyp ft0, vi0; tstz ftt, p0, ft0; atst p0, s0, s1, s2; s1 = vi1; s2 = vi2 }", "main { p0: mbyp ft0, vi0; tstz ftt, _, ft0; atst p0, s0, s1, s2; s1 = vi1; s2 = vi2 }"},
    {"RG039", "main { mbyp ft0, vi0; movc w0, w1, ftt, ft0, ft0; w0 = r0 }", "main { mbyp ft0, vi0; tstz ftt, _, ft0; movc w0, w1, ftt, ft0, ft0; w0 = r0 }"},
    {"RG040", "fadd r0, vi0, vi1, p0", "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\numadd32 r0, vi0, vi1, vi2, p0"},
    {"RG041", "fitr.pixel r0, drc0, cf0, 1\nmov r1, r0\nwdf drc0", "fitr.pixel r0, drc0, cf0, 1\nwdf drc0\nmov r1, r0"},
    {"RG042", "fitr.pixel r0, drc2, cf0, 1", "fitr.pixel r0, drc1, cf0, 1\nwdf drc1"},
    {"RG043", "emitpix sh0, sh1\nemitpix sh0, sh1", "emitpix sh0, sh1\nwop\nemitpix sh0, sh1"},
    {"RG044", "main { uvsw.write w0, 0; s0 = vi0; is4 = fte }", "$main { uvsw.write w0, 0; s0 = vi0; is4 = fte }\nuvsw.emit.endtask.end"},
    {"RG045", "ctrl { br +2 }", "ctrl { br +8 }"},
    {"RG046", "$ctrl len=2 { nop.end }", "$ctrl { nop.end }"},
    {"RG201", "$.byte 0xFF, 0xFF", "nop"},
    {"RG202", "mov r0, r1", "mov r1, vi0\nmov r0, r1"},
    {"RG203", "if(p0) main { mbyp ft0, vi0; w0 = r0 }", "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nif(p0) main { mbyp ft0, vi0; w0 = r0 }"},
    {"RG204", "(ignorepe) ctrl { cndst always, i0, sc0, 1 }\n(ignorepe) ctrl { cndst always, i0, i0, 1 }",
     "(ignorepe) ctrl { cndst always, i0, sc0, 1 }\n(ignorepe) ctrl { cndst always, i0, i0, 1 }\n(ignorepe) ctrl { cndend i0, i0, 1 }"},
    {"RG205", "wdf drc0", "fitr.pixel r0, drc0, cf0, 1\nwdf drc0"},
    {"RG206", "nop.end", "nop"},
    {"RG207", "main rpt=2 { mbyp ft0, sc3; w0 = r0 }", "main rpt=2 { mbyp ft0, vi3; w0 = r0 }"},
    {"RG210", "mov r248, vi0", "mov r247, vi0"},
    {"RG208", "main { mbyp ft0, vi0; pck.u8888 ft2, is3; is3 = s2; is4 = ft2; w0 = r0 }", "main { mbyp ft0, vi0; pck.u8888 ft2, is3; is3 = ft0; is4 = ft2; w0 = r0 }"},
};
// clang-format on

/// Codes of what the assembler or else the checker has to say.
std::set<std::string> found_in(std::string_view text) {
  std::string whole(text.starts_with('$') ? text.substr(1) : text);
  if (!text.starts_with('$')) whole += "\nnop.end\n";
  const auto program = parse({"t", whole}, "");
  std::set<std::string> codes;
  for (const Diagnostic& each : program ? check(*program) : program.error()) codes.insert(each.code);
  return codes;
}

std::string codes_of_text(std::string_view text) {
  const auto program = parse({"t", text}, "");
  return codes_of(program ? check_groups(*program) : program.error());
}

TEST(Check, EveryRuleIsBrokenByOneProgramAlone) {
  for (const RulePair& pair : pairs)
    EXPECT_THAT(found_in(pair.broken), testing::ElementsAre(std::string(pair.code))) << pair.broken;
}

TEST(Check, EveryRuleIsJustKeptByAnother) {
  for (const RulePair& pair : pairs)
    EXPECT_THAT(found_in(pair.kept), testing::IsEmpty()) << pair.code << ": " << pair.kept;
}

TEST(Check, EveryRuleHasItsPair) {
  std::set<std::string_view> tested{"RG209"};  // below
  for (const RulePair& pair : pairs) tested.insert(pair.code);
  for (const RogueRule& each : rules) EXPECT_TRUE(tested.contains(each.rule.code)) << each.rule.code;
  EXPECT_EQ(tested.size(), rules.size());
}

TEST(Check, RegistersExistInEveryTurnAndForEveryWord) {
  const auto found = [](std::string_view text) { return codes_of_text(text); };
  EXPECT_EQ(found("main rpt=4 { mbyp ft0, s0; s0 = vi0; w0 = r245 }"), "RG210 ");
  EXPECT_EQ(found("main rpt=4 { mbyp ft0, s0; s0 = vi244; w0 = r244 }"), "");
  EXPECT_EQ(found("fitr.pixel r246, drc0, cf0, 4"), "RG210 ");
  EXPECT_EQ(found("fitr.pixel r244, drc0, cf0, 4"), "");
  EXPECT_EQ(found("ditr.pixel r240, drc0, cf0, 9, 0, cf0"), "RG210 ");
  EXPECT_EQ(found("main rpt=4 { pck.u8888 ft2, is3; is3 = fte; s0 = vi0; w0 = r247 }"), "") << "a pack stays";
  EXPECT_EQ(found("main rpt=4 { unpck.u8888 ft0, s0; s0 = vi247; w0 = r0 }"), "") << "an unpack reads one register";
}

/// What the assembler refuses has bytes: they are checked, shown as such, and stop a program.
TEST(Check, WhatIsRefusedAsTextIsFoundInBytes) {
  Bytes code = assemble("main { mbyp ft0, s0; s0 = vi0; w0 = r247 }\nnop.end");
  Group group = decode(code)[0];
  group.written[0].index = 300;
  group.destination = shortest_destination(group);
  code.clear();
  encode_content(group, (content_bytes(group) + 1) / 2, code);
  append_padding(content_bytes(group), (content_bytes(group) + 1) / 2, code);
  const Diagnostics found = check_groups(program_of(code));
  ASSERT_EQ(codes_of(found), "RG210 ");
  EXPECT_THAT(found[0].message, testing::HasSubstr("r300 does not exist: the last one is r247"));
  EXPECT_THAT(print_code(code), testing::HasSubstr("// r300 does not exist: the last one is r247: main {"));
  expect_round_trip(code);
}

/// A range reduction and a complex operation beside what they may not have: text is refused, bytes are no text.
TEST(Check, ComplexOperationsBesideOthersAreRefused) {
  struct Row {
    const char *code, *text, *alone, *others;
    Word word;
  };
  for (const Row& row :
       {Row{"RG006 ", "main { fred.sin r0, r1, _, 0, vi0, _; pck.zero ft2 }", "main { fred.sin r0, r1, _, 0, vi0, _ }",
            "main { mbyp ft0, vi0; pck.zero ft2 }", Word::pack},
        Row{"RG007 ", "main { frcp r0, vi0; tstz ftt, p0, fte }", "main { frcp r0, vi0 }",
            "main { mbyp ft0, vi0; tstz ftt, p0, fte }", Word::test},
        Row{"RG007 ", "main { p0: frcp w0, vi0; p1: mbyp ft1, vi1; w0 = r0 }", "main { frcp r0, vi0 }",
            "main { p0: mbyp ft0, vi0; p1: mbyp ft1, vi1 }", Word::p1}}) {
    EXPECT_EQ(codes_of_text(row.text), row.code) << row.text;
    Group group = decode(assemble(row.alone))[0];
    group.item(row.word) = decode(assemble(row.others))[0].item(row.word);
    group.brief = false;
    Bytes code;
    const std::uint32_t words = (content_bytes(group) + 1) / 2;
    encode_content(group, words, code);
    append_padding(content_bytes(group), words, code);
    EXPECT_THAT(codes_of(check_groups(program_of(code))), testing::HasSubstr(row.code)) << row.text;
    EXPECT_THAT(print_code(code), testing::HasSubstr(".byte")) << row.text;
    expect_round_trip(code);
  }
}

/// movmsk and savmsk drive W0 themselves; nothing has to be selected for it.
TEST(Check, MasksNeedNoSelector) {
  for (const std::string_view mask : {"movmsk w0", "savmsk.vm w0, w1"})
    EXPECT_THAT(found_in("main olchk { be: " + std::string(mask) + "; w0 = r0 }"), testing::IsEmpty()) << mask;
  EXPECT_THAT(found_in("main { be: depthf w0 }"), testing::ElementsAre("RG030")) << "which reads it";
}

TEST(Check, ManyPathsAreNotFollowed) {
  std::string text;
  for (int i = 0; i < 20002; ++i) text += "ctrl { br.allinst +8 }\n";
  EXPECT_THAT(found_in(text), testing::ElementsAre("RG209"));
  std::string fewer;
  for (int i = 0; i < 19999; ++i) fewer += "ctrl { br.allinst +8 }\n";
  EXPECT_THAT(found_in(fewer), testing::IsEmpty()) << "20000 with the one after them";
}

TEST(Check, HazardsAreFoundOverAllPaths) {
  // The wait stands on one of two paths.
  EXPECT_THAT(
      found_in("main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nfitr.pixel r0, drc0, cf0, 1\nif(p0) ctrl { br over }\n"
               "wdf drc0\nover: mov r1, r0"),
      testing::ElementsAre("RG041"));
  // Around a loop: the second turn overwrites what is still on its way.
  EXPECT_THAT(found_in("main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nagain: fitr.pixel r0, drc0, cf0, 1\nif(p0) ctrl { "
                       "br again }\nwdf drc0"),
              testing::ElementsAre("RG041"));
  // A store's data is changed before it was read; words of a burst count.
  EXPECT_THAT(found_in("main { st s3, 2, drc0, 4, s4; s3 = vi2; s4 = vi0 }\nmov vi5, vi9\nwdf drc0"),
              testing::ElementsAre("RG041"));
  EXPECT_THAT(found_in("main { st s3, 2, drc0, 4, s4; s3 = vi2; s4 = vi0 }\nmov vi6, vi9\nwdf drc0"),
              testing::IsEmpty());
  // Each counter is waited for by itself.
  EXPECT_THAT(found_in("fitr.pixel r0, drc0, cf0, 1\nfitr.pixel r1, drc1, cf0, 1\nwdf drc1\nmov r2, r0\nwdf drc0"),
              testing::ElementsAre("RG041"));
}

TEST(Check, AProgramWithoutAWayOutIsFound) {
  EXPECT_THAT(found_in("mov r0, vi0\nagain: mov r1, vi1\nmov r2, vi2\nbr again"), testing::ElementsAre("RG020"));
  EXPECT_THAT(found_in("again: main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nif(!p0) ctrl { br again }"),
              testing::IsEmpty());
  EXPECT_THAT(
      found_in("main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nif(p0) ctrl { br over }\nagain: br again\nover: nop"),
      testing::ElementsAre("RG020"))
      << "on one of two paths";
}

/// 5.4: a loop around a conditional; `past` is where the loop is left if nobody runs at its head.
std::string masked_loop(std::string_view past) {
  return "(ignorepe) ctrl { cndst always, i0, sc0, 1 }\n(ignorepe) ctrl { cndst always, i0, i0, 2 }\n"
         "ctrl { br.allinst " +
         std::string(past) +
         " }\nbody: main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\n"
         "(ignorepe) ctrl { cndst !p0, i0, i0, 1 }\nctrl { br.allinst join }\nmov r0, vi0\n"
         "join: (ignorepe) ctrl { cndend i0, i0, 1 }\ntail: (ignorepe) ctrl { cndend i0, i0, 1 }\n"
         "(ignorepe) ctrl { cndst always, i0, i0, 1 }\n(ignorepe) ctrl { cndlt always, i0, p0, i0, 2 }\n"
         "if(p0) ctrl { br body }\nafter: nop";
}

TEST(Check, ALoopIsBalancedByItsTail) {
  EXPECT_THAT(found_in(masked_loop("tail")), testing::IsEmpty());
  EXPECT_THAT(found_in(masked_loop("after")), testing::ElementsAre("RG204")) << "what the head put on stays on";
}

/// docs/rogue-rules.md has one line for each rule, as made here.
TEST(Check, ThePageListsEveryRule) {
  std::ifstream stream(mobula::test::source_file("docs/rogue-rules.md"));
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  static constexpr std::string_view seen[] = {"asm", "check", "both"};
  for (const RogueRule& each : rules) {
    const Rule& rule = each.rule;
    std::string line = "| " + std::string(rule.code) + " | " + std::string(name(rule.severity)) + " | " +
                       std::string(rule.title) + " | " + std::string(rule.allowed) + " | " + std::string(rule.mend) +
                       " | " + std::string(seen[static_cast<std::size_t>(each.seen_by)]) + " | " +
                       std::string(name(rule.fact.status)) +
                       (rule.fact.source.empty() ? "" : ", " + std::string(rule.fact.source)) + " |\n";
    EXPECT_TRUE(page.find(line) != std::string::npos) << line;
  }
}

}  // namespace
}  // namespace mobula::rogue
