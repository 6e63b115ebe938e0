#include "compile/passes/control_flow.h"

#include <gtest/gtest.h>

#include <random>
#include "compile/passes/passes.h"

#include "compile/ssa/dominators.h"

namespace mobula::test {
namespace {

using ssa::End;
using ssa::Op;

/// Blocks that lead to each other, with a constant to branch by.
ssa::Program skeleton(const std::vector<End>& ends, bool condition) {
  Draft draft;
  draft.add(Op::constant, {ssa::Base::boolean}, {}, {condition ? 1U : 0U});
  draft.input();
  draft.program.blocks.resize(ends.size());
  for (std::uint32_t i = 0; i < ends.size(); ++i) {
    draft.program.blocks[i].end = ends[i];
    for (const std::uint32_t target : ends[i].targets)
      if (target != ssa::none) draft.program.blocks[target].predecessors.push_back(i);
  }
  return draft.program;
}
End jump(std::uint32_t to) { return {End::Kind::jump, ssa::none, {to, ssa::none}}; }
End branch(std::uint32_t yes, std::uint32_t no) { return {End::Kind::branch, 0, {yes, no}}; }

ssa::Program straight(ssa::Program program) {
  EXPECT_EQ(ssa::faults(program), std::vector<std::string>{});
  EXPECT_TRUE(ssa::straighten(program));
  EXPECT_EQ(ssa::faults(program), std::vector<std::string>{}) << ssa::print(program);
  EXPECT_FALSE(ssa::straighten(program)) << "once is enough";
  return program;
}

TEST(ControlFlow, ABranchOnAConstantIsAJump) {
  for (const bool condition : {false, true}) {
    const ssa::Program result = straight(skeleton({branch(1, 2), {End::Kind::discard}, {}}, condition));
    ASSERT_EQ(result.blocks.size(), 1u);
    EXPECT_EQ(result.blocks[0].end.kind, condition ? End::Kind::discard : End::Kind::leave);
  }
}

TEST(ControlFlow, OnlyTheOperandOfTheWayThatIsLeftStays) {
  ssa::Program program = skeleton({branch(1, 2), jump(3), jump(3), {}}, false);
  program.values.push_back(Draft::real(1)), program.values.push_back(Draft::real(1)),
      program.values.push_back(Draft::real(1));
  for (std::uint32_t i = 1; i < 3; ++i)
    program.blocks[i].instructions = {{.op = Op::constant, .type = Draft::real(1), .result = i + 1, .data = {i}}};
  program.blocks[3].instructions = {{.op = Op::phi, .type = Draft::real(1), .result = 4, .operands = {2, 3}}};
  const ssa::Program result = straight(program);
  ASSERT_EQ(result.blocks.size(), 1u);
  EXPECT_EQ(result.blocks[0].instructions.back().operands, (std::vector<ssa::Value>{3}));
}

TEST(ControlFlow, EmptyBlocksAreLedPast) {
  ssa::Program program = skeleton({branch(1, 2), jump(3), jump(3), {}}, true);
  program.blocks[0].instructions[0] = {.op = Op::undefined, .type = {ssa::Base::boolean}, .result = 0};
  const ssa::Program result = straight(program);
  EXPECT_EQ(result.blocks.size(), 1u) << ssa::print(result);
}

TEST(ControlFlow, BothWaysOfABranchStayApartWhereTheyBringOtherValues) {
  ssa::Program program = skeleton({branch(1, 2), jump(3), jump(3), {}}, true);
  program.blocks[0].instructions[0] = {.op = Op::undefined, .type = {ssa::Base::boolean}, .result = 0};
  program.values.push_back(Draft::real(4)), program.values.push_back(Draft::real(4));
  program.blocks[0].instructions.push_back({.op = Op::constant, .type = Draft::real(4), .result = 2});
  program.blocks[3].instructions = {{.op = Op::phi, .type = Draft::real(4), .result = 3, .operands = {1, 2}}};
  const ssa::Program result = straight(program);
  ASSERT_EQ(result.blocks.size(), 3u) << ssa::print(result);
  EXPECT_EQ(result.blocks[0].merge, 2u);
}

TEST(ControlFlow, WhatLeadsOutOfALoopStandsBehindIt) {
  // b1 is the head, b2 leads out by b3, b4 turns.
  ssa::Program program = skeleton({jump(1), jump(2), branch(3, 4), jump(5), jump(1), {}}, true);
  program.blocks[0].instructions[0] = {.op = Op::undefined, .type = {ssa::Base::boolean}, .result = 0};
  program.blocks[1].merge = 5, program.blocks[1].next_turn = 4;
  program.values.push_back(Draft::real(4));
  program.blocks[3].instructions = {{.op = Op::constant, .type = Draft::real(4), .result = 2}};
  program.blocks[4].instructions = {{.op = Op::store, .operands = {1}, .variable = 0}};
  const ssa::Program result = straight(program);
  ASSERT_EQ(result.blocks.size(), 4u) << ssa::print(result);
  EXPECT_EQ(result.blocks[1].merge, 3u);
  EXPECT_EQ(result.blocks[1].next_turn, 2u);
  EXPECT_EQ(count(result, Op::constant), 1u);
  EXPECT_EQ(result.blocks[3].instructions.size(), 1u);
}

TEST(ControlFlow, WaysThatEndDoNotMeet) {
  ssa::Program program = skeleton({branch(1, 2), branch(3, 4), {End::Kind::discard}, jump(5), jump(5), {}}, true);
  ssa::find_meetings(program);
  EXPECT_EQ(program.blocks[0].merge, 1u);
  EXPECT_EQ(program.blocks[1].merge, 5u);
}

TEST(ControlFlow, ATreeOfDominatorsSaysWhatTheirChainsSay) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 200; ++round) {
    constexpr std::uint32_t count = 12;
    std::vector<End> ends;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto later = [&] { return i + 1 + static_cast<std::uint32_t>(random() % (count - 1 - i)); };
      if (i + 1 == count || random() % 6 == 0)
        ends.emplace_back();
      else if (const std::uint32_t yes = later(), no = random() % 4 == 0 ? 0 : later(); yes != no)
        ends.push_back(branch(yes, no));
      else
        ends.push_back(jump(yes));
    }
    const ssa::Program program = skeleton(ends, true);
    const std::vector<std::uint32_t> nearest = ssa::dominators(program);
    const ssa::DominatorTree tree(program);
    for (std::uint32_t above = 0; above < count; ++above)
      for (std::uint32_t block = 0; block < count; ++block) {
        std::uint32_t at = block;
        while (at != above && at != 0 && nearest[at] != ssa::none) at = nearest[at];
        EXPECT_EQ(tree.dominates(above, block), at == above) << above << ' ' << block;
      }
  }
}

TEST(ControlFlow, GivesTheSameColours) {
  for (const char* body :
       {"void main() { vec4 a = v; if (n > 5) { } else if (false) { a = w; } colour = a; }",
        "void main() { vec4 a = v; for (int i = 0; i < n + 4; ++i) { if (v.x > 0.5) { a += w; break; } a = a.yzwx; }\n"
        "if (a.x == 17.0) discard; colour = a; }",
        "void main() { vec4 a = v; switch (n) { case 0: a += w; case 1: a *= u; break; case -2: discard; } colour = a; "
        "}",
        "void main() { vec4 a = v; do { a += w; if (a.y < 0.0) continue; a.z -= 3.0; } while (a.z > 0.0 && a.x < 9.0); "
        "colour = a; "
        "}"})
    checked(body, ssa::straighten);
}

}  // namespace
}  // namespace mobula::test
