#include "core/lexer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace mobula {
namespace {

/// Tokens of the first line, a space between them, each number or odd byte marked by its kind.
std::string lexed(std::string_view line) {
  const Source source("t", line);
  std::vector<LineToken> tokens;
  lex_line(source, 0, tokens);
  std::string text;
  for (const LineToken& token : tokens) {
    if (token.kind == LineToken::Kind::end) break;
    if (!text.empty()) text += ' ';
    if (token.kind == LineToken::Kind::number) text += "n:";
    if (token.kind == LineToken::Kind::bad) text += "bad:";
    text += token.text;
  }
  return text;
}

TEST(Lexer, InstructionsAndComments) {
  EXPECT_EQ(lexed("  vmul.FMUL.f32 R0.xy, <1, -2> ; note"), "vmul . FMUL . f32 R0 . xy , < n:1 , - n:2 >");
  EXPECT_EQ(lexed("LD.32 R0.x~~~, 0.x << 2 // note"), "LD . n:32 R0 . x ~ ~ ~ , n:0 . x << n:2");
  EXPECT_EQ(lexed("+7 -> alu/4"), "+ n:7 -> alu / n:4");
  EXPECT_EQ(lexed("; only a comment"), "");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(lexed("1.5 1e-5 2.5E+3 0x1F 00C0A000 1.x 0.5.x"),
            "n:1.5 n:1e-5 n:2.5E+3 n:0x1F n:00C0A000 n:1 . x n:0.5 . x");
  // The sign ends hexadecimal numbers and words.
  EXPECT_EQ(lexed("0x1e-5 12E4567E-1"), "n:0x1e - n:5 n:12E4567E - n:1");
}

TEST(Lexer, OddBytes) { EXPECT_EQ(lexed("a \x01 b \xC3\xA9"), "a bad:\x01 b bad:\xC3 bad:\xA9"); }

TEST(Lexer, TokensKnowTheirPlace) {
  const Source source("file.s", "one\r\n\ttwo three\n");
  std::vector<LineToken> tokens;
  ASSERT_EQ(source.line_count(), 2u);
  lex_line(source, 1, tokens);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_FALSE(tokens[0].touches(tokens[1]));
  const Location where = source.locate(tokens[1].span());
  EXPECT_EQ(where.file, "file.s");
  EXPECT_EQ(where.line, 2u);
  EXPECT_EQ(where.column, 6u);
  EXPECT_EQ(where.length, 5u);
  EXPECT_EQ(where.source_line, "\ttwo three");
  EXPECT_EQ(source.line(0), "one");
}

TEST(Source, EmptyTextsAndTheEndHaveAPlace) {
  EXPECT_EQ(Source("f", "").line_count(), 0u);
  EXPECT_EQ(Source("f", "").locate({0, 0}).line, 1u);
  const Source source("f", "ab\n");
  EXPECT_EQ(source.locate({3, 0}).line, 1u);
  EXPECT_EQ(source.locate({3, 0}).column, 3u);
}

TEST(Source, LongLinesAreNotQuotedWhole) {
  const std::string line(100000, 'x');
  EXPECT_LT(Source("f", line).locate({5, 1}).source_line.size(), 1000u);
  EXPECT_EQ(Source("f", line).locate({90000, 1}).column, 90001u);
}

TEST(Lexer, ParsesIntegers) {
  std::uint64_t value = 0;
  EXPECT_TRUE(parse_integer("0xFFFF_FFFF_FFFF_FFFF", value));
  EXPECT_EQ(value, ~0ull);
  EXPECT_TRUE(parse_integer("0b101", value));
  EXPECT_EQ(value, 5u);
  EXPECT_TRUE(parse_integer("1_000", value));
  EXPECT_EQ(value, 1000u);
  for (const char* text : {"18446744073709551616", "0x", "12AB", "1.5", "08x", "0b2", "_1", "1_"})
    EXPECT_FALSE(parse_integer(text, value)) << text;
}

TEST(Lexer, ParsesReals) {
  float single = 0;
  double twice = 0;
  EXPECT_TRUE(parse_real("1.5", single));
  EXPECT_EQ(single, 1.5f);
  EXPECT_TRUE(parse_real("16777217", single));
  EXPECT_EQ(single, 16777216.0f);
  EXPECT_TRUE(parse_real("1e999", twice));
  EXPECT_EQ(twice, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(parse_real("1e-999", twice));
  EXPECT_EQ(twice, 0.0);
  for (const char* text : {"0x10", "1.5f", "e5", ""}) EXPECT_FALSE(parse_real(text, twice)) << text;
}

TEST(Nearest, OffersWhatIsNear) {
  const auto best = [](std::string_view word) {
    Nearest nearest(word);
    for (const char* candidate : {"FADD", "FMUL", "CLZ"}) nearest.offer(candidate);
    return std::string(nearest.best());
  };
  EXPECT_EQ(best("fmlu"), "FMUL");
  EXPECT_EQ(best("FADDD"), "FADD");
  EXPECT_EQ(best("CZL"), "CLZ");
  EXPECT_EQ(best("BARRIER"), "");
  EXPECT_EQ(best(std::string(5000, 'F')), "");
}

}  // namespace
}  // namespace mobula
