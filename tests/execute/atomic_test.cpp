#include "execute/atomic.h"

#include <gtest/gtest.h>

namespace mobula::ir {
namespace {

TEST(Atomic, OperationsWorkAtTheirWidth) {
  using Op = AtomicOp;
  const auto word = [](Op op, std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
    return atomic_result(op, 4, a, b, c);
  };
  EXPECT_EQ(word(Op::add, 0xFFFFFFFF, 2), 1u);
  EXPECT_EQ(atomic_result(Op::add, 8, 0xFFFFFFFF, 2, 0), 0x100000001u);
  EXPECT_EQ(word(Op::and_, 0xF0, 0x3C), 0x30u);
  EXPECT_EQ(word(Op::or_, 0xF0, 0x3C), 0xFCu);
  EXPECT_EQ(word(Op::xor_, 0xF0, 0x3C), 0xCCu);
  EXPECT_EQ(word(Op::min_s, 0xFFFFFFFF, 1), 0xFFFFFFFFu);
  EXPECT_EQ(word(Op::max_s, 0xFFFFFFFF, 1), 1u);
  EXPECT_EQ(word(Op::min_u, 0xFFFFFFFF, 1), 1u);
  EXPECT_EQ(word(Op::max_u, 0xFFFFFFFF, 1), 0xFFFFFFFFu);
  EXPECT_EQ(atomic_result(Op::min_s, 8, 0xFFFFFFFF, 1, 0), 1u);
  EXPECT_EQ(word(Op::exchange, 5, 0x100000007), 7u);
  EXPECT_EQ(word(Op::compare_exchange, 5, 7, 5), 7u);
  EXPECT_EQ(word(Op::compare_exchange, 5, 7, 6), 5u);
}

}  // namespace
}  // namespace mobula::ir
