#include "mobula/isa/diagnostic.h"

#include <gtest/gtest.h>

#include "mobula/isa/machine.h"

namespace mobula {
namespace {

TEST(Diagnostic, TextLocationHasCaretUnderTheColumn) {
  Diagnostic entry{Severity::error,
                   "MD001",
                   {.file = "a.mdg", .line = 3, .column = 5, .length = 2, .source_line = "\tabc de"},
                   "unknown opcode",
                   "did you mean abd?"};
  EXPECT_EQ(render(entry),
            "a.mdg:3:5: error: unknown opcode [MD001]\n  \tabc de\n  \t   ^~\n  hint: did you mean abd?\n");
}

TEST(Diagnostic, CaretsAndColumnsCountCharacters) {
  const Diagnostic entry{
      Severity::error,
      "",
      {.file = "a", .line = 1, .column = 5, .length = 6, .source_line = "\xc3\xa9\xc3\xa9\xe2\x82\xac-\xc3\xa9 b"},
      "m",
      ""};
  EXPECT_EQ(render(entry), "a:1:3: error: m\n  \xc3\xa9\xc3\xa9\xe2\x82\xac-\xc3\xa9 b\n    ^~~\n");
}

TEST(Diagnostic, BinaryLocationNamesBits) {
  Diagnostic entry{Severity::warning,
                   "MD002",
                   {.file = "a.bin", .byte_offset = 0x40, .bit_low = 17, .bit_width = 4},
                   "reserved",
                   ""};
  EXPECT_EQ(render(entry), "a.bin:0x40 bits 17-20: warning: reserved [MD002]\n");
}

TEST(Diagnostic, CaretNeverRunsPastTheLine) {
  Diagnostic entry{
      Severity::note, "", {.file = "a", .line = 1, .column = 99, .length = 50, .source_line = "ab"}, "m", ""};
  EXPECT_EQ(render(entry), "a:1:99: note: m\n  ab\n    ^\n");
}

TEST(Diagnostic, SourceLinesDoNotSteerTheTerminal) {
  Diagnostic entry{
      Severity::note, "", {.file = "a", .line = 1, .column = 1, .source_line = "\x1b[31m\x07\x7f\t\xc3\xa9"}, "m", ""};
  EXPECT_EQ(render(entry), "a:1:1: note: m\n  ?[31m??\t\xc3\xa9\n  ^\n");
}

TEST(Diagnostic, BytesThatAreNoTextTakeAColumnEach) {
  const Diagnostic entry{Severity::error,
                         "",
                         {.file = "a", .line = 1, .column = 5, .length = 2, .source_line = "\xff\x80\xc2\x9b\xe9z\xc3"},
                         "m",
                         ""};
  EXPECT_EQ(render(entry), "a:1:4: error: m\n  ????z?\n     ^~\n");
}

TEST(Diagnostic, LongLinesAreCutAroundTheCaret) {
  const auto lines_of = [](std::uint32_t column, std::uint32_t length) {
    std::string line;
    while (line.size() < 400) line += "\xc3\xa9";
    line[2 * 150] = 'a', line[2 * 150 + 1] = 'b';
    Diagnostic entry{Severity::error, "", {.file = "a", .line = 1}, "m", ""};
    entry.where.column = column, entry.where.length = length, entry.where.source_line = line;
    return render(entry);
  };
  const std::string middle = lines_of(301, 2);
  EXPECT_EQ(middle.find("\n  ..."), 17u) << middle;
  EXPECT_EQ(middle.find("^~\n") - middle.rfind("\n  "), 3u + 3 + 69) << "as far from the beginning as a and b";
  EXPECT_EQ(lines_of(399, 1).rfind("...\n"), std::string::npos) << "nothing is cut at the end";
  const std::string beginning = lines_of(1, 900);
  EXPECT_EQ(beginning.find("\n  \xc3\xa9"), 15u);
  EXPECT_NE(beginning.find("...\n  ^" + std::string(119, '~') + "\n"), std::string::npos) << beginning;
}

TEST(Diagnostic, NamesAndMessagesDoNotSteerTheTerminal) {
  const Diagnostic entry{Severity::error, "", {.file = "a\x1b[31m\n"}, "found \x07", "\x9b is no character"};
  EXPECT_EQ(render(entry), "a\\x1b[31m\\x0a: error: found \\x07\n  hint: \\x9b is no character\n");
  EXPECT_LT(render({Severity::error, "", {.file = std::string(100'000, 'a')}, std::string(100'000, 'b'), ""}).size(),
            10'000u);
}

TEST(Diagnostic, WarningsAreNotErrors) {
  EXPECT_FALSE(has_errors({{Severity::warning, "", {}, "", ""}}));
  EXPECT_TRUE(has_errors({{Severity::warning, "", {}, "", ""}, {Severity::error, "", {}, "", ""}}));
}

TEST(Status, Names) { EXPECT_EQ(name(Status::unknown), "unknown"); }

}  // namespace
}  // namespace mobula
