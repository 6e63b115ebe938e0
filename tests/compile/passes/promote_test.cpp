#include "compile/passes/promote.h"

#include <gtest/gtest.h>

#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

/// Loads and stores of local variables.
std::size_t accesses(const ssa::Program& program) {
  return accessed(program, Op::load).size() + accessed(program, Op::store).size();
}

ssa::Program promoted(const std::string& body, unsigned most_elements = 0) {
  return checked(body, [&](ssa::Program& program) {
    if (most_elements > 0) ssa::choose_elements(program, most_elements);
    ssa::promote(program);
    ssa::simplify(program);
  });
}

const std::string dynamic =
    "void main() { float a[4]; a[0] = v.x; a[1] = w.y; a[2] = 3.0; a[3] = u.x; a[n & 3] = 7.0; a[1] += a[(n + 1) & "
    "3];\n"
    "colour = vec4(a[0], a[1], a[n & 3], a[3]); }";

TEST(Promote, WhatIsWrittenAtAnUnknownIndexStays) {
  checked(dynamic, [](ssa::Program& program) { EXPECT_FALSE(ssa::promote(program)); });
}

TEST(Promote, SmallArraysBecomeChoices) {
  const ssa::Program result = promoted(dynamic, 4);
  EXPECT_EQ(accesses(result), 0u) << ssa::print(result);
  EXPECT_GT(accesses(promoted(dynamic, 3)), 0u);
}

TEST(Promote, WhatIsKnownIsNotLoaded) {
  const ssa::Program result = promoted(
      "void main() { float a[4]; a[0] = v.x; a[1] = w.y; a[2] = 3.0; a[3] = u.x; if (v.x > 0.5) a[2] = sin(w.x);\n"
      "colour = vec4(a[0], a[1], a[n & 3], a[2]); }");
  EXPECT_EQ(accesses(result), 6u) << "five stores, and the load that is not known" << ssa::print(result);
  EXPECT_EQ(count(result, Op::phi), 1u);
}

TEST(Promote, ValuesGoThroughLoops) {
  const ssa::Program result = promoted(
      "void main() { vec2 a[3]; a[0] = v.xy; a[1] = w.xy; a[2] = u.xy; for (int i = 0; i < n + 3; ++i) { a[i & 1] = "
      "a[2] + 1.0; a[2] = a[(i + 1) & 1] * 2.0; } colour = vec4(a[0], a[1] + a[2]); }",
      8);
  EXPECT_EQ(accesses(result), 0u) << ssa::print(result);
}

/// Of many loops with variables of their own, each would otherwise carry those of all others.
TEST(Promote, WhatIsNotReadLaterGoesThroughNoLoop) {
  std::string body = "void main() { float s = 0.0;\n";
  for (const char* const index : {"i", "j", "k"})
    body += std::string("for (int ") + index + " = 0; " + index + " < n + 3; ++" + index +
            ") { float a[2]; a[0] = v.x; a[1] = s; s += a[0] + a[" + index + " & 1]; }\n";
  std::size_t before = 0, after = 0;
  const ssa::Program result = checked(body + "colour = vec4(s); }", [&](ssa::Program& program) {
    before = count(program, Op::phi);
    EXPECT_TRUE(ssa::promote(program));
    after = count(program, Op::phi);
  });
  EXPECT_EQ(before, 6u) << "sums and indices" << ssa::print(result);
  EXPECT_EQ(after, before) << ssa::print(result);
}

TEST(Promote, MembersOfStructuresInArrays) {
  const ssa::Program result = promoted(
      "struct S { vec3 p; float b[2]; }; void main() { S s[2]; for (int i = 0; i < 2; ++i) { s[i].p = v.xyz * "
      "float(i); "
      "s[i].b[0] = w.x; s[i].b[1] = w.y; } s[n & 1].b[(n + 1) & 1] = 5.0; colour = vec4(s[n & 1].p, s[0].b[n & 1] + "
      "s[1].b[1]); }",
      8);
  EXPECT_EQ(accesses(result), 0u) << ssa::print(result);
}

TEST(Promote, NothingIsWrittenAtFirst) {
  const ssa::Program result = promoted(
      "void main() { float a[2]; if (v.x > 0.5) { a[0] = 1.0; a[1] = 2.0; } colour = vec4(v.x > 0.5 ? a[n & 1] : 0.0); "
      "}",
      8);
  EXPECT_EQ(accesses(result), 0u);
}

}  // namespace
}  // namespace mobula::test
