#include "machines/rogue/merge/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <random>
#include <unordered_map>

namespace mobula::rogue {
namespace {

/// The fewest by going through every set of members that can have been done.
class Every {
 public:
  explicit Every(const SearchTask& task) : task_(task), all_((Members{1} << task.before.size()) - 1) {}
  std::uint32_t fewest(Members done = 0) {
    if (done == all_) return 0;
    if (const auto known = known_.find(done); known != known_.end()) return known->second;
    std::uint32_t best = std::numeric_limits<std::uint32_t>::max() - 1;
    const auto attempt = [&](Members group) {
      if ((group & done) != 0) return;
      for (std::uint32_t i = 0; i < task_.before.size(); ++i)
        if ((group >> i & 1) != 0 && (task_.before[i] & ~done & ~group) != 0) return;
      best = std::min(best, 1 + fewest(done | group));
    };
    for (const Members cluster : task_.clusters) attempt(cluster);
    for (std::uint32_t i = 0; i < task_.before.size(); ++i) attempt(Members{1} << i);
    return known_[done] = best;
  }

 private:
  const SearchTask& task_;
  Members all_;
  std::unordered_map<Members, std::uint32_t> known_;
};

void expect_a_way(const SearchTask& task, const SearchResult& result) {
  Members done = 0;
  for (const Members group : result.groups) {
    EXPECT_EQ(group & done, 0u);
    EXPECT_TRUE(std::has_single_bit(group) || std::ranges::find(task.clusters, group) != task.clusters.end());
    for (std::uint32_t i = 0; i < task.before.size(); ++i) {
      if ((group >> i & 1) != 0) {
        EXPECT_EQ(task.before[i] & ~done & ~group, 0u);
      }
    }
    done |= group;
  }
  EXPECT_EQ(std::popcount(done), static_cast<int>(task.before.size()));
}

SearchTask random_task(std::mt19937_64& random) {
  SearchTask task;
  const auto members = static_cast<std::uint32_t>(2 + random() % 10);
  for (std::uint32_t i = 0; i < members; ++i) {
    Members before = 0;
    for (std::uint32_t other = 0; other < i; ++other)
      if (random() % 4 == 0) before |= bit(other);
    task.before.push_back(before);
  }
  const std::uint64_t count = random() % 20;
  for (std::uint64_t i = 0; i < count; ++i) {
    Members cluster =
        bit(static_cast<std::uint32_t>(random() % members)) | bit(static_cast<std::uint32_t>(random() % members));
    if (random() % 3 == 0) cluster |= bit(static_cast<std::uint32_t>(random() % members));
    if (std::popcount(cluster) > 1 && std::ranges::find(task.clusters, cluster) == task.clusters.end())
      task.clusters.push_back(cluster);
  }
  return task;
}

TEST(FewestGroups, AreThoseOfEveryWay) {
  std::mt19937_64 random(16);
  std::uint32_t saving = 0;
  for (int run = 0; run < 3000; ++run) {
    const SearchTask task = random_task(random);
    const SearchResult result = fewest_groups(task, 100'000);
    expect_a_way(task, result);
    ASSERT_EQ(result.groups.size(), Every(task).fewest()) << "run " << run;
    ASSERT_EQ(result.bound, result.groups.size()) << "run " << run;
    saving += result.groups.size() < task.before.size();
  }
  EXPECT_GT(saving, 1000u);
}

TEST(FewestGroups, TheBoundHoldsWhereTheSearchIsCutShort) {
  std::mt19937_64 random(17);
  std::uint32_t open = 0;
  for (int run = 0; run < 2000; ++run) {
    const SearchTask task = random_task(random);
    const SearchResult result = fewest_groups(task, 16);
    expect_a_way(task, result);
    const std::uint32_t fewest = Every(task).fewest();
    ASSERT_GE(result.groups.size(), fewest);
    ASSERT_LE(result.bound, fewest) << "run " << run;
    open += result.bound < result.groups.size();
  }
  EXPECT_GT(open, 0u) << "some were cut short";
}

/// Each of the first four may be one group with the fifth: one of them is.
TEST(FewestGroups, OneThatAllWantIsPaidOnce) {
  const SearchTask task{{0, 0, 0, 0, 0}, {0b10001, 0b10010, 0b10100, 0b11000}};
  const SearchResult result = fewest_groups(task, 64);
  EXPECT_EQ(result.groups.size(), 4u);
  EXPECT_EQ(result.bound, 4u);
}

/// a before b and c before d: a with d and c with b would each have to be first.
TEST(FewestGroups, GroupsDoNotWaitForEachOther) {
  const SearchTask task{{0, 0b0001, 0, 0b0100}, {0b1001, 0b0110}};
  const SearchResult result = fewest_groups(task, 64);
  EXPECT_EQ(result.groups.size(), 3u);
  EXPECT_EQ(result.bound, 3u);
}

}  // namespace
}  // namespace mobula::rogue
