#include "machines/midgard/compile/select.h"

#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

using midgard::AluInstruction;
using midgard::BranchMeaning;

constexpr const char* fragment_head =
    "#version 310 es\nprecision highp float; precision highp int; in vec4 a, b; uniform int n;"
    "flat in ivec4 k; out vec4 o; ";

Words words_of(const std::string& rest) { return Words(verified(fragment_head + rest)); }

TEST(MidgardSelect, ConstantsAreInTheOperand) {
  const Words words = words_of("void main() { o = a * 2.0; }");
  EXPECT_EQ(words.count([](const AluInstruction& each) {
    return Words::is(each, "fmul") && midgard::has_inline_constant(each) && midgard::inline_constant(each) == 0x4000;
  }),
            1U);
  for (const midgard::Bundle& bundle : words.all()) EXPECT_FALSE(bundle.has_constants);
}

TEST(MidgardSelect, SignsAreInTheOperand) {
  const Words words = words_of("void main() { o = abs(a) * -b; }");
  EXPECT_EQ(words.count("fmul"), 1U);
  EXPECT_EQ(words.count("fadd") + words.count("fmov"), 0U);
}

TEST(MidgardSelect, ClampsAreInTheResult) {
  const auto clamping = [](const Words& words, midgard::FloatOutmod how) {
    return words.count([&](const AluInstruction& each) { return Words::outmod(each) == static_cast<unsigned>(how); });
  };
  const Words unit = words_of("void main() { o = clamp(a + b, 0.0, 1.0); }");
  EXPECT_EQ(unit.count("fmin") + unit.count("fmax"), 0U);
  EXPECT_GE(clamping(unit, midgard::FloatOutmod::clamp_0_1), 1U);
  const Words positive = words_of("void main() { o = max(a + b, 0.0); }");
  EXPECT_EQ(positive.count("fmax"), 0U);
  EXPECT_GE(clamping(positive, midgard::FloatOutmod::clamp_0_inf), 1U);
}

TEST(MidgardSelect, ConditionsOfSelectsAreInTheirWord) {
  for (const char* text : {"void main() { o = a.x < b.x ? a : b; }", "void main() { o = mix(a, b, lessThan(a, b)); }",
                           "void main() { o = a.x < b.x && n > 3 ? a : b; }"}) {
    const Words words = words_of(text);
    unsigned selects = 0;
    for (const midgard::Bundle& bundle : words.all()) {
      const auto all = bundle.alu_instructions();
      const bool has_select = std::ranges::any_of(all, [](const AluInstruction& each) {
        return Words::is(each, "icsel") || Words::is(each, "fcsel") || Words::is(each, "icsel_v") ||
               Words::is(each, "fcsel_v");
      });
      const bool has_condition =
          std::ranges::any_of(all, [](const AluInstruction& each) { return Words::destination(each) == 31; });
      EXPECT_EQ(has_select, has_condition);
      selects += has_select ? 1 : 0;
    }
    EXPECT_GE(selects, 1U) << text;
  }
}

TEST(MidgardSelect, DiscardsAreTheBranch) {
  const Words words = words_of("void main() { if (a.x < 0.0) discard; o = a; }");
  const auto discards = words.branches(BranchMeaning::discard);
  ASSERT_EQ(discards.size(), 1U);
  EXPECT_NE(discards[0].lut, 0xFFFF) << "it has a condition";
  EXPECT_TRUE(words.branches(BranchMeaning::cond).empty());
  EXPECT_TRUE(words.branches(BranchMeaning::uncond).empty());
}

TEST(MidgardSelect, LoopsHandValuesOn) {
  for (const char* text :
       {// two that change places
        "void main() { vec4 x = a, y = b; for (int i = 0; i < (n & 15); ++i) { vec4 t = x; x = y; y = t; } o = x - y * "
        "2.0; }",
        // three in a ring, and one that is changed besides
        "void main() { float x = a.x, y = a.y, z = a.z; for (int i = 0; i < (n & 15); ++i) { float t = x; x = y;"
        " y = z + 1.0; z = t; } o = vec4(x, y, z, 1.0); }",
        // read after its loop, as it was in the last turn and before it
        "void main() { int i = 0, before = 7; while (i * i < (n & 63)) { before = i; ++i; } o = vec4(i, before, 0, 1); "
        "}",
        // a component of one is the other's
        "void main() { vec4 x = a, y = b; for (int i = 0; i < (n & 7); ++i) { vec4 t = x; x = y.yxwz; y = vec4(t.x, "
        "y.x, t.zw); }"
        " o = x + y; }",
        // two loops, and the same value in both
        "void main() { float s = a.x; for (int i = 0; i < (n & 7); ++i) for (int m = 0; m < (k.x & 3); ++m) s = s * "
        "0.5 + b[m];"
        " o = vec4(s); }",
        // ways out of the middle
        "void main() { int i = 0; float s = 0.0; for (;;) { s += a.x; if (i > (n & 7)) break; ++i; if ((i & 1) == 1) "
        "continue;"
        " s += b.x; if (s > 4.0) { s = -s; break; } } o = vec4(s, i, 0, 1); }"})
    EXPECT_GT(verified(fragment_head + std::string(text)).outcome.compared, 0U) << text;
}

TEST(MidgardSelect, WhatTheMachineCannotDoIsRefusedWithItsLine) {
  const Attempt made = attempt(
      "#version 450\nuniform sampler2D t; in vec4 a; out vec4 o;\n"
      "void main() {\n  o = vec4(textureQueryLevels(t));\n}");
  EXPECT_EQ(made.end, Attempt::End::back_end);
  EXPECT_EQ(made.code, "CO030");
}

TEST(MidgardSelect, ExchangesCompareWithWhatTheyShould) {
  verified(
      "#version 310 es\nlayout(local_size_x = 1) in; layout(std430) buffer A { uint x, old, y; uint z[4]; };"
      "shared uint s; void main() { s = 4u; old = atomicCompSwap(x, y, 5u) + atomicCompSwap(s, 4u, 9u);"
      "y = s + atomicCompSwap(z[x & 3u], 0u, 8u); }",
      Stage::compute);
}

}  // namespace
}  // namespace mobula::test
