#include "core/source_lines.h"

#include <gtest/gtest.h>

#include <vector>

namespace mobula {
namespace {

TEST(SourceLines, ALineLastsUntilTheNextBegins) {
  const std::vector<SourceLine> lines{{16, 4}, {48, 2}};
  EXPECT_EQ(source_line(lines, 15), std::nullopt);
  EXPECT_EQ(source_line(lines, 16), 4U);
  EXPECT_EQ(source_line(lines, 47), 4U);
  EXPECT_EQ(source_line(lines, 48), 2U);
  EXPECT_EQ(source_line(lines, 1000), 2U);
  EXPECT_EQ(source_line({}, 0), std::nullopt);
}

}  // namespace
}  // namespace mobula
