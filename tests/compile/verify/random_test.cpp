#include "compile/verify/random.h"

#include <gtest/gtest.h>

#include <set>

namespace mobula::compile {
namespace {

/// Ways of computing a program draw different counts of numbers: streams that are each other's, some steps later, would
/// fall into step, and many ways would be one.
TEST(VerifyRandom, SeedsHaveNothingInCommon) {
  constexpr unsigned seeds = 64, numbers = 256;
  std::set<std::uint64_t> drawn;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    for (unsigned i = 0; i < numbers; ++i) drawn.insert(random.next());
  }
  EXPECT_EQ(drawn.size(), std::size_t{seeds} * numbers);
}

TEST(VerifyRandom, IsTheSameForTheSameSeed) {
  Random one(7), other(7);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(one.below(1000), other.below(1000));
}

}  // namespace
}  // namespace mobula::compile
