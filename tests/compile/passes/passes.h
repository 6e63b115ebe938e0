// What tests of passes share: shaders before and after, and programs put together by hand.
#pragma once

#include <algorithm>
#include <bit>

#include "compile/build.h"
#include "compile/evaluation.h"

namespace mobula::test {

inline std::size_t count(const ssa::Program& program, ssa::Op op) {
  std::size_t found = 0;
  for (const ssa::Block& block : program.blocks)
    for (const ssa::Instruction& each : block.instructions) found += each.op == op ? 1 : 0;
  return found;
}

/// By instruction that does so, the local variables that are loaded, or stored to.
inline std::vector<std::uint32_t> accessed(const ssa::Program& program, ssa::Op op) {
  std::vector<std::uint32_t> found;
  for (const ssa::Block& block : program.blocks)
    for (const ssa::Instruction& each : block.instructions)
      if (each.op == op && program.variables[each.variable].storage == ssa::Storage::local)
        found.push_back(each.variable);
  return found;
}

/// Both give the same colour for some inputs, within `allowed` of its size.
inline void expect_same_colours(const ssa::Program& before, const ssa::Program& after, double allowed = 0) {
  Evaluation first(before), second(after);
  for (const double factor : {0.0, 1.0, -2.5, 0.75}) {
    for (Evaluation* const each : {&first, &second}) {
      each->put("v", {factor, 0.25, -0.5, 3});
      each->put("w", {1, factor, 2, -7});
      each->put("u", {0.5, -1, factor, 4});
      each->put("n", {std::trunc(factor)});
      each->put("m[0]", {1, 2, 3, factor, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
      EXPECT_EQ(each->evaluator.run(), "") << ssa::print(each->program);
    }
    EXPECT_EQ(first.evaluator.discarded(0), second.evaluator.discarded(0)) << ssa::print(after);
    for (unsigned i = 0; i < 4; ++i) {
      const double expected = first.get("colour", 0, i), found = second.get("colour", 0, i);
      if (std::isfinite(expected)) {
        EXPECT_NEAR(expected, found, allowed * std::fabs(expected)) << ssa::print(after);
      }
    }
  }
}

/// A fragment shader's body, and what comes of it by a pass: something valid that gives the same colours.
template <class Pass>
ssa::Program checked(const std::string& body, Pass pass, double allowed = 0) {
  const auto program = ssa_of(
      "#version 320 es\nprecision highp float; precision highp int; in vec4 v; in vec4 w; uniform vec4 u; uniform mat4 "
      "m; uniform int n; out vec4 colour;\n" +
      body);
  EXPECT_TRUE(program) << errors_of(program);
  if (!program) return {};
  ssa::Program result = *program;
  pass(result);
  EXPECT_EQ(ssa::faults(result), std::vector<std::string>{}) << ssa::print(result);
  expect_same_colours(*program, result, allowed);
  return result;
}

/// One that is put together by hand, value by value.
class Draft {
 public:
  Draft() {
    program.stage = Stage::fragment;
    program.variables = {{"out", ssa::Storage::output, {{"out", real(4)}}},
                         {"in", ssa::Storage::input, {{"in", real(4)}}}};
    program.blocks.resize(1);
  }
  static ssa::Type real(std::uint8_t components) { return {ssa::Base::real, components}; }
  ssa::Value add(ssa::Op op, ssa::Type type, std::vector<ssa::Value> operands, std::array<std::uint32_t, 4> data = {},
                 std::uint32_t variable = ssa::none) {
    ssa::Instruction each{.op = op, .type = type, .operands = std::move(operands), .data = data, .variable = variable};
    if (type.base != ssa::Base::none) {
      each.result = static_cast<ssa::Value>(program.values.size());
      program.values.push_back(type);
    }
    program.blocks[0].instructions.push_back(each);
    return each.result;
  }
  ssa::Value constant(float value, std::uint8_t components = 1) {
    std::array<std::uint32_t, 4> data{};
    std::fill_n(data.begin(), components, std::bit_cast<std::uint32_t>(value));
    return add(ssa::Op::constant, real(components), {}, data);
  }
  ssa::Value input() { return add(ssa::Op::load, real(4), {}, {}, 1); }
  void output(ssa::Value value) { add(ssa::Op::store, {}, {value}, {}, 0); }
  ssa::Program program;
};

}  // namespace mobula::test
