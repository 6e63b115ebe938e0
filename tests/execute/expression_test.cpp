#include "mobula/lab/expression.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace mobula {
namespace {

TEST(Expressions, AreTakenAsTheirOperandsAre) {
  const auto value = [](std::string_view text) {
    const auto parsed = Expression::parse(text);
    if (!parsed) return parsed.error().front().code;
    const auto name_of = [](std::string_view name) -> Result<Value> {
      if (name == "two") return Value::of(std::array<std::uint8_t, 4>{0, 0, 0, 0x40});
      if (name == "minus") return Value::of(std::array<std::uint8_t, 4>{0xFE, 0xFF, 0xFF, 0xFF});
      if (name == "m0[-1].x") return Value::integer(7);
      if (name == "halves") return Value::of(std::array<std::uint8_t, 4>{0, 0x3C, 0, 0xC0});
      return fail("none", std::string(name));
    };
    const auto memory_at = [](std::uint64_t address) -> Result<Value> {
      if (address != 0x1004) return fail("nowhere", "");
      return Value::of(std::array<std::uint8_t, 4>{0, 0, 0, 0x40});
    };
    const auto result = parsed->evaluate(name_of, memory_at);
    return result ? *format_value(*result) : result.error().front().code;
  };
  for (const auto& [text, expected] : std::vector<std::pair<const char*, const char*>>{
           {"1 + 2 * 3", "7"},
           {"(1 + 2) * 3", "9"},
           {"7 / 2", "3"},
           {"7 / 2.0", "3.5"},
           {"-7 % 4", "-3"},
           {"1 << 4 | 3", "19"},
           {"1 < 2 && 2 < 1 || !0", "1"},
           {"two", "0x40000000 (2)"},
           {"two + 1", "3"},
           {"two > 1.5", "1"},
           {"two == 2", "1"},
           {"two == 0x40000000", "1"},
           {"two & 0xff000000", "1073741824"},
           {"int(minus)", "-2"},
           {"uint(minus)", "4294967294"},
           {"half(halves) + half(halves >> 16)", "-1"},
           {"-5 >> 1", "-3"},
           {"-5 >> 70", "-1"},
           {"-5 << 70", "0"},
           {"float(two) * two", "4"},
           {"m0[-1].x - 1", "6"},
           {"0 && none", "0"},
           {"1 || none", "1"},
           {"0x10", "0x10"},
           {"none", "none"},
           {"1 / 0", "DB021"},
           {"1 % 0", "DB021"},
           {"9223372036854775807 + 1", "-9223372036854775808"},
           {"", "DB020"},
           {"1 +", "DB020"},
           {"(1", "DB020"},
           {"1)", "DB020"},
           {"1 2", "DB020"},
           {"3x", "DB020"},
           {"r0.x = 2", "DB020"},
           {"*0x1004", "0x40000000 (2)"},
           {"2 * *(0x1000 + 4)", "4"},
           {"-*0x1004 == -2", "1"},
           {"*0x1000", "nowhere"},
           {"*", "DB020"},
           {"010", "0x8"},
           {"0b11", "0x3"},
           {"0X1F", "0x1f"},
           {"two == 010000000000", "1"},
           {"0", "0"},
           {"08", "DB020"},
           {"0b2", "DB020"},
           {"0x", "DB020"},
           {"08.5 + .5", "9"},
           {"1e2", "100"},
           {"1.2.3", "DB020"},
           {"int(0xffffffff)", "-1"},
           {"uint(0x1fffffffe)", "4294967294"},
           {"uint(-1)", "4294967295"},
           {"int(1e30)", "2147483647"},
           {"int(-1e30)", "-2147483648"},
           {"uint(1e30)", "4294967295"},
           {"uint(-0.5 - 1)", "0"},
           {"int(-2.5)", "-2"},
           {"99999999999999999999999", "DB020"},
       })
    EXPECT_EQ(value(text), expected) << text;
  EXPECT_EQ(value(std::string(900, '(')), "DB020");
  EXPECT_EQ(value(std::string(900, '-') + "1"), "1");
  EXPECT_EQ(value(std::string(2000, '1')), "DB020");
}

TEST(Expressions, WhatIsWrongHasAPlace) {
  const auto message = [](std::string_view text) {
    const auto parsed = Expression::parse(text);
    return parsed ? std::string() : parsed.error().front().message;
  };
  EXPECT_EQ(message("(1"), "the \"(\" at character 1 of the expression \"(1\" is not closed");
  EXPECT_EQ(message("2 * (1 + int(r0.x)"),
            "the \"(\" at character 5 of the expression \"2 * (1 + int(r0.x)\" is not closed");
  EXPECT_EQ(message("(1 +"), "the expression \"(1 +\" is not complete");
  EXPECT_EQ(message("(1 2)"), "\"2)\" has no meaning at character 4 of the expression \"(1 2)\"");
  EXPECT_EQ(message("1 + 08"), "\"08\" has no meaning at character 5 of the expression \"1 + 08\"");
}

TEST(Expressions, NumbersAreThoseOfC) {
  EXPECT_EQ(read_number("10"), 10u);
  EXPECT_EQ(read_number("010"), 8u);
  EXPECT_EQ(read_number("0x10"), 16u);
  EXPECT_EQ(read_number("0b10"), 2u);
  EXPECT_EQ(read_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* wrong : {"", "-1", "1x", "08", "0x", "0b", "18446744073709551616", " 1"})
    EXPECT_EQ(read_number(wrong), std::nullopt) << wrong;
}

TEST(Expressions, AreShownInTheWayOfALetter) {
  const Value two = Value::of(std::array<std::uint8_t, 4>{0, 0, 0, 0xC0});
  const auto shown = [&](std::string_view letter) { return format_value(two, letter).value_or("none"); };
  EXPECT_EQ(shown(""), "0xc0000000 (-2)");
  EXPECT_EQ(shown("x"), "0xc0000000");
  EXPECT_EQ(shown("d"), "-1073741824");
  EXPECT_EQ(shown("u"), "3221225472");
  EXPECT_EQ(shown("o"), "030000000000");
  EXPECT_EQ(shown("t"), "11000000000000000000000000000000");
  EXPECT_EQ(shown("f"), "-2");
  EXPECT_EQ(shown("s"), "none");
  EXPECT_EQ(format_value(Value::real(0.5), "x").value_or(""), "0x3f000000");
  EXPECT_EQ(format_value(Value::integer(-1), "u").value_or(""), "18446744073709551615");
}

}  // namespace
}  // namespace mobula
