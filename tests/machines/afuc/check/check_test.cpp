#include "machines/afuc/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "machines/afuc/build.h"
#include "machines/afuc/check/rules.h"
#include "machines/afuc/spec/chips.h"
#include "paths.h"

namespace mobula::afuc {
namespace {

using Codes = std::set<std::string>;

Codes codes(const Program& program) {
  Codes all;
  for (const Diagnostic& entry : check(program)) all.insert(entry.code);
  return all;
}

/// Pieces of one program of an a630: what its start does, and what stands after its handlers.
struct Parts {
  std::string code, tail, chip, head;
};

std::string id_of(const std::string& chip) {
  if (chip == "a530") return "[005ff001]";
  if (chip == "a740") return "[01740001]";
  return "[016ee001]";
}

/// A program with all packets handled that does `code`, followed by `tail`.
std::string source_of(const Parts& parts) {
  std::string text = (parts.head.empty() ? id_of(parts.chip) + "\n[#jumptbl]\n" : parts.head) + parts.code +
                     "\nwaitin\nmov $01, $data\n";
  for (unsigned i = 0; i < packet_table_words; ++i) text += "UNKN" + std::to_string(i) + ":\n";
  return text + "jump #+0\nnop\n" + parts.tail + "\njumptbl:\n.jumptbl\n";
}

struct Case {
  std::string_view code;
  Parts breaks, keeps;
};

const std::vector<Case>& cases() {
  const auto nested = [](unsigned count) {
    std::string text;
    for (unsigned i = 1; i < count; ++i)
      text += "f" + std::to_string(i) + ": call #f" + std::to_string(i + 1) + "\nnop\nret\nnop\n";
    return text + "f" + std::to_string(count) + ": ret\nnop\n";
  };
  static const std::vector<Case> all{
      {"AF202", {"nop", "", "", ".gpu a650\n[01ddd001]\n[#jumptbl]\n"}, {"nop", "", "", "[016dd001]\n[#jumptbl]\n"}},
      {"AF204", {"nop", "", "", "[016ee001]\n[01000005]\n"}, {"nop", "", "", "[016ee001]\n[#jumptbl]\n"}},
      {"AF211",
       {"brne $02, 0x0, #past\nnop\n[fc000000]\npast: nop", "", ""},
       {"jump #past\nnop\n[fc000000]\npast: nop", "", ""}},
      {"AF212",
       {"brne $02, 0x0, #past\nnop\n[98642016]\npast: nop", "", ""},
       {"brne $02, 0x0, #past\nnop\n[98642016]\npast: nop", "", "a740"}},
      {"AF213", {"[98641021]", "", ""}, {"[98641001]", "", ""}},
      {"AF214", {"jump #past\nnop\nmov $02, $03\npast: nop", "", ""}, {"jump #past\nmov $02, $03\npast: nop", "", ""}},
      {"AF221", {"[c0417fff]\nnop"}, {"brne $02, 0x1, #+2\nnop"}},
      {"AF222", {"[c0400010]\nnop", "", ""}, {"brne $02, 0x0, #+2\nnop", "", ""}},
      {"AF223", {"brne $02, 0x0, #x\nnop", "x: nop"}, {"brne $02, 0x0, #x\nnop", "x: waitin\nmov $01, $data"}},
      {"AF224",
       {"brne $02, 0x1, #+1\ncall #f", "f: ret\nnop"},
       {"brne $02, 0x1, #+1\nnop\ncall #f\nnop", "f: ret\nnop"}},
      {"AF225",
       {"brne $02, b1, #a\nbrne $02, b1, #b\nnop\na: nop\nb: nop"},
       {"brne $02, b1, #a\nbrne $02, b2, #b\nnop\na: nop\nb: nop"}},
      {"AF226", {"breq $00, 0x0, #+2\nnop"}, {"breq $02, 0x0, #+2\nnop"}},
      {"AF227",
       {"brne $02, 0x0, #a\nnop\nwaitin\nnop\na: nop"},
       {"brne $02, 0x0, #a\nnop\nwaitin\nmov $00, $data\na: nop"}},
      {"AF228", {"call #f1\nnop", nested(9)}, {"call #f1\nnop", nested(8)}},
      {"AF229", {"call #f\nnop", "f: call #f\nnop\nret\nnop"}, {"call #f\nnop", "f: ret\nnop"}},
      {"AF230", {"jumpa #+3\nnop"}, {"jumpa #+3\nnop", "", "a530"}},
      {"AF241", {"cwrite $02, [$00 + @SECURE_MODE]"}, {"cread $02, [$00 + @SECURE_MODE]"}},
      {"AF242", {"mov $addr, 0xa201 << 16"}, {"mov $addr, 0xa204 << 16"}},
      {"AF243", {"or $00, $02, $03"}, {"or $00, $02, $data"}},
      {"AF244", {"(xmov1)add $02, $03, $04"}, {"(xmov1)add $02, $03, $data"}},
      {"AF245", {"(xmov2)mov $data, $data"}, {"(xmov3)mov $data, $data"}},
      {"AF246", {"(sds2)cwrite $data, [$00 + 0x1]"}, {"(sds2)cwrite $data, [$00 + @DRAW_STATE_SET_HDR]"}},
      {"AF247", {"(peek)mov $02, $03", "", "a740"}, {"(peek)mov $02, $data", "", "a740"}},
      {"AF248", {"shl $02, $03, 0x20"}, {"shl $02, $03, 0x1f"}},
      {"AF249", {"ubfx $02, $03, b4, b3", "", "a740"}, {"ubfx $02, $03, b4, b4", "", "a740"}},
      {"AF250", {"load $02, [$03 + 0x2]"}, {"load $02, [$03 + 0x2], 0x1"}},
      {"AF251", {"load $02, [$03 + 0x4], 0x8"}, {"load $02, [$03 + 0x4], 0x8", "", "a740"}},
  };
  return all;
}

Program assembled(const Parts& parts) {
  auto program = assemble_text(source_of(parts));
  EXPECT_TRUE(program) << source_of(parts) << render(program.error());
  return program ? *program : Program{};
}

TEST(Check, EachRuleIsBrokenAloneAndJustKept) {
  Codes seen{"AF201", "AF203", "AF205", "AF206"};  // below
  for (const Case& each : cases()) {
    const Program breaks = assembled(each.breaks), keeps = assembled(each.keeps);
    EXPECT_EQ(codes(breaks), Codes{std::string(each.code)}) << each.code << each.breaks.code << render(check(breaks));
    EXPECT_TRUE(check(keeps).empty()) << each.code << '\n' << each.keeps.code << render(check(keeps));
    seen.insert(std::string(each.code));
  }
  for (const Rule& row : rules) EXPECT_TRUE(seen.contains(std::string(row.code))) << row.code << " has no case";
}

/// Two branches in a row, or a jump and a branch, by what they test.
std::string pair_codes(const std::string& first, const std::string& second) {
  const Program program = assembled({first + ", #a\n" + second + ", #b\nnop\na: nop\nb: nop"});
  return codes(program).contains("AF225") ? "both" : "one";
}

TEST(Check, BranchesInARowThatCanBothBeTaken) {
  const std::pair<const char*, const char*> both[] = {
      {"brne $02, 0x0", "brne $02, 0x1"},   {"breq $02, 0x1", "brne $02, 0x2"},
      {"brne $02, 0x1", "breq $02, 0x2"},   {"breq $02, 0x3", "breq $02, b1"},
      {"brne $02, b1", "breq $02, 0x1"},    {"brne $02, 0x1", "breq $02, b3"},
      {"breq $02, b1", "breq $02, b1"},     {"breq $data, 0x1", "breq $data, 0x2"},
      {"breq $data, b0", "brne $data, b0"}, {"breq $memdata, 0x1", "brne $memdata, 0x1"},
  };
  for (const auto& [first, second] : both) EXPECT_EQ(pair_codes(first, second), "both") << first << " / " << second;
  const std::pair<const char*, const char*> one[] = {
      {"breq $02, 0x1", "breq $02, 0x2"},
      {"breq $02, 0x1", "brne $02, 0x1"},
      {"brne $02, 0x1", "breq $02, 0x1"},
      {"breq $02, 0x3", "brne $02, b1"},
      {"breq $02, 0x0", "breq $02, b12"},
      {"breq $02, b1", "brne $02, b1"},
      {"breq $rem, 0x0", "brne $rem, 0x0"},
      // What firmware puts there decides these; real firmware has such pairs.
      {"breq $02, b0", "breq $02, b2"},
      {"breq $02, 0x4", "brne $06, b1"},
      {"breq $02, 0x1", "breq $03, 0x1"},
  };
  for (const auto& [first, second] : one) EXPECT_EQ(pair_codes(first, second), "one") << first << " / " << second;
  EXPECT_TRUE(codes(assembled({"breq $02, 0x1, #a\njump #b\nnop\na: nop\nb: nop"})).contains("AF225"));
  EXPECT_TRUE(codes(assembled({"jump #a\nbreq $02, 0x1, #b\nnop\na: nop\nb: nop"})).contains("AF225"));
  EXPECT_FALSE(codes(assembled({"breq $02, 0x1, #a\njump #a\nnop\na: nop"})).contains("AF225"));
}

TEST(Check, RulesOfImagesAndTables) {
  Program program = assembled({"nop"});
  EXPECT_TRUE(check(program).empty());
  program.code.push_back(1);
  EXPECT_EQ(codes(program), Codes{"AF201"});
  program.code.pop_back();
  program.variant = "a740";
  EXPECT_TRUE(codes(program).contains("AF203"));
  program.variant = "a650";
  EXPECT_TRUE(check(program).empty()) << "the instructions are the same";
  program.variant = "auto";
  program.code[program.code.size() - 4] = 0x40;  // the last handler: in the table, not beyond the image
  EXPECT_TRUE(codes(program).contains("AF205"));
  for (unsigned i = 0; i < 4; ++i) program.code[program.code.size() - 4 + i] = 0;
  EXPECT_EQ(codes(program), Codes{"AF206"});
}

TEST(Check, FindingsSayWhatTheRuleSaysAndWhere) {
  for (const Case& each : cases())
    for (const Diagnostic& entry : check(assembled(each.breaks)))
      for (const Rule& row : rules) {
        if (row.code != entry.code) continue;
        EXPECT_EQ(entry.severity, row.severity) << entry.code;
        EXPECT_THAT(entry.message, testing::HasSubstr(std::string(row.allowed)));
        EXPECT_FALSE(entry.hint.empty()) << entry.code;
        EXPECT_EQ(entry.where.byte_offset.value_or(1) % 4, 0u);
      }
}

TEST(Check, RulesAreInOrderAndOnThePage) {
  const auto bytes = read_bytes(mobula::test::source_file("docs/afuc-rules.md"));
  const std::string page(bytes.begin(), bytes.end());
  std::string_view before;
  for (const Rule& row : rules) {
    EXPECT_LT(before, row.code);
    before = row.code;
    const std::string line = "| " + std::string(row.code) + " | " + std::string(name(row.severity)) + " | " +
                             std::string(row.title) + " | " + std::string(row.allowed) + " | " +
                             std::string(name(row.fact.status)) + ", " + std::string(row.fact.source) + " |\n";
    EXPECT_THAT(page, testing::HasSubstr(line));
  }
}

TEST(Check, TakesAnyBytesInTheOrderOfAddress) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 300; ++round) {
    std::vector<std::uint8_t> code(random() % 4096);
    for (auto& byte : code) byte = static_cast<std::uint8_t>(random());
    for (std::size_t i = 0; i + 4 <= code.size(); i += 4) {
      if (random() % 3 == 0) code[i + 3] = static_cast<std::uint8_t>(0xC0 + random() % 0x30), code[i + 1] = 0;
      if (random() % 5 == 0) code[i + 2] = 0, code[i + 1] = 0;
    }
    for (std::size_t i = 0; round % 2 == 0 && i < std::min<std::size_t>(4, code.size()); ++i) code[i] = 0;
    std::uint64_t at = 0;
    for (const Diagnostic& entry : check(program_of(code, variants()[random() % variants().size()].name))) {
      EXPECT_GE(*entry.where.byte_offset, at);
      EXPECT_LE(*entry.where.byte_offset, code.size());
      at = *entry.where.byte_offset;
    }
  }
}

