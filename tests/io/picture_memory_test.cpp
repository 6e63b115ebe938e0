#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "mobula/lab/run.h"

namespace mobula {
namespace {

constexpr std::size_t large = std::size_t{40} << 20;

TEST(PictureMemory, OfTheLastLargePictureIsUsedForTheNext) {
  void* const first = take_picture_memory(large);
  std::memset(first, 1, large);
  give_back_picture_memory(first, large);
  void* const next = take_picture_memory(large - 4096);
  EXPECT_EQ(next, first);
  void* const another = take_picture_memory(large);
  EXPECT_NE(another, first) << "two pictures at a time";
  std::memset(another, 2, large);
  std::memset(next, 3, large - 4096);
  EXPECT_EQ(static_cast<const char*>(another)[large / 2], 2);
  give_back_picture_memory(next, large - 4096);
  give_back_picture_memory(another, large);
  EXPECT_EQ(another, take_picture_memory(large)) << "the larger one is kept";
  give_back_picture_memory(another, large);
}

TEST(PictureMemory, OfAPictureTwiceAsLargeIsNot) {
  void* const first = take_picture_memory(2 * large + 2);
  give_back_picture_memory(first, 2 * large + 2);
  void* const next = take_picture_memory(large);
  EXPECT_NE(next, first);
  give_back_picture_memory(next, large);
}

TEST(PictureMemory, BeginsWithALineOfCaches) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, large}) {
    void* const first = take_picture_memory(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
    give_back_picture_memory(first, bytes);
  }
}

}  // namespace
}  // namespace mobula
