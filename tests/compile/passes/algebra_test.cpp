#include "compile/passes/algebra.h"

#include <gtest/gtest.h>

#include "compile/passes/passes.h"

namespace mobula::test {
namespace {

using ssa::Op;

constexpr double close = 1e-6;

/// Operations that are left, in their order: what is neither a constant nor input and output.
std::vector<Op> left_of(ssa::Program program) {
  std::vector<Op> list;
  for (const ssa::Block& block : program.blocks)
    for (const ssa::Instruction& each : block.instructions)
      if (ssa::only_computes(each.op) && each.op != Op::swizzle && each.op != Op::compose) list.push_back(each.op);
  return list;
}

ssa::Program rewritten(ssa::Program program) {
  for (unsigned round = 0; round < 4; ++round) {
    ssa::rewrite_algebra(program);
    ssa::simplify(program);
  }
  EXPECT_EQ(ssa::faults(program), std::vector<std::string>{}) << ssa::print(program);
  return program;
}

/// Of a colour's expression.
std::vector<Op> left_of(const std::string& expression) {
  return left_of(checked(
      "void main() { colour = vec4(" + expression + "); }",
      [](ssa::Program& program) { program = rewritten(std::move(program)); }, close));
}

using Ops = std::vector<Op>;

/// By hand, as the optimiser of SPIR-V knows some of it, too. `make` adds to a draft what is made of its input.
template <class Make>
Ops left_by_hand(Make make, bool precise = false) {
  Draft draft;
  const ssa::Value result = make(draft, draft.input());
  draft.output(result);
  for (ssa::Instruction& each : draft.program.blocks[0].instructions) each.precise = precise;
  draft.program.variables[0].slots[0].name = "colour";
  draft.program.variables[1].slots[0].name = "v";
  const ssa::Program after = rewritten(draft.program);
  expect_same_colours(draft.program, after, close);
  return left_of(after);
}
Ops left_of(Op op, float second, bool precise = false) {
  return left_by_hand(
      [&](Draft& draft, ssa::Value v) {
        return draft.add(op, Draft::real(4), {v, draft.constant(second, 4)});
      },
      precise);
}

TEST(Algebra, WhatChangesNothingGoes) {
  EXPECT_EQ(left_of(Op::fmul, 1), Ops{});
  EXPECT_EQ(left_of(Op::fmul, 1, true), Ops{});
  EXPECT_EQ(left_of(Op::fadd, 0), Ops{});
  EXPECT_EQ(left_of(Op::fadd, 0, true), Ops{Op::fadd}) << "-0 + 0 is 0";
  EXPECT_EQ(left_of(Op::fadd, -0.0F, true), Ops{});
  EXPECT_EQ(left_of(Op::fsub, 0, true), Ops{});
  EXPECT_EQ(left_of(Op::fdiv, 1, true), Ops{});
  EXPECT_EQ(left_of(Op::fmul, -1, true), Ops{Op::fneg});
}

TEST(Algebra, ProductsWithZero) {
  EXPECT_EQ(left_of(Op::fmul, 0), Ops{});
  EXPECT_EQ(left_of(Op::fmul, 0, true), Ops{Op::fmul}) << "of an infinity it is none";
}

TEST(Algebra, DivisionsByConstants) {
  EXPECT_EQ(left_of(Op::fdiv, 3), Ops{Op::fmul});
  EXPECT_EQ(left_of(Op::fdiv, 3, true), Ops{Op::fdiv});
  EXPECT_EQ(left_of(Op::fdiv, 0.25F, true), Ops{Op::fmul}) << "exact";
  EXPECT_EQ(left_of(Op::fdiv, 0), Ops{Op::fdiv});
  EXPECT_EQ(left_of(Op::fdiv, 1e-45F), Ops{Op::fdiv}) << "there is no reciprocal";
}

TEST(Algebra, SignsMoveIntoSums) {
  const auto minus = [](Draft& draft, ssa::Value v) { return draft.add(Op::fneg, Draft::real(4), {v}); };
  EXPECT_EQ(left_by_hand([&](Draft& d, ssa::Value v) { return minus(d, minus(d, v)); }, true), Ops{});
  EXPECT_EQ(left_by_hand([&](Draft& d, ssa::Value v) {
              return d.add(Op::fadd, Draft::real(4), {d.constant(2, 4), minus(d, v)});
            }),
            Ops{Op::fsub});
  EXPECT_EQ(left_by_hand([&](Draft& d, ssa::Value v) {
              return d.add(Op::fsub, Draft::real(4), {d.constant(2, 4), minus(d, v)});
            }),
            Ops{Op::fadd});
  EXPECT_EQ(left_by_hand([&](Draft& d, ssa::Value v) { return d.add(Op::fabs, Draft::real(4), {minus(d, v)}); }),
            Ops{Op::fabs});
  EXPECT_EQ(left_by_hand([&](Draft& d, ssa::Value v) { return d.add(Op::fsub, Draft::real(4), {v, v}); }), Ops{});
}

TEST(Algebra, Powers) {
  EXPECT_EQ(left_of("pow(abs(v), vec4(2.0))"), (Ops{Op::fabs, Op::fmul}));
  EXPECT_EQ(left_of("pow(abs(v), vec4(3.0))"), (Ops{Op::fabs, Op::fmul, Op::fmul}));
  EXPECT_EQ(left_of("pow(abs(v), vec4(4.0))"), (Ops{Op::fabs, Op::fmul, Op::fmul}));
  EXPECT_EQ(left_of("pow(abs(v), vec4(0.5))"), (Ops{Op::fabs, Op::fsqrt}));
  EXPECT_EQ(left_of("pow(vec4(2.0), v)"), Ops{Op::fexp2});
  EXPECT_EQ(left_of("pow(abs(v), vec4(2.5))"), (Ops{Op::fabs, Op::fpow}));
  EXPECT_EQ(left_of("exp2(log2(abs(w) + 1.0))"), (Ops{Op::fabs, Op::fadd}));
  EXPECT_EQ(left_of("1.0 / sqrt(abs(w) + 1.0)"), (Ops{Op::fabs, Op::fadd, Op::frsqrt}));
  EXPECT_EQ(left_of("v / sqrt(abs(w) + 1.0)"), (Ops{Op::fabs, Op::fadd, Op::frsqrt, Op::fmul}));
}

TEST(Algebra, SumsOfProductsWithZeros) {
  EXPECT_EQ(left_of("dot(v, vec4(0.0, 1.0, 0.0, 0.0))"), Ops{});
  EXPECT_EQ(left_of("dot(vec4(0.0, 0.0, 3.0, 0.0), v)"), Ops{Op::fmul});
  EXPECT_EQ(left_of("dot(v, vec4(0.0, 2.0, 0.0, 4.0))"), Ops{Op::fdot});
  EXPECT_EQ(left_of("dot(v, vec4(0.0))"), Ops{});
  const Ops product = left_of("m * vec4(v.xyz, 1.0)");
  EXPECT_EQ(std::ranges::count(product, Op::fmul), 3);
  EXPECT_EQ(std::ranges::count(left_of("m * vec4(v.xy, 0.0, 1.0)"), Op::fmul), 2);
}

TEST(Algebra, ClampsAreWrittenInOneWay) {
  EXPECT_EQ(left_of("max(min(v, 1.0), 0.0)"), (Ops{Op::fmax, Op::fmin}));
  EXPECT_EQ(left_of("min(max(v, 0.0), 1.0)"), (Ops{Op::fmax, Op::fmin}));
  EXPECT_EQ(left_of("max(min(v, 0.0), 1.0)"), (Ops{Op::fmin, Op::fmax})) << "that is no clamp";
}

TEST(Algebra, Integers) {
  const auto of = [](const std::string& text) { return left_of("uintBitsToFloat(" + text + ")"); };
  const std::string x = "floatBitsToUint(v.x)";
  EXPECT_EQ(of(x + " * 8u"), (Ops{Op::f_bits, Op::ishl, Op::f_of_bits}));
  EXPECT_EQ(of(x + " / 8u"), (Ops{Op::f_bits, Op::ishr_u, Op::f_of_bits}));
  EXPECT_EQ(of(x + " % 8u"), (Ops{Op::f_bits, Op::iand, Op::f_of_bits}));
  EXPECT_EQ(of(x + " / 6u"), (Ops{Op::f_bits, Op::idiv_u, Op::f_of_bits}));
  EXPECT_EQ(of("((" + x + " + 0u) * 1u) & 0xFFFFFFFFu"), Ops{});
}

TEST(Algebra, BooleansAndChoices) {
  EXPECT_EQ(left_of("v.x > 0.5 ? w : w"), Ops{});
  EXPECT_EQ(left_of("(v.x > 0.5 ? 1 : 0) == 1 ? w : u"), (Ops{Op::flt, Op::select}));
  EXPECT_EQ(left_of("(v.x > 0.5 ? 3 : 4) != 3 ? w : u"), (Ops{Op::flt, Op::select}));
  EXPECT_EQ(left_of("!(n < 2) ? w : u"), (Ops{Op::ile_s, Op::select}));
  EXPECT_EQ(left_of("n < 2 ? (n < 2 ? w : u) : v"), (Ops{Op::ilt_s, Op::select}));
  EXPECT_EQ(left_of("n < 2 ? v : (n < 2 ? w : u)"), (Ops{Op::ilt_s, Op::select}));
}

TEST(Algebra, RootsAreComparedByTheirSquares) {
  EXPECT_EQ(left_of("sqrt(abs(v.x)) <= w.x ? w : u"), (Ops{Op::fabs, Op::fabs, Op::fmul, Op::fle, Op::select}));
  EXPECT_EQ(left_of("w.x < sqrt(abs(v.x)) ? w : u"), (Ops{Op::fabs, Op::fabs, Op::fmul, Op::flt, Op::select}));
  EXPECT_EQ(left_of("sqrt(abs(v.x)) < sqrt(abs(v.y)) ? w : u"), (Ops{Op::fabs, Op::fabs, Op::flt, Op::select}));
  EXPECT_EQ(left_of("sqrt(abs(v.x)) < 3.0 ? w : u"), (Ops{Op::fabs, Op::flt, Op::select}));
  const auto compared = [](bool precise) {
    return left_by_hand(
        [](Draft& d, ssa::Value v) {
          const ssa::Value root = d.add(Op::fsqrt, Draft::real(4), {d.add(Op::fabs, Draft::real(4), {v})});
          const ssa::Value less = d.add(Op::flt, {ssa::Base::boolean, 4}, {root, v});
          return d.add(Op::select, Draft::real(4), {less, v, d.constant(2, 4)});
        },
        precise);
  };
  EXPECT_EQ(std::ranges::count(compared(false), Op::fsqrt), 0);
  EXPECT_EQ(std::ranges::count(compared(true), Op::fsqrt), 1);
}

TEST(Algebra, SumsOfProductsAreContracted) {
  for (const bool precise : {false, true}) {
    Draft draft;
    const ssa::Value v = draft.input(), square = draft.add(Op::fmul, Draft::real(4), {v, v});
    draft.output(draft.add(Op::fadd, Draft::real(4), {square, v}));
    draft.program.blocks[0].instructions[2].precise = precise;
    ssa::contract(draft.program);
    EXPECT_EQ(count(simplified(draft.program), Op::ffma), precise ? 0u : 1u);
  }
}

}  // namespace
}  // namespace mobula::test
