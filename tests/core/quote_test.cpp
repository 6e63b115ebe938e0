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

TEST(Shown, IsTheTextButForWhatSteersATerminal) {
  EXPECT_EQ(shown("a b\xC3\xA9"), "a b\xC3\xA9");
  EXPECT_EQ(shown("\x1B]0;x\x07\n"), R"(\x1b]0;x\x07\x0a)");
  EXPECT_EQ(shown("\xC2\x9B"
                  "2J"),
            R"(\xc2\x9b2J)")
      << "CSI as UTF-8";
}

TEST(Shown, KeepsBothEndsOfLongText) {
  EXPECT_EQ(shown(std::string(200, 'a')), std::string(200, 'a'));
  EXPECT_EQ(shown("begin" + std::string(500, '-') + "end", 20), "begin-----...----end");
  EXPECT_EQ(shown("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 9), "\xC3\xA9\xC3\xA9...\xC3\xA9");
}

}  // namespace
}  // namespace mobula
