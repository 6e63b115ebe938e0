#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "mobula/lab/timing.h"

namespace mobula {
namespace {

using testing::ElementsAre;

TEST(ThreadPaths, ThreadsThatPartKeepWhatTheyHadInCommon) {
  ThreadPaths paths;
  paths.step(std::array{0u, 1u, 2u, 3u}, 0x20);
  paths.step(std::array{0u, 3u}, 0x40);
  paths.step(std::array{1u}, 0x10);
  paths.step(std::array{2u}, 0x30);
  paths.step(std::array{0u, 1u, 2u}, 0x20);
  EXPECT_THAT(paths.addresses(paths.path_id(0)), ElementsAre(0x20, 0x40, 0x20));
  EXPECT_THAT(paths.addresses(paths.path_id(1)), ElementsAre(0x20, 0x10, 0x20));
  EXPECT_THAT(paths.addresses(paths.path_id(2)), ElementsAre(0x20, 0x30, 0x20));
  EXPECT_THAT(paths.addresses(paths.path_id(3)), ElementsAre(0x20, 0x40));
  paths.step(std::array{3u}, 0x20);
  EXPECT_EQ(paths.path_id(3), paths.path_id(0));
  EXPECT_THAT(paths.all_addresses(), ElementsAre(0x10, 0x20, 0x30, 0x40));
}

TEST(ThreadPaths, AWordThatNobodyExecutesIsInNoPath) {
  ThreadPaths paths;
  paths.step({}, 0x10);
  EXPECT_TRUE(paths.all_addresses().empty());
  EXPECT_EQ(paths.threads(), 0u);
}

}  // namespace
}  // namespace mobula
