#include "servers/messages.h"

#include <gmock/gmock.h>

#include <random>

namespace mobula::servers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// All messages in these bytes, fed in pieces; the code of what was wrong comes last.
std::vector<std::string> messages_in(std::string_view bytes, const std::function<std::size_t()>& piece) {
  MessageReader reader;
  std::vector<std::string> found;
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), piece());
    reader.feed(bytes.substr(0, size));
    bytes.remove_prefix(size);
    for (;;) {
      const auto next = reader.next();
      if (!next) {
        found.push_back(next.error().front().code);
        return found;
      }
      if (!*next) break;
      found.push_back(**next);
    }
  }
  return found;
}
std::vector<std::string> messages_in(std::string_view bytes) {
  return messages_in(bytes, [&] { return bytes.size(); });
}

TEST(Messages, AreReadAsTheyAreWritten) {
  EXPECT_EQ(message_of("{}"), "Content-Length: 2\r\n\r\n{}");
  EXPECT_THAT(messages_in(message_of("{}") + message_of("") + message_of("\r\n\r\n")),
              ElementsAre("{}", "", "\r\n\r\n"));
  EXPECT_THAT(messages_in("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:3\r\n\r\nabc"),
              ElementsAre("abc"));
}

TEST(Messages, MayBeCutAnywhere) {
  std::mt19937 random(1);
  std::string bytes;
  std::vector<std::string> sent;
  for (std::size_t i = 0; i < 200; ++i) {
    sent.emplace_back(random() % 100, static_cast<char>('a' + i % 26));
    bytes += message_of(sent.back());
  }
  for (const std::size_t most : {1, 2, 7, 50, 5000})
    EXPECT_EQ(messages_in(bytes, [&] { return 1 + random() % most; }), sent) << most;
}

TEST(Messages, OfNonsenseAreRefusedAtOnce) {
  for (const char* wrong : {"\x01", "{\"seq\":1}\n\n\xff", "GET / HTTP/1.1\r\n\r\n", "Content-Length: 2\n\n{}"})
    EXPECT_THAT(messages_in(wrong), ElementsAre("SV001")) << wrong;
  for (const char* wrong :
       {"Content-Length: -1\r\n\r\n", "Content-Length: 1x\r\n\r\n", "Content-Length:\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", "Content-Length: 99999999999999999999999\r\n\r\n",
        "Content-Length: 16777217\r\n\r\n", "Host: here\r\n\r\n"})
    EXPECT_THAT(messages_in(wrong), ElementsAre("SV002")) << wrong;
  EXPECT_THAT(messages_in(std::string(5000, 'a')), ElementsAre("SV002"));
}

TEST(Messages, EndWithTheFirstThatIsWrong) {
  MessageReader reader;
  reader.feed(message_of("{}") + "nonsense\r\n\r\n" + message_of("{}"));
  EXPECT_TRUE(reader.next());
  EXPECT_FALSE(reader.next());
  reader.feed(message_of("{}"));
  const auto after = reader.next();
  ASSERT_FALSE(after);
  EXPECT_THAT(after.error().front().message, HasSubstr("'nonsense'"));
}

TEST(Messages, KnowWhetherOneIsIncomplete) {
  MessageReader reader;
  EXPECT_EQ(reader.unfinished(), "");
  reader.feed("Content-Length: 2\r\n");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.unfinished(), "'Content-Length: 2\\x0d\\x0a' of its head");
  reader.feed("\r\n{");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.unfinished(), "1 of its 2 bytes");
  reader.feed("}");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.unfinished(), "");
}

}  // namespace
}  // namespace mobula::servers
