#include "servers/positions.h"

#include <gtest/gtest.h>

namespace mobula::servers {
namespace {

// "ä" is two bytes and one unit of UTF-16; the face is four bytes and two units.
constexpr std::string_view letters =
    "a\n\xC3\xA4"
    "b\xF0\x9F\x98\x80"
    "c\r\nd\re";

TEST(Positions, CountInTheUnitsOfTheClient) {
  const std::size_t c = letters.find('c');
  EXPECT_EQ(Positions(letters, PositionEncoding::utf8).at(c), (Position{1, 7}));
  EXPECT_EQ(Positions(letters, PositionEncoding::utf16).at(c), (Position{1, 4}));
  EXPECT_EQ(Positions(letters, PositionEncoding::utf32).at(c), (Position{1, 3}));
}

TEST(Positions, GoThereAndBack) {
  for (const PositionEncoding encoding : {PositionEncoding::utf8, PositionEncoding::utf16, PositionEncoding::utf32}) {
    const Positions positions(letters, encoding);
    for (std::size_t offset = 0; offset <= letters.size(); ++offset) {
      const bool inside = offset < letters.size() && (static_cast<unsigned char>(letters[offset]) & 0xC0) == 0x80;
      const bool between =
          offset > 0 && offset < letters.size() && letters[offset] == '\n' && letters[offset - 1] == '\r';
      if (inside || between) continue;
      EXPECT_EQ(positions.offset(positions.at(offset)), offset);
    }
    EXPECT_EQ(positions.end(), (Position{3, 1}));
  }
}

TEST(Positions, TakeWhatIsAfterALineForItsEnd) {
  const Positions positions(letters, PositionEncoding::utf16);
  EXPECT_EQ(positions.offset({0, 99}), 1u);
  EXPECT_EQ(positions.offset({1, ~std::uint64_t{0}}), letters.find('\r'));
  EXPECT_EQ(positions.offset({1, 3}), letters.find('\xF0')) << "the middle of a letter is its beginning";
  EXPECT_EQ(positions.offset({4, 0}), std::nullopt);
  EXPECT_EQ(positions.offset({~std::uint64_t{0}, 0}), std::nullopt);
}

TEST(Positions, OfNothing) {
  const Positions positions("", PositionEncoding::utf16);
  EXPECT_EQ(positions.offset({0, 0}), 0u);
  EXPECT_EQ(positions.offset({1, 0}), std::nullopt);
  EXPECT_EQ(positions.line(7), "");
  EXPECT_EQ(Positions("a\n", PositionEncoding::utf16).offset({1, 0}), 2u) << "the line after the last end is one, too";
}

}  // namespace
}  // namespace mobula::servers
