#include "core/quote.h"

#include <gtest/gtest.h>

namespace mobula {
namespace {

TEST(Quote, ShowsTextAsItIs) {
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("fmul \xC3\xA9"), "'fmul \xC3\xA9'");
}

TEST(Quote, ShowsTheStartOfLongText) {
  EXPECT_EQ(quote(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(quote(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
}

TEST(Quote, SpellsBytesThatWouldCommandATerminal) {
  EXPECT_EQ(quote(std::string_view("a\0\n\x1B[2J\x7F", 8)), R"('a\x00\x0a\x1b[2J\x7f')");
}

}  // namespace
}  // namespace mobula
