#include "io/in_order.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace mobula::io {
namespace {

using Make = std::function<int()>;

/// Numbers from 0 to before `count`, of which some take longer than others.
std::function<Make()> numbers(int count) {
  return [count, next = 0]() mutable -> Make {
    if (next == count) return {};
    return [number = next++] {
      std::this_thread::sleep_for(std::chrono::microseconds(number % 7 == 0 ? 300 : 10));
      return number;
    };
  };
}

TEST(InOrder, WhatIsMadeIsUsedInItsOrder) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    std::vector<int> used, wanted(500);
    std::iota(wanted.begin(), wanted.end(), 0);
    for_each_in_order(threads, numbers(500), [&](int number) { used.push_back(number); });
    EXPECT_EQ(used, wanted) << threads;
  }
}

TEST(InOrder, FewResultsWaitForThoseBefore) {
  constexpr unsigned threads = 3;
  std::atomic<int> made = 0;
  int used = 0, most = 0;
  const auto next = [&, given = 0]() mutable -> Make {
    if (given == 200) return {};
    return [&, number = given++] {
      // The first takes long, and meanwhile the others would all be made.
      if (number == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++made;
      return number;
    };
  };
  for_each_in_order(threads, next, [&](int) { most = std::max(most, made - used++); });
  EXPECT_EQ(used, 200);
  EXPECT_LE(most, 4 * static_cast<int>(threads) + 1);
}

TEST(InOrder, AnExceptionEndsTheWork) {
  for (const unsigned threads : {1u, 3u}) {
    int used = 0;
    const auto fails_when_made = [&, next = numbers(500)]() mutable -> Make {
      Make make = next();
      return [make] { return make() == 100 ? throw std::runtime_error("made") : 0; };
    };
    EXPECT_THROW(for_each_in_order(threads, fails_when_made, [&](int) { ++used; }), std::runtime_error);
    EXPECT_LE(used, 100);
    used = 0;
    const auto fails_when_used = [&](int number) {
      if (number == 100) throw std::runtime_error("used");
      ++used;
    };
    EXPECT_THROW(for_each_in_order(threads, numbers(500), fails_when_used), std::runtime_error);
    EXPECT_EQ(used, 100);
  }
}

}  // namespace
}  // namespace mobula::io
