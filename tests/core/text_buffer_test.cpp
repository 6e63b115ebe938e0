#include "core/text_buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace mobula {
namespace {

template <class... Arguments>
std::string written(char* (*writer)(char*, Arguments...), std::type_identity_t<Arguments>... arguments) {
  std::array<char, 64> room;
  return {room.data(), writer(room.data(), arguments...)};
}

TEST(TextBuffer, GrowsPastItsFirstEstimateAndKeepsWhatItHas) {
  TextBuffer buffer(4);
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    char* out = buffer.reserve(16);
    buffer.commit(put_decimal(put(out, "line "), static_cast<std::uint64_t>(i)));
    buffer.append('\n');
    expected += "line " + std::to_string(i) + '\n';
  }
  EXPECT_EQ(buffer.view(), expected);
  EXPECT_EQ(buffer.size(), expected.size());
  EXPECT_EQ(buffer.take(), expected);
  EXPECT_EQ(buffer.size(), 0u);
  buffer.append("again");
  EXPECT_EQ(buffer.view(), "again");
}

TEST(TextBuffer, TokensKeepTheirLength) {
  constexpr Token<8> token = [] {
    Token<8> made("TM");
    made.add("P0");
    return made;
  }();
  static_assert(token.view() == "TMP0");
  std::array<char, 16> room;
  EXPECT_EQ(std::string(room.data(), put(put(room.data(), token), ',')), "TMP0,");
}

TEST(TextBuffer, Integers) {
  EXPECT_EQ(written(put_decimal, 0), "0");
  for (std::uint64_t value : {7U, 10U, 42U, 99U, 100U, 305U, 999U, 1000U, 2040U, 9999U, 10000U, 123456U})
    EXPECT_EQ(written(put_decimal, value), std::to_string(value));
  EXPECT_EQ(written(put_decimal, ~0ull), "18446744073709551615");
  EXPECT_EQ(written(put_signed, std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(put_signed, 42), "42");
  EXPECT_EQ(written(put_hex, 0), "0x0");
  EXPECT_EQ(written(put_hex, 0x10ABCDEFull), "0x10ABCDEF");
  EXPECT_EQ(written(put_hex, ~0ull), "0xFFFFFFFFFFFFFFFF");
  EXPECT_EQ(written(put_hex_digits, 0xAB, 4u), "00AB");
}

TEST(TextBuffer, FloatsAreTheShortestThatReadBack) {
  char* (*single)(char*, float) = put_float;
  char* (*twice)(char*, double) = put_float;
  EXPECT_EQ(written(single, 0.1f), "0.1");
  EXPECT_EQ(written(twice, 0.1), "0.1");
  EXPECT_EQ(written(single, -0.0f), "-0");
  EXPECT_EQ(written(single, 9999.0f), "9999");
  EXPECT_EQ(written(single, -3.0f), "-3");
  EXPECT_EQ(written(single, 1e30f), "1e+30");
  EXPECT_EQ(written(single, std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(written(twice, -std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(written(single, std::nanf("")), "nan");
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    const std::string text = written(single, value);
    float back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(back), std::bit_cast<std::uint32_t>(value)) << text;
  }
}

}  // namespace
}  // namespace mobula
