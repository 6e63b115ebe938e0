// How many findings are kept, and of which severity.
#include <gtest/gtest.h>

#include "core/rule.h"

namespace mobula::test {
namespace {

constexpr Rule warning{.code = "X1", .title = "", .severity = Severity::warning, .fact = {}, .allowed = "less"};
constexpr Rule error{.code = "X2", .title = "", .severity = Severity::error, .fact = {}, .allowed = "less"};

TEST(Findings, ErrorsAfterTooManyWarningsAreKept) {
  Findings findings("a", "X0");
  for (std::size_t i = 0; i < check_limit + 5; ++i) findings.add(warning, i, {}, "w");
  EXPECT_FALSE(findings.full()) << "an error may still come";
  findings.add(error, 0, {}, "e");
  const Diagnostics all = findings.take();
  ASSERT_EQ(all.size(), check_limit + 2);
  EXPECT_EQ(all[check_limit].message, "more than 10000 warnings; the rest is left out");
  EXPECT_EQ(all[check_limit].code, "X0");
  EXPECT_EQ(all.back().code, "X2");
}

TEST(Findings, TooManyErrorsAreEnough) {
  Findings findings("a", "X0");
  for (std::size_t i = 0; i < check_limit; ++i) findings.add(error, i, {}, "e");
  EXPECT_FALSE(findings.full());
  findings.add(error, 0, {}, "e");
  EXPECT_TRUE(findings.full());
  EXPECT_EQ(findings.take().back().message, "more than 10000 errors; the rest is left out");
}

}  // namespace
}  // namespace mobula::test
