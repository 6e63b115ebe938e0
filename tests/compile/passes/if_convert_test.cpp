#include "compile/passes/if_convert.h"

#include <gtest/gtest.h>

#include "compile/passes/control_flow.h"
#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

/// Branches that are left.
std::size_t branches(const ssa::Program& program) {
  return static_cast<std::size_t>(std::ranges::count_if(
      program.blocks, [](const ssa::Block& block) { return block.end.kind == ssa::End::Kind::branch; }));
}

/// In rounds, as optimize() does it.
ssa::Program converted(const std::string& body, unsigned most_operations = 8) {
  return checked(body, [&](ssa::Program& program) {
    while (ssa::convert_branches(program, most_operations)) ssa::straighten(program);
  });
}

TEST(IfConvert, TwoSidesBecomeChoices) {
  const ssa::Program result = converted(
      "void main() { vec4 a; float b; if (v.x > 0.5) { a = exp2(w) + v; b = v.x; } else { a = exp2(w); b = v.y; }\n"
      "colour = a * b; }");
  EXPECT_EQ(result.blocks.size(), 1u) << ssa::print(result);
  EXPECT_EQ(count(result, Op::select), 2u);
}

TEST(IfConvert, OneSideThatTheOtherLeadsPast) {
  for (const char* body : {"void main() { vec4 a = v; if (v.x > 0.5) a = sin(w) * v; colour = a; }",
                           "void main() { vec4 a = v; if (v.x > 0.5) { } else a = sin(w) * v; colour = a; }"})
    EXPECT_EQ(branches(converted(body)), 0u);
}

TEST(IfConvert, InnerBranchesToo) {
  EXPECT_EQ(
      branches(converted("void main() { vec4 a = v; if (v.x > 0.5) { a = sin(w); if (w.y > 0.0) a = cos(w); else a "
                         "+= u; } colour = a; }",
                         20)),
      0u);
}

TEST(IfConvert, NoMoreThanTheCostAllows) {
  const std::string body = "void main() { vec4 a = v; if (v.x > 0.5) a = sin(w) * v + cos(v) * u; colour = a; }";
  const ssa::Program whole = converted(body, 100);
  EXPECT_EQ(branches(whole), 0u);
  EXPECT_EQ(branches(converted(body, 3)), 1u);
}

TEST(IfConvert, EffectsAndDifferencesStayBehindTheirBranch) {
  for (const char* body :
       {"void main() { colour = v; if (v.x > 0.5) discard; }",
        "void main() { colour = v; if (v.x > 0.5) colour = dFdx(w) + v; }",
        "void main() { float a[2]; a[n & 1] = 1.0; if (v.x > 0.5) a[n & 1] = 2.0; colour = vec4(a[0]); }"})
    EXPECT_EQ(branches(converted(body, 100)), 1u) << body;
}

TEST(IfConvert, BuffersAreNotReadWhereTheBranchKeepsFromIt) {
  const auto program = ssa_of(
      "#version 310 es\nlayout(local_size_x = 4) in; layout(std430, binding = 0) buffer B { uint n; uint a[]; };\n"
      "void main() { uint i = gl_LocalInvocationID.x, x = 7u; if (i < n) x = a[i]; a[0] = x; }",
      Stage::compute);
  ASSERT_TRUE(program) << errors_of(program);
  ssa::Program result = *program;
  EXPECT_FALSE(ssa::convert_branches(result, 100));
}

TEST(IfConvert, ATurnOfALoopThatChooses) {
  const ssa::Program result = converted(
      "void main() { vec4 a = v; for (int i = 0; i < n + 3; ++i) { if (a.x > w.y) a = a.yzwx; else a *= 0.5; } colour "
      "= "
      "a; }");
  EXPECT_EQ(branches(result), 1u);
  EXPECT_TRUE(std::ranges::any_of(result.blocks, [](const ssa::Block& block) { return block.next_turn != ssa::none; }));
}

}  // namespace
}  // namespace mobula::test
