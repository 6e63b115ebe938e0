#include "core/real.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace mobula {
namespace {

/// What both ways of reading make of a text: how much they take, what is wrong, and every bit of the value.
template <class Float>
void expect_same(const std::string& text) {
  Float by_library = 7, by_hand = 7;
  const auto wanted = std::from_chars(text.data(), text.data() + text.size(), by_library);
  const auto got = read_real_by_strtod(text, by_hand);
  EXPECT_EQ(got.ec, wanted.ec) << text;
  EXPECT_EQ(got.ptr - text.data(), wanted.ptr - text.data()) << text;
  EXPECT_EQ(std::memcmp(&by_hand, &by_library, sizeof(Float)), 0) << text << ": " << by_hand << ", " << by_library;
}

TEST(Real, IsReadAlikeWithoutFromChars) {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "-1.5",
                           "00.25",
                           ".5",
                           "5.",
                           "-.5e1",
                           "1e5",
                           "1E5",
                           "1e+5",
                           "1e-5",
                           "1e",
                           "1e+",
                           "1ex",
                           "1.5.5",
                           "0.1",
                           "3.4028235e38",
                           "3.5e38",
                           "1e39",
                           "-1e39",
                           "1e309",
                           "1e-46",
                           "1e-400",
                           "0e999",
                           "0.0e-999",
                           "00e9",
                           "1.17549435e-38",
                           "4.9e-324",
                           "123456789012345678901234567890",
                           "0.30000000000000004",
                           "1x",
                           "1,5",
                           "12 3"}) {
    expect_same<float>(text);
    expect_same<double>(text);
  }
}

TEST(Real, NeedsADigit) {
  for (const char* text : {"", "-", ".", "-.", "e5", ".e5", "+1", " 1", "x", "--1", "-e1"}) {
    expect_same<float>(text);
    expect_same<double>(text);
  }
}

TEST(Real, AnyTextIsReadAlike) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (auto length = random() % 12; length != 0; --length) text += "0123456789..-+eE5"[random() % 17];
    expect_same<float>(text);
    expect_same<double>(text);
  }
}

}  // namespace
}  // namespace mobula
