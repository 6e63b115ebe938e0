#include "io/json.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(parse_error("[1e999999]").code, "IN002");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(parse_error(objects).code, "IN002");
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
