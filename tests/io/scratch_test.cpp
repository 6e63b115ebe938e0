#include "io/scratch.h"

#include <gtest/gtest.h>

#include <array>

namespace mobula::io {
namespace {

std::uint32_t read(Scratch& scratch, std::size_t lane, std::uint32_t offset) {
  std::array<std::uint8_t, 4> bytes{};
  scratch.read(lane, offset, bytes);
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

TEST(Scratch, BelongsToItsLaneAndBeginsWithTheImage) {
  constexpr std::array<std::uint8_t, 6> image{1, 2, 3, 4, 5, 6};
  Scratch scratch;
  scratch.reset(3, 64, image);
  EXPECT_EQ(read(scratch, 2, 0), 0x04030201u);
  EXPECT_EQ(read(scratch, 2, 4), 0x0605u);
  scratch.write(1, 3, std::array<std::uint8_t, 3>{9, 8, 7});
  EXPECT_EQ(read(scratch, 1, 0), 0x09030201u);
  EXPECT_EQ(read(scratch, 1, 4), 0x0708u);
  EXPECT_EQ(read(scratch, 0, 0), 0x04030201u);
  EXPECT_EQ(scratch.read_word(0)[1], 0x09030201u);
}

TEST(Scratch, IsAsItWasAfterAReset) {
  constexpr std::array<std::uint8_t, 1> image{5};
  Scratch scratch;
  scratch.reset(2, 64, image);
  scratch.write_word(0)[1] = 77;
  scratch.write_word(15)[0] = 78;
  for (const std::size_t lanes : {2u, 3u}) {
    scratch.reset(lanes, 64, image);
    EXPECT_EQ(read(scratch, 1, 0), 5u);
    EXPECT_EQ(read(scratch, 0, 60), 0u);
  }
}

TEST(Scratch, HoldsItsBytesOnly) {
  Scratch scratch;
  scratch.reset(1, 10, {});
  EXPECT_TRUE(scratch.holds(6, 4));
  EXPECT_FALSE(scratch.holds(7, 4));
  EXPECT_FALSE(scratch.holds(~std::uint64_t{0}, 4));
  scratch.write(0, 9, std::array<std::uint8_t, 1>{1});
  EXPECT_EQ(scratch.read_word(2)[0], 0x100u);
}

}  // namespace
}  // namespace mobula::io
