// Between which numbers values lie, by the operations that make them.
#include "compile/verify/bounds.h"

#include <gtest/gtest.h>

#include "compile/build.h"

namespace mobula::test {
namespace {

using compile::Bounds;

/// Of what a fragment shader stores.
Bounds of(const std::string& value, const std::string& before = "") {
  const auto program =
      ssa_of("#version 310 es\nprecision highp float; in vec3 a; uniform int n; out vec3 o; void main() {" + before +
             " o = vec3(" + value + "); }");
  EXPECT_TRUE(program) << errors_of(program);
  if (!program) return {};
  const auto bounds = compile::bounds_of(*program);
  for (const ssa::Block& block : program->blocks)
    for (const ssa::Instruction& each : block.instructions)
      if (each.op == ssa::Op::store) return bounds[each.operands[0]];
  return {};
}
void expect(const Bounds& found, double low, double high, const char* what) {
  EXPECT_EQ(found.low, low) << what;
  EXPECT_EQ(found.high, high) << what;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Bounds, OfWhatIsAlwaysSo) {
  expect(of("a"), -infinity, infinity, "an input");
  expect(of("1.0, 3.0, -2.0"), -2, 3, "a constant");
  expect(of("fract(a)"), 0, 1, "a fraction");
  expect(of("abs(a) + 2.0"), 2, infinity, "a size");
  expect(of("a * a"), 0, infinity, "a square");
  expect(of("dot(a, a)"), 0, infinity, "a length");
  expect(of("sqrt(a)"), 0, infinity, "a root");
  expect(of("sign(a) - 3.0"), -4, -2, "a sign");
  expect(of("mod(a, 4.0)"), 0, 4, "a remainder");
  expect(of("clamp(a, -1.0, 2.0)"), -1, 2, "a clamp");
}

TEST(Bounds, OfWhatIsComputedFromThat) {
  expect(of("fract(a) * -2.0 + 1.0"), -1, 1, "a product and a sum");
  expect(of("1.0 / (fract(a) + 1.0)"), 0.5, 1, "a quotient");
  expect(of("a / fract(a)"), -infinity, infinity, "by 0");
  expect(of("floor(fract(a) * 2.5)"), 0, 3, "rounded");
  expect(of("dot(fract(a), vec3(2.0))"), 0, 6, "a sum of products");
  expect(of("fract(a).yxz"), 0, 1, "in another order");
  expect(of("x", "vec3 x = fract(a); if (n > 2) x = vec3(7.0);"), 0, 7, "on two ways");
  expect(of("x", "vec3 x = fract(a); for (int i = 0; i < n; i++) x += 1.0;"), -infinity, infinity, "of a loop");
}

}  // namespace
}  // namespace mobula::test