TEST(Check, OwnProgramsAreClean) {
  for (const std::string name : {"small.asm", "several.asm"}) {
    const auto program = assemble_text(data_text(name));
    ASSERT_TRUE(program);
    EXPECT_FALSE(has_errors(check(*program))) << render(check(*program));
  }
}

/// What stands in real firmware breaks no rule that is an error.
TEST(Check, HeadersOfDrawStatesGoWhereImagesWriteThem) {
  for (const auto& [variant, number] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a630", "0x04a"}, {"a740", "0x04a"}, {"a750", "0x05a"}, {"gen80000", "0x05a"}}) {
    const std::string text = "waitin\nmov $01, $data\nCP_SET_DRAW_STATE:\n(rep)(sds2)cwrite $data, [$00 + " +
                             std::string(number) + "]\nwaitin\nmov $01, $data\n";
    const auto program = assemble_text(text, variant);
    ASSERT_TRUE(program) << render(program.error());
    for (const Diagnostic& each : find_machine("afuc")->check(*program)) EXPECT_NE(each.code, "AF246") << variant;
  }
}

TEST(Check, RealImagesHaveNoErrors) {
  const auto images = real_images();
  if (images.empty()) GTEST_SKIP() << "no firmware in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  for (const auto& file : images) {
    const Diagnostics all = check(program_of(read_bytes(file)));
    EXPECT_FALSE(has_errors(all)) << file << render(all);
  }
}

TEST(Check, FindingsNameCoreAndLabel) {
  const auto program = assemble_text(
      "[016ee001]\n[#jumptbl]\nwaitin\nmov $01, $data\nCP_NOP: nop\nfxn5: mov $00, $02\nret\nnop\n"
      "call #fxn5\nnop\njumptbl:\n.jumptbl\n");
  ASSERT_TRUE(program) << render(program.error());
  std::string all;
  for (const Diagnostic& each : check(*program)) all += each.message + '\n';
  EXPECT_THAT(all, ::testing::HasSubstr("'mov' writes $00, in SQE fxn5"));
  EXPECT_THAT(all, ::testing::HasSubstr("packets have no handler, in the packet table of SQE"));
}

}  // namespace
}  // namespace mobula::afuc
