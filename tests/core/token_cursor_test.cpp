#include "core/token_cursor.h"

#include <gtest/gtest.h>

namespace mobula {
namespace {

struct Line {
  explicit Line(std::string_view text) : source("file", text) { lex_line(source, 0, tokens); }
  Source source;
  std::vector<LineToken> tokens;
};

TEST(TokenCursor, TakesWhatIsSpelledSo) {
  const Line line("add r1, r2");
  TokenCursor cursor(line.tokens);
  EXPECT_FALSE(cursor.accept("Add"));
  EXPECT_TRUE(cursor.accept("add"));
  EXPECT_TRUE(cursor.previous().is("add"));
  EXPECT_TRUE(cursor.peek(1).is(","));
  EXPECT_EQ(cursor.position(), 1u);
  cursor.step_back();
  EXPECT_TRUE(cursor.peek().is("add"));
}

TEST(TokenCursor, NeverPassesTheEnd) {
  const Line line("x");
  TokenCursor cursor(line.tokens);
  EXPECT_EQ(cursor.found(), ", found 'x'");
  EXPECT_EQ(cursor.peek(9).kind, LineToken::Kind::end);
  for (int i = 0; i < 3; ++i) cursor.take();
  EXPECT_TRUE(cursor.at_end());
  EXPECT_FALSE(cursor.accept(""));
  EXPECT_EQ(cursor.found(), ", found the end of the line");
  EXPECT_TRUE(cursor.previous().is("x"));
}

}  // namespace
}  // namespace mobula
