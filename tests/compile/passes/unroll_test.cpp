#include "compile/passes/unroll.h"

#include <gtest/gtest.h>

#include "compile/passes/control_flow.h"
#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

std::size_t loops(const ssa::Program& program) {
  return static_cast<std::size_t>(
      std::ranges::count_if(program.blocks, [](const ssa::Block& block) { return block.next_turn != ssa::none; }));
}

ssa::Program unrolled(const std::string& body, unsigned most_operations = 512) {
  return checked(body, [&](ssa::Program& program) {
    ssa::simplify(program);
    while (ssa::unroll(program, most_operations)) {
      EXPECT_EQ(ssa::faults(program), std::vector<std::string>{}) << ssa::print(program);
      ssa::simplify(program);
      ssa::straighten(program);
    }
    ssa::simplify(program);
  });
}

TEST(Unroll, ACountedLoopIsWrittenOut) {
  const ssa::Program result =
      unrolled("void main() { vec4 a = v; for (int i = 0; i < 5; ++i) a = sin(a) + w; colour = a; }");
  EXPECT_EQ(result.blocks.size(), 1u) << ssa::print(result);
  EXPECT_EQ(count(result, Op::fsin), 5u);
}

TEST(Unroll, LoopsOfAllKinds) {
  for (const char* body :
       {"void main() { vec4 a = v; int i = 0; do { a = sin(a); i += 3; } while (i < 10); colour = a; }",
        "void main() { vec4 a = v; for (float x = 0.0; x < 1.0; x += 0.3) a += sin(a * x); colour = a; }",
        "void main() { vec4 a = v; for (int i = 8; i > 0; i /= 2) { if (a.x > 0.7) continue; a += w; } colour = a; }",
        "void main() { vec4 a = v; for (int i = 0; i < 0; ++i) a += sin(w); colour = a; }",
        "void main() { vec4 a = v; for (uint i = 0u, j = 10u; i != j; ++i, --j) a[i & 3u] += u[j & 3u]; colour = a; }"})
    EXPECT_EQ(loops(unrolled(body)), 0u) << body;
}

TEST(Unroll, WaysOutInTheMiddle) {
  const ssa::Program result = unrolled(
      "void main() { vec4 a = v; int i; float last = 0.0; for (i = 0; i < 6; ++i) { last = sin(a.x); if (a.x > 1.5) { "
      "a "
      "*= 0.5; break; } if (a.y > 40.0) discard; a += w.zyxw; } colour = a + vec4(i) + last; }");
  EXPECT_EQ(loops(result), 0u);
}

TEST(Unroll, WhatIsStillDoneOnTheWayOutIsOutside) {
  for (const char* body :
       {"void main() { vec4 a = v; int i = 0; do { a = sin(a); if (++i >= 3) { if (a.x > 0.5) a = w; break; } } while "
        "(n == 1); colour = a; }",
        "void main() { vec4 a = v; for (int i = 0;; ++i) { if (i == 4) { a.x += w.y; if (a.y > 0.2) a += sin(w); "
        "break; "
        "} if (a.z > 30.0) break; a = a.yzwx + w; } colour = a; }"})
    EXPECT_EQ(loops(unrolled(body)), 0u) << body;
}

TEST(Unroll, LoopsInLoops) {
  EXPECT_EQ(loops(unrolled("void main() { vec4 a = v; for (int i = 0; i < 4; ++i) for (int j = 0; j <= i; ++j) a = "
                           "a.yzwx * float(j) + w; colour = a; }")),
            0u);
  EXPECT_EQ(loops(unrolled("void main() { vec4 a = v; for (int i = 0; i < 3; ++i) for (int j = 0; j < n + i; ++j) a = "
                           "a.yzwx + w; colour = a; }")),
            3u)
      << "of the inner loop nobody knows the turns";
  EXPECT_EQ(loops(unrolled("void main() { vec4 a = v; for (int j = 0; j < n + 2; ++j) for (int i = 0; i < 3; ++i) a = "
                           "a.yzwx + w; colour = a; }")),
            1u);
}

TEST(Unroll, NoMoreThanTheCostAllows) {
  const std::string body = "void main() { vec4 a = v; for (int i = 0; i < 100; ++i) a = sin(a) + w; colour = a; }";
  EXPECT_EQ(loops(unrolled(body, 1000)), 0u);
  EXPECT_EQ(loops(unrolled(body, 300)), 1u);
}

TEST(Unroll, WhatNobodyKnowsStays) {
  for (const char* body : {"void main() { vec4 a = v; for (int i = 0; i < n; ++i) a = a.yzwx; colour = a; }",
                           "void main() { vec4 a = v; for (int i = 0; i < 1000000; ++i) { a.x += 1.0; if (a.x > 5.0) "
                           "break; } colour = a; }",
                           "void main() { vec4 a = v; for (;;) { a.x += 1.0; if (a.x > 5.0) break; } colour = a; }"})
    EXPECT_EQ(loops(unrolled(body)), 1u) << body;
}

}  // namespace
}  // namespace mobula::test
