#include "io/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace mobula::io {
namespace {

Diagnostic parse_error(std::string_view text) {
  const auto result = parse_json({"f.json", text});
  EXPECT_FALSE(result) << text;
  return result ? Diagnostic{} : result.error().front();
}

TEST(Json, SyntaxErrorHasLineAndColumn) {
  const Diagnostic error = parse_error("{\n  \"a\": 1,\n  \"b\" 2\n}");
  EXPECT_EQ(error.code, "IN001");
  EXPECT_EQ(error.where.file, "f.json");
  EXPECT_EQ(error.where.line, 3u);
  EXPECT_EQ(error.where.column, 7u);
  EXPECT_EQ(error.where.source_line, "  \"b\" 2");
}

TEST(Json, HostileTextIsAnError) {
  EXPECT_EQ(parse_error("").code, "IN001");
  EXPECT_EQ(parse_error("{\"a\":\"\xFF\"}").code, "IN001");
  EXPECT_EQ(parse_error(std::string_view("\0", 1)).code, "IN001");
  EXPECT_EQ(parse_error(std::string(1000000, '[')).code, "IN002");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(parse_error(objects).code, "IN002");
}

TEST(Json, TheParsersOwnWordsAreLeftOut) {
  EXPECT_EQ(parse_error("{\"a - b").message,
            "not JSON: invalid string: missing closing quote; expected string literal");
  EXPECT_EQ(parse_error("[1,]").message.find("json.exception"), std::string::npos);
}

TEST(Json, WhatAParserWouldPassIsAnError) {
  const Diagnostic twice = parse_error("{\"a\": {\"x\": 1, \"y\": 2},\n \"b\": {\"x\": 1,\n  \"x\": 2}}");
  EXPECT_EQ(twice.code, "IN001");
  EXPECT_EQ(twice.message, "not JSON: \"x\" appears twice in one object");
  EXPECT_EQ(twice.where.line, 3u);
  const Diagnostic large = parse_error("{\n\"a\": 1e999999}");
  EXPECT_EQ(large.message, "not JSON: the number 1e999999 is too large for 64 bits");
  EXPECT_EQ(large.where.line, 2u);
  const Diagnostic more = parse_error("{} {}");
  EXPECT_EQ(more.message, "not JSON: unexpected '{'; expected end of input");
  EXPECT_EQ(more.where.column, 4u);
  EXPECT_EQ(parse_error("[1,").message.find("json.exception"), std::string::npos);
  const Diagnostic cut = parse_error(std::string_view("{}\n\0[", 5));
  EXPECT_EQ(cut.message, "not JSON: a zero byte");
  EXPECT_EQ(cut.where.line, 2u);
  EXPECT_EQ(parse_error("[1,").message, "not JSON: unexpected end of input; expected '[', '{', or a literal");
  EXPECT_TRUE(parse_json({"f.json", R"([{"a": 1}, {"a": 1}])"})) << "of two objects";
}

TEST(Json, FloatsDoNotOverflow) {
  const Json document = parse_json({"f.json", "[1e39, -1e39, 3e38]"}).value();
  JsonProblems problems{.file = "f.json", .diagnostics = {}};
  std::vector<float> values;
  JsonPlace(document, problems).elements([&](const JsonPlace& element) {
    float value = 7;
    element.read(value);
    values.push_back(value);
  });
  EXPECT_EQ(values, (std::vector<float>{7, 7, 3e38f}));
  EXPECT_EQ(problems.diagnostics.size(), 2u);
}

TEST(Json, ErrorsNamePlaceFoundAndAllowed) {
  const Json document = parse_json({"f.json", R"({"list":[{"n":1},{"n":"two"}]})"}).value();
  JsonProblems problems{.file = "f.json", .diagnostics = {}};
  JsonPlace(document, problems).member("list", [](const JsonPlace& list) {
    list.elements([](const JsonPlace& element) {
      element.member("n", [](const JsonPlace& number) {
        std::uint32_t out = 0;
        number.read(out, 0, 7);
      });
    });
  });
  ASSERT_EQ(problems.diagnostics.size(), 1u);
  EXPECT_EQ(problems.diagnostics[0].message, "list[1].n: found \"two\"; allowed: a whole number from 0 to 7");
  EXPECT_EQ(problems.diagnostics[0].where.file, "f.json");
}

TEST(Json, NumbersAreCheckedForRange) {
  const Json document = parse_json({"", "[-1, 4294967296, 1.5, 18446744073709551615]"}).value();
  JsonProblems problems;
  JsonPlace(document, problems).elements([](const JsonPlace& place) {
    EXPECT_FALSE(place.unsigned_integer());
    EXPECT_EQ(place.integer(-1, 0).has_value(), place.value().dump() == "-1");
  });
  EXPECT_EQ(problems.diagnostics.size(), 7u);
}

TEST(Json, WholeNumbersMayHaveAPointOrAnExponent) {
  const Json document = parse_json({"", "[1e9, 4.0, -2e1, 9007199254740992.0]"}).value();
  JsonProblems problems;
  std::vector<std::int64_t> numbers;
  JsonPlace(document, problems).elements([&](const JsonPlace& place) {
    numbers.push_back(place.integer(-100, std::int64_t{1} << 60).value_or(0));
  });
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{1'000'000'000, 4, -20, std::int64_t{1} << 53}));
  EXPECT_EQ(JsonPlace(document[0], problems).unsigned_integer(), 1'000'000'000u);
  EXPECT_TRUE(problems.diagnostics.empty());
  for (const char* const other : {"1.5", "1e300", "9007199254740994.0", "18446744073709551615"})
    EXPECT_FALSE(JsonPlace(Json::parse(other), problems).integer(0, std::numeric_limits<std::int64_t>::max())) << other;
  EXPECT_FALSE(JsonPlace(document[2], problems).unsigned_integer()) << "-20";
}

TEST(Json, UnknownMembersListWhatIsAllowed) {
  const Json document = parse_json({"", R"({"a":1,"c":2})"}).value();
  JsonProblems problems;
  JsonPlace(document, problems).only({"a", "b"});
  ASSERT_EQ(problems.diagnostics.size(), 1u);
  EXPECT_EQ(problems.diagnostics[0].message, "c: unknown member; allowed: a, b");
}

TEST(Json, ProblemsAreLimited) {
  const Json document(std::vector<int>(1000, -1));
  JsonProblems problems;
  JsonPlace(document, problems).elements([](const JsonPlace& place) { (void)place.unsigned_integer(); });
  EXPECT_EQ(problems.diagnostics.size(), 20u);
}

TEST(Json, DumpSurvivesAnyBytes) { EXPECT_EQ(dump_json(Json("\xFF")), "\"\xEF\xBF\xBD\""); }

}  // namespace
}  // namespace mobula::io
