#include <gtest/gtest.h>

#include "mobula/isa/formats.h"

namespace mobula {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(Hex, WordsAreLittleEndian) {
  EXPECT_EQ(read_hex("C8789015 00403939").value(), (Bytes{0x15, 0x90, 0x78, 0xC8, 0x39, 0x39, 0x40, 0x00}));
}

TEST(Hex, TwoDigitsAreBytes) { EXPECT_EQ(read_hex("15 90,78\nC8").value(), (Bytes{0x15, 0x90, 0x78, 0xC8})); }

TEST(Hex, ShortPrefixedNumbersAmongWordsAreWords) {
  EXPECT_EQ(read_hex("0x3, 0x12345678,").value(), (Bytes{3, 0, 0, 0, 0x78, 0x56, 0x34, 0x12}));
  EXPECT_EQ(read_hex("0x3 0x7F").value(), (Bytes{3, 0x7F}));
}

TEST(Hex, CommentsAreBlank) {
  EXPECT_EQ(read_hex("# first\n01 ; second 99\n/* 98\n97 */02// 96\n03").value(), (Bytes{1, 2, 3}));
}

TEST(Hex, ErrorsPointAtLineAndColumn) {
  const auto result = read_hex("00000001\n  00000002 12345 0xfg\n", "code.hex");
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 2u);
  EXPECT_EQ(result.error()[0].code, "FM001");
  EXPECT_EQ(result.error()[0].where.file, "code.hex");
  EXPECT_EQ(result.error()[0].where.line, 2u);
  EXPECT_EQ(result.error()[0].where.column, 12u);
  EXPECT_EQ(result.error()[0].where.length, 5u);
  EXPECT_EQ(result.error()[1].where.column, 18u);
}

TEST(Hex, DigitsOfNoWordAndNoByteAreCounted) {
  const auto said = [](std::string_view text) { return read_hex(text).error()[0].message; };
  EXPECT_EQ(said("123"), "'123' has 3 digits, and is neither a word nor a byte");
  EXPECT_EQ(said("1"), "'1' has 1 digit, and is neither a word nor a byte");
  EXPECT_EQ(said("0x123456789"), "'0x123456789' has 9 digits, and is neither a word nor a byte");
  EXPECT_EQ(said("12g"), "'12g' is not a hexadecimal number");
}

TEST(Hex, ByteAmongWordsIsAnError) {
  const auto result = read_hex("00000001 02");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "FM003");
  EXPECT_EQ(result.error()[0].where.column, 10u);
}

TEST(Hex, OpenCommentIsAnError) {
  const auto result = read_hex("01 02 /* 03");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "FM002");
  EXPECT_EQ(result.error()[0].where.column, 7u);
}

TEST(Hex, NoNumberIsAnError) { EXPECT_EQ(read_hex("# nothing\n").error()[0].code, "FM004"); }

TEST(Hex, EndlessErrorsAreCutOff) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "zz ";
  EXPECT_EQ(read_hex(text).error().size(), 20u);
}

TEST(Hex, WrittenTextReadsBack) {
  for (std::size_t size = 1; size < 70; ++size) {
    Bytes bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(i * 37 + size));
    for (const HexUnit unit : {HexUnit::words, HexUnit::bytes}) {
      const std::string text = write_hex(bytes, unit);
      const auto back = read_hex(text);
      ASSERT_TRUE(back) << text;
      EXPECT_EQ(*back, bytes) << text;
    }
  }
}

TEST(Hex, BracesOfACArrayAreBlank) {
  EXPECT_EQ(read_hex("{\n  { 0x04030201, /* 0 */ },\n  { 0x08070605 }, // 1\n}").value(),
            (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Hex, ADriversLogHoldsItsNumberedInstructions) {
  const Bytes first{0x63, 0xd4, 0x4a, 0xad, 0xb5, 2, 0x80, 0x43, 0x80, 0xff, 0x47, 1, 0x30, 0x8d, 0xa, 0};
  const std::string line = "000: ad4ad463 438002b5 0147ff80 000a8d30 \n",
                    next = "001: 00000001 00000002 00000003 00000004";
  EXPECT_EQ(read_hex(line).value(), first);
  const std::string listing = "000:\tcomplex2.m0 ^2 a0.w a0.w\n\trcp.c ^5 a0.w\n";
  Bytes both = first;
  both.insert(both.end(), {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0});
  EXPECT_EQ(read_hex("prog 3\n" + line + next + "\r\n" + listing).value(), both);
  EXPECT_EQ(detect_format(std::span(reinterpret_cast<const std::uint8_t*>(line.data()), line.size())),
            ContainerFormat::hex);
}

TEST(Hex, AGapInALogIsAnError) {
  const std::string line = ": 00000001 00000002 00000003 00000004\n";
  const auto result = read_hex("000" + line + "  002" + line, "gp.log");
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u);
  EXPECT_EQ(result.error()[0].code, "FM007");
  EXPECT_EQ(result.error()[0].message, "instruction 002 where number 1 is due");
  EXPECT_EQ(result.error()[0].where.line, 2u);
  EXPECT_EQ(result.error()[0].where.column, 3u);
  EXPECT_FALSE(read_hex("000" + line + "000" + line)) << "a second program";
  EXPECT_EQ(read_hex("000: 00000001 00000002 00000003\n").value().size(), 12u) << "no instruction, but a dump";
}

TEST(Hex, WordsStandFourInALine) {
  const Bytes bytes{0x15, 0x90, 0x78, 0xC8, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
  EXPECT_EQ(write_hex(bytes), "C8789015 00000001 00000002 00000003\n00000004\n");
}

}  // namespace
}  // namespace mobula
