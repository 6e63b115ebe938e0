#include "io/memory.h"

#include <gtest/gtest.h>

#include <limits>

namespace mobula::io {
namespace {

TEST(Memory, FindsOnlyWhatLiesInOneRegion) {
  std::vector<std::uint8_t> a(16), b(16);
  Memory memory;
  ASSERT_TRUE(memory.add(0x1000, a));
  ASSERT_TRUE(memory.add(0x1010, b));
  EXPECT_EQ(memory.find(0x1004, 4)->data(), a.data() + 4);
  EXPECT_EQ(memory.find(0x1010, 16)->data(), b.data());
  EXPECT_EQ(memory.find(0x101F, 1)->data(), b.data() + 15);
  EXPECT_FALSE(memory.find(0x100E, 4));
  EXPECT_FALSE(memory.find(0x0FFF, 1));
  EXPECT_FALSE(memory.find(0x1020, 1));
  EXPECT_FALSE(memory.find(std::numeric_limits<std::uint64_t>::max(), 8));
  EXPECT_FALSE(memory.find(0x1004, std::numeric_limits<std::size_t>::max()));
}

TEST(Memory, RegionsMayNotOverlapOrWrap) {
  std::vector<std::uint8_t> bytes(16);
  Memory memory;
  ASSERT_TRUE(memory.add(0x1000, bytes));
  EXPECT_FALSE(memory.add(0x1000, bytes));
  EXPECT_FALSE(memory.add(0x0FF1, bytes));
  EXPECT_FALSE(memory.add(0x100F, bytes));
  EXPECT_TRUE(memory.add(0x0FF0, bytes));
  EXPECT_FALSE(memory.add(std::numeric_limits<std::uint64_t>::max() - 14, bytes));
  EXPECT_TRUE(memory.add(std::numeric_limits<std::uint64_t>::max() - 15, bytes));
  EXPECT_TRUE(memory.find(std::numeric_limits<std::uint64_t>::max(), 1));
  EXPECT_TRUE(memory.add(5, {}));
}

TEST(Memory, LittleEndian) {
  std::vector<std::uint8_t> bytes(4);
  write_little_endian(bytes, 0x1122334455);
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0x55, 0x44, 0x33, 0x22}));
  EXPECT_EQ(read_little_endian(bytes), 0x22334455u);
}

}  // namespace
}  // namespace mobula::io
