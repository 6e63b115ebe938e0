// Varyings in rows of four components, as GLSL ES 1.00, appendix A.7 packs them.
#include "machines/utgard_gp/compile/pack.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace mobula::test {
namespace {

using utgard_gp_compiler::Corner;
using utgard_gp_compiler::pack;
using utgard_gp_compiler::Shape;

/// "0.x 3.z" of corners in the order of the shapes; empty if they do not fit.
std::string packed(const std::vector<Shape>& shapes, std::uint32_t rows) {
  const auto corners = pack(shapes, rows);
  std::string text;
  for (const Corner& each : corners.value_or(std::vector<Corner>()))
    text += (text.empty() ? "" : " ") + std::to_string(each.row) + '.' + "xyzw"[each.component];
  return text;
}

TEST(PackedVaryings, AreWhereTheAppendixHasThem) {
  // vec4 a, mat3 b, vec2 c[3], vec2 d[2], vec2 e, float f[3], float g[2], float h.
  EXPECT_EQ(packed({{4, 1}, {3, 3}, {2, 3}, {2, 2}, {2, 1}, {1, 3}, {1, 2}, {1, 1}}, 8),
            "0.x 1.x 4.x 6.z 7.x 1.w 4.z 4.w");
  // In whatever order they are declared.
  EXPECT_EQ(packed({{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 3}, {4, 1}}, 8),
            "4.w 4.z 1.w 7.x 6.z 4.x 1.x 0.x");
}

TEST(PackedVaryings, LeaveTheLeastSpaceInAColumn) {
  EXPECT_EQ(packed({{2, 7}, {2, 4}, {2, 4}, {1, 1}}, 9), "0.x 5.z 1.z 0.z");
  EXPECT_EQ(packed({{3, 1}, {1, 2}, {1, 1}}, 2), "0.x 0.w 1.x");
}

TEST(PackedVaryings, DoNotFitWhereNoRowOrColumnIsFree) {
  EXPECT_EQ(packed({{3, 2}, {2, 1}}, 2), "");
  EXPECT_EQ(packed({{3, 2}, {1, 2}}, 2), "0.x 0.w");
  EXPECT_EQ(packed({{1, 3}}, 2), "");
  EXPECT_EQ(packed({{2, 2}, {2, 2}, {1, 1}}, 2), "");
  EXPECT_EQ(packed({}, 2), "");
}

TEST(PackedVaryings, ShareNoComponent) {
  std::mt19937 chance(1);
  const auto up_to = [&](std::uint32_t most) { return std::uniform_int_distribution(1U, most)(chance); };
  int fit = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Shape> shapes(up_to(16));
    for (Shape& each : shapes) each = {up_to(4), up_to(3)};
    const auto corners = pack(shapes, 12);
    if (!corners) continue;
    ++fit;
    std::set<std::uint32_t> taken;
    for (std::size_t at = 0; at < shapes.size(); ++at)
      for (std::uint32_t row = 0; row < shapes[at].rows; ++row)
        for (std::uint32_t c = 0; c < shapes[at].components; ++c) {
          const Corner& corner = (*corners)[at];
          EXPECT_LT(corner.row + row, 12U);
          EXPECT_LT(corner.component + c, 4U);
          EXPECT_TRUE(taken.insert(4 * (corner.row + row) + corner.component + c).second);
        }
  }
  EXPECT_GT(fit, 500);
}

}  // namespace
}  // namespace mobula::test
