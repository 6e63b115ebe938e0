// Shaders of the tests, from GLSL to the form that is compiled from.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "compile/front/shader.h"
#include "compile/natives.h"
#include "compile/passes/optimize.h"
#include "compile/passes/simplify.h"
#include "compile/ssa/from_spirv.h"
#include "compile/ssa/print.h"
#include "compile/ssa/validate.h"

namespace mobula::test {

inline Result<compile::Spirv> spirv_of(std::string_view glsl, Stage stage = Stage::fragment) {
  return compile::glsl_to_spirv({"shader", glsl, stage, {}, {}});
}

inline Result<ssa::Program> ssa_of(std::string_view glsl, Stage stage = Stage::fragment) {
  const auto spirv = spirv_of(glsl, stage);
  if (!spirv) return fail(spirv.error());
  const auto optimised = compile::optimise(*spirv, "shader");
  if (!optimised) return fail(optimised.error());
  return ssa::from_spirv(*optimised, stage, "shader");
}

inline ssa::Program simplified(ssa::Program program) {
  ssa::simplify(program);
  EXPECT_EQ(ssa::faults(program), std::vector<std::string>{}) << ssa::print(program);
  return program;
}

/// As passes make it of a program.
inline ssa::Program optimized(ssa::Program program, const ssa::Effort& effort = {}) {
  ssa::optimize(program, effort);
  EXPECT_EQ(ssa::faults(program), std::vector<std::string>{}) << ssa::print(program);
  return program;
}

inline void expect_native(const ssa::Program& program, const ssa::Native& native) {
  for (const ssa::Block& block : program.blocks)
    for (const ssa::Instruction& each : block.instructions) EXPECT_TRUE(native.has(each.op)) << ssa::name(each.op);
}
inline ssa::Program lowered(ssa::Program program, const ssa::Native& native) {
  ssa::lower(program, native);
  EXPECT_EQ(ssa::faults(program), std::vector<std::string>{}) << ssa::print(program);
  expect_native(program, native);
  return program;
}
/// As a back end does it: what lowering makes can be made smaller, too, and has to stay native.
inline ssa::Program lowered_and_optimized(const ssa::Program& program, const ssa::Native& native) {
  const ssa::Program result = optimized(lowered(optimized(program), native), {.level = 1});
  expect_native(result, native);
  return result;
}

/// A program as it comes, as each kind of effort makes it, and of what machines have.
struct Form {
  std::string_view name;
  ssa::Program program;
};
inline std::vector<Form> forms_of(const ssa::Program& program) {
  return {{"as it comes", program},
          {"-O1", optimized(program, {.level = 1})},
          {"-O2", optimized(program)},
          {"-O2 for a machine without local memory",
           optimized(program, {.branch_operations = 64, .chosen_elements = 8, .multiplies_and_adds = true})},
          {"lowered", lowered_and_optimized(program, rich_native())},
          {"lowered as far as may be", lowered(program, least_native())}};
}

/// All errors of a failed result, rendered.
template <class T>
std::string errors_of(const Result<T>& result) {
  return result ? "" : render(result.error());
}

}  // namespace mobula::test
