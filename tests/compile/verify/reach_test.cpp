// Edges that are in reach of what ways have had.
#include "compile/verify/reach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "compile/build.h"

namespace mobula::test {
namespace {

using compile::Edges;
using compile::Reach;

/// What reads the input of a shader, and what has been there.
struct Read {
  ssa::Program program;
  ssa::Value input = ssa::none, comparison = ssa::none;
  std::optional<Reach> reach;

  explicit Read(const std::string& value) {
    auto made = ssa_of("#version 310 es\nprecision highp float; in float a, b; out float o; void main() { o = float(" +
                       value + "); }");
    EXPECT_TRUE(made) << errors_of(made);
    if (!made) return;
    program = std::move(*made);
    for (const ssa::Block& block : program.blocks)
      for (const ssa::Instruction& each : block.instructions) {
        if (each.op == ssa::Op::load && input == ssa::none) input = each.result;
        if (compile::compares_numbers(each.op)) comparison = each.result;
      }
    reach.emplace(program, 1);
  }
  void note(std::initializer_list<float> numbers) {
    for (const float each : numbers) reach->note({input, 0, 0}, 0, each);
  }
  std::optional<float> edge(int side = 0) const { return reach->edge({input, 0, 0}, 0, 0.5, side); }
};

TEST(ReachOfWays, HasWhatLiesBetweenThem) {
  Read root("inversesqrt(a)");
  EXPECT_EQ(root.edge(), std::nullopt) << "nothing is noted";
  root.note({-1});
  EXPECT_EQ(root.edge(), std::nullopt) << "one number is certain";
  root.note({3});
  EXPECT_EQ(root.edge(), 0);
  EXPECT_LT(root.edge(-1), 0);
  EXPECT_GT(root.edge(1), 0);
  EXPECT_EQ(root.reach->edge({root.input, 0, 1}, 0, 0.5, 0), std::nullopt) << "in another turn";
}

TEST(ReachOfWays, GoesALittleFurther) {
  Read root("log(a)");
  root.note({1, 4});
  EXPECT_EQ(root.edge(), std::nullopt);
  root.note({6, NAN});
  EXPECT_EQ(root.edge(), 0);
}

TEST(ReachOfWays, HasTheEdgesOfWhatReads) {
  const auto edges = [](const std::string& value) {
    const Read read(value);
    return compile::edges_of(read.program)[read.input];
  };
  EXPECT_TRUE(edges("a * 2.0 + b").none());
  EXPECT_EQ(edges("1.0 / a").numbers, std::vector<float>{0});
  EXPECT_TRUE(edges("a / 3.0").none());
  EXPECT_EQ(edges("acos(a)").numbers, (std::vector<float>{-1, 1}));
  EXPECT_TRUE(edges("floor(a)").wholes);
  EXPECT_TRUE(edges("int(a)").wholes);
  EXPECT_TRUE(edges("roundEven(a)").halves);
  EXPECT_EQ(edges("a < 0.25 ? b : 0.0").numbers, std::vector<float>{0.25F});
}

TEST(ReachOfWays, ComparesWhatIsNoConstant) {
  Read less("a < b");
  EXPECT_FALSE(less.reach->has_edges(less.input));
  ASSERT_TRUE(less.reach->has_edges(less.comparison));
  for (const double difference : {1.0, 5.0}) less.reach->note({less.comparison, 0, 0}, 0, difference);
  EXPECT_EQ(less.reach->edge({less.comparison, 0, 0}, 0, 0.5, 0), 0);
}

}  // namespace
}  // namespace mobula::test
