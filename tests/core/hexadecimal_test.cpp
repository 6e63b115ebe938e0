#include "core/hexadecimal.h"

#include <gtest/gtest.h>

namespace mobula {
namespace {

TEST(Hexadecimal, HasNoLeadingZerosUnlessAsked) {
  EXPECT_EQ(hexadecimal(0), "0x0");
  EXPECT_EQ(hexadecimal(0x1f), "0x1f");
  EXPECT_EQ(hexadecimal(0x1f, 4), "0x001f");
  EXPECT_EQ(hexadecimal(0x12345, 4), "0x12345");
  EXPECT_EQ(hexadecimal(~std::uint64_t{0}), "0xffffffffffffffff");
  EXPECT_EQ(hexadecimal(1, 18), "0x000000000000000001");
}

TEST(Hexadecimal, Capitals) {
  EXPECT_EQ(capital_hexadecimal(0), "0x0");
  EXPECT_EQ(capital_hexadecimal(0xABCDEF0123456789), "0xABCDEF0123456789");
}

}  // namespace
}  // namespace mobula
