#include "timing/shared_paths.h"

#include <gtest/gtest.h>

#include <vector>

namespace mobula {
namespace {

using Steps = std::vector<std::uint32_t>;

TEST(SharedPaths, AreMadeOnceForAllThatGoThem) {
  SharedPaths<Steps> paths;
  int made = 0;
  const auto make = [&] {
    ++made;
    return Steps{1, 2, 3};
  };
  const auto first = paths.of(7, make), second = paths.of(7, make);
  EXPECT_EQ(first, second);
  EXPECT_EQ(made, 1);
  EXPECT_NE(paths.of(8, make), first);
}

TEST(SharedPaths, ThoseThatNobodyGoesAnyMoreAreForgotten) {
  constexpr std::size_t steps = 10000;
  SharedPaths<Steps> paths;
  const auto under_way = paths.of(0, [] { return Steps(steps); });
  std::vector<std::weak_ptr<const Steps>> all;
  for (std::uint32_t id = 1; id <= 1000; ++id) all.push_back(paths.of(id, [] { return Steps(steps); }));
  std::size_t kept = 0;
  for (const auto& path : all) kept += path.expired() ? 0 : 1;
  EXPECT_LT(kept, 200u);
  EXPECT_EQ(paths.of(0, [] { return Steps(); }), under_way);
}

}  // namespace
}  // namespace mobula
