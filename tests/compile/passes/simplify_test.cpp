#include "compile/passes/simplify.h"

#include <gtest/gtest.h>

#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

/// A fragment shader's body, simplified; the same colour comes out for some inputs as before.
ssa::Program simple(const std::string& body) { return checked(body, ssa::simplify); }

/// What simplifying leaves of a draft.
std::vector<Op> ops(const Draft& draft) {
  const ssa::Program result = simplified(draft.program);
  std::vector<Op> list;
  for (const ssa::Instruction& each : result.blocks[0].instructions) list.push_back(each.op);
  return list;
}

TEST(Simplify, EqualValuesAreOne) {
  Draft draft;
  const ssa::Value a = draft.input(), b = draft.input();
  const ssa::Value left = draft.add(Op::fmul, Draft::real(4), {a, b}),
                   right = draft.add(Op::fmul, Draft::real(4), {b, a});
  draft.output(draft.add(Op::fsub, Draft::real(4), {left, right}));
  EXPECT_EQ(ops(draft), (std::vector{Op::load, Op::fmul, Op::fsub, Op::store}));
}

TEST(Simplify, OrderCountsWhereOperandsAreNoEquals) {
  Draft draft;
  const ssa::Value a = draft.input(), b = draft.add(Op::fneg, Draft::real(4), {a});
  const ssa::Value left = draft.add(Op::fmin, Draft::real(4), {a, b}),
                   right = draft.add(Op::fmin, Draft::real(4), {b, a});
  draft.output(draft.add(Op::fsub, Draft::real(4), {left, right}));
  EXPECT_EQ(ops(draft), (std::vector{Op::load, Op::fneg, Op::fmin, Op::fmin, Op::fsub, Op::store})) << "of a NaN, b";
}

TEST(Simplify, ConstantsAreFolded) {
  Draft draft;
  const ssa::Value two = draft.add(Op::constant, Draft::real(1), {}, {0x40000000});
  const ssa::Value four = draft.add(Op::fmul, Draft::real(1), {two, two});
  draft.output(draft.add(Op::compose, Draft::real(4), {four, four, two, two}));
  const ssa::Program result = simplified(draft.program);
  ASSERT_EQ(result.blocks[0].instructions.size(), 2u);
  EXPECT_EQ(result.blocks[0].instructions[0].data,
            (std::array<std::uint32_t, 4>{0x40800000, 0x40800000, 0x40000000, 0x40000000}));
  EXPECT_EQ(result.values.size(), 1u) << "numbered anew";
}

TEST(Simplify, VectorsThatAreTakenApartAgain) {
  Draft draft;
  const ssa::Value a = draft.input();
  const ssa::Value low = draft.add(Op::swizzle, Draft::real(2), {a}, {1, 0});
  const ssa::Value high = draft.add(Op::swizzle, Draft::real(2), {a}, {2, 3});
  const ssa::Value whole = draft.add(Op::compose, Draft::real(4), {low, high});  // yxzw of a
  draft.output(draft.add(Op::swizzle, Draft::real(4), {whole}, {1, 0, 2, 3}));   // a
  EXPECT_EQ(ops(draft), (std::vector{Op::load, Op::store}));
}

TEST(Simplify, AKnownIndexIsASwizzle) {
  for (const std::uint32_t index : {2u, 4u}) {  // beyond the last: 0, as extract says
    Draft draft;
    const ssa::Value a = draft.input(), at = draft.add(Op::constant, {ssa::Base::integer, 1}, {}, {index});
    const ssa::Value part = draft.add(Op::extract, Draft::real(1), {a, at});
    draft.output(draft.add(Op::compose, Draft::real(4), {part, part, part, part}));
    const ssa::Program result = simplified(draft.program);
    EXPECT_EQ(count(result, Op::extract), index == 2 ? 0u : 1u);
  }
}

TEST(Simplify, OfWhatNobodyReadsOnlyEffectsStay) {
  const ssa::Program result = simple("void main() { vec4 a = sin(v); colour = w; if (v.x > 100.0) discard; }");
  EXPECT_EQ(count(result, Op::fsin), 0u);
  EXPECT_EQ(count(result, Op::flt), 1u);
}

TEST(Simplify, AValueOfOneBranchIsNotTheOtherOnes) {
  const ssa::Program result =
      simple("void main() { vec4 a; if (v.x > 0.5) a = exp2(w) + v; else a = exp2(w); colour = a; }");
  EXPECT_EQ(count(result, Op::fexp2), 2u);
  EXPECT_EQ(count(simple("void main() { vec4 a = exp2(w); if (v.x > 0.5) a += exp2(w); colour = a; }"), Op::fexp2), 1u);
}

TEST(Simplify, WhatALoopDoesNotChangeIsSeenThroughItsPhi) {
  simple(
      "void main() { vec4 a = v, b = u; for (int i = 0; i < int(w.z) + 3; ++i) { vec4 t = a; a = a.yxwz; a = a.yxwz;\n"
      "b += t; } colour = a + b; }");
}

TEST(Simplify, DifferencesStayWhereTheyAre) {
  const auto program = ssa_of(
      "#extension GL_OES_standard_derivatives : enable\nprecision highp float; varying vec4 v;\n"
      "void main() { gl_FragColor = dFdx(vec4(2.0)) + dFdx(v); }");
  ASSERT_TRUE(program) << errors_of(program);
  EXPECT_GE(count(simplified(*program), Op::ddx), 1u);
}

}  // namespace
}  // namespace mobula::test
