#include "scoreboard/core/lanes.h"

#include <gmock/gmock.h>

namespace mobula::scoreboard {
namespace {

struct ByteRange {
  std::uint32_t first, bytes;
  [[nodiscard]] std::uint32_t mask() const { return ((1u << bytes) - 1) << first; }
};

/// The aligned views of a register, in the order of the columns of `full`.
std::vector<ByteRange> views(std::initializer_list<std::uint32_t> widths) {
  std::vector<ByteRange> all;
  for (const std::uint32_t width : widths)
    for (std::uint32_t lane = 0; lane < 8 / width; ++lane) all.push_back({lane * width, width});
  return all;
}

/// Pairs of views that conflict; every pair is compared with the overlap of their bytes.
int conflicts(Lanes lanes, const std::vector<ByteRange>& all) {
  int found = 0;
  for (const ByteRange& a : all)
    for (const ByteRange& b : all) {
      const std::uint16_t used = columns_of(lanes, a.first, a.bytes), other = columns_of(lanes, b.first, b.bytes);
      const bool conflict = (expand(lanes, used) & other) != 0;
      EXPECT_EQ(conflict, (a.mask() & b.mask()) != 0) << a.first << '+' << a.bytes << ' ' << b.first << '+' << b.bytes;
      found += conflict ? 1 : 0;
    }
  return found;
}

TEST(Lanes, ConflictIsOverlapOfBytes) {
  EXPECT_EQ(conflicts(Lanes::full, views({1, 2, 4, 8})), 83) << "ones of the relation, 15 by 15";
  EXPECT_EQ(conflicts(Lanes::two_level, views({1, 4})), 26) << "of 100";
  EXPECT_EQ(conflicts(Lanes::two_level, views({1, 2, 4, 8})), 83);
  EXPECT_EQ(conflicts(Lanes::byte, views({1, 2, 4, 8})), 83);
}

TEST(Lanes, AnyRangeOfBytesIsExact) {
  std::vector<ByteRange> all;
  for (std::uint32_t first = 0; first < 8; ++first)
    for (std::uint32_t bytes = 1; first + bytes <= 8; ++bytes) all.push_back({first, bytes});
  for (const Lanes lanes : {Lanes::full, Lanes::two_level, Lanes::byte}) conflicts(lanes, all);
}

TEST(Lanes, AlignedViewsOfTheFullCascadeAreOneColumn) {
  const std::vector<ByteRange> all = views({1, 2, 4, 8});
  ASSERT_EQ(all.size(), column_count(Lanes::full));
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(columns_of(Lanes::full, all[i].first, all[i].bytes), 1u << i) << i;
}

/// The network against the definition, for every set of columns in use.
void check_network(Lanes lanes, const std::vector<ByteRange>& columns) {
  for (std::uint32_t own = 0; own < 1u << columns.size(); ++own) {
    std::uint32_t bytes = 0, blocked = 0;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if ((own >> i & 1) != 0) bytes |= columns[i].mask();
    for (std::size_t i = 0; i < columns.size(); ++i)
      if ((columns[i].mask() & bytes) != 0) blocked |= 1u << i;
    ASSERT_EQ(expand(lanes, static_cast<std::uint16_t>(own)), blocked) << own;
  }
}

TEST(Lanes, NetworkForAllVectors) {
  check_network(Lanes::full, views({1, 2, 4, 8}));
  check_network(Lanes::two_level, views({1, 4}));
  check_network(Lanes::byte, views({1}));
}

TEST(Lanes, LockIsOneColumn) {
  EXPECT_EQ(columns_of(Lanes::lock, 3, 2), 1);
  EXPECT_EQ(expand(Lanes::lock, 1), 1);
}

TEST(Lanes, EveryColumnHasAName) {
  for (const Lanes lanes : {Lanes::lock, Lanes::full, Lanes::two_level, Lanes::byte})
    EXPECT_EQ(column_names(lanes).size(), column_count(lanes));
}

}  // namespace
}  // namespace mobula::scoreboard
