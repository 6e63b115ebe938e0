#include "core/shard.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace mobula {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Shard, IsAnIndexBelowACount) {
  EXPECT_EQ(parse_shard("2/8"), (Shard{2, 8}));
  EXPECT_EQ(to_string(Shard{2, 8}), "2/8");
  for (const char* wrong :
       {"", "/", "2", "2/", "/8", "8/8", "-1/8", "0/0", "2/8x", "a/b", " 2/8", "99999999999999999999/9"})
    EXPECT_FALSE(parse_shard(wrong)) << wrong;
}

TEST(Shard, EveryPieceBelongsToOne) {
  for (const std::uint64_t count : {1u, 2u, 3u, 7u, 20u})
    for (std::uint64_t rank = 0; rank < 17; ++rank) {
      int owners = 0;
      for (std::uint64_t index = 0; index < count; ++index) owners += Shard{index, count}.has(rank) ? 1 : 0;
      EXPECT_EQ(owners, 1) << rank << " of " << count;
    }
}

TEST(Shard, KnowsHowManyAreItsOwn) {
  for (const std::uint64_t all : {0u, 1u, 16u, 17u})
    for (std::uint64_t index = 0; index < 5; ++index) {
      std::uint64_t own = 0;
      for (std::uint64_t rank = 0; rank < all; ++rank) own += Shard{index, 5}.has(rank) ? 1 : 0;
      EXPECT_EQ((Shard{index, 5}.size(all)), own) << index << "/5 of " << all;
    }
}

/// Two file systems list the same folder in different orders, and the shards of both must fit together.
TEST(Shard, OwnsTheSameNamesInAnyOrder) {
  std::vector<std::string> names{"b", "B", "a", "\xc3\xa4", "b/a", "z", "a"};
  const auto owned = [&](const Shard& shard) {
    std::multiset<std::string> own;
    for (const std::size_t each : part_of(shard, names)) own.insert(names[each]);
    return own;
  };
  const std::multiset<std::string> first = owned({0, 3}), second = owned({1, 3}), third = owned({2, 3});
  EXPECT_THAT(first, ElementsAre("B", "b", "\xc3\xa4"));
  EXPECT_EQ(first.size() + second.size() + third.size(), names.size());
  for (int i = 0; i < 20; ++i) {
    std::ranges::next_permutation(names);
    EXPECT_EQ(owned({0, 3}), first);
    EXPECT_EQ(owned({1, 3}), second);
    EXPECT_EQ(owned({2, 3}), third);
  }
}

TEST(Shard, PartsAreInTheOrderOfTheNames) {
  const std::vector<std::string> names{"d", "c", "b", "a"};
  EXPECT_THAT(part_of({0, 2}, names), ElementsAre(1, 3));
  EXPECT_THAT(part_of({1, 2}, names), ElementsAre(0, 2));
  EXPECT_THAT(part_of({5, 6}, names), ElementsAre());
}

std::string said(const Result<void>& result) {
  return result ? "" : result.error().front().code + ' ' + result.error().front().message;
}

TEST(Shard, MissingAndDoubledOnesAreNamed) {
  EXPECT_EQ(said(expect_all(std::vector<ShardFile>{{{1, 2}, "b"}, {{0, 2}, "a"}})), "");
  EXPECT_EQ(said(expect_all(std::vector<ShardFile>{{{0, 4}, "a"}, {{2, 4}, "c"}})),
            "SH003 2 shards are missing: 1/4, 3/4");
  EXPECT_EQ(said(expect_all(std::vector<ShardFile>{{{0, 2}, "a"}})), "SH003 1 shard is missing: 1/2");
  EXPECT_EQ(said(expect_all(std::vector<ShardFile>{{{0, 2}, "a"}, {{1, 2}, "b"}, {{0, 2}, "c"}})),
            "SH002 shard 0/2 is there twice: a and c");
  EXPECT_EQ(said(expect_all(std::vector<ShardFile>{{{0, 2}, "a"}, {{1, 3}, "b"}})),
            "SH001 b is shard 1/3, and a is shard 0/2");
  EXPECT_THAT(said(expect_all(std::vector<ShardFile>{{{0, 1000000000000}, "a"}})),
              HasSubstr("missing: 1/1000000000000, 2/1000000000000"));
}

}  // namespace
}  // namespace mobula
