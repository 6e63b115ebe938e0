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

TEST(Shown, SpellsBytesThatAreNoCharacter) {
  EXPECT_EQ(shown("\xE9 a\xC3"), R"(\xe9 a\xc3)") << "Latin-1, and a character cut off";
  EXPECT_EQ(shown("\x80\xBF\xFE\xFF"), R"(\x80\xbf\xfe\xff)");
  EXPECT_EQ(shown("\xC0\xAF\xE0\x80\xAF\xF0\x80\x80\xAF"), R"(\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf)")
      << "longer than it need be";
  EXPECT_EQ(shown("\xED\xA0\x80\xF4\x90\x80\x80"), R"(\xed\xa0\x80\xf4\x90\x80\x80)") << "half a pair, beyond the last";
  EXPECT_EQ(shown("\xE2\x82\xAC\xED\x9F\xBF\xF4\x8F\xBF\xBF"), "\xE2\x82\xAC\xED\x9F\xBF\xF4\x8F\xBF\xBF");
}

TEST(Shown, KeepsBothEndsOfLongText) {
  EXPECT_EQ(shown(std::string(200, 'a')), std::string(200, 'a'));
  EXPECT_EQ(shown("begin" + std::string(500, '-') + "end", 20), "begin-----...----end");
  EXPECT_EQ(shown("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 9), "\xC3\xA9\xC3\xA9...\xC3\xA9");
}

}  // namespace
}  // namespace mobula
