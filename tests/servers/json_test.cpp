#include "servers/json.h"

#include <gmock/gmock.h>

namespace mobula::servers {
namespace {

std::string message_of_json(std::string_view text) {
  const auto value = parse_json(text);
  return value ? value->dump() : value.error().front().message;
}

TEST(ServersJson, IsNestedSoDeepAndNoDeeper) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(message_of_json(nested(64)), nested(64));
  EXPECT_EQ(message_of_json(nested(65)), "the JSON is nested deeper than 64");
  const std::string in_a_string = "[\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"]";
  EXPECT_EQ(message_of_json(in_a_string), in_a_string);
  const std::string side_by_side = "[" + std::string("{},[],").append("{\"a\":[]}") + "]";
  EXPECT_EQ(message_of_json(side_by_side), side_by_side);
  EXPECT_EQ(message_of_json("]]]{}"), "the content of the message is not JSON: it goes wrong at byte 1 of 5");
}

/// A list takes time by its length, and not by the square of it: this one would take minutes.
TEST(ServersJson, NothingFollowsAZero) {
  EXPECT_FALSE(parse_json(std::string_view("{}\0{}", 5)));
  EXPECT_TRUE(parse_json("{}"));
}

TEST(ServersJson, HalvesOfCharactersAreReplaced) {
  EXPECT_EQ(message_of_json(R"(["\ud83d\ude00"])"), "[\"\xF0\x9F\x98\x80\"]");
  const std::string replaced =
      "[\"a\xEF\xBF\xBD"
      "b\"]";
  for (const char* half : {R"(["a\ud800b"])", R"(["a\uDFFFb"])"}) EXPECT_EQ(message_of_json(half), replaced);
  EXPECT_EQ(message_of_json(R"({"\ud800":"\ud800\ud800\udc00"})"),
            "{\"\xEF\xBF\xBD\":\"\xEF\xBF\xBD\xF0\x90\x80\x80\"}");
  EXPECT_EQ(message_of_json(R"(["\\ud800"])"), R"(["\\ud800"])") << "a backslash, and no character";
  for (const char* wrong : {R"(["\ud8"])", R"(["\ud80g"])", R"(["\)"}) EXPECT_FALSE(parse_json(wrong));
}

TEST(ServersJson, ListsMayBeLong) {
  std::string text = "[{}";
  for (int i = 1; i < 100'000; ++i) text += ",{}";
  const auto value = parse_json(text + ']');
  ASSERT_TRUE(value);
  EXPECT_EQ(value->size(), 100'000u);
}

}  // namespace
}  // namespace mobula::servers
